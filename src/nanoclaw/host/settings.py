"""The settings: `nanoclaw.toml` in the workspace, overridden by the environment. Unknown keys are refused."""

import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, ValidationError

from nanoclaw.domain.errors import BadSettings, Refused
from nanoclaw.domain.locale import Locale, zone_name
from nanoclaw.domain.tool_rules import ToolRule
from nanoclaw.times.quiet import read_quiet

FILE = "nanoclaw.toml"
PREFIX = "NANOCLAW_"
HOME = PREFIX + "HOME"
ALIASES = {
    "ANTHROPIC_API_KEY": "anthropic.api_key",
    "ANTHROPIC_BASE_URL": "anthropic.base_url",
    "TELEGRAM_BOT_TOKEN": "telegram.bot_token",
    "TELEGRAM_API_BASE": "telegram.api_base",
}
COMMAND = PREFIX + "COMMAND"  # set by a clone's script, for texts that name a command
# These values are never repeated, not even when they are wrong.
_SECRET = ("anthropic", "anthropic.api_key", "telegram", "telegram.bot_token")
SECRET_KEY = re.compile(r"(^|[_.])(token|secret|key|password)$")  # of a channel: keys so named are secrets
_CHANNEL = re.compile(r"[a-z][a-z0-9]{0,29}")
_TAKEN = ("host", "local", "scripted", "telegram", "terminal", "web")
_OF_CHANNEL = re.compile(rf"{PREFIX}CHANNELS_([A-Z][A-Z0-9]*)_([A-Z0-9_]+)")
_QUOTED = re.compile(r"'([^']*)'")
_LIMITS = {
    "greater_than_equal": ("least", "ge"),
    "greater_than": ("above", "gt"),
    "less_than_equal": ("most", "le"),
    "less_than": ("below", "lt"),
    "string_too_short": ("short", "min_length"),
    "string_too_long": ("long", "max_length"),
}
_SORTS = {
    "int": "number",
    "float": "number",
    "bool": "yes-or-no",
    "string": "text",
    "tuple": "list",
    "list": "list",
    "model": "section",
    "dict": "section",
    "missing": "missing",
}
_PASSWORD = re.compile(r"(://[^:/@]*:)[^@]*(?=@)|(\bpassword=)[^&]*")


def _split(written: object) -> object:
    """In the environment a list is one comma-separated text."""
    return tuple(filter(None, map(str.strip, written.split(",")))) if isinstance(written, str) else written


def _quiet_hours(written: str) -> str:
    try:
        return str(read_quiet(written)) if written else ""
    except Refused as error:
        raise ValueError("hours are written as 22:00-07:00") from error


def _channel_name(written: str) -> str:
    if not _CHANNEL.fullmatch(written) or written in _TAKEN:
        raise ValueError(f"a channel is named with small letters and digits, and not {', '.join(_TAKEN)}")
    return written


Listed = Annotated[tuple[str, ...], BeforeValidator(_split)]


class SettingsSection(BaseModel):
    model_config = ConfigDict(defer_build=True, extra="forbid", frozen=True)


class Owner(SettingsSection):
    """The person who holds the token of this host."""

    name: str = Field(default="Owner", min_length=1, max_length=80, description="How agents call the owner")


class Web(SettingsSection):
    """The web page. It listens on this machine only."""

    port: int = Field(default=8642, ge=0, le=65535, description="Port of the web page; 0 takes a free one")


class Database(SettingsSection):
    """Where messages are kept."""

    url: str = Field(
        default="",
        pattern=r"^($|sqlite:///|postgresql://)",
        description="Empty: SQLite in the workspace. Else sqlite:///path or postgresql://...",
    )
    host_lifetime: float = Field(
        default=20,
        ge=1,
        le=3600,
        description="Seconds without a beat until other hosts take over (PostgreSQL)",
    )
    timeout: float = Field(
        default=10,
        ge=1,
        le=600,
        description="Seconds for a transaction (PostgreSQL); in a host at most a quarter of `host_lifetime`, or 5",
    )


class Turns(SettingsSection):
    """How turns are run."""

    concurrent: int = Field(default=3, ge=1, le=1000, description="Turns that run at once")
    batch_window: float = Field(
        default=0.3, ge=0, le=60, description="Seconds that a burst of messages gets to become one turn"
    )
    longest_silence: float = Field(
        default=60, gt=0, le=86400, description="Seconds until the first sign of life of an agent"
    )
    longest_pause: float = Field(
        default=1800, gt=0, le=86400, description="Seconds from one sign of life to the next"
    )
    most_steps: int = Field(default=25, ge=1, le=1000, description="Model calls of one turn")


