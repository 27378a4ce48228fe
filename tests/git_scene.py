"""Workspaces in git: a remote on disk, a teammate's clone, and what a person does there by hand."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MEMORY = "companies/demo/memory"
FACTS = f"{MEMORY}/facts.jsonl"
CLAUDE = f"{MEMORY}/CLAUDE.md"
PRICING = "companies/demo/context/product/pricing.md"
_AS = ("-c", "user.name=Teammate", "-c", "user.email=teammate@example.com", "-c", "core.hooksPath=/dev/null")


def git(home: Path, *words: str) -> str:
    done = subprocess.run(["git", *_AS, *words], cwd=home, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def fact(number: int, text: str, *, at: str = "", **more: Any) -> dict[str, Any]:
    moment = at or f"2026-03-01T10:{number:02}:00+00:00"
    return {
        "id": f"fact_20260301_{number:08}",
        "timestamp": moment,
        "domain": "",
        "topic": "",
        "fact": text,
        **more,
    }


def append(home: Path, *lines: dict[str, Any], file: str = FACTS) -> None:
    with (home / file).open("a", encoding="utf-8") as writer:
        writer.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def ids(home: Path, file: str = FACTS) -> list[str]:
    return [json.loads(line)["id"] for line in (home / file).read_text("utf-8").splitlines()]


@dataclass(frozen=True)
class Team:
    """The host's workspace, its remote, and another clone."""

    home: Path
    remote: Path
    mate: Path

    def mate_commits(self, message: str = "by hand") -> None:
        git(self.mate, "add", "--all")
        git(self.mate, "commit", "--quiet", "--message", message)

    def mate_pushes(self, message: str = "by hand") -> None:
        self.mate_commits(message)
        git(self.mate, "push", "--quiet", "origin", "main")

    def mate_pulls(self) -> None:
        git(self.mate, "pull", "--quiet", "--no-rebase", "origin", "main")


def make_team(home: Path, folder: Path) -> Team:
    remote, mate = folder / "remote.git", folder / "mate"
    git(home, "init", "--quiet", "--bare", "--initial-branch=main", str(remote))
    git(home, "remote", "add", "origin", str(remote))
    git(home, "push", "--quiet", "origin", "main")
    git(folder, "clone", "--quiet", str(remote), str(mate))
    return Team(home, remote, mate)
