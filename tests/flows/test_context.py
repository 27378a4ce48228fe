"""Flow H. A change of the context is a diff that a person approves; then it is written and committed (SPEC H1, H2)."""

import asyncio
import re
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
import sqlalchemy as sa
from tests.documents import LOCKED_PDF, NOT_FOR_PRINTING_PDF, pdf_document, word_bomb, word_document
from tests.staging import until
from tests.telegram_scene import Scene, eventually, telegram_scene

from nanoclaw.domain.errors import Refused
from nanoclaw.domain.news import News, QuestionChanged
from nanoclaw.domain.people import Actor, Rights, Role
from nanoclaw.domain.steps import ToolCall
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.durable import people, proposals, wirings
from nanoclaw.durable.clock import now
from nanoclaw.durable.knowledge_tables import memory_changes, memory_entries
from nanoclaw.durable.proposals import Proposal, ProposalSource, ProposalState
from nanoclaw.durable.store import Tx
from nanoclaw.flows.company_context.proposals import ContextChange, ProposalPlace
from nanoclaw.testing import ScriptedModel

IN_INBOX = re.compile(r"brand/voice.*We shout\. Always.*apply")

# One host for these tests, with the demo agent. Each has an owner of its own, and a file of its own.
pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.capability("H1", "H2"),
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Scene]:
    home = tmp_path_factory.mktemp("context") / "nanoclaw"
    async with telegram_scene(home, paced=False) as scene:
        yield scene


@pytest_asyncio.fixture(loop_scope="module")
async def scene(stage: Scene) -> Scene:
    return await stage.joined_by("Taras")


def file(scene: Scene, name: str) -> Path:
    return scene.host.home / "companies" / "demo" / "context" / f"{name}.md"


async def test_a_bare_command_is_answered_in_the_language_of_whoever_gives_it(stage: Scene) -> None:
    """Nothing was said yet, and the company's files are in English."""
    scene = await stage.joined_by("Оксана", language="uk")
    [tour] = await scene.ask("/demo")
    assert tour.startswith("Коротка екскурсія")
    for question in ("How much is the office plan?", "Who are our competitors?"):  # as it proposes itself
        [said] = await scene.ask(question)
        assert said.startswith("From the company's context"), question
    asked = await scene.ask("? Надіслати | так | ні")
    await scene.press(await scene.card("Надіслати"), "так")
    await scene.chat.wait_until(lambda: "Я запитав. Оксана обирає так." in scene.chat.texts())
    assert len(asked) == 1


def log(scene: Scene, name: str) -> list[str]:
    words = ["git", "log", "--format=%s", "--", f"companies/demo/context/{name}.md"]
    return subprocess.run(
        words, cwd=scene.host.home, capture_output=True, text=True, check=True
    ).stdout.splitlines()


async def newest(scene: Scene, name: str, *states: ProposalState) -> Proposal:
    """The newest proposal for this file, once it is in one of these states."""

    def look(tx: Tx) -> Proposal | None:
        found = [each for each in proposals.recent(tx, "demo", 50) if each.file == name]
        return found[0] if found and found[0].state in states else None

    return await eventually(lambda: scene.host.store.read(look))


async def decisions_about(scene: Scene, name: str) -> list[dict[str, Any]]:
    """What the company's memory was asked to keep."""

    def look(tx: Tx) -> list[dict[str, Any]]:
        origins = [f"context {each.id}" for each in proposals.recent(tx, "demo", 50) if each.file == name]
        query = sa.select(memory_changes.c.body).where(memory_changes.c.origin.in_(origins))
        return list(tx.execute(query).scalars())

    return await scene.host.store.read(look)


@asynccontextmanager
async def news_of(scene: Scene, proposal: Proposal) -> AsyncIterator[list[ProposalState]]:
    """How it stands for somebody who looks whenever there is news of its question, and at no other time."""
    seen: list[ProposalState] = []

    async def look() -> None:
        found = await scene.host.store.read(partial(proposals.get, proposal_id=proposal.id))
        seen.extend([found.state] if found else [])

    looks: list[asyncio.Task[None]] = []

    def hear(_: str, news: News) -> None:
        if news == QuestionChanged(proposal.question_id or ""):
            looks.append(asyncio.create_task(look()))

    scene.host.store.after_commit.tells(hear)
    yield seen
    await asyncio.gather(*looks)


