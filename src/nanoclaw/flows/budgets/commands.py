"""`/budget` and `/budget-override`: everyone in a company's chats sees its budget, and owners change it there."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from nanoclaw.context.groups import Groups
from nanoclaw.domain.budgets import Period
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.money import dollars_and_cents
from nanoclaw.domain.news import EVERY_CHAT, BudgetChanged
from nanoclaw.domain.people import Role
from nanoclaw.domain.text import as_written
from nanoclaw.durable import budgets
from nanoclaw.durable.after_commit import announce
from nanoclaw.durable.store import Tx
from nanoclaw.flows.budgets.amounts import read_addition, read_limit
from nanoclaw.flows.budgets.budget_text import PERIOD_WORDS, budget_text
from nanoclaw.flows.budgets.changes import BudgetChanges
from nanoclaw.flows.incoming.commands import Answer, CommandContext, refused_in_words
from nanoclaw.texts import say


@dataclass(frozen=True, kw_only=True, slots=True)
class BudgetCommands:
    groups: Groups
    changes: BudgetChanges

    def answers(self) -> Mapping[str, Answer]:
        known: dict[str, Callable[[Tx, str, CommandContext], str]] = {
            "budget": self._budget,
            "budget-override": self._override,
        }
        return {name: partial(refused_in_words, act) for name, act in known.items()}

    def _budget(self, tx: Tx, argument: str, asked: CommandContext) -> str:
        """`/budget` shows it, `/budget day $5` and `/budget month 50` set a limit."""
        company = self._company(asked)
        if not argument:
            return self._show(tx, company, asked)
        period, written = _read_period(argument)
        micros = read_limit(written)
        self.changes.set_limit(tx, asked.actor, company, period, micros, asked.at)
        language = asked.locale.speaks
        amount = "none" if micros is None else dollars_and_cents(micros)
        done = say(language, "budget-set", company=as_written(company), period=period.value, amount=amount)
        return f"{done}\n\n{self._show(tx, company, asked)}"

    def _override(self, tx: Tx, argument: str, asked: CommandContext) -> str:
        company = self._company(asked)
        if not argument:
            raise Refused("budget-override-how")
        added = read_addition(argument)
        self.changes.override(tx, asked.actor, company, added, asked.at)
        done = say(
            asked.locale.speaks,
            "budget-overridden",
            amount=dollars_and_cents(added.micros),
            company=as_written(added.name or company),
            of=added.kind or "company",
        )
        return f"{done}\n\n{self._show(tx, company, asked)}"

    def _show(self, tx: Tx, company: str, asked: CommandContext) -> str:
        standing = self.changes.standing(tx, company, asked.at)
        announce(tx, EVERY_CHAT, BudgetChanged(company))  # so that its file shows the same
        return budget_text(
            standing,
            company,
            asked.locale.speaks,
            waiting=budgets.count_unpaid(tx, company),
            added=budgets.overrides(tx, company, standing.day.began),
        )

    def _company(self, asked: CommandContext) -> str:
        """The company of the first agent here whose group they belong to; failing that, owners mean the main
        group's.
        """
        for group in asked.groups:
            company = self.groups.company_of(group)
            if company and asked.rights.role_in(group).may(Role.MEMBER):
                return company
        if asked.rights.everywhere.may(Role.OWNER):
            return self.groups.main().company
        raise Refused("budget-no-agent")


def _read_period(argument: str) -> tuple[Period, str]:
    """The period and the amount, in either order."""
    text = argument.strip()
    for period, words in PERIOD_WORDS.items():
        for word in sorted(words, key=len, reverse=True):
            if text.lower().startswith(f"{word} "):
                return period, text[len(word) :].strip()
            if text.lower().endswith(f" {word}"):
                return period, text[: -len(word)].strip()
    raise Refused("budget-how", written=text[:40])
