"""Transfers as rows say them, and machines where packages are unpacked."""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import claude_agent_sdk

from nanoclaw.domain.transfers import LIFETIME, Target, Transfer

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
