"""The card that asks whether a run may start: its steps and models, what it may cost, and how long it may take."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import partial

from nanoclaw.domain.money import dollars_and_cents
from nanoclaw.domain.people import Person
from nanoclaw.domain.pipeline_runs import PipelineRun
from nanoclaw.domain.pipelines import Step, StepType
from nanoclaw.domain.questions import NewQuestion, Option, QuestionKind, digest_of
from nanoclaw.domain.shown_text import shown
from nanoclaw.domain.text import as_written
from nanoclaw.durable import pipeline_runs, questions
from nanoclaw.durable.store import Tx
from nanoclaw.flows.human.card_text import document_name, span
from nanoclaw.flows.human.each_language import enclosed, in_each, seen_before
from nanoclaw.flows.pipelines.run_text import money_between, role_of, time_between
from nanoclaw.pipelines.estimates import RunEstimate, StepEstimate
from nanoclaw.texts import say

START, CANCEL = "start", "cancel"
"""The choices on the card."""

_OPEN_FOR = timedelta(hours=24)
_SEEN_FOR = timedelta(days=30)  # after that nobody finds a document in a chat
_MOST_LOOKED_AT = 20
_MOST_STEPS = 30
_SUBJECT = 500


def wanted_start(
    run: PipelineRun,
    estimate: RunEstimate | None,
    language: str,
    given: Mapping[str, str] | None = None,
    seen: Mapping[str, str] | None = None,
) -> NewQuestion:
    """The card that asks for a yes. No answer means no, because it costs money. `given` is what a repeated step is
    told besides, `seen` where the same template was agreed to before.
    """
    return asked_again(run, partial(_prompt, run, estimate), language, given, seen)


def asked_again(
    run: PipelineRun,
    words: Callable[[str], str],
    language: str,
    given: Mapping[str, str] | None = None,
    seen: Mapping[str, str] | None = None,
) -> NewQuestion:
    """The same card for somebody else, with these words in each language."""
    unseen = {"subject": run.subject} if in_short(run.subject) != shown(run.subject) else {}
    template = enclosed(seen, template=run.template.source) if run.template.source else {}
    return NewQuestion(
        kind=QuestionKind.APPROVAL,
        prompt=words(language),
        options=(Option(id=START), Option(id=CANCEL, safe=True)),
        timeout=_OPEN_FOR,
        default=CANCEL,
        context={**unseen, **(given or {})} or None,
        config={**in_each(words), **template},
        effect=effect_of(run),
    )


def seen_here(tx: Tx, run: PipelineRun, by: Person, at: datetime) -> Mapping[str, str] | None:
    """Where this person agreed to the very same template in this chat not long ago, whose document is still there."""
    name = run.template.name
    for other in pipeline_runs.newest(tx, template=name, chat_id=run.chat_id, limit=_MOST_LOOKED_AT):
        asked = questions.get(tx, other.question_id) if other.question_id else None
        if asked is None or asked.chosen != START or asked.decided_by != by.handle:
            continue
        if other.template != run.template or other.thread != run.thread:
            return None  # it is another one since
        if seen := seen_before(asked):
            return seen if at - datetime.fromisoformat(seen["at"]) < _SEEN_FOR else None
        if at - asked.created_at >= _SEEN_FOR:
            return None
        return {
            "chat_id": run.chat_id,
            "name": asked.decided_name or by.name,
            "at": asked.created_at.isoformat(),
            "file": document_name(asked),
        }
    return None


def _prompt(run: PipelineRun, estimate: RunEstimate | None, language: str) -> str:
    """The prompt of the card. Its first line stands alone in the inbox and in reminders."""
    template = run.template
    subject = " ".join(run.subject.split())
    known = {step.number: step for step in estimate.steps} if estimate else {}
    lines = [_step(step, known.get(step.number), language) for step in template.steps[:_MOST_STEPS]]
    if len(template.steps) > _MOST_STEPS:
        lines.append(say(language, "pipeline-steps-after", count=len(template.steps) - _MOST_STEPS))
    first = say(
        language, "start-asked", title=as_written(template.title), subject=as_written(in_short(subject))
    )
    return "\n\n".join([first, "\n".join(lines), "\n".join(_figures(run, estimate, language))])


def effect_of(run: PipelineRun) -> str:
    """What a yes starts: the template as the run keeps it, and what it is about."""
    return digest_of(run.template.as_json(), run.subject, run.budget, run.from_step)


def in_short(subject: str) -> str:
    return subject if len(subject) <= _SUBJECT else f"{subject[: _SUBJECT - 1]}…"


def _step(step: Step, known: StepEstimate | None, language: str) -> str:
    parts = [f"- {step.number}\\. {as_written(role_of(step, language))}"]
    if step.type is StepType.APPROVAL:
        parts.append(say(language, "start-waits", time=span(language, step.timeout)))
    if len(step.together) > 1:
        others = ", ".join(str(number) for number in step.together if number != step.number)
        parts.append(say(language, "start-together", steps=others))
    if known:
        parts.append(as_written(known.model))
    if known and known.cost and known.cost[1]:
        parts.append(money_between(*known.cost))
    return " · ".join(parts)


def _figures(run: PipelineRun, estimate: RunEstimate | None, language: str) -> list[str]:
    budget = (
        [] if run.budget is None else [say(language, "start-budget", budget=dollars_and_cents(run.budget))]
    )
    if estimate is None:
        again = [say(language, "start-from-step", step=run.from_step)] if run.from_step else []
        return [f"- {each}" for each in (*again, *budget)]
    runs = max((step.runs for step in estimate.steps), default=0)
    if estimate.cost is None:
        cost = say(language, "start-cost-unknown")
    else:
        cost = money_between(*estimate.cost) if estimate.cost[1] else say(language, "start-free")
    time = time_between(language, *estimate.seconds)
    said = [say(language, "start-estimate", cost=cost, time=time, runs=runs)]
    author = estimate.author
    expected = [money_between(*author.cost)] if author.cost else []
    expected += [time_between(language, *author.seconds)] if author.seconds else []
    if expected:
        said.append(say(language, "start-author", expected=", ".join(expected)))
    return [f"- {each}" for each in (*said, *budget)]
