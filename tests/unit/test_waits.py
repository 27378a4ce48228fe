"""Waiters for an answer in this process hear of it; nothing is left of them when they stop waiting."""

import asyncio

import pytest

from nanoclaw.domain.news import EVERY_CHAT, QuestionChanged
from nanoclaw.flows.human.waits import Waits

pytestmark = pytest.mark.capability("E7")


def test_all_who_wait_on_a_question_hear_of_it_and_nobody_else() -> None:
    waits = Waits()
    with waits.on("i_1") as mine, waits.on("i_1", "s_1") as yours, waits.on("i_2") as theirs:
        waits.hear(EVERY_CHAT, QuestionChanged("i_1"))
        assert [wait.news.is_set() for wait in (mine, yours, theirs)] == [True, True, False]
        assert not mine.over  # it was said that something has happened, not that it is decided


def test_nobody_is_there_any_more_after_the_last_has_left() -> None:
    waits = Waits()
    with waits.on("i_1"):
        with waits.on("i_1"):
            pass
        assert waits.anyone_on("i_1")
    assert not waits.anyone_on("i_1")
    waits.hear(EVERY_CHAT, QuestionChanged("i_1"))  # and to tell nobody does no harm


def test_one_who_gives_up_leaves_no_trace() -> None:
    waits = Waits()
    with pytest.raises(RuntimeError), waits.on("i_1"):
        raise RuntimeError
    assert not waits.anyone_on("i_1")


async def test_one_who_is_cancelled_leaves_no_trace() -> None:
    waits, begun = Waits(), asyncio.Event()

    async def wait() -> None:
        with waits.on("i_1") as wait:
            begun.set()
            await wait.news.wait()

    waiting = asyncio.create_task(wait())
    await begun.wait()
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    assert not waits.anyone_on("i_1")


def test_words_to_a_session_let_go_all_who_wait_there() -> None:
    waits = Waits()
    with waits.on("i_1", "s_1") as first, waits.on("i_2", "s_1") as second, waits.on("i_3", "s_2") as other:
        waits.let_go("s_1")
        assert [(wait.over, wait.news.is_set()) for wait in (first, second, other)] == [
            *((True, True), (True, True), (False, False))
        ]


def test_words_to_a_session_do_not_let_go_of_a_program() -> None:
    waits = Waits()
    with waits.on("i_1") as program:
        waits.let_go("s_1")
        assert not program.over
        assert not program.news.is_set()


def test_two_that_wait_alike_leave_one_by_one() -> None:
    waits = Waits()
    with waits.on("i_1", "s_1") as staying:
        with waits.on("i_1", "s_1"):
            pass
        waits.hear(EVERY_CHAT, QuestionChanged("i_1"))
        assert staying.news.is_set()
