"""The judge: from the facts about a message to a verdict with its reason."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoclaw.admission.judge import Admitted, Declined, Dropped, Facts, Verdict, judge
from nanoclaw.domain.people import Role
from nanoclaw.texts import LANGUAGES, keys

pytestmark = pytest.mark.capability("A4", "P6")

KNOWN = (Role.OWNER, Role.ADMIN, Role.MEMBER)
TEXTS = {"nothing": "", "invisible": " \n\u200b", "short": "hi", "longest": "12345", "too long": "123456"}
LONGEST = 5

TABLE: dict[tuple[tuple[str, ...], str], Verdict] = {
    ((), "nothing"): Dropped(reason="not-wired"),
    ((), "invisible"): Dropped(reason="not-wired"),
    ((), "short"): Dropped(reason="not-wired"),
    ((), "longest"): Dropped(reason="not-wired"),
    ((), "too long"): Dropped(reason="not-wired"),
    (("main",), "nothing"): Declined(reason="empty", values={}),
    (("main",), "invisible"): Declined(reason="empty", values={}),
    (("main",), "short"): Admitted(groups=("main",)),
    (("main",), "longest"): Admitted(groups=("main",)),
    (("main",), "too long"): Declined(reason="too-long", values={"length": 6, "longest": 5}),
    (("main", "sales"), "nothing"): Declined(reason="empty", values={}),
    (("main", "sales"), "invisible"): Declined(reason="empty", values={}),
    (("main", "sales"), "short"): Admitted(groups=("main", "sales")),
    (("main", "sales"), "longest"): Admitted(groups=("main", "sales")),
    (("main", "sales"), "too long"): Declined(reason="too-long", values={"length": 6, "longest": 5}),
}


def _facts(role: Role, wired_to: tuple[str, ...], text: str) -> Facts:
    return Facts(text=TEXTS[text], role=role, wired_to=wired_to, longest=LONGEST)


@pytest.mark.parametrize(("wired_to", "text"), list(TABLE))
@pytest.mark.parametrize("role", KNOWN)
def test_the_verdict_on_someone_we_know(role: Role, wired_to: tuple[str, ...], text: str) -> None:
    assert judge(_facts(role, wired_to, text)) == TABLE[wired_to, text]


@pytest.mark.parametrize(("wired_to", "text"), list(TABLE))
def test_a_stranger_is_dropped_whatever_they_write_and_wherever(wired_to: tuple[str, ...], text: str) -> None:
    assert judge(_facts(Role.STRANGER, wired_to, text)) == Dropped(reason="unknown-sender")


SENTENCES = {language: keys(language) for language in LANGUAGES}

facts = st.builds(
    Facts,
    text=st.text(),
    role=st.sampled_from(Role),
    wired_to=st.lists(st.sampled_from(["main", "sales", "press"]), unique=True).map(tuple),
    longest=st.integers(1, 20),
)


@given(facts)
def test_a_stranger_is_never_admitted_nor_answered(given_facts: Facts) -> None:
    verdict = judge(given_facts)
    if given_facts.role is Role.STRANGER:
        assert isinstance(verdict, Dropped)
    else:
        assert verdict != Dropped(reason="unknown-sender")


@given(facts)
def test_only_groups_that_the_chat_is_wired_to_get_a_message_and_all_of_them_do(given_facts: Facts) -> None:
    verdict = judge(given_facts)
    if isinstance(verdict, Admitted):
        assert verdict.groups == given_facts.wired_to
        assert verdict.groups
        assert 0 < len(given_facts.text) <= given_facts.longest


@given(facts)
def test_every_refusal_has_a_reason_that_both_languages_know(given_facts: Facts) -> None:
    verdict = judge(given_facts)
    if not isinstance(verdict, Admitted):
        assert all(f"reason-{verdict.reason}" in sentences for sentences in SENTENCES.values())
    if isinstance(verdict, Declined):
        assert all(f"declined-{verdict.reason}" in sentences for sentences in SENTENCES.values())


@pytest.mark.capability("P5")
@pytest.mark.parametrize(
    ("role", "allowed"),
    [
        (Role.OWNER, {Role.OWNER, Role.ADMIN, Role.MEMBER, Role.STRANGER}),
        (Role.ADMIN, {Role.ADMIN, Role.MEMBER, Role.STRANGER}),
        (Role.MEMBER, {Role.MEMBER, Role.STRANGER}),
        (Role.STRANGER, {Role.STRANGER}),
    ],
)
def test_each_role_may_do_what_the_next_one_may(role: Role, allowed: set[Role]) -> None:
    assert {needed for needed in Role if role.may(needed)} == allowed
