"""The stage of analyses: a conversation that was taken elsewhere, and a model that reads what comes back."""

import io
import json
import zipfile
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from tests.telegram_scene import Scene, eventually, telegram_scene

from nanoclaw.domain.memory import Entry
from nanoclaw.domain.people import Actor, Role
from nanoclaw.domain.transfers import Analysis, Target, Transfer, TransferState
from nanoclaw.domain.turns import Session
from nanoclaw.durable import analyses, memberships, memory_changes, people, sessions, transfers, wirings
from nanoclaw.durable.clock import now
from nanoclaw.durable.knowledge_tables import memory_entries
from nanoclaw.durable.memory_entries import to_entry
from nanoclaw.durable.store import Tx
from nanoclaw.durable.transfer_tables import analyses as rows
from nanoclaw.flows.transfers import manifest
from nanoclaw.testing.model_parts import Asked
from nanoclaw.testing.model_server import ModelServer

REPORT = """# Analysis

Transfer ID: {id}

## Facts
- The office plan sells best in {place}.
- Deliveries to {place} take 3 days.

## Decisions
- We open a shop in {place} (because: people ask for it)
- The shop closes on Mondays

## Context changes
- product/pricing: Prices in {place} are the same.

## Next step
Step 4: plan the opening
"""

Answer = Callable[[Asked], Any] | str | Mapping[str, Any]


@dataclass
class Reader:
    """The model of every call: it finds in documents what the test says, and answers as the agent."""

    finds: list[Answer] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)
    turns: list[str] = field(default_factory=list)
    told: str = ""  # the whole prompt of the last turn

    def __call__(self, asked: Asked) -> Any:
        if "<document name=" in asked.text:
            self.prompts.append(asked.text)
            answer = self.finds.pop(0) if self.finds else {"facts": []}
            if isinstance(answer, Mapping):
                return json.dumps(answer)
            return answer if isinstance(answer, str) else answer(asked)
        self.told, said = asked.text, asked.text.rpartition("<messages>")[2]
        self.turns.append(said)
        return "I go on with step 4." if "The result of transfer" in said else "As you wish."


