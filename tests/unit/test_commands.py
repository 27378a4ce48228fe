"""An order to the host is `/name argument`; anything else, a path included, goes to the agent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoclaw.admission.commands import COMMANDS, Order, read_order
from nanoclaw.domain.people import Role
from nanoclaw.texts import LANGUAGES, keys

pytestmark = pytest.mark.capability("P7")


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
def test_an_order_has_a_name_and_an_argument(text: str, name: str, argument: str) -> None:
    assert read_order(text) == Order(name=name, argument=argument)


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
def test_anything_else_is_no_order(text: str) -> None:
    assert read_order(text) is None


@given(st.text(st.one_of(st.characters(), st.sampled_from("/@_- \nAbc"))))
def test_an_order_is_always_read_in_one_spelling(text: str) -> None:
    order = read_order("/" + text)
    if order is not None:
        assert order.name == order.name.lower()
        assert "_" not in order.name
        assert "/" not in order.name
        assert "@" not in order.name
        assert order.argument == order.argument.strip()
        assert read_order(f"/{order.name} {order.argument}") == order


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_can_be_written_and_is_explained_in_both_languages(name: str) -> None:
    assert COMMANDS[name].name == name
    assert read_order(f"/{name}") == Order(name=name, argument="")
    assert all(f"command-{name}" in keys(language) for language in LANGUAGES)


def test_a_stranger_can_do_nothing_but_pair() -> None:
    assert {name for name, command in COMMANDS.items() if Role.STRANGER.may(command.role)} == {
        "start",
        "pair",
    }
