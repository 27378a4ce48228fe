"""The doctor: checks everything the host needs, and names the command that repairs what is missing."""

import asyncio
import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

import typer

from nanoclaw.admission import patterns
from nanoclaw.cli import channels, versions_check
from nanoclaw.cli.backup import checkup as backups
from nanoclaw.cli.context import checkup as context
from nanoclaw.cli.findings import CheckResult, Found, fenced
from nanoclaw.cli.options import AsJson, guarded_home, help_of, language_of
from nanoclaw.cli.output import print_json
from nanoclaw.cli.people.access import ask
from nanoclaw.cli.store_check import ask_host, check_database
from nanoclaw.cli.trial import complete
from nanoclaw.client.connection import Address, Client
from nanoclaw.console.people_views import show_chats
from nanoclaw.context.adaptors import Adaptors
from nanoclaw.context.budget_files import FILE as BUDGET_FILE
from nanoclaw.context.budget_files import BudgetFiles
from nanoclaw.context.groups import Groups
from nanoclaw.context.mounts import allowed_mounts, list_path
from nanoclaw.context.skills import Skills
from nanoclaw.domain.boxes import BoxPlan
from nanoclaw.domain.errors import (
    BadSettings,
    BadWorkspace,
    BoxRefused,
    ModelFailed,
    ModelOutage,
    Refused,
)
from nanoclaw.domain.money import dollars
from nanoclaw.domain.wirings import EngageMode
from nanoclaw.durable import approvals, schema
from nanoclaw.gateway import server_list
from nanoclaw.host import bots, host_lock, workspace
from nanoclaw.host.agents import limits_of, need_extras, sandbox_of
from nanoclaw.host.budget_parts import usual_budget
from nanoclaw.host.database import open_database
from nanoclaw.host.keys import Keys
from nanoclaw.host.settings import FILE, Settings, read_settings
from nanoclaw.host.skill_check import misleading
from nanoclaw.host.templates import make_catalogue
from nanoclaw.pipelines.sentences import sentence
from nanoclaw.sandbox import folder_walk, folders, limits, probes
from nanoclaw.texts import say, tell

app = typer.Typer()

_LOW_ON_DISK = 0.5  # GB


@app.command(help=help_of("doctor"))
def doctor(as_json: AsJson = False) -> None:
    home = guarded_home()
    findings = list(examine(home))
    ill = sum(finding.ok is False for finding in findings)
    if as_json:
        print_json({"ok": not ill, "findings": [asdict(finding) for finding in findings]})
    else:
        signs = {True: "✓", False: "✗", None: "·"}
        for finding in findings:
            typer.echo(f"{signs[finding.ok]} {finding.sentence}")
        language = language_of(home)
        typer.echo(say(language, "doctor-ill", count=ill) if ill else say(language, "doctor-well"))
    if ill:
        raise typer.Exit(1)


def examine(home: Path) -> Iterator[CheckResult]:
    language = language_of(home)

    def found(check: str, key: str, *, ok: bool | None = True, **values: object) -> CheckResult:
        return CheckResult(check=check, ok=ok, sentence=say(language, f"doctor-{key}", **values))

    python = ".".join(str(part) for part in sys.version_info[:3])
    yield found("python", "python", version=python)
    yield found("sqlite", "sqlite", version=sqlite3.sqlite_version)
    git = shutil.which("git") is not None
    yield found("git", "git" if git else "git-missing", ok=git)
    if not (home / FILE).exists():
        yield found("workspace", "workspace-missing", ok=None, home=str(home))
        return
    said = set()
    for check, look in _checks(home, found).items():
        for finding in fenced(language, check, look):
            if finding.sentence not in said:  # several checks need the database, but it is missing only once
                said.add(finding.sentence)
                yield finding
        if check == "settings" and finding.ok is False:
            break
    yield from fenced(language, "disk", lambda: _disk(home, found))
    yield from fenced(language, "host", lambda: _host(home, found))


