"""An agent that is unsure answers with questions: nobody sees its JSON, and everybody gets the questions (TC11)."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from tests.staging import KINDS, Kind, all_turns, staged, until
from tests.telegram_scene import Scene, telegram_scene

from nanoclaw.channels.telegram.channel import TelegramChannel
from nanoclaw.context.ask_first import ASK_FIRST
from nanoclaw.domain.parcels import Preview
from nanoclaw.domain.plans import PlanSource, PlanState
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.durable.knowledge_tables import memory_changes
from nanoclaw.durable.plans import get
from nanoclaw.durable.steering_tables import plans
from nanoclaw.durable.store import Tx
from nanoclaw.testing import ScriptedModel, made_workspace

pytestmark = pytest.mark.capability("Q1")

ASKED = "I need to fix the auth bug"
QUESTIONS: list[dict[str, Any]] = [
    {"id": "a", "question": "Where does it fail?", "options": ["At log-in", "At log-out"]},
    {"id": "b", "question": "Who is affected?", "options": ["Everybody", "Just me"], "allowFreeText": True},
]
SIGNAL = json.dumps({"interactive": True, "goal": "Fix auth", "questions": QUESTIONS}, indent=1)
FENCED = f"```json\n{SIGNAL}\n```"
PROSE = "Let me ask you something first."
MARKS = ("interactive", '"question', "allowFreeText", "```", "{")


def letters(text: str) -> Iterator[str]:
    """As a model writes it: a few letters at a time."""
    yield from (text[place : place + 7] for place in range(0, len(text), 7))


class UnsureAgent(ScriptedModel):
    """Answers the first message with `said`, and what follows with `done`."""

    def __init__(self, said: str) -> None:
        super().__init__(self._pieces)
        self.said = said

    def _pieces(self, request: TurnRequest) -> Iterator[str]:
        yield from letters("done" if ASKED not in request.prompt or len(self.asked) > 1 else self.said)


def sent(scene: Scene) -> list[str]:
    """Whatever left the host for Telegram: messages, edits and drafts."""
    return [str(call.parameters.get("text", "")) for call in scene.server.calls]


async def all_plans(scene: Scene) -> Sequence[Any]:
    def story(tx: Tx) -> list[Any]:
        return [get(tx, key) for key in tx.execute(sa.select(plans.c.id).order_by(plans.c.id)).scalars()]

    return await scene.host.store.read(story)


@pytest.fixture
def previews(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What Telegram would be shown of an answer after every few letters: usually it is shown less often."""
    seen: list[str] = []

    async def preview(_self: object, grown: Preview) -> None:
        seen.append(grown.text)

    monkeypatch.setattr(TelegramChannel, "preview_every", 0)
    monkeypatch.setattr(TelegramChannel, "preview", preview)
    return seen


@pytest.mark.capability("Q4")
async def test_tc11_questions_of_an_agent_become_a_plan_and_its_answers_one_run(
    home: Path, previews: list[str]
) -> None:
    agent = UnsureAgent(f"{PROSE}\n\n{FENCED}")
    async with telegram_scene(home, model=agent, paced=False) as scene:
        await scene.owner.says(scene.chat, ASKED)
        card = await scene.card("Q1 of 2")
        assert "Where does it fail?" in card.text
        assert PROSE in scene.chat.texts()
        assert set(previews) <= {PROSE[: place + 1].strip() for place in range(len(PROSE))}
        (plan,) = await all_plans(scene)
        assert (plan.state, plan.source, plan.current) == (PlanState.COLLECTING, PlanSource.AGENT, 0)
        assert (plan.task, plan.goal, [each.id for each in plan.questions]) == (
            ASKED,
            "fix-auth",
            ["q1", "q2"],
        )
        why = await scene.command(scene.chat, "/why")
        assert "instead of an answer it asked 2 questions" in why

        await scene.press(card, "At log-out")
        await scene.card("Q2 of 2")
        await scene.owner.says(scene.chat, "only on Fridays")
        # The next round comes from the model of the group, which knows the answers: this is the demo's.
        follow_up = await scene.card("Q3 of 4")
        await scene.press(follow_up, follow_up.buttons[0][0].label)
        last = await scene.card("Q4 of 4")
        await scene.press(last, last.buttons[0][0].label)
        ready = await scene.card("Plan Ready")
        assert "only on Fridays" in ready.text
        await scene.press(ready, "✅ Confirm & Start")
        await scene.chat.wait_until(lambda: "done" in scene.chat.texts())
        assert len(agent.asked) == 2
        assert all(words in agent.asked[-1].prompt for words in (ASKED, "At log-out", "only on Fridays"))

        # What it asked is repeated in words: to the model, in the row, and to memory.
        (before,) = agent.asked[-1].history
        assert before.answered.startswith(
            f"{PROSE}\n\nBefore I begin, I asked:\n1. Where does it fail? (At log-in /"
        )
        rows = await all_turns(scene.host)
        kept = await scene.host.store.read(lambda tx: str(list(tx.execute(sa.select(memory_changes)))))
        assert "Where does it fail?" in kept
        seen = [*sent(scene), *(row.answer for row in rows), kept, why]
        assert [text for text in seen if any(mark in text for mark in MARKS[:3])] == []
        assert [text for text in scene.chat.texts() if "{" in text or "```" in text] == []


