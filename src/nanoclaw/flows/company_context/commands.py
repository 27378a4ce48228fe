"""The command `/interview`: begins an interview about the company, or continues one."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from nanoclaw.context.groups import Groups
from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.domain.interviews import questions_about
from nanoclaw.domain.people import Role
from nanoclaw.durable import interviews, questions, work
from nanoclaw.durable.interviews import Interview, InterviewState
from nanoclaw.durable.store import Tx
from nanoclaw.flows.company_context.interviews import Interviews
from nanoclaw.flows.human.resolution import Resolution
from nanoclaw.flows.incoming.commands import Answer, CommandContext, refused_in_words
from nanoclaw.texts import say


@dataclass(frozen=True, kw_only=True, slots=True)
class ContextCommands:
    groups: Groups
    interviews: Interviews
    resolution: Resolution

    def answers(self) -> Mapping[str, Answer]:
        return {"interview": partial(refused_in_words, self._interview)}

    def _interview(self, tx: Tx, argument: str, asked: CommandContext) -> str:
        language, (group, company) = asked.locale.speaks, self._group(asked)
        wanted = questions_about(argument)
        if not wanted:
            raise NotFound("interview-what", name=argument[:80])
        before = interviews.unfinished(tx, asked.person.id, company)
        if before and not argument:
            return self._go_on(tx, before, asked)
        if before:
            self._take_back(tx, before, asked)
            interviews.mark(tx, before.id, state=InterviewState.CANCELLED)
        place = {
            "company": company,
            "agent_group": group,
            "chat_id": asked.chat.id,
            "thread": asked.message.thread,
        }
        self.interviews.begin(tx, asked.person, place, wanted, asked.at)
        return say(language, "interviewing-begin", count=len(wanted))

    def _go_on(self, tx: Tx, interview: Interview, asked: CommandContext) -> str:
        """Continue it here, wherever it was before; the open question is asked again."""
        left = sum(each.answered_at is None for each in interviews.answers(tx, interview.id))
        self._take_back(tx, interview, asked)
        interviews.mark(
            tx,
            interview.id,
            state=InterviewState.ASKING,
            question_id=None,
            chat_id=asked.chat.id,
            thread=asked.message.thread,
        )
        work.due(tx, work.INTERVIEW, interview.id, asked.at)
        return say(asked.locale.speaks, "interviewing-on", left=left)

    def _take_back(self, tx: Tx, interview: Interview, asked: CommandContext) -> None:
        open_one = questions.get(tx, interview.question_id) if interview.question_id else None
        interviews.mark(tx, interview.id, question_id=None)
        if open_one and open_one.is_open:
            self.resolution.cancel(tx, open_one, asked.actor, asked.at)

    def _group(self, asked: CommandContext) -> tuple[str, str]:
        """The agent group here that they are an admin of, and its company."""
        for group in asked.groups or (self.groups.main().name,):
            company = self.groups.company_of(group)
            if company and asked.rights.role_in(group).may(Role.ADMIN):
                return group, company
        raise Refused("context-forbidden")
