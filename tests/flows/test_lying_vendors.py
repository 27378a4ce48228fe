"""The same lies through Claude Code: the gateway bounds, checks and counts what the program in the box is told."""

import json
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import sqlalchemy as sa
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from tests.staging import until

from nanoclaw.console.web_server import WebServer
from nanoclaw.domain import bounds
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import costs, parcels
from nanoclaw.host.host import Host
from nanoclaw.testing import Asked, FarEnd, anthropic_api, started_host

pytestmark = [
    pytest.mark.capability("A15", "A16", "J1"),
    pytest.mark.attack,
    pytest.mark.asyncio(loop_scope="module"),
]

_SEND = "mcp__nanoclaw__send_message"
_MOST = 64_000  # tokens: the longest answer that Claude Code asks for
Body = dict[str, Any]
Told = str | Iterator[str]


def _event(kind: str, **said: Any) -> str:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **said})}\n\n"


def _head() -> str:
    usage = {"input_tokens": 10, "output_tokens": 1}
    return _event(
        "message_start",
        message={"id": "msg_1", "type": "message", "role": "assistant", "content": [], "usage": usage},
    )


def _block(*deltas: dict[str, Any], at: int = 0, **block: Any) -> str:
    grown = "".join(_event("content_block_delta", index=at, delta=delta) for delta in deltas)
    return (
        _event("content_block_start", index=at, content_block=block)
        + grown
        + _event("content_block_stop", index=at)
    )


def _text(text: str) -> str:
    return _block({"type": "text_delta", "text": text}, type="text", text="")


def _use(name: str, arguments: Any, *, at: int = 0, call_id: str = "call_0") -> str:
    written = {"type": "input_json_delta", "partial_json": json.dumps(arguments)}
    return _block(written, at=at, type="tool_use", id=call_id, name=name, input={})


def _end(reason: str = "end_turn", **usage: Any) -> str:
    stop = {"stop_reason": reason, "stop_sequence": None}
    return _event("message_delta", delta=stop, usage=usage) + _event("message_stop")


def _for_ever(first: str, piece: str) -> Iterator[str]:
    yield first
    while True:
        yield piece


def _said(text: str, **usage: Any) -> str:
    return _head() + _text(text) + _end(**usage)


def _called(*calls: str) -> str:
    return _head() + "".join(calls) + _end("tool_use", output_tokens=2)


def _results(body: Body) -> list[str]:
    """The results of tools since the person spoke."""
    messages = body["messages"]
    spoken = max(at for at, message in enumerate(messages) if "</message>" in json.dumps(message))
    blocks = [b for m in messages[spoken:] if isinstance(m["content"], list) for b in m["content"]]
    return [json.dumps(b["content"]) for b in blocks if b["type"] == "tool_result"]


def _then(first: str) -> Callable[[Body], Told]:
    return lambda body: _said(" | ".join(_results(body)), output_tokens=2) if _results(body) else first


def _same_ids(body: Body) -> Told:
    """Servers of local models number the calls of each answer from the start."""
    match len(_results(body)):
        case 0:
            return _called(*(_use(_SEND, {"text": text}, at=at) for at, text in enumerate(("one", "two"))))
        case 2:
            return _called(_use(_SEND, {"text": "three"}))
        case done:
            return _said(f"{done} are done", output_tokens=2)


_UNREADABLE = "the model's answer could not be understood ("
_THOUGHT = _event("content_block_delta", index=0, delta={"type": "thinking_delta", "thinking": "y" * 100_000})
_THINKING = _event("content_block_start", index=0, content_block={"type": "thinking", "thinking": ""})
# What the vendor sends, what the person hears last, and how many tokens are counted as written.
LIES: dict[str, tuple[Callable[[Body], Told], str, int]] = {
    "a call without a name": (lambda _: _called(_block(type="tool_use", id="x", input={})), _UNREADABLE, 1),
    "text that is a number": (lambda _: _head() + _block(type="text", text=5) + _end(), _UNREADABLE, 1),
    "a bill in words": (lambda _: _said("hello", output_tokens="lots"), "hello", 2),
    "no bill at all": (lambda _: _said("hello"), "hello", 2),
    "thoughts without end": (lambda _: _for_ever(_head() + _THINKING, _THOUGHT), "did not end", _MOST),
    "a line without end": (lambda _: _for_ever(_head() + "data: ", "y" * 100_000), _UNREADABLE, 1),
    "a tool that nobody offers": (_then(_called(_use("Fly", {"to": "Lviv"}))), "No such tool", 4),
    "arguments that are a list": (_then(_called(_use("Bash", [1, 2]))), "`command` is missing", 4),
    "calls with one id": (_same_ids, "3 are done", 6),
    "a bill beyond belief": (lambda _: _said("hello", output_tokens=900_000_000), "hello", _MOST),
}


