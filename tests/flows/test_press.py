"""A press on a button: acknowledged at once, done once, signed on the card; an old card says that it is one."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from functools import partial

import pytest
import pytest_asyncio
from tests.telegram_scene import Scene, telegram_scene

from nanoclaw.channels.telegram import listener
from nanoclaw.domain.parcels import DROP, RETRY, SEND_AGAIN
from nanoclaw.domain.people import Role
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.testing import ScriptedModel
from nanoclaw.testing.telegram.chats import Chat, SeenMessage
from nanoclaw.testing.telegram.messages import Button

# One host for all; each test has a person and a chat of its own there.
pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.capability("A15"),
]

OLD = "This was decided before, or is no longer open. Nothing was changed."
FORBIDDEN = "You may not decide this."


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Scene, ScriptedModel]]:
    model = ScriptedModel()
    async with telegram_scene(tmp_path_factory.mktemp("host") / "nanoclaw", model=model) as scene:
        yield scene, model


@pytest.fixture
def model(stage: tuple[Scene, ScriptedModel]) -> Iterator[ScriptedModel]:
    """It fails, until a test gives it something to say."""
    model = stage[1]
    model.asked.clear()
    model.script = fail
    yield model
    model.go_on()


@pytest_asyncio.fixture(loop_scope="module")
async def scene(stage: tuple[Scene, ScriptedModel], model: ScriptedModel) -> Scene:
    return await stage[0].joined_by("Taras")


def fail(_: TurnRequest) -> list[str]:
    raise ZeroDivisionError


def shown(message: SeenMessage) -> SeenMessage:
    """The same message as it is now."""
    return next(each for each in message.chat.seen if each.id == message.id)


def is_signed(message: SeenMessage, note: str) -> bool:
    return shown(message).text.endswith(note)


async def card(scene: Scene, chat: Chat | None = None, text: str = "hello") -> SeenMessage:
    """Someone asked, it went wrong, and there is a card with a button."""
    where = chat or scene.chat
    before = where.answers
    await scene.owner.says(where, text)
    await where.wait_for(before + 1)
    return [message for message in where.seen if message.by_bot][-1]


async def test_retry_is_taken_at_once_signed_on_the_card_and_done(scene: Scene, model: ScriptedModel) -> None:
    failed = await card(scene)
    assert failed.labels == ["Try again"]
    model.script = "now it works"
    model.hold()  # however slow the model is
    press = await scene.owner.presses(failed, "Try again")
    taken = await press.wait()
    assert (taken.text, taken.alert) == ("Taken.", False)
    await scene.chat.wait_until(partial(is_signed, failed, "Try again: Taras"))
    assert shown(failed).buttons == ()
    assert shown(failed).text.startswith(failed.text)
    model.go_on()
    assert (await scene.chat.wait_for(2))[1] == "now it works"


async def test_a_press_that_takes_long_is_acknowledged_meanwhile_and_done(
    scene: Scene, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listener, "ACKNOWLEDGE_WITHIN", 0.05)
    failed = await card(scene)
    model.script = "now it works"
    idle = threading.Event()
    busy = asyncio.create_task(scene.host.store.write(lambda _tx: idle.wait(60)))
    try:
        taken = await (await scene.owner.presses(failed, "Try again")).wait()
        assert (taken.text, taken.alert) == ("", False)
        assert shown(failed).labels == ["Try again"]
    finally:
        idle.set()
        await busy
    await scene.chat.wait_until(partial(is_signed, failed, "Try again: Taras"))
    assert (await scene.chat.wait_for(2))[1] == "now it works"


async def test_a_second_press_changes_nothing_and_says_so(scene: Scene, model: ScriptedModel) -> None:
    failed = await card(scene)
    model.script = "ok"
    presses = [await scene.owner.presses(failed, "Try again") for _ in range(3)]
    told = [await press.wait() for press in presses]
    assert [answer.text for answer in told] == ["Taken.", OLD, OLD]
    assert [answer.alert for answer in told] == [False, True, True]
    await scene.chat.wait_for(2)
    assert (await (await scene.owner.presses(failed, "Try again")).wait()).text == OLD
    scene.server.repeat_last_update()
    await scene.ask("next")
    assert len(model.asked) == 3


async def test_what_fails_again_gets_a_new_card(scene: Scene, model: ScriptedModel) -> None:
    first = await card(scene)
    await scene.owner.presses(first, "Try again")
    await scene.chat.wait_for(2)
    assert scene.last().labels == ["Try again"]
    model.script = "at last"
    await scene.owner.presses(scene.last(), "Try again")
    assert (await scene.chat.wait_for(3))[2] == "at last"


async def test_a_stranger_may_press_nothing_and_a_member_may_retry(
    scene: Scene, model: ScriptedModel
) -> None:
    stranger = scene.server.person("Stranger")
    member = (await scene.joined_by("Ivan", role=Role.MEMBER, language="uk")).owner
    group = scene.server.group("Office", scene.bot, members=[scene.owner, stranger, member])
    failed = await card(scene, group, "@helper_bot hello")
    refused = await (await stranger.presses(failed, "Try again")).wait()
    assert (refused.text, refused.alert) == (FORBIDDEN, True)
    model.script = "ok"
    taken = await (await member.presses(failed, "Try again")).wait()
    assert not taken.text.isascii()  # in the language of the one who pressed
    await group.wait_until(partial(is_signed, failed, ": Ivan"))
    assert (await group.wait_for(2))[1] == "ok"


@pytest.mark.parametrize(
    "data",
    [f"{RETRY}:", f"{RETRY}:m_nonsense", f"{SEND_AGAIN}:o_1", f"{DROP}:{'x' * 60}", RETRY, "zzz:1", "дія:1"],
)
async def test_data_that_means_nothing_is_called_old(scene: Scene, model: ScriptedModel, data: str) -> None:
    failed = await card(scene)
    odd = replace(failed, buttons=((Button(label="?", data=data),),))
    answer = await (await scene.owner.presses(odd, "?")).wait()
    assert (answer.text, answer.alert) == (OLD, True)


async def test_a_card_of_another_chat_cannot_be_pressed_from_here(scene: Scene, model: ScriptedModel) -> None:
    other = await scene.joined_by("Other")
    theirs = await card(other)
    mine = await card(scene)
    borrowed = replace(mine, buttons=theirs.buttons)
    assert (await (await scene.owner.presses(borrowed, "Try again")).wait()).text == OLD


@pytest.mark.capability("A12")
async def test_what_could_not_be_delivered_is_sent_again_or_dropped(
    scene: Scene, model: ScriptedModel
) -> None:
    model.script = "ok"
    await scene.ask("hello")
    for number, label in ((1, "Send again"), (2, "Drop it")):
        group = scene.server.group(f"Office {number}", scene.bot, members=[scene.owner])
        with scene.refusing("sendMessage", 400, "Bad Request: something odd", chat=group):
            await scene.owner.says(group, "@helper_bot hi")
            await scene.chat.wait_for(number + 1)
        alert = scene.last()
        assert alert.labels == ["Send again", "Drop it"]
        assert (await (await scene.owner.presses(alert, label)).wait()).text == "Taken."
        await scene.chat.wait_until(partial(is_signed, alert, f"{label}: Taras"))
        assert (await (await scene.owner.presses(alert, "Send again")).wait()).text == OLD
        await scene.owner.says(group, "@helper_bot next")  # nothing that was given up stands in its way
        await group.wait_for(3 - number)


async def test_a_member_does_not_decide_about_deliveries(scene: Scene, model: ScriptedModel) -> None:
    member = await scene.joined_by("Member", role=Role.MEMBER)
    group = scene.server.group("Office", scene.bot, members=[scene.owner, member.owner])
    failed = await card(scene, group, "@helper_bot hello")
    odd = replace(failed, buttons=((Button(label="?", data=f"{SEND_AGAIN}:o_1"),),))
    assert (await (await member.owner.presses(odd, "?")).wait()).text == FORBIDDEN
