"""A client of a host's budgets over its HTTP API, for the command line."""

from nanoclaw.client.connection import OnCommandLine, as_part
from nanoclaw.console.budget_shapes import Budget, BudgetList


class BudgetClient(OnCommandLine):
    async def all(self) -> list[Budget]:
        return (await self._ask(BudgetList, "GET", "/api/budgets")).budgets

    async def get(self, company: str) -> Budget:
        return await self._ask(Budget, "GET", _path(company))

    async def set_limit(self, company: str, period: str, amount: str) -> Budget:
        wanted = {"period": period, "amount": amount}
        return await self._ask(Budget, "POST", f"{_path(company)}/limit", wanted)

    async def override(self, company: str, amount: str) -> Budget:
        return await self._ask(Budget, "POST", f"{_path(company)}/override", {"amount": amount})


def _path(company: str) -> str:
    return f"/api/budgets/{as_part(company)}"
