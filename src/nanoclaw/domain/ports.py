"""The seams: what one package asks of another without knowing it. `host/host.py` passes in the real ones."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from nanoclaw.domain.batches import Batch, BatchPart, BrokenLine, ItemResult, VendorBatch
from nanoclaw.domain.boxes import Box, Mount, TerminalSize
from nanoclaw.domain.errors import NanoClawError, SendRefused
from nanoclaw.domain.ids import MessageId, SessionId
from nanoclaw.domain.memory import Recalled, RecallWish
from nanoclaw.domain.messages import File, Incoming, Press, Pressed
from nanoclaw.domain.money import Spender
from nanoclaw.domain.parcels import Parcel, Preview
from nanoclaw.domain.people import Role
from nanoclaw.domain.steps import ModelPiece, Step, ToolCall, ToolOffer
from nanoclaw.domain.tool_requests import ToolReply
from nanoclaw.domain.turns import FollowUps, RuntimeEvent, ToolEvent, TurnRequest

Receive = Callable[[Incoming], Awaitable[MessageId]]
"""Store a message and judge it. When this returns, the message is safe and the platform may be told so."""


class Front(Protocol):
    """What a channel calls. When a call returns, it is stored and the platform may be told so."""

    async def receive(self, incoming: Incoming) -> MessageId:
        """Store a message and judge it."""

    async def press(self, press: Press) -> Pressed:
        """Someone pressed a button."""

    async def joined(self, incoming: Incoming) -> None:
        """Someone added us to a chat; nothing was said there yet."""

    async def moved(self, channel: str, address: str, to: str) -> None:
        """The network changed a chat's address."""

    async def closed(self, channel: str, address: str, why: str) -> None:
        """Nothing can be sent to a chat any more, until someone writes there again."""


class SendMarks(Protocol):
    """What is stored when a parcel leaves, so that after a crash it is known whether it may have arrived."""

    async def leaving(self) -> None:
        """Its first bytes are about to leave. Raises LeaseLost if another host delivers here by now."""

    async def staying(self) -> None:
        """They do not leave yet after all: the channel has to wait."""

    async def take_back(self) -> None:
        """Nothing left, whatever was stored. For a call whose end nobody waits for any more."""


@dataclass(frozen=True, kw_only=True)
class ChannelSetup:
    """What a channel from the settings is created with: `[channels.<name>]`, and the secrets kept for it."""

    name: str
    settings: Mapping[str, Any] = field(repr=False)  # its own keys; some may be secret
    attachments: Path  # where the bytes of outgoing files are


class Channel:
    """A way to people: messages arrive on it, and answers are delivered on it. Only `send` must be implemented."""

    name: str
    newcomers: Role = (
        Role.STRANGER
    )  # the role of newcomers; more than the default only where the far end vouches for them
    replies: bool = (
        False  # whether people can reply to a message, and it passes in which: `Incoming.reply_to`
    )
    preview_every: float = 1.0  # seconds between two previews of an answer
    trouble: NanoClawError | None = None  # what keeps it from working right now
    repeatable: bool = False  # whether the far end recognises a repeated parcel by its id

    def leaves_at_once(self, parcel: Parcel) -> bool:
        """Whether its first call would leave now and a repeat would be visible: then it is marked when it is
        claimed. Called within a transaction, so it uses only what is in memory. If it is false, `send`
        itself says when something leaves that cannot be repeated.
        """
        return not self.repeatable and parcel.platform_id is None  # an edit can be repeated

    async def start(self, front: Front) -> None:
        """Receive messages from now on. Must return, so listening is a task."""

    async def stop(self) -> None:
        """Release everything; may be called without `start`."""

    def show_working(self, preview: Preview, *, again: bool) -> None:
        """A turn began, perhaps again after a crash. Returns at once."""

    def show_rest(self, preview: Preview, *, said: bool) -> None:
        """The turn is over. Unless something was said, nothing will replace its previews."""

    async def send(self, parcel: Parcel, send_mark: SendMarks) -> str:
        """Deliver, and return the platform's id. Raises SendLater, SendRefused or SendUnknown."""
        raise NotImplementedError

    async def preview(self, preview: Preview) -> None:
        """Show the answer as far as it is written; best effort, and never waited for long."""

    async def fetch(self, file: File, target: Path, most_bytes: int) -> None:
        """Get a file that someone sent: `file.ref` is what the channel itself put there. Raises SendLater if
        it may work later, SendRefused if it never will.
        """
        raise SendRefused("file-not-there", name=file.name)

    async def cry(self, address: str, text: str) -> bool:
        """Send something once and immediately, while nothing can be stored. False if the channel cannot.
        Raises SendLater if it was not sent.
        """
        return False


class SpeechToText(Protocol):
    """Transcribes voice."""

    async def transcribe(
        self, path: Path, *, media_type: str, seconds: float | None, language: str | None, spender: Spender
    ) -> str:
        """Raises NotHeard."""


class TextToSpeech(Protocol):
    """Speaks text."""

    async def speak(self, text: str, target: Path, *, language: str | None, spender: Spender) -> float:
        """Writes an Ogg Opus file, and returns its length in seconds. Raises NotHeard."""


class Runtime(Protocol):
    """Runs a turn. Ends normally when the answer is complete; raises ModelFailed if there is none. Closing
    the iterator early interrupts the agent, at once and with everything that runs in its box.
    """

    def run(self, request: TurnRequest, follow_ups: FollowUps) -> AsyncGenerator[RuntimeEvent, None]: ...

    async def warm(self, request: TurnRequest) -> None:
        """A turn like this one may come soon: prepare what takes time."""

    async def close(self) -> None:
        """Release everything that was kept alive between turns."""


