"""The library reads a file once for every change of it; a person may edit any file while the host runs."""

import os
from pathlib import Path

import pytest

from nanoclaw.context.file_cache import FileCache


def _write(path: Path, text: str, *, at: int) -> None:
    path.write_text(text, "utf-8")
    os.utime(path, ns=(at, at))


def test_a_text_is_read_without_the_blank_lines_around_it(tmp_path: Path) -> None:
    path = tmp_path / "voice.md"
    _write(path, "\n# Голос\n\nТеплий.\n\n", at=1)
    assert FileCache().read(path) == "# Голос\n\nТеплий."


@pytest.mark.parametrize("place", ["no.md", "no/such/folder.md", "x" * 300])
def test_a_file_that_is_not_there_is_empty(tmp_path: Path, place: str) -> None:
    assert FileCache().read(tmp_path / place) == ""


def test_an_edited_file_is_read_again(tmp_path: Path) -> None:
    path, library = tmp_path / "a.md", FileCache()
    _write(path, "old", at=1)
    assert library.read(path) == "old"
    _write(path, "new", at=2)  # same size, another time
    assert library.read(path) == "new"
    _write(path, "newer", at=2)  # same time, another size
    assert library.read(path) == "newer"
    _write(path, "early", at=1)  # an older time, as when a backup is put back
    assert library.read(path) == "early"


def test_a_file_that_did_not_change_is_not_read_again(tmp_path: Path) -> None:
    path, library = tmp_path / "a.md", FileCache()
    _write(path, "one", at=1)
    assert library.read(path) == "one"
    _write(path, "two", at=1)  # only someone who opened it could know
    assert library.read(path) == "one"


def test_a_deleted_file_is_empty_and_comes_back_when_it_is_written_again(tmp_path: Path) -> None:
    path, library = tmp_path / "a.md", FileCache()
    _write(path, "one", at=1)
    library.read(path)
    path.unlink()
    assert library.read(path) == ""
    _write(path, "two", at=1)
    assert library.read(path) == "two"


def test_bytes_that_are_no_text_are_marked_and_hide_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"price \xff 128")
    assert FileCache().read(path) == "price \ufffd 128"


def test_a_folder_in_the_place_of_a_file_is_empty(tmp_path: Path) -> None:
    assert FileCache().read(tmp_path) == ""
