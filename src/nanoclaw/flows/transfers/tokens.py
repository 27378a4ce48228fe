"""How many tokens a package has: counted by the vendor if possible, otherwise estimated and marked as such."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from nanoclaw.domain.text import estimated_tokens
from nanoclaw.domain.transfers import Transfer

Count = Callable[[str, str], Awaitable[int | None]]
"""The tokens of a text for the model of an agent group; None if nobody counts them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Tokens:
    count: Count

    async def of(self, transfer: Transfer, texts: Mapping[str, str]) -> dict[str, Any]:
        """The tokens of each text, and `is_estimate`: true if one of them was not counted."""
        counted = await asyncio.gather(*(self._one(transfer.group, text) for text in texts.values()))
        made: dict[str, Any] = {
            name: estimated_tokens(text) if number is None else number
            for (name, text), number in zip(texts.items(), counted, strict=True)
        }
        return made | {"is_estimate": None in counted}

    async def _one(self, group: str, text: str) -> int | None:
        return await self.count(group, text) if text else 0
