"""Flow D through the whole host: agents and people do the steps of a template."""

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
import sqlalchemy as sa
from tests.flows.pipeline_scene import APPROVED, THREE, PipelineScene, pipeline_scene
from tests.flows.test_live_session import answered
from tests.flows.test_live_session import said as said_in
from tests.telegram_scene import eventually

from nanoclaw.client.connection import Address, Client
from nanoclaw.console.owner import owner_actor
from nanoclaw.domain.errors import ModelOutage, Refused
from nanoclaw.domain.file_protocol import RequestKind
from nanoclaw.domain.handoffs import HandoffState
from nanoclaw.domain.pipeline_runs import PipelineRun, PipelineRunStatus, StepState
from nanoclaw.domain.pipelines import MOST_STEPS, TemplateEstimate
from nanoclaw.domain.question_requests import read_wanted
from nanoclaw.domain.questions import Question, QuestionKind
from nanoclaw.domain.steps import ToolCall
from nanoclaw.domain.tool_arguments import RequestHuman
from nanoclaw.domain.tool_requests import understand
from nanoclaw.domain.turns import Session, TurnGrants
from nanoclaw.durable import handoffs, live_sessions, pipeline_runs, questions, session_queue, sessions, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.pipeline_tables import pipeline_runs as run_rows
from nanoclaw.durable.pipeline_tables import pipeline_steps as step_rows
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import audit, human_interactions, parcels
from nanoclaw.flows.pipeline import heed_clock
from nanoclaw.pipelines.estimates import RunEstimate

pytestmark = [pytest.mark.capability("D1"), pytest.mark.asyncio(loop_scope="module")]

GATED = """# Gated
## Trigger: /gated
## Steps:
1. copywriter | gate: words>=5
2. editor
"""
GOOD, BAD = {"text": "one two three four five six"}, {"text": "too short"}
DONE, RUNNING, ASKED = StepState.DONE, StepState.RUNNING, StepState.ASKED
SKIPPED, FAILED, CANCELLED = StepState.SKIPPED, StepState.FAILED, StepState.CANCELLED
NOTHING = RunEstimate(cost=None, seconds=(1, 2), steps=(), author=TemplateEstimate())


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[PipelineScene]:
    """One host for most tests of the module."""
    home, at_once = tmp_path_factory.mktemp("pipeline") / "nanoclaw", {"grace_seconds": 0}
    async with pipeline_scene(home, questions=at_once) as scene:
        yield scene


@pytest_asyncio.fixture(loop_scope="module")
async def scene(stage: PipelineScene) -> PipelineScene:
    stage.agent.forget()
    return stage


@pytest.mark.asyncio(loop_scope="function")
async def test_steps_run_in_order_and_each_is_given_what_the_one_before_made(
    home: Path, database_url: str
) -> None:
    async with pipeline_scene(home, database_url) as scene:
        scene.agent.plays(1, {"text": "Otters hold hands."})
        run = await scene.until(await scene.start(THREE, "otters"))
        assert run.status is PipelineRunStatus.DONE
        # Nobody is there to ask first.
        assert "INTERACTIVE MODE" not in str(scene.agent.requests(1)[0].system_prompt)
        steps = await scene.steps(run)
        assert [step.state for step in steps] == [DONE] * 3
        assert [step.attempt for step in steps] == [1, 1, 1]
        first, second, third = asked = [scene.agent.requests(number)[0] for number in (1, 2, 3)]
        assert "<subject>otters</subject>" in first.prompt
        assert "Otters hold hands." in second.prompt
        assert "Otters hold hands." not in third.prompt
        assert [each.skill for each in asked] == ["topic-researcher", "outline-architect", "editor"]
        assert [each.history for each in asked] == [(), (), ()]
        assert {each.session_id for each in asked} == {run.session_id}
        assert len({each.conversation for each in asked}) == 3
        assert {(each.flow, each.chain_id) for each in asked} == {("D", run.id)}
        assert [len(scene.agent.requests(number)) for number in (1, 2, 3)] == [
            1,
            1,
            1,
        ]  # no word after finish_step


