"""Nothing leaves for Telegram from a host that the others have given up: no message, no edit, no preview. Nor does it
write what the company knows."""

import asyncio
from pathlib import Path

import pytest

from nanoclaw.channels.telegram.bots import asked, make_bot
from nanoclaw.channels.telegram.calls import Calls
from nanoclaw.delivery import outbox
from nanoclaw.delivery.alerts import Alerts
from nanoclaw.delivery.enclosed import EnclosedDocuments
from nanoclaw.delivery.worker import DeliveryWorker
from nanoclaw.domain.errors import LeaseLost
from nanoclaw.domain.ids import HostId
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.parcels import Author, Parcel, ParcelState
from nanoclaw.domain.ports import Channel, SendMarks
from nanoclaw.durable import people, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.liveness import Liveness
from nanoclaw.durable.store import Tx, open_store
from nanoclaw.durable.work import Claim
from nanoclaw.flows.company_context.files import ContextFiles
from nanoclaw.testing import CountedHandover, TelegramServer

pytestmark = pytest.mark.capability("O4", "L3")


async def test_a_call_that_is_not_assured_never_reaches_the_network() -> None:
    async def lost() -> None:
        raise LeaseLost

    async with TelegramServer(flood_control=False) as server:
        account, person = server.add_bot("helper_bot"), server.person("Olena")
        chat = person.chat_with(account)
        bot = make_bot(account.token, server.url, lost)
        for call in (bot.send_message(chat.id, "late"), bot.edit_message_text("late", chat.id, 1)):
            with pytest.raises(LeaseLost) as raised:
                await asked(call, harmless=False)
            assert not raised.value.left
        await bot.shutdown()
        assert not server.calls
        assert chat.texts() == []


async def test_a_call_that_was_taken_away_before_it_left_leaves_no_doubt(database_url: str) -> None:
    """A host that was given up stops its work. What was marked and never left is sent by the next, without a note."""
    reached, given_up = asyncio.Event(), asyncio.Event()

    async def lost() -> None:
        reached.set()
        await given_up.wait()
        raise LeaseLost

    store = open_store(database_url)
    async with TelegramServer(flood_control=False) as server:
        account, person = server.add_bot("helper_bot"), server.person("Olena")
        chat, mark = person.chat_with(account), CountedHandover()
        bot = make_bot(account.token, server.url, lost)
        calls = Calls(bot, store, Liveness(5, lost))
        sending = asyncio.create_task(
            calls.send("t_1", 0, str(chat.id), bot.send_message(chat.id, "late"), mark)
        )
        await reached.wait()
        sending.cancel()
        await asyncio.wait([sending])
        assert mark.stayed == 0
        given_up.set()
        await calls.close()
        assert mark.stayed == 1
        assert not server.calls
        await bot.shutdown()
    store.close()


class _Slow(Channel):
    """Takes its time before anything leaves."""

    def __init__(self) -> None:
        self.began = asyncio.Event()

    def leaves_at_once(self, parcel: Parcel) -> bool:
        return True

    async def send(self, parcel: Parcel, send_mark: SendMarks) -> str:
        self.began.set()
        await asyncio.Event().wait()
        return "never"


async def test_a_delivery_that_is_stopped_before_anything_left_leaves_no_mark(
    database_url: str, tmp_path: Path
) -> None:
    store, channel, at = open_store(database_url), _Slow(), now()
    documents = EnclosedDocuments(store=store, folder=tmp_path, makers={})
    worker = DeliveryWorker(store, {"slow": channel}, Alerts(locale=Locale()), documents)

    def claimed(tx: Tx) -> tuple[Claim, Parcel]:
        chat = people.add_chat(tx, channel="slow", address="c", title="C", at=at)
        outbox.post(tx, chat_id=chat.id, thread=None, author=Author.HOST, text="hi", at=at)
        claim = work.claim(tx, work.DELIVERY, chat.id, HostId("h_1"), now())
        assert claim
        parcel = worker.begin(tx, claim)
        assert parcel
        return claim, parcel

    claim, parcel = await store.write(claimed)
    assert parcel.state is ParcelState.SENDING
    running = asyncio.create_task(worker.run(parcel, claim))
    await channel.began.wait()
    running.cancel()
    await asyncio.wait([running])
    found = await store.read(lambda tx: outbox.get(tx, parcel.id))
    assert found
    assert found.state is ParcelState.PENDING
    store.close()


async def test_context_is_not_written_when_the_lifetime_has_passed_since_the_last_beat(
    tmp_path: Path,
) -> None:
    async def beat() -> None:
        raise AssertionError("a thread asks nobody")

    clock = [100.0]
    liveness = Liveness(5, beat, clock=lambda: clock[0])
    liveness.renewed(asked_at=100)
    (tmp_path / "companies" / "demo").mkdir(parents=True)
    files = ContextFiles(home=tmp_path, check=liveness.check)
    assert files.write("demo", "product/pricing", None, "128") is None
    clock[0] += 5
    with pytest.raises(LeaseLost):
        files.write("demo", "product/pricing", "128", "135")
    assert files.read("demo", "product/pricing") == "128"
