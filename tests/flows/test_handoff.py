"""Flow C: agents hand work over to each other, by a contract that the host checks (SPEC C1-C4)."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from tests.handoff_scene import Handing, handing

from nanoclaw.durable import work

# One host for these tests; each has a chat and words of its own.
pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.capability("C1", "C2", "C3")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def here(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Handing]:
    home = tmp_path_factory.mktemp("handoff") / "nanoclaw"
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
