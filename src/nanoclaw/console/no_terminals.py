"""A host that has no terminals for live sessions: people work in their chats."""

from typing import NoReturn

from nanoclaw.domain.errors import Refused
from nanoclaw.domain.people import Actor


class NoTerminals:
    async def attach(
        self, question_id: str, by: Actor, *, rows: int, cols: int, may_type: bool = True
    ) -> NoReturn:
        raise Refused("no-terminal")
