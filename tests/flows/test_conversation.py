"""Flow A: messages become turns, and every one of them gets exactly one answer, in order."""

import asyncio
import time
from collections.abc import Callable, Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import sqlalchemy as sa
from tests.staging import until

from nanoclaw.domain.errors import ModelFailed
from nanoclaw.domain.messages import Incoming
from nanoclaw.domain.steps import ToolCall
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.domain.wirings import ChatKind
from nanoclaw.durable import timeline
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import parcels, work
from nanoclaw.host.host import Host
from nanoclaw.testing import FarEnd, ScriptedModel, started_host


def words(request: TurnRequest) -> list[str]:
    """The texts of the messages in a turn."""
    return [
        str(message.text) for message in ElementTree.fromstring(f"<p>{request.prompt}</p>").iter("message")
    ]


def echo(request: TurnRequest) -> list[str]:
    return ["got ", " + ".join(words(request))]


@pytest.mark.capability("A5", "A13", "A15")
async def test_a_message_is_answered_and_its_timeline_tells_every_step(home: Path, database_url: str) -> None:
    async with (
        FarEnd() as far_end,
        started_host(
            home, model=ScriptedModel(echo), scripted={"url": far_end.url}, database={"url": database_url}
        ) as host,
    ):
        await far_end.say("chat", "hello")
        assert await far_end.wait_for("chat") == ["got hello"]
        await until_steps(host, lambda steps: "delivered" in steps)
        assert await steps_of_all(host) == [
            "received",
            "admitted",
            "queued",
            "started",
            "chosen",
            "model-chosen",
            "first-token",
            "finished",
            "delivered",
        ]


@pytest.mark.capability("A5")
async def test_messages_that_come_during_a_turn_join_the_next_one(home: Path) -> None:
    model = ScriptedModel(echo)
    model.hold()
    async with FarEnd() as far_end, started_host(home, model=model, scripted={"url": far_end.url}):
        await far_end.say("chat", "1")
        await model.wait_for_calls(1)
        for text in ("2", "3", "4"):
            await far_end.say("chat", text)
        await until(lambda: not far_end.unconfirmed)
        model.go_on()
        assert await far_end.wait_for("chat", 2) == ["got 1", "got 2 + 3 + 4"]


@pytest.mark.capability("A5")
async def test_a_burst_after_an_answer_gets_a_moment_to_become_one_turn(home: Path) -> None:
    model = ScriptedModel(echo)
    async with (
        FarEnd() as far_end,
        started_host(
            home, model=model, scripted={"url": far_end.url}, turns={"concurrent": 3, "batch_window": 2}
        ),
    ):
        model.hold()
        await far_end.say("chat", "1")
        await model.wait_for_calls(1)
        await far_end.say("chat", "2")
        await far_end.say("other", "elsewhere")
        await model.wait_for_calls(2)
        model.go_on()
        await far_end.wait_for("chat", 1)
        await far_end.say("chat", "3")  # within the window of 2
        await far_end.say("chat", "4")
        assert await far_end.wait_for("chat", 2) == ["got 1", "got 2 + 3 + 4"]


@pytest.mark.capability("A5")
async def test_no_more_turns_at_once_than_allowed(home: Path) -> None:
    model = ScriptedModel(echo)
    model.hold()
    async with (
        FarEnd() as far_end,
        started_host(home, model=model, scripted={"url": far_end.url}, turns={"concurrent": 2}),
    ):
        for number in range(6):
            await far_end.say(f"chat{number}", "hello")
        await model.wait_for_calls(2)
        model.go_on()
        for number in range(6):
            await far_end.wait_for(f"chat{number}")
    assert model.most_at_once == 2


@pytest.mark.capability("A5")
async def test_two_hundred_messages_of_one_session_are_answered_in_order(home: Path) -> None:
    model = ScriptedModel(echo)
    async with FarEnd() as far_end, started_host(home, model=model, scripted={"url": far_end.url}):
        for number in range(200):
            await far_end.say("chat", str(number))
        while len(got(far_end)) < 200:
            await far_end.wait_for("chat", len(far_end.said_to("chat")) + 1)
    assert got(far_end) == [str(number) for number in range(200)]


def got(far_end: FarEnd) -> list[str]:
    answers = far_end.said_to("chat")
    return [text for answer in answers for text in answer.removeprefix("got ").split(" + ")]


