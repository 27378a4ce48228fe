"""Questions as the API shows them: in the owner's language, with whether the owner may decide."""

import json
from collections.abc import Iterable, Sequence
from functools import cache

from nanoclaw.console.markdown import to_html
from nanoclaw.console.owner import OWNER
from nanoclaw.console.question_shapes import Option, Permit, Question, Vote
from nanoclaw.domain import questions
from nanoclaw.domain.shown_text import shown
from nanoclaw.durable import permits, pipeline_runs, question_cards, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.flows.human.answer_text import label
from nanoclaw.flows.human.card_text import SHORT, readable
from nanoclaw.flows.human.deciders import deciders_of
from nanoclaw.flows.human.each_language import context_in, enclosed_with, prompt_in, settings_of
from nanoclaw.texts import say

_ASKERS = (
    work.MEMORY,
    work.CONTEXT,
    work.INTERVIEW,
    work.HANDOFF,
    work.VERSIONS,
    work.BATCH,
    work.BATCH_OUTPUT,
    work.TRANSFER,
    work.ANALYSIS,
)


_MOST_SHOWN = 4 << 20  # characters of what belongs to sessions


def show_questions(tx: Tx, found: Iterable[questions.Question], language: str) -> list[Question]:
    is_mine = cache(lambda group, named: _is_mine(tx, group, named))
    return [
        _show(tx, each, language, may_decide=each.is_open and is_mine(each.group, each.deciders))
        for each in found
    ]


def within_bounds(found: Sequence[questions.Question]) -> Sequence[questions.Question]:
    """The first questions, as many as fit into one response, because sessions bring contexts and transcripts.
    At least one.
    """
    size = 0
    for place, each in enumerate(found):
        size += 2 * (len(json.dumps(each.config)) + len(each.payload))  # as it is, and as people read it
        size += len(each.transcript or "")
        if place and size > _MOST_SHOWN:
            return found[:place]
    return found


def show_question(tx: Tx, found: questions.Question, language: str) -> Question:
    return show_questions(tx, [found], language)[0]


def show_permit(permit: permits.Permit) -> Permit:
    return Permit.of(permit, short=permit.id[-SHORT:], group=permit.agent_group)


def _show(tx: Tx, question: questions.Question, language: str, *, may_decide: bool) -> Question:
    named = {each.id: label(each, language) for each in question.options}
    votes = question_cards.votes_on(tx, question.id) if question.votes > 1 else ()
    document, ended = question.document, question.resolved_at
    return Question.of(
        question,
        short=question.id[-SHORT:],
        kind=question.kind.word,
        type=question.kind.value,
        question=prompt_in(question, language),
        html=to_html(readable(shown(prompt_in(question, language)))),
        options=[Option.of(each, label=named[each.id]) for each in question.options],
        context=_context(question, language),
        tool=question.tool["shown"] if question.tool else None,
        document=document.name if document else None,
        document_kept=document.kept if document else None,
        default_label=named.get(question.default or "", ""),
        votes_needed=question.votes,
        votes=[Vote.of(each) for each in votes],
        seconds=round((ended - question.created_at).total_seconds(), 3) if ended else None,
        chosen_label=named.get(question.chosen or "", question.chosen or ""),
        may_decide=may_decide,
        asker=_asker(tx, question, language),
        response=question.concluded,
    )


def _asker(tx: Tx, question: questions.Question, language: str) -> str:
    run = question.chain_id and pipeline_runs.get(tx, question.chain_id)
    if run and question.then_kind == work.PIPELINE:
        return say(language, "asker-pipeline", title=run.template.title)
    return say(language, f"asker-{question.then_kind}") if question.then_kind in _ASKERS else ""


def _is_mine(tx: Tx, group: str, named: tuple[str, ...]) -> bool:
    return any(each.person.handle == OWNER for each in deciders_of(tx, group, named, now()))


def _context(question: questions.Question, language: str) -> str:
    """All that a person decides on besides the question itself."""
    enclosed = {**settings_of(question), **enclosed_with(question, language)}
    parts = (_text(context_in(question, language)), *(_field(name, text) for name, text in enclosed.items()))
    return "\n".join(filter(None, parts))


def _text(context: object) -> str:
    if context is None:
        return ""
    if isinstance(context, dict) and any("\n" in str(value) for value in context.values()):
        return "\n".join(_field(key, value) for key, value in context.items())
    return context if isinstance(context, str) else json.dumps(context, ensure_ascii=False, indent=2)


def _field(key: str, value: object) -> str:
    """A diff has lines, which nobody could read in JSON."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"{key}:\n{text}" if "\n" in text else f"{key}: {text}"
