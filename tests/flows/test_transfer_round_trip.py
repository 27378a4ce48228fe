"""Flow B, the whole way there and back through every door, and what time or a change of mind does in between."""

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from tests.analysis_scene import REPORT, AnalysisScene, Reader, analysing
from tests.approval_scene import mention
from tests.export_scene import ASKS, SEND, TransferScene
from tests.transfers_at_hand import Transfers
from tests.typed import typing_in

from nanoclaw.domain.memory import EntryState
from nanoclaw.domain.transfers import Transfer, TransferState
from nanoclaw.testing.model_parts import Asked

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.capability("B1", "B2", "B3", "B4")]


@dataclass
class SlowReader(Reader):
    """Sums no session up while it is told to wait."""

    may_sum_up: asyncio.Event = field(default_factory=asyncio.Event)
    is_asked: asyncio.Event = field(default_factory=asyncio.Event)

    def __call__(self, asked: Asked) -> Any:
        if "handed over to another assistant" in asked.text:
            return self._sum_up()
        return super().__call__(asked)

    async def _sum_up(self) -> str:
        self.is_asked.set()
        await self.may_sum_up.wait()
        return (
            '{"task": "Find a town for the shop.", "done": [], "pending": [], "next": "Compare the rents."}'
        )


@dataclass(frozen=True, kw_only=True)
class Ways:
    """One person at their phone: `out` takes conversations elsewhere, `back` brings results."""

    out: TransferScene
    back: AnalysisScene

    async def away(self, command: str = "/export_session") -> Transfer:
        await self.out.press(await self.out.exported(command), SEND)
        await self.out.came("This conversation is")
        return await self.out.transfer_in(TransferState.DELIVERED)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[AnalysisScene]:
    home = tmp_path_factory.mktemp("both") / "nanoclaw"
    async with analysing(home, SlowReader(), questions={"grace_seconds": 0}) as scene:
        yield scene


@pytest_asyncio.fixture(loop_scope="module")
async def ways(stage: AnalysisScene) -> Ways:
    reader = stage.reader
    assert isinstance(reader, SlowReader)
    reader.finds.clear()
    reader.turns.clear()
    reader.may_sum_up.set()
    reader.is_asked.clear()
    joined = await stage.with_someone("Taras")
    await joined.ask("Where shall we open the shop?")
    return Ways(out=TransferScene.of(joined), back=joined)


async def test_by_phone_it_leaves_comes_back_is_adopted_goes_on_and_is_taken_back(ways: Ways) -> None:
    await ways.away("/export_session the towns")
    await ways.out.chat.wait_until(lambda: "transfer.md" in ways.out.documents())
    there = ways.out.documents()["transfer.md"].decode()
    assert "Find a town for the shop." in there  # the model's words, for a reader who knows nothing
    named = re.search(r"Transfer ID: `?(tr_\w+)", there)
    assert named, there  # all that a reader there has
    ways.back.reader.finds[:] = ["no JSON", "no JSON"]
    await ways.back.brings(REPORT.format(id=named[1], place="Halych"))
    told = await ways.back.card("report.md is taken over")
    assert "2 facts, 2 decisions, 1 change of context to confirm; going on with: Step 4" in told.text
    await ways.back.says("I go on with step 4.")
    await ways.back.press(await ways.back.card("contains 2 decisions"), "✅ All")
    await ways.back.says("2 decisions hold from now on")
    [adopted] = await ways.back.remembered("We open a shop in Halych")
    assert adopted.is_binding
    assert "awaiting_external_result" not in await ways.out.command(ways.out.chat, "/status")
    assert "has come back already" in await ways.back.refused(f"Transfer ID: {named[1]}. More.", "more.md")

    await ways.back.press(told, "↩️ Undo")
    await ways.back.says("took report.md back: 2 facts, 2 decisions, 1 open change")
    for words in ("We open a shop in Halych", "sells best in Halych"):
        assert [each.state for each in await ways.back.remembered(words)] == [EntryState.FORGOTTEN]


async def test_what_left_for_an_owner_comes_back_from_their_own_chat_to_the_group(ways: Ways) -> None:
    """The documents are in the owner's own chat, so that is where the result is brought, in reply to one of them."""
    out, back = ways.out, ways.back
    team = out.server.group("Kitchen", out.bot, members=[out.owner])
    await out.command(team, "/wire main")
    await mention(out.owner, team, "we need a town")
    await team.wait_until(lambda: "As you wish." in team.texts())
    await out.owner.says(team, "/export_session@helper_bot the town")
    await out.press(await out.card(ASKS, team), SEND)
    await out.came("has the package", team)
    await out.chat.wait_until(lambda: "transfer.md" in out.documents())
    other = await ways.away("/export_session of this chat")  # nothing but the reply says which one is meant
    meant = await out.transfer(chat=team)
    sent = next(each for each in out.chat.seen if each.file_name == "transfer.md")
    back.reader.finds[:] = [{"facts": [{"text": "Rakhiv is the middle."}], "next_step": "Step 5"}]
    await out.owner.sends_document(
        out.chat, b"Rakhiv is the middle.", name="town.md", caption="/import_analysis", reply_to=sent
    )
    await back.says("town.md is taken over: 1 fact; going on with: Step 5")
    await out.came("town.md is taken over", team)
    await out.came("I go on with step 4.", team)
    assert "I go on with step 4." not in out.chat.texts()
    assert (await back.transfer(meant.id)).state is TransferState.RESUMED
    assert (await back.transfer(other.id)).state is TransferState.DELIVERED


