"""The client of the Message Batches API against the played vendor, on good days and on bad ones."""

import json
import re
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from nanoclaw.domain.batches import (
    Batch,
    BatchPart,
    BatchStatus,
    BrokenLine,
    ItemResult,
    ItemState,
    PartState,
)
from nanoclaw.domain.errors import LeaseLost, ModelFailed, ModelOutage, ModelRefused, SendUnknown
from nanoclaw.domain.ids import ChatId, PersonId
from nanoclaw.gateway.message_batches import MessageBatches
from nanoclaw.testing import Asked, Cut, Fail, ModelServer, Say

_LONG_AGO = datetime.now(UTC) - timedelta(days=1)
_BATCH = Batch(
    id="b_1",
    status=BatchStatus.RUNNING,
    company="acme",
    group="main",
    chat_id=ChatId("c_1"),
    started_by=PersonId("p_1"),
    language="en",
    subject="posts",
    skill="",
    model="claude-haiku-4-5",
    channel="",
    items=3,
    max_tokens=100,
    created_at=_LONG_AGO,
)


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    async with ModelServer() as server:
        yield server


@pytest.fixture
async def client(server: ModelServer) -> AsyncIterator[MessageBatches]:
    client = MessageBatches(server.url, lambda: server.key, lambda: None)
    yield client
    await client.close()


def written(folder: Path, ids: Sequence[str], **params: Any) -> Path:
    usual = {
        "model": "claude-haiku-4-5",
        "max_tokens": 100,
        "messages": [{"role": "user", "content": "a\nb"}],
    }
    path = folder / "part-1.jsonl"
    path.write_text("\n".join(json.dumps({"custom_id": each, "params": {**usual, **params}}) for each in ids))
    return path


async def send(client: MessageBatches, folder: Path, count: int = 3) -> str:
    sent = await client.send(_BATCH, written(folder, [f"b_1-{n}-1" for n in range(1, count + 1)]), count)
    return sent.vendor_id


async def results(client: MessageBatches, vendor_id: str) -> list[ItemResult | BrokenLine]:
    part = BatchPart(
        batch_id="b_1", number=1, state=PartState.SENT, first_item=1, last_item=3, vendor_id=vendor_id
    )
    return [each async for each in client.results(_BATCH, part, Path("none"), ())]


async def test_what_was_sent_is_answered_by_custom_id(
    server: ModelServer, client: MessageBatches, tmp_path: Path
) -> None:
    server.batches.is_held = True
    vendor_id = await send(client, tmp_path)
    under_way = await client.status(vendor_id)
    assert (under_way.has_ended, under_way.total, under_way.done) == (False, 3, 0)
    assert under_way.expires_at is not None
    assert under_way.created_at is not None
    assert under_way.expires_at - under_way.created_at == timedelta(hours=24)
    await server.batches.finish(done=2)
    ended = await client.status(vendor_id)
    assert (ended.has_ended, ended.total, ended.done) == (True, 3, 3)
    found = {
        each.custom_id: each for each in await results(client, vendor_id) if isinstance(each, ItemResult)
    }
    assert {name: each.state.value for name, each in found.items()} == {
        "b_1-1-1": "succeeded",
        "b_1-2-1": "succeeded",
        "b_1-3-1": "expired",
    }
    assert found["b_1-1-1"].text == "You said: a\nb"
    assert found["b_1-1-1"].usage.input > 0


