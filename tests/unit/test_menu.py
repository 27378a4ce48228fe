"""The menu of commands: names that Telegram takes, in the person's language, and only what that person may use."""

import re

import pytest

from nanoclaw.admission.commands import COMMANDS
from nanoclaw.channels.telegram.menu import commands_for
from nanoclaw.domain.people import Role
from nanoclaw.texts import LANGUAGES

pytestmark = pytest.mark.capability("A1")

SKILLS = {
    "draft-post": "Write a post",
    "A-Very-Long-Name-Of-A-Skill-That-Goes-On": "",
    "help": "not this one",
}


def offered(role: Role, language: str = "en", skills: dict[str, str] | None = None) -> dict[str, str]:
    return {each.command: each.description for each in commands_for(role, language, skills or {})}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_name_and_description_is_one_that_telegram_takes(language: str) -> None:
    menu = offered(Role.OWNER, language, SKILLS | {"long": "x" * 500})
    for name, description in menu.items():
        assert re.fullmatch(r"[a-z0-9_]{1,32}", name)
        assert 1 <= len(description.strip()) <= 256


def test_what_each_command_does_is_told_in_the_language_of_the_person() -> None:
    english, ukrainian = offered(Role.OWNER, "en"), offered(Role.OWNER, "uk")
    assert english.keys() == ukrainian.keys()
    assert all(english[name] != ukrainian[name] for name in english)


ALL_GROUPS = {"people", "block", "unblock", "chats", "groups", "drops", "audit", "retry_failed", "sync"}
ONE_GROUP = {
    "interview",
    "permits",
    "revoke",
    "requests",
    "allow",
    "deny",
    "wire",
    "unwire",
    "engage",
    "ignored",
    "senders",
    "strangers",
    "chat_memory",
    "role",
}


@pytest.mark.capability("P5", "P7")
def test_owners_and_admins_are_offered_what_a_member_is_not() -> None:
    member = offered(Role.MEMBER).keys()
    for role, alone in ((Role.OWNER, {"budget_override"}), (Role.ADMIN, set())):
        assert offered(role).keys() - member == ALL_GROUPS | ONE_GROUP | alone
        assert offered(role).keys() >= member
    assert {"help", "status", "stop", "leave", "language"} <= member


@pytest.mark.capability("P7")
def test_whoever_administers_one_group_is_not_offered_what_is_for_all_of_them() -> None:
    for everywhere in (Role.STRANGER, Role.MEMBER):
        menu = {each.command for each in commands_for(Role.ADMIN, "en", {}, everywhere)}
        assert menu - offered(Role.MEMBER).keys() == ONE_GROUP
    assert {each.command for each in commands_for(Role.ADMIN, "en", {}, Role.ADMIN)} == offered(
        Role.ADMIN
    ).keys()


@pytest.mark.capability("P7")
def test_the_menu_is_the_table_of_commands() -> None:
    listed = {name.replace("-", "_") for name, command in COMMANDS.items() if command.listed}
    assert offered(Role.OWNER).keys() == listed
    assert offered(Role.STRANGER).keys() == set()


def test_what_is_not_for_every_day_is_not_in_the_menu() -> None:
    assert not offered(Role.OWNER).keys() & {"start", "pair"}


def test_commands_of_skills_follow_those_of_the_host_and_never_hide_one() -> None:
    own, both = offered(Role.MEMBER), offered(Role.MEMBER, skills=SKILLS)
    assert list(both)[: len(own)] == list(own)
    assert (both["draft_post"], both["help"]) == ("Write a post", own["help"])


def test_there_are_never_more_than_telegram_takes() -> None:
    assert len(offered(Role.OWNER, skills={f"skill-{number}": "x" for number in range(200)})) == 100
