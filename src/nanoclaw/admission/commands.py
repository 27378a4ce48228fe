"""The commands that a person can give to the host itself, and the role each needs. `/help` is made from this
table.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from nanoclaw.domain.messages import Incoming, Message
from nanoclaw.domain.people import Role

_ORDER = re.compile(r"/([A-Za-z][\w-]*)(?:@\w+)?(?:\s+(.*))?\Z", re.DOTALL)


class Topic(StrEnum):
    """The purposes of commands, in the order of `/help`: the texts `help-topic-<topic>` and `help-about-<topic>`."""

    CHAT = "chat"
    QUESTIONS = "questions"
    TASKS = "tasks"
    PIPELINES = "pipelines"
    BATCHES = "batches"
    TRANSFERS = "transfers"
    MEMORY = "memory"
    COSTS = "costs"
    SETTINGS = "settings"
    SKILLS = "skills"  # those of the workspace; the host has no command of its own here
    PEOPLE = "people"
    CHATS = "chats"
    HOST = "host"


@dataclass(frozen=True, kw_only=True, slots=True)
class Command:
    """Its help is the text `command-<name>`. Capitals in `usage` are translated for the reader (the text
    `usage-<word>`); everything else is typed as written.
    """

    name: str
    topic: Topic
    role: Role
    usage: str = ""
    listed: bool = True  # in `/help` and in menus
    everywhere: bool = False  # the role must be global; otherwise one in a group of the chat is enough
    takes_file: bool = False  # if given with a file, it waits until the file is there
    is_slow: bool = False  # its answer only reads, but takes long: see flows/command.py


COMMANDS = {
    command.name: command
    for command in (
        Command(name="help", topic=Topic.CHAT, role=Role.MEMBER, usage="[WORD]"),
        Command(name="start", topic=Topic.CHAT, role=Role.STRANGER, listed=False),
        Command(name="status", topic=Topic.CHAT, role=Role.MEMBER),
        Command(name="why", topic=Topic.CHAT, role=Role.MEMBER, usage="[id]"),
        Command(name="stop", topic=Topic.CHAT, role=Role.MEMBER),
        Command(name="clear", topic=Topic.CHAT, role=Role.MEMBER),
        Command(name="retry", topic=Topic.CHAT, role=Role.MEMBER),
        Command(name="leave", topic=Topic.CHAT, role=Role.MEMBER),
        Command(name="plan", topic=Topic.CHAT, role=Role.MEMBER, takes_file=True, usage="TASK"),
        Command(name="inbox", topic=Topic.QUESTIONS, role=Role.MEMBER),
        Command(name="decide", topic=Topic.QUESTIONS, role=Role.MEMBER, usage="QUESTION CHOICE"),
        Command(name="away", topic=Topic.QUESTIONS, role=Role.MEMBER, usage="[until monday @other]"),
        Command(name="back", topic=Topic.QUESTIONS, role=Role.MEMBER),
        Command(name="quiet", topic=Topic.QUESTIONS, role=Role.MEMBER, usage="[22:00-07:00 | off]"),
        Command(name="schedule", topic=Topic.TASKS, role=Role.MEMBER, usage="WHEN WHAT"),
        Command(name="tasks", topic=Topic.TASKS, role=Role.MEMBER),
        Command(name="task-pause", topic=Topic.TASKS, role=Role.MEMBER, usage="TASK"),
        Command(name="task-resume", topic=Topic.TASKS, role=Role.MEMBER, usage="TASK"),
        Command(name="task-run", topic=Topic.TASKS, role=Role.MEMBER, usage="TASK"),
        Command(name="task-edit", topic=Topic.TASKS, role=Role.MEMBER, usage="TASK time WHEN | text WHAT"),
        Command(name="task-history", topic=Topic.TASKS, role=Role.MEMBER, usage="TASK"),
        Command(name="task-cancel", topic=Topic.TASKS, role=Role.MEMBER, usage="TASK"),
        Command(name="task-delete", topic=Topic.TASKS, role=Role.MEMBER, usage="TASK"),
        Command(name="pipelines", topic=Topic.PIPELINES, role=Role.MEMBER, usage="[RUN]"),
        Command(name="pipeline-cancel", topic=Topic.PIPELINES, role=Role.MEMBER, usage="[RUN]"),
        Command(name="pipeline-retry", topic=Topic.PIPELINES, role=Role.MEMBER, usage="[RUN] [STEP [NOTE]]"),
        Command(
            name="export-session",
            topic=Topic.TRANSFERS,
            role=Role.MEMBER,
            usage="[TARGET] [PURPOSE]",
        ),
        Command(name="transfers", topic=Topic.TRANSFERS, role=Role.MEMBER),
        Command(name="transfer-cancel", topic=Topic.TRANSFERS, role=Role.MEMBER, usage="[TRANSFER]"),
        Command(name="budget", topic=Topic.COSTS, role=Role.MEMBER, usage="[day 5 | month 50]"),
        Command(name="budget-override", topic=Topic.COSTS, role=Role.OWNER, usage="+20", everywhere=True),
        Command(
            name="batch-generate", topic=Topic.BATCHES, role=Role.MEMBER, usage="COUNT WHAT", takes_file=True
        ),
        Command(name="batches", topic=Topic.BATCHES, role=Role.MEMBER, usage="[BATCH]"),
        Command(name="batch-results", topic=Topic.BATCHES, role=Role.MEMBER, usage="[BATCH [TEXT]]"),
        Command(name="batch-cancel", topic=Topic.BATCHES, role=Role.MEMBER, usage="[BATCH]"),
        Command(name="batch-resubmit", topic=Topic.BATCHES, role=Role.MEMBER, usage="[BATCH [TEXT ...]]"),
        Command(
            name="import-analysis",
            topic=Topic.TRANSFERS,
            role=Role.MEMBER,
            usage="[TRANSFER]",
            takes_file=True,
        ),
        Command(name="memory", topic=Topic.MEMORY, role=Role.MEMBER, usage="[WORDS]"),
        Command(name="decisions", topic=Topic.MEMORY, role=Role.MEMBER, usage="[WORDS]"),
        Command(name="remember", topic=Topic.MEMORY, role=Role.MEMBER, usage="[decision:] TEXT"),
        Command(name="correct", topic=Topic.MEMORY, role=Role.MEMBER, usage="ID TEXT"),
        Command(name="forget", topic=Topic.MEMORY, role=Role.MEMBER, usage="ID"),
        Command(name="costs", topic=Topic.COSTS, role=Role.MEMBER, usage="[week] [by model]", is_slow=True),
        Command(name="language", topic=Topic.SETTINGS, role=Role.MEMBER, usage="en | uk"),
        Command(name="timezone", topic=Topic.SETTINGS, role=Role.MEMBER, usage="Area/City"),
        Command(name="interview", topic=Topic.MEMORY, role=Role.ADMIN, usage="[AREA]"),
        Command(name="permits", topic=Topic.QUESTIONS, role=Role.ADMIN),
        Command(name="revoke", topic=Topic.QUESTIONS, role=Role.ADMIN, usage="PERMIT"),
        Command(name="requests", topic=Topic.PEOPLE, role=Role.ADMIN),
        Command(name="allow", topic=Topic.PEOPLE, role=Role.ADMIN, usage="REQUEST"),
        Command(name="deny", topic=Topic.PEOPLE, role=Role.ADMIN, usage="REQUEST"),
        Command(name="wire", topic=Topic.CHATS, role=Role.ADMIN, usage="GROUP"),
        Command(name="unwire", topic=Topic.CHATS, role=Role.ADMIN, usage="GROUP"),
        Command(
            name="engage",
            topic=Topic.CHATS,
            role=Role.ADMIN,
            usage="[GROUP] always | mention | mention-sticky | pattern WORDS",
        ),
        Command(name="ignored", topic=Topic.CHATS, role=Role.ADMIN, usage="[GROUP] drop | accumulate"),
        Command(name="senders", topic=Topic.CHATS, role=Role.ADMIN, usage="[GROUP] all | known"),
        Command(
            name="strangers", topic=Topic.CHATS, role=Role.ADMIN, usage="request_approval | strict | public"
        ),
        Command(name="chat-memory", topic=Topic.CHATS, role=Role.ADMIN, usage="off | read | write"),
        Command(
            name="role",
            topic=Topic.PEOPLE,
            role=Role.ADMIN,
            usage="PERSON owner | admin | member | none [GROUP]",
        ),
        Command(name="people", topic=Topic.PEOPLE, role=Role.ADMIN, everywhere=True),
        Command(name="block", topic=Topic.PEOPLE, role=Role.ADMIN, usage="PERSON", everywhere=True),
        Command(name="unblock", topic=Topic.PEOPLE, role=Role.ADMIN, usage="PERSON", everywhere=True),
        Command(name="chats", topic=Topic.CHATS, role=Role.ADMIN, everywhere=True),
        Command(
            name="groups", topic=Topic.CHATS, role=Role.ADMIN, usage="[add NAME COMPANY]", everywhere=True
        ),
        Command(name="sync", topic=Topic.HOST, role=Role.ADMIN, everywhere=True),
        Command(name="drops", topic=Topic.HOST, role=Role.ADMIN, everywhere=True),
        Command(name="audit", topic=Topic.HOST, role=Role.ADMIN, everywhere=True),
        Command(name="retry-failed", topic=Topic.HOST, role=Role.ADMIN, everywhere=True),
        Command(name="pair", topic=Topic.CHAT, role=Role.STRANGER, usage="CODE", listed=False),
    )
}


@dataclass(frozen=True, kw_only=True, slots=True)
class GivenCommand:
    name: str
    argument: str


def order_in(message: Message | Incoming) -> GivenCommand | None:
    """The command in a person's own words. Words of others, or of another bot, are no commands."""
    return read_order(message.text) if message.in_own_words else None


def read_order(text: str) -> GivenCommand | None:
    """Parse `/name argument`; None for anything else, including a path such as /etc/hosts."""
    match = _ORDER.match(text.strip())
    if match is None:
        return None
    name = match[1].lower().replace("_", "-")
    return GivenCommand(name=name, argument=(match[2] or "").strip())
