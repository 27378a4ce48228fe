"""Flow G in a chat: people with the right search, add to, correct and forget what the company knows (G7)."""

import re
from collections.abc import AsyncIterator, Callable

import httpx
import pytest
import pytest_asyncio
from tests.telegram_scene import Scene, eventually, found_group, telegram_scene

from nanoclaw.domain.memory import Entry, EntryFilter, EntryKind, EntryState, Trust
from nanoclaw.domain.people import Role
from nanoclaw.durable import memory_entries
from nanoclaw.flows.knowledge.commands import read_head
from nanoclaw.testing import ScriptedModel
from nanoclaw.testing.starter import made_workspace
from nanoclaw.testing.telegram.groups import Group
from nanoclaw.testing.telegram.people import Person

# One host for these tests; each speaks of something else.
pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.capability("G7"),
]

ID = re.compile(r"\b[0-9a-z]{8}\b")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def scene(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Scene]:
    home = made_workspace(tmp_path_factory.mktemp("memory") / "nanoclaw")
    found_group(home, "rivals", company="rivals")
    (home / "companies" / "rivals" / "memory").mkdir(parents=True)
    async with telegram_scene(home, model=ScriptedModel("Yes."), paced=False) as made:
        yield made


async def member_of(scene: Scene, name: str) -> tuple[Person, Group]:
    """A member of the main group, in a chat with the owner."""
    person = scene.server.person(name)
    chat = scene.server.group(f"{name}'s", scene.bot, members=[scene.owner, person])
    await scene.know(person, Role.STRANGER)
    await scene.command(chat, "/wire main")
    await scene.command(chat, f"/role telegram:{person.id} member")
    return person, chat


def id_in(said: str) -> str:
    found = ID.search(said)
    assert found, said
    return found[0]


async def entry(scene: Scene, ending: str, fits: Callable[[Entry], bool] = lambda _: True) -> Entry:
    """The entry whose id ends so, as soon as it is written and as wanted."""

    async def look() -> Entry | None:
        found = await scene.host.store.read(lambda tx: memory_entries.named(tx, "demo", ending))
        return found[0] if found and fits(found[0]) else None

    return await eventually(look)


def is_in(state: EntryState) -> Callable[[Entry], bool]:
    return lambda found: found.state is state


async def test_what_was_remembered_is_found_by_another_form_of_its_words_and_stands_in_the_file(
    scene: Scene,
) -> None:
    said = await scene.command(scene.chat, "/remember The lighthouse roast is shipped on Tuesdays")
    found = await entry(scene, id_in(said))
    assert (found.kind, found.trust, found.text) == (
        EntryKind.FACT,
        Trust.OWNER,
        "The lighthouse roast is shipped on Tuesdays",
    )
    assert found.message_id is not None
    assert found.id in (scene.host.home / "companies/demo/memory/facts.jsonl").read_text("utf-8")
    assert found.id[-8:] in await scene.command(scene.chat, "/memory lighthouses shipping")
    assert "Nothing fits these words." in await scene.command(scene.chat, "/memory zeppelin")
    newest = await scene.command(scene.chat, "/memory")
    assert "demo remembers" in newest
    assert found.id[-8:] in newest


async def test_a_decision_is_written_as_one_and_listed_among_them_in_ukrainian_too(scene: Scene) -> None:
    said = await scene.command(scene.chat, "/remember рішення: знижка для кав'ярень не вища за сім відсотків")
    made = await entry(scene, id_in(said))
    assert (made.kind, made.is_binding) == (EntryKind.DECISION, True)
    assert made.id[-8:] in await scene.command(scene.chat, "/decisions знижки кав'ярням")
    # By another word of the same family too.
    sent = await entry(scene, id_in(await scene.command(scene.chat, "/remember Відправляємо щоп'ятниці")))
    assert sent.id[-8:] in await scene.command(scene.chat, "/memory відправлення")
    await scene.command(scene.chat, "/language uk")
    assert "Вирішено:" in await scene.command(scene.chat, "/decisions")
    assert "Напишіть, що забути" in await scene.command(scene.chat, "/forget")
    await scene.command(scene.chat, "/language en")


