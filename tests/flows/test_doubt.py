"""It is not known whether something arrived: that is settled by what proves it, or by saying it again with a note."""

import asyncio
import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from starlette.responses import JSONResponse, Response
from tests.delivery_scene import Stepwise, given_up
from tests.telegram_scene import Scene, telegram_scene

from nanoclaw.cli import report
from nanoclaw.delivery import outbox
from nanoclaw.domain.errors import ModelFailed
from nanoclaw.domain.ids import ChatId
from nanoclaw.domain.parcels import Author, ParcelState
from nanoclaw.domain.people import Role
from nanoclaw.domain.steps import ToolCall
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.durable import people, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.testing import ScriptedModel
from nanoclaw.testing.telegram.server import Call

pytestmark = pytest.mark.capability("A12", "A15")

NOTE = "This may have reached you already:"


def in_turn(*answers: str) -> ScriptedModel:
    said = iter(answers)
    return ScriptedModel(lambda _: [next(said)])


def broken(_: TurnRequest) -> Iterator[str]:
    raise ModelFailed("unexpected", said="no")
    yield ""


async def leave_in_doubt(scene: Scene, *, arrives: bool, status: int | None = None) -> None:
    """The owner asks, and nobody knows whether the answer came."""
    if status:
        scene.server.fail("sendMessage", status=status)
    elif arrives:
        scene.server.cut_after("sendMessage")
    else:
        scene.server.cut_before("sendMessage")
    await scene.owner.says(scene.chat, "one")
    [parcel] = await given_up(scene)
    assert parcel.state is ParcelState.UNKNOWN
    await scene.chat.wait_until(lambda: "It is not known" in scene.last().text)


@pytest.mark.parametrize("status", [None, 500, 502, 504])
async def test_the_next_message_of_its_person_brings_it_again_with_a_note_and_in_order(
    home: Path, status: int | None
) -> None:
    async with telegram_scene(home, model=in_turn("first", "second")) as scene:
        await leave_in_doubt(scene, arrives=False, status=status)
        alert = scene.last()
        await scene.owner.says(scene.chat, "two")
        await scene.chat.wait_until(lambda: scene.chat.texts()[-1] == "second")
        assert scene.chat.texts()[-2] == f"{NOTE}\n\nfirst"
        assert await scene.host.store.read(outbox.given_up) == []
        await scene.chat.wait_until(lambda: "sent again, with a note" in scene.chat.history_of(alert.id)[-1])
        assert not [each for each in scene.chat.seen if each.id == alert.id and each.buttons]


async def test_someone_elses_message_brings_nothing_again(home: Path) -> None:
    async with telegram_scene(home, model=in_turn("first", "second")) as scene:
        group = scene.server.group("Team", scene.bot, members=[scene.owner])
        scene.server.cut_before("sendMessage")
        await scene.owner.says(group, "@helper_bot one")
        await given_up(scene)
        ivan = scene.server.person("Ivan")
        await scene.pair(ivan)
        await ivan.joins(group)
        await ivan.says(group, "@helper_bot two")
        await group.wait_for(1)
        assert group.texts() == ["second"]
        assert len(await scene.host.store.read(outbox.given_up)) == 1


async def test_a_reply_to_it_proves_that_it_arrived(home: Path) -> None:
    async with telegram_scene(home, model=in_turn("# first\n\n**bold** words", "second")) as scene:
        await leave_in_doubt(scene, arrives=True)
        doubtful = next(each for each in scene.chat.seen if "bold" in each.text and each.by_bot)
        await scene.owner.says(scene.chat, "two", reply_to=doubtful)
        await scene.chat.wait_until(lambda: scene.chat.texts()[-1] == "second")
        assert not any(NOTE in text for text in scene.chat.texts())
        await until_delivered(scene)


async def test_a_press_on_its_button_proves_that_it_arrived(home: Path) -> None:
    async with telegram_scene(home, model=ScriptedModel(broken)) as scene:
        await leave_in_doubt(scene, arrives=True)
        failed = next(each for each in scene.chat.seen if each.buttons and "again" in each.labels[0].lower())
        await scene.press(failed, failed.labels[0])
        await until_delivered(scene)
        assert not any(NOTE in text for text in scene.chat.texts())


async def until_delivered(scene: Scene) -> None:
    async with asyncio.timeout(60):
        while await scene.host.store.read(outbox.given_up):
            await asyncio.sleep(0.01)


