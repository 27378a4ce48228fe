"""Flow C: agents hand work over to each other, by a contract that the host checks (SPEC C1-C4)."""

import json
import shutil
import threading
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import sqlalchemy as sa
from tests.flows.pipeline_scene import pipeline_scene
from tests.handoff_scene import Handing, add_skill, handing
from tests.staging import KINDS, results, staged, until
from tests.typed import typing_in

from nanoclaw.domain.errors import Refused
from nanoclaw.domain.file_protocol import RequestKind
from nanoclaw.domain.handoffs import Handoff
from nanoclaw.domain.ids import SessionId, TurnId, new_id
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.memory import MemoryMode
from nanoclaw.domain.people import Rights, Role
from nanoclaw.domain.pipeline_runs import PipelineRun, PipelineRunStatus, StepRun, StepState
from nanoclaw.domain.steps import Returned, ToolCall
from nanoclaw.domain.tool_arguments import HandOver
from nanoclaw.domain.tool_requests import BadToolRequest, understand
from nanoclaw.durable import handoffs, memory_changes, people, pipeline_runs, questions, timeline, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.pipeline_tables import chains
from nanoclaw.durable.pipeline_tables import handoffs as rows
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import chats, messages, parcels, turns
from nanoclaw.durable.why import explain
from nanoclaw.flows.handoffs.ends import HandoffEnds
from nanoclaw.flows.handoffs.rules import HandoffSender
from nanoclaw.pipelines.template import read_template
from nanoclaw.testing.model_parts import Asked, Say, Use

# One host for these tests; each has a chat and words of its own.
pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.capability("C1", "C2", "C3")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def here(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Handing]:
    home = tmp_path_factory.mktemp("handoff") / "nanoclaw"
    add_skill(home, "reader", "tools: [recall, handoff]\nnetwork: [example.com]\n")
    add_skill(home, "narrow", "without_tools: [send_message]\n")
    async with handing(home) as found:
        yield found


async def test_sequential_the_receiver_answers_the_chat_in_a_session_of_its_own(here: Handing) -> None:
    content = here.fresh("three facts about otters")
    here.agent.does(content, "Otters hold hands.")
    told = await here.hand("write it", to="writer", content=content, gaps=["their weight"], confidence=0.8)
    assert told.startswith("Handed over to writer (step 1, id hf_")
    assert "It answers the person" in told
    await here.says("Otters hold hands.")
    ended = await here.ends(content)
    assert (ended.result, ended.type, ended.way) == ("Otters hold hands.", "sequential", "session")
    [request] = [each for each in here.asked_as("writer") if content in each.prompt]
    assert (request.chain_id, request.flow, request.handoff_id) == (ended.chain_id, "C", ended.id)
    assert request.session_id == ended.session_id != ended.from_session
    assert "You are writer." in request.system_prompt.skill
    assert "INTERACTIVE MODE" not in request.system_prompt.skill  # nobody is there to ask first
    assert "Not known: their weight" in request.prompt
    assert "write it" not in request.prompt  # nothing of the sender's conversation
    assert request.history == ()
    assert ended.visited == ("general-assistant@main",)
    row = await here.host.store.read(lambda tx: work.due_at(tx, work.HANDOFF, ended.id))
    assert row is None


async def test_the_agent_of_the_chat_knows_what_was_answered_in_its_place(here: Handing) -> None:
    content = here.fresh("a line about badgers")
    here.agent.does(content, "Badgers dig.")
    await here.hand("hand the badgers over", chat="knows", to="writer", content=content)
    await here.says("Badgers dig.", chat="knows")
    await here.far_end.say("knows", "what did it say?")
    await here.says("heard what did it say?", chat="knows")
    assert "Badgers dig." in here.agent.asked[-1].prompt


async def test_callback_wakes_the_sender_with_the_result(here: Handing) -> None:
    content = here.fresh("count the seals")
    here.agent.does(content, "There are 12.")
    here.agent.does("is done. Its result:\nThere are 12.", "I was told: twelve seals.")
    told = await here.hand(
        "ask the researcher", chat="callback", to="researcher", content=content, type="callback"
    )
    assert "You are woken with its result" in told
    await here.says("I was told: twelve seals.", chat="callback")
    assert not any(text == "There are 12." for text in here.far_end.said_to("callback"))
    ended = await here.ends(content)
    assert ended.result == "There are 12."


