"""Voices become text and texts become voices: what is sent, what is paid, and what a person hears when it fails."""

import asyncio
import importlib
import io
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import httpx
import pytest
from structlog.testing import capture_logs
from tests.staging import until

from nanoclaw.domain.budgets import Budget, BudgetLimits
from nanoclaw.domain.errors import NotHeard
from nanoclaw.domain.ids import HostId
from nanoclaw.domain.money import Spender, Usage
from nanoclaw.domain.ports import SpeechToText, TextToSpeech
from nanoclaw.durable import costs
from nanoclaw.durable.costs import Cost, State
from nanoclaw.durable.store import Store, open_store
from nanoclaw.gateway import sound, transcription
from nanoclaw.gateway.ledger import Ledger
from nanoclaw.gateway.prices import Prices
from nanoclaw.gateway.speech import EndpointSpeech
from nanoclaw.gateway.transcription import EndpointTranscriber
from nanoclaw.gateway.whisper import WhisperTranscriber
from nanoclaw.testing import made_database
from nanoclaw.testing.model_parts import Cut, Fail, Garbage, Wait
from nanoclaw.testing.voice_server import VoiceServer, Words
from nanoclaw.testing.voices import voice

pytestmark = pytest.mark.capability("A2")

SPENDER = Spender(company="acme", group="main", session_id="s_1", turn_id="t_1", runtime="voice")
KEY = "sk-voice"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = open_store(made_database(tmp_path / "store.db"))
    yield store
    store.close()


class Book:
    """A ledger whose budget a test can set, and the rows in it."""

    def __init__(self, store: Store, log_path: Path) -> None:
        self.budget = Budget()
        self._store = store
        self.ledger = Ledger(store, HostId("h_1"), Prices({}), lambda _company: self.budget, log_path)

    async def rows(self) -> list[Cost]:
        await self.ledger.close()
        return await self._store.read(lambda tx: costs.of_turn(tx, "t_1"))


@pytest.fixture
async def book(store: Store, tmp_path: Path) -> AsyncIterator[Book]:
    book = Book(store, tmp_path / "cost_log.jsonl")
    yield book
    await book.ledger.close()


@pytest.fixture
async def server() -> AsyncIterator[VoiceServer]:
    async with VoiceServer(key=KEY) as server:
        yield server


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def speech_to_text(server: VoiceServer, book: Book, pauses: list[float]) -> EndpointTranscriber:
    return EndpointTranscriber(server.url, "whisper-1", KEY, book.ledger, pause=_noting(pauses))


@pytest.fixture
def text_to_speech(server: VoiceServer, book: Book, pauses: list[float]) -> EndpointSpeech:
    return EndpointSpeech(server.url, "gpt-4o-mini-tts", "alloy", KEY, book.ledger, pause=_noting(pauses))


@pytest.fixture
def spoken(tmp_path: Path) -> Path:
    """A voice of 61.5 seconds."""
    path = tmp_path / "voice.oga"
    path.write_bytes(voice(61.5))
    return path


def _noting(pauses: list[float]) -> Callable[[float], "asyncio.Future[None]"]:
    def pause(seconds: float) -> "asyncio.Future[None]":
        pauses.append(seconds)
        return asyncio.ensure_future(asyncio.sleep(0))

    return pause


async def hear(
    speech_to_text: SpeechToText,
    path: Path,
    *,
    kind: str = "audio/ogg",
    seconds: float | None = None,
    language: str | None = None,
    spender: Spender = SPENDER,
) -> str:
    return await speech_to_text.transcribe(
        path, media_type=kind, seconds=seconds, language=language, spender=spender
    )


async def unheard(
    speech_to_text: SpeechToText, path: Path, *, kind: str = "audio/ogg", seconds: float | None = None
) -> NotHeard:
    with pytest.raises(NotHeard) as caught:
        await hear(speech_to_text, path, kind=kind, seconds=seconds)
    return caught.value


