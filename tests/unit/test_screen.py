"""What is typed while an answer is written stands below it, and never inside it."""

import re
import sys

import pytest

from nanoclaw.cli.screen import Screen


class Terminal:
    """Notes what is written, and shows its lines as a person sees them."""

    def __init__(self) -> None:
        self.written = ""

    def write(self, text: str) -> None:
        self.written += text

    def flush(self) -> None:
        pass

    def isatty(self) -> bool:
        return True

    @property
    def lines(self) -> list[str]:
        plain = re.sub(r"\x1b\[[0-9]*m", "", self.written)
        return [line.rpartition("\r\x1b[K")[2] for line in plain.split("\n")]


def seated_at(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    return terminal


def test_that_the_agent_works_gives_way_to_what_it_says_and_to_what_is_typed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = seated_at(monkeypatch)
    screen = Screen(80)
    screen.work(on=True)
    assert terminal.lines == ["…"]
    screen.type("hel")
    assert terminal.lines == ["> hel"]
    screen.work(on=False)
    screen.write("An answer.\n")
    assert terminal.lines == ["An answer.", "> hel"]


def test_what_is_typed_never_tears_a_paragraph(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = seated_at(monkeypatch)
    screen = Screen(80)
    screen.write("An answer ")
    screen.type("wait")
    assert terminal.lines == ["An answer "]
    screen.write("of two words.\n")
    assert terminal.lines == ["An answer of two words.", "> wait"]


def test_below_a_card_there_is_a_prompt_before_anything_is_typed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = seated_at(monkeypatch)
    screen = Screen(80)
    screen.write("Deploy?\n/1 yes   /2 no\n\n")
    screen.ask(on=True)
    assert terminal.lines[-1] == "> "
    screen.type("/1")
    assert screen.keep("/1")
    assert terminal.lines[-2:] == ["> /1", "> "]
    screen.rest()
    assert terminal.lines[-2:] == ["> /1", ""]


def test_a_line_that_was_not_seen_is_not_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = seated_at(monkeypatch)
    screen = Screen(80)
    screen.write("In the middle of ")
    screen.type("/stop")
    assert not screen.keep("/stop")
    assert terminal.lines == ["In the middle of "]


def test_of_a_long_line_the_end_is_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = seated_at(monkeypatch)
    Screen(10).type("0123456789")
    assert terminal.lines == ["> 3456789"]


def test_a_pipe_gets_only_what_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    screen = Screen(80)
    screen.work(on=True)
    screen.type("typed")
    screen.write("An answer.\n")
    screen.tell_aside("lost")
    assert not screen.keep("typed")
    told = capsys.readouterr()
    assert (told.out, told.err) == ("An answer.\n", "lost\n")