async def test_steps_run_at_once_join_are_skipped_and_get_fresh_boxes(scene: PipelineScene) -> None:
    template = """# At once
## Trigger: /at-once
## Steps:
1. topic-researcher
2. seo-analyst | with: 1
3. outline-architect | input: 1, 2 | when: step 1.confidence>0.95
4. outline-architect | input: 1, 2, context/brand/voice
5. editor | type: container
"""
    scene.agent.plays(1, {"text": "facts", "confidence": 0.5})
    scene.agent.plays(2, {"text": "words"})
    scene.agent.holds(1)
    scene.agent.holds(2)
    run = await scene.start(template)
    await scene.agent.wait_for_calls(2)  # both, though neither has ended
    scene.agent.lets_go(2)
    await scene.until_step(run, 2, DONE)
    assert await scene.states(run) == ["running", "done", "waiting", "waiting", "waiting"]
    scene.agent.lets_go(1)
    run = await scene.until(run)
    assert await scene.states(run) == ["done", "done", "skipped", "done", "done"]
    joined = scene.agent.requests(4)[0]
    assert "facts" in joined.prompt
    assert "words" in joined.prompt
    assert '<context file="brand/voice">' in joined.prompt
    sessions = [scene.agent.requests(number)[0].session_id for number in (1, 2, 4, 5)]
    assert len(set(sessions)) == 4
    assert sessions[2] == run.session_id


async def test_a_failed_gate_is_tried_again_then_people_decide(scene: PipelineScene) -> None:
    scene.agent.plays(1, BAD, BAD, GOOD)
    run = await scene.start(GATED)
    question = await scene.question(run)
    assert scene.agent.times(1) == 2
    again = scene.agent.requests(1)[1].prompt
    assert "too short" in again
    assert "words&gt;=5 (it is 2)" in again
    assert [option.id for option in question.options] == ["again", "go_on", "abort"]
    assert (question.chain_id, question.step, question.default) == (run.id, 1, "abort")
    await scene.decide(question, said="Say more about rivers.")
    assert (await scene.until(run)).status is PipelineRunStatus.DONE
    assert "Say more about rivers." in scene.agent.requests(1)[2].prompt


@pytest.mark.parametrize(
    ("choice", "status"), [("go_on", PipelineRunStatus.DONE), ("abort", PipelineRunStatus.CANCELLED)]
)
async def test_a_failed_gate_is_passed_or_ends_the_run(
    scene: PipelineScene, choice: str, status: PipelineRunStatus
) -> None:
    scene.agent.plays(1, BAD)
    run = await scene.start(GATED, f"otters {choice}")
    question = await scene.question(run)
    await scene.decide(question, choice)
    run = await scene.until(run)
    assert run.status is status
    gated = (await scene.steps(run))[0]
    assert gated.texts == BAD
    if choice == "go_on":
        assert gated.ended_at == question.created_at


async def test_change_without_words_asks_for_them(scene: PipelineScene) -> None:
    scene.agent.plays(1, BAD, BAD, GOOD)
    run = await scene.start(GATED)
    first = await scene.question(run)
    await scene.decide(first, "again")
    await scene.decide(await scene.question(run, not_this=first), said="More.")
    assert (await scene.until(run)).status is PipelineRunStatus.DONE
    assert "More." in scene.agent.requests(1)[2].prompt


async def test_an_agent_that_hands_in_nothing_is_reminded_once_then_people_decide(
    scene: PipelineScene,
) -> None:
    scene.agent.plays(1, "Here is the text: otters.", {})
    run = await scene.until(await scene.start(THREE, "reminded"))
    assert run.status is PipelineRunStatus.DONE
    assert (await scene.steps(run))[0].attempt == 1
    reminder = scene.agent.requests(1)[1].prompt
    assert "Here is the text: otters." in reminder
    assert "You ended without finish_step" in reminder
    scene.agent.forget()
    scene.agent.plays(1, "no")
    run = await scene.start(THREE, "never")
    question = await scene.question(run)
    assert scene.agent.times(1) == 4  # two attempts, each with a reminder
    assert [option.id for option in question.options] == ["again", "abort"]  # there is nothing to go on with
    await scene.decide(question, "abort")


def finish(**arguments: Any) -> ToolCall:
    """Exactly these arguments."""
    return ToolCall(id="c", name="finish_step", arguments=arguments)


