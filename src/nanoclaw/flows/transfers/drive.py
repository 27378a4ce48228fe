"""Flow B. Uploads a package to a drive as well, through an MCP server that the owner has set up.

The host calls the server, so its keys stay where they are. Whatever the server does, the documents in the
chat are safe.
"""

import asyncio
import json
import mimetypes
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import structlog

from nanoclaw.domain.errors import Refused
from nanoclaw.domain.steps import ToolOffer
from nanoclaw.domain.text import storable
from nanoclaw.domain.transfers import Transfer
from nanoclaw.flows.transfers import drive_tool
from nanoclaw.flows.transfers.drive_tool import UnfitTool, Upload
from nanoclaw.flows.transfers.trouble import written_down
from nanoclaw.gateway.servers import McpServers, Silent

log = structlog.get_logger("transfers")

_PATIENCE = 180.0  # seconds, for all files together
_MOST_FILES = 30
_MOST_BYTES = 5 << 20  # of one file: it travels in one message
_MOST_SAID = 300
_LINK = re.compile(r"https?://[^\s\"'<>\\)\]}]{1,300}")
_SAYS_NO = re.compile(r"\W*(error|failed|failure|permission denied|unauthori[sz]ed)\b", re.IGNORECASE)
_TYPES = {".md": "text/markdown", ".jsonl": "text/plain"}


class _NotPut(Refused):
    """The drive did not get everything; the sentence says why."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Drive:
    """If `tool` is empty it is guessed from what the server offers."""

    servers: McpServers
    server: str
    tool: str = ""
    folder: str = ""
    patience: float = _PATIENCE

    async def put(self, transfer: Transfer, files: Mapping[str, Path]) -> dict[str, Any] | None:
        """Returns `{"drive": {"server": ..., "files": [...], "links": [...], "left_out": [...]}}`; `trouble`
        in it says what went wrong. None if no drive is set up. Never raises for what the server does.
        Repeatable: a name there begins with the transfer's id, so that a second copy is recognisable.
        """
        if not self.server:
            return None
        done: dict[str, Any] = {"server": self.server, "files": [], "links": [], "left_out": []}
        try:
            async with asyncio.timeout(self.patience):
                await self._put(transfer, files, done)
        except TimeoutError:
            done["trouble"] = written_down(
                _NotPut("drive-slow", server=self.server, seconds=round(self.patience))
            )
        except _NotPut as error:
            done["trouble"] = written_down(error)
        if "trouble" in done:
            log.warning("package not on the drive", transfer=transfer.id, trouble=done["trouble"]["key"])
        return {"drive": done}

    async def _put(self, transfer: Transfer, files: Mapping[str, Path], done: dict[str, Any]) -> None:
        tool = await self._tool()
        for number, (name, path) in enumerate(sorted(files.items())):
            about = await asyncio.to_thread(_read, path) if number < _MOST_FILES else None
            if about is None:
                done["left_out"].append(name)
                continue
            upload = Upload(
                name=f"{transfer.id}-{name.replace('/', '-')}",
                content=about,
                media_type=_media_type(name),
                folder=self.folder,
            )
            try:
                given = drive_tool.arguments(tool.arguments, upload)
            except UnfitTool as error:
                if "base64" not in error.wants:
                    raise self._unfit(tool, error) from error
                done["left_out"].append(name)
                continue
            ok, said = await self.servers.use(tool.name, given)
            if not ok or _says_no(said):
                raise _NotPut("drive-refused", server=self.server, file=upload.name, said=_short(said))
            done["files"].append(upload.name)
            if link := _LINK.search(said):
                done["links"].append(link[0])

    async def _tool(self) -> ToolOffer:
        try:
            offers = await self.servers.tools(self.server)
        except Silent as error:
            raise _NotPut("drive-silent", server=self.server, said=_short(str(error))) from error
        tool = drive_tool.choose(offers, self.server, self.tool)
        if tool is None:
            key = "drive-no-such-tool" if self.tool else "drive-no-tool"
            raise _NotPut(key, server=self.server, tool=self.tool)
        return tool

    def _unfit(self, tool: ToolOffer, error: UnfitTool) -> _NotPut:
        return _NotPut(
            "drive-unfit", server=self.server, tool=tool.name, wants=_short(", ".join(error.wants))
        )


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.stat().st_size <= _MOST_BYTES else None


def _media_type(name: str) -> str:
    suffix = Path(name).suffix.lower()
    return _TYPES.get(suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"


def _says_no(said: str) -> bool:
    """Some servers report an error as a success, and only mention it in words."""
    if _SAYS_NO.match(said):
        return True
    try:
        about = json.loads(said)
    except (ValueError, RecursionError):
        return False
    if not isinstance(about, dict):
        return False
    return bool(about.get("error")) or about.get("success") is False or about.get("ok") is False


def _short(said: str) -> str:
    return " ".join(storable(said).split())[:_MOST_SAID]
