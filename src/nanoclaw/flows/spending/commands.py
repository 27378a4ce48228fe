"""`/costs` in a chat: what agents have cost, short enough for a phone. Members see the companies of their chat only."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from nanoclaw.context.groups import Groups
from nanoclaw.domain.cost_reports import DearTurn, Grouping, Report, Sums
from nanoclaw.domain.errors import BadWorkspace, Refused
from nanoclaw.domain.people import Role
from nanoclaw.domain.text import as_written
from nanoclaw.durable.store import Tx
from nanoclaw.flows.incoming.commands import Answer, CommandContext, RefusedAnswer, refused_in_words
from nanoclaw.flows.spending import names, periods
from nanoclaw.flows.spending.groupings import find_grouping, read_grouping
from nanoclaw.flows.spending.money_text import forecast_sentence, money
from nanoclaw.flows.spending.reports import CostReports, ReportQuery
from nanoclaw.texts import say

_MOST_LINES, _MOST_DAYS, _MOST_TURNS = 5, 14, 3
_FOR_MEMBERS = frozenset([Grouping.MODEL, Grouping.FLOW, Grouping.SKILL, Grouping.DAY])
_BY = frozenset(["by"])
_FILLERS = _BY | frozenset(
    ["for", "the", "since", "last", "this", "за", "по", "з", "від", "останній", "цей", "цього"]
)


@dataclass(frozen=True, kw_only=True, slots=True)
class VisibleCosts:
    """Whose costs someone sees here: all companies, or some."""

    companies: tuple[str, ...] | None
    is_owner: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class CostCommands:
    groups: Groups
    reports: CostReports

    def answers(self) -> Mapping[str, Answer]:
        return {"costs": partial(refused_in_words, self._costs)}

    def _costs(self, tx: Tx, argument: str, asked: CommandContext) -> str:
        """`/costs`, `/costs week`, `/costs by model`, `/costs 30d by skill`."""
        language, seen = asked.locale.speaks, self._seen(asked)
        if seen.companies == ():
            return RefusedAnswer(say(language, "costs-chat-no-company"))
        since, by = read_wish(argument)
        if by and by not in _FOR_MEMBERS and not seen.is_owner:
            raise Refused("costs-not-for-you", by=say(language, f"costs-by-{by}").lower())
        if since or by:
            return self._period(tx, since or periods.MONTH, by, seen, language)
        return self._overview(tx, seen, asked)

    def _seen(self, asked: CommandContext) -> VisibleCosts:
        """An owner sees all companies where the main agent is, and elsewhere what the chat's members see."""
        is_owner = asked.rights.everywhere.may(Role.OWNER)
        if is_owner and self.groups.main().name in asked.groups:
            return VisibleCosts(companies=None, is_owner=True)
        mine = [name for name in asked.groups if asked.rights.role_in(name).may(Role.MEMBER)]
        return VisibleCosts(companies=tuple(dict.fromkeys(self._companies(mine))), is_owner=is_owner)

    def _companies(self, names_of_groups: Sequence[str]) -> Iterator[str]:
        """The companies of these groups, except groups whose file is broken."""
        for name in names_of_groups:
            with suppress(BadWorkspace):
                yield self.groups.get(name).company

    def _overview(self, tx: Tx, seen: VisibleCosts, asked: CommandContext) -> str:
        language = asked.locale.speaks
        overview = self.reports.overview(tx, seen.companies)
        whose = say(language, "costs-all-companies") if seen.companies is None else ", ".join(seen.companies)
        told = {"today": money(overview.today.micros), "month": money(overview.month.micros)}
        head = [
            say(language, "costs-chat-head", company=as_written(whose), **told),
            forecast_sentence(overview.forecast, language),
        ]
        if not overview.month.calls:
            return "\n".join(head)
        parts = ["\n".join(head)]
        kinds = [Grouping.MODEL, Grouping.FLOW]
        parts += [
            self._lines(self._report(tx, by, periods.MONTH, seen, language), language)
            for by in ([Grouping.COMPANY, *kinds] if seen.companies is None else kinds)
        ]
        parts.append(self._turns(tx, seen, asked))
        parts.append(_saved(overview.month, language))
        return "\n\n".join([*(part for part in parts if part), say(language, "costs-chat-foot")])

    def _period(self, tx: Tx, since: str, by: Grouping | None, seen: VisibleCosts, language: str) -> str:
        reports = [
            self._report(tx, each, since, seen, language)
            for each in ([by] if by else [Grouping.MODEL, Grouping.FLOW])
        ]
        word = since if since in (periods.TODAY, periods.WEEK, periods.MONTH, periods.ALL) else "date"
        total = reports[0].total
        told = {"money": money(total.micros), "calls": total.calls, "since": str(reports[0].since)}
        head = say(language, f"costs-chat-since-{word}", **told)
        return "\n\n".join([head, *(self._lines(report, language) for report in reports if report.lines)])

    def _report(self, tx: Tx, by: Grouping, since: str, seen: VisibleCosts, language: str) -> Report:
        return self.reports.report(
            tx, ReportQuery(by=by, since=since, companies=seen.companies, language=language)
        )

    def _lines(self, report: Report, language: str) -> str:
        """The most expensive ones, or the last days."""
        is_day = report.by is Grouping.DAY
        shown = report.lines[-_MOST_DAYS:] if is_day else report.lines[:_MOST_LINES]
        total = report.total.micros
        lines = [say(language, "costs-chat-by", by=say(language, f"costs-by-{report.by}")), ""]
        for line in shown:
            told = {"name": as_written(line.name), "money": money(line.sums.micros)}
            share = f"{line.sums.micros / total:.0%}" if total > 0 else ""
            key = "costs-chat-line-plain" if is_day or not share else "costs-chat-line"
            lines.append(say(language, key, share=share, **told))
        if count := len(report.lines) - len(shown):
            rest = total - sum(line.sums.micros for line in shown)
            lines.append(say(language, "costs-chat-others", count=count, money=money(rest)))
        return "\n".join(lines)

    def _turns(self, tx: Tx, seen: VisibleCosts, asked: CommandContext) -> str:
        """The most expensive turns, without their words: they may have been said in another chat."""
        language = asked.locale.speaks
        wanted = ReportQuery(by=Grouping.DAY, companies=seen.companies)
        found = self.reports.dear_turns(tx, wanted, _MOST_TURNS)
        lines = [_turn_line(turn, asked) for turn in found]
        return "\n".join([say(language, "costs-chat-turns"), "", *lines]) if lines else ""


def _turn_line(turn: DearTurn, asked: CommandContext) -> str:
    language = asked.locale.speaks
    at = f"{turn.at.astimezone(asked.locale.zone):%d.%m %H:%M}"
    what = ", ".join(each for each in (names.flow_name(turn.flow, language), turn.skill) if each)
    return say(language, "costs-chat-turn", at=at, what=as_written(what), money=money(turn.sums.micros))


def _saved(total: Sums, language: str) -> str:
    if not total.saved_by_cache and not total.saved_by_batch:
        return ""
    told = {"cache": money(total.saved_by_cache), "batch": money(total.saved_by_batch)}
    return say(language, "costs-chat-saved", **told)


def read_wish(argument: str) -> tuple[str | None, Grouping | None]:
    """Read since when and by what, in any order."""
    since, by, before = None, None, ""
    for word in argument.casefold().split():
        if word not in _FILLERS:
            found = find_grouping(word)
            if found and (found is not Grouping.DAY or before in _BY or word != "day"):
                by = found
            elif before in _BY:
                by = read_grouping(word)
            else:
                since = periods.read_since(word)
        before = word
    return since, by
