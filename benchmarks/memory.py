"""Measures the index of memory: building it, one more fact, searches beside bare FTS5, and what questions find. See
benchmarks/README.md."""

import argparse
import asyncio
import os
import random
import re
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import accumulate
from pathlib import Path

import sqlalchemy as sa
from benchmarks.measuring import memory, print_figure, tail
from tests import memory_sets

from nanoclaw.domain.memory import Entry, EntryKind
from nanoclaw.durable.knowledge_tables import memory_files
from nanoclaw.durable.store import Store, open_store
from nanoclaw.memory import index
from nanoclaw.memory.search import MemorySearch
from nanoclaw.testing import made_database, memory_index

_VOCABULARY = 60_000
_BANDS = ((0, 20), (20, 200), (200, 2000), (2000, 12_000), (12_000, 60_000))  # from common words to rare ones
_SINCE = datetime(2024, 1, 1, tzinfo=UTC)
_COMPANY = "acme"
_ONE_ROW = sa.insert(memory_files)
Search = Callable[[str, int], Sequence[str]]


class Corpus:
    """Made facts whose words are as frequent as those of a language."""

    def __init__(self, seed: int = 7) -> None:
        self._chance = random.Random(seed)  # noqa: S311 - not a secret
        words: dict[str, None] = {}
        while len(words) < _VOCABULARY:
            syllables = self._chance.randint(2, 4)
            letters = self._chance.choices
            words[
                "".join("".join((*letters("bdfgklmnprtvz"), *letters("aeiou"))) for _ in range(syllables))
            ] = None
        self.words = list(words)
        self._weights = list(accumulate(1 / (rank + 10) for rank in range(_VOCABULARY)))

    def facts(self, count: int) -> Iterator[str]:
        for _ in range(count):
            yield " ".join(
                self._chance.choices(self.words, cum_weights=self._weights, k=self._chance.randint(8, 18))
            )

    def questions(self, count: int) -> list[str]:
        """Five words of mixed frequency each."""
        return [" ".join(self.words[self._chance.randrange(*band)] for band in _BANDS) for _ in range(count)]


def lines(file: Path) -> Iterator[str]:
    with file.open() as facts:
        yield from (line.rstrip("\n") for line in facts)


def entry(number: int, text: str) -> Entry:
    at = _SINCE + timedelta(minutes=number)
    return Entry(
        company=_COMPANY,
        id=f"fact_{number:08}",
        kind=EntryKind.FACT,
        text=text,
        at=at,
        file="memory/facts.jsonl",
    )


async def build(store: Store, facts: Iterator[str]) -> None:
    for batch in index.batches(entry(number, text) for number, text in enumerate(facts)):
        await store.write(partial(index.put, entries=batch))


def build_bare(path: Path, facts: Iterator[str]) -> sqlite3.Connection:
    bare = sqlite3.connect(path)
    bare.execute("CREATE VIRTUAL TABLE facts USING fts5(text, tokenize='porter unicode61')")
    bare.executemany("INSERT INTO facts (text) VALUES (?)", ((text,) for text in facts))
    bare.commit()
    return bare


async def measure_size(folder: Path, count: int, questions: int) -> None:
    store = open_store(made_database(folder / "store.db"))
    corpus = Corpus()
    file = folder / "facts.txt"
    with file.open("w") as facts:
        facts.writelines(f"{text}\n" for text in corpus.facts(count))
    before = peak = memory(os.getpid())

    def watched() -> Iterator[str]:
        nonlocal peak
        for number, text in enumerate(lines(file)):
            if number % 20_000 == 0:
                peak = max(peak, memory(os.getpid()))
            yield text

    begun = time.perf_counter()
    await build(store, watched())
    print_figure(
        f"index of {count:,} facts, seconds", time.perf_counter() - begun, "at most 240 for a million"
    )
    print_figure("memory more meanwhile, MiB", peak - before, "at most 300")
    print_figure("database, MiB", (folder / "store.db").stat().st_size / 2**20, "")
    bare = build_bare(folder / "bare.db", lines(file))
    print_figure("bare FTS5, MiB", (folder / "bare.db").stat().st_size / 2**20, "")
    await compare(store, bare, corpus.questions(questions))
    await append(store, corpus, count)
    store.close()
    bare.close()


