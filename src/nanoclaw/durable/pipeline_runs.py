"""The rows of pipelines: runs and their steps. Every change is announced to those who watch."""

import json
from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

import sqlalchemy as sa

from nanoclaw.domain.news import EVERY_CHAT, PipelineChanged
from nanoclaw.domain.pipeline_runs import PipelineRun, PipelineRunStatus, StepAtWork, StepRun, StepState
from nanoclaw.domain.pipelines import Template, template_from
from nanoclaw.durable.after_commit import announce
from nanoclaw.durable.pipeline_tables import chains, pipeline_runs, pipeline_steps
from nanoclaw.durable.store import Tx

_RUNS, _STEPS = pipeline_runs.c, pipeline_steps.c
_STATES = {state.value: state for state in StepState}
_APART = {"template", "definition", "agent_group", "origin"}
_RUN_COLUMNS = tuple(each.name for each in pipeline_runs.columns if each.name not in _APART)
# As text: it identifies what was parsed before.
_DEFINITION = sa.cast(_RUNS.definition, sa.Text).label("definition")
_RUN = sa.select(*(each for each in pipeline_runs.columns if each.name != "definition"), _DEFINITION)
# Statements run for each step are constants: see `durable/prepared.py`.
_GET = _RUN.where(_RUNS.id == sa.bindparam("run"))
_LOCK = _GET.with_for_update()
_OF_ORIGIN = sa.select(_RUNS.id).where(_RUNS.origin == sa.bindparam("of"))
# A run of 200 steps reads all of them for each step, so columns that are mostly empty are not parsed.
_STEP_JSON = tuple(each.name for each in pipeline_steps.columns if isinstance(each.type, sa.JSON))
_STEP_NAMES = tuple(each.name for each in pipeline_steps.columns)
_STEP = sa.select(
    *(
        sa.cast(each, sa.Text).label(each.name) if each.name in _STEP_JSON else each
        for each in pipeline_steps.columns
    )
)
_STEPS_OF = _STEP.where(_STEPS.run_id == sa.bindparam("run")).order_by(_STEPS.number)
_ONE_STEP = _STEP.where(_STEPS.run_id == sa.bindparam("run"), _STEPS.number == sa.bindparam("of_number"))
_MARK = sa.update(pipeline_runs).where(_RUNS.id == sa.bindparam("of_run"))
_MARK_STEP = sa.update(pipeline_steps).where(
    _STEPS.run_id == sa.bindparam("of_run"), _STEPS.number == sa.bindparam("of_number")
)
_AT_WORK = _STEP.where(_STEPS.session_id == sa.bindparam("session"), _STEPS.state == StepState.RUNNING.value)


def add(
    tx: Tx, run: PipelineRun, steps: Iterable[StepRun], *, origin: str | None = None
) -> tuple[PipelineRun, bool]:
    """Add a run with its chain, or find the one with this origin; returns it and whether it is new."""
    if origin is not None and (known := of_origin(tx, origin)):
        return known, False
    values = {name: getattr(run, name) for name in _RUN_COLUMNS}
    values |= {"template": run.template.name, "definition": run.template.as_json(), "agent_group": run.group}
    start = {"id": run.id, "company": run.company, "budget_micros": run.budget, "created_at": run.created_at}
    tx.execute(sa.insert(chains).values(**start, message_id=run.message_id))
    tx.execute(sa.insert(pipeline_runs).values(**values, origin=origin))  # on a conflict the loser retries
    tx.execute(sa.insert(pipeline_steps), [_step_values(step) for step in steps])
    announce(tx, EVERY_CHAT, PipelineChanged(run.id))
    return run, True


def of_origin(tx: Tx, origin: str) -> PipelineRun | None:
    known = tx.execute(_OF_ORIGIN, {"of": origin}).scalar()
    return get(tx, known) if known else None


def get(tx: Tx, run_id: str) -> PipelineRun | None:
    row = tx.execute(_GET, {"run": run_id}).one_or_none()
    return _run(row) if row else None


def locked(tx: Tx, run_id: str) -> PipelineRun | None:
    """The run, locked for changes on PostgreSQL."""
    row = tx.execute(_LOCK, {"run": run_id}).one_or_none()
    return _run(row) if row else None


def steps(tx: Tx, run_id: str) -> list[StepRun]:
    return [_step(row) for row in tx.execute(_STEPS_OF, {"run": run_id})]


def step(tx: Tx, run_id: str, number: int) -> StepRun:
    return _step(tx.execute(_ONE_STEP, {"run": run_id, "of_number": number}).one())


def mark(tx: Tx, run_id: str, **values: object) -> None:
    tx.execute(_MARK, {"of_run": run_id, **values})
    announce(tx, EVERY_CHAT, PipelineChanged(run_id))


def mark_step(tx: Tx, run_id: str, number: int, **values: object) -> None:
    tx.execute(_MARK_STEP, {"of_run": run_id, "of_number": number, **values})
    announce(tx, EVERY_CHAT, PipelineChanged(run_id))


def step_of_session(tx: Tx, session_id: str) -> StepRun | None:
    """The step that an agent of this session works on."""
    row = tx.execute(_AT_WORK, {"session": session_id}).first()
    return _step(row) if row else None


