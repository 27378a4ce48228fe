"""The entry. A message is stored, judged, and becomes a turn, a command, a request, or a recorded drop.

All of it is one transaction: when `receive` returns, the message is on disk with its verdict, and the platform may
be told that we have it. A repeat of the same update finds the first one and changes nothing.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import partial

from nanoclaw.admission.commands import command_in
from nanoclaw.context.skills import Skills
from nanoclaw.delivery import outbox, unknown_sends
from nanoclaw.domain.boxes import WORK
from nanoclaw.domain.ids import MessageId, new_id
from nanoclaw.domain.messages import Chat, Incoming, Message, Quote
from nanoclaw.domain.news import EVERY_CHAT, ChatChanged, MessageChanged
from nanoclaw.domain.people import Person, Role
from nanoclaw.domain.text import storable, tidy_name
from nanoclaw.durable import messages, people, sent, work
from nanoclaw.durable.after_commit import announce
from nanoclaw.durable.clock import now
from nanoclaw.durable.engine import Engine, Place
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.timeline import Event, note_all
from nanoclaw.flows.human.text_answers import TextAnswers
from nanoclaw.flows.incoming.admission import MessageAdmission
from nanoclaw.flows.incoming.approvals import Approvals
from nanoclaw.flows.incoming.arrival import Arrival
from nanoclaw.flows.incoming.commands import reopen
from nanoclaw.flows.incoming.held_messages import HeldMessages
from nanoclaw.flows.live.room import refuse_if_over
from nanoclaw.flows.tasks.edits import TaskEdits
from nanoclaw.memory import analyser
from nanoclaw.texts import LANGUAGES

_LONGEST_QUOTE = 2000
_SEARCHES = ("/memory", "/decisions")


class Inbound:
    def __init__(
        self,
        *,
        store: Store,
        engine: Engine,
        known_skills: Skills,
        message_admission: MessageAdmission,
        approvals: Approvals,
        waiting: HeldMessages,
        text_answers: TextAnswers,
        tasks: TaskEdits,
        newcomers: Callable[[str], Role],
    ) -> None:
        """`newcomers` gives the role of someone who writes on a channel for the first time."""
        self._store = store
        self._engine = engine
        self._known_skills = known_skills
        self._message_admission = message_admission
        self._approvals = approvals
        self._waiting = waiting
        self._text_answers = text_answers
        self._tasks = tasks
        self._newcomers = newcomers

    async def receive(self, incoming: Incoming) -> MessageId:
        """Store a message and judge it. It is safe when this returns."""
        tidied = _tidy(incoming)
        if any(command in tidied.text for command in _SEARCHES):
            await analyser.warm_for(tidied.text)  # here, since other messages wait for the transaction
        story = partial(
            self._take_in,
            message_id=MessageId(new_id("m")),  # made now, so that ids sort by arrival
            incoming=tidied,
            at=now(),
        )
        is_short = command_in(tidied) is None  # commands may read much
        return await self._engine.write_and_start(
            work.TURN, lambda place: self._store.write(partial(story, place=place), at_once=is_short)
        )

    async def joined(self, incoming: Incoming) -> None:
        """Someone added us to a chat, where nothing was said yet."""
        tidied = _tidy(incoming)

        def story(tx: Tx) -> None:
            at = now()
            person = self._person(tx, tidied, at)
            self._approvals.joined(tx, self._chat(tx, tidied, at), person, at)

        await self._store.write(story)

    async def moved(self, channel: str, address: str, to: str) -> None:
        """The network changed a chat's address."""
        await self._store.write(
            partial(self._waiting.moved, channel=channel, address=address, to=to, at=now())
        )

    async def retry(self, message_id: str) -> bool:
        """Retry a failed message. False when there is nothing to retry."""
        return await self._store.write(partial(reopen, message_id=message_id, at=now()))

    def _take_in(
        self, tx: Tx, *, message_id: MessageId, incoming: Incoming, at: datetime, place: Place
    ) -> MessageId:
        person = self._person(tx, incoming, at)
        chat = self._chat(tx, incoming, at)
        taken = messages.seen(tx, incoming.channel, chat.id, incoming.external_id) or self._store_new(
            tx, message_id, incoming, chat, person, at
        )
        place.take(tx)
        announce(tx, chat.id, MessageChanged(taken))
        announce(tx, EVERY_CHAT, ChatChanged(chat.id))
        return taken

    def _store_new(
        self, tx: Tx, message_id: MessageId, incoming: Incoming, chat: Chat, person: Person, at: datetime
    ) -> MessageId:
        """Store and judge it, unless it is part of a stored message, or an edit of one."""
        # A blocked person cannot change what they said before, either.
        joined = (
            None
            if person.blocked
            else _join_album(tx, incoming, chat, person) or _reword(tx, incoming, chat, person, at)
        )
        if joined:
            return joined
        incoming = replace(incoming, reply_to=_quoted(tx, chat, incoming.reply_to))
        message = messages.store(tx, message_id, incoming, chat.id, person.id, at)
        arrival = self._message_admission.meet(tx, message, chat, person, at, album=bool(incoming.album))
        arrival.note(Event.RECEIVED, channel=incoming.channel)
        _settle_unknown(arrival)
        may_name = person.role.may(Role.ADMIN) and not person.blocked and message.in_own_words
        if self._text_answers.take(arrival) or self._tasks.take(arrival):
            pass
        elif chat.naming and may_name and command_in(message) is None:
            self._approvals.name(arrival)
        else:
            self._message_admission.admit(arrival, self._known_skills.commands().keys())
        arrival.write_steps()
        return message_id

    def _person(self, tx: Tx, incoming: Incoming, at: datetime) -> Person:
        known = people.person_named(tx, incoming.handle)
        if known is None:
            return people.add_person(
                tx,
                handle=incoming.handle,
                name=incoming.sender,
                role=self._newcomers(incoming.channel),
                at=at,
                language=incoming.language if incoming.language in LANGUAGES else None,
                username=incoming.username,
            )
        name, username = incoming.sender, incoming.username
        is_named = (
            self._newcomers(incoming.channel) is Role.STRANGER
        )  # on this machine the settings name the owner
        if is_named and (known.name, known.username) != (name, username):
            people.rename_person(tx, known.id, name, username)
            return replace(known, name=name, username=username)
        return known

    def _chat(self, tx: Tx, incoming: Incoming, at: datetime) -> Chat:
        title = tidy_name(incoming.chat_title)
        known = people.chat_at(tx, incoming.channel, incoming.address)
        if known is None:
            return people.add_chat(
                tx,
                channel=incoming.channel,
                address=incoming.address,
                title=title or incoming.address,
                at=at,
                kind=incoming.kind,
            )
        refuse_if_over(tx, known)
        if known.closed:  # they write again, so they can be answered again
            people.close_chat(tx, known.id, None)
        if title and title != known.title:
            people.rename_chat(tx, known.id, title)
        if incoming.kind is not known.kind:
            people.set_kind(tx, known.id, incoming.kind)
        return replace(known, kind=incoming.kind, title=title or known.title)


