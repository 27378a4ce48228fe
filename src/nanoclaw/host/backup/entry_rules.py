"""Which names a backup may hold, for whoever writes one and for whoever reads one: no honest backup is refused.

What the host acts on comes over by a list: of `.git` only what was committed, of `data/` only what is listed in
`contents.KEPT`, and no settings of other programs. People's own work keeps its names as they are.
"""

import re
import unicodedata
from dataclasses import dataclass, field
from enum import Enum

from nanoclaw.domain.errors import Refused
from nanoclaw.host.backup import manifest
from nanoclaw.host.backup.manifest import spelled
from nanoclaw.host.backup.tar_stream import MOST_ENTRIES, Entry, EntryKind
from nanoclaw.host.settings import FILE

# Only these parts of `data/`: what a later version puts there may be secret.
KEPT = ("analyses", "attachments", "box-users.json", "chat-history", "cost_log.jsonl", "transfers")
GIT_CONFIG = f"{manifest.WORKSPACE}/.git/config"
_OTHER_MACHINE = "box-users.json"  # numbers of users; each machine gives out its own
_TOP = (manifest.HEAD, manifest.LIST, manifest.DATABASE, manifest.KEYS)
_DOTTED = (".gitignore", ".gitattributes", ".gitkeep")
_HOST_NAMES = ("data", FILE, ".git", "groups", "companies", "skills", "foundation")
_DEEPEST = 110
_LONGEST, _LONGEST_PART = 4096, 255  # bytes
MOST_NAMES = 1 << 27  # bytes of all names together
_HEX = r"[0-9a-f]"
_GIT = re.compile(
    rf"HEAD|packed-refs|objects(/({_HEX}{{2}}(/{_HEX}{{38}}|/{_HEX}{{62}})?"
    rf"|pack(/pack-({_HEX}{{40}}|{_HEX}{{64}})\.(pack|idx|rev))?))?"
    r"|refs(/(?!\.)(?![^/]*(\.\.|@\{|\.lock(/|$)))[^\x00-\x20\x7f~^:?*\[\\/]+)*"
)
LIST_BYTES = 16 << 20  # beside one line for each name
_LIST_LINE = 300
_READ_BY_HOST = re.compile(
    rf"{manifest.WORKSPACE}/({re.escape(FILE)}|groups/[^/]+/group\.toml|skills/.+/SKILL\.md)"
)
_LONGEST_READ = 4 << 20  # these are read as a whole before anybody has agreed to them
_BOX_WRITES = ("files", "session", "ipc", "quarantine")


class Verdict(Enum):
    TAKEN = "taken"
    LEFT_OUT = "left-out"  # and people are told
    IGNORED = "ignored"  # belongs to another machine, or is written anew


@dataclass(kw_only=True)
class EntryRules:
    """Judges the entries of one archive, in their order."""

    _files: set[str] = field(default_factory=set)
    _folders: set[str] = field(default_factory=set)  # that had an entry of their own
    _named: int = 0
    _spellings: dict[str, str] = field(default_factory=dict)  # outside of people's work

    def judge(self, entry: Entry) -> Verdict:
        """Raises Refused for what no honest backup holds."""
        name = entry.name
        parts = name.split("/")
        _check_form(name, parts)
        self._take(entry, name)
        verdict = _verdict(entry, parts)
        if verdict is Verdict.TAKEN and not is_free(parts):
            self._check_spelling(name, parts)
        return verdict

    def longest_list(self) -> int:
        """Bytes that a list of what was judged may have: a longer one names things that are not there."""
        return LIST_BYTES + 6 * self._named + _LIST_LINE * (len(self._files) + len(self._folders))

    def _take(self, entry: Entry, name: str) -> None:
        self._named += len(name) + len(entry.target)
        if self._named > MOST_NAMES:
            raise Refused("backup-too-many", most=MOST_ENTRIES)
        taken = self._folders if entry.kind is EntryKind.FOLDER else self._files
        if name in self._files or name in taken:
            raise Refused("backup-twice", member=spelled(name)[:300])
        taken.add(name)

    def _check_spelling(self, name: str, parts: list[str]) -> None:
        """Two names that differ by case or by the form of their letters share one place on some disks."""
        if not name.isprintable():
            raise _odd(name)
        known = self._spellings
        for end in range(len(parts), 0, -1):
            path = "/".join(parts[:end])
            folded = path if path.isascii() and path.islower() else _folded(path)
            other = known.setdefault(folded, path)
            if other != path:
                raise Refused("backup-twice", member=spelled(name)[:300])
            if other is not path:
                return  # the folders above were looked at with an earlier entry


