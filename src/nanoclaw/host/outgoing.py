"""What a workspace sends to whom, and which programs it starts, as far as its files decide it.

Whoever brings a workspace (a backup, a folder) could point kept keys at an address of their own. So what is new is
shown before it takes effect. What the environment sets is the operator's own word and is not listed.
"""

import hashlib
import json
import os
import re
import shlex
import sqlite3
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from nanoclaw.context.skills import Skills
from nanoclaw.domain.errors import NanoClawError
from nanoclaw.domain.people import Role
from nanoclaw.domain.shown_text import shown_line
from nanoclaw.gateway import server_list
from nanoclaw.host import keys
from nanoclaw.host.backup.git_restore import GitRemote, read_config, without_password
from nanoclaw.host.private import BOTS, read_private
from nanoclaw.host.settings import ALIASES, FILE, SECRET_KEY, Settings, database_file, names, read_settings
from nanoclaw.host.workspace import STARTER

# Settings that are an address, a program, or a place outside the workspace. Their defaults need no yes.
SETTINGS = (
    *("anthropic.base_url", "agents.base_url", "agents.haiku", "agents.sonnet", "agents.opus"),
    *("agents.allowed_models", "telegram.api_base", "telegram.webhook_url", "voice.engine", "voice.base_url"),
    *("memory.embeddings_url", "memory.push", "memory.remote", "scripted.url", "database.url"),
    *("boxes.driver", "boxes.image", "boxes.private_hosts", "backup.folder"),
    *("transfer.drive_server", "transfer.drive_tool", "transfer.drive_folder"),
)
_GROUP_KEYS = ("network", "mcp", "mounts", "model", "runtime", "web_search")
# Of an address only what is before its first slash: behind that an @ is part of a path.
_PASSWORD = re.compile(r"(://[^:/@?#]*:)[^@/?#]*(?=@)|(\bpassword=)[^&\s;,\"']*")
_DATABASE_PASSWORD = re.compile(r"(://[^:/@]*:)[^@]*(?=@)")
# Settings of a repository that name a program, or lead git elsewhere.
_GIT_SETTINGS = re.compile(
    r"(credential|http|url|include|includeif|filter|ssh|protocol|gpg)\..*"
    r"|core\.(sshcommand|gitproxy|askpass|worktree|alternaterefscommand)"
    r"|remote\..*\.(pushurl|uploadpack|receivepack|vcs|proxy)|diff\..*\.(command|textconv)|merge\..*\.driver"
)
PROGRAMS = (  # our database has none
    "SELECT name FROM sqlite_master WHERE type IN ('trigger', 'view') UNION ALL SELECT t.name FROM sqlite_master t, "
    "pragma_table_xinfo(t.name) c WHERE t.type = 'table' AND c.hidden IN (2, 3)"  # computed: a role that changes itself
)
PEOPLE = (
    "SELECT handle, name, role, '' FROM people",
    "SELECT p.handle, p.name, m.role, m.agent_group FROM memberships m JOIN people p ON p.id = m.person_id",
    "SELECT d.handle, d.name, p.role, '= ' || p.name FROM people p JOIN people d ON d.id = p.delegate",
)
_COMMANDING = (Role.OWNER, Role.ADMIN)
# Whoever sits at this machine; and the far end of `scripted.url`, which is listed itself.
_LOCAL = ("local", "scripted")
_LONGEST = 500  # of what is read to say where a repository is
_THIS_MACHINE = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, kw_only=True, order=True)
class Destination:
    """`kind` is the text that explains it: `outgoing-<kind>`."""

    kind: str
    name: str
    target: str

    @property
    def stays_here(self) -> bool:
        """Whether it is a setting with an address of this machine."""
        try:
            parts = urlsplit(self.target)
        except ValueError:
            return False
        is_address = self.kind == "setting" and parts.scheme in ("http", "https")
        return is_address and parts.hostname in _THIS_MACHINE