def _settle_unknown(arrival: Arrival) -> None:
    """A reply proves that an unknown parcel arrived; otherwise it is sent again, now that its person writes."""
    tx, message, at = arrival.tx, arrival.message, arrival.at
    unknown = outbox.unknown_in(tx, message.chat_id)
    command = command_in(message)
    asks_for_all = command is not None and command.name == "retry-failed"  # needs no note
    if not unknown or asks_for_all or arrival.person.blocked:
        return
    if message.reply_to and message.reply_to.ours:
        unknown = unknown_sends.prove_by_reply(tx, unknown, message.reply_to, at)
    groups = [wiring.group for wiring in arrival.wirings]
    member = arrival.rights.role_among(groups).may(Role.MEMBER)
    unknown_sends.say_again(tx, unknown, arrival.person, member=member, language=arrival.locale.speaks, at=at)


def _tidy(incoming: Incoming) -> Incoming:
    """Clean the message so that it can be stored and shown."""
    quote = incoming.reply_to
    return replace(
        incoming,
        text=storable(incoming.text),
        sender=tidy_name(incoming.sender) or incoming.handle,
        forwarded_from=incoming.forwarded_from and (tidy_name(incoming.forwarded_from) or "?"),
        external_id=storable(incoming.external_id),
        reply_to=quote
        and replace(
            quote, ref=storable(quote.ref), sender=tidy_name(quote.sender), text=storable(quote.text)
        ),
    )


def _quoted(tx: Tx, chat: Chat, quote: Quote | None) -> Quote | None:
    """The message that a reply refers to, as this host knows it: networks give neither a file's path nor a
    transcript.
    """
    if quote is None:
        return None
    said = messages.at(tx, chat.id, quote.ref)
    if said and said.files:
        return replace(quote, text=_told(said, quote)[:_LONGEST_QUOTE])
    ours = (
        None if said or quote.text else outbox.about(tx, sent.subject_at(tx, chat.id, quote.ref) or quote.ref)
    )
    if ours and ours.chat_id == chat.id:
        files = " ".join(f"[file that you sent: {each.name}]" for each in ours.attachments)
        return replace(quote, text=(ours.text or files)[:_LONGEST_QUOTE])
    return quote


def _told(said: Message, quote: Quote) -> str:
    files = " ".join(
        f"[{file.kind.value}: {f'{WORK}/{file.path}' if file.path else file.name}]" for file in said.files
    )
    # A chosen part of the text is what they mean; a file's placeholder is not.
    is_whole = quote.text.startswith("[") or said.text.startswith(quote.text)
    words = said.text if is_whole else quote.text
    return "\n".join(filter(None, (files, words)))


def _join_album(tx: Tx, incoming: Incoming, chat: Chat, person: Person) -> MessageId | None:
    """A further picture of an album that still waits to be fetched: together they are one message."""
    if incoming.album is None or incoming.edits:
        return None
    first = messages.gathering(tx, chat.id, incoming.album)
    if first is None or not _is_of_same(first, incoming, person):
        return None
    if all(file.part_of != incoming.external_id for file in first.files):
        messages.put_files(tx, first.id, (*first.files, *incoming.files), unfetched=True)
        if incoming.text and not first.text:
            messages.reword(tx, first.id, incoming.text)
    return first.id


def _is_of_same(message: Message, incoming: Incoming, person: Person) -> bool:
    """Nobody changes someone else's message, or puts someone else's words into their own."""
    return message.person_id == person.id and message.in_own_words is incoming.in_own_words


def _reword(tx: Tx, incoming: Incoming, chat: Chat, person: Person, at: datetime) -> MessageId | None:
    """An edit of a message that no agent has seen replaces its text; otherwise it is a new message."""
    edited = messages.newest_words(tx, chat.id, incoming.edits) if incoming.edits else None
    if edited is None or not _is_of_same(edited, incoming, person):
        return None
    words = edited.worded(incoming.text)  # a transcript is not edited by changing the caption below it
    if edited.text == words:  # only a link preview or a reaction changed
        return edited.id
    if edited.held_for is None and not messages.is_untouched(tx, edited.id):
        return None
    messages.reword(tx, edited.id, words)
    note_all(tx, edited.id, [(Event.EDITED, at, {})])
    return edited.id
