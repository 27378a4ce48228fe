"""E13 over the kinds of cards: what a yes puts into effect is on the card or in its document, with marks."""

import asyncio
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoclaw.admission.tool_rules import shown_arguments
from nanoclaw.delivery.markdown import render
from nanoclaw.domain.batches import Batch, BatchStatus
from nanoclaw.domain.continuations import Continuation
from nanoclaw.domain.handoffs import Handoff, HandoffState, HandoffType, HandoffWay
from nanoclaw.domain.ids import ChatId, PersonId, SessionId
from nanoclaw.domain.interactive_requests import RequestSession
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.pipeline_runs import PipelineRun, PipelineRunStatus, StepRun, StepState
from nanoclaw.domain.pipelines import Inputs, Step, StepType, Template, TemplateEstimate
from nanoclaw.domain.question_requests import read_wanted
from nanoclaw.domain.questions import (
    Asker,
    NewQuestion,
    Option,
    Question,
    QuestionKind,
    Status,
    digest_of,
    hash_of,
)
from nanoclaw.domain.schedules import Schedule, ScheduleType
from nanoclaw.domain.shown_text import shown
from nanoclaw.domain.tasks import Policy, Priority, Task, TaskKind, TaskStatus, ZoneOf
from nanoclaw.domain.text import as_meant, as_written, storable
from nanoclaw.domain.tool_arguments import RequestHuman
from nanoclaw.domain.transfers import Analysis, Package, Target, Transfer
from nanoclaw.durable.store import Tx
from nanoclaw.flows.analyses.decisions_card import DecisionsCard
from nanoclaw.flows.analyses.findings import Finding, Findings
from nanoclaw.flows.batches.cards import wanted_start as batch_start
from nanoclaw.flows.company_context.files import diff
from nanoclaw.flows.handoffs.given_work import shown_work, text_of
from nanoclaw.flows.human import card_text, session_card
from nanoclaw.flows.human.each_language import enclosed
from nanoclaw.flows.human.new_questions import NewQuestions
from nanoclaw.flows.human.session_requests import SessionRequests
from nanoclaw.flows.pipelines.start_card import wanted_start
from nanoclaw.flows.pipelines.step_questions import StepQuestions
from nanoclaw.flows.tasks import task_text
from nanoclaw.flows.tasks.estimate import Estimate
from nanoclaw.flows.transfers.cards import TransferCards
from nanoclaw.pipelines.estimates import RunEstimate
from nanoclaw.texts import say

pytestmark = [pytest.mark.capability("E13"), pytest.mark.attack]

_AT = datetime(2026, 11, 18, tzinfo=UTC)
_HIDDEN = (
    "\u200b\u200d\u2060\u202e\u2066\u2028\u2029\x85\x0b\x0c\r\n\u3164\ufe0f\u0301\U000e0041\U000e0061\u0430a"
)
_LONG = ["harmless ", "x" * 900, "line\n" * 150]
_WORDS = st.lists(
    st.one_of(st.text(_HIDDEN, max_size=6), st.text(max_size=8), st.sampled_from(_LONG)),
    min_size=1,
    max_size=12,
).map("".join)


def _question(wanted: NewQuestion) -> Question:
    payload = wanted.payload()
    return Question(
        id="i_01m7qmpnt4mtgqgv6wa1a58y2s", execution_id="program", kind=wanted.kind, prompt=wanted.prompt,
        options=wanted.options, status=Status.PENDING, response=None, created_at=_AT, resolved_at=None, session_id=None,
        asked_id="a", group="main", company="demo", skill=wanted.skill, risk=wanted.risk, default=wanted.default,
        context=wanted.context, document=None, deciders=(), votes=1, tool=wanted.tool, payload=payload,
        payload_hash=hash_of(payload), deadline_at=_AT + wanted.timeout, reminded=0, made_by=None, decided_by=None,
        decided_name=None, via=None, waiter=None, carried_at=None, recorded_at=None, repeats=None, config=wanted.config,
    )  # fmt: skip


def _approval(prompt: str, context: object = None, tool: Mapping[str, Any] | None = None) -> NewQuestion:
    options = (Option(id="approve"), Option(id="reject", safe=True))
    return NewQuestion(
        kind=QuestionKind.APPROVAL, prompt=prompt, options=options, timeout=timedelta(hours=1), default="reject",
        context=context, tool=tool,
    )  # fmt: skip


def _agent_asks(text: str) -> tuple[NewQuestion, str]:
    asked = RequestHuman(question=f"May I? {text[-3000:]}", context={"draft": text, "last": text})
    return read_wanted(asked, usual_timeout=timedelta(hours=1)), text


