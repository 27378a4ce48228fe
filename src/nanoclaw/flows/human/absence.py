"""The commands by which people say when they should not be asked or disturbed."""

from functools import cache
from itertools import islice

from nanoclaw.domain.errors import Refused
from nanoclaw.domain.people import Person, Role
from nanoclaw.durable import audit, memberships, people, questions
from nanoclaw.durable.store import Tx
from nanoclaw.flows.human.card_text import clock
from nanoclaw.flows.human.cards import QuestionCards
from nanoclaw.flows.human.deciders import deciders_of
from nanoclaw.flows.incoming.cards import shown
from nanoclaw.flows.incoming.commands import CommandContext
from nanoclaw.texts import say
from nanoclaw.times.quiet import read_quiet
from nanoclaw.times.until import read_until

_OFF = ("off", "none", "-", "ні", "вимк")
_MOST_PASSED_ON, _MOST_LOOKED_AT = 100, 2000


class Absence:
    def __init__(self, cards: QuestionCards) -> None:
        self._cards = cards

    def away(self, tx: Tx, argument: str, asked: CommandContext) -> str:
        """`/away until monday @other`; without an argument, shows the current state."""
        person = people.person(tx, asked.person.id)
        if not argument:
            return _told(tx, person, asked)
        words = argument.split()
        named = next((word for word in words if word.startswith("@") or _is_handle(word)), None)
        until = read_until(" ".join(word for word in words if word != named), asked.at, asked.locale.zone)
        other = _delegate(tx, named, person) if named else None
        people.set_preference(tx, person.id, away_until=until, delegate=other.id if other else None)
        told = {"until": until.isoformat(timespec="minutes"), "delegate": other.handle if other else ""}
        audit.record(tx, asked.actor, asked.at, "away", person.id, **told)
        if other:
            self._pass_on(tx, other, asked)
        return _told(tx, people.person(tx, person.id), asked)

    def back(self, tx: Tx, _argument: str, asked: CommandContext) -> str:
        if not people.person(tx, asked.person.id).is_away(asked.at):
            return say(asked.locale.speaks, "away-back-not")
        people.set_preference(tx, asked.person.id, away_until=None, delegate=None)
        audit.record(tx, asked.actor, asked.at, "back", asked.person.id)
        return say(asked.locale.speaks, "away-back")

    def quiet(self, tx: Tx, argument: str, asked: CommandContext) -> str:
        language, person = asked.locale.speaks, people.person(tx, asked.person.id)
        if not argument:
            hours = person.quiet
        else:
            hours = None if argument.lower() in _OFF else str(read_quiet(argument))
            people.set_preference(tx, person.id, quiet=hours)
        return say(language, "quiet-now", hours=hours) if hours else say(language, "quiet-not")

    def _pass_on(self, tx: Tx, other: Person, asked: CommandContext) -> None:
        """Let the delegate decide open questions too."""

        @cache
        def is_theirs(group: str, named: tuple[str, ...]) -> bool:
            found = deciders_of(tx, group, named, asked.at)
            return any(each.person.handle == asked.person.handle for each in found)

        opened = questions.list_open(tx, _MOST_LOOKED_AT)
        theirs = (each for each in opened if is_theirs(each.group, each.deciders))
        for question in islice(theirs, _MOST_PASSED_ON):
            self._cards.pass_on(tx, question, other, asked.at)


def _is_handle(word: str) -> bool:
    """`telegram:7`, and not a time of day."""
    return ":" in word and not word[0].isdigit()


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


def _told(tx: Tx, person: Person, asked: CommandContext) -> str:
    language = asked.locale.speaks
    if not person.is_away(asked.at) or person.away_until is None:
        return say(language, "away-not")
    time = clock(person.away_until, asked.locale, asked_at=asked.at)
    other = people.person(tx, person.delegate) if person.delegate else None
    if other is None:
        return say(language, "away-set", time=time)
    return say(language, "away-set-with", time=time, name=shown(other))
