"""Who writes faster than the host allows waits, and nobody else does; nothing is lost (A6)."""

from pathlib import Path

import pytest
from tests.telegram_scene import Scene, back_again, eventually, found_group, telegram_scene

from nanoclaw.domain.locale import Locale
from nanoclaw.domain.people import Role
from nanoclaw.durable import messages, people
from nanoclaw.durable.store import Tx
from nanoclaw.durable.why import Explanation, explain
from nanoclaw.testing import ScriptedModel, TelegramServer
from nanoclaw.testing.telegram.chats import SeenMessage

pytestmark = pytest.mark.capability("A6")

ONE_A_MINUTE = {"person_per_minute": 1}  # the second waits for longer than any test
THIRTY = {"person_per_minute": 30}  # after thirty at once, each waits two seconds at most


async def taken_in(scene: Scene, message: SeenMessage) -> Explanation:
    """What is known of a message once it has been admitted."""

    def story(tx: Tx) -> Explanation | None:
        chat = people.chat_at(tx, f"telegram:{scene.bot.id}", str(message.chat.id))
        stored = messages.at(tx, chat.id, str(message.id)) if chat else None
        told = explain(tx, stored.id, Locale()) if stored else None
        return told if told and any(step.event == "queued" for step in told.steps) else None

    return await eventually(lambda: scene.host.store.read(story))


def is_paused(told: Explanation) -> bool:
    return any(step.event == "paused" for step in told.steps)


async def write_too_fast(scene: Scene) -> SeenMessage:
    """The first message of the owner that has to wait: places come free meanwhile, but slower than this."""
    for number in range(30):
        await scene.owner.says(scene.chat, f"message {number}")
    while True:
        message = await scene.owner.says(scene.chat, "one too many")
        if is_paused(await taken_in(scene, message)):
            return message


async def test_who_writes_too_fast_is_told_once_and_others_are_answered_meanwhile(home: Path) -> None:
    model = ScriptedModel()
    async with telegram_scene(home, model=model, paced=False, limits=ONE_A_MINUTE) as scene:
        group = scene.server.group("Office", scene.bot, members=[scene.owner])
        await scene.wired(group)
        taras = scene.server.person("Taras")
        await scene.know(taras, Role.ADMIN)
        await scene.owner.says(group, "@helper_bot first")
        assert await group.wait_for(1) == ["ok"]
        waiting = [await scene.owner.says(group, f"@helper_bot more {number}") for number in range(3)]
        told = await group.wait_for(2)
        assert told[1].startswith("You write faster than this host allows. Nothing is lost:")
        assert "taken up in about 60 seconds" in told[1]
        await taras.says(group, "@helper_bot and me?")
        assert (await group.wait_for(3))[2] == "ok"
        assert "and me?" in model.asked[1].prompt
        assert "more" not in model.asked[1].prompt

        for message in waiting:
            assert is_paused(await scene.why(message, "waiting"))
        why = await scene.command(group, "/why", reply_to=waiting[0])  # a command is never too fast
        assert "written too fast: waits for 60 seconds" in why
        assert group.answers == 4  # told once
        assert "stopped" in (await scene.command(group, "/stop")).lower()
        for message in waiting:
            await scene.why(message, "stopped")
        assert len(model.asked) == 2


async def test_what_was_too_fast_is_answered_when_its_time_has_come(home: Path) -> None:
    model = ScriptedModel()
    async with telegram_scene(home, model=model, paced=False, limits=THIRTY) as scene:
        message = await write_too_fast(scene)
        told = await scene.why(message, "answered")
        paused, started = (
            next(step for step in told.steps if step.event == event) for event in ("paused", "started")
        )
        seconds = (started.at - paused.at).total_seconds()
        assert 0 < seconds < 3
        assert "one too many" in model.asked[-1].prompt


async def test_what_waits_is_answered_after_a_restart(home: Path) -> None:
    async with TelegramServer(flood_control=False) as server:
        async with telegram_scene(
            home, model=ScriptedModel(), server=server, paced=False, limits=THIRTY
        ) as first:
            message = await write_too_fast(first)
        model = ScriptedModel()
        async with back_again(home, first, model=model) as scene:
            told = await scene.why(message, "answered")
            assert is_paused(told)
            assert "one too many" in model.asked[-1].prompt


async def test_too_much_for_one_agent_does_not_slow_another(home: Path) -> None:
    found_group(home, "sales")
    model = ScriptedModel()
    async with telegram_scene(home, model=model, paced=False, limits={"group_per_minute": 1}) as scene:
        taras = scene.server.person("Taras")
        await scene.know(taras, Role.ADMIN)
        groups = [scene.server.group(name, scene.bot, members=[scene.owner]) for name in ("Main", "Sales")]
        for group in groups:
            await scene.command(group, f"/wire {group.told['title'].lower()}")
        main, sales = groups
        await scene.owner.says(main, "@helper_bot first")
        await main.wait_for(2)
        late = await taras.says(main, "@helper_bot second")
        assert (await main.wait_for(3))[2].startswith("You write faster")
        await taras.says(sales, "@helper_bot third")
        assert (await sales.wait_for(2))[1] == "ok"
        assert is_paused(await scene.why(late, "waiting"))
        assert [request.group for request in model.asked] == ["main", "sales"]


@pytest.mark.capability("P3")
async def test_a_stranger_who_waits_for_a_decision_uses_up_nobodys_share(home: Path) -> None:
    model = ScriptedModel()
    async with telegram_scene(home, model=model, paced=False, limits={"group_per_minute": 1}) as scene:
        group = scene.server.group("Office", scene.bot, members=[scene.owner])
        await scene.wired(group)
        flood = scene.server.person("Flood")
        held = [await flood.says(group, f"@helper_bot {number}") for number in range(5)]
        await scene.why(held[-1], "held")
        await scene.owner.says(group, "@helper_bot hello")
        assert await group.wait_for(1) == ["ok"]
        assert "hello" in model.asked[0].prompt