def _tool_call(text: str) -> tuple[NewQuestion, str]:
    arguments = {"command": text, "last": text}
    return _approval("?", tool={"tool": "bash", "shown": shown_arguments(arguments)}), text


def _context_change(text: str) -> tuple[NewQuestion, str]:
    after = storable(text)  # as it is written
    return _approval("?", context={"file": "brand/voice", "diff": diff("before\n", after)}), after


def _merge(text: str) -> tuple[NewQuestion, str]:
    return _approval("?", context=f"path\n+{text}"), text


def _handoff(text: str) -> tuple[NewQuestion, str]:
    payload = {
        "content": text,
        "sources": [text, "one"],
        "gaps": [text],
        "format": text,
        "attachments": ["a", text],
    }
    handoff = Handoff(
        id="hf_1", chain_id="hf_1", step=1, type=HandoffType.CALLBACK, way=HandoffWay.SESSION, state=HandoffState.ASKED,
        company="demo", from_group="main", from_skill="git", from_session=SessionId("git"), from_turn=None,
        to_group="main", to_skill="writer", contract={"payload": payload}, grants={}, person_id=PersonId("p"),
        chat_id=ChatId("c"), is_mixed=True, visited=(), created_at=_AT, expires_at=_AT,
    )  # fmt: skip
    return _approval("?", context=shown_work(handoff)), text_of(handoff)


def _memory(text: str) -> tuple[NewQuestion, str]:
    return _approval(
        say("en", "memory-proposed-correction", name="Olha", old="old", new=as_written(text))
    ), text


def _pipeline(text: str) -> tuple[NewQuestion, str]:
    template = Template(name="t", title="T", steps=(), source=f"# T\n{text}")
    run = PipelineRun(
        id="r", template=template, subject=text, status=PipelineRunStatus.ASKED,
        company="demo", group="main", chat_id=ChatId("c"), started_by=PersonId("p"), created_at=_AT,
    )  # fmt: skip
    estimate = RunEstimate(steps=(), cost=None, seconds=(0, 0), author=TemplateEstimate())
    return wanted_start(run, estimate, "en"), f"{template.source}\n{text}"


class _Asked:
    """Takes the question in place of `NewQuestions`."""

    id = "i_1"

    def open(self, _tx: Tx, wanted: NewQuestion, *_more: object) -> "_Asked":
        self.wanted = wanted
        return self


def _asked_by(ask: Callable[[Any], object]) -> NewQuestion:
    asked = _Asked()
    ask(asked)
    return asked.wanted


_NO_TX: Any = None


def _batch(text: str) -> tuple[NewQuestion, str]:
    batch = Batch(
        id="b_1", status=BatchStatus.ASKED, company="demo", group="main", chat_id=ChatId("c"), language="en",
        started_by=PersonId("p"), subject=text, skill="", model="m", channel="", items=2, max_tokens=9, created_at=_AT,
    )  # fmt: skip
    estimate = {"low": 1, "high": 2, "most": 3, "alone": 4, "items": 2, "fits": 2}
    return batch_start(batch, estimate, ["first", text], "en"), text


def _transfer(text: str) -> tuple[NewQuestion, str]:
    name = text.replace("/", "")
    transfer = Transfer(
        id="t_1", company="demo", group="main", session_id="s", chat_id="c", person_id="p", purpose=text,
        source_runtime="native", source_version="1", target=Target.CLAUDE_AI, language="en", created_at=_AT,
        expires_at=_AT,
    )  # fmt: skip
    package = Package(content_hash="0" * 64, manifest={"files": {"a": {"size": 1}, name: {"size": 2}}})

    def ask(asked: Any) -> object:
        return TransferCards(new_questions=asked).ask(
            _NO_TX, transfer, package, text, timedelta(hours=1), _AT
        )

    return _asked_by(ask), text


def _analysis(text: str) -> tuple[NewQuestion, str]:
    decisions = (Finding(text="We go on."), Finding(text=text, rationale=text, source="here"))
    analysis = Analysis(
        id="an_1", company="demo", group="main", chat_id="c", person_id="p", via="page", file_name="r.md", sha256="0",
        language="en", created_at=_AT, found=Findings(decisions=decisions).stored(),
    )  # fmt: skip

    def ask(asked: Any) -> object:
        return DecisionsCard(new_questions=asked, resolution=_NO_TX).ask(_NO_TX, analysis, "main", _AT)

    return _asked_by(ask), " ".join(shown(text).split())


