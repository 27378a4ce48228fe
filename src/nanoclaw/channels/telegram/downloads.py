"""Fetches the files that people send, piece by piece and never more than allowed."""

from pathlib import Path

import httpx
from telegram import Bot

from nanoclaw.channels.downloads import save
from nanoclaw.channels.telegram.bots import Moved, Unfit, asked
from nanoclaw.channels.telegram.request import tls
from nanoclaw.domain.errors import SendLater, SendRefused
from nanoclaw.domain.messages import File

_PATIENCE = httpx.Timeout(20, read=60)


class Downloads:
    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self._http = httpx.AsyncClient(timeout=_PATIENCE, verify=tls())

    async def fetch(self, file: File, target: Path, most_bytes: int) -> None:
        """Raises SendLater if it may work later, SendRefused if it never will."""
        try:
            found = await asked(self._bot.get_file(file.ref), harmless=True)
        except (Unfit, Moved) as refusal:
            raise SendRefused("telegram-file-refused", name=file.name, said=str(refusal)) from refusal
        url = found.file_path or ""
        # A self-hosted server may name a path on its disk; only what it serves over HTTP is taken.
        if not url.startswith(("http://", "https://")):
            raise SendRefused("telegram-file-refused", name=file.name, said="no address")
        try:
            await self._stream(url, file, target, most_bytes)
        except httpx.HTTPStatusError as error:
            status = error.response.status_code
            if error.response.is_server_error or status == httpx.codes.TOO_MANY_REQUESTS:
                # `from None`: the address contains the token.
                raise SendLater("telegram-failed", said=str(status)) from None
            raise SendRefused("telegram-file-refused", name=file.name, said=str(status)) from None
        except httpx.HTTPError as error:
            raise SendLater("telegram-silent", said=type(error).__name__) from None

    async def close(self) -> None:
        await self._http.aclose()

    async def _stream(self, url: str, file: File, target: Path, most_bytes: int) -> None:
        async with self._http.stream("GET", url) as answer:
            answer.raise_for_status()
            await save(answer, file, target, most_bytes)
