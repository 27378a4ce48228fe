"""Every trap that a box could plant in its folder is refused, quickly, and nothing behind it is read."""

import fcntl
import json
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from nanoclaw.sandbox import untrusted_files
from nanoclaw.sandbox.untrusted_files import (
    MOST_BYTES,
    Reject,
    UnreadReason,
    copy_out,
    open_beneath,
    parse,
    safe_read,
)

pytestmark = pytest.mark.capability("A17")

ID = "0123456789abcdef0123456789abcdef"
NAME = f"{ID}.json"
OF_THE_HOST = "what no box may see"
NO_SUCH_CALL = 100_000


@pytest.fixture(params=["openat2", "step by step"], autouse=True)
def _both_ways_to_open(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """An old kernel does not know openat2; the answer is then a real ENOSYS."""
    if request.param != "openat2":
        monkeypatch.setattr(untrusted_files, "_OPENAT2", NO_SUCH_CALL)


@pytest.fixture
def box(tmp_path: Path) -> Path:
    (tmp_path / "secret").write_text(OF_THE_HOST)
    (tmp_path / "box").mkdir()
    return tmp_path / "box"


@pytest.fixture
def folder(box: Path) -> Iterator[int]:
    descriptor = os.open(box, os.O_RDONLY | os.O_DIRECTORY)
    yield descriptor
    os.close(descriptor)


def _read(folder: int, name: str = NAME) -> UnreadReason:
    """Why it was refused. A read that waits for someone would never come back."""
    with pytest.raises(Reject) as refused:
        safe_read(folder, name, os.getuid())
    return refused.value.reason


def _request(**more: object) -> bytes:
    return json.dumps({"id": ID, **more}).encode()


def test_a_request_is_read(box: Path, folder: int) -> None:
    (box / NAME).write_text(f'{{"id": "{ID}", "text": "Привіт 👋 \\ud83d\\ude00"}}')
    assert safe_read(folder, NAME, os.getuid())["text"] == "Привіт 👋 😀"


def test_a_file_that_has_gone_is_no_fault(folder: int) -> None:
    with pytest.raises(FileNotFoundError):
        safe_read(folder, NAME, os.getuid())


# What is not a file


@pytest.mark.parametrize("target", ["../secret", "/etc/shadow", "/proc/self/environ", "/dev/zero", "nowhere"])
def test_a_link_is_not_followed(box: Path, folder: int, target: str) -> None:
    (box / NAME).symlink_to(target)
    assert _read(folder) is UnreadReason.LINK


def test_a_second_name_of_another_file_is_refused(box: Path, folder: int) -> None:
    (box / "other").write_bytes(_request())
    (box / NAME).hardlink_to(box / "other")
    assert _read(folder) is UnreadReason.LINK


def test_a_pipe_is_not_waited_for(box: Path, folder: int) -> None:
    os.mkfifo(box / NAME)
    assert _read(folder) is UnreadReason.NOT_A_FILE


def test_a_socket_is_refused(folder: int, box: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(box)  # the path of a socket must be short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(NAME)
        assert _read(folder) is UnreadReason.NOT_A_FILE


def test_a_folder_is_refused(box: Path, folder: int) -> None:
    (box / NAME).mkdir()
    assert _read(folder) is UnreadReason.NOT_A_FILE


def test_a_lease_that_would_keep_us_waiting_is_refused(box: Path, folder: int) -> None:
    (box / NAME).write_bytes(_request())
    with (box / NAME).open("r+b") as held:
        fcntl.fcntl(held, fcntl.F_SETSIG, 23)  # SIGURG is ignored, the usual SIGIO would end us
        fcntl.fcntl(held, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        assert _read(folder) is UnreadReason.UNREADABLE


def test_a_file_of_someone_else_is_refused(box: Path, folder: int) -> None:
    (box / NAME).write_bytes(_request())
    with pytest.raises(Reject) as refused:
        safe_read(folder, NAME, os.getuid() + 1)
    assert refused.value.reason is UnreadReason.OWNER


# Names


@pytest.mark.parametrize("name", ["bg-1234", "hitl-a_B", "1", "x" * 64, ID.upper()])
def test_a_name_that_is_no_id_is_read_too(box: Path, folder: int, name: str) -> None:
    (box / f"{name}.json").write_text(json.dumps({"request_id": name}))
    assert safe_read(folder, f"{name}.json", os.getuid()) == {"request_id": name}


@pytest.mark.parametrize(
    "name",
    [
        "../secret",
        f"../box/{NAME}",
        f"{ID}.json\n",
        f"{ID}\n.json",
        f"{ID}.json.half",
        "-x.json",
        ".x.json",
        "a.b.json",
        "a b.json",
        f"{'x' * 65}.json",
        "task-7.json",
        "їжак.json",
        ID,
        ".json",
        "",
        "\udcff.json",
    ],
)
def test_an_odd_name_is_refused(box: Path, folder: int, name: str) -> None:
    assert _read(folder, name) is UnreadReason.NAME


@pytest.mark.parametrize("said", [{"id": "../../x"}, {"id": "f" * 32}, {"id": [ID]}, {}, {"session_id": ID}])
def test_the_id_inside_is_that_of_the_name(box: Path, folder: int, said: dict[str, object]) -> None:
    (box / NAME).write_text(json.dumps(said))
    assert _read(folder) is UnreadReason.SHAPE


# What is in it


def test_what_is_too_big_is_not_read(box: Path, folder: int) -> None:
    with (box / NAME).open("wb") as sparse:
        sparse.truncate(1 << 40)
    assert _read(folder) is UnreadReason.SIZE
    (box / NAME).write_bytes(_request(text="x" * 5 * 1024 * 1024))
    assert _read(folder) is UnreadReason.SIZE


def test_a_size_that_lies_is_noticed(folder: int) -> None:
    """Files of the kernel say that they are empty, and a box may write while we read."""
    endless = os.open("/dev/zero", os.O_RDONLY)
    try:
        with pytest.raises(Reject) as refused:
            list(untrusted_files._pieces(endless, MOST_BYTES))
    finally:
        os.close(endless)
    assert refused.value.reason is UnreadReason.SIZE


QUOTES = b'{"id": "' + b'\\"' * 100_000  # a string without an end, full of what could be beginnings


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"[" * 100_000, UnreadReason.DEPTH),
        (b'{"id":' * 50 + b"1" + b"}" * 50, UnreadReason.DEPTH),
        (b'{"a":"\\"[[", "b":' + b"[" * 40 + b"]" * 40 + b"}", UnreadReason.DEPTH),
        (b'{"n": ' + b"9" * 5000 + b"}", UnreadReason.NUMBER),
        (b'{"n": 9223372036854775808}', UnreadReason.NUMBER),
        (b'{"n": NaN}', UnreadReason.NUMBER),
        (b'{"n": -Infinity}', UnreadReason.NUMBER),
        (b'{"n": 1e999}', UnreadReason.NUMBER),
        (b'{"a": 1, "a": 2}', UnreadReason.DUPLICATE),
        (b'{"x": {"a": 1, "\\u0061": 2}}', UnreadReason.DUPLICATE),
        (b'{"a": "\xff"}', UnreadReason.ENCODING),
        (b'{"a": "\xed\xa0\x80"}', UnreadReason.ENCODING),
        (b'{"a": "\\ud800"}', UnreadReason.TEXT),
        (b'{"a": [{"\\udfff": 1}]}', UnreadReason.TEXT),
        (b'{"a": "x\\u0000y"}', UnreadReason.TEXT),
        (b'{"a": "x\0y"}', UnreadReason.JSON),
        (b"\0" * 100, UnreadReason.JSON),
        (b"[]", UnreadReason.SHAPE),
        (b'"text"', UnreadReason.SHAPE),
        (b"null", UnreadReason.SHAPE),
        (b"", UnreadReason.JSON),
        (b"{'a': 1}", UnreadReason.JSON),
        (b'{"a": 1} {}', UnreadReason.JSON),
        (b"\xef\xbb\xbf{}", UnreadReason.JSON),
        (QUOTES, UnreadReason.JSON),
        (QUOTES + b"[" * 40, UnreadReason.JSON),
    ],
    ids=lambda value: str(value[:24]) if isinstance(value, bytes) else str(value),
)
def test_what_could_be_understood_in_two_ways_is_refused(
    box: Path, folder: int, content: bytes, reason: UnreadReason
) -> None:
    (box / NAME).write_bytes(content)
    assert _read(folder) is reason


