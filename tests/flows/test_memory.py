"""Flow G. What was said is kept in the company's files, and the index follows them (SPEC G1, G2, G4)."""

import json
import re
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
import pytest_asyncio
import sqlalchemy as sa
from tests.memory_scene import COMPANY, Memory, memory_scene
from tests.staging import until

from nanoclaw.domain.errors import Refused
from nanoclaw.domain.memory import Entry, EntryKind, EntryState, Trust
from nanoclaw.domain.people import Actor, Rights, Role
from nanoclaw.durable import notes
from nanoclaw.durable.clock import now
from nanoclaw.durable.tables import parcels
from nanoclaw.memory import index

# One host for these tests: each uses words of its own.
pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.capability("G1", "G2", "A13", "A17")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def here(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Memory]:
    home, own = tmp_path_factory.mktemp("memory") / "nanoclaw", ["hello@beans.example"]
    async with memory_scene(home, memory={"own_addresses": own}) as memory:
        yield memory


async def test_what_is_remembered_leaves_the_index_of_the_context_alone(here: Memory) -> None:
    async def passages() -> list[Entry]:
        return await here.host.store.read(lambda tx: index.several(tx, COMPANY, ["product/pricing#1"]))

    await here.say("How much is the office plan?")
    await until(passages)
    for name in (
        "Saucers",
        "Spoons",
    ):  # at the start of the first, the writer may not have seen the context yet
        await here.say(f"/remember {name} cost EUR 3.")
        await here.settled()
    assert await passages()


async def test_what_an_agent_remembers_is_a_line_of_the_file_with_its_provenance(here: Memory) -> None:
    told = await here.remembers(
        "The parcel locker is on Khreshchatyk 22",
        {
            "text": "The parcel locker is on Khreshchatyk 22",
            "topic": "delivery",
            "related_to": ["locker", "поштомат"],
        },
    )
    assert told.startswith("The parcel") or "Remembered: fact_" in told, told
    entry = await here.entry("Khreshchatyk")
    (line,) = (each for each in here.lines() if "Khreshchatyk" in each.get("fact", ""))
    assert line["id"] == entry.id
    assert line["related_to"] == ["locker", "поштомат"]
    assert line["provenance"]["trust"] == Trust.OWNER
    assert line["provenance"]["via"] == "tool"
    assert line["provenance"]["turn"] == entry.turn_id
    assert line["provenance"]["message"] == entry.message_id
    assert entry.state is EntryState.LIVE


async def test_an_agent_searches_deeper_page_by_page(here: Memory) -> None:
    shelves = [{"text": f"Shelf {number} of the archive holds maps"} for number in range(1, 13)]
    await here.remembers("The shelves of the archive", *shelves)
    await here.entry("Shelf 12 of the archive")
    found: list[list[str]] = []
    for page in (1, 2, 3):
        asked = {"query": "Which shelves hold maps?", "kind": "fact", "page": page}
        here.agent.does(f"Look at page {page}", here.agent.call("recall", **asked))
        told = await here.say(f"Look at page {page}")
        found.append(re.findall(r"Shelf \d+", told))
        assert ("There is more: page 2." in told) is (page == 1)
    assert (len(found[0]), len(found[1])) == (10, 2)
    assert {each for page in found for each in page} == {f"Shelf {number}" for number in range(1, 13)}
    assert "Nothing more." in told


async def test_every_turn_leaves_a_line_of_activity_that_can_be_found_at_once(here: Memory) -> None:
    await here.say("Please compare the shipping tariffs <internal>quietly</internal>")
    await until(lambda: "shipping tariffs" in here.claude_md())
    (line,) = (each for each in here.claude_md().splitlines() if "shipping tariffs" in each)
    assert line.startswith("- 20")

    async def found() -> bool:
        hits = await here.host.memory_parts.search.find(COMPANY, "tariff of shipping")
        return any("shipping tariffs" in hit.entry.text for hit in hits)

    await until(found)


