"""A person changes a task's time or text from a chat: with a command, or by replying to what its button asked."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from nanoclaw.admission.commands import command_in
from nanoclaw.delivery import outbox
from nanoclaw.domain.errors import NanoClawError
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.messages import Chat, End
from nanoclaw.domain.parcels import Author
from nanoclaw.domain.people import Actor
from nanoclaw.domain.ports import Channel
from nanoclaw.domain.tasks import Task, TaskStatus
from nanoclaw.domain.text import as_written
from nanoclaw.durable import messages, sent, tasks
from nanoclaw.durable.store import Tx
from nanoclaw.flows.incoming.arrival import Arrival, answer
from nanoclaw.flows.tasks import task_text
from nanoclaw.flows.tasks.changes import TaskChanges
from nanoclaw.flows.tasks.recurrence_text import rhythm
from nanoclaw.texts import say, tell
from nanoclaw.times.when import read_when

TIME, WORDS = "time", "text"
"""What can be edited in a chat, as the command names it."""

_EDIT = "task-edit"  # first part of the origin of the message that asks for the new value


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskEdits:
    changes: TaskChanges
    channels: Mapping[str, Channel]

    def edit(self, tx: Tx, task: Task, what: str, value: str, by: Actor, at: datetime) -> None:
        """Raises Refused."""
        if what == TIME:
            schedule = read_when(value, at, task.schedule.timezone)
            self.changes.edit(tx, task, by, at, schedule=schedule)
        else:
            self.changes.edit(tx, task, by, at, prompt=value)

    def told(self, tx: Tx, task: Task, locale: Locale) -> str:
        """The task after the edit, in one line; its card shows everything."""
        left = tasks.get(tx, task.id) or task
        times = [left.next_run_at] if left.next_run_at else []
        return say(
            locale.speaks,
            "order-task-edit-paused" if left.status is TaskStatus.PAUSED else "order-task-edit",
            id=left.id,
            title=as_written(left.title),
            rhythm=as_written(rhythm(left.schedule, locale)),
            next=task_text.times_told(times, locale),
        )

    def ask_for(self, tx: Tx, task: Task, what: str, by: Actor, chat: Chat, at: datetime) -> None:
        """On channels without replies, name the command instead."""
        channel = self.channels.get(chat.channel)
        way = "" if channel and channel.replies else "-by-order"
        outbox.post(
            tx,
            chat_id=chat.id,
            thread=task.thread if chat.id == task.chat_id else None,
            author=Author.HOST,
            text=say(by.language, f"task-edit-{what}{way}", id=task.id, title=as_written(task.title)),
            at=at,
            origin=_origin(task.id, what, at),
        )

    def take(self, arrival: Arrival) -> bool:
        """Handle a reply that gives a new time or text; False if the message is not such a reply."""
        tx, message, chat = arrival.tx, arrival.message, arrival.chat
        if message.reply_to is None or arrival.person.blocked:
            return False
        if not message.in_own_words or command_in(message) is not None:
            return False
        ref = message.reply_to.ref
        parcel = outbox.about(tx, sent.subject_at(tx, chat.id, ref) or ref)
        origin = outbox.origin_of(tx, parcel.id) if parcel and parcel.chat_id == chat.id else None
        if origin is None or not origin.startswith(f"{_EDIT} "):
            return False
        _, task_id, what, _ = origin.split(" ", 3)
        try:
            task = self.changes.find(tx, task_id, arrival.actor)
            self.edit(tx, task, what, message.text.strip(), arrival.actor, arrival.at)
        except NanoClawError as error:
            _refuse(arrival, error, _origin(task_id, what, arrival.at))
        else:
            answer(arrival, self.told(tx, task, arrival.locale), End.ANSWERED)
        return True


def _origin(task_id: int | str, what: str, at: datetime) -> str:
    """Identifies the message, so that a reply to it is recognised."""
    return f"{_EDIT} {task_id} {what} {at.isoformat()}"


def _refuse(arrival: Arrival, error: NanoClawError, origin: str) -> None:
    """Post a refusal that can be replied to as well."""
    message = arrival.message
    messages.end(arrival.tx, message.id, End.REFUSED)
    outbox.post(
        arrival.tx,
        chat_id=message.chat_id,
        thread=message.thread,
        author=Author.HOST,
        text=as_written(tell(arrival.locale.speaks, error)),
        at=arrival.at,
        message_id=message.id,
        origin=origin,
    )
