"""Transcribes voice messages through an OpenAI-compatible endpoint: the vendor's own, or a server on the
owner's network.
"""

import asyncio
import json
import math
from decimal import ROUND_CEILING, Decimal
from pathlib import Path
from typing import Any

from nanoclaw.domain.errors import NotHeard
from nanoclaw.domain.money import MICROS, Spender, Usage, counted
from nanoclaw.domain.text import is_empty, storable
from nanoclaw.gateway import sound
from nanoclaw.gateway.audio_api import AudioAnswer, AudioApi, AudioCall, Pause
from nanoclaw.gateway.ledger import Ledger

MOST_TEXT = 100_000  # characters
PATIENCE = 60.0  # seconds, plus the length of the voice
_MOST_ANSWER = 4 << 20  # bytes
_TAKEN = {"flac", "m4a", "mp3", "mp4", "mpeg", "mpga", "oga", "ogg", "wav", "webm"}
_ENDINGS = {
    "audio/flac": "flac",
    "audio/x-flac": "flac",
    "audio/m4a": "m4a",
    "audio/x-m4a": "m4a",
    "audio/mp4": "m4a",
    "video/mp4": "mp4",
    "audio/mp3": "mp3",
    "audio/mpeg": "mp3",
    "audio/ogg": "ogg",
    "application/ogg": "ogg",
    "audio/wav": "wav",
    "audio/wave": "wav",
    "audio/x-wav": "wav",
    "audio/vnd.wave": "wav",
    "audio/webm": "webm",
    "video/webm": "webm",
}
_ANYTHING = ("", "application/octet-stream")  # unknown, so the name counts


class EndpointTranscriber:
    """Every voice message is paid by its length; `price_per_minute` is in dollars, and 0 for one's own server."""

    def __init__(
        self,
        base_url: str,
        model: str,
        key: str | None,
        ledger: Ledger,
        *,
        price_per_minute: float = 0.006,
        pause: Pause = asyncio.sleep,
    ) -> None:
        self._model = model
        self._per_second = Decimal(str(price_per_minute)) * MICROS / 60
        self._api = AudioApi("voice", base_url, key, ledger, pause=pause)

    async def transcribe(
        self, path: Path, *, media_type: str, seconds: float | None, language: str | None, spender: Spender
    ) -> str:
        """What was said. Raises NotHeard. If given a language other than the spoken one, the engine would
        translate.
        """
        async with sound.opened(path, seconds) as voice:
            ending = ending_of(path, media_type)
            content = await voice.content() if ending else await sound.to_opus(voice.file)
        # The engine tells the format by the file's extension; the rest of the name is private.
        name = f"voice.{ending or 'ogg'}"
        fields = {"model": self._model, "response_format": "json"}
        if spoken := language_code(language):
            fields["language"] = spoken
        longest = sound.MOST_SECONDS if voice.seconds is None else voice.seconds
        call = AudioCall(
            path="/audio/transcriptions",
            model=self._model,
            spender=spender,
            at_most=self._price(longest),
            within=PATIENCE + longest,
            longest=_MOST_ANSWER,
            body={"data": fields, "files": {"file": (name, content)}},
        )
        return spoken_text(await self._api.ask(call, lambda content: self._read(content, voice.seconds)))

    def _read(self, content: bytes, measured: float | None) -> AudioAnswer[str]:
        body = json.loads(content)
        if not isinstance(body, dict) or not isinstance(text := body.get("text"), str):
            raise ValueError("no text in it")  # noqa: TRY004 - it is what the engine wrote, not what we passed
        used = body.get("usage")
        used = used if isinstance(used, dict) else {}
        seconds = _number(used.get("seconds"))  # as the vendor counts, rounding up
        seconds = measured if seconds is None else seconds
        usage = Usage(input=counted(used.get("input_tokens")), output=counted(used.get("output_tokens")))
        return AudioAnswer(
            content=text, micros=None if seconds is None else self._price(seconds), usage=usage
        )

    def _price(self, seconds: float) -> int:
        return int((self._per_second * math.ceil(seconds)).to_integral_value(ROUND_CEILING))


def spoken_text(heard: str) -> str:
    """What an engine heard, in a form that can be stored. Raises NotHeard if it has no words."""
    text = storable(heard[:MOST_TEXT]).strip()
    if is_empty(text):
        raise NotHeard("voice-silent")
    return text


def language_code(language: str | None) -> str | None:
    """`uk` from `uk-UA`; None for anything else, so that the engine detects it."""
    code = (language or "").replace("_", "-").partition("-")[0].lower()
    return code if len(code) == 2 and code.isascii() and code.isalpha() else None


def ending_of(path: Path, media_type: str) -> str | None:
    """The extension by which an engine knows this format; None if it must be converted first."""
    kind = media_type.partition(";")[0].strip().lower()
    if kind in _ANYTHING:
        ending = path.suffix.lstrip(".").lower()
        return ending if ending in _TAKEN else None
    return _ENDINGS.get(kind)


def _number(told: Any) -> float | None:
    if isinstance(told, int | float) and not isinstance(told, bool) and 0 <= told <= sound.MOST_SECONDS * 2:
        return float(told)
    return None
