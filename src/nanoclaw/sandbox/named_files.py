"""Which files a command names, and what is in them now: what a person allows must be what is run.

The words of the command are looked up on the host, through the mounts of its box.
"""

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from nanoclaw.domain.boxes import WORK, Mount
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.sandbox.box_files import BoxFiles, NamedFile, is_pattern, own_to_the_box
from nanoclaw.sandbox.command_words import UNSAID, CommandWords, words_of
from nanoclaw.sandbox.folders import session_folders

_READ_EACH = 8 << 20  # bytes; for bigger files, and those after that, only the change time is known
_READ_ALL = 32 << 20
_MOST_FILES = 1000
_OF_FOLDERS = ("__main__.py",)  # what `python folder` runs


@dataclass(frozen=True, kw_only=True, slots=True)
class Named:
    """`unseen`: named, but cannot be looked at, so nobody can know whether it stays the same."""

    files: tuple[NamedFile, ...] = ()
    unseen: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class NamedFiles:
    """Finds named files for the boxes of one workspace."""

    home: Path

    def look(self, request: TurnRequest, commands: Sequence[str], folders: Sequence[str] = ()) -> Named:
        """The files as they are now, for the box of this turn. Blocks: use a thread."""
        own = session_folders(
            self.home, request.company, request.group, request.session_id, is_stranger=request.is_stranger
        )
        skills = (
            Mount(source=each.folder, target=f"/skills/skills/{each.name}")
            for each in request.grants.other_skills
        )
        return named_in(
            commands, own.mounts(extra=(*skills, *request.grants.mounts)), folders=(request.cwd, *folders)
        )


def named_in(commands: Sequence[str], mounts: Sequence[Mount], *, folders: Sequence[str] = ()) -> Named:
    """The files that these commands name, if run in a box with these mounts, in /work or one of `folders`.
    Blocks: use a thread.
    """
    with BoxFiles(mounts) as box:
        look = _Look(box=box)
        bases = [WORK, *folders]
        for command in commands:
            words = words_of(command)
            look.at(words, bases)
            look.unseen = look.unseen or words.unknown
        return look.result()


@dataclass(kw_only=True)
class _Look:
    box: BoxFiles
    files: dict[str, NamedFile] = field(default_factory=dict)
    unseen: str | None = None
    read: int = 0

    def at(self, words: CommandWords, bases: Sequence[str]) -> None:
        folders = dict.fromkeys(bases)
        for word in words.names:
            # `rm *` does not mean what is inside the folders that it matches.
            patterns = word in words.entered
            paths = [path for base in folders for path in self._meant(base, word, patterns=patterns)]
            for found in map(self.box.find, paths):
                if found and found.is_folder:
                    self._take(posixpath.join(found.path, name) for name in _OF_FOLDERS)
                    folders[found.path] = None  # as in `cd there && cd further && ./run.sh`
        for word in words.names:
            if own := own_to_the_box(word):
                self.unseen = self.unseen or own
                continue
            self._take(path for base in folders for path in self._meant(base, word))
            unsaid = UNSAID.get(posixpath.basename(word), ())
            self._take(posixpath.join(base, name) for base in folders for name in unsaid)

    def _meant(self, base: str, word: str, *, patterns: bool = True) -> Iterator[str]:
        path = posixpath.join(base, word)
        yield path
        if patterns and is_pattern(word):
            yield from self.box.matching(path)

    def _take(self, paths: Iterator[str]) -> None:
        for path in paths:
            found = self.box.find(path)
            if found is None or found.is_folder or found.path in self.files:
                continue
            if found.fault or len(self.files) >= _MOST_FILES:
                self.unseen = self.unseen or path
                continue
            known = self.box.content(found.path, most=min(_READ_EACH, _READ_ALL - self.read))
            if known is None:
                self.unseen = self.unseen or path
                continue
            self.read += known.size if known.is_read else 0
            self.files[found.path] = known

    def result(self) -> Named:
        files = tuple(self.files[path] for path in sorted(self.files))
        return Named(files=files, unseen=self.unseen or self.box.given_up)
