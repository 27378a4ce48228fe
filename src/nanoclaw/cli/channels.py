"""The state of the channels that the settings name: from the running host, otherwise by loading them here."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

from nanoclaw.cli.findings import CheckResult, Found
from nanoclaw.client.connection import Address, Client
from nanoclaw.domain.errors import NanoClawError
from nanoclaw.host import host_lock
from nanoclaw.host.channels import load
from nanoclaw.host.settings import Settings
from nanoclaw.texts import tell


def look(home: Path, settings: Settings, found: Found) -> Iterator[CheckResult]:
    troubles = troubles_here(home, settings) if host_lock.find(home) is None else troubles_of_host(home)
    for name, trouble in troubles.items():
        if trouble:
            yield found("channel", "channel-ill", ok=False, name=name, reason=trouble)
        else:
            yield found("channel", "channel", name=name)


def troubles_of_host(home: Path) -> dict[str, str | None]:
    """The trouble of each channel by name; None if it works."""

    async def ask() -> list[dict[str, str | None]]:
        async with Client(Address.of(home)) as client:
            known: list[dict[str, str | None]] = (await client.ask("GET", "/api/status"))["channels"]
            return known

    return {str(each["name"]): each["trouble"] for each in asyncio.run(ask())}


def troubles_here(home: Path, settings: Settings) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for name in settings.channels:
        try:
            load(home, settings, name)
            found[name] = None
        except NanoClawError as error:
            found[name] = tell(settings.language, error)
    return found