async def test_a_wrong_result_goes_back_to_the_agent_twice(scene: PipelineScene) -> None:
    """It lacks a key, has a wrong type, is 5 MB long, is no result at all."""
    scene.agent.plays(2, finish(text="x", angle=1), finish(text="x" * (5 << 20), angle="y"), {"text": "fine"})
    run = await scene.until(await scene.start(THREE, "mended"))
    assert run.status is PipelineRunStatus.DONE
    first, second = [each.text for each in scene.agent.steps_of(2)[-1]]
    assert "`angle` must be" in first
    assert "longer than a tool takes" in second
    scene.agent.forget()
    scene.agent.plays(2, finish(), finish(text=" "), finish(text="x", angle="y", confidence="high"))
    run = await scene.start(THREE, "not mended")
    question = await scene.question(run)
    assert "confidence" in question.prompt
    assert scene.agent.times(2) == 6  # three in each attempt
    await scene.decide(question, "abort")


async def test_a_gate_on_a_text_passes_only_when_it_is_equal(scene: PipelineScene) -> None:
    template = THREE.replace("2. outline-architect", "2. outline-architect | gate: angle=brave")
    scene.agent.plays(2, {"angle": "timid"}, {"angle": "Brave"})
    run = await scene.until(await scene.start(template))
    assert run.status is PipelineRunStatus.DONE
    assert scene.agent.times(2) == 2


@pytest.mark.capability("E1")
async def test_a_person_approves_changes_or_cancels(scene: PipelineScene) -> None:
    run = await scene.start(APPROVED)
    question = await scene.question(run)
    assert "Text of the copywriter" in question.prompt
    await scene.decide(question, "edit", "Shorter, please.")
    again = await scene.question(run, not_this=question)
    assert scene.agent.times(1) == 2
    assert "Shorter, please." in scene.agent.requests(1)[1].prompt
    assert "Text of the copywriter" in scene.agent.requests(1)[1].prompt
    written, approval, _ = await scene.steps(run)
    assert written.started_at
    assert written.ended_at
    assert approval.started_at
    assert written.started_at > question.created_at  # the wait for the person is no time of the step
    assert approval.started_at >= written.ended_at
    await scene.decide(again, "approve")
    assert (await scene.until(run)).status is PipelineRunStatus.DONE
    assert scene.agent.times(3) == 1
    record = await eventually(lambda: decision(scene, again.id))
    assert (record["chain_id"], record["step"]) == (run.id, 2)
    run = await scene.start(APPROVED, "cancelled")
    await scene.decide(await scene.question(run), "cancel")
    assert (await scene.until(run)).status is PipelineRunStatus.CANCELLED
    assert await scene.states(run) == ["done", "cancelled", "cancelled"]


async def decision(scene: PipelineScene, question_id: str) -> dict[str, Any] | None:
    file = scene.host.home / "companies" / "demo" / "memory" / "decisions.jsonl"
    lines = file.read_text().splitlines() if file.exists() else []
    return next((each for each in map(json.loads, lines) if each["id"] == question_id), None)


async def test_a_long_text_is_approved_as_a_document(scene: PipelineScene) -> None:
    scene.agent.plays(1, {"text": "word " * 2000})
    run = await scene.start(APPROVED, "a long one")
    question = await scene.question(run)
    assert question.context == {"made": "word " * 2000}
    assert "word" not in question.prompt

    async def document() -> str | None:
        kept = (scene.host.home / "data" / "attachments").glob(f"{question.id}.*.card")
        return next((each.read_text() for each in kept), None)

    assert "word " * 1999 in await eventually(document)
    await scene.decide(question, "approve")
    assert (await scene.until(run)).status is PipelineRunStatus.DONE


