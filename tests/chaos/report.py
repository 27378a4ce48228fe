"""What a run found, for people and for programs."""

import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

from tests.chaos.ledger import Called
from tests.chaos.run import Result

_MOST = 12  # stories that are told in full
_MOST_LINES = 60
_AROUND = 8.0  # seconds after the last call of a message in which others of its chat are told too


def figures(result: Result) -> dict[str, Any]:
    found, remembered = result.judgement, result.remembered
    return {
        "seed": result.setup.seed,
        "hosts": result.setup.hosts,
        "database": result.setup.database,
        "seconds": round(result.seconds, 1),
        "faults": dict(sorted(result.ledger.faults.items())),
        "faults that met nothing": dict(Counter(result.unmet)),
        "left out": result.plan.left_out,
        "settled": result.settled,
        "sent": found.sent,
        "answered whole": found.whole,
        "told that there is no answer": found.told,
        "lost": found.lost,
        "doubled": found.doubled,
        "noted resends": found.noted,
        "out of order": found.out_of_order,
        "half-written": found.half_written,
        "orphans": found.orphans,
        "without an end": found.without_end,
        "unknown": found.unknown,
        "unknown without a cause": found.without_cause,
        "asked to remember": remembered.asked,
        "memory lost": remembered.lost,
        "memory doubled": remembered.doubled,
        "memory out of order": remembered.out_of_order,
        "memory not in order": remembered.problems,
        "floods": result.floods,
    }


def lines(result: Result, most: int = _MOST) -> Iterator[str]:
    for name, value in figures(result).items():
        if name == "unknown":
            yield f"{name:<30} {len(value)}"
            yield from (
                f"{'':<32}{len(of)} {why or 'without a cause'}   {_listed(of)}" for why, of in _causes(value)
            )
        elif isinstance(value, list):
            yield f"{name:<30} {len(value)}" + (f"   {_listed(value)}" if value else "")
        elif isinstance(value, dict):
            yield f"{name:<30} " + (", ".join(f"{key} {each}" for key, each in value.items()) or "none")
        else:
            yield f"{name:<30} {value}"
    if result.still_open:
        yield from ("", "not sent in the end:", *result.still_open[:_MOST_LINES])
    offending = result.judgement.offending
    for number in offending[:most]:
        yield from ("", *story(result, number))
    if len(offending) > most:
        yield f"\nand {len(offending) - most} more: {_listed(offending[most:])}; --keep FOLDER writes them all"


def story(result: Result, number: int) -> Iterator[str]:
    """One message in full: what the host wrote down, the calls of its chat, and what was done to the hosts."""
    wrote = result.ledger.wrote[number]
    found = result.judgement
    kinds = ("lost", "doubled", "out_of_order", "half_written", "without_end", "without_cause")
    why = [kind.replace("_", " ") for kind in kinds if number in getattr(found, kind)]
    yield f"=== message {number}: {', '.join(why)}; chat {wrote.chat}, written {_clock(wrote.at)}"
    yield from result.stories.get(number, [])
    calls = [call for call in result.ledger.calls if call.chat == wrote.chat]
    last = max((call.begun for call in calls if number in call.numbers), default=wrote.at) + _AROUND
    told = [(call.begun, _told(call, number)) for call in calls if wrote.at - 1 <= call.begun <= last]
    told += [
        (each.at, f"-- {each.host} {each.what}")
        for each in result.ledger.happened
        if wrote.at - 1 <= each.at <= last
    ]
    for at, words in sorted(told):
        yield f"  {_clock(at)} {words}"


def _told(call: Called, number: int) -> str:
    mark = ">" if number in call.numbers else " "
    numbers = ",".join(map(str, sorted(call.numbers)))
    beginning = " ".join(call.text.split())[:40]
    fault = f" [{call.fault}]" if call.fault else ""
    return (
        f"{mark} {call.host} {call.method} of {numbers or '-'} as {call.message_id or '-'}: {call.told}"
        f"{'' if call.done else ', not done'}{fault} ({call.ended - call.begun:.2f} s) {beginning!r}"
    )


def _causes(unknown: dict[int, str]) -> list[tuple[str, list[int]]]:
    """The most frequent first, with the numbers."""
    of = {why: [number for number, cause in unknown.items() if cause == why] for why in unknown.values()}
    return sorted(of.items(), key=lambda each: -len(each[1]))


def _listed(numbers: list[int] | list[str]) -> str:
    return " ".join(map(str, numbers[:20])) + (" ..." if len(numbers) > 20 else "")


def _clock(at: float) -> str:
    return time.strftime("%H:%M:%S", time.gmtime(at)) + f"{at % 1:.3f}"[1:]
