"""Both ends of the file protocol keep their promises: each request is answered once, and no box can trick the host."""

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.docs.generate import protocol_schemas
from tests.staging import until

from nanoclaw.domain.errors import NotFound
from nanoclaw.domain.file_protocol import RequestKind
from nanoclaw.domain.ids import SessionId
from nanoclaw.domain.tool_requests import BadToolRequest, ToolReply, ToolRequest, understand
from nanoclaw.domain.tools import TOOLS, tool_table, tools_for
from nanoclaw.durable.clock import now
from nanoclaw.sandbox import quarantine
from nanoclaw.sandbox.folder_watch import Watcher
from nanoclaw.sandbox.request_watch import RequestWatch, furnish
from nanoclaw.sandbox.session_requests import AT_ONCE, LOOK_AT
from nanoclaw.sandbox.untrusted_files import UnreadReason
from nanoclaw_inside import asking as inside
from nanoclaw_inside.asking import NoAnswer, ask

pytestmark = pytest.mark.capability("A17")

SESSION = SessionId("s_01")
ID = "0123456789abcdef0123456789abcdef"
HI = {"text": "hi"}
SCHEMAS = Path("docs/reference/file-protocol")


class Host:
    """Answers as the test wants, and remembers what it was asked."""

    def __init__(self, folder: Path, *, inotify: bool = True) -> None:
        self.folder = folder
        self.asked: asyncio.Queue[ToolRequest] = asyncio.Queue()
        self.answer: Callable[[ToolRequest], Awaitable[ToolReply]] = self.at_once
        self.request_watch = RequestWatch(self._answer, Watcher(inotify=inotify))

    async def _answer(self, asking: ToolRequest) -> ToolReply:
        self.asked.put_nowait(asking)
        return await self.answer(asking)

    async def at_once(self, asking: ToolRequest) -> ToolReply:
        return ToolReply(
            ok=True, text=f"did {asking.tool}", data={"chosen": asking.arguments.plain().get("text", "")}
        )

    async def never(self, _asking: ToolRequest) -> ToolReply:
        await asyncio.Event().wait()
        raise AssertionError

    def open(self) -> None:
        self.request_watch.open(self.folder, SESSION, os.getuid())

    def write(self, kind: str, body: Mapping[str, Any] | bytes, asked_id: str = ID) -> Path:
        """As a program in the box does it."""
        content = body if isinstance(body, bytes) else json.dumps({"id": asked_id, **body}).encode()
        half = self.folder / kind / f"{asked_id}.half"
        half.write_bytes(content)
        return half.rename(self.folder / kind / f"{asked_id}.json")

    async def answered(self, asked_id: str = ID, where: str = "results") -> dict[str, Any]:
        path = self.folder / where / f"{asked_id}.json"
        await until(path.exists)
        found: dict[str, Any] = json.loads(path.read_bytes())
        return found

    @property
    def quarantine(self) -> list[str]:
        folder = self.folder.parent.parent / "quarantine" / self.folder.name
        return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "groups" / "main" / "ipc" / SESSION
    furnish(folder, os.getuid(), tool_table(tools_for(main=False), main=False))
    monkeypatch.setenv("NANOCLAW_IPC", str(folder))
    return folder


@pytest.fixture(params=["inotify", "looking"])
async def any_host(folder: Path, request: pytest.FixtureRequest) -> AsyncIterator[Host]:
    host = Host(folder, inotify=request.param == "inotify")
    yield host
    await host.request_watch.shut()


@pytest.fixture
async def host(folder: Path) -> AsyncIterator[Host]:
    host = Host(folder)
    yield host
    await host.request_watch.shut()


# Asking


