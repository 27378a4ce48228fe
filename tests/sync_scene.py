"""A host that shares its workspace through git, and what its owner sees of it."""

from pathlib import Path
from typing import Any

import sqlalchemy as sa
from tests.git_scene import Team, append, fact, git, make_team
from tests.staging import until

from nanoclaw.domain.people import LOCAL_OWNER, Actor, Rights, Role
from nanoclaw.domain.questions import Question
from nanoclaw.durable import notes, questions, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.tables import parcels
from nanoclaw.flows.syncing import report
from nanoclaw.host.host import Host
from nanoclaw.host.host_lock import workspace_id

QUICK = {"commit_seconds": 0}


def kind_of(host: Host) -> str:
    return work.versions_of(workspace_id(host.home))


async def look(host: Host, key: str = "workspace") -> None:
    await host.store.write(lambda tx: work.due(tx, kind_of(host), key, now()))


def first_team(home: Path, folder: Path) -> Team:
    """With one fact in memory, which everybody has."""
    append(home, fact(1, "Refunds take five days"))
    git(home, "add", "--all")
    git(home, "commit", "--quiet", "--message", "first")
    return make_team(home, folder)


SHARED: dict[str, object] = {**QUICK, "push": True, "sync_minutes": 60}


async def synced(host: Host, team: Team) -> None:
    """Until both have met, and have the same commit."""
    asked_at = now()

    async def has_met() -> bool:
        met = await host.store.read(report.read)
        is_same = git(team.remote, "rev-parse", "main") == git(team.home, "rev-parse", "main")
        return met is not None and met.at >= asked_at and is_same

    await look(host, "remote")
    await until(has_met)
    team.mate_pulls()


async def asked_all(host: Host, count: int) -> list[Question]:
    found: list[Question] = []

    async def look_for() -> bool:
        found[:] = await host.store.read(questions.list_open)
        return len(found) == count

    await until(look_for)
    return found


async def asked(host: Host) -> Question:
    return (await asked_all(host, 1))[0]


def owner_of_machine() -> Actor:
    return Actor(
        handle=LOCAL_OWNER, name="Owner", rights=Rights(everywhere=Role.OWNER), via="test", language="en"
    )


async def answer(host: Host, question: Question, chosen: str) -> None:
    owner = owner_of_machine()
    resolution = host.question_parts.resolution
    await host.store.write(lambda tx: resolution.decide(tx, question, owner, now(), chosen=chosen))


async def told(host: Host) -> str:
    return "\n".join(await host.store.read(lambda tx: list(tx.execute(sa.select(parcels.c.text)).scalars())))


async def note(host: Host, key: str) -> Any:
    return await host.store.read(lambda tx: notes.read(tx, key))
