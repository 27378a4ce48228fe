"""The parts with which a test tells the model server what to say, and what the server was asked."""

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from nanoclaw.domain.ids import new_id
from nanoclaw.domain.money import Usage

_WORD = re.compile(r"\s*\S+\s*$|\s*\S+")


@dataclass(frozen=True, slots=True)
class Say:
    """The model says this, word by word."""

    text: str

    @property
    def pieces(self) -> list[str]:
        return _WORD.findall(self.text) or [self.text]


@dataclass(frozen=True, slots=True)
class Think:
    """The model thinks this aloud before it speaks."""

    text: str

    @property
    def pieces(self) -> list[str]:
        return Say(self.text).pieces


@dataclass(frozen=True, slots=True)
class Use:
    """The model asks for a tool."""

    name: str
    input: Mapping[str, Any] = field(default_factory=dict)
    id: str = field(default_factory=lambda: "toolu_" + new_id("x"))

    @property
    def pieces(self) -> list[str]:
        written = json.dumps(dict(self.input), ensure_ascii=False)
        return [written[at : at + 20] for at in range(0, len(written), 20)]


@dataclass(frozen=True, slots=True)
class Fail:
    """The vendor answers with an error instead."""

    status: int
    type: str = "api_error"
    message: str = "the scripted server was told to fail"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Cut:
    """The connection breaks after that many pieces of the answer."""

    after: int = 0


@dataclass(frozen=True, slots=True)
class Full:
    """The answer is as long as `max_tokens` allows: it ends in the middle of its last part."""


@dataclass(frozen=True, slots=True)
class Garbage:
    """Something unreadable, in place of an event or of the whole answer."""

    text: str = "<html>502 Bad Gateway</html>"


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing is said until the event is set, or for that many seconds."""

    until: asyncio.Event | float

    async def over(self) -> None:
        if isinstance(self.until, asyncio.Event):
            await self.until.wait()
        else:
            await asyncio.sleep(self.until)


Part = Say | Think | Use | Fail | Cut | Full | Garbage | Wait
Said = Say | Think | Use


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """A whole answer, with the usage that the vendor reports."""

    parts: tuple[Part, ...]
    usage: Usage = field(default_factory=lambda: Usage(input=10, output=5))

    @property
    def said(self) -> list[Said]:
        return [part for part in self.parts if isinstance(part, Said)]

    @property
    def is_full(self) -> bool:
        return any(isinstance(part, Full) for part in self.parts)

    def pieces_of(self, part: Said) -> list[str]:
        """All pieces, or half of those of the part in which the answer ends."""
        is_last = self.is_full and part is self.said[-1]
        return part.pieces[: (len(part.pieces) + 1) // 2] if is_last else part.pieces

    @property
    def uses(self) -> list[Use]:
        return [part for part in self.parts if isinstance(part, Use)]


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """One request as the vendor got it."""

    path: str
    query: str
    headers: Mapping[str, str]
    body: Any  # checked by the vendor's rules before a script sees it
    port: int = 0  # from which it came: the same for one connection
    size: int = 0  # of the body, in bytes
    bytes_per_token: float = 4

    @property
    def model(self) -> str:
        return str(self.body["model"])

    @property
    def stream(self) -> bool:
        return bool(self.body.get("stream"))

    @property
    def messages(self) -> list[dict[str, Any]]:
        return list(self.body["messages"])

    @property
    def system(self) -> str:
        """The system prompt, wherever the vendor's API puts it."""
        leading = [m["content"] for m in self.messages if m["role"] in ("system", "developer")]
        return "\n\n".join(text_of(content) for content in [self.body.get("system") or "", *leading]).strip()

    @property
    def tools(self) -> list[str]:
        """The names of the tools that the model is offered."""
        return [str(tool.get("function", tool).get("name")) for tool in self.body.get("tools") or []]

    @property
    def text(self) -> str:
        """What the person said last."""
        # The last block alone: Claude Code puts reminders of its own into the blocks before it.
        spoken = [text for m in self.messages if m["role"] == "user" for text in _texts(m["content"])]
        return spoken[-1] if spoken else ""

    @property
    def results(self) -> list[str]:
        """The results of the tools that the model used last."""
        results: list[str] = []
        for message in self.messages:
            blocks = message["content"] if isinstance(message["content"], list) else []
            if message["role"] == "assistant":
                results = []
            elif message["role"] == "tool":
                results.append(text_of(message["content"]))
            results += [text_of(b.get("content") or "") for b in blocks if b["type"] == "tool_result"]
        return results

    @property
    def tokens(self) -> int:
        """About how many tokens the request has."""
        return max(int(self.size / self.bytes_per_token), 1)


def text_of(content: Any) -> str:
    """The text in a message's content, which is a string or a list of blocks."""
    return "\n".join(_texts(content))


def _texts(content: Any) -> list[str]:
    if isinstance(content, str):
        return [content]
    return [block["text"] for block in content or [] if block.get("type") == "text"]
