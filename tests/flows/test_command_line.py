"""The command line, as a person types it, with wrong input too.

What hosts, streams and logs depend on is tried with processes; a word that only looks, or is refused before anything
starts, is said in this one.
"""

import asyncio
import io
import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import Response
from tests.crash.program import Program, first_room, say, settled
from tests.typed import typing_in

from nanoclaw.cli import main
from nanoclaw.cli.chat_once import say_once
from nanoclaw.client.connection import Address
from nanoclaw.domain.ids import HostId
from nanoclaw.domain.money import Spender, Usage
from nanoclaw.domain.plans import MOST_TASK
from nanoclaw.durable import connections, costs
from nanoclaw.durable.clock import now
from nanoclaw.durable.connections import Connection, ConnectionVerdict
from nanoclaw.testing import FarEnd, ModelServer, ScriptedModel, Sent, made_workspace, started_host

pytestmark = pytest.mark.capability("O1", "O2")


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """On a machine where nothing was set up."""
    return Program(tmp_path / "nanoclaw", DEMO_PACE="0")


Typed = Callable[..., tuple[int, str]]
"""Takes the words; gives the exit code and what was printed."""


@pytest.fixture
def typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Typed:
    """The whole command in this process, on the same workspace: a new process takes seconds to load everything.

    Not for what gets as far as starting a host: that would write the logs of this process to its own place for good.
    """
    monkeypatch.setattr(main, "LANGUAGE", "en")
    monkeypatch.setenv("NANOCLAW_LANGUAGE", "en")
    monkeypatch.setenv("NANOCLAW_HOME", str(tmp_path / "nanoclaw"))

    def run(*words: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["nanoclaw", *words])
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            main.main()
        said = capfd.readouterr()
        assert isinstance(ended.value.code, int)
        return ended.value.code, said.out + said.err

    return run


@pytest.mark.capability("A15")
async def test_one_message_from_nothing_makes_the_workspace_and_prints_the_answer(program: Program) -> None:
    code, printed = await program.fresh_command("chat", "--message", "How much is the office plan?")
    assert code == 0
    assert "EUR 128" in printed
    assert (program.home / ".git").is_dir()
    assert len(list((program.home / "companies/demo/context").rglob("*.md"))) == 17


async def a_card_is_decided(program: Program, typed: Typed) -> None:
    """By the command that stands below it; and no list shows the signs of its Markdown."""
    _, printed = await program.command("chat", "-m", "/batch-generate 3 posts about early-bird tickets")
    stop = next(line for line in printed.splitlines() if line.startswith("❌ Cancel: "))
    waits = [await asyncio.to_thread(typed, "inbox"), await asyncio.to_thread(typed, "batches")]
    code, said = await asyncio.to_thread(typed, *stop.removeprefix("❌ Cancel: ").split()[1:])
    assert (code, said) == (0, "Noted: ❌ Cancel\n")
    lists = [*waits, *[await asyncio.to_thread(typed, word) for word in ("decisions", "audit")]]
    for code, shown in lists:
        assert (code, "posts about early-bird tickets" in shown, "**" in shown) == (0, True, False)


@pytest.mark.usefixtures("home")
async def test_a_running_host_is_found_by_every_command(program: Program, typed: Typed) -> None:
    async with program.running():
        code, printed = await program.command("chat", "-m", "hello", "--json")
        assert code == 0
        said = json.loads(printed)
        assert said["message"]["state"] == "answered"
        code, printed = await asyncio.to_thread(typed, "why", said["message"]["id"][:20])
        assert code == 0
        for step in (
            "received on terminal",
            "admitted to main",
            "turn started",
            "the first word",
            "delivered",
        ):
            assert step in printed
        code, printed = await asyncio.to_thread(typed, "status", "--json")
        assert json.loads(printed)["running"] is True
        code, printed = await asyncio.to_thread(typed, "doctor")
        assert (code, printed.splitlines()[-1]) == (0, "Everything is in order.")
        for group in (
            "people",
            "roles",
            "chats",
            "groups",
            "wirings",
            "requests",
            "failed",
            "pipelines",
            "transfer",
        ):
            alone = await asyncio.to_thread(typed, group)
            assert alone == await asyncio.to_thread(typed, group, "list")
            assert (alone[0], "Usage" in alone[1]) == (0, False)
        await a_card_is_decided(program, typed)
        code, printed = await program.command("up", "--no-chat")
        assert code == 1
        assert "is running already" in printed
        assert "http://127.0.0.1:" in printed
    code, printed = await asyncio.to_thread(typed, "status")
    assert "not running" in printed