async def test_single_requests_fail_in_the_vendors_words(
    server: ModelServer, client: MessageBatches, tmp_path: Path
) -> None:
    def reply(asked: Asked) -> Any:
        return {"bad": Fail(500, "api_error", "Internal server error"), "long": [Say("a text"), Cut()]}.get(
            asked.text, "fine"
        )

    server.reply = reply
    lines = [
        {
            "custom_id": name,
            "params": {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": name}]},
        }
        for name in ("bad", "long", "fine")
    ]
    lines.append({"custom_id": "no-tokens", "params": {"model": "m", "messages": []}})
    path = tmp_path / "part"
    path.write_text("\n".join(map(json.dumps, lines)))
    sent = await client.send(_BATCH, path, 4)
    found = {
        each.custom_id: each for each in await results(client, sent.vendor_id) if isinstance(each, ItemResult)
    }
    assert (found["bad"].state, found["bad"].error) == (ItemState.ERRORED, "Internal server error")
    assert found["no-tokens"].error == "max_tokens: Field required"
    assert (found["long"].is_cut, found["fine"].is_cut) == (True, False)


async def test_the_vendor_refuses_what_it_would_refuse(
    server: ModelServer, client: MessageBatches, tmp_path: Path
) -> None:
    async def refused(ids: Sequence[str]) -> str:
        with pytest.raises(ModelFailed) as failed:
            await client.send(_BATCH, written(tmp_path, ids), len(ids))
        return str(failed.value.values["said"])

    assert "Duplicate custom_id: a" in await refused(["a", "a"])
    assert "should match pattern" in await refused(["a b"])
    assert "should match pattern" in await refused(["a" * 65])
    wrong = MessageBatches(server.url, lambda: "sk-wrong", lambda: None)
    with pytest.raises(ModelRefused, match="model-key-refused") as refusal:
        await wrong.status("msgbatch_1")
    assert "sk-wrong" not in str(refusal.value)
    await wrong.close()
    with pytest.raises(ModelFailed, match="404 Batch msgbatch_none not found"):
        await client.status("msgbatch_none")
    assert server.batches.made == []


async def test_the_played_vendor_counts_requests_and_pages_as_the_real_one(server: ModelServer) -> None:
    url, headers = (
        f"{server.url}/v1/messages/batches",
        {"x-api-key": server.key, "anthropic-version": "2023-06-01"},
    )

    async def call(method: str, path: str = "", **given: Any) -> tuple[int, Any]:
        async with session.request(method, url + path, headers=headers, **given) as answer:
            return answer.status, await answer.json()

    async with aiohttp.ClientSession() as session:
        one = {"params": {"model": "m", "max_tokens": 1, "messages": [{"role": "user", "content": "x"}]}}
        many = [{"custom_id": f"r{n}", "params": {}} for n in range(100_001)]
        for requests, said in (([], "at least 1 item"), (many, "at most 100000 items"), ([one], "custom_id")):
            status, answer = await call("POST", data=BytesIO(json.dumps({"requests": requests}).encode()))
            assert (status, answer["error"]["type"]) == (400, "invalid_request_error")
            assert said in answer["error"]["message"]
        for name in "abc":
            assert (await call("POST", json={"requests": [{"custom_id": name, **one}]}))[0] == 200
        _, page = await call("GET", "?limit=2")
        assert [each["id"] for each in page["data"]] == [each.id for each in server.batches.made[:0:-1]]
        assert page["has_more"]
        _, rest = await call("GET", f"?limit=2&after_id={page['last_id']}")
        assert ([each["id"] for each in rest["data"]], rest["has_more"]) == (
            [server.batches.made[0].id],
            False,
        )
        status, _ = await call("GET", "?limit=1001")
        assert status == 400
        first = page["data"][0]
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+Z", first["created_at"])
        assert first["results_url"] == f"{url}/{first['id']}/results"
        assert first["request_counts"] == {
            "processing": 0,
            "succeeded": 1,
            "errored": 0,
            "canceled": 0,
            "expired": 0,
        }
        server.batches.is_held = True
        _, held = await call("POST", json={"requests": [{"custom_id": "held", **one}]})
        assert (held["processing_status"], held["results_url"]) == ("in_progress", None)
        assert (await call("GET", f"/{held['id']}/results"))[0] == 400
        assert (await call("POST", f"/{held['id']}/cancel"))[1]["processing_status"] == "canceling"


async def test_an_answer_that_was_lost_is_found_in_the_list(
    server: ModelServer, client: MessageBatches, tmp_path: Path
) -> None:
    for _ in range(3):
        await send(client, tmp_path, count=2)
    server.batches.trouble.lost_answers = 1
    before = datetime.now(UTC)
    with pytest.raises(SendUnknown):
        await send(client, tmp_path)
    server.batches.trouble.late_lists = 1
    assert await client.look_up(before, 3) == []
    assert [each.vendor_id for each in await client.look_up(before, 3)] == [server.batches.made[-1].id]
    assert await client.look_up(datetime.now(UTC), 3) == []


@pytest.mark.parametrize(
    ("fail", "expected"),
    [
        (Fail(429, "rate_limit_error", "slow down", {"retry-after": "7"}), ModelOutage),
        (Fail(529, "overloaded_error", "Overloaded"), ModelOutage),
        (Fail(504, "api_error", "gateway timeout"), SendUnknown),
        (Fail(413, "request_too_large", "too big"), ModelFailed),
    ],
)
async def test_whether_it_may_have_arrived_is_told_apart(
    server: ModelServer, client: MessageBatches, tmp_path: Path, fail: Fail, expected: type[Exception]
) -> None:
    server.batches.trouble.refuse = lambda method, _path: fail if method == "POST" else None
    with pytest.raises(expected) as raised:
        await send(client, tmp_path)
    if fail.status == 429:
        assert isinstance(raised.value, ModelOutage)
        assert raised.value.after == 7


async def test_a_host_that_was_given_up_sends_no_whole_request(server: ModelServer, tmp_path: Path) -> None:
    pieces = 0

    def check() -> None:
        nonlocal pieces
        pieces += 1
        if pieces == 3:
            raise LeaseLost

    client = MessageBatches(server.url, lambda: server.key, check)
    with pytest.raises((LeaseLost, SendUnknown)):
        await send(client, tmp_path)
    await client.close()
    assert server.batches.made == []


async def test_careless_answers_break_nothing(
    server: ModelServer, client: MessageBatches, tmp_path: Path
) -> None:
    vendor_id = await send(client, tmp_path)
    server.batches.trouble.without = ("request_counts", "created_at", "expires_at", "results_url")
    assert (await client.status(vendor_id)).total == 0
    server.batches.trouble.without = ("id",)
    with pytest.raises(ModelOutage):
        await client.status(vendor_id)
    with pytest.raises(SendUnknown):
        await send(client, tmp_path)
    server.batches.trouble.lines = lambda lines: [
        b"{\n",
        *lines,
        lines[0],
        b'{"custom_id": "x", "result": {}}\n',
    ]
    found = await results(client, vendor_id)
    assert [each.why for each in found if isinstance(each, BrokenLine)] == ["not JSON", "not a result"]
    assert len([each for each in found if isinstance(each, ItemResult)]) == 4
    server.batches.trouble.cut_results = 1
    with pytest.raises(ModelOutage):
        await results(client, vendor_id)
    assert len(await results(client, vendor_id)) == 6


async def test_without_a_key_nothing_is_given_up(
    server: ModelServer, client: MessageBatches, tmp_path: Path
) -> None:
    vendor_id = await send(client, tmp_path)
    keyless = MessageBatches(server.url, lambda: None, lambda: None)
    for asking in (keyless.status(vendor_id), results(keyless, vendor_id), send(keyless, tmp_path)):
        with pytest.raises(ModelRefused, match="key-absent"):
            await asking
    await keyless.close()
    assert len(server.batches.made) == 1


async def test_cancelling_what_has_ended_is_no_error(
    server: ModelServer, client: MessageBatches, tmp_path: Path
) -> None:
    server.batches.is_held = True
    vendor_id = await send(client, tmp_path)
    await client.cancel(vendor_id)
    assert server.batches.made[0].cancelled_at
    await server.batches.finish(done=1, rest="canceled")
    await client.cancel(vendor_id)
    states = sorted(
        each.state.value for each in await results(client, vendor_id) if isinstance(each, ItemResult)
    )
    assert states == ["canceled", "canceled", "succeeded"]
