"""Ids sort by the time they were made, so that order never depends on a second column."""

import re
import threading
import time

import pytest

from nanoclaw.domain.ids import moment_of, new_id

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


def _milliseconds(some_id: str) -> int:
    number = 0
    for letter in moment_of(some_id)[:10]:
        number = number * 32 + _ALPHABET.index(letter)
    return number


def test_ids_of_one_burst_sort_as_they_were_made() -> None:
    made = [new_id("m") for _ in range(5000)]  # many of them within one millisecond
    assert made == sorted(made)
    assert len(set(made)) == len(made)
    assert len({_milliseconds(one) for one in made}) < len(made)


def test_a_later_millisecond_sorts_later() -> None:
    early = new_id("m")
    while time.time_ns() // 1_000_000 <= _milliseconds(early):
        pass
    assert new_id("m") > early


def test_an_id_tells_the_millisecond_it_was_made_in() -> None:
    new_id("m")
    before = time.time_ns() // 1_000_000
    made = _milliseconds(new_id("m"))
    assert before <= made <= time.time_ns() // 1_000_000


def test_ids_of_many_threads_are_all_different_and_in_order_in_each() -> None:
    together = threading.Barrier(8)
    made: list[list[str]] = [[] for _ in range(8)]

    def make(mine: list[str]) -> None:
        together.wait()
        mine.extend(new_id("m") for _ in range(500))

    threads = [threading.Thread(target=make, args=(mine,)) for mine in made]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(mine == sorted(mine) for mine in made)
    assert len({one for mine in made for one in mine}) == 8 * 500


def test_an_id_made_after_another_thread_made_one_sorts_after_it() -> None:
    made: list[str] = []
    turn = threading.Lock()  # who holds it makes the next id, so the list is in the order of making

    def make() -> None:
        for _ in range(300):
            with turn:
                made.append(new_id("m"))

    threads = [threading.Thread(target=make) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1200
    assert made == sorted(made)


@pytest.mark.parametrize("kind", ["m", "t", "o", "host"])
def test_an_id_is_its_kind_and_26_plain_letters(kind: str) -> None:
    assert re.fullmatch(f"{kind}_[{_ALPHABET}]{{26}}", new_id(kind))


def test_ids_of_different_kinds_compare_by_their_moment() -> None:
    asked, answered, asked_again = new_id("z"), new_id("a"), new_id("m")
    assert moment_of(asked) < moment_of(answered) < moment_of(asked_again)
    assert not asked < answered  # the whole ids would sort by kind


def test_the_moment_is_the_id_without_its_kind() -> None:
    assert moment_of("m_01k9") == "01k9"
    assert moment_of("") == ""