def _checks(home: Path, found: Found) -> dict[str, Callable[[], Iterator[CheckResult]]]:
    """The checks in order, by name. Without settings there are no others."""

    def settings() -> Settings:
        return read_settings(home)

    def based() -> Iterator[CheckResult]:
        workspace.check(home)
        yield found("workspace", "workspace", home=str(home))
        settings()
        yield found("settings", "settings")

    return {
        "settings": based,
        "database": lambda: check_database(home, settings(), found),
        "backups": lambda: backups.look(home, settings(), found),
        "workspace": lambda: _written(home, settings(), found),
        "repository": lambda: versions_check.look(home, settings(), found),
        "wirings": lambda: _admitted(home, settings(), found),
        "adaptors": lambda: _adapted(home, found),
        "context": lambda: context.look(home, found),
        "budgets": lambda: _budgeted(home, settings(), found),
        "telegram": lambda: _connected(home, settings(), found),
        "channels": lambda: channels.look(home, settings(), found),
        "sandbox": lambda: _boxed(home, settings(), found),
        "folders": lambda: _left_by_boxes(home, found),
        "model": lambda: _completed(home, settings(), found),
    }


def _budgeted(home: Path, settings: Settings, found: Found) -> Iterator[CheckResult]:
    """Whether the files in which people wrote what may be spent can be read."""
    files, language = BudgetFiles(home, usual_budget(settings)), language_of(home)
    for path in sorted((home / "companies").glob(f"*/{BUDGET_FILE}")):
        if fault := files.fault(path.parent.name):
            yield found("budgets", "budget-broken", ok=False, reason=tell(language, fault))
        else:
            yield found("budgets", "budget", company=path.parent.name)


def _host(home: Path, found: Found) -> Iterator[CheckResult]:
    host = host_lock.find(home)
    yield found("host", "host", url=host.url) if host else found("host", "host-stopped", ok=None)
    yield from ask_host(home, found)


def _written(home: Path, settings: Settings, found: Found) -> Iterator[CheckResult]:
    """What people wrote into the workspace by hand."""
    groups = Groups(home)
    groups.main()
    sound = []
    for name in groups.names():
        try:
            sound.append(groups.get(name))
        except BadWorkspace as error:
            yield CheckResult(check=error.key, ok=False, sentence=tell(language_of(home), error))
    yield found("groups", "groups", count=len(sound))
    known_skills = Skills(home)
    language = language_of(home)
    yield found("skills", "skills", count=len(list(known_skills.skills())))
    for group in sound:
        if not (home / "companies" / group.company / "context").is_dir():
            yield found("company", "company-missing", ok=False, company=group.company, group=group.name)
        for server in set(group.mcp) - server_list.read(home).keys():
            yield found("mcp", "mcp-missing", ok=False, server=server, group=group.name)
        try:
            allowed_mounts(group.mounts, list_path())
        except BadWorkspace as error:
            yield CheckResult(check=error.key, ok=False, sentence=tell(language, error))
        if known_skills.choose(None, group.skill).skill is None:
            yield found("skill", "skill-missing", ok=False, skill=group.skill, group=group.name)
    for broken in make_catalogue(home, settings, groups, known_skills).broken():
        for mistake in broken.mistakes:
            place = f"{broken.path}:{mistake.line}"
            yield CheckResult(check="template", ok=False, sentence=f"{place}: {sentence(language, mistake)}")
    for fault in (*known_skills.faults(), *misleading(home, known_skills, groups, settings.approvals)):
        yield CheckResult(check=fault.key, ok=False, sentence=tell(language, fault))


def _admitted(home: Path, settings: Settings, found: Found) -> Iterator[CheckResult]:
    """Whether every wiring leads to an agent, and whether someone waits to be admitted."""

    groups = Groups(home)
    (chats, waiting), _ = ask(
        lambda owner: (show_chats(owner.tx, groups, owner.by.language), approvals.count_open(owner.tx))
    )
    for chat, wiring in ((each, wiring) for each in chats for wiring in each.wirings):
        where = {"chat": chat.title, "id": chat.id, "group": wiring.group}
        if wiring.fault:
            key = "wiring-gone" if groups.company_of(wiring.group) is None else "wiring-company"
            yield found("wiring", key, ok=False, **where)
        try:
            if wiring.engage == EngageMode.PATTERN:
                patterns.check(wiring.pattern or "")
        except Refused as error:
            yield found("pattern", "pattern", ok=False, said=tell(settings.language, error), **where)
    if waiting:
        yield found("requests", "requests", ok=None, count=waiting)


def _adapted(home: Path, found: Found) -> Iterator[CheckResult]:
    """Whether every channel that a skill writes for has an adaptor."""
    adaptors = Adaptors(home)
    yield found("adaptors", "adaptors", count=len(adaptors.all()))
    for fault in adaptors.faults():
        yield CheckResult(check=fault.key, ok=False, sentence=tell(language_of(home), fault))
    known = adaptors.targets()
    for skill in Skills(home).skills():
        for target in set(skill.head.targets) - set(known):
            yield found(
                *("target", "target-missing"),
                ok=False,
                skill=skill.name,
                target=target,
                known=", ".join(known) or "-",
            )


