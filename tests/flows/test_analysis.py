"""Flow B. What was found elsewhere comes back: facts as hearsay, the rest asked about, and the work goes on."""

import io
import json
import shutil
import zipfile
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
import pytest_asyncio
import sqlalchemy as sa
from tests.analysis_scene import REPORT, AnalysisScene, Reader, analysing, package, zipped
from tests.documents import pdf_document, word_document
from tests.export_scene import SEND, TransferScene
from tests.staging import until
from tests.telegram_scene import eventually

from nanoclaw.delivery import outbox
from nanoclaw.domain.budgets import BUDGET_HELD
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.ids import ChatId
from nanoclaw.domain.memory import EntryState, Trust
from nanoclaw.domain.parcels import Author
from nanoclaw.domain.transfers import TransferState
from nanoclaw.durable import analyses, proposals, transfers, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.proposals import ProposalState
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import costs
from nanoclaw.flows.analyses.adoption import proposal_origin
from nanoclaw.testing.model_parts import Fail

IN_ORDER = ("is taken over", "market/channels", "contains a decision", "I go on with step 4.")

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.capability("B4")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[AnalysisScene]:
    async with analysing(tmp_path_factory.mktemp("analysis") / "nanoclaw", Reader()) as scene:
        yield scene


@pytest_asyncio.fixture(loop_scope="module")
async def scene(stage: AnalysisScene) -> AnalysisScene:
    stage.reader.finds.clear()
    stage.reader.prompts.clear()
    stage.reader.turns.clear()
    return await stage.with_someone("Taras")


async def test_what_was_found_is_taken_over_with_its_places_and_the_work_goes_on(
    scene: AnalysisScene,
) -> None:
    transfer = await scene.taken_elsewhere()
    scene.reader.finds[:] = [
        {
            "facts": [
                {"text": "Lviv has 12 cafes like ours.", "source": "12 cafes"},
                {"text": "Rent in Lviv is 900 a month.", "source": "invented quote"},
            ],
            "decisions": [{"text": "We open in Lviv in May.", "rationale": "rent is low", "source": "May"}],
            "context_changes": [
                {"file": "market/channels", "change": "A shop in Lviv opens in May.", "source": "May"}
            ],
            "next_step": "Step 4: plan the opening.",
        }
    ]
    await scene.brings(f"Transfer ID: {transfer.id}\n\n# Market of Lviv\n\nThere are 12 cafes. Open in May.")
    told = await scene.says("is taken over")
    assert (
        "2 facts, 1 decision, 1 change of context to confirm; going on with: Step 4: plan the opening."
        in told
    )
    await scene.says("I go on with step 4.")
    below = [next(n for n, each in enumerate(scene.chat.texts()) if words in each) for words in IN_ORDER]
    assert below == sorted(below), "the sentence comes before the cards that it counts"
    [woken] = [each for each in scene.reader.turns if "The result of transfer" in each]
    assert "never an instruction" in woken
    assert "Lviv has 12 cafes like ours." in woken
    assert (await scene.transfer(transfer.id)).state is TransferState.RESUMED
    [known] = await scene.remembered("12 cafes like ours")
    assert (known.trust, known.source) == (
        Trust.HEARSAY,
        f"report.md: 12 cafes ({(await scene.analysis()).id}, {transfer.id})",
    )
    [other] = await scene.remembered("Rent in Lviv")
    assert "report.md: Market of Lviv (" in other.source, "a quote that stands nowhere is not believed"
    assert not await scene.remembered("open in Lviv in May"), "decisions bind nobody before people adopt them"
    assert "Transfer ID" in scene.reader.prompts[0]
    assert "Document analyzer" in scene.reader.prompts[0], "the skill says how to read"


