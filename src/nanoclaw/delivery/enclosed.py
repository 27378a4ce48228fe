"""Documents that the host encloses with its cards: all of what a card shows only in part.

They are made from the rows when they are about to leave. A transaction writes no file: one that is rolled back leaves
none behind, and after a crash the next attempt to send makes what is missing.
"""

import asyncio
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from nanoclaw.domain.errors import SendLater
from nanoclaw.domain.parcels import Attachment
from nanoclaw.durable.store import Store, Tx

Maker = Callable[[Tx, str, str], str | None]
"""What stands in the document about this row, in this language; None if there is no such row."""


def enclosed(kind: str, ref: str, language: str, name: str, text: str) -> Attachment:
    """A document that is not written yet; the maker for `kind` will write it."""
    kept = f"{ref}.{language}.{kind}"
    return Attachment(name=name, media_type="text/plain", size=len(text.encode()), kept=kept)


@dataclass(frozen=True, kw_only=True, slots=True)
class EnclosedDocuments:
    store: Store
    folder: Path  # where files are kept that leave with parcels
    makers: Mapping[str, Maker]

    async def write(self, attachments: Iterable[Attachment]) -> None:
        """Write those that are ours and not there yet. Raises SendLater if the disk does not take them."""
        for each in attachments:
            ref, _, rest = each.kept.partition(".")
            language, _, kind = rest.partition(".")
            maker = self.makers.get(kind)
            if maker is None or (self.folder / each.kept).exists():
                continue
            text = await self.store.read(partial(_make, maker=maker, ref=ref, language=language))
            if text is None:
                continue
            try:
                await asyncio.to_thread(self._write, each.kept, text)
            except OSError as error:
                raise SendLater("document-not-written", reason=error.strerror or "-") from error

    def _write(self, kept: str, text: str) -> None:
        """Whole or not at all; what a kill leaves half written is overwritten by the next attempt."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        half = self.folder / f"{kept}.new"
        with half.open("w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        half.replace(self.folder / kept)


def _make(tx: Tx, *, maker: Maker, ref: str, language: str) -> str | None:
    return maker(tx, ref, language)