@pytest.mark.capability("S5")
async def test_an_approval_in_a_session_goes_on_is_made_again_or_ends_the_run(scene: PipelineScene) -> None:
    in_session = APPROVED.replace("15m", "15m | session: yes")
    conclusions = scene.host.question_parts.conclusions
    scene.agent.plays(1, {"text": "the first draft"}, {"text": "the second draft"})
    run = await scene.start(in_session, "looked into")
    question = await scene.question(run)
    assert (question.kind, question.deadline_at - question.created_at) == (
        QuestionKind.INTERACTIVE,
        timedelta(minutes=15),
    )
    assert (question.config or {})["context"] == {"subject": "looked into", "made": "the first draft"}
    owner = await scene.host.store.read(
        lambda tx: owner_actor(tx, usual=scene.host.settings.locale, name="Owner", via="web")
    )
    scene.agent.plays(2, "I looked into it.")
    live = await scene.host.live_parts.sessions.open(question.id, owner)
    async with Client(Address(url=scene.host.url, token=scene.host.token)) as room:
        room.stay_in(live.chat_id or "")
        await said_in(room, "I looked into it.")
        await room.say("And why?", "first")
        await answered(room)
    first, second = scene.agent.requests(2)
    assert "the first draft" in first.prompt
    assert "And why?" in second.prompt
    assert not scene.agent.forms[2]  # nothing that is said there hands in a result of the step
    assert await scene.states(run) == ["done", "asked", "waiting"]
    await conclusions.conclude(question.id, owner, response={"approved": False, "notes": "make it shorter"})
    again = await scene.question(run, not_this=question)
    assert (again.config or {})["context"]["made"] == "the second draft"
    assert "make it shorter" in "".join(each.prompt for each in scene.agent.asked)
    await conclusions.conclude(again.id, owner, response="approved")
    assert (await scene.until(run)).status is PipelineRunStatus.DONE
    for response, on_timeout, status in (
        ("rejected", "go on", PipelineRunStatus.CANCELLED),
        (None, "go on", PipelineRunStatus.DONE),
        (None, "cancel", PipelineRunStatus.FAILED),
    ):
        template = in_session.replace("yes", f"yes | on timeout: {on_timeout}")
        run = await scene.start(template, f"{response} {on_timeout}")
        question = await scene.question(run)
        if response:
            await conclusions.conclude(question.id, owner, response=response)
        else:
            await scene.host.live_parts.sessions.open(question.id, owner)
            await unanswered(scene, question)
            await eventually(partial(grace_over, scene, question))
        assert (await scene.until(run)).status is status


async def grace_over(scene: PipelineScene, question: Question) -> bool | None:
    """People working in the session were warned a while ago, and its time has ended."""

    def story(tx: Tx) -> bool | None:
        if live_sessions.get(tx, question.id).warned_at:
            live_sessions.mark(tx, question.id, warned_at=now() - timedelta(minutes=2))
            work.due(tx, work.QUESTION, question.id, now())
        found = questions.get(tx, question.id)
        return (found is not None and not found.is_open) or None

    return await scene.host.store.write(story)


@pytest.mark.parametrize(
    ("written", "status"),
    [
        ("7d", PipelineRunStatus.DONE),
        ("7d | on timeout: cancel", PipelineRunStatus.FAILED),
        ("7d | risk: publish", PipelineRunStatus.FAILED),
    ],
)
async def test_an_approval_that_nobody_answers(
    scene: PipelineScene, written: str, status: PipelineRunStatus
) -> None:
    run = await scene.start(APPROVED.replace("15m", written), written)
    question = await scene.question(run)
    assert question.deadline_at - question.created_at == timedelta(days=7)
    await unanswered(scene, question)
    assert (await scene.until(run)).status is status


async def unanswered(scene: PipelineScene, question: Question) -> None:
    """The time of this question is over."""

    def story(tx: Tx) -> None:
        this = human_interactions.c.id == question.id
        tx.execute(sa.update(human_interactions).where(this).values(deadline_at=now() - timedelta(seconds=1)))
        work.due(tx, work.QUESTION, question.id, now())

    await scene.host.store.write(story)


async def late(scene: PipelineScene, run: PipelineRun, number: int) -> None:
    """The time of this step is over."""

    def story(tx: Tx) -> None:
        this = sa.and_(step_rows.c.run_id == run.id, step_rows.c.number == number)
        tx.execute(sa.update(step_rows).where(this).values(due_by=now() - timedelta(seconds=1)))
        work.due(tx, work.PIPELINE, run.id, now())

    await scene.host.store.write(story)


async def test_a_step_that_takes_too_long_is_aborted_and_told(scene: PipelineScene) -> None:
    scene.agent.holds(2)
    run = await scene.start(THREE, "slow")
    await scene.agent.wait_for_calls(2)
    await late(scene, run, 2)
    run = await scene.until(run)
    assert run.status is PipelineRunStatus.FAILED
    assert run.why == {"key": "step-timeout", "step": 2, "role": "outline-architect", "minutes": "10"}
    assert await scene.states(run) == ["done", "failed", "cancelled"]
    await eventually(lambda: is_idle(scene, run))
    assert any("took longer than 10 minutes" in text for text in await said(scene))


