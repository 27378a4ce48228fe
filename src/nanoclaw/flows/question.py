"""Flow E. The agent stops until a person answers.

A question is written down, shown to those who may decide, and decided once. Whoever asked waits for a while; then its
box and its place are free for others, and the answer wakes the session, hours or days later.
"""

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from nanoclaw.context.groups import Group
from nanoclaw.delivery.live import EVERY_CHAT, Live, QuestionChanged
from nanoclaw.domain.asking import Asking, Misasked, Reply
from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.people import Ruler
from nanoclaw.domain.questions import Asker, Question, Status, Wanted, read_wanted
from nanoclaw.domain.turns import Session
from nanoclaw.durable import inbox, questions
from nanoclaw.durable.aftermath import Aftermath
from nanoclaw.durable.clock import now
from nanoclaw.durable.engine import Engine
from nanoclaw.durable.questions import Vote
from nanoclaw.durable.store import Store, Tx
from nanoclaw.flows.human.cards import QuestionCards
from nanoclaw.flows.human.deciders import Decider, may_decide
from nanoclaw.flows.human.moments import next_moment
from nanoclaw.flows.human.opening import Document, Opening
from nanoclaw.flows.human.resolution import Resolution
from nanoclaw.flows.human.telling import label, option_meant, reply
from nanoclaw.flows.human.waits import Waits
from nanoclaw.flows.human.words import SHORT, clock
from nanoclaw.flows.sending.copies import CannotSend, Copies
from nanoclaw.texts import say

_LATE = {Status.TIMEOUT: "question-late-timeout", Status.CANCELLED: "question-late-cancelled"}
_SURE_LOOK = 1.0  # seconds between two looks, where another host may have decided


@dataclass(frozen=True, kw_only=True, slots=True)
class Decided:
    """What the one who decided is told, and what to set going."""

    said: str
    aftermath: Aftermath


class TooLate(Refused):
    """The question is decided already."""

    def __init__(self, question: Question, key: str, **values: object) -> None:
        super().__init__(key, **values)
        self.question = question


