"""A client of a host's context over its HTTP API, for the command line."""

from typing import Any
from urllib.parse import urlencode

from nanoclaw.client.connection import OnCommandLine, as_part
from nanoclaw.console.context_shapes import (
    ContextList,
    ContextText,
    DocumentReading,
    Proposal,
    ProposalList,
    Version,
    VersionList,
    VersionText,
)
from nanoclaw.console.question_shapes import Decided


class ContextClient(OnCommandLine):
    """`file` is one of the known names."""

    async def all(self, company: str | None) -> ContextList:
        return await self._ask(ContextList, "GET", f"/api/context{_query(company=company)}")

    async def get(self, file: str, company: str | None) -> ContextText:
        return await self._ask(ContextText, "GET", f"/api/context/{file}{_query(company=company)}")

    async def propose(self, file: str, **wanted: Any) -> Proposal:
        return await self._ask(Proposal, "POST", f"/api/context/{file}", wanted)

    async def delete(self, file: str, company: str | None) -> Proposal:
        return await self._ask(Proposal, "DELETE", f"/api/context/{file}{_query(company=company)}")

    async def restore(self, file: str, version: str, company: str | None) -> Proposal:
        wanted = {"version": version, "company": company}
        return await self._ask(Proposal, "POST", f"/api/context/{file}/restore", wanted)

    async def versions(self, file: str, company: str | None) -> list[Version]:
        path = f"/api/context/{file}/versions{_query(company=company)}"
        return (await self._ask(VersionList, "GET", path)).versions

    async def version(self, file: str, version: str, against: str | None, company: str | None) -> VersionText:
        query = _query(company=company, against=against)
        return await self._ask(VersionText, "GET", f"/api/context/{file}/versions/{as_part(version)}{query}")

    async def proposals(self, company: str | None) -> list[Proposal]:
        path = f"/api/context-proposals{_query(company=company)}"
        return (await self._ask(ProposalList, "GET", path)).proposals

    async def proposal(self, proposal_id: str) -> Proposal:
        return await self._ask(Proposal, "GET", f"/api/context-proposals/{as_part(proposal_id)}")

    async def hand_in(self, name: str, content: bytes, about: str, company: str | None) -> DocumentReading:
        path = f"/api/context-documents{_query(name=name, about=about, company=company)}"
        return await self._ask(DocumentReading, "POST", path, content)

    async def reading(self, reading_id: str) -> DocumentReading:
        return await self._ask(DocumentReading, "GET", f"/api/context-documents/{as_part(reading_id)}")

    async def approve(self, proposal: Proposal) -> str:
        """Approve it; returns what the host says."""
        wanted = {"option": "apply", "text": None}
        return (
            await self._ask(Decided, "POST", f"/api/questions/{proposal.question_id}/decide", wanted)
        ).said


def _query(**values: str | None) -> str:
    given = {name: value for name, value in values.items() if value is not None}
    return f"?{urlencode(given)}" if given else ""
