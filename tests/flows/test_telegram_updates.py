"""The receive loop: stored before confirmed, poison kept aside, trouble explained; by polling and by webhook."""

import asyncio
import hmac
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.responses import JSONResponse, Response
from tests.staging import until
from tests.telegram_scene import Scene, eventually, telegram_scene, telegram_settings

from nanoclaw.durable import notes
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx, insist
from nanoclaw.testing import ScriptedModel, TelegramServer, started_host
from nanoclaw.testing.telegram.server import Call

pytestmark = pytest.mark.capability("A1")

_NO_MORE, _AGAIN = "PRAGMA max_page_count = 1", "PRAGMA max_page_count = 1000000"
_PAGE = 4096  # bytes
LONG = "слово " * 600  # more than what is free in the pages that the database has


async def disk(scene: Scene, setting: str) -> None:
    """As when the disk is full: the database takes no further page. Who shares a commit with a failure fails too."""

    def story(tx: Tx) -> None:
        free = int(tx.exec_driver_sql("PRAGMA freelist_count").scalar() or 0)  # pages that it has to spare
        if setting == _NO_MORE and free:
            notes.write(tx, "filler", "x" * free * _PAGE, now())
        tx.exec_driver_sql(setting)

    await insist(scene.host.store, story, told=lambda _: None)


@asynccontextmanager
async def failing(scene: Scene, word: str) -> AsyncIterator[None]:
    """The database refuses messages with this word as a wrong schema would: it is not an outage."""
    raising = "BEGIN SELECT RAISE(ABORT, 'no such column: it'); END"
    trigger = f"CREATE TRIGGER poison BEFORE INSERT ON messages WHEN NEW.text = '{word}' {raising}"
    await scene.host.store.write(lambda tx: tx.exec_driver_sql(trigger))
    yield
    await scene.host.store.write(lambda tx: tx.exec_driver_sql("DROP TRIGGER poison"))


