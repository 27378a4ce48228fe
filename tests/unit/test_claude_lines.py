"""What is taken over from a transcript of Claude Code, and what a transcript of ours says."""

import json
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from time import thread_time
from typing import Any

import pytest

from nanoclaw.flows.transfers import claude_lines
from nanoclaw.flows.transfers.claude_lines import ClaudeLine
from nanoclaw.sandbox.transcript_files import transcripts

NAME = "4bdaffc3-8db7-5790-b3f2-92c27ab76c3f"
AT = datetime(2026, 5, 1, tzinfo=UTC)


def line(own: str, parent: str | None, role: str, content: Any, **more: Any) -> str:
    message = {"role": role, "content": content, **more.pop("message", {})}
    return json.dumps({"uuid": own, "parentUuid": parent, "type": role, "message": message, **more})


def call(id_: str, **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": id_, "name": "Bash", "input": given}


def result(id_: str, content: Any = "done") -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id_, "content": content}


def read(*lines: str) -> list[ClaudeLine]:
    return claude_lines.read("\n".join(lines).encode("utf-8", "surrogatepass"))


def shown(conversation: list[ClaudeLine]) -> list[tuple[str, list[str]]]:
    def word(block: dict[str, Any]) -> str:
        return str(block.get("text") or block.get("content") or block.get("id"))

    return [(said.role, [word(block) for block in said.blocks]) for said in conversation]


def test_only_what_leads_to_the_last_message_is_taken_over() -> None:
    """Not what was rewound, thought, left to a sub-agent or noted by the program; all results of calls at once are."""
    thought = {"type": "thinking", "thinking": "hm", "signature": "abc"}
    conversation = read(
        "chatter",
        line("1", None, "user", "first"),
        line("2", "1", "assistant", [{"type": "text", "text": "rewound"}]),
        line("3", "1", "user", "second"),
        json.dumps({"uuid": "4", "parentUuid": "3", "type": "attachment", "attachment": {"type": "date"}}),
        line("5", "4", "assistant", [thought], message={"id": "m", "model": "claude-x"}),
        line("6", "5", "assistant", [call("a")], message={"id": "m", "model": "claude-x"}),
        line("7", "6", "assistant", [call("b")], message={"id": "m", "model": "claude-x"}),
        line(
            "8",
            "6",
            "user",
            [result("a", [{"type": "text", "text": "one"}, {"type": "image", "data": "AA"}])],
        ),
        line("9", "7", "user", [{"type": "text", "text": "and hurry"}, result("b", "two")]),
        line("s", "9", "assistant", [{"type": "text", "text": "of a helper"}], isSidechain=True),
        line("m", "9", "user", "of the program", isMeta=True),
        line(
            "10",
            "9",
            "assistant",
            [{"type": "text", "text": "fine"}, thought],
            timestamp="2026-05-01T10:00:00Z",
        ),
        line(
            "11", "10", "assistant", [{"type": "text", "text": "no vendor"}], message={"model": "<synthetic>"}
        ),
        '{"uuid": "12", "parentUuid": "10", "type": "user", "mess',
    )
    assert shown(conversation) == [
        ("user", ["first", "second"]),
        ("assistant", ["a", "b"]),
        ("user", ["one\n[image]", "two", "and hurry"]),
        ("assistant", ["fine"]),
    ]
    assert [said.model for said in conversation] == ["", "claude-x", "", ""]
    assert conversation[-1].at == "2026-05-01T10:00:00Z"


def test_calls_without_a_result_and_results_of_nothing_are_left_out() -> None:
    conversation = read(
        line("1", None, "user", [result("z"), {"type": "text", "text": "go"}]),
        line("2", "1", "assistant", [call("a"), {"type": "text", "text": "looking"}]),
        line("3", "2", "user", "never mind"),
        line("4", "3", "assistant", [call("b"), call("b")]),
        line("5", "4", "user", [result("b"), result("b")]),
        line("6", "5", "assistant", [call("c")]),
    )
    expected = [("user", ["go"]), ("assistant", ["looking"]), ("user", ["never mind"]), ("assistant", ["b"])]
    assert shown(conversation) == [*expected, ("user", ["done"])]


