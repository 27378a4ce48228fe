"""Questions as rows, for whoever holds this machine: in their language, and whether they may decide."""

import json
from collections.abc import Iterable
from functools import cache

from nanoclaw.console.inbox_keeper import OptionRow, QuestionRow, VoteRow
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.people import LOCAL_OWNER, Person
from nanoclaw.domain.questions import Question
from nanoclaw.durable import people, question_cards
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.flows.human.deciders import deciders_of
from nanoclaw.flows.human.telling import label
from nanoclaw.flows.human.words import SHORT


class Rows:
    """Of one look into the database: what is the same for all of them is found out once."""

    def __init__(self, tx: Tx, locale: Locale) -> None:
        self._tx = tx
        self._language = language_of(people.person_named(tx, LOCAL_OWNER), locale)
        self._is_mine = cache(lambda group, named: _is_mine(tx, group, named))

    def of(self, found: Iterable[Question]) -> list[QuestionRow]:
        return [self.row(question) for question in found]

    def row(self, question: Question) -> QuestionRow:
        named = {each.id: label(each, self._language) for each in question.options}
        ended = question.resolved_at
        return QuestionRow(
            id=question.id,
            short=question.id[-SHORT:],
            kind=question.kind.word,
            type=question.kind.value,
            question=question.prompt,
            options=tuple(
                OptionRow(id=each.id, label=named[each.id], description=each.description, safe=each.safe)
                for each in question.options
            ),
            takes_words=question.takes_words,
            status=question.status.value,
            context=_text(question.context),
            tool=question.tool["shown"] if question.tool else None,
            document=question.document.name if question.document else None,
            document_kept=question.document.kept if question.document else None,
            risk=question.risk.value,
            default=question.default,
            default_label=named.get(question.default or "", ""),
            votes_needed=question.votes,
            votes=tuple(
                VoteRow(name=each.name, option=each.option, at=each.at)
                for each in (question_cards.votes_on(self._tx, question.id) if question.votes > 1 else ())
            ),
            group=question.group,
            company=question.company,
            skill=question.skill,
            session_id=question.session_id,
            execution_id=question.execution_id,
            created_at=question.created_at,
            deadline_at=question.deadline_at,
            resolved_at=ended,
            seconds=round((ended - question.created_at).total_seconds(), 3) if ended else None,
            chosen=question.chosen,
            chosen_label=named.get(question.chosen or "", question.chosen or ""),
            user_input=question.user_input,
            made_by=question.made_by,
            decided_by=question.decided_by,
            decided_name=question.decided_name,
            via=question.via,
            payload=question.payload,
            payload_hash=question.payload_hash,
            repeats=question.repeats,
            may_decide=question.is_open and self._is_mine(question.group, question.deciders),
            config=question.config,
            response=question.concluded,
            transcript=question.transcript,
            duration_ms=question.duration_ms,
            error=question.error,
        )


def language_of(owner: Person | None, locale: Locale) -> str:
    own = Locale(language=owner.language) if owner else Locale()
    return own.or_else(locale).speaks


def _is_mine(tx: Tx, group: str, named: tuple[str, ...]) -> bool:
    deciders = deciders_of(tx, group, named, now())
    return any(each.person.handle == LOCAL_OWNER for each in deciders)


def _text(context: object) -> str:
    if context is None:
        return ""
    return context if isinstance(context, str) else json.dumps(context, ensure_ascii=False, indent=2)
