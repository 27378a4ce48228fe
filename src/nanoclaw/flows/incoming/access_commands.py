"""The commands by which owners and admins change access from a chat: parsed, passed to `AccessChanges`, answered."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from nanoclaw.context.groups import Groups
from nanoclaw.domain.errors import NanoClawError, Refused
from nanoclaw.domain.memory import MemoryMode
from nanoclaw.domain.messages import Chat
from nanoclaw.domain.people import Person, Role
from nanoclaw.domain.text import as_written
from nanoclaw.domain.wirings import (
    ChatKind,
    EngageMode,
    IgnoredMessages,
    SenderScope,
    UnknownSenders,
    Wiring,
)
from nanoclaw.durable import messages, people, wirings
from nanoclaw.durable.store import Tx
from nanoclaw.flows.incoming.access import (
    NOBODY,
    AccessChanges,
    WiringChange,
    engaged,
    read_choice,
    read_engage,
    read_role,
)
from nanoclaw.flows.incoming.access_lists import LISTS, listed
from nanoclaw.flows.incoming.approvals import Approvals
from nanoclaw.flows.incoming.cards import ALLOW, DENY, IGNORE, short, shown
from nanoclaw.flows.incoming.commands import Answer, CommandContext, RefusedAnswer
from nanoclaw.texts import say, tell

_SHOWN = 80
_EXAMPLE = "coffee|кава"
_EXAMPLES = {"pattern": f"pattern {_EXAMPLE}"}


class AccessCommands:
    def __init__(self, access: AccessChanges, approvals: Approvals, groups: Groups) -> None:
        self._access = access
        self._approvals = approvals
        self._groups = groups

    def answers(self) -> Mapping[str, Answer]:
        known: dict[str, Callable[[Tx, list[str], CommandContext], str]] = {
            "role": self._role,
            "block": partial(self._block, blocked=True),
            "unblock": partial(self._block, blocked=False),
            "wire": self._wire,
            "unwire": self._unwire,
            "engage": self._engage,
            "ignored": self._ignored,
            "senders": self._senders,
            "strangers": self._strangers,
            "chat-memory": self._memory,
            "groups": self._list_groups,
            "allow": partial(self._decide, choice=ALLOW),
            "deny": partial(self._decide, choice=DENY),
        }
        return {**LISTS, **{name: partial(_answer, act) for name, act in known.items()}}

    # People

    def _role(self, tx: Tx, words: list[str], asked: CommandContext) -> str:
        person, rest = self._person(tx, words, asked)
        if not rest:
            raise Refused("role-which", known=", ".join((Role.OWNER, Role.ADMIN, Role.MEMBER, NOBODY)))
        role = read_role(rest[0])
        group = rest[1] if len(rest) > 1 else self._usual_group(tx, person, role, asked)
        self._access.give_role(tx, asked.actor, person, role, group, asked.at)
        key = "role-set" if group else "role-set-everywhere"
        language = asked.locale.speaks
        said = say(language, key, who=shown(person), role=role or NOBODY, group=group or "")
        if group and person.role is not (role or Role.STRANGER) and person.role.may(role or Role.MEMBER):
            said += " " + say(language, "role-still", role=person.role)
        return said

    def _usual_group(self, tx: Tx, person: Person, role: Role | None, asked: CommandContext) -> str | None:
        """A member gets the group of this chat; owners and admins are global unless a group is named."""
        if role in (Role.OWNER, Role.ADMIN) or (role is None and person.role.may(Role.MEMBER)):
            return None
        if len(asked.groups) == 1:
            return asked.groups[0]
        raise Refused(
            "role-which-group", known=", ".join(asked.groups or self._access.groups_for(asked.actor))
        )

    def _block(self, tx: Tx, words: list[str], asked: CommandContext, *, blocked: bool) -> str:
        person, _ = self._person(tx, words, asked)
        self._access.block(tx, asked.actor, person, asked.at, blocked=blocked)
        key = "person-blocked-now" if blocked else "person-unblocked-now"
        return say(asked.locale.speaks, key, who=shown(person))

    def _person(self, tx: Tx, words: list[str], asked: CommandContext) -> tuple[Person, list[str]]:
        """The person named first, otherwise the author of the message this replies to."""
        quote = asked.message.reply_to
        said = messages.at(tx, asked.chat.id, quote.ref) if quote else None
        is_role = bool(words) and words[0].lower() in (*Role, NOBODY)
        if said and (not words or is_role):
            return people.person(tx, said.person_id), words
        if not words or is_role:
            raise Refused("person-which")
        return self._access.find_person(tx, words[0]), words[1:]

    # Chats

    def _wire(self, tx: Tx, words: list[str], asked: CommandContext) -> str:
        group = _one(words, "wire-which", known=", ".join(self._access.groups_for(asked.actor)))
        self._access.wire(tx, asked.actor, asked.chat, group, asked.at)
        return say(asked.locale.speaks, "wire-done", group=group)

    def _unwire(self, tx: Tx, words: list[str], asked: CommandContext) -> str:
        group = _one(words, "wire-which", known=", ".join(asked.groups) or "-")
        self._access.unwire(tx, asked.actor, asked.chat, group, asked.at)
        return say(asked.locale.speaks, "unwire-done", group=group)

    def _engage(self, tx: Tx, words: list[str], asked: CommandContext) -> str:
        group, rest = _group_first(words, asked)
        if not rest:
            return _choices(asked, "engage", EngageMode)
        engage = read_engage(rest[0] if rest else "", " ".join(rest[1:]))
        return self._change(tx, asked, group, WiringChange(engage=engage))

    def _ignored(self, tx: Tx, words: list[str], asked: CommandContext) -> str:
        group, rest = _group_first(words, asked)
        if not rest:
            return _choices(asked, "ignored", IgnoredMessages)
        return self._change(
            tx, asked, group, WiringChange(ignored=read_choice(IgnoredMessages, " ".join(rest)))
        )

    def _senders(self, tx: Tx, words: list[str], asked: CommandContext) -> str:
        group, rest = _group_first(words, asked)
        if not rest:
            return _choices(asked, "senders", SenderScope)
        return self._change(tx, asked, group, WiringChange(senders=read_choice(SenderScope, " ".join(rest))))

    def _change(self, tx: Tx, asked: CommandContext, group: str | None, change: WiringChange) -> str:
        wiring = self._access.wiring_of(tx, asked.chat, group)
        changed = self._access.change(tx, asked.actor, wiring, change, asked.at)
        language = asked.locale.speaks
        said = say(
            language,
            "wiring-now",
            group=changed.group,
            engage=as_written(engaged(language, changed.engage)),
            senders=say(language, f"senders-{changed.senders}"),
            ignored=say(language, f"ignored-{changed.ignored}"),
        )
        return said + "\n\n" + say(language, "wiring-privacy") if _needs_all(changed, asked.chat) else said

    def _strangers(self, tx: Tx, words: list[str], asked: CommandContext) -> str:
        if not words:
            return _choices(asked, "strangers", UnknownSenders)
        policy = read_choice(UnknownSenders, " ".join(words))
        self._access.set_strangers(tx, asked.actor, asked.chat, policy, asked.at)
        language = asked.locale.speaks
        return say(language, "strangers-now", policy=say(language, f"strangers-{policy}"))

    def _memory(self, tx: Tx, words: list[str], asked: CommandContext) -> str:
        if not words:
            return _choices(asked, "chat_memory", MemoryMode, family="memory-mode")
        mode = read_choice(MemoryMode, " ".join(words))
        self._access.set_memory(tx, asked.actor, asked.chat, mode, asked.at)
        language = asked.locale.speaks
        return say(language, "strangers-now", policy=say(language, f"memory-mode-{mode}"))

    # Agent groups and requests

    def _list_groups(self, tx: Tx, words: list[str], asked: CommandContext) -> str:
        language = asked.locale.speaks
        if words and words[0].lower() == "add":
            if len(words) != 3:
                raise Refused("group-add-how")
            folder = self._access.found_group(tx, asked.actor, words[1], words[2], asked.at)
            return say(language, "group-made", group=folder)
        lines = []
        for name in self._groups.names():
            count = len(wirings.chats_wired_to(tx, name))
            company = self._groups.company_of(name)
            lines.append(say(language, "group-line", group=name, company=company or "?", count=count))
        return listed(language, "groups-head", lines)

    def _decide(self, tx: Tx, words: list[str], asked: CommandContext, *, choice: str) -> str:
        """Allowing a chat without an agent means wiring it; denying means ignoring it."""
        request = self._approvals.find(tx, _one(words[:1], "request-which"))
        meant = choice
        if request.is_about_chat:
            meant = IGNORE if choice == DENY else self._group(words[1:], short(request.id))
        return self._approvals.decide(tx, request.id, meant, asked.actor, asked.at).said

    def _group(self, words: Sequence[str], request: str) -> str:
        named = _one(words, "request-needs-group", id=request)
        if named not in self._groups.names():
            raise Refused("no-such-group", group=named[:_SHOWN], known=", ".join(self._groups.names()))
        return named


def _needs_all(wiring: Wiring, chat: Chat) -> bool:
    """Whether the agent should read messages not addressed to the bot, which a network may withhold from bots."""
    calls_only = wiring.engage.mode is EngageMode.MENTION and wiring.ignored is IgnoredMessages.DROP
    return chat.kind is not ChatKind.PRIVATE and not calls_only


def _answer(
    act: Callable[[Tx, list[str], CommandContext], str], tx: Tx, argument: str, asked: CommandContext
) -> str:
    """Refusals are answered in words; `AccessChanges` refuses before it changes anything."""
    try:
        return act(tx, argument.split(), asked)
    except NanoClawError as error:
        return RefusedAnswer(as_written(tell(asked.locale.speaks, error)))


def _one(words: Sequence[str], otherwise: str, **values: str) -> str:
    if len(words) != 1:
        raise Refused(otherwise, **values)
    return words[0]


def _group_first(words: list[str], asked: CommandContext) -> tuple[str | None, list[str]]:
    """In a chat with several agents, the one that is meant is named first."""
    return (words[0], words[1:]) if words and words[0] in asked.groups else (None, words)


def _choices(asked: CommandContext, command: str, kind: Iterable[str], family: str = "") -> str:
    """Each with what it means: nobody remembers these words."""
    language, words = asked.locale.speaks, list(kind)
    if command == "engage":
        words.insert(0, "always")
    told = {each: say(language, f"{family or command}-{each}", pattern=_EXAMPLE) for each in words}
    lines = [f"- `/{command} {_EXAMPLES.get(each, each)}`: {as_written(said)}" for each, said in told.items()]
    return RefusedAnswer("\n".join([say(language, "choose-one"), "", *lines]))