def test_brackets_in_a_text_are_not_depth() -> None:
    body = {"id": ID, "text": '[{"\\' * 1000}
    assert parse(json.dumps(body).encode()) == body


# Files from the folders that an agent works in


def test_a_file_below_is_copied_out(box: Path, folder: int, tmp_path: Path) -> None:
    (box / "out" / "deep").mkdir(parents=True)
    (box / "out" / "deep" / "звіт.txt").write_text("all of it")
    target = tmp_path / "copy"
    assert copy_out(folder, "out/deep/звіт.txt", target, 100) == 9
    assert target.read_text() == "all of it"
    assert target.stat().st_mode & 0o777 == 0o600


def _link_on_the_way(box: Path) -> str:
    (box / "way").symlink_to("..")
    return "way/secret"


def _link_at_the_end(box: Path) -> str:
    (box / "out").mkdir()
    (box / "out" / "file").symlink_to("../../secret")
    return "out/file"


def _pipe(box: Path) -> str:
    os.mkfifo(box / "file")
    return "file"


def _sparse(box: Path) -> str:
    with (box / "file").open("wb") as sparse:
        sparse.truncate(1 << 40)
    return "file"


@pytest.mark.parametrize(
    "plant",
    [
        _link_on_the_way,
        _link_at_the_end,
        _pipe,
        _sparse,
        lambda _: "../secret",
        lambda _: "/etc/passwd",
        lambda _: "a/../../secret",
        lambda _: ".",
        lambda _: "",
        lambda _: "a//b",
        lambda _: "a\0b",
        lambda _: "x" * 300,
    ],
)
def test_nothing_but_a_file_below_is_copied_out(
    box: Path, folder: int, tmp_path: Path, plant: Callable[[Path], str]
) -> None:
    with pytest.raises(Reject):
        copy_out(folder, plant(box), tmp_path / "copy", 1000)
    assert not (tmp_path / "copy").exists()


def test_half_a_copy_is_not_left(folder: int, tmp_path: Path) -> None:
    """Its size says nothing, and there is no end to it."""
    status = os.open("/proc/self", os.O_RDONLY | os.O_DIRECTORY)
    try:
        with pytest.raises(Reject) as refused:
            copy_out(status, "status", tmp_path / "copy", 10)
    finally:
        os.close(status)
    assert refused.value.reason is UnreadReason.SIZE
    assert not (tmp_path / "copy").exists()


def test_a_copy_replaces_nothing(box: Path, folder: int, tmp_path: Path) -> None:
    (box / "file").write_text("new")
    with pytest.raises(FileExistsError):
        copy_out(folder, "file", tmp_path / "secret", 100)
    assert (tmp_path / "secret").read_text() == OF_THE_HOST


def test_another_file_system_is_out_of_reach() -> None:
    root = os.open("/", os.O_RDONLY | os.O_DIRECTORY)
    try:
        with pytest.raises(Reject) as refused:
            open_beneath(root, "proc/self/status")
    finally:
        os.close(root)
    assert refused.value.reason in (UnreadReason.LINK, UnreadReason.NOT_A_FILE)
