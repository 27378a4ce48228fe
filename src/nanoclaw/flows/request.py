"""An agent asks the host for something through a tool: to say something, to schedule a task, to make a group.

Who asks is known by the session whose folder or runtime it came from, and for whom by the turn that runs there. What is
done is done once: the request's id goes into the row that it makes, and a repeat after a crash finds it there.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from nanoclaw.context.founding import Founding
from nanoclaw.context.groups import Group, Groups
from nanoclaw.domain.asking import Asking, Reply
from nanoclaw.domain.errors import BadWorkspace, Refused
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.turns import Session
from nanoclaw.durable import audit, sessions
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx
from nanoclaw.flows.sending.elsewhere import Elsewhere, ruler_of, standing_of
from nanoclaw.texts import tell

_NOT_YET = "{tool} is not available on this host. Tell the person, or do it another way."

Act = Callable[[Asking, Session, Group], Awaitable[Reply]]


class Requests:
    def __init__(
        self,
        *,
        store: Store,
        groups: Groups,
        founding: Founding,
        elsewhere: Elsewhere,
        locale: Locale,
        acts: Mapping[str, Act],
    ) -> None:
        """`acts` are the tools that have a story of their own."""
        self._store = store
        self._groups = groups
        self._founding = founding
        self._elsewhere = elsewhere
        self._locale = locale
        self._acts = {**acts, "register_group": self._register_group}

    async def answer(self, asking: Asking) -> Reply:
        act = self._acts.get(asking.tool)
        if act is None:
            return Reply(ok=False, text=_NOT_YET.format(tool=asking.tool))
        session = await self._store.read(lambda tx: sessions.get(tx, asking.session_id))
        try:
            group = self._groups.get(session.group)
        except BadWorkspace as error:
            return Reply(ok=False, text=f"Your group cannot be read: {error}")
        if why_not := await self._elsewhere.refusal(asking, session, group):
            return Reply(ok=False, text=why_not)
        return await act(asking, session, group)

    async def _register_group(self, asking: Asking, session: Session, group: Group) -> Reply:
        name, company = asking.arguments["name"], asking.arguments.get("company") or group.company
        if company not in self._founding.companies():
            return Reply(ok=False, text=f"There is no company {company}.")
        if name in self._groups.names():
            return Reply(ok=True, text=f"There is a group {name} already.")

        try:
            folder = self._founding.folder_for(name)
            await asyncio.to_thread(self._founding.found, folder, company)
        except (Refused, BadWorkspace) as error:
            return Reply(ok=False, text=tell("en", error))

        def story(tx: Tx) -> None:
            if found := standing_of(tx, asking, session, group):
                by = ruler_of(*found, self._locale)
                audit.record(tx, by, now(), "group-founded", folder, group=folder, company=company)

        await self._store.write(story)
        return Reply(ok=True, text=f"The group {name} is made. A person can wire a chat to it.")
