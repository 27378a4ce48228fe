"""The agents of this workspace: which runtimes, with which keys, and box tools in which boxes."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import structlog

from nanoclaw.context.groups import Groups
from nanoclaw.context.skills import Skills
from nanoclaw.domain.boxes import BoxLimits, Sandbox, TerminalSize
from nanoclaw.domain.budgets import Budget
from nanoclaw.domain.errors import BadWorkspace, MissingExtra, ModelFailed
from nanoclaw.domain.ids import HostId
from nanoclaw.domain.money import Spender
from nanoclaw.domain.ports import LiveTerminal, Model, Permission, Runtime
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.durable.store import Store
from nanoclaw.flows.knowledge.views import MemoryViews
from nanoclaw.gateway import known_tools, server_list
from nanoclaw.gateway.box_doors import BoxDoors
from nanoclaw.gateway.by_vendor import ByVendor
from nanoclaw.gateway.completion import Completions
from nanoclaw.gateway.connection_log import ConnectionLog
from nanoclaw.gateway.known_tools import KnownTools
from nanoclaw.gateway.ledger import Doubted, Ledger, not_told
from nanoclaw.gateway.model_calls import Gateway
from nanoclaw.gateway.prices import Prices, split
from nanoclaw.gateway.proxy import Proxy
from nanoclaw.gateway.reservations import WhileWaiting, nothing_shown
from nanoclaw.gateway.servers import McpServers, ServerNews
from nanoclaw.gateway.standings import Standings
from nanoclaw.gateway.step_down import StepDown
from nanoclaw.host.allowed_models import allowed_models
from nanoclaw.host.base import Base
from nanoclaw.host.host_lock import workspace_id
from nanoclaw.host.keys import ANTHROPIC, Keys
from nanoclaw.host.late_runtime import LateRuntime
from nanoclaw.host.model_lines import ModelLines
from nanoclaw.host.one_answer import answer_of
from nanoclaw.host.secret_mask import hide
from nanoclaw.host.server_boxes import ServerBoxes
from nanoclaw.host.session_boxes import HostBoxes
from nanoclaw.host.settings import Settings
from nanoclaw.runtimes.native import NativeRuntime
from nanoclaw.runtimes.toolbox import Ask, BoxTools
from nanoclaw.sandbox import drivers, inside
from nanoclaw.sandbox.file_writers import FileWriters
from nanoclaw.sandbox.folders import Folders, own_folder
from nanoclaw.sandbox.users import BoxUsers
from nanoclaw.texts import tell

log = structlog.get_logger("agents")

DEMO, NATIVE, CLAUDE_CODE = "demo", "native", "claude-code"
_SHORT_ANSWER = 200  # tokens
EXTRAS = {NATIVE: ("native", "pydantic_ai"), CLAUDE_CODE: ("claude", "claude_agent_sdk")}


class Agents:
    """Everything between a turn and the model, built once per host."""

    def __init__(
        self,
        base: Base,
        keys: Keys,
        ledger: Ledger,
        *,
        step_down: StepDown,
        ask: Ask,
        permission: Permission,
        views: MemoryViews | None = None,
        news: ServerNews | None = None,
    ) -> None:
        home, settings = base.home, base.settings
        self._home = home
        self._settings = settings
        self._keys = keys
        self._groups = base.groups
        self._permission = permission
        users = self._users = BoxUsers(home / "data" / "box-users.json")
        self.ledger = ledger
        self.gateway = Gateway(ledger, step_down=step_down, least_tokens=settings.spending.least_tokens)
        self._completions = Completions(
            self.gateway, settings.anthropic.base_url, lambda: keys.get(ANTHROPIC)
        )
        self._connections = ConnectionLog(base.store)
        self._http: Any = None
        self._others: Model | None = None
        self._terminals: Any = None  # with the runtime, once that is loaded
        self._doors = BoxDoors()
        self._sweeping: asyncio.Task[None] | None = None
        self.session_boxes = HostBoxes(
            home=home,
            choose=lambda: sandbox_of(home, settings),
            users=users,
            folders=Folders(home, users),
            ask=ask,
            permission=permission,
            views=views,
            longest=settings.boxes.hours * 3600,
            proxy=Proxy(self._connections),
            limits=limits_of(settings),
            private_hosts=frozenset(settings.boxes.private_hosts),
            writers=FileWriters(home),
        )
        server_boxes = ServerBoxes(
            home=home,
            sandbox=lambda: asyncio.shield(self.session_boxes.prove()),
            users=users,
            proxy=self.session_boxes.proxy,
            limits=limits_of(settings),
            private_hosts=frozenset(settings.boxes.private_hosts),
        )
        self.servers = McpServers(
            lambda: _servers(home),
            server_boxes.start,
            known=KnownTools(home / "data" / known_tools.FILE),
            news=news,
        )
        box_tools = self.box_tools = BoxTools(
            self.session_boxes, inside.run_inside("hands"), ask, self.servers, permission
        )
        self.runtimes: dict[str, Runtime] = {
            DEMO: LateRuntime(lambda: self._demo(box_tools)),
            NATIVE: LateRuntime(lambda: self._native(box_tools)),
            CLAUDE_CODE: LateRuntime(self._claude_code),
        }

    def owner_of(self, company: str) -> int:
        """The user that runs this company's boxes."""
        return self._users.of(company)

    def default_runtime(self) -> str:
        return default_runtime(self._settings, self._keys)

    async def start(self) -> None:
        """Nobody waits for this: sandboxes are tested and packages loaded while the first message is under way."""
        self.session_boxes.prove().add_done_callback(lambda proof: proof.cancelled() or proof.exception())
        await self.ledger.recover()
        self._sweeping = asyncio.create_task(self.session_boxes.sweep_often())
        runtime = self.runtimes[self.default_runtime()]
        if isinstance(runtime, LateRuntime):
            runtime.load().add_done_callback(lambda made: made.cancelled() or made.exception())

    async def close(self) -> None:
        if self._sweeping is not None:
            self._sweeping.cancel()
        for runtime in self.runtimes.values():
            await runtime.close()
        if self._http is not None:
            await self._http.close()
        if self._others is not None:
            await self._others.close()
        await self._doors.close()
        await self.servers.close()
        await self.session_boxes.close()
        await self._connections.close()

    async def ask(self, spender: Spender, question: str, *, most_output: int = _SHORT_ANSWER) -> str:
        """Ask the smallest model a question with a short answer."""
        return await self.complete(spender, self._settings.agents.haiku, question, most_output=most_output)

    async def complete(self, spender: Spender, model: str, question: str, *, most_output: int) -> str:
        """Ask any model of any vendor."""
        if split(model)[0] not in ("", ANTHROPIC):
            return await answer_of(self._model_of_others(), spender, model, question)
        answer, _spent = await self._completions.ask(spender, model, question, most_output=most_output)
        return answer

    async def count_tokens(self, model: str, text: str) -> int | None:
        """The tokens as the vendor counts them; None if nobody does."""
        return await self._completions.count(model, text)

    def _model_of_others(self) -> Model:
        if self._others is None:
            self._others = native_model(self.gateway, self._settings, self._keys, self._allowed_models)
        return self._others

    def _demo(self, box_tools: BoxTools) -> Runtime:
        demo: Any = import_module("nanoclaw.runtimes.demo_model")
        model = demo.DemoModel(pace=self._settings.demo.pace)
        return NativeRuntime(model, box_tools, most_steps=self._settings.turns.most_steps)

    def _native(self, box_tools: BoxTools) -> Runtime:
        model = native_model(self.gateway, self._settings, self._keys, self._allowed_models)
        return NativeRuntime(model, box_tools, most_steps=self._settings.turns.most_steps)

    def _claude_code(self) -> Runtime:
        key = self._keys.get(ANTHROPIC)
        if key is None:
            raise ModelFailed("key-absent", vendor=ANTHROPIC)
        if find_spec("claude_agent_sdk") is None:
            raise ModelFailed("missing-extra", extra="claude")
        http: Any = import_module("nanoclaw.gateway.http")
        claude: Any = import_module("nanoclaw.runtimes.claude_code")
        options: Any = import_module("nanoclaw.runtimes.claude_options")
        lent: Any = import_module("nanoclaw.runtimes.claude_servers")
        settings = self._settings
        upstream = http.Upstream(base_url=settings.anthropic.base_url, key=key)
        self._http = http.HttpGateway(self.gateway, upstream, lambda error: tell(settings.language, error))
        equipment = options.Equipment(
            program=Path(str(import_module("claude_agent_sdk").__file__)).parent / "_bundled" / "claude",
            briefs=self._home / "data" / "briefs",
            sessions=lambda request: own_folder(
                self._home, request.group, request.session_id, is_stranger=request.is_stranger
            ),
            tools=lambda request: lent.lend(self.session_boxes, self.servers, self._permission, request),
        )
        lines = ModelLines(self._http, self._allowed_models)
        runtime: Any = claude.ClaudeCodeRuntime(
            self.session_boxes,
            lines,
            equipment,
            self._permission,
            most_steps=settings.turns.most_steps,
            warm_seconds=settings.agents.warm_minutes * 60,
            most_warm=settings.agents.most_warm,
        )
        terminals: Any = import_module("nanoclaw.runtimes.live_terminal")
        self._terminals = terminals.ClaudeTerminals(
            session_boxes=self.session_boxes,
            gateway=lines,
            equipment=equipment,
            permission=self._permission,
            servers=self.servers,
            doors=self._doors,
            run_inside=inside.run_inside,
            let_go=runtime.let_go,
        )
        made: Runtime = runtime
        return made

    async def open_terminal(self, request: TurnRequest, size: TerminalSize) -> LiveTerminal:
        """Claude Code at a terminal. Raises NanoClawError, with the reason if there can be none here."""
        late = self.runtimes[CLAUDE_CODE]
        if isinstance(late, LateRuntime):
            await asyncio.shield(late.load())
        opened: LiveTerminal = await self._terminals.open(request, size)
        return opened

    def _allowed_models(self) -> tuple[str, ...]:
        return allowed_models(self._settings, self._groups)


