"""Who wrote which file of a group: what is kept survives, and where nothing is certain nobody is believed."""

import time
from pathlib import Path

import pytest

from nanoclaw.sandbox import file_writers
from nanoclaw.sandbox.file_writers import Doubt, FileWriters, Written

pytestmark = [pytest.mark.attack, pytest.mark.capability("B1")]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "groups" / "main" / "files"
    folder.mkdir(parents=True)
    return folder


def work(writers: FileWriters, session: str, *changed: Path) -> None:
    """As a box of the session would, which takes longer to start than the system's clock to tick."""
    writers.begin("main", session)
    time.sleep(0.02)
    for path in changed:
        with path.open("a") as file:
            file.write(session)
    writers.end("main", session, time.time_ns())


def known(writers: FileWriters) -> dict[str, tuple[str, Doubt]]:
    found = writers.written("main")
    assert found is not None
    return {path: ("".join(sorted(each.writers)), each.doubt) for path, each in found.items()}


def test_another_host_knows_what_the_last_one_knew(
    tmp_path: Path, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_writers, "_MOST_LINES", 4)  # written anew again and again
    writers = FileWriters(tmp_path)
    for number in range(3):
        work(writers, "a", files / f"a{number}.md")
        work(writers, "b", files / f"b{number}.md", files / "both.md")
    work(writers, "a", files / "both.md", files / "broken \udcff name.md")
    (files / "b0.md").unlink()
    expected = {f"a{number}.md": ("a", Doubt.NONE) for number in range(3)}
    expected |= {f"b{number}.md": ("b", Doubt.NONE) for number in (1, 2)}
    expected |= {"both.md": ("ab", Doubt.SHARED), "broken \udcff name.md": ("a", Doubt.NONE)}
    assert known(FileWriters(tmp_path)) == known(writers) == expected
    with (files / "a1.md").open("a") as file:
        file.write("a person, while nobody works")
    assert known(FileWriters(tmp_path))["a1.md"] == ("a", Doubt.OUTSIDE)


def test_where_nobody_looked_in_time_everything_is_anybodys(
    tmp_path: Path, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writers = FileWriters(tmp_path)
    assert known(writers) == {}
    monkeypatch.setattr(file_writers, "_SHARE", 1e9)  # as if looking had taken very long
    work(writers, "a", files / "a.md")
    work(writers, "b", files / "b.md")
    assert (
        known(FileWriters(tmp_path))
        == known(writers)
        == {
            "a.md": ("ab", Doubt.TOGETHER),
            "b.md": ("ab", Doubt.TOGETHER),
        }
    )


def test_of_too_many_files_or_too_deep_ones_nothing_is_known(
    tmp_path: Path, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writers = FileWriters(tmp_path)
    monkeypatch.setattr(file_writers, "_MOST_FILES", 2)
    work(writers, "a", *(files / f"{number}.md" for number in range(3)))
    assert writers.written("main") is None
    (files / "0.md").unlink()
    assert writers.written("main") is not None
    deep = files.joinpath(*["d"] * 70)
    deep.mkdir(parents=True)
    assert writers.written("main") is None


def test_a_disk_that_was_full_lets_nobody_believe_old_lines(tmp_path: Path, files: Path) -> None:
    writers = FileWriters(tmp_path)
    work(writers, "b", files / "b.md")
    kept = tmp_path / "data" / file_writers.FOLDER / "main.jsonl"
    kept.unlink()
    kept.mkdir()  # nothing can be written there
    work(writers, "a", files / "b.md", files / "a.md")
    assert known(writers)["b.md"] == ("ab", Doubt.SHARED), "this host goes on"
    kept.rmdir()
    work(writers, "a", files / "more.md")
    after = known(FileWriters(tmp_path))
    assert (after["b.md"], after["a.md"]) == (("ab", Doubt.SHARED), ("a", Doubt.NONE))


def test_a_file_that_the_host_put_there_is_of_those_it_is_for(tmp_path: Path, files: Path) -> None:
    writers = FileWriters(tmp_path)
    writers.begin("main", "b")
    time.sleep(0.02)
    (files / "sent.csv").write_text("for a")
    writers.put("main", "sent.csv", ["a"])
    (files / "plan.md").write_text("for nobody in particular")
    writers.put("main", "plan.md")
    writers.end("main", "b", time.time_ns())
    found = writers.written("main") or {}
    assert {path: set(each.writers) for path, each in found.items()} == {
        "sent.csv": {"a"},
        "plan.md": {file_writers.HOST},
    }
    assert all(isinstance(each, Written) and not each.doubt for each in found.values())
    assert known(FileWriters(tmp_path)) == known(writers)
