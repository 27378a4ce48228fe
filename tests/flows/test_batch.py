"""Flow I. Many texts at once, through the vendor's batches: sent once, paid once, whatever happens on the way."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from tests.flows.batch_scene import MODEL, BatchScene, batch_scene
from tests.telegram_scene import eventually

from nanoclaw.console import batch_views
from nanoclaw.domain.batches import BatchStatus, PartState
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.ids import new_id
from nanoclaw.domain.money import Usage
from nanoclaw.durable import budgets, costs, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.costs import NO_HOST, Cost
from nanoclaw.flows.batches import batch_text
from nanoclaw.flows.batches.money import spender_of
from nanoclaw.gateway.prices import Prices
from nanoclaw.testing import Asked, Cut, Fail, Full, ModelServer, Reply, Say, Wait, echo, started_host
from nanoclaw.testing.message_batches import Trouble

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.capability("I1", "I2")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[BatchScene]:
    async with (
        ModelServer() as server,
        batch_scene(tmp_path_factory.mktemp("batch") / "nanoclaw", server) as scene,
    ):
        yield scene


@pytest.fixture
def scene(stage: BatchScene) -> BatchScene:
    """The vendor has forgotten the last test."""
    vendor = stage.server.batches
    vendor.made.clear()
    vendor.trouble = Trouble()
    vendor.is_held = False
    stage.server.reply = echo
    return stage


async def test_texts_are_written_at_half_the_price_and_their_money_is_settled(scene: BatchScene) -> None:
    scene.server.reply = lambda asked: Reply(
        parts=(Say(f"Text: {asked.text[:40]}"),), usage=Usage(input=1000, output=100, cache_read=2000)
    )
    batch = await scene.until(await scene.start(3))
    assert batch.status is BatchStatus.READY
    items = await scene.items(batch)
    assert [item.state.value for item in items] == ["succeeded"] * 3
    assert all(f'<text number="{item.number}"' in item.text for item in items)
    (sent,) = scene.vendor.made
    assert sent.custom_ids == [f"{batch.id}-{number}-1" for number in (1, 2, 3)]
    params = sent.requests[0]["params"]
    assert (params["model"], params["max_tokens"]) == (MODEL, 200)
    assert params["system"][0]["cache_control"] == {"type": "ephemeral"}
    rows = await scene.costs(batch)
    alone = Prices().price_of(MODEL, Usage(input=1000, output=100, cache_read=2000))
    assert [(row.state, row.flow, row.batch, row.batch_id) for row in rows] == [
        ("settled", "I", True, batch.id)
    ] * 3
    assert all(row.micros in (alone // 2, alone // 2 + 1) for row in rows)
    assert [row.micros for row in rows] == [item.micros for item in items]
    assert all(row.saved_by_batch == alone - row.micros for row in rows)
    assert (await scene.counts(batch)).micros == sum(row.micros for row in rows)
    assert batch.cost_id is None
    logged = map(json.loads, (scene.host.home / "data" / "cost_log.jsonl").read_text().splitlines())
    assert [line["flow"] for line in logged if line["batch"]][-3:] == ["I"] * 3
    folder = scene.host.home / "data" / "batches" / batch.id
    await eventually(lambda: _is_gone(folder))


async def _is_gone(folder: Path) -> bool | None:
    return not folder.exists() or None


async def test_money_is_set_aside_while_the_vendor_works(scene: BatchScene) -> None:
    scene.vendor.is_held = True
    batch = await scene.start(3)
    running = await scene.until(batch, BatchStatus.RUNNING)
    await scene.host.store.write(lambda tx: budgets.hold(tx, "demo", work.BATCH, "b_none", now()))
    (held,) = [row for row in await scene.costs() if row.id == running.cost_id]
    reserved = [item.reserved_micros for item in await scene.items(batch)]
    assert (held.state, held.batch, held.host, held.micros) == ("reserved", True, "", sum(reserved))
    least = Prices().price_of(MODEL, Usage(output=200), batch=True)
    assert all(micros > least for micros in reserved)
    await scene.vendor.finish()
    await scene.until(batch)
    assert held.id not in [row.id for row in await scene.costs()]
    # Work that there was no money for beside it looks again.
    assert await scene.host.store.read(lambda tx: budgets.count_unpaid(tx, "demo")) == 0


async def test_a_lost_answer_is_looked_for_and_nothing_is_sent_twice(scene: BatchScene) -> None:
    scene.vendor.is_held = True
    scene.vendor.trouble.lost_answers = 1
    scene.vendor.trouble.late_lists = 1
    scene.vendor.trouble.without = ("request_counts", "created_at")
    scene.vendor.trouble.lines = lambda lines: [
        b'{"custom_id": "a-stray", "result": {"type": "expired"}}\n',
        *lines,
    ]
    batch = await scene.start(2)
    await scene.vendor.wait_for(1)
    # Only results name the requests: until then nobody knows, and nothing is sent again.
    await eventually(lambda: _has_candidates(scene, batch))
    stranger = scene.vendor.made[0]
    await scene.vendor.finish()
    await scene.until(batch)
    assert [part.vendor_id for part in await scene.parts(batch)] == [stranger.id]
    assert sorted(scene.vendor.paid) == [f"{batch.id}-1-1", f"{batch.id}-2-1"]


async def _has_candidates(scene: BatchScene, batch: Any) -> bool | None:
    parts = await scene.parts(batch)
    return bool(parts and parts[0].why and parts[0].why.get("candidates")) or None


async def test_what_never_arrived_is_sent_again_and_another_batch_of_the_same_size_is_not_taken(
    scene: BatchScene,
) -> None:
    other = await scene.until(await scene.start(2))
    scene.vendor.trouble.lost_requests = 1
    # Somebody else uses the same key.
    foreign = scene.vendor.made[0]
    foreign.id = "msgbatch_of_somebody_else"
    batch = await scene.until(await scene.start(2))
    assert len(scene.vendor.made) == 2
    assert (await scene.parts(batch))[0].vendor_id == scene.vendor.made[1].id
    assert await scene.states(batch) == await scene.states(other) == ["succeeded"] * 2


async def test_where_nobody_can_tell_a_person_decides(scene: BatchScene) -> None:
    scene.vendor.trouble.lost_answers = 1
    scene.vendor.trouble.refuse = lambda method, path: (
        Fail(405, "not_allowed", "no lists here") if method == "GET" and path.endswith("/batches") else None
    )
    first = await scene.start(2)
    question = await scene.question(first, "part")
    assert [option.id for option in question.options] == ["again", "give-up"]
    assert (await scene.parts(first))[0].state is PartState.UNCLEAR
    assert len(scene.vendor.made) == 1
    await scene.decide(question, "give-up")
    ended = await scene.until(first)
    assert (ended.status, ended.cost_id) == (BatchStatus.FAILED, None)
    assert await scene.states(first) == ["errored"] * 2
    assert len(scene.vendor.made) == 1
    scene.vendor.trouble.lost_answers = 1
    second = await scene.start(2)
    await scene.decide(await scene.question(second, "part"), "again")
    await scene.until(second)
    assert await scene.states(second) == ["succeeded"] * 2
    assert len(scene.vendor.made) == 3


async def test_errored_and_expired_items_are_told_one_by_one_and_sent_again(scene: BatchScene) -> None:
    def reply(asked: Asked) -> Any:
        if "topic 3<" in asked.text:
            return [Say("a text"), Cut()]
        return Fail(500, "api_error", "Internal error") if "topic 2<" in asked.text else "a text"

    scene.server.reply = reply
    scene.vendor.is_held = True
    batch = await scene.start(4)
    await scene.until(batch, BatchStatus.RUNNING)
    await scene.vendor.finish(done=3)
    await scene.until(batch)
    items = await scene.items(batch)
    assert [(item.state.value, item.error) for item in items] == [
        ("succeeded", None),
        ("errored", "Internal error"),
        ("succeeded", "the text breaks off: it was longer than allowed"),
        ("expired", None),
    ]
    assert {"key": "cut", "values": {}} in items[2].faults
    scene.server.reply = "another text"
    scene.vendor.is_held = False
    with pytest.raises(Refused, match="batch-item-not-failed"):
        await scene.resubmit(batch, 1)
    assert await scene.resubmit(batch, 2) == 1
    await scene.until_it(batch, lambda found: found.status is BatchStatus.READY)
    assert scene.vendor.made[1].custom_ids == [f"{batch.id}-2-2"]
    assert await scene.resubmit(batch) == 1
    await eventually(lambda: _all_succeeded(scene, batch))
    assert scene.vendor.made[2].custom_ids == [f"{batch.id}-4-2"]
    assert [item.text for item in await scene.items(batch)] == [
        "a text",
        "another text",
        "a text",
        "another text",
    ]
    with pytest.raises(Refused, match="batch-nothing-to-resubmit"):
        await scene.resubmit(batch)


async def _all_succeeded(scene: BatchScene, batch: Any) -> bool | None:
    found = await scene.batch(batch)
    return (set(await scene.states(batch)) == {"succeeded"} and found.status is BatchStatus.READY) or None


async def test_odd_results_are_counted_and_told_and_break_nothing(scene: BatchScene) -> None:
    def odd(lines: list[bytes]) -> list[bytes]:
        unknown = json.dumps({"custom_id": "somebody-else", "result": {"type": "expired"}}).encode() + b"\n"
        return [b"{ not json\n", unknown, *lines, lines[0]]

    scene.server.reply = lambda _asked: Reply(parts=(Say("long"),), usage=Usage(input=10, output=5000))
    scene.vendor.trouble.lines = odd
    scene.vendor.trouble.cut_results = 1
    batch = await scene.until(await scene.start(3))
    assert await scene.states(batch) == ["succeeded"] * 3
    assert batch.why == {"key": "batch-odd-results", "unknown": 1, "repeated": 1, "broken": 1, "over": 3}
    # What the vendor used beyond what it was allowed is written down as it is.
    assert [row.output_tokens for row in await scene.costs(batch)] == [5000] * 3


async def test_results_that_never_come_are_errors(scene: BatchScene) -> None:
    scene.vendor.trouble.lines = lambda lines: [line for line in lines if b"-2-1" not in line]
    batch = await scene.until(await scene.start(3))
    assert await scene.states(batch) == ["succeeded", "errored", "succeeded"]
    assert (await scene.items(batch))[1].error == "the vendor's results do not contain it"
    assert (await scene.batch(batch)).cost_id is None


async def test_what_is_done_stays_when_the_rest_is_cancelled(scene: BatchScene) -> None:
    scene.vendor.is_held = True
    batch = await scene.start(4)
    await scene.until(batch, BatchStatus.RUNNING)
    await scene.cancel(batch)
    await eventually(lambda: _called_back(scene))
    await scene.vendor.finish(done=2, rest="canceled")
    ended = await scene.until(batch)
    assert (ended.status, ended.cost_id) == (BatchStatus.CANCELLED, None)
    assert await scene.states(batch) == ["succeeded", "succeeded", "canceled", "canceled"]
    assert [row.state for row in await scene.costs(batch)] == ["settled", "settled"]
    with pytest.raises(Refused, match="batch-over"):
        await scene.cancel(batch)


async def _called_back(scene: BatchScene) -> bool | None:
    return bool(scene.vendor.made and scene.vendor.made[0].cancelled_at) or None


async def test_an_outage_of_the_vendor_is_waited_for(scene: BatchScene) -> None:
    refuses = {"POST": Fail(429, "rate_limit_error", "slow down"), "GET": Fail(503, "api_error", "down")}
    scene.vendor.trouble.refuse = lambda method, _path: refuses.get(method)
    batch = await scene.start(2)
    waiting = await scene.until(batch, BatchStatus.WAITING)
    assert waiting.why
    assert (waiting.why["key"], waiting.why["said"]) == ("model-outage", "429 slow down")
    del refuses["POST"]
    await scene.vendor.wait_for(1)
    del refuses["GET"]
    await scene.until(batch)
    assert await scene.states(batch) == ["succeeded"] * 2
    assert len(scene.vendor.made) == 1


@pytest.mark.parametrize(
    "fail",
    [
        Fail(400, "invalid_request_error", "some proxy does not like it"),
        Fail(302, "redirect", "log in first"),
        Fail(403, "permission_error", "not with this key"),
    ],
    ids=lambda fail: str(fail.status),
)
async def test_what_the_vendor_has_is_not_given_up_while_nobody_can_ask_for_it(
    scene: BatchScene, fail: Fail
) -> None:
    fails = [fail] * 2
    scene.vendor.trouble.refuse = lambda method, _path: fails.pop() if method == "GET" and fails else None
    batch = await scene.until(await scene.start(2))
    assert not fails
    assert (batch.status, await scene.states(batch)) == (BatchStatus.READY, ["succeeded"] * 2)
    assert [row.state for row in await scene.costs(batch)] == ["settled"] * 2


async def test_money_that_a_dead_host_set_aside_for_it_is_free_when_it_is_cancelled(
    scene: BatchScene,
) -> None:
    scene.vendor.is_held = True
    batch = await scene.start(2)
    await scene.until(batch, BatchStatus.RUNNING)
    dead = Cost(
        id=new_id("u"),
        at=now(),
        spender=spender_of(batch, "local:owner"),
        model=MODEL,
        host=NO_HOST,
        micros=1000,
        batch=True,
    )
    await scene.host.store.write(lambda tx: costs.reserve(tx, dead))
    await scene.cancel(batch)
    await eventually(lambda: _called_back(scene))
    await scene.vendor.finish(done=0, rest="canceled")
    await scene.until(batch)
    assert await scene.costs(batch) == []


async def test_a_text_that_is_sent_again_while_the_others_are_checked_is_written(scene: BatchScene) -> None:
    checked, graded = asyncio.Event(), asyncio.Event()
    fails = [Fail(500, "api_error", "Internal server error")]

    def reply(asked: Asked) -> Any:
        if "You grade texts" in asked.text:
            checked.set()
            return Reply(parts=(Wait(graded), Say('{"grade": 9}')))
        return fails.pop() if fails and "topic 1<" in asked.text else "a text"

    scene.server.reply = reply
    batch = await scene.start(2, least_grade=5)
    async with asyncio.timeout(30):
        await checked.wait()
    assert await scene.resubmit(batch, 1) == 1
    graded.set()
    ended = await scene.until(batch)
    assert (ended.status, await scene.states(batch)) == (BatchStatus.READY, ["succeeded"] * 2)
    assert {row.person for row in await scene.costs(batch)} == {"local:owner"}


async def test_a_request_that_the_vendor_refuses_is_told_item_by_item(scene: BatchScene) -> None:
    scene.vendor.trouble.refuse = lambda method, _path: (
        Fail(400, "invalid_request_error", "model: no such model") if method == "POST" else None
    )
    batch = await scene.until(await scene.start(2))
    assert (batch.status, batch.cost_id) == (BatchStatus.FAILED, None)
    assert {item.error for item in await scene.items(batch)} == {"400 model: no such model"}


async def test_a_batch_that_does_not_fit_the_budget_offers_the_part_that_does(tmp_path: Path) -> None:
    async with ModelServer() as server:
        async with batch_scene(tmp_path / "nanoclaw", server, spending={"day": 0.03}) as scene:
            batch = await scene.start(10, max_tokens=1000)
            question = await scene.question(batch, "money")
            assert (await scene.batch(batch)).status is BatchStatus.WAITING
            assert [option.id for option in question.options] == ["part", "wait", "cancel"]
            assert server.batches.made == []
            await scene.decide(question, "part")
            await scene.until(batch)
            states = await scene.states(batch)
            sent = states.count("succeeded")
            assert 0 < sent < 10
            assert states == ["succeeded"] * sent + ["canceled"] * (10 - sent)
            assert len(server.batches.paid) == sent
            spent = sum(row.micros for row in await scene.costs())
            assert spent <= 30_000
        # A second one waits, and continues by itself when there is money.
        async with batch_scene(tmp_path / "nanoclaw", server, spending={"day": 0.0001}) as scene:
            batch = await scene.start(2)
            waiting = await scene.until(batch, BatchStatus.WAITING)
            assert "waits for money" in batch_text.line(waiting, await scene.counts(batch), "en")
            shown = await scene.host.store.read(lambda tx: batch_views.show_line(tx, waiting, "en"))
            assert (shown.status, shown.unpaid) == ("waiting", True)
            assert len(server.batches.made) == 1
        async with batch_scene(tmp_path / "nanoclaw", server) as scene:
            await scene.until(batch)
            assert await scene.states(batch) == ["succeeded"] * 2


async def test_a_batch_is_split_where_the_vendor_takes_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nanoclaw.host.batch_parts.MOST_REQUESTS", 2)
    async with ModelServer() as server, batch_scene(tmp_path / "nanoclaw", server) as scene:
        batch = await scene.until(await scene.start(5))
        assert [len(each.requests) for each in server.batches.made] == [2, 2, 1]
        assert await scene.states(batch) == ["succeeded"] * 5
        assert [(part.first_item, part.last_item) for part in await scene.parts(batch)] == [
            (1, 2),
            (3, 4),
            (5, 5),
        ]
        # An item of one part is sent again while another part is still at the vendor: its money joins the rest.
        server.batches.is_held = True
        batch = await scene.start(4)
        await server.batches.wait_for(5)
        await server.batches.finish(server.batches.made[3], done=0)
        await eventually(lambda: _are(scene, batch, ["expired", "expired", "sent", "sent"]))
        await scene.resubmit(batch, 1)
        await server.batches.wait_for(6)
        await eventually(lambda: _are(scene, batch, ["sent", "expired", "sent", "sent"]))
        (held,) = [row for row in await scene.costs(batch) if row.state == "reserved"]
        open_items = [item for item in await scene.items(batch) if item.state.value == "sent"]
        assert held.micros == sum(item.reserved_micros for item in open_items) > 0
        await server.batches.finish()
        await scene.until(batch)
        assert await scene.states(batch) == ["succeeded", "expired", "succeeded", "succeeded"]
        assert [row.state for row in await scene.costs(batch)] == ["settled"] * 3


async def _are(scene: BatchScene, batch: Any, states: list[str]) -> bool | None:
    return await scene.states(batch) == states or None


async def test_without_a_key_the_demo_writes_the_texts_one_by_one(tmp_path: Path) -> None:
    async with started_host(tmp_path / "nanoclaw") as host:
        scene = BatchScene(host=host, server=ModelServer())
        batch = await scene.until(await scene.start(None, count=5, model="demo"))
        assert await scene.states(batch) == ["succeeded"] * 5
        assert len({item.topic for item in await scene.items(batch)}) == 5
        assert await scene.costs() == []


async def test_a_vendor_without_batches_is_asked_text_by_text_at_its_usual_price(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCAL_API_KEY", "sk-test")
    limited = [Fail(429, "rate_limit_error", "slow down", {"retry-after": "3"})]

    def reply(asked: Asked) -> Any:
        if "topic 3<" in asked.text:
            return limited.pop() if limited else "a text"
        # Those that are on their way when one fails are paid for, and not asked for again.
        return Reply(parts=(Wait(0.3), Say("a text")))

    async with ModelServer(reply) as server:
        agents = {"base_url": f"{server.url}/v1", "runtime": "demo", "allowed_models": ["*"]}
        prices = {"local:small": "1.0/5.0"}
        async with batch_scene(tmp_path / "nanoclaw", server, agents=agents, prices=prices) as scene:
            batch = await scene.until(await scene.start(4, model="local:small"))
            assert await scene.states(batch) == ["succeeded"] * 4
            assert not server.batches.made
            asked = [each.text for each in server.asked]
            assert [sum(f"topic {n}<" in text for text in asked) for n in (1, 2, 3, 4)] == [1, 1, 2, 1]
            rows = await eventually(lambda: _settled(scene, 4))
            told = [(row.flow, row.batch, row.batch_id, row.person) for row in rows]
            assert told == [("I", False, batch.id, "local:owner")] * 4
            assert sum(row.micros for row in rows) == (await scene.counts(batch)).micros > 0


async def test_a_text_that_the_budget_cut_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_API_KEY", "sk-test")
    long = Reply(parts=(Say("a text that is longer than the money"), Full()))
    async with ModelServer(lambda _asked: long) as server:
        given: dict[str, Any] = {
            "agents": {"base_url": f"{server.url}/v1", "runtime": "demo", "allowed_models": ["*"]},
            "prices": {"local:small": "1.0/5.0"},
            "spending": {"day": 0.05},
        }
        async with batch_scene(tmp_path / "nanoclaw", server, **given) as scene:
            batch = await scene.until(await scene.start(1, model="local:small"))
            (item,) = await scene.items(batch)
            assert (item.state.value, [fault["key"] for fault in item.faults]) == ("succeeded", ["cut"])


async def _settled(scene: BatchScene, count: int) -> list[Any] | None:
    rows = [row for row in await scene.costs() if row.state == "settled"]
    return rows if len(rows) == count else None
