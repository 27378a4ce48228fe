"""The host is killed while it commits and merges: nothing is lost or doubled, and a person's repository stays sound."""

import asyncio
import os
import signal
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.crash.program import Program, first_room, lines, say
from tests.git_scene import CLAUDE, PRICING, Team, append, fact, git, ids, make_team
from tests.loaded import LOADED
from tests.staging import until

from nanoclaw.durable import questions
from nanoclaw.testing import started_host

pytestmark = [pytest.mark.asyncio, pytest.mark.capability("G5", "L3")]

SHARED = {"commit_seconds": 0, "push": True, "sync_minutes": 60}


def run_until(place: str, home: Path, database: dict[str, str]) -> None:
    """A host that kills itself at one place: before a function does its work, or after. In a process of its own."""
    when, _, path = place.partition(" ")
    module, owner_name, name, times = path.split(":")
    owner = getattr(import_module(f"nanoclaw.{module}"), owner_name)
    given, left = getattr(owner, name), [int(times)]

    def killing(*arguments: Any, **values: Any) -> Any:
        left[0] -= 1
        if left[0] == 0 and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        made = given(*arguments, **values)
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return made

    setattr(owner, name, killing)

    async def stay() -> None:
        async with started_host(home, memory=SHARED, database=database):
            await asyncio.sleep(60)

    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    asyncio.run(stay())


PLACES = {
    "a commit of memory is made, and the branch does not know it": "before git.repository:Repository:advance:1",
    "the branch knows it, and the person's index does not": "after git.command:Git:patiently:1",
    "the merge is written down": "after git.merger:Merger:begin:1",
    "one file is merged": "after git.work_files:WorkFiles:write:1",
    "the files are merged, and the branch is not": "before git.repository:Repository:advance:2",
    "all is merged, and nobody was asked": "before flows.company_context.open_merges:OpenMerges:ask:1",
    "the owner is asked, and the merge is still written down": "before git.merger:Merger:forget:1",
}


@pytest.fixture
def team(home: Path, tmp_path: Path) -> Team:
    """Both have changed memory, and the same line of a context file."""
    append(home, fact(1, "Refunds take five days"))
    git(home, "add", "--all")
    git(home, "commit", "--quiet", "--message", "first")
    team = make_team(home, tmp_path)
    prices, claude = (home / PRICING).read_text("utf-8"), (home / CLAUDE).read_text("utf-8")
    (home / PRICING).write_text(prices.replace("EUR 11", "EUR 14"), "utf-8")
    git(home, "commit", "--all", "--quiet", "--message", "dearer")
    (team.mate / PRICING).write_text(prices.replace("EUR 11", "EUR 15"), "utf-8")
    (team.mate / CLAUDE).write_text(f"{claude}- of a teammate\n", "utf-8")
    append(team.mate, fact(3, "The roaster is called Olha"))
    team.mate_pushes()
    append(home, fact(2, "The office is in Lviv"))
    return team


@pytest.mark.parametrize("place", PLACES)
async def test_killed_between_any_two_steps_it_ends_as_if_nothing_had_happened(
    team: Team, place: str
) -> None:
    await is_killed_and_goes_on(team, PLACES[place], {})


async def test_the_same_on_postgres(team: Team, postgres_url: str) -> None:
    """What follows a merge is all that is in the database."""
    await is_killed_and_goes_on(team, PLACES["all is merged, and nobody was asked"], {"url": postgres_url})


async def is_killed_and_goes_on(team: Team, place: str, database: dict[str, str]) -> None:
    killed = LOADED.Process(target=run_until, args=(place, team.home, database), daemon=True)
    killed.start()
    await asyncio.to_thread(killed.join)
    assert killed.exitcode == -signal.SIGKILL
    async with started_host(team.home, memory=SHARED, database=database) as host:
        expected = [fact(number, "")["id"] for number in (1, 2, 3)]
        await until(lambda: ids(team.home) == expected)
        await until(lambda: git(team.remote, "rev-parse", "main") == git(team.home, "rev-parse", "main"))

        async def asked_once() -> bool:
            return len(await host.store.read(questions.list_open)) == 1

        await until(asked_once)
        await until(lambda: not (team.home / "data" / "git" / "merge.json").exists())
        assert (team.home / CLAUDE).read_text("utf-8").count("of a teammate") == 1
        assert "EUR 14" in (team.home / PRICING).read_text("utf-8")
        await until(lambda: git(team.home, "status", "--short") == "")
        git(team.home, "fsck", "--strict")
        merges = git(team.home, "log", "--merges", "--format=%H").splitlines()
        assert len(merges) == 1
    team.mate_pulls()
    assert ids(team.mate) == expected


async def test_sync_that_was_asked_for_in_a_chat_is_answered_once_although_the_host_was_killed(
    team: Team,
) -> None:
    program = Program(team.home, MEMORY_PUSH="true", MEMORY_SYNC_MINUTES="60")
    for number, pause in enumerate((0.0, 0.1), start=1):
        async with program.running(), program.client() as client:
            room = await first_room(client)
            await say(client, room, "/sync", f"sync {number}")
            await asyncio.sleep(pause)  # it waits for git, or meets the remote
            program.kill()
            await program.wait_until_dead()
        async with program.running(), program.client() as client:
            await until(partial(has_ended, client, room, number))
            by_host = [line["text"] for line in await lines(client, room) if line["author"] == "host"]
            answers = [text for text in by_host if "Your decision is needed" not in text]  # about the price
            assert len(answers) == number, answers


async def has_ended(client: httpx.AsyncClient, room: str, number: int) -> bool:
    asked = [line for line in await lines(client, room) if line["author"] == "person"]
    return len(asked) == number and all(line["state"] not in ("waiting", "running") for line in asked)
