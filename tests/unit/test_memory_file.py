"""CLAUDE.md as a prompt takes it: what rarely changes, and the last of what was done."""

import os
from pathlib import Path

import pytest

from nanoclaw.domain.memory import MemoryFile
from nanoclaw.host.memory_file import MemoryFileReader


@pytest.mark.capability("A9")
@pytest.mark.parametrize("plant", ["link", "pipe", "huge", "folder"])
def test_what_an_agent_plants_in_its_memory_is_not_read(tmp_path: Path, plant: str) -> None:
    """The memory can be written from a box; a link to the host's keys there must not end up in a prompt."""
    secret = tmp_path / "keys.json"
    secret.write_text("sk-canary")
    memory = tmp_path / "companies" / "lantern" / "memory" / "CLAUDE.md"
    memory.parent.mkdir(parents=True)
    match plant:
        case "link":
            memory.symlink_to(secret)
        case "pipe":
            os.mkfifo(memory)
        case "huge":
            with memory.open("wb") as file:
                file.truncate(1 << 40)
        case _:
            memory.mkdir()
    assert MemoryFileReader(tmp_path).read("lantern") == MemoryFile()


@pytest.mark.parametrize("heading", ["Recent Activity", "Остання активність"])
def test_what_was_done_lately_is_parted_from_what_rarely_changes(tmp_path: Path, heading: str) -> None:
    folder = tmp_path / "companies" / "lantern" / "memory"
    folder.mkdir(parents=True)
    done = "\n".join(f"- 2026-02-{day}: did {day}" for day in range(28, 10, -1))
    before, after = "# Memory\n\n## Identity Snapshot\n\nA roastery.", "## Key Decisions\n\n- No capsules.\n"
    (folder / "CLAUDE.md").write_text(f"{before}\n\n## {heading}\n\n{done}\n\n{after}")
    found = MemoryFileReader(tmp_path).read("lantern")
    assert found.recent == tuple(f"2026-02-{day}: did {day}" for day in range(28, 18, -1))
    assert "A roastery." in found.stable
    assert "No capsules." in found.stable
    assert "did" not in found.stable
