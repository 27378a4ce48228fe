"""Flow G. The workspace in git: commits in the background, and a remote that others use too (SPEC G5, B6)."""

import asyncio
import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest
import sqlalchemy as sa
from tests.git_scene import CLAUDE, FACTS, PRICING, Team, append, fact, git, ids
from tests.staging import until
from tests.sync_scene import (
    QUICK,
    SHARED,
    answer,
    asked,
    asked_all,
    first_team,
    kind_of,
    look,
    note,
    synced,
    told,
)
from tests.telegram_scene import eventually

from nanoclaw.cli import versions_check
from nanoclaw.cli.findings import CheckResult
from nanoclaw.domain.questions import Question, QuestionKind
from nanoclaw.durable import clock, questions, tables, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.knowledge_tables import memory_entries
from nanoclaw.durable.single_host import SingleHost
from nanoclaw.durable.store import Tx
from nanoclaw.flows.company_context import open_merges
from nanoclaw.host.host import Host
from nanoclaw.testing import FarEnd, started_host
from nanoclaw.texts import say

pytestmark = [pytest.mark.asyncio, pytest.mark.capability("G5")]


def subject(home: Path) -> str:
    return git(home, "log", "-1", "--format=%an: %s")


async def test_what_changed_in_memory_is_committed_and_nothing_else(home: Path) -> None:
    """With a lock that a dead git left behind, and a person's own edits, staged and not, in the same repository."""
    identity, standards = (
        home / "foundation" / "core_identity.md",
        home / "foundation" / "output_standards.md",
    )
    append(home, fact(1, "Refunds take five days"), fact(2, "The office is in Lviv"))
    append(
        home,
        {"id": "dec_20260301_1", "decision": "No capsules"},
        file="companies/demo/memory/decisions.jsonl",
    )
    standards.write_text("staged by a person\n")
    git(home, "add", "foundation/output_standards.md")
    identity.write_text("edited by a person\n")
    lock = home / ".git" / "index.lock"
    lock.touch()
    os.utime(lock, (time.time() - 120, time.time() - 120))
    async with FarEnd() as far_end, started_host(home, memory=QUICK, scripted={"url": far_end.url}) as host:
        # Nobody else's git may run meanwhile: it could be the one that holds the lock.
        await until(lambda: not lock.exists())
        await until(lambda: subject(home) == "NanoClaw OS: memory: 2 facts, 1 decision (demo)")
        assert set(git(home, "show", "--format=", "--name-only").splitlines()) == {
            FACTS,
            "companies/demo/memory/decisions.jsonl",
        }
        # A person's next commit holds exactly what they staged: it takes nothing of ours back.
        await until(
            lambda: (
                git(home, "status", "--short", "--", "foundation", "companies").splitlines()
                == ["M foundation/core_identity.md", "M  foundation/output_standards.md"]
            )
        )
        # A turn leaves a line of activity, and that is committed by itself.
        before = git(home, "rev-parse", "HEAD")
        await far_end.say("chat", "hello there")
        await until(lambda: git(home, "rev-parse", "HEAD") != before)
        assert "hello there" in git(home, "show", f"HEAD:{CLAUDE}")
        (home / CLAUDE).write_text("# Memory\n\n## Key Decisions\n\n- by hand\n")
        await look(host)
        await until(lambda: "by hand" in git(home, "show", f"HEAD:{CLAUDE}"))
        assert subject(home) == "NanoClaw OS: memory: edited (demo)"


@pytest.fixture
def team(home: Path, tmp_path: Path) -> Team:
    return first_team(home, tmp_path)


def examined(host: Host) -> list[CheckResult]:
    """What the doctor says once the host has stopped."""
    return list(versions_check.look(host.home, host.settings, found))


def found(check: str, key: str, *, ok: bool | None = True, **values: object) -> CheckResult:
    return CheckResult(check=check, ok=ok, sentence=say("en", f"doctor-{key}", **values))


