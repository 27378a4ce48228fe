"""What people may do, who they are, and how their words are shown within ours."""

import string
from dataclasses import replace
from html.parser import HTMLParser
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoclaw.console.markdown import to_html
from nanoclaw.domain.ids import PersonId
from nanoclaw.domain.people import Person, Rights, Role, best
from nanoclaw.domain.text import as_written, tidy_name
from nanoclaw.domain.wirings import ChatKind, Engage, EngageMode, usual_engage

pytestmark = pytest.mark.capability("P5", "P7")


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


def test_the_best_of_several_roles_is_the_one_that_may_most() -> None:
    for one, other in product(Role, Role):
        found = best(one, other)
        assert found in (one, other)
        assert found.may(one)
        assert found.may(other)
        assert best(other, one) is found
    assert best(Role.MEMBER) is Role.MEMBER


MEMBER_THERE = Rights(everywhere=Role.STRANGER, within={"press": Role.MEMBER, "sales": Role.ADMIN})


@pytest.mark.parametrize(
    ("rights", "group", "role"),
    [
        (MEMBER_THERE, "press", Role.MEMBER),
        (MEMBER_THERE, "sales", Role.ADMIN),
        (MEMBER_THERE, "main", Role.STRANGER),
        (MEMBER_THERE, "", Role.STRANGER),
        (Rights(everywhere=Role.OWNER), "main", Role.OWNER),
        (Rights(everywhere=Role.ADMIN, within={"main": Role.MEMBER}), "main", Role.ADMIN),
        (Rights(everywhere=Role.MEMBER, within={"main": Role.ADMIN}), "main", Role.ADMIN),
    ],
)
def test_in_a_group_counts_the_better_of_the_two_roles(rights: Rights, group: str, role: Role) -> None:
    assert rights.role_in(group) is role


def test_among_several_groups_the_best_role_counts() -> None:
    assert MEMBER_THERE.role_among(["main", "press"]) is Role.MEMBER
    assert MEMBER_THERE.role_among(["press", "sales"]) is Role.ADMIN
    assert MEMBER_THERE.role_among(["main"]) is Role.STRANGER
    assert MEMBER_THERE.role_among([]) is Role.STRANGER
    assert Rights(everywhere=Role.ADMIN).role_among([]) is Role.ADMIN


def test_a_right_in_all_groups_is_one_in_each_of_them() -> None:
    assert MEMBER_THERE.may_in_all(["press", "sales"], Role.MEMBER)
    assert not MEMBER_THERE.may_in_all(["press", "sales"], Role.ADMIN)
    assert not MEMBER_THERE.may_in_all(["press", "main"], Role.MEMBER)
    assert MEMBER_THERE.may_in_all(iter(["sales"]), Role.ADMIN)


def test_a_right_in_no_group_at_all_is_one_everywhere() -> None:
    """Otherwise an admin of one group could decide about a chat that belongs to none."""
    assert not MEMBER_THERE.may_in_all([], Role.MEMBER)
    assert not MEMBER_THERE.may_in_all(iter([]), Role.ADMIN)
    assert Rights(everywhere=Role.ADMIN).may_in_all([], Role.ADMIN)


roles = st.sampled_from(Role)
groups = st.sampled_from(["main", "press", "sales", "lab"])
all_rights = st.builds(Rights, everywhere=roles, within=st.dictionaries(groups, roles))


@given(all_rights, st.lists(groups), roles)
def test_rights_agree_with_each_other(rights: Rights, some: list[str], needed: Role) -> None:
    each = [rights.role_in(group) for group in some]
    assert rights.role_among(some) is best(rights.everywhere, *each)
    if some:
        assert rights.may_in_all(some, needed) == all(role.may(needed) for role in each)
    assert all(role.may(rights.everywhere) for role in each)
    if rights.everywhere.may(needed):
        assert rights.may_in_all(some, needed)


PERSON = Person(
    id=PersonId("p_1"),
    handle="telegram:71",
    name="Olena",
    role=Role.STRANGER,
    language=None,
    timezone=None,
)


@pytest.mark.parametrize(
    ("handle", "network", "is_anonymous"),
    [
        ("telegram:71", "telegram", False),
        ("telegram-chat:-100123", "telegram-chat", True),
        ("local:owner", "local", False),
        ("telegram:-chat", "telegram", False),
        ("telegram:x-chat:1", "telegram", False),
        ("web:telegram-chat", "web", False),
    ],
)
def test_who_speaks_as_a_chat_is_anonymous(handle: str, network: str, is_anonymous: bool) -> None:
    found = replace(PERSON, handle=handle)
    assert (found.network, found.is_anonymous) == (network, is_anonymous)


@pytest.mark.capability("P2")
def test_alone_with_us_everything_is_meant_and_among_others_what_calls_us() -> None:
    assert {kind: usual_engage(kind) for kind in ChatKind} == {
        ChatKind.PRIVATE: Engage(mode=EngageMode.PATTERN, pattern="."),
        ChatKind.GROUP: Engage(mode=EngageMode.MENTION),
        ChatKind.THREADED: Engage(mode=EngageMode.MENTION_STICKY),
    }


class Page(HTMLParser):
    """What a person sees of it, and the tags it is made with."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, _attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


HOSTILE = [
    "**[x](http://evil)**<b>",
    "<script>alert(1)</script>",
    "![x](http://evil/pixel.png)",
    "<http://evil>",
    "`code` ~~gone~~ __bold__ *it*",
    "&lt;b&gt; &#60; &copy;",
    "[click][1]",
    "a\\*b\\",
    "1. one",
    "- one",
    "+ one",
    "# Owner",
    "> said",
    "***",
    "---",
    "|a|b|",
    "```",
    "x | y :--",
    "https://evil.example/?a=b&c=d",
    "mail@evil.example",
]


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("around", ["{}", "{} wrote", "**Someone** {} wrote in `a chat`:"])
def test_someones_words_are_shown_letter_by_letter(name: str, around: str) -> None:
    plain, page = Page(to_html(around.format("name"))), Page(to_html(around.format(as_written(name))))
    assert page.text == plain.text.replace("name", name)
    assert page.tags == plain.tags


def test_every_sign_is_shown_as_written() -> None:
    page = Page(to_html(as_written(string.punctuation)))
    assert (page.text.strip(), page.tags) == (string.punctuation, ["p"])
    for sign in string.punctuation:
        page = Page(to_html(as_written(sign * 3 + "x")))
        assert (page.text.strip(), page.tags) == (sign * 3 + "x", ["p"])


def test_letters_of_any_language_stay_as_they_are() -> None:
    assert as_written("Олена Коваль 李雷 42") == "Олена Коваль 李雷 42"


@given(st.text(st.characters() | st.sampled_from("*_[]()<>`~!#&\\|-+.:/@"), max_size=60).map(tidy_name))
def test_no_name_becomes_anything_but_itself(name: str) -> None:
    page = Page(to_html(f"By {as_written(name)}."))
    assert (page.text.strip(), page.tags) == (f"By {name}.", ["p"])
