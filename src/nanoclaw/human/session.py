"""An interactive session: a person works with an agent until they have decided. A program asks for it, and waits.

It is carried out elsewhere: a harness finds it among the pending ones, and concludes it.
"""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack

from pydantic import BaseModel, ValidationError

from nanoclaw.client.connection import Address
from nanoclaw.client.inbox import InboxClient, ask_and_wait
from nanoclaw.console.question_shapes import Question
from nanoclaw.domain.errors import NanoClawError
from nanoclaw.domain.questions import Status
from nanoclaw.host.settings import home_folder
from nanoclaw.human.errors import HumanError, SessionFailed, in_own_words
from nanoclaw.human.questions import Span, as_span

_MILLISECOND = timedelta(milliseconds=1)


@dataclass(frozen=True, kw_only=True, slots=True)
class OutcomeSchema:
    """What the session should result in. The host stores it as JSON, so that any harness can read it."""

    type: Literal["approval", "selection", "freeform", "structured"]
    options: tuple[str, ...] = ()
    json_schema: Mapping[str, Any] | None = None


class SessionOptions(TypedDict, total=False):
    """`schema` checks the response here; the host never sees it."""

    system_prompt: str
    context: Mapping[str, Any]
    model: str
    cwd: str
    mcp_config: str
    timeout: Span
    outcome_schema: OutcomeSchema
    schema: type[BaseModel]
    capture_transcript: bool
    block_orchestration: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionResult:
    """How it ended: completed, cancelled or timeout. `response` is the decision; with `schema`, as that model.

    `notes` is what the person added to an approval or a rejection.
    """

    outcome: str
    response: Any
    notes: str | None
    transcript: str | None
    duration: timedelta
    error: str | None


class InteractiveSession:
    """One session at a time. `status` is idle, pending, success or error; `data` or `error` is the result."""

    def __init__(self, *, group: str | None = None, home: Path | None = None) -> None:
        self._group = group
        self._home = home or home_folder()
        self._task: asyncio.Task[SessionResult] | None = None
        self._cancelling: asyncio.Task[None] | None = None
        self._opened = asyncio.Event()
        self.session_id: str | None = None
        self.data: SessionResult | None = None
        self.error: Exception | None = None

    @property
    def status(self) -> Literal["idle", "pending", "success", "error"]:
        if self._task is None:
            return "idle"
        if not self._task.done():
            return "pending"
        return "success" if self.data else "error"

    def request(self, prompt: str, **options: Unpack[SessionOptions]) -> None:
        """Ask for a session without waiting: see `status`, `data` and `error` for the result."""
        self._start(prompt, options).add_done_callback(_heard)

    async def request_async(self, prompt: str, **options: Unpack[SessionOptions]) -> SessionResult:
        """Ask for a session, and wait for its end. Raises SessionFailed, or ValidationError of `schema`."""
        return await self._start(prompt, options)

    def cancel(self) -> None:
        """Take it back. A program that waits for it gets the outcome `cancelled`."""
        if self.status == "pending" and self._cancelling is None:
            self._cancelling = asyncio.ensure_future(self._take_back())

    def reset(self) -> None:
        """Make it idle again. A pending session is taken back, and a wait for it is cancelled."""
        if self._task and not self._task.done():
            self._task.cancel()
        self._task = self._cancelling = None
        self._opened = asyncio.Event()
        self.session_id = self.data = self.error = None

    def _start(self, prompt: str, options: SessionOptions) -> "asyncio.Task[SessionResult]":
        if self.status == "pending":
            raise HumanError("session-pending")
        self.reset()
        self._task = asyncio.ensure_future(self._run(prompt, options, self._opened))
        return self._task

    async def _run(self, prompt: str, options: SessionOptions, opened: asyncio.Event) -> SessionResult:
        def note(row: Question) -> None:
            self.session_id = row.id
            opened.set()

        try:
            with in_own_words():
                row = await ask_and_wait(self._home, _wanted(prompt, options, self._group), note)
            data = _result(row, options.get("schema"))
        except (NanoClawError, ValidationError) as error:
            self.error = error
            raise
        finally:
            opened.set()  # even if it was never asked: cancelling need not wait
        self.data = data
        return data

    async def _take_back(self) -> None:
        """Take it back, but not before it is asked: until then nobody knows its id. If it has ended
        meanwhile, that counts.
        """
        await self._opened.wait()
        if self.session_id:
            with suppress(NanoClawError):
                async with InboxClient(Address.of(self._home)) as inbox:
                    await inbox.change(self.session_id, "cancel")


def _wanted(prompt: str, options: SessionOptions, group: str | None) -> dict[str, Any]:
    """The configuration, under the names of the design that harnesses are written against."""
    outcome = options.get("outcome_schema")
    span = as_span(options["timeout"]) if "timeout" in options else None
    config = {
        "systemPrompt": options.get("system_prompt"),
        "context": dict(options["context"]) if "context" in options else None,
        "model": options.get("model"),
        "cwd": options.get("cwd"),
        "mcpConfig": options.get("mcp_config"),
        "timeout": span // _MILLISECOND if span else None,
        "outcomeSchema": _filled(
            type=outcome.type, options=list(outcome.options) or None, jsonSchema=outcome.json_schema
        )
        if outcome
        else None,
        "captureTranscript": options.get("capture_transcript", False),
        "blockOrchestration": options.get("block_orchestration", True),
    }
    return _filled(question=prompt, group=group, session=_filled(**config))


def _filled(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _result(row: Question, schema: type[BaseModel] | None) -> SessionResult:
    if row.status == Status.FAILED:
        raise SessionFailed("session-failed", said=row.error or "")
    response = row.response
    if schema and row.status == Status.COMPLETED:
        response = schema.model_validate(response)
    known = row.duration_ms is not None
    took = timedelta(milliseconds=row.duration_ms or 0) if known else timedelta(seconds=row.seconds or 0)
    return SessionResult(
        outcome=row.status,
        response=response,
        notes=row.user_input,
        transcript=row.transcript,
        duration=took,
        error=row.error,
    )


def _heard(task: "asyncio.Task[SessionResult]") -> None:
    """The error is kept for anyone who looks; it is right that nobody awaits it."""
    if not task.cancelled():
        task.exception()
