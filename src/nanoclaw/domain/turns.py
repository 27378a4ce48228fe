"""One run of an agent: what it is given, what it reports while it runs, and its result."""

import asyncio
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from nanoclaw.domain.boxes import WORK, Mount
from nanoclaw.domain.continuations import Continuation
from nanoclaw.domain.ids import MessageId, PersonId, SessionId, TurnId
from nanoclaw.domain.model_choice import Thinking
from nanoclaw.domain.money import Spender, Usage
from nanoclaw.domain.tool_rules import ToolRule
from nanoclaw.domain.tools import Tool, tools_for


@dataclass(frozen=True, kw_only=True, slots=True)
class Session:
    """One conversation of one agent group in one chat (and thread)."""

    id: SessionId
    group: str
    chat_id: str
    thread: str | None
    cleared_at: datetime | None = None  # since then the agent has a new conversation
    cleared_by: str | None = None  # an id: what was said before is not shown to the agent again
    stopped_by: str | None = None  # an id too: a person stopped everything that ran before it
    called_at: datetime | None = None  # the agent was mentioned in this thread, and may have to stay in it
    keeps: bool = False  # there are accumulated messages that the agent has not seen
    lane: str = "turn"  # the kind of work that its turns are
    priority: int = 0
    then: Continuation | None = None  # what waits for the turns begun in it; nobody watches those in the chat
    chain_id: str | None = None  # the run of a pipeline, or the chain of handoffs, that it works for
    task: int | None = (
        None  # the task whose runs these are; they write to the chat, and nobody writes to them there
    )
    is_away: bool = False  # a transfer of it was open when it was read by its id


@dataclass(frozen=True, kw_only=True, slots=True)
class Exchange:
    """An earlier turn of the session, as the model sees it again."""

    asked: str
    answered: str


@dataclass(frozen=True, kw_only=True, slots=True)
class SystemPrompt:
    """The system prompt in three layers, the most stable first, so that the vendor's cache can keep them."""

    foundation: str
    company: str
    skill: str

    def __str__(self) -> str:
        return "\n\n".join(layer for layer in (self.foundation, self.company, self.skill) if layer)


