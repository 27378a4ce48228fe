"""A command to the host is `/name argument`; anything else, a path included, goes to the agent."""

import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoclaw.admission.commands import COMMANDS, GivenCommand, command_in, read_command
from nanoclaw.domain.messages import Incoming
from nanoclaw.domain.people import Role
from nanoclaw.domain.wirings import ChatKind
from nanoclaw.texts import LANGUAGES, entries, say

pytestmark = pytest.mark.capability("P7")

SENTENCES = [entries(language) for language in LANGUAGES]


@pytest.mark.parametrize(
    ("text", "name", "argument"),
    [
        ("/help", "help", ""),
        ("  /help \n", "help", ""),
        ("/HELP", "help", ""),
        ("/Language UK", "language", "UK"),
        ("/help@nanoclaw_bot", "help", ""),
        ("/why@nanoclaw_bot m_01k9", "why", "m_01k9"),
        ("/why   m_01k9  ", "why", "m_01k9"),
        ("/timezone\tEurope/Kyiv", "timezone", "Europe/Kyiv"),
        ("/export_session claude-ai", "export-session", "claude-ai"),
        ("/Retry_Failed", "retry-failed", ""),
        ("/retry-failed", "retry-failed", ""),
        ("/post Two lines:\nfirst\n\nsecond", "post", "Two lines:\nfirst\n\nsecond"),
        ("/post\nfirst\nsecond", "post", "first\nsecond"),
        ("/post /etc/hosts", "post", "/etc/hosts"),
        ("/post@bot\n<b>&amp;", "post", "<b>&amp;"),
        ("/q2", "q2", ""),
    ],
)
def test_a_command_has_a_name_and_an_argument(text: str, name: str, argument: str) -> None:
    assert read_command(text) == GivenCommand(name=name, argument=argument)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "help",
        "Write /help to see more",
        "/",
        "//",
        "//help",
        "/ help",
        "/etc/hosts",
        "/etc/hosts is broken",
        "/usr/bin/env python",
        "/var/",
        "/readme.md",
        "/help!",
        "/help,please",
        "/help@",
        "/help@bot/x",
        "/2024",
        "/_private",
        "/-x",
        "/привіт",
        "./help",
        "\\help",
        "text\n/help",
    ],
)
def test_anything_else_is_no_command(text: str) -> None:
    assert read_command(text) is None


@given(st.text(st.one_of(st.characters(), st.sampled_from("/@_- \nAbc"))))
def test_a_command_is_always_read_in_one_spelling(text: str) -> None:
    command = read_command("/" + text)
    if command is not None:
        assert command.name == command.name.lower()
        assert "_" not in command.name
        assert "/" not in command.name
        assert "@" not in command.name
        assert command.argument == command.argument.strip()
        assert read_command(f"/{command.name} {command.argument}") == command


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_can_be_written_and_is_explained_in_both_languages(name: str) -> None:
    assert COMMANDS[name].name == name
    assert read_command(f"/{name}") == GivenCommand(name=name, argument="")
    assert all(f"command-{name}" in sentences for sentences in SENTENCES)


def test_a_stranger_can_do_nothing_but_pair() -> None:
    assert {name for name, command in COMMANDS.items() if Role.STRANGER.may(command.role)} == {
        "start",
        "pair",
    }


@pytest.mark.capability("P5")
def test_a_member_talks_and_administers_nothing() -> None:
    assert {name for name, command in COMMANDS.items() if Role.MEMBER.may(command.role)} == {
        *("start", "pair", "help", "status", "why", "stop", "clear", "retry", "leave"),
        *("plan", "inbox", "decide", "away", "back", "quiet", "schedule", "tasks"),
        *(f"task-{act}" for act in ("pause", "resume", "run", "edit", "history", "cancel", "delete")),
        *("pipelines", "pipeline-cancel", "pipeline-retry"),
        *("batch-generate", "batches", "batch-results", "batch-cancel", "batch-resubmit"),
        *("memory", "decisions", "remember", "correct", "forget", "budget", "costs"),
        *(
            "export-session",
            "transfers",
            "transfer-pick",
            "transfer-cancel",
            "import-analysis",
            "language",
            "timezone",
        ),
    }


def test_what_concerns_all_groups_needs_a_role_for_all_of_them() -> None:
    everywhere = {name for name, command in COMMANDS.items() if command.everywhere}
    assert everywhere == {
        *("people", "block", "unblock", "chats", "groups", "drops", "audit", "retry-failed", "sync"),
        "budget-override",
    }
    assert all(COMMANDS[name].role in (Role.ADMIN, Role.OWNER) for name in everywhere)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_can_be_written_as_telegram_takes_it(name: str) -> None:
    written = name.replace("-", "_")
    assert len(written) <= 32
    assert read_command(f"/{written}@helper_bot") == GivenCommand(name=name, argument="")


@pytest.mark.parametrize("text", ["/clear", "/role telegram:71 owner", "  /pair ABCD-1234"])
def test_someone_elses_words_passed_on_command_nothing(text: str) -> None:
    said = Incoming(
        kind=ChatKind.PRIVATE,
        addressed=True,
        channel="telegram:6",
        address="71",
        external_id="9",
        handle="telegram:71",
        sender="Olena",
        text=text,
        sent_at=datetime(2026, 1, 1, tzinfo=UTC),
    )
    assert command_in(said) == read_command(text)
    assert command_in(said) is not None
    for origin in ("Ivan", "?"):
        assert command_in(replace(said, forwarded_from=origin)) is None


@pytest.mark.parametrize("name", COMMANDS)
def test_what_stands_for_something_in_the_usage_is_said_in_each_language(name: str) -> None:
    words = [word.lower() for word in re.findall(r"\b[A-Z]{2,}\b", COMMANDS[name].usage)]
    assert all(say("en", f"usage-{word}") == word.upper() for word in words)
    assert not any(say("uk", f"usage-{word}").isascii() for word in words)