async def test_a_change_in_words_is_a_card_and_after_a_yes_it_is_written_committed_and_known(
    scene: Scene,
) -> None:
    await scene.owner.says(scene.chat, "/update_context pricing: 139 instead of 128")
    card = await scene.card("product/pricing")
    assert "-Home subscriptions" in card.text
    assert card.labels == ["✅ Yes", "🔍 Show diff", "✏️ Edit", "❌ Cancel"]
    assert "EUR 128" in file(scene, "product/pricing").read_text("utf-8"), "nothing is written before a yes"
    await scene.press(card, "🔍 Show diff")
    await scene.chat.wait_until(lambda: any(text.startswith("@@") for text in scene.chat.texts()))
    await scene.press(card, "✅ Yes")
    await newest(scene, "product/pricing", ProposalState.APPLIED)
    written = file(scene, "product/pricing").read_text("utf-8")
    assert "EUR 139 a month" in written
    assert "EUR 128" not in written
    assert log(scene, "product/pricing")[0] == "product/pricing: 139 instead of 128"
    (decision,) = await decisions_about(scene, "product/pricing")
    assert (decision["affects"], decision["made_by"]) == (["product/pricing"], "owner")
    assert "Taras: ✅ Yes" in await scene.settled(card)
    await scene.chat.wait_until(lambda: any("is changed" in text for text in scene.chat.texts()))
    told = await scene.ask("Office plan price: extra kilogram, payment by invoice, notice period?")
    assert "139" in told[-1]


@pytest.mark.capability("G3")
async def test_changes_of_context_are_recorded_take_no_place_of_the_ten_and_replace_each_other(
    scene: Scene,
) -> None:
    file(scene, "product/positioning").write_text("# Positioning\n\nIt costs EUR 128.\n", "utf-8")
    for new, old in ((139, 128), (141, 139), (143, 141)):
        await scene.owner.says(scene.chat, f"/update_context positioning: {new} instead of {old}")
        await scene.press(await scene.card(f"{new} instead of {old}"), "✅ Yes")
        await newest(scene, "product/positioning", ProposalState.APPLIED)
    *older, last = await decisions_about(scene, "product/positioning")
    assert not any(each["binding"] for each in (*older, last))
    kept = scene.host.home / "companies" / "demo" / "memory"
    await until(lambda: str(last["id"]) in (kept / "decisions.jsonl").read_text("utf-8"))

    def records(tx: Tx) -> list[tuple[str, str, bool]]:
        table = memory_entries
        wanted = sa.select(table.c.text, table.c.state, table.c.is_binding).where(
            table.c.text.startswith("product/positioning: ")
        )
        return [(row.text, row.state, row.is_binding) for row in tx.execute(wanted.order_by(table.c.number))]

    async def are_all_indexed() -> bool:
        return len(await scene.host.store.read(records)) == 3

    await until(are_all_indexed)
    assert await scene.host.store.read(records) == [
        ("product/positioning: 139 instead of 128", "superseded", False),
        ("product/positioning: 141 instead of 139", "superseded", False),
        ("product/positioning: 143 instead of 141", "live", False),
    ]
    assert (
        "product/positioning" not in (kept / "CLAUDE.md").read_text("utf-8").partition("## Key Decisions")[2]
    )


async def test_a_file_is_meant_by_its_name_in_ukrainian_and_a_line_is_added(scene: Scene) -> None:
    await scene.owner.says(scene.chat, "/update-context команда: Оля відповідає за склад")
    card = await scene.card("company/team")
    assert "+Оля відповідає за склад" in card.text
    await scene.press(card, "✅ Yes")
    await newest(scene, "company/team", ProposalState.APPLIED)
    assert file(scene, "company/team").read_text("utf-8").endswith("\n\nОля відповідає за склад\n")


