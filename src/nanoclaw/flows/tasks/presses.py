"""A person presses a button of a task: it is done, or the card offers a further choice."""

from dataclasses import dataclass
from datetime import datetime

from nanoclaw.domain.errors import Refused
from nanoclaw.domain.ids import ParcelId
from nanoclaw.domain.messages import Chat
from nanoclaw.domain.people import Actor
from nanoclaw.durable.store import Tx
from nanoclaw.flows.tasks import buttons
from nanoclaw.flows.tasks.changes import TaskChanges
from nanoclaw.flows.tasks.edits import TIME, WORDS, TaskEdits
from nanoclaw.texts import say

_ACTS = {
    buttons.PAUSE: "pause",
    buttons.RESUME: "resume",
    buttons.RUN: "run",
    buttons.CANCEL: "cancel",
    buttons.DELETE_SURELY: "delete",
}
_EDITS = {buttons.EDIT_TIME: TIME, buttons.EDIT_WORDS: WORDS}
_MENUS = {buttons.EDIT: buttons.EDIT, buttons.DELETE: buttons.DELETE, buttons.BACK: ""}


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskPressed:
    """The answer to the press. The card of the task shows the result; a notice in another chat is `settled`."""

    said: str
    card: ParcelId | None
    settled: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskPresses:
    changes: TaskChanges
    task_edits: TaskEdits

    def press(self, tx: Tx, meant: str, by: Actor, chat: Chat, at: datetime) -> TaskPressed:
        """`meant` is the number of the task and the letter of the button. Raises Refused."""
        ref, _, letter = meant.partition(":")
        task = self.changes.find(tx, ref, by)
        taken = say(by.language, "press-taken")
        if act := self.changes.acts.get(_ACTS.get(letter, "")):
            act(tx, task, by, at)
            return TaskPressed(said=taken, card=task.card, settled=True)
        if what := _EDITS.get(letter):
            self.task_edits.ask_for(tx, task, what, by, chat, at)
            self.changes.cards.refresh(tx, task.id, at)
            return TaskPressed(said=taken, card=task.card)
        if letter not in _MENUS:
            raise Refused("press-unknown")
        menu = _MENUS[letter]
        self.changes.cards.refresh(tx, task.id, at, menu=menu)
        asked = say(by.language, f"press-choose-{menu}", id=task.id, title=task.title) if menu else taken
        return TaskPressed(said=asked, card=task.card)
