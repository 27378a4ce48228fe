"""Records one turn: shows its answer and the agent's activity as they grow, and keeps what the timeline needs."""

from datetime import datetime

from nanoclaw.delivery.activity import Activity
from nanoclaw.delivery.live import Live
from nanoclaw.delivery.preview_writer import PreviewWriter
from nanoclaw.domain.bounds import MOST_ANSWER
from nanoclaw.domain.parcels import Preview
from nanoclaw.domain.ports import Channel
from nanoclaw.domain.text import storable
from nanoclaw.domain.turns import (
    AnswerCut,
    ModelAsked,
    RuntimeEvent,
    TextDelta,
    TextWritten,
    TookUp,
    ToolStarted,
)
from nanoclaw.durable.clock import now
from nanoclaw.durable.timeline import Event


class TurnRecorder:
    def __init__(
        self, live: Live, channel: Channel | None, blank: Preview, *, may_ask_first: bool = False
    ) -> None:
        self._preview = PreviewWriter(channel, blank, may_ask_first=may_ask_first)
        self._activity = Activity(live, blank.chat_id, blank.turn_id)
        self._first_word_at: datetime | None = None
        self._settled = 0  # characters that are final
        self._growing = 0  # characters that may still be rewritten
        self.last_asked: ModelAsked | None = None
        self.stepped_down: list[ModelAsked] = []  # each choice once
        self.is_cut = False  # it said more than is stored and delivered
        self.is_short = False  # the budget did not pay for more

    @property
    def text(self) -> str:
        """The answer so far."""
        return storable(self._preview.text)

    @property
    def micros(self) -> int:
        """What the model calls have cost so far."""
        return self._activity.micros

    async def hear(self, event: RuntimeEvent) -> None:
        # Before the tool is shown, or it would appear in the middle of a sentence.
        if isinstance(event, ToolStarted | TookUp):
            await self._preview.end_paragraph()
            self._settled, self._growing = self._settled + self._growing, 0
        self._activity.hear(event)
        match event:
            case TextDelta(text=text):
                self._first_word_at = self._first_word_at or now()
                kept = self._fitting(text, self._settled + self._growing)
                self._growing += len(kept)
                await self._preview.add(kept)  # even if empty: that shows what is still waiting to be shown
            case TextWritten(text=text):
                kept = self._fitting(text, self._settled)
                self._settled, self._growing = self._settled + len(kept), 0
                self._preview.settle(kept)
            case ModelAsked():
                self._note_model(event)
            case AnswerCut():
                self.is_short = True
            case _:
                pass

    def _note_model(self, asked: ModelAsked) -> None:
        self.last_asked = asked
        known = {(each.model, each.instead_of) for each in self.stepped_down}
        if asked.instead_of and (asked.model, asked.instead_of) not in known:
            self.stepped_down.append(asked)

    def _fitting(self, text: str, so_far: int) -> str:
        room = max(MOST_ANSWER - so_far, 0)
        self.is_cut = self.is_cut or len(text) > room
        return text[:room]

    def steps(self) -> list[tuple[Event, datetime, dict[str, object]]]:
        """For the timeline: the first word, each tool, and the total cost."""
        told: list[tuple[Event, datetime, dict[str, object]]] = []
        if self._first_word_at:
            told.append((Event.FIRST_TOKEN, self._first_word_at, {}))
        for used in self._activity.used:
            failed = "no" if used.ok else "yes"
            detail = {"name": used.name, "shown": used.shown, "failed": failed}
            told.append((Event.TOOL, used.at, {**detail, "seconds": round(used.seconds, 1)}))
        if self._activity.calls:
            told.append((Event.SPENT, now(), dict(self._activity.spent)))
        return told
