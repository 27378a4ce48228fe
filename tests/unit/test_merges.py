"""Two versions of a file meet: lines of memory, sections of CLAUDE.md, and which files a pull may change at all."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.git_scene import git, make_team

from nanoclaw.git.command import Git, GitFailed, GitUnready, spoken
from nanoclaw.git.line_merge import merge_lines
from nanoclaw.git.merger import Merger
from nanoclaw.git.paths import FileKind, kind_of
from nanoclaw.git.remote import Remote
from nanoclaw.git.repository import Repository
from nanoclaw.git.section_merge import merge_sections

pytestmark = pytest.mark.capability("G5")

FACTS, ARCHIVE = "companies/demo/memory/facts.jsonl", "companies/demo/memory/archive/facts-2025.jsonl"


def line(name: str, minute: int = 0, **more: object) -> bytes:
    written = {"id": name, "timestamp": f"2026-03-01T10:{minute:02}:00+00:00", **more}
    return json.dumps(written).encode() + b"\n"


def names(content: bytes) -> list[str]:
    return [json.loads(each)["id"] for each in content.splitlines()]


def merged(base: bytes, ours: bytes, theirs: bytes) -> bytes:
    return merge_lines({FACTS: base}, {FACTS: ours}, {FACTS: theirs})[FACTS]


@given(
    st.lists(st.integers(0, 59), unique=True, max_size=8),
    st.lists(st.integers(0, 59), max_size=8),
    st.lists(st.integers(0, 59), max_size=8),
)
def test_lines_of_both_are_there_once_and_both_sides_get_the_same(
    common: list[int], ours: list[int], theirs: list[int]
) -> None:
    def side(name: str, minutes: list[int]) -> bytes:
        return b"".join(line(f"{name}{minute}", minute) for minute in dict.fromkeys(minutes))

    base = side("", sorted(common))
    own, other = base + side("a", ours), base + side("b", theirs)
    together = merged(base, own, other)
    assert together == merged(base, other, own)
    assert sorted(names(together)) == sorted({*names(own), *names(other)})
    if own != base != other:
        moments = [json.loads(each)["timestamp"] for each in together.splitlines()]
        assert moments == sorted(moments)
    assert merged(own, together, own) == together, "merging again changes nothing"


def test_what_was_purged_on_one_side_is_removed_from_all_files_of_the_other() -> None:
    gone = line("gone_1", 9, purged="0" * 64, forgets="b")
    base = {FACTS: line("a") + line("b", 1), ARCHIVE: line("old")}
    ours = {FACTS: line("a") + gone, ARCHIVE: line("old")}
    theirs = {FACTS: line("a"), ARCHIVE: line("old") + line("b", 1)}
    for one, other in ((ours, theirs), (theirs, ours)):
        together = merge_lines(base, one, other)
        assert names(together[FACTS]) == ["a", "gone_1"]
        assert names(together[ARCHIVE]) == ["old"]


def test_a_line_that_was_moved_to_the_archive_is_there_and_one_that_was_cut_out_by_hand_comes_back() -> None:
    base = {FACTS: line("a") + line("b", 1) + line("c", 2)}
    ours = {FACTS: line("c", 2), ARCHIVE: line("a")}  # "a" archived, "b" cut out
    theirs = {FACTS: line("a") + line("b", 1) + line("c", 2) + line("d", 3)}
    together = merge_lines(base, ours, theirs)
    assert names(together[FACTS]) == ["b", "c", "d"]
    assert names(together[ARCHIVE]) == ["a"]


@pytest.mark.attack
def test_a_remote_forgets_nothing_by_taking_lines_out_although_we_changed_nothing() -> None:
    base = {FACTS: line("a") + line("b", 1) + line("c", 2)}
    theirs = {FACTS: line("c", 2) + line("d", 3), ARCHIVE: line("a")}  # "a" archived, "b" cut out
    together = merge_lines(base, base, theirs)
    assert names(together[FACTS]) == ["b", "c", "d"]
    assert names(together[ARCHIVE]) == ["a"]


def test_broken_lines_edited_lines_and_odd_ends_are_kept() -> None:
    base = line("a", 1, fact="old")
    ours = b"\xef\xbb\xbf" + base + b"not json\n" + line("x", 5)
    theirs = line("a", 1, fact="corrected by hand") + b'{"id": 7}\r\n' + b"torn"
    together = merged(base, ours, theirs).splitlines()
    assert together == [
        line("a", 1, fact="corrected by hand").strip(),
        b"not json",
        b'{"id": 7}',
        b"torn",
        line("x", 5).strip(),
    ]


BASE = """# Company

