"""Flow B. A conversation is taken elsewhere: asked for, looked at, released, waited for (SPEC B1, B2, B3, B5, B7)."""

import io
import re
import shutil
import zipfile
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import sqlalchemy as sa
from tests.approval_scene import mention, prompts
from tests.export_scene import ASKS, CANCEL, SEND, TransferScene
from tests.staging import until
from tests.sync_scene import owner_of_machine
from tests.telegram_scene import back_again, eventually, telegram_scene

from nanoclaw.console.question_views import show_question
from nanoclaw.delivery import outbox
from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.domain.people import Actor, Rights, Role
from nanoclaw.domain.transfers import Target, Transfer, TransferState
from nanoclaw.durable import counts, people, questions, transfers, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.tables import work as work_rows
from nanoclaw.flows import deadline, transfer
from nanoclaw.flows.transfers.commands import read_target
from nanoclaw.testing import ScriptedModel
from nanoclaw.testing.telegram.chats import SeenMessage

pytestmark = pytest.mark.asyncio(loop_scope="module")

Stage = tuple[TransferScene, ScriptedModel]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    model = ScriptedModel()
    home = tmp_path_factory.mktemp("transfer") / "nanoclaw"
    async with telegram_scene(home, model=model, paced=False, questions={"grace_seconds": 0}) as scene:
        yield TransferScene.of(scene), model


@pytest_asyncio.fixture(loop_scope="module")
async def scene(stage: Stage) -> TransferScene:
    return await stage[0].talked_to("Taras")


@pytest.mark.capability("B1", "B2", "B3", "B7")
async def test_one_tap_brings_the_documents_and_the_session_waits(scene: TransferScene, stage: Stage) -> None:
    card = await scene.exported("/export_session claude.ai the menu in detail")
    for words in ("Where to: Claude.ai", "What for: the menu in detail", "transfer.md", "Taras asked for it"):
        assert words in card.text, words
    assert card.labels == [SEND, CANCEL]
    assert not scene.documents()  # nothing has left
    await scene.press(card, SEND)
    transfer = await scene.transfer_in(TransferState.DELIVERED)
    told = await scene.came("ready for Claude.ai")
    assert transfer.id in told
    assert "/import_analysis" in told
    assert transfer.id in scene.documents()["transfer.md"].decode()
    assert (transfer.target, transfer.purpose) == (Target.CLAUDE_AI, "the menu in detail")
    assert transfer.content_hash
    assert (transfer.expires_at - (transfer.delivered_at or transfer.created_at)).total_seconds() == 72 * 3600

    status = await scene.command(scene.chat, "/status")
    [line] = [each for each in status.splitlines() if "awaiting_external_result" in each]
    since, until = (f"{at:%Y-%m-%d %H:%M}" for at in (transfer.delivered_at, transfer.expires_at) if at)
    for words in ("for Claude.ai", f"left {since}", f"until {until}", "file with /import_analysis."):
        assert words in line, words
    assert line.endswith("Take it back: /transfer_cancel")
    assert (await scene.host.store.read(counts.count)).awaiting >= 1
    assert "for Claude.ai: left" in await scene.command(scene.chat, "/transfers")
    model = stage[1]
    model.asked.clear()
    assert await scene.ask("And the drinks?") == ["ok"]  # new messages still run
    assert f"awaiting_external_result, {transfer.id}" in prompts(model)


@pytest.mark.parametrize(
    ("written", "target", "purpose"),
    [
        ("", Target.CLAUDE_AI, ""),
        ("claude.ai", Target.CLAUDE_AI, ""),
        ("Claude AI: the menu", Target.CLAUDE_AI, "the menu"),
        ("code fix the parser", Target.CLAUDE_CODE, "fix the parser"),
        ("claude_code", Target.CLAUDE_CODE, ""),
        ("Claude Code", Target.CLAUDE_CODE, ""),
        ("git", Target.GIT, ""),
        ("zip for the archive", Target.MANUAL, "for the archive"),
        ("compare three suppliers", Target.CLAUDE_AI, "compare three suppliers"),
        ("порівняти постачальників", Target.CLAUDE_AI, "порівняти постачальників"),
    ],
)
async def test_a_target_is_read_as_people_write_it(written: str, target: Target, purpose: str) -> None:
    assert read_target(written) == (target, purpose)


