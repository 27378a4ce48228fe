"""What other rooms do about something that the engine notices. Handed in when it is made."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from nanoclaw.durable.store import Tx
from nanoclaw.durable.work import Claim, Suspect


@dataclass(frozen=True, kw_only=True, slots=True)
class Hooks:
    clock_set: tuple[Callable[[Tx, timedelta], None], ...] = ()
    """What is to be put right when the clock of this machine was set."""
    clock_set_here: tuple[Callable[[timedelta], None], ...] = ()
    """The same for what only this host remembers."""
    suspects: Callable[[Tx, list[Suspect]], None] = lambda _tx, _suspects: None
    """What is to be done about work during which hosts died again and again."""
    stray: Callable[[Tx, Claim], None] = lambda _tx, _claim: None
    """What is to be put right about work that was taken here and never begun."""
