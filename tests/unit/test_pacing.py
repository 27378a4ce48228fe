"""The pace keeper lets calls through at the speed that the network allows, the final answers first."""

import asyncio
import selectors
from collections.abc import Awaitable, Callable, Iterator
from itertools import pairwise

import pytest

from nanoclaw.delivery import pace as pacing
from nanoclaw.delivery.pace import Pace, Urgency

pytestmark = pytest.mark.capability("A10", "A12")

FINAL, PREVIEW, TYPING = Urgency.FINAL, Urgency.PREVIEW, Urgency.TYPING


class _Leap(selectors.DefaultSelector):
    """Does not wait for the time to pass: it passes at once."""

    now = 1000.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        assert timeout is not None, "nobody would ever wake up"
        self.now += max(timeout, 0)
        return super().select(0)


class _LeapingLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._leap = _Leap()
        super().__init__(self._leap)

    def time(self) -> float:
        return self._leap.now

    @property
    def timers(self) -> int:
        timers: list[asyncio.TimerHandle] = self._scheduled  # type: ignore[attr-defined]
        return sum(not timer.cancelled() for timer in timers)


Story = Callable[[Pace, Callable[[], float]], Awaitable[None]]
Tell = Callable[[Story], None]


@pytest.fixture
def small_burst(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three at once, and one of them for finals alone: the same rules in fewer words."""
    monkeypatch.setattr(pacing, "_BURST", 3)
    monkeypatch.setattr(pacing, "_BURST_RESERVE", 1)


@pytest.fixture
def tell(small_burst: None) -> Iterator[Tell]:
    """Runs a story in which hours pass in milliseconds. It gets a pace keeper, and the seconds since it began."""
    with asyncio.Runner(loop_factory=_LeapingLoop) as runner:

        async def run(story: Story) -> None:
            clock = asyncio.get_running_loop().time
            began = clock()
            await story(Pace(clock=clock), lambda: round(clock() - began, 2))

        yield lambda story: runner.run(run(story))


def _most_within(times: list[float], seconds: float) -> int:
    ordered = sorted(times)
    return max(sum(begin <= at < begin + seconds - 1e-6 for at in ordered) for begin in ordered)


def test_a_chat_takes_a_short_burst_and_then_one_a_second(tell: Tell) -> None:
    async def story(pace: Pace, passed: Callable[[], float]) -> None:
        times = []
        for _ in range(6):
            await pace.wait("a", FINAL, is_group=False)
            times.append(passed())
        assert times == [0, 0, 0, 1, 2, 3]

    tell(story)


def test_a_conversation_never_waits(tell: Tell, monkeypatch: pytest.MonkeyPatch) -> None:
    """Someone writes fifteen times as quickly as they can; each answer comes at once, with previews before it."""
    monkeypatch.undo()

    async def story(pace: Pace, passed: Callable[[], float]) -> None:
        for _ in range(15):
            pace.may("a", PREVIEW, is_group=False)
            before = passed()
            await pace.wait("a", FINAL, is_group=False)
            assert passed() - before < 0.1  # the bot's own thirty a second
            await asyncio.sleep(0.8)

    tell(story)


def test_where_the_network_said_that_it_was_too_much_one_a_second_is_kept(tell: Tell) -> None:
    async def story(pace: Pace, passed: Callable[[], float]) -> None:
        pace.hold("a", 2)
        times = []
        for _ in range(4):
            await pace.wait("a", FINAL, is_group=False)
            times.append(passed())
        assert times == [2, 3, 4, 5]

    tell(story)


def test_a_group_takes_twenty_in_any_minute(tell: Tell) -> None:
    async def story(pace: Pace, passed: Callable[[], float]) -> None:
        times = []
        for _ in range(50):
            await pace.wait("g", FINAL, is_group=True)
            times.append(passed())
        assert _most_within(times, 60) == 20
        assert times[-1] < 150

    tell(story)


def test_two_hundred_chats_at_once_never_break_the_limit_and_all_are_served(tell: Tell) -> None:
    async def story(pace: Pace, passed: Callable[[], float]) -> None:
        times = []

        async def say(chat: str) -> None:
            await pace.wait(chat, FINAL, is_group=False)
            times.append(passed())

        async with asyncio.TaskGroup() as group:
            for number in range(200):
                group.create_task(say(str(number)))
        assert len(times) == 200
        assert 24 <= _most_within(times, 1) <= 30
        assert max(times) < 8.2

    tell(story)


def test_finals_go_before_previews_before_typing_in_a_chat_and_in_the_bot(tell: Tell) -> None:
    async def story(pace: Pace, _passed: Callable[[], float]) -> None:
        for number in range(6):
            assert pace.may(f"x{number}", FINAL, is_group=False)
        order: list[tuple[str, str, int]] = []

        async def say(chat: str, urgency: Urgency, number: int) -> None:
            await pace.wait(chat, urgency, is_group=False)
            order.append((chat, urgency.name, number))

        async with asyncio.TaskGroup() as group:
            for number in range(2):
                for urgency in (TYPING, PREVIEW, FINAL):
                    for chat in ("a", "b"):
                        group.create_task(say(chat, urgency, number))
        assert [name for _, name, _ in order[:4]] == ["FINAL"] * 4
        for chat in ("a", "b"):
            for name in ("FINAL", "PREVIEW", "TYPING"):
                assert [seen for seen in order if seen[:2] == (chat, name)] == [
                    (chat, name, 0),
                    (chat, name, 1),
                ]
        assert len(order) == 12

    tell(story)


def test_a_final_overtakes_the_previews_that_wait_in_its_chat(tell: Tell) -> None:
    async def story(pace: Pace, passed: Callable[[], float]) -> None:
        pace.hold("a", 5)
        order: list[tuple[str, float]] = []

        async def say(urgency: Urgency) -> None:
            await pace.wait("a", urgency, is_group=False)
            order.append((urgency.name, passed()))

        async with asyncio.TaskGroup() as group:
            for urgency in (PREVIEW, PREVIEW, FINAL, FINAL):
                group.create_task(say(urgency))
        assert order == [("FINAL", 5), ("FINAL", 6), ("PREVIEW", 8), ("PREVIEW", 9)]

    tell(story)


@pytest.mark.parametrize("is_group", [False, True])
def test_a_final_never_waits_because_of_previews(tell: Tell, is_group: bool) -> None:
    async def story(pace: Pace, passed: Callable[[], float]) -> None:
        shown = []
        while passed() < 120:
            if pace.may("a", PREVIEW, is_group=is_group):
                shown.append(passed())
            assert pace.next_at("a", FINAL, is_group=is_group) == 0
            await asyncio.sleep(pace.next_at("a", PREVIEW, is_group=is_group))
        assert len(shown) > (26 if is_group else 110)
        assert max(later - earlier for earlier, later in pairwise(shown)) <= (10 if is_group else 1.1)
        assert _most_within(shown, 60) <= (15 if is_group else 62)

    tell(story)


def test_previews_and_typing_of_many_chats_leave_places_for_finals(tell: Tell) -> None:
    async def story(pace: Pace, _passed: Callable[[], float]) -> None:
        assert sum(pace.may(str(n), PREVIEW, is_group=False) for n in range(100)) == 2
        assert not pace.may("typing", TYPING, is_group=False)
        assert sum(pace.may(str(n), FINAL, is_group=False) for n in range(100)) == 4
        assert 0 < pace.next_at("new", FINAL, is_group=False) < 0.05

    tell(story)


def test_typing_is_no_message_of_the_chat(tell: Tell) -> None:
    async def story(pace: Pace, _passed: Callable[[], float]) -> None:
        for _ in range(15):
            await pace.wait("a", TYPING, is_group=True)
        await asyncio.sleep(1)
        assert all(pace.may("a", FINAL, is_group=True) for _ in range(3))
        await asyncio.sleep(0.2)
        assert pace.may("a", TYPING, is_group=True)
        assert not pace.may("a", FINAL, is_group=True)

    tell(story)


def test_when_a_preview_may_go_is_told_exactly(tell: Tell) -> None:
    async def story(pace: Pace, passed: Callable[[], float]) -> None:
        assert pace.next_at("a", PREVIEW, is_group=False) == 0
        assert pace.may("a", PREVIEW, is_group=False)
        assert pace.may("a", PREVIEW, is_group=False)
        assert not pace.may("a", PREVIEW, is_group=False)
        await asyncio.sleep(pace.next_at("a", PREVIEW, is_group=False))
        assert pace.may("a", PREVIEW, is_group=False)
        assert passed() == 1

    tell(story)


def test_when_several_chats_are_told_to_wait_at_once_the_whole_bot_waits(tell: Tell) -> None:
    async def story(pace: Pace, passed: Callable[[], float]) -> None:
        for chat in ("a", "b"):
            pace.hold(chat, 3)
        assert pace.may("d", FINAL, is_group=False)
        pace.hold("c", 3)
        assert not pace.may("e", FINAL, is_group=False)
        await pace.wait("e", FINAL, is_group=False)
        assert passed() == 3

    tell(story)


def test_a_held_chat_waits_with_everything_and_the_others_go_on(tell: Tell) -> None:
    async def story(pace: Pace, passed: Callable[[], float]) -> None:
        pace.hold("a", 30)
        pace.hold("a", 5)
        waiting = asyncio.create_task(pace.wait("a", FINAL, is_group=False))
        await asyncio.sleep(10)
        pace.hold("a", 60)
        assert not pace.may("a", TYPING, is_group=False)
        assert pace.next_at("a", PREVIEW, is_group=False) > 60
        assert pace.may("b", FINAL, is_group=False)
        assert not waiting.done()
        await waiting
        assert passed() == pytest.approx(70, abs=0.02)

    tell(story)


def test_who_stops_waiting_frees_the_place_at_once(tell: Tell) -> None:
    async def story(pace: Pace, passed: Callable[[], float]) -> None:
        for _ in range(3):
            await pace.wait("a", FINAL, is_group=False)
        first = asyncio.create_task(pace.wait("a", FINAL, is_group=False))
        second = asyncio.create_task(pace.wait("a", FINAL, is_group=False))
        await asyncio.sleep(0.5)
        first.cancel()
        await second
        assert passed() == pytest.approx(1, abs=0.02)
        assert first.cancelled()

    tell(story)


def test_who_is_cancelled_in_the_moment_of_its_turn_gives_it_back(tell: Tell) -> None:
    async def story(pace: Pace, passed: Callable[[], float]) -> None:
        for _ in range(3):
            await pace.wait("a", FINAL, is_group=False)
        tasks = [asyncio.create_task(pace.wait("a", FINAL, is_group=False)) for _ in range(8)]
        # Timers of the same moment ring together: some cancellations come before the turn, some after it.
        for number, task in enumerate(tasks[:-1]):
            asyncio.get_running_loop().call_later(1 + (number - 3) * 0.0005, task.cancel)
        await asyncio.wait(tasks)
        assert not tasks[-1].cancelled()
        assert passed() <= 2.1

    tell(story)


def test_nothing_ticks_while_nothing_waits_and_quiet_chats_are_forgotten(tell: Tell) -> None:
    async def story(pace: Pace, _passed: Callable[[], float]) -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, _LeapingLoop)
        for number in range(10_000):
            await pace.wait(str(number), FINAL, is_group=False)
        assert len(pace) < 2_500
        pace.hold("held", 10_000)
        assert loop.timers == 0
        waiting = asyncio.create_task(pace.wait("held", FINAL, is_group=False))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait([waiting])
        assert loop.timers == 0
        await asyncio.sleep(100)
        for _ in range(2_500):
            await pace.wait("a", FINAL, is_group=False)
        assert len(pace) == 2
        assert pace.next_at("held", FINAL, is_group=False) > 7_000

    tell(story)
