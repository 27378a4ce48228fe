"""Speech to text and text to speech, as the settings say."""

from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

from nanoclaw.domain.errors import MissingExtra
from nanoclaw.domain.ports import SpeechToText, TextToSpeech
from nanoclaw.gateway.ledger import Ledger
from nanoclaw.gateway.speech import EndpointSpeech
from nanoclaw.gateway.transcription import EndpointTranscriber
from nanoclaw.gateway.whisper import WhisperTranscriber
from nanoclaw.host.keys import Keys
from nanoclaw.host.settings import Settings

WHISPER = "whisper"
_VENDOR, _LOCAL = "openai", "local"


class Voices:
    """`folder` is where a model for this machine is kept."""

    def __init__(self, settings: Settings, keys: Keys, ledger: Ledger, folder: Path) -> None:
        wanted = settings.voice
        host = urlsplit(wanted.base_url).hostname or ""
        key = keys.get(_VENDOR if host.endswith(f".{_VENDOR}.com") else _LOCAL)
        self._whisper = WhisperTranscriber(wanted.whisper_model, folder) if wanted.engine == WHISPER else None
        self.speech_to_text: SpeechToText | None = self._whisper
        if wanted.engine == "endpoint":
            self.speech_to_text = EndpointTranscriber(
                wanted.base_url, wanted.model, key, ledger, price_per_minute=wanted.price_per_minute
            )
        self.text_to_speech: TextToSpeech | None = None
        if wanted.speech_model:
            self.text_to_speech = EndpointSpeech(
                wanted.base_url,
                wanted.speech_model,
                wanted.speech_voice,
                key,
                ledger,
                price_per_million_characters=wanted.speech_price_per_million_characters,
            )

    async def close(self) -> None:
        if self._whisper is not None:
            await self._whisper.close()


def need_voices(settings: Settings) -> None:
    """Raises MissingExtra if the settings need packages that are not installed."""
    if settings.voice.engine == WHISPER and find_spec("faster_whisper") is None:
        raise MissingExtra("missing-extra", extra=WHISPER)
