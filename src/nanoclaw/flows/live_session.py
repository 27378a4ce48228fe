"""A live session ends with its question: concluded, taken back, or out of time. What runs in it is stopped.

While it is open there is nothing to do: its time is that of the question (`deadline`), and its turns are
turns of its room.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

from nanoclaw.delivery import outbox
from nanoclaw.domain.ids import ChatId, SessionId
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.parcels import Author
from nanoclaw.domain.people import LOCAL_OWNER, Actor, Rights, Role
from nanoclaw.domain.questions import Question
from nanoclaw.durable import live_sessions, people, questions, room_transcripts, session_queue, sessions, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.live_sessions import LiveSession
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.timeline import Event, note_all
from nanoclaw.durable.work import Claim
from nanoclaw.flows.human.card_text import ending
from nanoclaw.flows.human.resolution import Resolution
from nanoclaw.flows.live.files import SessionFiles
from nanoclaw.texts import say

EndTerminal = Callable[[str], Awaitable[None]]
SaidAtTerminal = Callable[[Question], Awaitable[str | None]]


@dataclass(frozen=True, kw_only=True, slots=True)
class LiveSessionEnds:
    """The work of kind "live_session"; its key is the question."""

    kind = work.LIVE_SESSION
    at_once = 4

    store: Store
    resolution: Resolution
    files: SessionFiles
    locale: Locale
    said_at_terminal: SaidAtTerminal
    end_terminal: list[EndTerminal] = field(default_factory=list)

    def begin(self, tx: Tx, claim: Claim) -> str:
        return claim.key

    def look_again(self, key: str) -> None:
        """Nothing to do: it ends once."""

    async def run(self, job: str, claim: Claim) -> datetime | None:
        question, live = await self.store.read(
            lambda tx: (questions.get(tx, job), live_sessions.get(tx, job))
        )
        if question is None or question.is_open or live.session_id is None or live.ended_at:
            return await self.store.write(lambda tx: work.finish(tx, claim))
        for end in self.end_terminal:
            await end(job)
        await self.files.forget(job)
        is_missing = question.transcript is None and (question.config or {}).get("captureTranscript")
        said = await self.said_at_terminal(question) if is_missing else None
        return await self.store.write(
            partial(
                self._end, claim=claim, question=question, live=live, said=said, is_missing=bool(is_missing)
            )
        )

    def _end(
        self,
        tx: Tx,
        claim: Claim,
        question: Question,
        live: LiveSession,
        *,
        said: str | None,
        is_missing: bool,
    ) -> datetime | None:
        """`said`: at the terminal. A press or a time-out could not wait for it; now it is complete."""
        at, session_id = now(), SessionId(live.session_id or "")
        if is_missing:
            questions.mark(tx, question.id, session_transcript=said or room_transcripts.of_room(tx, live))
        for asked in questions.open_of(tx, session_id):
            questions.carry(tx, asked.id, at)  # the answer wakes nobody
            self.resolution.cancel(tx, asked, _HOST, at)
        for message_id in session_queue.stop_waiting(tx, session_id):
            note_all(tx, message_id, [(Event.STOPPED, at, {})])
        if begun := session_queue.open_turn(tx, session_id):
            sessions.stop(tx, session_id, max(at, begun.started_at))  # even if the clock was set back
            work.due(tx, work.TURN, session_id, at)
        person = people.person_named(tx, live.opened_by or "")
        own = Locale(language=person.language, timezone=person.timezone) if person else Locale()
        locale = own.or_else(self.locale)
        outbox.post(
            tx,
            chat_id=ChatId(live.chat_id or ""),
            thread=None,
            author=Author.HOST,
            text=say(locale.speaks, "session-ended", how=ending(question, locale)),
            at=at,
            origin=f"session ended {question.id}",
        )
        live_sessions.mark(tx, question.id, ended_at=at, host=None, typist=None)
        return work.finish(tx, claim)


_HOST = Actor(
    handle=LOCAL_OWNER, name="", rights=Rights(everywhere=Role.STRANGER), via="session", language="en"
)
