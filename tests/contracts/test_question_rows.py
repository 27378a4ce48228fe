"""A question is asked once, decided once and told once, on every database, however many hosts and people race."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from tests.unit.test_questions import wants

from nanoclaw.context.groups import Groups
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.ids import HostId, MessageId, SessionId, new_id
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.messages import Chat, Incoming
from nanoclaw.domain.people import Actor, Person, Rights, Role
from nanoclaw.domain.questions import PROGRAM, Asker, NewQuestion, Question, QuestionKind, Status
from nanoclaw.domain.tool_requests import BadToolRequest
from nanoclaw.domain.wirings import ChatKind
from nanoclaw.durable import audit_chain, people, question_cards, questions, sessions, work
from nanoclaw.durable import messages as message_rows
from nanoclaw.durable import session_queue as open_inbox
from nanoclaw.durable.clock import now
from nanoclaw.durable.engine import Engine
from nanoclaw.durable.hooks import Hooks
from nanoclaw.durable.question_cards import Shown, Vote
from nanoclaw.durable.store import Store, Tx, open_store
from nanoclaw.durable.tables import (
    audit,
    chats,
    human_interactions,
    messages,
    metadata,
    parcels,
    session_queue,
)
from nanoclaw.durable.tables import work as work_rows
from nanoclaw.durable.turns import Turn, gather
from nanoclaw.durable.work import Claim
from nanoclaw.flows.deadline import heed_clock
from nanoclaw.flows.human.cards import QuestionCards
from nanoclaw.flows.human.conclusions import Conclusions
from nanoclaw.flows.human.deciders import Whereabouts
from nanoclaw.flows.human.decisions import Decisions
from nanoclaw.flows.human.new_questions import NewQuestions
from nanoclaw.flows.human.questions import Questions
from nanoclaw.flows.human.reminder_times import next_moment, reminders
from nanoclaw.flows.human.resolution import Resolution
from nanoclaw.flows.human.session_ends import SessionEnds
from nanoclaw.flows.human.session_requests import SessionRequests
from nanoclaw.flows.human.waits import Waits
from nanoclaw.flows.live.terminal_transcripts import TerminalTranscripts
from nanoclaw.sandbox.copies import Copies
from nanoclaw.sandbox.outcome_checks import OutcomeChecks

HOSTS, PEOPLE = 3, 5
ENGLISH = Locale(language="en", timezone="UTC")


@dataclass(frozen=True, kw_only=True)
class Side:
    """One of the hosts that share the database."""

    store: Store
    resolution: Resolution
    new_questions: NewQuestions
    question_decisions: Decisions
    conclusions: Conclusions
    questions: Questions
    waits: Waits

    async def decide(self, question_id: str, by: Actor, choice: str = "approve") -> Any:
        return await self.store.write(
            lambda tx: self.question_decisions.decide(tx, question_id, choice, by, now())
        )

    async def cancel(self, question_id: str, by: Actor) -> Any:
        return await self.store.write(lambda tx: self.question_decisions.cancel(tx, question_id, by, now()))

    async def time_out(self, stale: Question) -> Any:
        """By what was read long before: that it is still open is decided by the row alone."""
        if not await self.store.write(lambda tx: self.resolution.time_out(tx, stale, now())):
            raise Refused("question-late-timeout")

    async def attend(self, question: Question) -> Question:
        return (await self.questions.attend(question))[0]


def made_side(database_url: str, home: Path, number: int) -> Side:
    store, waits = open_store(database_url), Waits()
    cards = QuestionCards(Whereabouts(locale=ENGLISH), Groups(home))
    resolution = Resolution(cards, ENGLISH)
    new_questions = NewQuestions(cards=cards, waits=waits)
    checks, session_ends = OutcomeChecks(), SessionEnds(cards=cards, resolution=resolution)
    decisions = Decisions(
        cards=cards,
        resolution=resolution,
        new_questions=new_questions,
        session_ends=session_ends,
        locale=ENGLISH,
    )
    asking = Questions(
        store=store,
        engine=Engine(store, HostId(f"h_{number}"), "w"),
        new_questions=new_questions,
        waits=waits,
        copies=Copies(home),
        session_requests=SessionRequests(
            home=home,
            mounts_list=home / "mounts.toml",
            checks=checks,
            models=tuple,
            usual_timeout=timedelta(hours=1),
        ),
        locale=ENGLISH,
        usual_timeout=timedelta(hours=1),
        hold=0,
    )
    return Side(
        store=store,
        resolution=resolution,
        new_questions=new_questions,
        question_decisions=decisions,
        conclusions=Conclusions(
            store=store,
            decisions=decisions,
            session_ends=session_ends,
            checks=checks,
            said_at_terminal=TerminalTranscripts(home=home, store=store).of,
        ),
        questions=asking,
        waits=waits,
    )


@dataclass(frozen=True, kw_only=True)
class Scene:
    """Several owners, the chat where one session is, and the hosts."""

    sides: list[Side]
    owners: list[Actor]
    chat: Chat
    session_id: SessionId

    @property
    def store(self) -> Store:
        return self.sides[0].store

    def asker(self, asked_id: str, host: str | None = None) -> Asker:
        return Asker(
            session_id=self.session_id,
            execution_id=f"t_{asked_id}",
            asked_id=asked_id,
            group="main",
            company="demo",
            chat_id=self.chat.id,
            host=HostId(host) if host else None,
        )

    async def ask(
        self,
        wanted: NewQuestion | None = None,
        *,
        host: str | None = None,
        by: Asker | None = None,
        later: timedelta = timedelta(),
    ) -> Question:
        asker = by or self.asker(new_id("a"), host)
        asked = wanted or wants(question="Deploy?")
        return await self.store.write(
            lambda tx: self.sides[0].new_questions.open(tx, asked, asker, None, now() + later)
        )

    async def get(self, question: Question) -> Question:
        found = await self.store.read(lambda tx: questions.get(tx, question.id))
        assert found is not None
        return found

    async def count(self, table: sa.Table, *where: sa.ColumnElement[bool]) -> int:
        query = sa.select(sa.func.count()).select_from(table).where(*where)
        return int(await self.store.read(lambda tx: tx.execute(query).scalar_one()))

    async def audited(self, question: Question) -> int:
        return await self.count(audit, audit.c.subject == question.id)

    async def brought(self, question: Question) -> int:
        """How many messages wake the session with the answer."""
        return await self.count(messages, messages.c.answers == question.id)


@pytest.fixture
def scene(database_url: str, home: Path) -> Iterator[Scene]:
    sides = [made_side(database_url, home, number) for number in range(HOSTS)]
    store = sides[0].store
    metadata.create_all(store.engine)  # as the migrations make it, and sooner
    with store.engine.begin() as tx:
        owners = [_owner(tx, number) for number in range(PEOPLE)]
        chat = people.add_chat(
            tx, channel="telegram:6", address="0", title="Owner", at=now(), kind=ChatKind.PRIVATE
        )
        session = sessions.find_or_open(tx, "main", chat.id, None, now())
    rulers = [
        Actor.of(each, Rights(everywhere=Role.OWNER), via="telegram:6", language="en") for each in owners
    ]
    yield Scene(sides=sides, owners=rulers, chat=chat, session_id=session.id)
    for side in sides:
        side.store.close()


def _owner(tx: Tx, number: int) -> Person:
    return people.add_person(
        tx, handle=f"telegram:{number}", name=f"Owner {number}", role=Role.OWNER, at=now()
    )


async def race(*runners: Awaitable[Any]) -> list[Any]:
    """What those got who were first; the others must have been refused."""
    ends = await asyncio.gather(*runners, return_exceptions=True)
    for end in ends:
        assert not isinstance(end, BaseException) or isinstance(end, Refused | BadToolRequest), repr(end)
    return [end for end in ends if not isinstance(end, BaseException)]


@pytest.mark.capability("S2", "S3")
class TestSessions:
    async def test_of_all_who_race_to_conclude_one_wins_and_unfit_attempts_are_counted(
        self, scene: Scene
    ) -> None:
        config = {
            "outcomeSchema": {"type": "structured", "jsonSchema": {"type": "object", "required": ["ok"]}}
        }
        wanted = replace(wants(question="Review?"), kind=QuestionKind.INTERACTIVE, options=(), config=config)
        asked = await scene.ask(wanted)
        doors = list(zip(scene.sides, scene.owners, strict=False))
        won = await race(
            *(side.conclusions.conclude(asked.id, by, response={"ok": by.name}) for side, by in doors)
        )
        assert [each.concluded for each in won] == [(await scene.get(asked)).concluded]
        assert (await scene.audited(asked), await scene.brought(asked)) == (1, 1)
        asked = await scene.ask(replace(wanted, prompt="Again?"))
        side, by = doors[0]
        assert await race(*(side.conclusions.conclude(asked.id, by, response=n) for n in range(2))) == []
        assert (await scene.get(asked)).is_open
        with pytest.raises(Refused, match="outcome-failed"):
            await side.conclusions.conclude(asked.id, by, response=3)
        failed = await scene.get(asked)
        assert (failed.status, "must be of the type" in (failed.error or "")) == (Status.FAILED, True)
        assert (await scene.audited(asked), await scene.brought(asked)) == (1, 1)

    async def test_no_letter_of_a_conclusion_is_too_odd_for_a_row(self, scene: Scene) -> None:
        """PostgreSQL keeps no NUL in a text, and neither keeps half of a pair; the cards show what was concluded."""
        wanted = replace(wants(question="Review?"), kind=QuestionKind.INTERACTIVE, options=(), config={})
        conclusions, by = scene.sides[0].conclusions, scene.owners[0]
        for odd in ("a\x00b", {"k\x00": ["\ud800", "\x07"]}):
            asked = await scene.ask(wanted)
            ended = await conclusions.conclude(asked.id, by, response=odd)
            assert ended.status is Status.COMPLETED
            assert "\ufffd" in str(ended.concluded)
        schema = {"type": "structured", "jsonSchema": {"type": "string", "pattern": "\x00"}}
        asked = await scene.ask(replace(wanted, config={"outcomeSchema": schema}))
        await scene.store.write(lambda tx: conclusions.prefill(tx, asked.id, '"\\ud800 \\u0000"', by, now()))
        for _ in range(3):
            with pytest.raises(Refused, match="outcome"):
                await conclusions.conclude(asked.id, by, response="x")
        assert (await scene.get(asked)).status is Status.FAILED

    async def test_sessions_that_are_open_wake_nobody_until_their_next_moment(self, scene: Scene) -> None:
        config = {"outcomeSchema": {"type": "approval"}}
        wanted = replace(
            wants(question="Review?"),
            kind=QuestionKind.INTERACTIVE,
            timeout=timedelta(days=7),
            config=config,
        )
        new_questions, asker = scene.sides[0].new_questions, Asker(asked_id="", group="main", company="demo")

        def story(tx: Tx) -> None:
            for number in range(20):
                new_questions.open(tx, wanted, replace(asker, asked_id=f"a{number}"), None, now())

        await scene.store.write(story)
        assert await scene.count(human_interactions) == 20
        soon = work_rows.c.due_at < now() + timedelta(hours=24)
        assert await scene.count(work_rows, soon, work_rows.c.kind == work.QUESTION) == 0


@pytest.mark.capability("E4", "E7", "E9")
class TestOnce:
    async def test_of_all_who_race_to_decide_one_wins(self, scene: Scene) -> None:
        """Presses on several hosts, a time-out and a cancellation, in the same moment, five times over."""
        for _ in range(5):
            asked = await scene.ask()
            runners = [
                side.decide(asked.id, by, choice)
                for side in scene.sides
                for by, choice in zip(scene.owners, ("approve", "reject") * PEOPLE, strict=False)
            ]
            runners += [side.time_out(asked) for side in scene.sides]
            runners += [scene.sides[1].cancel(asked.id, scene.owners[1])]
            assert len(await race(*runners)) == 1
            ended = await scene.get(asked)
            assert not ended.is_open
            assert (ended.resolved_at, ended.made_by) != (None, None)
            assert await scene.audited(asked) == 1
            assert await scene.brought(asked) == 1
        assert await scene.count(session_queue) == 5  # each wakes the session once
        await scene.store.read(_check_chain)

    async def test_whoever_is_late_changes_nothing(self, scene: Scene) -> None:
        asked = await scene.ask()
        await scene.sides[0].time_out(asked)
        before = await scene.get(asked)
        with pytest.raises(Refused):
            await scene.sides[1].decide(asked.id, scene.owners[0])
        with pytest.raises(Refused):
            await scene.sides[1].cancel(asked.id, scene.owners[0])
        assert await scene.get(asked) == before
        assert (before.status, before.chosen, before.decided_by) == (Status.TIMEOUT, "reject", None)
        assert await scene.audited(asked) == 1

    async def test_two_hosts_that_ask_under_one_id_ask_once(self, scene: Scene) -> None:
        asker, wanted = scene.asker("a" * 32), wants(question="Deploy?")

        def ask(side: Side) -> Callable[[Tx], Any]:
            return lambda tx: side.new_questions.open(tx, wanted, asker, None, now()).id

        ids = await race(*(side.store.write(ask(side)) for side in scene.sides))
        assert len(set(ids)) == 1
        assert await scene.count(human_interactions) == 1
        again = await scene.store.write(ask(scene.sides[0]))
        assert [again] == list(set(ids))
        assert await scene.count(parcels) == 1  # one card

    async def test_another_question_under_the_same_id_is_refused(self, scene: Scene) -> None:
        asker = scene.asker("a" * 32)

        async def ask(text: str) -> None:
            wanted = wants(question=text)
            await scene.store.write(
                lambda tx: scene.sides[0].new_questions.open(tx, wanted, asker, None, now())
            )

        await ask("Deploy?")
        with pytest.raises(BadToolRequest, match="an id of its own"):
            await ask("Delete?")
        assert await scene.count(human_interactions) == 1

    async def test_what_another_turn_left_open_is_joined_unless_someone_waits_for_it(
        self, scene: Scene
    ) -> None:
        asked = await scene.ask()
        assert (await scene.ask()).id == asked.id
        assert await scene.count(parcels) == 1  # nobody is asked the same twice
        with scene.sides[0].waits.on(asked.id, scene.session_id):
            beside = await scene.ask()
            assert beside.id != asked.id
        await scene.sides[0].decide(asked.id, scene.owners[0])
        await scene.sides[0].decide(beside.id, scene.owners[0])
        assert (await scene.ask()).is_open  # what is decided answers nothing that is asked later

    async def test_a_decision_of_long_ago_answers_nobody_who_asks_under_its_id(self, scene: Scene) -> None:
        turn, program = scene.asker("deploy"), replace(scene.asker("deploy"), session_id=None)
        program = replace(program, execution_id=PROGRAM)
        other_turn = replace(turn, execution_id="t_other")
        for by in (turn, program):
            asked = await scene.ask(by=by)
            await scene.sides[0].decide(asked.id, scene.owners[0])
        soon, late = timedelta(minutes=9), timedelta(minutes=11)
        assert (await scene.ask(by=turn, later=late)).chosen == "approve"  # the turn began again
        assert (await scene.ask(by=program, later=soon)).chosen == "approve"  # it lost the answer
        for by in (program, other_turn):
            with pytest.raises(BadToolRequest, match="decided under this id before"):
                await scene.ask(by=by, later=late)
        assert await scene.count(human_interactions) == 2


@pytest.mark.capability("E11")
class TestVotes:
    async def test_two_of_many_who_vote_at_once_decide_and_the_rest_is_late(self, scene: Scene) -> None:
        asked = await scene.ask(wants(question="Drop the table?", risk="destructive"))
        assert asked.votes == 2
        ends = await race(
            *(
                scene.sides[number % HOSTS].decide(asked.id, by, "approve")
                for number, by in enumerate(scene.owners)
            )
        )
        assert len(ends) == 2  # one was counted, the next one decided
        ended = await scene.get(asked)
        assert (ended.status, ended.chosen) == (Status.COMPLETED, "approve")
        assert await scene.audited(asked) == 1
        assert await scene.brought(asked) == 1

    async def test_one_who_votes_again_and_again_counts_once(self, scene: Scene) -> None:
        asked = await scene.ask(wants(question="Drop the table?", risk="destructive"))
        ends = await race(*(side.decide(asked.id, scene.owners[0], "approve") for side in scene.sides))
        assert len(ends) == HOSTS
        assert (await scene.get(asked)).is_open

    async def test_a_vote_can_be_changed(self, scene: Scene) -> None:
        asked = await scene.ask()
        for option in ("a", "b"):
            given = Vote(voter="telegram:0", name="Owner 0", option=option, at=now())
            await scene.store.write(lambda tx, given=given: question_cards.vote(tx, asked.id, given))  # type: ignore[misc]
        votes = await scene.store.read(lambda tx: question_cards.votes_on(tx, asked.id))
        assert [vote.option for vote in votes] == ["b"]

    async def test_a_request_cannot_lower_what_the_risk_needs(self, scene: Scene) -> None:
        drop = {"question": "Drop?", "risk": "destructive"}
        assert (await scene.ask(wants(**drop, votes=1))).votes == 2
        assert (await scene.ask(wants(**drop, votes=3))).votes == 3
        # Words cannot be counted: what has no options needs one.
        assert (await scene.ask(wants(question="Why?", kind="input", votes=2))).votes == 1

    async def test_words_complete_nothing_on_which_several_have_to_agree(self, scene: Scene) -> None:
        options = [{"id": "drop", "label": "Drop"}, {"id": "keep", "label": "Keep"}]
        asked = await scene.ask(wants(question="Drop it?", kind="escalation", options=options, votes=2))
        side, by = scene.sides[0], scene.owners[0]
        with pytest.raises(Refused, match="needs-option"):
            await scene.store.write(
                lambda tx: side.question_decisions.decide(tx, asked.id, None, by, now(), said="just do it")
            )
        assert (await scene.get(asked)).is_open

    async def test_the_vote_of_one_who_may_no_longer_decide_does_not_count(self, scene: Scene) -> None:
        asked = await scene.ask(wants(question="Drop the table?", risk="destructive"))
        side, (gone, second, third, *_) = scene.sides[0], scene.owners
        assert "1 of 2" in await side.decide(asked.id, gone)

        def demote(tx: Tx) -> None:
            person = people.person_named(tx, gone.handle)
            assert person
            people.set_role(tx, person.id, Role.MEMBER)

        await scene.store.write(demote)
        assert "1 of 2" in await side.decide(asked.id, second)
        assert (await scene.get(asked)).is_open
        await side.decide(asked.id, third)
        assert (await scene.get(asked)).chosen == "approve"
        query = sa.select(audit.c.detail).where(audit.c.subject == asked.id)
        detail = await scene.store.read(lambda tx: tx.execute(query).scalar_one())
        counted = [f"Owner {number} (telegram:{number}): approve" for number in (1, 2)]
        assert sorted(detail["votes"]) == counted  # and the one that did not count is not told of

    async def test_what_is_safe_needs_one(self, scene: Scene) -> None:
        asked = await scene.ask(wants(question="Drop the table?", risk="destructive"))
        await scene.sides[0].decide(asked.id, scene.owners[0], "reject")
        assert (await scene.get(asked)).chosen == "reject"


@pytest.mark.capability("E7")
class TestCarrying:
    async def test_the_answer_is_carried_once(self, scene: Scene) -> None:
        asked = await scene.ask(host="h_0")
        carried = await asyncio.gather(
            *(side.store.write(lambda tx: questions.carry(tx, asked.id, now())) for side in scene.sides * 3)
        )
        assert sorted(carried) == [*[False] * 8, True]

    async def test_an_answer_that_comes_as_the_waiting_ends_is_told_in_one_way(self, scene: Scene) -> None:
        """To the turn that waits, or, if that has just left, by waking the session; never in both, or neither."""
        for _ in range(6):
            asked = await scene.ask(host="h_0")
            seen, _decided = await asyncio.gather(
                scene.sides[0].attend(asked), scene.sides[1].decide(asked.id, scene.owners[0])
            )
            assert (await scene.get(asked)).carried_at is not None
            assert await scene.brought(asked) == (1 if seen.is_open else 0)

    async def test_while_someone_waits_nothing_wakes_the_session(self, scene: Scene) -> None:
        asked = await scene.ask(host="h_0")
        await scene.sides[0].decide(asked.id, scene.owners[0])
        assert await scene.brought(asked) == 0
        assert not await scene.store.write(lambda tx: questions.leave(tx, asked.id))
        assert (await scene.sides[0].attend(asked)).status is Status.COMPLETED
        await scene.store.write(lambda tx: scene.sides[0].resolution.carry(tx, asked, now()))
        assert await scene.brought(asked) == 0

    async def test_an_answer_that_came_as_a_message_is_not_told_to_the_turn_that_asks_for_it(
        self, scene: Scene
    ) -> None:
        asked = await scene.ask()
        side = scene.sides[0]
        await side.decide(asked.id, scene.owners[0])
        assert await scene.brought(asked) == 1
        assert await side.questions.attend(asked) == (await scene.get(asked), False)

    async def test_a_turn_that_begins_again_is_told_once_of_what_was_decided_meanwhile(
        self, scene: Scene
    ) -> None:
        """Its host died while it waited: as a note, or as the message that waits in the session already."""
        turn = await scene.store.write(lambda tx: _begun(tx, scene))
        by = replace(scene.asker("a_1", "h_0"), execution_id=turn.id)
        waits, brought = [
            await scene.ask(wants(question=f"Deploy {n}?"), by=replace(by, asked_id=str(n))) for n in range(2)
        ]
        for each in (waits, brought):
            await scene.sides[1].decide(each.id, scene.owners[0])
        await scene.store.write(lambda tx: scene.sides[1].resolution.carry(tx, brought, now()))
        again = await scene.store.write(lambda tx: _begun(tx, scene))
        assert (again.id, again.again) == (turn.id, True)
        assert [(each.id, apart) for each, apart in again.asked] == [(waits.id, False), (brought.id, True)]
        assert [await scene.brought(each) for each in (waits, brought)] == [0, 1]

    async def test_the_turn_that_an_answer_wakes_acts_as_the_skill_that_asked(self, scene: Scene) -> None:
        asked = await scene.ask(wants(question="Deploy?", skill="deployer"))
        await scene.sides[0].decide(asked.id, scene.owners[0])
        assert (await scene.store.write(lambda tx: gather(tx, _claim(scene)))).acts_as == "deployer"  # type: ignore[union-attr]


@pytest.mark.capability("E5")
class TestClock:
    async def test_a_clock_that_was_set_is_heeded_once_however_many_hosts_notice(self, scene: Scene) -> None:
        store, heard = scene.store, list[timedelta]()
        hooks = Hooks(clock_set=(lambda _tx, by: heard.append(by),))
        engines = [
            Engine(store, HostId(f"h_{number}"), f"w_{number}", hooks=hooks)
            for number in range(1 + store.shared)
        ]
        for engine in engines:
            await engine.start()
        for engine in engines:
            await engine.clock_moved(timedelta(hours=1))
        for engine in engines:
            await engine.stop(grace=0)
        assert heard == [timedelta(hours=1)]

    async def test_when_the_clock_is_set_as_much_time_is_left_as_before(self, scene: Scene) -> None:
        asked, ended = await scene.ask(), await scene.ask(wants(question="Delete?"))
        await scene.sides[0].time_out(ended)
        ended = await scene.get(ended)
        for by in (timedelta(hours=1), timedelta(days=-1), timedelta(days=400)):
            before = await scene.get(asked)
            await scene.store.write(lambda tx, by=by: heed_clock(tx, by))  # type: ignore[misc]
            moved = await scene.get(asked)
            assert moved.deadline_at == before.deadline_at + by
            assert reminders(moved.created_at, moved.deadline_at) == [
                moment + by for moment in reminders(before.created_at, before.deadline_at)
            ]
            due = await scene.store.read(lambda tx: work.due_at(tx, work.QUESTION, asked.id))
            assert due == next_moment(moved) == next_moment(before) + by
        assert await scene.get(ended) == ended  # what is over is over

    async def test_what_was_reminded_of_is_not_again(self, scene: Scene) -> None:
        asked = await scene.ask()
        await scene.store.write(lambda tx: questions.mark(tx, asked.id, reminded=2))
        await scene.store.write(lambda tx: heed_clock(tx, timedelta(days=-2)))
        moved = await scene.get(asked)
        assert next_moment(moved) == moved.deadline_at


@pytest.mark.capability("E8")
class TestAwaiting:
    async def test_words_answer_the_newest_open_input_of_their_chat(self, scene: Scene) -> None:
        first, second, third = [
            await scene.ask(wants(question=f"Name {number}?", kind="input")) for number in range(3)
        ]
        for question in (first, second, third):
            await scene.store.write(lambda tx, question=question: _show(tx, question, scene.chat))  # type: ignore[misc]
        assert await self.awaited(scene) == third.id
        await scene.sides[0].cancel(second.id, scene.owners[0])
        assert await self.awaited(scene) == third.id
        await scene.sides[0].time_out(third)
        assert await self.awaited(scene) == first.id
        await scene.sides[0].cancel(first.id, scene.owners[0])
        assert await self.awaited(scene) is None

    async def test_an_approval_awaits_no_words(self, scene: Scene) -> None:
        asked = await scene.ask()
        await scene.store.write(lambda tx: _show(tx, asked, scene.chat))
        assert await self.awaited(scene) is None

    async def awaited(self, scene: Scene) -> str | None:
        query = sa.select(chats.c.awaits).where(chats.c.id == scene.chat.id)
        found: str | None = await scene.store.read(lambda tx: tx.execute(query).scalar_one())
        return found


class TestLookingBack:
    @pytest.mark.capability("E9")
    async def test_everything_that_was_asked_comes_back_as_it_was(self, scene: Scene) -> None:
        wanted = wants(
            question="Що робити?\nЗараз",
            options=[
                {"id": "так", "label": "Так", "description": "x"},
                {"id": "no", "label": "No"},
            ],
            risk="publish",
            context={"a": [1, 2.5, None, True, "ї"]},
            deciders=["telegram:1"],
            votes=1,
            timeout_minutes=7,
            skill="copywriter",
        )
        asked = await scene.ask(wanted)
        found = await scene.get(asked)
        assert found == asked
        assert (found.options, found.context, found.deciders) == (
            wanted.options,
            wanted.context,
            wanted.deciders,
        )
        assert found.deadline_at - found.created_at == timedelta(minutes=7)
        assert found.payload == wanted.payload()

    @pytest.mark.capability("E10")
    async def test_figures_are_of_what_ended_by_a_person_or_by_time(self, scene: Scene) -> None:
        begun = now() - timedelta(seconds=1)
        answered, timed_out, cancelled, _open = [
            await scene.ask(wants(question=f"Deploy {number}?")) for number in range(4)
        ]
        await scene.sides[0].decide(answered.id, scene.owners[0])
        await scene.sides[0].time_out(timed_out)
        await scene.sides[0].cancel(cancelled.id, scene.owners[0])
        found = await scene.store.read(lambda tx: questions.outcomes(tx, begun))
        assert sorted(outcome.status for outcome in found) == [Status.COMPLETED, Status.TIMEOUT]
        assert await scene.store.read(lambda tx: questions.outcomes(tx, now() + timedelta(hours=1))) == []
        decided = await scene.store.read(lambda tx: questions.decided(tx, 2))
        assert [each.id for each in decided] == [cancelled.id, timed_out.id]
        older = await scene.store.read(lambda tx: questions.decided(tx, 2, before=timed_out.id))
        assert [each.id for each in older] == [answered.id]

    async def test_it_is_found_by_the_end_of_its_id(self, scene: Scene) -> None:
        asked = await scene.ask()
        found = await scene.store.read(lambda tx: questions.ending(tx, asked.id[-5:]))
        assert [each.id for each in found] == [asked.id]
        for pattern in ("%", "_____", "\\"):
            assert await scene.store.read(lambda tx, end=pattern: questions.ending(tx, end)) == []  # type: ignore[misc]


def _show(tx: Tx, question: Question, chat: Chat) -> None:
    question_cards.show_in(tx, question, Shown(chat_id=chat.id, parcel_id=new_id("o")))  # type: ignore[arg-type]


def _claim(scene: Scene) -> Claim:
    return Claim(kind=work.TURN, key=scene.session_id, lease="l", attempt=1)


def _begun(tx: Tx, scene: Scene) -> Turn:
    """The turn of the session; the first time there is something to say to it."""
    if open_inbox.open_turn(tx, scene.session_id) is None:
        person = people.person_named(tx, scene.owners[0].handle)
        assert person
        said = Incoming(
            kind=ChatKind.PRIVATE,
            addressed=True,
            channel="telegram:6",
            address="0",
            external_id="1",
            handle=person.handle,
            sender=person.name,
            text="go",
            sent_at=now(),
        )
        stored = message_rows.store(tx, MessageId(new_id("m")), said, scene.chat.id, person.id, now())
        open_inbox.join(tx, stored.id, scene.session_id)
    turn = gather(tx, _claim(scene))
    assert turn
    return turn


def _check_chain(tx: Tx) -> None:
    assert audit_chain.verify(tx).fault is None
