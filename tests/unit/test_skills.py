"""Skills are read from SKILL.md files; a fault is told with its line, and a broken skill hides no other."""

import os
from pathlib import Path

import pytest

from nanoclaw.context.skills import Skills, read_skill
from nanoclaw.domain.errors import BadSkill
from nanoclaw.domain.tool_rules import ToolRule
from nanoclaw.durable import file_listing
from nanoclaw.texts import LANGUAGES, tell

pytestmark = pytest.mark.capability("A19")

GOOD = """---
name: telegram-poster
description: Writes posts.
context: ["brand/*", product/pricing]
model: haiku
runtime: demo
commands: [/post, /draft]
tools: [send_message]
network: []
targets: [telegram, file_output]
approvals:
  - {tool: bash, pattern: git push, risk: publish, timeout_minutes: 15}
  - tool: send_*
    allows: rule
---

# Poster

Write a post.
"""
MINIMAL = "---\nname: {name}\ndescription: d\ncommands: [{commands}]\n---\n{text}\n"


def _write(workspace: Path, role: str, text: str) -> Path:
    path = workspace / "skills" / "meta" / "area" / role / "SKILL.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    newer = path.stat().st_mtime_ns + 1_000_000 if path.exists() else None
    path.write_text(text, "utf-8")
    if newer:
        os.utime(path, ns=(newer, newer))  # a file system may tell time in steps longer than this test
    return path


def _minimal(workspace: Path, name: str, *, commands: str = "", text: str = "Do it.") -> Path:
    return _write(workspace, name, MINIMAL.format(name=name, commands=commands, text=text))


