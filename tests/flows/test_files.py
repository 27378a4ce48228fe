"""The files that people send: kept where the agent works, under clean names, within limits; a voice becomes text."""

import asyncio
import io
import re
import unicodedata
import zipfile
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path

import pytest
import pytest_asyncio
import sqlalchemy as sa
from starlette.responses import Response
from tests.led_agent import PICTURE
from tests.telegram_scene import Scene, eventually, telegram_scene, telegram_settings

from nanoclaw.durable.tables import costs
from nanoclaw.host.private import write_private
from nanoclaw.testing import (
    Fail,
    FarEnd,
    ScriptedModel,
    TelegramServer,
    VoiceServer,
    made_workspace,
    started_host,
    voice,
)
from nanoclaw.testing.telegram.chats import SeenMessage
from nanoclaw.testing.telegram.files import Sizes
from nanoclaw.testing.telegram.server import Call

# One host for most of these tests, with an engine that hears, and 1 MB as the biggest file.
pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.capability("A3"),
]

MB = 1 << 20


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def speech_to_text() -> AsyncIterator[VoiceServer]:
    async with VoiceServer() as server:
        yield server


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(
    tmp_path_factory: pytest.TempPathFactory, speech_to_text: VoiceServer
) -> AsyncIterator[tuple[Scene, ScriptedModel]]:
    home, model = made_workspace(tmp_path_factory.mktemp("host") / "nanoclaw"), ScriptedModel()
    write_private(home / "data" / "keys.json", {"local": speech_to_text.key})
    engine = {"engine": "endpoint", "base_url": speech_to_text.url}
    async with (
        TelegramServer(flood_control=False, sizes=Sizes(download=2 * MB)) as server,
        telegram_scene(home, model=model, server=server, voice=engine, limits={"file_mb": 1}) as scene,
    ):
        yield scene, model


@pytest.fixture
def model(stage: tuple[Scene, ScriptedModel]) -> Iterator[ScriptedModel]:
    model = stage[1]
    model.asked.clear()
    yield model
    model.go_on()


