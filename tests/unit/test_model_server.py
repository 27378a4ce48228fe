"""The scripted model server is as strict as a vendor, and says exactly what a test told it to say."""

import asyncio
import json
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import httpx
import pytest
import pytest_asyncio

from nanoclaw.domain.money import Usage
from nanoclaw.testing import Asked, Cut, Fail, Garbage, ModelServer, Reply, Say, Think, Use, Wait, echo

pytestmark = pytest.mark.asyncio(loop_scope="module")

ANTHROPIC = {"x-api-key": "sk-test", "anthropic-version": "2023-06-01"}
OPENAI = {"authorization": "Bearer sk-test"}
HELLO: dict[str, Any] = {
    "model": "m",
    "max_tokens": 9,
    "messages": [{"role": "user", "content": "hello there"}],
}
TOOL = {"name": "Bash", "description": "", "input_schema": {}}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def running() -> AsyncIterator[ModelServer]:
    async with ModelServer() as server:
        yield server


@pytest_asyncio.fixture(loop_scope="module")
async def server(running: ModelServer) -> AsyncIterator[ModelServer]:
    running.asked.clear()
    running.left.clear()
    running.reply = echo
    yield running


@pytest_asyncio.fixture(loop_scope="module")
async def client(server: ModelServer) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=server.url) as client:
        yield client


def _events(text: str) -> list[dict[str, Any]]:
    lines = [line[6:] for line in text.splitlines() if line.startswith("data: ")]
    return [json.loads(line) for line in lines if line != "[DONE]"]


async def test_it_repeats_what_was_said_when_nobody_told_it_otherwise(client: httpx.AsyncClient) -> None:
    answer = (await client.post("/v1/messages?beta=true", json=HELLO, headers=ANTHROPIC)).json()
    assert answer["content"] == [{"type": "text", "text": "You said: hello there"}]
    assert answer["stop_reason"] == "end_turn"
    answer = (await client.post("/v1/chat/completions", json=HELLO, headers=OPENAI)).json()
    assert answer["choices"][0]["message"]["content"] == "You said: hello there"


async def test_it_remembers_what_it_was_asked(server: ModelServer, client: httpx.AsyncClient) -> None:
    system = [{"type": "text", "text": "be kind"}, {"type": "text", "text": "be short"}]
    asking = partial(client.post, "/v1/messages", headers=ANTHROPIC)
    await asyncio.gather(server.wait_for(1), asking(json=HELLO | {"system": system, "tools": [TOOL]}))
    [asked] = server.asked
    assert (asked.model, asked.system, asked.tools, asked.stream) == (
        "m",
        "be kind\nbe short",
        ["Bash"],
        False,
    )
    assert asked.headers["anthropic-version"] == "2023-06-01"


@pytest.mark.parametrize(
    ("change", "headers", "status", "kind"),
    [
        ({}, {}, 401, "authentication_error"),
        ({}, {"x-api-key": "wrong", "anthropic-version": "1"}, 401, "authentication_error"),
        ({}, {"x-api-key": "sk-test"}, 400, "invalid_request_error"),
        ({"max_tokens": None}, ANTHROPIC, 400, "invalid_request_error"),
        ({"model": None}, ANTHROPIC, 400, "invalid_request_error"),
        ({"messages": []}, ANTHROPIC, 400, "invalid_request_error"),
        ({"messages": [{"role": "robot", "content": "x"}]}, ANTHROPIC, 400, "invalid_request_error"),
        ({"messages": [{"role": "user", "content": ""}]}, ANTHROPIC, 400, "invalid_request_error"),
        (
            {"messages": [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "x"}]}]},
            ANTHROPIC,
            400,
            "invalid_request_error",
        ),
        (
            {"messages": [{"role": "assistant", "content": [{"type": "tool_use", "id": "x"}]}]},
            ANTHROPIC,
            400,
            "invalid_request_error",
        ),
    ],
)
async def test_it_refuses_what_the_vendor_refuses(
    server: ModelServer,
    client: httpx.AsyncClient,
    change: dict[str, Any],
    headers: dict[str, str],
    status: int,
    kind: str,
) -> None:
    response = await client.post("/v1/messages", json=HELLO | change, headers=headers)
    assert (response.status_code, response.json()["error"]["type"]) == (status, kind)
    assert server.asked == []


async def test_a_stream_comes_word_by_word_with_tools_thoughts_and_usage(
    server: ModelServer, client: httpx.AsyncClient
) -> None:
    usage = Usage(input=7, output=8, cache_read=9, cache_write=10, thinking=3)
    said = (Think("hm"), Say("one two"), Use("Bash", {"command": "echo hello there"}, id="toolu_1"))
    server.reply = lambda _: Reply(parts=said, usage=usage)
    response = await client.post("/v1/messages", json=HELLO | {"stream": True}, headers=ANTHROPIC)
    events = _events(response.text)
    deltas = [event["delta"] for event in events if event["type"] == "content_block_delta"]
    assert [delta["text"] for delta in deltas if "text" in delta] == ["one", " two"]
    written = "".join(delta["partial_json"] for delta in deltas if "partial_json" in delta)
    assert json.loads(written) == {"command": "echo hello there"}
    assert [event["type"] for event in events][-2:] == ["message_delta", "message_stop"]
    assert events[-2]["delta"]["stop_reason"] == "tool_use"
    assert events[-2]["usage"]["cache_creation_input_tokens"] == 10
    assert events[0]["message"]["usage"]["output_tokens"] == 1