def is_work(parts: list[str]) -> bool:
    """Whether it is below `workspace/groups/*/files`, where links may be."""
    return len(parts) > 4 and parts[:2] == [manifest.WORKSPACE, "groups"] and parts[3] == "files"


def is_free(parts: list[str]) -> bool:
    """Whether others than the host chose the name: agents, and whoever sent a file."""
    if parts[0] == manifest.DATA:
        return len(parts) > 2
    return len(parts) > 4 and parts[:2] == [manifest.WORKSPACE, "groups"] and parts[3] in _BOX_WRITES


def stays_inside(parts: list[str], target: str) -> bool:
    """Whether a link stays in its `files`, whatever other links there are: it goes up first, only through folders
    that are none, and then down.
    """
    steps = target.split("/")
    ups = next((index for index, step in enumerate(steps) if step != ".."), len(steps))
    down = steps[ups:]
    is_plain = "\0" not in target and all(step not in ("", "..") for step in down)
    return (
        is_plain and 0 < len(target.encode("utf-8", "surrogateescape")) < _LONGEST and ups <= len(parts) - 5
    )


def _check_form(name: str, parts: list[str]) -> None:
    raw = name.encode("utf-8", "surrogateescape")
    is_long = len(raw) > _LONGEST or len(parts) > _DEEPEST
    if is_long or "\0" in name or any(part in ("", ".", "..") for part in parts):
        raise _odd(name)
    if any(len(part.encode("utf-8", "surrogateescape")) > _LONGEST_PART for part in parts):
        raise _odd(name)


def _verdict(entry: Entry, parts: list[str]) -> Verdict:
    is_file, name = entry.kind is EntryKind.FILE, entry.name
    if len(parts) == 1:
        if (is_file and name in _TOP) or (
            entry.kind is EntryKind.FOLDER and name in (manifest.WORKSPACE, manifest.DATA)
        ):
            return Verdict.TAKEN
        raise Refused("backup-planted", member=spelled(name)[:300])
    if parts[0] == manifest.DATA:
        if parts[1] not in KEPT:
            raise Refused("backup-planted", member=spelled(name)[:300])
        if entry.kind is EntryKind.LINK:
            return Verdict.LEFT_OUT
        return Verdict.IGNORED if parts[1] == _OTHER_MACHINE else Verdict.TAKEN
    if parts[0] != manifest.WORKSPACE:
        raise Refused("backup-planted", member=spelled(name)[:300])
    return _of_workspace(entry, parts)


def _of_workspace(entry: Entry, parts: list[str]) -> Verdict:
    top = parts[1]
    if top == "data" or (top not in _HOST_NAMES and _folded(top) in _HOST_NAMES):
        raise Refused("backup-planted", member=spelled(entry.name)[:300])
    if top == ".git":
        inside = "/".join(parts[2:])
        is_known = not inside or _GIT.fullmatch(inside)
        return Verdict.TAKEN if is_known and entry.kind is not EntryKind.LINK else Verdict.IGNORED
    if entry.kind is EntryKind.LINK:
        is_inside = is_work(parts) and stays_inside(parts, entry.target)
        return Verdict.TAKEN if is_inside else Verdict.LEFT_OUT
    if entry.size > _LONGEST_READ and _READ_BY_HOST.fullmatch(entry.name):
        raise Refused("backup-planted", member=spelled(entry.name)[:300])
    if top == FILE and (entry.kind is not EntryKind.FILE or len(parts) > 2):
        raise Refused("backup-planted", member=spelled(entry.name)[:300])
    dotted = [part for part in parts[1:] if part.startswith(".") and part not in _DOTTED]
    return Verdict.LEFT_OUT if dotted and not is_free(parts) else Verdict.TAKEN


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def _odd(name: str) -> Refused:
    return Refused("backup-odd-name", member=spelled(name)[:300])
