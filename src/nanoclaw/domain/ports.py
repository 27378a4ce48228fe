"""The seams: what one room asks of another without knowing it. `app/wiring.py` hands in the real ones."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Protocol

from nanoclaw.domain.ids import MessageId
from nanoclaw.domain.messages import Incoming
from nanoclaw.domain.parcels import Parcel, Preview
from nanoclaw.domain.turns import RuntimeEvent, TurnRequest

Receive = Callable[[Incoming], Awaitable[MessageId]]
"""Store a message and judge it. When this returns, the message is safe and the platform may be told so."""


class Channel(Protocol):
    """A way to people: a message arrives on it, and its answer is delivered on it."""

    @property
    def name(self) -> str: ...

    @property
    def repeatable(self) -> bool:
        """Whether a parcel sent twice is seen once. If not, a send cut off by a crash is never repeated unasked."""

    @property
    def preview_every(self) -> float:
        """Seconds between two previews of a growing answer."""

    async def start(self, receive: Receive) -> None: ...

    async def stop(self) -> None: ...

    async def send(self, parcel: Parcel) -> str:
        """Deliver, and return the platform's id. Raises SendLater, SendRefused or SendUnknown."""

    async def preview(self, preview: Preview) -> None:
        """Show the answer as far as it is written; best effort, and never waited for long."""


class Runtime(Protocol):
    """Takes up a turn. Ends normally when the answer is complete; raises ModelFailed when there is none."""

    def run(self, request: TurnRequest) -> AsyncIterator[RuntimeEvent]: ...


class Model(Protocol):
    """A language model as the native runtime sees it."""

    def stream(self, request: TurnRequest) -> AsyncIterator[str]: ...
