"""Judges a run by what people see in their chats, and by the rows of the host. Pure: a made-up ledger will do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tests.chaos.answers import Answers, is_noted, lines_in
from tests.chaos.ledger import NEW, Called, Ledger, Wrote
from tests.chaos.pieces import Piece, Shown, Sorted, pieces_in, sort_out
from tests.chaos.rows import Fate


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
            found.unknown[number] = _cause(ledger, calls.get(number, []), fate, wrote)
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
    pieces = pieces_in(answers, messages)
    in_order: list[Sorted] = []
    for wrote in written:
        number = wrote.number

        def is_orphan(piece: Piece, number: int = number) -> bool:
            """First words whose own call was never answered: no host knows their id, and nobody can mend them."""
            return any(
                call.message_id == piece.message and call.method in NEW and _cut_off(ledger, call)
                for call in calls.get(number, [])
            )

        answer = sort_out(pieces.get(number, []), is_orphan)
        found.noted += [number] * bool(answer.noted)
        found.orphans += [number] * bool(answer.orphans)
        found.doubled += [number] * bool(answer.doubles)
        found.half_written += [number] * bool(answer.drafts or (answer.is_there and not answer.is_whole))
        found.whole += answer.is_whole
        if not answer.is_there:
            is_told = _is_told(fates.get(number), messages)
            (found.told if is_told else found.lost).append(number)
        in_order.append(answer)
    found.out_of_order += _out_of_order(in_order)


def _is_told(fate: Fate | None, messages: Sequence[Shown]) -> bool:
    """The turn ended without an answer, and the person can read that it did."""
    if fate is None or fate.end in ("", "answered"):
        return False
    return any(message.id in fate.told_as for message in messages)


def _out_of_order(answers: Sequence[Sorted]) -> list[int]:
    """Those that stand, with their end, below the beginning of an answer to a later message. In order of writing."""
    late = []
    lowest_of_later = float("inf")
    for answer in reversed(answers):
        if not answer.kept:
            continue  # only repeated with a note, which may come at any time
        if max(piece.message for piece in answer.kept) > lowest_of_later:
            late.append(answer.kept[0].number)
        lowest_of_later = min(lowest_of_later, *(piece.message for piece in answer.kept))
    return sorted(late)


def _cut_off(ledger: Ledger, call: Called) -> str:
    """Why a host may not know what became of a call; empty if there is no reason."""
    if call.told == "nothing" and call.fault:
        return call.fault
    if call.told.startswith("5"):
        return f"answered {call.told}"
    struck = ledger.struck(call.host, call.begun - 0.1, ledger.written_down_by(call.ended or call.begun))
    return f"{struck} during the call" if struck else ""


def _cause(ledger: Ledger, calls: Sequence[Called], fate: Fate, wrote: Wrote) -> str:
    since, until = fate.since, fate.unknown_at
    if any(each.what.startswith("clock") for each in ledger.happened):
        since, until = wrote.at, float("inf")  # the rows cannot tell when it was
    before = [call for call in calls if call.method in NEW and call.begun <= until]
    for call in before:
        if why := _cut_off(ledger, call):
            return why
    for call in ledger.calls:  # what else the host says there, as that an answer has to wait
        is_near = call.chat == wrote.chat and wrote.at <= call.begun <= until
        if is_near and not call.numbers and (why := _cut_off(ledger, call)):
            return why
    if not _is_heard(wrote.number, calls, until):  # some of it had never reached Telegram
        for each in ledger.happened:
            if each.what in ("killed", "paused") and ledger.lasted(each) >= since and each.at <= until:
                return f"{each.what} before the call arrived"
    return ""


def _is_heard(number: int, calls: Sequence[Called], until: float) -> bool:
    """Whether Telegram had said of every line of the answer that it has it."""
    told = [call for call in calls if call.told == "ok" and call.begun <= until and not is_noted(call.text)]
    lines = [line for call in told for line in lines_in(call.text) if line.number == number]
    return bool(lines) and len({line.line for line in lines}) == lines[0].of