async def test_what_cannot_be_taken_along_is_refused_with_what_to_do(stage: Stage) -> None:
    with pytest.raises(Refused):
        read_target("dropbox")
    scene = TransferScene.of(await stage[0].joined_by("Nobody"))
    assert "no conversation here yet" in await scene.command(scene.chat, "/export_session")
    await scene.ask("Hello")
    assert "claude-ai, claude-code, git or manual" in await scene.command(
        scene.chat, "/export_session dropbox"
    )
    assert "may have 1,000" in await scene.command(scene.chat, f"/export_session {'why ' * 300}")
    for _ in range(3):
        await scene.exported("/export_session manual")
    assert "3 transfers" in await scene.command(scene.chat, "/export_session")
    assert "Several are open" in await scene.command(scene.chat, "/transfer_cancel")
    assert "no transfer" in await scene.command(scene.chat, "/transfer_cancel zzzzz")
    own = await scene.transfer()
    assert own.id[-5:] in await scene.command(scene.chat, "/transfers")
    stranger = Actor(
        handle="x:1", name="X", rights=Rights(everywhere=Role.STRANGER), via="telegram", language="en"
    )
    with pytest.raises(NotFound):  # who is no member is not told that it exists
        await scene.host.store.read(lambda tx: scene.host.transfer_parts.transfers.find(tx, stranger, own.id))
    other = await stage[0].talked_to("Zoia")
    assert "Nothing of this conversation" in await other.command(other.chat, "/transfer_cancel")
    assert "/export_session takes it" in await other.command(other.chat, "/transfers")


@pytest.mark.capability("B2")
@pytest.mark.parametrize(
    ("target", "says"), [("manual", "in one file"), ("claude-code", "session_transfer/claude_code/resume.sh")]
)
async def test_other_targets_get_one_file(scene: TransferScene, target: str, says: str) -> None:
    card = await scene.exported(f"/export_session {target}")
    await scene.press(card, SEND)
    assert says in await scene.came("📦 This conversation")
    [(name, content)] = scene.documents().items()
    transfer = await scene.transfer()
    assert name == f"session_transfer-{transfer.id[-5:]}.zip"
    packed = zipfile.ZipFile(io.BytesIO(content)).namelist()
    assert {"session_transfer/transfer.md", "session_transfer/manifest.json"} <= set(packed)


async def test_a_member_asks_and_an_owner_decides_in_their_own_chat(stage: Stage) -> None:
    """What leaves is for the person who releases it: the group hears only that it has."""
    scene = stage[0]
    owner, member = await scene.talked_to("Nadiia"), scene.server.person("Ivan")
    await scene.know(member, Role.MEMBER)
    team = scene.server.group("Kitchen", scene.bot, members=[owner.owner, member])
    await owner.command(team, "/wire main")
    await mention(member, team, "we need a menu")
    await team.wait_until(lambda: "ok" in team.texts())
    await member.says(team, "/export_session@helper_bot the menu")
    card = await owner.card(ASKS, team)
    assert "This is not yours to decide" in await owner.press(card, SEND, by=member)
    assert "Ivan asked for it" in card.text
    assert "were asked whether it may leave" in await owner.came("Those who administer", team)
    await owner.press(card, SEND)
    assert "Nadiia has the package for Claude.ai" in await owner.came("has the package", team)
    assert "ready for Claude.ai" in await owner.came("📦 This conversation is")
    assert "transfer.md" in owner.documents()
    assert not owner.documents(team)
    transfer = await owner.transfer(chat=team)
    entry = next(each for each in await scene.audit(10) if each.action == "transfer-released")
    assert (entry.name, entry.subject) == ("Nadiia", transfer.id)

    await member.says(team, "/export_session@helper_bot once more")
    await team.wait_until(lambda: owner.cards(ASKS, team))
    await owner.press(owner.cards(ASKS, team)[-1], CANCEL)
    await owner.came("it was decided that it stays here", team)


