"""Flow G. Writes what was asked of a company's memory to its files; the index follows them.

There is one writer per company: the lease of its work row says who. Every step is repeatable: lines have the
ids of their changes and are appended once, the index is compared with the files, and the changes are settled
last, in the transaction that updates the index.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import structlog

from nanoclaw.delivery.alerts import Alerts
from nanoclaw.domain.memory import Entry, Trust
from nanoclaw.durable import memory_changes, notes, questions, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.memory_changes import RECORD, Action, Change, ChangeState
from nanoclaw.durable.store import Store, Tx, insist
from nanoclaw.durable.work import Claim
from nanoclaw.flows.knowledge import index_follower
from nanoclaw.flows.knowledge.change_questions import ChangeQuestions
from nanoclaw.flows.knowledge.conflicts import candidates, contradicted, may_contradict
from nanoclaw.flows.knowledge.index_follower import FilePiece, IndexFollower, known_files
from nanoclaw.flows.knowledge.line_writer import LineWriter, Mask, Written
from nanoclaw.flows.knowledge.lines import pending_entry
from nanoclaw.flows.knowledge.upkeep import Upkeep
from nanoclaw.memory import analyser, index
from nanoclaw.memory.entries import BadLine
from nanoclaw.memory.files import Stamp
from nanoclaw.memory.purge import drop_returned
from nanoclaw.memory.search import understood
from nanoclaw.memory.states import States
from nanoclaw.texts import say

T = TypeVar("T")

log = structlog.get_logger("memory")

_MOST_AT_ONCE = 200  # changes in one step
_LOOK_AGAIN = timedelta(minutes=1)  # for files that people edit and git pulls
_AFTER_FAILURE = timedelta(seconds=30)
_GATHERED = timedelta(hours=1)  # one message to owners covers this time
_MOST_TOLD = 2000  # lines with secrets of a file, of which owners have been told
_UPKEEP = (Action.PURGE, Action.MAINTAIN, Action.REBUILD)
_PLAIN = (ChangeState.WRITTEN, None)  # how most changes end, settled in one statement


@dataclass(frozen=True, kw_only=True, slots=True)
class MemoryJob:
    company: str
    changes: Sequence[Change]
    known: dict[str, Stamp]
    old: dict[str, Entry]  # the entries that the changes are about, by id
    is_part: bool = False  # more changes wait
    is_maintenance_due: bool = False


class MemoryWriter:
    """The work of kind "memory"; its key is the company."""

    kind = work.MEMORY
    at_once = 2

    def __init__(
        self,
        *,
        store: Store,
        home: Path,
        alerts: Alerts,
        change_questions: ChangeQuestions,
        mask: Mask,
        take_in: Callable[[str], Awaitable[None]],
        commit_after: timedelta,
        versions: str,
        upkeep: Upkeep,
    ) -> None:
        """`take_in` takes in what the box of a session wrote to its view; `commit_after` is when changes go
        to git, by work of the kind `versions`.
        """
        self._store = store
        self._home = home
        self._alerts = alerts
        self._change_questions = change_questions
        self._take_in = take_in
        self._commit_after = commit_after
        self._versions = versions
        self._upkeep = upkeep
        self._files = upkeep.files
        self._writing = LineWriter(self._files, mask)
        self._following = IndexFollower(self._files)
        self._settled = asyncio.Condition()

    def plan(self, tx: Tx) -> None:
        """At a start, look at all companies: files may have changed while no host ran."""
        for company in index_follower.companies(self._home):
            work.due(tx, work.MEMORY, company, now())

    def begin(self, tx: Tx, claim: Claim) -> MemoryJob:
        company = claim.key
        self._change_questions.settle_answered(tx, company)
        waiting = memory_changes.waiting(tx, company, _MOST_AT_ONCE)
        changes = _first_of(waiting)
        return MemoryJob(
            company=company,
            changes=changes,
            old=_old(tx, company, changes),
            known=known_files(tx, company),
            is_part=len(changes) < len(waiting) or len(waiting) == _MOST_AT_ONCE,
            is_maintenance_due=self._upkeep.is_due(tx, company, now()),
        )

    def look_again(self, key: str) -> None:
        """Nothing to do: more changes are seen when this runs again."""

    async def run(self, job: MemoryJob, claim: Claim) -> datetime | None:
        ended = [change.body or {} for change in job.changes if change.action is Action.ACTIVITY]
        for session in dict.fromkeys(body.get("session") for body in ended):
            if session:
                await self._take_in(session)
        if any(map(may_contradict, job.changes)):
            job = await self._without_conflicts(job, claim)
        try:
            return await self._run(job, claim)
        except FileNotFoundError:
            return await self._write(partial(self._give_up, job=job, claim=claim))
        except OSError as error:  # a full disk, a lock held for too long: tried again
            log.warning("memory not written yet", company=job.company, reason=error)
            again = now() + _AFTER_FAILURE
            return await self._write(lambda tx: work.put_back(tx, claim, again, "memory-files"))

    async def settled(self, change_id: str, patience: float = 60) -> Change | None:
        """The change once it is settled, or when patience ends. Another host may be the writer, so this polls."""
        until = asyncio.get_running_loop().time() + patience
        while True:
            change = await self._store.read(lambda tx: memory_changes.get(tx, change_id))
            is_open = change is not None and change.state in (ChangeState.WAITING, ChangeState.ASKED)
            if not is_open or asyncio.get_running_loop().time() >= until:
                return change
            with suppress(TimeoutError):
                async with asyncio.timeout(1), self._settled:
                    await self._settled.wait()

    async def _run(self, job: MemoryJob, claim: Claim) -> datetime | None:
        done, company = Written(), job.company
        known = job.known
        if await asyncio.to_thread(self._following.is_changed, company, known):
            await asyncio.to_thread(drop_returned, self._files, company)
        if job.changes and job.changes[0].action in _UPKEEP:
            (change,) = job.changes
            if change.action is Action.REBUILD:
                await self._write(partial(self._start_over, company=company, claim=claim))
                known = {}
            else:
                done.settled[change.id] = await self._upkeep.carry_out(change)
        elif job.changes:
            activity = await self._store.read(partial(index_follower.activity_in, company=company))
            done = await asyncio.to_thread(
                self._writing.write, company, job.changes, now(), job.old, activity
            )
        report = await self._upkeep.maintain(company) if job.is_maintenance_due else None
        lines = await asyncio.to_thread(self._following.new_lines, company, known)
        pieces = self._following.pieces(company, known, done.activities)
        last, after, is_changed = None, dict(known), False
        while piece := await asyncio.to_thread(next, pieces, None):
            for entry in piece.entries:
                await analyser.warm_for(" ".join((entry.text, entry.topic, entry.domain, *entry.related)))
            if last:  # there is much to index: let others write in between
                await self._write(partial(self._put, company=company, claim=claim, found=last))
            last, is_changed = piece, True
            if piece.stamp:
                after[piece.file] = piece.stamp
        states, touched = None, set[str]()
        if lines is None or any(map(index_follower.refers, lines)):
            states = await asyncio.to_thread(self._following.states, company, known, after, lines)
            touched = {each for line in lines or () for each in _touched(line)}
        again = await self._write(
            partial(
                self._settle,
                job=job,
                claim=claim,
                done=done,
                found=last,
                is_changed=is_changed,
                states=states,
                touched=touched,
                report=report,
            )
        )
        async with self._settled:
            self._settled.notify_all()
        return again

    async def _write(self, story: Callable[[Tx], T]) -> T:
        return await insist(
            self._store, story, told=lambda why: log.warning("memory not settled yet", reason=why)
        )

    async def _without_conflicts(self, job: MemoryJob, claim: Claim) -> MemoryJob:
        """A decision that contradicts an indexed one waits for people; one that contradicts another of this
        batch waits until that one is indexed.
        """
        chosen: list[Change] = []
        asked: list[tuple[Change, Entry]] = []
        made: list[Entry] = []
        is_part = job.is_part
        for change in job.changes:
            body = change.body or {}
            if not may_contradict(change):
                chosen.append(change)
                continue
            terms = await understood(str(body["decision"]), ())
            known = await self._store.read(partial(candidates, company=job.company, body=body, terms=terms))
            if old := await asyncio.to_thread(contradicted, body, known):
                asked.append((change, old))
            elif await asyncio.to_thread(contradicted, body, made):
                is_part = True
                break
            else:
                chosen.append(change)
                made.append(pending_entry(change))
        if asked:
            await self._write(partial(self._ask_about_conflicts, claim=claim, asked=asked))
        return replace(job, changes=chosen, is_part=is_part)

    def _ask_about_conflicts(self, tx: Tx, *, claim: Claim, asked: Sequence[tuple[Change, Entry]]) -> None:
        work.expect_mine(tx, claim)
        for change, old in asked:
            self._change_questions.ask_about_conflict(tx, change, old)

    def _put(self, tx: Tx, *, company: str, claim: Claim, found: FilePiece) -> None:
        work.expect_mine(tx, claim)
        index_follower.put(tx, company, found)
        self._quarantine(tx, company, found.bad)
        self._tell_of_secrets(tx, company, found)

    def _start_over(self, tx: Tx, *, company: str, claim: Claim) -> None:
        work.expect_mine(tx, claim)
        index_follower.forget_files(tx, company)

    def _settle(
        self,
        tx: Tx,
        *,
        job: MemoryJob,
        claim: Claim,
        done: Written,
        found: FilePiece | None,
        is_changed: bool,
        states: States | None,
        touched: set[str],
        report: dict[str, Any] | None,
    ) -> datetime:
        company, at = job.company, now()
        work.expect_mine(tx, claim)
        quarantined = done.quarantined
        if found:
            index_follower.put(tx, company, found)
            quarantined += self._quarantine(tx, company, found.bad)
            self._tell_of_secrets(tx, company, found)
        if states is not None:
            index_follower.put_states(tx, company, states, touched)
        plain = [change.id for change in job.changes if done.settled.get(change.id, _PLAIN) == _PLAIN]
        memory_changes.settle(tx, plain, ChangeState.WRITTEN, at)
        for change in job.changes:
            state, reason = done.settled.get(change.id, _PLAIN)
            if (state, reason) != _PLAIN:
                memory_changes.settle(tx, [change.id], state, at, reason)
            if change.action is Action.PURGE:
                self._upkeep.purged(tx, company, dict(reason or {}))
            if _is_record(change) and state is ChangeState.WRITTEN:
                questions.mark(tx, (change.origin or "").removeprefix(RECORD), recorded_at=at)
        if is_changed:
            work.due(tx, self._versions, "workspace", at + self._commit_after, hasten=False)
        if report is not None:
            self._upkeep.maintained(tx, company, report, at)
        self._gather(tx, company, done, quarantined, at)
        work.finish(tx, claim)
        # Sooner if something was asked for meanwhile: that has already made the row due.
        work.due(tx, work.MEMORY, company, at if job.is_part else at + _LOOK_AGAIN)
        return work.due_at(tx, work.MEMORY, company) or at

    def _give_up(self, tx: Tx, *, job: MemoryJob, claim: Claim) -> datetime | None:
        """Refuse the changes: the company's folder is gone."""
        log.warning("company is gone, so nothing is remembered for it", company=job.company)
        work.expect_mine(tx, claim)
        ids = [change.id for change in job.changes]
        memory_changes.settle(tx, ids, ChangeState.REFUSED, now(), {"fault": "company-gone"})
        for change in filter(_is_record, job.changes):
            questions.mark(tx, (change.origin or "").removeprefix(RECORD), recorded_at=now())
        return work.finish(tx, claim)

    def _quarantine(self, tx: Tx, company: str, bad: Sequence[BadLine]) -> int:
        """Keep unusable lines with the reason until a person looks; they stay in the file as they are."""
        count = 0
        for line in bad:
            origin = f"line {company} {line.file} {_digest(line)}"
            if memory_changes.of_origin(tx, origin) is None:
                count += 1
                memory_changes.ask(
                    tx,
                    Change(
                        company=company,
                        action=Action.ADD,
                        trust=Trust.HEARSAY,
                        created_at=now(),
                        state=ChangeState.QUARANTINED,
                        body={"raw": line.text},
                        reason={"fault": line.reason.value, "field": line.field, "file": line.file},
                        origin=origin,
                    ),
                )
        return count

    def _tell_of_secrets(self, tx: Tx, company: str, found: FilePiece) -> None:
        """Tell owners of lines with a secret that somebody wrote by hand or that git brought: once of each line,
        however often its file is read again.
        """
        key = f"memory secrets {company} {found.file}"
        told = (notes.read(tx, key) or {"told": []})["told"] if found.secrets else []
        fresh = [each for each in dict.fromkeys(found.secrets) if each not in set(told)]
        if not fresh:
            return
        notes.write(tx, key, {"told": [*told, *fresh][-_MOST_TOLD:]}, now())
        log.warning("memory file holds secrets", company=company, file=found.file, lines=len(fresh))
        self._alerts.post(
            tx,
            f"memory secrets {company} {now().isoformat()}",
            lambda language: (
                say(language, "alert-memory-secrets", company=company, file=found.file, count=len(fresh)),
                (),
            ),
        )

    def _gather(self, tx: Tx, company: str, done: Written, quarantined: int, at: datetime) -> None:
        """Tell owners at most once an hour what was masked and what is in quarantine."""
        key = f"memory told {company}"
        noted = notes.read(tx, key) or {"masked": 0, "quarantined": 0, "kinds": [], "told": None}
        fresh = {
            "masked": noted["masked"] + done.masked_entries,
            "quarantined": noted["quarantined"] + quarantined,
            "kinds": sorted({*noted["kinds"], *done.masked}),
            "told": noted["told"],
        }
        is_due = noted["told"] is None or at - datetime.fromisoformat(noted["told"]) >= _GATHERED
        if is_due and (fresh["masked"] or fresh["quarantined"]):
            told = {name: fresh[name] for name in ("masked", "quarantined")}
            kinds = ", ".join(fresh["kinds"])
            self._alerts.post(
                tx,
                f"memory {company} {at.isoformat()}",
                lambda language: (
                    " ".join(say(language, "alert-memory", company=company, kinds=kinds, **told).split()),
                    (),
                ),
            )
            fresh = {"masked": 0, "quarantined": 0, "kinds": [], "told": at.isoformat()}
        if fresh != noted:
            notes.write(tx, key, fresh, at)


def _first_of(waiting: Sequence[Change]) -> Sequence[Change]:
    """The first changes that can be written together."""
    for place, change in enumerate(waiting):
        if change.action in _UPKEEP:
            return waiting[: place or 1]
    return waiting


def _old(tx: Tx, company: str, changes: Sequence[Change]) -> dict[str, Entry]:
    about = ((each.body or {}).get("supersedes") or each.entry_id for each in changes)
    wanted = {str(each) for each in about if each is not None}
    found = {each.id: each for each in index.several(tx, company, sorted(wanted))}
    replaced = {each.supersedes for each in found.values() if each.supersedes} - found.keys()
    return found | {each.id: each for each in index.several(tx, company, sorted(replaced))}


def _touched(line: Any) -> set[str]:
    names = (getattr(line, name, None) for name in ("id", "forgets", "restores", "supersedes"))
    return {each for each in names if each}


def _digest(line: BadLine) -> str:
    return hashlib.sha256(line.raw).hexdigest()[:32]


def _is_record(change: Change) -> bool:
    return (change.origin or "").startswith(RECORD)
