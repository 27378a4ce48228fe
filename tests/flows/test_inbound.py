"""The front door: stored first, repeats ignored, bad input told or recorded, nothing lost."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy as sa

from nanoclaw.domain.ids import ChatId
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.messages import Incoming, Quote
from nanoclaw.domain.wirings import ChatKind
from nanoclaw.durable import counts, history, messages, tables, wirings, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.durable.why import explain
from nanoclaw.host.host import Host
from nanoclaw.testing import FarEnd, ScriptedModel, started_host


def incoming(
    text: str, *, channel: str = "web", handle: str = "local:owner", external_id: str = "1"
) -> Incoming:
    return Incoming(
        kind=ChatKind.PRIVATE,
        addressed=True,
        channel=channel,
        address="main",
        external_id=external_id,
        handle=handle,
        sender="Owner",
        text=text,
        sent_at=datetime.now(UTC),
    )


async def state_of(host: Host, message_id: str) -> str:
    return (await host.store.read(lambda tx: history.messages_by_id(tx, [message_id])))[0].state


@pytest.mark.capability("A1", "A15")
async def test_a_message_is_on_disk_when_receive_returns(home: Path, database_url: str) -> None:
    model = ScriptedModel()
    model.hold()
    async with started_host(home, model=model, database={"url": database_url}) as host:
        message_id = await host.inbound.receive(incoming("hello"))
        stored = await host.store.read(lambda tx: messages.get(tx, message_id))
        assert stored is not None
        assert stored.text == "hello"
        model.go_on()


@pytest.mark.capability("A1")
async def test_a_repeated_update_is_answered_once(home: Path, database_url: str) -> None:
    model = ScriptedModel()
    async with (
        FarEnd() as far_end,
        started_host(home, model=model, scripted={"url": far_end.url}, database={"url": database_url}),
    ):
        for _ in range(3):
            await far_end.say("chat", "hello", message_id="same")
        await far_end.say("chat", "bye", message_id="other")
        while ">bye<" not in (heard := "".join(request.prompt for request in model.asked)):
            await model.wait_for_calls(len(model.asked) + 1)
    assert heard.count(">hello<") == 1
    assert heard.count(">bye<") == 1


@pytest.mark.capability("A15")
@pytest.mark.parametrize("text", ["", "   \n", "\u200b‍"])
async def test_an_empty_message_is_refused_with_a_reason(home: Path, text: str) -> None:
    async with started_host(home) as host:
        message_id = await host.inbound.receive(incoming(text))
        assert await state_of(host, message_id) == "refused"
        assert "empty" in await last_line(host, message_id)


@pytest.mark.capability("A15")
async def test_a_message_of_a_megabyte_is_kept_and_refused_with_the_limit(home: Path) -> None:
    async with started_host(home) as host:
        message_id = await host.inbound.receive(incoming("x" * 1_048_576))
        stored = await host.store.read(lambda tx: messages.get(tx, message_id))
        assert stored is not None
        assert len(stored.text) == 1_048_576
        assert "1,048,576" in await last_line(host, message_id)
        assert "100,000" in await last_line(host, message_id)


async def test_control_characters_and_half_letters_reach_the_agent_as_marks(
    home: Path, database_url: str
) -> None:
    model = ScriptedModel()
    async with started_host(home, model=model, database={"url": database_url}) as host:
        await host.inbound.receive(incoming("a\x00b\x1bc\ud800d\r\ne"))
        await model.wait_for_calls(1)
    assert "a�b�c�d\ne" in model.asked[0].prompt


async def test_a_name_cannot_turn_the_text_around(home: Path) -> None:
    model = ScriptedModel()
    async with (
        FarEnd() as far_end,
        started_host(home, model=model, scripted={"url": far_end.url}),
    ):
        await far_end.say("chat", "hi", sender="\u202eevil\n<b>\u2066")
        await far_end.wait_for("chat")
    assert 'sender="evil &lt;b&gt;"' in model.asked[0].prompt


async def test_a_quoted_text_is_made_storable_too(home: Path, database_url: str) -> None:
    model = ScriptedModel()
    async with started_host(home, model=model, database={"url": database_url}) as host:
        quote = Quote(ref="1", sender="a\x00b", text="x\x00y\ud800")
        await host.inbound.receive(replace(incoming("about this"), reply_to=quote))
        await model.wait_for_calls(1)
    assert '<quoted_message from="a\ufffdb">x\ufffdy\ufffd</quoted_message>' in model.asked[0].prompt


@pytest.mark.capability("P6")
async def test_a_stranger_is_dropped_and_the_reason_is_recorded(home: Path) -> None:
    model = ScriptedModel()
    async with started_host(home, model=model) as host:
        message_id = await host.inbound.receive(incoming("hi", channel="unknown", handle="unknown:1"))
        assert await state_of(host, message_id) == "dropped"
        told = await host.store.read(lambda tx: explain(tx, message_id, host.settings.locale))
        assert told is not None
        assert told.steps[-1].sentence == "not admitted: nobody who could decide has paired with the bot yet"
        assert await host.store.read(lambda tx: wirings.groups_of(tx, stored_chat(tx, message_id))) == []
    assert model.asked == []


def stored_chat(tx: Tx, message_id: str) -> ChatId:
    found = messages.get(tx, message_id)
    assert found is not None
    return found.chat_id


@pytest.mark.capability("A5", "A15")
async def test_messages_that_arrive_as_turns_of_their_chat_end_do_not_block_each_other(
    home: Path, database_url: str
) -> None:
    """An arriving message and an ending turn touch the same rows; in the wrong order they would deadlock."""
    model = ScriptedModel(lambda request: [str(request.prompt.count("<message "))])
    async with started_host(
        home, model=model, database={"url": database_url}, turns={"batch_window": 0}
    ) as host:
        async with asyncio.timeout(60):
            for burst in range(10):
                several = (incoming("hi", external_id=f"{burst}-{number}") for number in range(6))
                await asyncio.gather(*map(host.inbound.receive, several))
            await host.calm(60)
        counted = await host.store.read(counts.count)
    assert (counted.waiting, counted.running, counted.undelivered) == (0, 0, 0)
    assert sum(request.prompt.count("<message ") for request in model.asked) == 60


async def test_a_broken_group_does_not_stop_the_others(home: Path) -> None:
    (home / "groups" / "another").mkdir()
    (home / "groups" / "another" / "group.toml").write_text("company = = 1")
    async with FarEnd() as far_end, started_host(home, model=ScriptedModel(), scripted={"url": far_end.url}):
        await far_end.say("a new chat", "hello")
        assert await far_end.wait_for("a new chat") == ["ok"]


@pytest.mark.capability("A5", "A15")
async def test_a_thousand_messages_at_once_lose_nothing(home: Path) -> None:
    model = ScriptedModel(lambda request: [str(request.prompt.count("<message "))])
    async with (
        FarEnd() as far_end,
        started_host(home, model=model, scripted={"url": far_end.url}, turns={"batch_window": 0}) as host,
    ):
        for number in range(1_000):
            await far_end.say(f"chat{number % 50}", str(number))
        for chat in range(50):
            while sum(map(int, far_end.said_to(f"chat{chat}"))) < 20:
                await far_end.wait_for(f"chat{chat}", len(far_end.said_to(f"chat{chat}")) + 1)
        counted = await host.store.read(counts.count)
    assert (counted.waiting, counted.running, counted.failed) == (0, 0, 0)


async def last_line(host: Host, message_id: str) -> str:
    def story(tx: Tx) -> str:
        items, _ = history.of_chat(tx, stored_chat(tx, message_id))
        return items[-1].text

    return await host.store.read(story)


@pytest.mark.capability("A15")
async def test_a_message_whose_hander_in_is_cancelled_after_it_was_stored_is_answered_soon(
    home: Path, database_url: str
) -> None:
    """The turn is claimed where the message is stored; nobody else would begin it before the next start."""
    async with (
        FarEnd() as far_end,
        started_host(
            home,
            model=ScriptedModel("here"),
            scripted={"url": far_end.url},
            database={"url": database_url},
            turns={"concurrent": 50},
        ) as host,
    ):
        for number in range(20):
            chat = f"chat{number}"
            handing_in = asyncio.create_task(
                host.inbound.receive(replace(incoming("hello", channel="scripted"), address=chat))
            )
            for _ in range(number % 10):
                await asyncio.sleep(0)
            handing_in.cancel()
            await asyncio.gather(handing_in, return_exceptions=True)

        def stored(tx: Tx) -> set[str]:
            query = sa.select(tables.chats.c.address).join(tables.messages)
            return set(tx.execute(query).scalars())

        await host.store.write(lambda _tx: None)  # what was handed to the database before this is written
        for chat in await host.store.read(stored):
            assert await far_end.wait_for(chat) == ["here"]


@pytest.mark.capability("A1", "A15")
async def test_why_says_that_a_turn_rests_since_hosts_ended_during_it(home: Path, database_url: str) -> None:
    model = ScriptedModel()
    model.hold()
    async with started_host(home, model=model, database={"url": database_url}) as host:
        message_id = await host.inbound.receive(incoming("hello"))
        await model.wait_for_calls(1)
        # As the eleventh host left it that ended so; and one more gives it up in the next life.
        left = sa.update(tables.work).where(tables.work.c.kind == "turn").values(deaths=11, host="h_gone")
        await host.store.write(lambda tx: tx.execute(left).rowcount)
        at = now()
        await host.store.write(lambda tx: work.recover(tx, at))
        told = await host.store.read(lambda tx: explain(tx, message_id, Locale(timezone="Asia/Tokyo")))
        model.go_on()
    assert told is not None
    until = (at + timedelta(minutes=4)).astimezone(ZoneInfo("Asia/Tokyo"))
    assert told.sentence.startswith("The host ended 12 times while it worked on this.")
    assert f"it rests until {until:%H:%M} and is then tried again" in told.sentence
