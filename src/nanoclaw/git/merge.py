"""Plans a merge with the remote, file by file, before anything is done."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from nanoclaw.git.command import GitFailed
from nanoclaw.git.line_merge import merge_lines
from nanoclaw.git.paths import PLAIN, SyncedFileKind, TakenNames, company_of, kind_of
from nanoclaw.git.repository import Head, Repository
from nanoclaw.git.section_merge import merge_sections
from nanoclaw.git.staged import TreeEntry
from nanoclaw.git.text_merge import merge_text

Tree = Mapping[str, TreeEntry]
LeavesRights = Callable[[str, bytes | None, bytes | None], bool]
"""Whether an active skill may be replaced without review: its path, and both versions."""
_MOST_FILES = 5000  # that one merge changes
_MOST_BYTES = 20 << 20  # of one of them


@dataclass(frozen=True, kw_only=True, slots=True)
class Conflict:
    """A context file that both sides changed in the same place; ours stays until the owner has chosen."""

    path: str
    base: str | None
    ours: str | None
    theirs: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class MergePlan:
    """`files`: what the merge changes in our history; of these, `held` do not enter the work tree yet."""

    theirs: str
    files: dict[str, TreeEntry | None] = field(default_factory=dict)
    held: dict[str, TreeEntry | None] = field(default_factory=dict)
    conflicts: list[Conflict] = field(default_factory=list)
    left: list[str] = field(default_factory=list)  # other conflicts: ours stays, theirs is kept in a branch
    refused: list[str] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        """Whether everything of theirs is taken as it is."""
        return not (self.conflicts or self.left or self.refused)


class Planning:
    def __init__(self, repository: Repository, head: Head, theirs: str, leaves_rights: LeavesRights) -> None:
        self._repository = repository
        self._leaves_rights = leaves_rights
        git = repository.git
        base = git("merge-base", head.commit or theirs, theirs, may_fail=(1,)).decode().strip()
        if not base:
            raise GitFailed("git-unrelated")
        self._base, self._ours, self._theirs = map(repository.tree, (base, head.commit, theirs))
        self._plan = MergePlan(theirs=theirs)

    def plan(self) -> MergePlan:
        companies = set()
        changed = [
            path
            for path in sorted(self._base.keys() | self._theirs.keys())
            if self._theirs.get(path) not in (self._base.get(path), self._ours.get(path))
        ]
        if len(changed) > _MOST_FILES:
            raise GitFailed("git-huge", count=len(changed), most=_MOST_FILES)
        unfit = self._unfit(changed)
        for path in changed:
            kind = kind_of(path, (self._theirs.get(path) or self._base[path]).mode)
            match SyncedFileKind.NEVER if path in unfit else kind:
                case SyncedFileKind.NEVER:
                    self._plan.refused.append(path)
                case SyncedFileKind.LINES:
                    companies.add(company_of(path))
                case SyncedFileKind.SECTIONS:
                    self._sections(path)
                case SyncedFileKind.SKILL:
                    self._skill(path)
                case kind:
                    self._text(path, kind)
        for company in companies:
            self._lines(str(company))
        return self._plan

    def _unfit(self, changed: list[str]) -> set[str]:
        """Files that are too long, or have no place: their name differs from another only in case, or a
        folder has it.
        """
        sizes = self._repository.sizes([self._theirs[path].blob for path in changed if path in self._theirs])
        places = TakenNames(self._ours)
        found = set()
        for path in changed:
            entry = self._theirs.get(path)
            if entry is None:
                continue
            is_new = path not in self._ours
            if (
                sizes.get(entry.blob, 0) > _MOST_BYTES
                or (is_new and not places.take(path))
                or (is_new and not self._repository.files.has_place(path))
            ):
                found.add(path)
        return found

    def _lines(self, company: str) -> None:
        sides = [
            {
                path: self._repository.blob(entry.blob)
                for path, entry in tree.items()
                if company_of(path) == company and kind_of(path, entry.mode) is SyncedFileKind.LINES
            }
            for tree in (self._base, self._ours, self._theirs)
        ]
        for path, content in merge_lines(*sides).items():
            self._take(path, content)

    def _sections(self, path: str) -> None:
        base, ours, theirs = (self._text_of(tree, path) for tree in (self._base, self._ours, self._theirs))
        if theirs is None:
            return  # deleted there: the host's own stays
        merged = merge_sections(base or "", ours, theirs) if ours is not None else theirs
        self._take(path, merged.encode("utf-8", "surrogateescape"))

    def _text(self, path: str, kind: SyncedFileKind) -> None:
        base, ours, theirs = (tree.get(path) for tree in (self._base, self._ours, self._theirs))
        merged = theirs if ours == base else self._merged(base, ours, theirs)
        deletes_context = kind is SyncedFileKind.CONTEXT and merged is None
        if (merged is None and (ours != base or deletes_context)) or not self._fits(path, ours, merged, kind):
            if kind is SyncedFileKind.CONTEXT:
                before, own, other = (each.blob if each else None for each in (base, ours, theirs))
                self._plan.conflicts.append(Conflict(path=path, base=before, ours=own, theirs=other))
            else:
                self._plan.left.append(path)
            return
        self._plan.files[path] = merged
        if kind is SyncedFileKind.HELD:
            self._plan.held[path] = merged

    def _skill(self, path: str) -> None:
        """Take it at once if the active version here keeps its rights, whatever git has had of it meanwhile."""
        base, ours, theirs = (tree.get(path) for tree in (self._base, self._ours, self._theirs))
        merged = theirs if ours == base else self._merged(base, ours, theirs)
        there = self._repository.files.read(path)
        if merged is None or (there is None) != (ours is None):
            self._text(path, SyncedFileKind.HELD)
            return
        new, committed = (
            self._repository.blob(merged.blob),
            self._repository.blob(ours.blob) if ours else None,
        )
        final = new
        if there is not None and there != committed:
            git, folder = self._repository.git, self._repository.folder
            final = merge_text(git, folder, committed or b"", there, new) or b""
        is_taken = all(self._leaves_rights(path, there, each) for each in (new, final))
        self._text(path, SyncedFileKind.TEXT if is_taken else SyncedFileKind.HELD)

    def _merged(
        self, base: TreeEntry | None, ours: TreeEntry | None, theirs: TreeEntry | None
    ) -> TreeEntry | None:
        if ours is None or theirs is None:
            return None
        repository = self._repository
        before = repository.blob(base.blob) if base else b""
        contents = repository.blob(ours.blob), repository.blob(theirs.blob)
        merged = merge_text(repository.git, repository.folder, before, contents[0], contents[1])
        return None if merged is None else TreeEntry(theirs.mode, self._repository.store(merged))

    def _fits(
        self, path: str, ours: TreeEntry | None, merged: TreeEntry | None, kind: SyncedFileKind
    ) -> bool:
        """Whether it can enter the work tree beside a person's uncommitted changes."""
        edited = self._repository.files.read(path)
        if kind is SyncedFileKind.HELD or (edited is None and ours is None):
            return True
        committed = self._repository.blob(ours.blob) if ours else b""
        if edited is not None and ours and edited == committed:
            return True
        if edited is None or merged is None:
            return False
        new = self._repository.blob(merged.blob)
        return edited == new or (
            merge_text(self._repository.git, self._repository.folder, committed, edited, new) is not None
        )

    def _take(self, path: str, content: bytes) -> None:
        ours = self._ours.get(path)
        if ours is None and not content:
            return
        entry = TreeEntry(ours.mode if ours else PLAIN, self._repository.store(content))
        if entry != ours:
            self._plan.files[path] = entry

    def _text_of(self, tree: Tree, path: str) -> str | None:
        entry = tree.get(path)
        return self._repository.blob(entry.blob).decode("utf-8", "surrogateescape") if entry else None
