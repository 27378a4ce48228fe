"""The seams: what one room asks of another without knowing it. `host/host.py` hands in the real ones."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from nanoclaw.domain.boxes import Box, Mount
from nanoclaw.domain.errors import NanoClawError, SendRefused
from nanoclaw.domain.ids import MessageId, SessionId
from nanoclaw.domain.messages import File, Incoming, Press, Pressed
from nanoclaw.domain.money import Spender
from nanoclaw.domain.parcels import Parcel, Preview
from nanoclaw.domain.people import Role
from nanoclaw.domain.steps import ModelPiece, Step, ToolCall, ToolOffer
from nanoclaw.domain.tool_calls import SeenCalls
from nanoclaw.domain.turns import FollowUps, RuntimeEvent, ToolEvent, TurnRequest

Receive = Callable[[Incoming], Awaitable[MessageId]]
"""Store a message and judge it. When this returns, the message is safe and the platform may be told so."""


class Front(Protocol):
    """What a channel hands in. When a call returns, it is written down and the platform may be told so."""

    async def receive(self, incoming: Incoming) -> MessageId:
        """Store a message and judge it."""

    async def press(self, press: Press) -> Pressed:
        """Someone pressed a button."""

    async def joined(self, incoming: Incoming) -> None:
        """Someone brought us into a chat; nothing was said there yet."""

    async def moved(self, channel: str, address: str, to: str) -> None:
        """The network gave a chat another address."""

    async def closed(self, channel: str, address: str, why: str) -> None:
        """Nothing can be said in a chat any more, until someone writes there again."""


class SendMarks(Protocol):
    """What is written down when a parcel leaves, so that after a crash it is known whether it may have arrived."""

    async def leaving(self) -> None:
        """Its first bytes are about to leave. Raises LeaseLost when another host delivers here by now."""

    async def staying(self) -> None:
        """They do not leave yet after all: something has to be waited for."""


@dataclass(frozen=True, kw_only=True)
class ChannelSetup:
    """What a channel is made with that the settings name: `[channels.<name>]`, and the secrets that are kept for it."""

    name: str
    settings: Mapping[str, Any] = field(repr=False)  # its own keys; there may be secrets among them
    attachments: Path  # where the bytes of files are that go out


class Channel:
    """A way to people: a message arrives on it, and its answer is delivered on it. Only `send` has to be written."""

    name: str
    newcomers: Role = (
        Role.STRANGER
    )  # whoever writes for the first time; more only where the far end vouches for them
    replies: bool = (
        False  # whether people can reply to one message, and it hands in which: `Incoming.reply_to`
    )
    preview_every: float = 1.0  # seconds between two previews of a growing answer
    trouble: NanoClawError | None = None  # what keeps it from its work right now
    repeatable: bool = False  # whether the far end recognises a parcel that it has got already, by its id

    def leaves_at_once(self, parcel: Parcel) -> bool:
        """Whether its first call would leave now, and a repeat of it would be seen: it is marked when it is taken up.

        Asked within a transaction: it looks at nothing but what is in memory. Where it is false, `send` says itself
        when something leaves that cannot be repeated.
        """
        return not self.repeatable and parcel.platform_id is None  # an edit can be repeated

    async def start(self, front: Front) -> None:
        """Hear people from now on. Must return, so listening is a task."""

    async def stop(self) -> None:
        """Let go of everything; may come without a `start` before it."""

    def show_working(self, preview: Preview, *, again: bool) -> None:
        """A turn began, perhaps for the second time after a crash. Returns at once."""

    def show_rest(self, preview: Preview, *, said: bool) -> None:
        """The turn is over. Unless something was said, nothing will come in the place of its previews."""

    async def send(self, parcel: Parcel, send_mark: SendMarks) -> str:
        """Deliver, and return the platform's id. Raises SendLater, SendRefused or SendUnknown."""
        raise NotImplementedError

    async def preview(self, preview: Preview) -> None:
        """Show the answer as far as it is written; best effort, and never waited for long."""

    async def fetch(self, file: File, target: Path, most_bytes: int) -> None:
        """Get a file that someone sent: `file.ref` is what the channel itself put there.

        Raises SendLater when it may work later, SendRefused when it never will.
        """
        raise SendRefused("file-not-there", name=file.name)

    async def cry(self, address: str, text: str) -> bool:
        """Say something at once and once, while nothing can be written down. False where that cannot be done.

        Raises SendLater when it was not heard.
        """
        return False


