"""Meaning in addition to words: vectors from an OpenAI-compatible embeddings endpoint, if one is configured.

They reorder what the words have found. If anything fails here, words alone are used.
"""

import asyncio
import json
import zlib
from array import array
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import partial
from importlib import import_module
from math import sqrt
from operator import mul
from typing import Any

import sqlalchemy as sa
import structlog

from nanoclaw.domain.bounds import TooMuch, whole
from nanoclaw.durable import memory_words
from nanoclaw.durable.knowledge_tables import memory_entries
from nanoclaw.durable.store import Store, Tx

log = structlog.get_logger("memory")

_BATCH = 64  # texts in one call
_LONGEST = 8000  # characters of a text
_BIGGEST_ANSWER = 32 << 20  # bytes: vectors of so many texts, written out
_PATIENCE = 5.0  # seconds that a turn waits for the vector of its question
_PATIENCE_WITH_MANY = 60.0
_PAUSE = 30.0  # seconds without a call after one has failed
_KEPT = 256  # vectors of questions
_FLATNESS = 60  # of reciprocal rank fusion: how little the first places stand out


class Embeddings:
    def __init__(self, store: Store, url: str, model: str, key: str = "") -> None:
        self._store = store
        self._url = f"{url.rstrip('/')}/embeddings"
        self._model = model
        self._headers = {"authorization": f"Bearer {key}"} if key else {}
        # Prefix of each stored vector: one of another model means nothing.
        self._mark = zlib.crc32(model.encode()).to_bytes(4, "big")
        self._questions: OrderedDict[str, array[float]] = OrderedDict()
        self._filling: asyncio.Task[None] | None = None
        self._silent_until = 0.0

    async def fused(self, text: str, ranked: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
        """Numbers and scores by words, best first, reordered by meaning. Those without a vector get one in
        the background, for the next time.
        """
        question = await self._vector_of(text)
        if question is None or not ranked:
            return list(ranked)
        numbers = [number for number, _ in ranked]
        stored = await self._store.read(partial(_stored, numbers=numbers))
        near, missing = await asyncio.to_thread(self._compared, question, stored)
        self._fill(missing)
        return fuse(numbers, sorted(near, key=lambda number: (-near[number], -number)))

    async def settled(self) -> None:
        """Wait until the vectors being made are stored."""
        if self._filling is not None:
            await asyncio.gather(self._filling, return_exceptions=True)

    async def close(self) -> None:
        if self._filling is not None:
            self._filling.cancel()
        await self.settled()

    def _compared(
        self, question: "array[float]", stored: Mapping[int, bytes | None]
    ) -> tuple[dict[int, float], list[int]]:
        near: dict[int, float] = {}
        missing: list[int] = []
        size = len(self._mark) + question.itemsize * len(question)
        for number, raw in stored.items():
            if raw is None or len(raw) != size or not raw.startswith(self._mark):
                missing.append(number)
                continue
            vector = array("f", raw[len(self._mark) :])
            near[number] = sum(map(mul, question, vector))
        return near, missing

    async def _vector_of(self, text: str) -> "array[float] | None":
        known = self._questions.get(text)
        if known is None:
            found = await self._asked([text], _PATIENCE)
            if found is None:
                return None
            known = self._questions[text] = found[0]
            if len(self._questions) > _KEPT:
                self._questions.popitem(last=False)
        return known

    def _fill(self, numbers: Sequence[int]) -> None:
        if numbers and (self._filling is None or self._filling.done()):
            self._filling = asyncio.create_task(self._filled(numbers))

    async def _filled(self, numbers: Sequence[int]) -> None:
        for start in range(0, len(numbers), _BATCH):
            texts = await self._store.read(partial(_texts, numbers=numbers[start : start + _BATCH]))
            vectors = await self._asked(list(texts.values()), _PATIENCE_WITH_MANY)
            if vectors is None:
                return
            rows = [
                {"known": number, "text": text, "vector": self._mark + vector.tobytes()}
                for (number, text), vector in zip(texts.items(), vectors, strict=True)
            ]
            await self._store.write(partial(_keep, rows=rows))

    async def _asked(self, texts: Sequence[str], patience: float) -> "list[array[float]] | None":
        now = asyncio.get_running_loop().time()
        if now < self._silent_until or not texts:
            return None
        httpx: Any = import_module("httpx")  # late: most hosts never need it here
        body = {"model": self._model, "input": [text[:_LONGEST] for text in texts]}
        try:
            async with (
                httpx.AsyncClient(timeout=patience, headers=self._headers) as http,
                http.stream("POST", self._url, json=body) as answer,
            ):
                answer.raise_for_status()
                told = await whole(answer.aiter_bytes(), _BIGGEST_ANSWER)
                return _read(json.loads(told), len(texts))
        except (httpx.HTTPError, ValueError, KeyError, TypeError, RecursionError, TooMuch) as error:
            log.warning("no embeddings", reason=error)
            self._silent_until = now + _PAUSE
            return None


def fuse(by_words: Sequence[int], by_meaning: Sequence[int]) -> list[tuple[int, float]]:
    """Fuse by rank alone, because the two scores cannot be compared; 1.0 is first in both."""
    scores: dict[int, float] = {}
    for places in (by_words, by_meaning):
        for place, number in enumerate(places):
            scores[number] = scores.get(number, 0.0) + (_FLATNESS + 1) / (_FLATNESS + 1 + place) / 2
    return sorted(scores.items(), key=lambda pair: (-pair[1], -pair[0]))


def _read(answer: Any, count: int) -> "list[array[float]]":
    found = sorted(answer["data"], key=lambda each: each["index"])
    if len(found) != count:
        raise ValueError("another number of vectors than texts")
    return [_unit(each["embedding"]) for each in found]


def _unit(values: Sequence[float]) -> "array[float]":
    length = sqrt(sum(map(mul, values, values))) or 1.0
    return array("f", (value / length for value in values))


def _stored(tx: Tx, numbers: Sequence[int]) -> dict[int, bytes | None]:
    where = memory_words.is_in(memory_entries.c.number, "numbers", tx.dialect.name)
    rows = tx.execute(
        sa.select(memory_entries.c.number, memory_entries.c.vector).where(where),
        {"numbers": memory_words.listed(tx, numbers)},
    )
    return {row.number: row.vector for row in rows}


def _texts(tx: Tx, numbers: Sequence[int]) -> dict[int, str]:
    rows = tx.execute(
        sa.select(memory_entries.c.number, memory_entries.c.text).where(memory_entries.c.number.in_(numbers))
    )
    return {row.number: row.text for row in rows}


def _keep(tx: Tx, rows: Sequence[Mapping[str, Any]]) -> None:
    """Store vectors, unless the text has changed meanwhile."""
    for row in rows:
        tx.execute(
            sa.update(memory_entries)
            .where(memory_entries.c.number == row["known"], memory_entries.c.text == row["text"])
            .values(vector=row["vector"])
        )