def _servers(home: Path) -> dict[str, server_list.Server]:
    found = server_list.read(home)
    for server in found.values():
        hide(server.secrets())
    return found


def native_model(
    gateway: Gateway, settings: Settings, keys: Keys, allowed: Callable[[], tuple[str, ...]]
) -> Model:
    anthropic: Any = import_module("nanoclaw.gateway.anthropic")

    def others() -> Model:
        if find_spec("pydantic_ai") is None:
            raise ModelFailed("missing-extra", extra="native")
        vendors: Any = import_module("nanoclaw.gateway.vendors")
        made = vendors.Vendors(keys.get, base_url=settings.agents.base_url)
        model: Model = vendors.VendorModel(gateway, made, allowed)
        return model

    claude = anthropic.AnthropicModel(
        gateway, base_url=settings.anthropic.base_url, key=lambda: keys.get(ANTHROPIC), allowed=allowed
    )
    return ByVendor(claude, others)


def default_runtime(settings: Settings, keys: Keys) -> str:
    """The runtime for groups that name none: with a key, a real agent replaces the demo."""
    return settings.agents.runtime or (CLAUDE_CODE if keys.get(ANTHROPIC) else DEMO)


def sandbox_of(home: Path, settings: Settings) -> Sandbox:
    """Raises BoxRefused if this machine cannot have it."""
    return drivers.choose(
        settings.boxes.driver,
        users=BoxUsers(home / "data" / "box-users.json"),
        workspace=workspace_id(home),
        folder=home / "data" / "boxes",
        image=settings.boxes.image or None,
    )


