"""A decided question is one line in the company's decisions, whatever crashes."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.unit.test_questions import AT, a_question, wants

from nanoclaw.domain.questions import Question, Status
from nanoclaw.flows.human.decision_log import record_of
from nanoclaw.flows.knowledge.line_writer import LineWriter
from nanoclaw.memory.files import MemoryFiles

pytestmark = pytest.mark.capability("E9")


def append(home: Path, question: Question) -> None:
    """As the writer of the company does."""
    writing = LineWriter(MemoryFiles(home), lambda text: (text, ()))
    writing.write(question.company, [record_of(question, AT)], AT)


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
        "timestamp": "2026-03-02T14:01:30Z",
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


def test_of_the_card_of_a_pipeline_only_the_question_is_recalled(tmp_path: Path, memory: Path) -> None:
    card = "Start **Launch**: tea\\?\n\n- 1\\. topic\\-researcher"
    append(tmp_path, decided(prompt=card, chain_id="pl_1", step=0))
    (line,) = lines(memory)
    assert line["decision"].startswith("Start **Launch**: tea? -> ")
    assert line["prompt"] == card


def test_after_a_crash_between_line_and_mark_there_is_still_one_line(tmp_path: Path, memory: Path) -> None:
    asked, other = decided(), decided()
    for each in (asked, other, asked, other):
        append(tmp_path, each)
    assert [line["id"] for line in lines(memory)] == [asked.id, other.id]


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


def test_the_folder_is_made_where_the_company_has_none(tmp_path: Path, memory: Path) -> None:
    memory.rmdir()
    append(tmp_path, decided())
    assert len(lines(memory)) == 1
