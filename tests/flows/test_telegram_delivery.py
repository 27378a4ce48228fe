"""What goes out on Telegram: the answer as it grows, files, and every way in which Telegram says no (A10-A12, A15)."""

import asyncio
import re
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import JSONResponse, Response
from tests.led_agent import PICTURE
from tests.staging import results, until
from tests.telegram_scene import Scene, telegram_scene

from nanoclaw.delivery import courier, outbox
from nanoclaw.domain.errors import ModelFailed, ModelOutage
from nanoclaw.domain.ids import ChatId, ParcelId, new_id
from nanoclaw.domain.messages import Chat as KnownChat
from nanoclaw.domain.parcels import Attachment, Author, Parcel, ParcelState, kept_name
from nanoclaw.domain.people import Role
from nanoclaw.domain.steps import ModelPiece, Step, ToolOffer
from nanoclaw.domain.turns import TextDelta, TextWritten, TurnRequest
from nanoclaw.durable import people, timeline, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import parcels
from nanoclaw.testing import ModelServer, ScriptedModel, TelegramServer, VoiceServer, voice
from nanoclaw.testing.model_parts import Asked, Say, Use
from nanoclaw.testing.telegram.chats import Chat, PrivateChat, SeenMessage
from nanoclaw.testing.telegram.people import Person
from nanoclaw.testing.telegram.server import Call

pytestmark = pytest.mark.timeout(60)

PARAGRAPHS = "\n\n".join(f"{number}. {'A sentence of some words. ' * 8}".strip() for number in range(30))


class Stepwise:
    """A model that says one piece, and waits for `go_on` before each further one. An error is raised in its place.

    While it waits it keeps the line alive with nothing, as vendors do.
    """

    def __init__(self, *pieces: str | TextWritten | Exception) -> None:
        self.pieces = pieces
        self._go_on = asyncio.Event()

    def go_on(self) -> None:
        self._go_on.set()

    async def close(self) -> None:
        """There is nothing to let go of."""

    async def stream(
        self, _request: TurnRequest, _steps: Sequence[Step], _tools: Sequence[ToolOffer]
    ) -> AsyncGenerator[ModelPiece, None]:
        for number, piece in enumerate(self.pieces):
            while number and not self._go_on.is_set():
                yield TextDelta(text="")
                with suppress(TimeoutError):
                    async with asyncio.timeout(0.05):
                        await self._go_on.wait()
            self._go_on.clear()
            if isinstance(piece, Exception):
                raise piece
            yield TextDelta(text=piece) if isinstance(piece, str) else piece


# What a test asks of the scene


def said(chat: Chat) -> list[SeenMessage]:
    """What the bot's messages are now; the first of a paired owner is the welcome."""
    return [message for message in chat.seen if message.by_bot]


def styled(message: SeenMessage) -> dict[str, list[str]]:
    """The words that have a style, as a person sees them."""
    text = (message.text or message.caption).encode("utf-16-le")
    found: dict[str, list[str]] = {}
    for span in message.entities:
        words = text[span["offset"] * 2 : (span["offset"] + span["length"]) * 2].decode("utf-16-le")
        found.setdefault(span["type"], []).append(words)
    return found


def bare(text: str) -> str:
    """Without blanks: Telegram trims what a message begins and ends with."""
    return re.sub(r"\s+", "", text)


async def admit(scene: Scene, *names: str) -> list[tuple[Person, PrivateChat]]:
    """People who may talk to the agent, and are told nothing of what goes wrong elsewhere."""
    admitted = [scene.server.person(name) for name in names]

    def story(tx: Tx) -> None:
        for person in admitted:
            handle = f"telegram:{person.id}"
            people.add_person(tx, handle=handle, name=person.name, role=Role.ADMIN, at=now())

    await scene.host.store.write(story)
    return [(person, person.chat_with(scene.bot)) for person in admitted]


async def known(scene: Scene, chat: Chat) -> KnownChat:
    """The chat as the host has it."""
    channel = f"telegram:{scene.bot.id}"
    found = await scene.host.store.read(lambda tx: people.chat_at(tx, channel, str(chat.id)))
    assert found is not None
    return found


async def post(
    scene: Scene,
    text: str,
    *files: tuple[str, str, bytes],
    chat: Chat | None = None,
    size: int | None = None,
    is_kept: bool = True,
) -> ParcelId:
    """As an agent's tool does it: the bytes are kept, unless they are gone, then the parcel is posted."""
    parcel_id, chat_id = ParcelId(new_id("o")), (await known(scene, chat or scene.chat)).id
    folder = scene.host.home / "data" / "attachments"
    folder.mkdir(exist_ok=True)
    attached = []
    for index, (name, media_type, content) in enumerate(files):
        kept = kept_name(parcel_id, index)
        if is_kept:
            (folder / kept).write_bytes(content)
        told = len(content) if size is None else size
        attached.append(Attachment(name=name, media_type=media_type, size=told, kept=kept))
    await scene.host.store.write(
        lambda tx: outbox.post(
            tx,
            chat_id=ChatId(chat_id),
            thread=None,
            author=Author.AGENT,
            text=text,
            at=now(),
            parcel_id=parcel_id,
            attachments=attached,
        )
    )
    scene.host.engine.kick(work.DELIVERY, chat_id)
    return parcel_id


