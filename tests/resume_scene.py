"""Packages of sessions, and machines of their own where they are unpacked."""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import claude_agent_sdk

from nanoclaw.domain.transfers import FOLDER, LIFETIME, TRANSFER_MD, Target, Transfer
from nanoclaw.durable.store import Store
from nanoclaw.flows.transfers.claude_transcript import ClaudeTranscripts
from nanoclaw.flows.transfers.scrubbing import Scrubber
from nanoclaw.memory.masking import mask

CLAUDE = Path(str(claude_agent_sdk.__file__)).parent / "_bundled" / "claude"
CREATED = datetime(2026, 5, 1, 12, tzinfo=UTC)


def transfer_of(session_id: str, id_: str = "tr_01abc", language: str = "en", **more: object) -> Transfer:
    values = {
        "id": id_,
        "company": "demo",
        "group": "main",
        "session_id": session_id,
        "chat_id": "c_1",
        "person_id": "p_1",
        "purpose": "",
        "source_runtime": "nanoclaw",
        "source_version": "1",
        "target": Target.CLAUDE_CODE,
        "language": language,
        "created_at": CREATED,
        "expires_at": CREATED + LIFETIME,
        **more,
    }
    return Transfer(**values)  # type: ignore[arg-type]


def scrubber(*own: str) -> Scrubber:
    def masked(text: str) -> tuple[str, tuple[str, ...]]:
        made = mask(text, own)
        return made.text, made.found

    return Scrubber(mask=masked, holds_secret=lambda _content: False)


async def packed(home: Path, store: Store, transfer: Transfer, place: Path) -> Path:
    """The part of a package that is for Claude Code, with something beside it."""
    folder = place / FOLDER
    (folder / "work_artifacts").mkdir(parents=True)
    (folder / TRANSFER_MD).write_text(f"Transfer ID: {transfer.id}\n")
    (folder / "work_artifacts" / "draft.md").write_text("# Draft\n")
    await ClaudeTranscripts(home=home, store=store).add(transfer, folder, scrubber())
    return folder


@dataclass(frozen=True, kw_only=True)
class Machine:
    """Somebody's laptop: a home, and the vendor that its Claude Code talks to."""

    home: Path
    vendor: Mapping[str, str]

    async def run(
        self, package: Path, *words: str, cwd: Path | None = None, **variables: str | None
    ) -> "Ran":
        self.home.mkdir(parents=True, exist_ok=True)
        usual = {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "CLAUDE": str(CLAUDE),
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            **self.vendor,
        }
        chosen = {name: value for name, value in {**usual, **variables}.items() if value is not None}
        process = await asyncio.create_subprocess_exec(
            "dash" if Path("/usr/bin/dash").exists() else "sh",
            *(str(package / "claude_code" / "resume.sh"), *words),
            cwd=cwd or self.home,
            env=chosen,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, said = await process.communicate()
        return Ran(code=int(process.returncode or 0), out=out.decode(), said=said.decode())

    def transcripts(self) -> list[Path]:
        return sorted((self.home / ".claude" / "projects").glob("*/*.jsonl"))


@dataclass(frozen=True, kw_only=True)
class Ran:
    code: int
    out: str
    said: str