async def test_what_names_no_file_is_asked_about_and_no_path_leads_out(scene: Scene) -> None:
    assert "Which file" in (await scene.ask("/update-context ../../../etc/passwd: root"))[-1]
    assert "Which file" in (await scene.ask("/update-context product: something"))[-1]


async def test_cancel_changes_nothing(scene: Scene) -> None:
    before = file(scene, "brand/voice").read_text("utf-8")
    await scene.owner.says(scene.chat, "/update-context brand voice: We shout. Always")
    card = await scene.card("brand/voice")
    await scene.owner.says(scene.chat, "/inbox")
    await scene.chat.wait_until(lambda: any(IN_INBOX.search(text) for text in scene.chat.texts()))
    proposal = await newest(scene, "brand/voice", ProposalState.OPEN)
    async with news_of(scene, proposal) as seen:
        await scene.press(card, "❌ Cancel")
        await newest(scene, "brand/voice", ProposalState.CANCELLED)
        await until(lambda: ProposalState.CANCELLED in seen)  # else an open page shows it for ever
    assert file(scene, "brand/voice").read_text("utf-8") == before
    assert not await decisions_about(scene, "brand/voice")


async def test_the_next_message_after_edit_is_the_new_text_on_a_new_card(scene: Scene) -> None:
    await scene.owner.says(scene.chat, "/update-context channels: We sell on Tuesdays")
    first = await scene.card("market/channels")
    await scene.press(first, "✏️ Edit")
    await scene.card("Write the new text")
    await scene.owner.says(scene.chat, "# Channels\n\nOnly the market hall.")
    await newest(scene, "market/channels", ProposalState.OPEN)
    card = await scene.card("+Only the market hall.")
    await scene.press(card, "✏️ Edit")
    await scene.card("Write the new text")
    await scene.owner.says(scene.chat, "square instead of hall")
    card = await scene.card("+Only the market square.")
    await scene.press(card, "✅ Yes")
    await newest(scene, "market/channels", ProposalState.APPLIED)
    assert file(scene, "market/channels").read_text("utf-8") == "# Channels\n\nOnly the market square.\n"


async def test_two_proposals_for_one_file_both_come_in_and_the_second_is_shown_anew(scene: Scene) -> None:
    place = file(scene, "market/competitors")
    place.write_text("# Competitors\n\nOne costs 10.\n\nTwo lines between.\n\nThree costs 30.\n", "utf-8")
    await scene.owner.says(scene.chat, "/update-context competitors: 11 instead of 10")
    first = await scene.card("11 instead of 10")
    await scene.owner.says(scene.chat, "/update-context competitors: 33 instead of 30")
    second = await scene.card("33 instead of 30")
    await scene.press(first, "✅ Yes")
    await scene.chat.wait_until(lambda: "One costs 11" in place.read_text("utf-8"))
    await scene.press(second, "✅ Yes")
    await scene.chat.wait_until(lambda: any("meanwhile" in text for text in scene.chat.texts()))
    assert "Three costs 30" in place.read_text("utf-8"), "people have not seen this text yet"
    again = await scene.card("33 instead of 30")
    assert again.id != second.id
    await scene.press(again, "✅ Yes")
    await newest(scene, "market/competitors", ProposalState.APPLIED)
    assert (
        place.read_text("utf-8")
        == "# Competitors\n\nOne costs 11.\n\nTwo lines between.\n\nThree costs 33.\n"
    )
    assert len(await decisions_about(scene, "market/competitors")) == 2
    kept = scene.host.home / "companies" / "demo" / "memory" / "decisions.jsonl"
    await until(lambda: len(re.findall(r'"decision": ?"market/competitors: ', kept.read_text("utf-8"))) == 2)


async def test_a_member_proposes_and_an_owner_decides(stage: Scene, scene: Scene) -> None:
    member = await stage.joined_by("Maria", role=Role.MEMBER)

    def wire(tx: Tx) -> None:
        channel, address = f"telegram:{stage.bot.id}", str(member.owner.id)
        own = people.add_chat(tx, channel=channel, address=address, title="Maria", at=now())
        wirings.wire(tx, own.id, own.kind, "main", now())

    await stage.host.store.write(wire)
    await member.owner.says(member.chat, "/update-context visual: Our colour is green")
    card = await stage.card("brand/visual", stage.chat)
    assert not member.cards("brand/visual")
    assert "not yours" in await member.forge(card, card.button("✅ Yes").data, by=member.owner)
    await stage.press(card, "✅ Yes")
    await newest(stage, "brand/visual", ProposalState.APPLIED)
    await member.chat.wait_until(lambda: any("is changed" in text for text in member.chat.texts()))


