"""Patterns by which an agent engages: checked when they are set, and matched in time linear to the text."""

import re
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nanoclaw.admission.patterns import LONGEST, check, fits
from nanoclaw.domain.errors import Refused
from nanoclaw.texts import LANGUAGES, tell

pytestmark = pytest.mark.capability("P1")

BAD = [
    *("(", ")", "[", "[z-a]", "a**", "*", "+a", "?", "a{2,1}", "a{1001}", "\\", r"\Z", "(?i", "(?R)"),
    *("(?=x)", "(?!x)", "(?<=x)", "(?<!x)", "(?>x)", "x++"),
    *(r"(a)\1", r"(?P<n>a)(?P=n)", r"(?P<n>a)\k<n>"),
    "(a{1000}){1000}",
]


def refused(pattern: str) -> Refused:
    with pytest.raises(Refused) as found:
        check(pattern)
    return found.value


@pytest.mark.parametrize("pattern", ["", " ", "\n\t "])
def test_an_empty_pattern_is_refused(pattern: str) -> None:
    assert refused(pattern).key == "pattern-empty"


@pytest.mark.parametrize("pattern", BAD)
def test_what_cannot_be_used_is_refused_with_what_is_wrong_and_never_fits(pattern: str) -> None:
    error = refused(pattern)
    assert (error.key, error.values["pattern"]) == ("pattern-bad", pattern)
    assert error.values["said"]
    for language in LANGUAGES:
        assert str(error.values["said"]) in tell(language, error)
    for text in ("", "x", "aa", pattern, "a" * 100):
        assert not fits(pattern, text)


def test_a_pattern_that_is_too_long_is_refused_with_its_length() -> None:
    assert check("a" * LONGEST) == "a" * LONGEST
    error = refused("a" * (LONGEST + 1))
    assert (error.key, error.values) == ("pattern-long", {"length": LONGEST + 1, "longest": LONGEST})


def test_a_pattern_is_kept_without_the_spaces_around_it() -> None:
    assert check("  ^assistant \n") == "^assistant"


@pytest.mark.parametrize("pattern", ["  ", "\n", "a" * (LONGEST + 1)], ids=["spaces", "a line", "too long"])
def test_what_is_refused_when_it_is_set_never_fits_however_it_got_there(pattern: str) -> None:
    refused(pattern)
    assert not fits(pattern, f"a {pattern} b")


@pytest.mark.parametrize("pattern", [None, ""])
def test_no_pattern_fits_nothing(pattern: str | None) -> None:
    assert not fits(pattern, "")
    assert not fits(pattern, "hello")


def test_a_dot_alone_fits_everything_also_a_file_without_a_word() -> None:
    for text in ("", "\n", "hello", "\U0001f468\u200d\U0001f469", "x" * 100_000):
        assert fits(".", text)
    assert not fits("..", "")


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("assistant", "Hey ASSISTANT, look"),
        ("ASSISTANT", "hey assistant"),
        ("асистенте", "Агов, АСИСТЕНТЕ!"),
        ("ЇЖАЧОК", "їжачок"),
        ("ґанок", "ҐАНОК"),
        ("[а-я]є$", "МОЄ"),
        (r"\p{Cyrillic}{3}", "до ДІМ"),
    ],
)
def test_the_case_of_letters_does_not_matter(pattern: str, text: str) -> None:
    assert fits(check(pattern), text)


def test_a_pattern_may_say_that_case_matters() -> None:
    assert fits(check("(?-i)Ґанок"), "наш Ґанок")
    assert not fits("(?-i)Ґанок", "наш ґанок")
    assert fits(check("(?-i:Bot) please"), "Bot PLEASE")
    assert not fits("(?-i:Bot) please", "bot please")


