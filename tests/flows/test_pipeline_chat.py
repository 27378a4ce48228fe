"""Pipelines in a chat: a command or plain words, the card before a run, its one message, and commands about runs."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from tests.flows.pipeline_scene import StepAgent
from tests.telegram_scene import Scene, eventually, found_group, telegram_scene

from nanoclaw.domain.people import Role
from nanoclaw.domain.pipeline_runs import PipelineRun, PipelineRunStatus
from nanoclaw.domain.steps import ToolCall
from nanoclaw.durable import file_listing, memberships, people, pipeline_runs, wirings
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.flows.turns import progress_message

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

AGENT = StepAgent()
TEXT = {"text": "Tea is picked, withered, rolled, and then it is slowly fired until it is done."}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Scene]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file_listing, "_RESCAN_AFTER", 0.0)  # every message looks
        home = tmp_path_factory.mktemp("pipelines") / "nanoclaw"
        patch.setattr(progress_message, "_EVERY", 0.0)  # else a tool is told every ten seconds
        async with telegram_scene(home, model=AGENT, paced=False) as scene:
            template(scene, "tea_brief").write_text(BRIEF, "utf-8")
            yield scene


def template(scene: Scene, name: str) -> Path:
    return scene.host.home / "foundation" / "process_templates" / f"{name}.md"


async def runs(scene: Scene, subject: str) -> list[PipelineRun]:
    found = await scene.host.store.read(lambda tx: pipeline_runs.newest(tx, limit=100))
    return [run for run in found if run.subject == subject]


def run_messages(scene: Scene, subject: str) -> list[str]:
    """The messages of runs about this subject, as they are now."""
    found = (seen for seen in scene.chat.seen if seen.by_bot and seen.text[:1] in "⚙✅❌✖")
    return [seen.text for seen in found if f": {subject} ·" in seen.text.partition("\n")[0]]


async def run_says(scene: Scene, subject: str, words: str) -> str:
    """The one message of a run, once these words are in it."""
    await scene.chat.wait_until(lambda: any(words in each for each in run_messages(scene, subject)))
    (text,) = run_messages(scene, subject)
    return text


async def until(scene: Scene, subject: str, status: PipelineRunStatus) -> PipelineRun:
    async def look() -> PipelineRun | None:
        return next((run for run in await runs(scene, subject) if run.status is status), None)

    return await eventually(look)


async def begun(scene: Scene, subject: str) -> PipelineRun:
    """Somebody has asked for it and said yes."""
    await scene.owner.says(scene.chat, f"/tea_brief {subject}")
    card = await scene.card(f"Start Tea brief: {subject}?")
    await scene.press(card, "▶️ Start")
    return await until(scene, subject, PipelineRunStatus.RUNNING)


async def begins(step: int) -> None:
    """The agent of this step is asked."""

    async def look() -> bool | None:
        return bool(AGENT.requests(step)) or None

    await eventually(look)


async def at_home(
    stage: Scene, name: str, *, role: Role = Role.OWNER, language: str = "", group: str = "main"
) -> Scene:
    """Someone with this role in the group, alone with its agent."""
    here = await stage.joined_by(name, role=Role.STRANGER, language=language)

    def story(tx: Tx) -> None:
        known = people.person_named(tx, f"telegram:{here.owner.id}")
        assert known
        memberships.put(tx, known.id, group, role, now())
        own = people.add_chat(
            tx, channel=f"telegram:{stage.bot.id}", address=str(here.owner.id), title=name, at=now()
        )
        wirings.wire(tx, own.id, own.kind, group, now())

    await stage.host.store.write(story)
    return here


async def says(scene: Scene, command: str, words: str) -> str:
    """What the bot answers with these words; long answers come in parts."""
    before = len(scene.chat.texts())
    await scene.owner.says(scene.chat, command)
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


async def test_the_document_with_a_template_comes_once_for_whom_agreed_until_the_template_changes(
    stage: Scene,
) -> None:
    here = await at_home(stage, "Solomiia", language="uk")
    path = template(stage, "seen_brief")
    path.write_text(
        re.sub("## Trigger: .*", "## Trigger: /seen-brief", BRIEF.replace("Tea", "Seen")), "utf-8"
    )

    async def asked(subject: str, *, scene: Scene = here) -> tuple[str, bool]:
        """The card, and whether a document came with it. It is started."""
        before = len(scene.chat.seen)
        card = await scene.new_card(f"/seen_brief {subject}", f"Seen brief: {subject}?")
        came = any(each.file_name for each in scene.chat.seen[before:])
        await scene.press(card, "❌ Скасувати" if subject == "nothing" else card.labels[0])
        return card.text, came

    assert (await asked("nothing"))[1]
    first, came = await asked("one")  # a no is no agreement
    assert came
    assert "На цій картці немає" in first
    name = first.partition("в документі ")[2].partition(" ")[0]
    for subject in ("two", "three"):
        card, came = await asked(subject)
        assert not came
        assert "уже була згода (Solomiia, " in card
        assert f"в документі {name}, що прийшов тоді" in card
    path.write_text(path.read_text("utf-8").replace("$2", "$3"), "utf-8")
    assert (await asked("four"))[1]
    assert not (await asked("five"))[1]
    another = await at_home(stage, "Danylo")
    assert (await asked("six", scene=another))[1]


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
    await stage.owner.says(group, "/engage@helper_bot always")
    await group.wait_for(2)
    aside = await here.owner.says(group, "write a tea brief about sencha")  # to nobody in particular
    assert "queued for main" in str(await here.why(aside, "answered"))
    assert await runs(here, "sencha") == []
    asked = await here.owner.says(group, "@helper_bot write a tea brief about sencha")
    await here.card("sencha", group)
    assert [run.message_id is not None for run in await runs(here, "sencha")] == [True]
    assert (await here.why(asked, "answered")).state == "answered"


async def test_a_subject_that_is_missing_or_says_nothing_is_asked_for(stage: Scene) -> None:
    here = await at_home(stage, "Taras")
    example = "for example: /tea_brief AI in marketing"
    assert example in await here.command(here.chat, "/tea_brief")
    assert example in await here.command(here.chat, "write a tea brief")
    assert '"this" says nothing to the agents' in await here.command(
        here.chat, "write a tea brief about this"
    )
    template(stage, "tea_report").write_text(BRIEF.replace("/tea-brief, ", ""), "utf-8")
    told = await here.command(here.chat, "write a tea brief about oolong")
    template(stage, "tea_report").unlink()
    assert told.startswith("More than one pipeline answers to these words.")
    assert "/tea_brief oolong" in told
    assert await runs(here, "oolong") == []


async def test_a_changed_template_counts_from_the_next_message_on_and_a_broken_one_names_file_and_line(
    stage: Scene,
) -> None:
    here = await at_home(stage, "Danylo")

    async def offered(name: str) -> dict[str, str] | None:
        menu = here.owner.menu(here.chat, stage.bot)
        return menu if name in menu else None

    assert "/cup" not in await says(here, "/help", "Anything else goes to the agent.")
    assert "cup" not in await eventually(lambda: offered("engage"))
    file = template(stage, "cups")
    file.write_text("# Cups\n## Trigger: /cup\n## Steps:\n1. topic-researcher\n", "utf-8")
    await says(here, "/help pipelines", "• /cup SUBJECT Cups")
    assert {"engage", "write_article"} <= (await eventually(lambda: offered("cup"))).keys()
    assert "Did you mean /cup" in await here.command(here.chat, "/cupp porcelain")
    file.write_text("# Cups\n## Trigger: /cup\n## Steps:\n1. topic-reseacher\n2. edit0r\n", "utf-8")
    told = await here.command(here.chat, "/cup porcelain")
    assert "foundation/process_templates/cups.md has a mistake in line 4" in told
    assert 'There is no skill "topic-reseacher"; allowed: topic-researcher' in told
    assert "There is one more mistake: nanoclaw pipelines check" in told
    file.write_text("# Cups\n## Trigger: /cup\n## Steps:\n", "utf-8")
    assert "in line 3. There are no steps. Correct it" in await here.command(here.chat, "/cup porcelain")
    assert "⚠️ cups: its template has a mistake" in await here.command(here.chat, "/pipelines")
    file.unlink()


async def test_one_message_tells_how_far_a_run_is_and_what_it_cost_beside_the_estimate(stage: Scene) -> None:
    here = await at_home(stage, "Solomiia")
    AGENT.plays(1, {"confidence": 0.9})
    AGENT.plays(4, ToolCall(id="c1", name="list_tasks", arguments={}), TEXT)
    AGENT.holds(4)
    run = await begun(here, "white tea")
    asked = await here.card("shall it go on with this?")
    text = await run_says(here, "white tea", "Step 3 of 4: it waits for a person")
    lines = text.splitlines()
    assert lines[0] == f"⚙️ Tea brief: white tea · {run.id[-5:]}"
    assert "• ✅ 1. topic-researcher · confidence 0.9" in lines
    assert "• 🙋 3. approval by a person" in lines
    assert "• ▫️ 4. copywriter" in lines
    await here.press(asked, "✅ Approve")
    assert "Step 4 of 4" in await run_says(here, "white tea", "• ▶️ 4. copywriter")
    await begins(4)
    AGENT.lets_go(4)
    AGENT.holds(4)  # after the tool
    await run_says(here, "white tea", "• ▶️ 4. copywriter · list_tasks")
    AGENT.lets_go(4)
    lines = (await run_says(here, "white tea", "is done")).splitlines()
    assert lines[0] == f"✅ Tea brief is done: white tea · {run.id[-5:]}"
    assert "• ✅ 4. copywriter · words 15" in lines
    assert lines[-1].startswith("💰 $0.00 · ⏱ ")
    assert lines[-1].endswith(" (estimated: 1–3 min)")
    told = await says(here, "/pipelines", "The last ones:")
    assert f"• {run.id[-5:]} Tea brief: white tea · done" in told
    assert lines[0] in await here.command(here.chat, f"/pipelines {run.id[-5:]}")
    await here.owner.says(here.chat, "/tea_brief blue tea")
    assert re.search(r"⏱ [^ ]+ s \(from \d+ earlier runs?\)", (await here.card("blue tea")).text)


async def test_runs_are_cancelled_and_repeated_from_a_step_by_whoever_started_them(stage: Scene) -> None:
    here = await at_home(stage, "Bohdan", role=Role.MEMBER)
    other = await at_home(stage, "Yaryna", role=Role.MEMBER)
    AGENT.plays(4, TEXT)
    AGENT.holds(1)
    run = await begun(here, "yellow tea")
    short = run.id[-5:]
    assert "Only whoever started this run" in await other.command(other.chat, f"/pipeline_cancel {short}")
    assert "No pipeline that you could cancel" in await other.command(other.chat, "/pipeline_cancel")
    assert "Cancel it first" in await here.command(here.chat, f"/pipeline_retry {short}")
    told = await says(here, "/pipeline_cancel", "Cancelled: Tea brief, yellow tea")
    assert short in told
    await run_says(here, "yellow tea", "✖️ Tea brief was cancelled")
    AGENT.lets_go(1)
    assert "it is cancelled" in await here.command(here.chat, f"/pipeline_cancel {short}")

    assert "There is no run" in await here.command(here.chat, "/pipeline_retry zzzzz")
    assert "the pipeline has 4" in await here.command(here.chat, f"/pipeline_retry {short} 9")
    assert "Step 1 did not finish" in await here.command(here.chat, f"/pipeline_retry {short} from step 3")
    assert "Write the run and the step" in await here.command(here.chat, f"/pipeline_retry {short} shorter")
    assert "Again from step 1: Tea brief" in await says(here, "/pipeline_retry", "Again from step")
    first = (await runs(here, "yellow tea"))[0]
    await here.press(await here.card("shall it go on with this?"), "✅ Approve")
    await until(here, "yellow tea", PipelineRunStatus.DONE)
    await says(here, "/pipeline_retry 4 make it shorter", "Again from step 4")
    again = (await runs(here, "yellow tea"))[0]
    assert (again.again_of, again.from_step) == (first.id, 4)
    note = await stage.host.store.read(lambda tx: pipeline_runs.steps(tx, again.id)[3].given)
    assert note == {"note": "make it shorter"}
    assert [each.status for each in await runs(here, "yellow tea")][1:] == [
        PipelineRunStatus.DONE,
        PipelineRunStatus.CANCELLED,
    ]


async def test_a_button_cancels_a_run_and_another_one_repeats_it(stage: Scene) -> None:
    here = await at_home(stage, "Maksym")
    AGENT.holds(1)
    await begun(here, "red tea")
    card = await here.card("⚙️ Tea brief: red tea")
    await here.press(card, "✖️ Cancel")
    again = await here.card("✖️ Tea brief was cancelled: red tea")
    AGENT.lets_go(1)
    assert "from step 1" in await here.press(again, "🔁 Run again from there")
    assert [run.status for run in await runs(here, "red tea")] == [
        PipelineRunStatus.RUNNING,
        PipelineRunStatus.CANCELLED,
    ]


async def test_a_chat_shows_the_runs_of_its_own_groups_only(stage: Scene) -> None:
    here = await at_home(stage, "Orest")
    run = await begun(here, "secret tea")
    found_group(stage.host.home, "sales")
    sales = await at_home(stage, "Nadiia", group="sales")
    told = await says(sales, "/pipelines", "Tea brief")
    assert "secret tea" not in told
    assert "There is no run" in await sales.command(sales.chat, f"/pipelines {run.id[-5:]}")
    assert "There is no run" in await sales.command(sales.chat, f"/pipeline_cancel {run.id[-5:]}")
