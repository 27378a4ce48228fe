"""A decided question is one line in the company's decisions: whatever crashes, and whatever stands in its place."""

import contextlib
import fcntl
import json
import os
import socket
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.unit.test_questions import AT, a_question, wants

from nanoclaw.domain.questions import Question, Status
from nanoclaw.flows.human.decision_log import append

pytestmark = pytest.mark.capability("E9")


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    folder = tmp_path / "companies" / "demo" / "memory"
    folder.mkdir(parents=True)
    return folder


def decided(**changes: Any) -> Question:
    values: dict[str, Any] = {
        "status": Status.COMPLETED,
        "response": {"chosen": "approve", "user_input": None},
        "resolved_at": AT + timedelta(seconds=90),
        "made_by": "hitl",
        "decided_by": "telegram:7",
        "decided_name": "Olena",
        "via": "telegram:6",
    }
    return a_question(**values | changes)


def lines(memory: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (memory / "decisions.jsonl").read_text().splitlines()]


def test_a_line_has_the_fields_of_a_decision_and_those_of_a_question(tmp_path: Path, memory: Path) -> None:
    wanted = wants(question="Розгорнути?\nзараз", risk="destructive", skill="deployer", context={"a": 1})
    asked = decided(wanted=wanted)
    append(tmp_path, asked)
    (line,) = lines(memory)
    assert line | {"payload": None} == {
        "id": asked.id,
        "timestamp": "2026-03-02T14:01:30+00:00",
        "type": "hitl",
        "domain": "deployer",
        "decision": "Розгорнути?\nзараз -> ✅ Approve",
        "rationale": "",
        "made_by": "hitl",
        "reversible": False,
        "affects": ["deployer"],
        "supersedes": None,
        "binding": True,
        "hitl_type": "approval",
        "prompt": "Розгорнути?\nзараз",
        "choice": "approve",
        "user_input": None,
        "user": "telegram:7",
        "via": "telegram:6",
        "status": "completed",
        "asked_at": "2026-03-02T14:00:00+00:00",
        "seconds": 90.0,
        "execution_id": "t_1",
        "group": "main",
        "payload": None,
        "payload_hash": asked.payload_hash,
    }
    assert line["payload"] == json.loads(asked.payload)


def test_a_time_out_binds_nobody(tmp_path: Path, memory: Path) -> None:
    default = {"chosen": "reject", "user_input": None}
    append(
        tmp_path,
        decided(status=Status.TIMEOUT, response=default, made_by="timeout", decided_by=None, via=None),
    )
    (line,) = lines(memory)
    assert (line["made_by"], line["binding"], line["user"], line["choice"]) == (
        "timeout",
        False,
        None,
        "reject",
    )


def test_what_was_taken_back_is_recorded_without_a_choice(tmp_path: Path, memory: Path) -> None:
    append(tmp_path, decided(status=Status.CANCELLED, response=None, made_by="cancelled"))
    (line,) = lines(memory)
    assert (line["status"], line["choice"], line["binding"]) == ("cancelled", None, False)
    assert line["decision"].endswith("-> nothing")


def test_after_a_crash_between_line_and_mark_there_is_still_one_line(tmp_path: Path, memory: Path) -> None:
    asked, other = decided(), decided()
    for each in (asked, other, asked, other):
        append(tmp_path, each)
    assert [line["id"] for line in lines(memory)] == [asked.id, other.id]


def test_a_decision_that_another_one_speaks_of_is_recorded_all_the_same(tmp_path: Path, memory: Path) -> None:
    """An agent knows the id of what it asked, and could hide a decision by putting it into another question."""
    hidden = decided()
    append(tmp_path, decided(wanted=wants(question="?", context={"id": hidden.id})))
    append(tmp_path, hidden)
    assert [line["id"] for line in lines(memory)][-1] == hidden.id


def test_a_line_that_only_looks_like_it_does_not_hide_it(tmp_path: Path, memory: Path) -> None:
    """A box can write here too, before the host does."""
    asked = decided()
    append(tmp_path, asked)
    file = memory / "decisions.jsonl"
    file.write_text(file.read_text().replace('"choice": "approve"', '"choice": "reject"'))
    append(tmp_path, asked)
    append(tmp_path, asked)
    assert [line["choice"] for line in lines(memory)] == ["reject", "approve"]


