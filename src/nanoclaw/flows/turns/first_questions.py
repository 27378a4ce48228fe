"""An agent answered with questions: people get them as a plan, and later turns read them in words."""

from dataclasses import dataclass

from nanoclaw.domain.interactive_signal import Signal
from nanoclaw.domain.plans import PlanSource, Questionnaire
from nanoclaw.domain.turns import TurnState
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.durable.timeline import Event
from nanoclaw.durable.turns import Turn, TurnResult
from nanoclaw.flows.plans.changes import Plans
from nanoclaw.texts import say


@dataclass(frozen=True, kw_only=True, slots=True)
class FirstQuestions:
    plans: Plans

    def ask(self, tx: Tx, turn: Turn, questionnaire: Questionnaire, language: str) -> None:
        """Runs in the transaction that ends the turn, so that they are asked exactly once."""
        self.plans.begin(
            tx,
            task=_task(turn) or questionnaire.goal.replace("-", " "),  # they sent only a file
            person=turn.speaker,
            chat=turn.chat,
            thread=turn.session.thread,
            group=turn.session.group,
            company=turn.company,
            language=language,
            message_id=turn.messages[-1].id,
            at=now(),
            source=PlanSource.AGENT,
            questionnaire=questionnaire,
        )


def result_of(turn: Turn, signal: Signal, language: str, note: str) -> TurnResult:
    """The result of a turn whose questions are a card. What is kept of its answer is in words, for later
    readers: people and the model itself.
    """
    turn.note(Event.ASKED_FIRST, count=len(signal.questionnaire.questions))
    turn.answer = _in_words(signal, language)
    said = f"{signal.prose}{note}".strip()
    return TurnResult(state=TurnState.ANSWERED, said=said, questionnaire=signal.questionnaire)


def _in_words(signal: Signal, language: str) -> str:
    asked = [
        "{number}. {question}{options}".format(
            number=number,
            question=each.question,
            options=f" ({' / '.join(option.label for option in each.options)})" if each.options else "",
        )
        for number, each in enumerate(signal.questionnaire.questions, 1)
    ]
    head = say(language, "answer-asked-first")
    return "\n\n".join(filter(None, [signal.prose, "\n".join([head, *asked])]))


def _task(turn: Turn) -> str:
    """What they asked for in their own words; other people's only if they said nothing themselves."""
    own = [each.text for each in turn.messages if each.person_id == turn.speaker.id and not each.answers]
    said = own or [each.text for each in turn.messages]
    return "\n\n".join(filter(None, map(str.strip, said)))
