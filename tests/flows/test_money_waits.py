"""Calls that do not fit beside others wait for the money that comes back, without a place, and people see why."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from tests.staging import until

from nanoclaw.delivery.live import ToolSeen
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.money import Usage
from nanoclaw.durable import timeline
from nanoclaw.durable.money_tables import waiting_calls
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import costs
from nanoclaw.durable.why import explain
from nanoclaw.host.host import Host
from nanoclaw.testing import FarEnd, ModelServer, started_host
from nanoclaw.testing.model_parts import Asked, Full, Reply, Say

pytestmark = pytest.mark.capability("J2", "J3")


@asynccontextmanager
async def _host(
    home: Path, far_end: FarEnd, reply: Any, day: float, **turns: object
) -> AsyncIterator[tuple[Host, ModelServer]]:
    """A token of an answer costs 15 micros, any other nothing; an answer has at most 16,000: $0.24."""
    async with (
        ModelServer(reply) as server,
        started_host(
            home,
            agents={"runtime": "native", "sonnet": "paid", "opus": "paid", "haiku": "paid"},
            anthropic={"api_key": server.key, "base_url": server.url},
            prices={"paid": "0/15"},
            scripted={"url": far_end.url},
            spending={"day": day},
            turns=turns,
        ) as host,
    ):
        yield host, server


async def _waiting(host: Host) -> int:
    counted = sa.select(sa.func.count()).select_from(waiting_calls)
    return await host.store.read(lambda tx: int(tx.execute(counted).scalar_one()))


async def test_six_small_questions_at_once_get_six_answers_from_money_for_two_long_ones(home: Path) -> None:
    go_on, at_once, most_at_once = asyncio.Event(), 0, 0

    async def reply(asked: Asked) -> Reply:
        nonlocal at_once, most_at_once
        at_once += 1
        most_at_once = max(most_at_once, at_once)
        await go_on.wait()
        at_once -= 1
        return Reply(parts=(Say(f"You said: {asked.text[-40:]}"),), usage=Usage(input=50, output=500))

    # Only three places, and four seconds of silence: who waits for money holds none, and is not given up.
    limits = {"concurrent": 3, "longest_silence": 4}
    async with FarEnd() as far_end, _host(home, far_end, reply, 0.60, **limits) as (host, server):
        chats = [f"chat {number}" for number in range(6)]
        for chat in chats:
            await far_end.say(chat, f"what is {chat}?")

        async def is_waiting() -> bool:
            return await _waiting(host) == 4

        await until(is_waiting)
        assert len(server.asked) == 2

        def read(tx: Tx) -> tuple[str, str]:
            newest = timeline.newest(tx) or ""
            told = explain(tx, newest, Locale(language="en"))
            chat = tx.execute(sa.text("SELECT chat_id FROM messages WHERE id = :id"), {"id": newest}).scalar()
            return " ".join(step.sentence for step in told.steps) if told else "", str(chat)

        async def is_told() -> bool:
            return "waits for money that other answers have set aside" in (await host.store.read(read))[0]

        await until(is_told)
        _, waits_in = await host.store.read(read)
        await until(lambda: host._live.under_way(waits_in)[1:])
        seen = [event for event in host._live.under_way(waits_in) if isinstance(event, ToolSeen)]
        assert [(event.name, event.state) for event in seen] == [("budget", "running")]

        # One is stopped meanwhile; the others go on.
        await far_end.say("chat 5", "/stop")
        assert (await far_end.wait_for("chat 5"))[0] == "Stopped."
        await until(lambda: _is(host, 3))
        await asyncio.sleep(4.2)
        go_on.set()
        for chat in chats[:5]:
            [answer] = await far_end.wait_for(chat)
            assert answer.startswith("You said: "), answer
        assert (len(server.asked), most_at_once) == (5, 2)
        await host.agents.ledger.close()
        states = await host.store.read(lambda tx: tx.execute(sa.select(costs.c.state, costs.c.micros)).all())
        assert [tuple(row) for row in states] == [("settled", 7500)] * 5
        assert await _waiting(host) == 0


async def _is(host: Host, number: int) -> bool:
    return await _waiting(host) == number


async def test_an_answer_that_the_budget_cut_says_so(home: Path) -> None:
    def reply(asked: Asked) -> Reply:
        longest = asked.body["max_tokens"]
        return Reply(parts=(Say("one two three four"), Full()), usage=Usage(input=10, output=longest))

    async with FarEnd() as far_end, _host(home, far_end, reply, 0.03) as (_, server):
        await far_end.say("chat", "count")
        [said] = await far_end.wait_for("chat")
        assert said == "one two\n\n*The answer ends here because the budget does not pay for more.*"
        assert [asked.body["max_tokens"] for asked in server.asked] == [2000]
        # All of it is used now: the next question is refused, and nothing is asked.
        await far_end.say("chat", "go on")
        _, refused = await far_end.wait_for("chat", 2)
        assert "$0.0300 of $0.0300 are spent" in refused
        assert len(server.asked) == 1
