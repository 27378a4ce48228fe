"""Which run a person means: by the end of its id, or the one this chat is about."""

from collections.abc import Sequence
from dataclasses import dataclass

from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.domain.people import Actor, Role
from nanoclaw.domain.pipeline_runs import PipelineRun, PipelineRunStatus
from nanoclaw.durable import people, pipeline_runs
from nanoclaw.durable.store import Tx
from nanoclaw.flows.pipelines.run_text import short_id

OPEN = (PipelineRunStatus.ASKED, PipelineRunStatus.RUNNING)
OVER = (PipelineRunStatus.DONE, PipelineRunStatus.FAILED, PipelineRunStatus.CANCELLED)
_SHORTEST = 3  # letters of an id
_NAMED = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class VisibleRuns:
    """The runs that someone may see from where they ask: those of these groups."""

    by: Actor
    groups: Sequence[str]
    chat_id: str

    def has(self, run: PipelineRun) -> bool:
        return run.group in self.groups and self.by.rights.role_in(run.group).may(Role.MEMBER)


def named(tx: Tx, ref: str, seen: VisibleRuns) -> PipelineRun:
    """Raises NotFound, or Refused if several ids end like this."""
    end = ref.strip("`").lower()
    found = pipeline_runs.ending(tx, end) if len(end) >= _SHORTEST else []
    fits = [run for run in found if seen.has(run)]
    if not fits:
        raise NotFound("run-unknown", id=ref[:20])
    if len(fits) > 1:
        raise Refused("run-several", runs=_listed(fits))
    return fits[0]


def last(tx: Tx, seen: VisibleRuns, statuses: Sequence[PipelineRunStatus], *, only: bool) -> PipelineRun:
    """The run of this chat that the person may change; with `only` there must be no other."""
    found = pipeline_runs.newest(tx, chat_id=seen.chat_id, groups=seen.groups, statuses=statuses)
    fits = [run for run in found if seen.has(run) and is_theirs(tx, run, seen.by)]
    if not fits:
        raise NotFound("run-none-open" if statuses == OPEN else "run-none-over")
    if only and len(fits) > 1:
        raise Refused("run-several", runs=_listed(fits))
    return fits[0]


def is_theirs(tx: Tx, run: PipelineRun, by: Actor) -> bool:
    return (
        by.rights.role_in(run.group).may(Role.ADMIN) or people.person(tx, run.started_by).handle == by.handle
    )


def _listed(runs: Sequence[PipelineRun]) -> str:
    return ", ".join(f"{short_id(run)} ({run.subject[:40]})" for run in runs[:_NAMED])
