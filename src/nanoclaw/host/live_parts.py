"""Assembles what people need to work with an agent in a live session."""

from dataclasses import dataclass
from typing import Self

from nanoclaw.context.preparation import Preparation
from nanoclaw.domain.ids import HostId
from nanoclaw.flows.live.files import SessionFiles
from nanoclaw.flows.live.sessions import LiveSessions
from nanoclaw.flows.live.terminals import Start, Terminals
from nanoclaw.flows.live.turns import LiveTurns
from nanoclaw.flows.live_session import LiveSessionEnds
from nanoclaw.flows.turns.kind import TurnKind
from nanoclaw.host.base import Base
from nanoclaw.host.question_parts import QuestionParts


@dataclass(frozen=True, kw_only=True, slots=True)
class LiveParts:
    sessions: LiveSessions
    turns: LiveTurns
    ends: LiveSessionEnds
    terminals: Terminals

    @classmethod
    def of(
        cls,
        base: Base,
        question_parts: QuestionParts,
        preparation: Preparation,
        others: TurnKind,
        *,
        start_terminal: Start,
        host: HostId,
    ) -> Self:
        """`others` are the turns of people elsewhere."""
        files = SessionFiles(home=base.home)
        sessions = LiveSessions(
            store=base.store,
            preparation=preparation,
            session_files=files,
            said_at_terminal=question_parts.conclusions.said_at_terminal,
        )
        terminals = Terminals(
            store=base.store,
            sessions=sessions,
            start=start_terminal,
            host=host,
            warning=question_parts.overtime.words,
            linger=base.settings.boxes.terminal_minutes * 60,
        )
        return cls(
            sessions=sessions,
            terminals=terminals,
            turns=LiveTurns(
                store=base.store,
                session_ends=question_parts.session_ends,
                others=others,
                leave_terminal=terminals.leave,
            ),
            ends=LiveSessionEnds(
                store=base.store,
                resolution=question_parts.resolution,
                files=files,
                locale=base.settings.locale,
                said_at_terminal=question_parts.conclusions.said_at_terminal,
                end_terminal=[terminals.end],
            ),
        )
