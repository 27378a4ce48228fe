"""A budget in words: what is used of it, what that means, and how to change it."""

from collections.abc import Iterator

from nanoclaw.domain.budgets import Level, Period, Standing, Used
from nanoclaw.domain.money import dollars_and_cents
from nanoclaw.domain.text import as_written
from nanoclaw.texts import say


def budget_text(standing: Standing, company: str, language: str, *, waiting: int, added: int) -> str:
    """The budget for a chat. `waiting`: how much work waits for money; `added`: what owners added today."""
    lines = [say(language, "budget-head", company=as_written(company)), ""]
    lines += [f"- {used_line(used, language)}" for used in (standing.day, standing.month)]
    lines += [f"- {line}" for line in _more(standing, language, waiting=waiting, added=added)]
    return "\n".join([*lines, "", level_sentence(standing, language), "", say(language, "budget-how")])


def used_line(used: Used, language: str) -> str:
    if used.limit is None:
        return say(
            language, "budget-used-unlimited", period=used.period.value, spent=dollars_and_cents(used.spent)
        )
    return say(
        language,
        "budget-used",
        period=used.period.value,
        spent=dollars_and_cents(used.spent),
        limit=dollars_and_cents(used.limit),
        percent=int(used.share * 100),
    )


def level_sentence(standing: Standing, language: str) -> str:
    """What the level means for a person who writes now."""
    if not standing.budget.is_set:
        return say(language, "budget-level-none")
    level = standing.level
    if level is Level.SPENT and not standing.may_overdraw:
        return say(language, "budget-level-over")
    return say(
        language,
        f"budget-level-{level.name.lower().replace('_', '-')}",
        percent=round(standing.budget.alert_at * 100),
        critical=round(standing.budget.critical_at * 100),
    )


def alert_text(standing: Standing, used: Used, level: Level, company: str, language: str) -> str:
    """The alert to owners when a level of a period is reached."""
    key = {Level.STEPPED_DOWN: "budget-alert", Level.SMALLEST: "budget-alert-critical"}.get(
        level, "budget-alert-spent"
    )
    return say(
        language,
        key,
        company=as_written(company),
        period=used.period.value,
        percent=min(int(used.share * 100), 100) if level is not Level.SPENT else 100,
        spent=dollars_and_cents(used.spent),
        limit=dollars_and_cents(used.limit or 0),
        overdraft="yes" if standing.budget.overdraft else "no",
    )


def _more(standing: Standing, language: str, *, waiting: int, added: int) -> Iterator[str]:
    if added:
        yield say(language, "budget-added", amount=dollars_and_cents(added))
    if standing.budget.overdraft:
        yield say(language, "budget-overdraft", amount=dollars_and_cents(standing.budget.overdraft))
    if waiting:
        yield say(language, "budget-waiting", count=waiting)


PERIOD_WORDS = {
    Period.DAY: ("day", "daily", "today", "день", "на день", "денний", "сьогодні", "доба", "на добу"),
    Period.MONTH: ("month", "monthly", "місяць", "на місяць", "місячний"),
}
"""How people name a period, in both languages."""
