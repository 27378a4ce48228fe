"""Judges a run by what people see in their chats, and by the rows of the host. Pure: a made-up ledger will do."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tests.chaos.answers import Answers, is_noted, lines_in
from tests.chaos.ledger import NEW, Called, Ledger, Wrote
from tests.chaos.rows import Fate


@dataclass(frozen=True, kw_only=True, slots=True)
class Shown:
    """A message of the bot that is in a chat at the end."""

    id: int
    text: str


@dataclass(kw_only=True, slots=True)
class _Copy:
    """Messages that follow each other and hold an answer, or a piece of one."""

    number: int
    of: int
    noted: bool
    first: int
    lines: list[int] = field(default_factory=list)  # those that are complete
    messages: list[int] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        return self.lines == list(range(1, self.of + 1))


@dataclass(kw_only=True)
class Judgement:
    """Each list holds the numbers of messages; what is in the first five must not be."""

    lost: list[int] = field(default_factory=list)
    doubled: list[int] = field(default_factory=list)
    out_of_order: list[int] = field(default_factory=list)
    half_written: list[int] = field(default_factory=list)
    without_end: list[int] = field(default_factory=list)

    sent: int = 0
    whole: int = 0
    told: list[int] = field(default_factory=list)  # no answer, and the person was told so
    noted: list[int] = field(default_factory=list)
    orphans: list[int] = field(default_factory=list)
    unknown: dict[int, str] = field(default_factory=dict)  # with the cause
    without_cause: list[int] = field(default_factory=list)

    @property
    def offending(self) -> list[int]:
        bad = {*self.lost, *self.doubled, *self.out_of_order, *self.half_written, *self.without_end}
        return sorted(bad | {*self.without_cause})

    @property
    def is_bad(self) -> bool:
        return bool(self.offending)


def judge(
    answers: Answers, ledger: Ledger, chats: Mapping[str, Sequence[Shown]], fates: Mapping[int, Fate]
) -> Judgement:
    found = Judgement(sent=len(ledger.wrote))
    calls = ledger.by_number()
    for chat, messages in chats.items():
        written = [each for each in ledger.wrote.values() if each.chat == chat]
        _judge_chat(found, answers, ledger, written, messages, fates, calls)
    for number, wrote in ledger.wrote.items():
        fate = fates.get(number)
        if fate is None or not fate.end or fate.stored > 1:
            found.without_end.append(number)
        if fate is not None and fate.was_unknown:
            found.unknown[number] = _cause(ledger, calls.get(number, []), fate, wrote.at)
            if not found.unknown[number]:
                found.without_cause.append(number)
    return found


def _judge_chat(
    found: Judgement,
    answers: Answers,
    ledger: Ledger,
    written: Sequence[Wrote],
    messages: Sequence[Shown],
    fates: Mapping[int, Fate],
    calls: Mapping[int, list[Called]],
) -> None:
    in_order: list[_Copy] = []
    by_number: dict[int, list[_Copy]] = {}
    for copy in _copies(answers, messages):
        by_number.setdefault(copy.number, []).append(copy)
    for wrote in written:
        number = wrote.number
        copies = by_number.get(number, [])
        plain = [copy for copy in copies if not copy.noted]
        if any(copy.noted for copy in copies):
            found.noted.append(number)
        there = {line for copy in copies for line in copy.lines}
        is_whole = bool(copies) and len(there) == copies[0].of
        orphans = _orphans(ledger, plain, calls.get(number, [])) if is_whole else []
        kept = [copy for copy in plain if copy not in orphans]
        if orphans:
            found.orphans.append(number)
        lines = [line for copy in kept for line in copy.lines]
        if is_whole and _is_left(kept, copies):
            found.half_written.append(number)
        elif len(lines) > len(set(lines)):
            found.doubled.append(number)
        if is_whole:
            found.whole += 1
        elif copies:
            found.half_written.append(number)
        elif (fate := fates.get(number)) is not None and fate.was_told:
            found.told.append(number)
        else:
            found.lost.append(number)
        # Of an answer that is there twice, the second is no further fault.
        in_order += kept if number not in found.doubled else kept[:1]
    found.out_of_order += _out_of_order(in_order)


def _copies(answers: Answers, messages: Iterable[Shown]) -> list[_Copy]:
    """In the order of the chat. A copy goes on as long as its lines do: a long answer is several messages."""
    made: list[_Copy] = []
    growing: dict[int, _Copy] = {}
    for message in messages:
        noted = is_noted(message.text)
        begun: set[int] = set()
        for line in lines_in(message.text):
            copy = growing.get(line.number)
            goes_on = copy is not None and copy.lines and line.line == copy.lines[-1] + 1
            if noted and line.number not in begun:
                goes_on = False  # who repeats an answer begins it anew, even where only its rest was missing
            begun.add(line.number)
            if copy is None or not goes_on:
                copy = growing[line.number] = _Copy(
                    number=line.number, of=line.of, noted=noted, first=line.line
                )
                made.append(copy)
            if answers.is_complete(line):
                copy.lines.append(line.line)
            if message.id not in copy.messages:
                copy.messages.append(message.id)
    return made


def _orphans(ledger: Ledger, plain: Sequence[_Copy], calls: Sequence[Called]) -> list[_Copy]:
    """First words whose own call was never answered: their host does not know their id, and nobody can mend them."""
    partial = [copy for copy in plain if not copy.is_whole and copy.first == 1]
    return [
        copy
        for copy in partial
        if any(
            call.message_id == copy.messages[0] and call.method in NEW and _cut_off(ledger, call)
            for call in calls
        )
    ]


def _is_left(kept: Sequence[_Copy], copies: Sequence[_Copy]) -> bool:
    """A piece of an answer that is there whole elsewhere."""
    if not any(copy.is_whole and not copy.noted for copy in copies):
        return False
    return any(not copy.is_whole and copy.first == 1 for copy in kept)


def _out_of_order(copies: Sequence[_Copy]) -> list[int]:
    """Those that stand, with their end, below the beginning of an answer to a later message."""
    late = []
    lowest_of_later = float("inf")
    for copy in sorted(copies, key=lambda each: each.number, reverse=True):
        if copy.messages[-1] > lowest_of_later:
            late.append(copy.number)
        lowest_of_later = min(lowest_of_later, copy.messages[0])
    return sorted(set(late))


def _cut_off(ledger: Ledger, call: Called) -> str:
    """Why a host may not know what became of a call; empty when there is no reason."""
    if call.told == "nothing" and call.fault:
        return call.fault
    if call.told.startswith("5"):
        return f"answered {call.told}"
    struck = ledger.struck(call.host, call.begun - 0.1, ledger.written_down_by(call.ended or call.begun))
    return f"{struck} during the call" if struck else ""


def _cause(ledger: Ledger, calls: Sequence[Called], fate: Fate, written: float) -> str:
    since, until = fate.finished_at, fate.unknown_at
    if any(each.what.startswith("clock") for each in ledger.happened):
        since, until = (
            written,
            float("inf"),
        )  # the rows cannot tell when it was: somebody set the clock meanwhile
    before = [call for call in calls if call.method in NEW and call.begun <= until]
    for call in before:
        if why := _cut_off(ledger, call):
            return why
    if not before:  # nothing of it had reached Telegram
        for each in ledger.happened:
            if each.what in ("killed", "paused") and since <= each.at <= until:
                return f"{each.what} before the call arrived"
    return ""
