"""A host with a conversation that is packed for another runtime, and the package as its reader finds it."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.staging import until
from tests.task_agent import TaskAgent

from nanoclaw.domain.ids import ChatId
from nanoclaw.domain.memory import EntryFilter, EntryKind
from nanoclaw.domain.transfers import LIFETIME, Package, Target, Transfer
from nanoclaw.durable import people, sessions, transfers
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.flows.transfers.packages import Packages
from nanoclaw.host.host import Host
from nanoclaw.memory import index
from nanoclaw.testing import FarEnd, started_host

COMPANY = "demo"
_SAID = EntryFilter(kinds=(EntryKind.FACT, EntryKind.DECISION))


@dataclass(frozen=True)
class Packed:
    """What is in the folder, by name."""

    package: Package
    transfer: Transfer
    files: dict[str, bytes]

    @property
    def transfer_md(self) -> str:
        return self.files["transfer.md"].decode()

    @property
    def bundle(self) -> str:
        return self.files["context_bundle.md"].decode()

    @property
    def snapshot(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.files["memory_snapshot.jsonl"].decode().splitlines()]

    def artifact(self, name: str) -> str:
        return self.files[f"work_artifacts/{name}"].decode()

    def section(self, heading: str) -> str:
        """What stands below a heading of ours."""
        return self.transfer_md.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0].strip()

    @property
    def everything(self) -> bytes:
        """Names included."""
        return b"\n".join(name.encode() + b"\n" + content for name, content in self.files.items())


@dataclass(frozen=True)
class Packing:
    host: Host
    far_end: FarEnd
    agent: TaskAgent
    packages: Packages

    @property
    def company(self) -> Path:
        return self.host.home / "companies" / COMPANY

    @property
    def group_files(self) -> Path:
        return self.host.home / "groups" / "main" / "files"

    async def say(self, text: str, *, chat: str = "chat", files: dict[str, bytes] | None = None) -> str:
        """And get the answer."""
        before = len(self.far_end.said_to(chat))
        await self.far_end.say(chat, text, files=files)
        return (await self.far_end.wait_for(chat, before + 1))[before]

    async def asked_for(
        self,
        *,
        chat: str = "chat",
        purpose: str = "a deep analysis of our prices",
        target: Target = Target.MANUAL,
        language: str = "en",
    ) -> Transfer:
        def add(tx: Tx) -> Transfer:
            place = people.chat_at(tx, "scripted", chat)
            assert place
            [session] = sessions.of_chat(tx, ChatId(place.id), None)
            speaker = people.person_named(tx, "scripted:tester")
            assert speaker
            transfer = Transfer(
                id=transfers.new_transfer_id(),
                company=COMPANY,
                group=session.group,
                session_id=session.id,
                chat_id=place.id,
                person_id=speaker.id,
                purpose=purpose,
                source_runtime="nanoclaw",
                source_version="1.2.3",
                target=target,
                language=language,
                created_at=now(),
                expires_at=now() + LIFETIME,
            )
            transfers.add(tx, transfer)
            return transfer

        return await self.host.store.write(add)

    async def pack(self, **wanted: Any) -> Packed:
        transfer = await self.asked_for(**wanted)
        package = await self.packages.pack(transfer)
        return self.read(transfer, package)

    def read(self, transfer: Transfer, package: Package) -> Packed:
        folder = self.packages.folder(transfer.id)
        files = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }
        return Packed(package, transfer, files)


@asynccontextmanager
async def packing(home: Path, **settings: Any) -> AsyncIterator[Packing]:
    """The agent says what it heard, unless a test says otherwise; nobody sums sessions up, as in the demo."""
    agent = TaskAgent()
    async with FarEnd() as far_end:
        chosen = {"scripted": {"url": far_end.url}, **settings}
        model = None if "anthropic" in settings else agent
        async with started_host(home, model=model, **chosen) as host:
            yield Packing(host, far_end, agent, host.transfer_parts.packages)


async def until_indexed(packing: Packing, text: str) -> None:
    """The index follows the files of memory."""

    async def there() -> bool:
        found = await packing.host.store.read(lambda tx: index.latest(tx, COMPANY, _SAID, now(), limit=100))
        return any(text in each.text for each in found)

    await until(there)
