"""Flow G. The workspace in git: commits in the background, and a remote that others use too (SPEC G5, B6)."""

import os
import time
from pathlib import Path

import pytest
from tests.git_scene import CLAUDE, FACTS, append, fact, git
from tests.staging import until

from nanoclaw.durable import work
from nanoclaw.durable.clock import now
from nanoclaw.host.host import Host
from nanoclaw.testing import started_host

pytestmark = [pytest.mark.asyncio, pytest.mark.capability("G5")]

QUICK = {"commit_seconds": 0}


async def look(host: Host, key: str = "workspace") -> None:
    await host.store.write(lambda tx: work.due(tx, work.VERSIONS, key, now()))


def subject(home: Path) -> str:
    return git(home, "log", "-1", "--format=%an: %s")


async def test_what_changed_in_memory_is_committed_and_nothing_else(home: Path) -> None:
    """With a lock that a dead git left behind, and a person's own edits, staged and not, in the same repository."""
    identity, standards = (
        home / "foundation" / "core_identity.md",
        home / "foundation" / "output_standards.md",
    )
    append(home, fact(1, "Refunds take five days"), fact(2, "The office is in Lviv"))
    append(
        home,
        {"id": "dec_20260301_1", "decision": "No capsules"},
        file="companies/demo/memory/decisions.jsonl",
    )
    standards.write_text("staged by a person\n")
    git(home, "add", "foundation/output_standards.md")
    identity.write_text("edited by a person\n")
    lock = home / ".git" / "index.lock"
    lock.touch()
    os.utime(lock, (time.time() - 120, time.time() - 120))
    async with started_host(home, memory=QUICK) as host:
        await until(lambda: subject(home) == "NanoClaw OS: memory: 2 facts, 1 decision (demo)")
        assert set(git(home, "show", "--format=", "--name-only").splitlines()) == {
            FACTS,
            "companies/demo/memory/decisions.jsonl",
        }
        await until(lambda: not lock.exists())
        # A person's next commit holds exactly what they staged: it takes nothing of ours back.
        await until(
            lambda: (
                git(home, "status", "--short", "--", "foundation", "companies").splitlines()
                == ["M foundation/core_identity.md", "M  foundation/output_standards.md"]
            )
        )
        (home / CLAUDE).write_text("# Memory\n\n## Key Decisions\n\n- by hand\n")
        await look(host)
        await until(lambda: subject(home) == "NanoClaw OS: memory: edited (demo)")