@pytest.mark.capability("G4")
async def test_secrets_and_personal_data_are_masked_and_the_owner_is_told_once(here: Memory) -> None:
    await here.remembers(
        "The supplier wrote",
        {"text": "Supplier phone is +380 67 123 45 67, mail taras@example.org"},
        {"text": "Supplier card is 4111 1111 1111 1111"},
        {"text": "Suppliers write to hello@beans.example"},
    )
    entry = await here.entry("Supplier phone")
    assert "123 45 67" not in entry.text
    assert "taras@" not in entry.text
    assert "4111" not in str(here.lines())
    assert await here.entry("hello@beans.example"), "the company's own address"
    told = await alerts(here)
    assert len(told) == 1
    assert "masked" in told[0]
    assert "taras" not in told[0]


async def alerts(here: Memory) -> list[str]:
    """What owners were told about the memory of the company."""
    read = sa.select(parcels.c.text).where(parcels.c.origin.startswith("alert memory"))
    found: list[str] = []

    async def some() -> bool:
        found[:] = await here.host.store.read(lambda tx: list(tx.execute(read).scalars()))
        return bool(found)

    await until(some)
    return list(dict.fromkeys(found))


@pytest.mark.capability("G4")
async def test_lines_that_a_person_or_git_writes_are_indexed_and_bad_ones_lie_in_quarantine(
    here: Memory,
) -> None:
    file = here.folder / "facts.jsonl"
    good = {
        "id": "fact_20260101_byhand00",
        "timestamp": "2026-01-01T00:00:00Z",
        "fact": "Handwritten: oak floor",
    }
    again = {**good, "fact": "The same id again"}
    bom = b"\xef\xbb\xbf" if not file.exists() else b""
    with file.open("ab") as appended:
        appended.write(
            bom + json.dumps(good).encode() + b"\r\n{broken\n\n" + json.dumps(again).encode() + b"\n"
        )
        appended.write(b'{"id": "long", "fact": "' + b"x" * 5_000_000 + b'"}\n')
    await here.host.store.write(here.host.memory_parts.writer.plan)
    entry = await here.entry("oak floor")
    assert (entry.id, entry.trust) == ("fact_20260101_byhand00", Trust.OWNER)

    async def kept() -> bool:
        faults = [
            (each.reason or {}).get("fault") for each in await here.changes() if each.state == "quarantined"
        ]
        return {"json", "long"} <= set(faults)

    await until(kept)
    assert (await here.entries())[entry.id].text == "Handwritten: oak floor"
    # Changed in the middle, with the same length: read again.
    file.write_bytes(file.read_bytes().replace(b"oak floor", b"ash floor"))
    await here.host.store.write(here.host.memory_parts.writer.plan)
    await here.until_entry(entry.id, lambda each: each.text == "Handwritten: ash floor")
    count = sum(each.state == "quarantined" for each in await here.changes())
    await here.host.store.write(here.host.memory_parts.writer.plan)
    await here.remembers("Curtains are green", {"text": "Curtains are green"})
    await here.entry("Curtains")
    assert sum(each.state == "quarantined" for each in await here.changes()) == count


@pytest.mark.capability("G7")
@pytest.mark.parametrize(
    ("choice", "states"),
    [("replace", ("superseded", "live")), ("keep", ("live", None)), ("both", ("live", "live"))],
)
async def test_a_decision_that_contradicts_a_binding_one_is_asked_about(
    here: Memory, choice: str, states: tuple[str, str | None]
) -> None:
    wanted = {"kind": "decision", "domain": f"finance {choice}", "related_to": ["Discount", "знижка"]}
    await here.remembers(f"First {choice}", {**wanted, "text": f"The discount is 10 percent ({choice})"})
    old = await here.entry(f"10 percent ({choice})")
    assert old.is_binding
    await here.remembers(f"Then {choice}", {**wanted, "text": f"The discount is 15 percent ({choice})"})
    question = await here.asked(f"15 percent ({choice})")
    assert f"10 percent ({choice})" in question.prompt
    await here.decide(question, choice)
    await here.settled()
    if states[1]:
        newer = await here.entry(f"15 percent ({choice})")
        assert newer.state == states[1]
        assert newer.supersedes == (old.id if choice == "replace" else None)
    await here.until_entry(old.id, lambda each: each.state == states[0])
    assert (f"15 percent ({choice})" in here.claude_md()) == bool(states[1])
    assert (f"10 percent ({choice})" in here.claude_md()) == (choice != "replace")