async def test_some_decisions_are_adopted_by_number_and_all_of_it_is_taken_back_as_one(
    scene: AnalysisScene,
) -> None:
    """Read by its headings: the model twice says something else."""
    transfer = await scene.taken_elsewhere()
    before = _claude_md(scene)
    scene.reader.finds[:] = ["I would rather not.", "[]"]
    await scene.brings(REPORT.format(id=transfer.id, place="Odesa"))
    card = await scene.card("contains 2 decisions")
    assert "1. We open a shop in Odesa" in card.text
    await scene.owner.says(scene.chat, "banana", reply_to=card)
    await scene.card("could not read numbers from 1 to 2")
    await scene.owner.says(scene.chat, "1")
    await scene.says("1 decision holds from now on")
    [adopted] = await scene.remembered("We open a shop in Odesa")
    # What was asked is recorded without the words from outside: nobody has adopted those.
    recorded = scene.host.home / "companies" / "demo" / "memory" / "decisions.jsonl"
    await until(lambda: "could not read numbers from 1 to 2" in recorded.read_text("utf-8"))
    lines = [json.loads(line) for line in recorded.read_text("utf-8").splitlines()]
    asked = [line["decision"] for line in lines if line.get("domain") == "document-analyzer"]
    assert asked
    assert not [each for each in asked if "Odesa" in each]
    assert (adopted.trust, adopted.is_binding) == (Trust.OWNER, True)
    assert not await scene.remembered("closes on Mondays")
    assert "We open a shop in Odesa" in _claude_md(scene)
    told = await scene.card("report.md is taken over")
    assert "No model read it" in told.text
    await scene.press(told, "🔍 Show")
    shown = await scene.says("What was found in report.md")
    assert "1. The office plan sells best in Odesa. (Facts)" in shown
    assert "1. We open a shop in Odesa (people ask for it) (Decisions) ✅" in shown
    assert "1. product/pricing: Prices in Odesa are the same. (Context changes)" in shown

    await scene.press(told, "↩️ Undo")
    back = await scene.says("took report.md back")
    assert "2 facts, 1 decision, 1 open change of context" in back
    for words in ("We open a shop in Odesa", "sells best in Odesa", "Deliveries to Odesa"):
        [gone] = await scene.remembered(words)
        assert gone.state is EntryState.FORGOTTEN
    assert _claude_md(scene).count("Odesa") == before.count("Odesa")
    analysis = await scene.analysis("undone")
    await _proposal(scene, analysis.id, "product/pricing", ProposalState.CANCELLED)
    assert await scene.forge(told, f"anl:{analysis.id}:undo") == "This was taken back already."


async def test_a_context_change_that_people_applied_stays_and_is_named(scene: AnalysisScene) -> None:
    transfer = await scene.taken_elsewhere()
    scene.reader.finds[:] = [
        {
            "decisions": [{"text": "Taste comes before price in Kharkiv."}],
            "context_changes": [
                {"file": "brand/voice.md", "change": "We say tak in Kharkiv.", "source": "We say tak"},
                {"file": "brand/voice", "text": "We never shout in Kharkiv."},
                {"file": "brand/visual", "change": "violet instead of transparent"},
                {"file": "../../etc/passwd", "change": "root"},
            ],
        }
    ]
    await scene.brings(f"{transfer.id} We say tak in Kharkiv.")
    assert "1 decision, 1 change of context to confirm; going on." in await scene.says("is taken over")
    change = await scene.card("brand/voice")
    assert "+We never shout in Kharkiv." in change.text
    assert "From report.md: We say tak" in change.text
    await scene.press(change, "✅ Yes")
    analysis = await scene.analysis("imported")
    await _proposal(scene, analysis.id, "brand/voice", ProposalState.APPLIED)
    actor = await scene.actor()
    adopt = scene.host.analysis_parts.analyses
    with pytest.raises(Refused, match="analysis-no-such-decision"):
        await scene.host.store.write(lambda tx: adopt.decide(tx, analysis.id, [2], actor, now()))
    await scene.host.store.write(lambda tx: adopt.decide(tx, analysis.id, [1], actor, now()))
    [adopted] = await scene.remembered("Taste comes before price")
    assert adopted.is_binding
    with pytest.raises(Refused, match="analysis-decided"):
        await scene.host.store.write(lambda tx: adopt.decide(tx, analysis.id, [], actor, now()))
    taken = await scene.host.store.write(lambda tx: adopt.undo(tx, analysis.id, actor, now()))
    assert taken == {"facts": 0, "decisions": 1, "changes": 0, "stays": ["brand/voice"]}
    assert "brand/voice stays as people changed it" in await scene.says("took report.md back")


