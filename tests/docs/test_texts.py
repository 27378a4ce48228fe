"""Every sentence that a person reads is in the catalogue, in both languages."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest
from fluent.runtime import FluentResource
from fluent.syntax.ast import Junk, Message

from nanoclaw.domain import errors
from nanoclaw.durable.timeline import Event
from nanoclaw.texts import LANGUAGES, catalogue, entries, say

SOURCE = Path("src/nanoclaw")
PYTHON = sorted(SOURCE.rglob("*.py"))
TEMPLATES = sorted((SOURCE / "console/templates").glob("*.html"))
_WORDS = re.compile(r"[A-Za-zА-Яа-яІіЇїЄєҐґ]{3,}")
_SPOKEN = {"echo", "print", "write", "secho"}
_TYPED = {"Option", "Argument", "Typer", "command"}
_LISTS = {"listed", "_listed"}
_ERRORS = {name for name in vars(errors) if name[0].isupper()}


def test_both_languages_have_the_same_keys() -> None:
    assert entries("en").keys() == entries("uk").keys()


def test_both_languages_leave_the_same_values_open() -> None:
    english, ukrainian = entries("en"), entries("uk")
    assert [key for key in english if variables(english[key]) != variables(ukrainian[key])] == []


def variables(sentence: str) -> set[str]:
    return set(re.findall(r"\$([\w-]+)", sentence))


def test_a_missing_text_is_said_in_english_and_numbers_agree_in_ukrainian() -> None:
    assert say("fr", "command-tasks") == "what is scheduled, and what runs in the background"
    told = [
        say("uk", "order-status", running=count, waiting=0, undelivered=0, failed=0)
        for count in (1, 2, 5, 21)
    ]
    assert [text.split(",")[0] for text in told] == [
        "Виконується 1 хід",
        "Виконуються 2 ходи",
        "Виконується 5 ходів",
        "Виконується 21 хід",
    ]


def test_every_key_that_the_code_names_exists() -> None:
    known = entries("en")
    for path, call in calls():
        key = call.args[1] if called(call) == "say" and len(call.args) > 1 else None
        if isinstance(key, ast.Constant):
            assert key.value in known, (path, call.lineno)
        if called(call) in _LISTS:  # which says something else about an empty list
            heads = [str(each.value) for each in call.args if isinstance(each, ast.Constant) and each.value]
            assert {f"{head}-none" for head in heads} <= known.keys(), (path, call.lineno)
    for event in Event:
        assert f"why-{event}" in known


def test_no_text_is_left_over() -> None:
    """A key is named in the code, or belongs to a family whose keys are put together there."""
    source = "".join(path.read_text() for path in [*PYTHON, *(SOURCE / "console/static").rglob("*.js")])
    families = set(re.findall(r'(?:f"|`)([a-z-]+-)\$?\{', source))
    sources = [*PYTHON, *TEMPLATES, *sorted((SOURCE / "console/static").rglob("*.js"))]
    named = set(re.findall(r'"([a-z]+(?:-[a-z0-9]+)+)"', "".join(path.read_text() for path in sources)))
    for key in entries("en"):
        is_named = key in named or key.removesuffix("-none") in named
        assert is_named or key.startswith((*families, "console-suggestion-")), key


def test_every_error_that_is_raised_has_its_sentence() -> None:
    known = entries("en")
    for path, call in calls():
        if called(call) in _ERRORS and call.args and isinstance(call.args[0], ast.Constant):
            assert f"error-{call.args[0].value!s}" in known, (path, call.lineno)


def test_nothing_is_said_in_words_of_the_code() -> None:
    for path, call in calls():
        if called(call) in _SPOKEN:
            for argument in [*call.args, *(keyword.value for keyword in call.keywords)]:
                for part in literals(argument):
                    assert not _WORDS.search(part), (path, call.lineno, part)
        if called(call) in _TYPED:
            assert all(not isinstance(k.value, ast.Constant) for k in call.keywords if k.arg == "help"), path


def test_no_template_has_words_of_its_own() -> None:
    for path in TEMPLATES:
        text = re.sub(r"{#.*?#}|{%.*?%}|{{.*?}}", "", path.read_text(), flags=re.DOTALL)
        for part in re.findall(r">([^<]*)<", text):
            assert not _WORDS.search(part), (path, part)
        for value in re.findall(r'(?:title|placeholder|alt|aria-label)="([^"]*)"', text):
            assert not _WORDS.search(value), (path, value)


def test_the_catalogue_knows_which_language_is_spoken() -> None:
    assert [catalogue.language_of(text) for text in ("Привіт", "Hello", "123", "ціна of the plan")] == [
        "uk",
        "en",
        None,
        "en",
    ]
    assert LANGUAGES == ("en", "uk")


@cache
def calls() -> list[tuple[Path, ast.Call]]:
    """The calls that say something to people; the whole program is read once for all tests."""
    saying = {"say", *_ERRORS, *_SPOKEN, *_TYPED, *_LISTS}
    return [
        (path, node)
        for path in PYTHON
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and called(node) in saying
    ]


def called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def literals(node: ast.expr) -> list[str]:
    """The fixed parts of a string that is said, without the arguments of calls inside it."""
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else []
    if isinstance(node, ast.JoinedStr):
        return [text for part in node.values for text in literals(part)]
    if isinstance(node, ast.BinOp):
        return literals(node.left) + literals(node.right)
    return []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_catalogue_holds_nothing_that_cannot_be_read(language: str) -> None:
    """What the parser does not understand it leaves out, in both languages alike, and people would see the bare key.

    Sentences are parsed one by one when they are said, so none may be made of others.
    """
    found: set[str] = set()
    for path in Path(catalogue.__file__).parent.glob(f"{language}/*.ftl"):
        source = path.read_text("utf-8")
        for entry in FluentResource(source).body:
            assert not isinstance(entry, Junk), (path, entry.content)
            if isinstance(entry, Message):
                assert entry.id.name not in found, f"{entry.id.name} is written twice"
                found.add(entry.id.name)
        spelled_out = re.sub(r'\{"[^"\n]*"\}', "", source)  # brackets that people see
        assert not re.search(r"\{ *-?[a-z]", spelled_out), f"{path} has a sentence in a sentence"
    assert entries(language).keys() == found
