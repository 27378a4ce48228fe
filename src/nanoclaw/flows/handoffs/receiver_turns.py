"""What differs in the turn of a handoff's receiver: its skill, its limits, and what it is told about its work."""

from dataclasses import dataclass, replace
from functools import partial
from xml.sax.saxutils import escape

from nanoclaw.domain.errors import Refused
from nanoclaw.domain.handoffs import Handoff
from nanoclaw.domain.ids import TurnId
from nanoclaw.domain.narrowed_grants import narrowed
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.durable import handoffs, pipeline_runs, session_queue, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.turns import Turn
from nanoclaw.flows.handoffs.given_work import note_for
from nanoclaw.flows.knowledge.trust import own_words
from nanoclaw.flows.turns.kind import TurnKind


@dataclass(frozen=True, kw_only=True, slots=True)
class ReceiverTurns(TurnKind):
    store: Store

    async def begin(self, turn: Turn) -> None:
        """Check the person's rights again: much may have changed since it was handed over."""
        if turn.is_of_stranger or turn.speaker.blocked:
            raise Refused("handoff-lost-rights", name=turn.speaker.name)
        turn.acts_as = (await self._handoff(turn)).to_skill

    async def check(self, turn: Turn, request: TurnRequest) -> TurnRequest | None:
        handoff = await self._handoff(turn)
        if handoff.state.is_over:
            raise Refused("handoff-over")
        begun = turn.again or turn.acts_on_answer or bool(request.history)
        if not begun and handoff.expires_at <= now():
            raise Refused("handoff-expired", at=handoff.expires_at.isoformat(timespec="seconds"))
        if request.skill != handoff.to_skill:
            raise Refused("handoff-skill-gone", skill=handoff.to_skill)
        is_run, asked = await self.store.read(partial(_look, handoff=handoff))
        return replace(
            request,
            prompt=f"<note>{escape(note_for(handoff, asked))}</note>\n{request.prompt}",
            grants=narrowed(request.grants, handoff.grants),
            is_unattended=True,
            flow="D" if is_run else "C",
            chain_id=handoff.chain_id,
            handoff_id=handoff.id,
        )

    async def _handoff(self, turn: Turn) -> Handoff:
        key = turn.session.then.key if turn.session.then and turn.session.then.kind == work.HANDOFF else ""
        found = await self.store.read(lambda tx: handoffs.get(tx, key))
        if found is None:
            raise Refused("handoff-unknown", id=key)
        return found


def _look(tx: Tx, handoff: Handoff) -> tuple[bool, list[str]]:
    """Whether a pipeline pays for it, and what the person wrote, if the sender lets the receiver read it."""
    is_run = pipeline_runs.get(tx, handoff.chain_id) is not None
    if handoff.contract["constraints"]["tone_isolation"] or not handoff.from_turn:
        return is_run, []
    said = session_queue.messages_of(tx, TurnId(handoff.from_turn))
    return is_run, [words for each in said if not each.answers and (words := own_words(each))]
