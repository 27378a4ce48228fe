"""Adaptors: how to write for a channel. `foundation/channel_adaptors/*.md`; a new file is a new channel format."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from nanoclaw.context import front_matter
from nanoclaw.context.adaptor_schema import Rules, known_at
from nanoclaw.context.front_matter import Flaw, FrontMatter
from nanoclaw.domain.errors import BadWorkspace
from nanoclaw.durable.file_listing import FileListing, Stamp

FOLDER = Path("foundation") / "channel_adaptors"
TARGET = r"^[a-z][a-z0-9_-]*$"  # a target: the first part of a channel's name, or any other word
_MOST_BYTES = 64 * 1024  # it goes into prompts


class AdaptorHead(BaseModel):
    """The front matter of an adaptor."""

    model_config = ConfigDict(defer_build=True, extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]*$", max_length=64)
    description: str = Field(min_length=1)
    targets: tuple[Annotated[str, Field(pattern=TARGET)], ...] = Field(min_length=1)
    rules: Rules = Rules()


@dataclass(frozen=True, kw_only=True, slots=True)
class Adaptor:
    head: AdaptorHead
    advice: str  # what an agent reads
    path: Path

    @property
    def name(self) -> str:
        return self.head.name

    @property
    def rules(self) -> Rules:
        return self.head.rules


@dataclass
class Adaptors:
    """The adaptors of a workspace. A broken one is skipped and reported, and does not stop the others."""

    workspace: Path
    _known: dict[Path, tuple[Stamp, Adaptor | BadWorkspace]] = field(default_factory=dict)
    _sound: list[Adaptor] = field(default_factory=list)
    _faults: list[BadWorkspace] = field(default_factory=list)
    _seen: Mapping[Path, Stamp] | None = None

    def __post_init__(self) -> None:
        self._files = FileListing(self.workspace / FOLDER, "[!.]*.md")

    def all(self) -> list[Adaptor]:
        self._look()
        return self._sound

    def faults(self) -> list[BadWorkspace]:
        self._look()
        return self._faults

    def targets(self) -> list[str]:
        return sorted(target for adaptor in self.all() for target in adaptor.head.targets)

    def find(self, target: str) -> Adaptor | None:
        return next((each for each in self.all() if target.lower() in each.head.targets), None)

    def chosen(self, targets: Iterable[str]) -> list[Adaptor]:
        """The adaptors for these targets in order, each once; targets without one are skipped."""
        found = (self.find(target) for target in targets)
        return list({adaptor.name: adaptor for adaptor in found if adaptor}.values())

    def _look(self) -> None:
        files = self._files.look()
        if files is self._seen:
            return
        self._known = {path: self._fresh(path, stamp) for path, stamp in files.items()}
        sound: list[Adaptor] = []
        faults: list[BadWorkspace] = []
        taken: dict[str, Path] = {}
        for path, (_, found) in self._known.items():
            if isinstance(found, Adaptor):
                found = _told_apart(found, taken)
            if isinstance(found, Adaptor):
                sound.append(found)
                taken.update(dict.fromkeys((f"name {found.name}", *found.head.targets), path))
            else:
                faults.append(found)
        self._sound, self._faults, self._seen = sound, faults, files

    def _fresh(self, path: Path, stamp: Stamp) -> tuple[Stamp, Adaptor | BadWorkspace]:
        known = self._known.get(path)
        if known is not None and known[0] == stamp:
            return known
        try:
            return stamp, read_adaptor(path)
        except BadWorkspace as fault:
            return stamp, fault


def target_of(channel: str) -> str:
    """`telegram:123456` is a bot on Telegram, so what it says is written for Telegram."""
    return channel.partition(":")[0]


def read_adaptor(path: Path) -> Adaptor:
    """Parse one file; every fault is reported with its line."""
    try:
        if not path.is_file():  # a pipe would block
            raise _bad(path, 1, "adaptor-unreadable", said=path.name)
        if path.stat().st_size > _MOST_BYTES:
            raise _bad(path, 1, "adaptor-too-big", kilobytes=_MOST_BYTES // 1024)
        lines = path.read_text("utf-8-sig", errors="replace").splitlines()
    except OSError as error:
        raise _bad(path, 1, "adaptor-unreadable", said=error.strerror or str(error)) from error
    head = front_matter.read(lines)
    if isinstance(head, Flaw):
        raise _bad(path, head.line, f"adaptor-{head.reason}", said=head.said)
    try:
        checked = AdaptorHead.model_validate(head.values)
    except ValidationError as error:
        raise _fault(path, head, error) from error
    advice = "\n".join(lines[head.close :]).strip()
    if not advice:
        raise _bad(path, len(lines), "adaptor-no-advice")
    return Adaptor(head=checked, advice=advice, path=path)


def _told_apart(adaptor: Adaptor, taken: dict[str, Path]) -> Adaptor | BadWorkspace:
    """Of two adaptors for one target the second is a fault: nobody could tell which one is meant."""
    for claimed in (f"name {adaptor.name}", *adaptor.head.targets):
        if claimed in taken:
            name = claimed.removeprefix("name ")
            return _bad(adaptor.path, 2, "adaptor-twice", name=name, other=str(taken[claimed]))
    return adaptor


def _fault(path: Path, head: FrontMatter, error: ValidationError) -> BadWorkspace:
    first = error.errors()[0]
    way = first["loc"]
    key, line = ".".join(map(str, way)), front_matter.line_of(head, error)
    if first["type"] == "extra_forbidden":
        known = known_at(way) if len(way) > 1 else tuple(AdaptorHead.model_fields)
        return _bad(path, line, "adaptor-unknown-key", key=str(way[-1]), known=", ".join(known))
    return _bad(path, line, "adaptor-bad-value", key=key, said=first["msg"])


def _bad(path: Path, line: int, key: str, /, **values: object) -> BadWorkspace:
    return BadWorkspace(key, file=str(path), line=str(line), **values)