async def test_the_card_is_in_the_language_of_those_who_read_it_not_of_who_asked(stage: Stage) -> None:
    owner, member = await stage[0].joined_by("Anna"), stage[0].server.person("Петро", language="uk")
    await stage[0].know(member, Role.MEMBER)
    team = stage[0].server.group("Bakery", stage[0].bot, members=[owner.owner, member])
    await owner.command(team, "/wire main")
    await mention(member, team, "we need a menu")
    await team.wait_until(lambda: "ok" in team.texts())
    await member.says(team, "/export_session@helper_bot manual the menu")
    card = await owner.card(ASKS, team)
    for words in ("What for: the menu", "Nothing had to be taken out", "Петро asked for it"):
        assert words in card.text
    [asked] = await stage[0].host.store.read(
        lambda tx: [each for each in questions.list_open(tx, 100) if "the menu" in each.prompt]
    )
    shown = await stage[0].host.store.read(lambda tx: show_question(tx, asked, "uk"))  # the page
    assert "Вилучати нічого не довелося" in shown.context
    await owner.press(card, CANCEL)
    await TransferScene.of(owner).came("Розмова залишається тут", team)


async def test_in_ukrainian(stage: Stage) -> None:
    scene = await stage[0].talked_to("Оксана", language="uk")
    card = await scene.exported("/export_session меню", card="Чи може ця розмова піти")
    assert "Навіщо: меню" in card.text
    assert "Вилучати нічого не довелося" in card.text
    assert re.search(r"· transfer\.md \(\d+ кБ\)", card.text)
    await scene.press(card, "📦 Надіслати")
    assert "claude.ai й додайте ці файли" in await scene.came("зібрано для Claude.ai")
    assert "до" in await scene.command(scene.chat, "/transfers")


async def test_it_is_given_up_on_the_card_or_with_the_command(scene: TransferScene) -> None:
    card = await scene.exported()
    copies = scene.host.home / "data" / "attachments"
    copies.mkdir(exist_ok=True)
    (copies / f"{(await scene.transfer()).id}.0").write_text(
        "as a host leaves it that is killed while it delivers"
    )
    await scene.press(card, CANCEL)
    ended = await scene.transfer_in(TransferState.CANCELLED)
    assert ended.reason == "transfer-reason-declined"
    await scene.cleared(ended)
    assert not _package(scene, ended).exists()
    assert not list(copies.glob(f"{ended.id}*"))

    card = await scene.exported()
    told = await scene.command(scene.chat, "/transfer_cancel")
    assert "Nothing has left" in told
    await scene.settled(card)
    ended = await scene.transfer()
    assert (ended.state, ended.reason) == (TransferState.CANCELLED, "transfer-reason-given-up")

    card = await scene.exported()
    await scene.press(card, SEND)
    away = await scene.transfer_in(TransferState.DELIVERED)
    await scene.came("ready for Claude.ai")
    told = await scene.command(scene.chat, f"/transfer_cancel {away.id[-5:]}")
    assert "What has left stays where it is" in told
    assert "is over: it was given up" in await scene.command(scene.chat, f"/transfer_cancel {away.id}")
    gone = await scene.cleared(away)
    assert gone.state is TransferState.CANCELLED
    assert not list(copies.glob(f"{away.id}*"))
    assert scene.documents(), "the chat has its own"
    found = [each for each in await scene.audit(20) if each.action == "transfer-cancelled"]
    assert {each.subject for each in found} >= {ended.id, away.id}
    assert "awaiting" not in await scene.command(scene.chat, "/status")