async def given_up(scene: Scene, count: int = 1) -> list[Parcel]:
    """Until so many parcels wait for a person's decision."""
    async with asyncio.timeout(10):
        while len(found := await scene.host.store.read(outbox.given_up)) < count:
            await asyncio.sleep(0.01)
    return found


async def events_of(scene: Scene, parcel: Parcel) -> list[timeline.Event]:
    assert parcel.message_id is not None
    message_id = parcel.message_id
    return [
        step.event for step in await scene.host.store.read(lambda tx: timeline.of_message(tx, message_id))
    ]


async def on_the_page(scene: Scene) -> list[str]:
    """What the first room of the page shows of alerts."""

    def read(tx: Tx) -> list[str]:
        room = people.chat_at(tx, "web", "main")
        assert room is not None
        rows = tx.execute(parcels.select().where(parcels.c.chat_id == room.id))
        return [row.text for row in rows]

    return await scene.host.store.read(read)


# The answer grows (A10)


@pytest.mark.capability("A10")
async def test_an_answer_grows_in_one_message_and_ends_exact(home: Path) -> None:
    model = Stepwise("Once **upon", "** a time", ", there was *an end*.")
    async with telegram_scene(home, model=model) as scene:
        await scene.owner.says(scene.chat, "tell me")
        await scene.chat.wait_until(lambda: scene.chat.texts()[1:] == ["Once upon"])
        assert styled(scene.last()) == {"bold": ["upon"]}  # its stars are not seen while it grows
        await scene.chat.wait_until(lambda: scene.chat.typing)
        model.go_on()
        await scene.chat.wait_until(lambda: scene.chat.texts()[1:] == ["Once upon a time"])
        model.go_on()
        await scene.chat.wait_until(lambda: scene.chat.texts()[1:] == ["Once upon a time, there was an end."])
        final = scene.last()
        assert styled(final) == {"bold": ["upon"], "italic": ["an end"]}
        assert scene.chat.history_of(final.id) == [
            "Once upon",
            "Once upon a time",
            "Once upon a time, there was an end.",
        ]
        assert scene.server.counts["sendMessage"] == 2  # the welcome, and the answer


@pytest.mark.capability("A10")
async def test_an_instant_answer_is_sent_once_and_never_edited(home: Path) -> None:
    async with telegram_scene(home, model=ScriptedModel("At once.")) as scene:
        assert await scene.ask("quick") == ["At once."]
        await scene.ask("/status")
        assert (scene.server.counts["editMessageText"], scene.server.counts["sendMessage"]) == (0, 3)


@pytest.mark.capability("A10", "A11")
async def test_a_slow_long_answer_goes_on_in_a_second_message(home: Path) -> None:
    model = Stepwise(PARAGRAPHS[:3000], PARAGRAPHS[3000:5000], PARAGRAPHS[5000:])
    async with telegram_scene(home, model=model) as scene:
        await scene.owner.says(scene.chat, "at length")
        await scene.chat.wait_for(2)
        model.go_on()
        await scene.chat.wait_for(3)
        model.go_on()
        await scene.chat.wait_until(lambda: bare("".join(scene.chat.texts()[1:])) == bare(PARAGRAPHS))
        parts = said(scene.chat)[1:]
        assert len(parts) == 2
        assert all(len(part.text) <= 4096 for part in parts)
        assert parts[1].text.startswith(tuple(f"{number}. " for number in range(30)))  # between paragraphs


@pytest.mark.capability("A11")
async def test_a_block_of_code_in_a_long_answer_stays_whole(home: Path) -> None:
    code = "\n".join(f"    line_{number} = '{'x' * 20}'  # **not bold**" for number in range(40))
    answer = f"{PARAGRAPHS[:3400]}\n\n```python\n{code}\n```\n\nThat is all."
    async with telegram_scene(home, model=ScriptedModel(answer)) as scene:
        await scene.ask("code please", answers=2)
        blocks = [words for part in said(scene.chat)[1:] for words in styled(part).get("pre", [])]
        assert blocks == [code.lstrip()] or blocks == [code]