async def test_an_answer_in_ukrainian_in_a_ukrainian_workspace(
    program: Program, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    del program.environment[
        "NANOCLAW_LANGUAGE"
    ]  # and there is no workspace yet: the machine's language counts
    program.environment["LC_ALL"] = "uk_UA.UTF-8"
    code, printed = await program.fresh_command("tasks", "pause", "--help")
    for words in ("Використання: python", "Аргументи", "Параметри", "[обов'язково]", "Показати цю довідку"):
        assert words in printed, words
    assert not any(each in printed for each in ("Usage", "Options", "Show this"))
    program.environment["NANOCLAW_LANGUAGE"] = "uk"
    monkeypatch.setenv("NANOCLAW_LANGUAGE", "uk")
    code, printed = await program.fresh_command("chat", "-m", "Скільки коштує офісний план?")
    assert code == 0
    assert "128 євро" in printed
    assert "unknown" not in (await asyncio.to_thread(typed, "doctor"))[1]
    assert (await asyncio.to_thread(typed, "why", "m_"))[1].count("доставлено каналом terminal") == 1


async def test_lines_from_a_pipe_are_a_conversation(home: Path, program: Program) -> None:
    async with started_host(home):
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "nanoclaw", "chat"),
            env=program.environment,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        async with asyncio.timeout(60):
            printed, _ = await process.communicate(b"hello\n\n/status\n")
    assert b"demo agent" in printed
    assert b"No turn is running" in printed


@pytest.mark.usefixtures("home")
async def test_several_single_messages_at_once_are_all_answered(program: Program) -> None:
    told = await asyncio.gather(
        *(program.command("chat", "-m", "hello", "--timeout", "30") for _ in range(3))
    )
    assert [code for code, _ in told] == [0, 0, 0], told


