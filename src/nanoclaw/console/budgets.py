"""Endpoints for budgets. Whoever holds the token sees and changes them as the owner of this machine."""

from starlette.requests import Request

from nanoclaw.console import budget_shapes as shapes
from nanoclaw.console.body import read_body
from nanoclaw.console.console import Console
from nanoclaw.console.openapi import Endpoint
from nanoclaw.domain.budgets import NOTHING, Period, Used
from nanoclaw.domain.errors import ModelRefused, NotFound
from nanoclaw.domain.money import MICROS
from nanoclaw.domain.news import EVERY_CHAT, BudgetChanged
from nanoclaw.domain.people import Actor
from nanoclaw.durable import budgets
from nanoclaw.durable.after_commit import announce
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.flows.budgets.amounts import read_addition, read_limit
from nanoclaw.flows.budgets.budget_text import level_sentence
from nanoclaw.gateway.standings import read_standing
from nanoclaw.texts import tell


async def list_budgets(_request: Request, console: Console) -> shapes.BudgetList:
    def look(tx: Tx) -> shapes.BudgetList:
        language = console.locale_of_owner(tx).speaks
        return shapes.BudgetList(
            budgets=[_show(tx, console, company, language) for company in console.groups.companies()]
        )

    return await console.store.read(look)


async def get_budget(request: Request, console: Console) -> shapes.Budget:
    company = _company(request, console)

    def look(tx: Tx, _by: Actor) -> shapes.Budget:
        announce(tx, EVERY_CHAT, BudgetChanged(company))  # so that its file shows the same
        return _show(tx, console, company, console.locale_of_owner(tx).speaks)

    return await console.act(request, look)


async def set_limit(request: Request, console: Console) -> shapes.Budget:
    company = _company(request, console)
    wanted = shapes.NewLimit.model_validate_json(await read_body(request))

    def story(tx: Tx, by: Actor) -> shapes.Budget:
        micros = read_limit(wanted.amount)
        console.budgets.set_limit(tx, by, company, Period(wanted.period), micros, now())
        return _show(tx, console, company, console.locale_of_owner(tx).speaks)

    return await console.act(request, story)


async def override(request: Request, console: Console) -> shapes.Budget:
    company = _company(request, console)
    wanted = shapes.NewOverride.model_validate_json(await read_body(request))

    def story(tx: Tx, by: Actor) -> shapes.Budget:
        console.budgets.override(tx, by, company, read_addition(wanted.amount), now())
        return _show(tx, console, company, console.locale_of_owner(tx).speaks)

    return await console.act(request, story)


def _company(request: Request, console: Console) -> str:
    company: str = request.path_params["company"]
    if company not in console.groups.companies():
        raise NotFound("budget-no-company", company=company[:60])
    return company


def _show(tx: Tx, console: Console, company: str, language: str) -> shapes.Budget:
    changes = console.budgets
    fault = changes.files.fault(company)
    try:
        standing = changes.standing(tx, company, now())
    except ModelRefused:  # there never was a readable file: nothing may be spent
        standing = read_standing(tx, company, NOTHING, now())
    return shapes.Budget(
        company=company,
        day=_used(standing.day),
        month=_used(standing.month),
        level=standing.level.value,
        sentence=level_sentence(standing, language),
        overdraft_usd=_usd(standing.budget.overdraft),
        added_today_usd=_usd(budgets.overrides(tx, company, standing.day.began)),
        waiting=budgets.count_unpaid(tx, company),
        timezone=str(standing.budget.zone),
        fault=tell(language, fault) if fault else None,
    )


def _used(used: Used) -> shapes.UsedLimit:
    return shapes.UsedLimit(
        period=used.period.value,
        spent_usd=_usd(used.spent),
        limit_usd=None if used.limit is None else _usd(used.limit),
        share=round(used.share, 4),
        ends_at=used.ends,
    )


def _usd(micros: int) -> float:
    return micros / MICROS


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/api/budgets",
        summary="What each company may spend, and how much of it is used",
        answer=list_budgets,
        gives=shapes.BudgetList,
    ),
    Endpoint(
        method="GET",
        path="/api/budgets/{company}",
        summary="The budget of a company; its file is brought up to date",
        answer=get_budget,
        gives=shapes.Budget,
    ),
    Endpoint(
        method="POST",
        path="/api/budgets/{company}/limit",
        summary="Set or remove the limit of a day or of a month, in the file of the company",
        answer=set_limit,
        takes=shapes.NewLimit,
        gives=shapes.Budget,
    ),
    Endpoint(
        method="POST",
        path="/api/budgets/{company}/override",
        summary="Add money for today and this month; what waits for money goes on",
        answer=override,
        takes=shapes.NewOverride,
        gives=shapes.Budget,
    ),
)
