"""Which files there are is noticed without listing them each time."""

import os
from pathlib import Path

import pytest

from nanoclaw.durable.file_listing import FileListing

_OLD = 1_700_000_000


@pytest.fixture
def listing(tmp_path: Path) -> FileListing:
    """A listing of folders that have not changed for long: their times prove that nothing came or went."""
    for name in ("a/b/c/SKILL.md", "a/b/d/other.md"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text("one")
    for each in (tmp_path, *tmp_path.rglob("*")):
        os.utime(each, (_OLD, _OLD))
    listing = FileListing(tmp_path, "*/*/*/SKILL.md")
    assert _names(listing, tmp_path) == ["a/b/c/SKILL.md"]
    return listing


def _names(listing: FileListing, folder: Path) -> list[str]:
    listing.look_again()
    return [str(path.relative_to(folder)) for path in listing.look()]


def test_nothing_is_listed_again_while_nothing_changes(
    tmp_path: Path, listing: FileListing, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = listing.look()
    monkeypatch.setattr(Path, "glob", None)
    assert _names(listing, tmp_path) == ["a/b/c/SKILL.md"]
    assert listing.look() is before


@pytest.mark.parametrize("new", ["a/b/d/SKILL.md", "a/b/e/SKILL.md", "a/f/g/SKILL.md", "h/i/j/SKILL.md"])
def test_a_new_file_is_found_at_any_depth(tmp_path: Path, listing: FileListing, new: str) -> None:
    (tmp_path / new).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / new).write_text("two")
    assert _names(listing, tmp_path) == sorted(["a/b/c/SKILL.md", new])


def test_a_file_in_a_folder_that_was_just_made_is_found(tmp_path: Path, listing: FileListing) -> None:
    """Two changes may have the same time, so a new one proves nothing."""
    for name in ("k", "l", "m"):
        made = tmp_path / "a" / "b" / name
        made.mkdir()
        assert _names(listing, tmp_path)[-1] != f"a/b/{name}/SKILL.md"
        stamp = made.stat()
        (made / "SKILL.md").write_text("three")
        os.utime(made, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))  # as a coarse clock would
        assert _names(listing, tmp_path)[-1] == f"a/b/{name}/SKILL.md"


def test_a_changed_and_a_removed_file_are_noticed(tmp_path: Path, listing: FileListing) -> None:
    file, before = tmp_path / "a/b/c/SKILL.md", listing.look()
    file.write_text("longer")
    listing.look_again()
    assert listing.look() is not before
    file.unlink()
    assert _names(listing, tmp_path) == []


def test_a_folder_that_is_not_there_yet(tmp_path: Path) -> None:
    listing = FileListing(tmp_path / "later", "*.md")
    assert _names(listing, tmp_path) == []
    (tmp_path / "later").mkdir()
    (tmp_path / "later" / "x.md").write_text("x")
    assert _names(listing, tmp_path) == ["later/x.md"]