@pytest.mark.capability("A11")
async def test_markdown_is_seen_as_telegram_shows_it(home: Path) -> None:
    answer = (
        "# Plan\n\n- one\n  - two\n    - three\n\n> quoted words\n\n||hidden||, ~~gone~~, `code`, "
        "[a link](https://example.org/a_b)\n\n| name | price |\n|---|---|\n| tea | 3 |\n| coffee | 12 |\n\n"
        "Привіт, **світе** 👩🏽‍🚀 **👍🏿**! مرحبا **بالعالم**."
    )
    async with telegram_scene(home, model=ScriptedModel(answer)) as scene:
        await scene.ask("everything")
        seen = scene.last()
        shown = styled(seen)
        assert "• one\n   ◦ two\n      ▪ three" in seen.text
        assert shown["bold"][-3:] == ["світе", "👍🏿", "بالعالم"]
        assert shown["blockquote"] == ["quoted words"]
        assert (shown["spoiler"], shown["strikethrough"]) == (["hidden"], ["gone"])
        assert shown["code"] == ["code"]
        assert shown["text_link"] == ["a link"]
        assert next(span["url"] for span in seen.entities if "url" in span) == "https://example.org/a_b"
        [table] = shown["pre"]
        head, _, *rows = table.splitlines()
        columns = [row.index(price) for row, price in zip(rows, ("3", "12"), strict=True)]
        assert columns == [head.index("price")] * 2  # below each other
        assert "**" not in seen.text


@pytest.mark.capability("A10", "A15")
async def test_an_agent_that_chose_silence_leaves_nothing(home: Path) -> None:
    model = Stepwise("Well", TextWritten(text="<internal>better not</internal>"))
    async with telegram_scene(home, model=model) as scene:
        message = await scene.owner.says(scene.chat, "say nothing")
        await scene.chat.wait_for(2)
        model.go_on()
        await scene.chat.wait_until(lambda: len(scene.chat.texts()) == 1)  # what stood there already is gone
        assert not any("internal" in text for text in seen_ever(scene.chat))
        await scene.owner.says(scene.chat, "/why", reply_to=message)
        await scene.chat.wait_for(2)
        assert "chose to say nothing" in scene.last().text


def seen_ever(chat: Chat) -> list[str]:
    return [text for message in chat.all_ever if message.by_bot for text in chat.history_of(message.id)]


@pytest.mark.capability("A10", "A15")
async def test_a_turn_that_is_stopped_ends_in_its_own_message(home: Path) -> None:
    model = Stepwise("The first half", " and the second")
    async with telegram_scene(home, model=model) as scene:
        await scene.owner.says(scene.chat, "go")
        await scene.chat.wait_for(2)
        growing = scene.last()
        await scene.owner.says(scene.chat, "/stop")
        await scene.chat.wait_until(lambda: "stopped here" in scene.chat.history_of(growing.id)[-1])
        assert scene.chat.history_of(growing.id)[-1] == "The first half\n\nstopped here"
        await scene.chat.wait_for(3)
        assert len(scene.chat.texts()) == 3  # the welcome, the half answer, and what /stop says


@pytest.mark.capability("A10", "A15")
async def test_a_turn_that_fails_replaces_its_preview_and_can_be_retried_with_a_press(home: Path) -> None:
    model = Stepwise("Half of an", ModelFailed("unexpected", said="Boom"))
    async with telegram_scene(home, model=model) as scene:
        await scene.owner.says(scene.chat, "go")
        await scene.chat.wait_for(2)
        model.go_on()
        await scene.chat.wait_until(lambda: scene.last().labels)
        failed = scene.last()
        assert (len(scene.chat.texts()), failed.labels) == (2, ["Try again"])
        assert "Boom" in failed.text
        assert "Half" not in failed.text
        model.pieces = ("All of it",)
        press = await scene.owner.presses(failed, "Try again")
        assert (await press.wait()).text == "Taken."
        await scene.chat.wait_for(3)
        assert scene.last().text == "All of it"
        await scene.chat.wait_until(lambda: not said(scene.chat)[1].labels)
        assert said(scene.chat)[1].text.endswith("Try again: Olena")


@pytest.mark.capability("A10", "A16")
async def test_an_outage_in_the_middle_takes_the_half_answer_away(home: Path) -> None:
    model = Stepwise("Half of an", ModelOutage("model-outage", after=60, vendor="nobody", said="503"))
    async with telegram_scene(home, model=model) as scene:
        await scene.owner.says(scene.chat, "go")
        await scene.chat.wait_for(2)
        model.go_on()
        await scene.chat.wait_until(lambda: "cannot be reached" in "".join(scene.chat.texts()))
        await scene.chat.wait_until(lambda: "Half" not in "".join(scene.chat.texts()), patience=5)


# Files and voices (A11)