async def test_what_the_network_refused_no_longer_leaves_once_it_is_given_up(
    scene: TransferScene,
) -> None:
    card = await scene.exported("/export_session manual")
    with scene.refusing("sendDocument", 400, "Bad Request: wrong file", chat=scene.chat):
        await scene.press(card, SEND)
        away = await scene.transfer_in(TransferState.DELIVERED)
        await until(lambda: scene.host.store.read(outbox.given_up))
    changes, by = scene.host.transfer_parts.transfers, owner_of_machine()
    await scene.host.store.write(lambda tx: changes.cancel(tx, away.id, by, now()))
    await scene.cleared(away)
    assert not list((scene.host.home / "data" / "attachments").glob(f"{away.id}*"))
    assert not await scene.host.store.read(outbox.given_up), "nobody can send it again"
    assert not scene.documents()


@pytest.mark.capability("B3", "B5")
async def test_expiry_is_told_once_and_removes_the_package(scene: TransferScene) -> None:
    await scene.press(await scene.exported(), SEND)
    away = await scene.transfer_in(TransferState.DELIVERED)
    assert _package(scene, away).exists()
    await scene.time_passes(away)
    await scene.came("Nothing came back from Claude.ai in time")
    ended = await scene.cleared(away)
    assert ended.state is TransferState.EXPIRED
    assert not _package(scene, away).exists()
    await scene.time_passes(ended)
    assert "ok" in await scene.ask("Still there?")  # below whatever would have been told again
    assert sum("Nothing came back" in each for each in scene.chat.texts()) == 1


async def test_the_clock_that_is_set_changes_no_remaining_time(scene: TransferScene) -> None:
    """Back or forward: what was due in 72 hours still is, by its row and by its work."""
    await scene.press(await scene.exported(), SEND)
    away = await scene.transfer_in(TransferState.DELIVERED)

    def moved(tx: Any) -> list[timedelta]:
        before = [away.expires_at, work.due_at(tx, work.TRANSFER, away.id)]
        work.heed_clock(tx, timedelta(hours=-80))
        transfer.heed_clock(tx, timedelta(hours=-80))
        found = transfers.get(tx, away.id)
        after = [found.expires_at if found else None, work.due_at(tx, work.TRANSFER, away.id)]
        work.heed_clock(tx, timedelta(hours=80))
        transfer.heed_clock(tx, timedelta(hours=80))
        return [one - other for one, other in zip(after, before, strict=True) if one and other]

    assert await scene.host.store.write(moved) == [timedelta(hours=-80)] * 2
    assert (await scene.transfer()).expires_at == away.expires_at


async def test_when_nobody_decides_it_stays(scene: TransferScene) -> None:
    await scene.exported()
    await scene.host.store.write(lambda tx: deadline.heed_clock(tx, timedelta(hours=-73)))
    asked = (await scene.transfer()).question_id
    await scene.host.store.write(lambda tx: work.due(tx, work.QUESTION, asked or "", now()))
    ended = await scene.transfer_in(TransferState.CANCELLED)
    assert ended.reason == "transfer-reason-nobody"
    await scene.came("nobody decided in time")
    assert not scene.documents()


async def test_clearing_the_conversation_ends_what_has_left_and_what_has_not(scene: TransferScene) -> None:
    await scene.press(await scene.exported("/export_session manual"), SEND)
    away = await scene.transfer_in(TransferState.DELIVERED)
    card = await scene.exported()
    told = await scene.command(scene.chat, "/clear")
    await scene.settled(card)
    assert (await scene.transfer()).reason == "transfer-reason-cleared"
    assert told.startswith("A fresh start")
    assert f"{(await scene.transfer()).id[-5:]} is given up. Nothing has left." in told
    assert f"{away.id[-5:]} is given up, and its result is no longer waited for. What has left stays" in told
    left = await scene.host.store.read(lambda tx: transfers.get(tx, away.id))
    assert left
    assert (left.state, left.reason) == (TransferState.CANCELLED, "transfer-reason-cleared")


async def test_without_a_repository_a_branch_is_refused_at_once(scene: TransferScene) -> None:
    card = await scene.exported("/export_session git")
    repository = scene.host.home / ".git"
    aside = repository.rename(scene.host.home / "git-aside")
    try:
        await scene.press(card, SEND)
        await scene.came("The conversation stays here.")
    finally:
        aside.rename(repository)
    assert (await scene.transfer()).reason == "transfer-reason-undelivered"


