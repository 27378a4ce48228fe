"""What memory does at the end of a turn: one line of activity, without a model, and extraction once the chat
rests.
"""

from dataclasses import dataclass
from datetime import timedelta

from nanoclaw.context.groups import Groups
from nanoclaw.domain.memory import MemoryMode, Trust
from nanoclaw.domain.people import Role
from nanoclaw.domain.turns import TurnState
from nanoclaw.durable import memory_changes, sessions, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.memory_changes import Action, Change
from nanoclaw.durable.store import Tx
from nanoclaw.durable.turns import Turn, TurnResult

_GATHERED = timedelta(seconds=1)  # turns of a busy moment are written together
_ASKED, _ANSWERED = 200, 300  # characters
LOOK_EVERY = timedelta(minutes=10)  # for a conversation that does not rest: it may have become long
_TOLD = (TurnState.ANSWERED, TurnState.SILENT, TurnState.STOPPED)


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnMemory:
    groups: Groups
    rest: timedelta | None  # a conversation is extracted after resting this long; None: never

    def ended(self, tx: Tx, turn: Turn, result: TurnResult) -> None:
        """Runs in the transaction that ends the turn: every answer waits for it."""
        if turn.chat.memory is not MemoryMode.WRITE:
            sessions.mark_extracted(tx, turn.session.id, turn.id)  # not later either, when memory is on
            return
        if result.state not in _TOLD or result.skipped:
            return
        company = self.groups.company_of(turn.session.group)
        if not company:
            return
        at, is_stranger = now(), turn.is_of_stranger
        said = turn.answer if result.questionnaire else result.said
        change = Change(
            company=company,
            action=Action.ACTIVITY,
            trust=_trust(turn),
            created_at=at,
            body={
                "at": at.isoformat(),
                # Strangers choose their names, and this is in every prompt.
                "who": turn.speaker.handle if is_stranger else turn.speaker.name or turn.speaker.handle,
                "handle": turn.speaker.handle,
                "session": turn.session.id,
                "task": turn.task.id if turn.task else None,
                **({} if is_stranger else {"asked": _asked(turn)}),
                # What an agent made of a web page or a file must not reach every later prompt.
                **({} if turn.is_mixed else {"answered": _short(said, _ANSWERED)}),
            },
            person_id=turn.speaker.id,
            chat_id=turn.chat.id,
            message_id=turn.messages[-1].id,
            turn_id=turn.id,
        )
        memory_changes.ask(tx, change, after=_GATHERED)
        if self.rest is not None and result.state is not TurnState.SILENT:
            look_at = at + min(self.rest, LOOK_EVERY)
            work.due(tx, work.EXTRACTION, turn.session.id, look_at, hasten=False)


def _trust(turn: Turn) -> Trust:
    if turn.is_of_stranger:
        return Trust.HEARSAY
    return Trust.OWNER if turn.speaker.role is Role.OWNER else Trust.MEMBER


def _asked(turn: Turn) -> str:
    """The request in the asker's own words; what they forwarded is left out."""
    if turn.task:
        return _short(turn.task.prompt, _ASKED)
    own = (each for each in turn.messages if each.in_own_words and not each.answers)
    return _short(" / ".join(each.text for each in own), _ASKED)


def _short(text: str, most: int) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= most else plain[: most - 1].rstrip() + "…"
