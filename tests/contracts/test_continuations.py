"""A turn and a question make the work due that waits for them, in the transaction that ends them, however they end."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from nanoclaw.domain.continuations import Continuation
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.ids import SessionId, TurnId
from nanoclaw.domain.people import Person, Role
from nanoclaw.domain.question_requests import read_wanted
from nanoclaw.domain.questions import PROGRAM, Asker, Status
from nanoclaw.domain.turns import TurnState
from nanoclaw.durable import inbox, people, prompts, questions, sessions, work
from nanoclaw.durable.store import Store, Tx, open_store
from nanoclaw.durable.turns import EndedTurn, ended_for

pytestmark = pytest.mark.capability("X2")

AT = datetime(2026, 3, 2, 7, 30, tzinfo=UTC)
THEN = Continuation("step", "7")


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    store = open_store(database_url)
    yield store
    store.close()


@pytest.fixture
def there(store: Store) -> tuple[Person, SessionId]:
    """Who wants something, and a session apart from their chat, whose turns are waited for."""

    def story(tx: Tx) -> tuple[Person, SessionId]:
        owner = people.add_person(tx, handle="telegram:1", name="Olena", role=Role.OWNER, at=AT)
        chat = people.add_chat(tx, channel="telegram:6", address="1", title="Olena", at=AT)
        lane = work.BACKGROUND
        return owner, sessions.open_apart(tx, lane=lane, group="main", chat_id=chat.id, at=AT, then=THEN)

    return asyncio.run(store.write(story))


def is_due(tx: Tx) -> bool:
    return work.due_at(tx, THEN.kind, THEN.key) is not None


def begun(tx: Tx, session_id: SessionId) -> TurnId:
    waiting = inbox.waiting_in(tx, session_id, 10, AT)
    return inbox.begin_turn(tx, sessions.get(tx, session_id), waiting, AT)


@pytest.mark.parametrize("state", [each for each in TurnState if each is not TurnState.RUNNING])
async def test_the_end_of_a_turn_makes_due_what_waits_for_it(
    store: Store, there: tuple[Person, SessionId], state: TurnState
) -> None:
    owner, session_id = there

    def story(tx: Tx) -> list[EndedTurn]:
        prompts.give(tx, session_id, "Write a page", owner, "step 1", AT)
        turn_id = begun(tx, session_id)
        assert not is_due(tx)
        assert ended_for(tx, THEN) == []
        result = {"said": "a page"}
        inbox.end_turn(tx, turn_id, state, skill=None, prompt="p", answer="a", at=AT, result=result)
        assert is_due(tx)
        assert ended_for(tx, THEN, after=turn_id) == []
        return ended_for(tx, THEN)

    [ended] = await store.write(story)
    assert (ended.state, ended.session_id, ended.said) == (state, session_id, "a page")


async def test_a_prompt_is_given_once_under_one_name(store: Store, there: tuple[Person, SessionId]) -> None:
    owner, session_id = there
    given = [
        await store.write(lambda tx: prompts.give(tx, session_id, "Write a page", owner, "step 1", AT))
        for _ in range(2)
    ]
    assert given[0] == given[1]
    assert len(await store.read(lambda tx: inbox.waiting_in(tx, session_id, 10, AT))) == 1
    assert await store.read(lambda tx: work.due_at(tx, work.BACKGROUND, session_id)) == AT


async def test_a_turn_waits_for_what_its_session_named_when_it_began(
    store: Store, there: tuple[Person, SessionId]
) -> None:
    owner, session_id = there

    def story(tx: Tx) -> None:
        prompts.give(tx, session_id, "Write a page", owner, "step 1", AT)
        turn_id = begun(tx, session_id)
        sessions.let_wait(tx, session_id, Continuation("step", "8"), 0)
        inbox.end_turn(tx, turn_id, TurnState.STOPPED, skill=None, prompt="", answer="", at=AT)

    await store.write(story)
    assert await store.read(is_due)
    assert await store.read(lambda tx: work.due_at(tx, "step", "8")) is None


async def test_nothing_is_due_when_the_end_was_not_written(
    store: Store, there: tuple[Person, SessionId]
) -> None:
    owner, session_id = there

    def story(tx: Tx) -> None:
        prompts.give(tx, session_id, "Write a page", owner, "step 1", AT)
        inbox.end_turn(tx, begun(tx, session_id), TurnState.ANSWERED, skill=None, prompt="", answer="", at=AT)
        raise Refused("task-over")

    with pytest.raises(Refused):
        await store.write(story)
    assert not await store.read(is_due)


@pytest.mark.parametrize("status", [Status.COMPLETED, Status.TIMEOUT, Status.CANCELLED, Status.FAILED])
async def test_the_end_of_a_question_makes_due_what_waits_for_it_once(store: Store, status: Status) -> None:
    def story(tx: Tx) -> None:
        asker = Asker(
            session_id=None, execution_id=PROGRAM, asked_id="gate", group="main", company="demo", then=THEN
        )
        wanted = read_wanted({"question": "Go on?"}, usual_timeout=timedelta(hours=1))
        assert questions.open_new(tx, asker, wanted, question_id="i_1", votes=1, at=AT)
        assert not is_due(tx)
        assert questions.resolve(tx, "i_1", status, AT)
        assert is_due(tx)
        assert not questions.resolve(tx, "i_1", Status.CANCELLED, AT)

    await store.write(story)