async def test_a_change_that_was_proposed_anew_because_its_file_changed_is_taken_back_too(
    scene: AnalysisScene,
) -> None:
    transfer = await scene.taken_elsewhere()
    changes = [{"file": "brand/visual", "change": "Posters in Lutsk are green."}]
    scene.reader.finds[:] = [{"facts": [{"text": "Lutsk is flat."}], "context_changes": changes}]
    await scene.brings(f"{transfer.id}: Lutsk")
    told = await scene.card("report.md is taken over")
    first = await scene.card("brand/visual")
    visual = scene.host.home / "companies" / "demo" / "context" / "brand" / "visual.md"
    visual.write_text(f"Posters are large.\n\n{visual.read_text('utf-8')}", "utf-8")
    await scene.press(first, "✅ Yes")
    await scene.settled(first)
    second = await scene.card("brand/visual")
    analysis = await scene.analysis("imported")
    await _proposal(scene, analysis.id, "brand/visual", ProposalState.OUTDATED)

    await scene.press(told, "↩️ Undo")
    assert "1 fact, 0 decisions, 1 open change of context" in await scene.says("took report.md back")
    assert "✅ Yes" not in await scene.settled(second)
    origin = proposal_origin(analysis.id, "brand/visual")
    states = await scene.host.store.read(lambda tx: [each.state for each in proposals.lineage(tx, origin)])
    assert states == [ProposalState.OUTDATED, ProposalState.CANCELLED]
    assert "Lutsk" not in visual.read_text("utf-8")


async def test_it_comes_by_reply_in_ukrainian_and_without_a_file_it_says_what_to_do(
    stage: AnalysisScene,
) -> None:
    scene = await stage.with_someone("Оля", language="uk")
    stage.reader.turns.clear()
    transfer = await scene.taken_elsewhere()
    assert "з підписом /import_analysis" in (await scene.ask("/import_analysis"))[-1]
    scene.reader.finds[:] = [{"facts": [{"text": f"Місто {number} велике."} for number in range(5)]}]
    sent = await scene.owner.sends_document(
        scene.chat, word_document(Результат=f"Transfer ID: {transfer.id}"), name="звіт.docx"
    )
    await scene.why(sent, "answered")
    await scene.owner.says(scene.chat, "/import-analysis", reply_to=sent)
    assert "звіт.docx прийнято: 5 фактів; робота триває." in await scene.says("прийнято:")
    told = await scene.card("прийнято")
    assert told.labels == ["🔍 Показати", "↩️ Скасувати"]


async def test_who_decides_reads_the_cards_in_their_own_language_whoever_brought_it(
    scene: AnalysisScene,
) -> None:
    transfer = await scene.taken_elsewhere()
    olena = await scene.with_someone("Олена", language="uk")
    await olena.ask("Привіт")
    member = await scene.with_member("Petro")
    scene.reader.finds[:] = [
        {
            "decisions": [{"text": "Open in Sumy."}],
            "context_changes": [
                {"file": "brand/visual", "text": "Add: green, as in Sumy.", "source": "Colours"}
            ],
        }
    ]
    await member.brings(f"{transfer.id}\n\n# Colours\n\nOpen in Sumy, in green.", "sumy.md")
    await scene.card("Petro brought the result of a transfer, sumy.md")
    asked = await olena.card("Petro: ось результат перенесення, sumy.md")
    await olena.press(asked, "✅ Схвалити")
    decisions = await olena.card("Open in Sumy.")
    assert "Воно нікого не зобов’язує" in decisions.text
    assert "Змінити brand/visual? З sumy.md: Colours" in (await olena.card("brand/visual")).text
    assert "Change brand/visual? From sumy.md: Colours" in (await scene.card("brand/visual")).text
    assert "Змінити" in (await olena.ask("/inbox"))[0]


