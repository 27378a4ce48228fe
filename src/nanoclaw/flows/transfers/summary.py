"""Where a session stands: the task, what was done, what is left. Made here from the rows alone, without a model."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from nanoclaw.domain.pipeline_runs import StepState
from nanoclaw.domain.plans import PlanState
from nanoclaw.domain.text import without_internal
from nanoclaw.durable.session_record import SaidLine
from nanoclaw.flows.transfers.gathered import Gathered
from nanoclaw.texts import say

MOST_ITEMS, MOST_TEXT = 12, 600  # items in a list; characters of each
_LAST_ANSWERS = 5
_STEP_SAID = re.compile(r"\b(?:step|крок)\s+(\d{1,3})\s*(?:of|/|з|із)\s*(\d{1,3})\b", re.I)
_NUMBERED = re.compile(r"^\s{0,6}(\d{1,3})[.)]\s+(.+)$", re.M)
_CHECKED = re.compile(r"✅|☑|✔|\[x\]|~~", re.I)


@dataclass(frozen=True, kw_only=True, slots=True)
class SummaryStep:
    number: int
    of: int
    what: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Summary:
    """`by_model`: a model wrote it; otherwise it was made from the rows."""

    task: str
    step: SummaryStep | None = None
    done: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    next: str = ""
    by_model: bool = False


def from_rows(gathered: Gathered, messages: Sequence[SaidLine], purpose: str, language: str) -> Summary:
    """`messages` are scrubbed; the caller that shows the summary must scrub the rest."""
    step = step_of(gathered, messages)
    return Summary(
        task=_task(gathered, messages) or purpose or say(language, "package-task-unknown"),
        step=step,
        done=tuple(_done(gathered, messages, language))[:MOST_ITEMS],
        pending=tuple(_pending(gathered, language))[:MOST_ITEMS],
        next=step.what if step and step.what else purpose,
    )


def step_of(gathered: Gathered, messages: Sequence[SaidLine]) -> SummaryStep | None:
    """The step of a pipeline, or what the agent itself said last: `step 3 of 7`, or a numbered list with marks."""
    if gathered.run:
        template = gathered.run.template
        ahead = next((each for each in gathered.steps if not each.state.is_over), None)
        number = ahead.number if ahead else len(template.steps)
        return SummaryStep(number=number, of=len(template.steps), what=template.step(number).role)
    return said_step(messages)


def said_step(messages: Sequence[SaidLine]) -> SummaryStep | None:
    for said in reversed(messages):
        if said.person_id is None:
            if found := _STEP_SAID.search(said.text):
                return _step(int(found[1]), int(found[2]))
            if step := _in_list(said.text):
                return step
    return None


def _step(number: int, of: int, what: str = "") -> SummaryStep | None:
    return SummaryStep(number=number, of=of, what=what) if 1 <= number <= of else None


def _in_list(text: str) -> SummaryStep | None:
    """`1. ✅ research 2. ✅ outline 3. draft`: the third of three."""
    items = [(int(number), what) for number, what in _NUMBERED.findall(text)]
    if len(items) < 2 or [number for number, _ in items] != list(range(1, len(items) + 1)):
        return None
    if not any(_CHECKED.search(what) for _, what in items):
        return None
    ahead = next(((number, what) for number, what in items if not _CHECKED.search(what)), None)
    return _step(ahead[0], len(items), ahead[1]) if ahead else None


def _task(gathered: Gathered, messages: Sequence[SaidLine]) -> str:
    if gathered.run:
        return f"{gathered.run.template.title}: {gathered.run.subject}"
    if plan := next((each for each in gathered.plans if each.state is not PlanState.CANCELLED), None):
        return plan.task
    asked = [each.text for each in messages if each.person_id is not None and each.text.strip()]
    return asked[-1] if asked else ""


def _done(gathered: Gathered, messages: Sequence[SaidLine], language: str) -> list[str]:
    told = []
    for step in gathered.steps if gathered.run else ():
        if gathered.run and step.state is StepState.DONE:
            role = gathered.run.template.step(step.number).role
            made = _first(next(iter(step.texts.values()), ""))
            told.append(say(language, "package-done-step", number=step.number, role=role, made=made))
    for plan in gathered.plans[:1]:
        told += [f"{question.question} → {answer}" for question, answer in plan.answered]
    answers = [_first(each.text) for each in messages if each.person_id is None]
    return told + [each for each in answers if each][-_LAST_ANSWERS:]


def _pending(gathered: Gathered, language: str) -> list[str]:
    told = []
    for step in gathered.steps if gathered.run else ():
        if gathered.run and not step.state.is_over:
            role = gathered.run.template.step(step.number).role
            told.append(say(language, "package-pending-step", number=step.number, role=role))
    told += [say(language, "package-pending-question", question=each.prompt) for each in gathered.questions]
    told += [
        say(language, "package-pending-plan", question=plan.asked.question)
        for plan in gathered.plans
        if plan.is_open and plan.asked
    ]
    told += [say(language, "package-pending-task", title=each.title) for each in gathered.tasks]
    return told


def _first(text: str) -> str:
    """The first line with any words."""
    lines = (line.strip(" #*>-|\t") for line in without_internal(text).splitlines())
    return next((line for line in lines if line), "")
