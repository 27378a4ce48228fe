"""What the API and the terminal show people has marks, but for what programs take to the letter (E13)."""

import importlib
import pkgutil

import pytest

from nanoclaw import console
from nanoclaw.cli.plain_lines import clean
from nanoclaw.console.question_shapes import Option
from nanoclaw.console.shape import Shape, as_shown
from nanoclaw.domain.shown_text import unmarked

pytestmark = pytest.mark.capability("E13")


def test_only_what_is_said_in_chats_and_what_programs_get_is_without_marks() -> None:
    for each in pkgutil.iter_modules(console.__path__):
        importlib.import_module(f"{console.__name__}.{each.name}")
    found = {
        f"{shape.__name__}.{name}"
        for shape in Shape.__subclasses__()
        for name, field in shape.model_fields.items()
        if "to the letter" in field.metadata
    }
    assert found == {
        "Attachment.media_type",
        "Growing.html", "Growing.text", "Line.html", "Line.text", "Option.id", "Question.chosen", "Question.config",
        "Question.default", "Question.payload", "Question.response", "Question.transcript", "Question.user_input",
        "StepText.text", "Vote.option", "WholeSession.xml",
    }  # fmt: skip


def test_fields_within_fields_have_marks_and_what_is_plain_is_the_same_object() -> None:
    option = Option(id="a\u200b", label="b\u200b", description="", safe=True)
    marked = as_shown({"\u202e": [option, ("\u2066", 1)]})
    assert marked == {"⟨U+202E⟩": [option.model_copy(update={"label": "b⟨U+200B⟩"}), ("⟨U+2066⟩", 1)]}
    plain = Option(id="a", label="так", description="", safe=True)
    assert as_shown(plain) is plain


def test_lines_of_the_terminal_have_marks_and_keep_what_is_ordinary() -> None:
    assert clean("a\u2028b\u200b\x1b[2J") == ["a⟨U+2028⟩b⟨U+200B⟩⟨U+001B⟩[2J"]
    assert clean("100\u00a0000 👨\u200d👩\u200d👧") == ["100\u00a0000 👨\u200d👩\u200d👧"]


def test_lines_that_nobody_changed_in_a_form_keep_their_letters() -> None:
    before = "one\u200b\ntwo\ntwo\u200f"
    assert unmarked("one⟨U+200B⟩\ntwo!\ntwo⟨U+200F⟩", before) == "one\u200b\ntwo!\ntwo\u200f"
    assert unmarked("one⟨U+200B⟩!", before) == "one⟨U+200B⟩!"
