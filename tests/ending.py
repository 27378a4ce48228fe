"""What a run of the suite must not end with: a process that it left behind, or, on Debian, a test that was skipped.

`./nanoclaw test` installs what the tests need there, so a skip would say "it works" of what was never tried.
"""

import os
import secrets
import time
from multiprocessing import forkserver, resource_tracker
from pathlib import Path

import pytest

from nanoclaw.sandbox.orphans import RUN

# None of these can be mended by installing something.
ALLOWED = (
    "only a root host has users for boxes",
    "mounting needs root",
    "only root can give a file to someone else",
    "only root can become another user",
    "this system does not say whose a connection is",
    "this user may not listen on the ports of the web",
    "faster-whisper is installed",  # and the test is about its absence
)
_PATIENCE = float(os.environ.get("ENDING_PATIENCE", "60"))  # seconds for what is ending
_FAILED = pytest.StashKey[list[str]]()


def pytest_configure(config: pytest.Config) -> None:
    """Everything that this run starts carries its mark: in its environment, and boxes in theirs."""
    if RUN not in os.environ:  # else it is a worker, or a run within a run
        os.environ[RUN] = secrets.token_hex(8)
        config.stash[_FAILED] = []


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Once, where the reports of all workers come together."""
    failed = session.config.stash.get(_FAILED, None)
    if failed is None:
        return
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    tries_what_it_can = session.config.pluginmanager.has_plugin("what was tried")  # `just attack`
    if Path("/etc/debian_version").exists() and reporter and not tries_what_it_can:
        reports = reporter.stats.get("skipped", [])
        failed += [f"skipped: {each.nodeid}: {why}" for each in reports if not _is_allowed(why := _why(each))]
    _stop_own_helpers()
    failed += [f"left behind: {each}" for each in _left_behind(os.environ.pop(RUN))]
    if failed and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _stop_own_helpers() -> None:
    """Without workers it was this process that made others (`tests.loaded`): its helpers would end with it alone."""
    forkserver._forkserver._stop()  # type: ignore[attr-defined]
    resource_tracker._resource_tracker._stop()  # type: ignore[attr-defined]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for line in terminalreporter.config.stash.get(_FAILED, ()):
        terminalreporter.write_line(f"FAILED {line}", red=True)


def _why(report: pytest.TestReport) -> str:
    return str(report.longrepr[2]) if isinstance(report.longrepr, tuple) else str(report.longrepr)


def _is_allowed(why: str) -> bool:
    return any(reason in why for reason in ALLOWED)


def _left_behind(run: str) -> list[str]:
    deadline = time.monotonic() + _PATIENCE
    while (found := marked(run)) and time.monotonic() < deadline:
        time.sleep(0.1)
    return found


def marked(run: str) -> list[str]:
    """By environment or command line: a box has an environment of its own, and what watches a container has neither."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_bytes()
            if folder.name != str(os.getpid()) and run.encode() in line + (folder / "environ").read_bytes():
                shown = line.replace(b"\0", b" ").decode(errors="replace")
                found.append(f"{folder.name} {shown[:200]}")
        except OSError:
            continue  # it has ended, or is someone else's
    return found