@pytest_asyncio.fixture(loop_scope="module")
async def scene(stage: tuple[Scene, ScriptedModel], model: ScriptedModel) -> Scene:
    return await stage[0].joined_by("Taras")


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A download that failed is tried again soon."""
    monkeypatch.setattr("nanoclaw.flows.files._FIRST_PAUSE", 0.01)


def kept(scene: Scene, prompt: str) -> list[Path]:
    """The files that the agent is told of, where they are on this machine."""
    found = re.findall(r'path="/work/([^"]+)"', prompt)
    return [scene.host.home / "groups" / "main" / "files" / path for path in found]


async def test_a_photo_with_its_caption_is_one_message(scene: Scene, model: ScriptedModel) -> None:
    photo = await scene.owner.sends_photo(scene.chat, PICTURE, caption="What is <this>?")
    await scene.chat.wait_for(1)
    prompt = model.asked[0].prompt
    assert "What is &lt;this&gt;?" in prompt
    assert f'kind="photo" name="photo-{photo.id}.jpg"' in prompt
    (path,) = kept(scene, prompt)
    assert path.read_bytes() == PICTURE
    assert path.stat().st_mode & 0o777 == 0o644
    assert "fetched" in [step.event for step in (await scene.why(photo, "answered")).steps]


@pytest.mark.capability("A1")
@pytest.mark.capability("T2")
async def test_a_reply_to_a_file_names_it_and_tells_what_was_said_in_it(
    scene: Scene, model: ScriptedModel, speech_to_text: VoiceServer
) -> None:
    picture = await scene.owner.sends_photo(scene.chat, PICTURE)
    await scene.chat.wait_for(1)
    (path,) = kept(scene, model.asked[0].prompt)
    speech_to_text.answers.append("Ten boxes, please.")
    spoken = await scene.owner.sends_voice(scene.chat, voice(1))
    await scene.chat.wait_for(2)
    for number, message in ((3, picture), (4, spoken)):
        await scene.owner.says(scene.chat, "What do you think of it?", reply_to=message)
        await scene.chat.wait_for(number)
    assert f"/{path.name}]</quoted_message>" in model.asked[2].prompt
    assert "Ten boxes, please.</quoted_message>" in model.asked[3].prompt
    # Whom the listening was for, and that it was the person's own message.
    heard = sa.select(costs.c.flow, costs.c.person, costs.c.chat_id).where(costs.c.runtime == "voice")
    [(flow, person, chat_id)] = await scene.host.store.read(lambda tx: list(tx.execute(heard.limit(1))))
    assert (flow, person.partition(":")[0], bool(chat_id)) == ("A", "telegram", True)


@pytest.mark.capability("T2")
async def test_a_reply_to_a_picture_that_the_host_never_saw_says_what_it_is(
    scene: Scene, model: ScriptedModel
) -> None:
    stranger = scene.server.person("Stranger")
    office = scene.server.group("Office", scene.bot, members=(scene.owner, stranger))
    picture = await scene.owner.sends_photo(office, PICTURE)
    await scene.owner.says(office, "@helper_bot what is this?", reply_to=picture)
    await office.wait_for(1)
    assert f"[photo: photo-{picture.id}.jpg]</quoted_message>" in model.asked[0].prompt


async def test_an_album_is_one_message_with_all_its_files(scene: Scene, model: ScriptedModel) -> None:
    pictures = [PICTURE + bytes([number]) for number in range(3)]
    await scene.owner.sends_album(scene.chat, pictures, caption="Our office")
    await scene.chat.wait_for(1)
    assert [path.read_bytes() for path in kept(scene, model.asked[0].prompt)] == pictures
    assert model.asked[0].prompt.count("<message ") == 1
    assert "Our office" in model.asked[0].prompt
    assert len(model.asked) == 1


async def was_fetched(scene: Scene, message: SeenMessage) -> bool | None:
    told = await scene.why(message, "waiting")
    return "fetched" in [step.event for step in told.steps] or None


HOSTILE = [
    "../../etc/passwd", "/etc/cron.d/job", "..\\..\\boot.ini", "..", ".", "...", ".bashrc", "-rf", "con", "",
    "\u202egpj.exe", "in\u200bvo\u2060ice\ufeff.pdf", "x" * 300 + ".pdf", "ї" * 300, "a\nb\x00c\x1b[31m.txt",
    "$(reboot);`id`.sh", "CON.txt.", "  .hidden ", "a/b/../../c.txt", "👩\u200d💻.png", "<b>\"quoted'.txt",
]  # fmt: skip


async def test_whatever_a_file_is_called_it_lands_in_one_folder_with_a_clean_name(
    scene: Scene, model: ScriptedModel
) -> None:
    model.hold()
    await scene.owner.says(scene.chat, "look at these")
    await model.wait_for_calls(1)
    sent = [
        await scene.owner.sends_document(scene.chat, f"secret of file {number}".encode(), name=name)
        for number, name in enumerate(HOSTILE)
    ]
    for message in sent:
        await eventually(partial(was_fetched, scene, message))
    model.go_on()
    await scene.chat.wait_for(2)
    paths = [path for request in model.asked for path in kept(scene, request.prompt)]
    received = scene.host.home / "groups" / "main" / "files" / "received"
    assert sorted(path.read_bytes() for path in paths) == sorted(
        f"secret of file {number}".encode() for number in range(len(HOSTILE))
    )
    for path in paths:
        assert path.parent == received
        assert not path.name.startswith((".", "-"))
        assert len(path.name.encode()) <= 255
        hidden = [letter for letter in path.name if unicodedata.category(letter) in ("Cc", "Cf")]
        assert not hidden or path.name == "👩\u200d💻.png", ascii(path.name)
    everywhere = [path for path in scene.host.home.parent.rglob("*") if path.is_file()]
    elsewhere = [
        path for path in everywhere if path.parent != received and b"secret of file" in path.read_bytes()
    ]
    assert elsewhere == []


async def test_two_files_of_one_name_are_both_kept(scene: Scene, model: ScriptedModel) -> None:
    for content in (b"one", b"two"):
        before = scene.chat.answers
        await scene.owner.sends_document(scene.chat, content, name="report.pdf")
        await scene.chat.wait_for(before + 1)
    first, second = (kept(scene, request.prompt)[0] for request in model.asked)
    assert (first.read_bytes(), second.read_bytes()) == (b"one", b"two")
    assert first.suffix == second.suffix == ".pdf"


async def test_a_link_that_an_agent_laid_is_not_followed(
    scene: Scene, model: ScriptedModel, tmp_path: Path
) -> None:
    received = scene.host.home / "groups" / "main" / "files" / "received"
    received.mkdir(parents=True, exist_ok=True)
    aside = received.rename(received.with_name("aside"))
    received.symlink_to(tmp_path)
    try:
        await scene.owner.sends_document(scene.chat, b"not for there", name="a.txt")
        await scene.chat.wait_for(1)
    finally:
        received.unlink()
        aside.rename(received)
    assert list(tmp_path.iterdir()) == []
    assert "could not be put" in model.asked[0].prompt
    await scene.owner.sends_document(scene.chat, b"once more", name="a.txt")
    await scene.chat.wait_for(2)
    assert kept(scene, model.asked[1].prompt)[0].read_bytes() == b"once more"


async def test_a_file_of_two_gigabytes_is_not_fetched_and_the_agent_is_told(
    scene: Scene, model: ScriptedModel
) -> None:
    asked = scene.server.counts["getFile"]
    message = await scene.owner.sends_document(scene.chat, b"x", name="film.mkv", size=2 << 30)
    await scene.chat.wait_for(1)
    assert "It has 2048 MB; at most 1 MB are fetched." in model.asked[0].prompt
    assert scene.server.counts["getFile"] == asked
    told = [step.sentence for step in (await scene.why(message, "answered")).steps]
    assert [sentence for sentence in told if "film.mkv" in sentence]


@pytest.mark.parametrize(
    ("size", "told", "words"),
    [
        (3 * MB // 2, 10, "bigger than 1 MB"),  # it grows while it comes
        (3 * MB // 2, None, "bigger than 1 MB"),
        (5 * MB // 2, None, "File is too big"),  # Telegram does not hand it out
    ],
)
async def test_a_file_that_is_bigger_than_was_told_is_not_kept(
    scene: Scene, model: ScriptedModel, size: int, told: int | None, words: str
) -> None:
    await scene.owner.sends_document(scene.chat, bytes(size), name="grows.bin", size=told)
    await scene.chat.wait_for(1)
    assert words in model.asked[0].prompt
    assert kept(scene, model.asked[0].prompt) == []
    assert list((scene.host.home / "data" / "fetched").iterdir()) == []


async def test_a_zip_bomb_is_kept_as_it_is(scene: Scene, model: ScriptedModel) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr("../../bomb", bytes(100 * MB))
    await scene.owner.sends_document(scene.chat, packed.getvalue(), name="photos.zip", mime="application/zip")
    await scene.chat.wait_for(1)
    (path,) = kept(scene, model.asked[0].prompt)
    assert path.read_bytes() == packed.getvalue()
    assert not list(scene.host.home.parent.rglob("bomb"))


@pytest.mark.usefixtures("quick")
async def test_a_download_that_fails_is_tried_again(scene: Scene, model: ScriptedModel) -> None:
    scene.server.fail("getFile", status=502)
    scene.server.fail("file", status=503)
    scene.server.cut_before("file")
    await scene.owner.sends_document(scene.chat, b"at last", name="a.txt")
    await scene.chat.wait_for(1)
    assert kept(scene, model.asked[0].prompt)[0].read_bytes() == b"at last"


@pytest.mark.usefixtures("quick")
async def test_a_download_that_never_works_holds_nobody_up(scene: Scene, model: ScriptedModel) -> None:
    scene.server.fail("file", status=500, times=5)
    await scene.owner.sends_document(scene.chat, b"x", name="a.txt", caption="read this")
    await scene.chat.wait_for(1)
    assert "read this" in model.asked[0].prompt
    assert "Telegram failed" in model.asked[0].prompt
    assert scene.bot.token not in model.asked[0].prompt


async def test_what_is_written_after_a_slow_file_waits_for_it(scene: Scene, model: ScriptedModel) -> None:
    asked, go_on = asyncio.Event(), asyncio.Event()

    async def slow(call: Call) -> Response | None:
        if call.method == "file":
            asked.set()
            await go_on.wait()
        return None

    scene.server.on_call = slow
    await scene.owner.sends_document(scene.chat, b"slow", name="slow.txt")
    after = await scene.owner.says(scene.chat, "and what do you think?")
    await asked.wait()
    await scene.why(after, "waiting")
    other = await scene.joined_by("Other")
    assert await other.ask("nobody else waits") == ["ok"]
    assert len(model.asked) == 1
    go_on.set()
    await scene.chat.wait_for(1)
    scene.server.on_call = None
    assert re.search(r"slow\.txt.*and what do you think", model.asked[1].prompt, re.DOTALL)


@pytest.mark.capability("A2")
class TestVoice:
    async def test_what_was_said_is_what_the_message_says(
        self, scene: Scene, model: ScriptedModel, speech_to_text: VoiceServer
    ) -> None:
        speech_to_text.answers.append("Скільки коштує офісний план?")
        said = await scene.owner.sends_voice(scene.chat, voice(2), duration=2)
        await scene.chat.wait_for(1)
        assert "Скільки коштує офісний план?" in model.asked[0].prompt
        assert 'kind="voice"' in model.asked[0].prompt
        assert (await scene.why(said, "answered")).text == "Скільки коштує офісний план?"
        assert speech_to_text.heard[-1].content == voice(2)

    async def test_what_stands_below_a_voice_is_read_before_what_was_said(
        self, scene: Scene, model: ScriptedModel, speech_to_text: VoiceServer
    ) -> None:
        speech_to_text.answers.append("Call the office at nine.")
        said = await scene.owner.sends_voice(scene.chat, voice(1), caption="for tomorrow")
        await scene.chat.wait_for(1)
        assert "for tomorrow\n\nCall the office at nine." in model.asked[0].prompt
        assert (await scene.why(said, "answered")).text == "for tomorrow\n\nCall the office at nine."

    async def test_other_words_below_a_voice_that_waits_do_not_take_away_what_was_said(
        self, scene: Scene, model: ScriptedModel, speech_to_text: VoiceServer
    ) -> None:
        model.hold()
        await scene.owner.says(scene.chat, "first")
        await model.wait_for_calls(1)
        speech_to_text.answers.append("Call the office.")
        said = await scene.owner.sends_voice(scene.chat, voice(1), caption="tomorow")
        await eventually(partial(self.says, scene, said, "tomorow\n\nCall the office."))
        await scene.owner.edits(said, "tomorrow")
        await eventually(partial(self.says, scene, said, "tomorrow\n\nCall the office."))
        model.go_on()
        await scene.chat.wait_for(2)

    async def says(self, scene: Scene, message: SeenMessage, text: str) -> bool | None:
        return (await scene.why(message, "waiting")).text == text or None

    async def test_a_voice_that_says_a_command_is_obeyed_by_nobody(
        self, scene: Scene, model: ScriptedModel, speech_to_text: VoiceServer
    ) -> None:
        """What an engine heard was not typed: it goes to the agent."""
        speech_to_text.answers.append("/clear")
        await scene.owner.sends_voice(scene.chat, voice(1))
        assert await scene.chat.wait_for(1) == ["ok"]

    async def test_a_voice_of_no_seconds_is_told_to_the_agent(
        self, scene: Scene, model: ScriptedModel, speech_to_text: VoiceServer
    ) -> None:
        before = speech_to_text.requests
        await scene.owner.sends_voice(scene.chat, voice(0), duration=0)
        assert await scene.chat.wait_for(1) == ["ok"]
        assert 'seconds="0"' in model.asked[0].prompt
        assert speech_to_text.requests == before

    async def test_an_engine_that_is_down_does_not_hold_up_the_turn(
        self, scene: Scene, model: ScriptedModel, speech_to_text: VoiceServer
    ) -> None:
        speech_to_text.answers.extend([Fail(401, "invalid_request_error", "no")] * 9)
        await scene.owner.sends_voice(scene.chat, voice(1))
        assert await scene.chat.wait_for(1) == ["ok"]
        speech_to_text.answers.clear()
        assert "did not accept the key" in model.asked[0].prompt
        assert kept(scene, model.asked[0].prompt)[0].read_bytes() == voice(1)

    async def test_without_an_engine_the_agent_is_told(self, home: Path) -> None:
        model = ScriptedModel()
        async with telegram_scene(home, model=model) as scene:
            await scene.owner.sends_voice(scene.chat, voice(1))
            assert (await scene.chat.wait_for(2))[1] == "ok"
            assert "cannot turn voice into text" in model.asked[0].prompt
            assert kept(scene, model.asked[0].prompt)[0].read_bytes() == voice(1)


@pytest.mark.capability("X1")
async def test_a_channel_of_ones_own_gets_its_files_too(home: Path) -> None:
    model = ScriptedModel()
    async with (
        FarEnd() as far_end,
        started_host(home, model=model, scripted={"url": far_end.url}, limits={"file_mb": 1}) as host,
    ):
        await far_end.say("chat", "look", files={"../notes.txt": b"ten boxes", "big.bin": bytes(2 * MB)})
        await far_end.wait_for("chat")
        received = host.home / "groups" / "main" / "files" / "received"
        assert (received / "notes.txt").read_bytes() == b"ten boxes"
        assert 'path="/work/received/notes.txt"' in model.asked[0].prompt
        assert "big.bin is bigger than 1 MB, the most that is fetched." in model.asked[0].prompt
        assert [each.name for each in received.iterdir()] == ["notes.txt"]


async def test_nothing_is_fetched_for_a_stranger(scene: Scene, model: ScriptedModel) -> None:
    stranger, asked = scene.server.person("Stranger"), scene.server.counts["getFile"]
    sent = await stranger.sends_document(stranger.chat_with(scene.bot), b"take this", name="a.exe")
    await scene.why(sent, "held")
    await scene.ask("hello")
    assert scene.server.counts["getFile"] == asked


@pytest.mark.capability("A1")
async def test_of_an_album_that_a_restart_tore_apart_nothing_is_lost(home: Path) -> None:
    model, album = ScriptedModel(), {"media_group_id": "77"}
    pictures = [PICTURE + bytes([number]) for number in range(3)]
    async with TelegramServer(flood_control=False) as server:
        async with telegram_scene(home, model=model, server=server) as scene:
            first = await scene.owner.sends_photo(scene.chat, pictures[0], extra=album)
            await scene.why(first, "waiting")
        for picture in pictures[1:]:
            await scene.owner.sends_photo(scene.chat, picture, extra=album)
        async with started_host(home, model=model, telegram=telegram_settings(server, scene.bot)):
            await scene.chat.wait_until(lambda: len(all_kept(scene, model)) == 3)
    assert sorted(path.read_bytes() for path in all_kept(scene, model)) == pictures


def all_kept(scene: Scene, model: ScriptedModel) -> list[Path]:
    return [path for request in model.asked for path in kept(scene, request.prompt)]
