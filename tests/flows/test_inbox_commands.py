"""The commands about questions to people, as someone types them beside a host that runs, and without one."""

import asyncio
import json
import os
import re
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.flows.test_terminal import chat
from tests.permits import a_permit
from tests.typed import Printed, Typed, typing_in

from nanoclaw.admission.tool_rules import shown_arguments
from nanoclaw.cli.inbox.checks import in_flags
from nanoclaw.cli.inbox.lines import figure_lines
from nanoclaw.client.connection import Address
from nanoclaw.client.inbox import InboxClient
from nanoclaw.console.question_shapes import Figure, Figures, Question
from nanoclaw.domain.errors import HostSaid
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.question_requests import read_wanted
from nanoclaw.domain.questions import PROGRAM, Asker
from nanoclaw.domain.tool_arguments import RequestHuman
from nanoclaw.durable import permits
from nanoclaw.host.host import Host
from nanoclaw.testing import started_host

pytestmark = pytest.mark.capability("E11", "O1")

YES_NO = [{"id": "yes", "label": "Deploy now"}, {"id": "no", "label": "Not yet"}]


@pytest.fixture
def typed(home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Typed:
    return typing_in(home, monkeypatch, capfd)


@asynccontextmanager
async def inbox_of(host: Host) -> AsyncIterator[InboxClient]:
    async with InboxClient(Address(url=host.url, token=host.token)) as inbox:
        yield inbox


async def first_open(inbox: InboxClient) -> Question:
    """As soon as someone asks."""
    async with asyncio.timeout(60):
        while not (found := await inbox.open()):
            await asyncio.sleep(0.02)
    return found[0]


async def answered(
    asking: "asyncio.Task[Printed]", inbox: InboxClient, option: str | None, text: str | None
) -> Printed:
    await inbox.decide((await first_open(inbox)).id, option, text)
    return await asking


async def test_the_inbox_shows_all_that_is_needed_to_decide(home: Path, typed: Typed) -> None:
    async with started_host(home) as host, inbox_of(host) as inbox:
        assert (await typed("inbox")).out == "Nothing waits for your decision.\n"
        row = await inbox.ask(
            {
                "question": "Deploy?\nIt takes \x1b[31ma minute.",
                "options": [YES_NO[0], {**YES_NO[1], "description": "ask tomorrow"}],
                "default_action": "no",
                "timeout_minutes": 12,
                "context": "\n".join(f"line {number}" for number in range(8)),
            }
        )
        await inbox.ask({"question": "Which name?", "kind": "input", "timeout_minutes": 90})
        same = await inbox.ask({"question": "Sure?", "options": [{"id": "yes", "label": "yes"}, YES_NO[1]]})
        assert "    1  yes\n    2  no   Not yet\n" in (await typed("inbox")).out
        await inbox.change(same.id, "cancel")
        listed = await typed("inbox")
        first, second = re.split(r"\n(?=\w{5}  )", listed.out)
        short = row.id[-5:]
        assert first.splitlines()[:3] == [f"{short}  Deploy?", "    It takes �[31ma minute.", "    │ line 0"]
        assert "\x1b" not in listed.out
        assert f"    … 3 more lines: nanoclaw decisions show {short}" in first
        assert "    1  yes  Deploy now\n    2  no   Not yet: ask tomorrow\n" in first
        assert re.search(r"In 12 min, at [-:\d ]+, by itself: Not yet\n", first)
        assert "Asked by a program of this machine, for main" in first
        assert first.endswith(f"Decide with: nanoclaw decide {short} NUMBER")
        assert re.search(r"In 90 min, at [-:\d ]+, it ends without a decision\.", second)
        assert re.search(r'Answer with: nanoclaw decide \w{5} --text "..."\n', second)
        as_json = json.loads((await typed("inbox", "--json")).out)
        assert [(each["question"], each["default"]) for each in as_json][1] == ("Which name?", None)


@pytest.mark.capability("E12")
async def test_all_that_a_tool_would_do_is_shown_to_whoever_may_allow_it(home: Path, typed: Typed) -> None:
    """However long its lines are, and however many; a space of odd width is a mark."""
    lines = [
        f"echo {'a' * 230}; rm -rf /srv/data",
        *(f"echo {number}" for number in range(8)),
        "rm a\u00a0b\u3000c",
    ]
    shown = shown_arguments({"command": "\n".join(lines)})
    tool = {"tool": "bash", "shown": shown, "arguments": json.dumps({"command": "\n".join(lines)})}
    wanted = read_wanted(RequestHuman(question="Allow bash?"), usual_timeout=timedelta(hours=1))
    asker = Asker(session_id=None, execution_id=PROGRAM, asked_id="tool", group="main", company="demo")
    async with started_host(home) as host:
        await host.question_parts.questions.ask(replace(wanted, tool=tool), asker)
        said = (await typed("inbox")).out
    assert [f"    │     {line}" in said.splitlines() for line in (*lines[:-1], "rm a\u00a0b⟨U+3000⟩c")] == [
        True
    ] * 10
    assert "more lines" not in said


async def test_a_question_is_decided_by_id_number_label_or_words(home: Path, typed: Typed) -> None:
    async with started_host(home) as host, inbox_of(host) as inbox:
        for choice in ("no", "2", "not yet"):
            row = await inbox.ask({"question": f"Deploy {choice}?", "options": YES_NO})
            said = await typed("decide", row.short, choice)
            assert (said.code, said.out) == (0, "Noted: Not yet\n")
            assert (await inbox.get(row.id)).chosen == "no"
        late = await typed("decide", row.short, "yes")
        assert late.code == 1
        assert re.fullmatch(r"Owner decided this already at [-:\d ]+: Not yet\.\n", late.err)
        asked = await inbox.ask({"question": "Which name?", "kind": "input"})
        assert "Name an option" in (await typed("decide", asked.short)).err
        assert f'decide {asked.short} --text "..."' in (await typed("decide", asked.short, "1")).err
        assert (await typed("decide", asked.short, "--text", "Nano")).out == "Noted: Nano\n"
        assert (await inbox.get(asked.id)).user_input == "Nano"
        other = await inbox.ask({"question": "Deploy?", "options": YES_NO})
        wrong = await typed("decide", other.short, "maybe")
        assert (wrong.code, wrong.err) == (1, "There is no choice maybe. There are: yes, no.\n")
        assert (await typed("inbox", "cancel", other.short)).out.startswith(f"{other.short} was taken back.")
        assert "was taken back at" in (await typed("decide", other.short, "yes")).err
        assert "There is no question zzzzz" in (await typed("decide", "zzzzz", "yes")).err


async def test_ask_prints_the_answer_and_its_place_is_the_exit_code(home: Path, typed: Typed) -> None:
    async with started_host(home) as host, inbox_of(host) as inbox:
        words = ("ask", "Deploy?", "--options", "yes=Deploy now,no=Not yet,later", "--timeout", "90s")
        for place, option in enumerate(("yes", "no", "later")):
            asking = asyncio.create_task(typed(*words, "--context", "a diff"))
            said = await answered(asking, inbox, option, None)
            assert said == Printed(code=place, out=f"{option}\n", err="")
        row = (await inbox.decided(1, None))[0]
        assert (row.options[0].id, row.options[0].label) == ("yes", "Deploy now")
        assert (row.context, row.deadline_at - row.created_at) == ("a diff", timedelta(minutes=2))

        asking = asyncio.create_task(typed("ask", "Which name?", "--input", "--json"))
        told = await answered(asking, inbox, None, "Nano\nClaw")
        assert (told.code, json.loads(told.out)["chosen"]) == (0, "Nano\nClaw")

        asking = asyncio.create_task(typed("ask", "Drop it?", "--risk", "destructive", "--id", "drop-1"))
        assert (await answered(asking, inbox, "reject", None)).code == 1  # of approve and reject
        assert (await typed("ask", "Drop it?", "--risk", "destructive", "--id", "drop-1")).out == "reject\n"

        asking = asyncio.create_task(typed("ask", "Still?", "--options", "yes,no"))
        await inbox.change((await first_open(inbox)).id, "cancel")
        assert (await asking) == Printed(
            code=130, out="", err="The question was taken back; nothing was decided.\n"
        )


async def test_ask_ends_with_the_default_or_with_124_when_nobody_answers(home: Path, typed: Typed) -> None:
    at_once = {"timeout_minutes": 0.002, "grace_seconds": 0}
    async with started_host(home, questions=at_once):
        said = await typed("ask", "Drop it?", "--options", "yes,no", "--risk", "destructive")
        assert (said.code, said.out) == (2, "cancel\n")
        assert said.err == "Nobody answered in time. The default is taken: ❌ Cancel\n"
        said = await typed("ask", "Drop it?", "--options", "yes,no")
        assert (said.code, said.out) == (124, "")
        assert said.err == "Nobody answered in time, and nothing was decided.\n"
        figures = await typed("decisions", "--figures", "--days", "1")
        assert "Questions that ended in the last day: 2." in figures.out
        assert f"kind choice  {'█' * 30} 100%" in figures.out
        (newest, _) = json.loads((await typed("decisions", "--json")).out)
        again = await typed("inbox", "again", newest["short"])
        assert "Drop it?" in again.out


async def test_what_cannot_be_asked_never_looks_like_a_choice(
    home: Path, typed: Typed, tmp_path: Path
) -> None:
    no_host = await typed("ask", "Deploy?")
    assert (no_host.code, no_host.out) == (125, "")
    assert "Start it with: nanoclaw up" in no_host.err
    async with started_host(home):
        for words, sentence in {
            ("--options", f"yes={'a' * 21},no"): "in --options has 21 characters; at most 20 are allowed",
            ("--options", "yes,yes"): '--options names "yes" twice',
            ("--options", ""): "--options has an empty choice",
            ("--options", "yes"): "--options names one choice; it needs 2 to 8",
            ("--options", "1,2,3,4,5,6,7,8,9"): "--options names 9 choices; it needs 2 to 8",
            ("--options", "yes,no", "--default", "maybe"): "--default maybe is none of the choices",
            ("--options", "yes,no", "--risk", "publish", "--default", "no"): "Leave --default out",
            ("--default", "approve", "--risk", "destructive"): "Use --default reject, or leave it out",
            ("--options", "drop,keep", "--default", "drop", "--risk", "destructive"): "Leave --default out",
            ("--default", "yes", "--input"): "an answer in words has none",
            ("--timeout", "soon"): '"soon" is no length of time',
            ("--timeout", ""): '"" is no length of time',
            ("--timeout", "5s"): "--timeout must be between 1 min and 7 days",
            ("--timeout", "30d"): "--timeout must be between 1 min and 7 days",
            ("--risk", "high"): "--risk high is none of: normal, publish, destructive",
            ("--group", "nowhere"): "There is no agent group nowhere",
            ("--context-file", str(tmp_path / "gone")): "gone cannot be read",
            ("--context", "x" * 20_001): "--context-file) has 20,001 characters; at most 20,000 are allowed",
            ("--bogus",): "No such option",
        }.items():
            said = await typed("ask", "Deploy?", *words)
            assert (said.code, said.out) == (125, ""), words
            assert sentence in said.err
        assert "The question is empty" in (await typed("ask", " ")).err


def test_a_refusal_for_agents_names_the_flags_to_whoever_typed_the_command() -> None:
    said = "request_human was not done. `arguments.options[0].label` is empty. `default_action` is `x`."
    assert in_flags(HostSaid("said", said=said)).values["said"] == (
        "--options[0].label is empty. --default is `x`."
    )


async def test_ask_outlives_a_restart_of_the_host_and_asks_once(home: Path, typed: Typed) -> None:
    async with started_host(home) as host, inbox_of(host) as inbox:
        asking = asyncio.create_task(typed("ask", "Deploy?", "--options", "yes,no"))
        before = await first_open(inbox)
    assert not asking.done()
    async with started_host(home) as host, inbox_of(host) as inbox:
        assert [each.id for each in await inbox.open()] == [before.id]
        await inbox.decide(before.id, "no", None)
        assert (await asking).out.endswith("no\n")
        assert len(await inbox.decided(10, None)) == 1


@contextmanager
def heard_interrupts() -> Iterator[None]:
    """Let what is started here receive Ctrl-C, even if a shell runs the tests with `&`: background processes
    ignore it, and so do their children.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


async def test_an_interrupted_ask_takes_its_question_back(home: Path) -> None:
    async with started_host(home) as host, inbox_of(host) as inbox:
        with heard_interrupts():
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "nanoclaw", "ask", "Deploy?", "--options", "yes,no"),
                env={**os.environ, "NANOCLAW_HOME": str(home)},
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
        row = await first_open(inbox)
        process.send_signal(signal.SIGINT)
        async with asyncio.timeout(60):
            out, err = await process.communicate()
        assert (process.returncode, out) == (130, b"")
        assert err == b"The question was taken back; nothing was decided.\n"
        assert (await inbox.get(row.id)).status == "cancelled"


async def test_without_a_host_one_is_started_for_the_decision(home: Path) -> None:
    async with started_host(home) as host, inbox_of(host) as inbox:
        row = await inbox.ask({"question": "Deploy?", "options": YES_NO})
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "nanoclaw", "decide", row.short, "1", "--json"),
        env={**os.environ, "NANOCLAW_HOME": str(home)},
        stdout=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(60):
        out, _ = await process.communicate()
    assert (json.loads(out)["status"], json.loads(out)["chosen"]) == ("completed", "yes")


@pytest.mark.capability("E9", "E10")
async def test_decisions_tell_who_chose_what_when_and_how_fast(home: Path, typed: Typed) -> None:
    async with started_host(home) as host, inbox_of(host) as inbox:
        assert (await typed("decisions")).out == "Nothing has been decided yet.\n"
        assert "No question has ended" in (await typed("decisions", "--figures")).out
        rows = [await inbox.ask({"question": f"Deploy {number}?", "options": YES_NO}) for number in range(3)]
        for row in rows:
            await inbox.decide(row.id, "yes", None)
        listed = (await typed("decisions")).out
        newest, how = listed.splitlines()[:2]
        assert re.fullmatch(rf"\d{{4}}-\d\d-\d\d \d\d:\d\d  {rows[2].short}  Deploy 2\?", newest)
        assert re.fullmatch(
            r"    Deploy now · Owner, from: command line, after (a second|[\d.]+ seconds)", how
        )
        older = json.loads(
            (await typed("decisions", "--before", rows[2].short, "--limit", "1", "--json")).out
        )
        assert [each["id"] for each in older] == [rows[1].id]
        shown = (await typed("decisions", "show", rows[0].short)).out
        assert shown.startswith(f"{rows[0].id}  Deploy 0?\n")
        assert '  "question": "Deploy 0?",\n' in shown
        assert shown.endswith(f"SHA-256: {rows[0].payload_hash}\n")
        talk = await inbox.ask({"question": "Talk", "session": {}})
        waits = (await typed("inbox")).out
        assert f"session open {talk.short}\n" in waits
        assert "--text" not in waits  # words would only be noted
        await inbox.conclude(talk.id, status="completed", response={"approved": True})
        assert '{"approved": true} · Owner' in (await typed("decisions")).out
        unknown = await typed("decisions", "show", "zzzzz")
        assert "There is no question zzzzz, neither decided nor open" in unknown.err
        figures = await typed("decisions", "--figures")
        assert re.search(r"all +4 +4 +0% +(a second|[\d.]+ seconds) +(a second|[\d.]+ seconds)", figures.out)
        assert json.loads((await typed("decisions", "--figures", "--json")).out)["total"]["asked"] == 4


def test_bars_are_as_long_as_their_figures() -> None:
    def figure(name: str, median: float | None, rate: float) -> Figure:
        return Figure(
            name=name, asked=4, answered=2, timed_out=2, mean=median, median=median, timeout_rate=rate
        )

    figures = Figures(
        days=30,
        total=figure("all", 60, 0.5),
        by_kind=[figure("input", 120, 1.0), figure("choice", None, 0.0)],
        by_skill=[],
    )
    _, _, rows, plots = figure_lines(Locale(), figures)
    assert rows[2] == ["kind choice", "4", "2", "0%", "–", "–"]
    assert plots == [
        "",
        "Median time until a person decided",
        f"all         {'█' * 15} 1 min",
        f"kind input  {'█' * 30} 2 min",
        "",
        "Share that timed out",
        f"all          {'█' * 15} 50%",
        f"kind input   {'█' * 30} 100%",
        "kind choice   0%",
    ]


@pytest.mark.capability("E12")
async def test_permits_are_listed_and_taken_back(home: Path, typed: Typed) -> None:
    permit = a_permit("u_00000000000000000000abcde")
    async with started_host(home) as host:
        assert (await typed("permits")).out.startswith("Agents have no permits")
        await host.store.write(lambda tx: permits.grant(tx, permit))
        listed = (await typed("permits")).out
        assert listed.startswith("abcde  main: bash  rm -r build  (always, by Owner, until 2")
        assert (await typed("permits", "revoke", "abcde")).out == (
            "The permit abcde is taken back: agents ask again.\n"
        )
        assert json.loads((await typed("permits", "--json")).out) == []
        assert (await typed("permits", "revoke", "abcde")).code == 1


@pytest.mark.capability("X1")
async def test_cards_in_the_terminal_chat_are_pressed_by_their_numbers(home: Path) -> None:
    """The number of a card that was decided elsewhere never presses another."""
    async with started_host(home) as host, inbox_of(host) as inbox, chat(home) as screen:
        await screen.until(">")
        screen.type("? Publish now | yes | tomorrow\r")
        await screen.until("/1 yes   /2 tomorrow")
        screen.type("/2\r")
        await screen.until("Noted: tomorrow")
        await screen.until('chose "tomorrow"')
        assert "Owner: tomorrow" not in screen.text  # the person who pressed it knows
        screen.type("? Deploy | now | later\r")
        await screen.until("/3 now   /4 later")
        screen.type("/1\r")
        await screen.until("No button has the number /1. You can press:")
        await inbox.decide((await first_open(inbox)).id, "now", None)
        await screen.until("Owner: now")
        await screen.until('chose "now"')
        screen.type("/3\r")
        await screen.until("/3 was not sent")
        screen.type("/quit\r")


@pytest.mark.capability("X1")
async def test_a_question_in_words_and_answers_to_commands_are_seen_while_the_turn_waits(home: Path) -> None:
    async with started_host(home) as host, inbox_of(host) as inbox, chat(home) as screen:
        await screen.until(">")
        screen.type("? Which name shall it have…\r")
        await screen.until("Answer in your own words")
        screen.type("/inbox\r")
        await screen.until("in your own words ·")
        screen.type("/quiet nonsense\r")
        await screen.until('"nonsense" are no quiet hours.')
        assert (await first_open(inbox)).status == "pending"
        screen.type("Nano\r")
        await screen.until("They wrote: Nano")
        screen.type("/quit\r")
    assert "> /inbox" in screen.text
    assert "Owner: /inbox" not in screen.text  # it stands where it was typed
    assert "\\" not in screen.text
