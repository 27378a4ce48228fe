"""Amounts of money as reports show them: rounded for people, exact for spreadsheets."""

from nanoclaw.domain.cost_reports import Forecast
from nanoclaw.domain.money import MICROS, dollars
from nanoclaw.texts import say


def money(micros: int) -> str:
    """`$1.20`, `$0.0031`, `-$0.0004`: filling a cache saves less than nothing."""
    return f"-{dollars(-micros)}" if micros < 0 else dollars(micros)


def exact(micros: int) -> str:
    """In dollars, to the last digit."""
    sign, whole = "-" if micros < 0 else "", abs(micros)
    return f"{sign}{whole // MICROS}.{whole % MICROS:06d}"


def forecast_sentence(forecast: Forecast | None, language: str) -> str:
    if forecast is None:
        return say(language, "costs-no-forecast")
    return say(
        language,
        "costs-forecast",
        expected=money(forecast.expected),
        low=money(forecast.low),
        high=money(forecast.high),
        days=forecast.days,
    )
