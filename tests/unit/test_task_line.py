"""Where the time ends in a line, and what is to be done then begins; never is less understood than was said."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.test_when import HUGE, MOMENTS, NOW, WORDS, ZONES, shown, told

from nanoclaw.domain.errors import Refused
from nanoclaw.texts import LANGUAGES, tell
from nanoclaw.times.task_line import split_when
from nanoclaw.times.when import read_when

pytestmark = pytest.mark.capability("F1")

CALL = "call the bank"


def refused_line(text: str) -> str:
    with pytest.raises(Refused) as found:
        split_when(text, NOW, "Europe/Kyiv")
    return shown(found.value)


@pytest.mark.parametrize(
    ("line", "when", "prompt"),
    [
        ("every monday 8:00 send news", "0 8 * * 1", "send news"),
        ("every monday 8:00: send news", "0 8 * * 1", "send news"),
        ("every monday 8:00 - send news", "0 8 * * 1", "send news"),
        ("every monday 8:00 — send news", "0 8 * * 1", "send news"),
        ("every monday, 8:00, send news", "0 8 * * 1", "send news"),
        ("every monday 8:00 | a | b", "0 8 * * 1", "a | b"),
        ("every monday 8:00|send news", "0 8 * * 1", "send news"),
        ("every monday 8:00\n- one\n- two", "0 8 * * 1", "- one\n- two"),
        ("every monday 8:00:\n\nsend\n\nnews\n", "0 8 * * 1", "send\n\nnews"),
        ('"every monday 8:00" send news', "0 8 * * 1", "send news"),
        ('"every monday 8:00": at 9:00 it is too late', "0 8 * * 1", "at 9:00 it is too late"),
        ("«щопонеділка о 8:00» надішли новини", "0 8 * * 1", "надішли новини"),
        ("щопонеділка о 8:00 надішли новини", "0 8 * * 1", "надішли новини"),
        ("щодня о 9:00 у Києві яка погода?", "0 9 * * *", "у Києві яка погода?"),
        ("щодня о 9:00 що нового", "0 9 * * *", "що нового"),
        ("кожні 2 години перевір пошту", "7200 s", "перевір пошту"),
        ("every 90m check -v the mail", "5400 s", "check -v the mail"),
        ("every 90m -5 degrees or less?", "5400 s", "-5 degrees or less?"),
        ("0 8 * * 1 news", "0 8 * * 1", "news"),
        ("0 8 * * mon-fri, news", "0 8 * * MON-FRI", "news"),
        ("cron 0 8 * * 1 news of 5 cities", "0 8 * * 1", "news of 5 cities"),
        ("@daily news", "0 0 * * *", "news"),
        ("every mon, wed and fri at 8:30 am the news", "30 8 * * 1,3,5", "the news"),
        ("every monday 9:00 week review", "0 9 * * 1", "week review"),
        ("every day at 9:00 monday.com digest", "0 9 * * *", "monday.com digest"),
        ("every day at 9:00 weekly report", "0 9 * * *", "weekly report"),
        ("18:00 weekly report", "Wed 2026-11-18 18:00", "weekly report"),
        ("10:00 weekend plans", "Thu 2026-11-19 10:00", "weekend plans"),
        ("9:00 every client gets a letter", "Thu 2026-11-19 09:00", "every client gets a letter"),
        ("tomorrow 9:00 daily report", "Thu 2026-11-19 09:00", "daily report"),
        ("in 2 hours call", "Wed 2026-11-18 17:30", "call"),
        ("через 2 години подзвони", "Wed 2026-11-18 17:30", "подзвони"),
        ("2026-11-20T08:00Z launch", "Fri 2026-11-20 10:00", "launch"),
        ("every day at 9:00 from 5 sources collect", "0 9 * * *", "from 5 sources collect"),
        ("every 2 hours: at 9:00 it opens", "7200 s", "at 9:00 it opens"),
        ("tomorrow 9:00 | call", "Thu 2026-11-19 09:00", "call"),
        ("every day at 9:00 send:\n- news", "0 9 * * *", "send:\n- news"),
        ("every day at 9", "0 9 * * *", ""),
        ("on monday morning at 9 call", "Mon 2026-11-23 09:00", "call"),
        ("9:00 monday morning briefing", "Mon 2026-11-23 09:00", "morning briefing"),
        ("9:00 monday 2 reports", "Mon 2026-11-23 09:00", "2 reports"),
        ("every day at 9:00 morning report", "0 9 * * *", "morning report"),
        ("every day at 9:00 may 5 people come in?", "0 9 * * *", "may 5 people come in?"),
        ("every day at 9:00 tell me of 31 february", "0 9 * * *", "tell me of 31 february"),
        ("every day at 9:00: 18:30 is too late", "0 9 * * *", "18:30 is too late"),
        ("every 2 days: 9:00 is too early", "172800 s", "9:00 is too early"),
        ("next friday at 5pm call", "Fri 2026-11-27 17:00", "call"),
        ("1 травня о 9:00 привітай усіх", "Sat 2027-05-01 09:00", "привітай усіх"),
        ("щодня о шостій вечора новини", "0 18 * * *", "новини"),
        ("every day at 9:00 " + "x" * 300 + " a | b", "0 9 * * *", "x" * 300 + " a | b"),
    ],
    ids=lambda text: ascii(text[:40]),
)
def test_a_line_begins_with_the_time_and_goes_on_with_what_is_to_be_done(
    line: str, when: str, prompt: str
) -> None:
    schedule, rest = split_when(line, NOW, "Europe/Kyiv")
    assert (told(schedule), rest) == (when, prompt)


@pytest.mark.parametrize(
    ("line", "key"),
    [
        *(("", "when-line"), ("send news", "when-line"), ("| send news", "when-missing")),
        ("send news | every monday 8:00", "when-unclear"),
        ("every 2 days at 9:00 | news", "when-every-other"),
        ("tomorrow", "when-clock"),
        ("tomorrow | call", "when-clock"),
        ("send:\n- news", "when-line"),
        ("send me news every monday at 8", "when-line"),
        ('"send news" every monday 8:00', "when-unclear"),
        ("every day send news", "when-clock"),
        ("щодня надсилай новини", "when-clock"),
        ("tomorrow call the bank", "when-clock"),
        ("tomorrow morning call", "when-clock"),
        ("щоранку надсилай новини", "when-clock"),
        ("1 may congratulate", "when-clock"),
        ("0 0 8 * * 1 news", "cron-seconds"),
        ("61 * * * * news", "cron-field"),
        ("*/5 * * * check", "cron-fields"),
        ("every 0 minutes x", "interval-short"),
        ("2026-11-17 08:00 x", "until-past"),
        ("every 2 hours at 9:00 news", "when-end"),
        ("every day at 9:00 until 1 may remind me", "when-end"),
        ("every 2 days at 9:00 news", "when-every-other"),
        ("every 2 days, 9am news", "when-every-other"),
        ("every day at 9:00 and 18:30 news", "when-clocks"),
        ("every day at 9:00, 18:30 news", "when-clocks"),
        ("every day 25:00 news", "when-no-such-clock"),
        ("31 february 9:00 news", "when-no-such-day"),
        ("every hour from 9 to 18 check", "when-end"),
        ("щогодини з 9 до 18 перевіряй", "when-end"),
        ("every hour on weekdays check", "when-end"),
        ("every day at 9:00 every monday at 10:00 call", "when-end"),
        ("every friday at 18:00 and saturday at 10:00 call", "when-clocks"),
        ("every day at 9:00 until friday remind me", "when-end"),
        ("every day at 9:00 for 2 weeks remind me", "when-end"),
    ],
)
def test_a_time_that_was_not_fully_understood_is_no_beginning_of_a_prompt(line: str, key: str) -> None:
    assert refused_line(line) == key


@pytest.mark.parametrize(
    ("written", "when"),
    [
        # The part of the day behind the clock
        ("at 8 every morning; о 8 щоранку; о 8 кожного ранку; 8:00 every morning", "0 8 * * *"),
        ("at 7 every evening; at 7pm every evening; о 7 щовечора; о 19:00 кожного вечора", "0 19 * * *"),
        ("о 20:00 щовечора; о 8 кожного вечора; 8pm every evening", "0 20 * * *"),
        ("at 11 every night; об 11 щоночі; at 11pm every night", "0 23 * * *"),
        ("о 3 щоночі; at 3 every night", "0 3 * * *"),
        # Which half of the day
        ("завтра о 2 дня; завтра о другій дня; завтра о 2 годині дня", "Thu 2026-11-19 14:00"),
        ("щодня о третій дня; щодня о 3 дня", "0 15 * * *"),
        ("завтра о 11 дня; завтра об одинадцятій дня", "Thu 2026-11-19 11:00"),
        ("завтра о 12 дня; tomorrow at noon", "Thu 2026-11-19 12:00"),
        ("завтра о 12 ночі; tomorrow at 12 at night", "Thu 2026-11-19 00:00"),
        ("завтра о 3 ночі; tomorrow at 3 at night", "Thu 2026-11-19 03:00"),
        ("завтра об 11 ночі; tomorrow at 11 at night", "Thu 2026-11-19 23:00"),
        ("завтра о 2:30 дня", "Thu 2026-11-19 14:30"),
        ("tomorrow at 10 at night; завтра о 10 ночі", "Thu 2026-11-19 22:00"),
        # All of a length of time
        ("in 1 day 2 hours; in 26 hours; через 1 день 2 години", "Thu 2026-11-19 17:30"),
        ("2 hours from now", "Wed 2026-11-18 17:30"),
        ("every 1 day 12 hours", "129600 s"),
    ],
)
def test_what_is_said_behind_a_clock_belongs_to_the_time(written: str, when: str) -> None:
    for line in written.split("; "):
        schedule, rest = split_when(f"{line} {CALL}", NOW, "Europe/Kyiv")
        assert (told(schedule), rest) == (when, CALL), line


@pytest.mark.parametrize(
    "line",
    [
        # Days behind the clock: it would be done once
        *("9:00 mondays", "9am weekdays", "9:00 weekends", "at 9 mon-fri", "at 9am monday to friday"),
        *("о 9:00 пн-пт", "о 9 вт–чт", "every mon 9am wed 10am"),
        # More hours
        *("every day at 9 and 18", "щодня о 9 та 18", "tomorrow at 8 and 20", "завтра о 8 або 20"),
        *("tomorrow at 9 30", "завтра о 9 30"),
        # More of a length of time
        *("in 2 hours and 30 minutes", "через 2 години і 30 хвилин", "через годину 30 хвилин"),
        *("in an hour 30 minutes", "every hour and a half", "in an hour and a half"),
        # Less than every one
        *("every day at 9:00 except weekends", "every day at 9:00 except on sundays"),
        *("every day at 9:00 excluding weekends", "every day at 9:00 but not on sunday"),
        *("every day at 9:00 only on weekdays", "щодня о 9:00 крім вихідних", "щодня о 9:00 окрім неділі"),
        *("щодня о 9:00 але не в неділю", "щодня о 9:00 лише по буднях", "щодня о 9:00 тільки у вихідні"),
        *("every day at 9:00 in december", "щодня о 9:00 у грудні"),
        # Not for ever
        *("every day at 9:00 until december", "every day at 9:00 till 1 december", "щодня о 9:00 до грудня"),
        *("every day at 9:00 for a week", "every day at 9:00 starting monday"),
        *("every day at 9:00 starting tomorrow", "щодня о 9:00 починаючи з понеділка"),
        *("щодня о 9:00 протягом 2 тижнів", "щодня о 9:00 протягом тижня"),
    ],
)
def test_a_time_that_goes_on_is_refused_rather_than_cut_short(line: str) -> None:
    assert refused_line(f"{line} {CALL}") == "when-end"


@pytest.mark.parametrize(
    "line",
    [
        *(
            "every day at 9:00 UTC",
            "every day at 9:00 (UTC)",
            "tomorrow at 3pm EST",
            "tomorrow at 9:00 GMT+2",
        ),
        *("tomorrow at 15:00 CET", "2026-12-25 09:00 UTC", "2026-12-25 09:00 Europe/Paris"),
        *("tomorrow at 9:00 +03:00", "tomorrow at 9:00 Kyiv time", "завтра о 9:00 за UTC"),
        *("завтра о 9:00 Europe/Kyiv", "завтра о 9:00 київського часу", "завтра о 9 за київським часом"),
    ],
)
def test_another_clock_than_the_persons_own_is_refused(line: str) -> None:
    assert refused_line(f"{line} {CALL}") == "when-zone"


@pytest.mark.parametrize(
    ("when", "prompt"),
    [
        ("every friday 17:00", "log time"),
        ("щодня о 9:00", "10 хвилин йоги"),
        ("every monday 9:00", "week review"),
        ("tomorrow at 9", "london news"),
        *(
            ("every day at 9:00", prompt)
            for prompt in (
                *("birthdays of today", "5 facts", "but keep it short", "only the headlines"),
                *("in Ukrainian", "in short", "on the weather", "for the team", "and tell me"),
                *("time for tea", "europe news", "a half of the list"),
            )
        ),
        *(
            ("щодня о 9:00", prompt)
            for prompt in (
                *("лише заголовки", "тільки головне", "на пошту", "для команди", "до обіду все зроби"),
                *(
                    "але коротко",
                    "за новинами дня стеж",
                    "у новій групі спитай",
                    "у групу",
                    "та розкажи",
                    "час пити чай",
                    "починаючи з головного",
                ),
            )
        ),
        ("через 2 години", "20 віджимань"),
        ("in 2 hours", "30 pushups"),
    ],
)
def test_what_only_begins_like_more_of_a_time_is_what_is_to_be_done(when: str, prompt: str) -> None:
    schedule, rest = split_when(f"{when} {prompt}", NOW, "Europe/Kyiv")
    assert (schedule, rest) == (read_when(when, NOW, "Europe/Kyiv"), prompt)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_example_in_the_sentence_is_understood(language: str) -> None:
    line = tell(language, Refused("when-end", text="?")).split("|: " if language == "uk" else "it: ")[1]
    assert split_when(line, NOW, "Europe/Kyiv")[0].next_after(NOW) == NOW + timedelta(hours=17, minutes=30)


@given(
    MOMENTS,
    ZONES,
    st.lists(st.sampled_from(WORDS.split(" ")), max_size=9).map(" ".join) | st.text(max_size=40),
)
def test_no_line_does_anything_but_begin_with_a_time_or_be_refused(
    at: datetime, zone: str, text: str
) -> None:
    try:
        schedule, prompt = split_when(text, at, zone)
    except Refused as error:
        shown(error)
        return
    due = schedule.next_after(at)
    assert due is not None
    assert due > at
    assert text.rstrip().endswith(prompt)


@given(
    MOMENTS, ZONES, st.integers(0, 23), st.integers(0, 59), st.sampled_from(["|", "\n", " : ", " — ", " "])
)
def test_a_time_said_with_its_prompt_is_the_time_said_alone(
    at: datetime, zone: str, hour: int, minute: int, between: str
) -> None:
    for when in (f"every day at {hour}:{minute:02}", f"щосереди о {hour}:{minute:02}", f"{hour}:{minute:02}"):
        schedule, prompt = split_when(f"{when}{between}подзвони мамі", at, zone)
        assert schedule == read_when(when, at, zone)
        assert prompt == "подзвони мамі"


@pytest.mark.parametrize("text", HUGE, ids=lambda text: ascii(text[:20]))
def test_what_is_huge_is_refused(text: str) -> None:
    with pytest.raises(Refused):
        split_when(text, NOW, "Europe/Kyiv")


def test_a_prompt_of_a_million_letters_stays_whole() -> None:
    prompt = "я" * 1_000_000
    assert split_when(f"every day at 9:00 {prompt}", NOW, "Europe/Kyiv")[1] == prompt