async def speak(text_to_speech: TextToSpeech, text: str, target: Path) -> float:
    return await text_to_speech.speak(text, target, language=None, spender=SPENDER)


needs_ffmpeg = pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="ffmpeg is not installed")


def made_by_ffmpeg(path: Path, *arguments: str) -> Path:
    command = ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=duration=1.5", *arguments, str(path)]
    subprocess.run(command, check=True)
    return path


# By an endpoint


async def test_a_voice_of_telegram_is_sent_as_it_is_and_heard(
    server: VoiceServer, speech_to_text: EndpointTranscriber, spoken: Path
) -> None:
    server.words = "  Добрий ранок\x00 "
    assert await hear(speech_to_text, spoken, language="uk-UA") == "Добрий ранок\ufffd"
    [heard] = server.heard
    assert (heard.model, heard.language, heard.name) == ("whisper-1", "uk", "voice.ogg")
    assert heard.content == spoken.read_bytes()


@pytest.mark.parametrize("language", [None, "", "english", "і", "u1"])
async def test_what_is_no_language_code_is_left_to_the_engine(
    server: VoiceServer, speech_to_text: EndpointTranscriber, spoken: Path, language: str | None
) -> None:
    await hear(speech_to_text, spoken, language=language)
    assert server.heard[0].language is None


@needs_ffmpeg
@pytest.mark.parametrize(
    ("name", "kind", "sent"),
    [
        ("a.mp3", "audio/mpeg", "voice.mp3"),
        ("a.m4a", "audio/x-m4a", "voice.m4a"),
        ("a.wav", "audio/x-wav", "voice.wav"),
        ("a.flac", "", "voice.flac"),
        ("a.WEBM", "application/octet-stream", "voice.webm"),
        ("a.aiff", "audio/aiff", "voice.ogg"),
        ("a.caf", "", "voice.ogg"),
        ("a.aac", "audio/aac", "voice.ogg"),
    ],
)
async def test_kinds_that_the_engine_does_not_take_are_converted_and_others_are_not(
    server: VoiceServer,
    speech_to_text: EndpointTranscriber,
    book: Book,
    tmp_path: Path,
    name: str,
    kind: str,
    sent: str,
) -> None:
    path = made_by_ffmpeg(tmp_path / name)
    assert await hear(speech_to_text, path, kind=kind) == "Good morning"
    [heard] = server.heard
    assert heard.name == sent
    assert (heard.content == path.read_bytes()) == (sent != "voice.ogg")
    if sent == "voice.ogg":
        assert await sound.seconds_of(io.BytesIO(heard.content)) == pytest.approx(1.5, abs=0.1)
    [row] = await book.rows()
    assert row.micros == 200  # two seconds of a minute that costs 6000


@needs_ffmpeg
async def test_the_picture_of_a_video_is_left_out_of_what_is_converted(
    server: VoiceServer, speech_to_text: EndpointTranscriber, tmp_path: Path
) -> None:
    picture = ("-f", "lavfi", "-i", "testsrc=duration=1.5:size=320x240:rate=5")
    path = made_by_ffmpeg(tmp_path / "note.avi", *picture)
    await hear(speech_to_text, path, kind="video/x-msvideo")
    assert server.heard[0].content.startswith(b"OggS")
    assert len(server.heard[0].content) < 10_000


async def test_a_text_without_end_is_cut(
    server: VoiceServer, speech_to_text: EndpointTranscriber, spoken: Path
) -> None:
    server.words = "слово " * 50_000
    assert len(await hear(speech_to_text, spoken)) in range(99_990, 100_001)


async def test_a_voice_without_words_is_said_to_have_none(
    server: VoiceServer, speech_to_text: EndpointTranscriber, spoken: Path
) -> None:
    server.words = " \u200b\n"
    assert (await unheard(speech_to_text, spoken)).key == "voice-silent"


# What is paid


