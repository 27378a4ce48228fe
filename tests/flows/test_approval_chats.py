"""Chats without an agent: an owner is taken at their word or asked which one it shall be, once (P4)."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from tests.approval_scene import (
    FORBIDDEN,
    Stage,
    decide,
    fresh,
    mention,
    one_group_stage,
    prompts,
    two_groups_stage,
)
from tests.telegram_scene import Scene, back_again, found_group, shown, telegram_scene

from nanoclaw.domain.people import Role
from nanoclaw.domain.wirings import ALWAYS, EngageMode
from nanoclaw.testing import ScriptedModel, TelegramServer

# Two hosts for most of these tests, one with one agent group and one with two; each test has groups of its own.
pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.capability("P4"),
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def one_group(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    async with one_group_stage(tmp_path_factory.mktemp("one")) as stage:
        yield stage


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def two_groups(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    async with two_groups_stage(tmp_path_factory.mktemp("two")) as stage:
        yield stage


class TestOneGroup:
    """There is one agent group: an owner is taken at their word, and a stranger is asked about."""

    @pytest.fixture
    def model(self, one_group: Stage) -> Iterator[ScriptedModel]:
        yield from fresh(one_group[1])

    @pytest.fixture
    def scene(self, one_group: Stage, model: ScriptedModel) -> Scene:
        return one_group[0]

    async def test_the_group_of_an_owner_is_wired_before_anyone_speaks_and_without_a_card(
        self, scene: Scene, model: ScriptedModel
    ) -> None:
        silent = scene.server.group("Silent", members=[scene.owner])
        silent.adds(scene.bot, by=scene.owner)
        wiring = await scene.wired(silent)
        assert (wiring.group, wiring.engage.mode) == ("main", EngageMode.MENTION)
        (entry,) = await scene.audit()
        assert (entry.action, entry.name, entry.detail["chat"]) == ("wired", "Olena", "Silent")
        await mention(scene.owner, silent, "hi")
        assert await silent.wait_for(1) == ["ok"]
        assert scene.cards("Silent") == []

    async def test_a_group_that_an_owner_speaks_in_is_wired_by_that(
        self, scene: Scene, model: ScriptedModel
    ) -> None:
        """A stranger brought the bot there, nobody decided, and the owner calls it."""
        bar = scene.server.group("Bar", scene.bot)
        card = await scene.card("Bar")
        await scene.owner.joins(bar)
        await scene.dropped(await scene.owner.says(bar, "hello all"))
        assert await scene.wirings(bar) == []
        await mention(scene.owner, bar, "hi")
        assert await bar.wait_for(1) == ["ok"]
        await scene.wired(bar)
        assert "wired to main" in await scene.settled(card)
        (entry,) = await scene.audit()
        assert (entry.action, entry.name, entry.detail["chat"]) == ("wired", "Olena", "Bar")

    async def test_a_forum_is_wired_to_stay_where_it_is_called_and_a_private_chat_to_answer_always(
        self, scene: Scene, model: ScriptedModel
    ) -> None:
        forum = scene.server.group("Forum", scene.bot, members=[scene.owner], forum=True)
        assert (await scene.wired(forum)).engage.mode is EngageMode.MENTION_STICKY
        other = await scene.joined_by("Another Owner")
        assert await other.ask("hello") == ["ok"]
        engage = (await scene.wired(other.chat)).engage
        assert (engage.mode, engage.pattern) == (EngageMode.PATTERN, ALWAYS)

    async def test_a_stranger_who_writes_alone_to_the_bot_is_asked_about(
        self, scene: Scene, model: ScriptedModel
    ) -> None:
        lone = scene.server.person("Lonely", username="lonely")
        chat = lone.chat_with(scene.bot)
        await lone.says(chat, "is anyone there?")
        card = await scene.card("Lonely")
        assert "wrote to the bot alone" in card.text
        assert card.labels == ["main", "Create new", "Ignore", "Never ask again", "Block"]
        await scene.press(card, "main")
        assert await chat.wait_for(1) == ["ok"]
        assert await scene.role_of(lone) is Role.MEMBER
        engage = (await scene.wired(chat)).engage
        assert (engage.mode, engage.pattern) == (EngageMode.PATTERN, ALWAYS)
        assert (await scene.settled(card)).endswith("wired to main by Olena")

    async def test_ignored_it_asks_again_and_never_asks_never_again(
        self, scene: Scene, model: ScriptedModel
    ) -> None:
        lone = scene.server.person("Ignored")
        chat = lone.chat_with(scene.bot)
        for label, note in (("Ignore", "the next message there asks again"), ("Never ask again", "for good")):
            message = await lone.says(chat, f"{label}?")
            card = await scene.card(f"{label}?")
            await scene.press(card, label)
            assert await scene.dropped(message) == "not-wired"
            assert note in await scene.settled(card)
        assert await scene.dropped(await lone.says(chat, "please")) == "not-wired"
        assert scene.cards("Ignored") == []
        assert chat.answers == 0

    async def test_the_owner_who_adds_a_bot_that_was_asked_about_decides_by_that(
        self, scene: Scene, model: ScriptedModel
    ) -> None:
        club = scene.server.group("Club", scene.bot)
        card = await scene.card("Club")
        club.removes(scene.bot)
        club.adds(scene.bot, by=scene.owner)
        await scene.wired(club)
        assert (await scene.settled(card)).endswith("wired to main by Olena")


class TestTwoGroups:
    """There are several agent groups: a person who may decide is asked which one it shall be."""

    @pytest.fixture
    def model(self, two_groups: Stage) -> Iterator[ScriptedModel]:
        yield from fresh(two_groups[1])

    @pytest.fixture
    def scene(self, two_groups: Stage, model: ScriptedModel) -> Scene:
        return two_groups[0]

    def companies(self, scene: Scene) -> list[str]:
        return sorted(path.name for path in (scene.host.home / "companies").iterdir())

    async def test_an_owner_is_asked_before_anyone_speaks(self, scene: Scene, model: ScriptedModel) -> None:
        yard = scene.server.group("Yard", scene.bot, members=[scene.owner])
        card = await scene.card("Yard")
        assert f"Olena (@olena, telegram:{scene.owner.id}) brought the bot into" in card.text
        assert 'the group "Yard"' in card.text
        assert card.labels == ["main", "sales", "Create new", "Ignore", "Never ask again"]
        for text in ("@helper_bot first", "@helper_bot second"):
            await scene.why(await scene.owner.says(yard, text), "held")
        assert len(scene.cards("Yard")) == 1
        assert await scene.press(card, "sales") == "Taken."
        assert await yard.wait_for(1) == ["ok"]
        assert "second" in prompts(model)
        wiring = await scene.wired(yard)
        assert (wiring.group, wiring.engage.mode) == ("sales", EngageMode.MENTION)
        assert (await scene.settled(card)).endswith("wired to sales by Olena")

    async def test_whom_the_card_showed_is_answered_and_whoever_wrote_last_is_asked_about(
        self, scene: Scene, model: ScriptedModel
    ) -> None:
        forum = scene.server.group("Bazaar", scene.bot, forum=True)
        first, last = scene.server.person("First"), scene.server.person("Last")
        await decide(scene, "Bazaar", "Ignore")
        prices = forum.topic("Prices")
        await first.says(forum, "@helper_bot early", topic=prices)
        card = await scene.card("Bazaar")
        assert "First (telegram:" in card.text
        assert "early" in card.text
        await scene.why(await last.says(forum, "@helper_bot late", topic=prices), "held")
        await scene.press(card, "sales")
        await forum.wait_for(1)
        assert [seen.topic for seen in forum.seen if seen.by_bot] == [prices.id]
        assert "early" in prompts(model)
        assert "late" not in prompts(model)
        assert await scene.role_of(first, "sales") is Role.MEMBER
        assert await scene.role_of(last, "sales") is Role.STRANGER
        assert "late" in (await scene.card("Last")).text
        assert (await scene.wired(forum)).engage.mode is EngageMode.MENTION_STICKY

    async def test_a_new_agent_is_named_given_a_company_wired_and_answers(
        self, scene: Scene, model: ScriptedModel
    ) -> None:
        depot = scene.server.group("Depot *7*", scene.bot, members=[scene.owner])
        await mention(scene.owner, depot, "who are you?")
        card = await scene.card("Depot *7*")
        assert await scene.press(card, "Create new") == "Write the name of the new agent here."
        asking = await scene.card("What shall the new agent")
        assert '"Depot *7*"' in asking.text
        assert asking.labels == ["Cancel"]
        for name, words in (
            ("Sales", 'An agent group "sales" is there already'),
            ("🙂", "at least one letter or digit"),
            ("../..", "at least one letter or digit"),
        ):
            assert words in await scene.command(scene.chat, name)
        assert (
            "running" in (await scene.command(scene.chat, "/status")).lower()
        )  # commands are still commands
        await scene.owner.says(scene.chat, "Склад № 7")
        company = await scene.card("Which company does склад-7 work for?")
        assert company.labels == [*self.companies(scene), "A new one: склад-7", "Cancel"]
        await scene.press(company, "A new one: склад-7")
        assert await depot.wait_for(1) == ["ok"]
        home = scene.host.home
        assert (home / "groups" / "склад-7" / "group.toml").read_text("utf-8") == 'company = "склад-7"\n'
        assert (home / "companies" / "склад-7" / "context").is_dir()
        assert (home / "companies" / "склад-7" / "memory" / "CLAUDE.md").exists()
        assert (await scene.wired(depot)).group == "склад-7"
        assert (await scene.settled(card)).endswith("wired to склад-7 by Olena")
        assert (await scene.settled(company)).endswith("A new one: склад-7: Olena")
        actions = [entry.action for entry in await scene.audit(2)]
        assert actions == ["chat-wired", "group-founded"]
        assert await scene.ask("hello") == ["ok"]  # what is said next is no name any more

    async def test_a_new_agent_can_work_for_a_company_that_is_there(
        self, scene: Scene, model: ScriptedModel
    ) -> None:
        shop = scene.server.group("Shop", scene.bot, members=[scene.owner])
        await scene.press(await scene.card("Shop"), "Create new")
        await scene.card('new agent for "Shop"')
        before = self.companies(scene)
        await scene.owner.says(scene.chat, "Till")
        await scene.press(await scene.card("Which company does till"), "demo")
        assert (await scene.wired(shop)).group == "till"
        assert self.companies(scene) == before
        written = (scene.host.home / "groups" / "till" / "group.toml").read_text("utf-8")
        assert written == 'company = "demo"\n'

    async def test_creating_can_be_cancelled_and_the_card_stays(
        self, scene: Scene, model: ScriptedModel
    ) -> None:
        scene.server.group("Attic", scene.bot, members=[scene.owner])
        card = await scene.card("Attic")
        await scene.press(card, "Create new")
        asking = await scene.card('new agent for "Attic"')
        assert await scene.press(asking, "Cancel") == "Cancelled. The card above can still be answered."
        assert (await scene.settled(asking)).endswith("Cancel: Olena")
        assert await scene.ask("Loft") == ["ok"]  # said to the agent, and no name
        assert not (scene.host.home / "groups" / "loft").exists()
        assert shown(card).labels == card.labels
        await scene.press(card, "Ignore")

    async def test_decided_by_someone_else_meanwhile_nothing_is_made(
        self, scene: Scene, model: ScriptedModel
    ) -> None:
        other = scene.server.person("Second Owner")
        await scene.pair(other)
        hers = other.chat_with(scene.bot)
        for number, late in enumerate(("name", "company")):
            title = f"Hall {number}"
            hall = scene.server.group(title, scene.bot, members=[scene.owner])
            await scene.press(await scene.card(title), "Create new")
            asking = await scene.card(f'new agent for "{title}"')
            if late == "company":
                await scene.owner.says(scene.chat, "Porter")
                asking = await scene.card("Which company does porter")
            await scene.press(await scene.card(title, hers), "main", by=other)
            assert (await scene.wired(hall)).group == "main"
            told = await scene.press(asking, asking.labels[0])
            assert "decided by Second Owner" in told
            assert await scene.ask("Porter") == ["ok"]
        assert not (scene.host.home / "groups" / "porter").exists()

    async def test_who_is_no_admin_any_more_names_nothing(self, scene: Scene, model: ScriptedModel) -> None:
        clerk = scene.server.person("Clerk")
        await scene.pair(clerk)
        his = clerk.chat_with(scene.bot)
        scene.server.group("Lobby", scene.bot, members=[scene.owner])
        card = await scene.card("Lobby", his)
        await scene.press(card, "Create new", by=clerk)
        await scene.card('new agent for "Lobby"', his)
        await scene.command(scene.chat, f"/role telegram:{clerk.id} none")
        await clerk.says(his, "Reception")
        assert FORBIDDEN in await scene.press(card, "main", by=clerk)
        assert not (scene.host.home / "groups" / "reception").exists()
        await decide(scene, "Lobby", "Ignore")
        await decide(scene, "Reception", "Deny")  # to him it is said to the agent, by someone unknown

    async def test_a_member_is_not_asked_for_a_name_and_forges_nothing(
        self, scene: Scene, model: ScriptedModel
    ) -> None:
        member = scene.server.person("Curious")
        scene.server.group("Vault", scene.bot, members=[scene.owner])
        await scene.know(member, Role.MEMBER)
        card = await scene.card("Vault")
        request_id = card.button("Ignore").data.split(":")[1]
        for choice in ("create", "own", "@0123456789ab", "=0123456789ab", "main", "never"):
            assert FORBIDDEN in await scene.forge(card, f"nca:{request_id}:{choice}", by=member)
        for choice, words in (
            ("=0123456789ab", "is none of the choices"),
            ("@0123456789ab", "company is not there"),
            ("own", "name can be asked for"),
            ("", "is none of the choices"),
        ):
            assert words in await scene.forge(card, f"nca:{request_id}:{choice}")
        assert shown(card) == card
        await scene.press(card, "Ignore")

    async def test_a_stranger_who_adds_the_bot_is_asked_about_and_strangers_decide_nothing(
        self, scene: Scene, model: ScriptedModel
    ) -> None:
        rogue = scene.server.person("Rogue")
        cave = scene.server.group("Cave", members=[rogue])
        cave.adds(scene.bot, by=rogue)
        card = await scene.card("Cave")
        assert "Rogue (telegram:" in card.text
        assert await scene.wirings(cave) == []
        await decide(scene, "Cave", "Never ask again")
        assert await scene.dropped(await mention(rogue, cave, "hello?")) == "not-wired"
        cave.removes(scene.bot)
        cave.adds(scene.bot, by=rogue)
        assert await scene.dropped(await mention(rogue, cave, "again?")) == "not-wired"
        assert scene.cards("Cave") == []


async def test_an_agent_that_is_being_made_is_made_after_a_restart(home: Path) -> None:
    """The host goes away after the question for a name, and again after the one for a company."""
    found_group(home, "sales")
    async with TelegramServer(flood_control=False) as server:
        async with telegram_scene(home, server=server) as first:
            group = server.group("Depot", first.bot, members=[first.owner])
            await mention(first.owner, group, "hello")
            await first.press(await first.card("Depot"), "Create new")
            await first.card('new agent for "Depot"')
        await first.owner.says(first.chat, "Till")  # while the host is away
        async with back_again(home, first) as second:
            company = await second.card("Which company does till")
        async with back_again(home, first, model=ScriptedModel()) as scene:
            await scene.press(company, "demo")
            assert (await scene.wired(group)).group == "till"
            assert await group.wait_for(1) == ["ok"]