@pytest.mark.capability("A11")
async def test_each_file_is_sent_the_way_that_suits_it(home: Path) -> None:
    suited = {
        "photo": ("a.png", "image/png", PICTURE),
        "document": ("report.pdf", "application/pdf", b"%PDF-1.7"),
        "audio": ("song.mp3", "audio/mpeg", b"ID3 song"),
        "video": ("film.mp4", "video/mp4", b"....ftypmp42"),
        "animation": ("wave.gif", "image/gif", b"GIF89a"),  # the last: the played Telegram must know it
    }
    async with telegram_scene(home) as scene:
        for (person, chat), (kind, file) in zip(await admit(scene, *suited), suited.items(), strict=True):
            await person.says(chat, "/status")
            await chat.wait_for(1)
            await post(scene, f"A **{kind}**", file, chat=chat)
            await chat.wait_for(2, patience=5)
            sent = said(chat)[-1]
            assert (sent.kind, sent.data, sent.caption) == (kind, file[2], f"A {kind}")
            assert (styled(sent), sent.file_name) == ({"bold": [kind]}, file[0])


@pytest.mark.capability("A11")
async def test_a_picture_that_is_none_arrives_as_a_document(home: Path) -> None:
    async with telegram_scene(home) as scene:
        await post(scene, "look", ("broken.png", "image/png", b"this is no picture"))
        await scene.chat.wait_for(2)
        assert (scene.last().kind, scene.last().file_name) == ("document", "broken.png")
        assert scene.last().caption == "look"


@pytest.mark.capability("A11")
async def test_a_text_that_is_too_long_for_a_caption_follows_its_file(home: Path) -> None:
    async with telegram_scene(home) as scene:
        await post(scene, PARAGRAPHS, ("a.png", "image/png", PICTURE))
        await scene.chat.wait_until(lambda: bare("".join(scene.chat.texts()[1:])) == bare(PARAGRAPHS))
        assert [message.kind for message in said(scene.chat)[1:]] == ["photo", "text", "text"]


@pytest.mark.capability("A11", "A12")
async def test_a_file_that_cannot_be_sent_is_kept_among_the_failed_and_stops_nobody(home: Path) -> None:
    async with telegram_scene(home) as scene:
        empty = await post(scene, "of no bytes", ("empty.txt", "text/plain", b""))
        big = await post(scene, "over 50 MB", ("big.bin", "application/zip", b"x"), size=(50 << 20) + 1)
        gone = await post(scene, "whose bytes are gone", ("gone.txt", "text/plain", b"x"), is_kept=False)
        failed = await given_up(scene, 3)
        reasons = {parcel.id: (parcel.error or {})["error"] for parcel in failed}
        assert reasons == {
            empty: "telegram-refused",
            big: "telegram-file-too-big",
            gone: "telegram-file-gone",
        }
        assert len(await scene.ask("/status")) == 1
        told = await on_the_page(scene)
        assert len(told) == 3
        assert any("gone.txt" in text for text in told)


@pytest.mark.capability("A11", "A17")
async def test_an_agent_sends_albums_and_voices_with_its_tools(home: Path) -> None:
    files = home / "groups" / "main" / "files"
    files.mkdir(exist_ok=True)
    for name in ("1.png", "2.png", "3.png"):
        (files / name).write_bytes(PICTURE)
    (files / "report.pdf").write_bytes(b"%PDF-1.7")
    (files / "me.ogg").write_bytes(voice(2))
    uses = [
        Use("send_file", {"paths": ["1.png", "2.png", "3.png"], "caption": "three **pictures**"}),
        Use("send_file", {"paths": ["1.png", "report.pdf"], "caption": "mixed"}),
        Use("send_file", {"path": "me.ogg", "voice": True}),
        Use("send_message", {"text": "Spoken **words**", "voice": True}),
    ]

    def script(asked: Asked) -> Any:
        return Say("done") if results(asked) else uses

    async with ModelServer(script) as model, VoiceServer() as mouth:
        (home / "data").mkdir(exist_ok=True)
        (home / "data" / "keys.json").write_text(f'{{"local": "{mouth.key}"}}')
        async with telegram_scene(
            home,
            agents={"runtime": "native"},
            anthropic={"api_key": model.key, "base_url": model.url},
            voice={"base_url": mouth.url, "speech_model": "gpt-4o-mini-tts"},
        ) as scene:
            await scene.owner.says(scene.chat, "go")
            await scene.chat.wait_for(9)
            seen = said(scene.chat)[1:]
            assert [message.kind for message in seen] == [
                *("photo", "photo", "photo"),
                *("document", "document", "voice", "voice", "text"),
            ]
            assert len({message.album for message in seen[:3]}) == len({m.album for m in seen[3:5]}) == 1
            assert [message.caption for message in seen[:5]] == ["three pictures", "", "", "mixed", ""]
            assert styled(seen[0]) == {"bold": ["pictures"]}
            assert seen[5].data == voice(2)
            assert (seen[6].data[:4], seen[6].caption) == (b"OggS", "Spoken words")
            assert mouth.spoken[0]["input"] == "Spoken words"