@pytest.mark.capability("J1", "J3")
async def test_a_voice_is_paid_by_its_length(
    server: VoiceServer, speech_to_text: EndpointTranscriber, book: Book, spoken: Path
) -> None:
    await hear(speech_to_text, spoken, seconds=1)  # what the sender says of it does not count
    [row] = await book.rows()
    assert (row.model, row.state, row.micros, row.spender) == ("whisper-1", State.SETTLED, 6200, SPENDER)


@pytest.mark.capability("J1", "J3")
async def test_what_the_vendor_bills_wins_over_what_was_measured(
    server: VoiceServer, speech_to_text: EndpointTranscriber, book: Book, spoken: Path
) -> None:
    server.answers.append(Words(text="one", usage={"type": "duration", "seconds": 70}))
    server.answers.append(Words(text="two", usage={"type": "tokens", "input_tokens": 14, "output_tokens": 3}))
    assert [await hear(speech_to_text, spoken), await hear(speech_to_text, spoken)] == ["one", "two"]
    one, two = await book.rows()
    assert (one.micros, two.micros, two.usage) == (7000, 6200, Usage(input=14, output=3))


@pytest.mark.capability("J3")
async def test_a_voice_of_unknown_length_is_reserved_as_the_longest_one(
    server: VoiceServer, speech_to_text: EndpointTranscriber, book: Book, tmp_path: Path
) -> None:
    path = tmp_path / "voice.ogg"
    path.write_bytes(b"OggS, and nothing that could be measured")
    book.budget = Budget(limits=BudgetLimits(day=719_999))
    assert (await unheard(speech_to_text, path)).key == "voice-budget"
    assert server.requests == 0
    book.budget = Budget(limits=BudgetLimits(day=720_000))
    await hear(speech_to_text, path)
    [row] = await book.rows()
    assert (row.micros, row.state) == (720_000, State.ESTIMATED)


@pytest.mark.capability("J3")
async def test_when_the_budget_is_used_up_nothing_leaves_the_host(
    server: VoiceServer, speech_to_text: EndpointTranscriber, book: Book, spoken: Path
) -> None:
    book.budget = Budget(limits=BudgetLimits(day=6100))
    error = await unheard(speech_to_text, spoken)
    assert (error.key, error.values) == ("voice-budget", {"limit": "$0.0061", "spent": "$0.00"})
    book.budget = Budget(limits=BudgetLimits(day=6100), overdraft=100)  # for people's own messages
    await unheard(speech_to_text, spoken)
    assert server.requests == 0
    assert await book.rows() == []
    server.answers.append("hello")
    assert await hear(speech_to_text, spoken, spender=replace(SPENDER, is_own=True)) == "hello"


@pytest.mark.capability("J1", "J3")
async def test_a_refused_try_costs_nothing_and_one_that_was_cut_off_is_estimated(
    server: VoiceServer, speech_to_text: EndpointTranscriber, book: Book, spoken: Path
) -> None:
    server.answers += [Fail(500), Cut(), "at last"]
    assert await hear(speech_to_text, spoken) == "at last"
    cut, heard = await book.rows()
    assert (cut.state, cut.micros) == (State.ESTIMATED, 6200)
    assert (heard.state, heard.micros) == (State.SETTLED, 6200)


@pytest.mark.capability("J3")
async def test_a_call_that_nobody_waits_for_any_more_is_paid_all_the_same(
    server: VoiceServer, speech_to_text: EndpointTranscriber, book: Book, spoken: Path
) -> None:
    server.answers.append(Wait(asyncio.Event()))
    hearing = asyncio.create_task(hear(speech_to_text, spoken))
    await server.wait_for(1)
    hearing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await hearing
    [row] = await book.rows()
    assert row.state is State.ESTIMATED


# What goes wrong


async def test_an_engine_that_stumbles_is_asked_three_times(
    server: VoiceServer, speech_to_text: EndpointTranscriber, pauses: list[float], spoken: Path
) -> None:
    server.answers += [Fail(429, headers={"retry-after": "2"}), Fail(503), "third time"]
    assert await hear(speech_to_text, spoken) == "third time"
    assert pauses == [2, 3]
    server.answers += [Fail(500, message="first"), Fail(502), Fail(500, message="last"), "never said"]
    error = await unheard(speech_to_text, spoken)
    assert (error.key, error.values) == ("voice-failed", {"said": "500 last"})
    assert server.requests == 6


