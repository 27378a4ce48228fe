"""Files of the host in a folder that boxes can write: whatever a box planted there, nothing is written elsewhere."""

import os
from pathlib import Path

import pytest

from nanoclaw.sandbox.file_placement import write_below

pytestmark = [pytest.mark.capability("D6"), pytest.mark.attack]


def test_links_in_the_way_of_a_file_are_replaced_and_what_they_lead_to_stays(tmp_path: Path) -> None:
    secrets, files = tmp_path / "secrets", tmp_path / "files"
    secrets.mkdir()
    files.mkdir()
    (secrets / "key").write_text("secret")
    (files / "pipelines").symlink_to(secrets)
    write_below(files, ("pipelines", "run"), "1-editor.md", b"text", os.getuid())
    assert (files / "pipelines" / "run" / "1-editor.md").read_text() == "text"

    run = files / "pipelines" / "run"
    (run / "1-editor.md").unlink()
    (run / "1-editor.md").symlink_to(secrets / "key")
    (run / ".1-editor.md.new").symlink_to(secrets / "key")
    write_below(files, ("pipelines", "run"), "1-editor.md", b"again", os.getuid())
    assert not (run / "1-editor.md").is_symlink()
    assert (run / "1-editor.md").read_text() == "again"
    assert [path.name for path in run.iterdir()] == ["1-editor.md"]
    assert [path.name for path in secrets.iterdir()] == ["key"]
    assert (secrets / "key").read_text() == "secret"


def test_a_folder_with_the_name_of_the_file_is_told_and_not_removed(tmp_path: Path) -> None:
    (tmp_path / "run" / "1-editor.md" / "inner").mkdir(parents=True)
    with pytest.raises(OSError, match="directory"):
        write_below(tmp_path, ("run",), "1-editor.md", b"text", os.getuid())
    assert (tmp_path / "run" / "1-editor.md" / "inner").is_dir()
