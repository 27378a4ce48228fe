"""Files of handoffs in the work tree, where other runtimes write."""

from pathlib import Path

from nanoclaw.flows.handoffs.git_files import GitFiles


def test_a_file_is_new_until_it_was_taken_up_and_again_when_it_changes(tmp_path: Path) -> None:
    """The database may be away in between: a result that was only read is not lost."""
    folder = tmp_path / "companies" / "demo" / "handoffs"
    folder.mkdir(parents=True)
    (folder / "hf_1.result.md").write_text("done")
    files = GitFiles(tmp_path)
    [found] = files.new()
    assert files.new() == [found]
    files.taken(found)
    assert files.new() == []
    (folder / "hf_1.result.md").write_text("done, and more")
    assert [each.content for each in files.new()] == [b"done, and more"]
