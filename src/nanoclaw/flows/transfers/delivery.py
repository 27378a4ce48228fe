"""Brings a released package to its target: documents in a chat, one file, or a git branch.

Everything here can be repeated: copies get the same names, and a branch the same commit. The message that
goes with it is posted by the story, in the transaction that says it was delivered, and so only once.
"""

import asyncio
import mimetypes
import shutil
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from nanoclaw.domain.ids import ChatId, new_id
from nanoclaw.domain.parcels import Attachment
from nanoclaw.domain.people import LOCAL_OWNER, Person
from nanoclaw.domain.transfers import (
    ARTIFACTS,
    CONTEXT_BUNDLE,
    MEMORY_SNAPSHOT,
    TRANSFER_MD,
    Target,
    Transfer,
)
from nanoclaw.durable import people
from nanoclaw.durable.store import Tx
from nanoclaw.flows.human.card_text import SHORT
from nanoclaw.flows.transfers import push_retries
from nanoclaw.flows.transfers.packages import Packages
from nanoclaw.flows.transfers.trouble import reason_of
from nanoclaw.texts import say

_DOCUMENTS = (TRANSFER_MD, CONTEXT_BUNDLE, MEMORY_SNAPSHOT)
_MOST_ARTIFACTS = 6  # as documents; more become one zip. An album has ten at most
_AT_MACHINE = ("web", "terminal")  # whose rooms only the owner of this machine sees
_TYPES = {".md": "text/markdown", ".jsonl": "application/x-ndjson"}


class Branches(Protocol):
    """Implemented by `flows/transfers/branch.py`."""

    async def publish(self, transfer: Transfer, folder: Path) -> dict[str, Any]: ...

    async def push(self, transfer: Transfer) -> Mapping[str, Any]: ...

    async def remove(self, transfer: Transfer) -> dict[str, Any]: ...