def _session(text: str) -> tuple[NewQuestion, str]:
    given = RequestSession(
        prompt=f"Look {text[-1000:]}", systemPrompt=f"x{text}"[:20_000], context={"draft": text, "last": text}
    )
    requests = SessionRequests(
        home=_NO_TX, mounts_list=_NO_TX, checks=_NO_TX, models=list, usual_timeout=timedelta(hours=1)
    )
    return asyncio.run(requests.wanted(given, _NO_TX)), text


class _Steps(StepQuestions):
    """Takes the question of a step."""

    def _ask(self, _tx: Tx, _run: PipelineRun, _done: StepRun, wanted: NewQuestion, *_more: object) -> None:
        raise _Wanted(wanted)


class _Wanted(Exception):
    pass


def _step_approval(text: str) -> tuple[NewQuestion, str]:
    made = f"{text}{'x' * 60_000} the very end"
    writes = Step(number=1, role="writer", type=StepType.SUB_AGENT, line=1, skill="w")
    asks = Step(number=2, role="a person", type=StepType.APPROVAL, line=2, inputs=Inputs(steps=(1,)))
    run = PipelineRun(
        id="r", template=Template(name="t", title="T", steps=(writes, asks), source=""), subject="s",
        status=PipelineRunStatus.RUNNING, company="demo", group="main", chat_id=ChatId("c"), started_by=PersonId("p"),
        created_at=_AT,
    )  # fmt: skip
    steps = [
        StepRun(run_id="r", number=1, state=StepState.DONE, texts={"text": made}),
        StepRun(run_id="r", number=2, state=StepState.WAITING),
    ]
    cards: Any = SimpleNamespace(language_of=lambda _tx, _run: "en")
    questions = _Steps(new_questions=_NO_TX, cards=cards, usual_timeout=timedelta(hours=1))
    with pytest.raises(_Wanted) as asked:
        questions.approve(_NO_TX, run, asks, steps, _AT)
    return asked.value.args[0], made


KINDS: Mapping[str, Callable[[str], tuple[NewQuestion, str]]] = {
    "request_human": _agent_asks,
    "tool call": _tool_call,
    "context change": _context_change,
    "merge": _merge,
    "handoff": _handoff,
    "memory": _memory,
    "pipeline": _pipeline,
    "batch": _batch,
    "transfer": _transfer,
    "analysis": _analysis,
    "session": _session,
    "step": _step_approval,
}


def _letters(text: str) -> str:
    """Without what Markdown, quoting and indentation add or take."""
    return re.sub(r'[\\\s>"…+-]+', "", text)


@pytest.mark.parametrize("kind", KINDS)
@given(text=_WORDS)
def test_no_letter_takes_effect_that_nobody_could_have_seen(kind: str, text: str) -> None:
    wanted, effect = KINDS[kind](f"begin {text} end")
    question = _question(wanted)
    card = shown(card_text.card(question, Locale(language="en")))
    whole = card_text.document(question, "en")
    seen = _letters(whole if whole is not None else card)
    for line in effect.split("\n"):
        assert _letters(shown(line)) in seen
    assert not set(card + (whole or "")) & set(
        "\u200b\u2060\u202e\u2066\u2028\u2029\x85\x0b\x0c\r\u3164\U000e0041"
    )
    if whole is not None:
        assert "characters are not on this card" in card
        assert card_text.document_name(question) in card


def test_a_document_that_is_in_another_chat_is_enclosed_here_and_has_no_marks_of_markdown() -> None:
    seen = {"chat_id": "c_one", "name": "Olena", "at": _AT.isoformat(), "file": "abcde.txt"}
    asked = _approval("Start 1\\. *x*?")
    question = _question(replace(asked, config=enclosed(seen, template="# Steps")))
    assert card_text.document(question, "en", "c_one") is None
    assert "word for word as Olena agreed" in card_text.card(question, Locale(language="en"), chat_id="c_one")
    for elsewhere in ("c_two", None):
        assert card_text.document(question, "en", elsewhere) == "Start 1. *x*?\n\nthe template:\n# Steps\n"
        card = card_text.card(question, Locale(language="en"), chat_id=elsewhere)
        assert "characters are not on this card" in card
        assert "agreed" not in card