async def test_openai_streams_tools_and_the_usage_that_was_asked_for(
    server: ModelServer, client: httpx.AsyncClient
) -> None:
    server.reply = lambda _: [Say("one two"), Use("Bash", {"command": "ls"}, id="call_1")]
    body = HELLO | {"stream": True, "stream_options": {"include_usage": True}}
    response = await client.post("/v1/chat/completions", json=body, headers=OPENAI)
    *chunks, last = _events(response.text)
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks]
    assert "".join(delta.get("content") or "" for delta in deltas) == "one two"
    calls = [call for delta in deltas for call in delta.get("tool_calls", [])]
    assert json.loads("".join(call["function"]["arguments"] for call in calls)) == {"command": "ls"}
    assert chunks[-1]["choices"][0]["finish_reason"] == "tool_calls"
    assert last["choices"] == []
    assert last["usage"]["completion_tokens"] > 0
    assert response.text.endswith("data: [DONE]\n\n")


async def test_a_script_sees_the_results_of_tools(server: ModelServer, client: httpx.AsyncClient) -> None:
    def reply(asked: Asked) -> str | Use:
        return f"it says {asked.results}" if asked.results else Use("Bash", {"command": "ls"}, id="toolu_1")

    server.reply = reply
    first = (await client.post("/v1/messages", json=HELLO, headers=ANTHROPIC)).json()
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": "a.txt"}]}
    reminder = {"role": "system", "content": "be quick"}
    messages = [
        *HELLO["messages"],
        {"role": "assistant", "content": first["content"]},
        {"role": "user", "content": [result]},
        reminder,
    ]
    body = HELLO | {"messages": messages}
    second = (await client.post("/v1/messages", json=body, headers=ANTHROPIC)).json()
    assert second["content"][0]["text"] == "it says ['a.txt']"


async def test_it_fails_as_it_is_told(server: ModelServer, client: httpx.AsyncClient) -> None:
    server.reply = lambda _: Fail(529, "overloaded_error", "Overloaded", {"retry-after": "7"})
    response = await client.post("/v1/messages", json=HELLO, headers=ANTHROPIC)
    assert (response.status_code, response.headers["retry-after"]) == (529, "7")
    assert response.json()["error"] == {"type": "overloaded_error", "message": "Overloaded"}


@pytest.mark.parametrize("stream", [True, False])
async def test_a_cut_breaks_the_connection(
    server: ModelServer, client: httpx.AsyncClient, stream: bool
) -> None:
    server.reply = lambda _: [Say("one two three"), Cut(after=2)]
    seen = b""

    async def read() -> None:
        nonlocal seen
        body = HELLO | {"stream": stream}
        async with client.stream("POST", "/v1/messages", json=body, headers=ANTHROPIC) as response:
            async for data in response.aiter_bytes():
                seen += data

    with pytest.raises(httpx.RemoteProtocolError):
        await read()
    assert b"three" not in seen
    assert b"two" in seen or not stream


@pytest.mark.parametrize("stream", [True, False])
async def test_garbage_is_garbage(server: ModelServer, client: httpx.AsyncClient, stream: bool) -> None:
    server.reply = lambda _: [Garbage("<oops>")]
    response = await client.post("/v1/messages", json=HELLO | {"stream": stream}, headers=ANTHROPIC)
    assert "<oops>" in response.text


async def test_it_waits_until_the_test_lets_it_go_on(server: ModelServer, client: httpx.AsyncClient) -> None:
    go_on = asyncio.Event()
    server.reply = lambda _: [Say("one"), Wait(go_on), Say("two")]
    body = HELLO | {"stream": True}
    async with client.stream("POST", "/v1/messages", json=body, headers=ANTHROPIC) as response:
        seen = ""
        async for text in response.aiter_text():
            seen += text
            if "content_block_stop" in seen and not go_on.is_set():
                assert "two" not in seen
                go_on.set()
    assert "two" in seen


async def test_it_notices_who_hangs_up(server: ModelServer, client: httpx.AsyncClient) -> None:
    server.reply = lambda _: [Say("one"), Wait(asyncio.Event())]
    body = HELLO | {"stream": True}
    async with client.stream("POST", "/v1/messages", json=body, headers=ANTHROPIC) as response:
        await anext(response.aiter_bytes())
    async with asyncio.timeout(60):
        await server.left.wait()


async def test_it_counts_tokens(server: ModelServer, client: httpx.AsyncClient) -> None:
    body = {"model": "m", "messages": HELLO["messages"]}
    response = await client.post("/v1/messages/count_tokens", json=body, headers=ANTHROPIC)
    assert response.json()["input_tokens"] > 0
    assert server.asked == []
