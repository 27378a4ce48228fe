"""Labelled sets in both languages: lines of conversations and facts of a company, and questions with the lines that
answer them. A line with a mark in front, `[mark] text`, is what a question after its `=` wants to find."""

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from nanoclaw.context.company_context import CONTEXT_FILES
from nanoclaw.domain.memory import Entry, EntryKind, Recalled, RecallWish
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import open_store
from nanoclaw.host.memory_lookup import IndexLookup
from nanoclaw.memory import index
from nanoclaw.memory.search import MemorySearch
from nanoclaw.testing import made_database, made_workspace

_FOLDER = Path(__file__).parent
_MARKED = re.compile(r"(?:\[([\w-]+)\] )?(.+)")
_TALKS = ("mill", "ferry")  # questions about one are asked among the lines of both
# What is looked through, and the questions. The parameters of the ranking were chosen on all but those held out.
SETS = {
    "conversation, English": (_TALKS, ("mill.questions",)),
    "conversation, English, held out": (_TALKS, ("ferry.questions",)),
    "conversation, Ukrainian": (("uk_talk",), ("uk_talk.questions",)),
    "company facts, both languages": (("company",), ("company.questions",)),
    "company facts, the other language": (("company",), ("company.cross",)),
}
# What was said right before, so that a message might bring it up again.
SPOKEN = "How much is the office plan?\nThe office plan is 1,240 UAH a month for up to ten people."
_COMPANY = "demo"


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    answers: frozenset[str]


def needing_nothing() -> list[str]:
    """Messages that no memory helps with, one a line: greetings, thanks, wishes about an answer, general questions."""
    return (_FOLDER / "nothing.txt").read_text("utf-8").splitlines()


@asynccontextmanager
async def looked_up(folder: Path) -> AsyncIterator[Callable[..., Awaitable[Recalled]]]:
    """What the prompt of a turn is given, of all sets and the context of the demo company: called with a message, and
    with what was said before it.
    """
    home = made_workspace(folder / "workspace")
    store = open_store(made_database(folder / "store.db"))
    lines = [(name, *fact) for name in ("company", *_TALKS, "uk_talk") for fact in facts((name,))]
    since = now() - timedelta(days=30)
    entries = [
        Entry(
            company=_COMPANY,
            id=ref,
            kind=EntryKind.FACT,
            text=text,
            at=since + timedelta(minutes=number),
            chat_id=None if name == "company" else f"{name} {when}",
        )
        for number, (name, ref, text, when) in enumerate(lines)
    ]
    await store.write(lambda tx: index.put(tx, entries))
    lookup = IndexLookup(home, store, MemorySearch(store))

    async def given(text: str, *near: str) -> Recalled:
        return await lookup.recall(
            RecallWish(
                company=_COMPANY,
                text=text,
                near=near,
                passages_of=tuple(CONTEXT_FILES),
                stamps=((1, 1),),
                most_passages=12,
            )
        )

    try:
        yield given
    finally:
        await lookup.close()
        store.close()


def facts(names: tuple[str, ...]) -> list[tuple[str, str, str]]:
    """Id, text, and when it was said."""
    return [fact for name in names for fact in _facts(name)]


def questions(names: tuple[str, ...]) -> list[Question]:
    found = []
    for name in names:
        for line in (_FOLDER / f"{name}.txt").read_text("utf-8").splitlines():
            text, _, marks = line.rpartition(" = ")
            found.append(Question(text, frozenset(marks.split())))
    return found


def _facts(name: str) -> Iterator[tuple[str, str, str]]:
    when = ""
    for number, line in enumerate((_FOLDER / f"{name}.txt").read_text("utf-8").splitlines()):
        if line.startswith("== "):
            when = line[3:]
        elif marked := _MARKED.fullmatch(line):
            yield marked[1] or f"{name}-{number}", marked[2], when
