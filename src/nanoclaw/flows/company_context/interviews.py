"""An interview: asks a person its next question, and finally turns the answers into texts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from nanoclaw.domain.context_edits import ContextSection, with_section
from nanoclaw.domain.continuations import Continuation
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.ids import ChatId, PersonId, new_id
from nanoclaw.domain.interviews import BY_KEY, MOST_ANSWER, SKILL, InterviewQuestion
from nanoclaw.domain.people import Person
from nanoclaw.domain.questions import Asker, NewQuestion, Option, QuestionKind, digest_of
from nanoclaw.domain.tool_requests import BadToolRequest
from nanoclaw.durable import interviews, people, prompts, questions, sessions, work
from nanoclaw.durable.interviews import Interview, InterviewAnswer, InterviewState
from nanoclaw.durable.store import Tx
from nanoclaw.flows.human.new_questions import NewQuestions
from nanoclaw.texts import say

_ORDER = "/write-context"  # selects that skill
SKIP, BACK, STOP = "skip", "back", "stop"
_TIME = timedelta(days=7)
_NEVER_REMINDED = 99  # nobody is reminded of an interview: it continues when the person wants


@dataclass(frozen=True, kw_only=True, slots=True)
class Interviews:
    new_questions: NewQuestions

    def begin(
        self,
        tx: Tx,
        person: Person,
        place: Mapping[str, str | None],
        wanted: Sequence[InterviewQuestion],
        at: datetime,
    ) -> Interview:
        """`place` is the company, agent group, chat and thread."""
        interview = Interview(
            id=new_id("v"),
            company=str(place["company"]),
            agent_group=str(place["agent_group"]),
            person_id=person.id,
            chat_id=str(place["chat_id"]),
            thread=place["thread"],
            created_at=at,
        )
        interviews.add(tx, interview, [each.key for each in wanted])
        work.due(tx, work.INTERVIEW, interview.id, at)
        return interview

    def ask(
        self, tx: Tx, interview: Interview, all_of: Sequence[InterviewAnswer], language: str, at: datetime
    ) -> None:
        """Ask the first question without an answer. The person's next message in this chat answers it."""
        wanted = next(each for each in all_of if each.answered_at is None)
        question = BY_KEY[wanted.key]
        title = say(language, f"context-file-{question.file.replace('/', '-').replace('_', '-')}")
        head = say(language, "interviewing-head", title=title, number=wanted.number, count=len(all_of))
        again = (
            [say(language, f"interview-problem-{wanted.problem}", most=MOST_ANSWER)] if wanted.problem else []
        )
        person = people.person(tx, PersonId(interview.person_id))
        options = (SKIP, *((BACK,) if wanted.number > 1 else ()), STOP)
        asker = Asker(
            asked_id=f"interview {interview.id} {new_id('a')}",
            group=interview.agent_group,
            company=interview.company,
            thread=interview.thread,
            chat_id=interview.chat_id,
            then=Continuation(work.INTERVIEW, interview.id),
        )
        try:
            asked = self.new_questions.open(
                tx,
                NewQuestion(
                    kind=QuestionKind.INPUT,
                    prompt="\n\n".join([*again, head, say(language, f"interview-{question.text_key}")]),
                    options=tuple(Option(id=each, safe=True) for each in options),
                    timeout=_TIME,
                    default=STOP,
                    deciders=(person.handle,),
                    skill=SKILL,
                    effect=effect_of(wanted),
                ),
                asker,
                None,
                at,
            )
        except BadToolRequest as error:
            raise Refused("said", said=str(error)) from error
        # The answer is not a decision of the company; the file made from it is.
        questions.mark(tx, asked.id, reminded=_NEVER_REMINDED, recorded_at=at)
        interviews.mark(tx, interview.id, question_id=asked.id)

    def write_up(
        self, tx: Tx, interview: Interview, all_of: Sequence[InterviewAnswer], language: str, at: datetime
    ) -> None:
        """Have an agent write the files and propose each. What it leaves out is proposed in the person's words."""
        session_id = sessions.open_apart(
            tx,
            lane=work.TURN,
            group=interview.agent_group,
            chat_id=ChatId(interview.chat_id),
            thread=interview.thread,
            at=at,
            then=Continuation(work.INTERVIEW, interview.id),
        )
        person = people.person(tx, PersonId(interview.person_id))
        text = "\n\n".join([_ORDER, *_told(all_of, language)])
        prompts.give(tx, session_id, text, person, f"interview {interview.id}", at)
        interviews.mark(tx, interview.id, state=InterviewState.REVIEWING, session_id=session_id)


def answered_files(all_of: Sequence[InterviewAnswer]) -> list[str]:
    return list(dict.fromkeys(BY_KEY[each.key].file for each in all_of if each.answer))


def text_of(file: str, before: str | None, all_of: Sequence[InterviewAnswer], language: str) -> str:
    """The file with each answer below its own heading; the rest of the file stays."""
    key = file.replace("/", "-").replace("_", "-")
    text = before or f"# {say(language, f'context-file-{key}')}\n"
    for each in all_of:
        question = BY_KEY[each.key]
        if question.file == file and each.answer:
            heading = say(language, f"heading-{question.text_key}")
            text = with_section(text, ContextSection(heading, each.answer))
    return text


def _told(all_of: Sequence[InterviewAnswer], language: str) -> list[str]:
    """The answers as the agent reads them."""
    return [
        f"## {file}\n\n"
        + "\n\n".join(
            f"Question: {say(language, f'interview-{BY_KEY[each.key].text_key}')}\nAnswer: {each.answer}"
            for each in all_of
            if each.answer and BY_KEY[each.key].file == file
        )
        for file in answered_files(all_of)
    ]


def effect_of(asked: InterviewAnswer) -> str:
    """What an answer is an answer to."""
    return digest_of(asked.key, asked.number)
