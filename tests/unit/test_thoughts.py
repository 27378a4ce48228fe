"""What an agent thinks aloud is taken out of what it says; a tag that it writes about is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoclaw.domain.file_protocol import RequestKind
from nanoclaw.domain.ids import SessionId
from nanoclaw.domain.thoughts import presentable, without_internal
from nanoclaw.domain.tool_requests import BadToolRequest, understand

pytestmark = pytest.mark.capability("A10")

FENCED = "Like this:\n\n```xml\n<internal>\nthought\n</internal>\n```\n\nDone."


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("<internal>x</internal>Hello", "Hello"),
        ("<INTERNAL>x</Internal>Hello", "Hello"),
        ('<internal reason="because">x</internal >Hello', "Hello"),
        ("<internal\n  kind='a > b'>x</internal>Hello", "Hello"),
        ("< internal >x</ internal >Hello", "Hello"),
        ("Hello<internal/> you", "Hello you"),
        ('Hello<internal why="x" /> you', "Hello you"),
        ("Hello <internal>never ended", "Hello"),
        ("Hello <internal never finished", "Hello"),
        ("Hello <internal", "Hello"),
        ("Hello</internal> you", "Hello you"),
        ("<internal>a<INTERNAL>b</internal>c</internal>Hello", "Hello"),
        ("Hello <inter<internal>x</internal>nal>y</internal>you", "Hello"),
        ("<internal>`</internal>Hello `x`", "Hello `x`"),
        ("<internal>```\n</internal>Hello", "Hello"),
        # Signs that look like code, and are none.
        ("it`s <internal>x</internal> that`s", "it`s  that`s"),
        ("it`s <internal>x`y</internal> done", "it`s  done"),
        ("```\ncode\n<internal>x</internal>", "```\ncode"),
    ],
)
def test_a_thought_is_taken_out_however_its_tag_is_written(written: str, said: str) -> None:
    assert without_internal(written) == said


@pytest.mark.parametrize(
    "written",
    [
        "The tag `<internal>` hides a thought, and this goes on.",
        "Write `<internal>` before it and `</internal>` after it.",
        "Write `<internal>...</internal>` around it.",
        "Write ``<internal> `x` `` here.",
        "`wrap it in <internal>` and go on",
        "`</internal>` ends it",
        FENCED,
        "~~~\n<internal>\n~~~\nDone.",
        "<internalise> and <internals> are other words",
        "a < b, the internal rate, <b>bold</b>",
    ],
)
def test_a_tag_that_is_written_about_stays_and_cuts_nothing_off(written: str) -> None:
    assert without_internal(written) == written


def test_a_thought_beside_a_tag_that_is_written_about_goes() -> None:
    assert (
        without_internal("`<internal>` is a tag. <internal>x</internal>Yes.") == "`<internal>` is a tag. Yes."
    )
    assert without_internal(f"<internal>x</internal>{FENCED}<internal>y") == FENCED


THOUGHT = "<internal>XYZ</internal>"
parts = st.sampled_from(["a ", "`", "``", "```\n", "\n\n", "\n", "<internal>", "</INTERNAL>", "b", THOUGHT])


@given(st.lists(parts, max_size=12).map("".join))
def test_what_is_clean_stays_as_it_is(text: str) -> None:
    clean = without_internal(text)
    assert without_internal(clean) == clean


@given(
    st.lists(st.sampled_from(["a ", "b", "`", "\n", "> ", "<", THOUGHT, "<Internal x>XY</internal >"])).map(
        "".join
    )
)
def test_without_blocks_of_code_no_thought_is_ever_said(text: str) -> None:
    assert not set("XYZ") & set(without_internal(text))
    for length in range(len(text) + 1):
        assert not set("XYZ") & set(presentable(text[:length]))


@pytest.mark.parametrize(
    "unfinished",
    ["Hello <INTER", "Hello <internal why=", "Hello </", "Hello `<internal>", "Hello <Internal>th"],
)
def test_half_a_tag_is_not_shown_in_any_form(unfinished: str) -> None:
    assert presentable(unfinished).rstrip("`").strip() == "Hello"


@pytest.mark.attack
@pytest.mark.parametrize(
    "piece",
    [
        "<internal>",
        "</internal>",
        "`<internal>`",
        "```x\n<internal>\n",
        "<inter<internal>",
        '<internal "',
        "`",
        "< ",
        "<" + " " * 99_999,
    ],
)
def test_no_text_takes_long(piece: str) -> None:
    """What grows with the square of the length would take longer than a test may."""
    text = (piece * (50_000 // len(piece) + 1))[:50_000]
    assert without_internal(f"Hello {text}<internal>").startswith("Hello")
    assert presentable(f"Hello {text}<internal>").startswith("Hello")


def _asked(kind: RequestKind, tool: str, **arguments: object) -> object:
    body = {"id": "0" * 32, "tool": tool, "arguments": arguments}
    return understand(kind, "0" * 32, SessionId("s_1"), body).arguments.plain()


def test_what_a_tool_says_to_people_is_cleaned_before_it_is_checked_and_what_a_task_is_told_is_not() -> None:
    said = "<INTERNAL a='b'>x</INTERNAL>Hi"
    assert _asked(RequestKind.MESSAGES, "send_message", text=said) == {"text": "Hi"}
    assert _asked(RequestKind.MESSAGES, "send_file", path="a", caption=said) == {"path": "a", "caption": "Hi"}
    asked = _asked(
        RequestKind.HITL,
        "request_human",
        question=said,
        context={"draft": said},
        options=[{"id": "a", "label": said}],
    )
    assert asked == {"question": "Hi", "context": {"draft": "Hi"}, "options": [{"id": "a", "label": "Hi"}]}
    with pytest.raises(BadToolRequest, match=r"`arguments.text` is empty"):
        _asked(RequestKind.MESSAGES, "send_message", text="<internal>only a thought")
    task = {
        "prompt": "Say <internal></internal> if nothing is new.",
        "schedule_type": "cron",
        "schedule_value": "0 8 * * *",
    }
    assert _asked(RequestKind.TASKS, "schedule_task", **task) == task