class Model(Protocol):
    """A language model for the native runtime: one call, given everything that happened in the turn so far."""

    def stream(
        self, request: TurnRequest, steps: Sequence[Step], tools: Sequence[ToolOffer]
    ) -> AsyncGenerator[ModelPiece, None]: ...

    async def close(self) -> None:
        """Close connections."""


class Toolbox(Protocol):
    """The tools of an agent, as the native runtime uses them."""

    async def offered(self, request: TurnRequest) -> Sequence[ToolOffer]: ...

    def use(self, request: TurnRequest, call: ToolCall) -> AsyncGenerator[ToolEvent, None]:
        """Run a call. Ends with exactly one ToolEnded, even if the call makes no sense."""


class Permission(Protocol):
    """Asks a person before an agent uses a tool that a rule names."""

    async def ask(
        self, request: TurnRequest, tool: str, arguments: Mapping[str, Any], call_id: str
    ) -> str | None:
        """None if it may be used; otherwise why not, in words for the agent. `call_id` is unique within the
        session.
        """


class MemoryLookup(Protocol):
    """Finds what a company knows about the messages of a turn."""

    async def recall(self, wish: RecallWish) -> Recalled:
        """What was recalled, never longer than the limits of a prompt. Raises StoreUnavailable."""

    def expect(self, company: str, stamps: tuple[tuple[int, int], ...]) -> None:
        """A turn may come soon: prepare what takes time. `stamps` as in a wish. Returns at once."""


class SessionBoxes(Protocol):
    """The boxes of sessions: their folders, their requests to the host, their egress."""

    async def start(
        self,
        request: TurnRequest,
        command: Sequence[str],
        *,
        environment: Mapping[str, str] | None = None,
        mounts: Sequence[Mount] = (),
        ways: Mapping[int, str] | None = None,
        listener: Callable[[RuntimeEvent], None] | None = None,
        own_terminal: TerminalSize | None = None,
        commands_apart: bool = False,
    ) -> Box:
        """A box for the session with its mounts and the turn's grants. Raises BoxRefused. `ways` are ports
        inside that lead to sockets inside; the listener is told about connections to the outside. With
        `own_terminal` the command has a terminal of this size. With `commands_apart` the shells and git that
        it starts run in a second box, without what was given to the first.
        """

    async def serve(self, request: TurnRequest) -> None:
        """Let the boxes of this session work for this turn from now on."""

    async def call(self, session_id: SessionId, tool: str, arguments: Mapping[str, Any]) -> ToolReply:
        """Use a tool of the host for the model of this session's turn. Only for calls that are surely its own."""

    def is_outdated(self, session_id: SessionId) -> bool:
        """Whether a folder that its boxes see was replaced since they were started: a box keeps the old one."""

    def rest(self, session_id: SessionId, *, is_done: bool) -> None:
        """No turn runs: what is left in its boxes may neither connect nor ask the host for anything. `is_done`:
        its agent has ended what it did, and waits.
        """


class ModelLine(Protocol):
    """A session's way to the model: a socket for its box, and a token in place of the key."""

    @property
    def socket(self) -> Path: ...

    @property
    def token(self) -> str: ...

    @property
    def refused(self) -> NanoClawError | None:
        """Why the last call was refused; None if it was not."""

    def serve(self, spender: Spender, listener: Callable[[RuntimeEvent], None]) -> None:
        """Count the calls for this turn from now on, and tell this listener about them."""

    def rest(self) -> None:
        """The turn is over: calls are refused until the next one."""

    async def close(self) -> None: ...


class ModelGateway(Protocol):
    """Every model call of a box leaves here."""

    async def open(self, spender: Spender, *, web_search: bool) -> ModelLine: ...


class LiveTerminal(Protocol):
    """An agent at its own terminal, in a box."""

    @property
    def box(self) -> Box: ...

    async def close(self) -> None:
        """End it, with everything in its box."""


class Servers(Protocol):
    """MCP servers, connected on the host; their keys and addresses never enter an agent's box."""

    async def offered(self, names: Sequence[str]) -> Sequence[ToolOffer]:
        """The tools of these servers, each named `server_tool`. An unreachable server offers none."""

    async def use(self, name: str, arguments: Mapping[str, Any]) -> tuple[bool, str]:
        """Whether it succeeded, and its output as text."""


class BatchVendor(Protocol):
    """Takes many requests at once, and gives their answers later. Every method raises ModelOutage if the
    vendor cannot answer now, and ModelFailed if it never will.
    """

    @property
    def pays_by_call(self) -> bool:
        """Whether each request is an ordinary call, which reserves its own money."""

    async def send(self, batch: Batch, requests: Path, count: int) -> VendorBatch:
        """The file has one request per line. Raises SendUnknown if nobody can tell whether it arrived."""

    async def look_up(self, since: datetime, count: int) -> Sequence[VendorBatch]:
        """What arrived since then with that many requests: one of them may be a part whose answer was lost."""

    async def status(self, vendor_id: str) -> VendorBatch: ...

    def results(
        self, batch: Batch, part: BatchPart, requests: Path, is_open: Collection[str]
    ) -> AsyncGenerator[ItemResult | BrokenLine, None]:
        """The results in any order; `is_open` are the custom ids without a result. Raises ModelOutage if it
        breaks off.
        """

    async def cancel(self, vendor_id: str) -> None:
        """Cancel what was not begun; the batch ends a little later."""

    async def close(self) -> None: ...
