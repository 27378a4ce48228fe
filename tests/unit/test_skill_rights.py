"""What a pull may change in a skill unseen: its prose, and nothing that another reader could take for rights."""

from pathlib import Path

import pytest

from nanoclaw.flows.syncing.skill_rights import MOST_BYTES, SkillRights
from nanoclaw.git.paths import SyncedFileKind, TakenNames, kind_of

PATH = "skills/marketing/content/editor/SKILL.md"
HEAD = "name: editor\ndescription: Edits texts.\nmodel: sonnet\ntools: [web_search]\n"
SKILL = f"---\n{HEAD}---\nYou edit.\n"
NEW = "---\nname: poet\ndescription: Writes poems.\n---\nYou rhyme.\n"


@pytest.fixture
def rights(tmp_path: Path) -> SkillRights:
    known = tmp_path / PATH
    known.parent.mkdir(parents=True)
    known.write_text(SKILL)
    return SkillRights(home=tmp_path)


TAKEN = {
    "another body": SKILL.replace("You edit.", "You edit with care.\n\n---\nA line.\n---\n"),
    "another description": SKILL.replace("Edits texts.", '"Edits every text: long ones, too"'),
    "the same in another order": SKILL.replace("tools: [web_search]\n", "").replace(
        "name: editor", "tools:\n  - web_search\nname: editor"
    ),
    "a usual value written out": SKILL.replace("model: sonnet", "model: sonnet\nnetwork: []"),
    "another line end": SKILL.replace("\n", "\r\n"),
}


@pytest.mark.parametrize("after", TAKEN.values(), ids=TAKEN.keys())
def test_prose_is_taken_at_once(rights: SkillRights, after: str) -> None:
    assert after != SKILL
    assert rights.leaves_rights(PATH, SKILL.encode(), after.encode())


ASKED = {
    "a tool": SKILL.replace("[web_search]", "[web_search, bash]"),
    "no tools": SKILL.replace("tools: [web_search]\n", ""),
    "a host": SKILL.replace("model: sonnet", "model: sonnet\nnetwork: [evil.example]"),
    "a command": SKILL.replace("model: sonnet", "model: sonnet\ncommands: [/edit]"),
    "another model": SKILL.replace("sonnet", "opus"),
    "another runtime": SKILL.replace("model: sonnet", "model: sonnet\nruntime: native"),
    "another name": SKILL.replace("name: editor", "name: writer"),
    "a rule of approvals": SKILL.replace("model: sonnet", "model: sonnet\napprovals: [{tool: bash}]"),
    "an unknown key": SKILL.replace("model: sonnet", "model: sonnet\nallowed-tools: Bash"),
    "a key twice": SKILL.replace("tools: [web_search]", "tools: [bash]\ntools: [web_search]"),
    "an anchor": SKILL.replace("[web_search]", "&t [web_search]"),
    "a tag": SKILL.replace("[web_search]", "!!seq [web_search]"),
    "a merged table": SKILL.replace("model: sonnet", "model: sonnet\n<<: {network: [evil.example]}"),
    "a tab": SKILL.replace("model: sonnet", "model:\tsonnet"),
    "a byte order mark": "\ufeff" + SKILL,
    "a fence with a space": SKILL.replace("---\nYou", "--- \nYou"),
    "an empty line first": "\n" + SKILL,
    "a second head before the first ends": SKILL.replace("tools:", "\u2028---\u2028tools:"),
    "a lone carriage return": SKILL.replace("Edits texts.", "Edits\rnetwork: [evil.example]\rtexts."),
    "a line separator": SKILL.replace("Edits texts.", "Edits\u2028network: [evil.example]"),
    "a form feed": SKILL.replace("Edits texts.", "Edits\x0ctexts."),
    "words that nobody sees": SKILL.replace("You edit.", "You edit.\u200b\U000e0041"),
    "a look-alike key": SKILL.replace("model: sonnet", "model: sonnet\nt\u043eols: [bash]"),
    "no head": "You edit.\n",
    "no end of the head": SKILL.replace("---\nYou", "You"),
    "not a text": SKILL.replace("You", "\0You"),
    "too long": SKILL + "x" * MOST_BYTES,
    "nothing": "",
}