@pytest.mark.capability("G7")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("the yearly plan costs 4900", "the yearly plan costs 6900"),
        ("самовивіз коштує 49", "самовивіз коштує 69"),
    ],
)
async def test_a_decision_in_a_few_words_is_compared_with_those_that_say_much_the_same(
    here: Memory, old: str, new: str
) -> None:
    """Said right after each other too: the second waits until the first is known."""
    await here.far_end.say("chat", f"/remember decision: {old}")
    await here.say(f"/remember decision: {new}")
    question = await here.asked(new)
    assert old in question.prompt
    await here.decide(question, "replace")
    made = await here.entry(new)
    assert made.supersedes == (await here.entry(old)).id


@pytest.mark.capability("G7")
async def test_members_propose_admins_correct_and_the_second_of_two_is_told_who_was_first(
    here: Memory,
) -> None:
    await here.remembers("The showroom is yellow", {"text": "The showroom is yellow"})
    old = await here.entry("showroom is yellow")
    changes, owner, store = here.host.memory_parts.changes, await here.actor(), here.host.store
    member = await here.member()
    rights = Rights(everywhere=Role.STRANGER, within={"main": Role.MEMBER})
    by = Actor.of(member, rights, via="telegram", language="en")
    asked_for = await store.write(
        lambda tx: changes.correct(tx, by, COMPANY, old.id, "The showroom is orange")
    )
    assert asked_for.is_proposal
    assert (await here.entries())[old.id].state is EntryState.LIVE
    question = await here.asked("showroom is orange")
    await here.decide(question, "approve")
    newer = await here.entry("showroom is orange")
    assert (newer.supersedes, newer.person) == (old.id, member.handle)
    with pytest.raises(Refused) as late:
        await store.write(lambda tx: changes.correct(tx, owner, COMPANY, old.id, "The showroom is red"))
    assert (late.value.key, late.value.values["text"]) == ("memory-changed", "The showroom is orange")
    admin = replace(by, rights=Rights(everywhere=Role.ADMIN))
    for wrong in (
        lambda tx: changes.forget(tx, owner, COMPANY, "fact_of_nobody"),
        lambda tx: changes.remember(tx, owner, COMPANY, " \u200b "),
        lambda tx: changes.remember(tx, owner, COMPANY, "x" * 50_000),
        lambda tx: changes.remember(tx, by, COMPANY, "For everyone", public=True),
        lambda tx: changes.revert(tx, by, COMPANY, person=by.handle),
        lambda tx: changes.revert(tx, admin, COMPANY, person=by.handle),
        lambda tx: changes.purge(tx, admin, COMPANY, newer.id),
    ):
        with pytest.raises(Refused):
            await store.write(wrong)
    # Undone, the old one holds again; forgotten, nothing of it comes back.
    await here.until_entry(old.id, lambda each: each.state is EntryState.SUPERSEDED)
    await store.write(lambda tx: changes.restore(tx, owner, COMPANY, old.id))
    await here.until_entry(newer.id, lambda each: each.state is EntryState.FORGOTTEN)
    await here.until_entry(old.id, lambda each: each.state is EntryState.LIVE)
    await store.write(lambda tx: changes.restore(tx, owner, COMPANY, newer.id))
    await here.until_entry(old.id, lambda each: each.state is EntryState.SUPERSEDED)
    await store.write(lambda tx: changes.forget(tx, owner, COMPANY, newer.id))
    await here.until_entry(newer.id, lambda each: each.state is EntryState.FORGOTTEN)
    await here.until_entry(old.id, lambda each: each.state is EntryState.FORGOTTEN)