async def test_parallel_the_sender_is_woken_once_with_all_results(here: Handing) -> None:
    content = here.fresh("look at whales")
    held = here.agent.holds(content)
    here.agent.does(content, "Seen.")
    here.agent.does("you handed over to writer", "All three are in.")
    told = await here.hand(
        "send them all", chat="parallel", to=["researcher", "writer", "checker"], content=content
    )
    assert "You are woken once all of them have ended" in told
    held.go_on()
    await here.says("All three are in.", chat="parallel")
    [woken] = [each for each in here.agent.asked if "has no result" in each.prompt or "Seen." in each.prompt][
        -1:
    ]
    assert woken.prompt.count("is done. Its result:") == 3
    made = [each for each in await here.all() if each.content == content]
    assert [each.step for each in made] == [1, 2, 3]
    assert {each.joins for each in made} == {made[0].id} == {made[0].chain_id}
    assert here.far_end.said_to("parallel").count("All three are in.") == 1


async def test_inside_a_sub_agent_works_in_the_turn_and_its_answer_is_the_reply(here: Handing) -> None:
    content = here.fresh("shorten the porpoise")
    here.agent.does(content, "Porp.")
    told = await here.hand(
        "do it inside", chat="inside", to="writer", content=content, way="inside", then="Short!"
    )
    assert "Its result:\nPorp." in told
    await here.says("Short!", chat="inside")
    ended = await here.ends(content)
    [request] = [each for each in here.asked_as("writer") if content in each.prompt]
    assert request.session_id == ended.from_session
    assert request.turn_id == ended.from_turn
    assert (request.flow, request.chain_id) == ("C", ended.chain_id)
    assert here.far_end.said_to("inside") == ["Short!"]


# The rules


BROKEN: tuple[tuple[dict[str, Any], str], ...] = (
    ({"to": "wrter"}, 'There is no skill "wrter". There are: '),
    ({"to": "general-assistant"}, "general-assistant cannot hand work over to itself"),
    ({"to_company": "rival"}, "never handed over to another company: rival is not demo"),
    ({"company": "rival"}, "never handed over to another company: rival is not demo"),
    ({"content": "x" * 20_000}, "The content has about 5,000 tokens, and 4,000 are allowed."),
    ({"max_context_tokens": 3, "content": "more than twelve bytes"}, "about 6 tokens, and 3 are allowed"),
    ({"deadline": "2020-01-01T00:00Z"}, "Its time was over at 2020-01-01T00:00:00+00:00"),
    ({"created_at": "2020-01-01T00:00Z", "ttl_hours": 1.0}, "Its time was over at 2020-01-01T01:00:00"),
    ({"deadline": "soon"}, '"soon" is no moment'),
    ({"chain_id": "hf_forged"}, "hf_forged is not the chain that this turn belongs to"),
    ({"step": 4}, "The next step of this chain is 1, not 4"),
    ({"group": "nowhere"}, "There is no group nowhere"),
    ({"group": "rivals"}, "never handed over to another company: rival is not demo"),
    ({"way": "inside", "requires_hitl": True}, "A sub-agent starts at once."),
    ({"to": ["writer", "checker"], "type": "callback"}, "Only a parallel handoff has several receivers."),
)


@pytest.mark.attack
async def test_a_handoff_that_breaks_a_rule_is_refused_and_sender_and_owner_hear_why(here: Handing) -> None:
    await here.far_end.say("rules", "hello")  # a new chat of two groups would be asked about
    await here.says("heard hello", chat="rules")
    rivals = here.host.home / "groups" / "rivals"
    rivals.mkdir()
    (rivals / "group.toml").write_text('company = "rival"\n')
    words, before = here.fresh("break it"), len(await here.all())
    calls = [here.agent.call("handoff", **{"to": "writer", "content": "x", **given}) for given, _ in BROKEN]
    here.agent.does(words, *calls, "nothing worked")
    await here.far_end.say("rules", words)
    await here.says("nothing worked", chat="rules")
    shutil.rmtree(rivals)
    returned = [step.text for step in here.agent.steps[-1] if isinstance(step, Returned)]
    for (_, said), told in zip(BROKEN, returned, strict=True):
        assert said in told
    assert len(await here.all()) == before
    # Owners hear of each kind once in an hour.
    alerts = await here.told_anywhere("wanted to hand work over and was refused:")
    for kind in (
        "no skill",
        "itself",
        "another company",
        "tokens",
        "time was over",
        "no moment",
        "step of this",
    ):
        assert len({alert for alert in alerts if kind in alert}) == 1, kind


