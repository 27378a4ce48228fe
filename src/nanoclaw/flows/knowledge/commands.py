"""The commands by which people search what their company knows, add to it, correct it and forget."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from nanoclaw.context.groups import Groups
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.memory import EntryFilter, EntryKind, MemoryMode
from nanoclaw.domain.people import Role
from nanoclaw.domain.text import as_written
from nanoclaw.durable import memory_figures
from nanoclaw.durable.store import Tx
from nanoclaw.flows.incoming.access_lists import listed
from nanoclaw.flows.incoming.commands import Answer, CommandContext, refused_in_words
from nanoclaw.flows.knowledge.changes import MemoryChanges
from nanoclaw.flows.knowledge.entry_text import entry_line, short_id
from nanoclaw.flows.knowledge.line_writer import Mask
from nanoclaw.flows.knowledge.lines import EntryOrigin
from nanoclaw.memory import index
from nanoclaw.memory.expansion import query_terms
from nanoclaw.memory.search import find
from nanoclaw.texts import say

OWN_KINDS = tuple(kind for kind in EntryKind if kind is not EntryKind.CONTEXT)
_FOUND = 10
_NEWEST = 5
_DECISIONS = 20
_COUNTED = 10_000

# What a person may write before the words, in any order: `decision: ...`, `public decision: ...`
_PUBLIC = ("public", "публічно", "публічне")
_KINDS = {
    "fact": EntryKind.FACT,
    "факт": EntryKind.FACT,
    "decision": EntryKind.DECISION,
    "рішення": EntryKind.DECISION,
    "preference": EntryKind.PREFERENCE,
    "вподобання": EntryKind.PREFERENCE,
    "priority": EntryKind.PRIORITY,
    "пріоритет": EntryKind.PRIORITY,
}
_WORD = "|".join((*_PUBLIC, *_KINDS))
_HEAD = re.compile(rf"(?:(?:{_WORD})[\s:,]+)*(?:{_WORD})\s*:", re.I)


@dataclass(frozen=True, kw_only=True, slots=True)
class MemoryCommands:
    groups: Groups
    changes: MemoryChanges
    mask: Mask

    def answers(self) -> Mapping[str, Answer]:
        known: dict[str, Callable[[Tx, str, CommandContext], str]] = {
            "memory": self._memory,
            "decisions": self._decisions,
            "remember": self._remember,
            "correct": self._correct,
            "forget": self._forget,
        }
        return {name: partial(refused_in_words, act) for name, act in known.items()}

    def _memory(self, tx: Tx, argument: str, asked: CommandContext) -> str:
        """Entries that match the words; without words, how much there is and what is newest."""
        company, language = self._company(asked, MemoryMode.READ), asked.locale.speaks
        wanted = EntryFilter(kinds=OWN_KINDS, by_own_words=True)
        if argument:
            return self._listed(tx, asked, company, argument, wanted, _FOUND, "memory-found")
        counts = memory_figures.live_counts(tx, company, _COUNTED)
        if not counts:
            return say(language, "memory-empty", company=as_written(company))
        total = sum(counts.values())
        kinds = ", ".join(
            say(language, f"memory-count-{kind}", count=counts[kind]) for kind in OWN_KINDS if kind in counts
        )
        key = "memory-much" if total >= _COUNTED else "memory-counts"
        head = say(language, key, company=as_written(company), total=total, kinds=kinds)
        wanted = EntryFilter(
            kinds=tuple(kind for kind in OWN_KINDS if kind is not EntryKind.ACTIVITY), without_presses=True
        )
        newest = self._listed(tx, asked, company, "", wanted, _NEWEST, "memory-newest")
        return f"{head}\n\n{newest}"

    def _decisions(self, tx: Tx, argument: str, asked: CommandContext) -> str:
        """Decisions, newest first, or those that match the words."""
        company, wanted = (
            self._company(asked, MemoryMode.READ),
            EntryFilter(kinds=(EntryKind.DECISION,), by_own_words=True, without_presses=not argument),
        )
        return self._listed(tx, asked, company, argument, wanted, _DECISIONS, "memory-decisions")

    def _listed(
        self,
        tx: Tx,
        asked: CommandContext,
        company: str,
        words: str,
        wanted: EntryFilter,
        most: int,
        head: str,
    ) -> str:
        if words:
            # The message's transaction waits for this: a hundredth of a second among a million entries.
            hits = find(tx, company, words, query_terms(words), wanted, asked.at, limit=most)
            found = [hit.entry for hit in hits]
        else:
            found = index.latest(tx, company=company, wanted=wanted, at=asked.at, limit=most, offset=0)
        lines = [entry_line(tx, entry, asked.locale, asked.at) for entry in found]
        return listed(asked.locale.speaks, head, lines)

    def _remember(self, tx: Tx, argument: str, asked: CommandContext) -> str:
        company = self._company(asked, MemoryMode.WRITE)
        kind, is_public, text = read_head(argument)
        if not text:
            raise Refused("remember-how")
        entry_id = self.changes.remember(
            tx, asked.actor, company, text, kind=kind, public=is_public, place=_place(asked)
        )
        kept = say(asked.locale.speaks, f"memory-kept-{kind}", id=short_id(entry_id))
        return kept + self._left_out(text, asked)

    def _correct(self, tx: Tx, argument: str, asked: CommandContext) -> str:
        company = self._company(asked, MemoryMode.WRITE)
        ref, _, text = argument.partition(" ")
        if not text.strip():
            raise Refused("correct-how")
        old = self.changes.find(tx, company, ref)
        made = self.changes.correct(tx, asked.actor, company, old.id, text.strip(), place=_place(asked))
        key = "memory-proposed" if made.is_proposal else "memory-corrected"
        told = say(asked.locale.speaks, key, id=short_id(made.entry_id), old=_quoted(old.text))
        return told + self._left_out(text, asked)

    def _left_out(self, text: str, asked: CommandContext) -> str:
        """What is said if memory will not keep all of it."""
        marks = ", ".join(f"`[{kind}]`" for kind in dict.fromkeys(self.mask(text)[1]))
        return "\n\n" + say(asked.locale.speaks, "memory-left-out", marks=marks) if marks else ""

    def _forget(self, tx: Tx, argument: str, asked: CommandContext) -> str:
        company = self._company(asked, MemoryMode.WRITE)
        if len(argument.split()) != 1:
            raise Refused("forget-how")
        old = self.changes.find(tx, company, argument)
        made = self.changes.forget(tx, asked.actor, company, old.id, place=_place(asked))
        key = "memory-proposed" if made.is_proposal else "memory-forgotten"
        return say(asked.locale.speaks, key, id=short_id(old.id), old=_quoted(old.text))

    def _company(self, asked: CommandContext, needed: MemoryMode) -> str:
        """The company of the first agent here whose group they belong to. A chat's setting binds its people
        too: otherwise what an admin keeps out of a chat would be shown there.
        """
        if asked.chat.memory is MemoryMode.OFF or (
            needed is MemoryMode.WRITE and asked.chat.memory is MemoryMode.READ
        ):
            raise Refused(f"memory-here-{asked.chat.memory}")
        for group in asked.groups:
            company = self.groups.company_of(group)
            if company is not None and asked.rights.role_in(group).may(Role.MEMBER):
                return company
        raise Refused("memory-no-agent")


def read_head(argument: str) -> tuple[EntryKind, bool, str]:
    """`decision: we ship on Fridays` is a decision; `public: ...` may be told to strangers."""
    head = _HEAD.match(argument)
    if head is None:
        return EntryKind.FACT, False, argument.strip()
    words = re.findall(r"\w+", head[0].lower())
    kind = next((_KINDS[word] for word in words if word in _KINDS), EntryKind.FACT)
    return kind, any(word in _PUBLIC for word in words), argument[head.end() :].strip()


def _place(asked: CommandContext) -> EntryOrigin:
    return EntryOrigin(chat_id=asked.chat.id, message_id=asked.message.id)


def _quoted(text: str) -> str:
    words = " ".join(text.split())
    return as_written(words if len(words) <= 200 else f"{words[:200].rstrip()}…")
