"""One small real completion: proves that the key, the model and the prices are in order, and says what it cost."""

from pathlib import Path

from nanoclaw.context.budget_files import BudgetFiles
from nanoclaw.domain.ids import HostId, SessionId, TurnId, new_id
from nanoclaw.domain.money import Spender
from nanoclaw.domain.turns import Spent, SystemPrompt, TurnRequest
from nanoclaw.durable.store import Store
from nanoclaw.gateway.completion import Completions
from nanoclaw.gateway.model_calls import Gateway
from nanoclaw.host.agents import DEMO, NATIVE, default_runtime, ledger_of, native_model
from nanoclaw.host.budget_parts import usual_budget
from nanoclaw.host.keys import ANTHROPIC, Keys
from nanoclaw.host.settings import Settings

_PROMPT = "Reply with the single word: ready"
_MOST_OUTPUT = 200


async def complete(home: Path, settings: Settings, store: Store) -> Spent | None:
    """None if the agent is the demo, which needs no model. Raises ModelFailed, ModelRefused or ModelOutage."""
    keys = Keys(home, settings)
    runtime = default_runtime(settings, keys)
    if runtime == DEMO:
        return None
    budgets = BudgetFiles(home, usual_budget(settings))
    ledger = ledger_of(home, settings, store, HostId(new_id("h")), budgets.of)
    try:
        ask = _by_vendor if runtime == NATIVE else _by_anthropic
        return await ask(Gateway(ledger), settings, keys)
    finally:
        await ledger.close()


async def _by_anthropic(gateway: Gateway, settings: Settings, keys: Keys) -> Spent:
    completions = Completions(gateway, settings.anthropic.base_url, lambda: keys.get(ANTHROPIC))
    _answer, spent = await completions.ask(_SPENDER, settings.agents.haiku, _PROMPT, most_output=_MOST_OUTPUT)
    return spent


async def _by_vendor(gateway: Gateway, settings: Settings, keys: Keys) -> Spent:
    model = settings.agents.haiku
    request = TurnRequest(
        turn_id=TurnId("doctor"),
        session_id=SessionId("doctor"),
        group="doctor",
        company="doctor",
        skill="",
        model=model,
        system_prompt=SystemPrompt(foundation="", company="", skill=""),
        history=(),
        prompt=_PROMPT,
        conversation="doctor",
    )
    asked = native_model(gateway, settings, keys, lambda: (model,))
    try:
        pieces = [piece async for piece in asked.stream(request, (), ())]
    finally:
        await asked.close()
    return next(piece for piece in pieces if isinstance(piece, Spent))


_SPENDER = Spender(
    company="doctor", group="doctor", session_id="doctor", turn_id="doctor", runtime="doctor", flow="J"
)
