"""The stage of transfers: a conversation over the played Telegram, and what becomes of taking it elsewhere."""

from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa
from tests.telegram_scene import Scene, eventually

from nanoclaw.domain.people import Role
from nanoclaw.domain.transfers import Transfer, TransferState
from nanoclaw.durable import people, transfers, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.durable.transfer_tables import session_transfers
from nanoclaw.testing.telegram.chats import Chat, SeenMessage

ASKS = "May this conversation leave"
SEND, CANCEL = "📦 Send", "❌ Cancel"


@dataclass(frozen=True, kw_only=True, slots=True)
class TransferScene(Scene):
    @classmethod
    def of(cls, scene: Scene) -> "TransferScene":
        return cls(server=scene.server, bot=scene.bot, host=scene.host, owner=scene.owner, chat=scene.chat)

    async def talked_to(self, name: str, *, role: Role = Role.OWNER, language: str = "") -> "TransferScene":
        """A person of their own, who has talked to the agent already."""
        joined = await self.joined_by(name, role=role, language=language)
        await joined.ask("Hello, we plan the spring menu")
        return replace(self, owner=joined.owner, chat=joined.chat)

    async def exported(self, command: str = "/export_session", *, card: str = ASKS) -> SeenMessage:
        """The card that asks whether it may leave."""
        return await self.new_card(command, card)

    async def transfer(self, *, chat: Chat | None = None) -> Transfer:
        """The newest of this chat."""
        return await self.host.store.read(lambda tx: self._newest(tx, chat or self.chat))

    async def transfer_in(self, state: TransferState, *, chat: Chat | None = None) -> Transfer:
        async def look() -> Transfer | None:
            found = await self.transfer(chat=chat)
            return found if found.state is state else None

        return await eventually(look)

    async def cleared(self, transfer: Transfer) -> Transfer:
        """When its package is gone."""

        async def look() -> Transfer | None:
            found = await self.host.store.read(lambda tx: transfers.get(tx, transfer.id))
            return found if found and found.cleared_at else None

        return await eventually(look)

    async def time_passes(self, transfer: Transfer) -> None:
        """Until its time is over."""

        def story(tx: Tx) -> None:
            transfers.mark(tx, transfer.id, expires_at=now())
            work.due(tx, work.TRANSFER, transfer.id, now())

        await self.host.store.write(story)

    def documents(self, chat: Chat | None = None) -> dict[str, bytes]:
        return {each.file_name: each.data for each in (chat or self.chat).seen if each.file_name}

    async def came(self, words: str, chat: Chat | None = None) -> str:
        """What the bot says with these words, once it does."""
        where = chat or self.chat
        await where.wait_until(lambda: any(words in each for each in where.texts()))
        return [each for each in where.texts() if words in each][-1]

    def _newest(self, tx: Tx, chat: Chat) -> Transfer:
        found = people.chat_at(tx, f"telegram:{self.bot.id}", str(chat.id))
        assert found
        table = session_transfers
        query: sa.Select[Any] = sa.select(table.c.id).where(table.c.chat_id == found.id)
        transfer = transfers.get(tx, tx.execute(query.order_by(table.c.id.desc())).scalar() or "")
        assert transfer
        return transfer
