"""The templates of a workspace: `foundation/process_templates/*.md`, read again when one of them changes."""

import stat
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from nanoclaw.domain.pipelines import Mistake, Template, in_order
from nanoclaw.durable.file_listing import FileListing, Stamp
from nanoclaw.pipelines.check import check
from nanoclaw.pipelines.known import Known
from nanoclaw.pipelines.template import MOST_BYTES, ReadTemplate, read_template

FOLDER = Path("foundation") / "process_templates"


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
    known: Callable[[], Known]  # the same object until something changes
    _read: dict[Path, tuple[Stamp, ReadTemplate]] = field(default_factory=dict)
    _against: Known | None = None
    _sound: dict[str, Template] = field(default_factory=dict)
    _commands: dict[str, Template] = field(default_factory=dict)
    _broken: list[BrokenTemplate] = field(default_factory=list)
    _seen: Mapping[Path, Stamp] | None = None
    _looking: threading.Lock = field(
        default_factory=threading.Lock
    )  # one of several threads reads, the others wait

    def __post_init__(self) -> None:
        self._files = FileListing(self.workspace / FOLDER, "[!.]*.md")

    def templates(self) -> list[Template]:
        self._look()
        return list(self._sound.values())

    def broken(self) -> list[BrokenTemplate]:
        self._look()
        return self._broken

    def find(self, ref: str) -> Template | None:
        """Find a template by its name, or by one of its commands: `content_pipeline`, `/write-article`."""
        self._look()
        if ref.startswith("/"):
            return self._commands.get(ref.lower().replace("_", "-"))
        return self._sound.get(ref.removesuffix(".md"))

    def broken_with(self, command: str) -> BrokenTemplate | None:
        """The broken template that would have this command."""
        self._look()
        return next((each for each in self._broken if command in each.triggers), None)

    def commands(self) -> dict[str, Template]:
        """Templates by command, with its slash."""
        self._look()
        return self._commands

    def look_again(self) -> None:
        """Look again at once: someone has just written a template."""
        self._files.look_again()

    def _look(self) -> None:
        if self._is_seen(self._files.look(), self.known()):
            return
        with self._looking:
            files, known = self._files.look(), self.known()
            if not self._is_seen(files, known):
                self._read_anew(files, known)

    def _is_seen(self, files: Mapping[Path, Stamp], known: Known) -> bool:
        return files is self._seen and known is self._against

    def _read_anew(self, files: Mapping[Path, Stamp], known: Known) -> None:
        self._read = {path: self._fresh(path, stamp) for path, stamp in files.items()}
        self._sound, self._commands, self._broken = {}, {}, []
        for path, (_, reading) in self._read.items():
            self._add(path, reading, known)
        self._seen, self._against = files, known

    def check(self, reading: ReadTemplate) -> ReadTemplate:
        """Check what was read against the existing templates. Nothing is kept."""
        self._look()
        return self._checked(reading, self._against or self.known())

    def _add(self, path: Path, reading: ReadTemplate, known: Known) -> None:
        checked = self._checked(reading, known)
        if checked.template is None or checked.mistakes:
            broken = BrokenTemplate(
                name=path.stem, path=str(path), mistakes=checked.mistakes, triggers=reading.triggers
            )
            self._broken.append(broken)
            return
        self._sound[checked.template.name] = checked.template
        self._commands.update(dict.fromkeys(checked.template.triggers, checked.template))

    def _checked(self, reading: ReadTemplate, known: Known) -> ReadTemplate:
        if reading.template is None:
            return reading
        checked = check(reading.template, known)
        mistakes = (*reading.mistakes, *checked.mistakes, *self._taken(reading.template))
        return replace(reading, template=checked.template, mistakes=in_order(mistakes))

    def _taken(self, template: Template) -> Iterator[Mistake]:
        """Of two templates with one command the second is at fault: nobody could tell which one is meant."""
        for trigger in template.triggers:
            other = self._commands.get(trigger)
            if other is not None and other.name != template.name:
                about = {"said": trigger, "other": other.name}
                yield Mistake(line=template.trigger_line, key="trigger-twice", values=about)

    def _fresh(self, path: Path, stamp: Stamp) -> tuple[Stamp, ReadTemplate]:
        known = self._read.get(path)
        return known if known is not None and known[0] == stamp else (stamp, read_file(path))


def read_file(path: Path) -> ReadTemplate:
    """Read a file; one byte more than fits is enough to know that it is too big."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe would block
            return ReadTemplate(template=None, mistakes=(Mistake(line=1, key="no-file"),))
        with path.open("rb") as stream:
            content = stream.read(MOST_BYTES + 1)
    except OSError as error:
        return _unreadable(error.strerror or str(error))
    return read_template(content, name=path.stem, path=str(path))


def _unreadable(said: str) -> ReadTemplate:
    return ReadTemplate(template=None, mistakes=(Mistake(line=1, key="unreadable", values={"said": said}),))