def _connected(home: Path, settings: Settings, found: Found) -> Iterator[CheckResult]:
    """Whether each bot's token is valid, and whether voice messages can be transcribed."""
    tokens = bots.tokens_of(home, settings)
    if host_lock.find(home):
        yield from _heard_of_bots(home, found)
        tokens = {}
    elif not tokens:
        yield found("telegram", "telegram-none", ok=None)
    for bot_id, token in tokens.items():
        try:
            seen = asyncio.run(bots.look_up(token, settings.telegram.api_base))
        except BadSettings as error:
            sentence = f"{bot_id}: {tell(settings.language, error)}"
            yield CheckResult(check="telegram", ok=False, sentence=sentence)
        else:
            yield found("telegram", "telegram", bot=seen.username or bot_id)
    if settings.voice.engine and shutil.which("ffmpeg") is None:
        yield found("ffmpeg", "ffmpeg-missing", ok=None)


def _heard_of_bots(home: Path, found: Found) -> Iterator[CheckResult]:
    """What the running host says about its bots: it knows best what is wrong."""

    async def ask() -> list[dict[str, str]]:
        async with Client(Address.of(home)) as client:
            known: list[dict[str, str]] = (await client.ask("GET", "/api/bots"))["bots"]
            return known

    known = asyncio.run(ask())
    if not known:
        yield found("telegram", "telegram-none", ok=None)
    for bot in known:
        name = bot["username"] or bot["id"]
        if bot["trouble"]:
            yield CheckResult(check="telegram", ok=False, sentence=f"@{name}: {bot['trouble']}")
        else:
            yield found("telegram", "telegram", bot=name)


def _boxed(home: Path, settings: Settings, found: Found) -> Iterator[CheckResult]:
    """Whether agents can have boxes at all, and whether the boxes hold."""
    plan = BoxPlan(name="doctor", tenant="proof", limits=limits_of(settings))
    try:
        sandbox = sandbox_of(home, settings)
        if sandbox.name == "process":
            yield found("sandbox", "sandbox-process", ok=None)
            return
        asyncio.run(probes.prove(sandbox, plan))
    except BoxRefused as error:
        yield CheckResult(check="sandbox", ok=False, sentence=tell(settings.language, error))
    else:
        yield found("sandbox", "sandbox", driver=sandbox.name, limits=limits.in_force())


def _left_by_boxes(home: Path, found: Found) -> Iterator[CheckResult]:
    """What a box did to its folders that affects others: the folder says whose box it was."""
    for folder in folders.of_boxes(home):
        left, named = folder_walk.look(folder), {"folder": str(folder.relative_to(home))}
        if left.deep:
            yield found(
                "folders", "folders-deep", ok=False, most=folder_walk.DEEPEST, path=left.deep[:100], **named
            )
        if left.many:
            yield found("folders", "folders-many", ok=False, most=folder_walk.MOST, **named)
        if left.unsafe:
            yield found("folders", "folders-unsafe", ok=False, files=", ".join(left.unsafe)[:200], **named)
        if left.closed:
            yield found("folders", "folders-closed", ok=False, files=", ".join(left.closed)[:200], **named)


def _completed(home: Path, settings: Settings, found: Found) -> Iterator[CheckResult]:
    """One small real completion, if there is a real agent."""
    keys = Keys(home, settings)
    need_extras(settings, keys, Groups(home), Skills(home))
    store = open_database(home, settings)
    try:
        schema.expect(store)
        spent = asyncio.run(complete(home, settings, store))
    except (ModelFailed, ModelOutage) as error:
        yield CheckResult(check="model", ok=False, sentence=tell(settings.language, error))
    else:
        yield (
            found("model", "model", model=spent.model, money=dollars(spent.micros))
            if spent
            else found("model", "model-demo", ok=None)
        )
    finally:
        store.close()


def _disk(home: Path, found: Found) -> Iterator[CheckResult]:
    free = shutil.disk_usage(home).free / 1024**3
    low = free < _LOW_ON_DISK
    yield found("disk", "disk-low" if low else "disk", ok=not low, free=round(free, 1))
