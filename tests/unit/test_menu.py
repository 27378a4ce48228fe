"""The menu of commands: names that Telegram takes, in the person's language, and only what that person may order."""

import re

import pytest

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


def test_an_owner_is_offered_what_a_member_is_not() -> None:
    assert offered(Role.OWNER).keys() - offered(Role.MEMBER).keys() == {"retry_failed"}


def test_what_is_not_for_every_day_is_not_in_the_menu() -> None:
    assert not offered(Role.OWNER).keys() & {"start", "pair"}


def test_commands_of_skills_follow_those_of_the_host_and_never_hide_one() -> None:
    own, both = offered(Role.MEMBER), offered(Role.MEMBER, skills=SKILLS)
    assert list(both)[: len(own)] == list(own)
    assert (both["draft_post"], both["help"]) == ("Write a post", own["help"])


def test_there_are_never_more_than_telegram_takes() -> None:
    assert len(offered(Role.OWNER, skills={f"skill-{number}": "x" for number in range(200)})) == 100