def destinations(
    workspace: Path, data: Path, *, remotes: Sequence[GitRemote] | None = None
) -> list[Destination]:
    """In a fixed order. `remotes` if they are not in its git yet."""
    found = [*_of_settings(workspace), *_of_groups(workspace), *_of_skills(workspace), *_of_servers(data)]
    found += _of_git(workspace) if remotes is None else _named(remotes)
    return sorted(set(found))


def of_brought(home: Path) -> list[Destination]:
    """Of a folder that somebody made elsewhere, with all that a backup would have left out."""
    data = home / "data"
    try:
        bots = [Destination(kind="bot", name=_shown(each), target="") for each in read_private(data / BOTS)]
    except NanoClawError:
        bots = [Destination(kind="bot", name="?", target="")]
    table = _toml(home / FILE).get("telegram")
    if isinstance(table, dict) and (token := table.get("bot_token")):
        bots.append(Destination(kind="bot", name=_shown(str(token).partition(":")[0][:40]), target=""))
    try:
        vendors = [
            Destination(kind="key", name=_shown(each), target="") for each in read_private(data / keys.FILE)
        ]
    except NanoClawError:
        vendors = [Destination(kind="key", name="?", target="")]
    people = (each for file in databases_of(home) for each in people_in(file, with_log=True))
    found = {*destinations(home, data), *people, *bots, *vendors}
    return sorted(each for each in found if not each.stays_here)


def databases_of(home: Path) -> list[Path]:
    """The files in which a host on this workspace would look for people."""
    found = {home / "data" / "nanoclaw.db"}
    with suppress(NanoClawError):
        url = read_settings(home).database_url(home)
        found |= {Path(database_file(url))} if url.startswith("sqlite:") else set()
    return sorted(each for each in found if each.is_file())


def people_in(database: Path, *, with_log: bool = False) -> list[Destination]:
    """Who else than the person at this machine commands the host. `with_log`: also those whom only its log knows.
    Otherwise that may be the log of another database, and who is missing is asked about once more.
    """
    if not database.is_file():
        return []
    found: set[Destination] = set()
    for how in ("mode=ro&immutable=1", *(("mode=ro",) if with_log else ())):
        with closing(sqlite3.connect(f"file:{quote(str(database))}?{how}", uri=True)) as opened:
            try:
                found |= {*commanding(opened.execute(PEOPLE[0]).fetchall())}
            except sqlite3.Error:
                found.add(Destination(kind=Role.OWNER, name="?", target="?"))  # nobody can say
            for more in PEOPLE[1:]:
                with suppress(sqlite3.Error):  # an old database has no groups of people
                    found |= {*commanding(opened.execute(more).fetchall())}
    return sorted(found)


def commanding(rows: Iterable[Sequence[str]]) -> list[Destination]:
    """Of handle, name, role, and the agent group or person for which they have it."""
    return sorted(
        Destination(kind=role, name=_shown(f"{name} ({place})" if place else name), target=_shown(handle))
        for handle, name, role, place in rows
        if role in _COMMANDING and handle.partition(":")[0] not in _LOCAL
    )


def digest(found: Iterable[Destination]) -> str:
    """Names exactly this list: with another one, an acceptance of it is worth nothing."""
    listed = json.dumps([(each.kind, each.name, each.target) for each in sorted(found)])
    return hashlib.sha256(listed.encode()).hexdigest()[:32]


def _of_settings(workspace: Path, environment: Mapping[str, str] = os.environ) -> Iterator[Destination]:
    written = _toml(workspace / FILE)
    usual = Settings().model_dump()
    given = {key for variable, key in (ALIASES | names()).items() if variable in environment}
    for key in SETTINGS:
        section, _, name = key.partition(".")
        table = written.get(section)
        value = table.get(name) if isinstance(table, dict) else None
        if (
            value is not None
            and key not in given
            and value != usual[section][name]
            and value not in ("", [], False)
        ):
            if key == "database.url":
                value = _DATABASE_PASSWORD.sub(r"\1***", str(value))
            yield Destination(kind="setting", name=key, target=_shown(value))
    if rules := written.get("approvals"):
        yield Destination(kind="setting", name="approvals", target=_shown(rules))
    channels = written.get("channels")
    for channel, table in channels.items() if isinstance(channels, dict) else ():
        for key, value in table.items() if isinstance(table, dict) else ():
            name = f"channels.{channel}.{key}"
            if not SECRET_KEY.search(key):
                yield Destination(kind="channel", name=_shown(name), target=_shown(value))


