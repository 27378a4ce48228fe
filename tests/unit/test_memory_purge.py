"""Purging: afterwards the words are in no file and in no object of git, and everything else is as it was."""

import shlex
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.git_objects import git, objects_with
from tests.loaded import killed_at
from tests.memory_kills import purge_files, purge_history

from nanoclaw.git.command import GitFailed
from nanoclaw.git.history import rewrite
from nanoclaw.git.remote import Remote
from nanoclaw.git.repository import Repository
from nanoclaw.memory.claude_md import FILE
from nanoclaw.memory.entries import DECISIONS, FACTS, Decision, Fact, Tombstone, write_line
from nanoclaw.memory.files import MemoryFiles
from nanoclaw.memory.purge import PurgeFilter, drop_returned, purge, purge_hash
from nanoclaw.memory.verification import verify

AT = datetime(2026, 3, 1, tzinfo=UTC)
WORDS = "Олена має алергію на арахіс"
SECRET = Fact(id="fact_20260228_secret00", timestamp=AT, fact=WORDS)
SAME = Fact(id="fact_20260228_same0000", timestamp=AT, fact=WORDS)
OTHER = Fact(id="fact_20260228_other000", timestamp=AT, fact="We roast on Monday", related_to=[SECRET.id])
CHOICE = Decision(id="dec_20260228_choice00", timestamp=AT, decision="No peanuts in the office")


@pytest.fixture
def files(tmp_path: Path) -> MemoryFiles:
    home = tmp_path / "home"
    (home / "companies" / "demo" / "memory").mkdir(parents=True)
    return MemoryFiles(home)


@pytest.fixture
def home(files: MemoryFiles) -> Path:
    return files.folder("demo").parents[1]


def add(path: Path, content: bytes) -> None:
    with path.open("ab") as file:
        file.write(content)


def commit(home: Path, said: str) -> None:
    git(home, "add", "-A")
    git(home, "commit", "-q", "--allow-empty", "-m", said)


@pytest.mark.capability("G7")
def test_a_purged_entry_is_in_no_file_and_a_merge_cannot_bring_it_back(
    files: MemoryFiles, home: Path
) -> None:
    files.append("demo", [SECRET, OTHER, SAME, CHOICE])
    torn = write_line(SECRET)[:-30]
    add(files.folder("demo") / FACTS, torn + b"\n")
    archived = files.folder("demo") / "memory/archive/facts-2025.jsonl"
    archived.parent.mkdir()
    archived.write_bytes(write_line(SECRET))
    sections = files.folder("demo") / FILE
    sections.write_text(f"## Key Decisions\n\n- Tone: calm\n- {WORDS}!\n\n## Notes\n\nmine\n")
    done = purge(files, "demo", [SECRET.id], AT)
    assert set(done.entries) == {SECRET.id, SAME.id}
    assert done.still_in == ()
    assert [path for path in home.rglob("*") if path.is_file() and WORDS.encode() in path.read_bytes()] == []
    assert sections.read_text() == "## Key Decisions\n\n- Tone: calm\n\n## Notes\n\nmine\n"
    marks = [line for _, line in files.lines("demo") if isinstance(line, Tombstone)]
    assert sorted(str(mark.purged) for mark in marks) == sorted(
        purge_hash(each.id, each.text) for each in (SECRET, SAME)
    )
    assert {line.id for _, line in files.lines("demo")} == {OTHER.id, CHOICE.id, *(mark.id for mark in marks)}
    assert [problem for problem in verify(home, "demo", [OTHER.id, CHOICE.id]) if problem.is_fault] == []
    # A merge brings it back.
    add(files.folder("demo") / FACTS, write_line(SECRET))
    assert drop_returned(files, "demo") == [SECRET.id]
    assert drop_returned(files, "demo") == []
    assert WORDS.encode() not in (files.folder("demo") / FACTS).read_bytes()
    # Once more changes nothing: the same hash is not written twice.
    assert purge(files, "demo", [SECRET.id], AT).tombstones == ()


