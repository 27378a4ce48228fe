"""Turns text into voice through an OpenAI-compatible endpoint, as OGG/Opus files, which chats play as voice
messages.
"""

import asyncio
import os
import tempfile
from decimal import ROUND_CEILING, Decimal
from pathlib import Path
from typing import BinaryIO

from nanoclaw.domain.errors import NotHeard
from nanoclaw.domain.money import Spender
from nanoclaw.domain.text import is_empty
from nanoclaw.gateway import sound
from nanoclaw.gateway.audio_api import AudioAnswer, AudioApi, AudioCall, Pause
from nanoclaw.gateway.ledger import Ledger

MOST_CHARACTERS = 4096  # what the engine accepts; nobody listens longer than these five minutes anyway
_WITHIN = 120.0  # seconds
_RATE = 48_000


class EndpointSpeech:
    """Every text is paid by its length; the price in dollars per million characters equals micros per character."""

    def __init__(
        self,
        base_url: str,
        model: str,
        voice: str,
        key: str | None,
        ledger: Ledger,
        *,
        price_per_million_characters: float = 15.0,
        pause: Pause = asyncio.sleep,
    ) -> None:
        self._model = model
        self._voice = voice
        self._per_character = Decimal(str(price_per_million_characters))
        self._api = AudioApi("speech", base_url, key, ledger, pause=pause)

    async def speak(self, text: str, target: Path, *, language: str | None, spender: Spender) -> float:
        """Write the voice to `target`; returns its seconds. Raises NotHeard, and then leaves no file.

        The engine detects the language from the text itself.
        """
        if is_empty(text):
            raise NotHeard("speech-empty")
        if len(text) > MOST_CHARACTERS:
            raise NotHeard("speech-too-long", most=MOST_CHARACTERS)
        price = int((self._per_character * len(text)).to_integral_value(ROUND_CEILING))
        wanted = {"model": self._model, "voice": self._voice, "input": text, "response_format": "opus"}
        call = AudioCall(
            path="/audio/speech",
            model=self._model,
            spender=spender,
            at_most=price,
            within=_WITHIN,
            longest=sound.MOST_BYTES,
            body={"json": wanted},
        )
        spoken = await self._api.ask(call, lambda content: AudioAnswer(content=content, micros=price))
        with tempfile.TemporaryFile() as file:
            await asyncio.to_thread(_fill, file, spoken)
            if not sound.is_opus(file):  # some servers send WAV or MP3, whatever they are asked for
                await asyncio.to_thread(_fill, file, await sound.to_opus(file, rate=_RATE))
            seconds = await sound.seconds_of(file)
            if not seconds:
                raise NotHeard("speech-garbled")
            await asyncio.to_thread(_keep, file, target)
        return seconds


def _fill(file: BinaryIO, content: bytes) -> None:
    file.seek(0)
    file.truncate()
    file.write(content)
    file.flush()


def _keep(file: BinaryIO, target: Path) -> None:
    """Give it its name only once it is complete; a link planted there is replaced, not followed."""
    file.seek(0)
    with tempfile.NamedTemporaryFile(dir=target.parent, prefix=".voice-", delete=False) as copy:
        try:
            copy.write(file.read())
            copy.flush()
            os.replace(copy.name, target)  # noqa: PTH105 - both names are the system's
        except OSError:
            Path(copy.name).unlink()
            raise