def _of_groups(workspace: Path) -> Iterator[Destination]:
    for file in sorted(workspace.glob("groups/*/group.toml")):
        written = _toml(file)
        for key in _GROUP_KEYS:
            if value := written.get(key):
                name = _shown(f"{file.parent.name}: {key}")
                yield Destination(kind="group", name=name, target=_shown(value))


def _of_skills(workspace: Path) -> Iterator[Destination]:
    shipped = {
        (each.name, host) for each in Skills(STARTER / "common").skills() for host in each.head.network
    }
    for skill in Skills(workspace).skills():
        for host in skill.head.network:
            if (skill.name, host) not in shipped:
                yield Destination(kind="skill", name=skill.name, target=host)


def _of_servers(data: Path) -> Iterator[Destination]:
    try:
        servers = server_list.read(data.parent) if data.name == "data" else {}
    except NanoClawError:
        yield Destination(kind="server", name=server_list.FILE, target="?")
        return
    for server in servers.values():
        secrets = server.secrets()
        values = [(name, value.get_secret_value()) for name, value in server.env.items()]
        env = [f"{name}={'***' if value in secrets else shlex.quote(value)}" for name, value in values]
        # Word for word: what is hidden in a program would be started unseen.
        where = " ".join((*env, *map(shlex.quote, (*server.command, *server.network, *server.folders))))
        yield Destination(kind="server", name=server.name, target=shown_line(where or server.where))


def _of_git(workspace: Path) -> Iterator[Destination]:
    place = workspace / ".git"
    if place.is_symlink() or place.is_file():
        yield Destination(kind="git", name=".git", target=_elsewhere(place))
    hooks = sorted(each.name for each in (place / "hooks").glob("*") if each.suffix != ".sample")
    yield from (Destination(kind="hook", name=_shown(each), target=".git/hooks") for each in hooks)
    if (place / "commondir").exists():
        yield Destination(kind="git", name="commondir", target=_elsewhere(place / "commondir"))
    for file in ("config", "config.worktree"):
        try:
            settings = read_config(workspace, (place / file).read_bytes())
        except OSError:
            continue
        for key, values in settings.items():
            name = key.removeprefix("remote.").removesuffix(".url")
            kind = "remote" if key == f"remote.{name}.url" else "git"
            # All of them: git pushes to each.
            if kind == "remote" or _GIT_SETTINGS.fullmatch(key):
                yield from (
                    Destination(kind=kind, name=_shown(name), target=_shown(without_password(each)))
                    for each in values
                )


def _elsewhere(place: Path) -> str:
    """Where the repository is, if it is not in the folder `.git`."""
    try:
        told = (
            str(place.readlink())
            if place.is_symlink()
            else place.read_bytes()[:_LONGEST].decode("utf-8", "replace")
        )
    except OSError:
        return "?"
    return _shown(told)


def _named(remotes: Iterable[GitRemote]) -> Iterator[Destination]:
    return (Destination(kind="remote", name=each.name, target=_shown(each.url)) for each in remotes)


def _toml(path: Path) -> dict[str, Any]:
    """What cannot be read is refused by whoever uses it."""
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}


def _shown(value: object) -> str:
    """One line without passwords, whole, and with a mark for all that is invisible."""
    text = value if isinstance(value, str) else json.dumps(value, default=str, ensure_ascii=False)
    return shown_line(_PASSWORD.sub(r"\1\2***", text))