@pytest.mark.capability("C4")
@pytest.mark.attack
async def test_a_circle_is_refused_and_what_came_before_is_delivered(here: Handing) -> None:
    """general-assistant -> researcher -> writer -> researcher."""
    first, second, third = (here.fresh(name) for name in ("circle a", "circle b", "circle c"))
    here.agent.does(first, here.agent.call("handoff", to="writer", content=second), "b has it")
    here.agent.does(second, here.agent.call("handoff", to="researcher", content=third), "c stops here")
    await here.hand("begin the circle", chat="circle", to="researcher", content=first)
    await here.says("c stops here", chat="circle")
    assert not [each for each in await here.all() if each.content == third]
    told = await here.told_anywhere("researcher → writer → researcher")
    assert "The work has been with researcher before" in told[0]
    one, other = await here.ends(first), await here.ends(second)
    assert (one.chain_id, one.step, other.chain_id, other.step) == (one.id, 1, one.id, 2)
    assert other.visited == ("general-assistant@main", "researcher@main")
    # Handed on sequentially, the answer goes where the first receiver's would have gone.
    assert one.result == "b has it\n\nc stops here"


@pytest.mark.capability("C4")
async def test_a_result_that_comes_back_is_no_visit_and_stays_in_the_chain(here: Handing) -> None:
    first, second = here.fresh("round one"), here.fresh("round two")
    here.agent.does(first, "first result")
    here.agent.does(second, "second result")
    here.agent.does(
        "Its result:\nfirst result",
        here.agent.call("handoff", to="researcher", content=second, type="callback"),
        "asked again",
    )
    here.agent.does("Its result:\nsecond result", "both rounds are in")
    await here.hand("two rounds", chat="rounds", to="researcher", content=first, type="callback")
    await here.says("both rounds are in", chat="rounds")
    one, other = await here.ends(first), await here.ends(second)
    assert (other.chain_id, other.step, other.visited) == (one.chain_id, 2, one.visited)


@pytest.mark.attack
async def test_a_thousand_handoffs_in_a_turn_are_ten(here: Handing) -> None:
    content = here.fresh("many of them")
    calls = [here.agent.call("handoff", to="writer", content=f"{content} {number}") for number in range(13)]
    here.agent.does("a lot", *calls, "that was a lot")
    held = here.agent.holds(content)
    await here.far_end.say("many", "a lot")
    await here.says("that was a lot", chat="many")
    assert len([each for each in await here.all() if content in each.content]) == 10
    assert await here.told_anywhere("One turn hands over 10 times at most.")
    held.go_on()


@pytest.mark.capability("C4")
async def test_a_chain_that_cost_its_budget_hands_nothing_on(here: Handing) -> None:
    first = here.fresh("dear work")
    here.agent.does(first, here.agent.call("handoff", to="writer", content="more of it"), "no more money")
    held = here.agent.holds(first)
    await here.hand("spend it", chat="dear", to="researcher", content=first)
    begun = await here.ends(first, "running")

    def spend(tx: Tx) -> None:
        tx.execute(sa.update(chains).where(chains.c.id == begun.chain_id).values(budget_micros=0))

    await here.host.store.write(spend)
    held.go_on()
    await here.says("no more money", chat="dear")
    assert await here.told_anywhere("has cost as much as it may")


def sender_in(here: Handing, **changed: Any) -> HandoffSender:
    usual: dict[str, Any] = {
        "session_id": "s_1",
        "turn_id": TurnId("t_1"),
        "skill": "general-assistant",
        "group": here.host.handoff_parts.tools.rules.groups.main(),
        "rights": Rights(everywhere=Role.OWNER),
        "is_stranger": False,
        "by_model": True,
        "chain_id": None,
        "path": ("general-assistant@main",),
    }
    return HandoffSender(**{**usual, **changed})


async def refusal(here: Handing, sender: HandoffSender, **given: Any) -> str:
    rules = here.host.handoff_parts.tools.rules
    wanted = HandOver(**{"to": "writer", "content": "x", **given})
    with pytest.raises(Refused) as refused:
        await here.host.store.read(lambda tx: rules.check(tx, wanted, sender, now()))
    return refused.value.key


@pytest.mark.capability("C4")
@pytest.mark.attack
async def test_who_hands_over_and_how_far_decides_too(here: Handing) -> None:
    assert await refusal(here, sender_in(here, is_stranger=True)) == "handoff-stranger"
    far = tuple(f"skill-{number}@main" for number in range(6))
    assert await refusal(here, sender_in(here, path=far)) == "handoff-hops"
    for kind in ("callback", "parallel"):  # nobody is there any more when its task or step has ended
        assert (
            await refusal(here, sender_in(here, works_for="pipeline"), type=kind) == "handoff-nobody-to-wake"
        )
    sales = here.host.home / "groups" / "sales"
    sales.mkdir()
    (sales / "group.toml").write_text('company = "demo"\n')
    member = Rights(everywhere=Role.MEMBER)
    assert await refusal(here, sender_in(here, rights=member), group="sales") == "handoff-group-not-yours"
    assert await refusal(here, sender_in(here, by_model=False), group="sales") == "handoff-group-not-yours"
    rules, wanted = here.host.handoff_parts.tools.rules, HandOver(to="writer", content="x", group="sales")
    checked = await here.host.store.read(lambda tx: rules.check(tx, wanted, sender_in(here), now()))
    assert checked.group.name == "sales"
    shutil.rmtree(sales)


