"""The host is killed while it asks about a stranger, and while it is answered: nothing is lost or undecided."""

from pathlib import Path

import pytest
from tests.crash.test_telegram import Stage, killed_later

from nanoclaw.testing.telegram.groups import Group
from nanoclaw.testing.telegram.people import Person
from nanoclaw.testing.telegram.server import Call

pytestmark = pytest.mark.capability("P3", "L3")

QUESTION = "@helper_bot how much is the office plan?"


def is_card(call: Call) -> bool:
    return call.method == "sendMessage" and "nsa:" in str(call.parameters.get("reply_markup", ""))


def is_signature(call: Call) -> bool:
    return call.method == "editMessageText" and "may speak now" in str(call.parameters.get("text", ""))


async def stranger_in(stage: Stage) -> tuple[Group, Person]:
    """The owner's group, wired because the owner wrote there, and someone in it whom nobody knows."""
    group = stage.server.group("Office", stage.bot, members=[stage.owner])
    await stage.owner.says(group, "@helper_bot hello")
    await group.wait_for(1)
    stranger = stage.server.person("Ivan")
    await stranger.joins(group)
    return group, stranger


async def allow(stage: Stage) -> None:
    def card() -> object:
        return [each for each in stage.chat.seen if "Allow" in each.labels]

    await stage.chat.wait_until(card)
    newest = [each for each in stage.chat.seen if "Allow" in each.labels][-1]
    await stage.owner.presses(newest, "Allow")


async def answered(group: Group) -> None:
    await group.wait_until(lambda: any("128" in text for text in group.texts()))


@pytest.mark.parametrize("arrived", [True, False])
async def test_a_card_whose_send_was_cut_off_is_sent_again(home: Path, arrived: bool) -> None:
    async with killed_later(home) as stage:
        group, stranger = await stranger_in(stage)
        stage.kill_at(is_card, done=arrived)
        await stranger.says(group, QUESTION)
        await stage.program.wait_until_dead()
        await stage.program.start()
        await allow(stage)
        await answered(group)


@pytest.mark.parametrize("arrived", [True, False])
async def test_a_decision_is_kept_and_shown_when_the_host_dies_as_it_signs_the_card(
    home: Path, arrived: bool
) -> None:
    async with killed_later(home) as stage:
        group, stranger = await stranger_in(stage)
        await stranger.says(group, QUESTION)
        stage.kill_at(is_signature, done=arrived)
        await allow(stage)
        await stage.program.wait_until_dead()
        await stage.program.start()
        await answered(group)
        await stage.chat.wait_until(lambda: any("may speak now" in text for text in stage.chat.texts()))
        assert not any("Allow" in each.labels for each in stage.chat.seen)
        assert sum("128" in text for text in group.texts()) == 1