def written_elsewhere(here: Memory, entry_id: str, text: str) -> None:
    """Another machine knew it too."""
    line = {"id": entry_id, "timestamp": "2026-01-01T00:00:00Z", "fact": text}
    with (here.folder / "facts.jsonl").open("a") as facts:
        facts.write(f"{json.dumps(line)}\n")


@pytest.mark.capability("G7")
async def test_what_is_known_is_not_stored_again_however_it_is_said(here: Memory) -> None:
    changes, owner, store = here.host.memory_parts.changes, await here.actor(), here.host.store
    ladder, owls = "The ladder is behind the roaster", "Owls live in the attic"
    await here.remembers("Note the ladder", {"text": ladder})
    first = await here.entry(ladder)
    assert first.id in await here.remembers("Note it again", {"text": "the ladder is  behind the roaster."})
    by_hand = await store.write(lambda tx: changes.remember(tx, owner, COMPANY, ladder))
    said = [await store.write(lambda tx: changes.remember(tx, owner, COMPANY, owls)) for _ in range(2)]
    await here.settled()
    assert by_hand == first.id
    assert said[0] == said[1]  # also before it is written
    assert (here.folder / "facts.jsonl").read_text().count("ladder") == 1
    # It may be told to strangers from now on: that is news.
    public = await store.write(lambda tx: changes.remember(tx, owner, COMPANY, owls, public=True))
    assert public != said[0]


@pytest.mark.capability("G7")
async def test_the_same_words_as_a_decision_or_with_an_end_are_another_entry(here: Memory) -> None:
    changes, owner, store = here.host.memory_parts.changes, await here.actor(), here.host.store
    words = "The otter closes the shop at six"
    wanted: list[dict[str, Any]] = [
        {},
        {"kind": EntryKind.DECISION},
        {"kind": EntryKind.PREFERENCE},
        {"expires": now() + timedelta(days=3)},
    ]

    async def kept() -> list[str]:
        say = partial(changes.remember, by=owner, company=COMPANY, text=words)
        return [await store.write(partial(say, **each)) for each in wanted]

    waiting = await kept()
    assert len(set(waiting)) == len(wanted)  # nothing of it is written yet
    await here.settled()
    assert await kept() == waiting


@pytest.mark.capability("G7")
async def test_a_note_of_a_decision_that_binds_nobody_is_no_double_of_one_that_does(here: Memory) -> None:
    changes, owner, store = here.host.memory_parts.changes, await here.actor(), here.host.store
    note = {
        "id": "dec_20260101_0tter000",
        "timestamp": "2026-01-01T00:00:00Z",
        "decision": "The otter has Mondays off",
        "binding": False,
    }
    with (here.folder / "decisions.jsonl").open("a") as decisions:
        decisions.write(f"{json.dumps(note)}\n")
    await store.write(here.host.memory_parts.writer.plan)
    await here.until_entry(str(note["id"]), lambda each: each.state is EntryState.LIVE)
    made = await store.write(
        lambda tx: changes.remember(tx, owner, COMPANY, str(note["decision"]), kind=EntryKind.DECISION)
    )
    assert made != note["id"]
    await here.until_entry(made, lambda each: each.is_binding)


@pytest.mark.capability("G7")
async def test_one_tap_forgets_doubles_and_the_activity_that_quotes_them(here: Memory) -> None:
    changes, owner, store = here.host.memory_parts.changes, await here.actor(), here.host.store
    secret, fish = "The walrus password is cinnamon", "The walrus likes fish"
    for words in (secret, fish):
        await here.remembers(f"{words}, note it", {"text": words})
    kept = await here.entry(secret)
    written_elsewhere(here, "fact_20260101_wa1rus00", secret)
    written_elsewhere(here, "fact_20260101_wa1rus01", "The walrus password is not cinnamon")
    await until(lambda: f"{fish}, note it" in here.claude_md())
    assert f"{secret}, note it" in here.claude_md()
    await store.write(here.host.memory_parts.writer.plan)
    await here.until_entry("fact_20260101_wa1rus01", lambda each: each.state is EntryState.LIVE)
    await store.write(lambda tx: changes.forget(tx, owner, COMPANY, kept.id))
    await here.until_entry(kept.id, lambda each: each.state is EntryState.FORGOTTEN)
    found = (each for each in (await here.entries()).values() if "walrus" in each.text)
    live = {each.text for each in found if each.state is EntryState.LIVE}
    assert {"The walrus password is not cinnamon", fish} <= live
    assert not any(secret in each for each in live)
    assert secret not in here.claude_md()
    assert fish in here.claude_md()


