"""What an agent sends for a channel keeps the channel's rules, or people see which it does not (SPEC X3)."""

from pathlib import Path
from typing import Any

import pytest
from tests.staging import KINDS, Kind, results, staged

from nanoclaw.testing.model_parts import Asked, Say, Use

pytestmark = pytest.mark.capability("X3")

GOOD = "We lost 46 subscribers.\n\nNobody spoke of taste.\n\n#coffee #customers #churn"
BAD = "☕ We lost 46 subscribers.\n\n#coffee\n\nNobody spoke of taste."
_CLAUDE, _NATIVE = KINDS[0], KINDS[1]


def _send(kind: Kind, text: str, target: str = "linkedin") -> Use:
    prefix = "mcp__nanoclaw__" if kind is _CLAUDE else ""
    return Use(f"{prefix}send_message", {"text": text, "target": target})


@pytest.mark.parametrize("kind", [_CLAUDE, _NATIVE], ids=lambda kind: kind.name)
async def test_a_text_that_breaks_the_rules_goes_back_once_with_its_faults(home: Path, kind: Kind) -> None:
    heard: list[str] = []

    def script(asked: Asked) -> Any:
        heard[:] = results(asked)
        return [_send(kind, BAD), _send(kind, GOOD), Say("done")][len(heard)]

    async with staged(kind, home, script) as stage:
        await stage.ask("a post, please", answers=2)
        assert stage.far_end.said_to("chat") == [GOOD, "done"]
    assert "Not sent" in heard[0]
    assert "The first line of the text has an emoji" in heard[0]
    assert "at least 3 are needed" in heard[0]
    assert "Sent." in heard[1]


async def test_the_second_time_people_see_the_text_with_its_faults_and_the_next_text_has_its_own_chance(
    home: Path,
) -> None:
    heard: list[str] = []
    sent = [
        _send(_NATIVE, BAD),
        _send(_NATIVE, f"{BAD} Again."),
        _send(_NATIVE, BAD),
        _send(_NATIVE, "x", "fax"),
    ]

    def script(asked: Asked) -> Any:
        heard[:] = results(asked)
        return [*sent, Say("done")][len(heard)]

    async with staged(_NATIVE, home, script) as stage:
        await stage.ask("a post, please", answers=2)
        shown, end = stage.far_end.said_to("chat")
    assert end == "done"
    text, _, faults = shown.partition("\n\n⚠️ ")
    assert text == f"{BAD} Again."
    first, *lines = faults.splitlines()
    assert first == "This text for linkedin does not keep 3 rules of its channel:"
    assert len(lines) == 3
    assert lines[0] == "- The first line of the text has an emoji (☕). Leave it out."
    assert "Not sent" in heard[2]
    assert 'There is no channel format for \\"fax\\"' in heard[3]


async def test_without_a_target_nothing_is_checked(home: Path) -> None:
    def script(asked: Asked) -> Any:
        return Say("done") if results(asked) else Use("send_message", {"text": BAD})

    async with staged(_NATIVE, home, script) as stage:
        await stage.ask("hello", answers=2)
        assert stage.far_end.said_to("chat") == [BAD, "done"]