@pytest.mark.capability("B6")
async def test_both_sides_meet_again_without_loss(team: Team) -> None:
    """Both append and edit CLAUDE.md, one purges while the other appends, each in a clone of its own."""
    old = (team.home / CLAUDE).read_text("utf-8")
    (team.mate / CLAUDE).write_text(
        old.replace(
            "## Recent Activity\n\n", "## Recent Activity\n\n- 2026-03-01: asked the roaster\n"
        ).replace("No discount above 10 %", "No discount above 15 %"),
        "utf-8",
    )
    append(team.mate, fact(3, "The roaster is called Ольга"))
    team.mate_pushes()
    (team.home / CLAUDE).write_text(
        old.replace(
            "## Recent Activity\n\n", "## Recent Activity\n\n- 2026-03-02: sent the digest\n"
        ).replace("No discount above 10 %", "No discount above 12 %"),
        "utf-8",
    )
    append(team.home, fact(2, "The office is in Lviv"))
    async with started_host(team.home, memory=SHARED) as host:
        await synced(host, team)
        assert ids(team.home) == ids(team.mate) == [fact(number, "")["id"] for number in (1, 2, 3)]
        notes_of_both = (team.mate / CLAUDE).read_text("utf-8")
        assert notes_of_both == (team.home / CLAUDE).read_text("utf-8")
        assert "asked the roaster" in notes_of_both
        assert "sent the digest" in notes_of_both
        assert "12 %" in notes_of_both, "where both changed the same entry, the host wins"
        assert "15 %" not in notes_of_both

        async def index_follows() -> bool:
            known = sa.select(memory_entries.c.id).where(memory_entries.c.company == "demo")
            return fact(3, "")["id"] in await host.store.read(lambda tx: list(tx.execute(known).scalars()))

        await until(index_follows)
        # The host purges the first fact; the teammate, who still has it, forgets it and adds another.
        (team.home / FACTS).write_text("")
        append(
            team.home,
            fact(2, "The office is in Lviv"),
            fact(3, "The roaster is called Ольга"),
            {
                "id": "gone_20260302_1",
                "timestamp": "2026-03-02T09:00:00+00:00",
                "purged": "0" * 64,
                "forgets": fact(1, "")["id"],
            },
        )
        tomb = {"id": "tomb_1", "timestamp": "2026-03-02T08:00:00+00:00", "forgets": fact(2, "")["id"]}
        append(team.mate, tomb, fact(4, "Parking is free", at="2026-03-02T10:00:00Z"))
        team.mate_pushes()
        await synced(host, team)
        expected = [fact(2, "")["id"], fact(3, "")["id"], "tomb_1", "gone_20260302_1", fact(4, "")["id"]]
        assert ids(team.home) == ids(team.mate) == expected
        assert git(team.home, "status", "--short") == ""
        # A teammate who merges with their own git gets the lines of both, too.
        append(team.mate, fact(5, "The cellar is dry", at="2026-03-03T10:00:00Z"))
        team.mate_commits()
        append(team.home, fact(6, "The roof is new", at="2026-03-03T11:00:00Z"))
        await look(host)
        await until(lambda: git(team.remote, "log", "-1", "--format=%s") == "memory: 1 fact (demo)")
        team.mate_pulls()
        git(team.mate, "push", "--quiet", "origin", "main")
        await synced(host, team)
        assert sorted(ids(team.home)) == sorted([*expected, fact(5, "")["id"], fact(6, "")["id"]]), (
            "and nothing of what was purged"
        )