async def test_a_request_is_answered_and_then_deleted(any_host: Host) -> None:
    any_host.open()
    reply = await asyncio.to_thread(ask, "messages", "send_message", HI, 20)
    assert reply["text"] == "did send_message"
    assert reply["ok"] is True
    asking = any_host.asked.get_nowait()
    assert (asking.kind, asking.tool, asking.arguments.plain()) == (RequestKind.MESSAGES, "send_message", HI)
    assert (asking.id, asking.session_id) == (reply["id"], SESSION)
    await until(lambda: not list((any_host.folder / "messages").iterdir()))


async def test_a_program_of_its_own_can_ask(host: Host) -> None:
    host.open()
    script = "from nanoclaw_inside.asking import ask; print(ask('tasks', 'schedule_task', {'prompt': 'p', "
    script += "'schedule_type': 'once', 'schedule_value': '2030-01-01T08:00'})['text'])"
    environment = {"PYTHONPATH": "src", "NANOCLAW_IPC": str(host.folder)}
    asker = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, stdout=subprocess.PIPE, env=environment
    )
    printed, _ = await asker.communicate()
    assert printed.decode() == "did schedule_task\n"


async def test_a_request_that_is_told_of_twice_is_asked_once(host: Host) -> None:
    text_answers = asyncio.Event()

    async def slowly(asking: ToolRequest) -> ToolReply:
        await text_answers.wait()
        return await host.at_once(asking)

    host.answer = slowly
    host.open()
    request = host.write("messages", {"tool": "send_message", "arguments": HI})
    for _ in range(3):
        with request.open("ab"):  # closing it is an event of its own
            pass
    await host.asked.get()
    host.write("messages", {"tool": "send_message", "arguments": HI}, "b" * 32)
    assert (await host.asked.get()).id == "b" * 32
    text_answers.set()
    assert (await host.answered())["ok"]
    assert host.asked.empty()