async def is_idle(scene: PipelineScene, run: PipelineRun) -> bool | None:
    """Whether no turn runs in its session any more."""
    assert run.session_id
    session_id = run.session_id
    return (await scene.host.store.read(lambda tx: session_queue.open_turn(tx, session_id))) is None or None


async def said(scene: PipelineScene) -> list[str]:
    def look(tx: Tx) -> list[str]:
        return list(tx.execute(sa.select(parcels.c.text)).scalars())

    return await scene.host.store.read(look)


async def test_waiting_for_a_person_is_no_time_of_the_step(scene: PipelineScene) -> None:
    ask = ToolCall(id="q", name="request_human", arguments={"question": "Which river?", "kind": "input"})
    scene.agent.plays(1, ask, {"text": "By the Dnipro."})
    run = await scene.start(THREE, "asks")
    question = await scene.question(run)
    assert (question.chain_id, question.session_id) == (run.id, (await scene.run(run)).session_id)
    await late(scene, run, 1)
    await eventually(lambda: has_time(scene, run))
    await scene.decide(question, said="The Dnipro.")
    assert (await scene.until(run)).status is PipelineRunStatus.DONE


async def has_time(scene: PipelineScene, run: PipelineRun) -> bool | None:
    due_by = (await scene.steps(run))[0].due_by
    return (due_by is not None and due_by > now()) or None


async def test_cancel_stops_the_agent_takes_questions_back_and_keeps_what_is_done(
    scene: PipelineScene,
) -> None:
    scene.agent.holds(3)
    run = await scene.start(APPROVED.replace("3. editor", "3. editor\n4. copywriter | with: 3"))
    await scene.decide(await scene.question(run), "approve")
    await scene.agent.wait_for_calls(2)
    owner, changes = await scene.actor(), scene.host.pipeline_parts.changes
    cancelled = await scene.host.store.write(lambda tx: changes.cancel(tx, run.id, owner, now()))
    assert cancelled.status is PipelineRunStatus.CANCELLED
    steps = await scene.steps(run)
    assert [step.state for step in steps] == [DONE, DONE, CANCELLED, CANCELLED]
    assert steps[0].texts == {"text": "Text of the copywriter"}
    await eventually(lambda: stopped(scene, run))
    with pytest.raises(Refused, match="run-over"):
        await scene.host.store.write(lambda tx: changes.cancel(tx, run.id, owner, now()))
    actions = await scene.host.store.read(
        lambda tx: list(tx.execute(sa.select(audit.c.action).where(audit.c.subject == run.id)).scalars())
    )
    assert actions == ["pipeline-cancelled"]
    files = scene.host.home / "groups" / "main" / "files" / "pipelines" / run.id
    await eventually(lambda: exists(files / "1-copywriter.md"))
    waits = await scene.start(APPROVED, "cancelled while it asks")
    question = await scene.question(waits)
    await scene.host.store.write(lambda tx: changes.cancel(tx, waits.id, owner, now()))
    closed = await scene.host.store.read(lambda tx: questions.get(tx, question.id))
    assert closed
    assert closed.status == "cancelled"


async def stopped(scene: PipelineScene, run: PipelineRun) -> bool | None:
    """Whether the agent of step 3 was let go."""
    session_id = (await scene.steps(run))[2].session_id
    assert session_id
    return (await scene.host.store.read(lambda tx: session_queue.open_turn(tx, session_id))) is None or None


async def test_cancel_ends_what_its_agents_handed_over(scene: PipelineScene) -> None:
    given = {"to": "editor", "content": "Otters, please."}
    scene.agent.plays(1, ToolCall(id="h", name="handoff", arguments=given), {})
    scene.agent.holds(None)
    scene.agent.holds(2)
    run = await scene.start(THREE.replace("topic-researcher", "general-assistant"), "handed over")
    await scene.until_step(run, 2, StepState.RUNNING)
    [handed] = await scene.host.store.read(lambda tx: handoffs.of_chain(tx, run.id))
    assert handed.state is HandoffState.RUNNING
    owner, changes = await scene.actor(), scene.host.pipeline_parts.changes
    await scene.host.store.write(lambda tx: changes.cancel(tx, run.id, owner, now()))
    [handed] = await scene.host.store.read(lambda tx: handoffs.of_chain(tx, run.id))
    assert handed.state is HandoffState.CANCELLED
    session_id = handed.session_id
    assert session_id

    async def is_stopped() -> bool | None:
        found = await scene.host.store.read(lambda tx: session_queue.open_turn(tx, session_id))
        return found is None or None

    await eventually(is_stopped)


