"""The Python API: a program of the machine asks people, and asks for sessions with them, through a host that runs."""

import ast
import asyncio
import inspect
import re
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest
from pydantic import BaseModel, ValidationError
from tests.staging import until

from nanoclaw import human
from nanoclaw.client.connection import Address
from nanoclaw.client.inbox import InboxClient
from nanoclaw.domain.errors import HostSaid
from nanoclaw.testing import started_host

pytestmark = pytest.mark.capability("S1", "S2")

PAGE = Path("docs/reference/python.md")
AT_ONCE = {"timeout_minutes": 0.002, "grace_seconds": 0}


class Decision(BaseModel):
    approved: bool
    notes: str


@pytest.fixture
async def inbox(home: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[InboxClient]:
    """The inbox of a host on the workspace that the environment names."""
    monkeypatch.setenv("NANOCLAW_HOME", str(home))
    async with started_host(home) as host, InboxClient(Address(url=host.url, token=host.token)) as inbox:
        yield inbox


async def first_open(inbox: InboxClient) -> human.Interaction:
    async with asyncio.timeout(60):
        while not (found := await inbox.open()):
            await asyncio.sleep(0.01)
    return found[0]


async def test_an_answer_is_a_word_that_knows_where_it_comes_from(inbox: InboxClient) -> None:
    asking = asyncio.create_task(human.ask("Deploy?", options=["yes=Deploy now", "no"], timeout="30m"))
    row = await first_open(inbox)
    await inbox.decide(row.id, "yes", None)
    answer = await asking
    assert answer == "yes"
    assert (answer.question_id, answer.label, answer.by) == (row.id, "Deploy now", "local:owner")
    assert (answer.status, answer.timed_out, answer.user_input) == ("completed", False, None)
    assert 0 < answer.seconds < 10
    assert row.deadline_at - row.created_at == timedelta(minutes=30)

    options = [
        human.Option(id="a", label="A", description="the first"),
        human.Option(id="b", label="B"),
    ]
    asking = asyncio.create_task(
        human.ask("Which?", options=options, risk="destructive", context={"diff": 3}, timeout=90)
    )
    row = await first_open(inbox)
    assert (row.default, row.options[0].description, row.context) == (
        "cancel",
        "the first",
        '{\n  "diff": 3\n}',
    )
    await inbox.decide(row.id, "a", None)
    assert await asking == "a"

    asking = asyncio.create_task(human.ask("Which name?", kind="input", timeout=timedelta(hours=1)))
    await inbox.decide((await first_open(inbox)).id, None, "Nano")
    assert ((await asking), (await asking).user_input) == ("Nano", "Nano")

    for choice, agreed in (("approve", True), ("reject", False)):
        confirming = asyncio.create_task(human.confirm("Really?"))
        await inbox.decide((await first_open(inbox)).id, choice, None)
        assert await confirming is agreed


async def test_when_nobody_answers_the_default_is_told_apart_from_a_decision(home: Path) -> None:
    async with started_host(home, questions=AT_ONCE):
        answer = await human.ask("Deploy?", options=["yes", "no"], default="no", home=home)
        assert (answer, answer.timed_out, answer.by) == ("no", True, None)
        assert await human.confirm("Drop it?", risk="destructive", home=home) is False
        with pytest.raises(human.NobodyAnswered, match='Nobody answered "Deploy\\?" in time'):
            await human.ask("Deploy?", options=["yes", "no"], home=home)


async def test_a_question_is_taken_back_by_people_and_with_the_program_that_waits(inbox: InboxClient) -> None:
    asking = asyncio.create_task(human.ask("Deploy?", options=["yes", "no"]))
    await human.cancel((await first_open(inbox)).id)
    with pytest.raises(human.Cancelled):
        await asking

    asking = asyncio.create_task(human.ask("Still there?", options=["yes", "no"]))
    await first_open(inbox)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert await inbox.open() == []
    assert [row.status for row in await inbox.decided(5, None)] == ["cancelled", "cancelled"]


async def test_what_is_wrong_is_said_in_a_sentence(home: Path, tmp_path: Path) -> None:
    with pytest.raises(human.NoHost, match="Start it with: nanoclaw up"):
        await human.ask("Deploy?", home=home)
    async with started_host(home):
        with pytest.raises(human.NotAsked, match="has 21 characters; at most 20 are allowed"):
            await human.ask("Deploy?", options=["a" * 21, "b"], home=home)
        with pytest.raises(human.NotAsked, match="no length of time"):
            await human.ask("Deploy?", timeout="soon", home=home)
        with pytest.raises(human.NotAsked, match="There is no question"):
            await human.complete("i_0", home=home)
        with pytest.raises(human.HumanError):
            await human.list_pending("*", home=tmp_path)


async def test_only_the_legacy_view_of_a_confirmation_is_approved_or_rejected(inbox: InboxClient) -> None:
    plain = [{"id": "yes", "label": "Yes"}, {"id": "no", "label": "No"}]
    for asked, choice, status in (
        ({"layout": "approve_reject"}, "approve", "approved"),
        ({"layout": "approve_reject"}, "reject", "rejected"),
        ({"layout": "quality_gate"}, "pass", "approved"),
        ({"layout": "quality_gate"}, "rework", "completed"),
        ({"layout": "quality_gate"}, "reject", "rejected"),
        ({"kind": "approval", "options": plain}, "no", "rejected"),
        ({"kind": "choice", "options": plain}, "yes", "completed"),
    ):
        row = await inbox.ask({"question": "Really?", **asked})
        assert row.legacy_status == "pending"
        decided = (await inbox.decide(row.id, choice, None)).question
        assert (decided.status, decided.legacy_status) == ("completed", status)
    row = await inbox.ask({"question": "Really?"})
    assert (await inbox.change(row.id, "cancel")).legacy_status == "cancelled"


async def test_a_session_is_found_by_a_harness_and_concluded(home: Path, inbox: InboxClient) -> None:
    files = home / "groups" / "main" / "files"
    (files / "app").mkdir(parents=True)
    (files / "tools.json").write_text('{"mcpServers": {}}')
    session = human.InteractiveSession()
    assert standing(session) == ("idle", None, None, None)
    schema = {"type": "object", "properties": {"approved": {"type": "boolean"}}}
    session.request(
        "Review the findings",
        system_prompt="Help them.",
        context={"severity": "high"},
        model="opus",
        cwd="/work/app",
        mcp_config="/work/tools.json",
        timeout="30m",
        outcome_schema=human.OutcomeSchema(type="structured", json_schema=schema),
        schema=Decision,
        capture_transcript=True,
    )
    assert session.status == "pending"
    with pytest.raises(human.HumanError, match="waits for its end already"):
        session.request("Another")
    await first_open(inbox)
    (found,) = await human.list_pending("*")
    assert (found.type, found.question) == ("interactive_session", "Review the findings")
    assert found.config == {
        "systemPrompt": "Help them.",
        "context": {"severity": "high"},
        "model": "opus",
        "cwd": "/work/app",
        "mcpConfig": "/work/tools.json",
        "mcpServers": [],
        "timeout": 1_800_000,
        "outcomeSchema": {"type": "structured", "jsonSchema": schema},
        "captureTranscript": True,
        "blockOrchestration": True,
    }
    assert [each.id for each in await human.list_pending()] == [found.id]
    assert session.session_id == found.id
    decided = {"approved": True, "notes": "fine"}
    await human.complete(found.id, response=decided, transcript="You: ...", duration_ms=90_000)
    await until(lambda: session.status == "success")
    assert session.data
    assert (session.data.outcome, session.data.response) == (
        "completed",
        Decision(approved=True, notes="fine"),
    )
    assert (session.data.transcript, session.data.error) == ("You: ...", None)
    # A harness cannot have worked on it for longer than it was open.
    assert timedelta() < session.data.duration < timedelta(seconds=60)
    session.reset()
    assert standing(session) == ("idle", None, None, None)


async def test_a_session_that_is_cancelled_fails_or_does_not_fit_says_so(inbox: InboxClient) -> None:
    session = human.InteractiveSession()
    asking = asyncio.create_task(session.request_async("Review", capture_transcript=False))
    await asyncio.sleep(0)
    session.cancel()
    assert ((await asking).outcome, session.status) == ("cancelled", "success")

    asking = asyncio.create_task(session.request_async("Review"))
    row = await first_open(inbox)
    await human.complete(row.id, response="rejected", transcript="not wanted")
    assert ((await asking).response, (await asking).transcript) == ("rejected", None)
    with pytest.raises(human.NotAsked):  # once is enough
        await human.fail(row.id, "late")

    asking = asyncio.create_task(session.request_async("Review"))
    await human.fail((await first_open(inbox)).id, "the terminal was closed")
    with pytest.raises(human.SessionFailed, match="the terminal was closed"):
        await asking
    assert session.status == "error"
    assert isinstance(session.error, human.SessionFailed)

    asking = asyncio.create_task(session.request_async("Review", schema=Decision))
    await human.complete((await first_open(inbox)).id, response={"approved": "perhaps"})
    with pytest.raises(ValidationError):
        await asking
    assert isinstance(session.error, ValidationError)

    session.request("Review")
    row = await first_open(inbox)
    session.reset()
    await until_status(inbox, row.id, "cancelled")
    question = asyncio.create_task(human.ask("Deploy?", options=["yes", "no"]))
    row = await first_open(inbox)
    with pytest.raises(human.NotAsked, match="no interactive session"):
        await human.complete(row.id, response="yes")
    await human.cancel(row.id)
    with suppress(human.Cancelled):
        await question


async def test_the_examples_of_the_page_run(inbox: InboxClient) -> None:
    """With a person who always takes the first choice, and works through every session."""

    async def answer_everything() -> None:
        while True:
            for row in await inbox.open():
                with suppress(HostSaid):  # taken back meanwhile
                    if row.config:
                        await inbox.conclude(
                            row.id, status="completed", response={"approved": True, "notes": ""}
                        )
                    elif row.options:
                        await inbox.decide(row.id, row.options[0].id, None)
                    else:
                        await inbox.decide(row.id, None, "NanoClaw")
            await asyncio.sleep(0.01)

    person = asyncio.create_task(answer_everything())
    examples = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(examples) >= 5
    for example in examples:
        code = compile(example, str(PAGE), "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        async with asyncio.timeout(60):
            if inspect.isawaitable(going := eval(code, {})):  # noqa: S307
                await going
    person.cancel()


def standing(session: human.InteractiveSession) -> tuple[object, ...]:
    return session.status, session.data, session.error, session.session_id


async def until_status(inbox: InboxClient, ref: str, status: str) -> None:
    async with asyncio.timeout(60):
        while (await inbox.get(ref)).status != status:
            await asyncio.sleep(0.01)


def test_the_page_names_everything_that_can_be_imported() -> None:
    page = PAGE.read_text()
    assert [name for name in human.__all__ if f"`{name}" not in page] == []