def test_a_long_conversation_is_cut_before_a_message_of_a_person() -> None:
    said = [
        ClaudeLine(role=role, blocks=blocks)
        for number in range(100)
        for role, blocks in (
            ("user", [{"type": "text", "text": f"question {number} " + "x" * 1000}]),
            ("assistant", [call(f"t{number}")]),
            ("user", [result(f"t{number}", "y" * 1000)]),
            ("assistant", [{"type": "text", "text": "answer"}]),
        )
    ]
    for room in (5_000, 6_000, 7_000):
        kept = claude_lines.newest(said, room)
        assert kept[0].is_from_person
        assert sum(each.size for each in kept) <= room
        assert kept == said[-len(kept) :]
    assert claude_lines.newest(said, 10**9) == said
    # A single turn that has no room: what is left of it still makes sense.
    one = [said[0], *said[1:4] * 30]
    kept = claude_lines.newest(one, 20_000)
    assert 0 < len(kept) < len(one)
    assert kept == claude_lines.tidy(kept)


@pytest.mark.attack
def test_what_takes_too_long_to_look_through_is_cut_before_a_message_of_a_person() -> None:
    said = [claude_lines.text(role, str(each)) for each in range(40) for role in ("user", "assistant")]

    def slow(text: str) -> str:
        until = thread_time() + 0.005
        while thread_time() < until:
            pass
        return f"seen {text}"

    made = claude_lines.newest_scrubbed(said, slow, 0.03)
    assert 0 < len(made) < 20
    assert made[0].role == "user"
    assert made[-1].blocks[0]["text"] == "seen 39"
    assert all(each.blocks[0]["text"].startswith("seen") for each in made)
    assert len(claude_lines.newest_scrubbed(said, str.upper, 10)) == len(said)


def test_what_a_box_wrote_cannot_break_the_lines_nor_hide_anything_in_them() -> None:
    deep: Any = "end"
    for _ in range(400):
        deep = [deep]
    given = {"deep": deep, "number": float("nan"), "half\ud800": "\udfff\0", "key": "sk-canary"}
    conversation = read(
        line("1", None, "user", "\u2028\r\nhello \x1b[31m"),
        line("2", "1", "assistant", [{**call("sk-canary-id"), "input": given, "caller": "sk-canary-more"}]),
        line("3", "2", "user", [result("sk-canary-id", "sk-canary")], toolUseResult={"stdout": "sk-canary"}),
        line("4", "3", "assistant", [{"type": "tool_use", "id": "x", "name": "sk canary", "input": {}}]),
        line("5", "3", "assistant", "ok", message={"model": "sk canary", "id": "sk-canary"}, cwd="sk-canary"),
        line("6", "5", "assistant", [7, None, {"type": "text", "text": 7}, {"type": "text"}]),
    )
    clean = claude_lines.scrubbed(conversation, lambda text: text.replace("sk-canary", "[secret]"))
    lines = list(claude_lines.written(list(clean), NAME, AT))
    assert len(lines) == 4
    assert all(each.startswith('{"cwd":"@PROJECT@",') for each in lines)
    assert not any("canary" in each or "\n" in each for each in lines)
    read_back = [json.loads(each, parse_constant=pytest.fail) for each in lines]
    assert "".join(lines).encode().decode() == "".join(lines)
    assert [each["parentUuid"] for each in read_back[1:]] == [each["uuid"] for each in read_back[:-1]]
    assert lines == list(claude_lines.written(claude_lines.read("\n".join(lines).encode()), NAME, AT))
    for one, other in pairwise(read_back):
        assert one["type"] != other["type"]


@pytest.mark.attack
def test_a_transcript_that_is_a_trap_is_not_read(tmp_path: Path) -> None:
    projects = tmp_path / "projects"
    secret = tmp_path / "secret"
    secret.write_text("secret\n")
    places = [projects / name / f"{NAME}.jsonl" for name in "012"]
    for place in places:
        place.parent.mkdir(parents=True)
    places[0].symlink_to(secret)
    places[1].mkdir()
    places[2].touch()
    (projects / "link").symlink_to(projects / "2")
    assert list(transcripts(tmp_path, NAME, 100)) == [b"", b""]
    (projects / "2" / f"{NAME}.jsonl").write_text("first line\nsecond line\nthird\n")
    assert list(transcripts(tmp_path, NAME, 15)) == [b"", b"third\n"]
    assert list(transcripts(tmp_path / "nothing", NAME, 20)) == []