async def compare(store: Store, bare: sqlite3.Connection, questions: list[str]) -> None:
    """Alternating, so that both meet the same machine."""
    search = MemorySearch(store)
    ours, theirs = [], []
    for question in questions:
        begun = time.perf_counter()
        await search.find(_COMPANY, question, limit=20)
        ours.append((time.perf_counter() - begun) * 1000)
        words = " OR ".join(f'"{word}"' for word in question.split())
        begun = time.perf_counter()
        bare.execute("SELECT text FROM facts WHERE facts MATCH ? ORDER BY rank LIMIT 20", (words,)).fetchall()
        theirs.append((time.perf_counter() - begun) * 1000)
    for name, figure in (("p50", statistics.median), ("p99", tail)):
        mine, other = figure(ours), figure(theirs)
        print_figure(f"bare FTS5, five words, {name}, ms", other, "1.00")
        print_figure(f"search, five words, {name}, ms", mine, f"{mine / other:.2f}, at most 2")


async def append(store: Store, corpus: Corpus, count: int) -> None:
    """Alternating with a transaction of one row, since the flush to disk is most of either."""
    took, alone = [], []
    for number, text in enumerate(corpus.facts(500), count):
        begun = time.perf_counter()
        await store.write(partial(index.put, entries=[entry(number, text)]))
        took.append((time.perf_counter() - begun) * 1000)
        row = {"company": _COMPANY, "file": f"{number}", "bytes": 0, "mtime": 0, "digest": ""}
        begun = time.perf_counter()
        await store.write(lambda tx, row=row: tx.execute(_ONE_ROW, row))  # type: ignore[misc]
        alone.append((time.perf_counter() - begun) * 1000)
    print_figure("a row alone, p50, ms", statistics.median(alone), "")
    print_figure("a fact appended, p50, ms", statistics.median(took), "at most 5")
    print_figure("a fact appended, p99, ms", tail(took), "")


def plain_search(facts: Sequence[tuple[str, str, str]]) -> Search:
    """FTS5 with the porter stemmer, every word of the question, as anyone would begin."""
    bare = sqlite3.connect(":memory:")
    bare.execute("CREATE VIRTUAL TABLE facts USING fts5(text, tokenize='porter unicode61')")
    bare.executemany(
        "INSERT INTO facts (rowid, text) VALUES (?, ?)", ((n, each[1]) for n, each in enumerate(facts))
    )

    def search(question: str, limit: int) -> list[str]:
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question))
        found = bare.execute(
            "SELECT rowid FROM facts WHERE facts MATCH ? ORDER BY rank LIMIT ?", (words, limit)
        )
        return [facts[row[0]][0] for row in found]

    return search


def recall(search: Search, questions: Sequence[memory_sets.Question]) -> str:
    """Percent of the lines that answer, among the first 5, 10 and 20."""
    shares = [0.0, 0.0, 0.0]
    for question in questions:
        found = search(question.text, 20)
        for place, most in enumerate((5, 10, 20)):
            shares[place] += len(question.answers.intersection(found[:most])) / len(question.answers)
    return " / ".join(f"{100 * share / len(questions):.1f}" for share in shares)


def measure_recall() -> None:
    for name, (fact_files, question_files) in memory_sets.SETS.items():
        facts, questions = memory_sets.facts(fact_files), memory_sets.questions(question_files)
        ours = memory_index(facts)
        took = []
        for question in questions:
            begun = time.perf_counter()
            ours(question.text)
            took.append((time.perf_counter() - begun) * 1000)
        print(f"{name}: {len(questions)} questions, {len(facts)} lines; recall at 5 / 10 / 20, percent")
        print(f"  plain FTS5, porter   {recall(plain_search(facts), questions)}")
        print(f"  ours                 {recall(ours, questions)}   p50 {statistics.median(took):.1f} ms")
        ours.close()


async def measure_noise() -> None:
    """What messages are given that no memory helps with, alone and right after a question that one did help with."""
    with tempfile.TemporaryDirectory() as folder:
        async with memory_sets.looked_up(Path(folder)) as given:
            for name, near in (("alone", ()), ("after a question", (memory_sets.SPOKEN,))):
                found = [await given(each, *near) for each in memory_sets.needing_nothing()]
                counts = [len(each.facts) + len(each.passages) for each in found]
                print(
                    f"messages that need nothing, {name}: {counts.count(0)} of {len(counts)} are given nothing,"
                )
                print(f"  {statistics.mean(counts):.1f} facts and passages each")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="50,000 facts instead of a million")
    parser.add_argument("--facts", type=int, default=1_000_000)
    parser.add_argument("--only", choices=("recall", "size"))
    chosen = parser.parse_args()
    if chosen.only != "size":
        measure_recall()
        asyncio.run(measure_noise())
    if chosen.only != "recall":
        count, questions = (50_000, 100) if chosen.quick else (chosen.facts, 300)
        with tempfile.TemporaryDirectory() as folder:
            asyncio.run(measure_size(Path(folder), count, questions))


if __name__ == "__main__":
    main()
