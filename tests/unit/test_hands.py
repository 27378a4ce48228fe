"""The agent's tools do what they say, stay small whatever comes out, and name what cannot be done."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

PROGRAM = Path(__file__).parents[2] / "src" / "nanoclaw_inside"


class Hands:
    """One call per process, as in a box; but here only in a folder of the test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.events: list[dict[str, Any]] = []

    def __call__(self, tool: str, **arguments: object) -> tuple[bool, str]:
        return self.say(json.dumps({"tool": tool, "arguments": arguments}))

    def say(self, line: str) -> tuple[bool, str]:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-B", PROGRAM, "hands"],
            input=line.encode() + b"\n",
            cwd=self.folder,
            capture_output=True,
            check=True,
            timeout=60,
        )
        assert done.stderr == b""
        self.events = [json.loads(line) for line in done.stdout.splitlines()]
        assert [event["event"] for event in self.events].count("end") == 1
        end = self.events[-1]
        return end["ok"], end["text"]

    @property
    def told(self) -> str:
        return "".join(event["text"] for event in self.events if event["event"] == "output")


@pytest.fixture
def box_tools(tmp_path: Path) -> Hands:
    return Hands(tmp_path)


def test_a_command_runs_and_both_its_outputs_are_told(box_tools: Hands) -> None:
    assert box_tools("bash", command="echo one; echo two >&2; pwd") == (
        True,
        f"one\ntwo\n{box_tools.folder}\n",
    )
    assert box_tools.told == f"one\ntwo\n{box_tools.folder}\n"


def test_a_failing_command_says_its_exit_code(box_tools: Hands) -> None:
    assert box_tools("bash", command="echo no; exit 3") == (False, "no\n[exit code 3]")
    assert box_tools("bash", command="kill -9 $$") == (False, "[killed by signal 9]")


def test_a_command_that_takes_too_long_is_killed_with_what_it_started(box_tools: Hands) -> None:
    mark = f"{time.time_ns()}.125"
    ok, text = box_tools("bash", command=f"echo begun; sleep {mark} & sleep {mark}", timeout=0.3)
    assert not ok
    assert text == "begun\n[timed out after 0.3 seconds; it was killed with everything it started]"
    deadline = time.monotonic() + 60
    while subprocess.run(["pgrep", "-f", mark], capture_output=True, check=False).stdout:
        assert time.monotonic() < deadline, "it is still there"


def test_what_is_left_in_the_background_does_not_hold_the_answer_up(box_tools: Hands) -> None:
    assert box_tools("bash", command="sleep 1000 & echo done") == (True, "done\n")
    assert box_tools("bash", command="yes & sleep 0.1; echo done")[0]


def test_of_endless_output_the_beginning_and_the_end_are_kept(box_tools: Hands) -> None:
    ok, text = box_tools("bash", command="echo first; yes filler | head -c 50000000; echo; echo last")
    assert ok
    assert text.startswith("first\n")
    assert text.endswith("last\n")
    assert "characters left out" in text
    assert len(text) < 31_000
    assert len(box_tools.told.encode()) <= 256 << 10


def test_what_is_printed_slowly_is_told_as_it_comes(box_tools: Hands) -> None:
    box_tools("bash", command="for i in 1 2 3; do echo $i; sleep 0.12; done")
    assert box_tools.told == "1\n2\n3\n"
    assert len(box_tools.events) > 2  # at least two pieces, however busy the machine is
    box_tools("bash", command="for i in $(seq 2000); do echo $i; done")
    assert len(box_tools.events) < 40


def test_letters_that_arrive_in_two_pieces_stay_whole(box_tools: Hands) -> None:
    assert box_tools("bash", command=r"printf '\xd1'; sleep 0.2; printf '\x97\n'") == (True, "ї\n")
    assert box_tools("bash", command=r"printf 'a\xffb'") == (True, "a\ufffdb")


def test_files_are_written_whole_and_read_with_numbers(box_tools: Hands) -> None:
    assert box_tools("write", path="a/b/note.txt", content="one\nдва\nthree\n")[0]
    assert box_tools("read", path="a/b/note.txt") == (True, "     1\tone\n     2\tдва\n     3\tthree")
    ok, text = box_tools("read", path="a/b/note.txt", offset=2, limit=1)
    assert (ok, text) == (True, "     2\tдва\n[the file goes on; read it further with offset 3]")
    assert os.listdir(box_tools.folder / "a" / "b") == ["note.txt"]  # noqa: PTH208


def test_writing_keeps_the_mode_of_a_file_and_the_link_to_it(box_tools: Hands) -> None:
    script = box_tools.folder / "run.sh"
    script.write_text("old")
    script.chmod(0o750)
    (box_tools.folder / "link").symlink_to("run.sh")
    assert box_tools("write", path="link", content="new")[0]
    assert (box_tools.folder / "link").is_symlink()
    assert script.read_text() == "new"
    assert script.stat().st_mode & 0o777 == 0o750


