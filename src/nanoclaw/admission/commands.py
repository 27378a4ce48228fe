"""The commands that a person can give to the host itself, and the role each needs. `/help` is made from this table."""

import re
from dataclasses import dataclass
from enum import StrEnum

from nanoclaw.domain.messages import Incoming, Message
from nanoclaw.domain.people import Role

_ORDER = re.compile(r"/([A-Za-z][\w-]*)(?:@\w+)?(?:\s+(.*))?\Z", re.DOTALL)


class HelpTopic(StrEnum):
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
    topic: HelpTopic
    role: Role
    usage: str = ""
    listed: bool = True  # in `/help` and in menus
    everywhere: bool = False  # the role must be global; otherwise one in a group of the chat is enough
    takes_file: bool = False  # if given with a file, it waits until the file is there
    is_slow: bool = False  # its answer only reads, but takes long: see flows/command.py


COMMANDS = {
    command.name: command
    for command in (
        Command(name="help", topic=HelpTopic.CHAT, role=Role.MEMBER, usage="[WORD]"),
        Command(name="start", topic=HelpTopic.CHAT, role=Role.STRANGER, listed=False),
        Command(name="status", topic=HelpTopic.CHAT, role=Role.MEMBER),
        Command(name="why", topic=HelpTopic.CHAT, role=Role.MEMBER, usage="[id]"),
        Command(name="stop", topic=HelpTopic.CHAT, role=Role.MEMBER),
        Command(name="clear", topic=HelpTopic.CHAT, role=Role.MEMBER),
        Command(name="retry", topic=HelpTopic.CHAT, role=Role.MEMBER),
        Command(name="leave", topic=HelpTopic.CHAT, role=Role.MEMBER),
        Command(name="plan", topic=HelpTopic.CHAT, role=Role.MEMBER, takes_file=True, usage="TASK"),
        Command(name="inbox", topic=HelpTopic.QUESTIONS, role=Role.MEMBER),
        Command(name="decide", topic=HelpTopic.QUESTIONS, role=Role.MEMBER, usage="QUESTION CHOICE"),
        Command(name="away", topic=HelpTopic.QUESTIONS, role=Role.MEMBER, usage="[until monday @other]"),
        Command(name="back", topic=HelpTopic.QUESTIONS, role=Role.MEMBER),
        Command(name="quiet", topic=HelpTopic.QUESTIONS, role=Role.MEMBER, usage="[22:00-07:00 | off]"),
        Command(name="schedule", topic=HelpTopic.TASKS, role=Role.MEMBER, usage="WHEN WHAT"),
        Command(name="tasks", topic=HelpTopic.TASKS, role=Role.MEMBER),
        Command(name="task-pause", topic=HelpTopic.TASKS, role=Role.MEMBER, usage="TASK"),
        Command(name="task-resume", topic=HelpTopic.TASKS, role=Role.MEMBER, usage="TASK"),
        Command(name="task-run", topic=HelpTopic.TASKS, role=Role.MEMBER, usage="TASK"),
        Command(
            name="task-edit", topic=HelpTopic.TASKS, role=Role.MEMBER, usage="TASK time WHEN | text WHAT"
        ),
        Command(name="task-history", topic=HelpTopic.TASKS, role=Role.MEMBER, usage="TASK"),
        Command(name="task-cancel", topic=HelpTopic.TASKS, role=Role.MEMBER, usage="TASK"),
        Command(name="task-delete", topic=HelpTopic.TASKS, role=Role.MEMBER, usage="TASK"),
        Command(name="pipelines", topic=HelpTopic.PIPELINES, role=Role.MEMBER, usage="[RUN]"),
        Command(name="pipeline-cancel", topic=HelpTopic.PIPELINES, role=Role.MEMBER, usage="[RUN]"),
        Command(
            name="pipeline-retry", topic=HelpTopic.PIPELINES, role=Role.MEMBER, usage="[RUN] [STEP [NOTE]]"
        ),
        Command(
            name="export-session",
            topic=HelpTopic.TRANSFERS,
            role=Role.MEMBER,
            usage="[TARGET] [PURPOSE]",
        ),
        Command(name="transfers", topic=HelpTopic.TRANSFERS, role=Role.MEMBER),
        Command(
            name="transfer-pick", topic=HelpTopic.TRANSFERS, role=Role.MEMBER, usage="[TRANSFER] NUMBERS"
        ),
        Command(name="transfer-cancel", topic=HelpTopic.TRANSFERS, role=Role.MEMBER, usage="[TRANSFER]"),
        Command(name="budget", topic=HelpTopic.COSTS, role=Role.MEMBER, usage="[day 5 | month 50]"),
        Command(name="budget-override", topic=HelpTopic.COSTS, role=Role.OWNER, usage="+20", everywhere=True),
        Command(
            name="batch-generate",
            topic=HelpTopic.BATCHES,
            role=Role.MEMBER,
            usage="COUNT WHAT",
            takes_file=True,
        ),
        Command(name="batches", topic=HelpTopic.BATCHES, role=Role.MEMBER, usage="[BATCH]"),
        Command(name="batch-results", topic=HelpTopic.BATCHES, role=Role.MEMBER, usage="[BATCH [TEXT]]"),
        Command(name="batch-cancel", topic=HelpTopic.BATCHES, role=Role.MEMBER, usage="[BATCH]"),
        Command(name="batch-resubmit", topic=HelpTopic.BATCHES, role=Role.MEMBER, usage="[BATCH [TEXT ...]]"),
        Command(
            name="import-analysis",
            topic=HelpTopic.TRANSFERS,
            role=Role.MEMBER,
            usage="[TRANSFER]",
            takes_file=True,
        ),
        Command(name="memory", topic=HelpTopic.MEMORY, role=Role.MEMBER, usage="[WORDS]"),
        Command(name="decisions", topic=HelpTopic.MEMORY, role=Role.MEMBER, usage="[WORDS]"),
        Command(name="remember", topic=HelpTopic.MEMORY, role=Role.MEMBER, usage="[decision:] TEXT"),
        Command(name="correct", topic=HelpTopic.MEMORY, role=Role.MEMBER, usage="ID TEXT"),
        Command(name="forget", topic=HelpTopic.MEMORY, role=Role.MEMBER, usage="ID"),
        Command(
            name="costs", topic=HelpTopic.COSTS, role=Role.MEMBER, usage="[week] [by model]", is_slow=True
        ),
        Command(name="language", topic=HelpTopic.SETTINGS, role=Role.MEMBER, usage="en | uk"),
        Command(name="timezone", topic=HelpTopic.SETTINGS, role=Role.MEMBER, usage="Area/City"),
        Command(name="interview", topic=HelpTopic.MEMORY, role=Role.ADMIN, usage="[AREA]"),
        Command(name="permits", topic=HelpTopic.QUESTIONS, role=Role.ADMIN),
        Command(name="revoke", topic=HelpTopic.QUESTIONS, role=Role.ADMIN, usage="PERMIT"),
        Command(name="requests", topic=HelpTopic.PEOPLE, role=Role.ADMIN),
        Command(name="allow", topic=HelpTopic.PEOPLE, role=Role.ADMIN, usage="REQUEST"),
        Command(name="deny", topic=HelpTopic.PEOPLE, role=Role.ADMIN, usage="REQUEST"),
        Command(name="wire", topic=HelpTopic.CHATS, role=Role.ADMIN, usage="GROUP"),
        Command(name="unwire", topic=HelpTopic.CHATS, role=Role.ADMIN, usage="GROUP"),
        Command(
            name="engage",
            topic=HelpTopic.CHATS,
            role=Role.ADMIN,
            usage="[GROUP] always | mention | mention-sticky | pattern WORDS",
        ),
        Command(name="ignored", topic=HelpTopic.CHATS, role=Role.ADMIN, usage="[GROUP] drop | accumulate"),
        Command(name="senders", topic=HelpTopic.CHATS, role=Role.ADMIN, usage="[GROUP] all | known"),
        Command(
            name="strangers",
            topic=HelpTopic.CHATS,
            role=Role.ADMIN,
            usage="request_approval | strict | public",
        ),
        Command(name="chat-memory", topic=HelpTopic.CHATS, role=Role.ADMIN, usage="off | read | write"),
        Command(
            name="role",
            topic=HelpTopic.PEOPLE,
            role=Role.ADMIN,
            usage="PERSON owner | admin | member | none [GROUP]",
        ),
        Command(name="people", topic=HelpTopic.PEOPLE, role=Role.ADMIN, everywhere=True),
        Command(name="block", topic=HelpTopic.PEOPLE, role=Role.ADMIN, usage="PERSON", everywhere=True),
        Command(name="unblock", topic=HelpTopic.PEOPLE, role=Role.ADMIN, usage="PERSON", everywhere=True),
        Command(name="chats", topic=HelpTopic.CHATS, role=Role.ADMIN, everywhere=True),
        Command(
            name="groups", topic=HelpTopic.CHATS, role=Role.ADMIN, usage="[add NAME COMPANY]", everywhere=True
        ),
        Command(name="sync", topic=HelpTopic.HOST, role=Role.ADMIN, everywhere=True),
        Command(name="drops", topic=HelpTopic.HOST, role=Role.ADMIN, everywhere=True),
        Command(name="audit", topic=HelpTopic.HOST, role=Role.ADMIN, everywhere=True),
        Command(name="retry-failed", topic=HelpTopic.HOST, role=Role.ADMIN, everywhere=True),
        Command(name="pair", topic=HelpTopic.CHAT, role=Role.STRANGER, usage="CODE", listed=False),
    )
}


@dataclass(frozen=True, kw_only=True, slots=True)
class GivenCommand:
    name: str
    argument: str


def command_in(message: Message | Incoming) -> GivenCommand | None:
    """The command in a person's own words. Words of others, or of another bot, are no commands."""
    return read_command(message.text) if message.in_own_words else None


def read_command(text: str) -> GivenCommand | None:
    """Parse `/name argument`; None for anything else, including a path such as /etc/hosts."""
    match = _ORDER.match(text.strip())
    if match is None:
        return None
    name = match[1].lower().replace("_", "-")
    return GivenCommand(name=name, argument=(match[2] or "").strip())
