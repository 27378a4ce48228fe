"""The answer is delivered: in order, again when it failed, and never twice to be seen."""

from pathlib import Path

import pytest
import sqlalchemy as sa
from starlette.responses import Response

from nanoclaw.delivery import outbox
from nanoclaw.domain.parcels import Parcel, ParcelState
from nanoclaw.durable import timeline, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import parcels
from nanoclaw.host.host import Host
from nanoclaw.testing import FarEnd, ScriptedModel, Sent, started_host


async def given_up(host: Host) -> list[Parcel]:
    return await host.store.read(outbox.given_up)


@pytest.mark.capability("A12")
async def test_a_failed_send_is_tried_again_and_later_answers_keep_their_order(home: Path) -> None:
    async with FarEnd() as far_end:
        failures = [503, 503]

        async def fail(_: Sent) -> Response | None:
            return Response(status_code=failures.pop()) if failures else None

        far_end.on_send = fail
        model = ScriptedModel(lambda request: [str(len(request.history))])
        async with started_host(home, model=model, scripted={"url": far_end.url}) as host:
            await far_end.say("chat", "one")
            await model.wait_for_calls(1)
            await far_end.say("chat", "two")
            assert await far_end.wait_for("chat", 2) == ["0", "1"]
            assert far_end.sends == 4
            steps = await host.store.read(lambda tx: timeline.of_message(tx, timeline.find(tx, "m_")[0]))
        assert [step.event for step in steps].count(timeline.Event.DELIVERY_DELAYED) == 2


@pytest.mark.capability("A12")
async def test_a_wait_that_the_far_end_asks_for_is_kept(home: Path) -> None:
    async with FarEnd() as far_end:
        asked_at = []

        async def busy(_: Sent) -> Response | None:
            asked_at.append(now())
            return Response(status_code=429, headers={"Retry-After": "1.2"}) if len(asked_at) == 1 else None

        far_end.on_send = busy
        async with started_host(home, model=ScriptedModel(), scripted={"url": far_end.url}):
            await far_end.say("chat", "one")
            await far_end.wait_for("chat")
        assert (asked_at[1] - asked_at[0]).total_seconds() >= 1.2


@pytest.mark.capability("A12")
async def test_a_refused_parcel_is_kept_listed_and_sent_when_retried(home: Path) -> None:
    async with FarEnd() as far_end:

        async def refuse(_: Sent) -> Response | None:
            return Response("no such chat", status_code=400)

        far_end.on_send = refuse
        async with started_host(home, model=ScriptedModel("kept"), scripted={"url": far_end.url}) as host:
            await far_end.say("chat", "one")
            while not (failed := await given_up(host)):
                await host.store.write(lambda _: None)
            assert failed[0].text == "kept"
            assert failed[0].error == {"error": "far-end-refused", "said": "no such chat"}
            far_end.on_send = None
            await host.store.write(lambda tx: outbox.retry(tx, failed[0], now()))
            host.engine.kick(work.DELIVERY, failed[0].chat_id)
            assert await far_end.wait_for("chat") == ["kept"]
            assert await given_up(host) == []


@pytest.mark.capability("A12")
async def test_one_refused_parcel_does_not_hold_up_the_next(home: Path) -> None:
    async with FarEnd() as far_end:

        async def refuse_first(sent: Sent) -> Response | None:
            return Response(status_code=400) if sent.text == "0" else None

        far_end.on_send = refuse_first
        model = ScriptedModel(lambda request: [str(len(request.history))])
        async with started_host(home, model=model, scripted={"url": far_end.url}):
            await far_end.say("chat", "one")
            await model.wait_for_calls(1)
            await far_end.say("chat", "two")
            assert await far_end.wait_for("chat") == ["1"]


@pytest.mark.capability("A12")
async def test_an_unanswered_send_is_not_repeated_where_a_repeat_would_be_seen(home: Path) -> None:
    async with FarEnd(repeatable=False) as far_end:

        async def nonsense(_: Sent) -> Response:
            return Response("thanks", status_code=200)

        far_end.on_send = nonsense
        scripted = {"url": far_end.url, "repeatable": False}
        async with started_host(home, model=ScriptedModel("maybe"), scripted=scripted) as host:
            await far_end.say("chat", "one")
            while not (aside := await given_up(host)):
                await host.store.write(lambda _: None)
        assert aside[0].state is ParcelState.UNKNOWN
        assert far_end.sends == 1


async def test_a_parcel_left_in_the_middle_of_an_unrepeatable_send_is_set_aside(home: Path) -> None:
    """A host died between handing it over and hearing back: nobody knows whether it arrived."""
    async with FarEnd(repeatable=False) as far_end:
        scripted = {"url": far_end.url, "repeatable": False}
        async with started_host(home, model=ScriptedModel("maybe"), scripted=scripted) as host:
            await far_end.say("chat", "one")
            await far_end.wait_for("chat")
        async with started_host(home, model=ScriptedModel("next"), scripted=scripted) as host:
            chat_id = await host.store.write(leave_in_the_middle)
            host.engine.kick(work.DELIVERY, chat_id)
            while not (aside := await given_up(host)):
                await host.store.write(lambda _: None)
            assert [parcel.state for parcel in aside] == [ParcelState.UNKNOWN]
            assert far_end.said_to("chat") == ["maybe"]
            await far_end.say("chat", "two")
            await far_end.wait_for("chat", 3)
            assert await given_up(host) == []
        noted = "This may have reached you already:\n\nmaybe"
        assert far_end.said_to("chat") == ["maybe", noted, "next"]


def leave_in_the_middle(tx: Tx) -> str:
    """As after a crash: the row says "sending", and nobody holds it."""
    row = tx.execute(sa.select(parcels)).one()
    outbox.mark(tx, row.id, ParcelState.SENDING, platform_id=None)
    work.due(tx, work.DELIVERY, row.chat_id, now())
    return str(row.chat_id)
