"""What people write after `/batch-generate`, and the files of topics that they send."""

import pytest

from nanoclaw.domain.batches import LONGEST_TOPIC, MOST_ITEMS
from nanoclaw.domain.errors import Refused
from nanoclaw.flows.batches.given_topics import topics_in
from nanoclaw.flows.batches.wish import Wish, read_wish


@pytest.mark.parametrize(
    ("said", "count", "subject"),
    [
        ("30 posts for Telegram", 30, "posts for Telegram"),
        ("30 постів для Telegram", 30, "постів для Telegram"),
        ("thirty posts", 30, "posts"),
        ("twenty-five posts", 25, "posts"),
        ("a hundred posts", 100, "posts"),
        ("two thousand five hundred posts", 2500, "posts"),
        ("тридцять постів", 30, "постів"),
        ("двадцять п’ять постів", 25, "постів"),
        ("тисячу постів", 1000, "постів"),
        ("a dozen letters", 12, "letters"),
        ("10,000 posts", 10_000, "posts"),
        ("10 000 posts", 10_000, "posts"),
        ("posts about 5 habits", None, "posts about 5 habits"),
        ("a post", None, "a post"),
    ],
)
def test_the_number_stands_first_in_digits_or_words(said: str, count: int | None, subject: str) -> None:
    assert (read_wish(said).count, read_wish(said).subject) == (count, subject)


@pytest.mark.parametrize("said", ["0 posts", "-3 posts", "100001 posts", "сто тисяч один пост"])
def test_a_number_out_of_range_is_refused(said: str) -> None:
    with pytest.raises(Refused) as refused:
        read_wish(said)
    assert refused.value.key == "batch-count"


@pytest.mark.parametrize("said", ["3.5 posts", "9" * 100 + " posts"])
def test_what_only_looks_like_a_number_is_refused(said: str) -> None:
    with pytest.raises(Refused) as refused:
        read_wish(said)
    assert refused.value.key == "batch-bad-count"


def test_options_are_said_in_plain_form_anywhere() -> None:
    whole = Wish(
        subject="posts for LinkedIn",
        count=30,
        skill="telegram-poster",
        model="haiku",
        least_grade=7,
        topics_file="topics.txt",
    )
    assert (
        read_wish("30 posts for LinkedIn skill:telegram-poster model haiku grade 7 from topics.txt") == whole
    )
    assert (
        read_wish("skill: telegram-poster 30 posts for LinkedIn, model=haiku grade:7 topics:topics.txt")
        == whole
    )
    assert read_wish("30 постів з теми.csv з оцінкою 8").least_grade == 8
    assert read_wish("30 posts in Ukrainian").language == "uk"
    with pytest.raises(Refused):
        read_wish("30 posts grade 11")


def test_topics_come_from_lines_a_first_column_or_a_list() -> None:
    assert topics_in("t.txt", b"One\n\n  Two  \nOne\n") == ("One", "Two")
    assert topics_in("t.csv", b'topic;day\n"One; more";Mon\nTwo;Tue\n') == ("One; more", "Two")
    assert topics_in("t.md", b"# Plan\n\n- One\n2. Two\n- [ ] Three\ntext\n") == ("One", "Two", "Three")
    mostly = b"\xef\xbb\xbfOne\r\n" + b"and more of it " * 20 + b"\xff\r\n"
    assert topics_in("t.txt", mostly)[0] == "One"


@pytest.mark.parametrize(
    ("content", "key"),
    [
        (b" \n\n", "batch-no-topics"),
        (b"x" * (1 << 20), "batch-long-topic"),
        ("\n".join(map(str, range(MOST_ITEMS + 1))).encode(), "batch-count"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(content: bytes, key: str) -> None:
    with pytest.raises(Refused) as refused:
        topics_in("t.txt", content)
    assert refused.value.key == key
    assert topics_in("t.txt", b"x" * LONGEST_TOPIC)
