"""Many calls at once against one budget: an honest vendor's bills never add up to more than the limit."""

import asyncio
from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.flows.test_budget import put_budget

from nanoclaw.domain.money import Usage
from nanoclaw.durable.tables import costs
from nanoclaw.testing import FarEnd, ModelServer, started_host
from nanoclaw.testing.model_parts import Asked, Reply, Say

pytestmark = [pytest.mark.capability("J2", "J3"), pytest.mark.attack]

_LIMIT = 500_000
_TEXTS = {
    "English": ("What is written about bees? " * 600, 4.0),
    "Ukrainian": ("Що написано про бджіл? " * 400, 1.9),
    "digits and signs": ("8f3;!~0x7e|" * 1500, 1.2),
    "emoji": ("🐝🍯" * 2000, 1.0),
}


@pytest.mark.parametrize(
    ("text", "of"),
    [("English", "company"), ("Ukrainian", "group"), ("digits and signs", "company"), ("emoji", "group")],
)
async def test_a_burst_of_calls_never_costs_more_than_the_limit(
    home: Path, database_url: str, text: str, of: str
) -> None:
    """Reading costs more than writing, so that many fit at once; each answer is as long as it may be."""
    words, bytes_per_token = _TEXTS[text]
    started = asyncio.Event()

    async def reply(asked: Asked) -> Reply:
        if len(server.asked) >= 3:
            started.set()
        # Nobody is quick enough to come after the others.
        await asyncio.wait([asyncio.create_task(started.wait())], timeout=1)
        usage = Usage(cache_write=asked.tokens, output=asked.body["max_tokens"])
        return Reply(parts=(Say("done"),), usage=usage)

    put_budget(
        home, **({"daily_limit_usd": 0.5} if of == "company" else {"groups": {"*": {"daily_limit_usd": 0.5}}})
    )
    async with (
        FarEnd() as far_end,
        ModelServer(reply) as server,
        started_host(
            home,
            agents={"runtime": "native", "sonnet": "paid", "opus": "paid", "haiku": "paid"},
            anthropic={"api_key": server.key, "base_url": server.url},
            prices={"paid": "3/0.5"},
            scripted={"url": far_end.url},
            database={"url": database_url},
        ) as host,
    ):
        server.bytes_per_token = bytes_per_token
        chats = [f"chat {number}" for number in range(30)]
        await asyncio.gather(*(far_end.say(chat, f"{chat}: {words}") for chat in chats))
        for chat in chats:
            await far_end.wait_for(chat)
        await host.agents.ledger.close()
        paid = sa.select(sa.func.sum(costs.c.micros), sa.func.count())
        total, calls = await host.store.read(lambda tx: tx.execute(paid).one())
        assert calls > 1
        assert _LIMIT / 2 < total <= _LIMIT
