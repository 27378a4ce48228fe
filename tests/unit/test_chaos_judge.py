"""The judge of the chaos harness notices each thing that can go wrong, on made-up chats and calls."""

from collections.abc import Sequence

from tests.chaos import memory
from tests.chaos.answers import NOTE, Answers, lines_in
from tests.chaos.judge import Judgement, judge
from tests.chaos.ledger import Called, Happened, Ledger, Wrote
from tests.chaos.pieces import Shown
from tests.chaos.plan import Setup, make_plan
from tests.chaos.rows import Fate

ANSWERS = Answers(seed=1)
CHAT = "7"
ENDED = Fate(stored=1, end="answered")


def whole(number: int) -> str:
    return ANSWERS.text([number])


def part(number: int, first: int, last: int) -> str:
    return "\n\n".join(ANSWERS.lines(number)[first - 1 : last])


def count(number: int) -> int:
    return len(ANSWERS.lines(number))


def judged(
    *texts: str,
    wrote: Sequence[int] = (1, 2),
    calls: Sequence[Called] = (),
    happened: Sequence[Happened] = (),
    **fates: Fate,
) -> Judgement:
    """A chat with these messages, whose ids count from 101; `_2=Fate(...)` is the fate of message 2."""
    ledger = Ledger(calls=list(calls), happened=list(happened))
    ledger.wrote = {number: Wrote(number=number, chat=CHAT, at=number) for number in wrote}
    shown = [Shown(id=101 + at, text=text) for at, text in enumerate(texts)]
    return judge(ANSWERS, ledger, {CHAT: shown}, {n: fates.get(f"_{n}", ENDED) for n in wrote})


def test_everything_answered_once_and_in_order_is_well() -> None:
    found = judged(whole(1), whole(2))
    assert (found.whole, found.offending) == (2, [])


def test_two_messages_may_have_one_answer_and_one_answer_two_messages() -> None:
    found = judged(ANSWERS.text([1, 2]), part(3, 1, 1), part(3, 2, count(3)), wrote=[1, 2, 3])
    assert (found.whole, found.offending) == (3, [])


def test_what_is_in_no_chat_is_lost() -> None:
    assert judged(whole(1)).lost == [2]


def test_who_was_told_that_there_is_no_answer_has_lost_nothing() -> None:
    found = judged(whole(1), "Something went wrong", _2=Fate(stored=1, end="failed", told_as=(102,)))
    assert (found.lost, found.told) == ([], [2])
    assert judged(whole(1), _2=Fate(stored=1, end="failed", told_as=(102,))).lost == [2]
    assert judged(whole(1), "It has to wait", _2=Fate(stored=1, end="answered", told_as=(102,))).lost == [2]


def test_an_answer_twice_is_doubled() -> None:
    assert judged(whole(1), whole(2), whole(1)).doubled == [1]
    assert judged(whole(1), whole(1), whole(2)).doubled == [1]


def test_a_part_twice_is_doubled() -> None:
    found = judged(whole(1), part(2, 1, 1), part(2, 2, count(2)), part(2, 2, count(2)))
    assert found.doubled == [2]


def test_a_noted_resend_is_no_double() -> None:
    found = judged(whole(1), whole(2), f"{NOTE}\n\n{whole(1)}")
    assert (found.noted, found.doubled, found.out_of_order, found.whole) == ([1], [], [], 2)


def test_a_noted_resend_in_two_messages_is_one() -> None:
    found = judged(whole(2), f"{NOTE}\n\n{part(1, 1, 1)}", part(1, 2, count(1)))
    assert (found.noted, found.offending, found.whole) == ([1], [], 2)


def test_an_older_answer_below_a_later_one_is_out_of_order() -> None:
    assert judged(whole(2), whole(1)).out_of_order == [1]


def test_a_draft_above_the_rest_of_an_older_answer_is_out_of_order() -> None:
    assert judged(part(1, 1, 1), whole(2), part(1, 2, count(1))).out_of_order == [1]


def test_a_draft_that_became_no_answer_is_half_written() -> None:
    found = judged(whole(1), part(2, 1, 1))
    assert (found.half_written, found.lost, found.whole) == ([2], [], 1)