class Questions:
    def __init__(
        self,
        *,
        store: Store,
        engine: Engine,
        live: Live,
        cards: QuestionCards,
        resolution: Resolution,
        waits: Waits,
        copies: Copies,
        locale: Locale,
        usual_timeout: timedelta,
        hold: float,
    ) -> None:
        """`hold` is how many seconds a turn waits with its box before that is freed."""
        self._store = store
        self._engine = engine
        self._live = live
        self._cards = cards
        self._resolution = resolution
        self._waits = waits
        self._opening = Opening(cards=cards, waits=waits)
        self._copies = copies
        self._locale = locale
        self._usual_timeout = usual_timeout
        self._hold = hold

    async def answer(self, asking: Asking, session: Session, group: Group) -> Reply:
        """The tool `request_human`: asks, and waits as long as that is no waste of a box."""
        try:
            wanted = read_wanted(asking.arguments, usual_timeout=self._usual_timeout)
            wanted = replace(wanted, skill=wanted.skill or asking.skill)
            document = await self._keep(wanted, session, group)
            question = await self.ask(wanted, await self.asker(session, group, asking.id), document)
        except (Misasked, CannotSend) as error:
            return Reply(ok=False, text=str(error), data={"refused": "arguments"})
        return reply(await self.attend(question), group.locale.or_else(self._locale))

    async def asker(self, session: Session, group: Group, asked_id: str) -> Asker:
        """The turn of this session, which waits for the answer on this host."""
        turn = await self._store.read(lambda tx: inbox.open_turn(tx, session.id))
        return Asker(
            session_id=session.id,
            execution_id=turn[0] if turn else session.id,
            asked_id=asked_id,
            group=group.name,
            company=group.company,
            thread=session.thread,
            chat_id=session.chat_id,
            host=self._engine.host,
        )

    async def ask(self, wanted: Wanted, asker: Asker, document: Document | None = None) -> Question:
        """Written down and shown when this returns. Raises Misasked."""
        question, going = await self._store.write(
            lambda tx: self._opening.open(tx, wanted, asker, document, now())
        )
        self.set_going(going)
        return question

    async def attend(self, question: Question) -> Question:
        """The answer, if it comes while it is worth waiting for; else the question as it stands, open."""
        await self.wait(question.id, self._hold, question.session_id or "")

        def story(tx: Tx) -> Question:
            if not questions.leave(tx, question.id):
                questions.carry(tx, question.id, now())
            return questions.get(tx, question.id) or question

        return await self._store.write(story)

    async def wait(self, question_id: str, seconds: float, session_id: str = "") -> Question:
        """Until it is decided, time is up, or someone has something else to say to the session."""
        until = time.monotonic() + seconds
        with self._waits.on(question_id, session_id) as wait:
            while True:
                wait.news.clear()
                question = await self.get(question_id)
                left = until - time.monotonic()
                if not question.is_open or wait.over or left <= 0:
                    return question
                with suppress(TimeoutError):
                    async with asyncio.timeout(min(left, _SURE_LOOK) if self._store.shared else left):
                        await wait.news.wait()

    async def get(self, question_id: str) -> Question:
        found = await self._store.read(lambda tx: questions.get(tx, question_id))
        if found is None:
            raise NotFound("no-such-question", id=question_id)
        return found

    def set_going(self, going: Aftermath) -> None:
        """After the commit: whoever waits here, and whoever looks at an inbox, hears of it."""
        going.set_going(self._engine)
        self.tell_of(going)

    def tell_of(self, going: Aftermath) -> None:
        for question_id, _at in going.questions:
            self._waits.tell(question_id)
            self._live.tell(EVERY_CHAT, QuestionChanged(question_id))

    def find(self, tx: Tx, ref: str) -> Question:
        """By its id, or the end of it, as cards show it."""
        wanted = ref.strip().lower()
        if exact := questions.get(tx, wanted):
            return exact
        fits = questions.ending(tx, wanted) if len(wanted) >= SHORT else []
        if len(fits) != 1:
            raise NotFound("no-such-question", id=ref)
        return fits[0]

    def decide(
        self,
        tx: Tx,
        question_id: str,
        choice: str | None,
        by: Ruler,
        at: datetime,
        *,
        said: str | None = None,
    ) -> Decided:
        """Raises Refused: not theirs to decide, decided already (TooLate), no such choice. Then nothing has changed."""
        question, decider = self._theirs(tx, question_id, by, at)
        if not question.is_open:
            raise self._too_late(question, by)
        option = option_meant(question, choice) if choice is not None else None
        known = ", ".join(each.id for each in question.options)
        if choice is not None and option is None:
            raise Refused("no-such-option", choice=choice[:80], known=known)
        if option is None and not (said and question.kind.takes_words):
            raise Refused("question-needs-option", known=known)
        if option and question.votes > 1 and not option.safe:
            vote = Vote(voter=decider.voice, name=by.name, option=option.id, at=at)
            if waiting := self._count(tx, question, vote, by):
                return waiting
        chosen = option.id if option else None
        going = self._resolution.decide(tx, question, by, at, chosen=chosen, said=said)
        if going is None:
            raise self._too_late(questions.get(tx, question.id) or question, by)
        shown = label(option, by.language) if option else (said or "")
        return Decided(said=say(by.language, "question-taken", label=shown[:80]), aftermath=going)

    def cancel(self, tx: Tx, question_id: str, by: Ruler, at: datetime) -> Aftermath:
        question, _ = self._theirs(tx, question_id, by, at)
        going = self._resolution.cancel(tx, question, by, at)
        if going is None:
            raise self._too_late(questions.get(tx, question.id) or question, by)
        return going

    def conclude(
        self,
        tx: Tx,
        question_id: str,
        by: Ruler,
        at: datetime,
        *,
        status: Status,
        response: object = None,
        transcript: str | None = None,
        duration_ms: int | None = None,
        error: str | None = None,
    ) -> Aftermath:
        """An interactive session is over. Only what was concluded counts; nobody guesses it from the talk."""
        question, _ = self._theirs(tx, question_id, by, at)
        if status is Status.PENDING:
            raise Refused("session-not-over")
        kept = {"session_transcript": transcript, "session_duration": duration_ms, "error": error}
        going = self._resolution.conclude(tx, question, by, at, status=status, response=response, kept=kept)
        if going is None:
            raise self._too_late(questions.get(tx, question.id) or question, by)
        return going

    def ask_again(self, tx: Tx, question_id: str, by: Ruler, at: datetime) -> tuple[Question, Aftermath]:
        question, _ = self._theirs(tx, question_id, by, at)
        again, going = self._opening.again(tx, question, at)
        return again, going

    async def _keep(self, wanted: Wanted, session: Session, group: Group) -> Document | None:
        if wanted.document is None:
            return None
        kept, sha256 = await self._copies.keep_one(wanted.document, session.id, group.name)
        return Document(kept=kept, sha256=sha256)

    def _theirs(self, tx: Tx, question_id: str, by: Ruler, at: datetime) -> tuple[Question, Decider]:
        """Checked before anything changes."""
        question = questions.locked(tx, question_id)
        if question is None:
            raise NotFound("no-such-question", id=question_id)
        decider = may_decide(tx, question, by.handle, at)
        if decider is None:
            raise Refused("question-forbidden")
        return question, decider

    def _count(self, tx: Tx, question: Question, vote: Vote, by: Ruler) -> Decided | None:
        """None when enough agree."""
        questions.vote(tx, question.id, vote)
        agreed = [each for each in questions.votes_on(tx, question.id) if each.option == vote.option]
        if len(agreed) >= question.votes:
            return None
        said = say(by.language, "vote-counted", given=len(agreed), needed=question.votes)
        going = self._cards.refresh(tx, question, vote.at)
        told = Aftermath(questions=((question.id, next_moment(question)),))
        return Decided(said=said, aftermath=going + told)

    def _too_late(self, question: Question, by: Ruler) -> TooLate:
        locale = Locale(language=by.language).or_else(self._locale)
        option = question.option(question.chosen)
        values = {
            "time": clock(question.resolved_at or now(), locale, asked_at=now()),
            "name": question.decided_name or "",
            "label": label(option, by.language) if option else (question.user_input or ""),
        }
        if question.status is Status.TIMEOUT and option is None:
            return TooLate(question, "question-late-nothing", **values)
        return TooLate(question, _LATE.get(question.status, "question-late-decided"), **values)
