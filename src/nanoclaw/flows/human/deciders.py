"""Who may decide a question, who is asked first, and whose votes count."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from nanoclaw.domain.errors import Refused
from nanoclaw.domain.ids import ChatId
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.people import LOCAL_OWNER, Person, Role
from nanoclaw.domain.questions import Question, Risk, members_among, too
from nanoclaw.domain.wirings import ChatKind
from nanoclaw.durable import memberships, messages, people, question_cards
from nanoclaw.durable.question_cards import Vote
from nanoclaw.durable.store import Tx
from nanoclaw.times.quiet import Quiet, read_quiet

_ENOUGH_PEOPLE = 3  # with this many people, two must agree to something destructive
_VOTES_THEN = 2


@dataclass(frozen=True, kw_only=True, slots=True)
class Decider:
    """Someone who may decide; `voice` is the person whose vote they cast."""

    person: Person
    voice: str
    away: bool = False

    @property
    def voter(self) -> str:
        """The voice and the person who casts it: a delegate's vote counts while they stand in."""
        return self.voice if self.voice == self.person.handle else f"{self.voice} {self.person.handle}"


def deciders_of(tx: Tx, group: str, named: Sequence[str], at: datetime) -> list[Decider]:
    """Owners and the group's admins, limited to those named if any are; also members whom the host names, and
    the delegates of those who are away.
    """
    members = members_among(named)
    limited = [each for each in named if each not in map(too, members)]
    principals = [
        each for each in memberships.approvers(tx, (group,)) if not limited or _is_named(each, limited)
    ]
    for handle in members:
        member = people.person_named(tx, handle)
        if member and member not in principals and _is_member(tx, member, group):
            principals.append(member)
    found = [
        Decider(person=each, voice=_voice(each, principals), away=each.is_away(at)) for each in principals
    ]
    known = {each.handle for each in principals}
    for principal in principals:
        if not principal.is_away(at) or principal.delegate is None:
            continue
        other = people.person(tx, principal.delegate)
        # Only people of the group: what concerns one company is not for people of another.
        if _is_member(tx, other, group) and other.handle not in known:
            known.add(other.handle)
            voice = _voice(principal, principals)
            found.append(Decider(person=other, voice=voice, away=other.is_away(at)))
    return found


def votes_for(risk: Risk, deciders: Sequence[Decider]) -> int:
    """How many must agree if the question does not say."""
    enough = len({each.voice for each in deciders}) >= _ENOUGH_PEOPLE
    return _VOTES_THEN if risk is Risk.DESTRUCTIVE and enough else 1


def counted_votes(tx: Tx, question: Question, deciders: Sequence[Decider]) -> list[Vote]:
    """The votes of those who may still decide."""
    voters = {each.voter for each in deciders}
    return [each for each in question_cards.votes_on(tx, question.id) if each.voter in voters]


def may_decide(tx: Tx, question: Question, handle: str, at: datetime) -> Decider | None:
    found = deciders_of(tx, question.group, question.deciders, at)
    return next((each for each in found if each.person.handle == handle), None)


@dataclass(frozen=True, kw_only=True, slots=True)
class QuestionChat:
    """A chat where a question is shown, with the clock and language of its reader."""

    chat_id: ChatId
    locale: Locale
    thread: str | None = None
    quiet_until: datetime | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Whereabouts:
    """Where to reach the people who are asked."""

    locale: Locale  # of the workspace
    quiet: Quiet | None = None  # for those who have set no hours

    def first(
        self,
        tx: Tx,
        group: Locale,
        chat_id: str | None,
        thread: str | None,
        deciders: Sequence[Decider],
        at: datetime,
    ) -> list[QuestionChat]:
        """The session's chat if a decider is there; otherwise the group's own admins, otherwise all of them."""
        present = [each for each in deciders if not each.away]
        if chat_id is not None:
            there = messages.recent_speakers(tx, chat_id)
            here = [each for each in present if each.person.id in there]
            if here:
                locale = self.reader_in(tx, ChatId(chat_id), group, here)
                ends = [self.quiet_until(each.person, at) for each in here]
                quiet = None if None in ends else min(filter(None, ends), default=None)
                return [
                    QuestionChat(chat_id=ChatId(chat_id), locale=locale, thread=thread, quiet_until=quiet)
                ]
        admins = [each for each in present if each.person.role not in (Role.OWNER, Role.ADMIN)]
        return self.own(tx, group, admins, at) or self.own(tx, group, present or deciders, at)

    def own(self, tx: Tx, group: Locale, deciders: Sequence[Decider], at: datetime) -> list[QuestionChat]:
        """The private chats of the deciders, or this machine."""
        return [
            QuestionChat(
                chat_id=chat_id,
                locale=_own(each.person).or_else(group).or_else(self.locale),
                quiet_until=self.quiet_until(each.person, at),
            )
            for each in deciders
            for chat_id in people.own_chats(tx, each.person)
        ]

    def reader_in(self, tx: Tx, chat_id: ChatId, group: Locale, deciders: Sequence[Decider]) -> Locale:
        """The language and clock for a card in this chat."""
        chat = people.chat(tx, chat_id)
        own = Locale()
        if chat and chat.kind is ChatKind.PRIVATE:
            there = messages.recent_speakers(tx, chat_id)
            readers = [
                each.person
                for each in deciders
                if each.person.id in there or chat_id in people.own_chats(tx, each.person)
            ]
            own = _own(readers[0]) if readers else own
        return own.or_else(group).or_else(self.locale)

    def quiet_until(self, person: Person, at: datetime) -> datetime | None:
        """When their quiet hours end; None if it is not quiet now."""
        try:
            quiet = read_quiet(person.quiet) if person.quiet else self.quiet
        except Refused:  # written by an older version
            return None
        zone = _own(person).or_else(self.locale).zone
        return quiet.ends_after(at, zone) if quiet and quiet.is_now(at, zone) else None


def _own(person: Person) -> Locale:
    return Locale(language=person.language, timezone=person.timezone)


def _is_named(person: Person, named: Sequence[str]) -> bool:
    names = {person.handle.casefold(), f"@{person.username or ''}".casefold()}
    return any(each.casefold() in names for each in named)


def _is_member(tx: Tx, person: Person, group: str) -> bool:
    return not person.blocked and memberships.rights_of(tx, person).role_in(group).may(Role.MEMBER)


def _voice(person: Person, principals: Sequence[Person]) -> str:
    """The user of this machine counts as the owner who paired first, if any: one human has one vote."""
    if person.handle != LOCAL_OWNER:
        return person.handle
    others = (each.handle for each in principals if each.role is Role.OWNER and each.handle != LOCAL_OWNER)
    return next(others, person.handle)
