"""An agent asks the host for something through a tool: to send a message, schedule a task, create a group.

The session whose folder or runtime it came from says who asks, and the turn running there says for whom. It is done
once: the request's id is stored in the row it creates, and a repeat after a crash finds it there.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from nanoclaw.context.group_creation import GroupCreation
from nanoclaw.context.groups import Group, Groups
from nanoclaw.domain.errors import BadWorkspace, Refused
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.tool_arguments import RegisterGroup
from nanoclaw.domain.tool_requests import ToolReply, ToolRequest
from nanoclaw.domain.tools import TOOLS
from nanoclaw.domain.turns import Session
from nanoclaw.durable import audit, sessions
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx
from nanoclaw.flows.sending.other_groups import OtherGroups, actor_of, standing_of
from nanoclaw.texts import tell

_ONLY_ITSELF = "{} was not done: a script in the box hands in nothing. The agent must call the tool itself."

Act = Callable[[ToolRequest, Session, Group], Awaitable[ToolReply]]


class Requests:
    def __init__(
        self,
        *,
        store: Store,
        groups: Groups,
        group_creation: GroupCreation,
        other_groups: OtherGroups,
        locale: Locale,
        acts: Mapping[str, Act],
    ) -> None:
        """`acts` are the tools with their own story, by name."""
        self._store = store
        self._groups = groups
        self._group_creation = group_creation
        self._other_groups = other_groups
        self._locale = locale
        self._acts = {**acts, "register_group": self._register_group}

    async def answer(self, asking: ToolRequest) -> ToolReply:
        if TOOLS[asking.tool].model_only and not asking.by_model:
            return ToolReply(ok=False, text=_ONLY_ITSELF.format(asking.tool))
        session = await self._store.read(lambda tx: sessions.get(tx, asking.session_id))
        try:
            group = self._groups.get(session.group)
        except BadWorkspace as error:
            return ToolReply(ok=False, text=f"Your group cannot be read: {error}")
        if why_not := await self._other_groups.refusal(asking, session, group):
            return ToolReply(ok=False, text=why_not)
        return await self._acts[asking.tool](asking, session, group)

    async def _register_group(self, asking: ToolRequest, session: Session, group: Group) -> ToolReply:
        given = asking.given(RegisterGroup)
        name, company = given.name, given.company or group.company
        if company not in self._group_creation.companies():
            return ToolReply(ok=False, text=f"There is no company {company}.")
        if name in self._groups.names():
            return ToolReply(ok=True, text=f"There is a group {name} already.")

        try:
            folder = self._group_creation.folder_for(name)
            await asyncio.to_thread(self._group_creation.found, folder, company)
        except (Refused, BadWorkspace) as error:
            return ToolReply(ok=False, text=tell("en", error))

        def story(tx: Tx) -> None:
            if found := standing_of(tx, asking, session, group):
                by = actor_of(*found, self._locale)
                audit.record(tx, by, now(), "group-founded", folder, group=folder, company=company)

        await self._store.write(story)
        return ToolReply(ok=True, text=f"The group {name} is made. A person can wire a chat to it.")
