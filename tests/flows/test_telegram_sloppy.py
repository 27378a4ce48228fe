"""A server that is not as careful as Telegram: what can be read is read, what cannot is reported, and the bot
continues.
"""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import HTMLResponse, JSONResponse, Response
from tests.led_agent import PICTURE
from tests.telegram_scene import Scene, eventually, telegram_scene, telegram_settings

from nanoclaw.cli import telegram
from nanoclaw.cli.doctor import _heard_of_bots
from nanoclaw.cli.findings import CheckResult
from nanoclaw.delivery import outbox
from nanoclaw.domain.parcels import ParcelState
from nanoclaw.testing import ScriptedModel, TelegramServer, started_host
from nanoclaw.testing.telegram.server import Call

pytestmark = pytest.mark.capability("A1", "A12", "O2")

PAGE = HTMLResponse("<html><body>no</body></html>", 403)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is tried again is tried soon."""
    monkeypatch.setattr("nanoclaw.channels.telegram.polling._FIRST_PAUSE", 0.01)
    monkeypatch.setattr("nanoclaw.channels.telegram.listener._CONNECT_PAUSE", 0.05)


def text_answers(scene: Scene, method: str, answer: Response, *, times: int = 10**9) -> None:
    """The server answers this method so, and does nothing."""
    left = [times]

    async def instead(call: Call) -> Response | None:
        if call.method != method or not left[0]:
            return None
        left[0] -= 1
        return answer

    scene.server.on_call = instead


async def trouble(scene: Scene) -> str | None:
    return (await scene.host.bots.report("en"))[0].trouble


async def works(scene: Scene) -> bool | None:
    return await trouble(scene) is None or None


@pytest.mark.parametrize(
    "answer",
    [
        {"ok": True, "result": None},
        {"ok": True},
        {"ok": True, "result": {"a": 1}},
        [1],
        "text",
        {"ok": False},
    ],
    ids=str,
)
async def test_an_answer_that_is_none_is_told_and_asked_for_again(home: Path, answer: Any) -> None:
    async with telegram_scene(home, model=ScriptedModel()) as scene:
        await eventually(lambda: works(scene))
        text_answers(scene, "getUpdates", JSONResponse(answer))
        scene.server.push({"update_id": 8_000_000})  # ends the poll that waits
        told = await eventually(lambda: trouble(scene))
        assert "Telegram did not answer" in told
        scene.server.on_call = None
        await eventually(lambda: works(scene))
        assert await scene.ask("hello") == ["ok"]


async def test_a_bot_that_does_not_listen_is_nowhere_said_to_work(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with TelegramServer(flood_control=False) as server:
        bot = server.add_bot("helper_bot")
        odd = [JSONResponse({"ok": True, "result": None})] * 3

        async def instead(call: Call) -> Response | None:
            return (
                odd.pop() if call.method == "getMe" and odd else PAGE if call.method == "getUpdates" else None
            )

        server.on_call = instead
        async with started_host(home, telegram=telegram_settings(server, bot)) as host:
            said = (await host.bots.report("en"))[0].trouble
            assert said
            assert "NoneType" not in said  # nobody reads Python there
            async with asyncio.timeout(60):
                while server.counts["getUpdates"] < 3:
                    await asyncio.sleep(0.01)
            await asyncio.to_thread(telegram.list_bots, as_json=False)
            listed = capsys.readouterr().out
            assert "works" not in listed
            assert "Forbidden (403)" in listed

            def found(*_names: str, ok: bool | None = True, **_values: object) -> CheckResult:
                return CheckResult(check="telegram", ok=ok, sentence="")

            findings = await asyncio.to_thread(lambda: list(_heard_of_bots(home, found)))
            assert [each.ok for each in findings] == [False]
            server.on_call = None

            async def no_trouble() -> bool | None:
                return (await host.bots.report("en"))[0].trouble is None or None

            await eventually(no_trouble)


USER = {"id": 71, "first_name": "Olena"}


@pytest.mark.parametrize(
    "gone",
    ["date", "from.is_bot", "from.first_name", "chat.type", "reply_to_message.date", "entities.0.type"],
)
async def test_a_message_is_not_lost_for_a_field_that_is_left_out(home: Path, gone: str) -> None:
    model = ScriptedModel()
    async with telegram_scene(home, model=model) as scene:
        kept = scene.chat.add(scene.owner, "text", {"text": "hello you"}, reply_to=scene.last().id)
        told = scene.chat.tell(kept) | {"entities": [{"type": "bold", "offset": 0, "length": 5}]}
        told |= {"from": dict(told["from"]), "chat": dict(told["chat"])}
        *path, name = gone.split(".")
        place: Any = told
        for each in path:
            place = place[int(each) if each.isdecimal() else each]
        del place[name]
        scene.server.push({"message": told})
        if gone.startswith("entities"):  # what that is nobody can say: it is kept aside, and told
            (aside,) = await scene.set_aside(1)
            assert "hello you" in aside.body
            assert "could not be processed" in await eventually(lambda: trouble(scene))
            return
        await scene.chat.wait_until(lambda: "ok" in scene.chat.texts())
        assert "hello you" in model.asked[0].prompt
        await eventually(lambda: works(scene))


async def test_a_press_counts_whatever_is_left_out_around_it(home: Path) -> None:
    async with telegram_scene(home, sloppy=True) as scene:
        scene.server.fail("sendMessage", status=400, description="Bad Request: message is odd")
        await scene.owner.says(scene.chat, "/status")
        card = await scene.card("could not be delivered")
        assert await scene.press(card, "Drop it")
        await scene.settled(card)


@pytest.mark.capability("A11")
async def test_a_send_whose_answer_names_no_message_is_in_doubt_and_not_repeated(home: Path) -> None:
    async with telegram_scene(home, model=ScriptedModel("an answer")) as scene:
        text_answers(scene, "sendMessage", JSONResponse({"ok": True, "result": None}), times=1)
        await scene.owner.says(scene.chat, "one")

        async def in_doubt() -> list[Any] | None:
            return await scene.host.store.read(outbox.given_up) or None

        (parcel,) = await eventually(in_doubt)
        assert (parcel.text, parcel.state) == ("an answer", ParcelState.UNKNOWN)
        await scene.chat.wait_until(lambda: "not known" in scene.last().text)


@pytest.mark.capability("A12")
async def test_a_page_of_a_proxy_says_nothing_about_a_chat_and_the_message_comes_later(home: Path) -> None:
    async with telegram_scene(home, model=ScriptedModel("an answer")) as scene:
        text_answers(scene, "sendMessage", PAGE, times=1)
        assert await scene.ask("one") == ["an answer"]
        assert await scene.host.store.read(outbox.given_up) == []


async def test_files_and_cards_pass_a_sloppy_server_too(home: Path) -> None:
    model = ScriptedModel()
    async with telegram_scene(home, model=model, sloppy=True) as scene:
        await scene.owner.sends_album(scene.chat, [PICTURE, PICTURE], caption="two of them")
        await scene.chat.wait_until(lambda: "ok" in scene.chat.texts())
        assert model.asked[0].prompt.count('kind="photo"') == 2
        assert "path=" in model.asked[0].prompt
        await eventually(lambda: works(scene))
        assert await scene.host.store.read(outbox.given_up) == []
