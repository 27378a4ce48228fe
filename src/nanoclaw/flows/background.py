"""Flow F. Work that takes hours: an agent hands it over, it is accepted at once, and done in a box of its own.

It is a task that is due now, and once. One message shows that it was accepted, what it is doing, and how it ended;
the result goes to the thread, and as a file to the agent that asked.
"""

from dataclasses import replace
from datetime import datetime
from functools import partial

from nanoclaw.context.groups import Group
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.tasks import Policy, Task, WantedTask
from nanoclaw.domain.tool_arguments import BackgroundTask
from nanoclaw.domain.tool_requests import ToolReply, ToolRequest
from nanoclaw.domain.turns import Session
from nanoclaw.durable import messages
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx
from nanoclaw.flows.tasks.cards import TaskCards
from nanoclaw.flows.tasks.creation import TaskAuthor, TaskCreation
from nanoclaw.flows.tasks.task_input import read_task
from nanoclaw.flows.tasks.tools import TaskTools
from nanoclaw.texts import tell


class Background:
    def __init__(
        self,
        *,
        store: Store,
        task_creation: TaskCreation,
        cards: TaskCards,
        tools: TaskTools,
        usual: Policy,
    ) -> None:
        self._store = store
        self._task_creation = task_creation
        self._cards = cards
        self._tools = tools
        self._usual = usual

    async def answer(self, asking: ToolRequest, session: Session, group: Group) -> ToolReply:
        """Answer the tool `background_task`. The agent need not wait; it is told where the result will be."""
        try:
            return await self._store.write(
                partial(self._accept, asking=asking, session=session, group=group, at=now())
            )
        except Refused as error:
            return ToolReply(ok=False, text=tell("en", error), data={"refused": error.key})

    def _accept(
        self, tx: Tx, *, asking: ToolRequest, session: Session, group: Group, at: datetime
    ) -> ToolReply:
        given = asking.given(BackgroundTask)
        maker = self._tools.maker(tx, asking, session, group)
        zone, _ = self._task_creation.clock_of(maker.person, maker.group)
        thread = given.notify_thread_id
        if thread is not None and not messages.knows_thread(tx, maker.chat_id, str(thread)):
            raise Refused("task-no-thread", thread=str(thread)[:40])
        wanted = read_task(
            {**given.plain(), "background": True, "notify": given.notify_on_complete is not False},
            at,
            zone,
            self._usual,
        )
        task = self.accept(tx, wanted, maker if thread is None else replace(maker, thread=str(thread)), at)
        text = (
            f"Accepted as task {task.id}. It runs in a box of its own. Its result will be sent to the chat and be in "
            f"/ipc/results/{task.result_name}. You need not wait for it; the person has been told."
        )
        return ToolReply(ok=True, text=text, data={"task_id": task.id})

    def accept(self, tx: Tx, wanted: WantedTask, maker: TaskAuthor, at: datetime) -> Task:
        """Create the task, start it and announce it. Raises Refused."""
        task = self._task_creation.make(tx, wanted, maker, at)
        self._cards.show(tx, task, at)
        return task
