"""Those who wait for a decision: for long, with many others, over a restart, or decided by two at once (P3, P6)."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from tests.approval_scene import (
    Stage,
    decide,
    fresh,
    mention,
    on_the_page,
    prompts,
    two_groups_stage,
)
from tests.telegram_scene import Scene, back_again, found_group, shown, telegram_scene

from nanoclaw.domain.people import Role
from nanoclaw.testing import ScriptedModel, TelegramServer
from nanoclaw.testing.telegram.chats import SeenMessage
from nanoclaw.testing.telegram.people import Person

# One host for most of these tests, with two agent groups; each test has groups and strangers of its own.
pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.capability("P3"),
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def two_groups(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    async with two_groups_stage(tmp_path_factory.mktemp("two")) as stage:
        yield stage


@pytest.mark.capability("P5", "P6")
async def test_before_anyone_has_paired_strangers_are_dropped_and_nobody_is_asked(home: Path) -> None:
    model = ScriptedModel()
    async with telegram_scene(home, model=model, paired=False) as scene:
        group = scene.server.group("Early", scene.bot, members=[scene.owner])
        for chat in (group, scene.chat):
            assert await scene.dropped(await mention(scene.owner, chat, "hello")) == "no-owner"
        assert await scene.requests() == []
        assert await on_the_page(scene, "Early") == await on_the_page(scene, "Olena") == []
        await scene.pair(scene.owner)
        await mention(scene.owner, group, "hello again")
        assert await group.wait_for(1) == ["ok"]
        assert "hello again" in prompts(model)
        assert len(model.asked) == 1


async def test_the_card_is_answered_after_a_restart(home: Path) -> None:
    async with TelegramServer(flood_control=False) as server:
        async with telegram_scene(home, model=ScriptedModel(), server=server) as first:
            group = server.group("Office", first.bot, members=[first.owner])
            await first.wired(group)
            ivan = server.person("Ivan")
            await mention(ivan, group, "hello")
            card = await first.card("Ivan")
        model = ScriptedModel()
        await mention(ivan, group, "still there?")  # while the host is away
        async with back_again(home, first, model=model) as scene:
            assert await scene.press(card, "Allow") == "Taken."
            assert await group.wait_for(1) == ["ok"]
            assert "decided Olena" in await scene.settled(card)
            assert len([seen for seen in scene.chat.seen if "Ivan" in seen.text]) == 1
            assert "hello" in prompts(model)
            # The press may be quicker than what was written before it: then that has a turn of its own.
            await group.wait_until(lambda: "still there?" in prompts(model))


@pytest.mark.capability("P6")
async def test_too_many_requests_and_too_much_that_waits_are_dropped_with_the_reason(home: Path) -> None:
    async with telegram_scene(home, model=ScriptedModel(), paced=False) as scene:
        group = scene.server.group("Office", scene.bot, members=[scene.owner])
        await scene.wired(group)
        crowd = [scene.server.person(f"Stranger {number}") for number in range(51)]
        sent = [await mention(person, group, "hello") for person in crowd]
        assert await scene.dropped(sent[50]) == "too-many-requests"
        assert len(await scene.requests()) == 50
        more = [await mention(crowd[0], group, f"message {number}") for number in range(2, 22)]
        assert await scene.dropped(more[-1]) == "too-many-held"
        await scene.why(more[-2], "held")
        await scene.chat.wait_for(51)  # the cards, after the pairing
        assert "too many requests are open" in await scene.command(scene.chat, "/drops")
        await decide(scene, "Stranger 7 ", "Deny")
        await scene.why(await mention(crowd[50], group, "now?"), "held")  # there is room again


async def test_two_owners_decide_at_once_and_one_of_them_has_decided(home: Path, database_url: str) -> None:
    """About a stranger, and about a chat, where they choose different agents."""
    found_group(home, "sales")
    model = ScriptedModel()
    async with telegram_scene(home, model=model, paced=False, database={"url": database_url}) as scene:
        taras = scene.server.person("Taras")
        await scene.pair(taras)
        his, ivan = taras.chat_with(scene.bot), scene.server.person("Ivan")
        office = scene.server.group("Office", scene.bot, members=[scene.owner])
        mine, theirs = await scene.card("Office"), await scene.card("Office", his)
        await decide_at_once(scene, taras, (mine, "main"), (theirs, "sales"))
        assert len(await scene.wirings(office)) == 1
        await mention(ivan, office, "hello")
        mine, theirs = await scene.card("Ivan"), await scene.card("Ivan", his)
        await decide_at_once(scene, taras, (mine, "Allow"), (theirs, "Deny"))
        (wiring,) = await scene.wirings(office)
        is_allowed = "may speak now" in shown(mine).text
        assert (await scene.role_of(ivan, wiring.group) is Role.MEMBER) == is_allowed
        written = [entry for entry in await scene.audit(20) if entry.action.startswith(("sender-", "chat-"))]
        assert len(written) == 2


async def decide_at_once(
    scene: Scene, other: Person, first: tuple[SeenMessage, str], second: tuple[SeenMessage, str]
) -> None:
    """Both press; one is told that it is taken, the other who decided; both cards show the same."""
    told = await asyncio.gather(scene.press(*first), scene.press(*second, by=other))
    ((late, name),) = [
        (text, name) for text, name in zip(told, ("Taras", "Olena"), strict=True) if text != "Taken."
    ]
    assert f"decided by {name}" in late
    notes = {(await scene.settled(card)).rpartition("\n")[2] for card, _ in (first, second)}
    assert len(notes) == 1
    assert name in notes.pop()


class TestAround:
    """What else happens to those who wait: they pair, are blocked, are let in by another door."""

    @pytest.fixture
    def model(self, two_groups: Stage) -> Iterator[ScriptedModel]:
        yield from fresh(two_groups[1])

    @pytest.fixture
    def scene(self, two_groups: Stage, model: ScriptedModel) -> Scene:
        return two_groups[0]

    async def test_whoever_pairs_is_answered_what_they_wrote_before(
        self, scene: Scene, model: ScriptedModel
    ) -> None:
        friend = scene.server.person("Friend")
        chat = friend.chat_with(scene.bot)
        await scene.why(await friend.says(chat, "hello?"), "held")
        card = await scene.card("Friend")
        await friend.says(chat, f"/pair {(await scene.host.bots.pair()).code}")
        await chat.wait_for(2)
        assert "hello?" in prompts(model)
        assert "wired to main by Friend" in await scene.settled(card)
        assert len(await scene.wirings(chat)) == 1

    async def test_a_greeting_of_a_stranger_is_asked_about_like_any_word(
        self, scene: Scene, model: ScriptedModel
    ) -> None:
        guest = scene.server.person("Guest")
        chat = guest.chat_with(scene.bot)
        await guest.says(chat, "/start")
        await decide(scene, "Guest", "main")
        (told,) = await chat.wait_for(1)
        assert told.startswith("Hello, Guest.")

    async def waiting(self, scene: Scene) -> int:
        """Chats without an agent that someone has to decide about."""
        return sum(each.is_about_chat for each in await scene.requests())

    async def test_one_person_takes_no_room_from_others_and_blocked_gives_all_of_it_back(
        self, scene: Scene, model: ScriptedModel
    ) -> None:
        mallory, honest = scene.server.person("Mallory"), scene.server.person("Honest")
        for number in range(8):
            scene.server.group(f"Trap {number}", scene.bot, members=[mallory])
        await scene.why(await honest.says(honest.chat_with(scene.bot), "hello"), "held")
        assert await self.waiting(scene) == 6  # five of Mallory's, and the honest one
        asked = await mallory.says(mallory.chat_with(scene.bot), "me again")
        assert await scene.dropped(asked) == "too-many-requests"
        await scene.card("Honest")
        await scene.chat.wait_until(lambda: len(scene.cards("Trap")) == 5)
        assert "is blocked" in await scene.command(scene.chat, f"/block telegram:{mallory.id}")
        assert await self.waiting(scene) == 1
        await decide(scene, "Honest", "Block")
        assert await self.waiting(scene) == 0
        assert await scene.dropped(await honest.says(honest.chat_with(scene.bot), "please")) == "blocked"

    async def test_never_ask_again_is_meant_for_everyone(self, scene: Scene, model: ScriptedModel) -> None:
        yard = scene.server.group("Quiet", scene.bot, members=[scene.owner])
        await decide(scene, "Quiet", "Never ask again")
        assert await scene.dropped(await mention(scene.owner, yard, "anyone?")) == "not-wired"
        assert "belongs to main now" in await scene.command(yard, "/wire@helper_bot main")

    async def test_an_admin_of_one_group_blocks_nobody_everywhere(
        self, scene: Scene, model: ScriptedModel
    ) -> None:
        keeper, ivan = scene.server.person("Keeper"), scene.server.person("Ivan Ninth")
        await keeper.says(keeper.chat_with(scene.bot), "hi")
        await decide(scene, "Keeper", "main")
        await scene.command(scene.chat, f"/role telegram:{keeper.id} admin main")
        hall = scene.server.group("Hall", scene.bot, members=[keeper])
        await decide(scene, "Hall", "main")
        await mention(ivan, hall, "hello")
        card = await scene.card("Ivan Ninth", keeper.chat_with(scene.bot))
        assert "needs the role admin" in await scene.press(card, "Block", by=keeper)
        assert await scene.press(card, "Deny", by=keeper) == "Taken."

    async def test_what_strangers_wrote_is_answered_when_anyone_may_speak(
        self, scene: Scene, model: ScriptedModel
    ) -> None:
        plaza = scene.server.group("Plaza", scene.bot, members=[scene.owner])
        await decide(scene, "Plaza", "main")
        ann = scene.server.person("Ann Plaza")
        await mention(ann, plaza, "is it open?")
        card = await scene.card("Ann Plaza")
        await scene.command(plaza, "/strangers@helper_bot public")
        await plaza.wait_for(2)
        assert "is it open?" in prompts(model)
        assert "anyone may speak there now" in await scene.settled(card)

    async def test_a_message_that_one_agent_passes_over_tells_so(
        self, scene: Scene, model: ScriptedModel
    ) -> None:
        desk = scene.server.group("Desk", scene.bot, members=[scene.owner])
        await decide(scene, "Desk", "main")
        await scene.command(desk, "/wire@helper_bot sales")
        petro = scene.server.person("Petro")
        await scene.command(desk, "/strangers@helper_bot request_approval")
        await mention(petro, desk, "hello")
        await decide(scene, "Petro", "Allow")
        await scene.command(scene.chat, f"/role telegram:{petro.id} none sales")
        told = await scene.why(await mention(petro, desk, "and now?"), "answered")
        passed = "passed over by sales: the sender is not a member of this agent group"
        assert passed in [step.sentence for step in told.steps]
