"""The commands by which people list and decide their questions, and list and revoke permits."""

from collections.abc import Callable, Mapping
from functools import cache, partial

from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.domain.ids import SessionId
from nanoclaw.domain.people import Role
from nanoclaw.domain.questions import Question, QuestionKind
from nanoclaw.domain.text import as_written, gist
from nanoclaw.durable import permits, questions
from nanoclaw.durable.store import Tx
from nanoclaw.flows.human.absence import Absence
from nanoclaw.flows.human.answer_text import label, option_meant
from nanoclaw.flows.human.card_text import SHORT, clock
from nanoclaw.flows.human.cards import QuestionCards
from nanoclaw.flows.human.deciders import deciders_of, may_decide
from nanoclaw.flows.human.decisions import Decisions
from nanoclaw.flows.human.each_language import prompt_in
from nanoclaw.flows.human.permits import find_permit, revoke
from nanoclaw.flows.human.resolution import Resolution
from nanoclaw.flows.incoming.access_lists import listed
from nanoclaw.flows.incoming.commands import Answer, CommandContext, refused_in_words
from nanoclaw.texts import say

_SHOWN = 120
_MOST_LOOKED_AT = 2000


class QuestionCommands:
    def __init__(self, question_decisions: Decisions, cards: QuestionCards, resolution: Resolution) -> None:
        self._question_decisions = question_decisions
        self._absence = Absence(cards)
        self._resolution = resolution

    def answers(self) -> Mapping[str, Answer]:
        known: dict[str, Callable[[Tx, str, CommandContext], str]] = {
            "inbox": self._inbox,
            "decide": self._decide,
            "away": self._absence.away,
            "back": self._absence.back,
            "quiet": self._absence.quiet,
            "permits": _permits,
            "revoke": _revoke,
        }
        return {name: partial(refused_in_words, act) for name, act in known.items()}

    def stopped(self, tx: Tx, session_id: SessionId, asked: CommandContext, *, clear: bool) -> bool:
        """A person stopped the session: take back its open questions. Returns whether there were any."""
        if clear:
            permits.revoke_session(tx, session_id, asked.at)
        asked_for = questions.open_of(tx, session_id)
        for question in asked_for:
            questions.carry(
                tx, question.id, asked.at
            )  # the person who stopped it knows, and nobody must be woken
            self._resolution.cancel(tx, question, asked.actor, asked.at)
        return bool(asked_for)

    def _inbox(self, tx: Tx, _argument: str, asked: CommandContext) -> str:
        """List the questions that are theirs. Cached, because most have the same deciders, which are slow to
        look up.
        """

        @cache
        def is_theirs(group: str, named: tuple[str, ...]) -> bool:
            found = deciders_of(tx, group, named, asked.at)
            return any(each.person.handle == asked.person.handle for each in found)

        opened = questions.list_open(tx, _MOST_LOOKED_AT)
        theirs = [each for each in opened if is_theirs(each.group, each.deciders)]
        return listed(asked.locale.speaks, "inbox-head", [_line(each, asked) for each in theirs])

    def _decide(self, tx: Tx, argument: str, asked: CommandContext) -> str:
        """`/decide ab12c approve`, or free text where it is accepted."""
        ref, _, rest = argument.partition(" ")
        rest = rest.strip()
        if not ref or not rest:
            raise Refused("decide-how")
        question = self._question_decisions.find(tx, ref)
        if may_decide(tx, question, asked.person.handle, asked.at) is None:
            # A person who may not decide it is not told that it exists.
            raise NotFound("no-such-question", id=ref)
        option = option_meant(question, rest)
        words = None if option or not question.takes_words else rest
        said = self._question_decisions.decide(
            tx,
            question.id,
            None if words else rest,
            asked.actor,
            asked.at,
            said=words,
            chat_id=asked.chat.id,
        )
        return as_written(said)


def _permits(tx: Tx, _argument: str, asked: CommandContext) -> str:
    lines = [
        say(
            asked.locale.speaks,
            "permit-line",
            id=permit.id[-SHORT:],
            scope=permit.scope.value,
            group=permit.agent_group,
            what=as_written(f"{permit.tool}: {' '.join(permit.shown.split())[:_SHOWN]}"),
            name=as_written(permit.granted_name),
            until=clock(permit.expires_at, asked.locale, asked_at=asked.at) if permit.expires_at else "-",
        )
        for permit in permits.valid(tx, asked.at)
        if asked.rights.role_in(permit.agent_group).may(Role.ADMIN)
    ]
    return listed(asked.locale.speaks, "permits-head", lines)


def _revoke(tx: Tx, argument: str, asked: CommandContext) -> str:
    if not argument:
        raise Refused("permit-which")
    permit = find_permit(tx, argument, asked.at)
    revoke(tx, permit, asked.actor, asked.at)
    return say(asked.locale.speaks, "permit-revoked", what=as_written(permit.rule))


def _line(question: Question, asked: CommandContext) -> str:
    language = asked.locale.speaks
    named = [(each.id, label(each, language)) for each in question.options]
    options = ", ".join(name if name == shown else f"{name} ({shown})" for name, shown in named)
    wordless = "inbox-session" if question.kind is QuestionKind.INTERACTIVE else "inbox-words"
    return say(
        language,
        "inbox-line",
        id=question.id[-SHORT:],
        question=as_written(gist(prompt_in(question, language))[:_SHOWN]),
        options=as_written(options) or say(language, wordless),
        time=clock(question.deadline_at, asked.locale, asked_at=asked.at),
    )