async def test_sections_of_a_word_document_become_a_proposal_for_each_file(scene: Scene) -> None:
    document = word_document(
        Trends="Oat milk sells twice as well.", Feedback="Too bitter, said three.", Hello="Nothing."
    )
    await scene.owner.sends_document(scene.chat, document, name="report.docx", caption="/update_context")
    card = await scene.card("market/intelligence")
    assert "+Oat milk sells twice as well." in card.text
    other = await scene.card("audience/voc")
    await scene.press(card, "✅ Yes")
    await scene.press(other, "❌ Cancel")
    await newest(scene, "market/intelligence", ProposalState.APPLIED)
    assert "Oat milk" in file(scene, "market/intelligence").read_text("utf-8")
    await newest(scene, "audience/voc", ProposalState.CANCELLED)


async def test_a_pdf_is_read_in_a_box(scene: Scene) -> None:
    document = pdf_document("Jobs to be done", "", "People want to wake up.", "", "Hello")
    await scene.owner.sends_document(scene.chat, document, name="offer.pdf", caption="/update_context")
    card = await scene.card("audience/jtbd")
    assert "+People want to wake up." in card.text
    assert not list((scene.host.home / "data" / "documents").iterdir()), "the copy is gone"


async def test_of_a_pdf_that_only_says_what_may_not_be_printed_the_text_is_read(scene: Scene) -> None:
    document = NOT_FOR_PRINTING_PDF
    await scene.owner.sends_document(scene.chat, document, name="terms.pdf", caption="/update_context")
    assert "+Everything is orange." in (await scene.card("brand/visual")).text


async def test_a_document_for_what_is_no_area_or_file_is_answered_with_those_there_are(scene: Scene) -> None:
    document = b"# Voice\n\nWe sing.\n"
    await scene.owner.sends_document(scene.chat, document, name="song.md", caption="/update-context banana")
    told = (await scene.chat.wait_for(1))[-1]
    assert '"banana"' in told
    assert "brand, market" in told
    assert "product/pricing" in told
    assert not scene.cards("brand/voice")


async def test_a_reply_to_a_markdown_file_takes_it_in(scene: Scene) -> None:
    sent = await scene.owner.sends_document(
        scene.chat, b"# Awareness\n\nNobody knows us yet.\n", name="notes.md"
    )
    await scene.chat.wait_for(1)
    await scene.owner.says(scene.chat, "/update-context", reply_to=sent)
    card = await scene.card("audience/awareness")
    assert "+Nobody knows us yet." in card.text


@pytest.mark.attack
@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("empty.pdf", b" \n", "is empty"),
        ("bomb.docx", None, "too much memory"),
        ("torn.pdf", b"%PDF-1.7\n1 0 obj <<", "broken"),
        ("locked.pdf", LOCKED_PDF, "password"),
        ("program.exe", b"MZ\x00\x01", "only PDF"),
        ("huge.pdf", b"%PDF-1.7", "100 MB"),
    ],
)
async def test_what_cannot_be_read_is_refused_with_its_reason(
    scene: Scene, name: str, content: bytes | None, said: str
) -> None:
    content = word_bomb() if content is None else content
    size = 100 << 20 if name == "huge.pdf" else None
    await scene.owner.sends_document(scene.chat, content, name=name, caption="/update-context", size=size)
    assert said in (await scene.chat.wait_for(1))[-1]
    assert not scene.cards("Change")


