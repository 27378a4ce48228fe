"""One small real completion: proves that the key, the model and the prices are in order, and says what it cost."""

import json
from pathlib import Path

import httpx

from nanoclaw.app.agents import DEMO, NATIVE, budget_of, default_runtime
from nanoclaw.app.keys import ANTHROPIC, Keys
from nanoclaw.app.settings import Settings
from nanoclaw.domain.errors import ModelFailed
from nanoclaw.domain.ids import HostId, SessionId, TurnId, new_id
from nanoclaw.domain.money import Spender, Usage
from nanoclaw.domain.turns import Brief, Spent, TurnRequest
from nanoclaw.durable.store import Store
from nanoclaw.gateway.ledger import Ledger
from nanoclaw.gateway.passage import Gateway, Line
from nanoclaw.gateway.prices import Prices

_PROMPT = "Reply with the single word: ready"
_MOST_OUTPUT = 200
_MOST_INPUT = 200
_TIMEOUT = 60.0


async def complete(home: Path, settings: Settings, store: Store) -> Spent | None:
    """None when the agent is the demo, which needs no model. Raises ModelFailed, ModelRefused or ModelOutage."""
    keys = Keys(home, settings)
    runtime = default_runtime(settings, keys)
    if runtime == DEMO:
        return None
    ledger = Ledger(
        store,
        HostId(new_id("h")),
        Prices(settings.prices),
        lambda _company: budget_of(settings),
        home / "data" / "cost_log.jsonl",
        zone=settings.locale.zone,
    )
    try:
        ask = _by_vendor if runtime == NATIVE else _by_anthropic
        return await ask(Gateway(ledger), settings, keys)
    finally:
        await ledger.close()


async def _by_anthropic(gateway: Gateway, settings: Settings, keys: Keys) -> Spent:
    model = settings.agents.haiku
    key = keys.get(ANTHROPIC)
    if key is None:
        raise ModelFailed("key-absent", vendor=ANTHROPIC)
    line = Line(spender=_SPENDER, listener=lambda _event: None, models=(model,))
    async with (
        gateway.pass_through(line, model, _MOST_INPUT, _MOST_OUTPUT) as call,
        httpx.AsyncClient(base_url=settings.anthropic.base_url, timeout=_TIMEOUT) as client,
    ):
        try:
            answer = await client.post(
                "/v1/messages",
                headers={"x-api-key": key, "anthropic-version": "2023-06-01"},
                json={
                    "model": model,
                    "max_tokens": _MOST_OUTPUT,
                    "messages": [{"role": "user", "content": _PROMPT}],
                },
            )
        except httpx.HTTPError as error:
            raise ModelFailed("model-said", said=str(error) or type(error).__name__) from error
        if answer.is_error:
            raise ModelFailed("model-said", said=f"{answer.status_code} {_message(answer.text)}")
        used = answer.json()["usage"]
        usage = Usage(input=used["input_tokens"], output=used["output_tokens"])
        return Spent(model=model, usage=usage, micros=call.settle(usage))


async def _by_vendor(gateway: Gateway, settings: Settings, keys: Keys) -> Spent:
    from nanoclaw.gateway.vendors import VendorModel, Vendors  # noqa: PLC0415 - a second to load, and an extra

    model = settings.agents.haiku
    vendors = Vendors(keys.get, anthropic_url=settings.anthropic.base_url, base_url=settings.agents.base_url)
    request = TurnRequest(
        turn_id=TurnId("doctor"),
        session_id=SessionId("doctor"),
        group="doctor",
        company="doctor",
        skill="",
        model=model,
        brief=Brief(foundation="", company="", skill=""),
        history=(),
        prompt=_PROMPT,
        conversation="doctor",
    )
    asked = VendorModel(gateway, vendors, lambda: (model,))
    try:
        pieces = [piece async for piece in asked.stream(request, (), ())]
    finally:
        await asked.close()
    return next(piece for piece in pieces if isinstance(piece, Spent))


def _message(body: str) -> str:
    """The vendor's own words, without the rest of what it sent."""
    try:
        return str(json.loads(body)["error"]["message"])[:300]
    except (ValueError, KeyError, TypeError):
        return " ".join(body.split())[:300]


_SPENDER = Spender(
    company="doctor", group="doctor", session_id="doctor", turn_id="doctor", runtime="doctor", flow="J"
)