class SpeechToText(Protocol):
    """Turns a voice into text."""

    async def transcribe(
        self, path: Path, *, media_type: str, seconds: float | None, language: str | None, spender: Spender
    ) -> str:
        """Raises NotHeard."""


class TextToSpeech(Protocol):
    """Turns a text into a voice."""

    async def speak(self, text: str, target: Path, *, language: str | None, spender: Spender) -> float:
        """Writes an OGG file of Opus sound, and returns its seconds. Raises NotHeard."""


class Runtime(Protocol):
    """Takes up a turn. Ends normally when the answer is complete; raises ModelFailed when there is none.

    Closing the iterator before its end interrupts the agent, at once and with all that runs in its box.
    """

    def run(self, request: TurnRequest, follow_ups: FollowUps) -> AsyncGenerator[RuntimeEvent, None]: ...

    async def warm(self, request: TurnRequest) -> None:
        """A turn like this one may come soon: make ready what takes time."""

    async def close(self) -> None:
        """Let go of everything that was kept alive between turns."""


class Model(Protocol):
    """A language model as the native runtime sees it: one call, given all that happened in the turn so far."""

    def stream(
        self, request: TurnRequest, steps: Sequence[Step], tools: Sequence[ToolOffer]
    ) -> AsyncGenerator[ModelPiece, None]: ...

    async def close(self) -> None:
        """Let go of connections."""


class Toolbox(Protocol):
    """The tools of an agent, as the native runtime uses them."""

    async def offered(self, request: TurnRequest) -> Sequence[ToolOffer]: ...

    def use(self, request: TurnRequest, call: ToolCall) -> AsyncGenerator[ToolEvent, None]:
        """Carry a call out. Ends with exactly one ToolEnded, also when the call makes no sense."""


class Permission(Protocol):
    """Asks a person before an agent uses a tool that a rule names."""

    async def ask(
        self, request: TurnRequest, tool: str, arguments: Mapping[str, Any], call_id: str
    ) -> str | None:
        """None when it may be used; else why not, in words for the agent. `call_id` is of this session alone."""


class SessionBoxes(Protocol):
    """Where the hands of a session's agent are: its folders, its mail to the host, its way out."""

    async def start(
        self,
        request: TurnRequest,
        command: Sequence[str],
        *,
        environment: Mapping[str, str] | None = None,
        mounts: Sequence[Mount] = (),
        ways: Mapping[int, str] | None = None,
        listener: Callable[[RuntimeEvent], None] | None = None,
    ) -> Box:
        """A box for the session with its mounts and what the turn may reach. Raises BoxRefused.

        `ways` are ports inside that lead to sockets inside; the listener hears of connections to the world.
        """

    def serve(self, request: TurnRequest, seen: SeenCalls | None = None) -> None:
        """The boxes of this session work for this turn from now on. What its model asked for is in `seen`."""

    def rest(self, session_id: SessionId) -> None:
        """No turn runs: what is left in its boxes may connect to nothing, and ask the host for nothing."""


class ModelLine(Protocol):
    """A session's way to the model: a socket for its box, and a token in the place of the key."""

    @property
    def socket(self) -> Path: ...

    @property
    def token(self) -> str: ...

    @property
    def refused(self) -> NanoClawError | None:
        """Why the last call was not let through; None when it was."""

    @property
    def seen(self) -> SeenCalls:
        """The calls of tools that the model asked for in this turn."""

    def serve(self, spender: Spender, listener: Callable[[RuntimeEvent], None]) -> None:
        """From now on the calls are for this turn, and this hears of them."""

    def rest(self) -> None:
        """The turn is over: until the next one, no call is let through."""

    async def close(self) -> None: ...


class ModelGateway(Protocol):
    """Every model call of a box leaves here."""

    async def open(self, spender: Spender, *, web_search: bool) -> ModelLine: ...


class Servers(Protocol):
    """MCP servers, connected on the host; what they need to know (keys, addresses) never enters an agent's box."""

    async def offered(self, names: Sequence[str]) -> Sequence[ToolOffer]:
        """The tools of these servers, each named `server_tool`. One that cannot be reached offers none."""

    async def use(self, name: str, arguments: Mapping[str, Any]) -> tuple[bool, str]:
        """Whether it went well, and what came out, as text."""
