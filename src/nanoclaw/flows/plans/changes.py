"""Everything that changes a plan: it begins, is answered by a press or in words, and is confirmed, given up
or rests.

Each change is one transaction with the card that shows it. What takes longer, a model's answer or a file, is
done by the story (`flows/plan.py`), which is due after every change.
"""

from dataclasses import dataclass, replace
from datetime import datetime

from nanoclaw.delivery import outbox
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.ids import ChatId, MessageId, ParcelId, new_id
from nanoclaw.domain.messages import Chat
from nanoclaw.domain.parcels import PLAN, Author
from nanoclaw.domain.people import Person, Rights, Role
from nanoclaw.domain.plans import Plan, PlanSource, PlanState, Questionnaire
from nanoclaw.durable import people, plans, wirings, work
from nanoclaw.durable.store import Tx
from nanoclaw.durable.timeline import Event, note
from nanoclaw.flows.plans import cards, moves, plan_text
from nanoclaw.flows.plans.open_plans import going_on, locked_going_on
from nanoclaw.texts import say


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanPress:
    """A press on the card of a plan: by whom, where, and the button's data after `iq:`."""

    meant: str
    card: ParcelId | None
    person: Person
    rights: Rights
    chat: Chat
    at: datetime


class Plans:
    def begin(
        self,
        tx: Tx,
        *,
        task: str,
        person: Person,
        chat: Chat,
        thread: str | None,
        group: str,
        company: str,
        language: str,
        message_id: MessageId | None,
        at: datetime,
        source: PlanSource = PlanSource.PERSON,
        questionnaire: Questionnaire | None = None,
        not_before: datetime | None = None,
    ) -> Plan:
        """Begin a plan. With a questionnaire its first question is posted at once; otherwise the model is
        asked, not before `not_before`. A person with another open plan here is asked which one to keep.
        """
        plan = Plan(
            id=new_id("n"),
            company=company,
            group=group,
            chat_id=chat.id,
            thread=thread,
            person_id=person.id,
            state=PlanState.GENERATING,
            task=task,
            source=source,
            language=language,
            message_id=message_id,
            created_at=at,
            updated_at=at,
        )
        if questionnaire is not None:
            plan = moves.with_round(plan, questionnaire)
        others = plans.open_of(tx, chat.id, thread, person.id)
        for offered in (plans.locked(tx, each.id) for each in others if each.state is PlanState.OFFERED):
            if offered and offered.state is PlanState.OFFERED:
                self._give_up(tx, offered, "plan-replaced", at)
        other = going_on(others)
        if other is not None:
            plan = replace(plan, state=PlanState.OFFERED)
        plans.add(tx, plan)
        if other is None:
            cards.show(tx, plan, at)
        else:
            cards.post(tx, plan, plan_text.offer(plan, other), at)
        work.due(tx, work.PLAN, plan.id, not_before or at)
        return plan

    def press(self, tx: Tx, press: PlanPress) -> str:
        """Returns what to tell the person who pressed. Raises Refused if nothing was changed."""
        plan = self._pressed(tx, press)
        what, _, rest = press.meant.partition(":")
        if plan.state is PlanState.OFFERED:
            return self._choose(tx, plan, what, press.at)
        if what == plan_text.CANCEL:
            return self.cancel(tx, plan, press.at)
        if what == plan_text.BACK:
            return self._back(tx, plan, press)
        if what in (plan_text.ANSWER, plan_text.TYPE):
            return self._answer_by_press(tx, plan, what, rest, press.at)
        if plan.state is not PlanState.CONFIRMING or plan.path is None:
            raise Refused("plan-moved-on")
        if what == plan_text.CONFIRM:
            return self._confirm(tx, plan, press.at)
        if what == plan_text.EDIT:
            self._wake(tx, plan, press.at)
            cards.amend(tx, plan, plan_text.menu(plan), press.at)
            return say(plan.language, "plan-edit-press")
        index = _number(rest)
        if what != plan_text.EDIT_ONE or index >= len(plan.questions):
            raise Refused("press-unknown")
        self.change(tx, moves.edited(plan, index), press.at)
        return say(plan.language, "press-taken")

    def answer(self, tx: Tx, plan: Plan, index: int, answer: str, at: datetime, *, in_words: bool) -> Plan:
        """Answer a question. With `in_words`, the card keeps what was said without buttons, and the next one
        is posted below.
        """
        question = plan.questions[index]
        after = replace(moves.answered(plan, index, answer), path=None)
        if answer == plan.answers[index] and None not in plan.answers:
            after = replace(after, path=plan.path)  # nothing to rewrite
        told = {"number": index + 1, "answer": plan_text.cut(question.in_words(answer), 200)}
        note(tx, plan.message_id, Event.PLAN_ANSWERED, at, **told)
        if in_words:
            after = cards.close(tx, after, plan_text.answered(plan, index, answer), at)
        return self.change(tx, after, at)

    def change(self, tx: Tx, plan: Plan, at: datetime) -> Plan:
        """Store its new state and show it, unless its file must be written first."""
        plan = replace(plan, updated_at=at, rested_at=None)
        plans.save(tx, plan)
        if plan.state is not PlanState.CONFIRMING or plan.path is not None:
            plan = cards.show(tx, plan, at)
        work.due(tx, work.PLAN, plan.id, at)
        return plan

    def take_up(self, tx: Tx, plan: Plan, at: datetime) -> None:
        """Show its card again where the person looks now: the old one may be far above."""
        note(tx, plan.message_id, Event.PLAN_TAKEN_UP, at)
        moved = cards.close(tx, plan, plan_text.moved_on(plan), at)
        self.change(tx, replace(moved, reason=None), at)  # the new card says again what it waits for

    def rest(self, tx: Tx, plan: Plan, at: datetime) -> None:
        """Nobody has answered for a day. The buttons stay: the next press takes it up."""
        if plan.state is PlanState.OFFERED:
            self._give_up(tx, plan, "plan-kept", at)
            return
        plan = replace(plan, rested_at=at)
        plans.save(tx, plan)
        note(tx, plan.message_id, Event.PLAN_RESTED, at)
        cards.show(tx, plan, at)

    def say_waiting(self, tx: Tx, plan: Plan, reason: str, at: datetime) -> None:
        """Say that the model cannot be asked now."""
        cards.amend(tx, plan, plan_text.waiting(plan, reason), at)

    def cancel(self, tx: Tx, plan: Plan, at: datetime) -> str:
        self._give_up(tx, plan, "plan-cancelled", at)
        return say(plan.language, "plan-cancelled")

    def _pressed(self, tx: Tx, press: PlanPress) -> Plan:
        """The plan of this card, if it is theirs and they may still talk to its agent here."""
        found = plans.shown_as(tx, press.chat.id, press.card) if press.card else _unheard(tx, press)
        plan = plans.locked(tx, found.id) if found else None
        if plan is None or not plan.is_open or plan.state is PlanState.EXECUTING:
            raise Refused("plan-over")
        if press.card and press.card != plan.parcel_id:  # it continued below meanwhile, on another host
            raise Refused("plan-moved-on")
        if plan.person_id != press.person.id:
            raise Refused("plan-of-other", name=people.person(tx, plan.person_id).name)
        if not may_ask(tx, plan, press.rights):
            raise Refused("plan-no-agent")
        return plan

    def _answer_by_press(self, tx: Tx, plan: Plan, what: str, rest: str, at: datetime) -> str:
        first, _, second = rest.partition(":")
        question, index = plan.asked, _number(first)
        if question is None or index != plan.current:
            raise Refused("plan-answered" if index < len(plan.questions) else "press-unknown")
        if what == plan_text.TYPE and question.allow_free_text:
            cards.show(tx, self._wake(tx, plan, at), at, typing=True)
            return say(plan.language, "plan-type-now")
        if what == plan_text.TYPE or _number(second) >= len(question.options):
            raise Refused("press-unknown")
        option = question.options[_number(second)]
        self.answer(tx, plan, index, option.value, at, in_words=False)
        return plan_text.cut(option.label, 100)

    def _wake(self, tx: Tx, plan: Plan, at: datetime) -> Plan:
        """Note only that someone is back at it."""
        if plan.rested_at is None:
            return plan
        plan = replace(plan, rested_at=None, updated_at=at)
        plans.save(tx, plan)
        work.due(tx, work.PLAN, plan.id, at)
        return plan

    def _back(self, tx: Tx, plan: Plan, press: PlanPress) -> str:
        """Go back. The data names no question, so on a card whose newest text has not arrived an older one
        was meant.
        """
        if plan.state is PlanState.GENERATING or not cards.has_arrived(tx, plan):
            raise Refused("plan-moved-on")
        self.change(tx, moves.back(plan), press.at)
        return say(plan.language, "press-taken")

    def _choose(self, tx: Tx, offered: Plan, what: str, at: datetime) -> str:
        """Choose which of two plans continues."""
        old = locked_going_on(tx, offered.chat_id, offered.thread, offered.person_id)
        if what == plan_text.KEEP:
            self._give_up(tx, offered, "plan-kept", at)
            if old:
                self.take_up(tx, old, at)
            return say(offered.language, "plan-kept")
        if what != plan_text.NEW:
            raise Refused("press-unknown")
        if old:
            self._give_up(tx, old, "plan-replaced", at)
        state = PlanState.COLLECTING if offered.questions else PlanState.GENERATING
        self.change(tx, replace(offered, state=state), at)
        return say(offered.language, "press-taken")

    def _confirm(self, tx: Tx, plan: Plan, at: datetime) -> str:
        """Confirm it; the story rewrites the file and gives everything to the agent."""
        cards.amend(tx, plan, (plan_text.started(plan), ()), at)
        plans.save(tx, replace(plan, state=PlanState.EXECUTING, updated_at=at, rested_at=None))
        told = say(plan.language, "plan-starting")
        note(tx, plan.message_id, Event.PLAN_CONFIRMED, at, count=len(plan.questions))
        outbox.post(
            tx,
            chat_id=ChatId(plan.chat_id),
            thread=plan.thread,
            author=Author.HOST,
            text=told,
            at=at,
        )
        work.due(tx, work.PLAN, plan.id, at)
        return told

    def _give_up(self, tx: Tx, plan: Plan, key: str, at: datetime) -> None:
        """Say why on its card, and remove the buttons."""
        cards.close(tx, plan, plan_text.told_of(plan, key), at)
        plans.save(tx, replace(plan, state=PlanState.CANCELLED, updated_at=at, ended_at=at, reason=key))
        note(tx, plan.message_id, Event.PLAN_ENDED, at, how=key)
        work.due(tx, work.PLAN, plan.id, at)


def may_ask(tx: Tx, plan: Plan, rights: Rights) -> bool:
    """Whether someone with these rights may talk to its agent in the plan's chat."""
    return rights.role_in(plan.group).may(Role.MEMBER) and plan.group in wirings.groups_of(tx, plan.chat_id)


def _unheard(tx: Tx, press: PlanPress) -> Plan | None:
    """Somebody pressed before the network confirmed the card: find their plan whose card is on its way with
    this button.
    """
    own = plans.open_in(tx, press.chat.id, press.person.id)
    data = f"{PLAN}:{press.meant}"
    return next((each for each in own if cards.is_on_its_way(tx, each, data)), None)


def _number(text: str) -> int:
    """Read a number from button data; anything else becomes one beyond all questions and options."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 4 else 1_000
