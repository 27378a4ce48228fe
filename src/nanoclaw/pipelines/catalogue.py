"""The templates of a workspace: `foundation/process_templates/*.md`, read again when one of them changes."""

import stat
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from nanoclaw.domain.pipelines import Mistake, Template, in_order
from nanoclaw.pipelines.check import check
from nanoclaw.pipelines.known import Known
from nanoclaw.pipelines.template import MOST_BYTES, Reading, read_template

FOLDER = Path("foundation") / "process_templates"
_RESCAN_AFTER = 1.0  # seconds until a change is noticed: every message asks
_Stamp = tuple[int, int]


@dataclass(frozen=True, kw_only=True, slots=True)
class BrokenTemplate:
    name: str
    path: str
    mistakes: tuple[Mistake, ...]
    triggers: tuple[str, ...] = ()


@dataclass
class Catalogue:
    """A broken template is skipped and reported, and does not stop the others."""

    workspace: Path
    known: Callable[[], Known]
    _read: dict[Path, tuple[_Stamp, Reading]] = field(default_factory=dict)
    _against: Known | None = None
    _sound: dict[str, Template] = field(default_factory=dict)
    _commands: dict[str, Template] = field(default_factory=dict)
    _broken: list[BrokenTemplate] = field(default_factory=list)
    _looked_at: float = float("-inf")
    _looking: threading.Lock = field(
        default_factory=threading.Lock
    )  # of several threads one looks, the others wait

    def templates(self) -> list[Template]:
        self._look()
        return list(self._sound.values())

    def broken(self) -> list[BrokenTemplate]:
        self._look()
        return self._broken

    def find(self, ref: str) -> Template | None:
        """By its name, or by a command of it: `content_pipeline`, `/write-article`."""
        self._look()
        if ref.startswith("/"):
            return self._commands.get(ref.lower().replace("_", "-"))
        return self._sound.get(ref.removesuffix(".md"))

    def broken_with(self, command: str) -> BrokenTemplate | None:
        """The broken template that would have this command."""
        self._look()
        return next((each for each in self._broken if command in each.triggers), None)

    def commands(self) -> dict[str, Template]:
        """Each with its slash."""
        self._look()
        return self._commands

    def look_again(self) -> None:
        """Someone has just written a template, and looks for it now."""
        self._looked_at = float("-inf")

    def _look(self) -> None:
        if not self._is_time():
            return
        with self._looking:
            if self._is_time():
                self._read_anew()
                self._looked_at = time.monotonic()

    def _is_time(self) -> bool:
        return time.monotonic() - self._looked_at > _RESCAN_AFTER

    def _read_anew(self) -> None:
        read = {path: self._fresh(path) for path in sorted((self.workspace / FOLDER).glob("[!.]*.md"))}
        known = self.known()
        if known == self._against and read == self._read:
            return
        self._read, self._against = read, known
        self._sound, self._commands, self._broken = {}, {}, []
        for path, (_, reading) in read.items():
            self._add(path, reading, known)

    def check(self, reading: Reading) -> Reading:
        """What was read, among the templates that are there already. Nothing is kept."""
        self._look()
        return self._checked(reading, self._against or self.known())

    def _add(self, path: Path, reading: Reading, known: Known) -> None:
        checked = self._checked(reading, known)
        if checked.template is None or checked.mistakes:
            broken = BrokenTemplate(
                name=path.stem, path=str(path), mistakes=checked.mistakes, triggers=reading.triggers
            )
            self._broken.append(broken)
            return
        self._sound[checked.template.name] = checked.template
        self._commands.update(dict.fromkeys(checked.template.triggers, checked.template))

    def _checked(self, reading: Reading, known: Known) -> Reading:
        if reading.template is None:
            return reading
        checked = check(reading.template, known)
        mistakes = (*reading.mistakes, *checked.mistakes, *self._taken(reading.template))
        return replace(reading, template=checked.template, mistakes=in_order(mistakes))

    def _taken(self, template: Template) -> Iterator[Mistake]:
        """Of two templates with one command the second is at fault: nobody could say which of them is meant."""
        for trigger in template.triggers:
            other = self._commands.get(trigger)
            if other is not None and other.name != template.name:
                about = {"said": trigger, "other": other.name}
                yield Mistake(line=template.trigger_line, key="trigger-twice", values=about)

    def _fresh(self, path: Path) -> tuple[_Stamp, Reading]:
        try:
            about = path.stat()
        except OSError as error:  # it was removed after it was listed
            return (0, 0), _unreadable(error.strerror or str(error))
        stamp = (about.st_mtime_ns, about.st_size)
        known = self._read.get(path)
        if known is not None and known[0] == stamp:
            return known
        return stamp, read_file(path)


def read_file(path: Path) -> Reading:
    """One byte more than fits is enough to know that a file is too big."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe would block
            return Reading(template=None, mistakes=(Mistake(line=1, key="no-file"),))
        with path.open("rb") as stream:
            content = stream.read(MOST_BYTES + 1)
    except OSError as error:
        return _unreadable(error.strerror or str(error))
    return read_template(content, name=path.stem, path=str(path))


def _unreadable(said: str) -> Reading:
    return Reading(template=None, mistakes=(Mistake(line=1, key="unreadable", values={"said": said}),))