def need_extras(settings: Settings, keys: Keys, groups: Groups, known_skills: Skills) -> None:
    """Raises MissingExtra for packages of a runtime that someone here has chosen."""
    chosen = {default_runtime(settings, keys)}
    for name in groups.names():
        with suppress(BadWorkspace):
            chosen.add(groups.get(name).runtime or DEMO)
    chosen |= {skill.head.runtime for skill in known_skills.skills() if skill.head.runtime}
    for runtime, (extra, package) in EXTRAS.items():
        if runtime in chosen and find_spec(package) is None:
            raise MissingExtra("missing-extra", extra=extra)


def limits_of(settings: Settings) -> BoxLimits:
    boxes = settings.boxes
    return BoxLimits(
        memory=boxes.memory_mb << 20,
        processes=boxes.processes,
        cpus=boxes.cpus,
        file_bytes=boxes.file_mb << 20,
        scratch_bytes=boxes.scratch_mb << 20,
    )


def ledger_of(
    home: Path,
    settings: Settings,
    store: Store,
    host: HostId,
    budgets: Callable[[str], Budget],
    *,
    standings: Standings | None = None,
    waiting: WhileWaiting = nothing_shown,
    doubted: Doubted = not_told,
) -> Ledger:
    return Ledger(
        store,
        host,
        Prices(settings.prices),
        budgets,
        home / "data" / "cost_log.jsonl",
        standings=standings,
        waiting=waiting,
        doubted=doubted,
    )
