"""A pipeline: an agent collects facts and writes, a person looks at it, and the agent polishes it for the chat."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import pipeline_rows as rows
from nanoclaw.delivery import outbox
from nanoclaw.domain.continuations import Continuation
from nanoclaw.domain.ids import ChatId, PersonId
from nanoclaw.domain.parcels import Author
from nanoclaw.domain.question_requests import read_wanted
from nanoclaw.domain.questions import PROGRAM, Asker, digest_of
from nanoclaw.domain.tool_arguments import RequestHuman
from nanoclaw.domain.turns import TurnState
from nanoclaw.durable import people, prompts, questions, sessions, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.turns import ended_for
from nanoclaw.durable.work import Claim
from nanoclaw.flows.human.new_questions import NewQuestions

KIND, GROUP, COMPANY = "example-pipeline", "main", "demo"
STEPS = ("Collect facts about {text}", "Write a page from these facts: {text}", "Polish this page: {text}")
GATE = 2  # before this step a person says whether to go on


def start(tx: Tx, *, chat_id: ChatId, owner: PersonId, subject: str, at: datetime) -> str:
    pipeline_id = rows.add(tx, chat_id=chat_id, owner=owner, subject=subject)
    lane, then = work.BACKGROUND, Continuation(KIND, pipeline_id)
    session_id = sessions.open_apart(tx, lane=lane, group=GROUP, chat_id=chat_id, at=at, then=then)
    ask_agent(tx, rows.mark(tx, pipeline_id, session_id=session_id), at)
    return pipeline_id


def ask_agent(tx: Tx, row: Any, at: datetime) -> None:
    owner, prompt = people.person(tx, row.owner), STEPS[row.step].format(text=row.text)
    prompts.give(tx, row.session_id, prompt, owner, f"{row.id} step {row.step}", at)


@dataclass(frozen=True, kw_only=True)
class Pipelines:
    """The work of kind "example-pipeline"; its key is the pipeline. It is due when what it waits for has ended."""

    kind, at_once = KIND, 4
    store: Store
    new_questions: NewQuestions

    def begin(self, _tx: Tx, claim: Claim) -> str:
        return claim.key

    def look_again(self, key: str) -> None:
        """What ends meanwhile makes it due again."""

    async def run(self, job: str, claim: Claim) -> datetime | None:
        return await self.store.write(lambda tx: self._go_on(tx, rows.get(tx, job), claim, now()))

    def _go_on(self, tx: Tx, row: Any, claim: Claim, at: datetime) -> datetime | None:
        then = Continuation(KIND, row.id)
        ended, gate = ended_for(tx, then, after=row.seen), questions.find(tx, None, row.id)
        if ended:
            row = rows.mark(tx, row.id, seen=ended[0].id, text=ended[0].said, step=row.step + 1)
            if ended[0].state is not TurnState.ANSWERED:
                rows.mark(tx, row.id, status="failed")
            elif row.step == len(STEPS):
                outbox.post(tx, chat_id=row.chat_id, thread=None, author=Author.AGENT, text=row.text, at=at)
                rows.mark(tx, row.id, status="done")
            elif row.step == GATE:
                given = RequestHuman(question=f"Go on with this?\n\n{row.text}", layout="approve_reject")
                wanted = read_wanted(given, usual_timeout=timedelta(days=1))
                wanted = replace(wanted, effect=digest_of(row.id, row.text))
                program = {"session_id": None, "execution_id": PROGRAM, "asked_id": row.id}
                where = {"group": GROUP, "company": COMPANY, "chat_id": row.chat_id}
                self.new_questions.open(tx, wanted, Asker(**program, **where, then=then), None, at)
            else:
                ask_agent(tx, row, at)
        elif row.step == GATE and gate and not gate.is_open:
            if gate.chosen == "approve" and gate.is_about(digest_of(row.id, row.text)):
                ask_agent(tx, row, at)
            else:
                rows.mark(tx, row.id, status="refused")
        return work.finish(tx, claim)