@pytest.mark.capability("G6")
async def test_maintenance_merges_doubles_and_purging_leaves_no_word(here: Memory) -> None:
    changes, owner, store = here.host.memory_parts.changes, await here.actor(), here.host.store
    before = await store.write(lambda tx: changes.maintain(tx, owner, COMPANY))  # what other tests said
    assert await here.host.memory_parts.writer.settled(before)
    await here.remembers("Once said", {"text": "The gate code is a blue heron"})
    once = await here.entry("The gate code is a blue heron")
    written_elsewhere(here, "fact_20260101_her0n000", once.text)
    # A month has passed.
    long_ago = {"at": (now() - timedelta(days=31)).isoformat()}
    await store.write(lambda tx: notes.write(tx, f"memory maintained {COMPANY}", long_ago, now()))
    await store.write(here.host.memory_parts.writer.plan)
    read = sa.select(parcels.c.text).where(parcels.c.text.contains("was put in order"))

    async def is_reported() -> str | None:
        return await store.read(lambda tx: tx.execute(read).scalar())

    await until(is_reported)
    assert "duplicates merged: 1," in str(await is_reported())
    live = [each for each in (await here.entries()).values() if "heron" in each.text and each.state == "live"]
    (left,) = (each for each in live if each.kind != "activity")
    # A double that someone wants back stands beside the other, for good.
    double = next(
        each
        for each in (await here.entries()).values()
        if each.superseded_by == left.id and "heron" in each.text
    )
    await store.write(lambda tx: changes.restore(tx, owner, COMPANY, double.id))
    await here.until_entry(double.id, lambda each: each.state is EntryState.LIVE)
    again = await store.write(lambda tx: changes.maintain(tx, owner, COMPANY))
    assert await here.host.memory_parts.writer.settled(again)
    states = [each.state for id_, each in (await here.entries()).items() if id_ in (left.id, double.id)]
    assert states == [EntryState.LIVE, EntryState.LIVE]
    purged = await store.write(lambda tx: changes.purge(tx, owner, COMPANY, left.id))
    assert await here.host.memory_parts.writer.settled(purged)
    assert not any("heron" in path.read_text() for path in here.folder.rglob("*.jsonl"))
    assert not any(
        "heron" in each.text for each in (await here.entries()).values() if each.kind != "activity"
    )


async def test_activity_that_moves_to_the_facts_stays_the_word_of_whoever_said_it(here: Memory) -> None:
    await here.say("Please weigh the anvils")
    await until(lambda: "weigh the anvils" in here.claude_md())
    await here.settled()
    later = "".join(f"- 2099-01-01: Polished anvil {number}\n" for number in range(50))
    notes, head = here.folder / "CLAUDE.md", "## Recent Activity\n\n"
    notes.write_text(here.claude_md().replace(head, head + later))
    await here.say("And now rest")

    def moved(words: str) -> list[dict[str, Any]]:
        """Not all that others wrote there can be read."""
        written = (here.folder / "facts.jsonl").read_text("utf-8-sig").splitlines()
        return [json.loads(each)["provenance"] for each in written if words in each]

    await until(lambda: moved("weigh the anvils"))
    (said,) = moved("weigh the anvils")
    assert (said["trust"], said["person"], bool(said["turn"])) == ("owner", "scripted:tester", True)
    assert all(each["trust"] == "hearsay" for each in moved("Polished anvil"))
