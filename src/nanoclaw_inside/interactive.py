"""A script in the box asks for an interactive session: a person works with an agent until they have decided.

The same as `nanoclaw.human.InteractiveSession` on the host, for programs without an event loop: `request_async` gives a
future. The turn waits for a while; after that the result comes to the agent, and no longer to the script.
"""

import threading
import time
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from nanoclaw_inside import asking
from nanoclaw_inside.answers import Answer, HumanError, NotAsked, Pending

_OPTIONS = {
    "system_prompt": "systemPrompt",
    "context": "context",
    "model": "model",
    "cwd": "cwd",
    "mcp_config": "mcpConfig",
    "timeout": "timeout",
    "outcome_schema": "outcomeSchema",
    "capture_transcript": "captureTranscript",
    "block_orchestration": "blockOrchestration",
    "deciders": "deciders",
}
"""Each option, and its name in the request."""

_PATIENCE = 5.0  # seconds for a request to be seen, before it can be taken back
_LOOK = 0.05


class SessionFailed(HumanError):
    """The session failed, or no conclusion fitted."""


@dataclass(frozen=True)
class SessionResult:
    """How it ended: completed, cancelled or timeout. `duration` is in milliseconds."""

    outcome: str
    response: Any
    notes: str | None
    transcript: str | None
    duration: int | None
    error: str | None


class InteractiveSession:
    """One session at a time. `status` is idle, pending, success or error; `data` or `error` is the result."""

    def __init__(self) -> None:
        self._future: Future[SessionResult] | None = None
        self._asked_id = ""
        self.session_id: str | None = None
        self.data: SessionResult | None = None
        self.error: Exception | None = None

    @property
    def status(self) -> str:
        if self._future is None:
            return "idle"
        if self.data is not None:
            return "success"
        return "error" if self.error is not None and not isinstance(self.error, Pending) else "pending"

    def request(self, prompt: str, **options: Any) -> None:
        """Ask for a session without waiting: see `status`, `data` and `error` for the result."""
        self.request_async(prompt, **options)

    def request_async(self, prompt: str, **options: Any) -> "Future[SessionResult]":
        """Ask for a session; `.result()` waits for its end.

        It raises NotAsked (the text says what to change), SessionFailed, or Pending when the turn can wait no longer,
        or with `block_orchestration=False` at once: then the result wakes the agent. `timeout` is in milliseconds.
        """
        if self.status == "pending":
            raise HumanError(
                Answer.of({"text": "This handle waits for a session already: cancel or reset it."})
            )
        if unknown := options.keys() - _OPTIONS.keys():
            known = ", ".join(_OPTIONS)
            raise TypeError(f"no such option: {', '.join(sorted(unknown))}. There are: {known}")
        said = {_OPTIONS[name]: value for name, value in options.items() if value is not None}
        self.reset()
        self._asked_id, self._future = asking.new_id(), Future()
        arguments = {"prompt": prompt, **said}
        threading.Thread(
            target=self._ask, args=(arguments, self._asked_id, self._future), daemon=True
        ).start()
        return self._future

    def cancel(self) -> None:
        """Take it back. A program that waits for it gets the outcome `cancelled`."""
        if self.status == "pending":
            self._take_back(self._asked_id, self._future)

    def reset(self) -> None:
        """Make it idle again. A pending session is taken back."""
        before, future = self._asked_id, self._future
        pending = self.status == "pending"
        self._future = None
        self.session_id = self.data = self.error = None
        if pending and future is not None:
            self._take_back(before, future)

    def _take_back(self, asked_id: str, future: "Future[SessionResult] | None") -> None:
        """Take it back. Its request may not have been seen yet; and if it has ended meanwhile, that counts."""
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until:
            reply = asking.ask("hitl", "request_session", {"cancel": asked_id})
            if reply.get("ok") or (future is not None and future.done() and not self._waits_elsewhere()):
                return
            time.sleep(_LOOK)

    def _waits_elsewhere(self) -> bool:
        """Whether the turn no longer waits for it although it is still open."""
        return isinstance(self.error, Pending)

    def _ask(self, arguments: dict[str, Any], asked_id: str, future: "Future[SessionResult]") -> None:
        try:
            reply = asking.ask("hitl", "request_session", arguments, wait=None, asked_id=asked_id)
        except OSError as error:
            self._end(future, None, NotAsked(Answer.of({"text": f"The host cannot be asked: {error}."})))
            return
        if self._future is future:
            self.session_id = reply.get("session_id") or None
        try:
            result = _result(reply)
        except HumanError as error:
            self._end(future, None, error)
        else:
            self._end(future, result, None)

    def _end(
        self, future: "Future[SessionResult]", result: SessionResult | None, error: Exception | None
    ) -> None:
        """Store the end, unless the handle was reset meanwhile."""
        if self._future is future:
            self.data, self.error = result, error
        if error is not None:
            future.set_exception(error)
        elif result is not None:
            future.set_result(result)


def _result(reply: Mapping[str, Any]) -> SessionResult:
    answer = Answer.of({**reply, "chosen": None})
    if not reply.get("ok"):
        raise NotAsked(answer)
    if answer.pending:
        raise Pending(answer)
    if answer.status == "failed":
        raise SessionFailed(answer)
    return SessionResult(
        outcome=answer.status,
        response=reply.get("response"),
        notes=reply.get("notes"),
        transcript=reply.get("transcript"),
        duration=reply.get("duration"),
        error=reply.get("error"),
    )
