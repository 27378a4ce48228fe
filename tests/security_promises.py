"""The promises of docs/security.md: each row of its tables names the test files whose attacks try it."""

import re
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "security.md"
_TEST = re.compile(r"`((?:browser|contracts|crash|docs|flows|unit)/test_\w+\.py|[\w/]+/test_\w+\*\.py)`")
_BEGIN, _END = "<!-- results -->\n", "<!-- end of results -->\n"


@dataclass(frozen=True, kw_only=True, slots=True)
class Promise:
    threat: str
    tests: tuple[str, ...]  # below tests/, may hold a `*`

    def is_tried_by(self, file: str) -> bool:
        return any(Path(file).match(test) for test in self.tests)


def promises() -> list[Promise]:
    before = PAGE.read_text("utf-8").partition(_BEGIN)[0]
    rows = (line.strip("| \n").split(" | ") for line in before.splitlines() if line.startswith("| "))
    return [
        Promise(threat=cells[0], tests=tuple(_TEST.findall(cells[-1])))
        for cells in rows
        if _TEST.search(cells[-1])
    ]


def write_results(tried: dict[str, tuple[int, int]], on: str) -> None:
    """The last result of each promise, from how many attacks of each file held and how many there were."""
    lines = ["| promise: nothing comes of this | attacks | last result |", "|---|---|---|"]
    for promise in promises():
        counts = [count for file, count in tried.items() if promise.is_tried_by(file)]
        held, of = sum(count[0] for count in counts), sum(count[1] for count in counts)
        result = f"held, {on}" if held == of else f"**{of - held} did not hold**, {on}"
        if of:
            lines.append(f"| {promise.threat} | {of} | {result} |")
    page = PAGE.read_text("utf-8")
    head, _, rest = page.partition(_BEGIN)
    tail = rest.partition(_END)[2]
    PAGE.write_text(head + _BEGIN + "\n".join(lines) + "\n" + _END + tail, "utf-8")