@dataclass(frozen=True, kw_only=True, slots=True)
class AnalysisScene(Scene):
    reader: Reader

    async def with_someone(self, name: str, *, language: str = "") -> "AnalysisScene":
        """An owner of their own, whose conversation is empty yet."""
        joined = await self.joined_by(name, language=language)
        assert isinstance(joined, AnalysisScene)
        return joined

    async def with_member(self, name: str) -> "AnalysisScene":
        """A member of the group, alone with its agent."""
        joined = await self.joined_by(name, role=Role.MEMBER)
        assert isinstance(joined, AnalysisScene)

        def wire(tx: Tx) -> None:
            channel, address = f"telegram:{self.bot.id}", str(joined.owner.id)
            own = people.add_chat(tx, channel=channel, address=address, title=name, at=now())
            wirings.wire(tx, own.id, own.kind, "main", now())

        await self.host.store.write(wire)
        return joined

    async def taken_elsewhere(self, purpose: str = "Where to open the shop", **changed: Any) -> Transfer:
        """A conversation of this chat, as delivered to another runtime."""
        if not await self.host.store.read(self._session):
            await self.ask("Where shall we open the shop?")
        return await self.host.store.write(lambda tx: self._delivered(tx, purpose, changed))

    def _session(self, tx: Tx) -> Session | None:
        chat = people.chat_at(tx, f"telegram:{self.bot.id}", str(self.chat.id))
        return sessions.find(tx, "main", chat.id, None) if chat else None

    def _delivered(self, tx: Tx, purpose: str, changed: dict[str, Any]) -> Transfer:
        person = people.person_named(tx, f"telegram:{self.owner.id}")
        session = self._session(tx)
        assert person
        assert session
        transfer = Transfer(
            id=transfers.new_transfer_id(),
            company="demo",
            group="main",
            session_id=session.id,
            chat_id=session.chat_id,
            person_id=person.id,
            purpose=purpose,
            source_runtime="nanoclaw",
            source_version="1",
            target=Target.CLAUDE_AI,
            language="en",
            created_at=now(),
            delivered_at=now(),
            expires_at=now() + timedelta(hours=72),
            state=TransferState.DELIVERED,
        )
        transfer = replace(transfer, **changed)
        transfers.add(tx, transfer)
        return transfer

    async def brings(self, content: str | bytes, name: str = "report.md", said: str = "") -> None:
        data = content.encode() if isinstance(content, str) else content
        caption = f"/import_analysis {said}".strip()
        await self.owner.sends_document(self.chat, data, name=name, caption=caption)

    async def says(self, words: str) -> str:
        """What the bot says with these words, once it does."""
        await self.chat.wait_until(lambda: any(words in each for each in self.chat.texts()))
        return next(each for each in reversed(self.chat.texts()) if words in each)

    async def refused(self, content: str | bytes, name: str = "report.md", said: str = "") -> str:
        """Why it is not taken over."""
        before = len(self.chat.texts())
        await self.brings(content, name, said)

        def told() -> list[str]:
            fresh = self.chat.texts()[before:]
            return [each for each in fresh if "Reading" not in each and not each.startswith("/")]

        await self.chat.wait_until(told)
        return told()[0]

    async def analysis(self, *states: str) -> Analysis:
        """The newest of this person, once it is in one of these states."""

        def look(tx: Tx) -> Analysis | None:
            person = people.person_named(tx, f"telegram:{self.owner.id}")
            query = sa.select(rows.c.id).where(rows.c.person_id == (person.id if person else ""))
            found = tx.execute(query.order_by(rows.c.id.desc()).limit(1)).scalar()
            one = analyses.get(tx, found) if found else None
            return one if one and (not states or one.state in states) else None

        return await eventually(lambda: self.host.store.read(look))

    async def transfer(self, transfer_id: str) -> Transfer:
        found = await self.host.store.read(lambda tx: transfers.get(tx, transfer_id))
        assert found
        return found

    async def actor(self, role: Role = Role.OWNER) -> Actor:
        def look(tx: Tx) -> Actor:
            person = people.person_named(tx, f"telegram:{self.owner.id}")
            assert person
            return Actor.of(person, memberships.rights_of(tx, person), via="web", language="en")

        return await self.host.store.read(look)

    async def remembered(self, words: str) -> list[Entry]:
        """What memory has with these words, once everything is written that was asked of it."""

        async def settled() -> list[Entry] | None:
            def look(tx: Tx) -> list[Entry] | None:
                if memory_changes.waiting(tx, "demo", 1):
                    return None
                rows = tx.execute(sa.select(memory_entries).where(memory_entries.c.company == "demo"))
                found = [to_entry(row) for row in rows]
                return [each for each in found if words in each.text and not each.id.startswith("i_")]

            return await self.host.store.read(look)

        return await eventually(settled)


def package(transfer: Transfer, files: Mapping[str, str]) -> tuple[dict[str, bytes], Transfer]:
    """What left with a transfer, and the transfer as its row would be."""
    content = {name: text.encode() for name, text in files.items()}
    body = {
        "transfer_id": transfer.id,
        "files": {name: {"size": len(each), "sha256": _sha(each)} for name, each in content.items()},
    }
    written = json.dumps(body).encode()
    changed = replace(transfer, manifest=body, content_hash=manifest.hash_of(written))
    return {**content, "manifest.json": written}, changed


def zipped(files: Mapping[str, bytes | str], *, below: str = "") -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(f"{below}{name}", content)
    return made.getvalue()


def _sha(content: bytes) -> str:
    return manifest.hash_of(content)


@asynccontextmanager
async def analysing(home: Path, reader: Reader | None, **settings: Any) -> AsyncIterator[AnalysisScene]:
    """Without a reader it is the demo: no model at all."""
    async with ModelServer(reader or Reader()) as model:
        sections: dict[str, Any] = dict(settings)
        if reader:
            sections["anthropic"] = {"api_key": model.key, "base_url": model.url}
            sections["agents"] = {"runtime": "native"}
        async with telegram_scene(home, paced=False, **sections) as scene:
            yield AnalysisScene(
                server=scene.server,
                bot=scene.bot,
                host=scene.host,
                owner=scene.owner,
                chat=scene.chat,
                reader=reader or Reader(),
            )