class Limits(SettingsSection):
    """What is too much."""

    message_characters: int = Field(
        default=100_000, ge=1, le=4_000_000, description="The longest message an agent gets"
    )
    file_mb: int = Field(
        default=20, ge=1, le=2000, description="The biggest file of a message that is fetched"
    )
    person_per_minute: int = Field(
        default=60, ge=0, le=100_000, description="Messages of one person; more of them wait. 0: no limit"
    )
    group_per_minute: int = Field(
        default=240, ge=0, le=100_000, description="Messages to one agent group; more wait. 0: no limit"
    )


class Agents(SettingsSection):
    """Who answers: which runtime takes up a turn, and which model each tier means."""

    runtime: Literal["", "demo", "native", "claude-code"] = Field(
        default="", description="For groups that name none. Empty: claude-code with a key, else demo"
    )
    haiku: str = Field(default="claude-haiku-5-5", min_length=1, description="The model of the tier haiku")
    sonnet: str = Field(default="claude-sonnet-5", min_length=1, description="The model of the tier sonnet")
    opus: str = Field(default="claude-opus-5", min_length=1, description="The model of the tier opus")
    base_url: str = Field(
        default="",
        pattern=r"^($|https?://)",
        description="Where native finds an OpenAI-compatible server, as http://localhost:11434/v1",
    )
    allowed_models: Listed = Field(
        default=(), description="Patterns of models that may be called. Empty: those of the tiers and groups"
    )
    warm_minutes: float = Field(
        default=30, ge=0, le=1440, description="How long Claude Code is kept ready after an answer"
    )
    most_warm: int = Field(default=4, ge=0, le=1000, description="Claude Codes that are kept ready, at most")


class Anthropic(SettingsSection):
    """The vendor of Claude. ANTHROPIC_API_KEY and ANTHROPIC_BASE_URL set the same."""

    api_key: SecretStr = Field(
        default=SecretStr(""), description="The key; better kept by `nanoclaw key set`"
    )
    base_url: str = Field(
        default="https://api.anthropic.com", pattern=r"^https?://", description="Address of the API"
    )


class Telegram(SettingsSection):
    """Bots on Telegram. TELEGRAM_BOT_TOKEN and TELEGRAM_API_BASE set the same; `telegram connect` adds more."""

    bot_token: SecretStr = Field(
        default=SecretStr(""), description="A bot's token; better kept by `nanoclaw telegram connect`"
    )
    api_base: str = Field(
        default="https://api.telegram.org",
        pattern=r"^https?://",
        description="Address of the Bot API, or of a server of your own",
    )
    webhook_url: str = Field(
        default="",
        pattern=r"^($|https?://)",
        description="Where Telegram can post updates: a public https address that leads to webhook_port. "
        "Empty: they are fetched",
    )
    webhook_port: int = Field(
        default=8643, ge=0, le=65535, description="Port for posted updates, on this machine only"
    )


class Memory(SettingsSection):
    """What the companies know: `companies/*/memory/` and its index."""

    extraction: Literal["rest", "off"] = Field(
        default="rest",
        description="rest: a small model extracts what a conversation said when it rests. "
        "off: only what agents remember themselves",
    )
    rest_minutes: float = Field(
        default=10, gt=0, le=10_080, description="Minutes without a message until a conversation rests"
    )
    rest_turns: int = Field(
        default=20, ge=1, le=1000, description="Turns after which it is extracted even if it does not rest"
    )
    most_facts: int = Field(default=20, ge=0, le=100, description="Facts in a prompt, at most")
    recall_seconds: float = Field(
        default=0.25,
        gt=0,
        le=60,
        description="Seconds that a turn waits for what memory finds; then it begins without",
    )
    own_addresses: Listed = Field(
        default=(),
        description="The company's own public addresses and numbers, which are not masked: hello@example.com",
    )
    commit_seconds: float = Field(
        default=10, ge=0, le=86400, description="Seconds in which changes are gathered into one commit"
    )
    push: bool = Field(
        default=False, description="Whether commits go to the git remote, and others' come from it"
    )
    remote: str = Field(default="origin", min_length=1, description="The git remote")
    sync_minutes: float = Field(
        default=1, gt=0, le=1440, description="How often the remote is looked at, where `push` is on"
    )
    embeddings_url: str = Field(
        default="",
        pattern=r"^($|https?://)",
        description="An OpenAI-compatible embeddings address, as http://localhost:11434/v1. Empty: words alone",
    )
    embeddings_model: str = Field(default="", description="Its model")