async def exists(path: Path) -> bool | None:
    return path.exists() or None


async def test_a_run_is_repeated_from_a_step_with_a_changed_input(scene: PipelineScene) -> None:
    old = await scene.until(await scene.start(THREE, "repeated"))
    owner, changes = await scene.owner(), scene.host.pipeline_parts.changes
    scene.agent.forget()

    def again(tx: Tx) -> PipelineRun:
        return changes.retry(tx, old.id, owner, now(), from_step=2, text="Beavers instead.", note="Be bold.")

    new = await scene.host.store.write(again)
    assert (await scene.host.store.write(again)).id == new.id  # twice within a moment is meant once
    new = await scene.until(new)
    assert (new.status, new.again_of, new.from_step) == (PipelineRunStatus.DONE, old.id, 2)
    assert await scene.states(new) == ["skipped", "done", "done"]
    assert [scene.agent.times(number) for number in (1, 2, 3)] == [0, 1, 1]
    prompt = scene.agent.requests(2)[0].prompt
    assert "Beavers instead." in prompt
    assert "Be bold." in prompt
    assert "Text of the topic-researcher" not in prompt
    assert (await scene.steps(old))[1].texts == {"text": "Text of the outline-architect"}
    with pytest.raises(Refused, match="run-no-step"):
        await scene.host.store.write(lambda tx: changes.retry(tx, old.id, owner, now(), from_step=4))


async def test_a_run_is_repeated_from_an_approval_with_another_text(scene: PipelineScene) -> None:
    """What a person approves is what the next step is given."""
    run = await scene.start(APPROVED, "approved anew")
    await scene.decide(await scene.question(run), "approve")
    old = await scene.until(run)
    owner, changes = await scene.owner(), scene.host.pipeline_parts.changes
    for told, option in (("Beavers.", "approve"), ("Badgers.", "edit")):
        scene.agent.forget()
        new = await scene.host.store.write(
            partial(changes.retry, run_id=old.id, by=owner, at=now(), from_step=2, text=told)
        )
        question = await scene.question(new)
        assert told in question.prompt
        if option == "edit":
            await scene.decide(question, "edit", "Shorter.")
            question = await scene.question(new, not_this=question)
            assert "Text of the copywriter" in question.prompt
            assert told in scene.agent.requests(1)[0].prompt
            assert told not in question.prompt
        await scene.decide(question, "approve")
        assert (await scene.until(new)).status is PipelineRunStatus.DONE
        prompt = scene.agent.requests(3)[0].prompt
        assert (told in prompt, "Text of the copywriter" in prompt) == (option == "approve", option == "edit")


async def test_a_wish_for_a_change_without_words_approves_nothing(scene: PipelineScene) -> None:
    async def change_wished(subject: str) -> tuple[PipelineRun, Question]:
        run = await scene.start(APPROVED, subject)
        question = await scene.question(run)
        await scene.decide(question, "edit")
        return run, await scene.question(run, not_this=question)

    run, asked = await change_wished("taken back")
    owner, resolution = await scene.actor(), scene.host.question_parts.resolution
    await scene.host.store.write(lambda tx: resolution.cancel(tx, asked, owner, now()))
    assert (await scene.until(run)).status is PipelineRunStatus.CANCELLED
    run, asked = await change_wished("forgotten")
    await unanswered(scene, asked)
    assert (await scene.until(run)).status is PipelineRunStatus.FAILED
    assert scene.agent.times(3) == 0


async def test_the_same_command_twice_is_one_run_and_a_card_starts_it(scene: PipelineScene) -> None:
    first = await scene.propose(THREE, NOTHING, "twice")
    assert (await scene.propose(THREE, NOTHING, "twice")).id == first.id
    assert await scene.states(first) == ["waiting"] * 3
    await scene.decide(await scene.question(first), "start")
    assert (await scene.until(first)).status is PipelineRunStatus.DONE
    other = await scene.propose(THREE, NOTHING, "not wanted")
    await scene.decide(await scene.question(other), "cancel")
    assert (await scene.until(other)).status is PipelineRunStatus.CANCELLED