def test_of_many_who_write_at_once_none_takes_the_line_of_another_for_torn(
    tmp_path: Path, memory: Path
) -> None:
    asked = [decided(wanted=wants(question="x" * 100, context="y" * 10_000)) for _ in range(8)]
    with ThreadPoolExecutor(len(asked)) as pool:
        list(pool.map(lambda each: append(tmp_path, each), asked * 3))
    assert sorted(line["id"] for line in lines(memory)) == sorted(each.id for each in asked)


@pytest.mark.capability("A9")
def test_a_lock_that_a_box_holds_is_not_waited_for_and_the_line_is_written_later(
    tmp_path: Path, memory: Path
) -> None:
    """Whoever may read the file may lock it, for as long as they like."""
    file, asked = memory / "decisions.jsonl", decided()
    file.touch()
    with ThreadPoolExecutor(1) as pool, file.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(BlockingIOError):  # as with a full disk: it is tried again
            pool.submit(append, tmp_path, asked).result(timeout=60)
    assert file.read_text() == ""
    append(tmp_path, asked)
    assert [line["id"] for line in lines(memory)] == [asked.id]


def test_a_last_line_that_is_torn_spoils_only_itself(tmp_path: Path, memory: Path) -> None:
    (memory / "decisions.jsonl").write_text('{"id": "d_1"}\n{"id": "d_2", "deci')
    asked = decided()
    append(tmp_path, asked)
    first, torn, mine = (memory / "decisions.jsonl").read_text().splitlines()
    assert (first, torn) == ('{"id": "d_1"}', '{"id": "d_2", "deci')
    assert json.loads(mine)["id"] == asked.id


def test_its_own_line_that_is_torn_is_written_again(tmp_path: Path, memory: Path) -> None:
    """A disk that was full in the middle of it."""
    asked = decided()
    append(tmp_path, asked)
    file = memory / "decisions.jsonl"
    file.write_bytes(file.read_bytes()[:-200])
    append(tmp_path, asked)
    *_, last = file.read_text().splitlines()
    assert json.loads(last)["id"] == asked.id


def test_what_stands_before_it_stays_however_much_it_is(tmp_path: Path, memory: Path) -> None:
    before = b'{"id": "d_1"}\n' * 100_000
    (memory / "decisions.jsonl").write_bytes(before)
    asked = decided()
    append(tmp_path, asked)
    append(tmp_path, asked)
    written = (memory / "decisions.jsonl").read_bytes()
    assert written.startswith(before)
    assert written[len(before) :].count(b"\n") == 1


@pytest.mark.capability("A9")
@pytest.mark.parametrize("what", ["link", "dangling link", "pipe", "folder", "full folder", "socket"])
def test_what_is_no_plain_file_is_moved_aside_and_never_followed(
    tmp_path: Path, memory: Path, what: str
) -> None:
    secret, place = tmp_path / "secret", memory / "decisions.jsonl"
    secret.write_text("of the host")
    match what:
        case "link":
            place.symlink_to(secret)
        case "dangling link":
            place.symlink_to(tmp_path / "made")
        case "pipe":
            os.mkfifo(place)
        case "socket":
            with contextlib.chdir(memory), socket.socket(socket.AF_UNIX) as listening:
                listening.bind(place.name)  # the whole path has more than the 107 bytes of a socket
        case _:
            place.mkdir()
            if what.startswith("full"):
                (place / "note").write_text("kept")
    asked = decided()
    append(tmp_path, asked)
    append(tmp_path, asked)
    assert [line["id"] for line in lines(memory)] == [asked.id]
    assert not place.is_symlink()
    assert secret.read_text() == "of the host"
    assert not (tmp_path / "made").exists()
    (aside,) = memory.glob("decisions.jsonl.refused-*")
    assert aside.is_symlink() == ("link" in what)


def test_the_folder_itself_is_no_way_out_either(tmp_path: Path, memory: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    memory.rmdir()
    memory.symlink_to(elsewhere)
    with pytest.raises(OSError, match="memory"):  # it is tried again, until someone puts it right
        append(tmp_path, decided())
    assert list(elsewhere.iterdir()) == []


def test_the_folder_is_made_where_the_company_has_none(tmp_path: Path, memory: Path) -> None:
    memory.rmdir()
    append(tmp_path, decided())
    assert len(lines(memory)) == 1


def test_a_company_that_is_gone_is_not_made_again(tmp_path: Path, memory: Path) -> None:
    append(tmp_path, replace(decided(), company="gone"))
    assert not (tmp_path / "companies" / "gone").exists()
    assert list(memory.iterdir()) == []