@pytest.mark.attack
async def test_a_receiver_does_nothing_for_someone_who_lost_their_rights_meanwhile(here: Handing) -> None:
    fillers, content = [here.fresh(f"busy {number}") for number in range(4)], here.fresh("for an outcast")
    await here.far_end.say("outcast", "hello", sender="outcast")
    await here.says("heard hello", chat="outcast")
    held = [here.agent.holds(each) for each in fillers]
    for number, each in enumerate(fillers):
        await here.hand(f"keep busy {number}", chat="busy", to="writer", content=each)
        await held[number].until_begun()
    here.agent.does("my last wish", here.agent.call("handoff", to="writer", content=content), "handed over")
    await here.far_end.say("outcast", "my last wish", sender="outcast")
    waits = await here.ends(content, "running")

    def cast_out(tx: Tx) -> None:
        people.set_role(tx, waits.person_id, Role.STRANGER)

    await here.host.store.write(cast_out)
    for filler in held:
        filler.go_on()
    ended = await here.ends(content, "failed")
    assert (ended.why or {})["key"] == "handoff-lost-rights"
    assert not [each for each in here.asked_as("writer") if content in each.prompt]


# What a receiver knows, and may


@pytest.mark.attack
async def test_a_receiver_has_no_more_tools_and_rights_than_its_sender(here: Handing) -> None:
    first, second = here.fresh("to the narrow one"), here.fresh("on to the reader")
    here.agent.does(first, here.agent.call("handoff", to="reader", content=second), "passed on")
    await here.hand("narrow it", chat="narrow", to="narrow", content=first)
    await here.ends(second)
    [narrow] = [each for each in here.asked_as("narrow") if first in each.prompt][:1]
    [reader] = [each for each in here.asked_as("reader") if second in each.prompt][:1]
    of_main = {tool.name for tool in here.asked_as("general-assistant")[-1].grants.host_tools()}
    of_narrow = {tool.name for tool in narrow.grants.host_tools()}
    assert of_narrow == of_main - {"send_message", "propose_transfer"}
    assert {tool.name for tool in reader.grants.host_tools()} == {"recall", "handoff"}
    assert reader.grants.network == ()  # its skill names a host that the sender could not reach
    assert reader.speaker == narrow.speaker


async def test_what_was_said_in_a_mixed_turn_stays_hearsay(here: Handing) -> None:
    plain, mixed = here.fresh("own words"), here.fresh("from a page")
    await here.hand("hand my words over", chat="plain", to="writer", content=plain)
    here.agent.does(
        "look it up",
        here.agent.call("bash", command="echo a page"),
        here.agent.call("handoff", to="writer", content=mixed),
        "handed over",
    )
    await here.far_end.say("mixed", "look it up")
    one, other = await here.ends(plain), await here.ends(mixed)
    assert (one.is_mixed, other.is_mixed) == (False, True)

    def mixed_turns(tx: Tx) -> list[bool]:
        found = [each.session_id for each in (one, other)]
        rows = tx.execute(sa.select(turns).where(turns.c.session_id.in_(found)).order_by(turns.c.id))
        return [bool(row.is_mixed) for row in rows]

    assert await here.host.store.read(mixed_turns) == [False, True]


async def test_a_sub_agent_that_reads_from_outside_mixes_the_turn(here: Handing) -> None:
    content = here.fresh("read a page inside")
    here.agent.does(content, here.agent.call("bash", command="echo page"), "it says so")
    await here.hand("mix me", chat="mixes", to="researcher", content=content, way="inside", then="mixed now")
    await here.says("mixed now", chat="mixes")
    ended = await here.ends(content)
    query = sa.select(turns.c.is_mixed).where(turns.c.id == ended.from_turn)
    assert await here.host.store.read(lambda tx: tx.execute(query).scalar()) is True


async def test_with_tone_isolation_off_it_may_read_what_the_person_wrote(here: Handing) -> None:
    content, words = here.fresh("without walls"), here.fresh("please be kind")
    await here.hand(words, chat="tone", to="writer", content=content, tone_isolation=False)
    await here.ends(content)
    [request] = [each for each in here.asked_as("writer") if content in each.prompt]
    assert f"The person wrote: {words}" in request.prompt


