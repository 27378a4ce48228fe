"""The buttons under the card of a task, and under notices about it."""

from nanoclaw.domain.parcels import TASK, Button
from nanoclaw.domain.tasks import Task, TaskStatus
from nanoclaw.texts import say

PAUSE, RESUME, RUN, CANCEL = "p", "r", "n", "c"
EDIT, EDIT_TIME, EDIT_WORDS, BACK = "e", "t", "w", "b"
DELETE, DELETE_SURELY = "d", "x"
"""The last part of a button's data, and of the key of its label."""


def button(task: Task, action: str, language: str) -> Button:
    return Button(label=say(language, f"task-button-{action}"), data=f"{TASK}:{task.id}:{action}")


def buttons(task: Task, language: str, *actions: str) -> tuple[Button, ...]:
    return tuple(button(task, action, language) for action in actions)


def to_delete(task: Task, language: str) -> Button:
    """Deletes at once: unlike a card, a notice cannot ask for confirmation."""
    return Button(
        label=say(language, f"task-button-{DELETE}"), data=button(task, DELETE_SURELY, language).data
    )


def under_card(task: Task, language: str, *, menu: str = "") -> tuple[Button, ...]:
    """`menu` is the button just pressed that needs a further choice."""
    if not task.status.is_alive:
        return buttons(task, language, RUN) if task.status is TaskStatus.FAILED else ()
    if menu == EDIT:
        return buttons(task, language, EDIT_TIME, EDIT_WORDS, BACK)
    if menu == DELETE:
        return buttons(task, language, DELETE_SURELY, BACK)
    first = RESUME if task.status is TaskStatus.PAUSED else PAUSE
    return buttons(task, language, first, EDIT, RUN, DELETE)
