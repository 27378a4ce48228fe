"""One types and the others watch; latecomers see what was shown; a slow one delays nobody."""

import asyncio
from typing import Any

from tests.live_terminal_scene import OWNER

from nanoclaw.domain.boxes import TerminalSize
from nanoclaw.flows.live.screens import KEPT, MOST_TYPED, MOST_WAITING, Screen, ScreenViewer

SMALL, BIG = TerminalSize(rows=10, columns=20), TerminalSize(rows=50, columns=200)


class PlayedBox:
    """Its program reads nothing."""

    def __init__(self) -> None:
        self.typed = b""
        self.sizes: list[TerminalSize] = []
        self.stdin: Any = self
        self.transport = self

    def write(self, typed: bytes) -> None:
        self.typed += typed

    def get_write_buffer_size(self) -> int:
        return len(self.typed)

    def is_closing(self) -> bool:
        return False

    def resize(self, size: TerminalSize) -> None:
        self.sizes.append(size)


def _screen() -> tuple[PlayedBox, Screen]:
    box: Any = PlayedBox()
    return box, Screen(box, BIG, lambda: None)


async def _shown(attachment: ScreenViewer) -> bytes:
    """All that waits for them."""
    seen = b""
    async with asyncio.timeout(60):
        async for piece in attachment.output():
            seen += piece
            if not attachment._waiting:
                break
    return seen


async def test_the_first_who_may_type_does_and_the_next_takes_over_with_their_size() -> None:
    box, screen = _screen()
    watcher = screen.attach(OWNER, BIG, may_type=False)
    first, second = (screen.attach(OWNER, size, may_type=True) for size in (SMALL, BIG))
    for each in (watcher, second, first):
        each.write(b"x")
        each.resize(5, 5)
    assert (box.typed, first.is_typist, second.is_typist) == (b"x", True, False)
    assert box.sizes == [SMALL, TerminalSize(rows=5, columns=5)]
    await first.close()
    assert second.is_typist
    assert box.sizes[-1] == TerminalSize(rows=5, columns=5)  # as the second has it
    assert await _shown(second) == b""  # who looks for it is told
    await second.close()
    await second.close()
    assert screen.typist is None
    watcher.write(b"y")
    assert box.typed == b"x"


async def test_who_comes_late_sees_the_last_part_cut_at_a_line_and_the_program_draws_anew() -> None:
    box, screen = _screen()
    screen.show(b"early\n")
    early = screen.attach(OWNER, SMALL, may_type=True)
    assert await _shown(early) == b"\x1bcearly\n"
    for number in range(KEPT // 10):
        screen.show(f"line {number:>6}\n".encode())
    late = screen.attach(OWNER, BIG, may_type=True)
    seen = await _shown(late)
    assert len(seen) <= KEPT + 2
    assert seen.startswith(b"\x1bcline ")
    assert seen.endswith(f"line {KEPT // 10 - 1:>6}\n".encode())
    smaller = TerminalSize(rows=SMALL.rows - 1, columns=SMALL.columns)
    assert box.sizes[-1] == smaller
    async with asyncio.timeout(60):
        while box.sizes[-1] != SMALL:
            await asyncio.sleep(0.01)


async def test_one_who_does_not_read_gets_the_last_part_and_keeps_little_memory() -> None:
    _, screen = _screen()
    slow = screen.attach(OWNER, SMALL, may_type=True)
    for number in range(4 * MOST_WAITING // 1000):
        screen.show(f"{number:<999}\n".encode())
        assert slow._bytes <= MOST_WAITING
    seen = await _shown(slow)
    assert seen.startswith(b"\x1bc")
    assert seen.endswith(screen.lately[-5000:])


async def test_what_nobody_reads_is_kept_up_to_a_limit_and_the_end_is_told_after_the_last_words() -> None:
    box, screen = _screen()
    typist = screen.attach(OWNER, SMALL, may_type=True)
    for _ in range(10):
        typist.write(b"p" * (MOST_TYPED // 4))
    assert len(box.typed) == MOST_TYPED
    screen.show(b"last words")
    screen.say(lambda by: f"time is up, {by.name}")
    screen.end(lambda by: "over")
    pieces = [piece async for piece in typist.output()]
    assert b"last words" in pieces
    assert b"time is up, Owner" in pieces[-1]
    assert typist.ended == "over"
    assert not screen.attachments
