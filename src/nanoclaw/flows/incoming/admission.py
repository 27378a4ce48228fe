"""Judges a stored message and carries out the verdict, when it arrives or after a decision it waited for."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from datetime import datetime
from typing import assert_never

from nanoclaw.admission.commands import COMMANDS, Command, GivenCommand, command_in
from nanoclaw.admission.judge import (
    Accumulated,
    Admitted,
    AgentOutcome,
    Dropped,
    Facts,
    Held,
    Verdict,
    Wired,
    judge,
)
from nanoclaw.admission.pairing import looks_like_code
from nanoclaw.admission.rates import Rates
from nanoclaw.admission.refusals import Refusal, refusal
from nanoclaw.context.groups import Groups
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.messages import Chat, End, Message
from nanoclaw.domain.news import MessageChanged
from nanoclaw.domain.people import Actor, Person, Role
from nanoclaw.domain.wirings import ChatKind, EngageMode, UnknownSenders, Wiring
from nanoclaw.durable import memberships, messages, people, sessions, wirings, work
from nanoclaw.durable.after_commit import announce
from nanoclaw.durable.store import Tx
from nanoclaw.durable.timeline import Event
from nanoclaw.flows.incoming.arrival import Arrival, answer, drop, keep, queue, tell
from nanoclaw.flows.incoming.cards import Cards
from nanoclaw.flows.incoming.commands import CommandContext, Commands, LaterAnswer, RefusedAnswer
from nanoclaw.flows.incoming.template_commands import command_of, name_of
from nanoclaw.pipelines.phrases import Meant
from nanoclaw.texts import say


@dataclass(frozen=True, kw_only=True, slots=True)
class Commanded:
    """A command to the host itself, with the role of its sender that applies to it."""

    given: GivenCommand
    command: Command | None
    role: Role
    meant: Meant | None = None  # a pipeline asked for in plain words
    groups: tuple[str, ...] | None = (
        None  # whom it would have woken; None: every agent that listens to the chat
    )

    @property
    def fault(self) -> str | None:
        """Why it is not run, if it is not."""
        if self.command is None:
            return "unknown-command"
        return None if self.role.may(self.command.role) else "forbidden-command"


Decision = Commanded | Refusal | Verdict
"""What happens to a message: a command, a refusal told to its sender, or a verdict."""

_ABOUT_SENDER = ("not-member", "members-only", "other-company")
"""Why an agent that was addressed ignores a message; for agents that were not, no reason is given."""

Wire = Callable[[Tx, Actor, Chat, str, datetime], None]


class MessageAdmission:
    def __init__(
        self, *, groups: Groups, commands: Commands, cards: Cards, rates: Rates, locale: Locale, longest: int
    ) -> None:
        self._locale = locale
        self._groups = groups
        self._commands = commands
        self._cards = cards
        self._rates = rates
        self._longest = longest
        self._wire: Wire | None = None

    def learn_to_wire(self, wire: Wire) -> None:
        """Set how a chat is wired. Given later, because that part needs this one to release held messages."""
        self._wire = wire

    def meet(
        self, tx: Tx, message: Message, chat: Chat, person: Person, at: datetime, *, album: bool = False
    ) -> Arrival:
        """Collect everything known about a message."""
        wired = tuple(wirings.of_chat(tx, chat.id))
        own = Locale(language=person.language, timezone=person.timezone)
        usual = self._groups.locale_of(wired[0].group) if wired else Locale()
        return Arrival(
            tx=tx,
            message=message,
            chat=chat,
            person=person,
            rights=memberships.rights_of(tx, person),
            wirings=wired,
            locale=own.or_else(usual).or_else(self._locale),
            at=at,
            album=album,
        )

    def admit(self, arrival: Arrival, skills: Collection[str]) -> None:
        """`skills` are the commands of skills."""
        self._follow(arrival, self.decide(arrival, skills))

    def _follow(self, arrival: Arrival, decision: Decision) -> None:
        match decision:
            case Commanded():
                self._obey(arrival, decision)
            case Refusal(reason=reason, values=values):
                arrival.note(Event.REFUSED, reason=reason)
                answer(arrival, say(arrival.locale.speaks, f"declined-{reason}", **values), End.REFUSED)
            case Dropped(reason=reason):
                drop(arrival, reason)
            case Held(groups=groups, reason=reason):
                self._hold(arrival, groups, reason)
            case Accumulated(findings=findings):
                keep(arrival, findings)
            case Admitted():
                self._admit(arrival, decision)
            case _:
                assert_never(decision)

    def decide(self, arrival: Arrival, skills: Collection[str]) -> Decision:
        """What should happen to the message. Changes nothing, so it can be called in advance."""
        message, given = arrival.message, self._given(arrival)
        own = given if given and (given.name in COMMANDS or given.name not in skills) else None
        if own and not arrival.person.blocked and self._is_heard(arrival, own):
            return self._commanded(own, arrival)
        verdict = judge(self._facts(arrival, given, skills))
        if not isinstance(verdict, Admitted):
            return verdict
        if own and not message.addressed:  # meant for another bot
            return Dropped(reason="not-addressed")
        if own and self._commands.is_for_anyone(own):  # a code is not accepted where others see it
            return Dropped(reason="not-alone")
        if own:  # from someone who may speak here, but not use commands
            return self._commanded(own, arrival)
        refused = refusal(message.text, has_files=bool(message.files), longest=self._longest)
        return refused or (None if given else self._wished(arrival, verdict)) or verdict

    def _wished(self, arrival: Arrival, verdict: Admitted) -> Commanded | None:
        """A pipeline that a member asks an agent for in plain words. Not with files: they could not go with it."""
        message = arrival.message
        groups = [each for each in verdict.groups if arrival.rights.role_in(each).may(Role.MEMBER)]
        if not (groups and message.addressed and message.in_own_words) or message.files:
            return None
        meant = self._commands.meant(message.text)
        if meant is None:
            return None
        name = name_of(meant.templates[0])
        given = GivenCommand(name=name, argument=meant.subject)
        return Commanded(
            given=given, command=command_of(name), role=_here(arrival), meant=meant, groups=tuple(groups)
        )

    def _commanded(self, given: GivenCommand, arrival: Arrival) -> Commanded:
        """For some commands only a person's global role counts."""
        command = self._commands.find(given.name)
        everywhere = command is not None and command.everywhere
        role = arrival.rights.everywhere if everywhere else _here(arrival)
        return Commanded(given=given, command=command, role=role)

    def judge(self, arrival: Arrival) -> Verdict:
        """The verdict on a message that is not a command."""
        return judge(self._facts(arrival, None, ()))

    def due_at(self, arrival: Arrival, groups: Collection[str]) -> datetime:
        """When a message would be taken up: later if its sender or the groups have too many."""
        return self._rates.look(arrival.person.id, groups, arrival.at)

    def _given(self, arrival: Arrival) -> GivenCommand | None:
        given = command_in(arrival.message)
        message = arrival.message
        is_alone = arrival.chat.kind is ChatKind.PRIVATE and _here(arrival) is Role.STRANGER
        may_be_code = given is None and is_alone and message.in_own_words
        is_code = may_be_code and looks_like_code(message.text)
        return GivenCommand(name="pair", argument=message.text) if is_code else given  # a pasted code

    def _is_heard(self, arrival: Arrival, given: GivenCommand) -> bool:
        """Whether it is meant for the host and its sender may use it; commands for anyone only in a private chat."""
        if self._commands.is_for_anyone(given):
            return arrival.chat.kind is ChatKind.PRIVATE
        return arrival.message.addressed and _here(arrival).may(Role.MEMBER)

    def _admit(self, arrival: Arrival, verdict: Admitted) -> None:
        arrival.note(Event.ADMITTED, groups=", ".join(verdict.groups), reason=verdict.reason)
        for finding in verdict.findings:
            if finding.outcome is AgentOutcome.IGNORED and finding.reason in _ABOUT_SENDER:
                arrival.note(Event.PASSED_OVER, group=finding.group, reason=finding.reason)
        if verdict.wires and self._wire:
            self._wire(arrival.tx, arrival.actor, arrival.chat, verdict.groups[0], arrival.at)
            arrival = replace(arrival, wirings=tuple(wirings.of_chat(arrival.tx, arrival.chat.id)))
        keep(arrival, verdict.findings)
        pause = self._rates.take(arrival.message.id, arrival.person.id, verdict.groups, arrival.at)
        if pause is None:
            queue(arrival, verdict.groups)
            return
        seconds = max(1, round((pause.until - arrival.at).total_seconds()))
        arrival.note(Event.PAUSED, seconds=seconds)
        if pause.first:
            tell(arrival, say(arrival.locale.speaks, "rate-told", seconds=seconds))
        queue(arrival, verdict.groups, not_before=pause.until)

    def _hold(self, arrival: Arrival, groups: tuple[str, ...], reason: str) -> None:
        if fault := self._cards.ask(arrival, groups):
            drop(arrival, fault)
        else:
            arrival.note(Event.ASKED, reason=reason)

    def _obey(self, arrival: Arrival, commanded: Commanded) -> None:
        """The host answers a command itself, in the same transaction."""
        language, given, command = arrival.locale.speaks, commanded.given, commanded.command
        if commanded.fault:
            arrival.note(Event.REFUSED, reason=commanded.fault)
        if command is None:
            near = self._commands.nearest(given.name, commanded.role)
            key = "order-unknown-near" if near else "order-unknown"
            answer(arrival, say(language, key, name=given.name, near=near), End.REFUSED)
            return
        if commanded.fault:
            key = "order-forbidden-everywhere" if command.everywhere else "order-forbidden"
            refused = say(language, key, name=given.name, role=command.role, yours=commanded.role)
            answer(arrival, refused, End.REFUSED)
            return
        if command.takes_file and not arrival.message.is_ready:  # `resume` continues when its files are there
            work.due(arrival.tx, work.FILES, arrival.message.id, arrival.at)
            return
        if command.is_slow:  # `read_answer` and `give_answer` continue
            work.due(arrival.tx, work.COMMAND, arrival.message.id, arrival.at)
            return
        asked = _context(arrival, commanded)
        if commanded.meant:
            said = self._commands.begin(arrival.tx, commanded.meant, asked)
        else:
            said = self._commands.obey(arrival.tx, given, asked)
        if said is None:  # a stranger's greeting, or one code too many: not treated as a command
            self._follow(arrival, self.judge(arrival))
            return
        if not isinstance(said, LaterAnswer):  # otherwise `read_answer` and `give_answer` continue
            _obeyed(arrival, given, said)

    def place_for_file(self, tx: Tx, message: Message, at: datetime) -> str | None:
        """The group whose files receive the attachment of a waiting command; None if no command waits for it."""
        if _waiting_command(message) is None:
            return None
        arrival = self._meet_again(tx, message, at)
        groups = [wiring.group for wiring in arrival.wirings] if arrival else []
        return next(
            (each for each in groups if arrival and arrival.rights.role_in(each).may(Role.MEMBER)), None
        )

    def resume(self, tx: Tx, message: Message, at: datetime) -> None:
        """Obey a command whose files have arrived, if its sender still may give it."""
        given, arrival = _waiting_command(message), self._meet_again(tx, message, at)
        if given is None or arrival is None:
            return
        if arrival.person.blocked:
            drop(arrival, "blocked")
        else:
            self._obey(arrival, self._commanded(given, arrival))
        arrival.write_steps()

    def read_answer(self, tx: Tx, message: Message, at: datetime) -> str | None:
        """What a slow command says. None if its sender may no longer give it."""
        given, arrival = command_in(message), self._meet_again(tx, message, at)
        if given is None or arrival is None or arrival.person.blocked:
            return None
        commanded = self._commanded(given, arrival)
        return None if commanded.fault else self._commands.obey(tx, given, _context(arrival, commanded))

    def give_answer(self, tx: Tx, message: Message, said: str | None, at: datetime) -> None:
        """Post the answer, which ends the message."""
        given, arrival = command_in(message), self._meet_again(tx, message, at)
        if given is None or arrival is None:
            return
        if said is None:
            drop(arrival, "blocked" if arrival.person.blocked else "not-member")
        else:
            _obeyed(arrival, given, said)
        arrival.write_steps()
        announce(tx, message.chat_id, MessageChanged(message.id))

    def _meet_again(self, tx: Tx, message: Message, at: datetime) -> Arrival | None:
        chat = people.chat(tx, message.chat_id)
        return self.meet(tx, message, chat, people.person(tx, message.person_id), at) if chat else None

    def _facts(self, arrival: Arrival, given: GivenCommand | None, skills: Collection[str]) -> Facts:
        message, chat, person = arrival.message, arrival.chat, arrival.person
        companies = {wiring.group: self._groups.company_of(wiring.group) for wiring in arrival.wirings}
        wired = tuple(
            self._wired(arrival, wiring, company)
            for wiring in arrival.wirings
            if (company := companies[wiring.group]) is not None
        )
        groups = () if wired else self._groups.usable()
        return Facts(
            text=message.text,
            addressed=message.addressed,
            # In a private chat every file is meant for the bot; among others it may be a captioned picture.
            in_own_words=message.in_own_words or chat.kind is ChatKind.PRIVATE,
            commands_skill=given is not None and given.name in skills,
            edits_seen=_edits_seen(arrival),
            strangers=chat.strangers,
            role=arrival.rights.role_among(groups if len(groups) == 1 else ()),
            anonymous=person.is_anonymous,
            blocked=person.blocked,
            wired=wired,
            groups=groups,
            can_ask=chat.strangers is UnknownSenders.REQUEST_APPROVAL and _can_ask(arrival, wired),
        )

    def _wired(self, arrival: Arrival, wiring: Wiring, company: str) -> Wired:
        message = arrival.message
        may_stay = wiring.engage.mode is EngageMode.MENTION_STICKY and not message.addressed
        session = (
            sessions.find(arrival.tx, wiring.group, message.chat_id, message.thread) if may_stay else None
        )
        return Wired(
            group=wiring.group,
            company=company,
            engage=wiring.engage,
            senders=wiring.senders,
            ignored=wiring.ignored,
            role=arrival.rights.role_in(wiring.group),
            called=session is not None and session.called_at is not None,
        )


