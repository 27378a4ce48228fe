"""The answers in one chat, piece by piece: each message of the bot holds pieces of one or more answers."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from tests.chaos.answers import Answers, is_noted, lines_in


@dataclass(frozen=True, kw_only=True, slots=True)
class Shown:
    """A message of the bot that is in a chat at the end."""

    id: int
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Piece:
    """What one message has of one answer: the lines that are complete, and whether it breaks off in another."""

    number: int
    message: int
    of: int
    noted: bool
    lines: frozenset[int]
    breaks_off: bool

    def is_less_than(self, others: Sequence["Piece"]) -> bool:
        """Whether it is a draft: another message says the same and continues, or it ends where no message of
        the answer does.
        """
        is_said_elsewhere = any(self.lines <= other.lines for other in others)
        return self.breaks_off or not is_said_elsewhere or any(self.lines < other.lines for other in others)


@dataclass(kw_only=True, slots=True)
class Sorted:
    """The pieces of one answer: those that make it up, and those that are there besides."""

    kept: list[Piece] = field(default_factory=list)
    noted: list[Piece] = field(default_factory=list)
    drafts: list[Piece] = field(default_factory=list)  # left behind although the answer is elsewhere
    orphans: list[Piece] = field(default_factory=list)  # the same, and nobody could know of them
    doubles: list[Piece] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        pieces = [*self.kept, *self.noted]
        return bool(pieces) and len(_lines(pieces)) == pieces[0].of

    @property
    def is_there(self) -> bool:
        return bool(self.kept or self.noted or self.drafts or self.orphans)


def pieces_in(answers: Answers, messages: Sequence[Shown]) -> dict[int, list[Piece]]:
    """Pieces by number, in the order of the chat. What follows a noted piece and continues it is noted too."""
    found: dict[int, list[Piece]] = {}
    for message in messages:
        lines = lines_in(message.text)
        for number in dict.fromkeys(line.number for line in lines):
            own = [line for line in lines if line.number == number]
            before = found.get(number, [])
            goes_on = (
                bool(before) and before[-1].noted and own[0].line == max(before[-1].lines, default=0) + 1
            )
            complete = frozenset(line.line for line in own if answers.is_complete(line))
            found.setdefault(number, []).append(
                Piece(
                    number=number,
                    message=message.id,
                    of=own[0].of,
                    noted=is_noted(message.text) or goes_on,
                    lines=complete,
                    breaks_off=len(complete) < len(own),
                )
            )
    return found


def sort_out(pieces: Sequence[Piece], is_orphan: Callable[[Piece], bool]) -> Sorted:
    """What can go without a line of the answer missing is there besides it; the smallest of it first."""
    made = Sorted(noted=[piece for piece in pieces if piece.noted])
    kept = [piece for piece in pieces if not piece.noted]
    for piece in sorted(kept, key=lambda each: (len(each.lines), -each.message)):
        others = [other for other in kept if other is not piece]
        if not others or not piece.lines <= _lines(others):
            continue
        if not piece.is_less_than(others):
            made.doubles.append(piece)
        elif is_orphan(piece):
            made.orphans.append(piece)
        else:
            made.drafts.append(piece)
        kept = others
    made.kept = kept
    return made


def _lines(pieces: Iterable[Piece]) -> set[int]:
    return {line for piece in pieces for line in piece.lines}
