"""A whole host in the test's own process, on a workspace of its own."""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from nanoclaw.domain.ports import Channel, Model, Runtime
from nanoclaw.domain.steps import ToolCall, ToolOffer
from nanoclaw.domain.turns import ToolEvent, TurnRequest
from nanoclaw.host.host import Host
from nanoclaw.host.settings import Settings, read_settings
from nanoclaw.runtimes.native import NativeRuntime
from nanoclaw.testing.database import made_database
from nanoclaw.testing.starter import made_workspace


@asynccontextmanager
async def started_host(
    home: Path,
    *,
    model: Model | None = None,
    channels: dict[str, Channel] | None = None,
    **settings: Mapping[str, object] | Sequence[object],
) -> AsyncIterator[Host]:
    """`model` replaces the demo model; `settings` are sections, such as `turns={"concurrent": 1}`."""
    made_workspace(home)
    box_tools = _HostTools()
    runtimes: dict[str, Runtime] = {"demo": NativeRuntime(model, box_tools)} if model else {}
    chosen, database = _settings(home, settings), home / "data" / "nanoclaw.db"
    if not chosen.database.url and not database.exists():
        made_database(database)
    host = box_tools.host = Host(home, chosen, runtimes=runtimes, channels=channels)
    await host.start()
    try:
        yield host
    finally:
        await host.stop()


class _HostTools:
    """The tools of a host that is created after the runtime that uses them."""

    host: Host

    async def offered(self, request: TurnRequest) -> Sequence[ToolOffer]:
        return await self.host.agents.box_tools.offered(request)

    def use(self, request: TurnRequest, call: ToolCall) -> AsyncGenerator[ToolEvent, None]:
        return self.host.agents.box_tools.use(request, call)


def _settings(home: Path, changes: Mapping[str, Mapping[str, object] | Sequence[object]]) -> Settings:
    """The settings as in the file, on a free port, without waiting between words and messages, then as the
    test wants.
    """
    written = read_settings(home).model_dump()
    written["web"] = {"port": 0}
    written["demo"] = {"pace": 0}
    written["memory"]["recall_seconds"] = 60  # however busy the machine is
    written["limits"] |= {"person_per_minute": 0, "group_per_minute": 0}
    for section, values in changes.items():
        written[section] = {**written[section], **values} if isinstance(values, Mapping) else values
    return Settings(**written)
