"""Claude as a model of the native runtime: one streamed request to Anthropic's API, written and read here.

The vendor's SDK takes two seconds and 80 MiB to load, and ten milliseconds per call; a turn must not pay for
that.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from functools import partial
from typing import Any

import aiohttp
from pydantic_core import from_json

from nanoclaw.domain.errors import ModelFailed, ModelRefused
from nanoclaw.domain.model_thinking import marked, with_thinking
from nanoclaw.domain.money import Usage
from nanoclaw.domain.steps import ModelPiece, Step, ToolCall, ToolOffer, VendorState, calls_in
from nanoclaw.domain.turns import (
    AnswerCut,
    ModelAsked,
    RuntimeEvent,
    Spent,
    TextDelta,
    TextWritten,
    TurnRequest,
)
from nanoclaw.gateway import fitted_request, tokens
from nanoclaw.gateway.anthropic_answer import AnthropicAnswer, Broken, Lines, error_in, parsed
from nanoclaw.gateway.anthropic_request import MOST_OUTPUT, WrittenTools, body_of, in_json
from nanoclaw.gateway.cut_answers import CUT
from nanoclaw.gateway.meter import Meter
from nanoclaw.gateway.model_calls import ANTHROPIC, MOST_SEARCHES, Call, Gateway, GatewayLine
from nanoclaw.gateway.outage import Trouble, trouble_of
from nanoclaw.gateway.prices import split

_ENDS_WITHIN = 5.0  # seconds for the stream to end after its answer
_TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=600)
_MOST_PAUSES = 10  # in one answer
_NO_STREAM = ("application/json", "text/html")
_GOES_ON = "pause_turn"  # a search took long, and the vendor wants to be asked to continue


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

        line = GatewayLine(spender=request.spender("native"), listener=hear, models=self._allowed())
        content: list[dict[str, Any]] = []
        taken = set(calls_in(steps))
        for pauses in range(_MOST_PAUSES + 1):
            written = in_json(body, offered)
            searches = MOST_SEARCHES if request.grants.web_search else 0
            async with self._gateway.pass_through(
                line,
                request.model,
                tokens.of_text(len(written)),
                MOST_OUTPUT,
                searches=searches,
                count=partial(self._count, body),
            ) as call:
                while True:
                    answer = AnthropicAnswer()
                    made = fitted_request.fitted(body, call.model, call.max_output)
                    made = with_thinking(made, request.thinking)
                    sent = written if made == body else in_json(made, offered)
                    while told:
                        yield told.pop(0)
                    try:
                        async for text in self._asked(sent, answer, call):
                            yield TextDelta(text=text)
                        break
                    except Broken as broken:
                        yield TextWritten(text="")  # what came before is written again
                        await call.failed(broken.trouble)
                if answer.stop == CUT:
                    call.was_cut()
            while told:
                yield told.pop(0)
            answer.check()
            taken = answer.name_calls(taken)
            cut = answer.cut_call()
            if cut and call.is_lowered:  # there is no money to do it again
                answer.leave_out(cut)
            said = marked(answer.content, split(call.model)[1])
            content += said
            if answer.stop != _GOES_ON or pauses == _MOST_PAUSES:
                break
            yield TextWritten(text="".join(block.get("text", "") for block in answer.content))
            body["messages"].append({"role": "assistant", "content": said})
        for block in content:
            if block.get("type") == "tool_use":
                yield ToolCall(
                    id=block["id"],
                    name=block["name"],
                    arguments=block["input"],
                    is_cut=block["id"] == cut,
                )
        yield VendorState(value=content)

    async def _count(self, body: Mapping[str, Any], model: str) -> int | None:
        session, headers = self._connection()
        asked = with_thinking({**body, "model": split(model)[1]}, None)
        return await fitted_request.count(session, self._url + "/count_tokens", headers, asked, model)

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

    async def _asked(self, sent: bytes, answer: AnthropicAnswer, call: Call) -> AsyncIterator[str]:
        session, headers = self._connection()
        meter = Meter(len(sent) // 4)
        call.sent(Usage(input=len(sent) // 4))
        response: aiohttp.ClientResponse | None = None
        try:
            response = await session.post(self._url, data=sent, headers=headers, allow_redirects=False)
            if response.status != 200 or response.content_type in _NO_STREAM:
                _refuse(response, await response.content.read(1 << 20), headers["x-api-key"], call)
            call.answered()
            lines = Lines()
            # Do not wait for the end of the stream, which frees the connection.
            while not answer.whole and (piece := await response.content.readany()):
                if text := _read(lines.add(piece), answer, meter, call):
                    yield text
            if not answer.whole and (text := _read(lines.last(), answer, meter, call)):
                yield text
        except aiohttp.ClientConnectorError as error:
            call.refused()
            raise Broken(Trouble(said=str(error))) from error
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise Broken(Trouble(said=str(error) or type(error).__name__)) from error
        finally:
            if response is not None and answer.whole:
                asyncio.get_running_loop().call_later(
                    _ENDS_WITHIN, response.close
                )  # no effect once it has ended
            elif response is not None:
                response.close()
        if not answer.whole:
            raise Broken(Trouble(said="the answer broke off"))
        call.settle(meter.usage)


def _read(events: list[bytes], answer: AnthropicAnswer, meter: Meter, call: Call) -> str:
    """The text that these events add to the answer."""
    text = ""
    try:
        for event in map(parsed, events):
            meter.take(event)
            text += answer.take(event)
    finally:
        call.seen = meter.usage
    return text


def _refuse(response: aiohttp.ClientResponse, body: bytes, key: str, call: Call) -> None:
    """Raises for our own faults; the vendor's trouble is retried. Some proxies report errors with status 200."""
    try:
        words = error_in(from_json(body))
    except ValueError:
        words = ""
    said = " ".join((words or body.decode("utf-8", "replace")).replace(key, "***").split())[:300]
    if response.status == 200 and not words:  # perhaps an answer, which is paid for
        raise Broken(Trouble(said="the answer was no stream"))
    call.refused()
    if response.status == 200:
        raise Broken(Trouble(said=said))
    if trouble := trouble_of(response.status, response.headers, said):
        raise Broken(trouble)
    if response.status in (401, 403):
        raise ModelRefused("model-key-refused", said=said)
    raise ModelFailed("model-said", said=f"{response.status} {said}")
