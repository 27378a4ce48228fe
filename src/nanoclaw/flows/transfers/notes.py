"""What an agent is told about transfers of its conversation: that one is open, or that the work has outgrown
the chat.
"""

import math
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial

from nanoclaw.domain.locale import Locale, clock_face
from nanoclaw.domain.transfers import AWAITING, Target, Transfer, TransferState
from nanoclaw.durable import session_growth, transfers
from nanoclaw.durable.clock import now, since_boot
from nanoclaw.durable.session_growth import Growth
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.timeline import Event
from nanoclaw.durable.turns import Turn
from nanoclaw.flows.human.card_text import SHORT
from nanoclaw.texts import say

MOST_CONTEXT = 50_000  # tokens
MOST_TIME = timedelta(minutes=30)
MOST_FILES = 3
_MOST_KNOWN = 10_000
PLACES = {
    Target.CLAUDE_AI: "Claude.ai",
    Target.CLAUDE_CODE: "Claude Code",
    Target.GIT: "a git branch",
    Target.MANUAL: "another program",
}
_SHOWN = 200  # characters of what it is for


@dataclass(frozen=True, kw_only=True, slots=True)
class TransferNotes:
    """Lines above the messages of a turn. Most conversations have nothing elsewhere, and get none."""

    store: Store
    # Until this time (seconds since boot) a conversation cannot become too long by lasting.
    _calm_until: dict[str, float] = field(default_factory=dict)

    async def of(self, turn: Turn, locale: Locale) -> list[str]:
        if turn.task or turn.then or turn.is_of_stranger:
            return []
        if turn.session.is_away:
            is_open = await self.store.read(partial(transfers.open_of, session_id=turn.session.id))
            return [_waiting(each, locale) for each in is_open]
        name = _conversation(turn)
        if not turn.history or self._calm_until.get(name, 0) > since_boot():
            return []
        growth = await self.store.read(partial(self._look, turn=turn))
        if growth and (why := _why(growth)):
            turn.note(Event.OUTGROWN, why=why)
            return [_outgrown(why)]
        if len(self._calm_until) >= _MOST_KNOWN:
            self._calm_until.clear()
        calm = (MOST_TIME - growth.lasts).total_seconds() if growth else math.inf
        self._calm_until[name] = since_boot() + calm
        return []

    def heed(self, turn: Turn) -> None:
        """After a turn: if it may have made files or had a long context, the next turn looks again. What
        another host's turn did is noticed when the calm is over.
        """
        name = _conversation(turn)
        if any(event is Event.OUTGROWN for event, *_ in turn.steps):
            self._calm_until[name] = math.inf  # told already, and once is enough
        elif any(map(_may_have_grown, turn.steps)) and self._calm_until.get(name) != math.inf:
            self._calm_until.pop(name, None)

    def _look(self, tx: Tx, turn: Turn) -> Growth | None:
        """None if its agent has already been told."""
        growth = session_growth.of_session(tx, turn.session, now())
        is_told = bool(_why(growth)) and session_growth.was_told(tx, turn.session)
        return None if is_told else growth


def line_of(transfer: Transfer, locale: Locale) -> str:
    """One line for people: where it is and since when, or that it waits for a decision."""
    language = locale.speaks
    at = transfer.delivered_at or transfer.created_at
    key = "transfer-line-away" if transfer.state is TransferState.DELIVERED else "transfer-line-asked"
    if transfer.packed_at is None:
        key = "transfer-line-packing"
    return say(
        language,
        key,
        short=transfer.id[-SHORT:],
        target=say(language, f"transfer-target-{transfer.target}"),
        state=AWAITING,
        since=f"{at.astimezone(locale.zone):%Y-%m-%d %H:%M}",
        until=f"{transfer.expires_at.astimezone(locale.zone):%Y-%m-%d %H:%M}",
    )


def declined(transfer: Transfer, reason: str) -> str:
    """The note for the agent that proposed it."""
    why = "nobody decided in time" if reason.endswith("nobody") else "they want it to stay here"
    return (
        f"You proposed to take this work to {PLACES[transfer.target]}. It stays here: {why}. "
        "Go on with it yourself, in smaller steps if it is big, and do not propose it again."
    )


def _waiting(transfer: Transfer, locale: Locale) -> str:
    place = PLACES[transfer.target]
    # Somebody's words: nothing in them may end the quote.
    words = transfer.purpose[:_SHOWN].replace('"', "'")
    purpose = f' for: "{words}"' if words else ""
    if transfer.delivered_at is None:
        return (
            f"That this work be taken to {place}{purpose} is proposed; a person has not decided yet. "
            "Do not propose it again."
        )
    since = clock_face(transfer.delivered_at, locale.zone)
    return (
        f"This work is at {place} since {since}{purpose} ({AWAITING}, {transfer.id}). Its result will come back to "
        "you: do not redo that part, and answer everything else as usual."
    )


def _outgrown(why: str) -> str:
    return (
        f"This conversation {why}. If its work would be better done in Claude.ai or Claude Code, offer that once with "
        "propose_transfer (people: /export_session); else go on."
    )


def _why(growth: Growth) -> str:
    if growth.context > MOST_CONTEXT:
        return f"has {growth.context} tokens of context"
    if growth.files > MOST_FILES:
        return f"has made {growth.files} files"
    if growth.lasts > MOST_TIME:
        return f"has lasted {growth.lasts // timedelta(minutes=1)} minutes"
    return ""


def _may_have_grown(step: tuple[Event, datetime, dict[str, object]]) -> bool:
    event, _, detail = step
    read = detail.get("input", 0)
    return event is Event.TOOL or (event is Event.SPENT and isinstance(read, int) and read > MOST_CONTEXT)


def _conversation(turn: Turn) -> str:
    return f"{turn.session.id} {turn.session.cleared_by or ''}"