def test_odd_files_are_named_for_what_they_are(box_tools: Hands) -> None:
    (box_tools.folder / "picture").write_bytes(b"\x89PNG\0\0")
    (box_tools.folder / "empty").touch()
    os.mkfifo(box_tools.folder / "pipe")
    (box_tools.folder / "long").write_text("x" * 5_000_000)
    assert box_tools("read", path="picture") == (True, "picture is a binary file of 6 bytes.")
    assert box_tools("read", path="empty") == (True, "empty is empty.")
    assert box_tools("read", path="pipe") == (False, "pipe is not a plain file.")
    assert box_tools("write", path="pipe", content="") == (False, "pipe is not a plain file.")
    assert box_tools("read", path="empty", offset=5)[0]
    assert len(box_tools("read", path="long")[1]) < 3_000


def test_an_edit_must_be_exact_and_unique(box_tools: Hands) -> None:
    file = box_tools.folder / "code.py"
    file.write_bytes(b"a = 1\r\na = 1\r\nb = 2\r\n\xff")
    assert box_tools("edit", path="code.py", old="c = 3", new="x")[1].startswith("`old` is not in code.py.")
    assert box_tools("edit", path="code.py", old="a = 1", new="x")[1].startswith(
        "`old` is 2 times in code.py."
    )
    assert box_tools("edit", path="code.py", old="b = 2", new="b = 3") == (
        True,
        "Changed code.py in 1 place.",
    )
    assert box_tools("edit", path="code.py", old="a = 1", new="a = 0", all=True)[0]
    assert file.read_bytes() == b"a = 0\r\na = 0\r\nb = 3\r\n\xff"
    assert not box_tools("edit", path="code.py", old="", new="x")[0]


def test_a_search_names_file_and_line(box_tools: Hands) -> None:
    (box_tools.folder / "src").mkdir()
    (box_tools.folder / "src" / "a.py").write_text("one\nneedle 42\n")
    (box_tools.folder / "src" / "b.txt").write_text("needle 7\n")
    (box_tools.folder / "src" / "c.bin").write_bytes(b"needle\0")
    (box_tools.folder / "loop").symlink_to(".")
    assert box_tools("search", pattern=r"needle \d+") == (True, "src/a.py:2:needle 42\nsrc/b.txt:1:needle 7")
    assert box_tools("search", pattern="needle", glob="*.py") == (True, "src/a.py:2:needle 42")
    assert box_tools("search", pattern="nothing here") == (True, "Nothing matches.")
    assert box_tools("search", pattern="(")[1].startswith("The pattern is not a regular expression")
    assert box_tools("search", pattern="x", path="gone") == (False, "gone: there is no such file or folder.")
    (box_tools.folder / "many").write_text("needle\n" * 500)
    assert len(box_tools("search", pattern="needle")[1].splitlines()) == 201


def test_a_folder_is_listed(box_tools: Hands) -> None:
    (box_tools.folder / "sub").mkdir()
    (box_tools.folder / "file").write_text("abc")
    (box_tools.folder / "link").symlink_to("file")
    assert box_tools("list") == (True, "file  3 bytes\nlink -> file\nsub/")
    assert box_tools("list", path="sub") == (True, "sub is empty.")


def test_what_cannot_be_done_is_a_sentence(box_tools: Hands) -> None:
    (box_tools.folder / "file").touch()
    assert box_tools("read", path="gone") == (False, "gone: there is no such file or folder.")
    assert box_tools("read", path=".") == (False, ". is a folder, not a file.")
    assert box_tools("write", path=".", content="") == (False, ". is a folder, not a file.")
    assert box_tools("write", path="file/below", content="")[1].startswith("file/below: ")
    assert box_tools("write", path="x" * 300, content="") == (False, f"{'x' * 300}: the name is too long.")
    assert box_tools("list", path="file")[1] == "file: a part of this path is a file, not a folder."


@pytest.mark.parametrize(
    "line",
    [
        "",
        "nonsense",
        "[]",
        '{"tool": "fly", "arguments": {}}',
        '{"tool": "bash"}',
        '{"tool": [], "arguments": {}}',
        '{"tool": "bash", "arguments": []}',
        '{"tool": "bash", "arguments": {}}',
        '{"tool": "bash", "arguments": {"command": 5}}',
        '{"tool": "bash", "arguments": {"command": "a\\u0000b"}}',
        '{"tool": "read", "arguments": {"path": "a\\u0000b"}}',
        '{"tool": "read", "arguments": {"path": "x", "offset": "y"}}',
    ],
)
def test_a_call_that_makes_no_sense_is_answered_too(box_tools: Hands, line: str) -> None:
    ok, text = box_tools.say(line)
    assert not ok
    assert text.endswith(".")
