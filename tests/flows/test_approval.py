"""Strangers: someone is asked once, decides once, and what waited goes on (P3)."""

from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import httpx
import pytest
import pytest_asyncio
from tests.approval_scene import (
    FORBIDDEN,
    Stage,
    decide,
    fresh,
    mention,
    on_the_page,
    one_group_stage,
    prompts,
)
from tests.telegram_scene import Scene, eventually, shown

from nanoclaw.domain.locale import clock_face
from nanoclaw.domain.people import Role
from nanoclaw.testing import ScriptedModel
from nanoclaw.testing.telegram.groups import Group
from nanoclaw.testing.telegram.people import Person

# One host for these tests; the owner is the same in all of them, and each test has strangers of its own.
pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.capability("P3"),
]

MAY_NOT = "You may not decide this."


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def one_group(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    async with one_group_stage(tmp_path_factory.mktemp("one")) as stage:
        yield stage


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

    @pytest.mark.capability("E13")
    async def test_the_card_says_how_much_of_a_long_first_message_it_does_not_show(
        self, scene: Scene, office: Group
    ) -> None:
        oleh = await self.stranger(scene, office, "Oleh")
        await mention(oleh, office, "how much? " + "x" * 700 + "\u202ethe end")
        card = await scene.card("Oleh")
        assert "the end" not in card.text
        assert "137 more characters are not on this card" in card.text

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
        assert f"telegram:{ivan.id}" in await scene.command(scene.chat, "/role @after none main")

    async def test_who_may_not_decide_is_refused_with_words_and_the_card_stays(
        self, scene: Scene, model: ScriptedModel, office: Group
    ) -> None:
        ivan = await self.stranger(scene, office, "Ivan Third")
        member, blocked = scene.server.person("Member"), scene.server.person("Blocked")
        await scene.know(member, Role.MEMBER)
        await scene.know(blocked, Role.OWNER)
        await scene.command(scene.chat, f"/block telegram:{blocked.id}")
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
        await scene.command(scene.chat, f"/role telegram:{boss.id} admin main")
        # A member of the only agent group, so taken at her word.
        assert await scene.command(hers, "hello", by=boss) == "ok"
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

    async def test_a_forwarded_command_does_nothing_before_and_after_its_sender_is_allowed(
        self, scene: Scene, model: ScriptedModel, office: Group
    ) -> None:
        await mention(scene.owner, office, "remember this")
        await office.wait_for(1)
        ivan = await self.stranger(scene, office, "Ivan Fifth")
        command = await scene.owner.says(scene.chat, "/clear@helper_bot")
        await ivan.forwards(command, office)
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
        listed = await scene.command(scene.chat, "/requests")
        for name in ("Ivan Sixth", "Petro Sixth"):
            assert f"{name} (telegram:" in listed
        ids = [card.text.rstrip(")").rpartition("(")[2] for card in cards]
        assert "may speak now, decided Olena" in await scene.command(scene.chat, f"/allow {ids[0]}")
        assert "was turned away by Olena" in await scene.command(scene.chat, f"/deny {ids[1]}")
        assert await office.wait_for(1) == ["ok"]
        assert await scene.dropped(dropped) == "denied"
        for card in cards:
            await scene.settled(card)
        assert "decided by Olena" in await scene.command(scene.chat, f"/allow {ids[0]}")
