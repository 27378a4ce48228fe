"""Rooms: the chats of this machine, shown by the web page and the terminal. What is said in one is stored as rows.

The far end is our own database, so a parcel is never seen twice however often it is sent.
"""

import asyncio
from pathlib import Path

from nanoclaw.channels.uploads import Uploads
from nanoclaw.delivery.live import Live, ParcelShown, PreviewGrew
from nanoclaw.domain.messages import File
from nanoclaw.domain.news import EVERY_CHAT, ChatChanged
from nanoclaw.domain.parcels import Parcel, Preview
from nanoclaw.domain.people import Role
from nanoclaw.domain.ports import Channel, SendMarks

WEB = "web"
TERMINAL = "terminal"


class Rooms(Channel):
    """One instance per kind of room. Messages come in through the console's API, which calls `receive` itself."""

    newcomers = Role.OWNER
    preview_every = 0.08
    repeatable = True

    def __init__(self, name: str, live: Live, uploads: Uploads | None = None) -> None:
        self.name = name
        self._live = live
        self._uploads = uploads

    async def send(self, parcel: Parcel, _send_mark: SendMarks) -> str:
        self._live.tell(parcel.chat_id, ParcelShown(parcel.id))
        self._live.tell(EVERY_CHAT, ChatChanged(parcel.chat_id))
        return parcel.id

    async def preview(self, preview: Preview) -> None:
        self._live.tell(preview.chat_id, PreviewGrew(preview))

    async def fetch(self, file: File, target: Path, most_bytes: int) -> None:
        if self._uploads is None:
            await super().fetch(file, target, most_bytes)
        else:
            await asyncio.to_thread(self._uploads.fetch, file, target)