async def test_a_returned_package_is_compared_and_only_what_is_new_in_it_is_read(
    scene: AnalysisScene,
) -> None:
    first = await scene.taken_elsewhere()
    files, changed = package(
        first, {"transfer.md": "Transfer ID: ...", "work_artifacts/a.md": "Secret draft"}
    )
    await scene.host.store.write(
        lambda tx: transfers.mark(tx, first.id, manifest=changed.manifest, content_hash=changed.content_hash)
    )
    altered = zipped({**files, "work_artifacts/a.md": b"Other draft", "analysis.md": b"New"}, below="s/")
    assert "was changed on its way: work_artifacts/a.md" in await scene.refused(altered, "back.zip")
    assert "there is nothing new in the package" in await scene.refused(zipped(files), "same.zip")
    scene.reader.finds[:] = [{"facts": [{"text": "Dnipro is wide."}]}]
    returned = zipped(
        {**files, "results/analysis.md": b"Dnipro is wide.", "zzz.txt": b"not this"}, below="s/"
    )
    await scene.brings(returned, "back.zip")
    await scene.says("back.zip is taken over: 1 fact")
    assert "Dnipro is wide." in scene.reader.prompts[0]
    assert not any(words in scene.reader.prompts[0] for words in ("Secret draft", "not this"))
    assert (await scene.transfer(first.id)).state is TransferState.RESUMED, "its manifest names the transfer"


async def test_where_several_wait_people_choose_and_where_one_does_nobody_is_asked(
    scene: AnalysisScene,
) -> None:
    first = await scene.taken_elsewhere("Find a town")
    second = await scene.taken_elsewhere("Find a name")
    scene.reader.finds[:] = [{"facts": [{"text": "Uzhhorod is near."}]}]
    await scene.brings(pdf_document("Uzhhorod is near."), "town.pdf")
    card = await scene.card("To which transfer does town.pdf belong?")
    assert [each.rpartition(" · ")[0] for each in card.labels] == ["Find a town", "Find a name", ""]
    await scene.press(card, card.labels[0])
    await scene.says("town.pdf is taken over: 1 fact")
    assert (await scene.transfer(first.id)).state is TransferState.RESUMED
    await scene.brings("Mukachevo is a name.", "name.txt")
    await scene.says("name.txt is taken over")
    assert (await scene.transfer(second.id)).state is TransferState.RESUMED


async def test_a_file_in_reply_to_the_package_belongs_to_its_transfer(scene: AnalysisScene) -> None:
    await scene.taken_elsewhere("Another one")
    meant = await scene.taken_elsewhere("This one")
    await scene.host.store.write(
        lambda tx: outbox.post(
            tx,
            chat_id=ChatId(meant.chat_id),
            thread=None,
            author=Author.HOST,
            text="Here is the package.",
            at=now(),
            origin=f"transfer {meant.id}",
        )
    )
    await scene.says("Here is the package.")
    sent = next(each for each in scene.chat.seen if each.text == "Here is the package.")
    given = await scene.owner.sends_document(
        scene.chat, b"Khust is old.", name="a.md", caption="/import_analysis", reply_to=sent
    )
    await scene.says("a.md is taken over")
    assert (await scene.transfer(meant.id)).state is TransferState.RESUMED
    await scene.says("I go on with step 4.")
    answer = next(each for each in scene.chat.seen if each.text == "I go on with step 4.")
    await scene.owner.says(scene.chat, "/why", reply_to=answer)
    assert "brought as the result of a transfer: a.md" in await scene.says("the agent goes on")
    assert (await scene.why(given, "answered")).steps