async def test_an_engine_that_asks_for_a_long_pause_is_not_waited_for(
    server: VoiceServer, speech_to_text: EndpointTranscriber, pauses: list[float], spoken: Path
) -> None:
    server.answers.append(Fail(429, headers={"retry-after": "600"}, message="Slow down"))
    assert (await unheard(speech_to_text, spoken)).values == {"said": "429 Slow down"}
    assert pauses == []


async def test_nobody_at_the_address_is_tried_three_times_and_told(
    book: Book, pauses: list[float], spoken: Path
) -> None:
    for address in ("http://127.0.0.1:1/v1", "nonsense", "http://[::"):
        speech_to_text = EndpointTranscriber(address, "whisper-1", KEY, book.ledger, pause=_noting(pauses))
        assert (await unheard(speech_to_text, spoken)).key == "voice-failed"
    assert len(pauses) == 6
    assert await book.rows() == []


async def test_a_key_that_is_refused_is_told_and_never_shown(
    server: VoiceServer, book: Book, spoken: Path
) -> None:
    with capture_logs() as logs:
        for key in (None, "sk-other-secret", "sk-other-secret\nX: 1", "ключ"):
            error = await unheard(EndpointTranscriber(server.url, "whisper-1", key, book.ledger), spoken)
            assert (error.key, error.values) == ("voice-key", {})
    assert server.requests == 2  # a key that no header can carry is not even tried
    assert "secret" not in str(logs)
    assert await book.rows() == []


async def test_an_engine_that_repeats_the_key_does_not_get_it_into_errors_or_logs(
    server: VoiceServer, speech_to_text: EndpointTranscriber, spoken: Path
) -> None:
    with capture_logs() as logs:
        server.answers += [Fail(500, message=f"not with {KEY}")] * 3
        assert (await unheard(speech_to_text, spoken)).values == {"said": "500 not with ***"}
        server.answers.append(Fail(400, message=f"not with {KEY}"))
        assert (await unheard(speech_to_text, spoken)).values == {"said": "400 not with ***"}
    assert logs
    assert KEY not in str(logs)


async def test_what_the_engine_refuses_is_told_in_its_words_and_not_tried_again(
    server: VoiceServer, speech_to_text: EndpointTranscriber, tmp_path: Path
) -> None:
    path = tmp_path / "voice.ogg"
    path.write_bytes(b"no sound at all")
    error = await unheard(speech_to_text, path, seconds=3)
    assert error.key == "voice-failed"
    assert "400 Invalid file format" in str(error.values["said"])
    assert server.requests == 1


async def test_an_answer_that_makes_no_sense_is_an_error_of_its_own(
    server: VoiceServer, speech_to_text: EndpointTranscriber, spoken: Path
) -> None:
    server.answers += [Garbage(), Garbage("[]"), Garbage('{"text": 1}'), Garbage("x" * (5 << 20))]
    for _ in range(4):
        assert (await unheard(speech_to_text, spoken)).key == "voice-garbled"


async def test_an_engine_that_never_answers_is_given_up(
    server: VoiceServer, speech_to_text: EndpointTranscriber, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcription, "PATIENCE", -0.9)
    server.answers.append(Wait(asyncio.Event()))
    path = tmp_path / "voice.ogg"
    path.write_bytes(voice(1))
    assert (await unheard(speech_to_text, path)).key == "voice-slow"


# Files that are no voices


