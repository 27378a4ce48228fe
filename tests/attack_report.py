"""What `just attack` prints: each attempt as a sentence, and whether the host held."""

from collections.abc import Iterator

import pytest

_HELD = {"passed": "held", "failed": "FAILED", "skipped": "not tried"}


class Report:
    def __init__(self) -> None:
        self.tried: list[tuple[str, str, str]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or report.outcome != "passed":
            if report.when == "teardown":
                return
            self.tried.append((_HELD[report.outcome], *_sentence(report.nodeid)))

    @pytest.hookimpl(wrapper=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> Iterator[None]:
        yield
        terminalreporter.section("what was tried")
        for room in sorted({room for _, room, _ in self.tried}):
            terminalreporter.write_line(room)
            for held, _, sentence in sorted(each for each in self.tried if each[1] == room):
                terminalreporter.write_line(f"  {held:<10}{sentence}")
        count = sum(held == "held" for held, _, _ in self.tried)
        terminalreporter.write_line(f"{count} of {len(self.tried)} held")


def _sentence(nodeid: str) -> tuple[str, str]:
    """`tests/flows/test_standing.py::test_a_member[podman]`: the room, and what was tried there."""
    path, _, name = nodeid.partition("::")
    room = path.removeprefix("tests/").removesuffix(".py").replace("test_", "").replace("/", ": ")
    what, bracket, driver = name.replace("::", ", ").partition("[")
    plain = what.replace("test_", "").replace("_", " ")
    return room, f"{plain} ({driver.removesuffix(']')})" if bracket else plain


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Report(), "what was tried")
