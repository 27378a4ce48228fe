"""What `just attack` prints: each attempt as a sentence, the promise that it tries, and whether the host held.

With `--record` the results are written into docs/security.md.
"""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from tests.security_promises import promises, write_results

_HELD = {"passed": "held", "failed": "FAILED", "skipped": "not tried"}


class Report:
    def __init__(self, *, record: bool) -> None:
        self._record = record
        self.tried: list[tuple[str, str, str]] = []  # result, file, sentence

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or report.outcome != "passed":
            if report.when == "teardown":
                return
            self.tried.append((_HELD[report.outcome], *_sentence(report.nodeid)))

    @pytest.hookimpl(wrapper=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> Iterator[None]:
        yield
        terminalreporter.section("what was tried")
        known = promises()
        for file in sorted({file for _, file, _ in self.tried}):
            terminalreporter.write_line(file)
            for promise in known:
                if promise.is_tried_by(file):
                    terminalreporter.write_line(f"  against: {promise.threat}")
            for held, _, sentence in sorted(each for each in self.tried if each[1] == file):
                terminalreporter.write_line(f"  {held:<10}{sentence}")
        held_in = Counter(file for held, file, _ in self.tried if held == "held")
        every = Counter(file for _, file, _ in self.tried)
        terminalreporter.write_line(f"{held_in.total()} of {every.total()} held")
        if self._record:
            today = datetime.now(UTC).date().isoformat()
            write_results({file: (held_in[file], count) for file, count in every.items()}, today)


def _sentence(nodeid: str) -> tuple[str, str]:
    """`tests/flows/test_standing.py::test_a_member[podman]`: the file, and what was tried there."""
    path, _, name = nodeid.partition("::")
    what, bracket, driver = name.replace("::", ", ").partition("[")
    plain = what.replace("test_", "").replace("_", " ")
    return path.removeprefix("tests/"), f"{plain} ({driver.removesuffix(']')})" if bracket else plain


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--record", action="store_true", help="write the results into docs/security.md")


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Report(record=config.getoption("--record")), "what was tried")