@pytest.mark.capability("A8")
async def test_the_agent_gets_three_layers_the_history_and_the_messages(home: Path) -> None:
    model = ScriptedModel(echo)
    async with FarEnd() as far_end, started_host(home, model=model, scripted={"url": far_end.url}):
        await far_end.say("chat", "first")
        await far_end.wait_for("chat", 1)
        await far_end.say("chat", "second")
        await far_end.wait_for("chat", 2)
    second = model.asked[1]
    assert (home / "foundation" / "core_identity.md").read_text().strip() in second.system_prompt.foundation
    assert "- product/pricing: Home subscriptions" in second.system_prompt.company
    assert '<skill file="general-assistant">' in second.system_prompt.skill
    assert '<memory file="CLAUDE">' in second.system_prompt.skill
    assert [exchange.answered for exchange in second.history] == ["got first"]
    assert "first" in second.history[0].asked


@pytest.mark.capability("A7")
async def test_a_command_of_a_skill_chooses_it_and_the_reason_is_recorded(home: Path) -> None:
    model = ScriptedModel(echo)
    async with FarEnd() as far_end, started_host(home, model=model, scripted={"url": far_end.url}) as host:
        await far_end.say("chat", "/post about the new roast")
        await far_end.wait_for("chat")
        details = await details_of(host, timeline.Event.CHOSEN)
    assert '<skill file="telegram-poster">' in model.asked[0].system_prompt.skill
    assert details == {"runtime": "demo", "skill": "telegram-poster", "reason": "command"}


@pytest.mark.capability("X2")
async def test_the_format_of_a_channel_is_in_the_brief_where_it_is_the_target(home: Path) -> None:
    model = ScriptedModel(echo)
    fax = "---\nname: fax\ndescription: Letters by fax.\ntargets: [scripted]\n---\n\nOne page, no colours.\n"
    (home / "foundation" / "channel_adaptors" / "fax.md").write_text(fax)
    async with FarEnd() as far_end, started_host(home, model=model, scripted={"url": far_end.url}):
        for text in ("hello", "/post about the new roast"):
            await far_end.say(text, text)
            await far_end.wait_for(text)
    plain, post = (request.system_prompt for request in model.asked)
    assert "One page, no colours." in plain.company  # a new file, for the channel of this chat
    assert '<adaptor file="telegram">' not in str(plain)
    assert '<adaptor file="telegram">' in post.skill  # for which that skill writes
    assert "- /adaptors/linkedin.md: " in plain.foundation


@pytest.mark.capability("A10")
async def test_what_the_agent_thinks_never_leaves_the_host(home: Path) -> None:
    model = ScriptedModel(lambda _: ["<inter", "nal>the secret</inter", "nal>Hel", "lo"])
    async with FarEnd() as far_end, started_host(home, model=model, scripted={"url": far_end.url}):
        await far_end.say("chat", "hi")
        assert await far_end.wait_for("chat") == ["Hello"]


@pytest.mark.capability("A15")
async def test_an_answer_that_cannot_be_stored_as_it_is_arrives_all_the_same(
    home: Path, database_url: str
) -> None:
    model = ScriptedModel("half \ud83d a letter, \x00 and \x1b[31m colour")
    async with (
        FarEnd() as far_end,
        started_host(home, model=model, scripted={"url": far_end.url}, database={"url": database_url}),
    ):
        await far_end.say("chat", "hi")
        assert await far_end.wait_for("chat") == ["half \ufffd a letter, \ufffd and \ufffd[31m colour"]
    assert len(model.asked) == 1


@pytest.mark.capability("A15")
async def test_silence_of_the_agent_is_recorded_as_its_choice(home: Path) -> None:
    model = ScriptedModel("<internal>nothing to say</internal>")
    async with FarEnd() as far_end, started_host(home, model=model, scripted={"url": far_end.url}) as host:
        await far_end.say("chat", "hi")
        await until_steps(host, lambda steps: "silent" in steps)
    assert far_end.said_to("chat") == []


def broken(_: TurnRequest) -> Iterable[str]:
    yield "half an ans"
    raise ModelFailed("unexpected", said="cut off")


def faulty(_: TurnRequest) -> Iterable[str]:
    raise ZeroDivisionError


@pytest.mark.capability("A15")
@pytest.mark.parametrize("script", [broken, faulty])
async def test_a_failed_turn_is_told_to_the_person_and_can_be_retried(
    home: Path, script: Callable[[TurnRequest], Iterable[str]]
) -> None:
    model = ScriptedModel(script)
    async with FarEnd() as far_end, started_host(home, model=model, scripted={"url": far_end.url}) as host:
        await far_end.say("chat", "hi")
        told = await far_end.wait_for("chat")
        assert told[0].startswith("Something went wrong")
        assert "half an ans" not in told[0]
        message = await first_message(host)
        model.script = "better now"
        assert await host.inbound.retry(message)
        assert (await far_end.wait_for("chat", 2))[1] == "better now"
        await until_steps(host, lambda steps: steps.count("delivered") == 2)
        steps = await steps_of_all(host)
        assert [steps.count(step) for step in ("failed", "retried", "finished")] == [1, 1, 1]
        assert not await host.inbound.retry(message)


