"""Strangers, and chats without an agent: someone is asked once, decides once, and what waited goes on (P3, P4, P6)."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import httpx
import pytest
import pytest_asyncio
import sqlalchemy as sa
from tests.telegram_scene import Scene, back_again, eventually, found_group, shown, telegram_scene

from nanoclaw.domain.locale import clock_face
from nanoclaw.domain.people import Role
from nanoclaw.domain.wirings import ALWAYS, EngageMode
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import chats, parcels
from nanoclaw.testing import ScriptedModel, TelegramServer
from nanoclaw.testing.host import made_workspace
from nanoclaw.testing.telegram.chats import Chat, SeenMessage
from nanoclaw.testing.telegram.groups import Group
from nanoclaw.testing.telegram.people import Person

# Two hosts for most of these tests, one with one agent group and one with two; the owner is the same in all of them,
# and each test has groups and strangers of its own.
pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.timeout(60),
    pytest.mark.capability("P3"),
]

Stage = tuple[Scene, ScriptedModel]

FORBIDDEN = "This is not yours to decide"
MAY_NOT = "You may not decide this."


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def one_group(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    model = ScriptedModel()
    async with telegram_scene(tmp_path_factory.mktemp("one") / "nanoclaw", model=model, paced=False) as scene:
        yield scene, model


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def two_groups(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    model = ScriptedModel()
    home = made_workspace(tmp_path_factory.mktemp("two") / "nanoclaw")
    found_group(home, "sales")
    async with telegram_scene(home, model=model, paced=False) as scene:
        yield scene, model


def fresh(model: ScriptedModel) -> Iterator[ScriptedModel]:
    model.asked.clear()
    model.script = "ok"
    yield model
    model.go_on()


async def mention(person: Person, chat: Chat, words: str) -> SeenMessage:
    return await person.says(chat, f"@helper_bot {words}")


def prompts(model: ScriptedModel) -> str:
    return "\n".join(request.prompt for request in model.asked)


async def decide(scene: Scene, words: str, label: str) -> str:
    """What the card with these words says once the owner has decided."""
    card = await scene.card(words)
    await scene.press(card, label)
    return await scene.settled(card)


async def on_the_page(scene: Scene, words: str) -> list[tuple[str, list[str]]]:
    """The cards in the first room of the page that have these words, with their buttons."""
    here = sa.and_(chats.c.channel == "web", chats.c.address == "main", parcels.c.text.contains(words))
    query = sa.select(parcels).join(chats, chats.c.id == parcels.c.chat_id).where(here)

    def story(tx: Tx) -> list[tuple[str, list[str]]]:
        return [(row.text, [each["label"] for each in row.buttons or ()]) for row in tx.execute(query)]

    return await scene.host.store.read(story)


class TestStrangers:
    @pytest.fixture
    def model(self, one_group: Stage) -> Iterator[ScriptedModel]:
        yield from fresh(one_group[1])

    @pytest.fixture
    def scene(self, one_group: Stage, model: ScriptedModel) -> Scene:
        return one_group[0]

    @pytest_asyncio.fixture(loop_scope="module")
    async def office(self, scene: Scene) -> Group:
        """A group of the owner's, wired."""
        group = scene.server.group("Office", scene.bot, members=[scene.owner])
        await scene.wired(group)
        return group

    async def stranger(self, scene: Scene, group: Group, name: str, username: str = "") -> Person:
        person = scene.server.person(name, username=username)
        await person.joins(group)
        return person

    async def test_one_card_tells_who_where_and_what_and_all_of_it_is_answered_when_they_are_allowed(
        self, scene: Scene, model: ScriptedModel, office: Group
    ) -> None:
        ivan = await self.stranger(scene, office, "Ivan", "ivan_k")
        earlier = office.add(ivan, "text", {"text": "@helper_bot how much is it?"})
        earlier.content["entities"] = [{"type": "mention", "offset": 0, "length": 11}]
        earlier.date -= 7200  # Telegram kept it while the host was away
        office.announce(earlier)
        card = await scene.card("Ivan")
        for words in (
            "wants to talk to main",
            f"Ivan (@ivan_k, telegram:{ivan.id})",
            'wrote in the group "Office"',
            "how much is it?",
        ):
            assert words in card.text
        assert card.labels == ["Allow", "Deny", "Block"]
        await scene.why(await mention(ivan, office, "and when?"), "held")
        assert len(scene.cards("Ivan")) == len(await on_the_page(scene, "Ivan")) == 1
        assert (office.answers, model.asked) == (0, [])

        assert await scene.press(card, "Allow") == "Taken."
        assert await office.wait_for(1) == ["ok"]
        assert await scene.role_of(ivan) is Role.MEMBER
        (request,) = model.asked
        assert request.prompt.index("how much is it?") < request.prompt.index("and when?")
        said_at = clock_face(datetime.fromtimestamp(earlier.date, UTC), ZoneInfo("UTC"))
        assert f'time="{said_at}"' in request.prompt
        decided = await scene.settled(card)
        assert decided.startswith(card.text)
        assert decided.endswith("may speak now, decided Olena")
        ((text, labels),) = await on_the_page(scene, "Ivan")
        assert ("decided Olena" in text, labels) == (True, [])
        (entry,) = await scene.audit()
        assert (entry.action, entry.handle, entry.via) == (
            "sender-allow",
            f"telegram:{scene.owner.id}",
            f"telegram:{scene.bot.id}",
        )
        assert (entry.detail["person"], entry.detail["groups"]) == (f"Ivan (telegram:{ivan.id})", ["main"])

        await mention(ivan, office, "thanks")  # a member now: nobody is asked
        assert len(await office.wait_for(2)) == 2

    async def test_who_is_denied_is_dropped_and_asked_about_again(
        self, scene: Scene, model: ScriptedModel, office: Group
    ) -> None:
        petro = await self.stranger(scene, office, "Petro")
        for text in ("first", "second"):
            message = await mention(petro, office, text)
            card = await scene.card(text)
            await scene.press(card, "Deny")
            assert await scene.dropped(message) == "denied"
            assert (await scene.settled(card)).endswith("was turned away by Olena")
        assert await scene.role_of(petro) is Role.STRANGER
        assert (office.answers, model.asked) == (0, [])

    async def test_about_who_is_blocked_nobody_is_asked_again(
        self, scene: Scene, model: ScriptedModel, office: Group
    ) -> None:
        spam = await self.stranger(scene, office, "Spammer")
        first = await mention(spam, office, "buy this")
        card = await scene.card("Spammer")
        await scene.press(card, "Block")
        assert await scene.dropped(first) == "denied"
        assert (await scene.settled(card)).endswith("was blocked by Olena")
        assert await scene.dropped(await mention(spam, office, "buy that")) == "blocked"
        private = await spam.says(spam.chat_with(scene.bot), "/start")
        assert await scene.dropped(private) == "blocked"
        assert scene.cards("Spammer") == []
        assert model.asked == []

    async def test_about_people_who_talk_to_each_other_nobody_is_asked(
        self, scene: Scene, model: ScriptedModel, office: Group
    ) -> None:
        ola = await self.stranger(scene, office, "Chatty")
        assert await scene.dropped(await ola.says(office, "lunch?")) == "not-addressed"
        assert scene.cards("Chatty") == []

    async def test_a_person_who_changes_name_between_card_and_press_is_the_same_person(
        self, scene: Scene, model: ScriptedModel, office: Group
    ) -> None:
        ivan = await self.stranger(scene, office, "Ivan Before", "before")
        await mention(ivan, office, "hi")
        card = await scene.card("Ivan Before")
        ivan.renames("Ivan After", username="after")
        imposter = await self.stranger(scene, office, "Ivan Before", "before")
        await mention(imposter, office, "me too")
        await scene.card(f"telegram:{imposter.id}")
        await scene.press(card, "Allow")
        await office.wait_for(1)
        assert await scene.role_of(ivan) is Role.MEMBER
        assert await scene.role_of(imposter) is Role.STRANGER
        assert "me too" not in prompts(model)
        await mention(ivan, office, "again")
        await office.wait_for(2)
        assert 'sender="Ivan After"' in model.asked[-1].prompt
        assert f"telegram:{ivan.id}" in await scene.order(scene.chat, "/role @after none main")

    async def test_who_may_not_decide_is_refused_with_words_and_the_card_stays(
        self, scene: Scene, model: ScriptedModel, office: Group
    ) -> None:
        ivan = await self.stranger(scene, office, "Ivan Third")
        member, blocked = scene.server.person("Member"), scene.server.person("Blocked")
        await scene.know(member, Role.MEMBER)
        await scene.know(blocked, Role.OWNER)
        await scene.order(scene.chat, f"/block telegram:{blocked.id}")
        await mention(ivan, office, "let me in")
        card = await scene.card("Ivan Third")
        (request,) = [each for each in await scene.requests() if each.id in card.button("Allow").data]
        for person, words in (
            (member, FORBIDDEN),
            (ivan, FORBIDDEN),
            (blocked, MAY_NOT),
            (scene.server.person("Nobody"), MAY_NOT),
        ):
            assert words in await scene.press(card, "Allow", by=person)
        for data, words in (
            (f"nsa:{request.id}:kill", '"kill" is none of the choices'),
            (f"nsa:{request.id}", "is none of the choices"),
            (f"nca:{request.id}:create", "is none of the choices"),
            ("nsa:w_nothing:allow", "decided before"),
            ("nca:n_nothing:=0123456789ab", "decided before"),
            ("nsa:", "decided before"),
        ):
            assert words in await scene.forge(card, data)
        assert shown(card) == card
        assert (await scene.role_of(ivan), model.asked) == (Role.STRANGER, [])
        await scene.press(card, "Deny")
        old = await scene.press(card, "Allow")  # the client has not heard of it yet
        assert "decided by Olena on" in old
        assert await scene.role_of(ivan) is Role.STRANGER

    async def test_an_admin_of_the_group_decides_too_and_everyones_card_shows_it(
        self, scene: Scene, model: ScriptedModel, office: Group
    ) -> None:
        boss = scene.server.person("Boss", language="uk")
        hers = boss.chat_with(scene.bot)
        await scene.know(boss, Role.STRANGER)
        await scene.order(scene.chat, f"/role telegram:{boss.id} admin main")
        # Of the only agent group, so taken at her word.
        assert await scene.order(hers, "hello", by=boss) == "ok"
        ivan = await self.stranger(scene, office, "Ivan Fourth")
        await mention(ivan, office, "hi")
        cards = [await scene.card("Ivan Fourth", chat) for chat in (hers, scene.chat)]
        model.asked.clear()
        assert not cards[0].labels[0].isascii()  # in her language
        await scene.press(cards[0], cards[0].labels[0], by=boss)
        assert await office.wait_for(1) == ["ok"]
        notes = [(await scene.settled(card)).rpartition("\n")[2] for card in cards]
        assert all("Boss" in note for note in notes)
        assert [note.isascii() for note in notes] == [False, True]  # each in the language of who reads it

    async def test_a_photo_that_waited_is_fetched_when_its_sender_is_allowed(
        self, scene: Scene, model: ScriptedModel, office: Group
    ) -> None:
        anna = await self.stranger(scene, office, "Anna")
        before = scene.server.counts["file"]
        await anna.sends_photo(office, b"\xff\xd8\xff picture", caption="@helper_bot what is this?")
        card = await scene.card("Anna")
        assert scene.server.counts["file"] == before  # nothing of a stranger is fetched
        await scene.press(card, "Allow")
        await office.wait_for(1)
        (request,) = model.asked
        path = request.prompt.split(' path="/work/')[1].split('"')[0]
        assert (scene.host.home / "groups" / "main" / "files" / path).read_bytes() == b"\xff\xd8\xff picture"

    async def test_a_file_without_words_is_told_by_its_name(
        self, scene: Scene, model: ScriptedModel, office: Group
    ) -> None:
        anna = await self.stranger(scene, office, "Anna Second")
        await mention(scene.owner, office, "hello")
        await office.wait_for(1)
        (answer,) = (seen for seen in office.seen if seen.by_bot)
        await anna.sends_document(office, b"1,2", name="sums.csv", reply_to=answer)
        card = await scene.card("Anna Second")
        assert "[document: sums.csv]" in card.text

    async def test_an_album_that_waited_is_given_as_one_message(
        self, scene: Scene, model: ScriptedModel, office: Group
    ) -> None:
        anna = await self.stranger(scene, office, "Anna Third")
        pictures = [b"\xff\xd8\xff one", b"\xff\xd8\xff two"]
        await anna.sends_album(office, pictures, caption="@helper_bot compare these")
        card = await scene.card("Anna Third")
        await scene.why(await mention(anna, office, "well?"), "held")
        await scene.press(card, "Allow")
        await office.wait_for(1)
        assert prompts(model).count("<file ") == 2
        assert prompts(model).count("compare these") == 1

    async def test_what_a_stranger_writes_is_quoted_and_means_nothing(
        self, scene: Scene, model: ScriptedModel, office: Group
    ) -> None:
        trick = await self.stranger(scene, office, "Trick *er*")
        words = "**Urgent**\n\n# Press Allow\n[here](https://evil.example) <b>now</b> `x` \\(y\\)"
        await mention(trick, office, words + "\n" + "long " * 200)
        card = await scene.card("Trick *er* (telegram:")
        assert words in card.text
        assert len(card.text) < 1200
        assert not {"text_link", "code"} & {mark["type"] for mark in card.entities}
        (quote,) = [mark for mark in card.entities if mark["type"].endswith("blockquote")]
        quoted = card.text.encode("utf-16-le")[quote["offset"] * 2 : (quote["offset"] + quote["length"]) * 2]
        assert words in quoted.decode("utf-16-le")
        await decide(scene, "Trick *er* (telegram:", "Deny")

    async def test_the_page_decides_too_and_the_card_on_telegram_shows_it(
        self, scene: Scene, model: ScriptedModel, office: Group
    ) -> None:
        ivan = await self.stranger(scene, office, "Ivan Seventh")
        await mention(ivan, office, "hello")
        card = await scene.card("Ivan Seventh")
        (request,) = [each for each in await scene.requests() if each.id in card.button("Allow").data]
        headers = {"Authorization": f"Bearer {scene.host.token}"}
        async with httpx.AsyncClient(base_url=scene.host.url, headers=headers) as page:
            answer = await page.post(f"api/requests/{request.id}", json={"choice": "allow"})
            assert answer.status_code == 200, answer.text
            again = await page.post(f"api/requests/{request.id}", json={"choice": "deny"})
            assert again.is_client_error
        assert await office.wait_for(1) == ["ok"]
        assert "may speak now, decided Owner" in await scene.settled(card)
        assert "decided by Owner" in await scene.press(card, "Deny")
        (entry,) = await scene.audit()
        assert (entry.handle, entry.via) == ("local:owner", "web")

    async def test_a_group_that_becomes_a_supergroup_while_someone_waits_is_answered_there(
        self, scene: Scene, model: ScriptedModel, office: Group
    ) -> None:
        ivan = await self.stranger(scene, office, "Ivan Eighth")
        await mention(ivan, office, "hello")
        card = await scene.card("Ivan Eighth")
        upgraded = office.upgrades()
        await scene.why(await mention(ivan, upgraded, "still there?"), "held")
        await scene.press(card, "Allow")
        assert await upgraded.wait_for(1) == ["ok"]
        assert "hello" in prompts(model)
        assert "still there?" in prompts(model)
        await scene.settled(card)
        assert scene.cards("Ivan Eighth") == []  # nobody is asked a second time

    async def test_an_edit_of_what_waits_takes_its_place(
        self, scene: Scene, model: ScriptedModel, office: Group
    ) -> None:
        lev = await self.stranger(scene, office, "Lev")
        message = await mention(lev, office, "call me Leo")
        card = await scene.card("Lev")
        await lev.edits(message, "@helper_bot call me Lev")

        async def edited() -> bool | None:
            told = await scene.why(message, "held")
            return told.text.endswith("call me Lev") or None

        await eventually(edited)
        await scene.press(card, "Allow")
        await office.wait_for(1)
        (request,) = model.asked
        assert "call me Lev" in request.prompt
        assert "Leo" not in request.prompt

    async def test_who_hides_behind_a_chat_is_never_asked_about(
        self, scene: Scene, model: ScriptedModel
    ) -> None:
        office = scene.server.group("Hidden", scene.bot, members=[scene.owner], supergroup=True)
        await scene.wired(office)
        channel = scene.server.channel("News", scene.bot)
        channel.discussed_in = office
        for writer in (office, channel):
            assert await scene.dropped(await office.says_as(writer, "@helper_bot hi")) == "anonymous"
        await channel.posts("@helper_bot read this")
        assert await scene.dropped(office.seen[-1]) == "anonymous"
        assert scene.cards("Hidden") == scene.cards("News") == []
        assert model.asked == []

    async def test_who_hides_behind_a_chat_brings_no_card_for_it_either(
        self, scene: Scene, model: ScriptedModel
    ) -> None:
        """The group belongs to no agent: its owner is a stranger, whose card was ignored."""
        cellar = scene.server.group("Cellar", scene.bot, supergroup=True)
        await decide(scene, "Cellar", "Ignore")
        assert await scene.dropped(await cellar.says_as(cellar, "@helper_bot hi")) == "anonymous"
        assert scene.cards("Cellar") == []

    async def test_a_forwarded_order_orders_nothing_before_and_after_its_sender_is_allowed(
        self, scene: Scene, model: ScriptedModel, office: Group
    ) -> None:
        await mention(scene.owner, office, "remember this")
        await office.wait_for(1)
        ivan = await self.stranger(scene, office, "Ivan Fifth")
        order = await scene.owner.says(scene.chat, "/clear@helper_bot")
        await ivan.forwards(order, office)
        card = await scene.card("Ivan Fifth")
        await scene.press(card, "Allow")
        assert await office.wait_for(2) == ["ok", "ok"]  # the agent's, not the host's
        assert len({request.session_id for request in model.asked}) == 1
        assert 'forwarded_from="Olena"' in model.asked[-1].prompt
        assert len(model.asked[-1].history) == 1

    async def test_the_requests_are_listed_allowed_and_denied_by_words_too(
        self, scene: Scene, model: ScriptedModel, office: Group
    ) -> None:
        ivan, petro = [await self.stranger(scene, office, name) for name in ("Ivan Sixth", "Petro Sixth")]
        await mention(ivan, office, "hi")
        dropped = await mention(petro, office, "hi")
        cards = [await scene.card(name) for name in ("Ivan Sixth", "Petro Sixth")]
        listed = await scene.order(scene.chat, "/requests")
        for name in ("Ivan Sixth", "Petro Sixth"):
            assert f"{name} (telegram:" in listed
        ids = [card.text.rstrip(")").rpartition("(")[2] for card in cards]
        assert "may speak now, decided Olena" in await scene.order(scene.chat, f"/allow {ids[0]}")
        assert "was turned away by Olena" in await scene.order(scene.chat, f"/deny {ids[1]}")
        assert await office.wait_for(1) == ["ok"]
        assert await scene.dropped(dropped) == "denied"
        for card in cards:
            await scene.settled(card)
        assert "decided by Olena" in await scene.order(scene.chat, f"/allow {ids[0]}")


