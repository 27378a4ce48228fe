"""The tool `propose_transfer`: an agent proposes to take work that outgrows it elsewhere. People decide."""

from dataclasses import dataclass

from nanoclaw.context.groups import Group
from nanoclaw.domain.errors import NanoClawError
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.tool_arguments import ProposeTransfer
from nanoclaw.domain.tool_requests import ToolReply, ToolRequest
from nanoclaw.domain.transfers import Target, Transfer
from nanoclaw.domain.turns import Session
from nanoclaw.durable import people, session_queue, transfers
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx
from nanoclaw.flows.sending.other_groups import actor_of, standing_of
from nanoclaw.flows.transfers.changes import Transfers
from nanoclaw.flows.transfers.notes import PLACES
from nanoclaw.texts import tell

_NOT_HERE = "Only while you work for someone in a chat. Say in your answer what should be taken elsewhere."
_PROPOSED = (
    "Proposed: a card asks a person whether this goes to {place}. Tell them in one sentence why, and end your turn. "
    "If it stays here, a message tells you to go on."
)
_WAITS = "This is proposed already, and waits for a person's decision. Do not propose it again."
_AWAY = "This work is at {place} already. Its result will come back to you: do not propose it again."


@dataclass(frozen=True, kw_only=True, slots=True)
class TransferTool:
    store: Store
    transfers: Transfers
    locale: Locale

    async def propose(self, asking: ToolRequest, session: Session, group: Group) -> ToolReply:
        given = asking.given(ProposeTransfer)

        def story(tx: Tx) -> tuple[Transfer, bool] | None:
            """The transfer, and whether this call proposed it."""
            found, turn = standing_of(tx, asking, session, group), session_queue.open_turn(tx, session.id)
            chat = people.chat(tx, session.chat_id)
            if found is None or turn is None or chat is None or session.task or session.then:
                return None
            if is_open := transfers.open_of(tx, session.id):
                return is_open[-1], False
            person, rights = found
            by = actor_of(person, rights, group.locale.or_else(self.locale))
            made = self.transfers.ask_for(
                tx,
                person=person,
                rights=rights,
                session=session,
                chat=chat,
                thread=session.thread,
                target=Target(given.target or Target.CLAUDE_AI),
                purpose=given.why,
                turn_id=turn[0],
                language=by.language,
                at=now(),
            )
            return made, True

        try:
            found = await self.store.write(story)
        except NanoClawError as error:
            return ToolReply(ok=False, text=tell("en", error), data={"refused": error.key})
        if found is None:
            return ToolReply(ok=False, text=_NOT_HERE, data={"refused": "no-chat"})
        asking.noted()
        transfer, is_new = found
        said = _PROPOSED if is_new else _AWAY if transfer.delivered_at else _WAITS
        return ToolReply(
            ok=is_new, text=said.format(place=PLACES[transfer.target]), data={"transfer": transfer.id}
        )
