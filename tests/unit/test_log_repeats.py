"""The log of a host that someone tries to fill."""

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from nanoclaw.host import logs

pytestmark = [pytest.mark.capability("O1"), pytest.mark.attack]


@pytest.fixture
def log_file(tmp_path: Path) -> Iterator[Path]:
    """Written as the host does; everything as it was afterwards."""
    root = logging.getLogger()
    before, level = list(root.handlers), root.level
    logs.write_to_file(tmp_path, "info")
    yield tmp_path / "data" / "logs" / "nanoclaw.log"
    for handler in root.handlers:
        handler.close()
    root.handlers, root.level = before, level
    structlog.reset_defaults()


def _told(log_file: Path) -> list[str]:
    for handler in logging.getLogger().handlers:
        handler.close()  # as at the end of the host
    return log_file.read_text("utf-8").splitlines()


def test_a_line_that_repeats_is_counted_instead_of_written(log_file: Path) -> None:
    log = structlog.get_logger("listening")
    for _ in range(10_000):
        log.warning("no descriptor left for a connection", reason="Too many open files")
    log.warning("something else")
    lines = _told(log_file)
    assert sum("Too many open files" in line for line in lines) == 5
    (left_out,) = [line for line in lines if "lines like this were left out" in line]
    assert '"count": 9995, "like": "no descriptor left for a connection"' in left_out
    assert sum("something else" in line for line in lines) == 1


def test_other_words_each_time_do_not_help(log_file: Path) -> None:
    log = structlog.get_logger("proxy")
    for number in range(5_000):
        log.warning("another name in a tunnel", name=f"{number}.test")
    lines = _told(log_file)
    assert len(lines) == 101
    assert '"count": 4900, "like": "another name in a tunnel"' in lines[-1]


def test_a_traceback_of_another_library_that_repeats_is_counted_too(log_file: Path) -> None:
    log = logging.getLogger("asyncio")
    for number in range(1_000):
        try:
            Path(f"/nowhere-{number}").stat()
        except OSError:
            log.exception("socket.accept() out of system resource\nsocket: <fd=%d>", number)
    assert log_file.stat().st_size < 20_000


def test_what_the_host_says_about_different_messages_is_all_written(log_file: Path) -> None:
    log = structlog.get_logger("turns")
    for number in range(500):
        log.info("turn ended", message=f"m_{number}")
    assert len(_told(log_file)) == 500


async def test_threads_that_write_at_once_lose_nothing(log_file: Path) -> None:
    log = structlog.get_logger("turns")
    await asyncio.gather(*(asyncio.to_thread(log.warning, "the same") for _ in range(50)))
    lines = _told(log_file)
    assert len(lines) == 6
    assert '"count": 45' in lines[-1]


def test_a_log_that_another_replaces_says_what_it_left_out_while_its_folder_is_there(log_file: Path) -> None:
    log = structlog.get_logger("listening")
    for _ in range(20):
        log.warning("the same")
    logs.write_to_file(log_file.parent / "next", "info")
    lines = log_file.read_text("utf-8").splitlines()
    assert len(lines) == 6
    assert '"count": 15' in lines[-1]
