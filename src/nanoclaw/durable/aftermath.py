"""What a transaction leaves to be set going once it is committed: nothing is looked for before its row is there."""

from dataclasses import dataclass
from datetime import datetime

from nanoclaw.domain.ids import ChatId, MessageId, SessionId
from nanoclaw.durable import work
from nanoclaw.durable.engine import Engine


@dataclass(frozen=True, kw_only=True, slots=True)
class Aftermath:
    """Turns, deliveries, files to fetch, sessions where a message waits for its time, questions to people, tasks."""

    sessions: tuple[SessionId, ...] = ()
    deliver_to: tuple[ChatId, ...] = ()
    fetch: tuple[tuple[MessageId, datetime], ...] = ()
    wake: tuple[tuple[SessionId, datetime], ...] = ()
    questions: tuple[tuple[str, datetime], ...] = ()  # with when the next thing is to be done about each
    tasks: tuple[tuple[int, datetime], ...] = ()  # likewise
    runs: tuple[tuple[SessionId, datetime, int], ...] = ()  # when each is to start, and its priority
    changed_tasks: tuple[int, ...] = ()  # for those who look at them

    def __add__(self, other: "Aftermath") -> "Aftermath":
        return Aftermath(
            sessions=self.sessions + other.sessions,
            deliver_to=self.deliver_to + other.deliver_to,
            fetch=self.fetch + other.fetch,
            wake=self.wake + other.wake,
            questions=self.questions + other.questions,
            tasks=self.tasks + other.tasks,
            runs=self.runs + other.runs,
            changed_tasks=self.changed_tasks + other.changed_tasks,
        )

    def set_going(self, engine: Engine, begun: str | None = None) -> None:
        """`begun` is the session whose turn was taken up in the transaction itself."""
        for session_id in dict.fromkeys(self.sessions):
            if session_id != begun:
                engine.kick(work.lane_of(session_id), session_id)
        for chat_id in dict.fromkeys(self.deliver_to):
            engine.kick(work.DELIVERY, chat_id)
        for message_id, at in self.fetch:
            engine.kick_at(work.FILES, message_id, at)
        for session_id, at in self.wake:
            engine.kick_at(work.WAKE, session_id, at)
        for question_id, at in self.questions:
            engine.kick_at(work.QUESTION, question_id, at)
        for task_id, at in self.tasks:
            engine.kick_at(work.TASK, str(task_id), at)
        for session_id, at, priority in self.runs:
            engine.kick_at(work.lane_of(session_id), session_id, at, priority)
