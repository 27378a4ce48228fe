"""Rooms: the chats of this machine, shown by the web page and the terminal. What is said in one is its own rows.

Since the far end is our own database, a parcel cannot be seen twice however often it is sent.
"""

from pathlib import Path

from nanoclaw.delivery.live import Live, ParcelShown, PreviewGrew
from nanoclaw.domain.errors import SendRefused
from nanoclaw.domain.messages import File
from nanoclaw.domain.news import EVERY_CHAT, ChatChanged
from nanoclaw.domain.parcels import Parcel, Preview
from nanoclaw.domain.ports import Front, Handover

WEB = "web"
TERMINAL = "terminal"


class Rooms:
    """One instance for each kind of room. Messages come in through the console's API, which calls `receive` itself."""

    preview_every = 0.08

    def __init__(self, name: str, live: Live) -> None:
        self.name = name
        self._live = live

    def leaves_at_once(self, _parcel: Parcel) -> bool:
        return False

    async def start(self, front: Front) -> None:
        """Nothing to connect to."""

    async def stop(self) -> None:
        """Nothing to let go of."""

    async def send(self, parcel: Parcel, _handover: Handover) -> str:
        self._live.tell(parcel.chat_id, ParcelShown(parcel.id))
        self._live.tell(EVERY_CHAT, ChatChanged(parcel.chat_id))
        return parcel.id

    def show_working(self, preview: Preview, *, again: bool) -> None:
        """Those who watch a room hear of its turns in any case."""

    def show_rest(self, preview: Preview, *, said: bool) -> None:
        """The same."""

    async def fetch(self, file: File, _target: Path, _most_bytes: int) -> None:
        """Nobody can send one there yet."""
        raise SendRefused("file-not-there", name=file.name)

    async def preview(self, preview: Preview) -> None:
        self._live.tell(preview.chat_id, PreviewGrew(preview))
