"""Secrets that come into memory by hand or by a command reach nobody (SPEC G4)."""

import json

import httpx
import pytest
import sqlalchemy as sa
from tests.memory_scene import Memory
from tests.staging import until

from nanoclaw.durable.knowledge_tables import memory_changes, memory_entries
from nanoclaw.durable.tables import notes, parcels

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.capability("G4", "G8"),
    pytest.mark.attack,
]

IN_FACTS, IN_BROKEN, IN_NOTES = "Vq74oK5eAC30", "Zr81pL6fBD41", "Xs92qM7gCE52"
SECRETS = (IN_FACTS, IN_BROKEN, IN_NOTES)


async def alerts(here: Memory) -> list[str]:
    read = sa.select(parcels.c.text).where(parcels.c.origin.startswith("alert memory secrets"))
    return await here.host.store.read(lambda tx: list(tx.execute(read).scalars()))


async def kept_in_database(here: Memory) -> str:
    """Index, quarantine and notes."""
    tables = (memory_entries, memory_changes, notes)
    return await here.host.store.read(
        lambda tx: str([row for table in tables for row in tx.execute(sa.select(table))])
    )


async def page(here: Memory) -> str:
    headers = {"Authorization": f"Bearer {here.host.token}"}
    paths = ("", "?words=larder", "/notes", "/quarantine", "/entries/fact_20260102_byhand01")
    async with httpx.AsyncClient(base_url=here.host.url, headers=headers, timeout=60) as client:
        answers = [await client.get(f"/api/memory{path}") for path in paths]
    assert [each.status_code for each in answers] == [200] * len(paths)
    return "".join(each.text for each in answers)


def write_by_hand(here: Memory) -> None:
    line = {
        "id": "fact_20260102_byhand01",
        "timestamp": "2026-01-02T00:00:00Z",
        "fact": f"Larder: DB_PASSWORD={IN_FACTS}",
        "topic": f"password: {IN_FACTS}",
    }
    with (here.folder / "facts.jsonl").open("a") as file:
        file.write(json.dumps(line) + f'\n{{"password": "{IN_BROKEN}", broken\n')
    notes_file = here.folder / "CLAUDE.md"
    notes_file.write_text(f"{notes_file.read_text()}\n## Larder notes\n\nThe password is {IN_NOTES}\n")


async def test_a_secret_written_by_hand_stays_in_its_file_and_is_seen_nowhere_else(here: Memory) -> None:
    write_by_hand(here)
    await here.host.store.write(here.host.memory_parts.writer.plan)
    entry = await here.until_entry("fact_20260102_byhand01", lambda each: "[secret]" in each.text)
    assert (entry.text, entry.topic) == ("Larder: DB_PASSWORD=[secret]", "password: [secret]")

    async def is_told() -> bool:
        return len(await alerts(here)) == 2  # one for each file

    await until(is_told)
    for _ in range(2):  # told once, however often the files are read again or changed elsewhere
        facts = here.folder / "facts.jsonl"
        facts.write_bytes(b"\n" + facts.read_bytes())
        await here.host.store.write(here.host.memory_parts.writer.plan)
        await here.say("/remember Jars of the larder are blue")
        await here.settled()
    told = "".join(await alerts(here))
    assert len(await alerts(here)) == 2
    assert "facts.jsonl` holds 2 lines with secrets" in told

    here.agent.does("Recall the larder", here.agent.call("recall", query="larder password"))
    recalled = await here.say("Recall the larder")
    here.agent.does("Read the larder", here.agent.call("bash", command="cat /memory/*"))
    mounted = await here.say("Read the larder")
    listed = (await here.say("/memory larder")).replace("\\", "")
    shown = await page(here)
    views = {"recall": recalled, "view": mounted, "command": listed, "page": shown}
    assert {name: text for name, text in views.items() if "Larder: DB_PASSWORD=[secret]" not in text} == {}
    assert "The password is [secret]" in shown
    assert "The password is [secret]" in repr(here.agent.asked)  # the prompt of every turn
    seen = (told, recalled, mounted, listed, shown, repr(here.agent.asked), await kept_in_database(here))
    assert [(secret, place) for place, each in enumerate(seen) for secret in SECRETS if secret in each] == []
    files = (here.folder / "facts.jsonl").read_text() + (here.folder / "CLAUDE.md").read_text()
    assert all(secret in files for secret in SECRETS)


@pytest.mark.parametrize(
    ("words", "secret"),
    [
        ('Cellar one: {"password": "Wq74oK5eAC31"}', "Wq74oK5eAC31"),
        ("Cellar two: DB_PASSWORD=Wq74oK5eAC32", "Wq74oK5eAC32"),
        (f"Cellar three: github_pat_{'11ABCDEFG0' * 2}Xy_{'aB3dE5fG7h' * 6}", "aB3dE5fG7haB3dE5fG7h"),
        ("Cellar four: postgresql://app:Wq74oK5eAC33@db:5432/shop", "Wq74oK5eAC33"),
        ("Cellar five: machine db.example login anna password Wq74oK5eAC34", "Wq74oK5eAC34"),
        ("Cellar six: AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYzZ91kLmPq2", "bPxRfiCYzZ91kLmPq2"),
    ],
)
async def test_remember_stores_no_secret(here: Memory, words: str, secret: str) -> None:
    await here.say("Good morning")  # the first word in a chat is what gives it an agent
    await here.say(f"/remember {words}")
    await here.settled()
    entry = await here.entry(words.partition(":")[0])
    assert "[secret]" in entry.text
    files = "".join(each.read_text() for each in here.folder.iterdir() if each.is_file())
    assert secret not in files + await kept_in_database(here)
