"""A vendor that lies, floods or stammers: the person gets a sentence, each call is done once, and money is right."""

import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from tests.staging import KINDS, Kind, once, results, staged, until

from nanoclaw.console.web_server import WebServer
from nanoclaw.domain import bounds
from nanoclaw.domain.errors import ModelFailed
from nanoclaw.domain.money import Spender, Usage
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import costs
from nanoclaw.host.host import Host
from nanoclaw.testing import FarEnd, started_host
from nanoclaw.testing.model_parts import Asked, Fail, Garbage, Reply, Say, Use

pytestmark = [pytest.mark.capability("A15", "J1"), pytest.mark.attack]

NATIVE = KINDS[1:]
_HEAD = 'event: x\ndata: {"type": "message_start", "message": {"usage": {"input_tokens": 10, "output_tokens": 1}}}\n\n'


def _event(kind: str, **said: Any) -> str:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **said})}\n\n"


def _block(**block: Any) -> str:
    return _event("content_block_start", index=0, content_block=block)


def _more(**delta: Any) -> str:
    return _event("content_block_delta", index=0, delta=delta)


def _end(reason: str = "end_turn", **usage: Any) -> str:
    return _event("message_delta", delta={"stop_reason": reason}, usage=usage) + _event("message_stop")


def _for_ever(piece: str) -> Iterator[str]:
    while True:
        yield piece


_HELLO = _block(type="text", text="") + _more(type="text_delta", text="hello there")
_UNREADABLE = "the model's answer could not be understood ("
# What the vendor sends, what the person hears, and how many tokens are counted as written.
LIES: dict[str, tuple[str | Callable[[], Iterator[str]], str, int]] = {
    "a call without a name": (
        _block(type="tool_use", id="x", input={}) + _end(output_tokens=2),
        _UNREADABLE,
        1,
    ),
    "a call whose input is text": (
        _block(type="tool_use", id="x", name="bash", input="no") + _end(output_tokens=2),
        _UNREADABLE,
        1,
    ),
    "text that is a number": (_block(type="text", text=5) + _end(output_tokens=2), _UNREADABLE, 1),
    "citations that are nothing": (
        _block(type="text", text="hello", citations=None)
        + _more(type="citations_delta", citation={})
        + _end(output_tokens=2),
        "hello",
        2,
    ),
    "a refusal without a word": (_end("refusal", output_tokens=2), "the model declined to answer this", 2),
    "a tool that is not named": (_end("tool_use", output_tokens=2), _UNREADABLE, 2),
    "a bill in words": (_HELLO + _end(output_tokens="lots"), "hello there", 3),
    "a bill below nothing": (_HELLO + _end(output_tokens=-7), "hello there", 3),
    "thoughts without end": (
        lambda: _for_ever(_more(type="thinking_delta", thinking="y" * 100_000)),
        "did not end",
        16_000,
    ),
    "arguments without end": (
        lambda: _for_ever(_more(type="input_json_delta", partial_json="y" * 100_000)),
        "did not end",
        16_000,
    ),
    "pauses without end": (_HELLO + _end("pause_turn", output_tokens=2), "hello there" * 11, 22),
}


@asynccontextmanager
async def _lying_host(home: Path) -> AsyncIterator[tuple[Host, FarEnd]]:
    """Its vendor tells the lie that the person names; otherwise it says with 200 that it cannot answer."""

    async def answer(request: Request) -> Response:
        body = await request.json()
        asked = json.dumps([message for message in body["messages"] if message["role"] == "user"][-1])
        name = next((name for name in LIES if f">{name}</message>" in asked), None)
        if name is None:
            return JSONResponse({"type": "error", "error": {"message": "no workers left for sk-test"}})
        lie = LIES[name][0]
        told = lie() if callable(lie) else iter([_HEAD + lie])
        return StreamingResponse(told, media_type="text/event-stream")

    server = WebServer(0, for_everyone=True)
    server.start(Starlette(routes=[Route("/v1/messages", answer, methods=["POST"])]))
    try:
        async with (
            FarEnd() as far_end,
            started_host(
                home,
                scripted={"url": far_end.url},
                anthropic={"api_key": "sk-test", "base_url": server.url},
                agents={"runtime": "native"},
            ) as host,
        ):
            yield host, far_end
    finally:
        await server.stop()


async def _written(host: Host) -> int:
    """Tokens, as far as they were paid for."""

    def read(tx: Tx) -> int:
        return sum(tx.execute(sa.select(costs.c.output_tokens)).scalars())

    return await host.store.read(read)


async def test_a_vendor_that_lies_costs_what_can_be_and_the_person_is_told_in_words(home: Path) -> None:
    async with _lying_host(home) as (host, far_end):
        heard, paid = 0, 0
        for name, (_lie, told, tokens) in LIES.items():
            await far_end.say("chat", name)
            said = (await far_end.wait_for("chat", heard + 1))[heard]
            assert told in said, name
            heard, paid = heard + 1, paid + tokens

            async def is_paid(least: int = paid) -> bool:
                return await _written(host) >= least

            await until(is_paid)  # written down a moment later
            assert await _written(host) == paid, name
        await far_end.say("chat", "and now?")
        said = (await far_end.wait_for("chat", heard + 1))[heard]
        assert "no workers left for ***" in said
        assert "Your message is kept" in said
        assert await _written(host) == paid


