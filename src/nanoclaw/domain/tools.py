"""The tools by which an agent asks the host: which exist, and who is offered which."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from nanoclaw.domain import tool_arguments as takes
from nanoclaw.domain.file_protocol import RequestKind
from nanoclaw.domain.interactive_requests import RequestSession
from nanoclaw.domain.tool_schemas import for_model, schema_of

# Only the main group may act in other groups: the others are not shown this argument.
_OF_MAIN = "target_group"


@dataclass(frozen=True, kw_only=True, slots=True)
class Tool:
    """One tool as the agent sees it. What only the main group may use is not shown to the others."""

    name: str
    kind: RequestKind
    takes: type[takes.Arguments]
    main_only: bool = False
    wait: int | None = 60  # seconds until the agent is told that no answer came; None: no limit
    named_only: bool = False  # offered only to skills that name it
    form: Mapping[str, Any] | None = None  # the schema of its arguments, if a turn has its own
    model_only: bool = False  # counts only as the model's own call, never as a request of a script in the box
    ends_turn: bool = False  # once it is done, there is nothing left to say

    @property
    def description(self) -> str:
        return " ".join((self.takes.__doc__ or "").split())

    def schema(self, *, main: bool) -> dict[str, Any]:
        """JSON Schema of the arguments."""
        return dict(self.form) if self.form else _schema(self.takes, main=main)

    def offer(self, *, main: bool) -> dict[str, Any]:
        """The same in the form that a model gets: every call of the model carries it."""
        return dict(self.form) if self.form else _offer(self.takes, main=main)


@cache
def _schema(model: type[takes.Arguments], *, main: bool) -> dict[str, Any]:
    made = schema_of(model)
    shown = {key: of for key, of in made["properties"].items() if main or key != _OF_MAIN}
    return {**made, "properties": shown}


@cache
def _offer(model: type[takes.Arguments], *, main: bool) -> dict[str, Any]:
    return for_model(_schema(model, main=main), model.unlisted)


_ALL = (
    Tool(name="send_message", kind=RequestKind.MESSAGES, takes=takes.SendMessage),
    Tool(name="send_file", kind=RequestKind.MESSAGES, takes=takes.SendFile),
    Tool(name="register_group", kind=RequestKind.MESSAGES, takes=takes.RegisterGroup, main_only=True),
    Tool(name="schedule_task", kind=RequestKind.TASKS, takes=takes.ScheduleTask),
    Tool(name="list_tasks", kind=RequestKind.TASKS, takes=takes.ListTasks),
    Tool(name="change_task", kind=RequestKind.TASKS, takes=takes.ChangeTask),
    Tool(name="request_human", kind=RequestKind.HITL, takes=takes.RequestHuman, wait=None),
    Tool(name="request_session", kind=RequestKind.HITL, takes=RequestSession, wait=None),
    Tool(name="background_task", kind=RequestKind.BACKGROUND, takes=takes.BackgroundTask),
    Tool(name="handoff", kind=RequestKind.HANDOFFS, takes=takes.HandOver, wait=None),
    Tool(name="remember", kind=RequestKind.MEMORY, takes=takes.Remember),
    Tool(name="recall", kind=RequestKind.MEMORY, takes=takes.Recall),
    Tool(name="propose_transfer", kind=RequestKind.MESSAGES, takes=takes.ProposeTransfer, model_only=True),
    Tool(
        name="propose_context",
        kind=RequestKind.MESSAGES,
        takes=takes.ProposeContext,
        named_only=True,
        model_only=True,
    ),
    Tool(
        name="read_document", kind=RequestKind.MESSAGES, takes=takes.ReadDocument, wait=150, named_only=True
    ),
    Tool(
        name="finish_step",
        kind=RequestKind.MESSAGES,
        takes=takes.FinishStep,
        named_only=True,
        model_only=True,
        ends_turn=True,
    ),
)

TOOLS: Mapping[str, Tool] = {tool.name: tool for tool in _ALL}


def tools_for(*, main: bool, named: Collection[str] = (), without: Collection[str] = ()) -> list[Tool]:
    """What an agent is offered: everything its group may use, or what its skill names; never what is left out."""
    return [
        tool
        for tool in TOOLS.values()
        if (main or not tool.main_only)
        and (tool.name in named or not (named or tool.named_only))
        and tool.name not in without
    ]


def tool_table(tools: Iterable[Tool], *, main: bool) -> list[dict[str, Any]]:
    """What the tool server in the box is given, as JSON."""
    return [
        {
            "name": tool.name,
            "kind": tool.kind.value,
            "description": tool.description,
            "inputSchema": tool.schema(main=main),
            "offer": tool.offer(main=main),
            "wait": tool.wait,
        }
        for tool in tools
    ]


def no_such_tool(name: object, known: Iterable[str]) -> str:
    return f"There is no tool {str(name)[:40]}. There are: {', '.join(known)}."
