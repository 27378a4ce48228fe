"""An agent that a test leads: it tells what it is given, and waits where the test wants to look."""

import asyncio
import base64
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from nanoclaw.delivery import outbox
from nanoclaw.domain.ids import ChatId, ParcelId, new_id
from nanoclaw.domain.parcels import Attachment, Author
from nanoclaw.domain.turns import FollowUps, RuntimeEvent, TurnRequest
from nanoclaw.durable import work
from nanoclaw.durable.clock import now
from nanoclaw.host.host import Host
from nanoclaw.host.settings import Settings, read_settings

PICTURE = base64.b64decode(  # a PNG of two by two dots
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGM4YGAARAwQCgAhzgSBU+xT6wAAAABJRU5ErkJggg=="
)


class LedAgent:
    """A runtime. Where the script has None, it waits for `go_on`."""

    def __init__(self, script: Sequence[RuntimeEvent | None]) -> None:
        self._script = script
        self._go_on = asyncio.Event()
        self.waiting = asyncio.Event()

    def go_on(self) -> None:
        self._go_on.set()

    async def run(self, _request: TurnRequest, _follow_ups: FollowUps) -> AsyncGenerator[RuntimeEvent, None]:
        for event in self._script:
            if event is not None:
                yield event
                continue
            self.waiting.set()
            await self._go_on.wait()

    async def warm(self, _request: TurnRequest) -> None:
        """Nothing to make ready."""

    async def close(self) -> None:
        """Nothing is kept."""


@asynccontextmanager
async def host_of(home: Path, agent: LedAgent) -> AsyncIterator[Host]:
    written = read_settings(home).model_dump() | {"web": {"port": 0}}
    host = Host(home, Settings(**written), runtimes={"demo": agent})
    await host.start()
    try:
        yield host
    finally:
        agent.go_on()
        await host.stop()


async def send_file(
    host: Host,
    room: str,
    name: str,
    media_type: str,
    content: bytes,
    text: str = "",
    author: Author = Author.AGENT,
    kept: str = "",
) -> str:
    """As the agent's tool does it: the bytes are kept, then the parcel is posted."""
    parcel_id = ParcelId(new_id("o"))
    folder = host.home / "data" / "attachments"
    folder.mkdir(exist_ok=True)
    kept = kept or parcel_id
    (folder / kept).write_bytes(content)
    file = Attachment(name=name, media_type=media_type, size=len(content), kept=kept)
    await host.store.write(
        lambda tx: outbox.post(
            tx,
            chat_id=ChatId(room),
            thread=None,
            author=author,
            text=text,
            at=now(),
            parcel_id=parcel_id,
            attachments=[file],
        )
    )
    host.engine.kick(work.DELIVERY, room)
    return parcel_id