async def test_what_cannot_be_written_is_tried_until_its_time_is_over(scene: TransferScene) -> None:
    place = scene.host.home / "data" / "transfers"
    place.mkdir(exist_ok=True)
    aside = place.rename(place.with_name("transfers-aside"))
    place.write_text("in its place")
    try:
        await scene.command(scene.chat, "/export_session")
        await scene.time_passes(await scene.transfer())
        await scene.came("The conversation stays here: it could not be packed.")
    finally:
        place.unlink()
        aside.rename(place)


@pytest.mark.attack
async def test_a_package_that_was_changed_does_not_leave(scene: TransferScene) -> None:
    card = await scene.exported()
    packed = await scene.transfer()
    with (_package(scene, packed) / "transfer.md").open("a") as file:
        file.write("one more line")
    await scene.press(card, SEND)
    ended = await scene.transfer_in(TransferState.CANCELLED)
    assert ended.reason == "transfer-reason-altered"
    await scene.came("changed after it was packed")
    assert not scene.documents()


@pytest.mark.parametrize("missing", ["", "transfer.md"])
async def test_a_package_that_is_gone_is_packed_and_shown_again(scene: TransferScene, missing: str) -> None:
    """A host without the folder, or somebody who tidied up: nothing was altered, but what leaves must be seen first."""
    first = await scene.exported("/export_session manual")
    packed = await scene.transfer()
    if missing:
        (_package(scene, packed) / missing).unlink()
    else:
        shutil.rmtree(_package(scene, packed).parent)
    assert "ok" in await scene.ask("And one thing more: no fish")
    second = await _asked_again(scene, first)
    assert "was not there any more when it was to leave" in second.text
    assert not scene.documents()
    again = await scene.transfer()
    assert (again.id, again.state) == (packed.id, TransferState.CREATED)
    assert again.content_hash
    assert again.content_hash != packed.content_hash
    assert again.content_hash[:16] in second.text

    await scene.press(second, SEND)
    await scene.transfer_in(TransferState.DELIVERED)
    await scene.came("This conversation in one file")
    [content] = scene.documents().values()
    inside = zipfile.ZipFile(io.BytesIO(content)).read("session_transfer/transfer.md").decode()
    assert "no fish" in inside
    told = await scene.command(scene.chat, f"/why {again.id}")
    assert f"what had been packed (SHA-256 {(packed.content_hash or '')[:16]}) was not there any more" in told


async def _asked_again(scene: TransferScene, card: SeenMessage) -> SeenMessage:
    """Once it is released."""
    await scene.press(card, SEND)
    await scene.settled(card)
    return await scene.card(ASKS)


@pytest.mark.parametrize("lost", ["", "manifest.json"])
async def test_what_another_host_packed_meanwhile_leaves_from_there_alone(
    scene: TransferScene, lost: str
) -> None:
    """Two hosts without a shared folder: this one has still the package that the other one's took the place of."""
    card = await scene.exported("/export_session manual")
    first = await scene.transfer()
    kept = _package(scene, first).parent
    aside = kept.rename(kept.with_name("of-this-host"))
    await scene.ask("And no fish")
    second = await _asked_again(scene, card)
    shutil.rmtree(kept)
    aside.rename(kept)
    if lost:
        (_package(scene, first) / lost).unlink()
    third = await _asked_again(scene, second)
    assert not scene.documents()
    await scene.press(third, CANCEL)
    assert (await scene.transfer_in(TransferState.CANCELLED)).reason == "transfer-reason-declined"