@pytest.mark.attack
@pytest.mark.parametrize("after", ASKED.values(), ids=ASKED.keys())
def test_whatever_else_changes_waits_for_the_owner(rights: SkillRights, after: str) -> None:
    assert after != SKILL
    assert not rights.leaves_rights(PATH, SKILL.encode(), after.encode("utf-8", "surrogatepass"))
    assert not rights.leaves_rights(PATH, after.encode("utf-8"), SKILL.encode()), "nor the way back"


@pytest.mark.attack
def test_bytes_that_are_no_text_and_deletions_wait(rights: SkillRights) -> None:
    assert not rights.leaves_rights(PATH, SKILL.encode(), SKILL.encode() + b"\xff")
    assert not rights.leaves_rights(PATH, SKILL.encode(), None)


def test_a_new_skill_is_taken_if_it_asks_for_nothing_and_takes_no_name(rights: SkillRights) -> None:
    other = "skills/arts/words/poet/SKILL.md"
    assert rights.leaves_rights(other, None, NEW.encode())
    harmless = NEW.replace("---\nYou", "context: [company/profile]\n---\nYou")
    assert rights.leaves_rights(other, None, harmless.encode())
    for line in (
        "tools: [bash]",
        "network: [a.example]",
        "commands: [/poem]",
        "model: opus",
        "runtime: native",
    ):
        assert not rights.leaves_rights(other, None, NEW.replace("---\nYou", f"{line}\n---\nYou").encode())
    taken = NEW.replace("name: poet", "name: editor").encode()
    assert not rights.leaves_rights("skills/a/a/a/SKILL.md", None, taken), "it would stand before the other"


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        (PATH, SyncedFileKind.SKILL),
        ("skills/marketing/content/editor/reference/style.md", SyncedFileKind.TEXT),
        ("skills/marketing/content/editor/skill.md", SyncedFileKind.HELD),
        ("skills/marketing/content/editor/deeper/SKILL.md", SyncedFileKind.HELD),
        ("skills/marketing/content/editor/\uff33KILL.md", SyncedFileKind.HELD),
        ("skills/marketing/content/editor/run.sh", SyncedFileKind.HELD),
        ("skills/marketing/content/editor/notes.md.py", SyncedFileKind.HELD),
        ("skills/marketing/content/editor/.claude/x.md", SyncedFileKind.HELD),
        ("skills/SKILL.md", SyncedFileKind.HELD),
        ("Skills/marketing/content/editor/SKILL.md", SyncedFileKind.HELD),
        ("companies/demo/handoffs/hf_1.json", SyncedFileKind.TEXT),
        ("companies/demo/handoffs/hf_1.result.md", SyncedFileKind.TEXT),
        ("companies/demo/handoffs/x/hf_1.sh", SyncedFileKind.HELD),
        ("companies/demo/budget.json", SyncedFileKind.HELD),
    ],
)
def test_what_a_file_is_follows_from_its_path(path: str, kind: SyncedFileKind) -> None:
    assert kind_of(path) is kind
    assert kind_of(path, "100755") is SyncedFileKind.HELD
    assert kind_of(path, "120000") is SyncedFileKind.NEVER


def test_two_spellings_of_one_name_have_one_place() -> None:
    places = TakenNames(["context/Pricing.md", "notes/a.md"])
    assert not places.take("context/pricing.md")
    assert not places.take("Context/other.md")
    assert not places.take("notes"), "a folder has this name"
    assert not places.take("notes/a.md/b.md"), "a file has this name"
    assert places.take("notes/b.md")
    assert not places.take("notes/B.md")