class ChannelSource(BaseModel):
    """A custom channel: where its class is, and whatever keys it takes itself."""

    model_config = ConfigDict(defer_build=True, extra="allow", frozen=True)

    load: str = Field(
        default="", description="Its class as `package.module:Class`, or the name of an entry point"
    )
    path: str = Field(
        default="", pattern=r"^($|/)", description="Or the file of the class, outside the workspace"
    )

    @property
    def own(self) -> dict[str, Any]:
        return dict(self.model_extra or {})

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """Its own keys may be secrets."""
        return [("load", self.load), ("path", self.path), *((key, "***") for key in self.own)]


class Voice(SettingsSection):
    """Voice messages: what turns them into text, and text into them."""

    engine: Literal["", "endpoint", "whisper"] = Field(
        default="",
        description="endpoint: an OpenAI-compatible server; whisper: on this machine. Empty: none",
    )
    base_url: str = Field(
        default="https://api.openai.com/v1", pattern=r"^https?://", description="Address of the endpoint"
    )
    model: str = Field(default="whisper-1", min_length=1, description="The endpoint's model for listening")
    whisper_model: str = Field(default="small", min_length=1, description="The model on this machine")
    speech_model: str = Field(
        default="", description="The endpoint's model for speaking, as gpt-4o-mini-tts. Empty: none"
    )
    speech_voice: str = Field(default="alloy", min_length=1, description="Whose voice speaks")
    price_per_minute: float = Field(default=0.006, ge=0, description="Dollars for a minute of listening")
    speech_price_per_million_characters: float = Field(
        default=15.0, ge=0, description="Dollars for a million characters of speaking"
    )


class Boxes(SettingsSection):
    """The sandbox that agents' commands run in."""

    driver: Literal["bubblewrap", "podman", "docker", "process"] = Field(
        default="bubblewrap", description="How boxes are made; process isolates nothing"
    )
    image: str = Field(default="", description="Image for podman and docker; empty: the machine's own /usr")
    memory_mb: int = Field(default=2048, ge=64, le=1_048_576, description="Memory of a box")
    processes: int = Field(default=256, ge=8, le=65536, description="Processes in a box")
    cpus: float = Field(default=1.5, gt=0, le=1024, description="Processors that a box may use")
    scratch_mb: int = Field(default=256, ge=1, le=1_048_576, description="Room in /tmp of a box")
    file_mb: int = Field(
        default=1024, ge=1, le=1_048_576, description="The biggest file that a box may write"
    )
    hours: float = Field(default=12, gt=0, le=720, description="How long a box may live, whatever it does")
    terminal_minutes: float = Field(
        default=10,
        ge=0,
        le=1440,
        description="How long the terminal of a live session runs on when nobody is connected; then it resumes",
    )
    private_hosts: Listed = Field(
        default=(), description="Names in your own network that groups may list; others there are refused"
    )


class Spending(SettingsSection):
    """Money that cannot run away: what the model calls of one company may cost, in US dollars."""

    day: float | None = Field(default=None, ge=0, description="At most in a day; unset: no limit")
    month: float | None = Field(default=None, ge=0, description="At most in a month; unset: no limit")
    least_tokens: int = Field(
        default=1024,
        ge=1,
        le=100_000,
        description="When little money is left, answers become shorter, but not shorter than so many tokens",
    )
    member_start: float = Field(
        default=1, ge=0, description="What a member may start at once without an admin, by its estimate"
    )
    member_day: float = Field(
        default=5,
        ge=0,
        description="What a member's work may cost in a day before an admin decides each start",
    )


