"""Transcribes voice messages on this machine with faster-whisper, an extra. Nothing leaves the host, so
nothing is paid.

The model takes seconds to load and a gigabyte of memory: it is loaded for the first message, and unloaded
when idle.
"""

import asyncio
import threading
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import httpx
import structlog

from nanoclaw.domain.errors import NotHeard
from nanoclaw.domain.money import Spender
from nanoclaw.gateway import sound
from nanoclaw.gateway.sound import Sound
from nanoclaw.gateway.transcription import MOST_TEXT, PATIENCE, language_code, spoken_text

log = structlog.get_logger("whisper")

_IDLE = 600.0  # seconds
_PACE = 4  # a slow machine may take this many times the length of a message
# What a bad file, a model that cannot be downloaded or a full memory look like.
_FAULTS = (OSError, ValueError, RuntimeError, LookupError, EOFError, httpx.HTTPError)


class WhisperTranscriber:
    """`model` is a size, such as `small`, or a folder; `folder` is where downloaded models are kept."""

    def __init__(self, model: str, folder: Path, *, idle: float = _IDLE) -> None:
        self._name = model
        self._folder = folder
        self._idle = idle
        self._model: Any = None
        self._one_at_a_time = asyncio.Lock()
        self._under_way: dict[asyncio.Task[str], threading.Event] = {}
        self._freeing: asyncio.TimerHandle | None = None

    async def transcribe(
        self, path: Path, *, media_type: str, seconds: float | None, language: str | None, spender: Spender
    ) -> str:
        """What was said. Raises NotHeard. Accepts any sound format as it is."""
        stop = threading.Event()
        hearing = asyncio.create_task(self._hear_in_turn(path, seconds, language, stop))
        self._under_way[hearing] = stop
        hearing.add_done_callback(self._under_way.pop)
        try:
            # A thread cannot be cancelled: it stops between two sentences, and the next message waits until then.
            return spoken_text(await asyncio.shield(hearing))
        except asyncio.CancelledError:
            stop.set()
            raise

    async def close(self) -> None:
        """Stop what is in progress, and unload the model."""
        for stop in self._under_way.values():
            stop.set()
        if self._under_way:
            await asyncio.wait(self._under_way)
        self._free()

    async def _hear_in_turn(
        self, path: Path, seconds: float | None, language: str | None, stop: threading.Event
    ) -> str:
        async with self._one_at_a_time, sound.opened(path, seconds) as voice:
            self._stay()
            try:
                return await asyncio.to_thread(self._hear, voice, language_code(language), stop)
            finally:
                self._freeing = asyncio.get_running_loop().call_later(self._idle, self._free)

    def _hear(self, voice: Sound, language: str | None, stop: threading.Event) -> str:
        """Runs in a thread, one at a time."""
        if stop.is_set():  # cancelled while it waited for the one before
            return ""
        if self._model is None:
            self._model = self._load()
        longest = PATIENCE + _PACE * (sound.MOST_SECONDS if voice.seconds is None else voice.seconds)
        until = time.monotonic() + longest
        heard = ""
        try:
            voice.file.seek(0)
            spoken = language if language in self._model.supported_languages else None
            segments, _about = self._model.transcribe(voice.file, language=spoken, vad_filter=True)
            for segment in segments:  # the work is done here, sentence by sentence
                heard += segment.text
                if stop.is_set() or len(heard) > MOST_TEXT:
                    break
                if time.monotonic() > until:
                    raise NotHeard("voice-slow", seconds=round(longest))
        except _FAULTS as error:
            raise NotHeard("voice-failed", said=_said(error)) from error
        return heard

    def _load(self) -> Any:
        try:
            package = import_module("faster_whisper")
        except ImportError as error:
            raise NotHeard("voice-no-whisper") from error
        started = time.monotonic()
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            model = package.WhisperModel(
                self._name, device="auto", compute_type="auto", download_root=str(self._folder)
            )
        except _FAULTS as error:
            raise NotHeard("voice-no-model", model=self._name, said=_said(error)) from error
        log.info("whisper loaded", model=self._name, seconds=round(time.monotonic() - started, 1))
        return model

    def _stay(self) -> None:
        if self._freeing is not None:
            self._freeing.cancel()
            self._freeing = None

    def _free(self) -> None:
        self._stay()
        self._model = None


def _said(error: Exception) -> str:
    return " ".join((str(error) or type(error).__name__).split())[:300]
