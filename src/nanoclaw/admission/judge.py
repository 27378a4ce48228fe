"""The judge: from the facts about a message to a verdict with its reasons. Pure: asks nothing, changes nothing.

Each wiring of the chat is judged on its own. The message goes to every agent that engages; if none does, someone is
asked about its sender, or it is kept as context, or it is dropped.
"""

from dataclasses import dataclass, replace
from enum import StrEnum

from nanoclaw.admission import patterns
from nanoclaw.domain.people import Role
from nanoclaw.domain.wirings import ALWAYS, Engage, EngageMode, IgnoredMessages, SenderScope, UnknownSenders


@dataclass(frozen=True, kw_only=True, slots=True)
class Wired:
    """An agent group that the chat is wired to, in relation to this message."""

    group: str
    company: str
    engage: Engage
    senders: SenderScope = SenderScope.ALL
    ignored: IgnoredMessages = IgnoredMessages.DROP
    role: Role  # of the sender, in this group
    called: bool = False  # the agent was already called into this thread


@dataclass(frozen=True, kw_only=True, slots=True)
class Facts:
    """Everything that the verdict depends on."""

    text: str
    addressed: bool  # the bot was called: in a private chat, by its name, in reply to it, or by a command
    in_own_words: bool = True  # otherwise forwarded from someone else, which decides nothing
    commands_skill: bool = False  # it names one of the skills
    edits_seen: bool = False  # in a group chat, an edit of a message that woke an agent before
    strangers: UnknownSenders = UnknownSenders.REQUEST_APPROVAL
    role: Role = Role.STRANGER  # the sender's global role
    anonymous: bool = False
    blocked: bool = False
    wired: tuple[Wired, ...] = ()
    groups: tuple[str, ...] = ()  # all existing agent groups
    can_ask: bool = True  # there is someone on this network who may decide


class AgentOutcome(StrEnum):
    """What a message means for one agent."""

    WAKES = "wakes"
    KEPT = "kept"
    ASKED = "asked"
    IGNORED = "ignored"


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentVerdict:
    """What a message means for one agent, and why."""

    group: str
    outcome: AgentOutcome
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Admitted:
    """Wakes these agents, and is kept as context for others."""

    groups: tuple[str, ...]
    kept: tuple[str, ...] = ()
    wires: bool = False  # this wires the chat to the agent
    reason: str
    findings: tuple[AgentVerdict, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Accumulated:
    """Wakes nobody; these agents read it with the next message that wakes them."""

    groups: tuple[str, ...]
    reason: str
    findings: tuple[AgentVerdict, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Held:
    """Waits until someone has decided about the sender or, without groups, about the chat."""

    groups: tuple[str, ...]
    reason: str
    findings: tuple[AgentVerdict, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Dropped:
    """Never accepted; recorded with the reason, and nobody is told."""

    reason: str
    findings: tuple[AgentVerdict, ...] = ()


Verdict = Admitted | Accumulated | Held | Dropped


def judge(facts: Facts) -> Verdict:
    if facts.blocked:
        return Dropped(reason="blocked")
    if not facts.wired:
        return _judge_unwired(facts)
    # From the first one that can be read: a broken file does not silence the others.
    company = next((each.company for each in facts.wired if each.company), "")
    findings = tuple(_find(facts, wired, company) for wired in facts.wired)
    woken, kept, asked = (
        tuple(each.group for each in findings if each.outcome is outcome)
        for outcome in (AgentOutcome.WAKES, AgentOutcome.KEPT, AgentOutcome.ASKED)
    )
    reason = _telling(findings).reason
    if woken:
        heard = tuple(map(_without_asking, findings))
        return Admitted(groups=woken, kept=kept, reason=reason, findings=heard)
    if asked:
        return Held(groups=asked, reason=reason, findings=findings)
    if kept:
        return Accumulated(groups=kept, reason=reason, findings=findings)
    return Dropped(reason=reason, findings=findings)


def _judge_unwired(facts: Facts) -> Verdict:
    """A sender who may decide wires the chat if there is one agent; otherwise someone who may is asked."""
    if not facts.addressed:
        return Dropped(reason="not-addressed")
    if not facts.groups:
        return Dropped(reason="no-groups")
    decides = facts.role.may(Role.ADMIN) and facts.in_own_words
    if decides and len(facts.groups) == 1:
        return Admitted(groups=facts.groups, wires=True, reason="only-group")
    if facts.strangers is UnknownSenders.STRICT:  # someone does not want to hear from this chat again
        return Dropped(reason="not-wired")
    if facts.anonymous:  # letting them in would admit nobody in particular
        return Dropped(reason="anonymous")
    return Held(groups=(), reason="unknown-chat") if facts.can_ask else Dropped(reason="no-owner")


def _find(facts: Facts, wired: Wired, company: str) -> AgentVerdict:
    def found(outcome: AgentOutcome, reason: str) -> AgentVerdict:
        return AgentVerdict(group=wired.group, outcome=outcome, reason=reason)

    if wired.company and wired.company != company:
        return found(AgentOutcome.IGNORED, "other-company")
    engages, why = _engages(facts, wired)
    is_known = wired.role.may(Role.MEMBER)
    if is_known or (facts.strangers is UnknownSenders.PUBLIC and wired.senders is SenderScope.ALL):
        if engages:
            return found(AgentOutcome.KEPT, "edited") if facts.edits_seen else found(AgentOutcome.WAKES, why)
        keeps = wired.ignored is IgnoredMessages.ACCUMULATE
        return found(AgentOutcome.KEPT if keeps else AgentOutcome.IGNORED, why)
    if not engages:  # nobody is asked about people who talk to each other
        return found(AgentOutcome.IGNORED, why)
    if facts.strangers is UnknownSenders.PUBLIC:
        return found(AgentOutcome.IGNORED, "members-only")
    if facts.strangers is UnknownSenders.STRICT:
        return found(AgentOutcome.IGNORED, "unknown-sender")
    if facts.anonymous:
        return found(AgentOutcome.IGNORED, "anonymous")
    return (
        found(AgentOutcome.ASKED, "sender-asked")
        if facts.can_ask
        else found(AgentOutcome.IGNORED, "no-owner")
    )


def _engages(facts: Facts, wired: Wired) -> tuple[bool, str]:
    """Whether the agent is addressed, and why or why not."""
    if facts.addressed and facts.commands_skill:
        return True, "skill-command"
    mode, pattern = wired.engage.mode, wired.engage.pattern
    if mode is EngageMode.PATTERN:
        if patterns.fits(pattern, facts.text):
            return True, "always" if pattern == ALWAYS else "pattern"
        return False, "no-match"
    if facts.addressed:
        return True, "addressed"
    if mode is EngageMode.MENTION_STICKY and wired.called:
        return True, "called-before"
    return False, "not-addressed"


def _without_asking(finding: AgentVerdict) -> AgentVerdict:
    """A person whom another agent of the chat answers is not a stranger there: nobody is asked about them."""
    is_asked = finding.outcome is AgentOutcome.ASKED
    return replace(finding, outcome=AgentOutcome.IGNORED, reason="not-member") if is_asked else finding


_RANKS = [AgentOutcome.WAKES, AgentOutcome.ASKED, AgentOutcome.KEPT, AgentOutcome.IGNORED]


def _telling(findings: tuple[AgentVerdict, ...]) -> AgentVerdict:
    """The finding that decides the verdict; of several that ignore it, preferably one about its author."""
    plain = ("not-addressed", "no-match", "other-company")
    return min(findings, key=lambda each: (_RANKS.index(each.outcome), each.reason in plain))