class Questions(SettingsSection):
    """What agents ask people, and how long they wait for it."""

    timeout_minutes: float = Field(
        default=60, gt=0, le=10080, description="How long a question is open that names no time of its own"
    )
    hold_minutes: float = Field(
        default=3,
        ge=0,
        le=60,
        description="How long a turn waits with its box; after that the answer wakes it",
    )
    most_waiting: int = Field(
        default=4,
        ge=1,
        le=1000,
        description="Turns that wait so at once; when there are more, the oldest ends, and the answer wakes it",
    )
    quiet: Annotated[str, AfterValidator(_quiet_hours)] = Field(
        default="", description="Hours without a sound, as 22:00-07:00, for people who have set none"
    )
    grace_seconds: float = Field(
        default=60,
        ge=0,
        le=3600,
        description="After a start nothing times out so long: presses made meanwhile are still on their way",
    )
    conclude_seconds: float = Field(
        default=60,
        ge=0,
        le=3600,
        description="When the time of a live session is up, people are told, and have so long to conclude it",
    )


class Tasks(SettingsSection):
    """Work that starts itself, and work that takes hours."""

    concurrent: int = Field(
        default=2, ge=1, le=1000, description="Scheduled runs at once on a host, besides the turns of people"
    )
    background: int = Field(
        default=2, ge=1, le=1000, description="Background tasks at once on a host, besides those"
    )
    longest_pause: float = Field(
        default=7200, gt=0, le=86400, description="Seconds from one sign of life of a run to the next"
    )
    most_steps: int = Field(default=200, ge=1, le=10_000, description="Model calls of one run")
    retries: int = Field(default=2, ge=0, le=20, description="How often a run that failed is tried again")
    retry_seconds: float = Field(
        default=60,
        ge=0,
        le=86400,
        description="Before the first retry; each next one waits five times as long",
    )
    pause_after: int = Field(
        default=5, ge=1, le=1000, description="A task is paused after so many failures in a row"
    )
    check_seconds: float = Field(
        default=120, gt=0, le=3600, description="How long the check of a task may take"
    )
    most: int = Field(default=500, ge=1, le=1_000_000, description="Scheduled tasks of one agent group")
    most_background: int = Field(
        default=20, ge=1, le=10_000, description="Background tasks of one agent group that run or wait"
    )


class Pipelines(SettingsSection):
    """Runs of pipelines."""

    concurrent: int = Field(
        default=4, ge=1, le=1000, description="Steps of pipelines at once on a host, besides other turns"
    )
    most_steps: int = Field(default=100, ge=1, le=10_000, description="Model calls of one step")


class Batches(SettingsSection):
    """Many texts at once."""

    poll_seconds: float = Field(
        default=60,
        gt=0,
        le=3600,
        description="How soon a vendor is asked again about a batch; later less often",
    )
    longest_poll_seconds: float = Field(
        default=300, gt=0, le=3600, description="How often it is asked about a batch at the least"
    )
    lost_seconds: float = Field(
        default=600,
        ge=0,
        le=86_400,
        description="How long a batch is looked for whose answer was lost, before it is sent again",
    )
    at_once: int = Field(
        default=2, ge=1, le=100, description="Calls at once where a vendor has no batches, on each host"
    )


class Handoffs(SettingsSection):
    """Work that agents hand over to each other."""

    most_hops: int = Field(
        default=5, ge=1, le=100, description="From the first sender of a chain to its last receiver"
    )
    most_in_chain: int = Field(default=50, ge=1, le=10_000, description="Handoffs of one chain")
    most_in_turn: int = Field(default=10, ge=1, le=1000, description="Handoffs of one turn")
    chain_budget: float | None = Field(
        default=5.0, gt=0, le=100_000, description="Dollars that a chain of handoffs may cost"
    )


class Transfer(SettingsSection):
    """Sessions that are taken to another runtime."""

    hours: float = Field(
        default=72, gt=0, le=8760, description="How long a session waits for what comes back from there"
    )
    drive_server: str = Field(
        default="",
        pattern=r"^($|[a-z][a-z0-9-]{0,31}$)",
        description="The MCP server of a drive that gets the package too, by its name in `nanoclaw mcp list`",
    )
    drive_tool: str = Field(
        default="",
        max_length=128,
        description="Its tool that makes a file; empty: found by what the tools of the server are called",
    )
    drive_folder: str = Field(
        default="",
        max_length=500,
        description="The folder there, as that tool names folders: an id or a path",
    )


class Backup(SettingsSection):
    """The backups that the host makes by itself."""

    every: float = Field(default=24, ge=0, le=8760, description="Hours from one to the next; 0: none is made")
    keep: int = Field(default=7, ge=1, le=10_000, description="How many are kept; older ones are removed")
    folder: str = Field(
        default="data/backups",
        min_length=1,
        description="Where they are kept, in the workspace or, better, on another disk",
    )


