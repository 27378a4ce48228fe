"""Whether a new decision contradicts a binding one: agents follow decisions, and people are asked before they
change.
"""

import calendar
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nanoclaw.domain.memory import Entry, EntryFilter, EntryKind, EntryState
from nanoclaw.durable import memory_entries
from nanoclaw.durable.clock import now
from nanoclaw.durable.memory_changes import RECORD, Action, Change
from nanoclaw.durable.store import Tx
from nanoclaw.memory.analyser import terms_of_word, tokens
from nanoclaw.memory.duplicates import TURNS
from nanoclaw.memory.expansion import Term
from nanoclaw.memory.search import find

_SHARED = 0.6  # of the words of the shorter one
_MOST_ALIKE = 20  # decisions compared by their words
_DECISIONS = EntryFilter(kinds=(EntryKind.DECISION,), without_presses=True)
_DATES = {each.casefold() for each in (*calendar.day_name, *calendar.month_name)}


def may_contradict(change: Change) -> bool:
    """A decision that says what it replaces, or that people decided about, contradicts nothing."""
    body = change.body or {}
    return (
        change.action is Action.ADD
        and "decision" in body
        and not (change.origin or "").startswith(RECORD)
        and not body.get("supersedes")
        and not (change.reason or {}).get("decided")
    )


def candidates(tx: Tx, company: str, body: Mapping[str, Any], terms: Sequence[Term]) -> list[Entry]:
    """The binding decisions that this one may contradict, most likely first. `terms` are its analysed words."""
    named = memory_entries.get(tx, company, str(body["contradicts"])) if body.get("contradicts") else None
    found = [named] if named else []
    if domain := str(body.get("domain") or ""):
        found += memory_entries.binding(tx, company, domain)
    hits = find(tx, company, str(body["decision"]), terms, _DECISIONS, now(), limit=_MOST_ALIKE)
    found += [hit.entry for hit in hits]
    return [each for each in found if each.is_binding and each.state is EntryState.LIVE]


def contradicted(body: Mapping[str, Any], known: Sequence[Entry]) -> Entry | None:
    """The first decision that the new one names as contradicted, that has the same domain and affects the
    same, or that says something else in much the same words. May load the dictionary: use a thread.
    """
    text, domain = str(body["decision"]), str(body.get("domain") or "")
    affects, statement = _plain(body.get("affects") or ()), Statement.of(text)
    for old in known:
        if old.id == body.get("contradicts"):
            return old
        if domain and affects and domain == old.domain and old.related:
            if _plain(old.related) & affects and text.casefold().split() != old.text.casefold().split():
                return old
        elif (not domain or not old.domain or domain == old.domain) and statement.contradicts(
            Statement.of(old.text)
        ):
            return old
    return None


@dataclass(frozen=True, slots=True)
class Statement:
    """What a decision says, as far as its words show."""

    words: tuple[frozenset[str], ...]  # each with the dictionary words that it may be a form of
    names: tuple[frozenset[str], ...]  # among the words
    numbers: frozenset[str]
    units: frozenset[str]  # the words right after a number
    turns: frozenset[str]  # words that reverse the meaning

    @classmethod
    def of(cls, text: str) -> "Statement":
        words, names = list[frozenset[str]](), list[frozenset[str]]()
        numbers, units, turns = set[str](), set[str](), set[str]()
        before = ""
        for token in tokens(text):
            terms = frozenset(terms_of_word(token))
            if token.casefold() in TURNS:
                turns.add(token.casefold())
            elif _has_digit(token):
                numbers |= terms
            elif _has_digit(before):
                units |= terms
            elif terms:
                words.append(terms)
                if before and token[0].isupper() and token.casefold() not in _DATES:
                    names.append(terms)
            before = token
        return cls(
            tuple(dict.fromkeys(words)), tuple(names), frozenset(numbers), frozenset(units), frozenset(turns)
        )

    def contradicts(self, other: "Statement") -> bool:
        """Whether both are about the same thing and say different things about it."""
        small, large = sorted((self, other), key=lambda each: len(each.words))
        shared = len(small.words) - len(_missing(small.words, large))
        if not shared or shared < _SHARED * len(small.words):
            return False
        if len(small.words) == 1 < len(large.words):
            return False  # one word in common says little
        has_numbers = bool(self.numbers or other.numbers)
        if has_numbers and _missing(self.names, other) and _missing(other.names, self):
            return False  # what it costs in one town says nothing about another
        ours, theirs = _missing(self.words, other), _missing(other.words, self)
        if self.numbers != other.numbers:
            return bool(self.numbers and other.numbers) or not (ours and theirs)
        if self.turns != other.turns or (self.units and other.units and self.units.isdisjoint(other.units)):
            return True
        # With the same numbers, the longer of two may only say it with more words.
        return bool(ours and theirs) if has_numbers else bool(ours or theirs)


def _missing(words: Sequence[frozenset[str]], other: Statement) -> list[frozenset[str]]:
    return [word for word in words if not any(word & each for each in other.words)]


def _has_digit(token: str) -> bool:
    return any(map(str.isdigit, token))


def _plain(words: object) -> set[str]:
    found = words if isinstance(words, list | tuple) else ()
    return {" ".join(str(each).casefold().replace("_", " ").split()) for each in found}