@pytest.mark.capability("A11")
async def test_a_host_without_a_voice_says_the_words_as_text(home: Path) -> None:
    use = Use("send_message", {"text": "Spoken **words**", "voice": True})
    async with ModelServer(lambda asked: Say("done") if results(asked) else use) as model:
        async with telegram_scene(
            home, agents={"runtime": "native"}, anthropic={"api_key": model.key, "base_url": model.url}
        ) as scene:
            assert sorted(await scene.ask("speak", answers=2)) == ["Spoken words", "done"]
        assert "no voice" in results(model.asked[-1])[-1]


@pytest.mark.capability("A11")
async def test_what_an_agent_sends_stands_above_what_it_says_afterwards(home: Path) -> None:
    (home / "groups" / "main" / "files").mkdir(exist_ok=True)
    (home / "groups" / "main" / "files" / "report.pdf").write_bytes(b"%PDF-1.7")
    use = Use("send_file", {"path": "report.pdf"})
    async with (
        ModelServer(lambda asked: Say("There it is") if results(asked) else use) as model,
        telegram_scene(
            home, agents={"runtime": "native"}, anthropic={"api_key": model.key, "base_url": model.url}
        ) as scene,
    ):

        async def slow_upload(call: Call) -> None:
            if call.method == "sendDocument":
                with suppress(TimeoutError):  # so long does the file take, unless something overtakes it
                    await scene.chat.wait_for(2, patience=0.7)

        scene.server.on_call = slow_upload
        await scene.owner.says(scene.chat, "send it")
        await scene.chat.wait_for(3)
        assert [message.kind for message in said(scene.chat)[1:]] == ["document", "text"]


# What Telegram says no to (A12)


@pytest.mark.capability("A12")
async def test_a_chat_that_must_wait_keeps_nobody_else_waiting(home: Path) -> None:
    async with telegram_scene(home) as scene:
        [(ivan, other)] = await admit(scene, "Ivan")
        scene.server.flood(scene.chat, 2)
        held_at = asyncio.get_running_loop().time()
        message = await scene.owner.says(scene.chat, "/status")
        await until(lambda: scene.server.counts["sendMessage"] >= 2)
        await scene.owner.says(scene.chat, "/language en")
        await ivan.says(other, "/status")
        await other.wait_for(1)
        assert asyncio.get_running_loop().time() - held_at < 2
        await scene.chat.wait_for(3)
        assert ["English" in text for text in scene.chat.texts()] == [False, False, True]  # in order
        assert asyncio.get_running_loop().time() - held_at >= 2
        assert scene.server.floods == 0  # nobody knocked before it was time
        await scene.owner.says(scene.chat, "/why", reply_to=message)
        await scene.chat.wait_for(4)
        assert "Telegram asked us to wait" in scene.last().text


@pytest.mark.capability("A12")
async def test_formatting_that_telegram_cannot_read_is_left_out_and_the_text_is_not(home: Path) -> None:
    async with telegram_scene(home, model=ScriptedModel("**bold** words")) as scene:
        scene.server.fail("sendMessage", status=400, description="Bad Request: can't parse entities: odd one")
        assert await scene.ask("one") == ["bold words"]
        assert scene.last().entities == ()


@pytest.mark.capability("A12")
async def test_a_message_that_is_too_long_for_telegram_is_split_again(home: Path) -> None:
    """Telegram counts otherwise than we do."""
    text = PARAGRAPHS[:3500]
    async with telegram_scene(home) as scene:
        scene.server.fail("sendMessage", status=400, description="Bad Request: message is too long")
        await post(scene, text)
        await scene.chat.wait_until(lambda: bare("".join(scene.chat.texts()[1:])) == bare(text), patience=5)
        assert [len(part) <= 3000 for part in scene.chat.texts()] == [True] * 3


@pytest.mark.capability("A12")
async def test_an_edit_that_is_too_long_for_telegram_is_split_again(home: Path) -> None:
    """Of an edit it says so in other words."""
    text = PARAGRAPHS[:3500]
    model = Stepwise(text[:100], text[100:])
    async with telegram_scene(home, model=model) as scene:
        await scene.owner.says(scene.chat, "one")
        await scene.chat.wait_for(2)
        scene.server.fail("editMessageText", status=400, description="Bad Request: MESSAGE_TOO_LONG")
        model.go_on()
        await scene.chat.wait_until(lambda: bare("".join(scene.chat.texts()[1:])) == bare(text), patience=5)
        assert [len(part) <= 3000 for part in scene.chat.texts()] == [True] * 3


