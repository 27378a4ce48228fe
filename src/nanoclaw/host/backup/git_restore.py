"""Of a brought repository only what was committed comes over. Its configuration could name programs, so it is written
anew; of the old one only the addresses of remotes are read, and they are written after a person has agreed.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from nanoclaw.domain.errors import Refused
from nanoclaw.git.command import Git, GitFailed, GitUnready

_REMOTE = re.compile(r"remote\.([\w-][\w.-]*)\.url")
_CREDENTIALS = re.compile(r"(?<=^http://)[^/@]*@|(?<=^https://)[^/@]*@|(?<=//)[^/@:]*:[^/@]*@")
_REF = re.compile(rb"([0-9a-f]{40}|[0-9a-f]{64}|ref: refs/(?!.*\.\.)[^\s\\]+)\n?")
_PACKED = re.compile(rb"(#[^\n]*|\^?[0-9a-f]{40,64}( refs/(?!\S*\.\.)[^\s\\]+)?)")
_MOST_REF, _MOST_PACKED = 4096, 64 << 20
_CORE = "[core]\n\trepositoryformatversion = {version}\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n"
_SHA256 = "[extensions]\n\tobjectformat = sha256\n"


@dataclass(frozen=True, kw_only=True, slots=True)
class GitRemote:
    name: str
    url: str  # without a password


def renew(workspace: Path, config: bytes) -> list[GitRemote]:
    """Check what came, write the configuration and the index anew, and return the remotes it had."""
    place = workspace / ".git"
    if not (place / "HEAD").is_file():
        return []
    _check_refs(place)
    settings = read_config(workspace, config)
    is_sha256 = settings.get("extensions.objectformat", [""])[-1].lower() == "sha256"
    text = _CORE.format(version=int(is_sha256)) + (_SHA256 if is_sha256 else "")
    (place / "config").write_text(text, "utf-8")
    for folder in ("objects", "refs"):
        (place / folder).mkdir(exist_ok=True)
    with suppress(GitFailed, GitUnready):  # an empty repository, or a machine without git
        Git(workspace)("read-tree", "HEAD")
    return remotes_of(settings)


def read_config(workspace: Path, config: bytes) -> dict[str, list[str]]:
    """By git's own reader, without includes: it runs nothing."""
    try:
        out = Git(workspace)("config", "--file", "-", "--no-includes", "--list", "-z", given=config)
    except (GitFailed, GitUnready):
        return {}
    found: dict[str, list[str]] = {}
    for line in out.decode("utf-8", "replace").split("\0"):
        name, _, value = line.partition("\n")
        found.setdefault(name, []).append(value)
    return found


def remotes_of(settings: dict[str, list[str]]) -> list[GitRemote]:
    found = []
    for key, values in settings.items():
        if (named := _REMOTE.fullmatch(key)) and values[-1].isprintable() and not values[-1].startswith("-"):
            found.append(GitRemote(name=named[1], url=without_password(values[-1])[:1000]))
    return sorted(found, key=lambda each: each.name)


def without_password(url: str) -> str:
    return _CREDENTIALS.sub("", url)


def add_remotes(workspace: Path, remotes: Sequence[GitRemote]) -> None:
    git = Git(workspace)
    with suppress(GitUnready):
        for each in remotes:
            git("config", "--file", str(workspace / ".git" / "config"), f"remote.{each.name}.url", each.url)
            fetch = f"+refs/heads/*:refs/remotes/{each.name}/*"
            git("config", "--file", str(workspace / ".git" / "config"), f"remote.{each.name}.fetch", fetch)


def _check_refs(place: Path) -> None:
    """Git follows what a ref says: no ref may lead out of the repository."""
    for file in (place / "HEAD", *(path for path in (place / "refs").rglob("*") if path.is_file())):
        if file.stat().st_size > _MOST_REF or not _REF.fullmatch(file.read_bytes()):
            raise Refused("backup-odd-name", member=str(file.relative_to(place.parent)))
    packed = place / "packed-refs"
    if packed.is_file() and (
        packed.stat().st_size > _MOST_PACKED
        or not all(_PACKED.fullmatch(line) for line in packed.read_bytes().splitlines())
    ):
        raise Refused("backup-odd-name", member=".git/packed-refs")
