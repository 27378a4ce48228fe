"""What the main group's agent may do outside its own group, and for whom (SPEC 2.6, A17, F3)."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from tests.task_scene import NEWS, Tasks, handle, said, task_scene
from tests.telegram_scene import found_group

from nanoclaw.context.groups import Groups
from nanoclaw.domain.people import Role
from nanoclaw.domain.tasks import TaskStatus
from nanoclaw.domain.wirings import UnknownSenders
from nanoclaw.durable import audit, people
from nanoclaw.durable.audit import AuditEntry

# One host for these tests. Every test takes back what it leaves.
pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.capability("A17", "F3"),
]

MONDAYS: dict[str, Any] = {"prompt": NEWS, "schedule_type": "cron", "schedule_value": "0 8 * * 1"}
CARD = "belongs to another company: rival"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Tasks]:
    home = tmp_path_factory.mktemp("elsewhere") / "nanoclaw"
    async with task_scene(home) as tasks:
        found_group(home, "sales")
        found_group(home, "rivals", company="rival")
        (home / "companies" / "rival").mkdir()
        yield tasks


@pytest_asyncio.fixture(loop_scope="module")
async def here(stage: Tasks) -> AsyncIterator[Tasks]:
    yield await stage.joined()
    await stage.clear_up()


async def newest(here: Tasks) -> AuditEntry:
    return (await here.host.store.read(lambda tx: audit.newest(tx, 1)))[0]


@pytest.mark.attack
async def test_who_has_no_role_has_nothing_done_elsewhere(here: Tasks) -> None:
    """A stranger whom everyone may hear, and a member: that they speak to the main group gives them nothing."""
    room = await here.group("Sales", here.scene.owner, agent="sales")
    eve = here.scene.server.person("Eve")
    mia, _ = await here.meet("Mia", within={"main": Role.MEMBER, "sales": Role.MEMBER})
    market = await here.group("Market", here.scene.owner, eve, mia)
    await here.host.store.write(
        lambda tx: people.set_strangers(tx, here.place(tx, market), UnknownSenders.PUBLIC)
    )
    theirs = await here.make("call the customers", chat=room, group="sales")
    before, audited = await here.newest(), await newest(here)
    for who in (eve, mia):
        for tool, given in (
            ("register_group", {"name": "mine"}),
            ("send_message", {"text": "buy now", "target_group": "sales"}),
            ("schedule_task", {**MONDAYS, "target_group": "sales"}),
            ("change_task", {"task_id": theirs.id, "action": "delete"}),
        ):
            told = await here.use(tool, by=who, chat=market, **given)
            assert f"Not done: {who.name} would have to be an owner, or an admin of" in told, (tool, told)
    assert not (here.host.home / "groups" / "mine").exists()
    assert not said("buy now", room)
    assert (await here.newest(), await newest(here)) == (before, audited)
    assert (await here.now(theirs)).status is TaskStatus.ACTIVE


async def test_what_an_owner_has_done_elsewhere_is_done_and_written_down(here: Tasks) -> None:
    room = await here.group("Sales", here.scene.owner, agent="sales")
    told = await here.use("send_message", text="good news", target_group="sales")
    assert told == "Sent."
    await here.says("good news", room)
    entry = await newest(here)
    assert (entry.action, entry.handle, entry.via) == (
        "message-elsewhere",
        handle(here.scene.owner),
        "agent",
    )
    assert entry.detail == {"group": "main", "target": "sales"}
    nobody = await here.use("send_message", text="hm", target_group="nobody")
    assert nobody == "There is no group nobody whose file can be read."
    name = f"made-{here.scene.owner.id}"
    assert "is made" in await here.use("register_group", name=name)
    made = Groups(here.host.home).get(name)
    assert (made.company, made.main) == ("demo", False)
    assert "already" in await here.use("register_group", name=name)
    entry = await newest(here)
    assert (entry.action, entry.handle) == ("group-founded", handle(here.scene.owner))
    await here.scene.owner.says(here.chat, "/audit")
    await here.says("had the agent of main write to sales")


@pytest.mark.attack
@pytest.mark.parametrize("press", ["❌ Reject", "✅ Once"])
async def test_nothing_reaches_another_company_without_an_owners_card(here: Tasks, press: str) -> None:
    room = await here.group("Rivals", here.scene.owner, agent="rivals")
    theirs = await here.make("their secret plan", chat=room, group="rivals")
    listed = await here.use("list_tasks")
    assert "secret plan" not in listed
    allowed = press == "✅ Once"
    wanted: dict[str, dict[str, Any]] = {
        "send_message": {"text": f"hello rivals {press}", "target_group": "rivals"},
        "change_task": {"task_id": theirs.id, "action": "pause"},
        "register_group": {"name": f"spy-{here.scene.owner.id}", "company": "rival"},
    }
    for tool, given in wanted.items():
        words = f"cross {tool}"
        here.agent.does(words, here.agent.call(tool, **given))
        await here.scene.owner.says(here.chat, words)
        card = await here.scene.card(CARD, here.chat)
        assert tool in card.text
        await here.press(card, press)
        await here.chat.wait_until(lambda: "told: " in here.chat.texts()[-1])
        refused = "only an owner can allow that" in here.chat.texts()[-1]
        assert refused is not allowed, (tool, here.chat.texts()[-1])
    assert bool(said(f"hello rivals {press}", room)) is allowed or await here.says(
        f"hello rivals {press}", room
    )
    assert (await here.now(theirs)).status is (TaskStatus.PAUSED if allowed else TaskStatus.ACTIVE)
    assert (here.host.home / "groups" / f"spy-{here.scene.owner.id}").exists() is allowed


@pytest.mark.attack
async def test_a_group_whose_company_cannot_be_read_is_not_reached(here: Tasks) -> None:
    room = await here.group("Rivals", here.scene.owner, agent="rivals")
    file = here.host.home / "groups" / "rivals" / "group.toml"
    written = file.read_text()
    file.write_text("company = ")
    told = await here.use("send_message", text="hello broken", target_group="rivals")
    file.write_text(written)
    assert told == "There is no group rivals whose file can be read."
    assert not said("hello broken", room)


@pytest.mark.attack
async def test_a_script_in_an_owners_turn_has_the_rights_of_a_member(here: Tasks) -> None:
    await here.group("Sales", here.scene.owner, agent="sales")
    own = await here.make("count the stock")
    async with here.in_a_turn() as ask:
        for number, (tool, given) in enumerate(
            {
                "register_group": {"name": "scripted"},
                "send_message": {"text": "from a script", "target_group": "sales"},
                "schedule_task": {
                    "prompt": "dig",
                    "schedule_type": "cron",
                    "schedule_value": "0 8 * * 1",
                    "target_group": "sales",
                },
            }.items()
        ):
            reply = await ask(tool, f"{number}" * 32, **given)
            assert not reply.ok, tool
            assert "only the rights of a member" in reply.text or "target_group" in reply.text
        reply = await ask("change_task", "a" * 32, task_id=own.id, action="delete")
        assert (reply.ok, reply.data) == (False, {"refused": "task-by-script"})
        made = await ask("schedule_task", "b" * 32, **MONDAYS)  # as any member could
        assert made.ok
    assert (await here.now(own)).status is TaskStatus.ACTIVE
    assert not (here.host.home / "groups" / "scripted").exists()
