"""Options shared by several commands of `nanoclaw memory`."""

from datetime import UTC, datetime
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import typer

from nanoclaw.cli.options import help_of
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.memory import EntryKind
from nanoclaw.durable.clock import now
from nanoclaw.times.until import span_of

_SHOWN = 60


def option(word: str, *names: str, **more: Any) -> Any:
    return typer.Option(*names, help=help_of(f"memory-{word}"), **more)


EntryId = Annotated[str, typer.Argument(metavar="ID", help=help_of("memory-id"))]
Company = Annotated[str | None, option("company", metavar="COMPANY")]
Yes = Annotated[bool, option("yes", "--yes")]
Kind = Annotated[str | None, option("kind", metavar="KIND")]
Topic = Annotated[str | None, option("topic")]
Domain = Annotated[str | None, option("domain")]


KINDS = (EntryKind.FACT, EntryKind.DECISION, EntryKind.PREFERENCE, EntryKind.PRIORITY)


def kind_named(typed: str | None, *known: EntryKind) -> str | None:
    if typed is not None and typed.lower() not in known:
        raise Refused("no-such-choice", choice=typed[:_SHOWN], known=", ".join(known))
    return typed and typed.lower()


def moment(typed: str | None, zone: ZoneInfo) -> str | None:
    """`2026-11-16`, `2026-11-16 08:00` on the owner's clock, or `2h` and `3 days` before now; in the API's format."""
    if typed is None:
        return None
    if (span := span_of(" ".join(typed.lower().split()))) is not None:
        return (now() - span).isoformat()
    try:
        read = datetime.fromisoformat(typed.strip())
    except ValueError:
        raise Refused("memory-no-time", time=typed[:_SHOWN]) from None
    return read.replace(tzinfo=read.tzinfo or zone).astimezone(UTC).isoformat()