@pytest.mark.parametrize(
    ("content", "seconds", "key"),
    [
        (b"", None, "voice-empty"),
        (b"", 5, "voice-empty"),
        (voice(0), 5, "voice-empty"),
        (b"cannot be measured", 0, "voice-empty"),
        (b"cannot be measured", -1, "voice-empty"),
        (b"cannot be measured", float("nan"), "voice-empty"),
        (b"cannot be measured", 7201, "voice-too-long"),
        (b"#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1/secret\n", 5, "sound-unreadable"),
        (b"\n ffconcat version 1.0\nfile /etc/passwd\n", 5, "sound-unreadable"),
    ],
)
async def test_a_file_that_is_no_voice_is_never_sent(
    server: VoiceServer,
    speech_to_text: EndpointTranscriber,
    tmp_path: Path,
    content: bytes,
    seconds: float,
    key: str,
) -> None:
    path = tmp_path / "voice.ogg"
    path.write_bytes(content)
    assert (await unheard(speech_to_text, path, seconds=seconds)).key == key
    assert (await unheard(WhisperTranscriber("small", tmp_path), path, seconds=seconds)).key == key
    assert server.requests == 0


async def test_what_is_too_big_too_long_or_not_there_is_never_sent(
    server: VoiceServer, speech_to_text: EndpointTranscriber, tmp_path: Path
) -> None:
    big = tmp_path / "big.ogg"
    with big.open("wb") as file:
        file.truncate((25 << 20) + 1)
    long = tmp_path / "long.ogg"
    content = voice(1)
    at = content.rindex(b"OggS") + 6
    long.write_bytes(content[:at] + (48_000 * 7201).to_bytes(8, "little") + content[at + 8 :])
    link = tmp_path / "link.ogg"
    link.symlink_to(big)
    pipe = tmp_path / "pipe.ogg"
    os.mkfifo(pipe)
    assert (await unheard(speech_to_text, big)).values == {"megabytes": 25}
    assert (await unheard(speech_to_text, long)).values == {"hours": 2}
    for path in (link, pipe, tmp_path, tmp_path / "nothing"):
        assert (await unheard(speech_to_text, path)).key == "voice-unreadable", path
    assert server.requests == 0


@needs_ffmpeg
async def test_what_ffmpeg_cannot_read_as_sound_is_told_and_costs_nothing(
    speech_to_text: EndpointTranscriber, book: Book, tmp_path: Path
) -> None:
    path = tmp_path / "voice.amr"
    path.write_bytes(b"#!AMR\n" + b"\xff" * 100)
    assert (await unheard(speech_to_text, path, kind="audio/amr", seconds=2)).key == "sound-unreadable"
    assert await book.rows() == []


