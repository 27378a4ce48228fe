"""Translates Claude Code's messages into the host's events: text, tools, follow-ups it read, and how a run ended."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from claude_agent_sdk import (
    AssistantMessage,
    Message,
    ResultMessage,
    StreamEvent,
    SystemMessage,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    UserMessage,
)

from nanoclaw.domain import bounds
from nanoclaw.domain.errors import ModelFailed
from nanoclaw.domain.turns import (
    FollowUp,
    RuntimeEvent,
    TextDelta,
    TextWritten,
    TookUp,
    ToolEnded,
    ToolStarted,
)
from nanoclaw.runtimes.tool_lines import shown_call, timeout_of

_MILLISECONDS = 0.001
_SHOWN = 4000  # characters of a tool's result that are passed on
_NAME = 100  # of its name and its id
_MOST_IN_FLIGHT = 1000  # running tools; if more are forged, they are not waited for
_SYNTHETIC = "<synthetic>"  # the program speaks for itself: an error worded as if by the model
_OUR_TOOLS = "mcp__nanoclaw__"


@dataclass
class ClaudeRun:
    """From a prompt to its result."""

    in_flight: set[str] = field(default_factory=set)  # tools
    pushed: list[FollowUp] = field(default_factory=list)  # not read yet
    result: ResultMessage | None = None

    @property
    def over(self) -> bool:
        """Whether it is over: nothing runs after a result, unless something pushed was not read yet; then
        another result comes.
        """
        return self.result is not None and not self.pushed

    def take(self, said: Message) -> Iterator[RuntimeEvent]:
        if isinstance(said, ResultMessage):
            self.result = said
        elif read := self._read(said):
            self.pushed.remove(read)
            self.result = None  # the answer to this is yet to come
            yield TookUp(messages=read.messages)
        for event in heard(said):
            if isinstance(event, ToolStarted) and len(self.in_flight) < _MOST_IN_FLIGHT:
                self.in_flight.add(event.id)
            elif isinstance(event, ToolEnded):
                self.in_flight.discard(event.id)
            yield event

    def _read(self, said: Message) -> FollowUp | None:
        """The follow-up it has just read, found by its text; of two equal ones, the first."""
        words = _read_words(said)
        return next((follow_up for follow_up in self.pushed if follow_up.prompt == words), None)


def heard(message: Message) -> Iterator[RuntimeEvent]:
    """The events in a message. What a sub-agent writes stays with it; its tools are shown like any other."""
    match message:
        case StreamEvent(parent_tool_use_id=None, event={"delta": {"type": "text_delta", "text": str(text)}}):
            yield TextDelta(text=text)
        case AssistantMessage(model=model, content=blocks, parent_tool_use_id=parent) if model != _SYNTHETIC:
            for block in blocks:
                match block:
                    case TextBlock(text=str(text)) if parent is None:
                        yield TextWritten(text=text)
                    case ToolUseBlock(id=tool, name=name, input=given):
                        # As the model wrote them, which Claude Code refuses only later.
                        arguments = given if isinstance(given, dict) else {}
                        yield ToolStarted(
                            id=str(tool)[:_NAME],
                            name=str(name).removeprefix(_OUR_TOOLS)[:_NAME],
                            shown=shown_call(arguments),
                            timeout=timeout_of(arguments, unit=_MILLISECONDS),
                        )
                    case _:
                        pass
        case UserMessage(content=list(blocks)):
            for block in blocks:
                if isinstance(block, ToolResultBlock):
                    yield ToolEnded(
                        id=str(block.tool_use_id)[:_NAME],
                        ok=not block.is_error,
                        text=bounds.cut(_text(block.content), _SHOWN),
                    )
        case _:
            pass


def is_idle(message: Message) -> bool:
    """Whether nothing runs and nothing is queued."""
    return (
        isinstance(message, SystemMessage)
        and message.subtype == "session_state_changed"
        and message.data.get("state") == "idle"
    )


def _read_words(message: Message) -> str | None:
    """The text of a person's message that the agent has just read."""
    if isinstance(message, UserMessage) and isinstance(message.content, str):
        return message.content
    return None


def failure(result: ResultMessage, most_steps: int) -> ModelFailed | None:
    """Why there is no answer; a failed run may also call itself a success, so only `is_error` counts."""
    if result.subtype == "error_max_turns":
        return ModelFailed("too-many-steps", steps=most_steps)
    if not result.is_error:
        return None
    said = " ".join((result.result or result.subtype or "").split())
    return ModelFailed("model-said", said=said[:300])


def _text(content: str | list[dict[str, Any]] | None) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(
        str(part.get("text", f"[{part.get('type')}]")) for part in content or () if isinstance(part, dict)
    )
