"""The tools with which an agent reads a document and proposes a change of the company's context."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from nanoclaw.context.groups import Group
from nanoclaw.domain.context_edits import Replacement, appended, replaced
from nanoclaw.domain.context_files import file_named
from nanoclaw.domain.errors import NanoClawError
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.tool_arguments import ProposeContext, ReadDocument, TextEdit
from nanoclaw.domain.tool_requests import BadToolRequest, ToolReply, ToolRequest
from nanoclaw.domain.turns import Session
from nanoclaw.durable import session_queue
from nanoclaw.durable.clock import now
from nanoclaw.durable.proposals import Proposal, ProposalSource
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.turns import speaker_of
from nanoclaw.flows.company_context.documents import Documents
from nanoclaw.flows.company_context.files import ContextFiles
from nanoclaw.flows.company_context.proposals import ContextChange, ProposalPlace, Proposals
from nanoclaw.flows.sending.other_groups import actor_of, standing_of
from nanoclaw.texts import tell

_NO_TURN = "No turn is running. Ask while you work for someone."
_PAGE = 40_000  # characters of a document at once


@dataclass(kw_only=True)
class ContextTools:
    store: Store
    files: ContextFiles
    proposals: Proposals
    locale: Locale
    documents: Documents | None = field(
        default=None
    )  # given later: it needs boxes, whose agents need these tools

    async def propose(self, asking: ToolRequest, session: Session, group: Group) -> ToolReply:
        given = asking.given(ProposeContext)
        try:
            file = file_named(given.file)
            before = await asyncio.to_thread(self.files.read, group.company, file)
            after = given.text if given.text is not None else edited(before or "", given.edits or (), file)
        except (NanoClawError, BadToolRequest) as error:
            return _refused(error)
        change = ContextChange(
            company=group.company,
            file=file,
            before=before,
            after=after,
            summary=given.summary,
            source=ProposalSource.FILE if asking.skill == "document-analyzer" else ProposalSource.CHAT,
            origin=f"tool {session.id} {asking.id}",
        )

        def story(tx: Tx) -> Proposal | None:
            found = standing_of(tx, asking, session, group)
            if found is None:
                return None
            turn = session_queue.open_turn(tx, session.id)
            place = ProposalPlace(
                group=group.name,
                chat_id=session.chat_id,
                thread=session.thread,
                session_id=session.id,
                turn_id=turn[0] if turn else None,
            )
            by = actor_of(*found, group.locale.or_else(self.locale))
            return self.proposals.propose(tx, by, change, place, now())

        try:
            proposal = await self.store.write(story)
        except NanoClawError as error:
            return _refused(error)
        if proposal is None:
            return ToolReply(ok=False, text=_NO_TURN)
        asking.noted()
        said = (
            f"Proposed: people see the difference for {file} on a card and decide. Nothing has changed yet. Do not "
            "propose it again, and do not repeat the difference."
        )
        return ToolReply(ok=True, text=said, data={"file": file, "proposal": proposal.id})

    async def read_document(self, asking: ToolRequest, session: Session, group: Group) -> ToolReply:
        given = asking.given(ReadDocument)
        if self.documents is None:
            return ToolReply(ok=False, text="Documents cannot be read now.")
        try:
            text = await self.documents.read(given.path, group)
        except NanoClawError as error:
            # In the person's language: the agent passes it on.
            person = await self.store.read(lambda tx: speaker_of(tx, session))
            own = Locale(language=person.language if person else None)
            language = own.or_else(group.locale).or_else(self.locale).speaks
            return ToolReply(
                ok=False, text=f"{given.path}: {tell(language, error)}", data={"refused": error.key}
            )
        asking.noted()
        start = given.offset or 0
        page, end = text[start : start + _PAGE], start + _PAGE
        more = (
            f"\n\n[More: read on with offset {end}. {len(text)} characters in all.]"
            if end < len(text)
            else ""
        )
        return ToolReply(ok=True, text=page + more, data={"characters": len(text)})


def edited(text: str, edits: Sequence[TextEdit], file: str) -> str:
    """Apply the edits. Raises BadToolRequest with what to change."""
    for edit in edits:
        if not edit.old.strip():
            text = appended(text, edit.new)
            continue
        if edit.all and (changed := replaced(text, Replacement(edit.old, edit.new))) is not None:
            text = changed
            continue
        count = text.count(edit.old)
        if count != 1:
            where = "is not in" if count == 0 else f"stands {count} times in"
            raise BadToolRequest(
                f"`old` {where} {file}: {edit.old[:100]!r}. Read the file below /context and copy one whole passage."
            )
        text = text.replace(edit.old, edit.new)
    return text


def _refused(error: NanoClawError | BadToolRequest) -> ToolReply:
    said = tell("en", error) if isinstance(error, NanoClawError) else str(error)
    return ToolReply(ok=False, text=f"Not proposed. {said}", data={"refused": "arguments"})
