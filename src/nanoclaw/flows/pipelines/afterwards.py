"""What the company's memory keeps of a finished run: one line of activity, findings as facts, and decisions.

A step hands in the last two as results: a list `findings` and a list `decisions`. They are hearsay, like
everything an agent says by itself, except what occurs in a text that a person approved: that is this person's
word.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from nanoclaw.domain.memory import EntryKind, MemoryMode, Trust
from nanoclaw.domain.people import Person
from nanoclaw.domain.pipeline_runs import PipelineRun, StepRun, StepState
from nanoclaw.domain.pipelines import StepType
from nanoclaw.domain.questions import Status
from nanoclaw.durable import memberships, memory_changes, people, questions, task_runs, tasks, work
from nanoclaw.durable.memory_changes import Action, Change
from nanoclaw.durable.store import Tx
from nanoclaw.flows.knowledge.changes import trust_of
from nanoclaw.flows.knowledge.lines import EntryOrigin, SaidEntry, line_of
from nanoclaw.texts import language_of, say

_KINDS = {"findings": EntryKind.FACT, "decisions": EntryKind.DECISION}
_MOST = 10  # per step and kind
_LONGEST = 1000  # characters of each
_SHORT = 200
_VIA = "pipeline"
_SIGNS = str.maketrans("", "", "*_`#")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Approved:
    """A text that a person said yes to."""

    by: Person
    text: str

    def covers(self, said: str) -> bool:
        """Compare word for word: the person saw the text, but not what the agent handed in beside it."""
        return _plain(said) in _plain(self.text)


def remember(tx: Tx, run: PipelineRun, steps: Sequence[StepRun], at: datetime) -> None:
    """Runs in the transaction that ends the run; idempotent."""
    chat = people.chat(tx, run.chat_id)
    if chat is None or chat.memory is not MemoryMode.WRITE:
        return
    starter = people.person(tx, run.started_by)
    memory_changes.ask(tx, _activity(tx, run, steps, starter, at))
    approved = dict(_approved(tx, run, steps))
    for step in steps:
        if step.state is not StepState.DONE:  # what was taken over from an earlier run is already remembered
            continue
        for key, kind in _KINDS.items():
            for number, text in enumerate(_list(step.results, key)):
                seen = approved.get(step.number)
                by = seen.by if seen and seen.covers(text) else None
                trust = _trust(tx, by, run) if by else Trust.HEARSAY
                origin = f"pipeline {run.id} {step.number} {key} {number}"
                memory_changes.ask(tx, _entry(run, step, kind, text, by or starter, trust, origin, at))


def wake_task(tx: Tx, run: PipelineRun, at: datetime) -> None:
    """Let the task run that started it continue, however this run ended."""
    waiting = task_runs.current(tx, run.task_id) if run.task_id else None
    if waiting:
        work.due(tx, work.RUN_STEP, waiting.id, at)


def _activity(tx: Tx, run: PipelineRun, steps: Sequence[StepRun], starter: Person, at: datetime) -> Change:
    task = tasks.get(tx, run.task_id) if run.task_id else None
    # An agent may have put somebody else's words into a task, and this is in every prompt.
    subject = "" if task and task.is_mixed else f": {run.subject}"
    count = sum(len(step.texts) for step in steps)
    language = language_of(run.subject) or "en"
    return Change(
        company=run.company,
        action=Action.ACTIVITY,
        trust=_trust(tx, starter, run),
        created_at=at,
        body={
            "at": at.isoformat(),
            "who": starter.name or starter.handle,
            "handle": starter.handle,
            "session": run.session_id,
            "task": run.task_id,
            "asked": _short(f"{run.template.title}{subject}"),
            "answered": say(language, "outputs-activity", count=count, run=run.id),
        },
        person_id=starter.id,
        chat_id=run.chat_id,
        message_id=run.message_id,
        origin=f"pipeline {run.id}",
    )


def _entry(
    run: PipelineRun,
    step: StepRun,
    kind: EntryKind,
    text: str,
    by: Person,
    trust: Trust,
    origin: str,
    at: datetime,
) -> Change:
    role = run.template.step(step.number).skill.rpartition("/")[2]
    sure = step.results.get("confidence")
    said = SaidEntry(
        text=text[:_LONGEST],
        kind=kind,
        topic=_short(run.subject),
        domain=role,
        confidence=float(sure) if isinstance(sure, int | float) else 1.0,
        source=f"{_VIA} {run.id}",
        extracted_by=role,
        is_binding=False,  # how one text is written does not bind other texts
    )
    place = EntryOrigin(chat_id=run.chat_id, message_id=run.message_id, turn_id=step.turn_id)
    line = line_of(said, by.handle, place, trust, _VIA, at)
    if "decision" in line:
        line["type"] = "tactical"
    return Change(
        company=run.company,
        action=Action.ADD,
        trust=trust,
        created_at=at,
        entry_id=str(line["id"]),
        body=line,
        person_id=by.id,
        chat_id=run.chat_id,
        message_id=run.message_id,
        turn_id=step.turn_id,
        origin=origin,
    )


def _approved(tx: Tx, run: PipelineRun, steps: Sequence[StepRun]) -> Iterator[tuple[int, _Approved]]:
    """The texts that a person approved, by step. A time-out is not a yes."""
    for each in steps:
        step = run.template.step(each.number)
        if step.type is not StepType.APPROVAL or each.state is not StepState.DONE or not each.question_id:
            continue
        question = questions.get(tx, each.question_id)
        if question is None or question.status is not Status.COMPLETED or not question.decided_by:
            continue
        if by := people.person_named(tx, question.decided_by):
            for number in step.inputs.steps:
                text = "\n".join(steps[number - 1].texts.values())
                yield number, _Approved(by=by, text=text)


def _trust(tx: Tx, person: Person, run: PipelineRun) -> Trust:
    return trust_of(memberships.rights_of(tx, person).role_in(run.group))


def _list(results: Mapping[str, object], key: str) -> list[str]:
    found = results.get(key)
    return [str(each) for each in found][:_MOST] if isinstance(found, list) else []


def _plain(text: str) -> str:
    """The text without Markdown signs and line breaks."""
    return " ".join(text.translate(_SIGNS).casefold().split())


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= _SHORT else plain[: _SHORT - 1].rstrip() + "…"
