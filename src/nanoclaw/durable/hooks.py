"""What other packages do when the engine notices something. Passed in when it is created."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from nanoclaw.durable.store import Tx
from nanoclaw.durable.work import Claim, Suspect


@dataclass(frozen=True, kw_only=True, slots=True)
class Hooks:
    clock_set: tuple[Callable[[Tx, timedelta], None], ...] = ()
    """Adjusts stored times when this machine's clock was set."""
    clock_set_here: tuple[Callable[[timedelta], None], ...] = ()
    """The same for what only this host remembers."""
    suspects: Callable[[Tx, list[Suspect]], None] = lambda _tx, _suspects: None
    """What to do about work during which hosts died again and again."""
    stray: Callable[[Tx, Claim], None] = lambda _tx, _claim: None
    """Repairs work that was claimed here and never begun."""
