"""An analysis is read: its text in a box, then part by part by a model, or by its headings where there is none."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from typing import Any

import structlog

from nanoclaw.domain.context_files import RHYTHMS
from nanoclaw.domain.errors import ModelFailed, Refused
from nanoclaw.domain.money import Spender
from nanoclaw.domain.transfers import Analysis, Transfer
from nanoclaw.flows.analyses.files import AnalysisFiles
from nanoclaw.flows.analyses.findings import Findings
from nanoclaw.flows.analyses.headings import read_headings
from nanoclaw.flows.analyses.interpretation import SKILL, Ask, Document, parts_of, read_part
from nanoclaw.flows.company_context.documents import Documents, DocumentText, Unreadable
from nanoclaw.flows.company_context.files import ContextFiles
from nanoclaw.flows.human.card_text import SHORT
from nanoclaw.flows.transfers import manifest

log = structlog.get_logger("analysis")


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentReader:
    """`instructions` are those of the skill that reads the document."""

    files: AnalysisFiles
    documents: Documents
    context: ContextFiles
    ask: Ask
    instructions: Callable[[], str]

    async def text_of(self, analysis: Analysis) -> DocumentText:
        """Raises Unreadable, BoxRefused."""
        path = self.files.path(analysis)
        try:
            return await self.documents.read_own(path, analysis.company)
        except FileNotFoundError:
            if await asyncio.to_thread(path.exists):
                raise
            # Somebody tidied up, or this host does not have the folder: waiting would not bring it back.
            raise Unreadable("analysis-gone", name=analysis.file_name) from None

    async def context_of(self, company: str) -> dict[str, str | None]:
        """The current texts of the company's context files."""
        return await asyncio.to_thread(lambda: {file: self.context.read(company, file) for file in RHYTHMS})

    async def parts(
        self, analysis: Analysis, text: str, transfer: Transfer, handle: str
    ) -> AsyncGenerator[dict[str, Any], None]:
        """Read the parts that the row does not have yet, and yield all findings so far after each. Store them
        at once: they are paid for. Raises ModelOutage.
        """
        spender = Spender(
            company=analysis.company,
            group=transfer.group,
            session_id=transfer.session_id,
            turn_id=analysis.id,
            runtime="analysis",
            skill=SKILL,
            flow="B",
            person=handle,
            chat_id=analysis.chat_id,
            is_own=True,
        )
        context = await self.context_of(analysis.company)
        asked = Document(
            name=analysis.file_name,
            text=text,
            purpose=transfer.purpose,
            language=analysis.language,
            skill=await asyncio.to_thread(self.instructions),
            context={file: said for file, said in context.items() if said},
        )
        parts, found = parts_of(text), dict(analysis.found or {})
        for number in range(int(found.get("read") or 0), len(parts)):
            part = await self._part(asked, spender, number)
            so_far = Findings.of(found) + (part or read_headings(parts[number]))
            by_model = bool(found.get("by_model")) or part is not None
            found = {**so_far.stored(), "read": number + 1, "by_model": by_model}
            yield found

    async def _part(self, asked: Document, spender: Spender, number: int) -> Findings | None:
        """None if the part has to be read by its headings."""
        try:
            return await read_part(self.ask, spender, asked, number)
        except ModelFailed as failed:
            log.warning("part of an analysis not read by a model", analysis=spender.turn_id, reason=failed)
            return None


def check_package(document: DocumentText, transfer: Transfer) -> None:
    """Refuse a returned package with altered files; missing and extra files are ignored."""
    if document.manifest is None:
        return
    listed = (transfer.manifest or {}).get("files") or {}
    given = {name: document.digests.get(f"{document.base}{name}") for name in listed}
    altered = manifest.verify(
        {name: digest or listed[name]["sha256"] for name, digest in given.items()},
        document.manifest.encode(),
        transfer.content_hash or "",
    )
    if altered:
        shown = ", ".join(altered[:5])
        raise Refused("analysis-altered", files=shown, id=transfer.id[-SHORT:])
