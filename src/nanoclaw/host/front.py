"""Where channels pass in what happens on their networks."""

from dataclasses import dataclass

from nanoclaw.domain.ids import MessageId
from nanoclaw.domain.messages import Incoming, Press, Pressed
from nanoclaw.durable import people
from nanoclaw.durable.store import Store, Tx
from nanoclaw.flows.inbound import Inbound
from nanoclaw.flows.press import Presses


@dataclass(frozen=True, kw_only=True)
class HostFront:
    inbound: Inbound
    presses: Presses
    store: Store

    async def receive(self, incoming: Incoming) -> MessageId:
        return await self.inbound.receive(incoming)

    async def press(self, press: Press) -> Pressed:
        return await self.presses.press(press)

    async def joined(self, incoming: Incoming) -> None:
        await self.inbound.joined(incoming)

    async def moved(self, channel: str, address: str, to: str) -> None:
        await self.inbound.moved(channel, address, to)

    async def closed(self, channel: str, address: str, why: str) -> None:
        def story(tx: Tx) -> None:
            if chat := people.chat_at(tx, channel, address):
                people.close_chat(tx, chat.id, why or "closed")

        await self.store.write(story)
