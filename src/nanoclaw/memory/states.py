"""Which entries are live, according to the lines that forget, restore and supersede them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from nanoclaw.domain.memory import EntryState
from nanoclaw.memory.entries import Decision, Fact, Line, Restoration, Tombstone

State = tuple[EntryState, str | None]  # with what superseded it
LIVE: State = (EntryState.LIVE, None)


class States:
    """Takes lines in any order and remembers only how they refer to each other: small even for a million lines."""

    def __init__(self, lines: Iterable[Line] = ()) -> None:
        self._marks: dict[str, list[Tombstone | Restoration]] = defaultdict(list)
        self._superseders: dict[str, set[str]] = defaultdict(set)
        self._hearsay: set[str] = set()
        self._moments: dict[str, tuple[object, str]] = {}  # of those that supersede others
        for line in lines:
            self.take(line)

    def take(self, line: Line) -> None:
        if isinstance(line, Tombstone):
            self._marks[line.forgets].append(line)
        elif isinstance(line, Restoration):
            self._marks[line.restores].append(line)
        else:
            self._take_entry(line)

    def _take_entry(self, line: Fact | Decision) -> None:
        if not line.trust.is_trusted:
            self._hearsay.add(line.id)
        if line.supersedes is not None and line.supersedes != line.id:
            self._superseders[line.supersedes].add(line.id)
            self._moments[line.id] = (line.timestamp, line.id)

    @property
    def mentioned(self) -> set[str]:
        """Every id whose state may differ from live, known or not."""
        return {*self._marks, *self._superseders}

    def of(self, entry_id: str) -> State:
        mark = self._last_mark(entry_id)
        if isinstance(mark, Tombstone) and mark.superseded_by is None:
            return (EntryState.FORGOTTEN, None)
        found = self._successors(entry_id)
        if not found:
            return LIVE
        if entry_id in found and entry_id == max(found, key=lambda each: self._order(each)):
            return LIVE  # lines that supersede each other: the newest stays
        direct = self._superseding(entry_id) & found
        newest = max(direct or found, key=lambda each: self._order(each))
        return (EntryState.SUPERSEDED, newest)

    def changed(self) -> Mapping[str, State]:
        """All mentioned entries that are not live."""
        return {each: state for each in self.mentioned if (state := self.of(each)) != LIVE}

    def is_restored(self, entry_id: str) -> bool:
        """Whether a person wanted it back."""
        return isinstance(self._last_mark(entry_id), Restoration)

    def _last_mark(self, entry_id: str) -> Tombstone | Restoration | None:
        marks = self._marks.get(entry_id)
        return max(marks, key=lambda line: (line.timestamp, line.id)) if marks else None

    def _is_forgotten(self, entry_id: str) -> bool:
        mark = self._last_mark(entry_id)
        return isinstance(mark, Tombstone) and mark.superseded_by is None

    def _superseding(self, entry_id: str) -> set[str]:
        """The entries that name it. Hearsay never replaces what a member of the company said."""
        is_trusted = entry_id not in self._hearsay
        found = {
            each for each in self._superseders.get(entry_id, ()) if not (is_trusted and each in self._hearsay)
        }
        mark = self._last_mark(entry_id)
        if isinstance(mark, Tombstone) and mark.superseded_by not in (None, entry_id):
            found.add(str(mark.superseded_by))
        return found

    def _successors(self, entry_id: str) -> set[str]:
        """What replaced it, even through others that are forgotten by now; only those that are not forgotten."""
        seen: set[str] = set()
        ahead = list(self._superseding(entry_id))
        while ahead:
            each = ahead.pop()
            if each not in seen:
                seen.add(each)
                ahead.extend(self._superseding(each))
        return {each for each in seen if not self._is_forgotten(each)}

    def _order(self, entry_id: str) -> tuple[str, str]:
        moment = self._moments.get(entry_id)
        return (str(moment[0]) if moment else "", entry_id)
