"""Claude as a model of the native runtime: one streamed request to Anthropic's API, written and read here.

The vendor's SDK takes two seconds and 80 MiB to load, and ten milliseconds a call; a turn must not pay for that.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import aiohttp
from pydantic_core import from_json

from nanoclaw.domain.errors import ModelFailed, ModelRefused
from nanoclaw.domain.model_thinking import marked, with_thinking
from nanoclaw.domain.money import Usage
from nanoclaw.domain.steps import Kept, ModelPiece, Step, ToolCall, ToolOffer
from nanoclaw.domain.turns import (
    AnswerCut,
    ModelAsked,
    RuntimeEvent,
    Spent,
    TextDelta,
    TextWritten,
    TurnRequest,
)
from nanoclaw.gateway import fitting
from nanoclaw.gateway.anthropic_request import MOST_OUTPUT, WrittenTools, body_of, in_json
from nanoclaw.gateway.cut_answers import CUT
from nanoclaw.gateway.meter import Meter
from nanoclaw.gateway.model_calls import ANTHROPIC, MOST_SEARCHES, Call, Gateway, Line
from nanoclaw.gateway.outage import Trouble, trouble_of
from nanoclaw.gateway.prices import split

_BYTES_PER_TOKEN = 3
_LONGEST_LINE = 1 << 20  # bytes
_ENDS_WITHIN = 5.0  # seconds for the end of a stream after that of its answer
_TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=600)
_GOES_ON = "pause_turn"  # a search took long, and the vendor wants to be asked to continue


@dataclass
class _Answer:
    """The blocks of an answer as they grow; they go back to the vendor unchanged."""

    blocks: dict[int, dict[str, Any]] = field(default_factory=dict)
    written: dict[int, list[str]] = field(default_factory=dict)  # pieces of a tool's arguments
    stop: str = ""
    whole: bool = False

    def take(self, event: dict[str, Any]) -> str:
        """The text that an event adds to the answer. Raises _Broken when the vendor gives up midway."""
        match event:
            case {"type": "content_block_start", "index": int(place), "content_block": dict(block)}:
                self.blocks[place] = dict(block)
                return str(block.get("text", ""))
            case {"type": "content_block_delta", "index": int(place), "delta": dict(delta)}:
                return self._grow(place, delta)
            case {"type": "message_delta", "delta": {"stop_reason": str(reason)}}:
                self.stop = reason
            case {"type": "message_stop"}:
                self.whole = True
            case {"type": "error", "error": {"message": str(said)}}:
                raise _Broken(Trouble(said=said[:300]))
            case _:
                pass
        return ""

    def _grow(self, place: int, delta: dict[str, Any]) -> str:
        block = self.blocks.setdefault(place, {"type": "text", "text": ""})
        match delta:
            case {"type": "text_delta", "text": str(text)}:
                block["text"] = block.get("text", "") + text
                return text
            case {"type": "input_json_delta", "partial_json": str(piece)}:
                self.written.setdefault(place, []).append(piece)
            case {"type": "thinking_delta", "thinking": str(text)}:
                block["thinking"] = block.get("thinking", "") + text
            case {"type": "signature_delta", "signature": str(piece)}:
                block["signature"] = block.get("signature", "") + piece
            case {"type": "citations_delta", "citation": citation}:
                block.setdefault("citations", []).append(citation)
            case _:
                pass
        return ""

    def cut_call(self) -> str | None:
        """The id of the tool call in the middle of which the answer ended."""
        last = self.content[-1] if self.stop == CUT and self.content else {}
        return str(last["id"]) if last.get("type") == "tool_use" else None

    @property
    def content(self) -> list[dict[str, Any]]:
        for place, pieces in self.written.items():
            self.blocks[place]["input"] = _arguments("".join(pieces))
        filled = (self.blocks[place] for place in sorted(self.blocks))
        return [block for block in filled if block.get("type") != "text" or block.get("text")]

    def leave_out(self, call_id: str) -> None:
        self.blocks = {place: block for place, block in self.blocks.items() if block.get("id") != call_id}
        self.written = {place: pieces for place, pieces in self.written.items() if place in self.blocks}


class _Broken(Exception):
    """The vendor could not answer, or not completely."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.said)
        self.trouble = trouble


