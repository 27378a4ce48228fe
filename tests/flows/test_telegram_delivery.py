"""What goes out on Telegram: the answer as it grows, files, and the pace of it (A10, A11, A15)."""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.delivery_scene import (
    PARAGRAPHS,
    Stepwise,
    admit,
    bare,
    given_up,
    known,
    on_the_page,
    post,
    said,
    styled,
)
from tests.led_agent import PICTURE
from tests.staging import results
from tests.telegram_scene import found_group, telegram_scene

from nanoclaw.channels.telegram.poster import Poster, SentAnswer
from nanoclaw.delivery import outbox
from nanoclaw.domain.errors import ModelFailed, ModelOutage
from nanoclaw.domain.parcels import Author
from nanoclaw.domain.styled import Styled
from nanoclaw.domain.turns import TextWritten, TurnRequest
from nanoclaw.durable import people, wirings, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.testing import ModelServer, ScriptedModel, TelegramServer, VoiceServer, voice
from nanoclaw.testing.model_parts import Asked, Say, Use
from nanoclaw.testing.telegram.chats import Chat
from nanoclaw.testing.telegram.server import Call

on_both_servers = pytest.mark.parametrize("sloppy", [False, True], ids=["careful", "sloppy"])

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
async def test_first_words_that_others_overtake_come_later(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin, refused = Poster.begin_draft, list[str]()

    async def overtaken(self: Poster, standing: SentAnswer, part: Styled) -> bool:
        began = await begin(self, standing, part)
        if began and not refused:
            refused.append(standing.subject)
            self._pace.hold(standing.place.address, 0.3)
        return began

    monkeypatch.setattr(Poster, "begin_draft", overtaken)
    model = Stepwise("Once upon", " a time")
    async with telegram_scene(home, model=model) as scene:
        await scene.owner.says(scene.chat, "tell me")
        await scene.chat.wait_until(lambda: scene.chat.texts()[1:] == ["Once upon"])
        model.go_on()
        await scene.chat.wait_until(lambda: scene.chat.texts()[1:] == ["Once upon a time"])


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


@on_both_servers
@pytest.mark.capability("A11")
async def test_markdown_is_seen_as_telegram_shows_it(home: Path, *, sloppy: bool) -> None:
    answer = (
        "# Plan\n\n- one\n  - two\n    - three\n\n> quoted words\n\n||hidden||, ~~gone~~, `code`, "
        "[a link](https://example.org/a_b)\n\n| name | price |\n|---|---|\n| tea | 3 |\n| coffee | 12 |\n\n"
        "Привіт, **світе** 👩🏽‍🚀 **👍🏿**! مرحبا **بالعالم**."
    )
    async with telegram_scene(home, sloppy=sloppy, model=ScriptedModel(answer)) as scene:
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


@on_both_servers
@pytest.mark.capability("A10", "A15")
async def test_a_turn_that_is_stopped_ends_in_its_own_message(home: Path, *, sloppy: bool) -> None:
    model = Stepwise("The first half", " and the second")
    async with telegram_scene(home, sloppy=sloppy, model=model) as scene:
        await scene.owner.says(scene.chat, "go")
        await scene.chat.wait_for(2)
        growing = scene.last()
        await scene.owner.says(scene.chat, "/stop")
        await scene.chat.wait_until(lambda: "stopped here" in scene.chat.history_of(growing.id)[-1])
        assert scene.chat.history_of(growing.id)[-1] == "The first half\n\nstopped here"
        await scene.chat.wait_for(3)
        assert len(scene.chat.texts()) == 3  # the welcome, the half answer, and what /stop says


@on_both_servers
@pytest.mark.capability("A10", "A15")
async def test_a_turn_that_fails_replaces_its_preview_and_can_be_retried_with_a_press(
    home: Path, *, sloppy: bool
) -> None:
    model = Stepwise("Half of an", ModelFailed("unexpected", said="Boom"))
    async with telegram_scene(home, sloppy=sloppy, model=model) as scene:
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
        await scene.chat.wait_until(lambda: "Half" not in "".join(scene.chat.texts()))


# Files and voices (A11)


@on_both_servers
@pytest.mark.capability("A11")
async def test_each_file_is_sent_the_way_that_suits_it(home: Path, *, sloppy: bool) -> None:
    suited = {
        "photo": ("a.png", "image/png", PICTURE),
        "document": ("report.pdf", "application/pdf", b"%PDF-1.7"),
        "audio": ("song.mp3", "audio/mpeg", b"ID3 song"),
        "video": ("film.mp4", "video/mp4", b"....ftypmp42"),
        "animation": ("wave.gif", "image/gif", b"GIF89a"),  # the last: the played Telegram must know it
    }
    async with telegram_scene(home, sloppy=sloppy) as scene:
        for (person, chat), (kind, file) in zip(await admit(scene, *suited), suited.items(), strict=True):
            await person.says(chat, "/status")
            await chat.wait_for(1)
            await post(scene, f"A **{kind}**", file, chat=chat)
            await chat.wait_for(2)
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


@on_both_servers
@pytest.mark.capability("A11", "A17")
async def test_an_agent_sends_albums_and_voices_with_its_tools(home: Path, *, sloppy: bool) -> None:
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
        Use("send_message", {"text": "For sales", "voice": True, "target_group": "sales"}),
    ]

    def script(asked: Asked) -> Any:
        return Say("done") if results(asked) else uses

    async with ModelServer(script) as model, VoiceServer() as text_to_speech:
        (home / "data").mkdir(exist_ok=True)
        (home / "data" / "keys.json").write_text(f'{{"local": "{text_to_speech.key}"}}')
        async with telegram_scene(
            home,
            sloppy=sloppy,
            agents={"runtime": "native"},
            anthropic={"api_key": model.key, "base_url": model.url},
            voice={"base_url": text_to_speech.url, "speech_model": "gpt-4o-mini-tts"},
        ) as scene:
            found_group(home, "sales")
            rooms = [
                scene.server.group(title, scene.bot, members=[scene.owner]) for title in ("North", "South")
            ]

            def wire(tx: Tx) -> None:
                for room in rooms:
                    channel = f"telegram:{scene.bot.id}"
                    chat = people.add_chat(tx, channel=channel, address=str(room.id), title="", at=now())
                    wirings.wire(tx, chat.id, chat.kind, "sales", now())

            await scene.host.store.write(wire)
            await scene.owner.says(scene.chat, "go")
            await scene.chat.wait_for(9)
            for room in rooms:
                await room.wait_for(1)
                [heard] = said(room)
                assert (heard.kind, heard.caption, heard.data[:4]) == ("voice", "For sales", b"OggS")
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
            assert text_to_speech.spoken[0]["input"] == "Spoken words"


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
        # Without pacing it would be dozens. A machine that stalls delivers at once what left one by one.
        assert server.floods < 10


def is_whole(chat: Chat) -> bool:
    return chat.texts() == ["Half of it and the rest"]