def _context(arrival: Arrival, commanded: Commanded) -> CommandContext:
    return CommandContext(
        actor=arrival.actor,
        person=arrival.person,
        rights=arrival.rights,
        message=arrival.message,
        chat=arrival.chat,
        groups=commanded.groups or tuple(wiring.group for wiring in arrival.wirings),
        locale=arrival.locale,
        at=arrival.at,
    )


def _obeyed(arrival: Arrival, given: GivenCommand, said: str) -> None:
    arrival.note(Event.COMMANDED, name=given.name.replace("-", "_"))
    if isinstance(said, RefusedAnswer):
        arrival.note(Event.REFUSED, reason="command-refused")
        answer(arrival, str(said), End.REFUSED)
    elif said:
        answer(arrival, said, End.ANSWERED)
    else:  # answered already, with buttons
        messages.end(arrival.tx, arrival.message.id, End.ANSWERED)


def _waiting_command(message: Message) -> GivenCommand | None:
    """The command that waits for its attached file, if it is one."""
    given = command_in(message)
    command = COMMANDS.get(given.name) if given else None
    return given if command and command.takes_file and message.end is None else None


def _here(arrival: Arrival) -> Role:
    return arrival.rights.role_among(wiring.group for wiring in arrival.wirings)


def _can_ask(arrival: Arrival, wired: tuple[Wired, ...]) -> bool:
    """Whether anyone on this network can decide: before someone has paired there is nobody to ask."""
    groups = [each.group for each in wired]
    if arrival.rights.may_in_all(groups, Role.MEMBER):  # no need to ask
        return True
    network = arrival.person.network.partition("-")[0]
    return any(one.network == network for one in memberships.approvers(arrival.tx, groups))


def _edits_seen(arrival: Arrival) -> bool:
    """In a group chat, editing a message that woke an agent does not wake it again."""
    message = arrival.message
    if message.edits is None or arrival.chat.kind is ChatKind.PRIVATE:
        return False
    return messages.woke_someone(arrival.tx, message.chat_id, message.edits, before=message.id)
