"""The orders by which people see their questions, decide them, and say when they are not to be asked."""

from collections.abc import Callable, Mapping
from functools import partial

from nanoclaw.admission.quiet import read_quiet
from nanoclaw.admission.until import read_until
from nanoclaw.domain.errors import NanoClawError, NotFound, Refused
from nanoclaw.domain.ids import SessionId
from nanoclaw.domain.people import Person, Role
from nanoclaw.domain.questions import Question
from nanoclaw.domain.text import as_written
from nanoclaw.durable import audit, memberships, people, permits, questions
from nanoclaw.durable.aftermath import Aftermath
from nanoclaw.durable.store import Tx
from nanoclaw.flows.door.cards import shown
from nanoclaw.flows.door.rule_lists import listed
from nanoclaw.flows.human.deciders import may_decide
from nanoclaw.flows.human.permitting import find_permit, revoke
from nanoclaw.flows.human.resolution import Resolution
from nanoclaw.flows.human.telling import label, option_meant
from nanoclaw.flows.human.words import SHORT, clock
from nanoclaw.flows.order import Answer, Asked, Obeyed
from nanoclaw.flows.question import Questions
from nanoclaw.texts import say, tell

_SHOWN = 120
_OFF = ("off", "none", "-", "ні", "вимк")


class HumanOrders:
    def __init__(self, asked: Questions, resolution: Resolution) -> None:
        self._questions = asked
        self._resolution = resolution

    def answers(self) -> Mapping[str, Answer]:
        known: dict[str, Callable[[Tx, str, Asked], str | Obeyed]] = {
            "inbox": self._inbox,
            "decide": self._decide,
            "away": _away,
            "back": _back,
            "quiet": _quiet,
            "permits": _permits,
            "revoke": _revoke,
        }
        return {name: partial(_answer, act) for name, act in known.items()}

    def stopped(self, tx: Tx, session_id: SessionId, asked: Asked) -> Aftermath:
        """A person stopped the session: what it asked and nobody has decided is taken back."""
        going = Aftermath()
        for question in questions.open_of(tx, session_id):
            questions.carry(tx, question.id, asked.at)  # whoever stopped it knows, and nobody is to be woken
            going += self._resolution.cancel(tx, question, asked.ruler, asked.at) or Aftermath()
        return going

    def _inbox(self, tx: Tx, _argument: str, asked: Asked) -> str:
        language = asked.locale.speaks
        lines = [
            _line(question, asked)
            for question in questions.list_open(tx)
            if may_decide(tx, question, asked.person.handle, asked.at)
        ]
        return listed(language, "inbox-head", lines)

    def _decide(self, tx: Tx, argument: str, asked: Asked) -> Obeyed:
        """`/decide ab12c approve`, or words where they are wanted."""
        ref, _, rest = argument.partition(" ")
        rest = rest.strip()
        if not ref or not rest:
            raise Refused("decide-how")
        question = self._questions.find(tx, ref)
        if may_decide(tx, question, asked.person.handle, asked.at) is None:
            raise NotFound(
                "no-such-question", id=ref
            )  # whoever may not decide it is not told that it is there
        option = option_meant(question, rest)
        words = None if option or not question.kind.takes_words else rest
        decided = self._questions.decide(
            tx, question.id, None if words else rest, asked.ruler, asked.at, said=words
        )
        return Obeyed(said=as_written(decided.said), aftermath=decided.aftermath)


def _away(tx: Tx, argument: str, asked: Asked) -> str:
    """`/away until monday @other`; alone, how it is now."""
    language, person = asked.locale.speaks, people.person(tx, asked.person.id)
    if not argument:
        return _absence(tx, person, asked)
    words = argument.split()
    named = next(
        (word for word in words if word.startswith("@") or (":" in word and not word[0].isdigit())), None
    )
    until = read_until(" ".join(word for word in words if word != named), asked.at, asked.locale.zone)
    delegate = _delegate(tx, named, person) if named else None
    people.set_preference(tx, person.id, away_until=until, delegate=delegate.id if delegate else None)
    audit.record(
        tx,
        asked.ruler,
        asked.at,
        "away",
        person.id,
        until=until.isoformat(timespec="minutes"),
        delegate=delegate.handle if delegate else "",
    )
    key = "away-set-with" if delegate else "away-set"
    time = clock(until, asked.locale, asked_at=asked.at)
    return say(language, key, time=time, name=shown(delegate) if delegate else "")


def _delegate(tx: Tx, named: str, person: Person) -> Person:
    found = [each for each in people.known_as(tx, named) if not each.blocked]
    if len(found) != 1:
        raise Refused("no-such-person", person=named)
    other = found[0]
    if other.id == person.id:
        raise Refused("away-to-oneself")
    rights = memberships.rights_of(tx, other)
    if not rights.role_among(rights.within).may(Role.MEMBER):
        raise Refused("away-to-stranger", name=other.name)
    return other


def _absence(tx: Tx, person: Person, asked: Asked) -> str:
    language = asked.locale.speaks
    if not person.is_away(asked.at) or person.away_until is None:
        return say(language, "away-not")
    time = clock(person.away_until, asked.locale, asked_at=asked.at)
    other = people.person(tx, person.delegate) if person.delegate else None
    return say(
        language, "away-set-with" if other else "away-set", time=time, name=shown(other) if other else ""
    )


def _back(tx: Tx, _argument: str, asked: Asked) -> str:
    people.set_preference(tx, asked.person.id, away_until=None, delegate=None)
    audit.record(tx, asked.ruler, asked.at, "back", asked.person.id)
    return say(asked.locale.speaks, "away-back")


def _quiet(tx: Tx, argument: str, asked: Asked) -> str:
    language, person = asked.locale.speaks, people.person(tx, asked.person.id)
    if not argument:
        return say(language, "quiet-now", hours=person.quiet) if person.quiet else say(language, "quiet-not")
    if argument.lower() in _OFF:
        people.set_preference(tx, person.id, quiet=None)
        return say(language, "quiet-not")
    hours = str(read_quiet(argument))
    people.set_preference(tx, person.id, quiet=hours)
    return say(language, "quiet-now", hours=hours)


def _permits(tx: Tx, _argument: str, asked: Asked) -> str:
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


def _revoke(tx: Tx, argument: str, asked: Asked) -> str:
    permit = find_permit(tx, argument, asked.at)
    revoke(tx, permit, asked.ruler, asked.at)
    return say(asked.locale.speaks, "permit-revoked", what=as_written(permit.rule))


def _line(question: Question, asked: Asked) -> str:
    language = asked.locale.speaks
    options = ", ".join(f"{each.id} ({label(each, language)})" for each in question.options)
    return say(
        language,
        "inbox-line",
        id=question.id[-SHORT:],
        question=as_written(" ".join(question.prompt.split())[:_SHOWN]),
        options=as_written(options) or "-",
        time=clock(question.deadline_at, asked.locale, asked_at=asked.at),
    )


def _answer(
    act: Callable[[Tx, str, Asked], str | Obeyed], tx: Tx, argument: str, asked: Asked
) -> str | Obeyed:
    """What cannot be done is said, and then nothing has changed."""
    try:
        return act(tx, argument.strip(), asked)
    except NanoClawError as error:
        return as_written(tell(asked.locale.speaks, error))
