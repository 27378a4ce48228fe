"""The dim lines of the terminal chat: what a person at a terminal sees an agent do."""

from typing import Any

from nanoclaw.cli.margin import Margin


def shown(*events: tuple[str, dict[str, Any]], width: int = 60) -> str:
    """What was written, without its colours."""
    written: list[str] = []
    margin = Margin("en", width, written.append, lambda file: str(file["url"]))
    for name, data in events:
        if name == "file":
            margin.show_files(data)
        else:
            margin.hear(name, data)
    margin.sum_up()
    return "".join(written).replace("\x1b[2m", "").replace("\x1b[0m", "")


def tool(number: str, state: str, shown: str = "ls -la", text: str = "") -> tuple[str, dict[str, Any]]:
    return "tool", {"tool": number, "name": "bash", "shown": shown, "state": state, "text": text}


def test_the_end_of_a_tool_stands_on_its_line() -> None:
    printed = shown(tool("1", "running"), tool("1", "running", text="more"), tool("1", "done"))
    assert printed == "  ⚙ bash  ls -la ✓\n"


def test_tools_that_run_at_once_have_lines_of_their_own() -> None:
    printed = shown(tool("1", "running"), tool("2", "running"), tool("1", "failed"), tool("2", "done"))
    assert printed.splitlines() == [
        "  ⚙ bash  ls -la",
        "  ⚙ bash  ls -la",
        "  ✗ bash  ls -la",
        "  ✓ bash  ls -la",
    ]


def test_a_long_command_is_cut_and_cannot_move_the_cursor() -> None:
    printed = shown(tool("1", "running", shown="\x1b[2Jрядок " * 20), tool("1", "done"), width=30)
    assert "\x1b" not in printed
    assert len(printed.rstrip("\n")) <= 30
    assert printed.endswith("… ✓\n")


def test_files_and_money_come_with_the_answer() -> None:
    file = {"id": "o_1", "attachments": [{"name": "chart.png", "size": 12_345, "url": "/files/o_1"}]}
    spent = {"input": 1234, "output": 340, "money": "$0.0123"}
    assert shown(("file", file), ("spent", spent)).splitlines() == [
        "  ⤓ chart.png (12 kB) /files/o_1",
        "  1.2k in, 340 out, $0.0123",
    ]