@needs_ffmpeg
async def test_without_ffmpeg_a_voice_of_telegram_is_heard_and_others_say_what_is_missing(
    speech_to_text: EndpointTranscriber,
    book: Book,
    spoken: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = made_by_ffmpeg(tmp_path / "a.aiff")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert await hear(speech_to_text, spoken) == "Good morning"
    assert (await unheard(speech_to_text, other, kind="audio/aiff")).key == "sound-no-ffmpeg"
    [row] = await book.rows()
    assert row.micros == 6200


async def test_an_ffmpeg_that_hangs_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pid = _hanging_ffmpeg(tmp_path, monkeypatch)
    monkeypatch.setattr(sound, "_CONVERT_WITHIN", 0.2)
    with pid.open("rb") as file, pytest.raises(NotHeard) as caught:
        await sound.to_opus(file)
    assert caught.value.key == "sound-slow"


async def test_an_ffmpeg_whose_work_nobody_wants_any_more_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pid = _hanging_ffmpeg(tmp_path, monkeypatch)
    with pid.open("rb") as file:
        converting = asyncio.create_task(sound.to_opus(file))
        await until(lambda: pid.read_text().endswith("\n"))
        converting.cancel()
        await asyncio.wait([converting])
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


def _hanging_ffmpeg(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where it writes its process id."""
    pid, program = folder / "pid", folder / "ffmpeg"
    pid.touch()
    program.write_text(f'#!/bin/sh\necho $$ > "{pid}"\nexec sleep 600\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return pid


async def test_an_ffmpeg_that_writes_without_end_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "ffmpeg"
    program.write_text("#!/bin/sh\nhead -c 30000000 /dev/zero\nhead -c 1000000 /dev/zero >&2\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with program.open("rb") as file, pytest.raises(NotHeard) as caught:
        await sound.to_opus(file)
    assert caught.value.key == "voice-too-big"


# By faster-whisper on this machine

STAND_IN = '''
"""The shape of the real package, with a voice recogniser that says what the file `script` tells."""
import threading, weakref
from collections import namedtuple

Segment = namedtuple("Segment", "id start end text")
TranscriptionInfo = namedtuple("TranscriptionInfo", "language duration")
made, asked, alive = [], [], weakref.WeakSet()
says = [" Good", " morning."]
faults = []
busy = 0
most_busy = 0
go_on = threading.Event()
go_on.set()
begun = threading.Event()
ended = threading.Event()


class WhisperModel:
    def __init__(self, model_size_or_path, device="auto", device_index=0, compute_type="default", cpu_threads=0,
                 num_workers=1, download_root=None, local_files_only=False):
        if model_size_or_path == "unknown":
            raise ValueError("Invalid model size 'unknown', expected one of: tiny, small")
        made.append((model_size_or_path, device, compute_type, download_root))
        alive.add(self)

    @property
    def supported_languages(self):
        return ["en", "uk"]

    def transcribe(self, audio, language=None, task="transcribe", beam_size=5, vad_filter=False):
        content = audio.read() if hasattr(audio, "read") else open(audio, "rb").read()
        if language is not None and language not in self.supported_languages:
            raise ValueError(f"'{language}' is not a valid language code")
        if faults:
            raise faults[0]
        asked.append((len(content), language, vad_filter))
        return self._segments(), TranscriptionInfo(language or "en", 1.0)

    def _segments(self):
        global busy, most_busy
        busy += 1
        most_busy = max(busy, most_busy)
        begun.set()
        try:
            for number, text in enumerate(says):
                yield Segment(number, 0.0, 1.0, text)
                go_on.wait(20)
        finally:
            busy -= 1
            ended.set()
'''


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    folder = tmp_path / "packages"
    (folder / "faster_whisper").mkdir(parents=True)
    (folder / "faster_whisper/__init__.py").write_text(STAND_IN)
    monkeypatch.syspath_prepend(folder)
    yield importlib.import_module("faster_whisper")
    sys.modules.pop("faster_whisper", None)


async def test_whisper_hears_on_this_machine_and_loads_its_model_once(
    package: ModuleType, spoken: Path, tmp_path: Path
) -> None:
    speech_to_text = WhisperTranscriber("small", tmp_path / "models")
    assert package.made == []
    assert await hear(speech_to_text, spoken, language="uk-UA") == "Good morning."
    assert await hear(speech_to_text, spoken, language="de") == "Good morning."
    assert package.made == [("small", "auto", "auto", str(tmp_path / "models"))]
    size = spoken.stat().st_size
    assert package.asked == [(size, "uk", True), (size, None, True)]
    await speech_to_text.close()
    assert not package.alive


async def test_whisper_lets_its_model_go_when_it_rests_and_loads_it_again(
    package: ModuleType, spoken: Path, tmp_path: Path
) -> None:
    speech_to_text = WhisperTranscriber("small", tmp_path / "models", idle=0.01)
    await hear(speech_to_text, spoken)
    await until(lambda: not package.alive)
    await hear(speech_to_text, spoken)
    assert len(package.made) == 2
    await speech_to_text.close()


async def test_whisper_hears_one_voice_at_a_time(package: ModuleType, spoken: Path, tmp_path: Path) -> None:
    speech_to_text = WhisperTranscriber("small", tmp_path / "models")
    await asyncio.gather(*(hear(speech_to_text, spoken) for _ in range(5)))
    assert (len(package.asked), package.most_busy, len(package.made)) == (5, 1, 1)
    await speech_to_text.close()


async def test_whisper_stops_between_two_sentences_when_nobody_waits_any_more(
    package: ModuleType, spoken: Path, tmp_path: Path
) -> None:
    package.go_on.clear()
    package.says[:] = ["one"] * 1000
    speech_to_text = WhisperTranscriber("small", tmp_path / "models")
    first, second = (asyncio.create_task(hear(speech_to_text, spoken)) for _ in range(2))
    await until(package.begun.is_set)
    for hearing in (first, second):
        hearing.cancel()
    await asyncio.wait([first, second])
    assert first.cancelled()
    assert not package.ended.is_set()
    package.says[:] = ["three"]
    package.go_on.set()
    assert await hear(speech_to_text, spoken) == "three"
    assert len(package.asked) == 2  # the second one was never begun
    await speech_to_text.close()


async def test_whisper_that_takes_too_long_is_given_up(
    package: ModuleType, spoken: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nanoclaw.gateway.whisper.PATIENCE", -1000.0)
    speech_to_text = WhisperTranscriber("small", tmp_path / "models")
    assert (await unheard(speech_to_text, spoken)).key == "voice-slow"
    await speech_to_text.close()


async def test_what_is_wrong_with_whisper_is_told(package: ModuleType, spoken: Path, tmp_path: Path) -> None:
    error = await unheard(WhisperTranscriber("unknown", tmp_path / "models"), spoken)
    assert error.key == "voice-no-model"
    assert "expected one of" in str(error.values["said"])
    (tmp_path / "file").write_text("")
    assert (await unheard(WhisperTranscriber("small", tmp_path / "file"), spoken)).key == "voice-no-model"
    speech_to_text = WhisperTranscriber("small", tmp_path / "models")
    for fault in (RuntimeError("CUDA is out of memory"), IndexError("tuple index out of range"), EOFError()):
        package.faults[:] = [fault]
        error = await unheard(speech_to_text, spoken)
        assert (error.key, error.values["said"]) == ("voice-failed", str(fault) or "EOFError")
    package.faults.clear()
    package.says[:] = []
    assert (await unheard(speech_to_text, spoken)).key == "voice-silent"
    await speech_to_text.close()


async def test_without_the_extra_the_error_says_so(spoken: Path, tmp_path: Path) -> None:
    if importlib.util.find_spec("faster_whisper"):
        pytest.skip("faster-whisper is installed")
    assert (await unheard(WhisperTranscriber("small", tmp_path), spoken)).key == "voice-no-whisper"


# A text becomes a voice


@pytest.mark.capability("J1", "J3")
async def test_a_text_becomes_a_voice_and_is_paid_by_its_length(
    server: VoiceServer, text_to_speech: EndpointSpeech, book: Book, tmp_path: Path
) -> None:
    target = tmp_path / "answer.ogg"
    assert await speak(text_to_speech, "Доброго ранку всім", target) == pytest.approx(1.2, abs=0.01)
    assert target.read_bytes().startswith(b"OggS")
    assert server.spoken == [
        {
            "model": "gpt-4o-mini-tts",
            "voice": "alloy",
            "input": "Доброго ранку всім",
            "response_format": "opus",
        }
    ]
    [row] = await book.rows()
    assert (row.model, row.state, row.micros) == ("gpt-4o-mini-tts", State.SETTLED, 270)


@needs_ffmpeg
async def test_a_server_that_speaks_another_kind_of_sound_is_converted(
    server: VoiceServer, text_to_speech: EndpointSpeech, tmp_path: Path
) -> None:
    server.answers.append(made_by_ffmpeg(tmp_path / "a.wav").read_bytes())
    target = tmp_path / "answer.ogg"
    assert await speak(text_to_speech, "Hello", target) == pytest.approx(1.5, abs=0.1)
    with target.open("rb") as file:
        assert sound.is_opus(file)


async def test_a_link_in_the_place_of_the_voice_is_replaced_and_not_followed(
    text_to_speech: EndpointSpeech, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("untouched")
    target = tmp_path / "answer.ogg"
    target.symlink_to(secret)
    await speak(text_to_speech, "Hello", target)
    assert secret.read_text() == "untouched"
    assert not target.is_symlink()


@needs_ffmpeg
@pytest.mark.parametrize(
    ("answer", "key"),
    [
        (Fail(401), "speech-key"),
        (Fail(400, message="no such voice"), "speech-failed"),
        (b"", "sound-unreadable"),
        (b"not a sound", "sound-unreadable"),
        (voice(0), "speech-garbled"),
    ],
)
async def test_a_voice_that_cannot_be_made_leaves_no_file(
    server: VoiceServer, text_to_speech: EndpointSpeech, tmp_path: Path, answer: Fail | bytes, key: str
) -> None:
    server.answers.append(answer)
    folder = tmp_path / "voices"
    folder.mkdir()
    with pytest.raises(NotHeard) as caught:
        await speak(text_to_speech, "Hello", folder / "answer.ogg")
    assert caught.value.key == key
    assert list(folder.iterdir()) == []


async def test_what_cannot_be_spoken_is_refused_before_it_costs_anything(
    server: VoiceServer, text_to_speech: EndpointSpeech, book: Book, tmp_path: Path
) -> None:
    book.budget = Budget(limits=BudgetLimits(day=100))
    for text, key in ((" \n", "speech-empty"), ("a" * 4097, "speech-too-long"), ("a" * 7, "speech-budget")):
        with pytest.raises(NotHeard) as caught:
            await speak(text_to_speech, text, tmp_path / "answer.ogg")
        assert caught.value.key == key
    assert server.requests == 0
    assert await book.rows() == []


# The server of the tests


async def test_the_server_is_as_strict_as_the_real_one(server: VoiceServer) -> None:
    form = {"model": "whisper-1"}
    file = {"file": ("a.ogg", voice(1))}
    async with httpx.AsyncClient(
        base_url=f"{server.url}/", headers={"Authorization": f"Bearer {KEY}"}
    ) as client:

        async def status(path: str, **body: object) -> int:
            return (await client.post(path, **body)).status_code  # type: ignore[arg-type]

        hearing = "audio/transcriptions"
        assert await status(hearing, data=form, files=file) == 200
        assert await status(hearing, data={}, files=file) == 400
        assert await status(hearing, data=form) == 400
        assert await status(hearing, data=form | {"language": "english"}, files=file) == 400
        assert await status(hearing, data=form | {"colour": "red"}, files=file) == 400
        assert await status(hearing, data=form, files={"file": ("a.amr", voice(1))}) == 400
        assert await status(hearing, data=form, files={"file": ("a.mp3", voice(1))}) == 400
        assert await status(hearing, data=form, files={"file": ("a.ogg", b"")}) == 400
        assert (
            await status(hearing, content=b"--x\r\n", headers={"content-type": "multipart/form-data"}) == 400
        )
        speech = {"model": "m", "input": "Hello", "voice": "alloy"}
        assert await status("audio/speech", json=speech) == 200
        assert await status("audio/speech", json=speech | {"input": ""}) == 400
        assert await status("audio/speech", json=speech | {"input": "a" * 4097}) == 400
        assert await status("audio/speech", json=speech | {"response_format": "midi"}) == 400
        assert await status("audio/speech", json=speech | {"colour": "red"}) == 400
        assert await status("audio/speech", content=b"{", headers={"content-type": "application/json"}) == 400


@needs_ffmpeg
@pytest.mark.parametrize("seconds", [0.3, 1, 61.5])
async def test_the_voices_of_tests_are_real_sounds(seconds: float) -> None:
    content = voice(seconds)
    assert await sound.seconds_of(io.BytesIO(content)) == pytest.approx(seconds, abs=0.001)
    command = [
        "ffprobe",
        "-v",
        "error",
        "-show_entries",
        "format=duration:stream=codec_name",
        "-of",
        "csv=p=0",
        "-",
    ]
    shown = subprocess.run(command, input=content, capture_output=True, check=True).stdout.decode().split()
    assert shown[0] == "opus"
