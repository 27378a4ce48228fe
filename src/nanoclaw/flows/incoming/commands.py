"""A person gives the host a command (`/help`, `/stop` ...), and the host answers itself, without an agent."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from nanoclaw.admission.commands import COMMANDS, Command, GivenCommand
from nanoclaw.admission.pairing import Guessing, tidy_code
from nanoclaw.context.skills import Skills
from nanoclaw.delivery import outbox
from nanoclaw.domain.errors import NanoClawError
from nanoclaw.domain.ids import ChatId, SessionId
from nanoclaw.domain.locale import Locale, find_zone
from nanoclaw.domain.messages import Chat, Message
from nanoclaw.domain.news import EVERY_CHAT, ChatChanged, MessageChanged
from nanoclaw.domain.people import Actor, Person, Rights, Role
from nanoclaw.domain.text import as_written
from nanoclaw.durable import (
    audit,
    counts,
    messages,
    pairings,
    people,
    sent,
    session_queue,
    sessions,
    timeline,
    work,
)
from nanoclaw.durable.after_commit import announce
from nanoclaw.durable.store import Tx
from nanoclaw.durable.timeline import Event, note_all
from nanoclaw.durable.why import explain
from nanoclaw.flows.incoming.help import Help, HelpReader
from nanoclaw.flows.incoming.template_commands import TemplateCommands
from nanoclaw.pipelines.phrases import Meant
from nanoclaw.texts import LANGUAGES, say, tell


@dataclass(frozen=True, kw_only=True, slots=True)
class CommandContext:
    """Who gave the command, where and when, and in which language to answer."""

    actor: Actor
    person: Person
    rights: Rights
    message: Message
    chat: Chat
    groups: tuple[str, ...]  # the chat's wirings
    locale: Locale
    at: datetime


class RefusedAnswer(str):
    """The answer to a command that was not carried out as it was written: its message ends as refused."""

    __slots__ = ()


class LaterAnswer(str):
    """The command waits for something: its message stays open until the work of kind "command" answers it."""

    __slots__ = ()


Answer = Callable[[Tx, str, CommandContext], str | None]
"""Runs a command with its argument. Returns the answer: empty if it was already given, a `RefusedAnswer` if
nothing was done, None to ignore the command.
"""


def refused_in_words(
    act: Callable[[Tx, str, CommandContext], str], tx: Tx, argument: str, asked: CommandContext
) -> str:
    """Answer a refusal in words; nothing has changed then."""
    try:
        return act(tx, argument.strip(), asked)
    except NanoClawError as error:
        return RefusedAnswer(as_written(tell(asked.locale.speaks, error)))


Paired = Callable[[Tx, Actor, Person, Chat, datetime], None]


class Stopped(Protocol):
    def __call__(self, tx: Tx, session_id: SessionId, asked: CommandContext, *, clear: bool) -> bool:
        """Returns whether anything was taken back."""


class Cleared(Protocol):
    def __call__(self, tx: Tx, session_id: SessionId, asked: CommandContext) -> str:
        """What else ends with the conversation, in words; empty if nothing does."""


class PipelineStart(Protocol):
    def named(self, tx: Tx, name: str, subject: str, asked: CommandContext) -> str:
        """Start a pipeline by a command of its template."""

    def meant(self, tx: Tx, meant: Meant, asked: CommandContext) -> str:
        """Start a pipeline by a phrase of its template."""


class Commands:
    def __init__(self, known_skills: Skills, templates: TemplateCommands) -> None:
        self._shown_help = Help(known_skills=known_skills, templates=templates)
        self._templates = templates
        self._pipelines: PipelineStart | None = None
        self._guessing = Guessing()
        self._paired: Paired | None = None
        self._stopped: list[Stopped] = []
        self._cleared: list[Cleared] = []
        self._idle: Answer | None = None
        self._more_status: list[Answer] = []
        self._answers: dict[str, Answer] = {
            "help": self._help,
            "start": self._start,
            "status": self._status,
            "why": self._why,
            "stop": lambda tx, _, asked: self._stop(tx, asked, clear=False),
            "clear": lambda tx, _, asked: self._stop(tx, asked, clear=True),
            "leave": lambda tx, _, asked: _leave(tx, asked),
            "retry": lambda tx, _, asked: _retry_last(tx, asked),
            "retry-failed": lambda tx, _, asked: _retry_failed(tx, asked),
            "language": self._language,
            "timezone": self._timezone,
            "pair": self._pair,
        }

    def learn(
        self,
        answers: Mapping[str, Answer],
        *,
        paired: Paired | None = None,
        stopped: Stopped | None = None,
        cleared: Cleared | None = None,
        idle: Answer | None = None,
        status: Answer | None = None,
        pipelines: PipelineStart | None = None,
    ) -> None:
        """Add commands, and what pairing, stopping and templates do, from parts that themselves need
        `Commands`. `idle` gives the answer to `/stop` where no agent is busy; `status` adds to `/status`;
        empty means nothing.
        """
        self._answers |= answers
        self._paired = paired or self._paired
        self._stopped += [stopped] if stopped else []
        self._cleared += [cleared] if cleared else []
        self._idle = idle or self._idle
        self._more_status += [status] if status else []
        self._pipelines = pipelines or self._pipelines

    def find(self, name: str) -> Command | None:
        """A command of the host, or of a template."""
        return COMMANDS.get(name) or self._templates.find(name)

    def meant(self, text: str) -> Meant | None:
        """The pipeline that is asked for in plain words, if any."""
        return self._templates.meant(text)

    def is_for_anyone(self, given: GivenCommand) -> bool:
        """Whether a stranger may use it, alone with the bot, where nobody else can read the code."""
        command = COMMANDS.get(given.name)
        return command is not None and command.role is Role.STRANGER

    def nearest(self, name: str, role: Role) -> str | None:
        """What an unknown command may have meant."""
        return self._shown_help.nearest(name, role)

    def obey(self, tx: Tx, given: GivenCommand, asked: CommandContext) -> str | None:
        """Run the command in the transaction of its message. Returns the answer; None if it is ignored."""
        if answer := self._answers.get(given.name):
            return answer(tx, given.argument, asked)
        return self._pipelines.named(tx, given.name, given.argument, asked) if self._pipelines else None

    def begin(self, tx: Tx, meant: Meant, asked: CommandContext) -> str | None:
        """Start what was asked for in plain words, as if its command had been given."""
        return self._pipelines.meant(tx, meant, asked) if self._pipelines else None

    def _help(self, _tx: Tx, argument: str, asked: CommandContext) -> str:
        asker = _asker(asked)
        if not argument:
            return self._shown_help.overview(asker)
        told = self._shown_help.about(argument, asker)
        return told or RefusedAnswer(self._shown_help.unknown(argument, asker))

    def _start(self, tx: Tx, argument: str, asked: CommandContext) -> str | None:
        """A Telegram link carries its code. A stranger is told how to pair while nobody has paired."""
        if argument:
            return self._pair(tx, argument, asked)
        if asked.rights.role_among(asked.groups) is Role.STRANGER:
            network = asked.person.handle.partition(":")[0]
            owners = people.with_role(tx, Role.OWNER)
            paired = any(owner.handle.partition(":")[0] == network for owner in owners)
            return None if paired else say(asked.locale.speaks, "order-start-unpaired")
        head = say(asked.locale.speaks, "start-head", name=as_written(asked.person.name))
        return f"{head}\n\n{self._shown_help.overview(_asker(asked))}"

    def _status(self, tx: Tx, _argument: str, asked: CommandContext) -> str:
        found = counts.count(tx)
        told = say(
            asked.locale.speaks,
            "order-status",
            running=found.running,
            waiting=found.waiting,
            undelivered=found.undelivered,
            failed=found.failed,
        )
        more = (answer(tx, "", asked) for answer in self._more_status)
        return "\n\n".join([told, *filter(None, more)])

    def _why(self, tx: Tx, argument: str, asked: CommandContext) -> str:
        """Explain the message with this id, else the one this replies to, else the latest message that is not
        this command.
        """
        here = asked.message.chat_id
        if argument:
            found = (messages.get(tx, message_id) for message_id in timeline.find(tx, argument))
            fits = (message.id for message in found if message and message.chat_id == here)
            wanted: str | None = next(fits, None)
        elif asked.message.reply_to:
            wanted = _meant_by(tx, here, asked.message.reply_to.ref)
        else:
            wanted = timeline.last_before(tx, here, asked.message.thread, asked.message.id)
        told = explain(tx, wanted, asked.locale) if wanted else None
        if told is None:
            return RefusedAnswer(say(asked.locale.speaks, "order-why-none"))
        zone = asked.locale.zone
        steps = "\n".join(
            f"- `{step.at.astimezone(zone):%H:%M:%S.%f}`"[:-4] + f"` {step.sentence}" for step in told.steps
        )
        used = "\n".join(
            f"- {as_written(each.text)} `{each.id}`" if each.text else f"- `{each.id}`"
            for each in told.memories
        )
        memory = f"\n\n{say(asked.locale.speaks, 'why-memory')}\n{used}" if used else ""
        return f"**{told.sentence}** `{told.id}`\n\n{steps}{memory}"

    def _pair(self, tx: Tx, argument: str, asked: CommandContext) -> str | None:
        """The first to send the code becomes an owner, and talks to the main agent here."""
        language, person = asked.locale.speaks, asked.person
        if not self._guessing.may_try(person.handle):
            return None
        if not argument:
            return RefusedAnswer(say(language, "order-pair-how"))
        is_good = pairings.redeem(tx, tidy_code(argument), person.handle, asked.at)
        if person.role is Role.OWNER:  # the code is used up anyway: others may read it here
            return say(language, "order-pair-already")
        if not is_good:
            self._guessing.was_wrong(person.handle)
            again = self._guessing.may_try(person.handle)
            return RefusedAnswer(say(language, "order-pair-wrong" if again else "order-pair-too-often"))
        people.set_role(tx, person.id, Role.OWNER)
        audit.record(tx, asked.actor, asked.at, "paired", person.id)
        if self._paired:
            self._paired(tx, asked.actor, person, asked.chat, asked.at)
        return say(language, "order-pair-done", name=as_written(person.name))

    def _stop(self, tx: Tx, asked: CommandContext, *, clear: bool) -> str:
        """End whatever the agents do here and what waits for them. `/clear` also starts afresh."""
        found = sessions.of_chat(tx, asked.message.chat_id, asked.message.thread)
        here = [session for session in found if asked.rights.role_in(session.group).may(Role.MEMBER)]
        busy, gone = False, list[str]()
        for session in here:
            # First: an answer that results from this must not wake the agent again.
            ended = [stopped(tx, session.id, asked, clear=clear) for stopped in self._stopped]
            taken_back = any(ended)
            waited = session_queue.stop_waiting(tx, session.id)
            for message_id in waited:
                note_all(tx, message_id, [(Event.STOPPED, asked.at, {})])
                announce(tx, asked.message.chat_id, MessageChanged(message_id))
            begun = session_queue.open_turn(tx, session.id)
            if begun or waited or taken_back:
                busy = True
                # Never before its start, even if the clock was set back.
                sessions.stop(tx, session.id, max(asked.at, begun[1]) if begun else asked.at)
                work.due(tx, work.TURN, session.id, asked.at)  # a turn waiting for later ends now
            if clear:
                gone += [cleared(tx, session.id, asked) for cleared in self._cleared]
                sessions.clear(tx, session.id, asked.at)
        if not busy and not clear and self._idle and (told := self._idle(tx, "", asked)):
            return told
        if not busy and not clear:
            return RefusedAnswer(say(asked.locale.speaks, "order-stop-none"))
        done = say(asked.locale.speaks, "order-clear-done" if clear else "order-stop-done")
        return "\n\n".join([done, *filter(None, gone)])

    def _language(self, tx: Tx, argument: str, asked: CommandContext) -> str:
        language = argument.lower()
        if language not in LANGUAGES:
            return RefusedAnswer(say(asked.locale.speaks, "order-language-unknown"))
        people.set_preference(tx, asked.person.id, language=language)
        return say(language, "order-language-set")

    def _timezone(self, tx: Tx, argument: str, asked: CommandContext) -> str:
        language = asked.locale.speaks
        if not argument:
            return say(language, "order-timezone-now", zone=asked.locale.zone.key)
        name = find_zone(argument)
        if name is None:
            return RefusedAnswer(say(language, "order-timezone-unknown", zone=argument[:50]))
        people.set_preference(tx, asked.person.id, timezone=name)
        local = asked.at.astimezone(Locale(timezone=name).zone)
        return say(language, "order-timezone-set", zone=name, time=f"{local:%Y-%m-%d %H:%M}")


def _asker(asked: CommandContext) -> HelpReader:
    here = asked.rights.role_among(asked.groups)
    return HelpReader(here=here, everywhere=asked.rights.everywhere, language=asked.locale.speaks)


def reopen(tx: Tx, *, message_id: str, at: datetime) -> bool:
    """Queue a failed message again. False when there is nothing to retry."""
    message = messages.get(tx, message_id)
    if message is None:
        return False
    reopened = session_queue.reopen(tx, message_id)
    for session_id, turn_id in reopened.items():
        work.due(tx, work.TURN, session_id, at, hasten=False)
        note_all(tx, message_id, [(Event.RETRIED, at, {"turn": turn_id})])
    if reopened:
        announce(tx, message.chat_id, MessageChanged(message.id))
        announce(tx, EVERY_CHAT, ChatChanged(message.chat_id))
    return bool(reopened)


def _retry_last(tx: Tx, asked: CommandContext) -> str:
    """Retry the last failed message of this chat."""
    failed = session_queue.last_failed(tx, asked.message.chat_id)
    reopened = failed is not None and reopen(tx, message_id=failed, at=asked.at)
    if not reopened:
        return RefusedAnswer(say(asked.locale.speaks, "order-retry-none"))
    return say(asked.locale.speaks, "order-retry-done")


def _retry_failed(tx: Tx, asked: CommandContext) -> str:
    """Send again everything, in any chat, that could not be delivered."""
    failed = outbox.given_up(tx)
    for parcel in failed:
        outbox.retry(tx, parcel, asked.at)
    told = say(asked.locale.speaks, "order-retry-failed", count=len(failed))
    return told if failed else RefusedAnswer(told)


def _leave(tx: Tx, asked: CommandContext) -> str:
    """Agents that stayed in this thread after a mention wait for the next mention."""
    here = [each for each in sessions.of_chat(tx, asked.chat.id, asked.message.thread) if each.called_at]
    for session in here:
        sessions.call(tx, session.id, None)
    if not here:
        return RefusedAnswer(say(asked.locale.speaks, "order-leave-none"))
    return say(asked.locale.speaks, "order-leave-done")


def _meant_by(tx: Tx, chat_id: ChatId, ref: str) -> str | None:
    """The message someone replies to, or the one answered by what they reply to."""
    if said := messages.at(tx, chat_id, ref):
        return said.id
    found = timeline.find(tx, sent.subject_at(tx, chat_id, ref) or ref)
    fits = (messages.get(tx, each) for each in found)
    return next((message.id for message in fits if message and message.chat_id == chat_id), None)