class TestPolling:
    async def test_an_update_is_confirmed_only_when_it_is_stored(self, home: Path) -> None:
        model = ScriptedModel()
        async with telegram_scene(home, model=model) as scene:
            await disk(scene, _NO_MORE)
            polls = scene.server.counts["getUpdates"]
            await scene.owner.says(scene.chat, LONG)
            # It came, could not be kept, and came again.
            await eventually(lambda: more_than(scene, polls + 1))
            assert scene.server.unconfirmed(scene.bot) == 1
            assert model.asked == []
            await disk(scene, _AGAIN)
            assert (await scene.chat.wait_for(2))[1] == "ok"
            assert await scene.ask("next") == ["ok"]
            assert len(model.asked) == 2

    async def test_what_is_no_update_is_kept_aside_and_stops_nobody(self, home: Path) -> None:
        deep: dict[str, Any] = {}
        for _ in range(800):
            deep = {"reply_to_message": deep}
        message = {"message_id": 1, "date": 1, "chat": {"id": 5, "type": "private"}}
        poison: list[dict[str, Any]] = [
            {"message": {"text": "no chat, no number"}},
            {"message": message | {"text": ["a", "list"]}},
            {"message": message | {"date": "yesterday", "text": "x"}},
            {"message": message | {"from": "me", "text": "x"}},
            {
                "message": message
                | {"text": "x", "entities": [{"type": "mention", "offset": 900, "length": -5}]}
            },
            {"message": deep},
            {"callback_query": {"id": "q"}},
            {"my_chat_member": {"chat": {}}},
        ]
        async with telegram_scene(home, model=ScriptedModel()) as scene:
            for update in poison:
                scene.server.push(update)
            harmless: list[dict[str, Any]] = [{"update_id": 7_000_000}, {"a_kind_of_tomorrow": {"x": 1}}]
            for update in harmless:
                scene.server.push(update)
            await scene.owner.says(scene.chat, "hello")
            await scene.chat.wait_until(lambda: "ok" in scene.chat.texts())
            await scene.chat.wait_until(
                lambda: any("could not be taken in" in text for text in scene.chat.texts())
            )
            aside = await scene.set_aside(1)
            assert {each.channel for each in aside} == {f"telegram:{scene.bot.id}"}
            assert all(each.error and each.update_id.isdigit() for each in aside)
            assert any("no chat, no number" in each.body for each in aside)
            assert not any(each.update_id == "7000000" for each in aside)
            await eventually(lambda: none_waits(scene))

    async def test_an_update_without_a_number_does_not_end_the_polling(self, home: Path) -> None:
        odd = [JSONResponse({"ok": True, "result": [{"no": "number"}, 5]})]

        async def instead(call: Call) -> Response | None:
            return odd.pop() if call.method == "getUpdates" and odd else None

        async with telegram_scene(home, model=ScriptedModel()) as scene:
            scene.server.on_call = instead
            scene.server.push({"update_id": 8_000_000})  # wakes the poll that waits
            await eventually(lambda: emptied(odd))
            await scene.owner.says(scene.chat, "hello")
            await scene.chat.wait_until(lambda: "ok" in scene.chat.texts())

    async def test_an_update_that_fails_again_and_again_is_set_aside_and_the_others_go_on(
        self, home: Path
    ) -> None:
        async with telegram_scene(home, model=ScriptedModel()) as scene:
            other = await scene.joined_by("Ivan")
            async with failing(scene, "poison"):
                await scene.owner.says(scene.chat, "poison")
                await scene.owner.says(scene.chat, "after it")
                await other.owner.says(other.chat, "hello")
                await other.chat.wait_until(lambda: "ok" in other.chat.texts())
                await scene.chat.wait_until(lambda: "ok" in scene.chat.texts())
                [aside] = await scene.set_aside(1)
            assert "poison" in aside.body
            assert "no such column" in aside.error
            await scene.chat.wait_until(
                lambda: any("could not be taken in" in text for text in scene.chat.texts())
            )

    async def test_a_host_that_fails_at_every_chat_confirms_nothing_and_goes_on_when_it_is_well(
        self, home: Path
    ) -> None:
        async with telegram_scene(home, model=ScriptedModel()) as scene:
            scenes = [scene, *[await scene.joined_by(name) for name in ("Ivan", "Petro", "Olha")]]
            async with failing(scene, "hello"):
                for each in scenes:
                    await each.owner.says(each.chat, "hello")
                assert "fails at every message" in await scene.page_says("@helper_bot cannot work")
                assert scene.server.unconfirmed(scene.bot) >= 3
            for each in scenes[1:]:
                await each.chat.wait_until(lambda each=each: "ok" in each.chat.texts())  # type: ignore[misc]

    async def test_a_bot_that_hears_nothing_for_too_long_does_not_work(
        self, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("nanoclaw.channels.telegram.polling._DEAF_AFTER", 0.2)
        async with telegram_scene(home, model=ScriptedModel()) as scene:
            trouble = await eventually(lambda: trouble_of(scene))
            assert "nothing was heard from Telegram" in trouble
            monkeypatch.setattr("nanoclaw.channels.telegram.polling._DEAF_AFTER", 600)
            await eventually(lambda: no_trouble(scene))

    async def test_another_program_with_the_same_bot_is_explained_until_it_ends(
        self, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("nanoclaw.channels.telegram.polling._CONFLICT_PAUSE", 0.2)
        monkeypatch.setattr("nanoclaw.channels.telegram.polling._CONFLICT_LASTS", -1)
        async with telegram_scene(home, model=ScriptedModel()) as scene:
            async with httpx.AsyncClient() as other:

                async def is_noticed() -> bool:
                    """Only while the host's own poll waits does Telegram tell the two of each other."""
                    await other.get(f"{scene.server.url}/bot{scene.bot.token}/getUpdates?timeout=0")
                    return not await no_trouble(scene)

                await until(is_noticed)
            assert "Another program fetches the updates" in await scene.page_says("@helper_bot cannot work")
            # It is said to the owner there too: writing works, only reading does not.
            assert "Another program" in (await scene.chat.wait_for(2))[1]
            assert await scene.ask("hello") == ["ok"]
            scene.server.push({"update_id": 8_000_000})  # ends the poll that shows that all is well again
            await eventually(lambda: no_trouble(scene))

    async def test_a_token_that_is_taken_back_is_explained_and_not_shown(
        self, home: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        async with TelegramServer(flood_control=False) as server:
            async with telegram_scene(home, model=ScriptedModel(), server=server) as scene:
                with scene.refusing("getUpdates", 401, "Unauthorized"):
                    server.push({"update_id": 8_000_000})  # wakes the poll that waits
                    assert "does not accept the token" in await scene.page_says("@helper_bot cannot work")
            gone = scene.telegram | {"bot_token": "123:taken-back-long-ago"}
            async with started_host(home, telegram=gone) as host:
                said = await replace(scene, host=host).page_says("123 cannot work")
                assert "taken-back" not in said + str(await host.bots.report("en")) + capsys.readouterr().out
                assert "does not accept the token" in said

    async def test_an_update_of_today_that_was_kept_aside_is_shown_after_a_restart_too(
        self, home: Path
    ) -> None:
        async with TelegramServer(flood_control=False) as server:
            async with telegram_scene(home, model=ScriptedModel(), server=server) as scene:
                server.push({"message": {"no": "message"}})
                await scene.set_aside(1)
            async with started_host(home, telegram=scene.telegram) as host:
                here = replace(scene, host=host)
                await eventually(lambda: says(here, "could not be processed today"))

    async def test_a_bot_that_is_disconnected_while_someone_waits_for_it_is_no_error(
        self, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("nanoclaw.host.bots._KNOWN_WITHIN", 0.5)
        asked, answer = asyncio.Event(), asyncio.Event()

        async def hang(call: Call) -> None:
            if call.method == "deleteWebhook":
                asked.set()
                await answer.wait()

        async with TelegramServer(flood_control=False) as server:
            bot = server.add_bot()
            server.on_call = hang
            async with started_host(home, telegram={"api_base": server.url}) as host:
                connecting = asyncio.create_task(host.bots.connect(bot.token))
                await asked.wait()
                await host.bots.disconnect(str(bot.id))
                connected = await connecting
                assert (connected.id, connected.trouble) == (str(bot.id), None)
                assert await host.bots.report("en") == []
                answer.set()

    async def test_the_host_starts_and_stops_while_telegram_is_away(self, home: Path) -> None:
        settings = {"bot_token": "123:as-good-as-any-token", "api_base": "http://127.0.0.1:9"}
        async with started_host(home, telegram=settings) as host:
            (bot,) = await host.bots.report("en")
            assert (bot.id, bot.username) == ("123", "")


async def more_than(scene: Scene, polls: int) -> bool | None:
    return scene.server.counts["getUpdates"] > polls or None


async def none_waits(scene: Scene) -> bool | None:
    return scene.server.unconfirmed(scene.bot) == 0 or None


async def no_trouble(scene: Scene) -> bool | None:
    return all(bot.trouble is None for bot in await scene.host.bots.report("en")) or None


async def emptied(answers: list[JSONResponse]) -> bool | None:
    return not answers or None


class TestWebhook:
    @pytest.fixture
    def port(self) -> int:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            return int(free.getsockname()[1])

    async def test_a_message_that_is_posted_is_stored_and_answered(self, home: Path, port: int) -> None:
        webhook = {"webhook_url": f"http://127.0.0.1:{port}", "webhook_port": port}
        async with telegram_scene(home, model=ScriptedModel(), telegram=webhook) as scene:
            assert await scene.ask("hello") == ["ok"]
            scene.server.repeat_last_update()
            await disk(scene, _NO_MORE)
            await scene.owner.says(scene.chat, LONG)
            await eventually(lambda: trouble(scene, "503"))
            await disk(scene, _AGAIN)
            assert (await scene.chat.wait_for(3))[2] == "ok"
            scene.server.push({"message": {"no": "message"}})
            await scene.owner.says(scene.chat, "next")
            await scene.chat.wait_until(lambda: scene.chat.texts().count("ok") == 3)
            await scene.set_aside(1)
            assert scene.server.counts["getUpdates"] == 0

    async def test_whoever_does_not_know_the_secret_is_turned_away(self, home: Path, port: int) -> None:
        webhook = {"webhook_url": f"http://127.0.0.1:{port}/", "webhook_port": port}
        async with telegram_scene(home, model=ScriptedModel(), telegram=webhook) as scene:
            secret = hmac.digest(scene.bot.token.encode(), b"webhook", "sha256").hex()
            right = {"X-Telegram-Bot-Api-Secret-Token": secret}
            here = f"/telegram/{scene.bot.id}"
            async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as somebody:
                for path, headers, content, status in (
                    (here, {}, b"{}", 403),
                    (here, {"X-Telegram-Bot-Api-Secret-Token": "guess"}, b"{}", 403),
                    (here, {"X-Telegram-Bot-Api-Secret-Token": ""}, b"{}", 403),
                    ("/telegram/123", right, b"{}", 403),
                    ("/telegram", right, b"{}", 404),
                    ("/", right, b"{}", 404),
                    (here, right, b"no json", 400),
                    (here, right, b'"text"', 200),  # kept aside
                    (here, right, b"[" * 100_000, 400),
                    (here, right, b"\xff\xfe", 400),
                    (here, right, b" " * (2 << 20), 413),
                ):
                    answer = await somebody.post(path, headers=headers, content=content)
                    assert answer.status_code == status, (path, content[:20])
                assert (await somebody.get(here, headers=right)).status_code == 405
            await scene.owner.says(scene.chat, "hello")
            await scene.chat.wait_until(lambda: "ok" in scene.chat.texts())

    async def test_a_proxy_s_connection_stays_while_it_is_used(
        self, home: Path, port: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Telegram's updates come over a few connections that are kept; one that is cut loses a request."""
        monkeypatch.setattr("nanoclaw.console.web_server._PATIENCE", 2.0)
        webhook = {"webhook_url": f"http://127.0.0.1:{port}", "webhook_port": port}
        async with telegram_scene(home, model=ScriptedModel(), telegram=webhook) as scene:
            secret = hmac.digest(scene.bot.token.encode(), b"webhook", "sha256").hex()
            head = f"POST /telegram/{scene.bot.id} HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\n"
            head += f"X-Telegram-Bot-Api-Secret-Token: {secret}\r\n\r\n"
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            silent, nothing = await asyncio.open_connection("127.0.0.1", port)
            ends = asyncio.create_task(silent.read())

            async def post() -> None:
                writer.write(f"{head}[]".encode())
                assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")
                assert await reader.readexactly(6) == b"stored"

            async with asyncio.timeout(60):
                while not ends.done():
                    await post()
                    await asyncio.wait([ends], timeout=0.1)
                await post()  # whoever says nothing is given up, whoever came before it and works is not
            for each in (writer, nothing):
                each.close()


async def says(scene: Scene, words: str) -> bool | None:
    return words in (await trouble_of(scene) or "") or None


async def trouble_of(scene: Scene) -> str | None:
    return (await scene.host.bots.report("en"))[0].trouble


async def trouble(scene: Scene, status: str) -> bool | None:
    return status in str(scene.bot.updates.webhook_info()) or None


async def test_telegram_that_comes_up_after_the_host_is_heard(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nanoclaw.channels.telegram.listener._CONNECT_PAUSE", 0.05)
    async with TelegramServer(flood_control=False) as server:
        bot, olena = server.add_bot(), server.person("Olena")
        server.fail("getMe", status=502)
        server.fail("deleteWebhook", status=500)
        async with started_host(home, model=ScriptedModel(), telegram=telegram_settings(server, bot)) as host:
            chat = olena.chat_with(bot)
            await olena.says(chat, f"/pair {(await host.bots.pair()).code}")
            assert "Welcome" in (await chat.wait_for(1))[0]
            assert (await host.bots.report("en"))[0].trouble is None


async def test_a_webhook_of_before_is_taken_away_by_a_host_that_polls(home: Path) -> None:
    async with TelegramServer(flood_control=False) as server, httpx.AsyncClient() as before:
        bot, olena = server.add_bot(), server.person("Olena")
        await before.post(f"{server.url}/bot{bot.token}/setWebhook", json={"url": "http://127.0.0.1:9/"})
        async with started_host(home, model=ScriptedModel(), telegram=telegram_settings(server, bot)):
            await olena.says(olena.chat_with(bot), "/start")
            assert "/pair" in (await olena.chat_with(bot).wait_for(1))[0]
