"""Which tool calls need a person first, and how such a call is shown to the deciders."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from nanoclaw.admission.tool_rules import (
    ToolRule,
    acts_of,
    arguments_hash,
    caught_by,
    normal_name,
    shown_arguments,
)
from nanoclaw.domain.text import storable

PUSH = ToolRule(tool="bash", pattern="git push", risk="publish")


def first_rule(rules: Sequence[ToolRule], tool: str, arguments: Mapping[str, Any]) -> ToolRule | None:
    return next(iter(rules_for(rules, tool, arguments)), None)


def rules_for(rules: Sequence[ToolRule], tool: str, arguments: Mapping[str, Any]) -> list[ToolRule]:
    return [rule for rule, _act in caught_by(rules, acts_of(tool, arguments))]


def caught(rule: ToolRule, tool: str, **arguments: Any) -> bool:
    return first_rule([rule], tool, arguments) is rule


@pytest.mark.parametrize(
    ("tool", "name"),
    [
        ("Bash", "bash"),
        ("bash", "bash"),
        ("mcp__nanoclaw__send_message", "send_message"),
        ("send_message", "send_message"),
        ("mcp__github__push", "github_push"),
        ("mcp__servers__github_push", "github_push"),
        ("github_push", "github_push"),
        ("mcp__a__b__c", "a_b__c"),
        ("mcp__alone", "mcp__alone"),
    ],
)
def test_a_tool_has_one_name_in_every_runtime(tool: str, name: str) -> None:
    assert normal_name(tool) == name


@pytest.mark.parametrize(
    "glob", ["github_push", "GitHub_*", "mcp__github__*", "mcp__servers__github_push", "*_push"]
)
@pytest.mark.parametrize("tool", ["github_push", "mcp__github__push", "mcp__servers__github_push"])
def test_a_rule_catches_a_tool_of_a_server_however_it_is_called(glob: str, tool: str) -> None:
    assert caught(ToolRule(tool=glob), tool)


@pytest.mark.parametrize(
    ("glob", "tool", "is_caught"),
    [
        ("bash", "Bash", True),
        ("Bash", "bash", True),
        ("bash", "bash2", False),
        ("*", "anything", True),
        ("send_*", "mcp__nanoclaw__send_file", True),
        ("[bw]*", "Write", True),
        ("push", "github_push", False),
    ],
)
def test_a_glob_stands_for_the_whole_name(glob: str, tool: str, is_caught: bool) -> None:
    assert caught(ToolRule(tool=glob), tool) is is_caught


@pytest.mark.parametrize(
    "arguments",
    [
        {"command": "cd x && GIT PUSH origin"},
        {"command": "x" * 1_000_000 + "git push"},
        {"deep": [{"list": ["a", {"more": "git push"}]}]},
        {"table": {"git push": None}},
        {"other": "a", "command": "one\ngit push\nthree"},
        {"command": "git push\ud800"},
    ],
)
def test_a_pattern_is_found_wherever_it_stands_in_the_arguments(arguments: dict[str, Any]) -> None:
    assert first_rule([PUSH], "Bash", arguments) is PUSH


def test_what_a_pattern_does_not_fit_needs_nobody() -> None:
    assert first_rule([PUSH], "bash", {"command": "git status", "timeout": 60}) is None
    assert first_rule([PUSH], "bash", {}) is None
    assert first_rule([PUSH], "write", {"content": "git push"}) is None
    assert first_rule([], "bash", {"command": "git push"}) is None
    assert not caught(ToolRule(tool="bash", pattern="command"), "bash", command="ls")


@pytest.mark.parametrize(
    ("pattern", "value"),
    [
        ("^1000$", 1000),
        ("^1000$", 1e3),
        ("^-5$", -5),
        (r"^0\.5$", 0.5),
        ("true", True),
        ("^inf$", float("inf")),
    ],
)
def test_numbers_are_looked_at_as_they_are_written(pattern: str, value: object) -> None:
    assert caught(ToolRule(tool="pay", pattern=pattern), "pay", amount=value)
    assert not caught(ToolRule(tool="pay", pattern=pattern), "pay", amount=None)


def test_only_the_named_argument_is_looked_at() -> None:
    rule = ToolRule(tool="write", argument="path", pattern="secret")
    assert caught(rule, "write", path="/work/secret.txt", content="x")
    assert caught(rule, "write", path=["a", {"b": "secret"}])
    assert not caught(rule, "write", path="/work/a.txt", content="secret")
    assert not caught(rule, "write", content="secret")


@pytest.mark.parametrize(
    ("argument", "named_elsewhere"),
    [("path", "file_path"), ("path", "notebook_path"), ("content", "new_source"), ("new", "new_string")],
)
def test_an_argument_is_the_same_under_the_name_that_claude_code_gives_it(
    argument: str, named_elsewhere: str
) -> None:
    rule = ToolRule(tool="*", argument=argument, pattern="secret")
    assert caught(rule, "Edit", **{named_elsewhere: "a secret"})
    assert not caught(rule, "Edit", **{named_elsewhere: "a.txt", "other": "secret"})


def test_an_argument_without_a_pattern_is_caught_when_it_is_given() -> None:
    rule = ToolRule(tool="schedule_task", argument="check")
    assert caught(rule, "schedule_task", prompt="p", check="")
    assert not caught(rule, "schedule_task", prompt="p")


def test_a_dot_alone_catches_every_call() -> None:
    assert caught(ToolRule(tool="bash", pattern="."), "bash")
    assert caught(ToolRule(tool="bash", argument="command", pattern="."), "bash", command="")


def test_the_strictest_rule_is_taken_and_of_equals_the_first() -> None:
    rules = [
        ToolRule(tool="bash"),
        ToolRule(tool="*", risk="publish", days=1),
        ToolRule(tool="bash", risk="publish", days=2),
        ToolRule(tool="bash", pattern="rm -rf", risk="destructive"),
    ]
    assert first_rule(rules, "bash", {"command": "ls"}) is rules[1]
    assert first_rule(rules, "bash", {"command": "rm -rf /"}) is rules[3]
    assert first_rule(rules[::-1], "bash", {"command": "ls"}) is rules[2]
    assert first_rule(rules[:1], "bash", {"command": "ls"}) is rules[0]


def test_every_rule_that_catches_a_call_is_told_the_strictest_first_and_each_once() -> None:
    """Who allowed the push has not allowed what stands beside it."""
    destroy = ToolRule(tool="bash", pattern="rm -rf", risk="destructive")
    rules = [ToolRule(tool="bash"), PUSH, destroy, ToolRule(tool="Bash", pattern="git push", risk="publish")]
    assert rules_for(rules, "bash", {"command": "git push; rm -rf /"}) == [destroy, PUSH, rules[0]]
    assert rules_for(rules, "bash", {"command": "git push"}) == [PUSH, rules[0]]
    assert rules_for(rules, "write", {"path": "x"}) == []


@pytest.mark.parametrize("pattern", ["(", "(?=x)", " ", "a" * 501, "(.?){1000}q"])
def test_a_pattern_that_cannot_be_used_catches_every_call_of_its_tool(pattern: str) -> None:
    """The validator refuses it; should one get past it all the same, nothing gets past the rule."""
    rule = ToolRule.model_construct(tool="bash", pattern=pattern, argument=None, risk="normal")
    assert caught(rule, "bash", command="ls")
    assert not caught(rule, "write", path="ls")


def test_what_would_take_long_is_caught_without_a_look_and_deep_nesting_hides_nothing() -> None:
    began = time.thread_time()
    assert caught(ToolRule(tool="bash", pattern="(.?){280}q"), "bash", command="ї" * 1_000_000)
    deep: Any = "git push"
    for _ in range(50_000):
        deep = [deep]
    assert caught(PUSH, "bash", command=deep)
    assert time.thread_time() - began < 2


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "Field required"),
        ({"tool": ""}, "should match"),
        ({"tool": "git push"}, "should match"),
        ({"tool": "mcp__*"}, "names no tool"),
        ({"tool": "mcp__nanoclaw__*"}, "names no tool"),
        ({"tool": "mcp__servers__*"}, "names no tool"),
        ({"tool": "bash", "pattern": "("}, "missing )"),
        ({"tool": "bash", "pattern": "(?=x)"}, "RE2"),
        ({"tool": "bash", "pattern": " "}, "it is empty"),
        ({"tool": "bash", "pattern": "a" * 501}, "more than 500"),
        ({"tool": "bash", "pattern": "(.?){1000}q"}, "too big"),
        ({"tool": "bash", "pattern": "\ud800"}, "RE2"),
        ({"tool": "bash", "argument": "a b"}, "should match"),
        ({"tool": "bash", "risk": "huge"}, "'destructive'"),
        ({"tool": "bash", "allows": "all"}, "'rule'"),
        ({"tool": "bash", "timeout_minutes": 0}, "greater than"),
        ({"tool": "bash", "timeout_minutes": 10_081}, "less than"),
        ({"tool": "bash", "days": 366}, "less than"),
        ({"tool": "bash", "patern": "x"}, "not permitted"),
    ],
)
def test_a_bad_rule_is_refused_with_what_is_wrong(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError) as found:
        ToolRule.model_validate(fields)
    assert said in found.value.errors()[0]["msg"]


def test_numbers_may_be_written_as_text_as_in_front_matter() -> None:
    rule = ToolRule.model_validate({"tool": "bash", "timeout_minutes": "15", "days": "7"})
    assert (rule.timeout_minutes, rule.days, rule.risk, rule.allows) == (15, 7, "normal", "same")


def test_a_rule_is_known_by_what_it_catches_and_how_grave_that_is() -> None:
    assert ToolRule(tool="Bash", pattern=" git push ").name == "bash /git push/"
    assert ToolRule(tool="mcp__github__*").name == "github_*"
    assert ToolRule(tool="write", argument="path", pattern="x", days=3).name == "write path /x/"
    assert PUSH.name == "bash /git push/ publish"


def test_the_same_call_has_the_same_hash_in_every_runtime_and_order() -> None:
    same = arguments_hash("bash", {"command": "ls", "timeout": 5})
    assert arguments_hash("Bash", {"timeout": 5, "command": "ls"}) == same
    assert len(same) == 64
    others = [
        arguments_hash("write", {"command": "ls", "timeout": 5}),
        arguments_hash("bash", {"command": "ls ", "timeout": 5}),
        arguments_hash("bash", {"command": "ls", "timeout": "5"}),
        arguments_hash("bash", {"command": "ls\ud800", "timeout": 5}),
        arguments_hash("bash", {"command": "ls\ud801", "timeout": 5}),
        arguments_hash("bash", {"command": "ls?", "timeout": 5}),
    ]
    assert len({same, *others}) == 7


def test_all_arguments_are_shown_one_below_the_other() -> None:
    shown = shown_arguments(
        {
            "command": "git add .\ngit push",
            "timeout": 60,
            "note": "швидко",
            "empty": "",
            "spaces": " x ",
            "flag": True,
            "nothing": None,
            "list": [1, "a\nb"],
            "an odd\nname": "x",
        }
    )
    assert shown.split("\n") == [
        "command:",
        "    git add .",
        "    git push",
        "timeout: 60",
        "note: швидко",
        'empty: ""',
        'spaces: " x "',
        "flag: true",
        "nothing: null",
        'list: [1, "a\\nb"]',
        '"an odd\\nname": x',
    ]
    assert shown_arguments({}) == ""


def test_what_a_screen_would_hide_or_obey_is_seen() -> None:
    shown = shown_arguments(
        {"command": "a\x1b[2Jb\u202ec\u200bd\re\ud800f", "odd\u202e": "x", "deep": ["\u2066"]}
    )
    assert shown.split("\n") == [
        "command: a⟨U+001B⟩[2Jb⟨U+202E⟩c⟨U+200B⟩d⟨U+000D⟩e⟨U+D800⟩f",
        '"odd⟨U+202E⟩": x',
        'deep: ["⟨U+2066⟩"]',
    ]


@pytest.mark.parametrize(
    "filler",
    [
        *("\u115f", "\u1160", "\u3164", "\uffa0", "\u2800", "\u200b", "\ufeff"),
        *("\u034f", "\u17b4", "\u17b5", "\ufe00", "\ufe01", "\ufe0e", "\U000e0100"),
    ],
    ids=ascii,
)
def test_letters_that_look_like_nothing_are_seen(filler: str) -> None:
    assert shown_arguments({"command": f"ls{filler}"}) == f"command: ls⟨U+{ord(filler):04X}⟩"


def test_a_text_of_several_lines_cannot_pass_for_another_argument() -> None:
    shown = shown_arguments({"command": "rm -rf /\npath: /tmp"})
    assert "\npath:" not in shown


def test_long_values_are_shown_to_their_end() -> None:
    assert shown_arguments({"content": "x" * 100_000}).endswith("x" * 100_000)
    table = {f"key-{number}": "v" * 20 for number in range(50)}
    shown = shown_arguments({"table": table})
    assert all(f'      "{key}": "' in shown for key in table)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
calls = st.dictionaries(st.text(max_size=8), json_values, max_size=4)


@given(calls)
def test_every_call_can_be_judged_shown_and_told_apart(arguments: dict[str, Any]) -> None:
    first_rule([PUSH], "bash", arguments)
    shown = shown_arguments(arguments)
    assert storable(shown) == shown
    assert len([line for line in shown.split("\n") if line and not line.startswith("    ")]) == len(arguments)
    assert arguments_hash("bash", arguments) == arguments_hash("bash", dict(reversed(arguments.items())))


@given(calls, st.text(min_size=1, max_size=10))
def test_a_text_anywhere_inside_is_found(arguments: dict[str, Any], around: str) -> None:
    hidden = {**arguments, "last": [{"inner": f"{around}git push{around}"}]}
    assert first_rule([PUSH], "bash", hidden) is PUSH


def test_a_pattern_that_lost_its_backslash_is_refused_because_it_would_catch_nothing() -> None:
    with pytest.raises(ValidationError, match="single quotes"):
        ToolRule(tool="bash", pattern="\brm\b")
    assert caught(ToolRule(tool="bash", pattern=r"\brm\b"), "bash", command="rm -rf x")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("schedule_task", {"prompt": "look", "check": "git push"}),
        ("background_task", {"prompt": "look", "check": "git push"}),
        ("mcp__nanoclaw__change_task", {"task_id": 1, "action": "edit", "check": "git push"}),
        ("shell_run", {"command": "git push"}),
        ("mcp__shell__run", {"cmd": "git push"}),
        ("shell_run", {"command": "git", "args": ["push", "--force"]}),
        ("shell_run", {"commands": ["git push", "ls"]}),
        ("shell_run", {"script": "cd x\ngit push"}),
        ("Bash", {"command": "git push", "run_in_background": True}),
    ],
)
def test_a_rule_about_commands_holds_wherever_a_command_is_run(tool: str, arguments: dict[str, Any]) -> None:
    assert first_rule([PUSH], tool, arguments) is PUSH
    harmless = {
        key: "ls" if isinstance(value, str) and "git" in value else value for key, value in arguments.items()
    }
    if harmless != arguments and "args" not in arguments:
        assert first_rule([PUSH], tool, harmless) is None


def test_the_check_of_a_task_is_a_command_that_runs_later() -> None:
    both = ToolRule(tool="*")
    found = caught_by([both], acts_of("schedule_task", {"prompt": "x", "check": "ls"}))
    assert [(act.tool, act.later) for _rule, act in found] == [("schedule_task", False), ("bash", True)]
    server = caught_by([both], acts_of("shell_run", {"command": "ls"}))
    assert [act.tool for _rule, act in server] == ["shell_run"]  # who allows the call has allowed its command


def test_a_call_on_other_files_is_another_call() -> None:
    hashes = {
        arguments_hash("bash", {"command": "sh run.sh"}, files)
        for files in ((), [["/work/run.sh", 3, "a"]], [["/work/run.sh", 3, "b"]], [["/work/run.sh", 4, "a"]])
    }
    assert len(hashes) == 4


@pytest.mark.attack
def test_a_command_for_a_server_is_allowed_with_all_that_stands_beside_it() -> None:
    rules = (ToolRule(tool="bash"),)
    both = {"command": "git push", "script": "git push --force"}
    caught = caught_by(rules, acts_of("mcp__shell__run", both))
    assert sorted(act.arguments["command"] for _, act in caught) == ["git push", "git push --force"]
    hashes = set()
    for host in ("staging", "production"):
        [(_, act)] = caught_by(rules, acts_of("mcp__shell__run", {"command": "git push", "host": host}))
        assert host in shown_arguments(act.arguments)
        hashes.add(arguments_hash(act.tool, act.arguments))
    assert len(hashes) == 2