async def test_a_box_that_is_told_nothing_finds_its_answer_by_looking(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All inotify instances of its user may be in use."""
    monkeypatch.setattr(inside, "_inotify_of", lambda _folder: -1)
    host.open()
    assert (await asyncio.to_thread(ask, "messages", "send_message", HI, 20))["ok"]


async def test_more_requests_than_one_look_sees_are_each_answered_once(host: Host) -> None:
    host.open()
    ids = [f"{number:032x}" for number in range(2 * LOOK_AT)]
    for asked_id in ids:
        host.write("messages", {"tool": "send_message", "arguments": HI}, asked_id)
    for asked_id in ids:
        assert (await host.answered(asked_id))["ok"]
    assert sorted(host.asked.get_nowait().id for _ in ids) == ids
    assert host.asked.empty()


async def test_the_folder_says_who_asks_whatever_the_request_says(host: Host) -> None:
    host.open()
    host.write("messages", {"tool": "send_message", "arguments": HI, "session_id": "s_other"})
    assert "Unknown field `session_id`" in (await host.answered())["text"]
    host.write("hitl", {"question": "?", "type": "hitl_request", "request_id": ID})
    assert (await host.asked.get()).session_id == SESSION


async def test_an_unanswered_request_is_told_so_inside(host: Host) -> None:
    host.answer = host.never
    host.open()
    with pytest.raises(NoAnswer):
        await asyncio.to_thread(ask, "messages", "send_message", HI, 0.05)


async def test_who_waits_for_a_person_holds_up_nothing_else(host: Host) -> None:
    decided = asyncio.Event()

    async def person(asking: ToolRequest) -> ToolReply:
        if asking.kind is RequestKind.HITL:
            await decided.wait()
            return ToolReply(
                ok=True, text="Yes.", data={"chosen": "yes", "user_input": None, "user_id": "p_1"}
            )
        return await host.at_once(asking)

    host.answer = person
    host.open()
    for number in range(AT_ONCE + 3):
        host.write("hitl", {"tool": "request_human", "arguments": {"question": "?"}}, f"{number:032x}")
    await until(lambda: host.asked.qsize() == AT_ONCE)
    assert (await asyncio.to_thread(ask, "messages", "send_message", HI, 20))["ok"]
    assert host.asked.qsize() == AT_ONCE + 1  # the message; the other questions wait for a place
    decided.set()
    for number in range(AT_ONCE + 3):
        answer = await host.answered(f"{number:032x}", "hitl-responses")
        assert (answer["request_id"], answer["chosen"], answer["user_id"]) == (f"{number:032x}", "yes", "p_1")
        assert answer["data"]["chosen"] == "yes"


async def test_a_box_of_another_user_can_read_its_answers(host: Host) -> None:
    before = os.umask(0o077)
    try:
        furnish(host.folder, os.getuid(), tool_table(tools_for(main=False), main=False))
        host.open()
        host.write("messages", {"tool": "send_message", "arguments": HI})
        await host.answered()
    finally:
        os.umask(before)
    modes = {
        name: (host.folder / name).stat().st_mode & 0o777 for name in ("results", "messages", "tools.json")
    }
    assert modes == {"results": 0o755, "messages": 0o700, "tools.json": 0o644}
    assert (host.folder / "results" / f"{ID}.json").stat().st_mode & 0o777 == 0o644


# What an agent is told when it asked wrongly


async def test_wrong_arguments_are_refused_with_what_to_change(host: Host) -> None:
    host.open()
    host.write("messages", {"tool": "send_message", "arguments": {"txt": "hi", "target_group": 7}})
    answer = await host.answered()
    assert answer["ok"] is False
    assert "`arguments.text` is missing." in answer["text"]
    assert "no `txt`; it may have text, voice, target, target_group" in answer["text"]
    assert "`arguments.target_group` must be a string." in answer["text"]
    assert host.asked.empty()
    assert host.quarantine == []


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("send_message", {"text": "  \n"}, "`arguments.text` is empty."),
        ("send_message", {"text": "x" * 50_001}, "has 50001 characters; at most 50000"),
        ("send_message", [], "`arguments` must be an object."),
        ("register_group", {"name": "a\n"}, "Letters, digits"),
        ("register_group", {"name": "../x"}, "Letters, digits"),
        (
            "request_human",
            {"question": "?", "kind": "vote"},
            "one of approval, choice, input, review, escalation",
        ),
        ("request_human", {"question": "?", "timeout_minutes": 0}, "is 0; it must be from 1 to 10080"),
        ("request_human", {"question": "?", "timeout_minutes": True}, "must be a whole number"),
        (
            "request_human",
            {"question": "?", "options": [{"id": "a"}]},
            "`arguments.options[0].label` is missing",
        ),
        ("request_human", {"question": "?", "options": [{}] * 9}, "has 9 entries; at most 8"),
        ("request_human", {"question": "?", "context": []}, "must be an object or a string"),
        ("request_human", {"question": "?", "context": "x" * 20_001}, "has 20001 characters; at most 20000"),
        (
            "request_human",
            {"question": "?", "context": {"x": "x" * 20_000}},
            "Shorten it, or put it into a file",
        ),
        ("request_human", {"question": "?", "risk": "some"}, "one of normal, publish, destructive"),
        ("send_file", {}, "Give either `path` or `paths`."),
        ("send_file", {"path": "a", "paths": ["b"]}, "Give either `path` or `paths`."),
        ("send_file", {"paths": []}, "has 0 entries; 1 to 10 are allowed"),
        ("send_file", {"paths": ["a", 7]}, "`arguments.paths[1]` must be a string."),
        ("background_task", {"prompt": "x", "notify_thread_id": 1.5}, "must be a string or a whole number"),
    ],
)
def test_each_fault_is_named(tool: str, arguments: object, said: str) -> None:
    with pytest.raises(BadToolRequest) as refused:
        understand(TOOLS[tool].kind, ID, SESSION, {"id": ID, "tool": tool, "arguments": arguments})
    assert said in str(refused.value)


def test_a_tool_is_only_found_in_its_own_folder() -> None:
    with pytest.raises(BadToolRequest, match="list_tasks belongs into /ipc/tasks, not into /ipc/messages"):
        understand(RequestKind.MESSAGES, ID, SESSION, {"id": ID, "tool": "list_tasks", "arguments": {}})


@pytest.mark.parametrize("tool", ["no_such_tool", 7, None, []])
@pytest.mark.parametrize("kind", [RequestKind.MESSAGES, RequestKind.STATE])
def test_a_tool_that_is_none_is_answered_with_those_there_are(kind: RequestKind, tool: object) -> None:
    with pytest.raises(BadToolRequest) as refused:
        understand(kind, ID, SESSION, {"id": ID, "tool": tool, "arguments": {}})
    assert str(refused.value) == f"There is no tool {tool}. There are: {', '.join(TOOLS)}."


async def test_a_session_is_told_only_of_the_tools_that_it_has(host: Host) -> None:
    host.request_watch.open(host.folder, SESSION, os.getuid(), ("send_message", "list_tasks"))
    host.write("state", {"tool": "no_such_tool", "arguments": {}})
    answer = await host.answered()
    assert (answer["ok"], answer["data"]) == (False, {"refused": "arguments"})
    assert answer["text"] == "There is no tool no_such_tool. There are: send_message, list_tasks."


def test_null_means_left_out() -> None:
    asked = {"id": ID, "tool": "send_message", "arguments": {"text": "hi", "target_group": None}}
    assert understand(RequestKind.MESSAGES, ID, SESSION, asked).arguments.plain() == {"text": "hi"}


@pytest.mark.parametrize(
    ("kind", "body", "arguments"),
    [
        (
            RequestKind.HITL,
            {
                "type": "hitl_request",
                "request_id": ID,
                "skill": "marketing/content/copywriter",
                "question": "Publish now?",
                "options": [{"id": "now", "label": "Зараз", "description": "Опублікувати"}],
                "timeout_minutes": 60,
                "default_action": "now",
                "context": {"draft_text": "..."},
                "created_at": "2026-02-28T14:30:00Z",
            },
            {"question": "Publish now?", "timeout_minutes": 60, "default_action": "now"},
        ),
        (
            RequestKind.HITL,
            {"id": ID, "type": "review", "prompt": "Good?", "safe_default": "no"},
            {"kind": "review", "question": "Good?", "default_action": "no"},
        ),
        (
            RequestKind.BACKGROUND,
            {
                "type": "background_task",
                "task_id": ID,
                "skill": "s",
                "prompt": "audit",
                "estimated_minutes": 30,
                "notify_on_complete": True,
                "notify_thread_id": 42,
                "priority": "low",
            },
            {"prompt": "audit", "estimated_minutes": 30, "notify_thread_id": 42},
        ),
        (
            RequestKind.TASKS,
            {
                "id": ID,
                "group_id": "g",
                "schedule_type": "cron",
                "schedule_value": "0 8 * * 1",
                "prompt": "news",
                "notify": True,
            },
            {"target_group": "g", "prompt": "news"},
        ),
    ],
)
def test_the_forms_without_a_tool_are_understood(
    kind: RequestKind, body: dict[str, Any], arguments: dict[str, Any]
) -> None:
    understood = understand(kind, ID, SESSION, body).arguments.plain()
    assert understood.items() >= arguments.items()
    assert not understood.keys() & {"id", "request_id", "task_id", "from", "created_at"}


@pytest.mark.parametrize("kind", [RequestKind.MESSAGES, RequestKind.STATE])
def test_a_folder_with_several_tools_needs_the_name_of_one(kind: RequestKind) -> None:
    with pytest.raises(BadToolRequest, match="`tool` must be one of"):
        understand(kind, ID, SESSION, {"id": ID, "text": "hi"})


async def test_a_refusal_of_the_host_is_a_sentence(host: Host) -> None:
    async def refuse(_asking: ToolRequest) -> ToolReply:
        raise NotFound("no-such-message", id="x")

    host.answer = refuse
    host.open()
    reply = await asyncio.to_thread(ask, "messages", "send_message", HI, 20)
    assert (reply["ok"], reply["data"]) == (False, {"refused": "no-such-message"})


async def test_when_the_host_fails_the_agent_is_told(host: Host) -> None:
    async def fail(_asking: ToolRequest) -> ToolReply:
        raise ZeroDivisionError

    host.answer = fail
    host.open()
    reply = await asyncio.to_thread(ask, "messages", "send_message", HI, 20)
    assert reply["ok"] is False
    assert "host failed" in reply["text"]


# Crashes


async def test_what_a_crash_left_is_answered_when_the_desk_opens(host: Host) -> None:
    host.write("tasks", {"tool": "list_tasks", "arguments": {}})
    (host.folder / "results" / f".{ID}.half").write_text("{")  # the host died while it wrote the answer
    host.open()
    assert (await host.answered())["ok"]


async def test_what_was_not_answered_is_asked_again_under_the_same_id(host: Host) -> None:
    host.answer = host.never
    host.open()
    request = host.write("messages", {"tool": "send_message", "arguments": HI})
    first = await host.asked.get()
    await host.request_watch.close(SESSION)
    assert request.exists()
    host.answer = host.at_once
    host.open()
    assert await host.asked.get() == first
    assert (await host.answered())["ok"]


async def test_a_box_that_ended_has_asked_when_its_question_is_written_down(host: Host) -> None:
    """Nobody waits for the person; but a question that nobody has written down would be lost."""
    written: list[str] = []

    async def slowly(asking: ToolRequest) -> ToolReply:
        await asyncio.sleep(0.05)
        written.append(asking.id)
        asking.noted()
        return await host.never(asking)

    host.answer = slowly
    host.open()
    request = host.write("hitl", {"tool": "request_human", "arguments": {"question": "?"}})
    async with asyncio.timeout(60):
        await host.request_watch.close(SESSION, patience=600)
    assert written == [ID]
    assert request.exists()  # the answer belongs to the next box of the session


async def test_a_closed_desk_leaves_no_descriptor_open(host: Host) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    host.answer = host.never
    host.open()
    host.write("messages", {"tool": "send_message", "arguments": HI})
    await host.asked.get()
    await host.request_watch.close(SESSION)
    assert len(list(Path("/proc/self/fd").iterdir())) <= before + 1  # the loop's own, for what it watches


async def test_lost_events_are_made_up_for(host: Host) -> None:
    """The queue of the kernel holds 16384 events; what came after them is found by looking."""
    host.open()
    await asyncio.sleep(0)
    here, there = (host.folder / "state" / name for name in ("a.half", "b.half"))
    here.touch()
    for _ in range(9000):
        here.rename(there)
        there.rename(here)
    host.write("messages", {"tool": "send_message", "arguments": HI})
    assert (await host.answered())["ok"]


# Names that say something


def named(kind: RequestKind, text: str, name: str = "bg-1234", turn: str = "t_1") -> str:
    """The id under which a request of this name is carried out once."""
    told = {"hitl": {"request_id": name, "question": text}, "background": {"task_id": name, "prompt": text}}
    return understand(kind, name, SESSION, told[kind]).of_turn(turn).id


@pytest.mark.capability("E1", "F5")
async def test_requests_of_older_writers_are_taken_under_their_own_names(any_host: Host) -> None:
    """As they stand in the first description of the protocol."""
    any_host.open()
    hitl = {"type": "hitl_request", "request_id": "hitl-7f3a", "question": "Now?", "timeout_minutes": 60}
    task = {"type": "background_task", "task_id": "bg-1234", "prompt": "Audit them.", "priority": "low"}
    for kind, name, body in (("hitl", "hitl-7f3a", hitl), ("background", "bg-1234", task)):
        any_host.write(kind, json.dumps(body).encode(), name)
    assert (await any_host.answered("hitl-7f3a", "hitl-responses"))["request_id"] == "hitl-7f3a"
    assert (await any_host.answered("bg-1234"))["text"] == "did background_task"
    assert any_host.quarantine == []


async def test_under_such_a_name_a_request_counts_once_for_each_turn_and_content() -> None:
    first = named(RequestKind.BACKGROUND, "Audit them.")
    assert first == named(RequestKind.BACKGROUND, "Audit them.")
    others = {
        named(RequestKind.BACKGROUND, "Audit others."),
        named(RequestKind.BACKGROUND, "Audit them.", turn="t_2"),
        named(RequestKind.BACKGROUND, "Audit them.", name="bg-1235"),
        named(RequestKind.HITL, "Audit them."),
    }
    assert len(others - {first}) == 4
    whole = understand(RequestKind.MESSAGES, ID, SESSION, {"id": ID, "tool": "send_message", "arguments": HI})
    assert whole.of_turn("t_1").id == ID


async def test_another_request_that_takes_the_place_of_one_is_answered_too(host: Host) -> None:
    go_on = asyncio.Event()

    async def slowly(asking: ToolRequest) -> ToolReply:
        await go_on.wait()
        return await host.at_once(asking)

    host.answer = slowly
    host.open()
    for text in ("first", "second"):
        host.write("messages", {"tool": "send_message", "arguments": {"text": text}}, "note-1")
        if text == "first":
            await host.asked.get()
    go_on.set()
    assert (await host.asked.get()).arguments.plain() == {"text": "second"}
    await until(lambda: not list((host.folder / "messages").iterdir()))
    assert (await host.answered("note-1"))["data"] == {"chosen": "second"}


async def test_an_old_answer_is_not_taken_for_that_of_a_new_request_of_the_same_name(host: Host) -> None:
    host.open()
    host.write("messages", {"tool": "send_message", "arguments": HI}, "note-1")
    await host.answered("note-1")
    host.answer = host.never
    host.write("messages", {"tool": "send_message", "arguments": {"text": "other"}}, "note-1")
    await until(lambda: not (host.folder / "results" / "note-1.json").exists())


# Traps


async def test_a_refused_file_is_kept_for_a_person_and_the_box_is_told(host: Host) -> None:
    host.open()
    host.write("messages", b'{"id": "x", "id": "y"}')
    answer = await host.answered()
    assert (answer["ok"], answer["data"]) == (False, {"refused": "duplicate"})
    await until(lambda: host.quarantine == [f"duplicate-{ID}.json"])
    assert list((host.folder / "messages").iterdir()) == []
    assert host.asked.empty()


async def test_traps_are_taken_away_and_the_next_request_is_answered(host: Host, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("{}")
    messages = host.folder / "messages"
    (messages / f"{'1' * 32}.json").symlink_to(secret)
    os.mkfifo(messages / f"{'2' * 32}.json")
    (messages / f"{'3' * 32}.json").mkdir()
    (messages / f"{'4' * 32}.json" / "full").mkdir(parents=True)
    (messages / "odd\n.json").write_text("{}")
    with (messages / f"{'5' * 32}.json").open("wb") as sparse:
        sparse.truncate(1 << 40)
    (messages / "unfinished.half").write_text("{")
    host.open()
    assert (await host.answered("4" * 32))["data"] == {"refused": "not-a-file"}
    assert (await asyncio.to_thread(ask, "messages", "send_message", HI, 20))["ok"]
    left = {"unfinished.half", f"{'4' * 32}.json"}
    await until(lambda: {path.name for path in messages.iterdir()} == left)
    assert len(host.quarantine) == 1
    assert host.quarantine[0].startswith("name-")
    assert secret.read_text() == "{}"


async def test_a_box_cannot_fill_the_quarantine(host: Host) -> None:
    host.open()
    for number in range(quarantine.MOST_KEPT + 20):
        host.write("messages", b"no json", f"{number:032x}")
    await until(lambda: not list((host.folder / "messages").iterdir()))
    assert len(host.quarantine) == quarantine.MOST_KEPT


async def test_twenty_thousand_unfinished_files_hold_up_nothing(host: Host) -> None:
    host.open()
    for number in range(20_000):
        os.close(os.open(host.folder / "messages" / f"{number}.half", os.O_CREAT | os.O_WRONLY))
    host.request_watch.sweep(now())
    assert (await asyncio.to_thread(ask, "messages", "send_message", HI, 20))["ok"]


async def test_a_link_in_the_place_of_a_folder_is_not_opened(host: Host, tmp_path: Path) -> None:
    (host.folder / "results").rmdir()
    (host.folder / "results").symlink_to(tmp_path)
    with pytest.raises(OSError, match="results"):
        host.open()


# The sweep


async def test_after_an_hour_what_nobody_came_for_is_cleared_away(host: Host) -> None:
    host.answer = host.never
    host.open()
    waiting = host.write("hitl", {"tool": "request_human", "arguments": {"question": "?"}}, "a" * 32)
    await host.asked.get()
    old_answer = host.folder / "results" / f"{ID}.json"
    old_answer.write_text("{}")
    unfinished = host.folder / "tasks" / "unfinished.half"
    unfinished.write_text("{")
    host.request_watch.sweep(now())
    assert old_answer.exists()
    assert unfinished.exists()
    host.request_watch.sweep(now() + timedelta(hours=1, minutes=1))
    assert not old_answer.exists()
    assert not unfinished.exists()
    assert waiting.exists()  # somebody still thinks about it
    assert [name.partition("-")[0] for name in host.quarantine] == ["orphan"]


# The table of tools


def test_only_the_main_group_sees_what_only_it_may_do() -> None:
    main = {tool["name"]: tool["inputSchema"] for tool in tool_table(tools_for(main=True), main=True)}
    other = {tool["name"]: tool["inputSchema"] for tool in tool_table(tools_for(main=False), main=False)}
    assert main.keys() - other.keys() == {"register_group"}
    assert "target_group" in main["send_message"]["properties"]
    assert "target_group" not in other["send_message"]["properties"]


def test_schemas_say_nothing_that_a_model_does_not_need() -> None:
    """Every model call carries them all."""
    written = json.dumps([tool.schema(main=True) for tool in TOOLS.values()])
    for word in ('"title"', '"default"', '"anyOf"', '"null"', "$ref", "$defs", '"required": []'):
        assert word not in written
    offered = [(tool.name, tool.description, tool.offer(main=False)) for tool in tools_for(main=False)]
    assert len(json.dumps(offered, separators=(",", ":"))) < 8000


def test_the_schemas_on_the_page_are_those_of_the_models() -> None:
    found = {path.name: json.loads(path.read_text("utf-8")) for path in SCHEMAS.glob("*.schema.json")}
    assert found == protocol_schemas()


def test_every_tool_and_folder_is_on_the_page() -> None:
    page = Path("docs/reference/file-protocol.md").read_text("utf-8")
    for tool in TOOLS.values():
        assert f"`{tool.name}`" in page
        assert f"file-protocol/{tool.name}.schema.json" in page
        assert f"`{tool.kind}`" in page


def test_every_reason_for_a_refusal_is_on_the_page() -> None:
    page = Path("docs/reference/file-protocol.md").read_text("utf-8")
    for reason in UnreadReason:
        assert f"| `{reason}` |" in page


def test_the_examples_on_the_page_are_understood() -> None:
    page = Path("docs/reference/file-protocol.md").read_text("utf-8")
    examples = next(
        block for block in re.findall(r"```json\n(.*?)```", page, re.DOTALL) if '"background_task"' in block
    )
    found = json.loads(examples)
    assert found.keys() == TOOLS.keys()
    for tool, arguments in found.items():
        understand(TOOLS[tool].kind, ID, SESSION, {"id": ID, "tool": tool, "arguments": arguments})