@pytest.mark.capability("A15")
async def test_an_agent_that_gives_no_sign_of_life_does_not_hang_the_session(home: Path) -> None:
    model = ScriptedModel(echo)
    model.hold()
    async with (
        FarEnd() as far_end,
        started_host(home, model=model, scripted={"url": far_end.url}, turns={"longest_silence": 0.5}),
    ):
        await far_end.say("chat", "hi")
        assert "no sign of life" in (await far_end.wait_for("chat"))[0]
        model.go_on()
        await far_end.say("chat", "again")
        assert (await far_end.wait_for("chat", 2))[1] == "got again"


@pytest.mark.capability("A15", "L3")
async def test_a_turn_that_was_begun_too_often_is_given_up_and_told(home: Path) -> None:
    model = ScriptedModel(echo)
    model.hold()
    async with FarEnd() as far_end:
        async with started_host(home, model=model, scripted={"url": far_end.url}) as host:
            await far_end.say("chat", "poison")
            await model.wait_for_calls(1)
        with sa.create_engine(host.settings.database_url(home)).begin() as tx:
            tx.execute(sa.update(work).values(attempts=6))
        async with started_host(home, model=model, scripted={"url": far_end.url}):
            assert "begun 6 times" in (await far_end.wait_for("chat"))[0]
            model.go_on()
            await far_end.say("chat", "and now?")
            assert (await far_end.wait_for("chat", 2))[1] == "got and now?"
    assert len(model.asked) == 2


async def test_a_turn_in_which_the_host_died_ten_times_rests_and_the_owner_is_told(home: Path) -> None:
    """Nine are not its fault: it is simply run again."""
    model = ScriptedModel(echo)
    model.hold()
    of_turn = sa.update(work).where(work.c.kind == "turn")
    async with FarEnd() as far_end:
        async with started_host(home, model=model, scripted={"url": far_end.url}) as host:
            await far_end.say("chat", "poison")
            await model.wait_for_calls(1)
        for deaths, calls in ((8, 2), (9, 2)):
            with sa.create_engine(host.settings.database_url(home)).begin() as tx:
                tx.execute(of_turn.values(deaths=deaths, host="h_dead"))
            async with started_host(home, model=model, scripted={"url": far_end.url}) as host:
                await model.wait_for_calls(calls)
                row = await host.store.read(
                    lambda tx: tx.execute(sa.select(work).where(work.c.kind == "turn")).one()
                )
                told = await host.store.read(lambda tx: list(tx.execute(sa.select(parcels.c.text)).scalars()))
        assert row.host is None
        assert row.due_at > now() + timedelta(seconds=30)
        assert any("ended 10 times" in text and "rests for a minute" in text for text in told)
    assert len(model.asked) == 2


@pytest.mark.capability("T1")
async def test_each_person_is_spoken_to_on_their_own_clock(home: Path) -> None:
    model = ScriptedModel(echo)
    async with FarEnd() as far_end, started_host(home, model=model, scripted={"url": far_end.url}):
        await far_end.say("chat", "/timezone Asia/Tokyo", sender="one")
        await far_end.wait_for("chat", 1)
        await far_end.say("chat", "hi", sender="one")
        await far_end.wait_for("chat", 2)
        await far_end.say("chat", "hi", sender="two")
        await far_end.wait_for("chat", 3)
    assert '<context timezone="Asia/Tokyo" />' in model.asked[0].prompt
    assert '<context timezone="UTC" />' in model.asked[1].prompt


@pytest.mark.capability("T1")
async def test_who_has_no_clock_is_spoken_to_on_that_of_the_group(home: Path) -> None:
    model = ScriptedModel(echo)
    with (home / "groups" / "main" / "group.toml").open("a") as group:
        group.write('timezone = "America/New_York"\n')
    async with FarEnd() as far_end, started_host(home, model=model, scripted={"url": far_end.url}):
        await far_end.say("chat", "hi")
        await far_end.wait_for("chat")
    assert '<context timezone="America/New_York" />' in model.asked[0].prompt