@pytest.mark.capability("A12", "A15")
async def test_someone_who_blocks_the_bot_is_left_alone_until_they_write_again(home: Path) -> None:
    model = ScriptedModel("an answer")
    async with telegram_scene(home, model=model) as scene:
        [(ivan, other)] = await admit(scene, "Ivan")
        model.hold()
        await ivan.says(other, "tell me")
        await model.wait_for_calls(1)
        ivan.blocks(scene.bot)
        model.go_on()
        [parcel] = await given_up(scene)
        assert (parcel.state, parcel.text) == (ParcelState.FAILED, "an answer")
        assert timeline.Event.DELIVERY_FAILED in await events_of(scene, parcel)
        assert (await known(scene, other)).closed
        await scene.chat.wait_for(2)
        alert = scene.last()
        assert "Ivan" in alert.text
        assert "blocked by the user" in alert.text
        assert "an answer" in styled(alert)["blockquote"][0]
        assert alert.labels == ["Send again", "Drop it"]
        assert len(await on_the_page(scene)) == 1
        ivan.unblocks(scene.bot)
        await ivan.says(other, "I am back")
        assert await other.wait_for(1) == ["an answer"]
        assert (await known(scene, other)).closed is None
        press = await scene.owner.presses(alert, "Send again")
        assert (await press.wait()).text == "Taken."
        assert await other.wait_for(2) == ["an answer"] * 2
        await scene.chat.wait_until(lambda: not scene.last().labels)
        assert (await (await scene.owner.presses(alert, "Drop it")).wait()).alert  # an old card says so


@pytest.mark.capability("A12")
async def test_a_chat_that_is_gone_fails_and_the_owner_is_told_on_the_page(home: Path) -> None:
    async with telegram_scene(home) as scene:
        (ivan, ivans), (petro, petros) = await admit(scene, "Ivan", "Petro")
        scene.server.fail("sendMessage", status=400, description="Bad Request: chat not found")
        await ivan.says(ivans, "/status")
        await given_up(scene)
        petro.deletes_account()
        await petro.says(petros, "/status")
        failed = await given_up(scene, 2)
        await scene.chat.wait_for(3)  # the alerts are there: the next fault is not for them
        assert {(parcel.error or {})["error"] for parcel in failed} == {"telegram-forbidden"}
        assert (await known(scene, ivans)).closed
        assert "deactivated" in str((await known(scene, petros)).closed)
        scene.server.fail("sendMessage", status=403, description="Forbidden: bot was blocked by the user")
        await scene.owner.says(scene.chat, "/status")
        assert len(await given_up(scene, 3)) == 3
        async with asyncio.timeout(10):
            while len(await on_the_page(scene)) < 3:
                await asyncio.sleep(0.01)


@pytest.mark.capability("A12")
async def test_a_server_that_fails_is_asked_again(home: Path) -> None:
    async with telegram_scene(home, model=ScriptedModel("an answer")) as scene:
        scene.server.fail("sendMessage", status=502)
        scene.server.fail("sendMessage", status=500, description="Internal Server Error")
        assert await scene.ask("one") == ["an answer"]
        assert scene.server.counts["sendMessage"] == 4