async def test_what_was_decided_stands_above_what_was_only_talked_about(scene: Scene) -> None:
    for question in (
        "the parchment price, please",
        "is one parchment price fixed for every library in Lviv?",
    ):
        await scene.ask(question)
    await eventually(lambda: activity_about(scene, "parchment", 2))
    said = await scene.command(scene.chat, "/remember decision: Parchment has a price of nine euros a sheet")
    made = await entry(scene, id_in(said))
    found = await scene.command(scene.chat, "/memory parchment price")
    first, *rest = [line for line in found.splitlines() if ID.search(line)]
    assert made.id[-8:] in first
    assert "please" in "".join(rest)


async def activity_about(scene: Scene, word: str, count: int) -> list[str] | None:
    wanted = EntryFilter(kinds=(EntryKind.ACTIVITY,))
    found = await scene.host.memory_parts.search.find("demo", word, filter=wanted)
    return [hit.entry.text for hit in found] if len(found) >= count else None


async def test_an_owner_corrects_and_forgets_by_the_end_of_an_id(scene: Scene) -> None:
    old = await entry(scene, id_in(await scene.command(scene.chat, "/remember The courier is called Taras")))
    said = await scene.command(scene.chat, f"/correct {old.id[-5:]} The courier is called Danylo")
    assert "Before: The courier is called Taras" in said
    new = await entry(scene, id_in(said))
    assert (new.text, new.supersedes) == ("The courier is called Danylo", old.id)
    replaced = await entry(scene, old.id, is_in(EntryState.SUPERSEDED))
    assert replaced.superseded_by == new.id
    found = await scene.command(scene.chat, "/memory courier")
    assert new.id[-8:] in found
    assert old.id[-8:] not in found
    # A person who corrects what was corrected meanwhile hears what it says now.
    late = await scene.command(scene.chat, f"/correct {old.id} The courier is called Ostap")
    assert "The courier is called Danylo" in late
    assert "Forgotten: The courier is called Danylo" in await scene.command(
        scene.chat, f"/forget {new.id[-8:]}"
    )
    await entry(scene, new.id, is_in(EntryState.FORGOTTEN))
    assert new.id[-8:] not in await scene.command(scene.chat, "/memory courier")


async def test_a_member_remembers_and_proposes_and_an_admin_decides(scene: Scene) -> None:
    mark, chat = await member_of(scene, "Mark")
    made = await entry(
        scene, id_in(await scene.command(chat, "/remember The mill stands in Zolochiv", by=mark))
    )
    assert (made.trust, made.person) == (Trust.MEMBER, f"telegram:{mark.id}")
    assert "Only an admin" in await scene.command(chat, "/remember public: We have a mill", by=mark)
    await mark.says(chat, f"/correct {made.id[-8:]} The mill stands in Stryi")
    await chat.wait_until(lambda: any("for an admin to decide" in each.text for each in chat.seen))
    card = await scene.card("Proposed: The mill stands in Stryi", chat)
    assert (await entry(scene, made.id)).state is EntryState.LIVE
    await scene.press(card, "✅ Approve")
    await entry(scene, made.id, is_in(EntryState.SUPERSEDED))
    (newer,) = await found_texts(scene, "The mill stands in Stryi")
    await mark.says(chat, f"/forget {newer.id[-8:]}")
    await scene.press(await scene.card("forget: The mill stands in Stryi", chat), "❌ Reject")
    assert (await entry(scene, newer.id)).state is EntryState.LIVE


async def found_texts(scene: Scene, text: str) -> list[Entry]:
    """Those with exactly these words."""
    found = await scene.host.memory_parts.search.find("demo", text, limit=5)
    return [hit.entry for hit in found if hit.entry.text == text]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("/remember", "Write what to remember after the command"),
        ("/remember decision:", "Write what to remember after the command"),
        ("/correct", "Write which entry, and what is right"),
        ("/correct abcd", "Write which entry, and what is right"),
        ("/forget", "Write which entry"),
        ("/forget zzzzzzzz", "remembers nothing under zzzzzzzz"),
        ("/forget zz", "remembers nothing under zz"),
        ("/correct zzzzzzzz It is blue", "remembers nothing under zzzzzzzz"),
        (f"/remember {'long ' * 790}", "at most 4,000 are kept"),
        ("/chat_memory sometimes", "off, read, write"),
    ],
)
async def test_a_wrong_command_is_answered_with_what_to_write(scene: Scene, command: str, words: str) -> None:
    if "long" in command:
        command += "long " * 100
    assert words in await scene.command(scene.chat, command)


