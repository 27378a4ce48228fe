"""How people, chats, wirings and the fate of messages are printed on a terminal, a line or two each."""

from datetime import datetime

from nanoclaw.console.people_shapes import AuditEntry, Chat, Drop, Group, Person, Request, Verdict, Wiring
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.text import tidy_name
from nanoclaw.texts import say


def person_line(locale: Locale, person: Person) -> str:
    language = locale.speaks
    roles = [] if person.role == "none" else [say(language, "role-everywhere", role=person.role)]
    roles += [say(language, "role-within", role=each.role, group=each.group) for each in person.memberships]
    standing = roles or [say(language, "person-role-none")]
    blocked = [say(language, "person-blocked")] if person.blocked else []
    called = f"@{person.username}, " if person.username else ""
    return f"{person.name} ({called}{person.handle}): {', '.join(standing + blocked)}"


def chat_line(locale: Locale, chat: Chat) -> str:
    """A chat with its id, because several may share a title or address."""
    language = locale.speaks
    kind = say(language, f"chat-kind-{chat.kind}")
    agents = ", ".join(wiring.group for wiring in chat.wirings) or say(language, "chat-no-agent")
    head = f"{chat.id}  {chat.title} ({kind}, {chat.channel} {chat.address})"
    memory = say(language, f"memory-mode-{chat.memory}")
    return f"{head}\n  {agents}; {chat.sentence}; {memory}"


def wiring_lines(locale: Locale, chat: Chat) -> list[str]:
    lines = [_wiring_line(locale, wiring) for wiring in chat.wirings]
    return [f"{chat.title} ({chat.id})", *(lines or ["  " + say(locale.speaks, "chat-no-agent")])]


def _wiring_line(locale: Locale, wiring: Wiring) -> str:
    language = locale.speaks
    told = say(
        language,
        "wiring-now",
        group=wiring.group,
        engage=wiring.sentence,
        senders=say(language, f"senders-{wiring.senders}"),
        ignored=say(language, f"ignored-{wiring.ignored}"),
    )
    priority = " " + say(language, "wiring-priority", priority=wiring.priority) if wiring.priority else ""
    fault = "\n    " + say(language, "wiring-fault", fault=wiring.fault) if wiring.fault else ""
    return f"  {told}{priority}{fault}"


def group_line(locale: Locale, group: Group) -> str:
    told = say(locale.speaks, "group-row", group=group.name, company=group.company or "?", count=group.chats)
    return " ".join([told, say(locale.speaks, "group-main")]) if group.main else told


def request_line(locale: Locale, request: Request) -> str:
    language = locale.speaks
    told = say(
        language,
        f"request-about-{request.about}",
        who=f"{request.person} ({request.handle})",
        chat=request.chat,
        groups=", ".join(request.groups),
    )
    choices = ", ".join(choice.value for choice in request.choices)
    return "\n".join(
        [
            f"{request.short}  {_clock(locale, request.at)}  {told}",
            *(f"    {_quoted(text)}" for text in request.said),
            "    " + say(language, "request-choices", choices=choices),
        ]
    )


def drop_line(locale: Locale, drop: Drop) -> str:
    said = f"{drop.sender} ({drop.handle}), {drop.chat} ({drop.channel}): {_quoted(drop.text)}"
    return f"{_clock(locale, drop.at)}  {said}\n    {drop.sentence}"


def audit_line(locale: Locale, entry: AuditEntry) -> str:
    via = say(locale.speaks, "audit-via", via=entry.via)
    return f"{_clock(locale, entry.at)}  {entry.name} ({entry.handle}, {via}) {entry.sentence}"


def explained_lines(locale: Locale, told: Verdict) -> list[str]:
    return [
        told.sentence,
        *(
            "  "
            + say(
                locale.speaks,
                "explain-finding",
                group=each.group,
                outcome=each.outcome,
                reason=each.sentence,
            )
            for each in told.findings
        ),
    ]


def _quoted(text: str) -> str:
    """On one line, and short."""
    line = tidy_name(text)
    return f'"{line}…"' if len(line) < len(" ".join(text.split())) else f'"{line}"'


def _clock(locale: Locale, at: datetime) -> str:
    return f"{at.astimezone(locale.zone):%Y-%m-%d %H:%M}"