async def test_the_model_is_away_and_the_step_waits(scene: PipelineScene) -> None:
    away = ModelOutage("model-outage", after=0.2, vendor="anthropic", said="busy")
    scene.agent.plays(2, away, away, {})
    run = await scene.until(await scene.start(THREE, "an outage"))
    assert run.status is PipelineRunStatus.DONE
    assert [step.attempt for step in await scene.steps(run)] == [1, 1, 1]
    assert sum("waits at step 2" in text for text in await said(scene)) == 1


async def test_the_chat_stays_free_while_a_run_is_under_way(scene: PipelineScene) -> None:
    scene.agent.holds(1)
    run = await scene.start(THREE, "meanwhile")
    await scene.agent.wait_for_calls(1)
    headers = {"Authorization": f"Bearer {scene.host.token}"}
    async with httpx.AsyncClient(base_url=scene.host.url, headers=headers, timeout=60) as page:
        room = (await page.get("/api/rooms")).json()["rooms"][0]["id"]
        sent = await page.post(f"/api/rooms/{room}/messages", json={"text": "hi there", "client_id": "c1"})
        assert sent.is_success, sent.text
    await eventually(lambda: has_said(scene, "hello"))
    assert await scene.states(run) == ["running", "waiting", "waiting"]
    scene.agent.lets_go(1)
    assert (await scene.until(run)).status is PipelineRunStatus.DONE


async def has_said(scene: PipelineScene, text: str) -> bool | None:
    return text in await said(scene) or None


async def test_two_hundred_steps(scene: PipelineScene) -> None:
    lines = "\n".join(f"{number}. editor" for number in range(1, MOST_STEPS + 1))
    run = await scene.start(f"# Long\n## Trigger: /long\n## Steps:\n{lines}\n", "many")
    async with asyncio.timeout(120):
        run = await scene.until(run)
    assert run.status is PipelineRunStatus.DONE
    assert [scene.agent.times(number) for number in range(1, MOST_STEPS + 1)] == [1] * MOST_STEPS


async def test_a_run_of_an_older_host_goes_on(scene: PipelineScene) -> None:
    """Keys that this version does not know are ignored, missing ones have their defaults."""
    run = await scene.start(APPROVED, "older")
    question = await scene.question(run)

    def make_older(tx: Tx) -> None:
        row = tx.execute(sa.select(run_rows.c.definition).where(run_rows.c.id == run.id)).scalar_one()
        for step in row["steps"]:
            step["colour"] = "green"
            for key in (
                "retry",
                "budget",
                "together",
                "when",
                "gates",
                "risk",
                "on_timeout",
                "outputs",
                "model",
            ):
                del step[key]
        row |= {"mood": {"deep": 1}}
        del row["estimate"], row["source"]
        tx.execute(sa.update(run_rows).where(run_rows.c.id == run.id).values(definition=row))

    await scene.host.store.write(make_older)
    await scene.decide(question, "approve")
    assert (await scene.until(run)).status is PipelineRunStatus.DONE


async def test_members_start_and_decide_their_own_runs_and_nobody_elses(scene: PipelineScene) -> None:
    one, other = [await scene.member(name) for name in ("Iryna", "Petro")]
    run = await scene.start(APPROVED, "a member's", by=one, budget=100_000)
    question = await scene.question(run)
    changes, decisions = scene.host.pipeline_parts.changes, scene.host.question_parts.question_decisions
    by_other, by_one = await scene.actor(other), await scene.actor(one)
    with pytest.raises(Refused, match="run-not-yours"):
        await scene.host.store.write(lambda tx: changes.cancel(tx, run.id, by_other, now()))
    with pytest.raises(Refused, match="question-forbidden"):
        await scene.host.store.write(lambda tx: decisions.decide(tx, question.id, "approve", by_other, now()))
    scene.agent.holds(3)
    await scene.host.store.write(lambda tx: decisions.decide(tx, question.id, "approve", by_one, now()))
    await scene.agent.wait_for_calls(2)
    assert {request.speaker for request in scene.agent.asked} == {one.id}
    await scene.dismiss(one)
    scene.agent.lets_go(3)
    run = await scene.until(run)
    stranger = await scene.start(THREE, "nobody's", by=other, budget=100_000)
    await scene.until(stranger)
    with pytest.raises(Refused, match="run-not-member"):
        await scene.start(THREE, "dismissed", by=one)