class Demo(SettingsSection):
    """The demo model."""

    pace: float = Field(default=0.02, ge=0, le=10, description="Seconds between two words of the demo model")


class Scripted(SettingsSection):
    """The scripted channel, for tests and bridges of your own. Whoever writes there is trusted as the owner."""

    url: str = Field(
        default="",
        pattern=r"^($|http://(127\.0\.0\.1|localhost)(:\d+)?$)",
        description="Address of the far end",
    )
    repeatable: bool = Field(default=True, description="Whether the far end recognises a repeated parcel")


class Log(SettingsSection):
    """What the host writes about itself."""

    level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="The least that is written"
    )


class Settings(SettingsSection):
    """Everything that can be set. An environment variable is `NANOCLAW_` + section + key, as NANOCLAW_WEB_PORT."""

    language: Literal["en", "uk"] = Field(
        default="en", description="Language of the host, unless a person has their own"
    )
    timezone: Annotated[str, AfterValidator(zone_name)] = Field(
        default="UTC", description="Zone, unless a person has their own"
    )
    owner: Owner = Owner()
    web: Web = Web()
    database: Database = Database()
    turns: Turns = Turns()
    limits: Limits = Limits()
    agents: Agents = Agents()
    anthropic: Anthropic = Anthropic()
    telegram: Telegram = Telegram()
    voice: Voice = Voice()
    boxes: Boxes = Boxes()
    spending: Spending = Spending()
    prices: dict[str, str] = Field(
        default_factory=dict,
        description='Dollars per million tokens of models that have no known price: "my-model" = "1.0/5.0"',
    )
    questions: Questions = Questions()
    approvals: tuple[ToolRule, ...] = Field(
        default=(),
        description="Calls of tools that need a person first: one [[approvals]] table for each rule",
    )
    tasks: Tasks = Tasks()
    handoffs: Handoffs = Handoffs()
    transfer: Transfer = Transfer()
    pipelines: Pipelines = Pipelines()
    batches: Batches = Batches()
    memory: Memory = Memory()
    backup: Backup = Backup()
    channels: dict[Annotated[str, AfterValidator(_channel_name)], ChannelSource] = Field(
        default_factory=dict,
        description="Channels of your own: one [channels.<name>] table for each, with `load` or `path`",
    )
    demo: Demo = Demo()
    scripted: Scripted = Scripted()
    log: Log = Log()

    @property
    def locale(self) -> Locale:
        return Locale(language=self.language, timezone=self.timezone)

    def database_url(self, home: Path) -> str:
        return self.database.url or f"sqlite:///{home / 'data' / 'nanoclaw.db'}"

    def shown_database_url(self, home: Path) -> str:
        """Without the password, for people and logs."""
        return _hidden(self.database_url(home))


def database_file(url: str) -> str:
    """The path of an SQLite database, for sentences that name it."""
    return url.removeprefix("sqlite:///")


def home_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """The workspace: NANOCLAW_HOME, or ~/nanoclaw; next to it if that is a clone of this program."""
    if chosen := environment.get(HOME):
        return Path(chosen).expanduser().absolute()
    usual = Path.home() / "nanoclaw"
    return usual.with_name("nanoclaw-workspace") if (usual / "src" / "nanoclaw").is_dir() else usual