@given(text=_WORDS)
def test_all_of_a_task_is_on_its_card_or_in_its_document(text: str) -> None:
    prompt, check = f"begin {text} end", f"true && {text} #"
    task = Task(
        id=1, kind=TaskKind.SCHEDULED, group="main", chat_id=ChatId("c"), thread=None, owner=PersonId("p"),
        schedule=Schedule(type=ScheduleType.CRON, value="0 8 * * *", timezone="Europe/Kyiv", anchor=_AT),
        zone_of=ZoneOf.HOST, prompt=prompt, skill="", model=None, notify=True, policy=Policy(),
        priority=Priority.NORMAL, check=check, estimated_minutes=None, status=TaskStatus.ACTIVE, why=None,
        next_run_at=None, last_run_at=None,
        run_count=0, failures=0, created_at=_AT,
    )  # fmt: skip
    estimate = Estimate(runs=1, per_run=0, known=0)
    card = shown(task_text.card(task, Locale(language="en"), _AT, estimate=estimate, zone_owner=""))
    whole = task_text.document(task, "en")
    seen = _letters(card + (whole or ""))
    for line in (*prompt.split("\n"), *check.split("\n")):
        assert _letters(shown(line)) in seen
    assert (whole is not None) == ("characters are not on this card" in card)


@pytest.mark.parametrize(
    "hidden", ["[here](http://mallory.example/x)", "a\n\n[ref]: http://mallory.example", "<!-- mallory -->"]
)
def test_markdown_hides_no_word_of_a_question(hidden: str) -> None:
    card = card_text.card(_question(_approval(f"May I? {hidden}")), Locale(language="en"))
    assert "mallory" in render(card).text


def test_a_card_of_megabytes_shows_its_beginning_and_names_the_rest() -> None:
    context = {"first": "short", "second": "y" * 5_000_000, "last": as_written("tail")}
    question = _question(_approval("?", context=context))
    card = card_text.card(question, Locale(language="en"))
    assert len(card) < 4000
    assert re.search(r"of 5,?000,?0\d\d characters are not on this card: second, last", card)
    assert (card_text.document(question, "en") or "").endswith("tail\n")


@pytest.mark.parametrize("long", [False, True])
def test_a_conclusion_is_one_tap_away_only_if_the_card_shows_all_of_it(long: bool) -> None:
    value = {"text": f"harmless {'words ' * (500 if long else 200)}and poison\u200b"}
    asked = replace(_question(_approval("?")), kind=QuestionKind.INTERACTIVE, config={})
    filled = {"words": "yes", "value": value, "by": "Agent", "fits": True, "why": None}
    said = as_meant(shown("\n".join(session_card.lines(asked, "en", "http://here/", filled))))
    assert ("and poison⟨U+200B⟩" in said) is not long
    assert ("are not on this card" in said) is long
    assert bool(session_card.buttons(asked, "en", filled)) is not long


def test_a_reminder_says_how_much_only_its_card_shows() -> None:
    def reminder(wanted: NewQuestion) -> str:
        return card_text.reminder(_question(wanted), Locale(language="en"), last=False, at=_AT)

    assert "on the card above" not in reminder(_approval("**May** I, p\u0430l?"))
    assert "5 more characters are on the card above" in reminder(_approval("May I?\n\nAll."))
    assert "more characters are on the card above" in reminder(_approval("May I?", context={"a": "b"}))
    assert re.search(r"x…\n\n\d\d more characters", reminder(_approval("x" * 300)))


def test_a_decision_is_about_what_was_shown_and_nothing_else() -> None:
    asked = _question(replace(_approval("?", context={"a": 1}), effect=digest_of("a")))
    assert asked.is_about(digest_of("a"))
    assert not asked.is_about(digest_of("a\u200b"))
    for changed in (
        replace(asked, prompt="? "),
        replace(asked, context={"a": 2}),
        replace(asked, options=(Option(id="approve", label="No"), Option(id="reject", safe=True))),
        replace(asked, tool={"tool": "bash", "shown": "ls"}),
        replace(asked, payload=asked.payload.replace("effect_sha256", "other")),
    ):
        assert not changed.is_about(digest_of("a"))


def test_a_question_of_an_older_host_is_decided_as_before() -> None:
    older = _question(_approval("?"))
    assert "effect_sha256" not in older.payload
    assert older.is_about(digest_of("whatever it is about"))
    assert not replace(older, prompt="another").is_about(digest_of("whatever it is about"))


def test_nothing_that_work_waits_for_is_asked_without_its_effect() -> None:
    new_questions = NewQuestions(cards=None, waits=None)  # type: ignore[arg-type]
    asker = Asker(asked_id="a", group="main", company="demo", then=Continuation("batch", "b"))
    with pytest.raises(ValueError, match="puts into effect"):
        new_questions.open(None, _approval("?"), asker, None, _AT)  # type: ignore[arg-type]
