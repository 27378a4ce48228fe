"""`nanoclaw session`: what is asked for, opening one in its chat, concluding it in every way, and what is refused."""

import io
import json
import sys
import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from tests.flows.test_live_session import said
from tests.staging import until
from tests.typed import Typed, typing_in

from nanoclaw.cli.sessions.form import ConclusionForm, Later
from nanoclaw.client.connection import Address, Client
from nanoclaw.client.inbox import InboxClient
from nanoclaw.console.question_shapes import Question
from nanoclaw.testing import started_host

pytestmark = pytest.mark.capability("S4")

SCHEMA = {
    "type": "object",
    "properties": {
        "approved": {"type": "boolean"},
        "risk": {"type": "integer", "title": "How risky?"},
        "where": {"enum": ["staging", "production"]},
        "notes": {"type": "string"},
    },
    "required": ["approved", "where"],
}


@pytest.fixture
async def inbox(home: Path) -> AsyncIterator[InboxClient]:
    (home / "groups" / "main" / "files" / "src").mkdir(parents=True)
    async with started_host(home) as host, InboxClient(Address(url=host.url, token=host.token)) as inbox:
        yield inbox


@pytest.fixture
def typed(home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Typed:
    return typing_in(home, monkeypatch, capfd)


async def wanted(inbox: InboxClient, prompt: str, **outcome: Any) -> Question:
    session = {"outcomeSchema": outcome} if outcome else {}
    return await inbox.ask({"question": prompt, "session": {"cwd": "/work/src", **session}})


async def test_a_session_is_listed_shown_opened_concluded_and_taken_back(
    inbox: InboxClient, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "No session waits for you." in (await typed("session")).out
    question = await wanted(inbox, "Review the refactoring", type="approval")
    listed = (await typed("session", "list")).out
    assert f"{question.short}  Review the refactoring" in listed
    assert "Nobody has opened it yet" in listed
    assert f"nanoclaw session open {question.short}" in listed
    shown = await typed("session", "show", question.short)
    assert "Wanted: your approval, or your rejection" in shown.out
    xml = (await typed("session", "show", question.short, "--xml")).out
    assert xml.startswith('<human-interaction type="interactive_session" status="pending">')

    monkeypatch.setattr(
        sys, "stdin", io.StringIO("What is it about?\n$ pwd\n")
    )  # a pipe: its lines are said there
    left = await typed("session", "open", question.short)
    assert "We are here to decide about this" in left.out
    assert "A real agent would look into that with you" in left.out
    assert "/work/src" in left.out  # where its commands start
    assert left.code == 3  # still open: nobody is asked in a pipe
    assert "Opened " in (await typed("session")).out

    ended = await typed("session", "conclude", question.short, "--approve", "--notes", "rename it first")
    assert ended.code == 0
    row = await inbox.get(question.id)
    assert (row.status, row.response, row.user_input) == ("completed", "approved", "rename it first")
    assert (await typed("session", "open", question.short)).code == 0  # concluded, which is told
    assert row.via == "command line"

    other = await wanted(inbox, "Never mind")
    assert (await typed("session", "cancel", other.short, "--json")).json()["question"][
        "status"
    ] == "cancelled"
    assert (await typed("session", "open", other.short)).code == 130
    every = (await typed("session", "list", "--all", "--json")).json()
    assert [each["status"] for each in every] == ["cancelled", "completed"]
    assert (await typed("session", "list", "--json")).json() == []


async def test_every_kind_of_conclusion_and_what_does_not_fit(
    inbox: InboxClient, typed: Typed, tmp_path: Path
) -> None:
    for outcome, flags, result in (
        ({"type": "approval"}, ("--reject",), "rejected"),
        ({"type": "selection", "options": ["left", "right"]}, ("--select", "right"), "right"),
        ({"type": "freeform"}, ("--text", "Зачекаймо."), "Зачекаймо."),
    ):
        question = await wanted(inbox, "Which?", **outcome)
        assert (await typed("session", "conclude", question.short, *flags)).code == 0
        assert (await inbox.get(question.id)).response == result
    question = await wanted(inbox, "Fill it in", type="structured", jsonSchema=SCHEMA)
    unfit = await typed("session", "conclude", question.short, "--json", '{"approved": "perhaps"}')
    assert unfit.code == 1
    assert "where" in unfit.err
    for words, told in (
        ((), "Say what you conclude"),
        (("--approve", "--reject"), "several: --approve, --reject"),
        (("--text", "x", "--notes", "y"), "--notes goes with"),
        (("--json", "{"), "This is no JSON"),
        (("--file", str(tmp_path / "none.json")), "none.json"),
    ):
        refused = await typed("session", "conclude", question.short, *words)
        assert (refused.code, told in refused.err) == (1, True), refused.err
    file = tmp_path / "result.json"
    file.write_text(json.dumps({"approved": True, "where": "staging"}))
    assert (await typed("session", "conclude", question.short, "--file", str(file))).code == 0
    assert (await inbox.get(question.id)).response == {"approved": True, "where": "staging"}
    for what in ("show", "open", "cancel"):
        unknown = await typed("session", what, "zzzzz")
        assert (unknown.code, "no interactive session “zzzzz”" in unknown.err) == (1, True), unknown.err


class Answers:
    """What a person types at the prompts of the form."""

    def __init__(self, *lines: str) -> None:
        self._lines: Iterator[str] = iter(lines)

    def __call__(self, _asked: str, default: str = "", **_more: object) -> str:
        return next(self._lines) or default


@pytest.mark.parametrize(
    ("form", "prefill", "typed_lines", "concluded"),
    [
        ({"type": "approval"}, None, ("maybe", "a", ""), "approved"),
        ({"type": "approval"}, None, ("в", "не зараз"), {"approved": False, "notes": "не зараз"}),
        ({"type": "approval"}, {"value": "approved"}, ("r", ""), "rejected"),
        ({"type": "selection", "options": ["left", "right"]}, None, ("3", "2"), "right"),
        ({"type": "freeform"}, None, ("We wait.",), "We wait."),
        ({"type": "freeform"}, {"value": "We wait."}, ("",), "We wait."),
        (
            {
                "type": "structured",
                "raw": False,
                "fields": [
                    {"name": "approved", "required": True, "type": "boolean"},
                    {"name": "risk", "required": False, "type": "integer"},
                    {"name": "where", "required": True, "type": "choice", "enum": ["staging", "production"]},
                    {"name": "tags", "required": False, "type": "list"},
                    {"name": "notes", "required": False, "type": "text"},
                ],
            },
            {"value": {"notes": "said before"}},
            ("y", "much", "2", "production", "a, b", ""),
            {
                "approved": True,
                "risk": 2,
                "where": "production",
                "tags": ["a", "b"],
                "notes": "said before",
            },
        ),
        ({"type": "structured", "raw": True}, None, ("{", "[1]"), [1]),
    ],
)
def test_the_form_asks_until_it_can_read_what_is_typed(
    monkeypatch: pytest.MonkeyPatch,
    form: dict[str, Any],
    prefill: dict[str, Any] | None,
    typed_lines: tuple[str, ...],
    concluded: object,
) -> None:
    monkeypatch.setattr(typer, "prompt", Answers(*typed_lines))
    assert ConclusionForm({"options": [], "raw": False, **form}, prefill, "en").ask() == concluded
    if prefill is None or form["type"] == "approval":  # what was said in passing is no decision
        monkeypatch.setattr(typer, "prompt", Answers(""))
        with pytest.raises(Later):
            ConclusionForm({"options": [], "raw": False, **form}, prefill, "en").ask()


async def test_the_demo_agent_asks_for_a_session_and_goes_on_with_its_result(
    inbox: InboxClient, typed: Typed, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In both languages; in the session itself it talks about the request, and asks for no other one."""
    async with Client(Address.of(home)) as room:
        await room.enter(None)
        for words, hello, meanwhile, conclusion, told in (
            (
                "Review this refactoring and decide",
                "Hello! We are here",
                "",
                ("conclude", "--reject"),
                "Reject",
            ),
            (
                "Review this and make a decision",
                "Hello! We are here",
                "hello",  # it waits no longer, and is woken by the conclusion
                ("conclude", "--approve"),
                "The result: **approved**",
            ),
            (
                "Переглянь цей рефакторинг і виріши",
                "Вітаю! Ми тут",
                "",
                ("cancel",),
                "нічого не вирішено",
            ),
        ):
            await room.say(words, str(uuid.uuid4()))
            await until(inbox.open)
            (asked,) = await inbox.open()
            assert (asked.question, asked.type) == (words, "interactive_session")
            await said(room, "\u00a0" * 4 + "total")  # code keeps its indentation on the card
            monkeypatch.setattr(sys, "stdin", io.StringIO("?\n"))
            left = await typed("session", "open", asked.short)
            assert (left.code, hello in left.out) == (3, True)
            assert [each.id for each in await inbox.open()] == [asked.id]
            if meanwhile:
                await room.say(meanwhile, str(uuid.uuid4()))
                await said(room, "I am the demo agent")
            command, *flags = conclusion
            await typed("session", command, asked.short, *flags)
            await said(room, told)