@pytest.mark.capability("G7")
def test_killed_anywhere_the_files_are_purged_by_the_next_call(files: MemoryFiles, home: Path) -> None:
    files.append("demo", [SECRET, OTHER, SAME])
    archived = files.folder("demo") / "memory/archive/facts-2025.jsonl"
    archived.parent.mkdir()
    archived.write_bytes(write_line(SECRET))
    (files.folder("demo") / FILE).write_text(f"## Key Decisions\n\n- Tone: calm\n- {WORDS}\n")
    moment, ended = 0, False
    while not ended:
        moment += 4
        ended = not killed_at(moment, ("open", "os.rename"), purge_files, home, SECRET.id, AT)
        assert OTHER in [line for _, line in files.lines("demo")]
    assert moment > 12
    assert [path for path in home.rglob("*") if path.is_file() and WORDS.encode() in path.read_bytes()] == []
    marks = [line for _, line in files.lines("demo") if isinstance(line, Tombstone)]
    assert sorted(mark.forgets for mark in marks) == sorted([SECRET.id, SAME.id])


def a_history(files: MemoryFiles, home: Path) -> None:
    """Several branches, a merge, tags, stashes, something staged, something unsaved, and a remote that has it all."""
    git(home, "init", "-q")
    (home / "notes.txt").write_text("one\n")
    commit(home, "Begin")
    files.append("demo", [OTHER])
    commit(home, "memory: 1 fact")
    git(home, "tag", "-a", "early", "-m", "before")
    files.append("demo", [SECRET])
    (files.folder("demo") / FILE).write_text(f"## Key Decisions\n\n- {WORDS}\n- Calm\n")
    commit(home, "memory: 1 fact, which M 100644 is not\ndata 5\nof the stream")
    git(home, "tag", "late")
    git(home, "checkout", "-q", "-b", "side", "early")
    files.append("demo", [SECRET, CHOICE])
    odd = files.folder("demo") / "memory" / "archive" / 'odd "name" ї.jsonl'
    odd.parent.mkdir()
    odd.write_bytes(write_line(SECRET))
    commit(home, "memory: on the side")
    git(home, "checkout", "-q", "main")
    git(home, "merge", "-q", "--no-edit", "-X", "ours", "side")
    git(home, "init", "-q", "--bare", "../remote.git")
    git(home, "remote", "add", "origin", "../remote.git")
    git(home, "push", "-q", "origin", "main", "side", "--tags")
    for number in (1, 2):
        (home / "notes.txt").write_text(f"stash {number}\n")
        add(files.folder("demo") / FACTS, write_line(SAME))
        git(home, "stash", "push", "-q", "-m", f"number {number}")
    git(home, "commit", "-q", "--amend", "-m", "Amended: the old one is only in a reflog")
    (home / "staged.txt").write_text("staged\n")
    add(files.folder("demo") / DECISIONS, write_line(CHOICE))
    git(home, "add", "-A")
    (home / "notes.txt").write_text("not saved yet\n")


def told(home: Path) -> list[str]:
    """What a person sees of the history, whatever its commits are called."""
    log = git(home, "log", "--all", "--date-order", "--format=%an %ae %at %ct %B")
    return [
        log,
        git(home, "stash", "list", "--format=%gs"),
        git(home, "status", "--porcelain", "notes.txt", "staged.txt"),
    ]


