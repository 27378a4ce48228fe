"""Files that someone hands in on the page or the terminal, kept on disk until their message takes them."""

import shutil
import time
from pathlib import Path

from nanoclaw.domain.errors import SendRefused
from nanoclaw.domain.ids import new_id
from nanoclaw.domain.messages import File

_KEPT_FOR = 7 * 86_400  # seconds: the host may be held for days after a restore


class Uploads:
    """Every method blocks: use a thread."""

    def __init__(self, home: Path) -> None:
        self._folder = home / "data" / "uploads"

    def keep(self, content: bytes) -> str:
        """Keep a file; returns its name here. It is on disk when this returns."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._clear()
        ref = new_id("u")
        with (self._folder / ref).open("wb") as written:
            written.write(content)
        return ref

    def fetch(self, file: File, target: Path) -> None:
        """Copy it: a host killed right after this needs it again."""
        try:
            shutil.copyfile(self._folder / Path(file.ref).name, target)
        except OSError:
            raise SendRefused("file-not-there", name=file.name) from None

    def _clear(self) -> None:
        for each in self._folder.iterdir():
            if time.time() - each.stat().st_mtime > _KEPT_FOR:
                each.unlink(missing_ok=True)