async def test_an_edited_context_file_is_seen_by_the_next_turn(home: Path) -> None:
    async with FarEnd() as far_end, started_host(home, scripted={"url": far_end.url}):
        await far_end.say("chat", "How much is the office plan?")
        assert "128" in (await far_end.wait_for("chat", 1))[0]
        path = home / "companies/demo/context/product/pricing.md"
        path.write_text(path.read_text().replace("128", "777"))
        await far_end.say("chat", "How much is the office plan?")
        assert "777" in (await far_end.wait_for("chat", 2))[1]


async def test_a_group_without_its_runtime_fails_the_turn_with_the_reason(home: Path) -> None:
    async with FarEnd() as far_end, started_host(home, scripted={"url": far_end.url}):
        await far_end.say("chat", "hello")
        await far_end.wait_for("chat", 1)
        (home / "groups/main/group.toml").write_text("company = 'demo'\nruntime = 'claude-code'\n")
        await far_end.say("chat", "hello")
        assert "there is no key of anthropic" in (await far_end.wait_for("chat", 2))[1]
        (home / "groups/main/group.toml").write_text("company = 'demo'\nruntime = 'nowhere'\n")
        await far_end.say("chat", "hello")
        assert "runtime" in (await far_end.wait_for("chat", 3))[2]


@pytest.mark.capability("A15")
async def test_what_was_stopped_before_does_not_stop_a_retry(home: Path) -> None:
    model = ScriptedModel(lambda _request: fails())
    async with FarEnd() as far_end, started_host(home, model=model, scripted={"url": far_end.url}):
        await far_end.say("chat", "first")
        assert "wrong" in (await far_end.wait_for("chat", 1))[0]
        model.script = echo
        model.hold()
        await far_end.say("chat", "second")
        await model.wait_for_calls(2)
        await far_end.say("chat", "/stop")
        await until(lambda: not model.at_once)
        model.go_on()
        await far_end.say("chat", "/retry")
        assert sorted((await far_end.wait_for("chat", 4))[2:]) == ["It is tried again.", "got first"]


def fails() -> Iterable[str]:
    raise ModelFailed("unexpected", said="scripted")


@pytest.mark.capability("A5", "A7")
async def test_a_command_during_a_turn_waits_for_a_turn_of_its_own(home: Path) -> None:
    first = True

    def script(request: TurnRequest) -> list[Any]:
        nonlocal first
        if first:
            first = False
            return [ToolCall(id="1", name="none")]
        return [f"{request.skill}: {' + '.join(words(request))}"]

    model = ScriptedModel(script)
    model.hold()
    async with FarEnd() as far_end, started_host(home, model=model, scripted={"url": far_end.url}):
        await far_end.say("chat", "one")
        await model.wait_for_calls(1)
        await far_end.say("chat", "/post two")
        await until(lambda: not far_end.unconfirmed)
        model.go_on()
        assert await far_end.wait_for("chat", 2) == ["general-assistant: one", "telegram-poster: /post two"]


# Looking into the rows


async def steps_of_all(host: Host) -> list[str]:
    def story(tx: Tx) -> list[str]:
        ids = timeline.find(tx, "m_")
        return [step.event.value for message in ids for step in timeline.of_message(tx, message)]

    return await host.store.read(story)


async def details_of(host: Host, event: timeline.Event) -> dict[str, object]:
    def story(tx: Tx) -> dict[str, object]:
        steps = timeline.of_message(tx, timeline.find(tx, "m_")[0])
        return next(step.detail for step in steps if step.event is event)

    return await host.store.read(story)


async def first_message(host: Host) -> str:
    return await host.store.read(lambda tx: timeline.find(tx, "m_")[0])


async def until_steps(host: Host, met: Callable[[list[str]], bool]) -> None:
    async def are_there() -> bool:
        return met(await steps_of_all(host))

    await until(are_there)


@pytest.mark.capability("A15")
async def test_a_turn_can_be_stopped_before_it_has_begun_to_run(home: Path) -> None:
    """Both are stored while the host is busy: it learns of the turn and of its end in the same moment."""
    model = ScriptedModel(echo)
    model.hold()
    async with FarEnd() as far_end, started_host(home, model=model, scripted={"url": far_end.url}) as host:

        async def say(text: str) -> None:
            await host.inbound.receive(
                Incoming(
                    kind=ChatKind.PRIVATE,
                    addressed=True,
                    channel="scripted",
                    address="chat",
                    external_id=text,
                    handle="scripted:tester",
                    sender="tester",
                    text=text,
                    sent_at=now(),
                )
            )

        both = asyncio.gather(say("work"), say("/stop"))
        await asyncio.sleep(0)
        time.sleep(0.5)  # noqa: ASYNC251 - the host is busy
        await both
        await until_steps(host, lambda steps: "stopped" in steps)
        model.go_on()