async def test_a_group_or_a_chat_that_is_gone_ends_it_quietly(scene: TransferScene) -> None:
    await scene.press(await scene.exported(), SEND)
    away = await scene.transfer_in(TransferState.DELIVERED)
    await scene.came("ready for Claude.ai")

    def story(tx: Any) -> str:
        fresh: dict[str, Any] = {
            "state": TransferState.CREATED,
            "packed_at": None,
            "question_id": None,
            "delivered_at": None,
        }
        lost = replace(away, id=transfers.new_transfer_id(), group="gone", **fresh)
        transfers.add(tx, lost)
        work.due(tx, work.TRANSFER, lost.id, now())
        return lost.id

    lost = await scene.host.store.write(story)
    await scene.came("its agent is gone")
    found = await scene.host.store.read(lambda tx: transfers.get(tx, lost))
    assert found
    assert found.reason == "transfer-reason-group-gone"

    before = len(scene.chat.texts())
    await scene.host.store.write(lambda tx: people.close_chat(tx, away.chat_id, "blocked"))
    await scene.time_passes(away)
    assert (await scene.cleared(away)).state is TransferState.EXPIRED
    assert len(scene.chat.texts()) == before


async def test_why_tells_the_whole_story(scene: TransferScene) -> None:
    await scene.press(await scene.exported("/export_session the menu"), SEND)
    away = await scene.transfer_in(TransferState.DELIVERED)
    await scene.came("ready for Claude.ai")
    told = await scene.command(scene.chat, f"/why {away.id}")
    for words in (
        "Taras asked to take the conversation to Claude.ai",
        "What for: the menu",
        "It was packed",
        "Taras let it leave, after 0:00:",
        "It was delivered for Claude.ai",
    ):
        assert words in told, words
    await scene.time_passes(away)
    await scene.cleared(away)
    assert "Nothing came back in time" in await scene.command(scene.chat, f"/why {away.id}")


def _package(scene: TransferScene, transfer: Transfer) -> Path:
    return scene.host.home / "data" / "transfers" / transfer.id / "session_transfer"


async def test_packing_waits_like_any_message_of_someone_who_writes_too_often(home: Path) -> None:
    """It may cost a call of the model each time."""
    limits = {"person_per_minute": 1}
    async with telegram_scene(home, model=ScriptedModel(), paced=False, limits=limits) as made:
        scene = await TransferScene.of(made).talked_to("Taras")
        await scene.command(scene.chat, "/export_session")
        [waiting] = await scene.host.store.read(partial(transfers.latest, is_open=True))
        row = sa.select(work_rows.c.due_at).where(work_rows.c.key == waiting.id)
        due_at = await scene.host.store.read(lambda tx: tx.execute(row).scalar_one())
        assert due_at > waiting.created_at + timedelta(seconds=10)
        assert waiting.packed_at is None


async def test_a_start_deletes_the_copies_that_an_older_version_left(home: Path) -> None:
    model = ScriptedModel()
    async with telegram_scene(home, model=model, paced=False) as made:
        scene = await TransferScene.of(made).talked_to("Taras")
        await scene.exported("/export_session manual")
        over = await scene.transfer()
        await scene.command(scene.chat, "/transfer_cancel")
        await scene.cleared(over)
        await scene.exported("/export_session manual")
        going_on = await scene.transfer()
    copies = home / "data" / "attachments"
    for name in (f"{over.id}.0", f"{over.id}.1", f"{going_on.id}.0", "tr_unknown.0"):
        copies.mkdir(exist_ok=True)
        (copies / name).write_text("a copy")
    async with back_again(home, scene, model=model):
        assert {each.name for each in copies.iterdir()} == {f"{going_on.id}.0", "tr_unknown.0"}


@pytest.mark.attack
@pytest.mark.capability("E13")
async def test_a_yes_does_not_count_for_another_target_than_the_card_named(scene: TransferScene) -> None:
    card = await scene.exported("/export_session claude.ai the old menu")
    transfer = await scene.transfer()
    other = next(each for each in Target if each is not transfer.target)
    await scene.host.store.write(lambda tx: transfers.mark(tx, transfer.id, target=other.value))
    await scene.press(card, SEND)

    async def asked_anew() -> Transfer | None:
        found = await scene.host.store.read(lambda tx: transfers.get(tx, transfer.id))
        return found if found and found.question_id not in (None, transfer.question_id) else None

    again = await eventually(asked_anew)
    assert again.state is TransferState.CREATED
    assert not scene.documents()
