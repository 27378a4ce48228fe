"""A workspace that an earlier version made gets the skills that came since, each once."""

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.typed import typing_in

from nanoclaw.testing import made_workspace, started_host

pytestmark = pytest.mark.capability("O1", "H1")

COMPILER = "skills/meta/extraction/context-compiler"
CURATOR = "skills/marketing/market-intelligence/news-curator"
POSTER = "skills/marketing/content/telegram-poster"


def git(home: Path, *words: str) -> str:
    who = ["-c", "user.name=T", "-c", "user.email=t@localhost"]
    done = subprocess.run(["git", *who, *words], cwd=home, check=True, capture_output=True, text=True)
    return done.stdout


async def test_what_is_new_comes_once_and_what_people_changed_or_deleted_stays_so(
    home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    made_workspace(home)
    git(home, "rm", "-r", "-q", COMPILER)
    git(home, "commit", "-q", "--amend", "-m", "As an earlier version made it")
    git(home, "rm", "-r", "-q", CURATOR)
    git(home, "commit", "-q", "-m", "We need no news")
    changed = home / POSTER / "SKILL.md"
    changed.write_text(changed.read_text("utf-8") + "\nShort posts only.\n", "utf-8")

    async with started_host(home) as host:
        assert host.new_skills == ["context-compiler"]
        typed = typing_in(home, monkeypatch, capfd)
        told = await typed("chat", "-m", "/update-context pricing: 139 instead of 128")
        assert "product/pricing" in told.err, "the card"
    assert git(home, "log", "-1", "--format=%s", "--", COMPILER).strip() == (
        "Add skills of this version: context-compiler"
    )
    assert not (home / CURATOR).exists()
    assert changed.read_text("utf-8").endswith("Short posts only.\n")

    shutil.rmtree(home / COMPILER)
    async with started_host(home) as host:
        assert host.new_skills == []
    assert not (home / COMPILER).exists()