def test_a_draft_beside_its_answer_is_half_written_unless_nobody_could_know_of_it() -> None:
    texts = (whole(1), part(2, 1, 1), whole(2))
    assert judged(*texts).half_written == [2]
    call = Called(host="h", method="sendMessage", chat=CHAT, text=part(2, 1, 1), message_id=102, done=True)
    call.told = "ok"
    assert judged(*texts, calls=[call]).half_written == [2]
    call.told, call.fault = "nothing", "cut-after"
    found = judged(*texts, calls=[call])
    assert (found.orphans, found.half_written, found.doubled) == ([2], [], [])


def test_a_draft_that_the_answer_cuts_elsewhere_is_no_double() -> None:
    """Its second message began a line earlier than the one that came in its place."""
    one = next(number for number in range(1, 100) if count(number) > 3)
    texts = (part(one, 1, 2), part(one, 2, 3), part(one, 3, count(one)))
    call = Called(host="h", method="sendMessage", chat=CHAT, text=texts[1], message_id=102, done=True)
    call.told, call.fault = "nothing", "kill-after"
    found = judged(*texts, wrote=[one], calls=[call])
    assert (found.orphans, found.half_written, found.doubled) == ([one], [], [])
    assert judged(*texts, wrote=[one]).half_written == [one]


def test_a_draft_below_the_file_of_its_answer_is_noticed_too() -> None:
    """The first line is the caption of a file, and what follows it was begun twice."""
    one = next(number for number in range(1, 100) if count(number) > 2)
    found = judged(part(one, 1, 1), part(one, 2, 2), part(one, 2, count(one)), wrote=[one])
    assert (found.half_written, found.doubled, found.out_of_order) == ([one], [], [])


def test_an_answer_whose_last_line_breaks_off_is_half_written() -> None:
    found = judged(whole(1), whole(2)[:-3])
    assert (found.half_written, found.whole) == ([2], 1)


def test_a_message_without_an_end_or_with_two_rows_is_noticed() -> None:
    found = judged(whole(1), whole(2), _1=Fate(stored=1), _2=Fate(stored=2, end="answered"))
    assert found.without_end == [1, 2]


def test_an_unknown_needs_a_cause() -> None:
    unknown = Fate(stored=1, end="answered", was_unknown=True, since=10, unknown_at=20)
    assert judged(whole(1), whole(2), _2=unknown).without_cause == [2]
    call = Called(host="h", method="sendMessage", chat=CHAT, text=whole(2), begun=11, ended=11, told="ok")
    assert judged(whole(1), whole(2), calls=[call], _2=unknown).without_cause == [2]
    call.told = "502"
    assert judged(whole(1), whole(2), calls=[call], _2=unknown).unknown == {2: "answered 502"}
    killed = Happened(at=12, what="killed", host="h")
    found = judged(whole(1), whole(2), happened=[killed], _2=unknown)
    assert found.unknown == {2: "killed before the call arrived"}
    call.told = "ok"
    found = judged(whole(1), whole(2), calls=[call], happened=[killed], _2=unknown)
    assert found.unknown == {2: "killed during the call"}


def test_a_part_that_never_left_is_unknown_because_its_host_was_killed() -> None:
    unknown = Fate(stored=1, end="answered", was_unknown=True, since=10, unknown_at=20)
    killed = Happened(at=15, what="killed", host="h")
    first = Called(host="h", method="sendMessage", chat=CHAT, begun=11, ended=11, told="ok")
    first.text = part(2, 1, 1)
    found = judged(whole(1), part(2, 1, 1), calls=[first], happened=[killed], _2=unknown)
    assert found.unknown == {2: "killed before the call arrived"}


def test_what_only_quotes_an_answer_is_none() -> None:
    assert lines_in(f"It is not known whether a message arrived. It begins: {whole(1)}") == []


def test_the_same_seed_makes_the_same_plan() -> None:
    cannot = {"disk": "no disk"}
    made = make_plan(Setup(seed=7), cannot)
    assert made == make_plan(Setup(seed=7), cannot)
    assert made != make_plan(Setup(seed=8), cannot)
    assert "disk" not in {fault.kind for fault in made.faults}
    assert made.left_out == cannot


def test_a_memo_that_is_lost_doubled_or_late_is_noticed() -> None:
    found = memory.judge([4, 8, 12, 16, 20], [4, 12, 8, 16, 16])
    assert (found.lost, found.doubled, found.out_of_order) == ([20], [16], [8])
    assert found.is_bad
    assert not memory.judge([4, 8], [4, 8]).is_bad