def read_settings(home: Path, environment: Mapping[str, str] = os.environ) -> Settings:
    path = home / FILE
    known = names()
    for name in environment:
        named = name in known or name in (HOME, COMMAND) or _OF_CHANNEL.fullmatch(name)
        if name.startswith(PREFIX) and not named:
            raise BadSettings("settings-unknown-variable", name=name, known=", ".join([HOME, *known]))
    try:
        written = tomllib.loads(path.read_text("utf-8")) if path.exists() else {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadSettings("settings-broken", file=str(path), said=str(error)) from error
    except OSError as error:
        raise BadSettings("settings-unreadable", file=str(path), said=error.strerror or str(error)) from error
    try:
        return Settings.model_validate(_with_environment(written, environment))
    except ValidationError as error:
        raise _refusal(path, error, environment) from error


def _with_environment(written: dict[str, Any], environment: Mapping[str, str]) -> dict[str, Any]:
    """The file overridden by the variables; a section that is not a table is left for validation to refuse."""
    for variable, key in (ALIASES | names()).items():
        section, _, name = key.rpartition(".")
        place = written.setdefault(section, {}) if section else written
        if variable in environment and isinstance(place, dict):
            place[name] = environment[variable]
    for variable, value in environment.items():
        if found := _OF_CHANNEL.fullmatch(variable):
            channel, name = (part.lower() for part in found.groups())
            place = written.setdefault("channels", {})
            table = place.setdefault(channel, {}) if isinstance(place, dict) else None
            if isinstance(table, dict):
                table[name] = value
    return written


def names() -> dict[str, str]:
    """Every environment variable with the name of the same setting in the file."""
    found: dict[str, str] = {}
    for name, field in Settings.model_fields.items():
        section = field.annotation
        if isinstance(section, type) and issubclass(section, SettingsSection):
            found |= {f"{PREFIX}{name}_{key}".upper(): f"{name}.{key}" for key in section.model_fields}
        elif name not in ("prices", "approvals", "channels"):  # tables, which fit in no variable
            found[f"{PREFIX}{name}".upper()] = name
    return found


def _refusal(path: Path, error: ValidationError, environment: Mapping[str, str]) -> BadSettings:
    first = error.errors()[0]
    if first["loc"][0] == "approvals" and len(first["loc"]) > 1:
        return _rule_refusal(path, first)
    key = ".".join(str(part) for part in first["loc"])
    variable = PREFIX + key.replace(".", "_").upper()
    place = variable if variable in environment else str(path)
    if first["type"] == "extra_forbidden":
        section, _, _ = key.rpartition(".")
        known = [name for name in names().values() if name.rpartition(".")[0] == section]
        sections = (
            [] if section else [name for name, field in Settings.model_fields.items() if _is_section(field)]
        )
        return _unknown_key(place, key, [*known, *sections])
    value = "***" if key in _SECRET or key.startswith("channels") else _hidden(str(first["input"]))[:80]
    return BadSettings("settings-bad-value", place=place, key=key, value=value, **_fault(first))


def _unknown_key(place: str, key: str, known: list[str]) -> BadSettings:
    """A typo is answered with the key that was meant; otherwise all of them are named."""
    meant = next(iter(get_close_matches(key, known, n=1, cutoff=0.75)), None)
    if meant:
        return BadSettings("settings-key-meant", place=place, key=key, meant=meant)
    return BadSettings("settings-unknown-key", place=place, key=key, known=", ".join(known))


def _rule_refusal(path: Path, fault: Mapping[str, Any]) -> BadSettings:
    """A rule has no name, so it is named by its position, counted from one."""
    _, index, *inside = fault["loc"]
    key = f"approvals {int(index) + 1}, {'.'.join(map(str, inside))}"
    if fault["type"] == "extra_forbidden":
        return _unknown_key(str(path), key, list(ToolRule.model_fields))
    missing = fault["type"] == "missing"
    value = "" if missing else str(fault["input"])[:80]
    return BadSettings("settings-bad-value", place=str(path), key=key, value=value, **_fault(fault))


def _fault(fault: Mapping[str, Any]) -> dict[str, str]:
    """What is wrong with a value, in our words: pydantic's are for programmers."""
    kind, context = str(fault["type"]), fault.get("ctx", {})
    if kind == "literal_error":
        return {"fault": "choice", "said": ", ".join(filter(None, _QUOTED.findall(context["expected"])))}
    if kind in _LIMITS:
        fault_of, limit = _LIMITS[kind]
        return {"fault": fault_of, "said": f"{context[limit]:g}"}
    if kind == "string_pattern_mismatch":
        pattern = context["pattern"].lstrip("^").removeprefix("($|").removesuffix(")").partition("(:")[0]
        readable = pattern.replace("s?:", "s:").replace("\\.", ".").replace("|", " | ")
        return {"fault": "beginning", "said": readable}
    sort = next((name for name in _SORTS if kind.startswith(name)), None)
    return {"fault": _SORTS[sort] if sort else "other", "said": fault["msg"].removeprefix("Value error, ")}


def _hidden(url: str) -> str:
    return _PASSWORD.sub(r"\1\2***", url)


def _is_section(field: object) -> bool:
    annotation = getattr(field, "annotation", None)
    return isinstance(annotation, type) and issubclass(annotation, SettingsSection)