@pytest.mark.capability("G7")
def test_the_whole_history_forgets_the_words_and_nothing_else(
    files: MemoryFiles, home: Path, tmp_path: Path
) -> None:
    a_history(files, home)
    before, tree = told(home), git(home, "ls-tree", "-r", "--name-only", "main")
    first = git(home, "rev-parse", "early^{commit}")
    purged = purge(files, "demo", [SECRET.id], AT)
    result = rewrite(Repository(home), "companies/demo/memory/", PurgeFilter(purged.entries))
    assert result.is_complete
    assert result.blobs >= 4
    assert objects_with(home, WORDS) == []
    assert told(home) == before
    assert git(home, "ls-tree", "-r", "--name-only", "main") == tree
    assert git(home, "rev-parse", "early^{commit}") == first  # older commits keep their names
    assert git(home, "cat-file", "-t", "early").strip() == "tag"
    assert (home / "notes.txt").read_text() == "not saved yet\n"
    assert OTHER.fact in git(home, "show", f"main:companies/demo/{FACTS}")
    assert "- Calm" in git(home, "show", f"late:companies/demo/{FILE}")
    git(home, "fsck", "--strict")
    assert "stash 1" in git(home, "show", "stash@{1}:notes.txt")
    # The remote still has them, and nothing comes from there.
    repository = Repository(home)
    remote, ours = tmp_path / "remote.git", Remote(repository, "origin")
    assert objects_with(remote, WORDS) != []
    with pytest.raises(GitFailed, match="git-purged"):
        ours.fetch(repository.head())
    git(remote, "branch", "old", "main")
    # And the remote, by the commands that a person is given.
    for command in result.commands:
        subprocess.run(shlex.split(command), check=True, capture_output=True)
    assert ours.fetch(repository.head()).theirs == git(remote, "rev-parse", "main").strip()
    # Somebody who did not clone it again continues from the old history.
    git(
        remote,
        "update-ref",
        "refs/heads/main",
        git(remote, "commit-tree", "-m", "x", "-p", "old", "old^{tree}").strip(),
    )
    for _ in range(2):
        with pytest.raises(GitFailed, match="git-purged"):
            ours.fetch(repository.head())
        assert objects_with(home, WORDS) == []
    for command in result.commands:
        subprocess.run(shlex.split(command), check=True, capture_output=True)
    git(remote, "branch", "-D", "old")
    git(remote, "gc", "-q", "--prune=now")
    assert objects_with(remote, WORDS) == []


def test_a_detached_head_stays_where_it_was(files: MemoryFiles, home: Path) -> None:
    a_history(files, home)
    git(home, "stash", "push", "-q", "-u")
    git(home, "checkout", "-q", "--detach", "late")
    rewrite(Repository(home), "companies/demo/memory/", PurgeFilter([SECRET.id, SAME.id]))
    assert objects_with(home, WORDS) == []
    assert git(home, "rev-parse", "HEAD") == git(home, "rev-parse", "late^{commit}")
    assert git(home, "branch", "--show-current") == ""
    assert len(git(home, "stash", "list").splitlines()) == 3


def test_a_repository_without_commits_or_without_the_words_is_left_as_it_is(
    files: MemoryFiles, home: Path
) -> None:
    git(home, "init", "-q")
    assert rewrite(Repository(home), "companies/demo/memory/", PurgeFilter([SECRET.id])).blobs == 0
    files.append("demo", [OTHER])
    commit(home, "memory: 1 fact")
    before = git(home, "rev-parse", "HEAD")
    assert rewrite(Repository(home), "companies/demo/memory/", PurgeFilter([SECRET.id])).commands == ()
    assert git(home, "rev-parse", "HEAD") == before


@pytest.mark.capability("G7")
def test_killed_anywhere_the_next_call_does_the_rest(files: MemoryFiles, home: Path) -> None:
    a_history(files, home)
    before = told(home)
    moment, ended = 0, False
    while not ended:
        moment += 5
        ended = not killed_at(moment, ("subprocess.Popen",), purge_history, home, SECRET.id, SAME.id)
        git(home, "fsck", "--strict")
    assert moment > 20
    assert objects_with(home, WORDS) == []
    assert git(home, "for-each-ref", "refs/nanoclaw") == ""
    after = told(home)
    assert (after[0], after[2]) == (before[0], before[2])
    assert set(after[1].splitlines()) == set(before[1].splitlines())


def test_a_short_text_takes_only_items_that_are_nothing_else() -> None:
    rule = PurgeFilter(["fact_1"], ["tea"])
    before = b"## Owner Preferences\n- tea\n- green tea at five\n"
    assert rule("companies/demo/memory/CLAUDE.md", before) == b"## Owner Preferences\n- green tea at five\n"
    line = write_line(Fact(id="fact_2", timestamp=AT + timedelta(days=1), fact="tea time"))
    assert rule("memory/facts.jsonl", line) == line
    assert rule("companies/demo/context/product/spec.md", before) == before
    broken = b'{"id": "fact_3", "fact": "tea"\n{broken\n'
    assert PurgeFilter(["", "fact_1"], ["tea"])("memory/facts.jsonl", broken) == broken
    assert PurgeFilter(["fact_3"])("memory/facts.jsonl", broken) == b"{broken\n"
