"""The places where people see what model calls cost: `/costs` in chats, and the page."""

from nanoclaw.context.budget_files import BudgetFiles
from nanoclaw.context.groups import Groups
from nanoclaw.durable.clock import now
from nanoclaw.flows.incoming.commands import Commands
from nanoclaw.flows.spending.commands import CostCommands
from nanoclaw.flows.spending.reports import CostReports
from nanoclaw.host.company_clocks import clock_of
from nanoclaw.host.settings import Settings


def open_costs(files: BudgetFiles, settings: Settings, groups: Groups, commands: Commands) -> CostReports:
    reports = CostReports(zone_of=clock_of(files, settings.locale.zone), now=now)
    commands.learn(CostCommands(groups=groups, reports=reports).answers())
    return reports
