"""The commands about who may speak, as a person types them: with a host beside them, and without one."""

import asyncio
import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

import pytest
import sqlalchemy as sa
from tests.crash.program import Program
from tests.crash.test_telegram import pair

from nanoclaw.cli import main
from nanoclaw.cli.database import with_store
from nanoclaw.domain.people import Role
from nanoclaw.domain.wirings import ChatKind
from nanoclaw.durable import approvals, audit, people, wirings
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import messages
from nanoclaw.durable.tables import wirings as wirings_table
from nanoclaw.host import workspace_origin
from nanoclaw.host.settings import read_settings
from nanoclaw.testing import FarEnd, TelegramServer, made_workspace, started_host

pytestmark = pytest.mark.capability("A4", "O1")

T = TypeVar("T")

ADDRESS = "-1001234"
TITLE = "Sales [b] team"


@dataclass(frozen=True, kw_only=True)
class Printed:
    code: int
    out: str
    err: str

    def json(self) -> Any:
        assert self.code == 0, self.err
        return json.loads(self.out)


Typed = Callable[..., Printed]


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Typed:
    """The whole command, in this process: a new one takes a second only to load everything."""
    monkeypatch.setattr(main, "LANGUAGE", "en")

    def run(home: Path, *words: str) -> Printed:
        monkeypatch.setenv("NANOCLAW_HOME", str(home))
        monkeypatch.setattr(sys, "argv", ["nanoclaw", *words])
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            main.main()
        said = capfd.readouterr()
        assert isinstance(ended.value.code, int)
        return Printed(code=ended.value.code, out=said.out, err=said.err)

    return run


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An owner, a guest without a role, and a group chat where the agent `main` is."""
    home = made_workspace(tmp_path_factory.mktemp("door") / "nanoclaw")

    def story(tx: Tx) -> None:
        people.add_person(tx, handle="telegram:1", name="Olena", role=Role.OWNER, username="olena", at=now())
        people.add_person(
            tx, handle="telegram:2", name="Ivan [b]x[/b]", role=Role.STRANGER, username="ivan", at=now()
        )
        chat = people.add_chat(
            tx, channel="telegram:7", address=ADDRESS, title=TITLE, kind=ChatKind.GROUP, at=now()
        )
        wirings.wire(tx, chat.id, chat.kind, "main", now())

    stored(home, story)
    return home


@pytest.fixture
def door(furnished: Path, tmp_path: Path) -> Path:
    """The same as a copy that may be changed."""
    home = tmp_path / "door"
    shutil.copytree(furnished, home)
    workspace_origin.mark(home)  # else it would count as brought by somebody
    return home


def stored(home: Path, story: Callable[[Tx], T]) -> T:
    return with_store(home, read_settings(home), story, write=True)


def test_roles_are_given_listed_and_taken(door: Path, typed: Typed) -> None:
    given = typed(door, "roles", "give", "@ivan", "member")
    assert given.out == "Ivan [b]x[/b] (@ivan, telegram:2): member in main\n"
    listed = typed(door, "roles", "list", "--json").json()
    assert [(each["handle"], each["role"], each["memberships"]) for each in listed] == [
        ("telegram:1", "owner", []),
        ("telegram:2", "none", [{"group": "main", "role": "member"}]),
    ]
    assert typed(door, "roles", "give", "telegram:2", "Admin", "--json").json()["role"] == "admin"
    assert typed(door, "roles", "take", "2").out.endswith(": member in main\n")
    assert typed(door, "roles", "take", "@Ivan").out.endswith(": no role\n")
    assert "has no such role" in typed(door, "roles", "take", "@ivan").err
    changes = typed(door, "audit", "--json").json()
    assert [each["action"] for each in changes] == ["role-taken", "role-taken", "role-given", "role-given"]
    assert {(each["handle"], each["via"]) for each in changes} == {("local:owner", "command line")}
    assert "(local:owner, from: command line) took the role" in typed(door, "audit", "--limit", "1").out


def test_an_owner_makes_way_for_another(door: Path, typed: Typed) -> None:
    assert typed(door, "roles", "give", "@ivan", "owner").code == 0
    assert typed(door, "roles", "take", "@olena").code == 0
    assert typed(door, "roles", "list").out == "Ivan [b]x[/b] (@ivan, telegram:2): owner everywhere\n"


def test_people_are_blocked_and_unblocked(door: Path, typed: Typed) -> None:
    assert typed(door, "people", "block", "@ivan").out.endswith(": no role, blocked\n")
    assert [each["blocked"] for each in typed(door, "people", "list", "--json").json()] == [False, True]
    assert typed(door, "people", "unblock", "@ivan").out.endswith(": no role\n")


def test_a_wiring_is_changed_piece_by_piece_and_removed(door: Path, typed: Typed) -> None:
    changed = typed(door, "wirings", "set", ADDRESS, "main", "--pattern", "^claw", "--priority", "3")
    assert "main takes up a message when the words fit ^claw; senders: everyone" in changed.out
    assert changed.out.endswith("Priority: 3.\n")
    words = ("--ignored", "accumulate", "--senders", "known")
    (wiring,) = typed(door, "wirings", "set", TITLE.upper(), "main", *words, "--json").json()
    assert (wiring["engage"], wiring["pattern"], wiring["priority"]) == ("pattern", "^claw", 3)
    assert (wiring["senders"], wiring["ignored"], wiring["title"]) == ("known", "accumulate", TITLE)
    (always,) = typed(door, "wirings", "set", ADDRESS, "main", "--engage", "always", "--json").json()
    assert (always["engage"], always["pattern"], always["priority"]) == ("pattern", ".", 3)
    assert typed(door, "wirings", "list", "--chat", ADDRESS).out == typed(door, "wirings", "list").out
    assert typed(door, "wirings", "remove", ADDRESS, "main").out.endswith("no agent\n")
    assert typed(door, "wirings", "list").out == "No agent is in any chat yet.\n"
    (wired,) = typed(door, "wirings", "set", ADDRESS, "main", "--json").json()
    assert wired["engage"] == "mention"


def test_what_happens_to_strangers_is_set_for_a_chat(door: Path, typed: Typed) -> None:
    assert "main; strangers are dropped" in typed(door, "chats", "strangers", ADDRESS, "strict").out
    (chat,) = typed(door, "chats", "list", "--json").json()
    assert (chat["strangers"], chat["kind"], chat["title"]) == ("strict", "group", TITLE)
    assert TITLE in typed(door, "chats", "list").out


def test_an_agent_group_is_made_with_a_company(door: Path, typed: Typed) -> None:
    assert (
        "Its folder is groups/second-desk."
        in typed(door, "groups", "add", "Second Desk", "--company", "demo").out
    )
    assert typed(door, "groups", "add", "[b]Nord", "--json").json()["company"] == "b-nord"
    listed = [(each["name"], each["company"]) for each in typed(door, "groups", "list", "--json").json()]
    assert listed == [("b-nord", "b-nord"), ("main", "demo"), ("second-desk", "demo")]
    assert typed(door, "wirings", "set", ADDRESS, "second-desk").code == 0
    assert "another company" in typed(door, "wirings", "set", ADDRESS, "b-nord").err


REFUSED = {
    ("roles", "give", "@ivan", "king"): "Choose one of: owner, admin, member, none.",
    ("roles", "give", "@ivan", "stranger"): "Choose one of: owner, admin, member, none.",
    ("roles", "give", "@ivan", "owner", "--group", "main"): "An owner is one everywhere",
    ("roles", "give", "@ivan", "member", "--group", "gone"): 'no agent group "gone". There is: main.',
    ("roles", "take", "@ivan", "--group", ""): "has no such role",
    ("roles", "take", "@olena", "--group", "main"): "has no such role",
    ("roles", "take", "local:owner"): 'Nobody here is known as "local:owner"',
    ("people", "block", "@nobody"): 'Nobody here is known as "@nobody"',
    ("wirings", "set", ADDRESS, "main", "--engage", "sometimes"): "always, pattern, mention, mention-sticky.",
    ("wirings", "set", ADDRESS, "main", "--engage", "mention", "--pattern", "x"): "Leave one of the two out",
    ("wirings", "set", ADDRESS, "main", "--engage", "pattern"): "A pattern is missing",
    ("wirings", "set", ADDRESS, "main", "--pattern", "(a+"): "The pattern (a+ cannot be used",
    ("wirings", "set", ADDRESS, "main", "--pattern", "x" * 5000): "has 5,000 characters; at most 500",
    ("wirings", "set", ADDRESS, "main", "--senders", "some"): "Choose one of: all, known.",
    ("wirings", "set", ADDRESS, "main", "--ignored", ""): "Write which: drop, accumulate.",
    ("wirings", "set", ADDRESS, "gone"): 'no agent group "gone"',
    ("wirings", "set", "-100999", "main"): 'There is no chat "-100999"',
    ("wirings", "remove", ADDRESS, "gone"): "is not wired to gone. It is wired to: main.",
    ("wirings", "list", "--chat", "Nowhere"): 'There is no chat "Nowhere"',
    ("chats", "strangers", ADDRESS, "open"): "Choose one of: request_approval, strict, public.",
    ("groups", "add", "main"): 'An agent group "main" is there already',
    ("groups", "add", "///"): "A name needs at least one letter or digit",
    ("groups", "add", "new", "--company", "///"): "The name of a company needs",
    ("requests", "decide", "abcde", "allow"): "There is no open request abcde",
    ("admission", "explain", "--chat", "", "--from", "@ivan", "--text", "x"): 'There is no chat ""',
    ("admission", "explain", "--chat", ADDRESS, "--from", " ", "--text", "x"): 'known as ""',
}


@pytest.mark.parametrize(
    ("words", "sentence"),
    REFUSED.items(),
    ids=lambda value: " ".join(value)[:60] if isinstance(value, tuple) else "",
)
def test_what_cannot_be_done_is_one_sentence_and_changes_nothing(
    furnished: Path, typed: Typed, words: tuple[str, ...], sentence: str
) -> None:
    said = typed(furnished, *words)
    assert (said.code, said.out) == (1, "")
    assert sentence in said.err
    assert said.err.count("\n") == 1
    assert stored(furnished, lambda tx: audit.newest(tx, 1)) == []


@pytest.mark.parametrize(
    "odd", ["", "-", "[/b]", "x" * 5000, "a\x1b[31m\udcff\u202eb", "'; --", "%_"], ids=ascii
)
def test_no_word_is_too_odd(furnished: Path, typed: Typed, odd: str) -> None:
    """Nothing but an end with a code: any error of the code itself would come through."""
    for words in (
        ("people", "block", odd),
        ("roles", "give", "@ivan", odd),
        ("wirings", "remove", odd, odd),
        ("wirings", "set", ADDRESS, odd, "--engage", odd),
        ("chats", "strangers", odd, odd),
        ("requests", "decide", odd, odd),
        ("drops", "--limit", odd),
    ):
        said = typed(furnished, *words)
        assert said.code in (1, 2), words
        assert "\x1b[31m" not in said.err
        assert len(said.err) < 2000
    told = typed(furnished, "admission", "explain", "--chat", ADDRESS, "--from", "@ivan", "--text", odd)
    assert told.out.startswith("Dropped")


def test_explain_tells_verdict_and_reasons_and_changes_nothing(door: Path, typed: Typed) -> None:
    typed(door, "groups", "add", "watch", "--company", "demo")
    typed(door, "wirings", "set", ADDRESS, "watch", "--pattern", r"\bprice\b", "--ignored", "accumulate")

    def explained(*words: str) -> Printed:
        return typed(door, "admission", "explain", "--chat", ADDRESS, *words)

    def rows(tx: Tx) -> tuple[int, ...]:
        counted = tx.execute(sa.select(sa.func.count()).select_from(messages)).scalar_one()
        return counted, len(people.everyone(tx)), approvals.count_open(tx), len(audit.newest(tx, 100))

    before = stored(door, rows)
    by_owner = explained("--from", "@olena", "--text", "PRICE?").out.splitlines()
    assert by_owner == [
        "Admitted to watch: its words fit the agent's pattern.",
        "  main: does not take it up, it was not said to the bot: no mention, no reply, no command",
        "  watch: takes it up, its words fit the agent's pattern",
    ]
    called = explained("--from", "@olena", "--text", "hi", "--mention", "--json").json()
    assert called["verdict"] == "admitted"
    assert [each["outcome"] for each in called["findings"]] == ["wakes", "kept"]
    assert explained("--from", "@ivan", "--text", "hi", "--mention", "--json").json()["verdict"] == "held"
    stranger = explained("--from", "telegram:99", "--text", "hi", "--no-mention")
    assert stranger.out.startswith('Nobody is known as "telegram:99": taken for a stranger.\nDropped')
    assert stored(door, rows) == before


@pytest.mark.capability("O2")
def test_the_doctor_and_the_status_tell_what_is_amiss_at_the_door(door: Path, typed: Typed) -> None:
    typed(door, "groups", "add", "gone", "--company", "demo")
    typed(door, "groups", "add", "other", "--company", "demo")
    for group in ("gone", "other"):
        assert typed(door, "wirings", "set", ADDRESS, group, "--priority", "5").code == 0
    (door / "groups/gone/group.toml").unlink()
    (door / "groups/other/group.toml").write_text('company = "elsewhere"')

    def story(tx: Tx) -> None:
        tx.execute(
            sa.update(wirings_table)
            .where(wirings_table.c.agent_group == "main")
            .values(engage_mode="pattern", engage_pattern="(a")
        )
        (chat,), (_, guest) = people.all_chats(tx), people.everyone(tx)
        approvals.open_for_sender(tx, chat.id, guest.id, ["main"], now())

    stored(door, story)
    found = json.loads(typed(door, "doctor", "--json").out)["findings"]
    told = {each["check"]: each["sentence"] for each in found if each["ok"] is not True}
    assert "The pattern (a cannot be used" in told["pattern"]
    assert told["requests"] == "One request waits for a decision. Run: nanoclaw requests list"
    wiring = [each["sentence"] for each in found if each["check"] == "wiring"]
    assert ["that was removed" in wiring[0], "another company" in wiring[1]] == [True, True]
    assert (
        "Priority: 5.\n    It does not work: this agent group was removed."
        in typed(door, "wirings", "list").out
    )
    command = wiring[0].partition("Run: nanoclaw ")[2].split()
    assert typed(door, *command).code == 0
    assert typed(door, "status", "--json").json()["requests"] == 1
    assert "Strangers and new chats that wait  1" in typed(door, "status").out


@pytest.mark.capability("A15", "O2")
async def test_a_decision_beside_a_host_that_runs_is_carried_out(home: Path, typed: Typed) -> None:
    async def command(*words: str) -> Printed:
        return await asyncio.to_thread(typed, home, *words)

    async with TelegramServer(flood_control=False) as server:
        bot = server.add_bot("helper_bot", name="Helper")
        owner, guest = server.person("Olena"), server.person("Ivan", username="ivan")
        told, asked = owner.chat_with(bot), guest.chat_with(bot)
        program = Program(home, DEMO_PACE="0")
        program.environment |= {"TELEGRAM_BOT_TOKEN": bot.token, "TELEGRAM_API_BASE": server.url}
        async with program.running():
            await guest.says(asked, "Too early")
            while not (dropped := (await command("drops", "--json")).json()):
                pass
            assert [(each["text"], each["reason"]) for each in dropped] == [("Too early", "no-owner")]
            await pair(program, owner, told)
            await guest.says(asked, "May I\nask?")
            await told.wait_for(2)
            (request,) = (await command("requests", "list", "--json")).json()
            listed = (await command("requests", "list")).out
            assert '"May I ask?"' in listed
            assert listed.endswith("Choose one of: main, ignore, never\n")
            assert "main" in (await command("requests", "decide", request["short"], "perhaps")).err
            decided = await command("requests", "decide", request["short"], "main")
            assert decided.out.endswith("The host goes on with it within a few seconds.\n")
            await asked.wait_for(1)  # the sweep comes every five seconds
            await told.wait_until(lambda: "wired to main by" in told.seen[-1].text)
            assert told.seen[-1].labels == []
            again = await command("requests", "decide", request["short"], "main")
            assert (again.code, again.out) == (1, "")
            assert "nobody who could decide" in (await command("drops")).out


@pytest.mark.capability("T1")
async def test_the_audit_names_what_it_is_about_and_tells_times_on_the_readers_clock(home: Path) -> None:
    async with FarEnd() as far_end, started_host(home, scripted={"url": far_end.url}, demo={"pace": 0}):

        async def says(command: str, words: str) -> str:
            await far_end.say("chat", command)
            async with asyncio.timeout(60):
                while not (found := [text for text in far_end.said_to("chat") if words in text]):
                    await asyncio.sleep(0.01)
            return found[-1]

        await says("hello", "")  # from here on an agent listens
        await says("/timezone Asia/Tokyo", "Asia/Tokyo")
        await says("/schedule every sunday 3:00 water the flowers", "Task 1")
        day = (now() + timedelta(days=40)).date()
        await says(f"/away until {day} 10:00", "away")
        told = (await says("/audit", "Changes, newest first")).replace("\\", "")
    assert "scheduled task 1 for main: water the flowers" in told
    assert f"is away until {day} 10:00\n" in told