class DrivePlace(Protocol):
    """Implemented by `flows/transfers/drive.py`."""

    async def put(self, transfer: Transfer, files: Mapping[str, Path]) -> dict[str, Any] | None: ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Delivered:
    """What to tell the person who released it, with these files; `to` says where it went."""

    text: str
    attachments: Sequence[Attachment] = ()
    to: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Delivery:
    home: Path
    packages: Packages
    branches: Branches
    drive: DrivePlace | None = None

    async def deliver(self, transfer: Transfer, language: str) -> Delivered:
        """Raises NanoClawError if it cannot get there."""
        match transfer.target:
            case Target.CLAUDE_AI:
                return await self._as_documents(transfer, language)
            case Target.GIT:
                return await self._as_branch(transfer, language)
            case Target.CLAUDE_CODE | Target.MANUAL:
                archive = await asyncio.to_thread(self._keep_package, transfer)
                return Delivered(
                    text=say(language, f"transfer-out-{transfer.target}", **_values(transfer)),
                    attachments=[archive],
                )

    async def take_back(self, transfer: Transfer, *, with_copies: bool) -> Mapping[str, Any] | None:
        """Its time is over: remove the package and its branch. Returns why the branch could not be removed,
        if so. `with_copies`: also the files that went with its message.
        """
        await asyncio.to_thread(self.packages.remove, transfer.id)
        if with_copies:
            await asyncio.to_thread(self.forget_copies, transfer.id)
        if transfer.target is not Target.GIT:
            return None
        return (await self.branches.remove(transfer)).get("trouble")

    async def _as_documents(self, transfer: Transfer, language: str) -> Delivered:
        attachments = await asyncio.to_thread(self._keep_documents, transfer)
        told = [say(language, "transfer-out-claude-ai", **_values(transfer))]
        to: dict[str, Any] = {}
        if self.drive and (put := await self.drive.put(transfer, self._files(transfer))):
            to |= put
            told.append(_of_drive(put["drive"], language))
        return Delivered(text="\n\n".join(told), attachments=attachments, to=to)

    async def _as_branch(self, transfer: Transfer, language: str) -> Delivered:
        made = await self.branches.publish(transfer, self.packages.folder(transfer.id))
        key = "transfer-out-git" if made["pushed"] else "transfer-out-git-here"
        told = [say(language, key, branch=made["branch"], **_values(transfer))]
        if trouble := made.get("trouble"):
            told.append(reason_of(trouble, language))
        if push_retries.is_wanted(made):
            told.append(say(language, "transfer-push-again"))
        return Delivered(text="\n\n".join(told), to=made)

    def _files(self, transfer: Transfer) -> dict[str, Path]:
        """The files by their place in the package."""
        folder = self.packages.folder(transfer.id)
        names = (transfer.manifest or {}).get("files", {})
        return {name: folder / name for name in names}

    def _keep_documents(self, transfer: Transfer) -> list[Attachment]:
        # A company that knows nothing yet has an empty memory, and networks refuse empty files.
        files = {name: path for name, path in self._files(transfer).items() if path.stat().st_size}
        artifacts = [name for name in files if name.startswith(f"{ARTIFACTS}/")]
        single = [name for name in _DOCUMENTS if name in files]
        if len(artifacts) <= _MOST_ARTIFACTS:
            single += artifacts
        kept = [
            self._keep(transfer, number, files[name], name.rpartition("/")[2])
            for number, name in enumerate(single)
        ]
        if len(artifacts) > _MOST_ARTIFACTS:
            kept.append(self._keep_zip(transfer, len(kept), {name: files[name] for name in artifacts}))
        return kept

    def _keep_package(self, transfer: Transfer) -> Attachment:
        archive = self.packages.zipped(transfer.id)
        return self._keep(transfer, 0, archive, f"session_transfer-{transfer.id[-SHORT:]}.zip")

    def _keep_zip(self, transfer: Transfer, number: int, files: Mapping[str, Path]) -> Attachment:
        packed = self.packages.folder(transfer.id).with_name(f".{new_id('x')}.zip")
        try:
            with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
                for name, path in files.items():
                    archive.write(path, name)
            return self._keep(transfer, number, packed, f"{ARTIFACTS}.zip")
        finally:
            packed.unlink(missing_ok=True)

    @property
    def _attachments(self) -> Path:
        return self.home / "data" / "attachments"

    def have_copies(self) -> set[str]:
        """The transfers of which there are any. Blocks: use a thread."""
        return {copy.name.partition(".")[0] for copy in self._attachments.glob("tr_*.*")}

    def forget_copies(self, transfer_id: str) -> None:
        """Blocks: use a thread."""
        for copy in self._attachments.glob(f"{transfer_id}.*"):
            copy.unlink(missing_ok=True)

    def _keep(self, transfer: Transfer, number: int, source: Path, name: str) -> Attachment:
        """Keep a copy, complete or not at all, like every file that goes with a message."""
        folder, kept = self._attachments, f"{transfer.id}.{number}"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = folder / f".{kept}"
        shutil.copyfile(source, fresh)
        fresh.replace(folder / kept)
        suffix = Path(name).suffix.lower()
        media_type = _TYPES.get(suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
        size = (folder / kept).stat().st_size
        return Attachment(name=name, media_type=media_type, size=size, kept=kept)


def place_of(tx: Tx, transfer: Transfer, person: Person | None) -> ChatId:
    """The private chat of the person who released it, where nobody else reads; without one, the transfer's chat."""
    here = ChatId(transfer.chat_id)
    own = people.own_chats(tx, person) if person else []
    is_local = person is not None and person.handle == LOCAL_OWNER
    if here in own or (is_local and is_at_machine(tx, here)):
        return here
    return own[0] if own else here


def is_at_machine(tx: Tx, chat_id: ChatId) -> bool:
    """Whether it is a room of the page or the terminal, to which no file can be sent."""
    chat = people.chat(tx, chat_id)
    return chat is not None and chat.channel in _AT_MACHINE


def _values(transfer: Transfer) -> dict[str, object]:
    return {"id": transfer.id, "short": transfer.id[-SHORT:]}


def _of_drive(put: Mapping[str, Any], language: str) -> str:
    if trouble := put.get("trouble"):
        return say(language, "transfer-drive-not", reason=reason_of(trouble, language))
    return say(language, "transfer-drive", server=put["server"], count=len(put.get("files", ())))
