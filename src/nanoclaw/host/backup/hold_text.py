"""What people are told during the hold after a restore: what waits, and how to release it."""

from nanoclaw.durable import restore_hold
from nanoclaw.durable.restore_hold import WaitingWork
from nanoclaw.durable.store import Tx
from nanoclaw.texts import say


def held_lines(language: str, waits: WaitingWork) -> list[str]:
    """What a person must know during a hold."""
    said = [say(language, "held-now", turns=waits["turns"], tasks=waits["tasks"])]
    if waits["parcels"]:
        said.append(say(language, "held-parcels", count=waits["parcels"]))
    return [*said, say(language, "held-go")]


def waits_if_held(tx: Tx) -> WaitingWork | None:
    return restore_hold.count(tx) if restore_hold.read(tx) is not None else None