# The human gate, time, git, files, cancel


@pytest.mark.parametrize(("option", "state"), [("approve", "done"), ("reject", "refused")])
async def test_a_person_agrees_before_it_is_delivered(here: Handing, option: str, state: str) -> None:
    content = here.fresh("needs a yes")
    here.agent.does(content, f"after the gate {option}")
    told = await here.hand(
        f"ask first {option}", chat=f"gate-{option}", to="writer", content=content, requires_hitl=True
    )
    assert "A person agrees first" in told
    asked = await here.ends(content, "asked")
    assert not here.agent.asked or not [each for each in here.asked_as("writer") if content in each.prompt]
    question = await here.host.store.read(lambda tx: questions.get(tx, asked.question_id or ""))
    assert question
    assert (question.chain_id, question.step) == (asked.chain_id, asked.step)
    assert content in question.payload
    async with here.page() as page:
        decided = await page.post(f"/api/questions/{question.id}/decide", json={"option": option})
        assert decided.is_success
    ended = await here.ends(content, state)
    if option == "approve":
        await here.says("after the gate approve", chat="gate-approve")
    else:
        assert (ended.why or {})["key"] == "handoff-not-wanted"
        await here.says("did not want it", chat="gate-reject")


async def test_nothing_starts_after_its_deadline_though_it_waited_for_a_place(here: Handing) -> None:
    fillers, late = [here.fresh(f"filler {number}") for number in range(4)], here.fresh("too late")
    held = [here.agent.holds(each) for each in fillers]
    for number, each in enumerate(fillers):
        await here.hand(f"fill place {number}", chat="late", to="writer", content=each)
        await held[number].until_begun()
    deadline = (now() + timedelta(seconds=1)).isoformat()
    await here.hand("one too many", chat="late", to="writer", content=late, deadline=deadline)
    waits = await here.ends(late, "running")
    await until(lambda: now() > waits.expires_at)
    for filler in held:
        filler.go_on()
    ended = await here.ends(late, "expired")
    assert (ended.why or {})["key"] == "handoff-expired"
    assert not [each for each in here.asked_as("writer") if late in each.prompt]
    await here.says("What was handed over to writer has no result: Its time was over", chat="late")


async def test_through_git_it_is_a_file_of_the_company_and_expires(here: Handing) -> None:
    content = here.fresh("for another program")
    told = await here.hand("by git", chat="git", to="editor", content=content, way="git", type="callback")
    assert "It waits in the repository until" in told
    waits = await here.ends(content, "waiting")
    file = here.host.home / "companies" / "demo" / "handoffs" / f"{waits.id}.json"
    await until(file.exists)
    written = json.loads(file.read_text())
    assert written["payload"]["content"] == content
    assert written["from"]["session_id"] == waits.from_session
    assert written["metadata"]["chain_id"] == waits.chain_id

    def pass_time(tx: Tx) -> None:
        handoffs.mark(tx, waits.id, expires_at=now() - timedelta(seconds=1))
        work.due(tx, work.HANDOFF, waits.id, now())

    here.agent.does("has no result: Its time was over", "nobody fetched it")
    await here.host.store.write(pass_time)
    await here.ends(content, "expired")
    await here.says("nobody fetched it", chat="git")


CONTRACT: dict[str, Any] = {
    "id": "hoff_1",
    "type": "callback",
    "from": {"skill": "ceo", "company": "demo", "runtime": "nanoclaw", "session_id": "s_forged"},
    "to": {"skill": "writer", "company": "demo", "runtime": None},
    "payload": {"content": "report", "content_tokens": 1, "confidence": 0.85, "gaps": ["prices"]},
    "constraints": {"tone_isolation": True, "max_context_tokens": 4000, "requires_hitl": False},
    "metadata": {
        "created_at": "2026-02-28T14:30:00Z",
        "ttl_hours": 24,
        "chain_id": "c",
        "step": 1,
        "total_steps": 6,
    },
}


@pytest.mark.attack
async def test_a_contract_in_a_file_is_read_and_what_it_claims_of_its_sender_is_not() -> None:
    found = understand(RequestKind.HANDOFFS, "hoff_1", SessionId("s_1"), CONTRACT).given(HandOver)
    assert (found.to, found.content, found.type, found.confidence) == ("writer", "report", "callback", 0.85)
    assert (found.chain_id, found.step, found.company, found.ttl_hours) == ("c", 1, "demo", 24)
    assert "s_forged" not in str(found)
    assert "ceo" not in str(found)
    elsewhere = {**CONTRACT, "to": {**CONTRACT["to"], "runtime": "claude-code"}}
    assert understand(RequestKind.HANDOFFS, "h", SessionId("s_1"), elsewhere).given(HandOver).way == "git"
    for odd in ({"payload": {"content": "x", "sudo": True}}, {"to": {"skill": 7}}, {"boss": True}):
        with pytest.raises(BadToolRequest, match=r"payload\.sudo|to|boss"):
            understand(RequestKind.HANDOFFS, "h", SessionId("s_1"), {**CONTRACT, **odd})