async def test_every_door_shows_and_changes_the_same_transfer(
    ways: Ways, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Asked for in the chat, released on the page, brought in a terminal, adopted in the chat, undone on the page."""
    page = Transfers(ways.out.host)
    typed = typing_in(ways.out.host.home, monkeypatch, capfd)
    try:
        card = await ways.out.exported("/export_session manual rents")
        transfer = await ways.out.transfer()
        assert (await page.get(f"transfers/{transfer.id}"))["asks"]
        await page.post(f"transfers/{transfer.id}/release")
        assert "Owner: 📦 Send" in await ways.out.settled(card)
        row = await page.come(transfer.id, lambda found: found["state"] == "delivered")
        assert row["purpose"] == "rents"

        report = tmp_path / "rents.md"
        report.write_text(REPORT.format(id=transfer.id, place="Brody"), "utf-8")
        ways.back.reader.finds[:] = ["no JSON", "no JSON"]
        brought = await typed("transfer", "import", str(report))
        assert (brought.code, "We open a shop in Brody" in brought.out) == (0, True), brought
        await ways.out.came("rents.md is taken over")  # where the conversation is
        await ways.back.says("I go on with step 4.")
        [analysis] = (await page.get(f"transfers/{transfer.id}"))["analyses"]
        await page.post(f"analyses/{analysis['id']}/decide", {"adopted": [1]})
        shown = (await typed("transfer", "show", transfer.id[-5:])).out
        assert "✓ 1. We open a shop in Brody" in shown
        assert "✗ 2. The shop closes on Mondays" in shown

        told = (await ways.out.card("rents.md is taken over"), "↩️ Undo")
        await ways.out.press(*told)
        row = (await page.get(f"transfers/{transfer.id}"))["analyses"][0]
        assert (row["state"], row["undone_by"]) == ("undone", "Taras")
        again = await typed("transfer", "undo", transfer.id[-5:])
        assert (again.code, "taken back already" in again.err) == (1, True)
    finally:
        await page.client.aclose()


@pytest.mark.parametrize("named", ["beside it", "in it"])
async def test_what_was_brought_in_time_is_not_too_late_because_people_are(ways: Ways, named: str) -> None:
    """Its question is open when the time of the transfer is over: it waits for the answer, and for no longer. Also when
    only the document says to which transfer it belongs, and nobody has read that yet."""
    transfer = await ways.away()
    member = await ways.back.with_member("Iryna")
    ways.back.reader.finds[:] = [
        {"facts": [{"text": "Sambir has a market."}], "decisions": [{"text": "Go."}]}
    ]
    beside = named == "beside it"
    said = f"Sambir has a market, {named}."
    await member.brings(
        *((said, "town.md", transfer.id) if beside else (f"{transfer.id}: {said}", "town.md"))
    )
    card = await ways.back.card("Iryna brought the result of a transfer, town.md")
    await ways.out.time_passes(transfer)
    assert await ways.out.ask("Still there?") == ["As you wish."]
    assert (await ways.back.transfer(transfer.id)).state is TransferState.DELIVERED
    await ways.back.press(card, "✅ Approve")
    await member.says("town.md is taken over: 1 fact")
    assert (await ways.out.cleared(transfer)).state is TransferState.RESUMED
    # The package is gone with its time, and the decisions may still be adopted.
    await ways.back.press(await ways.back.card("town.md contains a decision"), "✅ All")
    await member.says("1 decision holds from now on")

    transfer = await ways.away()
    said = f"Stryi has a market, {named}."
    await member.brings(
        *((said, "other.md", transfer.id) if beside else (f"{transfer.id}: {said}", "other.md"))
    )
    card = await ways.back.card("other.md")
    await ways.out.time_passes(transfer)
    await ways.back.press(card, "❌ Reject")
    await member.says("other.md was not taken over")
    await ways.out.time_passes(transfer)
    await ways.out.came("Nothing came back from Claude.ai in time")
    assert "is over" in await ways.back.refused(f"{transfer.id}: Stryi", "late.md")


async def test_it_is_given_up_while_it_is_packed_read_or_back(ways: Ways, stage: AnalysisScene) -> None:
    reader = stage.reader
    assert isinstance(reader, SlowReader)
    reader.may_sum_up.clear()
    await ways.out.owner.says(ways.out.chat, "/export_session")
    await reader.is_asked.wait()
    assert "Nothing has left" in await ways.out.command(ways.out.chat, "/transfer_cancel")
    reader.may_sum_up.set()
    packing = await ways.out.cleared(await ways.out.transfer())
    assert (packing.state, packing.question_id) == (TransferState.CANCELLED, None)
    assert not ways.out.cards(ASKS), "nobody is asked about what was given up"
    assert not (ways.out.host.home / "data" / "transfers" / packing.id).exists()

    transfer = await ways.away()
    member = await ways.back.with_member("Ivan")
    await member.brings("Dolyna has salt.", "salt.md", said=transfer.id)
    card = await ways.back.card("salt.md")
    await ways.out.command(ways.out.chat, f"/transfer_cancel {transfer.id}")
    await ways.back.press(card, "✅ Approve")
    assert "was given up" in await member.says("salt.md was not taken over")
    assert not await ways.back.remembered("Dolyna")

    transfer = await ways.away()
    reader.finds[:] = [{"facts": [{"text": "Kosiv has pottery."}]}]
    await ways.back.brings(f"{transfer.id}: Kosiv", "kosiv.md")
    await ways.back.says("kosiv.md is taken over")
    assert "its result has come back" in await ways.out.command(
        ways.out.chat, f"/transfer_cancel {transfer.id}"
    )