@pytest.fixture
def looks_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The shelf looks at its folder every time it is asked, not once a second."""
    monkeypatch.setattr(file_listing, "_RESCAN_AFTER", -1.0)


def test_a_good_skill_is_read_with_every_key(tmp_path: Path) -> None:
    path = _write(tmp_path, "poster", GOOD)
    skill = read_skill(path)
    assert skill.name == "telegram-poster"
    assert skill.head.description == "Writes posts."
    assert skill.head.context == ("brand/*", "product/pricing")
    assert skill.head.model == "haiku"
    assert skill.head.runtime == "demo"
    assert skill.head.commands == ("/post", "/draft")
    assert skill.head.tools == ("send_message",)
    assert skill.head.network == ()
    assert skill.head.targets == ("telegram", "file_output")
    assert skill.head.approvals == (
        ToolRule(tool="bash", pattern="git push", risk="publish", timeout_minutes=15),
        ToolRule(tool="send_*", allows="rule"),
    )
    assert skill.instructions == "# Poster\n\nWrite a post."
    assert skill.path == path


def test_only_a_name_and_a_description_are_needed(tmp_path: Path) -> None:
    skill = read_skill(_write(tmp_path, "s", "---\nname: s\ndescription: d\n---\n"))
    assert (skill.head.context, skill.head.commands, skill.head.tools, skill.head.network) == ((), (), (), ())
    assert (skill.head.model, skill.head.runtime, skill.instructions) == ("sonnet", None, "")


def test_lines_of_dashes_and_windows_line_ends_in_the_instructions_are_kept(tmp_path: Path) -> None:
    path = _write(tmp_path, "s", "")
    path.write_bytes(b"---\r\nname: s\r\ndescription: d\r\n---\r\nabove\r\n---\r\nbelow\r\n")
    assert read_skill(path).instructions == "above\n---\nbelow"


FAULTS = {
    "an empty file": ("", 1, "skill-unopened"),
    "no front matter": ("# Title\n\ntext\n", 1, "skill-unopened"),
    "a line before the front matter": ("\n---\nname: s\ndescription: d\n---\n", 1, "skill-unopened"),
    "front matter without an end": ("---\nname: s\ndescription: d\n", 3, "skill-unclosed"),
    "a colon in a value": ("---\nname: s\ndescription: a: b\n---\n", 3, "skill-not-yaml"),
    "a tab": ("---\nname: s\n\tdescription: d\n---\n", 3, "skill-not-yaml"),
    "an open list": ("---\nname: s\ndescription: d\ncontext: [a\nmodel: opus\n---\n", 5, "skill-not-yaml"),
    "an open quote": ('---\nname: s\ndescription: d\nmodel: "opus\n---\n', 4, "skill-not-yaml"),
    "a list instead of keys": ("---\n- name\n- description\n---\n", 2, "skill-no-keys"),
    "a sentence instead of keys": ("---\njust words\n---\n", 2, "skill-no-keys"),
    "nothing between the fences": ("---\n---\ntext\n", 2, "skill-no-keys"),
    "an unknown key": (
        "---\nname: s\ndescription: d\nmodel: opus\nmodle: opus\n---\n",
        5,
        "skill-unknown-key",
    ),
    "an unknown key in between": ("---\nname: s\ncolour: red\ndescription: d\n---\n", 3, "skill-unknown-key"),
    "an unknown model": ("---\nname: s\ndescription: d\nmodel: gpt\n---\n", 4, "skill-bad-value"),
    "an unknown runtime": ("---\nname: s\ndescription: d\n\nruntime: cobol\n---\n", 5, "skill-bad-value"),
    "an empty name": ('---\ndescription: d\nname: ""\n---\n', 3, "skill-bad-value"),
    "a word for a list": ("---\nname: s\ndescription: d\ncommands: /post\n---\n", 4, "skill-bad-value"),
    "a target that is none": (
        "---\nname: s\ndescription: d\ntargets: [Linked In]\n---\n",
        4,
        "skill-bad-value",
    ),
    "a word for targets": ("---\nname: s\ndescription: d\ntargets: email\n---\n", 4, "skill-bad-value"),
    "a word for a rule": ("---\nname: s\ndescription: d\napprovals: [bash]\n---\n", 4, "skill-bad-value"),
    "a rule without a tool": (
        "---\nname: s\ndescription: d\napprovals: [{risk: publish}]\n---\n",
        4,
        "skill-bad-value",
    ),
    "a rule with an unknown key": (
        "---\nname: s\ndescription: d\napprovals: [{tool: bash, patern: x}]\n---\n",
        4,
        "skill-unknown-key",
    ),
    "no description": ("---\nname: s\nmodel: opus\n---\n", 2, "skill-bad-value"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_found_on_its_line(tmp_path: Path, fault: str) -> None:
    text, line, key = FAULTS[fault]
    path = _write(tmp_path, "s", text)
    with pytest.raises(BadSkill) as refusal:
        read_skill(path)
    assert (refusal.value.key, refusal.value.values["line"]) == (key, str(line))
    assert refusal.value.values["file"] == str(path)


ALSO_FAULTS = {
    "a control character": ("---\nname: s\ndescription: d\nmodel: a\x01b\n---\n", 4),
    "brackets without end": ("---\nname: s\ndescription: " + "[" * 1000 + "\n---\n", 3),
    "a key inside another text": ("---\nname: s\ndescription: >\n  model: it is\nmodel: gpt\n---\n", 5),
    "a quoted key": ('---\nname: s\ndescription: d\n"modle": opus\n---\n', 4),
    "a number for a key": ("---\nname: s\ndescription: d\n1: one\n---\n", 4),
}


@pytest.mark.parametrize("fault", ALSO_FAULTS)
def test_rarer_faults_are_found_on_their_line_too(tmp_path: Path, fault: str) -> None:
    text, line = ALSO_FAULTS[fault]
    with pytest.raises(BadSkill) as refusal:
        read_skill(_write(tmp_path, "s", text))
    assert refusal.value.values["line"] == str(line)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("# Title", "1"),
        ("---\nname: s", "2"),
        ("---\na: b: c\n---", "2"),
        ("---\nwords\n---", "2"),
        ("---\nname: s\ndescription: d\nmodle: x\n---", "modle model"),
        ("---\nname: s\ndescription: d\nmodel: x\n---", "model haiku sonnet opus"),
        (
            "---\nname: s\ndescription: d\napprovals: [{tool: a, patern: x}]\n---",
            "approvals.patern argument risk",
        ),
        ("---\nname: s\ndescription: d\napprovals: [{tool: a, risk: x}]\n---", "approvals.risk publish"),
        (
            "---\nname: s\ndescription: d\napprovals: [{tool: a, pattern: (x}]\n---",
            "approvals.pattern RE2 (x",
        ),
    ],
)
def test_a_fault_is_told_with_the_file_the_line_and_what_is_allowed(
    tmp_path: Path, language: str, text: str, told: str
) -> None:
    path = _write(tmp_path, "s", text)
    with pytest.raises(BadSkill) as refusal:
        read_skill(path)
    sentence = tell(language, refusal.value)
    assert str(path) in sentence
    assert str(refusal.value.values["line"]) in sentence
    assert all(word in sentence for word in told.split())


def test_a_broken_skill_is_reported_and_hides_no_other(tmp_path: Path) -> None:
    _minimal(tmp_path, "alpha")
    broken = _write(tmp_path, "broken", "no front matter")
    _minimal(tmp_path, "omega")
    known_skills = Skills(tmp_path)
    assert [skill.name for skill in known_skills.skills()] == ["alpha", "omega"]
    assert [fault.values["file"] for fault in known_skills.faults()] == [str(broken)]


def test_what_looks_like_a_date_or_a_number_is_text(tmp_path: Path) -> None:
    skill = read_skill(_write(tmp_path, "s", "---\nname: 7\ndescription: 2024-13-45\n---\n"))
    assert (skill.name, skill.head.description) == ("7", "2024-13-45")


def test_a_skill_that_cannot_even_be_read_hides_no_other(tmp_path: Path) -> None:
    _minimal(tmp_path, "alpha")
    (tmp_path / "skills" / "meta" / "area" / "odd" / "SKILL.md").mkdir(parents=True)
    known_skills = Skills(tmp_path)
    assert [skill.name for skill in known_skills.skills()] == ["alpha"]
    assert len(known_skills.faults()) == 1


def test_a_workspace_without_skills_has_none(tmp_path: Path) -> None:
    known_skills = Skills(tmp_path)
    assert list(known_skills.skills()) == []
    assert known_skills.faults() == []
    assert known_skills.choose("post", "general-assistant").skill is None


def test_only_files_three_folders_deep_are_skills(tmp_path: Path) -> None:
    _minimal(tmp_path, "alpha")
    for place in (
        "skills/SKILL.md",
        "skills/a/b/SKILL.md",
        "skills/a/b/c/d/SKILL.md",
        "skills/a/b/c/README.md",
    ):
        path = tmp_path / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(MINIMAL.format(name="odd", commands="", text=""), "utf-8")
    assert [skill.name for skill in Skills(tmp_path).skills()] == ["alpha"]


@pytest.mark.usefixtures("looks_each_time")
def test_an_edited_a_new_a_mended_and_a_deleted_skill_are_seen(tmp_path: Path) -> None:
    known_skills = Skills(tmp_path)
    path = _minimal(tmp_path, "alpha", text="Old.")
    assert [skill.instructions for skill in known_skills.skills()] == ["Old."]
    _minimal(tmp_path, "alpha", text="New.")
    assert [skill.instructions for skill in known_skills.skills()] == ["New."]
    _write(tmp_path, "beta", "broken")
    assert (len(list(known_skills.skills())), len(known_skills.faults())) == (1, 1)
    _minimal(tmp_path, "beta")
    assert ([skill.name for skill in known_skills.skills()], known_skills.faults()) == (["alpha", "beta"], [])
    path.unlink()
    assert [skill.name for skill in known_skills.skills()] == ["beta"]


@pytest.mark.usefixtures("looks_each_time")
def test_a_skill_that_did_not_change_is_not_read_again(tmp_path: Path) -> None:
    _minimal(tmp_path, "alpha")
    known_skills = Skills(tmp_path)
    assert known_skills.skills() is known_skills.skills()


@pytest.mark.capability("A7")
@pytest.mark.parametrize(
    ("command", "default", "chosen", "reason"),
    [
        ("post", "general", "poster", "command"),
        ("draft", "general", "poster", "command"),
        ("news", "general", "curator", "command"),
        (None, "general", "general", "default"),
        ("unknown", "general", "general", "default"),
        ("", "general", "general", "default"),
        ("post", "no-such", "poster", "command"),
        (None, "no-such", None, "missing"),
        ("unknown", "no-such", None, "missing"),
        ("poster", "no-such", None, "missing"),
    ],
)
def test_a_skill_is_chosen_by_its_command_then_by_the_default(
    tmp_path: Path, command: str | None, default: str, chosen: str | None, reason: str
) -> None:
    _minimal(tmp_path, "curator", commands="/news")
    _minimal(tmp_path, "general")
    _minimal(tmp_path, "poster", commands="/post, /draft")
    _write(tmp_path, "no-such", "broken")
    choice = Skills(tmp_path).choose(command, default)
    assert (choice.skill and choice.skill.name, choice.reason) == (chosen, reason)


def test_commands_are_listed_without_their_slash(tmp_path: Path) -> None:
    _minimal(tmp_path, "curator", commands="/news")
    _minimal(tmp_path, "poster", commands="/post, /draft")
    found = Skills(tmp_path).commands()
    assert {command: skill.name for command, skill in found.items()} == {
        "news": "curator",
        "post": "poster",
        "draft": "poster",
    }


@pytest.mark.parametrize("written", ["post", "/Post", "/post_now"])
def test_a_listed_command_can_be_chosen(tmp_path: Path, written: str) -> None:
    _minimal(tmp_path, "poster", commands=written)
    _minimal(tmp_path, "general")
    known_skills = Skills(tmp_path)
    if known_skills.faults():
        return  # refusing such a command is as good as understanding it
    (command,) = known_skills.commands()
    assert command == command.lower().replace("_", "-")  # as read_command gives it
    assert known_skills.choose(command, "general").reason == "command"