async def test_a_chat_can_be_kept_from_memory_or_only_read_it(scene: Scene) -> None:
    _, chat = await member_of(scene, "Nina")
    await scene.command(chat, "/remember Nina likes filter coffee")
    assert "use memory but change nothing" in await scene.command(chat, "/chat_memory read")
    assert "can only be read in this chat" in await scene.command(chat, "/remember Nina likes tea")
    assert "filter coffee" in await scene.command(chat, "/memory Nina")
    await scene.command(chat, "/chat_memory off")
    assert "Memory is off in this chat" in await scene.command(chat, "/memory Nina")
    assert "Memory is off in this chat" in await scene.command(chat, "/decisions")
    await scene.command(chat, "/chat_memory write")
    assert "filter coffee" in await scene.command(chat, "/memory Nina")


@pytest.mark.attack
async def test_another_company_s_memory_is_neither_found_nor_changed(scene: Scene) -> None:
    made = await entry(
        scene, id_in(await scene.command(scene.chat, "/remember The secret supplier is Kolibri"))
    )
    rival = scene.server.person("Rival")
    chat = scene.server.group("Rivals", scene.bot, members=[scene.owner, rival])
    await scene.know(rival, Role.STRANGER)
    await scene.command(chat, "/wire rivals")
    await scene.command(chat, f"/role telegram:{rival.id} admin rivals")
    assert "Nothing fits these words." in await scene.command(chat, "/memory supplier Kolibri", by=rival)
    for command in (f"/forget {made.id}", f"/correct {made.id} The supplier is nobody"):
        assert "remembers nothing under" in await scene.command(chat, command, by=rival)
    assert (await entry(scene, made.id)).state is EntryState.LIVE


async def test_who_writes_a_secret_is_told_that_memory_does_not_keep_it(scene: Scene) -> None:
    token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"  # noqa: S105
    said = await scene.command(scene.chat, f"/remember The roaster logs in with {token}, tea@example.org")
    assert "[secret], [e-mail] stands there instead" in said
    made = await entry(scene, id_in(said))
    assert made.text == "The roaster logs in with [secret], [e-mail]"
    await scene.owner.says(scene.chat, f"/correct {made.id} The roaster logs in with a key: {token}")
    # By text: owners are told of the first one in a message of its own, which may come in between.
    await scene.chat.wait_until(
        lambda: any(": [secret] stands there instead" in each for each in scene.chat.texts())
    )
    kept = sum("Remembered as" in each for each in scene.chat.texts())
    await scene.owner.says(scene.chat, "/remember The roaster has a key of its own")
    await scene.chat.wait_until(lambda: sum("Remembered as" in each for each in scene.chat.texts()) > kept)
    assert sum("stands there instead" in each for each in scene.chat.texts()) == 2


@pytest.mark.parametrize("channel", ["web", "terminal"])
async def test_the_page_and_the_terminal_take_the_same_commands(scene: Scene, channel: str) -> None:
    headers = {"Authorization": f"Bearer {scene.host.token}"}
    async with httpx.AsyncClient(base_url=scene.host.url, headers=headers, timeout=60) as client:
        rooms = (await client.get("/api/rooms")).json()["rooms"]
        room = next(each["id"] for each in rooms if each["channel"] == channel)
        command = {"text": f"/remember Said on the {channel}: we roast on Mondays", "client_id": channel}
        assert (await client.post(f"/api/rooms/{room}/messages", json=command)).is_success

        async def answered() -> str | None:
            lines = (await client.get(f"/api/rooms/{room}/messages")).json()["items"]
            return next((each["text"] for each in lines if "Remembered as" in each["text"]), None)

        made = await entry(scene, id_in(await eventually(answered)))
    assert made.text == f"Said on the {channel}: we roast on Mondays"


async def test_what_stands_before_the_words_says_what_they_are() -> None:
    assert read_head("We ship on Fridays") == (EntryKind.FACT, False, "We ship on Fridays")
    assert read_head("Decision: no capsules") == (EntryKind.DECISION, False, "no capsules")
    assert read_head("рішення: без капсул") == (EntryKind.DECISION, False, "без капсул")
    assert read_head("public: open at 9:00") == (EntryKind.FACT, True, "open at 9:00")
    assert read_head("public decision: open at 9:00") == (EntryKind.DECISION, True, "open at 9:00")
    assert read_head("Decisions: there are many") == (EntryKind.FACT, False, "Decisions: there are many")
    assert read_head("We made a decision: no capsules")[0] is EntryKind.FACT
