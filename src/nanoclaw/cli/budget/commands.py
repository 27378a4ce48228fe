"""The commands about budgets: what companies may spend, setting it, and adding to it for today and this month."""

from collections.abc import Awaitable, Callable, Iterator
from typing import Annotated, TypeVar

import typer

from nanoclaw.cli import host_requests
from nanoclaw.cli.options import AsJson, guarded_home, help_of
from nanoclaw.cli.output import as_dict, print_json
from nanoclaw.client.budgets import BudgetClient
from nanoclaw.client.connection import Address
from nanoclaw.console.budget_shapes import Budget, UsedLimit
from nanoclaw.context.groups import Groups
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.money import MICROS, dollars_and_cents
from nanoclaw.texts import say

T = TypeVar("T")

app = typer.Typer()
budget = typer.Typer(help=help_of("budget"))
app.add_typer(budget, name="budget")

Company = Annotated[str | None, typer.Option("--company", help=help_of("budget-company"))]
Period = Annotated[str, typer.Argument(metavar="day|month", help=help_of("budget-period"))]
Amount = Annotated[str, typer.Argument(metavar="AMOUNT", help=help_of("budget-amount"))]


@budget.callback(invoke_without_command=True)
def show_usual(asked: typer.Context, as_json: AsJson = False) -> None:
    if asked.invoked_subcommand is None:
        _print_all(as_json=as_json)


@budget.command("show", help=help_of("budget-show"))
def show(company: Company = None, as_json: AsJson = False) -> None:
    """Show all of them, unless one is named."""
    if company is None:
        _print_all(as_json=as_json)
        return
    _print(lambda client: client.get(company), as_json=as_json)


@budget.command("set", help=help_of("budget-set"))
def set_limit(period: Period, amount: Amount, company: Company = None, as_json: AsJson = False) -> None:
    if period not in ("day", "month"):
        raise Refused("budget-period", written=period[:40])
    _print(lambda client: client.set_limit(_company(company), period, amount), as_json=as_json)


@budget.command("override", help=help_of("budget-override"))
def override(amount: Amount, company: Company = None, as_json: AsJson = False) -> None:
    _print(lambda client: client.override(_company(company), amount), as_json=as_json)


def _company(named: str | None) -> str:
    return named or Groups(guarded_home()).main().company


def _print_all(*, as_json: bool) -> None:
    found, locale = _through_host(lambda client: client.all())
    if as_json:
        print_json([as_dict(each) for each in found])
    else:
        typer.echo("\n\n".join("\n".join(_lines(each, locale.speaks)) for each in found))


def _print(act: Callable[[BudgetClient], Awaitable[Budget]], *, as_json: bool) -> None:
    found, locale = _through_host(act)
    if as_json:
        print_json(as_dict(found))
    else:
        typer.echo("\n".join(_lines(found, locale.speaks)))


def _lines(found: Budget, language: str) -> Iterator[str]:
    yield say(language, "budget-head", company=found.company).replace("*", "")
    for used in (found.day, found.month):
        yield f"  {_used_line(used, language)}"
    if found.added_today_usd:
        yield f"  {say(language, 'budget-added', amount=_dollars(found.added_today_usd))}"
    if found.overdraft_usd:
        yield f"  {say(language, 'budget-overdraft', amount=_dollars(found.overdraft_usd))}"
    if found.waiting:
        yield f"  {say(language, 'budget-waiting', count=found.waiting)}"
    yield f"  {found.sentence}"
    if found.fault:
        yield f"  {found.fault}"


def _used_line(used: UsedLimit, language: str) -> str:
    spent = _dollars(used.spent_usd)
    if used.limit_usd is None:
        return say(language, "budget-used-unlimited", period=used.period, spent=spent)
    return say(
        language,
        "budget-used",
        period=used.period,
        spent=spent,
        limit=_dollars(used.limit_usd),
        percent=int(used.share * 100),
    )


def _dollars(amount: float) -> str:
    return dollars_and_cents(round(amount * MICROS))


def _through_host(act: Callable[[BudgetClient], Awaitable[T]]) -> tuple[T, Locale]:
    async def ask(address: Address) -> T:
        async with BudgetClient(address) as client:
            return await act(client)

    return host_requests.through_host(ask)
