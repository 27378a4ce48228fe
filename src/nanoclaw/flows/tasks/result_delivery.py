"""Posts what a run says to the chat of its task, and tells the agent of that chat."""

from dataclasses import dataclass
from datetime import datetime

from nanoclaw.delivery import outbox
from nanoclaw.domain.ids import MessageId, ParcelId, TurnId, new_id
from nanoclaw.domain.parcels import Author
from nanoclaw.domain.tasks import Run, Task
from nanoclaw.durable import messages, people, session_queue, sessions, tasks
from nanoclaw.durable.store import Tx
from nanoclaw.flows.tasks import task_text
from nanoclaw.flows.tasks.routes import Routes


@dataclass(frozen=True, kw_only=True, slots=True)
class ResultDelivery:
    telling: Routes

    def post(self, tx: Tx, task: Task, run: Run, said: str, turn_id: TurnId, at: datetime) -> ParcelId | None:
        if not task.notify or not said:
            return None
        parcel_id = outbox.post(
            tx,
            chat_id=task.chat_id,
            thread=task.thread,
            author=Author.AGENT,
            text=task_text.result(task, run, said, self.telling.locale_of(tx, task)),
            at=at,
            turn_id=turn_id,
            origin=f"result {turn_id}",
            silent=self.telling.is_quiet(tx, task, at),
        )
        let_know(tx, task, said, turn_id, at)
        return parcel_id

    def post_stored(self, tx: Tx, task: Task, run: Run, text: str, at: datetime) -> ParcelId:
        """Post the text as it is, without a line about the task: its readers may not know about tasks."""
        return outbox.post(
            tx,
            chat_id=task.chat_id,
            thread=task.thread,
            author=Author.AGENT,
            text=text,
            at=at,
            message_id=run.message_id,
            origin=f"text {run.id}",
            silent=self.telling.is_quiet(tx, task, at),
        )


def let_know(tx: Tx, task: Task, said: str, made_by: str, at: datetime) -> None:
    """Tell the agent of the chat's own session the result, so that it knows it when a person mentions it. For
    a task that reports every minute, only the newest result waits to be read. `made_by` is the turn, or
    the run of a pipeline.
    """
    session = sessions.find_or_open(tx, task.group, task.chat_id, task.thread, at)
    owner = people.person(tx, task.owner)
    if task.told:
        session_queue.forget_kept(tx, session.id, task.told)
    told = messages.by_host(
        f"result {made_by}",
        owner,
        f'Task {task.id} ("{task.title}") was run, and this result was sent to the chat:\n{said}',
        at,
        thread=task.thread,
    )
    message = messages.bring(tx, MessageId(new_id("m")), task.chat_id, owner.id, told)
    if message:
        session_queue.keep(tx, message.id, session.id)
        sessions.keep(tx, session.id, keeps=True)
        tasks.mark(tx, task.id, told=message.id)