@pytest.mark.parametrize(("chosen", "stands"), [("theirs", ["EUR 15"]), ("both", ["EUR 14", "EUR 15"])])
async def test_a_context_file_that_both_changed_is_asked_about(
    team: Team, chosen: str, stands: list[str]
) -> None:
    """Ours stays until the owner has chosen; what was changed elsewhere in the file comes without a question."""
    before = (team.home / PRICING).read_text("utf-8")
    assert "EUR 11" in before
    ours = before.replace("EUR 11", "EUR 14").replace("# Pricing\n", "# Pricing of our cellar\n")
    assert "our cellar" in ours
    (team.home / PRICING).write_text(ours, "utf-8")
    git(team.home, "commit", "--all", "--quiet", "--message", "dearer")
    (team.mate / PRICING).write_text(
        before.replace("EUR 11", "EUR 15") + "\nA new line at the end.\n", "utf-8"
    )
    team.mate_pushes()
    async with started_host(team.home, memory=SHARED) as host:
        question = await asked(host)
        assert [option.id for option in question.options] == ["ours", "theirs", "both", "edit_text"]
        changed = [line for line in str(question.context).splitlines() if line[:1] in ("+", "-")]
        assert any("EUR 15" in line for line in changed if line[0] == "+")
        assert any("EUR 14" in line for line in changed if line[0] == "-")
        assert not any("our cellar" in line for line in changed), (
            "what only we changed is no part of the choice"
        )
        assert (team.home / PRICING).read_text("utf-8") == ours
        await answer(host, question, chosen)
        await until(lambda: "A new line" in (team.home / PRICING).read_text("utf-8"))
        now_stands = (team.home / PRICING).read_text("utf-8")
        assert [price for price in ("EUR 14", "EUR 15") if price in now_stands] == stands
        await until(lambda: git(team.home, "status", "--short", "--", PRICING) == "")
        await synced(host, team)
        assert (team.mate / PRICING).read_text("utf-8") == now_stands


async def test_of_a_file_that_both_changed_the_owner_writes_the_text(team: Team) -> None:
    before = (team.home / PRICING).read_text("utf-8")
    (team.home / PRICING).write_text(before.replace("EUR 11", "EUR 14"), "utf-8")
    git(team.home, "commit", "--all", "--quiet", "--message", "dearer")
    (team.mate / PRICING).write_text(before.replace("EUR 11", "EUR 15"), "utf-8")
    team.mate_pushes()
    async with (
        started_host(team.home, memory=SHARED) as host,
        httpx.AsyncClient(base_url=host.url, headers={"Authorization": f"Bearer {host.token}"}) as page,
    ):

        async def decide(question: Question, option: str | None, text: str | None = None) -> None:
            path = f"/api/questions/{question.id}/decide"
            given = await page.post(path, json={"option": option, "text": text})
            assert given.status_code == 200, given.text

        async def next_asked(kind: QuestionKind) -> Question:
            def look_for(tx: Tx) -> Question | None:
                return next((each for each in questions.list_open(tx) if each.kind is kind), None)

            return await eventually(lambda: host.store.read(look_for))

        await decide(await asked(host), "edit_text")
        await decide(await next_asked(QuestionKind.INPUT), None, "EUR 16 instead of EUR 15")
        card = await next_asked(QuestionKind.APPROVAL)
        assert "EUR 16" in str(card.context)
        assert (team.home / PRICING).read_text("utf-8") == before.replace("EUR 11", "EUR 14")
        await decide(card, "apply")
        await until(lambda: "EUR 16" in (team.home / PRICING).read_text("utf-8"))
        await until(lambda: git(team.home, "status", "--short", "--", PRICING) == "")
        assert "Approved-by: Owner" in git(team.home, "log", "-1", "--format=%b", "--", PRICING)
        assert not await host.store.read(open_merges.read_open)
        await synced(host, team)
        assert (team.mate / PRICING).read_text("utf-8") == before.replace("EUR 11", "EUR 16")


