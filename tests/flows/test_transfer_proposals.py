"""Flow B. The agent itself proposes that work goes elsewhere, and the host helps it notice (SPEC B5)."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from tests.export_scene import CANCEL, SEND, TransferScene
from tests.staging import KINDS, Kind, Stage, results, staged, until
from tests.telegram_scene import telegram_scene
from tests.transfers_at_hand import Transfers

from nanoclaw.domain.money import Usage
from nanoclaw.domain.transfers import Transfer, TransferState
from nanoclaw.durable import transfers
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import costs, turns
from nanoclaw.testing.model_parts import Asked, Reply, Say, Use
from nanoclaw.testing.model_server import ModelServer
from nanoclaw.testing.starter import made_workspace

pytestmark = pytest.mark.capability("B5")

_CARD = "The agent proposes to go on in"
_OUTGROWN = "offer that once with propose_transfer"


def _tool(kind: Kind) -> str:
    return "mcp__nanoclaw__propose_transfer" if kind.name == "claude-code" else "propose_transfer"


@pytest.mark.parametrize("kind", KINDS[:2], ids=lambda kind: kind.name)
async def test_an_agent_proposes_it_once_and_people_decide(home: Path, kind: Kind) -> None:
    """Whatever runs it; a second proposal is answered with where the first is."""
    seen: list[str] = []

    def script(asked: Asked) -> Any:
        if len(found := results(asked)) > len(seen):  # others ask this model too
            seen[:] = found
        if "rewrite" in str(asked.messages) and len(seen) < 2:
            return Use(_tool(kind), {"why": "Twenty files", "target": "manual"})
        return Say("As you like.")

    async with staged(kind, home, script) as stage:
        await stage.far_end.say("chat", "rewrite it all")
        await until(lambda: len(seen) == 2)
        await until(lambda: _CARD in "".join(stage.far_end.said_to("chat")))
        assert "a card asks a person" in seen[0]
        assert "proposed already" in seen[1]
        [transfer] = await _all(stage)
        assert (transfer.purpose, transfer.target) == ("Twenty files", "manual")
        assert transfer.turn_id
        page = Transfers(stage.host)
        await page.post(f"transfers/{transfer.id}/release")
        await page.come(transfer.id, lambda row: row["state"] == "delivered")
        await until(lambda: "has the package" in "".join(stage.far_end.said_to("chat")))
        assert (home / "data" / "attachments" / f"{transfer.id}.0").stat().st_size
        await page.client.aclose()


async def test_where_it_stays_the_agent_goes_on_and_where_it_leaves_it_is_told(tmp_path: Path) -> None:
    prompts: list[str] = []

    def script(asked: Asked) -> Any:
        said = asked.text.rpartition("<messages>")[2]
        prompts.append(asked.text)
        if "rewrite" in said and not results(asked):
            return Use("propose_transfer", {"why": "Twenty files"})
        return Say("Going on here." if "It stays here" in said else "ok")

    home = made_workspace(tmp_path / "nanoclaw")
    async with (
        ModelServer(script) as model,
        telegram_scene(
            home,
            paced=False,
            anthropic={"api_key": model.key, "base_url": model.url},
            agents={"runtime": "native"},
        ) as found,
    ):
        scene = TransferScene.of(found)
        await scene.owner.says(scene.chat, "rewrite it all")
        card = await scene.card(_CARD)
        assert "Twenty files" in card.text
        await scene.press(card, CANCEL)
        await scene.came("Going on here.")
        await scene.owner.says(scene.chat, "rewrite it again")
        await scene.press(await scene.card(_CARD), SEND)
        away = await scene.transfer_in(TransferState.DELIVERED)
        await scene.came("ready for Claude.ai")
        await scene.owner.says(scene.chat, "and the weather?")
        await until(lambda: any(f"awaiting_external_result, {away.id}" in each for each in prompts))
        await scene.owner.says(scene.chat, f"/why {away.id}")
        await scene.came("The agent proposed to take the conversation to Claude.ai")


@pytest.mark.parametrize(
    ("grown", "says"),
    [("time", "has lasted 4"), ("context", "has 60000 tokens"), ("files", "has made 4 files")],
)
async def test_the_host_helps_it_notice_once(home: Path, grown: str, says: str) -> None:
    """Half an hour of talking, a context of 50,000 tokens, or several files; one line, in one turn."""
    prompts: list[str] = []

    def script(asked: Asked) -> Any:
        prompts.append(asked.text)
        is_second = "two" in asked.text.rpartition("<messages>")[2]
        if grown == "files" and is_second and not results(asked):
            return [Use("send_file", {"path": f"{number}.txt"}) for number in range(4)]
        if grown == "context" and is_second:
            return Reply(parts=(Say("ok"),), usage=Usage(input=60_000, output=1))
        return Say("ok")

    async with staged(KINDS[1], home, script) as stage:
        await stage.ask("one")
        stage.files.mkdir(exist_ok=True)
        for number in range(4):
            (stage.files / f"{number}.txt").write_text("x")
        if grown == "time":
            await stage.host.store.write(_talk_for_long)
        else:
            await stage.ask("two", answers=5 if grown == "files" else 1)
        assert _OUTGROWN not in "".join(prompts)
        if grown == "context":
            await until(lambda: _is_written(stage))
        await stage.ask("three")
        assert says in prompts[-1]
        assert prompts[-1].count(_OUTGROWN) == 1
        await stage.ask("four")
        assert _OUTGROWN not in prompts[-1].rpartition("three")[2]


async def test_it_is_looked_at_again_when_that_may_have_changed(home: Path) -> None:
    """What people said in a moment cannot have outgrown a chat; a restart looks once more, and tells nobody twice."""
    prompts: list[str] = []

    def script(asked: Asked) -> Any:
        prompts.append(asked.text)
        return Say("ok")

    async with staged(KINDS[1], home, script) as stage:
        await stage.ask("one")
        await stage.ask("two")
        await stage.host.store.write(_talk_for_long)  # as if the rows were another host's
        await stage.ask("three")
        assert _OUTGROWN not in "".join(prompts)
    for count in (1, 1):
        async with staged(KINDS[1], home, script) as stage:
            await stage.ask("four")
            assert "".join(prompts).count(_OUTGROWN) == count


async def _is_written(stage: Stage) -> bool:
    """Its call is written a moment after its turn."""
    context = sa.select(sa.func.max(costs.c.input_tokens))
    return bool((await stage.host.store.read(lambda tx: tx.execute(context).scalar()) or 0) >= 60_000)


def _talk_for_long(tx: Tx) -> None:
    """As if it had begun forty minutes ago, with no long pause."""
    for row, ago in zip(tx.execute(sa.select(turns).order_by(turns.c.id)).all(), (40, 13), strict=False):
        moved = {
            "started_at": row.started_at - timedelta(minutes=ago),
            "finished_at": row.finished_at - timedelta(minutes=13),
        }
        tx.execute(sa.update(turns).where(turns.c.id == row.id).values(moved))


async def test_the_demo_proposes_it_in_plain_words(tmp_path: Path) -> None:
    home = made_workspace(tmp_path / "nanoclaw")
    async with telegram_scene(home, paced=False, demo={"pace": 0}) as found:
        scene = TransferScene.of(found)
        await scene.owner.says(scene.chat, "This is too big for a chat")
        await scene.came("I propose to go on in Claude.ai")
        await scene.press(await scene.card(_CARD), SEND)
        await scene.came("ready for Claude.ai")
        assert "transfer.md" in scene.documents()


async def _all(stage: Stage) -> list[Transfer]:
    return await stage.host.store.read(transfers.latest)