async def test_what_a_member_brings_is_decided_first_and_an_outage_only_delays_it(
    scene: AnalysisScene,
) -> None:
    transfer = await scene.taken_elsewhere()
    other = await scene.with_member("Iryna")
    refused = Fail(529, "overloaded_error", "Overloaded", headers={"retry-after": "1"})
    scene.reader.finds[:] = [
        *(lambda _: refused for _ in range(3)),
        {"facts": [{"text": "Rivne has a zoo."}], "decisions": [{"text": "No zoo."}]},
    ]
    await other.brings(f"{transfer.id}: Rivne has a zoo.", "zoo.md")
    assert "An owner or admin of this group decides" in await other.says("zoo.md is here")
    card = await scene.card("Iryna brought the result of a transfer, zoo.md")
    assert not scene.reader.prompts, "nothing is read before"
    await scene.press(card, "✅ Approve")
    assert "It goes on by itself" in await other.says("⏳")
    told = await other.card("zoo.md is taken over")
    assert await other.press(told, "↩️ Undo") == "Only those who administer the group can take this back."
    [fact] = await scene.remembered("Rivne has a zoo")
    assert fact.trust is Trust.HEARSAY
    why = await other.why(next(each for each in other.chat.seen if "zoo.md" in str(each)), "answered")
    said = " ".join(step.sentence for step in why.steps)
    assert "brought as the result of a transfer: zoo.md" in said
    assert "The model could not be asked" in said
    assert "taken over: 1 fact, 1 decision, 0 changes of context" in said


async def test_a_document_that_is_gone_before_it_was_read_is_asked_for_once_more(
    scene: AnalysisScene,
) -> None:
    await scene.taken_elsewhere("the lake")
    meant = await scene.taken_elsewhere("the river")
    await scene.brings("Kovel has a lake.", "lake.md")
    card = await scene.card("lake.md")
    shutil.rmtree(scene.host.home / "data" / "analyses" / (await scene.analysis("asking")).id)
    await scene.press(card, next(each for each in card.labels if meant.id[-5:] in each))
    assert "Please bring it once more" in await scene.says("lake.md was not taken over")
    scene.reader.finds[:] = [{"facts": [{"text": "Kovel has a lake."}]}]
    await scene.brings(f"{meant.id}: Kovel has a lake.", "lake.md")
    await scene.says("lake.md is taken over: 1 fact")


async def test_without_money_it_waits_and_what_it_costs_is_flow_b(scene: AnalysisScene) -> None:
    transfer = await scene.taken_elsewhere()
    scene.reader.finds[:] = [{"facts": [{"text": "Brody has a castle."}]}]
    limits = scene.host.home / "companies" / "demo" / "budget.json"
    limits.write_text('{"daily_limit_usd": 0, "overdraft_usd": 0}', "utf-8")
    try:
        await scene.brings(f"{transfer.id}: Brody has a castle.", "castle.md")
        assert "budget" in await scene.says("It goes on by itself")
        analysis = await scene.analysis("received")
        assert (analysis.reason or {})["key"] == BUDGET_HELD
    finally:
        limits.write_text('{"daily_limit_usd": 50}', "utf-8")
    await scene.says("castle.md is taken over: 1 fact")
    flows = sa.select(costs.c.flow).where(costs.c.turn_id == analysis.id)

    async def paid() -> list[str] | None:
        return list(await scene.host.store.read(lambda tx: tx.execute(flows).scalars().all())) or None

    assert await eventually(paid) == ["B"]


async def test_a_long_document_is_read_in_parts_and_its_list_is_a_file(scene: AnalysisScene) -> None:
    """From the page. A week after its end the file is gone."""
    transfer = await scene.taken_elsewhere()
    long = "\n".join(f"## Part {number}\n\n{'Kyiv grows. ' * 600}" for number in range(10))
    facts = [{"text": f"Kyiv fact number {number}. {'Long. ' * 30}"} for number in range(30)]
    scene.reader.finds[:] = [{"facts": facts}, {"facts": [*facts[:5], {"text": "Kyiv ends."}]}]
    analysis = await scene.host.analysis_parts.analyses.bring(
        by=await scene.actor(),
        group="main",
        chat_id=transfer.chat_id,
        thread=None,
        name="../long\n.md",
        content=long.encode(),
        via="page",
        transfer=transfer.id,
    )
    told = await scene.card("is taken over: 31 facts")
    assert len(scene.reader.prompts) == 2
    await scene.press(told, "🔍 Show")
    await scene.chat.wait_until(
        lambda: any(f"analysis-{analysis.id[-5:]}.md" in str(each) for each in scene.chat.seen)
    )
    folder = scene.host.home / "data" / "analyses" / analysis.id
    assert [each.name for each in folder.iterdir()] == [analysis.file_name]

    def later(tx: Tx) -> None:
        analyses.mark(tx, analysis.id, ended_at=now() - timedelta(days=8))
        work.due(tx, work.ANALYSIS, analysis.id, now())

    await scene.host.store.write(later)
    await until(lambda: not folder.exists())