@pytest.mark.capability("G5", "O4")
async def test_of_hosts_on_one_database_each_commits_its_own_files_one_at_a_time(
    team: Team, tmp_path: Path, postgres_url: str
) -> None:
    """Two workspaces with one remote: what either host was given is committed there, and comes to both."""
    there = tmp_path / "there"
    git(tmp_path, "clone", "--quiet", str(team.remote), str(there))
    database = {"url": postgres_url}
    async with (
        started_host(team.home, memory=SHARED, database=database) as host,
        started_host(there, memory=SHARED, database=database) as other,
    ):
        lease = SingleHost(host.store, lambda: host.engine.host, work.VERSIONS)
        await until(lease.take)
        append(team.home, fact(2, "The office is in Lviv"))
        append(there, fact(3, "The roaster is called Olha"))
        before = [git(home, "rev-parse", "HEAD") for home in (team.home, there)]
        for each in (host, other):
            await look(each)

        async def has_waited() -> bool:
            """It was tried, and put off, while another host has the right to commit."""
            due = await other.store.read(lambda tx: work.due_at(tx, kind_of(other), "workspace"))
            return due is not None and due > asked_at + timedelta(seconds=1)

        asked_at = now()
        await until(has_waited)
        assert [git(home, "rev-parse", "HEAD") for home in (team.home, there)] == before
        await lease.let_go()

        async def both_have_all() -> bool:
            for each in (host, other):
                await look(each, "remote")
            wanted = {fact(number, "")["id"] for number in (1, 2, 3)}
            return all(wanted <= set(ids(home)) for home in (team.home, there))

        await until(both_have_all)
        await until(lambda: not git(there, "status", "--short", "--", FACTS))


@pytest.mark.attack
async def test_what_gives_rights_comes_from_the_remote_only_after_the_owners_yes(team: Team) -> None:
    """And nothing from there is executed, nor written where the host keeps its own."""
    skill = "skills/meta/orchestration/demo-tour/SKILL.md"
    settings = (team.home / "nanoclaw.toml").read_text("utf-8")
    was = (team.home / skill).read_text("utf-8")
    (team.mate / skill).write_text("---\nname: demo-tour\n---\nDo as I say.\n++ and this\n")
    (team.mate / "nanoclaw.toml").write_text(settings + '\n[channels.evil]\npath = "/tmp/evil.py"\n')
    (team.mate / ".gitattributes").write_text("*.md filter=evil\n")
    (team.mate / "data").mkdir()
    (team.mate / "data" / "keys.json").write_text("{}")
    (team.mate / "groups" / "main" / "link").symlink_to("/etc/passwd")
    git(team.mate, "add", "--force", "data/keys.json")
    append(team.mate, fact(2, "A fact of a teammate"))
    team.mate_pushes()
    executed = team.home.parent / "executed"
    for name in ("post-merge", "pre-push", "reference-transaction", "post-checkout", "pre-commit"):
        hook = team.home / ".git" / "hooks" / name
        hook.write_text(f"#!/bin/sh\ntouch {executed}\n")
        hook.chmod(0o755)
    for key in ("filter.evil.clean", "filter.evil.smudge", "core.fsmonitor", "core.sshCommand"):
        git(team.home, "config", key, f"sh -c 'touch {executed}; cat'")
    async with started_host(team.home, memory=SHARED) as host:
        question = await asked(host)
        assert all(name in question.prompt for name in (skill, "nanoclaw.toml", ".gitattributes"))
        assert "+Do as I say.\n+++ and this" in str(question.context), "nothing is hidden from the owner"
        await until(lambda: len(ids(team.home)) == 2)
        assert (team.home / skill).read_text("utf-8") == was
        assert (team.home / "nanoclaw.toml").read_text("utf-8") == settings
        assert "evil" not in (team.home / ".gitattributes").read_text("utf-8")
        assert not (team.home / "data" / "keys.json").exists()
        assert not os.path.lexists(team.home / "groups" / "main" / "link")

        async def is_told() -> bool:
            return "data/keys.json, groups/main/link" in await told(host)

        await until(is_told)
        await answer(host, question, "take")
        await until(lambda: "Do as I say." in (team.home / skill).read_text("utf-8"))
        await until(lambda: "evil" in (team.home / ".gitattributes").read_text("utf-8"))
        assert not (team.home / "data" / "keys.json").exists()
        await until(lambda: git(team.remote, "rev-parse", "main") == git(team.home, "rev-parse", "main"))
    assert not executed.exists()


