"""The commands by which owners and admins list people, chats, requests, what was not admitted, and the audit."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime

from nanoclaw.domain.locale import Locale
from nanoclaw.domain.people import Person, Role
from nanoclaw.domain.text import as_written, gist
from nanoclaw.durable import approvals, audit, drops, memberships, people, wirings
from nanoclaw.durable.store import Tx
from nanoclaw.flows.incoming.access import engaged
from nanoclaw.flows.incoming.cards import short, shown
from nanoclaw.flows.incoming.commands import Answer, CommandContext
from nanoclaw.texts import say

_MOST_LINES = 30
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d\S*(?:Z|[+-]\d\d:\d\d)\Z")
_SHOWN = 80


def _people(tx: Tx, _argument: str, asked: CommandContext) -> str:
    language, within = asked.locale.speaks, memberships.all_of(tx)
    lines = []
    for person in people.everyone(tx):
        roles = _roles(language, person, within.get(person.id, {}))
        if roles or person.blocked:
            blocked = f" ({say(language, 'person-blocked')})" if person.blocked else ""
            lines.append(f"- {shown(person)}: {', '.join(roles) or '-'}{blocked}")
    return listed(language, "people-head", lines)


def _chats(tx: Tx, _argument: str, asked: CommandContext) -> str:
    language = asked.locale.speaks
    wired: dict[str, list[str]] = {}
    for wiring in wirings.everywhere(tx):
        engage = as_written(engaged(language, wiring.engage))
        wired.setdefault(wiring.chat_id, []).append(f"{wiring.group} ({engage})")
    lines = [
        f"- {as_written(chat.title)} ({chat.channel}): {', '.join(wired.get(chat.id, [])) or '-'}; "
        + say(language, f"strangers-{chat.strangers}")
        for chat in people.all_chats(tx)
    ]
    return listed(language, "chats-head", lines)


def _requests(tx: Tx, _argument: str, asked: CommandContext) -> str:
    language = asked.locale.speaks
    lines = []
    for request in approvals.list_open(tx):
        if asked.rights.may_in_all(request.groups, Role.ADMIN):
            chat, person = people.chat(tx, request.chat_id), people.person(tx, request.person_id)
            key = "request-chat" if request.is_about_chat else "request-sender"
            title = as_written(chat.title if chat else "?")
            lines.append(say(language, key, id=short(request.id), who=shown(person), chat=title))
    return listed(language, "requests-head", lines)


def _drops(tx: Tx, _argument: str, asked: CommandContext) -> str:
    language = asked.locale.speaks
    lines = [
        f"- `{_clock(drop.at, asked)}` {as_written(drop.sender)} ({as_written(drop.chat)}): "
        f"{as_written(' '.join(drop.text.split())[:_SHOWN])}: " + say(language, f"reason-{drop.reason}")
        for drop in drops.newest(tx, _MOST_LINES)
    ]
    return listed(language, "drops-head", lines)


def _audit(tx: Tx, _argument: str, asked: CommandContext) -> str:
    language = asked.locale.speaks
    lines = [
        f"- `{_clock(entry.at, asked)}` {as_written(entry.name)} ({entry.via}): "
        + as_written(told(asked.locale, entry))
        for entry in audit.newest(tx, _MOST_LINES)
    ]
    return listed(language, "audit-head", lines)


LISTS: Mapping[str, Answer] = {
    "people": _people,
    "chats": _chats,
    "requests": _requests,
    "drops": _drops,
    "audit": _audit,
}


def told(locale: Locale, entry: audit.AuditEntry) -> str:
    """The change as a sentence, on the reader's clock."""
    values = {
        key: ", ".join(map(str, value)) if isinstance(value, list) else _on_clock(str(value), locale)
        for key, value in entry.detail.items()
    }
    if "question" in values:
        values["question"] = gist(values["question"])
    if values.get("delegate") == "":
        values["delegate"] = "none"
    return say(locale.speaks, f"audit-{entry.action}", **{"subject": entry.subject, **values})


def _on_clock(written: str, locale: Locale) -> str:
    """Times are stored in ISO format; anything else stays as it is."""
    if not _MOMENT.match(written):
        return written
    try:
        return f"{datetime.fromisoformat(written).astimezone(locale.zone):%Y-%m-%d %H:%M}"
    except (ValueError, OverflowError):  # a title may look like a time
        return written


def listed(language: str, head: str, lines: Sequence[str]) -> str:
    if not lines:
        return say(language, f"{head}-none")
    more = [say(language, "list-more", count=len(lines) - _MOST_LINES)] if len(lines) > _MOST_LINES else []
    return "\n".join([say(language, head), "", *lines[:_MOST_LINES], *more])


def _roles(language: str, person: Person, within: Mapping[str, Role]) -> list[str]:
    """For people: `admin everywhere`, `member in sales`."""
    everywhere = [] if person.role is Role.STRANGER else [say(language, "role-everywhere", role=person.role)]
    return everywhere + [
        say(language, "role-within", role=role, group=group) for group, role in within.items()
    ]


def _clock(at: datetime, asked: CommandContext) -> str:
    return f"{at.astimezone(asked.locale.zone):%m-%d %H:%M}"
