"""Checks JSON Schemas and responses in a separate process, which is killed if it takes too long."""

import asyncio
import json
import os
import sys
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from nanoclaw.domain.outcomes import Misfit
from nanoclaw.domain.questions import hash_of
from nanoclaw.sandbox.processes import carried_through, spawn

_PROGRAM = Path(__file__).with_name("schema_program.py")
_AT_ONCE = 2  # conclusions of people; schemas of agents and programs are checked one by one, and nobody waits for them
_START = 30.0  # seconds for the process to be there: a busy machine is nobody's fault
_SLOW = "It took more than {seconds:g} seconds to check; a pattern in the schema may be to blame. Make it simpler."
_BROKEN = "It could not be checked: the check ended without an answer."
_DEEP = "It is nested too deep. Make it flatter."
_REMEMBERED = 256  # schemas
_RULES = {
    "required": "required",
    "type": "type",
    "enum": "enum",
    "const": "enum",
    "format": "format",
    "pattern": "pattern",
    "minLength": "short",
    "maxLength": "long",
    "minimum": "least",
    "maximum": "most",
    "additionalProperties": "extra",
}
"""The rules that people meet; the others are reported in the words of the check."""


class OutcomeChecks:
    """The checks of one host. `seconds` is how long one check may take."""

    def __init__(self, seconds: float = 2.0) -> None:
        self._seconds = seconds
        self._slow = _SLOW.format(seconds=seconds)
        self._responses, self._schemas = asyncio.Semaphore(_AT_ONCE), asyncio.Semaphore(1)
        self._known: OrderedDict[str, str | None] = OrderedDict()

    async def schema_problem(self, schema: Mapping[str, Any]) -> str | None:
        """Why nothing could be checked with this schema; None if it can be used."""
        try:
            key = hash_of(json.dumps(schema, sort_keys=True))
        except RecursionError:
            return _DEEP
        if key not in self._known:
            faults = await self._check({"schema": schema})
            if faults in ([_BROKEN], [self._slow]):
                return str(faults[0])  # this says nothing about the schema: it may be checked the next time
            self._known[key] = faults[0] if faults else None
            while len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        return self._known[key]

    async def misfits(self, schema: Mapping[str, Any], response: object) -> list[Misfit]:
        """Why the response does not fit; empty if it does."""
        return list(map(_misfit, await self._check({"schema": schema, "response": response})))

    async def _check(self, request: Mapping[str, Any]) -> list[Any]:
        async with self._responses if "response" in request else self._schemas:
            process = await spawn(
                *(sys.executable, "-I", "-B", str(_PROGRAM)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                env={"PATH": os.defpath},
            )
            heard: list[Any] | None = None
            try:
                heard = await self._hear(process, json.dumps(request).encode())
            finally:
                if heard is None:  # it hangs, or nobody waits for it any more
                    with suppress(ProcessLookupError):
                        process.kill()
                await carried_through(
                    process.communicate()
                )  # wait for its end: only then is nothing left open
            return heard or []

    async def _hear(self, process: asyncio.subprocess.Process, request: bytes) -> list[Any]:
        if process.stdin is None or process.stdout is None:
            raise TypeError("the check was started without pipes")
        try:
            async with asyncio.timeout(_START):
                process.stdin.write(request)
                process.stdin.close()
                await process.stdout.readline()  # ready
            async with asyncio.timeout(self._seconds):
                said = await process.stdout.read()
        except TimeoutError:
            with suppress(ProcessLookupError):
                process.kill()
            return [self._slow]
        except (BrokenPipeError, ConnectionResetError):
            return [_BROKEN]
        found: list[Any] = json.loads(said) if said else [_BROKEN]
        return found


def _misfit(found: Any) -> Misfit:
    """A finding about one place, or a sentence if there was no check."""
    if isinstance(found, str):
        return Misfit(key="schema", values={"said": found})
    rule = _RULES.get(str(found["rule"]))
    if rule is None:
        return Misfit(key="schema", values={"said": found["said"]}, place=found["place"])
    return Misfit(key=rule, values={"limit": found["limit"], "said": found["said"]}, place=found["place"])
