"""What was found in an analysis: facts, decisions and changes of context, each with its place, and what comes next."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from nanoclaw.domain.context_files import RHYTHMS
from nanoclaw.domain.text import is_empty, storable, visible

MOST_FACTS, MOST_DECISIONS = 200, 50
LONGEST_SOURCE = 200
LONGEST_STEP = 300
_LONGEST, _LONGEST_RATIONALE, _LONGEST_CHANGE = 1000, 500, 4000  # characters


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """One thing that the document says. `source` is its place there: a quote, or the heading above it."""

    text: str
    source: str = ""
    rationale: str = ""  # of a decision
    file: str = ""  # of a change of context: product/pricing


@dataclass(frozen=True, kw_only=True, slots=True)
class Findings:
    facts: tuple[Finding, ...] = ()
    decisions: tuple[Finding, ...] = ()
    changes: tuple[Finding, ...] = ()
    next_step: str = ""

    @property
    def is_empty(self) -> bool:
        return not (self.facts or self.decisions or self.changes or self.next_step)

    def __add__(self, other: "Findings") -> "Findings":
        """Merge the findings of a later part: repeats are dropped, and its next step wins."""
        return Findings(
            facts=_together(self.facts, other.facts, MOST_FACTS),
            decisions=_together(self.decisions, other.decisions, MOST_DECISIONS),
            changes=_within_files(_together(self.changes, other.changes, MOST_FACTS)),
            next_step=other.next_step or self.next_step,
        )

    @property
    def bounded(self) -> "Findings":
        """Drop what is empty, too long, or invisible to a reader."""
        return Findings() + Findings(
            facts=tuple(_tidy(self.facts, _LONGEST)),
            decisions=tuple(_tidy(self.decisions, _LONGEST)),
            changes=tuple(each for each in _tidy(self.changes, _LONGEST_CHANGE) if each.file in RHYTHMS),
            next_step=_line(self.next_step, LONGEST_STEP),
        )

    def stored(self) -> dict[str, Any]:
        return {
            "facts": [_written(each) for each in self.facts],
            "decisions": [_written(each) for each in self.decisions],
            "context_changes": [_written(each) for each in self.changes],
            "next_step": self.next_step,
        }

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Self:
        def read(name: str) -> tuple[Finding, ...]:
            return tuple(
                Finding(**{key: each[key] for key in Finding.__slots__ if key in each})
                for each in stored.get(name) or ()
            )

        return cls(
            facts=read("facts"),
            decisions=read("decisions"),
            changes=read("context_changes"),
            next_step=str(stored.get("next_step") or ""),
        )


def _written(finding: Finding) -> dict[str, Any]:
    return {name: value for name, value in asdict(finding).items() if value}


def _together(first: tuple[Finding, ...], second: tuple[Finding, ...], most: int) -> tuple[Finding, ...]:
    found: dict[tuple[str, str], Finding] = {}
    for each in (*first, *second):
        found.setdefault((each.file, " ".join(each.text.casefold().split())), each)
    return tuple(found.values())[:most]


def _within_files(changes: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Changes grouped by file, in the order of the files."""
    return tuple(sorted(changes, key=lambda each: list(RHYTHMS).index(each.file)))


def _tidy(findings: Iterable[Finding], longest: int) -> Iterable[Finding]:
    for each in findings:
        text = visible(storable(each.text)).strip()
        if is_empty(text) or len(text) > longest:
            continue
        yield replace(
            each,
            text=text,
            source=_line(each.source, LONGEST_SOURCE),
            rationale=_line(each.rationale, _LONGEST_RATIONALE),
        )


def _line(text: str, longest: int) -> str:
    plain = " ".join(visible(storable(text)).split())
    return plain if len(plain) <= longest else f"{plain[: longest - 1]}…"
