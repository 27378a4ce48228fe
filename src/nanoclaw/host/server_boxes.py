"""Boxes for local MCP servers: each server sees its own folder, and reaches only the hosts on its list."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from nanoclaw.domain.boxes import PROXY_SOCKET, WORK, Box, BoxLimits, BoxPlan, Mount, Sandbox
from nanoclaw.domain.errors import BoxRefused
from nanoclaw.domain.ids import new_id
from nanoclaw.domain.money import Spender
from nanoclaw.domain.turns import RuntimeEvent
from nanoclaw.gateway.egress import Egress
from nanoclaw.gateway.model_calls import GatewayLine
from nanoclaw.gateway.proxy import Proxy
from nanoclaw.gateway.server_list import Server
from nanoclaw.host.lent_box import LentBox
from nanoclaw.sandbox import inside
from nanoclaw.sandbox.folders import Folders
from nanoclaw.sandbox.users import BoxUsers


def folder_of(home: Path, name: str) -> Path:
    """The folder that a local server may write to, and finds again at its next start."""
    return home / "data" / "mcp" / name


def shown_folder(home: Path, written: str) -> Path:
    """A folder that a server may see. Nothing in the workspace: it contains the keys, and other companies' files."""
    path, ours = Path(written).resolve(), home.resolve()
    if path.is_relative_to(ours) or ours.is_relative_to(path):
        raise BoxRefused("mcp-folder-ours", folder=written, home=str(home))
    if not path.is_dir():
        raise BoxRefused("mcp-folder-missing", folder=written)
    return path


@dataclass(frozen=True, kw_only=True)
class ServerBoxes:
    """`sandbox` gives the sandbox once its probes have held."""

    home: Path
    sandbox: Callable[[], Awaitable[Sandbox]]
    users: BoxUsers
    proxy: Proxy
    limits: BoxLimits
    private_hosts: frozenset[str] = frozenset()

    async def start(self, server: Server) -> Box:
        sandbox = await self.sandbox()
        tenant = f"mcp-{server.name}"
        folder = await asyncio.to_thread(self._prepare, server.name, tenant)
        mounts = [Mount(source=folder, target=WORK, writable=True), inside.package_mount()]
        mounts += [Mount(source=shown_folder(self.home, path), target=path) for path in server.folders]
        variables = {name: value.get_secret_value() for name, value in server.env.items()}
        command, socket = server.command, None
        if server.network:
            socket = await self._egress(server)
            mounts.append(Mount(source=socket, target=PROXY_SOCKET))
            variables = inside.through_proxy() | variables
            command = inside.led(command, {inside.PROXY_PORT: PROXY_SOCKET})
        plan = BoxPlan(
            name=new_id("mcp"), tenant=tenant, mounts=tuple(mounts), environment=variables, limits=self.limits
        )
        try:
            box = await sandbox.start(plan, command)
        except BaseException:
            if socket is not None:
                await self.proxy.close_door(socket)
            raise
        return box if socket is None else LentBox(box, partial(self.proxy.close_door, socket))

    def _prepare(self, name: str, tenant: str) -> Path:
        folder = folder_of(self.home, name)
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            Folders(self.home, self.users).give(folder, tenant)
        except OSError as error:
            raise BoxRefused("box-folders", folder=str(folder), said=error.strerror or str(error)) from error
        return folder

    async def _egress(self, server: Server) -> Path:
        tenant = f"mcp-{server.name}"
        spender = Spender(company=tenant, group=tenant, session_id="", turn_id="", runtime="mcp")
        line = GatewayLine(spender=spender, listener=_nobody, models=())
        return await self.proxy.open(line, Egress(hosts=server.network, private=self.private_hosts))


def _nobody(_event: RuntimeEvent) -> None:
    """No turn is told about a server's connections: one server may work for many turns at once."""