async def test_a_file_in_the_box_hands_over_as_the_tool_does(here: Handing) -> None:
    content = here.fresh("from a file")
    contract = {**CONTRACT, "payload": {**CONTRACT["payload"], "content": content}, "type": "sequential"}
    del contract["metadata"]
    command = f"""cat > /ipc/handoffs/.h <<'END'
{json.dumps(contract)}
END
mv /ipc/handoffs/.h /ipc/handoffs/hoff_1.json
for i in $(seq 100); do [ -e /ipc/results/hoff_1.json ] && break; sleep 0.1; done
cat /ipc/results/hoff_1.json"""
    here.agent.does("write a contract", here.agent.call("bash", command=command), "written")
    await here.far_end.say("file", "write a contract")
    ended = await here.ends(content)
    assert ended.from_skill == "general-assistant"
    assert ended.is_mixed  # anything in the box may have written it
    await here.says(f"heard {content}", chat="file")


async def test_cancelled_the_receiver_stops_and_so_do_those_who_work_for_it(here: Handing) -> None:
    first, second = here.fresh("cancel me"), here.fresh("and me")
    here.agent.does(
        first, here.agent.call("handoff", to="writer", content=second, type="callback"), "waiting"
    )
    held = here.agent.holds(second)
    here.agent.does("has no result", "it was called off")
    await here.hand("start what ends", chat="cancel", to="researcher", content=first, type="callback")
    await held.until_begun()
    begun = await here.ends(first, "running")
    async with here.page() as page:
        cancelled = await page.post(f"/api/handoffs/{begun.id}/cancel")
        assert cancelled.is_success, cancelled.text
        assert cancelled.json()["state"] == "cancelled"
        again = await page.post(f"/api/handoffs/{begun.id}/cancel")
        assert again.status_code == 400
    await here.ends(second, "cancelled")
    await here.says("it was called off", chat="cancel")
    held.go_on()
    assert [row.action for row in await here.audited("handoff-cancelled")] == ["handoff-cancelled"]


async def test_why_follows_a_chain_from_the_first_message_to_the_last_answer(here: Handing) -> None:
    first, second = here.fresh("why first"), here.fresh("why second")
    here.agent.does(first, here.agent.call("handoff", to="writer", content=second, type="callback"), "wait")
    here.agent.does(second, "from the writer")
    here.agent.does("Its result:\nfrom the writer", "from the researcher")
    here.agent.does("from the researcher", "the last answer")
    await here.hand("why is this so", chat="why", to="researcher", content=first, type="callback")
    await here.says("the last answer", chat="why")
    one, other = await here.ends(first), await here.ends(second)

    def look(tx: Tx) -> list[list[str]]:
        answer = tx.execute(sa.select(parcels.c.id).where(parcels.c.text == "the last answer")).scalar_one()
        found = []
        for ref in (one.id, other.id, answer):
            [message_id] = timeline.find(tx, ref)
            told = explain(tx, message_id, Locale(language="en"))
            assert told
            assert told.text == "why is this so"
            found.append([step.sentence for step in told.steps])
        return found

    async def is_delivered() -> bool:
        return (await here.host.store.read(look))[0][-1].startswith("delivered")

    await until(is_delivered)
    said, *others = await here.host.store.read(look)
    assert others == [said, said]
    told = [each for each in said if "step" in each]
    assert told == [
        f"general-assistant handed work over to researcher (step 1 of the chain, {one.id})",
        f"researcher handed work over to writer (step 2 of the chain, {other.id})",
        "writer (step 2): done",
        "researcher (step 1): done",
    ]


async def test_several_sub_agents_work_at_once(here: Handing) -> None:
    content = here.fresh("both inside")
    here.agent.does(content, "seen inside")
    told = await here.hand(
        "two inside", chat="twice", to=["writer", "checker"], content=content, way="inside"
    )
    assert told.count("Its result:\nseen inside") == 2
    assert [each.state for each in await here.all() if each.content == content] == ["done", "done"]