def at_work(tx: Tx, session_id: str) -> StepAtWork | None:
    """The step that an agent of this session works on, with its run."""
    found = step_of_session(tx, session_id)
    run = get(tx, found.run_id) if found else None
    if found is None or run is None:
        return None
    return StepAtWork(run=run, step=run.template.step(found.number), steps=tuple(steps(tx, run.id)))


def shift(tx: Tx, by: timedelta) -> list[str]:
    """The clock was set: running steps keep their remaining time. Returns the runs."""
    timed = sa.and_(_STEPS.state == StepState.RUNNING.value, _STEPS.due_by.is_not(None))
    rows = tx.execute(sa.select(_STEPS.run_id, _STEPS.number, _STEPS.due_by).where(timed)).all()
    for row in rows:
        this = sa.and_(_STEPS.run_id == row.run_id, _STEPS.number == row.number)
        tx.execute(sa.update(pipeline_steps).where(this).values(due_by=row.due_by + by))
    return list({row.run_id for row in rows})


def ending(tx: Tx, end: str) -> list[PipelineRun]:
    """Runs whose id ends like this, which is all that people see of it. Newest first."""
    fits = _RUNS.id.endswith(end, autoescape=True)
    rows = tx.execute(_RUN.where(fits).order_by(_RUNS.id.desc()).limit(5))
    return [_run(row) for row in rows]


def newest(
    tx: Tx,
    companies: Iterable[str] | None = None,
    *,
    groups: Iterable[str] | None = None,
    template: str | None = None,
    chat_id: str | None = None,
    statuses: Iterable[PipelineRunStatus] = (),
    before: str | None = None,
    limit: int = 20,
) -> list[PipelineRun]:
    """Runs, newest first."""
    where: list[sa.ColumnElement[bool]] = []
    if companies is not None:
        where.append(_RUNS.company.in_(list(companies)))
    if groups is not None:
        where.append(_RUNS.agent_group.in_(list(groups)))
    if template is not None:
        where.append(_RUNS.template == template)
    if chat_id is not None:
        where.append(_RUNS.chat_id == chat_id)
    if wanted := [status.value for status in statuses]:
        where.append(_RUNS.status.in_(wanted))
    if before is not None:
        where.append(_RUNS.id < before)
    rows = tx.execute(_RUN.where(*where).order_by(_RUNS.id.desc()).limit(limit))
    return [_run(row) for row in rows]


def asked_by(tx: Tx, person_id: str) -> int:
    """How many runs of this person wait for a yes."""
    these = sa.and_(_RUNS.started_by == person_id, _RUNS.status == PipelineRunStatus.ASKED.value)
    return tx.execute(sa.select(sa.func.count()).select_from(pipeline_runs).where(these)).scalar_one()


def finished_steps(
    tx: Tx, template: Template, company: str, runs: int = 20
) -> dict[int, tuple[list[int], list[float]]]:
    """Micros and seconds of each step in the newest finished runs, for estimates. Templates are edited, so a
    step of an earlier run counts only if it had the same skill and model.
    """
    this = sa.and_(_RUNS.template == template.name, _RUNS.company == company)
    latest = (
        sa.select(_RUNS.id, _RUNS.definition)
        .where(this, _RUNS.status == PipelineRunStatus.DONE.value)
        .order_by(_RUNS.id.desc())
        .limit(runs)
    )
    steps_of = {row.id: row.definition["steps"] for row in tx.execute(latest)}
    wanted = {step.number: (step.skill, step.model, step.type.value) for step in template.steps}
    columns = (_STEPS.run_id, _STEPS.number, _STEPS.micros, _STEPS.started_at, _STEPS.ended_at)
    rows = tx.execute(
        sa.select(*columns).where(
            _STEPS.run_id.in_(list(steps_of)),
            _STEPS.state == StepState.DONE.value,
            _STEPS.started_at.is_not(None),
            _STEPS.ended_at.is_not(None),
        )
    )
    found: dict[int, tuple[list[int], list[float]]] = {}
    for row in rows:
        then = steps_of[row.run_id][row.number - 1]
        if wanted.get(row.number) == (then["skill"], then["model"], then["type"]):
            micros, seconds = found.setdefault(row.number, ([], []))
            micros.append(row.micros)
            seconds.append(_seconds(row.started_at, row.ended_at))
    return found


def _seconds(begun: datetime, ended: datetime) -> float:
    return max((ended - begun).total_seconds(), 0.0)


def _run(row: Any) -> PipelineRun:
    found = {name: getattr(row, name) for name in _RUN_COLUMNS}
    found |= {"template": _template(row.definition), "group": row.agent_group}
    return PipelineRun(**{**found, "status": PipelineRunStatus(found["status"])})


def _step(row: Any) -> StepRun:
    found = dict(zip(_STEP_NAMES, row, strict=True))
    found |= {name: _parsed(found[name]) for name in _STEP_JSON}
    found |= {"state": _STATES[row.state], "claims": tuple(found["claims"]), "faults": tuple(found["faults"])}
    return StepRun(**found)


def _parsed(stored: str | None) -> Any:
    match stored:
        case None:
            return None
        case "{}":
            return {}
        case "[]":
            return []
        case _:
            return json.loads(stored)


def _step_values(step: StepRun) -> dict[str, Any]:
    values = {each.name: getattr(step, each.name) for each in pipeline_steps.columns}
    return {**values, "claims": list(step.claims), "faults": list(step.faults)}


@lru_cache(maxsize=500)
def _template(definition: str) -> Template:
    return template_from(json.loads(definition))
