"""The judge: from the facts about a message to a verdict with its reasons."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product, starmap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nanoclaw.admission.judge import (
    Accumulated,
    Admitted,
    AgentOutcome,
    AgentVerdict,
    Dropped,
    Facts,
    Held,
    Verdict,
    Wired,
    judge,
)
from nanoclaw.domain.people import Role
from nanoclaw.domain.wirings import (
    Engage,
    EngageMode,
    IgnoredMessages,
    SenderScope,
    UnknownSenders,
)
from nanoclaw.texts import LANGUAGES, entries

pytestmark = pytest.mark.capability("A4", "P1", "P2", "P3", "P4", "P6")

TEXT = "Assistant, the numbers please"
BOOLS = (False, True)


@dataclass(frozen=True, kw_only=True)
class Mode:
    """One way in which an agent is told when it is meant, and what it says to TEXT."""

    engage: Engage
    called: bool = False
    overheard: str | None = None  # why it takes up what is not addressed to the bot; None: it does not
    addressed: str | None = None  # why it takes up what is
    otherwise: str = "no-match"  # why it does not


def _pattern(pattern: str | None) -> Engage:
    return Engage(mode=EngageMode.PATTERN, pattern=pattern)


_MENTION, _STICKY = Engage(mode=EngageMode.MENTION), Engage(mode=EngageMode.MENTION_STICKY)

MODES = {
    "everything": Mode(engage=_pattern("."), overheard="always", addressed="always"),
    "words that fit": Mode(engage=_pattern("^assistant"), overheard="pattern", addressed="pattern"),
    "words that do not fit": Mode(engage=_pattern("^robot")),
    "a bad pattern": Mode(engage=_pattern("(assistant")),
    "no pattern": Mode(engage=_pattern(None)),
    "a mention": Mode(engage=_MENTION, overheard=None, addressed="addressed", otherwise="not-addressed"),
    "a mention, before": Mode(
        engage=_MENTION, called=True, overheard=None, addressed="addressed", otherwise="not-addressed"
    ),
    "a call that lasts": Mode(
        engage=_STICKY, overheard=None, addressed="addressed", otherwise="not-addressed"
    ),
    "a call that lasts, before": Mode(
        engage=_STICKY, called=True, overheard="called-before", addressed="addressed"
    ),
}

# What becomes of someone for whom nobody has vouched, by the policy of the chat and the scope of the wiring.
STRANGERS = {
    (UnknownSenders.REQUEST_APPROVAL, SenderScope.ALL): "asked about",
    (UnknownSenders.REQUEST_APPROVAL, SenderScope.KNOWN): "asked about",
    (UnknownSenders.STRICT, SenderScope.ALL): "unknown-sender",
    (UnknownSenders.STRICT, SenderScope.KNOWN): "unknown-sender",
    (UnknownSenders.PUBLIC, SenderScope.ALL): "may speak",
    (UnknownSenders.PUBLIC, SenderScope.KNOWN): "members-only",
}


@dataclass(frozen=True)
class Case:
    mode: str
    addressed: bool
    senders: SenderScope
    ignored: IgnoredMessages
    strangers: UnknownSenders
    role: Role
    anonymous: bool
    can_ask: bool

    @property
    def facts(self) -> Facts:
        mode = MODES[self.mode]
        wired = Wired(
            group="main",
            company="acme",
            engage=mode.engage,
            senders=self.senders,
            ignored=self.ignored,
            role=self.role,
            called=mode.called,
        )
        return Facts(
            text=TEXT,
            addressed=self.addressed,
            strangers=self.strangers,
            role=self.role,
            anonymous=self.anonymous,
            wired=(wired,),
            can_ask=self.can_ask,
        )

    @property
    def expected(self) -> tuple[str, str]:
        """The outcome for the agent, and the reason."""
        mode = MODES[self.mode]
        meant = mode.addressed if self.addressed else mode.overheard
        is_stranger = self.role is Role.STRANGER
        standing = STRANGERS[self.strangers, self.senders] if is_stranger else "may speak"
        if standing == "may speak":
            if meant:
                return "wakes", meant
            return "kept" if self.ignored is IgnoredMessages.ACCUMULATE else "ignored", mode.otherwise
        if not meant:
            return "ignored", mode.otherwise
        if standing == "asked about":
            if self.anonymous:
                return "ignored", "anonymous"
            return ("asked", "sender-asked") if self.can_ask else ("ignored", "no-owner")
        return "ignored", standing


def _all_cases() -> Iterator[Case]:
    rows = product(MODES, BOOLS, SenderScope, IgnoredMessages, UnknownSenders, Role, BOOLS, BOOLS)
    return starmap(Case, rows)


def _verdict(outcome: str, reason: str) -> Verdict:
    findings = (AgentVerdict(group="main", outcome=AgentOutcome(outcome), reason=reason),)
    match outcome:
        case "wakes":
            return Admitted(groups=("main",), reason=reason, findings=findings)
        case "asked":
            return Held(groups=("main",), reason=reason, findings=findings)
        case "kept":
            return Accumulated(groups=("main",), reason=reason, findings=findings)
    return Dropped(reason=reason, findings=findings)


def test_every_combination_for_a_chat_with_one_agent() -> None:
    wrong = [
        (case, found, case.expected)
        for case in _all_cases()
        if (found := judge(case.facts)) != _verdict(*case.expected)
    ]
    assert len(list(_all_cases())) == len(MODES) * 2 * 2 * 2 * 3 * 4 * 2 * 2
    assert wrong == []


def test_the_table_reaches_every_outcome_and_reason_of_a_wired_chat() -> None:
    assert {case.expected for case in _all_cases()} == {
        *(("wakes", why) for why in ("always", "pattern", "addressed", "called-before")),
        *(("kept", why) for why in ("no-match", "not-addressed")),
        ("asked", "sender-asked"),
        *(("ignored", why) for why in ("no-match", "not-addressed", "unknown-sender", "members-only")),
        *(("ignored", why) for why in ("anonymous", "no-owner")),
    }


def test_whoever_is_blocked_is_dropped_in_every_combination() -> None:
    for case in _all_cases():
        assert judge(replace(case.facts, blocked=True)) == Dropped(reason="blocked")
        assert judge(replace(case.facts, blocked=True, commands_skill=True)) == Dropped(reason="blocked")
    for facts, _ in _unwired():
        assert judge(replace(facts, blocked=True)) == Dropped(reason="blocked")


def test_new_words_for_what_woke_an_agent_are_kept_and_never_wake_it_again() -> None:
    for case in _all_cases():
        outcome, reason = case.expected
        expected = ("kept", "edited") if outcome == "wakes" else (outcome, reason)
        assert judge(replace(case.facts, edits_seen=True)) == _verdict(*expected), case


def test_the_command_of_a_skill_is_meant_for_every_agent_when_the_bot_is_addressed() -> None:
    """It goes the way of a message that an agent in the mode `mention` is called by."""
    for case in _all_cases():
        found = judge(replace(case.facts, commands_skill=True))
        if not case.addressed:
            assert found == judge(case.facts), case
            continue
        outcome, reason = replace(case, mode="a mention").expected
        assert found == _verdict(outcome, "skill-command" if outcome == "wakes" else reason), case


# A chat that belongs to no agent group


def _unwired() -> Iterator[tuple[Facts, Verdict]]:
    rows = product(BOOLS, Role, (0, 1, 3), UnknownSenders, BOOLS, BOOLS)
    for addressed, role, count, strangers, can_ask, anonymous in rows:
        groups = ("main", "press", "sales")[:count]
        facts = Facts(
            text=TEXT,
            addressed=addressed,
            role=role,
            strangers=strangers,
            can_ask=can_ask,
            groups=groups,
            anonymous=anonymous,
        )
        yield facts, _unwired_verdict(facts, decides=role in (Role.OWNER, Role.ADMIN))


def _unwired_verdict(facts: Facts, *, decides: bool) -> Verdict:
    """In words: nobody is disturbed by what is not for us; who may decide it decides it, else they are asked,
    unless they said that they want to hear no more of this chat.
    """
    how_many = len(facts.groups)
    match (facts.addressed, how_many, decides):
        case (False, _, _):
            return Dropped(reason="not-addressed")
        case (True, 0, _):
            return Dropped(reason="no-groups")
        case (True, 1, True):
            return Admitted(groups=facts.groups, wires=True, reason="only-group")
    if facts.strangers is UnknownSenders.STRICT:
        return Dropped(reason="not-wired")
    if facts.anonymous:
        return Dropped(reason="anonymous")
    return Held(groups=(), reason="unknown-chat") if facts.can_ask else Dropped(reason="no-owner")


def test_every_combination_for_a_chat_that_belongs_to_no_agent() -> None:
    for facts, expected in _unwired():
        assert judge(facts) == expected, facts


def test_a_member_of_a_group_does_not_wire_a_chat() -> None:
    found = judge(Facts(text=TEXT, addressed=True, role=Role.MEMBER, groups=("main",)))
    assert found == Held(groups=(), reason="unknown-chat")


# Several agents in one chat


def wired(group: str, engage: Engage = _MENTION, **more: object) -> Wired:
    told: dict[str, object] = {"company": "acme", "role": Role.MEMBER, **more}
    return Wired(group=group, engage=engage, **told)  # type: ignore[arg-type]


def facts_of(*agents: Wired, **more: object) -> Facts:
    told: dict[str, object] = {"text": TEXT, "addressed": False, "role": Role.MEMBER, **more}
    return Facts(wired=agents, **told)  # type: ignore[arg-type]


def test_every_agent_that_engages_is_woken_in_the_order_of_the_wirings() -> None:
    agents = [wired(name, _pattern(".")) for name in ("sales", "main", "press")]
    assert _groups(judge(facts_of(*agents))) == ("sales", "main", "press")
    assert _groups(judge(facts_of(*reversed(agents)))) == ("press", "main", "sales")


def test_one_agent_wakes_another_keeps_and_a_third_never_sees_it() -> None:
    found = judge(
        facts_of(
            wired("listens", ignored=IgnoredMessages.ACCUMULATE), wired("always", _pattern(".")), wired("not")
        )
    )
    assert found == Admitted(
        groups=("always",),
        kept=("listens",),
        reason="always",
        findings=(
            AgentVerdict(group="listens", outcome=AgentOutcome.KEPT, reason="not-addressed"),
            AgentVerdict(group="always", outcome=AgentOutcome.WAKES, reason="always"),
            AgentVerdict(group="not", outcome=AgentOutcome.IGNORED, reason="not-addressed"),
        ),
    )


def test_a_message_is_held_only_when_it_wakes_nobody() -> None:
    known, unknown = wired("known"), wired("unknown", role=Role.STRANGER)
    waking = judge(facts_of(unknown, known, addressed=True))
    assert isinstance(waking, Admitted)
    assert (waking.groups, waking.reason) == (("known",), "addressed")
    asking = judge(facts_of(unknown, replace(known, engage=_pattern("^robot")), addressed=True))
    assert isinstance(asking, Held)
    assert (asking.groups, asking.reason) == (("unknown",), "sender-asked")


def test_about_a_stranger_is_asked_for_those_agents_that_were_meant() -> None:
    agents = [
        wired("called", role=Role.STRANGER),
        wired("also", _STICKY, role=Role.STRANGER),
        wired("deaf", _pattern("^robot"), role=Role.STRANGER, ignored=IgnoredMessages.ACCUMULATE),
    ]
    found = judge(facts_of(*agents, addressed=True, role=Role.STRANGER))
    assert isinstance(found, Held)
    assert found.groups == ("called", "also")


def test_in_a_public_chat_an_agent_for_members_hears_nothing_that_others_answer() -> None:
    agents = [
        wired("closed", role=Role.STRANGER, senders=SenderScope.KNOWN, ignored=IgnoredMessages.ACCUMULATE),
        wired("open", role=Role.STRANGER),
    ]
    found = judge(facts_of(*agents, addressed=True, strangers=UnknownSenders.PUBLIC))
    assert isinstance(found, Admitted)
    assert (found.groups, found.kept) == (("open",), ())
    assert [each.reason for each in found.findings] == ["members-only", "addressed"]


def test_roles_are_those_in_each_group() -> None:
    agents = [wired("theirs"), wired("other", role=Role.STRANGER)]
    assert _groups(judge(facts_of(*agents, addressed=True, role=Role.STRANGER))) == ("theirs",)


def test_nothing_reaches_an_agent_of_another_company_than_the_first_one_of_the_chat() -> None:
    rival = wired("rival", _pattern("."), company="globex", ignored=IgnoredMessages.ACCUMULATE)
    found = judge(facts_of(wired("main", _pattern(".")), rival))
    assert isinstance(found, Admitted)
    assert (found.groups, found.kept) == (("main",), ())
    assert found.findings[1] == AgentVerdict(
        group="rival", outcome=AgentOutcome.IGNORED, reason="other-company"
    )
    assert judge(facts_of(wired("main"), rival)) == Dropped(
        reason="not-addressed", findings=judge(facts_of(wired("main"), rival)).findings
    )


def test_of_several_reasons_the_one_about_the_sender_is_told() -> None:
    agents = [wired("deaf", _pattern("^robot"), role=Role.STRANGER), wired("called", role=Role.STRANGER)]
    strict = facts_of(*agents, addressed=True, strangers=UnknownSenders.STRICT, role=Role.STRANGER)
    assert judge(strict).reason == "unknown-sender"


def _groups(verdict: Verdict) -> tuple[str, ...]:
    assert isinstance(verdict, Admitted)
    return verdict.groups


# Whatever the facts are

SENTENCES = {language: entries(language) for language in LANGUAGES}
COMPANY_OF = {"main": "acme", "press": "acme", "sales": "globex", "lab": "initech"}

patterns = st.sampled_from(
    [".", "^assistant", "numbers", "(?-i)ROBOT", "(", "a**", "(?=x)", "", " "]
) | st.text(max_size=8)
engages = st.builds(Engage, mode=st.sampled_from(EngageMode), pattern=st.none() | patterns)
agents = st.sampled_from(sorted(COMPANY_OF)).flatmap(
    lambda group: st.builds(
        Wired,
        group=st.just(group),
        company=st.just(COMPANY_OF[group]),
        engage=engages,
        senders=st.sampled_from(SenderScope),
        ignored=st.sampled_from(IgnoredMessages),
        role=st.sampled_from(Role),
        called=st.booleans(),
    )
)
all_facts = st.builds(
    Facts,
    text=st.text(max_size=20) | st.just(TEXT),
    addressed=st.booleans(),
    commands_skill=st.booleans(),
    edits_seen=st.booleans(),
    strangers=st.sampled_from(UnknownSenders),
    role=st.sampled_from(Role),
    anonymous=st.booleans(),
    blocked=st.sampled_from([False, False, False, True]),
    wired=st.lists(agents, max_size=4, unique_by=lambda each: each.group).map(tuple),
    groups=st.lists(st.sampled_from(sorted(COMPANY_OF)), unique=True).map(tuple),
    can_ask=st.booleans(),
)


def reached(verdict: Verdict) -> tuple[str, ...]:
    """The agents that see the message, now or later."""
    match verdict:
        case Admitted(groups=groups, kept=kept):
            return groups + kept
        case Accumulated(groups=groups):
            return groups
    return ()


@given(all_facts)
@settings(max_examples=200)
def test_a_stranger_reaches_no_agent_unless_the_chat_is_public(facts: Facts) -> None:
    if facts.strangers is UnknownSenders.PUBLIC:
        return
    roles = {each.group: each.role for each in facts.wired} if facts.wired else {}
    for group in reached(judge(facts)):
        assert roles.get(group, facts.role) is not Role.STRANGER


@given(all_facts)
def test_in_a_public_chat_a_stranger_reaches_only_agents_for_everyone(facts: Facts) -> None:
    verdict = judge(replace(facts, strangers=UnknownSenders.PUBLIC))
    for each in facts.wired:
        if each.group in reached(verdict) and each.role is Role.STRANGER:
            assert each.senders is SenderScope.ALL


@given(all_facts, st.sampled_from(["(", "a**", "(?=numbers)", r"(n)\1", "[", "", None]))
def test_a_bad_pattern_never_engages(facts: Facts, bad: str | None) -> None:
    broken = tuple(replace(each, engage=_pattern(bad)) for each in facts.wired)
    verdict = judge(replace(facts, wired=broken, commands_skill=False))
    if broken:
        assert isinstance(verdict, Accumulated | Dropped)


@given(all_facts)
@settings(max_examples=200)
def test_nothing_from_one_company_reaches_a_session_of_another(facts: Facts) -> None:
    verdict = judge(facts)
    named = reached(verdict) + (verdict.groups if isinstance(verdict, Held) else ())
    if facts.wired:
        assert {COMPANY_OF[group] for group in named} <= {facts.wired[0].company}


@given(all_facts)
def test_only_agents_of_the_chat_or_the_only_one_there_is_get_a_message(facts: Facts) -> None:
    verdict = judge(facts)
    named = reached(verdict) + (verdict.groups if isinstance(verdict, Held) else ())
    assert len(set(named)) == len(named)
    if facts.wired:
        order = [each.group for each in facts.wired]
        assert set(named) <= set(order)
        for some in (verdict.groups, verdict.kept) if isinstance(verdict, Admitted) else ():
            assert list(some) == sorted(some, key=order.index)
        assert not (isinstance(verdict, Admitted) and verdict.wires)
    elif named:
        assert isinstance(verdict, Admitted)
        assert verdict.wires
        assert (named, len(facts.groups)) == (facts.groups, 1)


@given(all_facts)
@settings(max_examples=200)
def test_every_verdict_and_every_finding_has_a_reason_that_both_languages_know(facts: Facts) -> None:
    verdict = judge(facts)
    for reason in {verdict.reason, *(each.reason for each in verdict.findings)}:
        assert all(f"reason-{reason}" in sentences for sentences in SENTENCES.values()), reason


@given(all_facts)
def test_a_verdict_is_what_its_findings_say(facts: Facts) -> None:
    verdict = judge(facts)
    if facts.blocked or not facts.wired:
        assert verdict.findings == ()
        return
    assert [each.group for each in verdict.findings] == [each.group for each in facts.wired]
    outcomes = {each.outcome for each in verdict.findings}
    kind = {AgentOutcome.WAKES: Admitted, AgentOutcome.ASKED: Held, AgentOutcome.KEPT: Accumulated}
    question_decisions = next((each for each in kind if each in outcomes), None)
    assert type(verdict) is (kind[question_decisions] if question_decisions else Dropped)
    assert verdict.reason in {
        each.reason for each in verdict.findings if question_decisions in (None, each.outcome)
    }


@given(all_facts)
def test_nobody_hears_of_whoever_is_blocked(facts: Facts) -> None:
    assert judge(replace(facts, blocked=True)) == Dropped(reason="blocked")


@given(all_facts)
def test_nobody_is_asked_about_an_anonymous_sender(facts: Facts) -> None:
    assert not isinstance(judge(replace(facts, anonymous=True)), Held)


@given(all_facts)
def test_nobody_is_asked_where_nobody_can_decide(facts: Facts) -> None:
    assert not isinstance(judge(replace(facts, can_ask=False)), Held)


@given(all_facts)
def test_nobody_is_asked_twice_about_the_same_facts(facts: Facts) -> None:
    """Pure: the same facts always have the same verdict, also when a held message is judged again."""
    assert judge(facts) == judge(facts)