async def test_a_sub_agent_that_is_cancelled_does_nothing_more_and_stays_cancelled(here: Handing) -> None:
    content = here.fresh("cancel inside")
    held = here.agent.holds(content)
    here.agent.does(content, here.agent.call("recall", query="otters"), "never said")
    here.agent.does(
        "start inside", here.agent.call("handoff", to="writer", content=content, way="inside"), "ok"
    )
    await here.far_end.say("inside off", "start inside")
    await held.until_begun()
    begun = await here.ends(content, "running")
    async with here.page() as page:
        assert (await page.post(f"/api/handoffs/{begun.id}/cancel")).is_success
    held.go_on()
    await here.says("ok", chat="inside off")
    found = await here.ends(content, "cancelled")
    assert found.result is None
    assert len([each for each in here.asked_as("writer") if content in each.prompt]) == 1


async def test_a_sub_agent_that_fails_is_told_as_such(here: Handing) -> None:
    content = here.fresh("fails inside")
    here.agent.fails(content)
    told = await here.hand("fail inside", chat="fails", to="writer", content=content, way="inside", then="oh")
    assert "has no result" in told
    assert (await here.ends(content, "failed")).why
    await here.says("oh", chat="fails")


async def test_stop_ends_what_the_agent_of_the_chat_handed_over_and_wakes_nobody(here: Handing) -> None:
    content = here.fresh("stop this too")
    held = here.agent.holds(content)
    await here.hand("start and stop", chat="stop", to="writer", content=content, type="callback")
    await held.until_begun()
    await here.says("It is on its way.", chat="stop")
    await here.far_end.say("stop", "/stop")
    await here.ends(content, "cancelled")
    held.go_on()
    await here.far_end.say("stop", "still there?")
    await here.says("heard still there?", chat="stop")
    assert not [
        each for each in here.agent.asked if "has no result" in each.prompt and content in each.prompt
    ]


@pytest.mark.attack
async def test_five_megabytes_are_refused_with_a_sentence(here: Handing) -> None:
    for size, said in (
        (5_000_000, "told: The arguments are longer than a tool takes."),
        (1_000_000, "told: handoff was not done. `arguments.content`"),
    ):
        words = f"far too much {size}"
        here.agent.does(words, here.agent.call("handoff", to="writer", content="x" * size))
        await here.far_end.say("big", words)
        await here.says(said, chat="big")