class AnthropicModel:
    def __init__(
        self,
        gateway: Gateway,
        *,
        base_url: str,
        key: Callable[[], str | None],
        allowed: Callable[[], tuple[str, ...]],
    ) -> None:
        self._gateway = gateway
        self._url = base_url.rstrip("/") + "/v1/messages"
        self._key = key
        self._allowed = allowed
        self._session: aiohttp.ClientSession | None = None
        self._tools = WrittenTools()

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    async def stream(
        self, request: TurnRequest, steps: Sequence[Step], tools: Sequence[ToolOffer]
    ) -> AsyncGenerator[ModelPiece, None]:
        offered = self._tools.of(tools, searches=request.grants.web_search)
        body = body_of(request, steps, offered.made)
        told: list[ModelAsked | AnswerCut | Spent] = []

        def hear(event: RuntimeEvent) -> None:
            if isinstance(event, ModelAsked | AnswerCut | Spent):
                told.append(event)

        line = Line(spender=request.spender("native"), listener=hear, models=self._allowed())
        content: list[dict[str, Any]] = []
        while True:
            written = in_json(body, offered)
            estimate = len(written) // _BYTES_PER_TOKEN + 1
            searches = MOST_SEARCHES if request.grants.web_search else 0
            async with self._gateway.pass_through(
                line,
                request.model,
                estimate,
                MOST_OUTPUT,
                searches=searches,
                count=partial(self._count, body),
            ) as call:
                while True:
                    answer = _Answer()
                    made = fitting.fitted(body, call.model, call.max_output)
                    made = with_thinking(made, request.thinking)
                    sent = written if made == body else in_json(made, offered)
                    while told:
                        yield told.pop(0)
                    try:
                        async for text in self._asked(sent, answer, call):
                            yield TextDelta(text=text)
                        break
                    except _Broken as broken:
                        yield TextWritten(text="")  # what came of it is written again
                        await call.failed(broken.trouble)
                if answer.stop == CUT:
                    call.was_cut()
            while told:
                yield told.pop(0)
            cut = answer.cut_call()
            if cut and call.is_lowered:  # there is no money to do it again
                answer.leave_out(cut)
            said = marked(answer.content, split(call.model)[1])
            content += said
            if answer.stop != _GOES_ON:
                break
            yield TextWritten(text="".join(block.get("text", "") for block in answer.content))
            body["messages"].append({"role": "assistant", "content": said})
        for block in content:
            if block.get("type") == "tool_use":
                yield ToolCall(
                    id=str(block["id"]),
                    name=str(block["name"]),
                    arguments=block.get("input", {}),
                    is_cut=block["id"] == cut,
                )
        yield Kept(value=content)

    async def _count(self, body: Mapping[str, Any], model: str) -> int | None:
        session, headers = self._connection()
        asked = with_thinking({**body, "model": split(model)[1]}, None)
        return await fitting.count(session, self._url + "/count_tokens", headers, asked, model)

    def _connection(self) -> tuple[aiohttp.ClientSession, dict[str, str]]:
        key = self._key()
        if key is None:
            raise ModelFailed("key-absent", vendor=ANTHROPIC)
        if self._session is None:
            self._session = aiohttp.ClientSession(timeout=_TIMEOUT, auto_decompress=False)
        return self._session, {
            "x-api-key": key,
            "anthropic-version": "2023-06-01",
            "content-type": "application/json",
            "accept-encoding": "identity",
        }

    async def _asked(self, sent: bytes, answer: _Answer, call: Call) -> AsyncIterator[str]:
        session, headers = self._connection()
        meter = Meter(len(sent) // 4)
        call.sent(Usage(input=len(sent) // 4))
        response: aiohttp.ClientResponse | None = None
        try:
            response = await session.post(self._url, data=sent, headers=headers, allow_redirects=False)
            if response.status != 200:
                call.refused()
                _refuse(response, await response.content.read(1 << 20), headers["x-api-key"])
            call.answered()
            lines = _Lines()
            # The end of the stream is not waited for: with it, the connection is free again.
            while not answer.whole and (piece := await response.content.readany()):
                if text := _read(lines.add(piece), answer, meter, call):
                    yield text
            if not answer.whole and (text := _read(lines.last(), answer, meter, call)):
                yield text
        except aiohttp.ClientConnectorError as error:
            call.refused()
            raise _Broken(Trouble(said=str(error))) from error
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise _Broken(Trouble(said=str(error) or type(error).__name__)) from error
        finally:
            if response is not None and answer.whole:
                asyncio.get_running_loop().call_later(
                    _ENDS_WITHIN, response.close
                )  # nothing, once it has ended
            elif response is not None:
                response.close()
        if not answer.whole:
            raise _Broken(Trouble(said="the answer broke off"))
        call.settle(meter.usage)


class _Lines:
    """The events of a stream, as they are completed by what arrives."""

    def __init__(self) -> None:
        self._rest = b""

    def add(self, piece: bytes) -> list[bytes]:
        """Those that arrive together are handled in one step: one by one, each would cost as much."""
        *lines, self._rest = (self._rest + piece).split(b"\n")
        if len(self._rest) > _LONGEST_LINE:
            raise _Broken(Trouble(said="the answer was garbled"))
        return [line[5:] for line in lines if line.startswith(b"data:")]

    def last(self) -> list[bytes]:
        """The last line need not end."""
        return [self._rest[5:]] if self._rest.startswith(b"data:") else []


def _read(events: list[bytes], answer: _Answer, meter: Meter, call: Call) -> str:
    """The text that these add to the answer."""
    text = ""
    try:
        for event in map(_parsed, events):
            meter.take(event)
            text += answer.take(event)
    finally:
        call.seen = meter.usage
    return text


def _refuse(response: aiohttp.ClientResponse, body: bytes, key: str) -> None:
    """Raises for our own faults; the vendor's trouble is retried."""
    try:
        said = str(from_json(body)["error"]["message"])
    except (ValueError, KeyError, TypeError):
        said = body.decode("utf-8", "replace")
    said = " ".join(said.replace(key, "***").split())[:300]
    if trouble := trouble_of(response.status, response.headers, said):
        raise _Broken(trouble)
    if response.status in (401, 403):
        raise ModelRefused("model-key-refused", said=said)
    raise ModelFailed("model-said", said=f"{response.status} {said}")


def _arguments(written: str) -> Any:
    """What a model writes need not be JSON; then the tool says what is missing."""
    try:
        found = from_json(written or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _parsed(data: bytes) -> dict[str, Any]:
    try:
        found = from_json(data)
    except ValueError as error:
        raise _Broken(Trouble(said="the answer was garbled")) from error
    return found if isinstance(found, dict) else {}