@dataclass(frozen=True, kw_only=True, slots=True)
class OtherSkill:
    """Another skill of the workspace, as an agent sees it: something to read, and a helper for a part of the work."""

    name: str
    description: str
    instructions: str
    model: str
    folder: Path
    approvals: tuple[ToolRule, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnGrants:
    """What an agent may see and use beyond its own files. Everything here is off unless configured."""

    other_skills: tuple[OtherSkill, ...] = ()
    tools: tuple[str, ...] = ()  # of the host, by name; empty means all of them
    without_tools: tuple[str, ...] = ()  # left out of these
    network: tuple[str, ...] = ()
    web_search: bool = False
    mcp: tuple[str, ...] = ()
    mounts: tuple[Mount, ...] = ()
    main: bool = False
    approvals: tuple[ToolRule, ...] = ()  # which of its tools need permission
    turn_tools: tuple[Tool, ...] = ()  # of the host, for this turn alone, whatever its skill names

    def host_tools(self) -> list[Tool]:
        usual = tools_for(main=self.main, named=self.tools, without=self.without_tools)
        own = {tool.name for tool in self.turn_tools}
        return [*(tool for tool in usual if tool.name not in own), *self.turn_tools]


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnRequest:
    """Everything a runtime knows about a turn."""

    turn_id: TurnId
    session_id: SessionId
    group: str
    company: str
    skill: str
    model: str
    system_prompt: SystemPrompt
    history: tuple[Exchange, ...]
    prompt: str  # the messages; it becomes history
    conversation: str  # names what the agent remembers; changes with `/clear`
    grants: TurnGrants = TurnGrants()
    speaker: PersonId | None = None  # who woke it: it has their rights and clock, and acts for them
    is_stranger: bool = False  # nobody has vouched for the speaker
    again: bool = False  # the host stopped or the agent got stuck during the last attempt
    is_unattended: bool = False  # nobody waits at the other end
    most_steps: int | None = None  # model calls; None: the default
    flow: str = "A"
    chain_id: str | None = None  # what its calls are counted for, as in Spender
    step: int | None = None
    step_budget: int | None = None
    handoff_id: str | None = None  # the handoff that it works on, even as a sub-agent within another's turn
    thinking: Thinking | None = None  # before it answers; None: the model's default
    person: str | None = None  # the handle of the speaker
    language: str | None = None  # the language in which the host speaks to them
    chat_id: str | None = None
    task_id: int | None = None
    is_own: bool = False  # a person wrote what woke it, and waits for the answer
    is_live: bool = False  # someone is at its terminal: it waits for people as long as that takes
    cwd: str = WORK  # where its commands start
    recalled: str = (
        ""  # what is known about the messages; not kept as history, because the next turn recalls again
    )

    @property
    def whole_prompt(self) -> str:
        """What the model is told now."""
        return f"{self.recalled}\n{self.prompt}" if self.recalled else self.prompt

    def spender(self, runtime: str) -> Spender:
        """Whom the model calls and connections of this turn are for."""
        return Spender(
            company=self.company,
            group=self.group,
            session_id=self.session_id,
            turn_id=self.turn_id,
            runtime=runtime,
            skill=self.skill,
            flow=self.flow,
            chain_id=self.chain_id,
            step=self.step,
            step_budget=self.step_budget,
            person=self.person,
            chat_id=self.chat_id,
            task_id=self.task_id,
            is_own=self.is_own,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class FollowUp:
    """Messages that came during a turn, as the agent reads them."""

    messages: tuple[MessageId, ...]
    prompt: str


class FollowUps:
    """What arrived for a running turn. A runtime takes it when it can; what it never takes joins the next turn."""

    def __init__(self) -> None:
        self._waiting: list[FollowUp] = []
        self._news = asyncio.Event()

    def offer(self, follow_up: FollowUp) -> None:
        self._waiting.append(follow_up)
        self._news.set()

    def take(self) -> list[FollowUp]:
        taken, self._waiting = self._waiting, []
        self._news.clear()
        return taken

    async def wait(self) -> None:
        """Wait until there is something to take."""
        await self._news.wait()


# What a runtime reports while a turn runs


@dataclass(frozen=True, kw_only=True, slots=True)
class TextDelta:
    """A piece of the answer, in order."""

    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class TextWritten:
    """A whole piece of the answer. It replaces its deltas: a broken stream is written again."""

    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolStarted:
    """The agent uses a tool. `timeout` is how many seconds of silence it announced for it, if any."""

    id: str
    name: str
    shown: str  # what it does, in one line: the command, the file
    timeout: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolPrinted:
    """A tool printed something while it ran."""

    id: str
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolEnded:
    """The tool is done; `text` is the beginning of its result."""

    id: str
    ok: bool
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelAsked:
    """A request to the model has left. `instead_of` is the model that the budget ruled out, `level` the
    percentage of it that is used.
    """

    model: str
    instead_of: str | None = None
    level: int | None = None
    period: str | None = None  # day or month: whose budget that is


@dataclass(frozen=True, kw_only=True, slots=True)
class AnswerCut:
    """The answer ended where the money did."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Spent:
    """A model call is over and paid for."""

    model: str
    usage: Usage
    micros: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Connected:
    """Something in the box asked for a connection to the outside."""

    host: str
    port: int
    allowed: bool


ToolEvent = ToolPrinted | ToolEnded | Connected
"""What happens while one tool is used."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Paused:
    """Until `on` is False, silence means nothing (a start-up, a held call, a person who thinks)."""

    on: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class TookUp:
    """Messages that came during the turn are now part of it."""

    messages: tuple[MessageId, ...]


RuntimeEvent = (
    TextDelta
    | TextWritten
    | ToolStarted
    | ToolPrinted
    | ToolEnded
    | ModelAsked
    | AnswerCut
    | Spent
    | Connected
    | Paused
    | TookUp
)


class TurnState(StrEnum):
    """The life of a turn."""

    RUNNING = "running"
    ANSWERED = "answered"
    SILENT = "silent"
    STOPPED = "stopped"
    FAILED = "failed"