async def test_the_command_line_lists_shows_and_cancels(
    here: Handing, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    content = here.fresh("typed in a shell")
    held = here.agent.holds(content)
    await here.hand("for the shell", chat="shell", to="writer", content=content)
    begun = await here.ends(content, "running")
    typed = typing_in(here.host.home, monkeypatch, capfd)
    assert begun.id in (await typed("handoffs", "list", "--open")).out
    whole = (await typed("handoffs", "show", begun.id, "--json")).json()
    assert (whole["content"], whole["chain"]["message"]) == (content, "for the shell")
    assert "1. general-assistant → writer" in (await typed("handoffs", "show", begun.id)).out
    assert "Cancelled. writer stops" in (await typed("handoffs", "cancel", begun.id)).out
    assert (await here.ends(content, "cancelled")).id == begun.id
    again = await typed("handoffs", "cancel", begun.id)
    assert (again.code, again.err) == (1, "It is over already.\n")
    assert (await typed("handoffs", "--json")).json()[0]["id"]
    held.go_on()


@pytest.mark.asyncio(loop_scope="function")
async def test_claude_code_has_sub_agents_of_the_host_too(home: Path) -> None:
    """Its tool waits while the host runs the sub-agent, with the gateway and the boxes of the same session."""
    add_skill(home, "writer")
    given = {"to": "writer", "content": "shorten the porpoise", "way": "inside"}

    def script(asked: Asked) -> object:
        if "You are writer." in json.dumps(asked.body.get("system", "")):
            return Say("Porp.")
        return (
            Say("the sub-agent said Porp.")
            if "Porp." in str(results(asked))
            else Use("mcp__nanoclaw__handoff", given)
        )

    async with staged(KINDS[0], home, script) as stage:
        assert await stage.ask("make it short") == "the sub-agent said Porp."
        query = sa.select(rows.c.state, rows.c.result, rows.c.is_mixed)
        found = await stage.host.store.read(lambda tx: tx.execute(query).all())
        assert [tuple(row) for row in found] == [("done", "Porp.", False)]


TEMPLATE = b"""# Small brief
## Trigger: /brief
## Steps:
1. topic-researcher
2. editor
"""


async def test_why_follows_the_run_of_a_pipeline_too(here: Handing) -> None:
    words = here.fresh("a brief about otters")
    await here.far_end.say("brief", words)
    await here.says(f"heard {words}", chat="brief")
    template = read_template(TEMPLATE, name="brief").template
    assert template

    def story(tx: Tx) -> list[str]:
        asked = tx.execute(sa.select(messages).where(messages.c.text == words)).one()
        at = now()
        run = PipelineRun(
            id=new_id("pr"),
            template=template,
            subject=words,
            status=PipelineRunStatus.DONE,
            company="demo",
            group="main",
            chat_id=asked.chat_id,
            started_by=asked.person_id,
            created_at=at,
            ended_at=at + timedelta(seconds=9),
            message_id=asked.id,
        )
        times = [(number, at + timedelta(seconds=number)) for number in (1, 2)]
        steps = [
            StepRun(run_id=run.id, number=number, state=StepState.DONE, started_at=begun, ended_at=begun)
            for number, begun in times
        ]
        pipeline_runs.add(tx, run, steps)
        assert timeline.find(tx, run.id) == [asked.id]
        told = explain(tx, asked.id, Locale(language="en"))
        assert told
        return [step.sentence.replace(run.id, "ID") for step in told.steps][-6:]

    assert await here.host.store.write(story) == [
        'pipeline "Small brief" (ID)',
        "step 1 began: topic-researcher",
        "step 1, topic-researcher: done",
        "step 2 began: editor",
        "step 2, editor: done",
        'pipeline "Small brief" is finished',
    ]


async def test_a_sub_agent_knows_of_memory_what_the_chat_may(here: Handing) -> None:
    entry = {"text": "The office otter is called Olga", "topic": "otter"}
    here.agent.does("keep her name", here.agent.call("remember", entries=[entry]), "kept")
    await here.far_end.say("open", "keep her name")
    await here.says("kept", chat="open")

    async def can_be_found() -> bool:  # a moment after it is in the file
        return not await here.host.store.read(lambda tx: memory_changes.unwritten(tx, "demo"))

    await until(can_be_found)
    await here.far_end.say("shut", "hello")
    await here.says("heard hello", chat="shut")

    def shut(tx: Tx) -> None:
        off = {"memory": MemoryMode.OFF.value}
        tx.execute(sa.update(chats).where(chats.c.address == "shut").values(**off))

    await here.host.store.write(shut)
    content = "How is the office otter called?"
    for chat in ("open", "shut"):
        await here.hand(f"ask inside, {chat}", chat=chat, to="writer", content=content, way="inside")
    known, unknown = [each.recalled for each in here.asked_as("writer") if content in each.prompt]
    assert "Olga" in known
    assert "Olga" not in unknown


@pytest.mark.asyncio(loop_scope="function")
async def test_a_step_of_a_pipeline_has_sub_agents_but_nobody_to_be_woken(home: Path) -> None:
    given = {"to": "editor", "content": "a part of the work"}
    add_skill(home, "stepper")
    async with pipeline_scene(home) as scene:
        scene.agent.plays(
            1,
            ToolCall(id="1", name="handoff", arguments={**given, "type": "callback"}),
            ToolCall(id="2", name="handoff", arguments={**given, "way": "inside"}),
            "the part is done",
            {"text": "all of it is done"},
        )
        run = await scene.start("# One\n## Trigger: /one\n## Steps:\n1. stepper\n")
        assert (await scene.until(run)).status is PipelineRunStatus.DONE
        [handed] = await scene.host.store.read(lambda tx: handoffs.of_chain(tx, run.id))
        assert (handed.result, handed.from_skill, handed.way) == ("the part is done", "stepper", "inside")
        returned = [step.text for step in scene.agent.steps[-1] if isinstance(step, Returned)]
        assert "nobody could be woken later by callback" in returned[0]
        inside = next(each for each in scene.agent.asked if each.handoff_id)
        assert (inside.chain_id, inside.step, inside.flow) == (run.id, 1, "D")
        assert "finish_step" not in [tool.name for tool in inside.grants.host_tools()]


async def test_on_postgresql_two_that_end_at_once_wake_their_sender(
    home: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both have ended and neither is committed when they look for the other: then nobody would be the last."""
    both, look = threading.Barrier(2), HandoffEnds._together

    def look_together(ends: HandoffEnds, tx: Tx, handoff: Handoff) -> list[Handoff]:
        with suppress(threading.BrokenBarrierError):
            both.wait(1)
        return look(ends, tx, handoff)

    monkeypatch.setattr(HandoffEnds, "_together", look_together)
    async with handing(home, database={"url": postgres_url}) as here:
        held = here.agent.holds("look at seals")
        here.agent.does("look at seals", "Seen.")
        here.agent.does("you handed over to writer", "Both are in.")
        await here.hand("send them", to=["researcher", "writer"], content="look at seals", type="parallel")
        held.go_on()
        await here.says("Both are in.")
        assert here.far_end.said_to("chat").count("Both are in.") == 1
