"""How the tools of MCP servers described themselves when last seen: a server may change that once it is trusted."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from pydantic_core import to_json

from nanoclaw.domain.steps import ToolOffer

FILE = "mcp-tools.json"
_MOST = 1000  # tools of a server; one that has more names than this begins anew


class KnownTools:
    """A file of the host, which no box sees: a restart must not make a change go unnoticed."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def changed(self, server: str, offers: Sequence[ToolOffer]) -> list[str]:
        """Remember these; the names of those that were described differently before. `server` is whoever it is, and
        where."""
        known = self._read()
        before = known.get(server, {})
        now = {offer.name: _print(offer) for offer in offers}
        found = [name for name, print_ in now.items() if before.get(name, print_) != print_]
        if now.items() - before.items():
            known[server] = {**(before if len(before) < _MOST else {}), **now}
            self._write(known)
        return found

    def _read(self) -> dict[str, dict[str, str]]:
        try:
            found = json.loads(self._path.read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def _write(self, known: dict[str, dict[str, str]]) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        new = self._path.with_suffix(".new")
        new.write_text(json.dumps(known, indent=1), "utf-8")
        new.replace(self._path)


def _print(offer: ToolOffer) -> str:
    said = to_json([offer.description, dict(offer.arguments)])
    return hashlib.sha256(said).hexdigest()[:16]