@pytest.mark.capability("P4")
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


@pytest.mark.capability("P4")
class TestTwoGroups:
    """There are several agent groups: whoever may decide is asked which one it shall be."""

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
            assert words in await scene.order(scene.chat, name)
        assert "running" in (await scene.order(scene.chat, "/status")).lower()  # orders are still orders
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
        await scene.order(scene.chat, f"/role telegram:{clerk.id} none")
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


@pytest.mark.capability("P4")
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
        assert "too many requests are open" in await scene.order(scene.chat, "/drops")
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
        assert "is blocked" in await scene.order(scene.chat, f"/block telegram:{mallory.id}")
        assert await self.waiting(scene) == 1
        await decide(scene, "Honest", "Block")
        assert await self.waiting(scene) == 0
        assert await scene.dropped(await honest.says(honest.chat_with(scene.bot), "please")) == "blocked"

    async def test_never_ask_again_is_meant_for_everyone(self, scene: Scene, model: ScriptedModel) -> None:
        yard = scene.server.group("Quiet", scene.bot, members=[scene.owner])
        await decide(scene, "Quiet", "Never ask again")
        assert await scene.dropped(await mention(scene.owner, yard, "anyone?")) == "not-wired"
        assert "belongs to main now" in await scene.order(yard, "/wire@helper_bot main")

    async def test_an_admin_of_one_group_blocks_nobody_everywhere(
        self, scene: Scene, model: ScriptedModel
    ) -> None:
        keeper, ivan = scene.server.person("Keeper"), scene.server.person("Ivan Ninth")
        await keeper.says(keeper.chat_with(scene.bot), "hi")
        await decide(scene, "Keeper", "main")
        await scene.order(scene.chat, f"/role telegram:{keeper.id} admin main")
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
        await scene.order(plaza, "/strangers@helper_bot public")
        await plaza.wait_for(2)
        assert "is it open?" in prompts(model)
        assert "anyone may speak there now" in await scene.settled(card)

    async def test_a_message_that_one_agent_passes_over_tells_so(
        self, scene: Scene, model: ScriptedModel
    ) -> None:
        desk = scene.server.group("Desk", scene.bot, members=[scene.owner])
        await decide(scene, "Desk", "main")
        await scene.order(desk, "/wire@helper_bot sales")
        petro = scene.server.person("Petro")
        await scene.order(desk, "/strangers@helper_bot request_approval")
        await mention(petro, desk, "hello")
        await decide(scene, "Petro", "Allow")
        await scene.order(scene.chat, f"/role telegram:{petro.id} none sales")
        told = await scene.why(await mention(petro, desk, "and now?"), "answered")
        passed = "passed over by sales: the sender is not a member of this agent group"
        assert passed in [step.sentence for step in told.steps]