@pytest.mark.capability("A12")
async def test_what_cannot_be_delivered_is_kept_told_and_sent_when_asked(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(courier, "_TRIES", 2)
    async with telegram_scene(home) as scene:
        [(ivan, other)] = await admit(scene, "Ivan")
        scene.server.fail("sendMessage", status=503, times=2)
        await ivan.says(other, "/language en")
        [parcel] = await given_up(scene)
        assert parcel.state is ParcelState.FAILED
        await scene.chat.wait_for(2)
        assert "Telegram failed" in scene.last().text
        assert other.texts() == []
        assert await scene.ask("/retry_failed") == ["One message is sent again."]
        assert "English" in (await other.wait_for(1))[0]
        assert await scene.ask("/retry_failed") == ["Nothing waits to be sent again."]


@pytest.mark.capability("A12")
@pytest.mark.parametrize("pieces", [("All of it",), ("All", " of it")], ids=["before", "in the middle"])
async def test_an_answer_follows_a_group_to_its_new_address(home: Path, pieces: tuple[str, ...]) -> None:
    model = Stepwise("", *pieces)
    async with telegram_scene(home, model=model) as scene:
        group = scene.server.group("Team", scene.bot, members=[scene.owner])
        await scene.owner.says(group, "@helper_bot go")
        await group.wait_until(lambda: group.typing)
        for _ in pieces[1:]:
            model.go_on()
            await group.wait_for(1)
        moved = group.upgrades()
        model.go_on()
        await moved.wait_until(lambda: moved.texts() == ["All of it"], patience=10)
        assert await scene.host.store.read(outbox.given_up) == []


@pytest.mark.capability("A12")
async def test_a_topic_that_is_gone_is_answered_in_the_group(home: Path) -> None:
    model = ScriptedModel("an answer")
    async with telegram_scene(home, model=model) as scene:
        forum = scene.server.group("Team", scene.bot, members=[scene.owner], forum=True)
        topic = forum.topic("Plans")
        model.hold()
        question = await scene.owner.says(forum, "@helper_bot go", topic=topic)
        await model.wait_for_calls(1)
        topic.deleted = True
        await scene.owner.deletes(question)  # with its topic; a reply to it is not possible any more
        model.go_on()
        assert await forum.wait_for(1) == ["an answer"]
        assert (said(forum)[0].topic, said(forum)[0].reply_to) == (None, None)


@pytest.mark.capability("A12")
async def test_an_answer_in_a_group_replies_to_its_question_unless_that_is_deleted(home: Path) -> None:
    model = ScriptedModel("an answer")
    async with telegram_scene(home, model=model) as scene:
        group = scene.server.group("Team", scene.bot, members=[scene.owner])
        question = await scene.owner.says(group, "@helper_bot one")
        await group.wait_for(1)
        assert said(group)[0].reply_to == question.id
        model.hold()
        question = await scene.owner.says(group, "@helper_bot two")
        await model.wait_for_calls(2)
        await scene.owner.deletes(question)
        model.go_on()
        await group.wait_for(2)
        assert said(group)[1].reply_to is None


@pytest.mark.capability("A12")
async def test_a_bot_that_is_removed_in_mid_answer_fails_it_and_says_so(home: Path) -> None:
    model = Stepwise("Half", " and all of it")
    async with telegram_scene(home, model=model) as scene:
        group = scene.server.group("Team", scene.bot, members=[scene.owner])
        await scene.owner.says(group, "@helper_bot go")
        await group.wait_for(1)
        group.removes(scene.bot)
        model.go_on()
        [parcel] = await given_up(scene)
        assert (parcel.error or {})["error"] == "telegram-forbidden"
        await scene.chat.wait_for(2)
        assert "Team" in scene.last().text
        group.adds(scene.bot)
        await (await scene.owner.presses(scene.last(), "Send again")).wait()
        await group.wait_until(lambda: group.texts()[-1] == "Half and all of it")


@pytest.mark.capability("A10", "A12")
async def test_an_answer_whose_preview_someone_deletes_is_sent_anew(home: Path) -> None:
    model = Stepwise("Half", " and all of it")
    async with telegram_scene(home, model=model) as scene:
        await scene.owner.says(scene.chat, "go")
        await scene.chat.wait_for(2)
        await scene.owner.deletes(scene.last())
        model.go_on()
        await scene.chat.wait_until(lambda: scene.chat.texts()[1:] == ["Half and all of it"])


@pytest.mark.capability("A12")
async def test_an_edit_that_changes_nothing_is_a_success(home: Path) -> None:
    """The edit was done and its answer lost, so it is repeated; Telegram calls that an error."""
    model = Stepwise("Half", " and all of it")
    async with telegram_scene(home, model=model) as scene:
        await scene.owner.says(scene.chat, "go")
        await scene.chat.wait_for(2)
        scene.server.cut_after("editMessageText")
        model.go_on()
        await scene.chat.wait_until(lambda: scene.chat.texts()[1:] == ["Half and all of it"])
        await scene.ask("/status")  # comes after it in order, so the answer is settled
        assert await scene.host.store.read(outbox.given_up) == []
        assert scene.chat.history_of(said(scene.chat)[1].id) == ["Half", "Half and all of it"]
        assert scene.server.counts["editMessageText"] == 2


@pytest.mark.capability("A12")
async def test_a_send_that_is_never_answered_is_set_aside_and_sent_again_only_when_asked(home: Path) -> None:
    async with telegram_scene(home) as scene:
        [(ivan, other)] = await admit(scene, "Ivan")
        scene.server.cut_after("sendMessage")
        await ivan.says(other, "/language en")
        [parcel] = await given_up(scene)
        assert parcel.state is ParcelState.UNKNOWN
        assert timeline.Event.DELIVERY_UNKNOWN in await events_of(scene, parcel)
        await scene.chat.wait_for(2)
        alert = scene.last()
        assert "not known" in alert.text
        assert "may be seen twice" in alert.text
        await ivan.says(other, "/status")
        await other.wait_for(2)
        assert ["English" in text for text in other.texts()] == [True, False]  # the first did arrive
        await (await scene.owner.presses(alert, "Send again")).wait()
        await other.wait_for(3)
        assert other.texts()[2] == other.texts()[0]


@pytest.mark.capability("A10", "A12")
async def test_an_instant_answer_that_is_never_answered_is_not_seen_twice(home: Path) -> None:
    async with telegram_scene(home, model=ScriptedModel("an answer")) as scene:
        scene.server.cut_after("sendMessage")
        await scene.owner.says(scene.chat, "one")
        await scene.chat.wait_for(2)
        await scene.ask("/status")  # comes after it in order
        assert scene.chat.texts().count("an answer") == 1


@pytest.mark.capability("A10", "A12")
@pytest.mark.parametrize("known", [0, 1], ids=["the first message", "the second message"])
async def test_a_preview_that_is_never_answered_does_not_hold_up_the_answer(home: Path, known: int) -> None:
    """Telegram has a message whose id nobody knows: it stays as it is, and nothing else is left behind."""
    model = Stepwise(*(PARAGRAPHS[:2000], PARAGRAPHS[2000:5000], PARAGRAPHS[5000:])[1 - known :])
    whole = "".join(str(piece) for piece in model.pieces)
    async with telegram_scene(home, model=model) as scene:
        if known:
            await scene.owner.says(scene.chat, "go")
            await scene.chat.wait_for(2)
        scene.server.cut_after("sendMessage")
        if known:
            model.go_on()
        else:
            await scene.owner.says(scene.chat, "go")
        await scene.chat.wait_for(2 + known)
        lost = scene.last().id
        model.go_on()
        await scene.chat.wait_until(
            lambda: (
                bare("".join(each.text for each in said(scene.chat)[1:] if each.id != lost)) == bare(whole)
            ),
            patience=30,
        )
        assert await scene.host.store.read(outbox.given_up) == []


@pytest.mark.capability("A12")
async def test_a_file_that_is_never_answered_is_set_aside_too(home: Path) -> None:
    async with telegram_scene(home) as scene:
        scene.server.cut_after("sendPhoto")
        await post(scene, "look", ("a.png", "image/png", PICTURE))
        [parcel] = await given_up(scene)
        assert parcel.state is ParcelState.UNKNOWN
        assert len(await on_the_page(scene)) == 1  # the owner's own chat is the one that is in doubt


@pytest.mark.capability("A12")
async def test_a_send_that_never_left_is_repeated(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody listened: what was never asked can be asked again without a doubt."""
    async with telegram_scene(home, model=ScriptedModel("an answer")) as scene:
        url = scene.server.url
        channel = scene.host.bots._bots[str(scene.bot.id)]
        monkeypatch.setattr(channel._bot, "_base_url", "http://127.0.0.1:1/bot")
        await post(scene, "hello")
        async with asyncio.timeout(10):
            while not (parcel := await first_parcel(scene, "hello")).attempts:
                await asyncio.sleep(0.01)
        assert parcel.state is ParcelState.PENDING
        monkeypatch.setattr(channel._bot, "_base_url", f"{url}/bot{scene.bot.token}")
        assert (await scene.chat.wait_for(2))[1:] == ["hello"]


async def first_parcel(scene: Scene, text: str) -> Parcel:
    def read(tx: Tx) -> Parcel:
        row = tx.execute(parcels.select().where(parcels.c.text == text)).one()
        found = outbox.get(tx, row.id)
        assert found is not None
        return found

    return await scene.host.store.read(read)


@pytest.mark.capability("A12")
async def test_a_token_that_was_taken_back_is_told_on_the_page(home: Path) -> None:
    async with telegram_scene(home, model=ScriptedModel("an answer")) as scene:

        async def unauthorized(_: Call) -> Response:
            return JSONResponse({"ok": False, "error_code": 401, "description": "Unauthorized"}, 401)

        scene.server.on_call = unauthorized
        await post(scene, "hello")
        await scene.owner.says(scene.chat, "wakes the poll")  # whose next one hears it
        async with asyncio.timeout(10):
            while not any("token" in text for text in await on_the_page(scene)):
                await asyncio.sleep(0.01)
            while not (parcel := await first_parcel(scene, "hello")).attempts:
                await asyncio.sleep(0.01)
        assert parcel.state is ParcelState.PENDING
        assert scene.host.bots.report("en")[0].trouble


# The pace (A10): Telegram itself never has to say stop


@pytest.mark.capability("A10")
async def test_thirty_answers_in_one_group_come_in_order_and_telegram_never_says_stop(home: Path) -> None:
    async with TelegramServer() as server, telegram_scene(home, server=server) as scene:
        group = server.group("Team", scene.bot, members=[scene.owner])
        await scene.owner.says(group, "/status")
        await group.wait_for(1)
        chat_id = (await known(scene, group)).id

        def story(tx: Tx) -> None:
            for number in range(30):
                outbox.post(tx, chat_id=chat_id, thread=None, author=Author.HOST, text=str(number), at=now())

        await scene.host.store.write(story)
        scene.host.engine.kick(work.DELIVERY, chat_id)
        texts = await group.wait_for(6)
        assert texts[1:6] == [str(number) for number in range(5)]
        assert server.floods == 0


@pytest.mark.capability("A10")
async def test_sixty_chats_at_once_are_all_answered_without_a_flood(home: Path) -> None:
    def script(_: TurnRequest) -> Iterator[str]:
        yield "Half of it"
        yield " and the rest"

    async with (
        TelegramServer() as server,
        telegram_scene(home, server=server, model=ScriptedModel(script), turns={"concurrent": 60}) as scene,
    ):
        crowd = await admit(scene, *(f"Guest {number}" for number in range(60)))
        await asyncio.gather(*(person.says(chat, "go") for person, chat in crowd))
        for _, chat in crowd:
            await chat.wait_until(partial(is_whole, chat))
        assert server.floods == 0


def is_whole(chat: Chat) -> bool:
    return chat.texts() == ["Half of it and the rest"]