async def test_what_was_answered_while_nobody_waited_is_printed_when_it_is_said_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As by a command whose host went away: it says the same thing to the next host."""
    async with started_host(tmp_path / "home", model=ScriptedModel("Here I am.")) as host:
        for _ in range(2):
            code = await say_once(
                Address(url=host.url, token=host.token),
                "en",
                "Anyone there?",
                client_id="the-same",
                room=None,
                patience=60,
                as_json=False,
            )
            assert code == 0
            assert "Here I am.\n" in capsys.readouterr().out


async def test_failed_answers_are_listed_as_they_are(home: Path, typed: Typed) -> None:
    async with FarEnd() as far_end:

        async def refuse(_: Sent) -> Response:
            return Response("[/no] such [chat](x)", status_code=400)

        far_end.on_send = refuse
        async with started_host(home, scripted={"url": far_end.url}):
            await far_end.say("chat", "/help")
            while "Nothing failed.\n" in (await asyncio.to_thread(typed, "failed", "list"))[1]:
                pass
    code, printed = await asyncio.to_thread(typed, "failed", "list")
    assert code == 0
    assert "[/no]" in printed
    assert await asyncio.to_thread(typed, "failed", "drop", "--all") == (0, "One message dropped.\n")


async def test_wrong_words_to_a_host_get_a_sentence_and_an_exit_code(home: Path, program: Program) -> None:
    wrong = {
        ("",): "empty",
        ("hi", "--room", "Nowhere"): 'There is no room "Nowhere". There are: General, Terminal.',
    }
    async with started_host(home):
        told = await asyncio.gather(*(program.command("chat", "-m", *words) for words in wrong))
    for (code, printed), expected in zip(told, wrong.values(), strict=True):
        assert code == 1
        assert expected in printed
        assert "Traceback" not in printed


async def test_a_command_that_is_refused_ends_with_a_sentence_and_an_exit_code(
    home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    typed = typing_in(home, monkeypatch, capfd)
    refused = {
        "/plan " + "x" * (MOST_TASK + 1): f"may have {MOST_TASK:,} characters",
        "/plan": "Usage: /plan",
        "/decide nosuch yes": "There is no question nosuch.",
        "/timezone Nowhere/City": 'There is no zone "Nowhere/City".',
        "/language tlh": "Write /language en or /language uk.",
        "/why m_nosuch": "There is no such message",
        "/costs by nonsense": "nonsense",
        "/wire nowhere": 'There is no agent group "nowhere".',
        "/write_article": "Write it with the command",
        "/import_analysis": "",
        "/interview zzzzz": "zzzzz",
        "/help zzz": 'Nothing here is called "zzz".',
        "/stop": "Nothing is running here.",
        "/retry": "there is nothing to retry",
        "/retry_failed": "Nothing waits to be sent again.",
        "/leave": "No agent stays in this thread",
    }
    async with started_host(home):
        for text, sentence in refused.items():
            told = await typed("chat", "-m", text)
            assert told.code == 1, text[:40]
            assert sentence in told.out, text[:40]
        assert "not be carried out as it was written" in (await typed("why")).out
        for text in ("/help", "/help tasks", "/clear", "/tasks", "/costs", "/language en"):
            told = await typed("chat", "-m", text)
            assert told.code == 0, text
            assert told.out.strip(), text


ODD = ("..", "../../etc", ".", "?x", "a b", "", "x" * 10_000, "\x1b[31m\x07")


async def test_what_nothing_can_be_called_is_not_there_and_leads_nowhere_else(
    home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    typed = typing_in(home, monkeypatch, capfd)
    of = {
        "session show": "no interactive session",
        "transfer show": "no transfer",
        "pipelines show": "no run",
        "batches show": "no batch",
        "tasks show": "no task",
        "tasks pause": "no task",
        "handoffs show": "no handoff",
        "memory show": "remembers nothing",
        "decisions show": "no question",
        "permits revoke": "no permit",
        "inbox cancel": "no question",
        "budget show --company": "no company",
        "context show": "no context file",
        "telegram disconnect": "no bot",
        "failed retry": "no failed message",
        "sandbox shell": "no agent group",
        "why": "no message",
    }
    general = ("There is nothing called", "Say which one you mean")
    async with started_host(home):
        for words, sentence in of.items():
            for ref in ODD:
                told = await typed(*words.split(), ref)
                assert told.code == 1, (words, ref)
                assert any(each in told.err for each in (sentence, *general)), (words, ref, told.err)
                assert len(told.err) < 600, (words, ref)
                assert "\x1b" not in told.err
        for words in ("session show", "transfer show", "tasks pause"):
            assert of[words] in (await typed(*words.split(), "../../etc")).err
        monkeypatch.setattr(main, "LANGUAGE", "uk")
        assert "Тут немає нічого з назвою «a/b»." in (await typed("handoffs", "show", "a/b")).err


async def test_what_is_empty_or_endless_is_refused_in_a_sentence_of_our_own(
    home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    typed = typing_in(home, monkeypatch, capfd)
    endless = "x" * 10_000
    said = {
        ("mcp", "test"): "There is no server xxx",
        ("mcp", "remove"): "There is no server xxx",
        ("mcp", "add"): 'A server cannot be called "xxx',
        ("key", "drop"): "xxx",
        ("key", "set"): "xxx",
        ("pipelines", "check"): "xxx",
        ("adaptors", "check"): "xxx",
        ("transfer", "import"): "xxx",
        ("memory", "import"): "xxx",
        ("budget", "override"): "amount is longer than 100 characters",
    }
    async with started_host(home):
        for words, sentence in said.items():
            told = await typed(*words, endless)
            assert told.code != 0, words
            assert sentence in told.out + told.err, (words, told.err[:200])
            assert len(told.out + told.err) < 600, words
            assert "Traceback" not in told.err, words
        for empty in ("", "  "):
            told = await typed("pipelines", "run", empty, "menus")
            assert (told.code, told.err.strip()) == (1, "The request cannot be read: template is empty")
        monkeypatch.setattr(main, "LANGUAGE", "uk")
        assert "не може зватися «»" in (await typed("mcp", "add", "")).err


async def test_a_wrong_word_is_told_also_by_a_host_that_was_started_for_it(program: Program) -> None:
    code, printed = await program.command("chat", "-m", "/nosuch")
    assert code == 1
    assert "There is no command /nosuch" in printed
    assert "Traceback" not in printed


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("why", "m_nosuch"), "There is no message with that id."),
        (("why", ""), "There is no message with that id."),
        (("failed", "retry"), "Name the messages, or use --all."),
        (("failed", "drop", "o_1"), "There is no failed message o_1."),
    ],
)
@pytest.mark.usefixtures("home")
def test_wrong_input_gets_a_sentence_and_an_exit_code(
    typed: Typed, words: tuple[str, ...], expected: str
) -> None:
    code, printed = typed(*words)
    assert code == 1
    assert expected in printed


def test_commands_without_a_workspace_say_how_to_make_one(tmp_path: Path, typed: Typed) -> None:
    for words in (("status",), ("why", "m_1"), ("failed", "list")):
        code, printed = typed(*words)
        assert code == 1
        assert "nanoclaw up" in printed
    code, printed = typed("doctor")
    assert code == 0
    assert "nanoclaw up" in printed
    assert not (tmp_path / "nanoclaw").exists()


def test_a_clone_in_the_usual_place_is_not_taken_for_the_workspace(
    tmp_path: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = tmp_path / "nanoclaw"
    (clone / "src" / "nanoclaw").mkdir(parents=True)
    monkeypatch.delenv("NANOCLAW_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    code, printed = typed("init")
    assert (code, (tmp_path / "nanoclaw-workspace" / "nanoclaw.toml").exists()) == (0, True)
    monkeypatch.setenv("NANOCLAW_HOME", str(clone))
    code, printed = typed("init")
    assert code == 1
    assert "holds the program itself" in printed
    assert not (clone / "nanoclaw.toml").exists()


def test_the_doctor_misses_the_skill_of_a_group(home: Path, typed: Typed) -> None:
    path = home / "groups/main/group.toml"
    path.write_text(path.read_text().replace("general-assistant", "no-such-skill"))
    code, printed = typed("doctor")
    assert code == 1
    assert 'The skill "no-such-skill" of the group main is missing' in printed


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("port = = 3", "is not TOML"),
        ("[web]\nprot = 1", 'unknown key "web.prot". Did you mean web.port?'),
        ("[web]\nport = 'many'", "web.port = many"),
        ("[turns]\nconcurrent = 0", "turns.concurrent = 0: it must be at least 1."),
        ("timezone = 'Nowhere/Land'", "timezone = Nowhere/Land"),
        ("langauge = 'en'", 'unknown key "langauge". Did you mean language?'),
        ("colour = 'red'", 'unknown key "colour". Known: language, timezone'),
    ],
)
def test_a_broken_settings_file_is_refused_with_place_and_remedy(
    home: Path, typed: Typed, written: str, expected: str
) -> None:
    (home / "nanoclaw.toml").write_text(written)
    for words in (("up", "--no-chat"), ("status",)):
        code, printed = typed(*words)
        assert code == 1
        assert expected in printed
        assert "nanoclaw.toml" in printed
    assert (home / "nanoclaw.toml").read_text() == written


async def test_a_program_that_cannot_read_its_language_still_says_what_is_wrong(
    home: Path, program: Program
) -> None:
    """The words of its help are chosen while it loads, before it can refuse anything."""
    (home / "nanoclaw.toml").write_text("port = = 3")
    code, printed = await program.fresh_command("up", "--no-chat")
    assert code == 1
    assert "is not TOML" in printed
    assert "Traceback" not in printed


def test_an_unknown_variable_is_refused(typed: Typed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NANOCLAW_WEB_PROT", "1")
    code, printed = typed("up", "--no-chat")
    assert code == 1
    assert "NANOCLAW_WEB_PROT is not known" in printed


@pytest.mark.usefixtures("home")
async def test_a_taken_port_is_named_with_the_way_out(program: Program) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        program.environment["NANOCLAW_WEB_PORT"] = port
        code, printed = await program.command("up", "--no-chat")
    assert code == 1
    assert f"Port {port} is used by another program" in printed
    assert "NANOCLAW_WEB_PORT=" in printed


@pytest.mark.parametrize("damage", [b"this is not a database at all" * 200, "torn"])
async def test_a_damaged_database_is_left_alone_and_the_remedy_is_named(
    home: Path, program: Program, typed: Typed, damage: bytes | str
) -> None:
    async with started_host(home):
        path = home / "data" / "nanoclaw.db"
    for extra in ("-wal", "-shm"):
        path.with_name(path.name + extra).unlink(missing_ok=True)
    spoilt = damage if isinstance(damage, bytes) else path.read_bytes()[:4096] + os.urandom(8192)
    path.write_bytes(spoilt)
    for code, printed in (
        await program.command("up", "--no-chat"),
        await asyncio.to_thread(typed, "doctor"),
    ):
        assert code == 1
        assert "is damaged" in printed
        assert f"mv {path}" in printed
        assert "Traceback" not in printed
    assert path.read_bytes() == spoilt


# Disks that are full or read-only


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of three megabytes."""
    folder = tmp_path / "small"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", folder], check=False).returncode:
        pytest.skip("mounting needs root")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