@pytest.mark.parametrize("kind", NATIVE, ids=lambda kind: kind.name)
async def test_calls_with_the_same_id_are_each_done_and_a_flood_of_them_is_not(
    home: Path, kind: Kind
) -> None:
    """Servers of local models number the calls of each answer from the start: call_0, call_1."""
    flood = [Use("send_message", {"text": f"flood {each}"}, id="call_0") for each in range(300)]

    def script(asked: Asked) -> object:
        match sum(message["role"] == "assistant" for message in asked.messages):
            case 0:
                return [Use("send_message", {"text": text}, id="call_0") for text in ("one", "two")]
            case 1:
                return Use("send_message", {"text": "three"}, id="call_0")
            case _:
                return Say(" and ".join(asked.results))

    async with staged(kind, home, script) as stage:
        assert await stage.ask("count", answers=4) == "Sent."
        assert stage.far_end.said_to("chat") == ["one", "two", "three", "Sent."]
        stage.server.reply = lambda asked: (
            Say(f"{asked.results[-1]} Of {len(asked.results)}") if results(asked) else flood
        )
        before = len(stage.far_end.said_to("chat"))
        await stage.far_end.say("chat", "flood")
        await until(lambda: "Of 300" in stage.far_end.said_to("chat")[-1])
        said = stage.far_end.said_to("chat")[before:]
        assert said[-1] == f"Not done: at most {bounds.MOST_CALLS} tool calls in one answer. Of 300"
        assert len(said) <= bounds.MOST_CALLS + 1


@pytest.mark.parametrize("number", ["NaN", "1e400"])
async def test_what_is_no_number_in_json_never_goes_back_to_the_vendor(home: Path, number: str) -> None:
    odd = Use("bash", {"command": "echo hi", "timeout": float(number)})
    async with staged(NATIVE[0], home, once(odd)) as stage:
        await stage.ask("run it")
        kept = stage.server.asked[-1].body["messages"]
        json.dumps(kept, allow_nan=False)
        assert "`command` is missing" in str(kept)


async def test_a_vendor_without_a_bill_is_paid_for_what_was_sent_and_seen(home: Path) -> None:
    def answer(_asked: Asked) -> Reply:
        return Reply(parts=(Say("hello there"),), usage=Usage())

    async with staged(NATIVE[1], home, answer) as stage:
        assert await stage.ask("hello?") == "hello there"

        async def is_written() -> bool:
            return await _written(stage.host) > 0

        await until(is_written)
        [row] = await stage.host.store.read(lambda tx: list(tx.execute(sa.select(costs))))
        assert row.output_tokens == 3
        assert row.input_tokens > 100
        assert row.micros > 100


def _chunk(delta: dict[str, Any], finish: str | None = None) -> str:
    told = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "small-model"}
    return f"data: {json.dumps({**told, 'choices': [{'index': 0, 'delta': delta, 'finish_reason': finish}]})}\n\n"


async def test_half_an_answer_of_an_openai_like_server_is_asked_for_again_and_its_calls_need_names(
    home: Path,
) -> None:
    """The connection ends in good order, as behind a proxy; a server that never says why it ends is taken as it is."""
    half = _chunk({"content": "half"})
    nameless = _chunk(
        {"tool_calls": [{"index": 0, "id": "x", "type": "function", "function": {"arguments": "{}"}}]}
    )
    answers = [
        half,
        _chunk({"content": "whole"}) + _chunk({}, "stop"),
        half,
        half,
        half,
        nameless + _chunk({}, "tool_calls"),
    ]

    async def answer(_request: Request) -> Response:
        return StreamingResponse(iter([answers.pop(0)]), media_type="text/event-stream")

    server = WebServer(0, for_everyone=True)
    server.start(Starlette(routes=[Route("/v1/chat/completions", answer, methods=["POST"])]))
    try:
        async with staged(
            NATIVE[1], home, lambda _asked: Say("no"), agents={"base_url": f"{server.url}/v1"}
        ) as stage:
            assert await stage.ask("first") == "whole"
            assert await stage.ask("second") == "half"  # twice
            assert await stage.ask("third") == "half"
            assert _UNREADABLE in await stage.ask("fourth")
            assert not answers
    finally:
        await server.stop()


async def test_a_key_that_a_vendor_repeats_is_told_to_nobody_even_in_a_question_of_the_host_itself(
    home: Path,
) -> None:
    async with staged(NATIVE[0], home, lambda _asked: Fail(400, message="odd key sk-test")) as stage:
        assert "odd key ***" in await stage.ask("hello?")
        spender = Spender(company="demo", group="main", session_id="s", turn_id="t", runtime="native")
        with pytest.raises(ModelFailed) as failed:
            await stage.host.agents.ask(spender, "Which skill?")
        assert failed.value.values["said"] == "400 odd key ***"
        stage.server.reply = lambda _asked: Garbage("x" * (2 << 20))
        with pytest.raises(ModelFailed) as failed:
            await stage.host.agents.ask(spender, "Which skill?")
        assert failed.value.key == "model-endless"
