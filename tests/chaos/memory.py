"""What people asked the company to remember in a run, and what its files say in the end."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from nanoclaw.memory.entries import Fact
from nanoclaw.memory.files import MemoryFiles
from nanoclaw.memory.verification import verify

COMPANY = "demo"
_MEMO = re.compile(r"memo (\d+) of this run")


def command(number: int) -> str:
    return f"/remember memo {number} of this run"


@dataclass(kw_only=True)
class Remembered:
    """Each list holds the numbers of memos; all of them, and what `memory verify` finds, should be empty."""

    asked: int = 0
    lost: list[int] = field(default_factory=list)
    doubled: list[int] = field(default_factory=list)
    out_of_order: list[int] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def is_bad(self) -> bool:
        return bool(self.lost or self.doubled or self.out_of_order or self.problems)


def judge(asked: Sequence[int], found: Sequence[int]) -> Remembered:
    """`found`: as the lines of the files stand. One person asked for all of them, one after the other."""
    times, highest, late = Counter(found), 0, []
    for number in found:
        if number < highest:
            late.append(number)
        highest = max(highest, number)
    return Remembered(
        asked=len(asked),
        lost=[number for number in asked if not times[number]],
        doubled=[number for number in asked if times[number] > 1],
        out_of_order=late,
    )


def look(home: Path, asked: Sequence[int], index_ids: Sequence[str]) -> Remembered:
    lines = [line for _, line in MemoryFiles(home).lines(COMPANY)]
    memos = [_MEMO.search(line.text) for line in lines if isinstance(line, Fact)]
    made = judge(asked, [int(memo[1]) for memo in memos if memo])
    made.problems = [str(each) for each in verify(home, COMPANY, index_ids) if each.is_fault]
    return made
