"""The card of a task: posted where the task was created, and kept up to date."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from nanoclaw.delivery import outbox
from nanoclaw.delivery.enclosed import enclosed
from nanoclaw.domain.ids import MessageId
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.parcels import Button
from nanoclaw.domain.questions import digest_of
from nanoclaw.domain.tasks import Run, Task, TaskStatus, ZoneOf
from nanoclaw.durable import people, task_runs, tasks
from nanoclaw.durable.store import Tx
from nanoclaw.flows.tasks import task_text
from nanoclaw.flows.tasks.buttons import CANCEL, buttons, under_card
from nanoclaw.flows.tasks.estimate import estimate
from nanoclaw.flows.tasks.routes import Routes

DOCUMENT = "task"
"""The kind of document that the card of a task encloses."""
_MARK = 16  # letters of a digest


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskCards:
    telling: Routes

    def show(self, tx: Tx, task: Task, at: datetime, *, message_id: MessageId | None = None) -> None:
        """Post the card with its buttons, as an answer to the message that created the task, if there is one."""
        locale = self.telling.locale_of(tx, task)
        self._enclose(tx, task, locale.speaks, at)
        text, below = self._text(tx, task, locale, at), self._buttons(tx, task, locale.speaks)
        parcel_id = self.telling.in_chat(
            tx, task, text, at, buttons=below, origin=f"task {task.id} card", message_id=message_id
        )
        if parcel_id:
            tasks.mark(tx, task.id, card=parcel_id)

    def refresh(self, tx: Tx, task_id: int, at: datetime, *, menu: str = "") -> None:
        """Update the card wherever it is shown."""
        task = tasks.get(tx, task_id)
        if task is None or task.card is None:
            return
        locale = self.telling.locale_of(tx, task)
        self._enclose(tx, task, locale.speaks, at)
        below = self._buttons(tx, task, locale.speaks, menu=menu)
        outbox.amend(tx, task.card, self._text(tx, task, locale, at), below, at)

    def _enclose(self, tx: Tx, task: Task, language: str, at: datetime) -> None:
        """Post all of what the card shows only in part, once for each version of it."""
        whole = task_text.document(task, language)
        if whole is None:
            return
        ref = f"{task.id}-{digest_of(whole)[:_MARK]}"
        attachment = enclosed(DOCUMENT, ref, language, task_text.document_name(task), whole)
        self.telling.in_chat(tx, task, "", at, attachments=[attachment], origin=f"document task {ref}")

    def text(self, tx: Tx, task: Task, locale: Locale, at: datetime) -> str:
        """The card for one reader, in their locale."""
        zone_owner = people.person(tx, task.owner).name if task.zone_of is ZoneOf.PERSON else ""
        return task_text.card(task, locale, at, estimate=estimate(tx, task, at), zone_owner=zone_owner)

    def _text(self, tx: Tx, task: Task, locale: Locale, at: datetime) -> str:
        if not task.is_background:
            return self.text(tx, task, locale, at)
        last = task_runs.last_of(tx, [task.id]).get(task.id)
        if last and not last.status.is_open:
            return task_text.background_over(task, last, locale.speaks)
        return task_text.background_card(task, locale.speaks, since=_since(last, at))

    def progress(self, tx: Tx, task: Task, run: Run, doing: str, at: datetime) -> None:
        """Show in its one message what a long run is doing."""
        if task.card is None:
            return
        language = self.telling.locale_of(tx, task).speaks
        text = task_text.background_card(task, language, since=_since(run, at), doing=doing)
        outbox.amend(tx, task.card, text, self._buttons(tx, task, language), at)

    def _buttons(self, tx: Tx, task: Task, language: str, *, menu: str = "") -> tuple[Button, ...]:
        if not task.is_background:
            return under_card(task, language, menu=menu)
        if task.status is TaskStatus.ACTIVE and task_runs.open_of(tx, task.id):
            return buttons(task, language, CANCEL)
        return under_card(task, language) if task.status is TaskStatus.FAILED else ()


def document_of(tx: Tx, ref: str, language: str) -> str | None:
    """Makes the document of a card, as the task is now: after an edit another document follows."""
    number = ref.partition("-")[0]
    task = tasks.get(tx, int(number)) if number.isascii() and number.isdigit() else None
    return task_text.document(task, language) if task else None


def _since(run: Run | None, at: datetime) -> timedelta:
    return at - run.started_at if run and run.started_at else timedelta()