async def test_first_words_that_were_cut_are_listed_and_the_answer_comes_whole(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = Stepwise("All", " of it")
    async with telegram_scene(home, model=model) as scene:
        scene.server.cut_after("sendMessage")
        await scene.owner.says(scene.chat, "one")
        await scene.chat.wait_until(lambda: "All" in scene.chat.texts())
        model.go_on()
        await scene.chat.wait_until(lambda: "All of it" in scene.chat.texts())
        assert scene.chat.texts().count("All of it") == 1
        assert await scene.host.store.read(outbox.given_up) == []
        capsys.readouterr()
        await asyncio.to_thread(report.drafts, home, as_json=True)
        [listed] = json.loads(capsys.readouterr().out)
        assert listed["address"] == str(scene.chat.id)
        await asyncio.to_thread(report.failed, home, as_json=False)
        assert "The first words of one answer may stand in a chat a second time" in capsys.readouterr().out


async def test_a_file_that_is_sent_again_has_the_note_above_its_text(home: Path) -> None:
    sending = ToolCall(id="1", name="send_file", arguments={"path": "note.txt", "caption": "here it is"})
    said: Iterator[str | ToolCall] = iter((sending, "sent", "second"))
    (home / "groups/main/files").mkdir(exist_ok=True)
    (home / "groups/main/files/note.txt").write_text("all of it")
    async with telegram_scene(home, model=ScriptedModel(lambda _: [next(said)])) as scene:
        scene.server.cut_after("sendDocument")
        await scene.owner.says(scene.chat, "one")
        await given_up(scene)
        await scene.owner.says(scene.chat, "two")
        await scene.chat.wait_until(lambda: "second" in scene.chat.texts())
        captions = [each.caption for each in scene.chat.seen if each.file_name]
        assert captions == ["here it is", f"{NOTE}\n\nhere it is"]


async def test_first_words_wait_behind_an_answer_that_is_still_on_its_way(home: Path) -> None:
    model = Stepwise("first")
    async with telegram_scene(home, model=model) as scene:
        body = {"ok": False, "error_code": 409, "description": "Conflict"}
        refused: list[str] = []

        async def refuse_first(call: Call) -> Response | None:
            if call.method != "sendMessage" or call.parameters["text"] != "first" or len(refused) == 3:
                return None
            refused.append(call.parameters["text"])
            return JSONResponse(body, 409)

        scene.server.on_call = refuse_first
        await scene.owner.says(scene.chat, "one")
        await scene.chat.wait_until(lambda: refused)
        model.pieces = ("second", " and more")
        await scene.owner.says(scene.chat, "two")
        await scene.chat.wait_until(lambda: "second" in scene.chat.texts())
        model.go_on()
        await scene.chat.wait_until(lambda: "second and more" in scene.chat.texts())
        assert scene.chat.texts()[-2:] == ["first", "second and more"]


async def test_a_reminder_that_may_have_arrived_is_not_repeated(home: Path) -> None:
    """The card that it is about stands there already."""
    async with telegram_scene(home, model=ScriptedModel("second")) as scene:
        told = "One more hour to decide."

        def remind(tx: Tx) -> ChatId:
            chat = people.chat_at(tx, f"telegram:{scene.bot.id}", str(scene.chat.id))
            assert chat is not None
            origin = f"{outbox.REMINDER} q_1 {chat.id} 1"
            outbox.post(
                tx, chat_id=chat.id, thread=None, author=Author.HOST, text=told, at=now(), origin=origin
            )
            return chat.id

        scene.server.cut_after("sendMessage")
        chat_id = await scene.host.store.write(remind)
        scene.host.engine.kick(work.DELIVERY, chat_id)
        [parcel] = await given_up(scene)
        assert parcel.state is ParcelState.UNKNOWN
        assert await scene.ask("two") == ["second"]
        assert scene.chat.texts().count(told) == 1


async def test_a_card_that_the_network_stumbles_over_is_not_sent_again_and_again_at_once(home: Path) -> None:
    async with telegram_scene(home, model=in_turn("first")) as scene:
        scene.server.cut_before("sendMessage", times=3)  # the answer, and what owners are told of it twice
        await scene.owner.says(scene.chat, "one")
        await scene.chat.wait_until(lambda: "It is not known" in scene.last().text)
        sends = [
            call.at for call in scene.server.calls if "It is not known" in call.parameters.get("text", "")
        ]
        assert len(sends) == 3
        assert all(later - earlier >= 0.9 for earlier, later in pairwise(sends))


async def test_a_reply_to_a_part_of_another_message_proves_nothing(home: Path) -> None:
    async with telegram_scene(home, model=in_turn("first answer", "second")) as scene:
        await leave_in_doubt(scene, arrives=False)
        await scene.owner.says(scene.chat, "two", reply_to=scene.last())  # the alert quotes the answer
        await scene.chat.wait_until(lambda: scene.chat.texts()[-1] == "second")
        assert f"{NOTE}\n\nfirst answer" in scene.chat.texts()


async def test_a_blocked_person_brings_nothing_again(home: Path) -> None:
    async with telegram_scene(home, model=in_turn("first")) as scene:
        other = await scene.joined_by("Ivan", role=Role.STRANGER)
        group = scene.server.group("Team", scene.bot, members=[scene.owner, other.owner])
        scene.server.cut_before("sendMessage")
        await scene.owner.says(group, "@helper_bot one")
        await given_up(scene)
        await scene.ask(f"/block telegram:{other.owner.id}")
        await other.owner.says(group, "@helper_bot two")
        await scene.ask("/status")
        assert group.texts() == []
        assert len(await scene.host.store.read(outbox.given_up)) == 1