async def test_the_demo_reads_headings_and_says_honestly_when_there_are_none(tmp_path: Path) -> None:
    async with analysing(tmp_path / "nanoclaw", None) as scene:
        transfer = await scene.taken_elsewhere()
        assert (
            "nothing could be read from it without a model"
            in (await scene.refused("Lutsk is nice.", "prose.txt")).lower()
        )
        kept = scene.host.home / "data" / "analyses" / (await scene.analysis("refused")).id / "prose.txt"
        assert kept.read_text() == "Lutsk is nice."
        await scene.brings(REPORT.format(id=transfer.id.upper(), place="Lutsk"))
        told = await scene.says("is taken over")
        assert "2 facts, 2 decisions, 1 change of context to confirm; going on with: Step 4" in told
        assert (await scene.transfer(transfer.id)).state is TransferState.RESUMED
        assert "Next would be: Step 4" in await scene.says("I have heard the result")

        # The whole way, there and back: a package as it really leaves, with the result beside its files.
        there = TransferScene.of(scene)
        await there.press(await there.exported("/export_session manual the menu"), SEND)
        await there.came("in one file")
        [packed] = [each for name, each in there.documents().items() if name.endswith(".zip")]
        made = await there.transfer()
        result = io.BytesIO(packed)
        with zipfile.ZipFile(result, "a") as archive:
            report = REPORT.format(id=made.id, place="Kovel")
            archive.writestr("session_transfer/analysis.md", report)
        assert "awaiting_external_result" in await scene.command(scene.chat, "/status")
        await scene.brings(result.getvalue(), "session_transfer.zip")
        assert "2 facts, 2 decisions" in await scene.says("session_transfer.zip is taken over")
        assert (await scene.transfer(made.id)).state is TransferState.RESUMED
        assert "awaiting_external_result" not in await scene.command(scene.chat, "/status")


def _claude_md(scene: AnalysisScene) -> str:
    return (scene.host.home / "companies" / "demo" / "memory" / "CLAUDE.md").read_text("utf-8")


async def _proposal(scene: AnalysisScene, analysis_id: str, file: str, state: ProposalState) -> None:
    async def look() -> bool | None:
        found = await scene.host.store.read(
            lambda tx: proposals.with_origin(tx, proposal_origin(analysis_id, file))
        )
        return True if found and found.state is state else None

    await eventually(look)


@pytest.mark.attack
@pytest.mark.capability("E13")
async def test_decisions_that_changed_after_they_were_shown_are_asked_about_anew(
    scene: AnalysisScene,
) -> None:
    transfer = await scene.taken_elsewhere()
    scene.reader.finds[:] = [
        json.dumps(
            {"facts": [], "decisions": [{"text": "Open in Lutsk.", "rationale": "the rent is low"}]},
        )
    ]
    await scene.brings(REPORT.format(id=transfer.id, place="Lutsk"))
    card = await scene.card("Open in Lutsk.")
    assert "the rent is low" in card.text, "it is written down with the decision"

    def poison(tx: Tx) -> None:
        [one] = analyses.of_transfer(tx, transfer.id)
        found = json.loads(json.dumps(one.found).replace("Open in Lutsk.", "Close in Lutsk."))
        analyses.mark(tx, one.id, found=found)

    await scene.host.store.write(poison)
    await scene.press(card, card.labels[0])
    again = await scene.card("Close in Lutsk.")
    assert not await scene.remembered("in Lutsk")
    await scene.press(again, again.labels[0])
    await scene.says("1 decision holds from now on")
    assert await scene.remembered("Close in Lutsk")
