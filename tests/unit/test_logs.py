"""What a log line may hold, read from the source: an event's name, ids, and errors as they are; never their words."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from nanoclaw.domain.errors import ModelRefused, SendRefused, StoreUnavailable
from nanoclaw.host.safe_errors import named, traced
from nanoclaw.host.secret_mask import hide, masked, shortened

pytestmark = pytest.mark.capability("A9")

_SOURCE = Path(__file__).parents[2] / "src"
_LEVELS = {"debug", "info", "warning", "error", "exception", "critical"}
_WORDS = {"said", "text", "message", "prompt", "question", "caption", "body", "content", "update"}
"""Attributes that hold what someone said."""


def _log_calls() -> Iterator[tuple[str, ast.Call]]:
    for path in _SOURCE.rglob("*.py"):
        source = path.read_text("utf-8")
        if not re.search(r"\b_?log\b", source):
            continue  # most of them: to take them apart would take seconds
        for node in ast.walk(ast.parse(source)):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in _LEVELS
                and ast.unparse(node.func.value) in ("log", "self._log")
            ):
                yield f"{path.relative_to(_SOURCE)}:{node.lineno}", node


def _is_text(value: ast.expr) -> bool:
    """Errors go in as they are: turning one into text would put its words into the log."""
    match value:
        case ast.Call(func=ast.Name(id="str"), args=[ast.Name(id="folder" | "source")]):
            return False  # of the workspace, and of the list of mounts
        case ast.Call(func=ast.Name(id="str" | "repr" | "ascii" | "format")) | ast.JoinedStr():
            return True
        case ast.Attribute(attr=name):
            return name in _WORDS
        case _:
            return any(
                _is_text(inner) for inner in ast.iter_child_nodes(value) if isinstance(inner, ast.expr)
            )


def test_no_log_line_is_given_words() -> None:
    calls = list(_log_calls())
    assert len(calls) > 80
    # Of a Python warning only the place is logged, which is a file and a line.
    own = "nanoclaw/host/logs.py"
    wrong = [
        (place, ast.unparse(value))
        for place, call in calls
        for value in (*call.args[1:], *(keyword.value for keyword in call.keywords if keyword.arg))
        if _is_text(value) and not place.startswith(own)
    ]
    assert wrong == []
    named_by_text = [place for place, call in calls if isinstance(call.args[0], ast.JoinedStr | ast.BinOp)]
    assert named_by_text == []


def test_an_error_is_named_by_its_kind_and_what_the_host_itself_put_into_it() -> None:
    assert named(ValueError("their words")) == "ValueError"
    assert named(FileNotFoundError(2, "No such file or directory", "their-file.pdf")) == (
        "FileNotFoundError No such file or directory"
    )
    assert named(SendRefused("telegram-refused", said="can't parse their words", status=400)) == (
        "SendRefused telegram-refused status=400"
    )
    assert named(ModelRefused("model-not-allowed", model="a box's words", allowed="*")) == (
        "ModelRefused model-not-allowed"
    )
    assert "disk I/O error" in named(StoreUnavailable("store-silent", said="disk I/O error"))


def test_a_trace_shows_code_and_causes_and_ends_with_the_error_itself() -> None:
    def fall(depth: int) -> None:
        if depth == 0:
            raise KeyError("their words")
        fall(depth - 1)

    try:
        try:
            fall(900)
        except KeyError as error:
            raise ExceptionGroup("their words", [ValueError("their words")]) from error
    except ExceptionGroup as error:
        told = traced(error)
    assert "their words" not in told.replace('raise KeyError("their words")', "").replace(
        'raise ExceptionGroup("their words", [ValueError("their words")]) from error', ""
    )
    assert told.index("KeyError") < told.index("ExceptionGroup")
    assert told.endswith("in this group:\nValueError")
    assert len(told) < 20_000


@pytest.mark.parametrize(
    "line",
    [
        "POST https://api.telegram.org/bot123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1/sendMessage",
        "Authorization: Bearer abcdefghijklmnop",
        "http://127.0.0.1:8642/?token=abcdefghijklmnop",
        "the key sk-ant-api03-abcdefghijklmnop is wrong",
        "postgresql://host:hunter22abcdefghijklmnop@db/name",
        "a secret of this host: known-to-this-host",
    ],
)
def test_what_looks_like_a_secret_or_is_known_as_one_is_masked(line: str) -> None:
    hide(["known-to-this-host", "", "short"])
    told = masked(line)
    assert "***" in told
    for secret in ("AAHdqTcvCH1", "abcdefghijklmnop", "known-to-this-host"):
        assert secret not in told
    assert masked("a short line") == "a short line"


@pytest.mark.attack
@pytest.mark.parametrize(
    "piece", ["1", "1:", "sk-", "bearer ", "bearer\t", "token=", "access_", "://", ":", "://a:", " "]
)
def test_no_value_makes_the_mask_look_for_long(piece: str) -> None:
    """The event loop stands still meanwhile. What goes through a long value again and again does not end in time."""
    masked(piece * 300_000)


def test_a_long_value_is_cut_and_half_a_secret_is_not_left() -> None:
    hide(["known-to-this-host"])
    told = shortened("x" * 490 + "known-to-this-host" + "x" * 100_000)
    assert told.startswith("x" * 490 + "***x")
    assert len(told) == 501
    refusal = StoreUnavailable("store-silent", said="x" * 100_000)
    assert len(named(refusal)) < 600
