"""What people write on Telegram, through the whole host: messages, groups and topics, commands and menus."""

import time
from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio
from tests.telegram_scene import Scene, eventually, telegram_scene

from nanoclaw.admission.commands import COMMANDS
from nanoclaw.domain.people import Role
from nanoclaw.durable import people
from nanoclaw.durable.why import Explanation
from nanoclaw.testing import ScriptedModel
from nanoclaw.testing.telegram.chats import SeenMessage
from nanoclaw.testing.telegram.groups import Group

# One host for most of these tests; each has a person and a chat of its own there.
pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.capability("A1"),
]


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=["careful", "sloppy"])
async def stage(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> AsyncIterator[tuple[Scene, ScriptedModel]]:
    """Once with a server as careful as Telegram, once with one that is not."""
    model, home = ScriptedModel(), tmp_path_factory.mktemp("host") / "nanoclaw"
    async with telegram_scene(home, model=model, sloppy=request.param == "sloppy") as scene:
        yield scene, model


@pytest.fixture
def model(stage: tuple[Scene, ScriptedModel]) -> Iterator[ScriptedModel]:
    model = stage[1]
    model.asked.clear()
    model.script = "ok"
    yield model
    model.go_on()


@pytest_asyncio.fixture(loop_scope="module")
async def scene(stage: tuple[Scene, ScriptedModel], model: ScriptedModel) -> Scene:
    """An owner whose chat is empty."""
    return await stage[0].joined_by("Taras")


class TestMessages:
    async def test_text_reaches_the_agent_letter_by_letter(self, scene: Scene, model: ScriptedModel) -> None:
        text = "שלום \u200bworld\u200d \u202eevil\u202c 👩\u200d💻 привіт\u00a0!\n\n  indented"
        await scene.ask(text)
        assert text in model.asked[0].prompt

    async def test_a_reply_brings_what_it_answers(self, scene: Scene, model: ScriptedModel) -> None:
        model.script = "The price is <5>."
        await scene.ask("How much?")
        await scene.owner.says(scene.chat, "Why?", reply_to=scene.last())
        await scene.chat.wait_for(2)
        assert (
            '<quoted_message from="Helper">The price is &lt;5&gt;.</quoted_message>' in model.asked[1].prompt
        )

    async def test_an_edit_before_the_agent_saw_it_takes_the_place_of_the_words(
        self, scene: Scene, model: ScriptedModel
    ) -> None:
        model.hold()
        await scene.owner.says(scene.chat, "first")
        await model.wait_for_calls(1)
        waiting = await scene.owner.says(scene.chat, "secnd")
        await scene.owner.edits(waiting, "second")
        await eventually(lambda: self.reworded(scene, waiting, "second"))
        model.go_on()
        await scene.chat.wait_for(2)
        assert "secnd" not in model.asked[-1].prompt
        assert "second" in model.asked[-1].prompt
        assert len(model.asked) == 2

    async def reworded(self, scene: Scene, message: SeenMessage, text: str) -> Explanation | None:
        told = await scene.why(message, "waiting")
        return told if told.text == text and told.steps[-1].event == "edited" else None

    async def test_an_edit_after_the_answer_is_a_new_turn_that_says_so(
        self, scene: Scene, model: ScriptedModel
    ) -> None:
        message = await scene.owner.says(scene.chat, "two plus two")
        await scene.chat.wait_for(1)
        await scene.owner.edits(message, "two plus three")
        await scene.chat.wait_for(2)
        assert 'edited="yes"' in model.asked[1].prompt
        assert "two plus three" in model.asked[1].prompt

    async def test_an_edit_that_changes_nothing_is_not_said_again(
        self, scene: Scene, model: ScriptedModel
    ) -> None:
        """Telegram tells of an edit too when the preview of a link has arrived."""
        message = await scene.owner.says(scene.chat, "see example.com")
        await scene.chat.wait_for(1)
        await scene.owner.edits(message, "see example.com")
        changed = await scene.owner.edits(message, "see example.org")
        await scene.chat.wait_for(2)
        scene.server.repeat_last_update()
        later = scene.chat.tell(scene.chat.messages[changed.id]) | {"edit_date": int(time.time()) + 5}
        scene.server.push({"edited_message": later})
        await scene.ask("next")
        assert "example" not in model.asked[2].prompt

    async def test_what_is_no_text_is_told_in_words(self, scene: Scene, model: ScriptedModel) -> None:
        model.hold()
        await scene.owner.says(scene.chat, "look")
        await model.wait_for_calls(1)
        await scene.owner.sends_sticker(scene.chat, "🐱")
        await scene.owner.sends_location(scene.chat, 50.45, 30.5233)
        last = await scene.owner.sends_contact(scene.chat, "+380441234567", "Ivan")
        await scene.why(last, "waiting")
        model.go_on()
        await scene.chat.wait_for(2)
        for words in ("sticker 🐱", "latitude 50.450000, longitude 30.523300", "Ivan, +380441234567"):
            assert words in model.asked[1].prompt
        # Every owner of this host is told, and the next test has another one.
        assert "masked" in (await scene.chat.wait_for(3))[2]

    async def test_a_forwarded_command_is_someone_elses_and_does_nothing(
        self, scene: Scene, model: ScriptedModel
    ) -> None:
        stranger = scene.server.person("Stranger")
        command = await stranger.says(stranger.chat_with(scene.bot), "/clear")
        await scene.owner.forwards(command, scene.chat)
        assert await scene.chat.wait_for(1) == ["ok"]
        assert 'forwarded_from="Stranger"' in model.asked[0].prompt

    async def test_the_same_update_twice_is_one_message(self, scene: Scene, model: ScriptedModel) -> None:
        await scene.ask("once")
        scene.server.repeat_last_update()
        await scene.ask("next")
        assert len(model.asked) == 2

    async def test_a_message_of_nothing_but_invisible_letters_is_declined(
        self, scene: Scene, model: ScriptedModel
    ) -> None:
        assert (await scene.ask("\u200b\u200d\u2060"))[0].startswith("The message is empty")
        assert model.asked == []


class TestGroups:
    async def test_a_command_behind_the_name_of_the_bot_is_one(self, scene: Scene) -> None:
        group = scene.server.group("Tea", scene.bot, members=(scene.owner,))
        await scene.owner.says(group, "@helper_bot hello")
        await group.wait_for(1)
        assert "running" in (await scene.command(group, "@helper_bot /status")).lower()

    @pytest.fixture
    def group(self, scene: Scene) -> Group:
        return scene.server.group("Office", scene.bot, members=[scene.owner])

    async def test_only_what_is_addressed_to_the_bot_is_answered(
        self, scene: Scene, model: ScriptedModel, group: Group
    ) -> None:
        taras = scene.owner
        unheard = [
            await taras.says(group, text) for text in ("lunch?", "/help@other_bot", "@helper_bots look")
        ]
        await taras.says(group, "@Helper_Bot what is the time?")
        assert await group.wait_for(1) == ["ok"]
        (answer,) = (message for message in group.seen if message.by_bot)
        await taras.says(group, "and in Kyiv?", reply_to=answer)
        assert await group.wait_for(2) == ["ok", "ok"]
        await taras.says(group, "/stop@helper_bot")
        assert (await group.wait_for(3))[2].startswith("Nothing")
        for message in unheard:
            told = await scene.why(message, "dropped")
            assert "not said to the bot" in told.steps[-1].sentence
        assert len(model.asked) == 2

    async def test_topics_are_conversations_of_their_own_and_answered_where_they_are(
        self, scene: Scene, model: ScriptedModel
    ) -> None:
        forum = scene.server.group("Forum", scene.bot, members=[scene.owner], forum=True)
        model.script = lambda request: [f"in {request.session_id}"]
        prices, ideas = forum.topic("Prices"), forum.topic("Ideas")
        for topic in (prices, ideas, None):
            await scene.owner.says(
                forum, "/help@helper_bot" if topic is None else "@helper_bot hi", topic=topic
            )
        await scene.owner.says(forum, "@helper_bot hi")
        await forum.wait_for(4)
        answers = [message for message in forum.seen if message.by_bot]
        assert sorted(message.topic or 0 for message in answers) == [0, 0, prices.id, ideas.id]
        assert len({request.session_id for request in model.asked}) == 3

    async def test_who_speaks_as_a_group_or_a_channel_is_nobody_whom_the_bot_knows(
        self, scene: Scene, model: ScriptedModel
    ) -> None:
        office = scene.server.group("Office", scene.bot, members=[scene.owner], supergroup=True)
        channel = scene.server.channel("News", scene.bot)
        for writer in (office, channel):
            assert await scene.dropped(await office.says_as(writer, "@helper_bot hi")) == "anonymous"
        await channel.posts("@helper_bot hi")
        await scene.ask("hello")
        assert (len(model.asked), office.answers, channel.answers) == (1, 0, 0)

    async def test_another_bot_is_not_answered(
        self, scene: Scene, model: ScriptedModel, group: Group
    ) -> None:
        other = scene.server.add_bot("other_bot")
        told = group.tell(group.add(other, "text", {"text": "/help@helper_bot"}))
        scene.server.push({"message": told}, bot=scene.bot)
        await scene.ask("hello")
        assert (len(model.asked), group.answers) == (1, 1)  # the one is the other bot's

    async def test_a_stranger_in_the_group_of_an_owner_is_not_answered(
        self, scene: Scene, model: ScriptedModel, group: Group
    ) -> None:
        await scene.owner.says(group, "@helper_bot hi")
        await group.wait_for(1)
        stranger = scene.server.person("Stranger")
        await stranger.joins(group)
        # An owner is asked.
        await scene.why(await stranger.says(group, "@helper_bot give me the keys"), "held")
        assert (len(model.asked), group.answers) == (1, 1)

    async def test_a_group_that_becomes_a_supergroup_keeps_its_conversation(
        self, scene: Scene, model: ScriptedModel, group: Group
    ) -> None:
        await scene.owner.says(group, "@helper_bot hi")
        await group.wait_for(1)
        model.hold()
        await scene.owner.says(group, "@helper_bot wait for it")
        await model.wait_for_calls(2)
        upgraded = group.upgrades()
        await scene.owner.says(upgraded, "@helper_bot still there?")
        model.go_on()
        await upgraded.wait_for(2)  # what was asked before the change is answered after it
        assert len({request.session_id for request in model.asked}) == 1
        assert group.answers == 1

    @pytest.mark.capability("A12")
    async def test_a_bot_that_is_removed_in_mid_answer_tells_its_owner(
        self, scene: Scene, model: ScriptedModel, group: Group
    ) -> None:
        model.hold()
        message = await scene.owner.says(group, "@helper_bot a long one")
        await model.wait_for_calls(1)
        await scene.ask("/help")
        group.removes(scene.bot)
        model.go_on()
        (alert,) = (await scene.chat.wait_for(2))[1:]
        assert "Office" in alert
        assert scene.last().labels == ["Send again", "Drop it"]
        assert "delivery-failed" in [step.event for step in (await scene.why(message, "answered")).steps]
        group.adds(scene.bot)
        await scene.owner.says(group, "@helper_bot back again")
        assert await group.wait_for(1) == ["ok"]

    async def test_whoever_blocked_the_bot_and_comes_back_is_answered(
        self, scene: Scene, model: ScriptedModel
    ) -> None:
        await scene.ask("hello")
        scene.owner.blocks(scene.bot)
        assert await eventually(lambda: self.closed(scene)) == "bot was blocked by the user"
        scene.owner.unblocks(scene.bot)
        assert await scene.ask("me again") == ["ok"]
        assert await self.closed(scene) is None

    async def closed(self, scene: Scene) -> str | None:
        """Why nothing can be said in the owner's chat."""
        channel, address = f"telegram:{scene.bot.id}", str(scene.chat.id)
        chat = await scene.host.store.read(lambda tx: people.chat_at(tx, channel, address))
        return chat.closed if chat else None


@pytest.mark.capability("A15", "P7")
class TestCommands:
    async def test_the_menu_is_in_the_persons_language_and_for_their_role(
        self, scene: Scene, model: ScriptedModel
    ) -> None:
        newcomer = scene.server.person("Ivan", language="uk")
        offered = newcomer.menu(newcomer.chat_with(scene.bot), scene.bot)
        assert offered["stop"].startswith("зупин")
        assert not {"pair", "start", "retry_failed"} & offered.keys()
        await scene.pair(newcomer)
        for his_own in ("uk", "en"):
            await newcomer.says(newcomer.chat_with(scene.bot), f"/language {his_own}")

        async def changed() -> dict[str, str] | None:
            found = newcomer.menu(newcomer.chat_with(scene.bot), scene.bot)
            return found if "retry_failed" in found and found["stop"].isascii() else None

        offered = await eventually(changed)
        listed = {name.replace("-", "_") for name, command in COMMANDS.items() if command.listed}
        assert listed <= offered.keys()
        assert {"post", "demo"} <= offered.keys()  # the words of skills too
        assert not {"pair", "start"} & offered.keys()

    async def test_a_member_is_offered_only_what_members_may(
        self, scene: Scene, model: ScriptedModel
    ) -> None:
        member = await scene.joined_by("Member", role=Role.MEMBER)
        group = scene.server.group("Office", scene.bot, members=[scene.owner, member.owner])
        await scene.owner.says(group, "@helper_bot hi")
        await member.owner.says(group, "/retry_failed@helper_bot")
        assert [text for text in await group.wait_for(2) if "/retry-failed" in text]
        assert "retry_failed" not in member.owner.menu(member.chat, scene.bot)

    async def test_help_has_commands_that_can_be_tapped(self, scene: Scene) -> None:
        (told,) = await scene.ask("/help@helper_bot")
        assert "/retry_failed" in told
        names = [told_of(scene.last(), mark) for mark in scene.last().entities if mark["type"] == "code"]
        assert not [name for name in names if name.startswith("/")]  # in code nothing can be tapped
        await scene.ask("/language uk")
        (told,) = await scene.ask("/help")
        assert told.startswith("Що тут можна написати")

    async def test_why_is_asked_by_reply_to_ones_own_message_or_to_any_part_of_the_answer(
        self, scene: Scene, model: ScriptedModel
    ) -> None:
        model.script = "\n\n".join(f"Paragraph {number}. " + "word " * 150 for number in range(9))
        message = await scene.owner.says(scene.chat, "write much")
        parts = await scene.chat.wait_for(2)
        assert len(parts) == 2
        stored = await scene.why(message, "answered")
        await scene.why(message, "answered")
        for replied in (message, *(seen for seen in scene.chat.seen if seen.by_bot)):
            before = scene.chat.answers
            await scene.owner.says(scene.chat, "/why", reply_to=replied)
            told = (await scene.chat.wait_for(before + 1))[-1]
            assert told.startswith("The message was answered.")
            assert stored.id in told

    async def test_retry_failed_sends_again_what_was_given_up(
        self, scene: Scene, model: ScriptedModel
    ) -> None:
        await scene.ask("hello")
        group = scene.server.group("Office", scene.bot, members=[scene.owner])
        with scene.refusing("sendMessage", 400, "Bad Request: something odd", chat=group):
            await scene.owner.says(group, "@helper_bot hi")
            assert "something odd" in (await scene.chat.wait_for(2))[1]
        await scene.ask("/retry_failed")
        assert await group.wait_for(1) == ["ok"]


def told_of(message: SeenMessage, mark: dict[str, int]) -> str:
    """The letters that an entity marks."""
    told = message.text.encode("utf-16-le")
    return told[mark["offset"] * 2 : (mark["offset"] + mark["length"]) * 2].decode("utf-16-le")
