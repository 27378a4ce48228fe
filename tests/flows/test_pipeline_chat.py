"""Pipelines in a chat: a command or plain words, the card before a run, its one message, and commands about runs."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from tests.telegram_scene import Scene, telegram_scene

from nanoclaw.domain.people import Role
from nanoclaw.domain.pipeline_runs import PipelineRun
from nanoclaw.durable import memberships, people, pipeline_runs, wirings
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.pipelines import catalogue

# One host for these tests; each has a person of its own.
pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.capability("D1")]

BRIEF = """# Tea brief
## Trigger: /tea-brief, implicit "write a tea brief", implicit "напиши про чай"
## Steps:
1. topic-researcher | gate: confidence>0.5
2. seo-analyst      | with: 1
3. HITL             | timeout: 15m
4. copywriter       | gate: words>10
## Budget: $2
## Estimated cost: $0.10-0.20
## Estimated time: 1-2 minutes
"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Scene]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catalogue, "_RESCAN_AFTER", 0.0)  # every message looks
        home = tmp_path_factory.mktemp("pipelines") / "nanoclaw"
        async with telegram_scene(home, paced=False) as scene:
            template(scene, "tea_brief").write_text(BRIEF, "utf-8")
            yield scene


def template(scene: Scene, name: str) -> Path:
    return scene.host.home / "foundation" / "process_templates" / f"{name}.md"


async def runs(scene: Scene, subject: str) -> list[PipelineRun]:
    found = await scene.host.store.read(lambda tx: pipeline_runs.newest(tx, limit=100))
    return [run for run in found if run.subject == subject]


async def at_home(stage: Scene, name: str, *, role: Role = Role.OWNER, language: str = "") -> Scene:
    """Someone with this role in the main group, alone with its agent."""
    here = await stage.joined_by(name, role=Role.STRANGER, language=language)

    def story(tx: Tx) -> None:
        known = people.person_named(tx, f"telegram:{here.owner.id}")
        assert known
        memberships.put(tx, known.id, "main", role, now())
        own = people.add_chat(
            tx, channel=f"telegram:{stage.bot.id}", address=str(here.owner.id), title=name, at=now()
        )
        wirings.wire(tx, own.id, own.kind, "main", now())

    await stage.host.store.write(story)
    return here


async def says(scene: Scene, order: str, words: str) -> str:
    """What the bot answers with these words; long answers come in parts."""
    before = len(scene.chat.texts())
    await scene.owner.says(scene.chat, order)
    await scene.chat.wait_until(lambda: words in "\n".join(scene.chat.texts()[before:]))
    return "\n".join(scene.chat.texts()[before:])


async def test_a_command_is_answered_by_a_card_with_steps_models_cost_and_time(stage: Scene) -> None:
    here = await at_home(stage, "Petro")
    await here.owner.says(here.chat, "/tea_brief green tea")
    await here.owner.says(here.chat, "/tea_brief green tea")
    card = await here.card("Tea brief")
    lines = card.text.splitlines()
    assert "Start Tea brief: green tea?" in lines
    assert "• 1. topic-researcher · at once with 2 · demo" in lines
    assert "• 3. approval by a person · 15 min at most" in lines
    assert "• 💰 costs nothing · ⏱ 1–3 min (estimated from prices; it never ran before)" in lines
    assert "• ✍️ The template itself says: $0.10–0.20, 1–2 min" in lines
    assert "• 🔒 It never spends more than $2.00" in lines
    assert [button.label for row in card.buttons for button in row] == ["▶️ Start", "❌ Cancel"]
    await here.chat.wait_until(
        lambda: any("You have just asked for this" in each for each in here.chat.texts())
    )
    assert len(here.cards("Tea brief")) == 1
    assert len(await runs(here, "green tea")) == 1


async def test_plain_words_of_a_member_mean_the_pipeline_and_of_nobody_else(stage: Scene) -> None:
    here = await at_home(stage, "Iryna", role=Role.MEMBER, language="uk")
    await here.owner.says(here.chat, "Будь ласка, напиши про чай: матча")
    card = await here.card("Tea brief")
    assert "Почати Tea brief: матча?" in card.text.splitlines()
    assert "схвалення людиною · щонайбільше 15 хв" in card.text
    await here.press(card, "❌ Скасувати")
    assert "Iryna: ❌ Скасувати" in await here.settled(card)

    group = stage.server.group("Team", stage.bot, members=[stage.owner, here.owner])
    await stage.owner.says(group, "/wire@helper_bot main")
    await group.wait_for(1)
    await here.owner.says(group, "write a tea brief about sencha")  # to nobody in particular
    asked = await here.owner.says(group, "@helper_bot write a tea brief about sencha")
    await here.card("sencha", group)
    assert [run.message_id is not None for run in await runs(here, "sencha")] == [True]
    assert (await here.why(asked, "answered")).state == "answered"


async def test_a_subject_that_is_missing_or_says_nothing_is_asked_for(stage: Scene) -> None:
    here = await at_home(stage, "Taras")
    example = "for example: /tea_brief AI in marketing"
    assert example in await here.order(here.chat, "/tea_brief")
    assert example in await here.order(here.chat, "write a tea brief")
    assert '"this" says nothing to the agents' in await here.order(here.chat, "write a tea brief about this")
    template(stage, "tea_report").write_text(BRIEF.replace("/tea-brief, ", ""), "utf-8")
    told = await here.order(here.chat, "write a tea brief about oolong")
    template(stage, "tea_report").unlink()
    assert told.startswith("More than one pipeline answers to these words.")
    assert "/tea_brief oolong" in told
    assert await runs(here, "oolong") == []


async def test_a_changed_template_counts_from_the_next_message_on_and_a_broken_one_names_file_and_line(
    stage: Scene,
) -> None:
    here = await at_home(stage, "Danylo")
    assert "/cup" not in await says(here, "/help", "Anything else goes to the agent.")
    file = template(stage, "cups")
    file.write_text("# Cups\n## Trigger: /cup\n## Steps:\n1. topic-researcher\n", "utf-8")
    await says(here, "/help", "• /cup SUBJECT Cups")
    assert "Did you mean /cup" in await here.order(here.chat, "/cupp porcelain")
    file.write_text("# Cups\n## Trigger: /cup\n## Steps:\n1. topic-reseacher\n2. edit0r\n", "utf-8")
    told = await here.order(here.chat, "/cup porcelain")
    assert "foundation/process_templates/cups.md has a mistake in line 4" in told
    assert 'There is no skill "topic-reseacher"; allowed: topic-researcher' in told
    assert "There is one more mistake: nanoclaw pipelines check" in told
    file.write_text("# Cups\n## Trigger: /cup\n## Steps:\n", "utf-8")
    assert "in line 3. There are no steps. Correct it" in await here.order(here.chat, "/cup porcelain")
    assert "⚠️ cups: its template has a mistake" in await here.order(here.chat, "/pipelines")
    file.unlink()