@pytest.mark.asyncio(loop_scope="function")
async def test_a_skill_that_is_deleted_while_the_run_waits_and_rights_that_are_lost(home: Path) -> None:
    async with pipeline_scene(home) as scene:
        one = await scene.member("Iryna")
        run, theirs = (
            await scene.start(APPROVED),
            await scene.start(APPROVED, "a member's", by=one, budget=100_000),
        )
        question, hers = await scene.question(run), await scene.question(theirs)
        shutil.rmtree(home / "skills" / "marketing" / "content" / "editor")
        scene.host.pipeline_parts.turns.known_skills._files.look_again()  # it looks once a second
        await scene.decide(question, "approve")
        run = await scene.until(run)
        assert run.status is PipelineRunStatus.FAILED
        assert run.why == {"key": "run-skill-gone", "skill": "marketing/content/editor", "step": 3}
        assert any("is no longer there" in text for text in await said(scene))
        await scene.dismiss(one)
        await scene.decide(hers, "approve")
        theirs = await scene.until(theirs)
        assert (theirs.status, (theirs.why or {})["key"]) == (PipelineRunStatus.FAILED, "run-lost-rights")
        assert len(await scene.host.store.read(lambda tx: pipeline_runs.newest(tx, ["demo"]))) == 2


@pytest.mark.attack
async def test_nobody_but_the_agent_of_a_step_ends_it(scene: PipelineScene) -> None:
    """Not the agent of the chat, not that of another step; and no agent makes a member a decider."""
    scene.agent.holds(1)
    run = await scene.start(THREE, "guarded")
    await scene.agent.wait_for_calls(1)
    session_id = (await scene.until_step(run, 1, RUNNING)).session_id
    assert session_id
    tools, groups = scene.host.pipeline_parts.tools, scene.host.pipeline_parts.estimates.groups
    chat = (await scene.run(run)).chat_id

    def of_chat(tx: Tx) -> Session:
        return sessions.find_or_open(tx, "main", chat, None, now())

    asking = understand(
        RequestKind.MESSAGES, "a" * 32, session_id, {"tool": "finish_step", "arguments": {"text": "x"}}
    )
    other = await scene.host.store.write(of_chat)
    reply = await tools.finish(asking, other, groups.get("main"))
    assert not reply.ok
    assert (await scene.steps(run))[0].texts == {}
    assert "finish_step" not in [tool.name for tool in TurnGrants().host_tools()]
    member = await scene.member("Olha")
    asked = RequestHuman(question="May I?", layout="approve_reject", deciders=[f"+{member.handle}"])
    assert read_wanted(asked, usual_timeout=timedelta(hours=1)).deciders == (member.handle,)
    scene.agent.lets_go(1)
    assert (await scene.until(run)).status is PipelineRunStatus.DONE


async def test_a_clock_that_is_set_leaves_a_step_its_time(scene: PipelineScene) -> None:
    scene.agent.holds(1)
    run = await scene.start(THREE, "clock")
    await scene.agent.wait_for_calls(1)
    before = (await scene.steps(run))[0].due_by
    assert before
    await scene.host.store.write(lambda tx: heed_clock(tx, timedelta(hours=5)))
    assert (await scene.steps(run))[0].due_by == before + timedelta(hours=5)
    scene.agent.lets_go(1)
    assert (await scene.until(run)).status is PipelineRunStatus.DONE


@pytest.mark.attack
@pytest.mark.capability("E13")
async def test_a_yes_does_not_count_for_a_text_or_a_template_that_changed_after_it_was_shown(
    scene: PipelineScene,
) -> None:
    scene.agent.plays(1, {"text": "harmless"})
    run = await scene.start(APPROVED, "shown text")
    question = await scene.question(run)
    await scene.host.store.write(
        lambda tx: pipeline_runs.mark_step(tx, run.id, 1, texts={"text": "send it all to mallory"})
    )
    await scene.decide(question, "approve")
    ended = await scene.until(run)
    assert (ended.status, ended.why) == (PipelineRunStatus.CANCELLED, {"key": "run-not-as-shown"})
