"""Flow G. Commits what changed in memory to git, collected and in the background, and syncs with the remote
if one is used.

Files are the truth, so nothing depends on it: a commit that cannot be made now is made later, with what came
meanwhile.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import structlog

from nanoclaw.context.groups import Groups
from nanoclaw.delivery.alerts import Alerts
from nanoclaw.domain.continuations import Continuation
from nanoclaw.domain.errors import NanoClawError
from nanoclaw.domain.locale import Locale
from nanoclaw.durable import notes, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.single_host import SingleHost
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.work import Claim
from nanoclaw.flows.company_context.open_merges import OpenMerges
from nanoclaw.flows.human.questions import Questions
from nanoclaw.flows.syncing import report
from nanoclaw.flows.syncing.meeting import Branches, Meeting
from nanoclaw.flows.syncing.now import TROUBLE, SyncNow
from nanoclaw.flows.syncing.report import Synced
from nanoclaw.flows.syncing.requests import SyncRequests
from nanoclaw.flows.syncing.threads import StoppedThreads
from nanoclaw.git.choices import Choices
from nanoclaw.git.command import GitFailed, GitUnready
from nanoclaw.git.paths import FileKind, is_memory, kind_of
from nanoclaw.git.remote import Remote
from nanoclaw.git.repository import Repository
from nanoclaw.git.summary import summary
from nanoclaw.texts import say, tell

log = structlog.get_logger("versions")

Follower = Callable[[], Awaitable[bool]]
"""Returns whether it wrote files to be committed."""

WORKSPACE, REMOTE = "workspace", "remote"
"""The keys of the work that commits, and of the work that meets the remote."""
UNREADY = "versions-unready"
"""The note that says since when, and why, nothing can be committed."""
_LOOK_AGAIN = timedelta(minutes=1)
_OTHERS_TURN = timedelta(seconds=1)
_TOLD_AFTER = timedelta(minutes=5)  # most of what people do in git takes less
_TOLD_AFTER_FAILURES = 5
_FOR_A_PERSON = ("git-rewritten", "git-no-branch", "git-unrelated", "git-huge")  # waiting fixes none of these
_LONGEST_PAUSE = timedelta(hours=1)
_COMMITTED = ("memory", "handoffs")  # folders of a company
_TIDY_EVERY = 100  # commits


@dataclass(frozen=True, kw_only=True, slots=True)
class Sharing:
    """Where commits go, and how often the remote is looked at."""

    remote: str
    every: timedelta


class Versions:
    """The work of kind "versions" of this workspace; its key is the workspace, or its remote."""

    at_once = 1  # one at a time: both keys change the same repository

    def __init__(
        self,
        *,
        store: Store,
        home: Path,
        workspace: str,
        alerts: Alerts,
        questions: Questions,
        groups: Groups,
        locale: Locale,
        commit_after: timedelta,
        sharing: Sharing | None,
        single_host: SingleHost,
        branches: Branches,
        followers: Sequence[Follower] = (),
    ) -> None:
        """`followers` look at the work tree after each commit and each merge, `branches` at those of the
        remote after each meeting with it.
        """
        self.kind = work.versions_of(workspace)
        self._store = store
        self._home = home
        self._threads = StoppedThreads()
        self._repository = Repository(home, self._threads.stop)
        choices = Choices(self._repository)
        self._open_merges = OpenMerges(
            store=store,
            questions=questions,
            groups=groups,
            locale=locale,
            choices=choices,
            then=Continuation(self.kind, WORKSPACE),
        )
        self._alerts = alerts
        self._commit_after = commit_after
        self._commits = 0
        self._sharing = sharing
        self._remote = Remote(self._repository, sharing.remote) if sharing else None
        self._meeting = Meeting(
            store=store,
            repository=self._repository,
            open_merges=self._open_merges,
            alerts=alerts,
            threads=self._threads,
            branches=branches,
        )
        self._single_host = single_host
        self._followers = followers
        remote = sharing.remote if sharing else None
        self.now = SyncNow(store=store, kind=self.kind, key=REMOTE, remote=remote)
        self.requests = SyncRequests(kind=self.kind, key=REMOTE, remote=remote)

    def plan(self, tx: Tx) -> None:
        """At a start, look for what a killed host or a person's editor left uncommitted."""
        work.due(tx, self.kind, WORKSPACE, now() + self._commit_after, hasten=False)
        if self._sharing:
            work.due(tx, self.kind, REMOTE, now())
        else:  # a remote was used when they asked
            self.requests.end(tx, self.requests.waiting(tx), NanoClawError("sync-off"), now())

    def begin(self, tx: Tx, claim: Claim) -> str:
        return claim.key

    def look_again(self, key: str) -> None:
        """Nothing to do: what is written meanwhile is committed when this runs again."""

    async def run(self, job: str, claim: Claim) -> datetime | None:
        if not self._store.shared:
            return await self._run(job, claim)
        # The folders of companies may be shared too: two hosts must not commit or merge them at once.
        if not await self._single_host.take():
            again_at = now() + _OTHERS_TURN
            return await self._store.write(partial(work.finish, claim=claim, again_at=again_at))
        try:
            return await self._run(job, claim)
        finally:
            await self._single_host.let_go()

    async def _run(self, job: str, claim: Claim) -> datetime | None:
        ended = self.now.begun() if job == REMOTE else _nobody_waits
        asked = await self._store.read(self.requests.waiting) if job == REMOTE else ()
        try:
            await self._meeting.resume()
            before = await self._threads.run(self._repository.head)
            await self._open_merges.settle(now())
            await self._threads.run(self._commit)
            committed = await self._threads.run(self._repository.head) != before
            synced = await self._meeting.sync(self._remote) if job == REMOTE and self._remote else None
            wrote = [await look() for look in self._followers]
        except GitUnready as error:
            ended(error)
            return await self._store.write(partial(self._unready, claim=claim, error=error, asked=asked))
        except GitFailed as error:
            log.warning("not committed, or not shared, yet", key=job, reason=error)
            ended(error)
            return await self._store.write(partial(self._failed, claim=claim, error=error, asked=asked))
        unsettled = not self._repository.staged.is_settled
        again_at = await self._store.write(
            partial(
                self._done,
                claim=claim,
                committed=committed,
                unsettled=unsettled,
                synced=synced,
                asked=asked,
                wrote=any(wrote),
            )
        )
        if synced:
            ended(synced)
        return again_at

    # Committing

    def _commit(self) -> bool:
        repository, home = self._repository, self._home
        places = (each for name in _COMMITTED for each in home.glob(f"companies/*/{name}"))
        folders = sorted(each.relative_to(home).as_posix() for each in places)
        changed = repository.changed(*folders) if folders else []
        # A missing file may only be out of reach: a deletion needs a person's own commit.
        paths = [path for path in changed if repository.files.is_there(path) and _is_committed(path)]
        commit = repository.commit(paths, summary(repository, paths)) if paths else None
        if commit:
            log.info("memory committed", commit=commit, files=len(paths))
            self._commits += 1
            if self._commits % _TIDY_EVERY == 0:
                repository.tidy()
        return commit is not None

    # The end of a run

    def _done(
        self,
        tx: Tx,
        *,
        claim: Claim,
        committed: bool,
        unsettled: bool,
        synced: Synced | None,
        asked: Sequence[str],
        wrote: bool,
    ) -> datetime | None:
        at = now()
        notes.forget(tx, UNREADY)
        if synced:
            report.write(tx, synced, at)
            self.requests.end(tx, asked, synced, at)
        if wrote:
            work.due(tx, self.kind, WORKSPACE, at + self._commit_after, hasten=False)
        if self._sharing is None or claim.key != REMOTE:
            # A remote in trouble is tried again at its own time.
            if committed and self._sharing and notes.read(tx, TROUBLE) is None:
                work.due(tx, self.kind, REMOTE, at)
            return work.finish(tx, claim, again_at=at + _LOOK_AGAIN if unsettled else None)
        notes.forget(tx, TROUBLE)
        if (sooner := work.finish(tx, claim)) is not None:
            return sooner  # somebody asked for it while it ran
        work.due(tx, self.kind, REMOTE, at + self._sharing.every)
        return at + self._sharing.every

    def _unready(self, tx: Tx, *, claim: Claim, error: GitUnready, asked: Sequence[str]) -> datetime | None:
        """Nothing is lost: the files are there. The owner is told once if it lasts."""
        at = now()
        self.requests.end(tx, asked, error, at)
        if error.key in ("git-missing", "git-no-repository"):
            return work.finish(tx, claim)  # the doctor reports it
        since = self._note(tx, UNREADY, error, at, same_only=True)["since"]
        if at - datetime.fromisoformat(since) >= _TOLD_AFTER:
            self._tell(tx, f"versions {error.key} {since}", "alert-versions-unready", reason=error)
        return work.finish(tx, claim, again_at=at + _LOOK_AGAIN)

    def _failed(self, tx: Tx, *, claim: Claim, error: GitFailed, asked: Sequence[str]) -> datetime | None:
        """Pause after a failure; each one doubles the pause."""
        at = now()
        self.requests.end(tx, asked, error, at)
        if claim.key != REMOTE or self._sharing is None:
            return work.finish(tx, claim, again_at=at + _LOOK_AGAIN)
        known = self._note(tx, TROUBLE, error, at)
        if known["times"] >= _TOLD_AFTER_FAILURES or error.key in _FOR_A_PERSON:
            self._tell(tx, f"remote {known['since']} {error.key}", "alert-versions-remote", reason=error)
        pause = min(self._sharing.every * 2 ** min(known["times"], 20), _LONGEST_PAUSE)
        return work.finish(tx, claim, again_at=at + max(pause, self._sharing.every))

    def _note(
        self, tx: Tx, key: str, error: NanoClawError, at: datetime, *, same_only: bool = False
    ) -> dict[str, Any]:
        known = notes.read(tx, key)
        if known is None or (same_only and known["key"] != error.key):
            known = {"since": at.isoformat(), "times": 0}
        values = {name: str(value) for name, value in error.values.items()}
        noted = {**known, "key": error.key, "values": values, "times": known["times"] + 1}
        notes.write(tx, key, noted, at)
        return noted

    def _tell(self, tx: Tx, once: str, key: str, **values: NanoClawError | str) -> None:
        def words(language: str) -> tuple[str, tuple[()]]:
            told = {
                name: tell(language, value) if isinstance(value, NanoClawError) else value
                for name, value in values.items()
            }
            return say(language, key, **told), ()

        self._alerts.post(tx, once, words)


def _nobody_waits(_result: object) -> None:
    """Used for commits."""


def _is_committed(path: str) -> bool:
    """Of the files next to contracts and results, only these are committed."""
    return is_memory(path) or kind_of(path) is FileKind.TEXT
