"""A14, A18: the model and its thinking are chosen by task, step, group, skill and message, and `why` says by which."""

from pathlib import Path
from typing import Any

import pytest
from tests.staging import KINDS, Kind, results, staged

from nanoclaw.testing.model_parts import Asked, Say, Think

pytestmark = pytest.mark.capability("A14", "A18")

TIERS = {"haiku": "claude-haiku-4-5", "sonnet": "claude-sonnet-5", "opus": "claude-opus-5"}


def _group(home: Path, more: str) -> None:
    (home / "groups" / "main" / "group.toml").write_text(f'company = "demo"\nmain = true\n{more}')


async def test_the_message_decides_where_the_group_says_auto(home: Path) -> None:
    _group(home, 'model = "auto"\nthinking = "auto"\n')
    kind = KINDS[1]
    async with staged(kind, home, lambda asked: "done", agents={**kind.settings["agents"], **TIERS}) as stage:
        await stage.ask("Дякую!")
        await stage.ask("Порівняй нашу стратегію з їхньою")
        first, second = (asked.body for asked in stage.server.asked)
        assert (first["model"], first.get("thinking")) == ("claude-haiku-4-5", None)
        assert second["model"] == "claude-opus-5"
        assert (second["thinking"], second["output_config"]) == ({"type": "adaptive"}, {"effort": "high"})
        told = await stage.ask("/why")
        assert "Model opus: chosen by itself, the message looks hard. It thinks a lot first." in told

        _group(home, 'model = "sonnet"\nthinking = "off"\n')
        await stage.ask("Порівняй нашу стратегію з їхньою")
        assert stage.server.asked[-1].model == "claude-sonnet-5"
        assert stage.server.asked[-1].body["thinking"] == {"type": "disabled"}
        assert "Model sonnet: the group names it. It answers without thinking first." in await stage.ask(
            "/why"
        )


@pytest.mark.parametrize("tier", ["haiku", "opus"])
async def test_thoughts_go_back_as_they_were_between_tools(home: Path, tier: str) -> None:
    """The played vendor refuses them without their signature, and an older model that uses tools without them."""
    _group(home, f'model = "{tier}"\nthinking = "low"\n')
    kind = KINDS[1]

    def script(asked: Asked) -> Any:
        if results(asked):
            return [Think("So it is."), Say("done")]
        return [Think("I look first."), kind.bash("echo hello")]

    async with staged(kind, home, script, agents={**kind.settings["agents"], **TIERS}) as stage:
        assert await stage.ask("go") == "done"
        thought, use = stage.server.asked[1].body["messages"][-2]["content"][:2]
        assert (thought["type"], thought["thinking"], use["type"]) == (
            "thinking",
            "I look first.",
            "tool_use",
        )
        if tier == "haiku":
            assert stage.server.asked[1].body["thinking"] == {"type": "enabled", "budget_tokens": 2048}


async def test_claude_code_is_told_how_much_to_think(home: Path) -> None:
    _group(home, 'model = "sonnet"\nthinking = "high"\n')
    kind: Kind = KINDS[0]
    async with staged(kind, home, lambda asked: "done", agents={**kind.settings["agents"], **TIERS}) as stage:
        await stage.ask("go")
        assert stage.server.asked[-1].body["thinking"]["type"] == "adaptive"
        assert stage.server.asked[-1].body["output_config"]["effort"] == "high"
        _group(home, 'model = "sonnet"\nthinking = "off"\n')
        await stage.ask("again")
        assert stage.server.asked[-1].body.get("thinking", {}).get("type") in (None, "disabled")
