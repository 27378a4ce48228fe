"""How the tools of MCP servers described themselves when last seen: a server may change that once it is trusted."""

import hashlib
import json
import threading
from collections.abc import Sequence
from pathlib import Path

import structlog
from pydantic_core import to_json

from nanoclaw.domain.steps import ToolOffer

log = structlog.get_logger("servers")

FILE = "mcp-tools.json"
_MOST = 1000  # tools of a server; one that has more names than this begins anew


class KnownTools:
    """A file of the host, which no box sees: a restart must not make a change go unnoticed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()  # servers that start together are looked at in threads of their own

    def changed(self, server: str, offers: Sequence[ToolOffer]) -> list[str]:
        """Remember these; the names of those that were described differently before. `server` is whoever it is, and
        where."""
        now = {offer.name: _print(offer) for offer in offers}
        with self._lock:
            known = self._read()
            before = known.get(server, {})
            if now.items() - before.items():
                known[server] = {**(before if len(before) < _MOST else {}), **now}
                self._write(known)
        return [name for name, print_ in now.items() if before.get(name, print_) != print_]

    def _read(self) -> dict[str, dict[str, str]]:
        try:
            found = json.loads(self._path.read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        if not isinstance(found, dict):
            return {}
        return {server: tools for server, tools in found.items() if isinstance(tools, dict)}

    def _write(self, known: dict[str, dict[str, str]]) -> None:
        new = self._path.with_suffix(".new")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            new.write_text(json.dumps(known, indent=1), "utf-8")
            new.replace(self._path)
        except OSError as error:  # a full disk takes no tools away; the next start tells of the change again
            log.warning("what servers offer was not remembered", reason=error)


def _print(offer: ToolOffer) -> str:
    said = to_json([offer.description, dict(offer.arguments)])
    return hashlib.sha256(said).hexdigest()[:16]
