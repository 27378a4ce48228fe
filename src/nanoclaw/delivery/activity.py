"""What the agent is doing right now (tools, connections, tokens, money), for those who watch and for the timeline."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from nanoclaw.delivery.live import Live, SpentSoFar, ToolSeen
from nanoclaw.domain.money import Usage, dollars
from nanoclaw.domain.thoughts import without_internal
from nanoclaw.domain.turns import (
    Connected,
    RuntimeEvent,
    Spent,
    ToolEnded,
    ToolPrinted,
    ToolStarted,
)
from nanoclaw.durable.clock import now

MOST_TOOLS = 200  # of one turn, in its timeline
_MOST_AT_ONCE = 200
_SHOWN = 2000  # characters of a tool's output; the end says most
_SPEAKING = ("send_message", "send_file", "request_human")


def told_of(started: ToolStarted) -> str:
    """What a tool is used for, in one line for people. Thoughts are stripped from text meant for people. A
    command is shown in full: nothing in it may be hidden.
    """
    return without_internal(started.shown) if started.name.endswith(_SPEAKING) else started.shown


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolUse:
    """A tool use, for the timeline."""

    at: datetime
    name: str
    shown: str
    seconds: float
    ok: bool


@dataclass
class Activity:
    """Follows one turn. Stores nothing while the turn runs: that would cost more than it is worth."""

    live: Live
    chat_id: str
    turn_id: str
    used: list[ToolUse] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    micros: int = 0
    model: str = ""
    calls: int = 0
    _running: dict[str, tuple[ToolSeen, float]] = field(default_factory=dict)

    def hear(self, event: RuntimeEvent) -> None:
        match event:
            case ToolStarted(id=tool, name=name) if len(self._running) < _MOST_AT_ONCE:
                told = told_of(event)
                self._show(ToolSeen(self.turn_id, tool, name, told, "running", ""), time.monotonic())
            case ToolPrinted(id=tool, text=text) if tool in self._running:
                seen, since = self._running[tool]
                self._show(replace(seen, text=(seen.text + text)[-_SHOWN:]), since)
            case ToolEnded(id=tool, ok=ok, text=text) if tool in self._running:
                seen, since = self._running.pop(tool)
                seconds = time.monotonic() - since
                if len(self.used) < MOST_TOOLS:
                    use = ToolUse(at=now(), name=seen.name, shown=seen.shown, seconds=seconds, ok=ok)
                    self.used.append(use)
                state = "done" if ok else "failed"
                self._tell(replace(seen, state=state, text=text[-_SHOWN:] or seen.text))
            case Connected(host=host, port=port, allowed=allowed):
                state = "done" if allowed else "failed"
                self._tell(ToolSeen(self.turn_id, f"{host}:{port}", "network", f"{host}:{port}", state, ""))
            case Spent(model=model, usage=usage, micros=micros):
                self.usage += usage
                self.micros += micros
                self.model = model
                self.calls += 1
                self.live.tell(
                    self.chat_id,
                    SpentSoFar(self.turn_id, model, _all_in(self.usage), self.usage.output, self.micros),
                )
            case _:
                pass

    @property
    def spent(self) -> Mapping[str, object]:
        """What was spent, for the timeline."""
        return {
            "model": self.model,
            "calls": self.calls,
            "input": _all_in(self.usage),
            "output": self.usage.output,
            "micros": self.micros,
            "money": dollars(self.micros),
        }

    def _show(self, seen: ToolSeen, since: float) -> None:
        self._running[seen.tool] = seen, since
        self._tell(seen)

    def _tell(self, seen: ToolSeen) -> None:
        self.live.tell(self.chat_id, seen)


def _all_in(usage: Usage) -> int:
    return usage.input + usage.cache_read + usage.cache_write
