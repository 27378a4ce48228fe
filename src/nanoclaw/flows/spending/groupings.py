"""The words by which people ask how costs are grouped, in both languages."""

from nanoclaw.domain.cost_reports import Grouping
from nanoclaw.domain.errors import Refused

_WORDS = {
    Grouping.COMPANY: ("companies", "компанія", "компанії", "компанією", "компаніях", "компаніями"),
    Grouping.MODEL: ("models", "модель", "моделі", "моделлю", "моделях", "моделями"),
    Grouping.FLOW: ("flows", "потік", "потоки", "потоком", "потоках", "видами", "видах"),
    Grouping.SKILL: ("skills", "навичка", "навички", "навичкою", "навичках", "навичками"),
    Grouping.PERSON: ("people", "persons", "люди", "людина", "людиною", "людях", "людьми"),
    Grouping.GROUP: ("groups", "група", "групи", "групою", "групах", "групами"),
    Grouping.CHAT: ("chats", "чат", "чати", "чатом", "чатах", "чатами"),
    Grouping.TASK: (
        *("tasks", "задача", "задачі", "задачею", "задачах", "задачами"),
        *("завдання", "завданням", "завданнях", "завданнями"),
    ),
    Grouping.RUN: ("runs", "pipelines", "запуск", "запуски", "запуском", "запусках", "запусками"),
    Grouping.DAY: ("days", "дні", "днем", "днях", "днями"),
}
_MEANT = {word: by for by, words in _WORDS.items() for word in (by.value, *words)}


def find_grouping(word: str) -> Grouping | None:
    return _MEANT.get(word.casefold())


def read_grouping(typed: str) -> Grouping:
    found = find_grouping(typed.strip())
    if found is None:
        raise Refused("costs-by", said=typed.strip()[:40], known=", ".join(Grouping))
    return found