Free words of a person.

## Current Priorities

1. Grow
2. Hire

## Recent Activity

- 2026-02-03: survey
- 2026-02-01: prices

## Key Decisions

- No discount above 10 %.
"""


@pytest.mark.parametrize("side", ["ours", "theirs"])
def test_what_one_side_changed_in_claude_md_is_taken_byte_for_byte(side: str) -> None:
    changed = BASE.replace("2. Hire\n", "").replace("- 2026-02-03", "- 2026-02-09: new\n- 2026-02-03")
    changed += "\n## Власний розділ\n\nтекст без списку\n"
    assert merge_sections(BASE, *((changed, BASE) if side == "ours" else (BASE, changed))) == changed
    assert merge_sections("", "", changed) == changed
    assert merge_sections(BASE, BASE, BASE) == BASE


def test_entries_of_both_are_in_claude_md_and_of_one_that_both_changed_the_hosts_own() -> None:
    ours = BASE.replace("- 2026-02-03", "- 2026-02-08: ours\n- 2026-02-03").replace(
        "above 10 %", "above 12 %"
    )
    theirs = (
        BASE.replace("- 2026-02-03", "- 2026-02-09: theirs\n- 2026-02-03")
        .replace("- No discount above 10 %.", "- No discount above 15 %.\n- Ship on Friday.")
        .replace("1. Grow\n", "")
        .replace("2. Hire", "1. Hire\n2. Move")
    )
    together = merge_sections(BASE, ours, theirs)
    assert together == (
        BASE.replace("- 2026-02-03", "- 2026-02-08: ours\n- 2026-02-09: theirs\n- 2026-02-03")
        .replace("above 10 %.", "above 12 %.\n- Ship on Friday.")
        .replace("1. Grow\n2. Hire", "2. Hire\n2. Move")
    )


@given(
    *[st.lists(st.sampled_from(["- a\n", "- b\n", "- c\n", "x\n", "\n", "## H\n", "# T\n", "1. n\n"]))] * 3
)
def test_no_entry_that_a_side_added_to_claude_md_is_lost(
    base: list[str], ours: list[str], theirs: list[str]
) -> None:
    texts = ["".join(each) for each in (base, ours, theirs)]
    together = merge_sections(*texts)
    for side in (ours, theirs):
        for entry in {"- a\n", "- b\n", "- c\n"} & set(side):
            if entry not in base:
                assert entry.strip() in together


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("companies/demo/memory/facts.jsonl", FileKind.LINES),
        ("companies/demo/memory/archive/facts-2025.jsonl", FileKind.LINES),
        ("companies/demo/memory/CLAUDE.md", FileKind.SECTIONS),
        ("companies/demo/context/product/pricing.md", FileKind.CONTEXT),
        ("foundation/core_identity.md", FileKind.TEXT),
        ("foundation/process_templates/launch.yaml", FileKind.HELD),
        ("skills/meta/x/SKILL.md", FileKind.HELD),
        ("nanoclaw.toml", FileKind.HELD),
        ("groups/main/group.toml", FileKind.HELD),
        ("groups/main/files/run.sh", FileKind.HELD),
        ("companies/demo/budget.json", FileKind.HELD),
        (".gitattributes", FileKind.HELD),
        ("companies/demo/context/.gitattributes", FileKind.HELD),
        (".claude/settings.md", FileKind.HELD),
        ("data/keys.json", FileKind.NEVER),
        ("groups/main/ipc/s/messages/1.json", FileKind.NEVER),
        ("companies/demo/../../data/x.md", FileKind.NEVER),
        (".GIT/config", FileKind.NEVER),
        ("companies/.git. /x.md", FileKind.NEVER),
        ("foundation/a\nb.md", FileKind.NEVER),
    ],
)
@pytest.mark.attack
def test_only_known_kinds_of_files_come_from_a_remote_unasked(path: str, kind: FileKind) -> None:
    assert kind_of(path) is kind
    assert kind_of(path, "120000") is FileKind.NEVER, "a link"
    assert kind_of(path, "100755") in (FileKind.HELD, FileKind.NEVER), "a program"


@pytest.mark.parametrize(
    ("key", "prepare"),
    [
        ("git-no-repository", lambda home: (home / ".git").rename(home / "elsewhere")),
        ("git-detached", lambda home: git(home, "checkout", "--quiet", "--detach")),
        ("git-busy", lambda home: (home / ".git" / "MERGE_HEAD").write_text("0" * 40)),
    ],
)
def test_a_commit_waits_while_there_is_nothing_to_commit_to(
    home: Path, key: str, prepare: Callable[[Path], object]
) -> None:
    """Also inside of somebody else's repository."""
    git(home.parent, "init", "--quiet")
    prepare(home)
    (home / FACTS).write_bytes(line("a"))
    with pytest.raises(GitUnready) as raised:
        Repository(home).commit([FACTS], "memory")
    assert raised.value.key == key
    assert not git(home.parent, "status", "--short", "--untracked-files=no")


