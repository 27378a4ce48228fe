"""Handoffs across runtimes: a result that others pushed wakes its sender; a contract of theirs is put to an
owner.

People who can push are not members: a result is hearsay, and work they want from us begins with an owner's
yes.
"""

import asyncio
import hashlib
import json
from dataclasses import dataclass
from datetime import datetime
from functools import partial

import structlog

from nanoclaw.delivery.alerts import Alerts
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.handoff_contract import as_contract
from nanoclaw.domain.handoffs import Handoff, HandoffState, HandoffWay
from nanoclaw.domain.text import as_written
from nanoclaw.domain.tool_requests import BadToolRequest
from nanoclaw.durable import handoffs, notes
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx
from nanoclaw.flows.handoffs.came_contracts import CameContracts, origin_of
from nanoclaw.flows.handoffs.ends import HandoffEnds
from nanoclaw.flows.handoffs.git_files import GitFiles, Result, WrittenFile, result_in
from nanoclaw.texts import say, tell

log = structlog.get_logger("handoffs")

_TOLD = "handoffs-refused"
"""The note that lists refused files with their contents' hashes, so that owners hear of each once."""
_MOST_KEPT = 500
_MOST_NAMED = 10


@dataclass(frozen=True, kw_only=True, slots=True)
class HandoffsFromGit:
    store: Store
    files: GitFiles
    contracts: CameContracts
    ends: HandoffEnds
    alerts: Alerts

    async def look(self) -> bool:
        """Take up what is new; returns whether answers were written. May be repeated: what was taken up is in
        rows.
        """
        refused: list[tuple[WrittenFile, Refused]] = []
        for written in await asyncio.to_thread(self.files.new):
            contract = await asyncio.to_thread(self.files.contract, written.company, written.id)
            try:
                await self.store.write(partial(self._take, written=written, contract=contract, at=now()))
                self.files.taken(written)
            except Refused as error:
                refused.append((written, error))
            except BadToolRequest as error:
                refused.append((written, Refused("handoff-file-form", said=str(error)[:500])))
        # Answers first: a host killed here writes them again, but reports each file once.
        wrote = [await self._answer(*each) for each in refused]
        if refused and (fresh := await self.store.write(partial(self._tell, refused=refused))):
            log.warning("handoffs from git refused", files=fresh)
        for written, _ in refused:
            self.files.taken(written)
        return any(wrote)

    async def _answer(self, written: WrittenFile, why: Refused) -> bool:
        """Write the refusal next to their contract. Next to ours is the place for their result."""
        if written.kind != ".json" or why.key == "handoff-altered":
            return False
        if await self.store.read(partial(handoffs.get, handoff_id=written.id)):
            return False
        answer = {"id": written.id, "status": "refused", "result": tell("en", why)}
        return await asyncio.to_thread(self.files.write_result, written.company, written.id, answer)

    def _take(self, tx: Tx, *, written: WrittenFile, contract: bytes | None, at: datetime) -> None:
        handoff = handoffs.locked(tx, written.id)
        if handoff is None:
            known = handoffs.known(tx, origin_of(written))
            if written.kind == ".json":
                self.contracts.take(tx, written, known, at)
            elif known is None and not _is_answer(written):
                raise Refused("handoff-unknown", id=written.id)
            return
        if handoff.company != written.company:
            raise Refused("handoff-other-company", company=written.company, own=handoff.company)
        if handoff.way is not HandoffWay.GIT:
            raise Refused("handoff-not-through-git", id=written.id)
        result = result_in(written)
        if result is None and handoff.state.is_over:
            return
        if result and handoff.state.is_over and _is_its_own(handoff, result):
            return
        if handoff.state is HandoffState.EXPIRED or (result and handoff.expires_at <= at):
            raise Refused("handoff-expired", at=handoff.expires_at.isoformat(timespec="seconds"))
        if handoff.state.is_over:
            raise Refused("handoff-over")
        if contract is not None and _is_altered(handoff, contract):
            raise Refused("handoff-altered", id=written.id)
        if result:
            self._end(tx, handoff, result, at)

    def _end(self, tx: Tx, handoff: Handoff, result: Result, at: datetime) -> None:
        if result.is_done:
            self.ends.end(tx, handoff, HandoffState.DONE, at, result=result.text)
        else:
            why = {"key": "handoff-failed-elsewhere", "said": result.text}
            self.ends.end(tx, handoff, HandoffState.FAILED, at, why=why)

    def _tell(self, tx: Tx, *, refused: list[tuple[WrittenFile, Refused]]) -> int:
        """Tell the owners about refused files; returns how many were new to them."""
        known = notes.read(tx, _TOLD) or {}
        fresh = [each for each in refused if known.get(each[0].path) != each[0].sha256]
        if not fresh:
            return 0
        kept = {**known, **{written.path: written.sha256 for written, _ in fresh}}
        notes.write(tx, _TOLD, dict(list(kept.items())[-_MOST_KEPT:]), now())

        def words(language: str) -> tuple[str, tuple[()]]:
            lines = [
                f"• {as_written(each.path)}: {as_written(tell(language, error))}"
                for each, error in fresh[:_MOST_NAMED]
            ]
            told = {"files": "\n".join(lines), "count": len(fresh), "more": max(0, len(fresh) - _MOST_NAMED)}
            return say(language, "handoff-git-refused", **told), ()

        named = "".join(f"{written.path} {written.sha256}" for written, _ in fresh)
        self.alerts.post(tx, f"handoffs {hashlib.sha256(named.encode()).hexdigest()[:24]}", words)
        return len(fresh)


def _is_its_own(handoff: Handoff, result: Result) -> bool:
    """Whether this is the result that ended the handoff, seen again."""
    return result.text in (handoff.result, (handoff.why or {}).get("said"))


def _is_answer(written: WrittenFile) -> bool:
    """Whether this is our own refusal of somebody's contract."""
    try:
        return bool(json.loads(written.content).get("status") == "refused")
    except (ValueError, AttributeError, RecursionError):
        return False


def _is_altered(handoff: Handoff, contract: bytes) -> bool:
    """Whether the file differs from what was handed over; a result may have been added."""
    try:
        found = json.loads(contract)
    except (ValueError, RecursionError):
        return True
    return not isinstance(found, dict) or {**found, "result": None} != {
        **as_contract(handoff),
        "result": None,
    }