@pytest.mark.parametrize(
    ("pattern", "text", "is_fit"),
    [
        ("one.two", "one\ntwo", True),
        ("^two", "one\ntwo", False),
        ("(?m)^two$", "one\ntwo\nthree", True),
        ("one$", "one\ntwo", False),
        ("^one.*two$", "one\n\n\ntwo", True),
    ],
)
def test_a_dot_is_also_the_end_of_a_line_and_the_borders_are_those_of_the_text(
    pattern: str, text: str, is_fit: bool
) -> None:
    assert fits(check(pattern), text) is is_fit


def test_the_borders_of_words_are_those_of_latin_letters_only() -> None:
    """RE2 knows no others; for a whole Ukrainian word the pattern must say what is not a letter."""
    assert fits(check(r"\bbot\b"), "the bot!")
    assert not fits(check(r"\bбот\b"), "наш бот!")
    whole = check(r"(^|\PL)бот(\PL|$)")
    assert fits(whole, "наш бот!")
    assert not fits(whole, "робота")


def test_of_a_very_long_text_the_beginning_counts() -> None:
    assert fits("assistant", "assistant" + "x" * 1_000_000)
    assert not fits("assistant", "x" * 1_000_000 + "assistant")


def _seconds(pattern: str, text: str) -> float:
    """Seconds of work, not of waiting: the machine may be busy with other things."""
    fits(pattern, "")  # compiled before the clock starts
    began = time.thread_time()
    fits(pattern, text)
    return time.thread_time() - began


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)+$", "^(a|a?)+$", "^(.*a){25}$", "^(([a-z])+.)+[A-Z]$"])
def test_a_hostile_text_is_answered_at_once(pattern: str) -> None:
    """With a backtracking engine each of these outlives the universe."""
    assert check(pattern) == pattern
    for text in ("a" * 20_000 + "!", "a" * 3_000 + "!"):
        assert _seconds(pattern, text) < 1.0
    assert not fits(pattern, "a" * 3_000 + "!")


@pytest.mark.parametrize(
    "pattern",
    ["(.?){1000}q", "(.?){1000}(.?){1000}(.?){1000}q", "(x?.?){500}(x?.?){500}(x?.?){500}q", r"(\pL?){900}q"],
)
def test_a_big_pattern_is_refused_or_answered_at_once(pattern: str) -> None:
    """Linear is not enough: a message is judged while everyone else's waits to be stored."""
    try:
        check(pattern)
    except Refused as error:
        assert not fits(pattern, "q")
        assert all(tell(language, error) != f"error-{error.key}" for language in LANGUAGES)  # noqa: PT017
        return
    assert _seconds(pattern, "ї" * 100_000) < 1.0


SURROGATE = "\ud800"  # half a letter: a terminal hands such bytes to a command, and no UTF-8 can hold it


def test_a_letter_that_no_text_can_hold_is_refused_in_a_pattern() -> None:
    assert refused(SURROGATE).key == "pattern-bad"


def test_a_letter_that_no_text_can_hold_fits_nothing_and_stops_nothing() -> None:
    assert not fits(SURROGATE, "x")
    assert not fits("y", SURROGATE)
    assert fits("x", f"x{SURROGATE}")


patterns = st.text(max_size=40) | st.text("ab.*+?()[]{}|^$\\0123,-=!<>PkZ ", max_size=20)


@given(patterns, st.text(max_size=60))
def test_no_pattern_and_no_text_raise(pattern: str, text: str) -> None:
    fits(pattern, text)


@given(patterns, st.text(max_size=60))
@example(" ", "")
@example(" ?", "")
def test_a_pattern_that_is_refused_never_fits(pattern: str, text: str) -> None:
    try:
        check(pattern)
    except Refused:
        assert not fits(pattern, text)
        assert not fits(pattern, text + pattern)


@given(st.text(min_size=1, max_size=40), st.text(max_size=20), st.text(max_size=20))
def test_words_as_they_are_fit_wherever_they_stand(words: str, before: str, after: str) -> None:
    if words.strip():
        assert fits(check(re.escape(words.strip())), before + words + after)