@pytest.mark.attack
async def test_no_stranger_proposes_and_only_an_owner_wants_a_file_gone(scene: Scene) -> None:
    parts = scene.host.context_parts

    def refusal(tx: Tx, role: Role, after: str | None) -> str:
        by = Actor(handle="telegram:1", name="X", rights=Rights(everywhere=role), via="agent", language="en")
        change = ContextChange(
            company="demo",
            file="brand/voice",
            before="a",
            after=after,
            summary="",
            source=ProposalSource.CHAT,
        )
        with pytest.raises(Refused) as refused:
            parts.proposals.propose(tx, by, change, ProposalPlace(group="main"), now())
        return refused.value.key

    for role, after, key in (
        (Role.STRANGER, "b", "context-forbidden"),
        (Role.ADMIN, None, "context-delete-forbidden"),
        (Role.OWNER, "a", "context-no-change"),
        (Role.OWNER, " ", "context-empty"),
        (Role.OWNER, "x" * 100_001, "context-too-long"),
    ):
        assert await scene.host.store.write(partial(refusal, role=role, after=after)) == key


@pytest.mark.parametrize("channel", ["web", "terminal"])
async def test_in_the_rooms_of_this_machine_it_is_the_same(stage: Scene, channel: str) -> None:
    name = {"web": "positioning", "terminal": "guidelines"}[channel]
    token = {"Authorization": f"Bearer {stage.host.token}"}
    async with httpx.AsyncClient(base_url=stage.host.url, headers=token) as client:
        rooms = (await client.get("/api/rooms")).json()["rooms"]
        room = next(each["id"] for each in rooms if each["channel"] == channel)
        said = {"client_id": f"{channel}-1", "text": f"/update-context {name}: We are the {channel} ones"}
        assert (await client.post(f"/api/rooms/{room}/messages", json=said)).status_code < 300

        async def card() -> Any:
            lines = (await client.get(f"/api/rooms/{room}/messages")).json()["items"]
            found = [each for each in lines if name in each["text"] and each["buttons"]]
            return found[-1] if found else None

        asked = await eventually(card)
        yes = next(each["data"] for each in asked["buttons"] if each["label"] == "✅ Yes")
        pressed = await client.post(f"/api/rooms/{room}/press", json={"line": asked["id"], "data": yes})
        assert pressed.json()["taken"], pressed.text
    area = {"web": "product", "terminal": "brand"}[channel]
    await newest(stage, f"{area}/{name}", ProposalState.APPLIED)
    assert f"We are the {channel} ones" in file(stage, f"{area}/{name}").read_text("utf-8")


async def test_with_a_model_the_change_is_carded_written_decided_and_in_the_next_prompt(
    home: Path, database_url: str
) -> None:
    def pieces(request: TurnRequest) -> list[str | ToolCall]:
        if request.skill != "context-compiler" or model.steps[-1]:
            return ["done"]
        assert "pricing: 690 instead of 490" in request.prompt
        edit = {"old": "The course costs EUR 490.", "new": "The course costs EUR 690."}
        arguments = {"file": "product/pricing", "summary": "The course costs 690", "edits": [edit]}
        return [ToolCall(id="one", name="propose_context", arguments=arguments)]

    model = ScriptedModel(pieces)
    async with telegram_scene(home, model=model, paced=False, database={"url": database_url}) as scene:
        place = file(scene, "product/pricing")
        place.write_text("# Pricing\n\nThe course costs EUR 490.\n", "utf-8")
        await scene.owner.says(scene.chat, "/update-context pricing: 690 instead of 490")
        card = await scene.card("product/pricing")
        assert "-The course costs EUR 490." in card.text
        assert "+The course costs EUR 690." in card.text
        await scene.press(card, "✅ Yes")
        await newest(scene, "product/pricing", ProposalState.APPLIED)
        assert log(scene, "product/pricing")[0] == "product/pricing: The course costs 690"
        kept = home / "companies" / "demo" / "memory" / "decisions.jsonl"
        await until(lambda: "The course costs 690" in kept.read_text("utf-8"))
        (decision,) = await decisions_about(scene, "product/pricing")
        assert decision["affects"] == ["product/pricing"]
        await scene.ask("What does the course cost?")
        last = model.asked[-1]
        assert "The course costs EUR 690." in f"{last.system_prompt} {last.whole_prompt}"
        assert "The course costs EUR 490." not in f"{last.system_prompt} {last.whole_prompt}"
