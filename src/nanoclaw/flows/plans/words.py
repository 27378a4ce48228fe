"""What a person writes while a question of their plan is open is its answer; commands and other talk pass."""

from dataclasses import dataclass

from nanoclaw.admission.judge import Admitted
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.messages import End
from nanoclaw.domain.people import Role
from nanoclaw.domain.plans import MOST_ANSWER, Plan, PlanQuestion
from nanoclaw.domain.text import as_written, is_empty
from nanoclaw.durable import messages, plans, sent, work
from nanoclaw.durable.timeline import Event
from nanoclaw.flows.incoming.admission import MessageAdmission
from nanoclaw.flows.incoming.arrival import Arrival, answer
from nanoclaw.flows.plans.changes import Plans
from nanoclaw.flows.plans.open_plans import going_on
from nanoclaw.texts import say, tell

_LETTERS = "abcd"
_TERMINAL = "terminal"  # its buttons are numbers to type


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanWords:
    plans: Plans
    message_admission: MessageAdmission

    def take(self, arrival: Arrival) -> bool:
        """False if the message is not an answer: they plan nothing here, their plan rests, or it is not meant
        for us.
        """
        tx, message, at = arrival.tx, arrival.message, arrival.at
        found = going_on(plans.open_of(tx, arrival.chat.id, message.thread, arrival.person.id))
        if found is None or found.asked is None or found.rested_at or not self._is_meant(arrival, found):
            return False
        plan = plans.locked(tx, found.id) or found
        question = plan.asked
        if question is None:  # someone pressed meanwhile, on another host
            return False
        if not message.is_ready:
            return self._listen(arrival, plan, question)
        said = arrival.words
        chosen = _option_meant(question, said)
        if chosen is None and not question.allow_free_text:
            arrival.note(Event.REFUSED, reason="plan-use-buttons")
            key = "plan-use-numbers" if arrival.chat.channel == _TERMINAL else "plan-use-buttons"
            answer(arrival, say(plan.language, key), End.REFUSED)
            return True
        if chosen is None and len(said) > MOST_ANSWER:
            refused = Refused("plan-answer-long", most=MOST_ANSWER, count=len(said))
            arrival.note(Event.REFUSED, reason="plan-answer-long")
            answer(arrival, as_written(tell(plan.language, refused)), End.REFUSED)
            return True
        if not message.is_voice:  # noted when it arrived
            arrival.note(Event.ANSWERS, question=question.question[:200])
        messages.end(tx, message.id, End.ANSWERED)
        self.plans.answer(tx, plan, plan.current, chosen or said, at, in_words=True)
        return True

    def heard(self, arrival: Arrival, answers: str) -> None:
        """Take the transcript of a voice message; a press may have been quicker. `answers`: see `_listen`."""
        plan_id, _, number = answers.partition(" ")
        if is_empty(arrival.message.text):
            arrival.note(Event.REFUSED, reason="not-heard")
            answer(arrival, say(arrival.locale.speaks, "question-not-heard"), End.REFUSED)
            return
        plan = plans.get(arrival.tx, plan_id)
        is_open = plan is not None and plan.is_open
        is_asked = is_open and plan is not None and plan.asked is not None and str(plan.current) == number
        if not is_asked or not self.take(arrival):
            key = "plan-answered" if is_open else "plan-over"
            arrival.note(Event.REFUSED, reason=key)
            answer(arrival, as_written(tell(arrival.locale.speaks, Refused(key))), End.REFUSED)

    def _listen(self, arrival: Arrival, plan: Plan, question: PlanQuestion) -> bool:
        """Note that a voice message answers a question that takes words; it is taken once its transcript is ready."""
        if not question.allow_free_text:
            return False
        messages.put_question(arrival.tx, arrival.message.id, f"{plan.id} {plan.current}")
        arrival.note(Event.ANSWERS, question=question.question[:200])
        work.due(arrival.tx, work.FILES, arrival.message.id, arrival.at)
        return True

    def _is_meant(self, arrival: Arrival, plan: Plan) -> bool:
        """Whether it would have woken the agent, or replies to the card; an edit or a file is not the next
        message.
        """
        message = arrival.message
        may_ask = arrival.rights.role_in(plan.group).may(Role.MEMBER)
        if message.edits or (message.files and not message.is_voice) or not may_ask:
            return False
        if message.is_ready and is_empty(message.text):
            return False
        if message.reply_to and plan.parcel_id:
            ref = message.reply_to.ref
            if (sent.subject_at(arrival.tx, arrival.chat.id, ref) or ref) == plan.parcel_id:
                return True
        verdict = self.message_admission.judge(arrival)
        return isinstance(verdict, Admitted) and plan.group in verdict.groups


def _option_meant(question: PlanQuestion, said: str) -> str | None:
    """The value of an option that was typed: by its label or, where nothing else is accepted, also by number
    or letter.
    """
    wanted = said.casefold()
    for option in question.options:
        if wanted in (option.label.casefold(), option.value.casefold()):
            return option.value
    if question.allow_free_text:
        return None
    numbers = {str(place): option for place, option in enumerate(question.options, 1)}
    letters = dict(zip(_LETTERS, question.options, strict=False))
    meant = (numbers | letters).get(wanted.rstrip(".)"))
    return meant.value if meant else None
