"""A box's model line: a token of the gateway, and the socket that leads to it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nanoclaw.domain.errors import NanoClawError
from nanoclaw.domain.money import Spender
from nanoclaw.domain.ports import ModelLine
from nanoclaw.domain.turns import RuntimeEvent
from nanoclaw.gateway.model_calls import GatewayLine


@dataclass(frozen=True, slots=True)
class _OpenLine:
    """A model line with its socket."""

    line: GatewayLine
    address: Any
    http: Any

    @property
    def socket(self) -> Path:
        return Path(self.address.socket)

    @property
    def token(self) -> str:
        return str(self.address.token)

    @property
    def refused(self) -> NanoClawError | None:
        return self.line.refused

    def serve(self, spender: Spender, listener: Callable[[RuntimeEvent], None]) -> None:
        self.line.spender, self.line.listener, self.line.refused = spender, listener, None
        self.line.resting, self.line.unsaid = False, None

    def rest(self) -> None:
        self.line.resting = True

    async def close(self) -> None:
        await self.http.close_door(self.address)


@dataclass(frozen=True, slots=True)
class ModelLines:
    """Opens a model line for a box that speaks HTTP."""

    http: Any
    models: Callable[[], tuple[str, ...]]

    async def open(self, spender: Spender, *, web_search: bool) -> ModelLine:
        line = GatewayLine(
            spender=spender, listener=lambda _event: None, models=self.models(), web_search=web_search
        )
        return _OpenLine(line, await self.http.open(line), self.http)
