"""The tools by which an agent asks the host: one table, from which its list, the checks and the pages come."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

Schema = Mapping[str, Any]


class Kind(StrEnum):
    """What sort of request a file is: the name of its folder."""

    MESSAGES = "messages"
    TASKS = "tasks"
    HITL = "hitl"
    BACKGROUND = "background"
    HANDOFFS = "handoffs"
    STATE = "state"


RESULTS = "results"
HITL_RESPONSES = "hitl-responses"
ANSWERS = (RESULTS, HITL_RESPONSES)
TASK_RESULT = "task-"
"""How the names of files in `results` begin that hold the result of a task; the others answer a request."""

MOST_TOGETHER = 10  # files in one parcel; an album on a chat network holds no more

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_ID = {
    "type": "string",
    "pattern": "^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$",
    "description": "The name of the file without .json: 32 random hex digits, or a name such as bg-1234.",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolSpec:
    """One tool as the agent sees it. What only the main group may use is not shown to the others."""

    name: str
    kind: Kind
    description: str
    properties: Mapping[str, Schema]
    required: tuple[str, ...] = ()
    main_only: bool = False
    main_arguments: tuple[str, ...] = ()
    at_least_one: bool = False
    wait: int | None = 60  # seconds until the agent is told that no answer came; None: as long as it takes

    def schema(self, *, main: bool) -> dict[str, Any]:
        """JSON Schema of the arguments."""
        shown = {
            key: dict(of) for key, of in self.properties.items() if main or key not in self.main_arguments
        }
        some = {"minProperties": 1} if self.at_least_one else {}
        return {
            "type": "object",
            "properties": shown,
            "required": list(self.required),
            **some,
            "additionalProperties": False,
        }


def tools_for(*, main: bool, named: Collection[str] = ()) -> list[ToolSpec]:
    """The tools that an agent is offered: all that its group may use, or those of them that its skill names."""
    return [
        tool for tool in TOOLS.values() if (main or not tool.main_only) and (not named or tool.name in named)
    ]


def tool_table(*, main: bool, named: Collection[str] = ()) -> list[dict[str, Any]]:
    """What the tool server inside the box is given, as JSON."""
    return [
        {
            "name": tool.name,
            "kind": tool.kind.value,
            "description": tool.description,
            "inputSchema": tool.schema(main=main),
            "wait": tool.wait,
        }
        for tool in tools_for(main=main, named=named)
    ]


def protocol_schemas() -> dict[str, dict[str, Any]]:
    """JSON Schema of every file of the protocol, by the name under docs/reference/file-protocol/."""
    made = {f"{tool.name}.schema.json": _request_schema(tool) for tool in TOOLS.values()}
    answer = _record(
        "The answer to a request. One in hitl-responses also has the fields of `data` beside it, and `request_id`.",
        *("id", "ok", "text", "data"),
        id=_ID,
        ok=_flag("Whether it was done."),
        text={"type": "string", "description": "What the host says to the agent."},
        data={"type": "object", "description": "Values that a program can use."},
    )
    return {**made, "answer.schema.json": {"$schema": _DIALECT, **answer, "additionalProperties": True}}


def _request_schema(tool: ToolSpec) -> dict[str, Any]:
    request = _record(
        tool.description,
        *("id", "tool", "arguments"),
        id=_ID,
        tool={"const": tool.name},
        arguments=tool.schema(main=True),
        at=_text("ISO time; not used.", 40),
    )
    return {"$schema": _DIALECT, "title": f"/ipc/{tool.kind}: {tool.name}", **request}


def _text(about: str, most: int, least: int = 1, **more: Any) -> Schema:
    return {"type": "string", "minLength": least, "maxLength": most, "description": about, **more}


def _one_of(about: str, *words: str) -> Schema:
    return {"type": "string", "enum": list(words), "description": about}


def _whole(about: str, least: int, most: int) -> Schema:
    return {"type": "integer", "minimum": least, "maximum": most, "description": about}


def _share(about: str) -> Schema:
    return {"type": "number", "minimum": 0, "maximum": 1, "description": about}


def _flag(about: str) -> Schema:
    return {"type": "boolean", "description": about}


def _list(about: str, of: Schema, most: int) -> Schema:
    return {"type": "array", "items": of, "maxItems": most, "description": about}


def _record(about: str, *required: str, **properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
        "description": about,
    }


_WORDS = _list("Words by which it is found again.", _text("One word.", 100), 20)
_GRADE = _text("Evidence grade, I to V.", 10)
_SKILL = _text("The skill, by name or path. Left out: the one you have now.", 200)
_MODEL = _one_of("The tier of the model. Left out: the skill's own.", "haiku", "sonnet", "opus")
_TARGET = _text("Another agent group, by name. Left out: your own.", 80)
_WHEN = _text(
    "cron: five fields, `0 8 * * 1`. interval: seconds, or `90m`, `6h`, `1d`. "
    "once: ISO time, `2026-03-02T08:00`, or words such as `tomorrow 9:00`.",
    100,
)
_SPAN = "A length of time such as `90s`, `30m`, `2h` or `1d`."
_TREATMENT: Mapping[str, Schema] = {
    "timezone": _text("Whose clock counts, as Europe/Kyiv. Left out: the person's.", 60),
    "catch_up": _one_of("What to do with runs missed while the host was down.", "none", "latest", "all"),
    "stale_after": _text(
        f"A run that could only begin later than this after its time is dropped. {_SPAN}", 40
    ),
    "overlap": _one_of("When the run before still goes on: skip this one, or queue it.", "skip", "queue"),
    "jitter": _text(f"It starts at some moment within this time. {_SPAN}", 40),
    "retries": _whole("How often a run that failed is tried again.", 0, 20),
    "retry_pause": _text(
        f"The pause before the first retry; each next one is five times as long. {_SPAN}", 40
    ),
    "pause_after": _whole("The task is paused after so many failures in a row.", 1, 1000),
    "deliver_by": _text(
        f"So long after its time the result must have arrived, or there is an alarm. {_SPAN}", 40
    ),
    "alarm_to": _text("Who gets that alarm: a person's handle, or a chat.", 200),
}
_NAME = r"^[A-Za-z0-9][A-Za-z0-9_-]*$"

_OPTION = _record(
    "One choice.",
    "id",
    "label",
    id=_text("What you get back as `chosen`.", 40),
    label=_text("The text of the button.", 20),
    description=_text("What this choice does.", 300),
    is_default=_flag("Taken when nobody answers in time; the same as `default_action`."),
)
_FACT = _record(
    "One fact.",
    "fact",
    "topic",
    fact=_text("The fact, in one sentence that stands alone.", 2000),
    topic=_text("What it is about.", 100),
    domain=_text("The field, such as marketing.", 100),
    source=_text("Where it comes from.", 500),
    confidence=_share("How sure you are."),
    evidence_grade=_GRADE,
    expires=_text("ISO date after which it no longer holds.", 40),
    related_to=_WORDS,
)
_DECISION = _record(
    "One decision.",
    "decision",
    decision=_text("What was decided.", 2000),
    type=_one_of("How far it reaches.", "strategic", "tactical", "preference"),
    domain=_text("The field, such as marketing.", 100),
    rationale=_text("Why.", 2000),
    made_by=_one_of("Who decided.", "owner", "agent"),
    reversible=_flag("Whether it can be taken back."),
    affects=_WORDS,
    supersedes=_text("The id of the decision that it replaces.", 100),
)

_ALL = (
    ToolSpec(
        name="send_message",
        kind=Kind.MESSAGES,
        description=(
            "Send a message to the chat now, before your answer is finished. "
            "Your final answer is sent by itself: do not repeat it with this tool."
        ),
        properties={
            "text": _text("Markdown.", 50_000),
            "voice": _flag("Spoken, where the host has a voice; else it is sent as text."),
            "target_group": _TARGET,
        },
        required=("text",),
        main_arguments=("target_group",),
    ),
    ToolSpec(
        name="send_file",
        kind=Kind.MESSAGES,
        description="Send a file from /work to the chat, or several together: pictures become an album.",
        properties={
            "path": _text("Below /work, for example `report.pdf` or `/work/out/report.pdf`.", 1000),
            "paths": _list("Instead of `path`: two to ten files.", _text("As `path`.", 1000), MOST_TOGETHER),
            "caption": _text("A line under the file.", 1000),
            "voice": _flag("A recording that is shown as a voice message."),
        },
        at_least_one=True,
    ),
    ToolSpec(
        name="register_group",
        kind=Kind.MESSAGES,
        description="Make a new agent group.",
        properties={
            "name": _text("Letters, digits, `_` and `-`.", 60, pattern=_NAME),
            "company": _text("Its company. Left out: yours.", 60, pattern=_NAME),
        },
        required=("name",),
        main_only=True,
    ),
    ToolSpec(
        name="schedule_task",
        kind=Kind.TASKS,
        description=(
            "Have a prompt run later or regularly, in a session of its own. Times without an offset are the person's "
            "wall clock. The person is shown the next times on a card; you are told them too."
        ),
        properties={
            "prompt": _text("What is to be done then; it must stand alone.", 20_000),
            "schedule_type": _one_of("How it repeats.", "cron", "interval", "once"),
            "schedule_value": _WHEN,
            "skill": _SKILL,
            "model": _MODEL,
            "notify": _flag("Whether the result is sent to the chat; true when left out."),
            "check": _text(
                "A shell command that runs first, without a model: exit code 0 runs the task (and what it printed is "
                "shown), 1 skips this run, anything else is a failure.",
                2000,
            ),
            **_TREATMENT,
            "target_group": _TARGET,
        },
        required=("prompt", "schedule_type", "schedule_value"),
        main_arguments=("target_group",),
    ),
    ToolSpec(
        name="list_tasks",
        kind=Kind.TASKS,
        description="The tasks that are scheduled or run in the background, with their numbers and next times.",
        properties={},
    ),
    ToolSpec(
        name="change_task",
        kind=Kind.TASKS,
        description="Pause, resume, edit, run now, cancel or delete a task. Only when the person asks for it.",
        properties={
            "task_id": _whole("The number of the task.", 1, 10**9),
            "action": _one_of(
                "cancel ends the run that goes on; the series goes on.",
                *("pause", "resume", "run", "cancel", "delete", "edit"),
            ),
            "prompt": _text("For edit: what is to be done.", 20_000),
            "schedule_type": _one_of("For edit: how it repeats.", "cron", "interval", "once"),
            "schedule_value": _WHEN,
            **_TREATMENT,
        },
        required=("task_id", "action"),
    ),
    ToolSpec(
        name="request_human",
        kind=Kind.HITL,
        description=(
            "Ask a person to decide, and wait for the answer. Use it before anything that cannot be undone, "
            "costs money or is published. `chosen` is the id of an option; for input it is what the person wrote."
        ),
        properties={
            "kind": _one_of("What you need.", "approval", "choice", "input", "review", "escalation"),
            "question": _text("What the person reads; it must stand alone.", 4000),
            "options": _list("The choices. Left out: those of the layout.", _OPTION, 8),
            "layout": _one_of(
                "A standard set of choices.",
                "approve_reject",
                "schedule_choice",
                "quality_gate",
                "budget_confirm",
            ),
            "timeout_minutes": _whole("How long to wait for the person.", 1, 7 * 24 * 60),
            "default_action": _text(
                "The id of the option that is taken when nobody answers. Leave it out if the risk is `publish` or "
                "`destructive`: then the host adds a choice `cancel` to your options, and takes that.",
                40,
            ),
            "risk": _one_of("What could go wrong.", "normal", "publish", "destructive"),
            "context": {
                "type": ["object", "string"],
                "maxLength": 20_000,
                "description": "What helps to decide; shown folded.",
            },
            "document": _text("For review: a file below /work that is attached.", 1000),
            "deciders": _list("Only these people may decide, of those who may.", _text("A handle.", 200), 20),
            "votes": _whole("How many people have to agree. Left out: as the risk needs it.", 1, 5),
            "skill": _SKILL,
        },
        required=("question",),
        wait=None,
    ),
    ToolSpec(
        name="background_task",
        kind=Kind.BACKGROUND,
        description="Start a task that takes longer than five minutes, in a box of its own. You need not wait for it.",
        properties={
            "prompt": _text("What is to be done; it must stand alone.", 20_000),
            "skill": _SKILL,
            "estimated_minutes": _whole("How long it will take; the person is told.", 1, 24 * 60),
            "notify_on_complete": _flag("Whether the result is sent to the chat; true when left out."),
            "notify_thread_id": {
                "type": ["string", "integer"],
                "maxLength": 100,
                "description": "The thread that gets the result. Left out: this one.",
            },
            "priority": _one_of("What is started first.", "low", "normal", "high"),
        },
        required=("prompt",),
    ),
    ToolSpec(
        name="handoff",
        kind=Kind.HANDOFFS,
        description="Give work to another skill of the same company, with everything it needs to go on.",
        properties={
            "type": _one_of(
                "sequential: you are done. parallel: you go on. callback: the result comes back to you.",
                "sequential",
                "parallel",
                "callback",
            ),
            "to": _record(
                "Who goes on.",
                "skill",
                skill=_text("The skill, by name or path.", 200),
                company=_text("Must be yours.", 60),
                runtime={"type": ["string", "null"], "maxLength": 40, "description": "null: any."},
            ),
            "payload": _record(
                "What is handed over.",
                "content",
                content=_text("The work so far, as Markdown; it must stand alone.", 100_000),
                content_tokens=_whole("Your estimate; the host counts again.", 0, 10**6),
                confidence=_share("How sure you are."),
                evidence_grade=_GRADE,
                gaps=_list("What is missing.", _text("One gap.", 500), 50),
                sources=_list("Where it comes from.", _text("One source.", 500), 50),
                format=_text("What shape the content has.", 100),
                attachments=_list("Files below /work.", _text("One path.", 1000), 20),
            ),
            "constraints": _record(
                "What the next one must keep to.",
                tone_isolation=_flag("Do not carry your tone over."),
                max_context_tokens=_whole("The limit of the content.", 1, 10**6),
                requires_hitl=_flag("A person approves first."),
                deadline=_text("ISO time.", 40),
            ),
            "metadata": _record(
                "Where it stands in a chain.",
                created_at=_text("ISO time.", 40),
                ttl_hours=_whole("After this it has expired.", 1, 24 * 30),
                chain_id=_text("The chain.", 100),
                step=_whole("This step.", 1, 100),
                total_steps=_whole("Steps in all.", 1, 100),
            ),
        },
        required=("to", "payload"),
    ),
    ToolSpec(
        name="remember",
        kind=Kind.STATE,
        description=(
            "Keep what later conversations of this company need. Only what will still matter; "
            "no personal data, no passwords."
        ),
        properties={
            "facts": _list("Facts that were learned.", _FACT, 50),
            "decisions": _list("Decisions that were made.", _DECISION, 20),
            "activity": _text("What was done, in one line.", 500),
        },
        at_least_one=True,
    ),
    ToolSpec(
        name="propose_transfer",
        kind=Kind.STATE,
        description="Propose to go on elsewhere, when the work has outgrown this chat. A person decides.",
        properties={
            "reason": _text("Why, in a sentence for the person.", 1000),
            "target": _one_of("Where to.", "claude-ai", "claude-code", "git", "manual"),
            "next_step": _text("What is to be done there first.", 2000),
        },
        required=("reason",),
    ),
)

TOOLS: Mapping[str, ToolSpec] = {tool.name: tool for tool in _ALL}