class Scene:
    """A host whose vendor tells the lie that the person names; otherwise it says with 200 that it cannot answer."""

    def __init__(self, host: Host, far_end: FarEnd) -> None:
        self.host = host
        self.far_end = far_end

    async def hear(self, lie: str, told: str) -> list[str]:
        """All that is said until this."""
        before = len(self.far_end.said_to("chat"))
        await self.far_end.say("chat", lie)
        await until(lambda: any(told in said for said in self.far_end.said_to("chat")[before:]))
        return self.far_end.said_to("chat")[before:]

    async def alerts(self) -> list[str]:
        wanted = sa.select(parcels.c.text).where(parcels.c.text.contains("tokens"))
        return await self.host.store.read(lambda tx: list(tx.execute(wanted).scalars()))

    async def written(self) -> int:
        """Tokens, as far as they were paid for."""

        def read(tx: Tx) -> int:
            return sum(tx.execute(sa.select(costs.c.output_tokens)).scalars())

        return await self.host.store.read(read)


async def _lie(request: Request) -> Response:
    body = await request.json()
    whole = Asked(path=request.url.path, query="", headers=request.headers, body=body)
    if fault := anthropic_api.refusal(whole, "sk-test"):
        return JSONResponse(anthropic_api.error(fault), fault.status)
    asked = [json.dumps(message) for message in body["messages"] if message["role"] == "user"]
    places = {name: "".join(asked).rfind(f">{name}</message>") for name in [*LIES, "flood", "and now?"]}
    name = max(places, key=lambda name: places[name])
    if name == "and now?":
        return JSONResponse({"type": "error", "error": {"message": "no workers left for sk-test"}})
    if name == "flood":
        calls = (_use("Fly", {"number": n}, at=n, call_id=f"f_{n}") for n in range(300))
        told: Told = _said(f"{len(_results(body))} done") if _results(body) else _called(*calls)
    else:
        told = LIES[name][0](body)
    return StreamingResponse(iter([told]) if isinstance(told, str) else told, media_type="text/event-stream")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def scene(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Scene]:
    home: Path = tmp_path_factory.mktemp("lies")
    server = WebServer(0, for_everyone=True)
    server.start(Starlette(routes=[Route("/v1/messages", _lie, methods=["POST"])]))
    vendor = {"api_key": "sk-test", "base_url": server.url}
    agents = {"runtime": "claude-code"}
    try:
        async with (
            FarEnd() as far_end,
            started_host(home, scripted={"url": far_end.url}, anthropic=vendor, agents=agents) as host,
        ):
            yield Scene(host, far_end)
    finally:
        await server.stop()


async def test_what_a_vendor_says_to_claude_code_is_checked_counted_and_told_in_words(scene: Scene) -> None:
    paid = await scene.written()
    for name, (_, told, tokens) in LIES.items():
        said = await scene.hear(name, told)
        paid += tokens

        async def is_paid(least: int = paid) -> bool:
            return await scene.written() >= least

        await until(is_paid)  # written down a moment later
        assert await scene.written() == paid, name
        if name == "calls with one id":
            assert said == ["one", "two", "three", "3 are done"]
    await until(scene.alerts)
    [alert] = await scene.alerts()
    assert "says that one call used 900,000,000 tokens, which cannot be. It counts as $0.64" in alert


async def test_of_a_flood_of_calls_claude_code_gets_as_many_as_may_be(scene: Scene) -> None:
    said = await scene.hear("flood", " done")
    assert said[-1] == f"{bounds.MOST_CALLS} done"


async def test_an_error_with_200_costs_nothing_and_does_not_show_the_key(scene: Scene) -> None:
    await scene.host.agents.ledger.close()  # what other tests spent is written down a moment later
    paid = await scene.written()
    [told] = await scene.hear("and now?", "cannot be reached")
    assert "no workers left for ***" in told
    assert await scene.written() == paid