@pytest.mark.capability("A15")
async def test_a_full_disk_refuses_new_messages_and_loses_none_that_it_took(small_disk: Path) -> None:
    program = Program(small_disk / "nanoclaw", DEMO_PACE="0")
    async with program.running(), program.client() as client:
        room = await first_room(client)
        await say(client, room, "before", "1")
        await settled(client, room, 1)
        filler = small_disk / "filler"
        with filler.open("wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * 4096)
            except OSError:
                pass
        refused = None
        for number in range(200):
            body = {"text": "x" * 2000, "client_id": f"full{number}"}
            answer = await client.post(f"/api/rooms/{room}/messages", json=body)
            if answer.status_code != 202:
                refused = answer
                break
        assert refused is not None
        assert refused.status_code == 507
        assert "disk is full" in refused.json()["error"]
        filler.unlink()
        again = await client.post(f"/api/rooms/{room}/messages", json=body)
        assert again.status_code == 202
        found = await settled(client, room, 2)
        people = [line for line in found if line["author"] == "person"]
        assert all(line["state"] == "answered" for line in people)


def test_a_read_only_workspace_is_named_with_the_way_out(
    small_disk: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NANOCLAW_HOME", str(made_workspace(small_disk / "nanoclaw")))
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    for words in (("up", "--no-chat"), ("chat", "-m", "hi"), ("doctor",)):
        code, printed = typed(*words)
        assert code == 1
        assert "cannot be written" in printed
        assert "NANOCLAW_HOME" in printed


@pytest.mark.usefixtures("home")
async def test_a_key_turns_the_demo_agent_into_a_real_one(
    program: Program, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with ModelServer(lambda _asked: "I am real.", key="sk-ant-of-a-person") as vendor:
        monkeypatch.setattr(sys, "stdin", io.StringIO(f"{vendor.key}\n"))
        code, printed = await asyncio.to_thread(typed, "key", "set", "anthropic")
        assert (code, vendor.key in printed) == (0, False)
        program.environment["ANTHROPIC_BASE_URL"] = vendor.url
        code, printed = await program.command("chat", "-m", "How much is the office plan?")
        assert (code, "I am real." in printed) == (0, True)


@pytest.mark.capability("A18", "J4")
async def test_what_left_the_host_is_listed(home: Path, typed: Typed) -> None:
    async def listed(word: str) -> tuple[str, Any]:
        printed, as_json = [await asyncio.to_thread(typed, word, *more) for more in ((), ("--json",))]
        assert (printed[0], as_json[0]) == (0, 0)
        return " ".join(printed[1].split()), json.loads(as_json[1])

    spender = Spender(company="acme", group="main", session_id="s", turn_id="t", runtime="native")
    cost = costs.Cost(
        id="c_1",
        at=now(),
        spender=spender,
        model="m",
        host=HostId("h_1"),
        micros=60_000,
        usage=Usage(input=10, output=7),
    )
    made = Connection(
        at=now(),
        host="api.example.com",
        port=443,
        verdict=ConnectionVerdict.NOT_LISTED,
        sent=1,
        received=2,
        duration=0.5,
    )
    async with started_host(home) as host:
        assert (await listed("costs"))[1]["lines"] == []
        assert (await listed("connections"))[1] == []
        await host.store.write(lambda tx: costs.settle(tx, cost))
        await host.store.write(lambda tx: connections.note(tx, spender, made))
    printed, told = await listed("costs")
    assert "Today $0.0600, this month $0.0600." in printed
    assert "acme 1 10 0 7 $0.00 $0.0600" in printed
    assert [(line["name"], line["micros"]) for line in told["lines"]] == [("acme", 60_000)]
    printed, rows = await listed("connections")
    assert "main api.example.com:443" in printed
    assert isinstance(rows, list)
    assert len(rows) == 1