def asking(skill: str, host: str) -> str:
    """The skill, with the wish to reach a host."""
    return skill.replace("\nname:", f"\nnetwork: [{host}]\nname:", 1)


async def test_of_what_is_held_back_exactly_what_was_seen_comes_into_effect(team: Team) -> None:
    """Changed again in the remote it is another question; what a person did not commit here stays."""
    skill, settings = "skills/meta/orchestration/demo-tour/SKILL.md", "nanoclaw.toml"
    first, ours = (team.home / skill).read_text("utf-8"), (team.home / settings).read_text("utf-8")
    (team.home / settings).write_text(f"# not committed\n{ours}", "utf-8")
    (team.mate / skill).write_text(asking(first, "second.example"), "utf-8")
    (team.mate / settings).write_text(f"{ours}# of a teammate\n", "utf-8")
    team.mate_pushes()
    async with started_host(team.home, memory=SHARED) as host:
        seen_first = await asked(host)
        assert "not committed" not in str(seen_first.context)
        # A prose that alone would be taken: but it comes on top of what nobody has agreed to yet.
        (team.mate / skill).write_text(asking(first, "second.example") + "\nThird.\n", "utf-8")
        team.mate_pushes()
        await look(host, "remote")
        (seen_last,) = [each for each in await asked_all(host, 2) if each.id != seen_first.id]
        assert "second.example" in str(seen_last.context)
        assert "Third." in str(seen_last.context)
        await answer(host, seen_first, "take")
        await until(lambda: "# of a teammate" in (team.home / settings).read_text("utf-8"))
        assert (team.home / settings).read_text("utf-8") == f"# not committed\n{ours}# of a teammate\n"
        assert (team.home / skill).read_text("utf-8") == first
        await answer(host, seen_last, "keep")
        await until(lambda: git(team.home, "log", "-1", "--format=%s") == f"Keep our own {skill}")
        await synced(host, team)
        assert (team.mate / skill).read_text("utf-8") == first


async def test_a_person_s_own_changes_and_other_conflicts_stay_as_they_are(team: Team) -> None:
    identity, standards = "foundation/core_identity.md", "foundation/output_standards.md"
    first = (team.home / identity).read_text("utf-8")
    (team.mate / identity).write_text("Theirs.\n" + first, "utf-8")
    (team.mate / standards).write_text("Theirs.\n", "utf-8")
    team.mate_pushes()
    (team.home / identity).write_text(first + "\nOurs, not committed.\n", "utf-8")
    (team.home / standards).write_text("Ours, not committed.\n", "utf-8")
    async with started_host(team.home, memory=SHARED) as host:
        await until(lambda: (team.home / identity).read_text("utf-8").startswith("Theirs.\n"))
        await until(lambda: git(team.remote, "rev-parse", "main") == git(team.home, "rev-parse", "main"))
        assert (team.home / identity).read_text("utf-8") == "Theirs.\n" + first + "\nOurs, not committed.\n"
        assert (team.home / standards).read_text("utf-8") == "Ours, not committed.\n"
        branch = git(team.home, "branch", "--list", "conflict/*").strip()
        assert git(team.home, "show", f"{branch}:{standards}") == "Theirs."

        async def is_told() -> bool:
            return branch in await told(host)

        await until(is_told)
        assert git(team.home, "diff", "--cached", "--name-only") == ""


