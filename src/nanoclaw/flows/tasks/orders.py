"""The orders by which people schedule tasks in a chat, see them, and change them; and the presses of their buttons."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from nanoclaw.admission.commands import order_in
from nanoclaw.admission.when import read_when, split_when
from nanoclaw.context.groups import Groups
from nanoclaw.delivery import outbox
from nanoclaw.domain.errors import NanoClawError, Refused
from nanoclaw.domain.ids import ParcelId
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.messages import Chat, End
from nanoclaw.domain.parcels import Author
from nanoclaw.domain.people import Role, Ruler
from nanoclaw.domain.tasks import Policy, Task, TaskStatus, WantedTask
from nanoclaw.domain.text import as_written
from nanoclaw.durable import messages, sent, task_runs, tasks
from nanoclaw.durable.aftermath import Aftermath
from nanoclaw.durable.store import Tx
from nanoclaw.flows.door.arrival import Arrival, answer
from nanoclaw.flows.door.rule_lists import listed
from nanoclaw.flows.order import Answer, Asked, Obeyed, refused_in_words
from nanoclaw.flows.tasks import buttons, words
from nanoclaw.flows.tasks.changing import Changes
from nanoclaw.flows.tasks.making import Maker, Making
from nanoclaw.flows.tasks.rhythm import rhythm
from nanoclaw.texts import say, tell

_MOST_LISTED = 50
_RUNS_SHOWN = 10
_TIME, _WORDS = "time", "text"
_PRESSED = {
    buttons.PAUSE: "pause",
    buttons.RESUME: "resume",
    buttons.RUN: "run",
    buttons.CANCEL: "cancel",
    buttons.DELETE_SURELY: "delete",
}
_EDIT = "task-edit"  # the first word of the origin of what asks for new words


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskPressed:
    """What the one who pressed is told. The card of the task shows what came of it; a notice elsewhere is `settled`."""

    said: str
    going: Aftermath
    card: ParcelId | None
    settled: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskOrders:
    groups: Groups
    making: Making
    changes: Changes
    usual: Policy

    def answers(self) -> Mapping[str, Answer]:
        known: dict[str, Callable[[Tx, str, Asked], str | Obeyed]] = {
            "schedule": self._schedule,
            "tasks": self._tasks,
            **{f"task-{name}": partial(self._change, action=name) for name in self.changes.acts},
            "task-edit": self._edit,
            "task-history": self._history,
        }
        return {name: partial(refused_in_words, act) for name, act in known.items()}

    def _schedule(self, tx: Tx, argument: str, asked: Asked) -> Obeyed:
        """`/schedule every monday 8:00 send me the news`. Its card is the answer."""
        if not argument:
            raise Refused("schedule-how")
        fits = [group for group in asked.groups if asked.rights.role_in(group).may(Role.MEMBER)]
        if not fits:
            raise Refused("task-no-agent")
        group = self.groups.get(fits[0])
        zone, _ = self.making.clock_of(asked.person, group)
        schedule, prompt = split_when(argument, asked.at, zone)
        maker = Maker(
            person=asked.person,
            ruler=asked.ruler,
            group=group,
            chat_id=asked.chat.id,
            thread=asked.message.thread,
            origin=f"message {asked.message.id}",
        )
        wanted = WantedTask(schedule=schedule, prompt=prompt, policy=self.usual)
        task, going = self.making.make(tx, wanted, maker, asked.at)
        return Obeyed(
            said="",
            aftermath=going + self.changes.cards.show(tx, task, asked.at, message_id=asked.message.id),
        )

    def _tasks(self, tx: Tx, _argument: str, asked: Asked) -> str:
        main = self.groups.main().name
        found = [
            task
            for task in tasks.alive(tx, None if main in asked.groups else asked.groups)
            if self.changes.may_see(task, asked.ruler, asked.groups)
        ]
        found.sort(key=words.by_next_time)
        last = task_runs.last_of(tx, [task.id for task in found])
        lines = [words.line(task, asked.locale, last.get(task.id)) for task in found[:_MOST_LISTED]]
        return listed(asked.locale.speaks, "tasks-head", lines)

    def _change(
        self,
        tx: Tx,
        argument: str,
        asked: Asked,
        *,
        action: str,
    ) -> Obeyed:
        task = self._meant(tx, argument, asked)
        going = self.changes.acts[action](tx, task, asked.ruler, asked.at)
        left = tasks.get(tx, task.id) or task
        next_at = (
            words.moment(left.next_run_at, asked.locale)
            if left.next_run_at and left.status is TaskStatus.ACTIVE
            else "-"
        )
        said = say(
            asked.locale.speaks,
            f"order-task-{action}",
            id=task.id,
            title=as_written(task.title),
            next=next_at,
        )
        return Obeyed(said=said, aftermath=going)

    def _edit(self, tx: Tx, argument: str, asked: Asked) -> Obeyed:
        """`/task_edit 5 time every day 9:00`, `/task_edit 5 text Send me the news`."""
        ref, _, rest = argument.partition(" ")
        what, _, value = rest.strip().partition(" ")
        if what.lower() not in (_TIME, _WORDS) or not value.strip():
            raise Refused("task-edit-how")
        task = self._meant(tx, ref, asked)
        going = self._edited(tx, task, what.lower(), value.strip(), asked.ruler, asked.at)
        return Obeyed(said=self._told(tx, task, asked.locale), aftermath=going)

    def _told(self, tx: Tx, task: Task, locale: Locale) -> str:
        """What it has become, in a line; its card shows all of it."""
        left = tasks.get(tx, task.id) or task
        times = [left.next_run_at] if left.next_run_at else []
        return say(
            locale.speaks,
            "order-task-edit",
            id=left.id,
            title=as_written(left.title),
            rhythm=as_written(rhythm(left.schedule, locale)),
            next=words.times_told(times, locale),
        )

    def _edited(self, tx: Tx, task: Task, what: str, value: str, by: Ruler, at: datetime) -> Aftermath:
        if what == _TIME:
            schedule = read_when(value, at, task.schedule.timezone)
            return self.changes.edit(tx, task, by, at, schedule=schedule)
        return self.changes.edit(tx, task, by, at, prompt=value)

    def _history(self, tx: Tx, argument: str, asked: Asked) -> str:
        task = self._meant(tx, argument, asked, to_change=False)
        runs = task_runs.history(tx, task.id, _RUNS_SHOWN)
        lines = [f"- {words.run_line(run, asked.locale)}" for run in runs]
        head = say(asked.locale.speaks, "task-history-head", id=task.id, title=as_written(task.title))
        return "\n".join([head, "", *(lines or [say(asked.locale.speaks, "task-history-none")])])

    def _meant(self, tx: Tx, argument: str, asked: Asked, *, to_change: bool = True) -> Task:
        if not argument.strip():
            raise Refused("task-which")
        ref = argument.split()[0]
        return self.changes.find(tx, ref, asked.ruler, seen_from=asked.groups, to_change=to_change)

    # Buttons

    def press(self, tx: Tx, meant: str, by: Ruler, chat: Chat, at: datetime) -> TaskPressed:
        """Raises Refused."""
        ref, _, action = meant.partition(":")
        task = self.changes.find(tx, ref, by)
        language, cards = by.language, self.changes.cards
        acts = {letter: self.changes.acts[name] for letter, name in _PRESSED.items()}
        if action in acts:
            going = acts[action](tx, task, by, at)
            return TaskPressed(said=say(language, "press-taken"), going=going, card=task.card, settled=True)
        if action in (buttons.EDIT, buttons.DELETE, buttons.BACK):
            menu = "" if action == buttons.BACK else action
            going = cards.refresh(tx, task.id, at, menu=menu)
            said = say(language, "press-choose" if menu else "press-taken")
            return TaskPressed(said=said, going=going, card=task.card)
        if action in (buttons.EDIT_TIME, buttons.EDIT_WORDS):
            what = _TIME if action == buttons.EDIT_TIME else _WORDS
            going = self._ask_for(tx, task, what, by, chat, at)
            going += cards.refresh(tx, task.id, at)
            return TaskPressed(said=say(language, "press-taken"), going=going, card=task.card)
        raise Refused("press-unknown")

    def _ask_for(self, tx: Tx, task: Task, what: str, by: Ruler, chat: Chat, at: datetime) -> Aftermath:
        way = (
            "" if ":" in chat.channel else "-by-order"
        )  # in a room of this machine nobody can reply to a line
        outbox.post(
            tx,
            chat_id=chat.id,
            thread=task.thread if chat.id == task.chat_id else None,
            author=Author.HOST,
            text=say(by.language, f"task-edit-{what}{way}", id=task.id, title=as_written(task.title)),
            at=at,
            origin=f"{_EDIT} {task.id} {what} {at.isoformat()}",
        )
        return Aftermath(deliver_to=(chat.id,))

    def take(self, arrival: Arrival) -> Aftermath | None:
        """A reply to what asks for a new time or new words; None when the message is none."""
        tx, message, chat = arrival.tx, arrival.message, arrival.chat
        if message.reply_to is None or arrival.person.blocked or order_in(message) is not None:
            return None
        ref = message.reply_to.ref
        parcel = outbox.about(tx, sent.subject_at(tx, chat.id, ref) or ref)
        origin = outbox.origin_of(tx, parcel.id) if parcel and parcel.chat_id == chat.id else None
        if origin is None or not origin.startswith(f"{_EDIT} "):
            return None
        _, task_id, what, _ = origin.split(" ", 3)
        try:
            task = self.changes.find(tx, task_id, arrival.ruler)
            going = self._edited(tx, task, what, message.text.strip(), arrival.ruler, arrival.at)
        except NanoClawError as error:
            return _refused(arrival, error, f"{_EDIT} {task_id} {what} {arrival.at.isoformat()}")
        return going + answer(arrival, self._told(tx, task, arrival.locale), End.ANSWERED)


def _refused(arrival: Arrival, error: NanoClawError, origin: str) -> Aftermath:
    """What is said to this can be replied to as well."""
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
    return Aftermath(deliver_to=(message.chat_id,))