def test_git_that_hangs_is_ended_and_passwords_are_not_repeated(home: Path) -> None:
    git(home, "config", "alias.hang", "!sleep 60")
    with pytest.raises(GitFailed) as raised:
        Git(home)("hang", patience=0.3)
    assert raised.value.key == "git-slow"
    said = b"hint: no\nfatal: unable to access 'https://bot:s3cret@example.com/x.git/': refused\n"
    assert spoken(said) == "fatal: unable to access 'https://***@example.com/x.git/': refused"


def test_what_is_written_while_files_are_merged_stays_and_a_branch_that_moved_is_not_overwritten(
    home: Path, tmp_path: Path
) -> None:
    (home / FACTS).write_bytes(line("a"))
    git(home, "add", "--all")
    git(home, "commit", "--quiet", "--message", "first")
    team = make_team(home, tmp_path)
    (team.mate / FACTS).write_bytes(line("a") + line("c", 2))
    team.mate_pushes()
    held: list[str] = []

    @contextmanager
    def hold(company: str) -> Iterator[None]:
        """The writer of memory is faster: it was there right before the lock."""
        if not held:
            (home / FACTS).write_bytes((home / FACTS).read_bytes() + line("b", 1))
        held.append(company)
        yield

    repository = Repository(home)
    theirs = Remote(repository, "origin").fetch(repository.head()).theirs
    assert theirs is not None
    merging = Merger(repository, hold, lambda *_: False)
    merged_one = merging.begin(repository.ready(), theirs)
    merging.finish(merged_one)
    assert names((home / FACTS).read_bytes()) == ["a", "b", "c"]
    assert held == ["demo"]
    assert repository.changed("companies/demo/memory") == [FACTS], "it is committed with the next ones"

    git(home, "reset", "--quiet", "--soft", "HEAD~1")  # a person does something while it is written down
    (home / "foundation" / "core_identity.md").write_text("Ours.\n")
    git(home, "commit", "--all", "--quiet", "--message", "by hand")
    with pytest.raises(GitFailed) as raised:
        merging.finish(merged_one)
    assert raised.value.key == "git-moved"
    assert merging.under_way() is None
    assert git(home, "log", "-1", "--format=%s") == "by hand"
    assert names((home / FACTS).read_bytes()) == ["a", "b", "c"]
