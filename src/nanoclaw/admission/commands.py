"""The commands that a person can give to the host itself, and the role each needs. `/help` is made from this table."""

import re
from dataclasses import dataclass

from nanoclaw.domain.messages import Incoming, Message
from nanoclaw.domain.people import Role

_ORDER = re.compile(r"/([A-Za-z][\w-]*)(?:@\w+)?(?:\s+(.*))?\Z", re.DOTALL)


@dataclass(frozen=True, kw_only=True, slots=True)
class Command:
    """Its help is the text `command-<name>`."""

    name: str
    role: Role
    usage: str = ""
    listed: bool = True  # in `/help` and in menus
    everywhere: bool = (
        False  # the role must hold for all agent groups; else one in a group of the chat is enough
    )
    takes_file: bool = False  # given with a file, it waits until the file is there
    is_slow: bool = False  # its answer only reads, and takes long: see flows/command.py


COMMANDS = {
    command.name: command
    for command in (
        Command(name="help", role=Role.MEMBER),
        Command(name="start", role=Role.STRANGER, listed=False),
        Command(name="status", role=Role.MEMBER),
        Command(name="why", role=Role.MEMBER, usage="[id]"),
        Command(name="stop", role=Role.MEMBER),
        Command(name="clear", role=Role.MEMBER),
        Command(name="retry", role=Role.MEMBER),
        Command(name="leave", role=Role.MEMBER),
        Command(name="plan", role=Role.MEMBER, takes_file=True, usage="TASK"),
        Command(name="inbox", role=Role.MEMBER),
        Command(name="decide", role=Role.MEMBER, usage="QUESTION CHOICE"),
        Command(name="away", role=Role.MEMBER, usage="[until monday @other]"),
        Command(name="back", role=Role.MEMBER),
        Command(name="quiet", role=Role.MEMBER, usage="[22:00-07:00 | off]"),
        Command(name="schedule", role=Role.MEMBER, usage="WHEN WHAT"),
        Command(name="tasks", role=Role.MEMBER),
        Command(name="task-pause", role=Role.MEMBER, usage="TASK"),
        Command(name="task-resume", role=Role.MEMBER, usage="TASK"),
        Command(name="task-run", role=Role.MEMBER, usage="TASK"),
        Command(name="task-edit", role=Role.MEMBER, usage="TASK time WHEN | text WHAT"),
        Command(name="task-history", role=Role.MEMBER, usage="TASK"),
        Command(name="task-cancel", role=Role.MEMBER, usage="TASK"),
        Command(name="task-delete", role=Role.MEMBER, usage="TASK"),
        Command(name="pipelines", role=Role.MEMBER, usage="[RUN]"),
        Command(name="pipeline-cancel", role=Role.MEMBER, usage="[RUN]", listed=False),
        Command(name="pipeline-retry", role=Role.MEMBER, usage="[RUN] [STEP [NOTE]]", listed=False),
        Command(
            name="export-session",
            role=Role.MEMBER,
            usage="[TARGET] [WHAT FOR]",
            listed=False,
        ),
        Command(name="transfers", role=Role.MEMBER, listed=False),
        Command(name="transfer-cancel", role=Role.MEMBER, usage="[TRANSFER]", listed=False),
        Command(name="budget", role=Role.MEMBER, usage="[day 5 | month 50]"),
        Command(name="budget-override", role=Role.OWNER, usage="+20", everywhere=True),
        Command(name="batch-generate", role=Role.MEMBER, usage="COUNT WHAT", takes_file=True),
        Command(name="batches", role=Role.MEMBER, usage="[BATCH]"),
        Command(name="batch-results", role=Role.MEMBER, usage="[BATCH [TEXT]]", listed=False),
        Command(name="batch-cancel", role=Role.MEMBER, usage="[BATCH]", listed=False),
        Command(name="batch-resubmit", role=Role.MEMBER, usage="[BATCH [TEXT ...]]", listed=False),
        Command(name="import-analysis", role=Role.MEMBER, usage="[TRANSFER]", takes_file=True, listed=False),
        Command(name="memory", role=Role.MEMBER, usage="[WORDS]"),
        Command(name="decisions", role=Role.MEMBER, usage="[WORDS]"),
        Command(name="remember", role=Role.MEMBER, usage="[decision:] TEXT"),
        Command(name="correct", role=Role.MEMBER, usage="ID TEXT"),
        Command(name="forget", role=Role.MEMBER, usage="ID"),
        Command(name="costs", role=Role.MEMBER, usage="[week] [by model]", is_slow=True),
        Command(name="language", role=Role.MEMBER, usage="en | uk"),
        Command(name="timezone", role=Role.MEMBER, usage="Area/City"),
        Command(name="interview", role=Role.ADMIN, usage="[AREA]"),
        Command(name="permits", role=Role.ADMIN),
        Command(name="revoke", role=Role.ADMIN, usage="PERMIT"),
        Command(name="requests", role=Role.ADMIN),
        Command(name="allow", role=Role.ADMIN, usage="REQUEST"),
        Command(name="deny", role=Role.ADMIN, usage="REQUEST"),
        Command(name="wire", role=Role.ADMIN, usage="GROUP"),
        Command(name="unwire", role=Role.ADMIN, usage="GROUP"),
        Command(
            name="engage", role=Role.ADMIN, usage="[GROUP] always | mention | mention-sticky | pattern WORDS"
        ),
        Command(name="ignored", role=Role.ADMIN, usage="[GROUP] drop | accumulate"),
        Command(name="senders", role=Role.ADMIN, usage="[GROUP] all | known"),
        Command(name="strangers", role=Role.ADMIN, usage="request_approval | strict | public"),
        Command(name="chat-memory", role=Role.ADMIN, usage="off | read | write"),
        Command(name="role", role=Role.ADMIN, usage="PERSON owner | admin | member | none [GROUP]"),
        Command(name="people", role=Role.ADMIN, everywhere=True),
        Command(name="block", role=Role.ADMIN, usage="PERSON", everywhere=True),
        Command(name="unblock", role=Role.ADMIN, usage="PERSON", everywhere=True),
        Command(name="chats", role=Role.ADMIN, everywhere=True),
        Command(name="groups", role=Role.ADMIN, usage="[add NAME COMPANY]", everywhere=True),
        Command(name="drops", role=Role.ADMIN, everywhere=True),
        Command(name="audit", role=Role.ADMIN, everywhere=True),
        Command(name="retry-failed", role=Role.ADMIN, everywhere=True),
        Command(name="pair", role=Role.STRANGER, usage="CODE", listed=False),
    )
}


@dataclass(frozen=True, kw_only=True, slots=True)
class GivenCommand:
    name: str
    argument: str


def order_in(message: Message | Incoming) -> GivenCommand | None:
    """The command in a person's own words. Someone else's words, or another bot's, command nothing."""
    return read_order(message.text) if message.in_own_words else None


def read_order(text: str) -> GivenCommand | None:
    """Parses `/name argument`; None for anything else, a path such as /etc/hosts included."""
    match = _ORDER.match(text.strip())
    if match is None:
        return None
    name = match[1].lower().replace("_", "-")
    return GivenCommand(name=name, argument=(match[2] or "").strip())
