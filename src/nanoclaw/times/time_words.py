"""The words that times are made of, in both languages, in lower case and with a straight apostrophe."""

import re
import unicodedata
from collections.abc import Iterable
from datetime import timedelta


def word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _by_word(rows: Iterable[str], first: int = 0) -> dict[str, int]:
    return {word: number for number, words in enumerate(rows, first) for word in words.split()}


EVERY = word_set("every each кожен кожна кожне кожні кожного кожної кожну кожних що")
AND = word_set("and & і й та")
# Words that only join others. None of them ends a time: "щодня о 9:00 у Києві" must not lose its "у".
JOINING = EVERY | AND | word_set("at on the of from о об в у на з із по")
THIS = word_set("this coming цей ця це цю цього цієї")
NEXT = word_set("next наступний наступна наступну наступного наступної")
WEEKDAYS = _by_word(
    (
        "monday mon понеділок понеділка пон пн",
        "tuesday tue tues вівторок вівторка вт",
        "wednesday wed weds середа середи середу ср",
        "thursday thu thur thurs четвер четверга чт",
        "friday fri п'ятниця п'ятниці п'ятницю пт",
        "saturday sat субота суботи суботу сб",
        "sunday sun неділя неділі неділю нд",
    )
)
DAYS_AHEAD = _by_word(("yesterday вчора учора", "today сьогодні", "tomorrow завтра", "післязавтра"), first=-1)
MONTHS = _by_word(
    (
        "january jan січня",
        "february feb лютого",
        "march mar березня",
        "april apr квітня",
        "may травня",
        "june jun червня",
        "july jul липня",
        "august aug серпня",
        "september sep sept вересня",
        "october oct жовтня",
        "november nov листопада",
        "december dec грудня",
    ),
    first=1,
)
# The first to the fourth such day of a month, and the last.
PLACES = {
    word: place
    for place, words in {
        "#1": "first 1st перший перша першого першої першу",
        "#2": "second 2nd другий друга другого другої другу",
        "#3": "third 3rd третій третя третього третьої третю",
        "#4": "fourth 4th четвертий четверта четвертого четвертої четверту",
        "L": "last останній остання останнього останньої останню",
    }.items()
    for word in words.split()
}
UNITS = {
    word: timedelta(seconds=seconds)
    for seconds, words in {
        1: "s sec secs second seconds с сек секунда секунди секунду секунд",
        60: "m min mins minute minutes хв хвилина хвилини хвилину хвилин",
        3600: "h hr hrs hour hours г год година години годину годин",
        86_400: "d day days д дн день дня дні днів",
        604_800: "w week weeks тиж тиждень тижня тижні тижнів",
    }.items()
    for word in words.split()
}
_GROUPS = {
    "weekday weekdays workday workdays будень будні будня буднях робочі робочих робочого": (0, 1, 2, 3, 4),
    "weekend weekends вихідні вихідних вихідним": (5, 6),
}
GROUPS = {word: days for words, days in _GROUPS.items() for word in words.split()}
_PERIODS = {
    "day": word_set("day days день дня дні днях"),
    "week": word_set("week тиждень тижня"),
    "month": word_set("month місяць місяця"),
    "year": word_set("year рік року"),
}


def period(word: str) -> str:
    """`day`, `week`, `month`, `year`, or empty."""
    return next((name for name, words in _PERIODS.items() if word in words), "")


def words_of(text: str) -> list[str]:
    plain = unicodedata.normalize("NFC", text).lower()
    plain = re.sub("[’ʼ`´]", "'", plain)
    plain = re.sub(r"(?<=-[0-9]{2})t(?=[0-9])", " ", plain)
    return [word.rstrip(".,!") for word in plain.split()]