async def test_other_json_is_an_answer_and_too_many_questions_are_cut(home: Path) -> None:
    agent = UnsureAgent("")
    async with telegram_scene(home, model=agent, paced=False) as scene:
        for said in (
            '{"name": "Ann", "questions": ["Why?"]}',
            '{"interactive": false, "questions": ["Why?"]}',
            '{"interactive": true, "questions": []}',
            f"{SIGNAL[:-3]} and so on",
        ):
            agent.said = said
            agent.asked.clear()
            (answer,) = await scene.ask(ASKED)
            assert answer.split() == said.split()
        assert await all_plans(scene) == []

        many = [{"question": f"What of {number}?", "options": list("abcdef")} for number in range(12)]
        agent.said = json.dumps({"interactive": True, "questions": many})
        agent.asked.clear()
        await scene.owner.says(scene.chat, ASKED)
        await scene.card("Q1 of 7")
        (plan,) = await all_plans(scene)
        assert [len(each.options) for each in plan.questions] == [4] * 7
        assert "Only the first 7 of your 12 questions were asked." in plan.note
        await scene.press(await scene.card("Q1 of 7"), "✖ Cancel")

        agent.said = SIGNAL
        agent.asked.clear()
        await scene.owner.sends_document(scene.chat, b"a log", name=f"{ASKED}.txt")  # and not a word about it
        assert "Planning: fix auth" in (await scene.card("Q1 of 2")).text


async def test_who_cannot_be_asked_first_is_not_told_how(home: Path) -> None:
    """Neither a task nor a group that wants none of it; then the JSON is an answer like any other."""
    agent = UnsureAgent(SIGNAL)
    async with telegram_scene(home, model=agent, paced=False) as scene:
        await scene.ask("hello")
        assert ASK_FIRST in agent.asked[-1].system_prompt.skill
        await scene.owner.says(scene.chat, f"/schedule in 1 second: {ASKED}")
        await agent.wait_for_calls(2)
        task = agent.asked[-1]
        assert task.is_unattended
        assert "INTERACTIVE MODE" not in str(task.system_prompt)
        # What comes before it is the same for both, so that the vendor's cache serves both.
        assert task.system_prompt.foundation == agent.asked[0].system_prompt.foundation
        assert task.system_prompt.company == agent.asked[0].system_prompt.company

        group = home / "groups" / "main" / "group.toml"
        group.write_text(f"interactive = false\n{group.read_text('utf-8')}", "utf-8")
        agent.asked.clear()
        await scene.owner.says(scene.chat, ASKED)
        await agent.wait_for_calls(1)
        assert "INTERACTIVE MODE" not in str(agent.asked[-1].system_prompt)
        await scene.chat.wait_until(lambda: any("interactive" in text for text in scene.chat.texts()))
        assert await all_plans(scene) == []


async def test_a_stopped_agent_leaves_no_half_of_its_questions(home: Path) -> None:
    agent = ScriptedModel()

    def pieces(_request: TurnRequest) -> Iterator[str]:
        yield "I look into it.\n\n"
        yield SIGNAL[:60]
        agent.hold()
        yield SIGNAL[60:]

    agent.script = pieces
    async with telegram_scene(home, model=agent, paced=False) as scene:
        await scene.owner.says(scene.chat, ASKED)
        await until(lambda: any("I look into it." in text for text in sent(scene)))
        await scene.owner.says(scene.chat, "/stop")
        await scene.chat.wait_until(lambda: any("stopped" in text for text in scene.chat.texts()))
        (row,) = await all_turns(scene.host)
        assert row.answer.strip() == "I look into it."
        assert [text for text in sent(scene) if "interactive" in text] == []


@pytest.mark.parametrize("kind", KINDS[:2], ids=lambda kind: kind.name)
async def test_agents_of_every_runtime_can_ask_first(home: Path, kind: Kind) -> None:
    made_workspace(home)
    told: list[str] = []

    def script(asked: Any) -> str:
        told.append(json.dumps(asked.body, ensure_ascii=False))
        return FENCED if ASKED in told[-1] else "hello"

    async with staged(kind, home, script) as stage:
        said = await stage.ask(ASKED)
        assert "Where does it fail" in said
        assert not any(mark in said for mark in MARKS)
        assert any("INTERACTIVE MODE INSTRUCTIONS" in body for body in told)
        (row,) = await all_turns(stage.host)
        assert not any(mark in row.answer for mark in MARKS)