async def test_a_remote_that_refuses_is_tried_ever_less_often_and_the_owner_is_told_once(team: Team) -> None:
    hook = team.remote / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\necho not today >&2\nexit 1\n")
    hook.chmod(0o755)
    append(team.home, fact(2, "The office is in Lviv"))
    async with started_host(team.home, memory={**SHARED, "sync_minutes": 0.5}) as host:
        for times in range(1, 7):

            async def failed(times: int = times) -> bool:
                trouble = await note(host, "versions-remote")
                return bool(trouble) and trouble["times"] == times

            await until(failed)
            due = await host.store.read(lambda tx: work.due_at(tx, kind_of(host), "remote"))
            assert due is not None
            assert due - now() > timedelta(seconds=25) * 2**times
            await look(host, "remote")
        assert "not today" in (await note(host, "versions-remote"))["values"]["said"]
        assert (await told(host)).count("not today") == 1
        assert subject(team.home).endswith("memory: 1 fact (demo)"), "commits go on meanwhile"
    findings = await asyncio.to_thread(examined, host)
    assert [(each.check, each.ok) for each in findings] == [("repository", True), ("remote", False)]
    assert "not today" in findings[1].sentence
    hook.unlink()
    async with started_host(team.home, memory=SHARED) as host:
        await synced(host, team)

        async def is_well() -> bool:
            return await note(host, "versions-remote") is None

        await until(is_well)


async def test_whoever_pushes_at_the_same_moment_makes_us_merge_once_more(team: Team) -> None:
    append(team.mate, fact(3, "The roaster is called Olha"))
    team.mate_commits()
    hook = team.remote / "hooks" / "pre-receive"
    # While the remote thinks about our commit, the teammate's arrives.
    competitor = f"env -i PATH=$PATH git -C {team.mate} push --quiet origin main"
    hook.write_text(f"#!/bin/sh\nrm {hook}\n{competitor}\n")
    hook.chmod(0o755)
    append(team.home, fact(2, "The office is in Lviv"))
    async with started_host(team.home, memory=SHARED):
        await until(lambda: ids(team.home) == [fact(number, "")["id"] for number in (1, 2, 3)])
        await until(lambda: git(team.remote, "rev-parse", "main") == git(team.home, "rev-parse", "main"))


async def test_nothing_is_committed_while_the_workspace_is_on_no_branch_and_all_of_it_afterwards(
    home: Path,
) -> None:
    git(home, "checkout", "--quiet", "--detach")
    at = git(home, "rev-parse", "HEAD")
    async with started_host(home, memory=QUICK) as host:
        append(home, fact(1, "Refunds take five days"))
        await look(host)

        async def is_noted() -> bool:
            return bool(await note(host, "versions-unready"))

        await until(is_noted)
        assert git(home, "rev-parse", "HEAD") == at
    findings = await asyncio.to_thread(examined, host)
    assert [(each.check, each.ok) for each in findings] == [("repository", False)]
    assert "switch main" in findings[0].sentence
    async with started_host(home, memory=QUICK) as host:
        git(home, "checkout", "--quiet", "main")
        assert len(ids(home)) == 1
        await look(host)
        await until(lambda: subject(home) == "NanoClaw OS: memory: 1 fact (demo)")

        async def is_well() -> bool:
            return await note(host, "versions-unready") is None

        await until(is_well)


async def test_a_host_whose_clock_is_ahead_plans_its_first_commit_by_the_time_of_the_database(
    home: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ahead = SimpleNamespace(
        time=lambda: time.time() + 7200, clock_gettime=time.clock_gettime, CLOCK_BOOTTIME=time.CLOCK_BOOTTIME
    )
    monkeypatch.setattr(clock, "time", ahead)
    async with started_host(home, database={"url": postgres_url}) as host:
        planned = sa.select(tables.work.c.due_at).where(tables.work.c.kind.startswith("versions "))
        due = await host.store.read(lambda tx: tx.execute(planned).scalars().all())
    assert due
    assert all(each < datetime.now(UTC) + timedelta(hours=1) for each in due)
