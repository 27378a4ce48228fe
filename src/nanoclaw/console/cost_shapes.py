"""What the API shows of costs. Amounts are exact in `micros` (millionths of a dollar) and rounded in `money`."""

from datetime import date, datetime

from pydantic import Field

from nanoclaw.console.shape import Shape, Word
from nanoclaw.domain.cost_reports import Grouping


class Spending(Shape):
    """Model calls added up; `input` includes reads and writes of the vendor's cache, `cached` are the reads."""

    calls: int
    input: int
    cached: int
    output: int
    micros: int
    money: str
    saved_by_cache: int
    saved_by_batch: int
    saved: str


class Forecast(Shape):
    """The forecast for the end of the month, in micros, and from how many earlier days."""

    expected: int
    low: int
    high: int
    days: int


class CompanyCosts(Shape):
    company: str
    today: Spending
    month: Spending


class Costs(Shape):
    """`companies` are those with costs this month, `known` all that ever had any. `forecast` is null while there is no
    earlier day to judge by; `outlook` says either in a sentence."""

    today: Spending
    month: Spending
    companies: list[CompanyCosts]
    known: list[str]
    forecast: Forecast | None
    outlook: str


class CostsWanted(Shape):
    """By what, since when (`month`, `week`, `today`, `all`, `7d`, `2026-11-01`), and of which company."""

    by: Word = Grouping.DAY
    since: Word = "30d"
    company: Word | None = None


class CostLine(Shape):
    """`key` is null for what belongs to none, or is unknown."""

    key: str | None
    name: str
    spent: Spending


class OnTheWay(Shape):
    calls: int
    micros: int
    money: str


class CostReport(Shape):
    """`total` is the sum of the exact amounts of all lines."""

    by: str
    since: date | None
    lines: list[CostLine]
    total: Spending
    on_the_way: OnTheWay
    saved_by_cache: str
    saved_by_batch: str


class DearTurnsWanted(Shape):
    since: Word = "30d"
    company: Word | None = None
    limit: int = Field(default=10, ge=1, le=100)


class DearTurn(Shape):
    """`message` leads to its story (`/api/messages/{message}/why`), `run` to its pipeline, `task` to its task."""

    turn: str
    at: datetime
    company: str
    flow: str
    skill: str
    models: list[str]
    person: str | None
    chat: str | None
    message: str | None
    task: int | None
    run: str | None
    spent: Spending


class DearTurns(Shape):
    turns: list[DearTurn]
