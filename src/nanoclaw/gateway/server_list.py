"""The list of MCP servers: `data/mcp.json`, which only the host's user can read and no box ever sees."""

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Self
from urllib.parse import parse_qsl, urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, ValidationError, model_validator

from nanoclaw.domain.errors import BadSettings
from nanoclaw.domain.hosts import host_pattern

FILE = "mcp.json"
_NAME = r"^[a-z][a-z0-9-]{0,31}$"
_SHORTEST_SECRET = 8
_SECRET_NAME = re.compile(r"auth|key|token|secret|pass|cred|cookie|session", re.IGNORECASE)
_RANDOM = re.compile(r"(?=.*\d)(?=.*[A-Za-z])[^/\s]{16,}")


def _absolute(folder: str) -> str:
    if not Path(folder).is_absolute() or folder.strip("/") == "":
        raise ValueError("a folder is an absolute path, and not the whole machine")
    return folder


def _address(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("an address begins with https:// or http:// and names a host")
    return url


def _one_line(value: SecretStr) -> SecretStr:
    written = value.get_secret_value()
    if not written or not written.isprintable():
        raise ValueError("a value is one line, and not empty")
    return value


def _header_value(value: SecretStr) -> SecretStr:
    if not value.get_secret_value().isascii():
        raise ValueError("a header can only hold ASCII characters")
    return value


Secret = Annotated[SecretStr, AfterValidator(_one_line)]
HeaderName = Annotated[str, Field(pattern=r"^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")]
VariableName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]


class Server(BaseModel):
    """A server as the owner described it. Printing this shows no value of a header or a variable."""

    model_config = ConfigDict(defer_build=True, extra="forbid", frozen=True, hide_input_in_errors=True)

    name: str = Field(pattern=_NAME)
    url: Annotated[str, AfterValidator(_address)] | None = Field(default=None, repr=False)
    headers: dict[HeaderName, Annotated[Secret, AfterValidator(_header_value)]] = Field(default_factory=dict)
    command: tuple[Annotated[str, Field(min_length=1, pattern=r"^[^\x00]*$")], ...] = ()
    env: dict[VariableName, Secret] = Field(default_factory=dict)
    network: tuple[Annotated[str, AfterValidator(host_pattern)], ...] = ()  # hosts that its box may reach
    folders: tuple[Annotated[str, AfterValidator(_absolute)], ...] = ()  # folders that its box may read

    @model_validator(mode="after")
    def _is_one_of_two(self) -> Self:
        if (self.url is None) == (not self.command):
            raise ValueError("a server has either an address or a command")
        if self.url is not None and (self.env or self.network or self.folders):
            raise ValueError("variables, hosts and folders are for a server with a command")
        if self.command and self.headers:
            raise ValueError("headers are for a server with an address")
        return self

    @property
    def local(self) -> bool:
        """Whether it runs here, in a box of its own."""
        return bool(self.command)

    @property
    def where(self) -> str:
        """The address for people and logs. Only the host of a URL: some services put the key into the path."""
        if self.url is None:
            return self.command[0]
        parts = urlsplit(self.url)
        host = f"[{parts.hostname}]" if ":" in str(parts.hostname) else parts.hostname
        return f"{parts.scheme}://{host}" + (f":{parts.port}" if parts.port else "")

    def hide(self, text: str) -> str:
        """Remove its secrets: a server that complains about a key tends to repeat it. Obvious non-secrets
        stay; otherwise a variable `MODE=production` would blacken that word in every result.
        """
        for word in sorted(self.secrets(), key=len, reverse=True):
            text = text.replace(word, "***")
        return text

    def secrets(self) -> set[str]:
        named = [*self.headers.items(), *self.env.items()]
        values = [(name, secret.get_secret_value()) for name, secret in named]
        if self.url is not None:
            parts = urlsplit(self.url)
            values += [("password", parts.password or ""), *parse_qsl(parts.query)]
            values += [("", segment) for segment in parts.path.split("/")]
        return {
            word
            for name, value in values
            for word in (value, *value.split())
            if len(word) >= _SHORTEST_SECRET and (_SECRET_NAME.search(name) or _RANDOM.fullmatch(word))
        }


def describe(name: str, about: Mapping[str, object]) -> Server:
    """Raises BadSettings with the place of the fault, and never with a value: it might be the key."""
    if not re.fullmatch(_NAME, name):
        raise BadSettings("mcp-name", server=name)
    try:
        return Server.model_validate({**about, "name": name})
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"] if part != "[key]") or name
        raise BadSettings(
            "mcp-odd", server=name, key=place, said=first["msg"].removeprefix("Value error, ")
        ) from None


def read(home: Path) -> dict[str, Server]:
    """All servers by name."""
    path = _path(home)
    try:
        found = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise BadSettings("mcp-broken", file=str(path), said=error.strerror or str(error)) from error
    except ValueError as error:
        # The parser's own message would quote the file.
        place = f"{error.lineno}:{error.colno}" if isinstance(error, json.JSONDecodeError) else "?"
        raise BadSettings("mcp-broken", file=str(path), said=place) from None
    if not isinstance(found, dict) or not all(isinstance(about, dict) for about in found.values()):
        raise BadSettings("mcp-broken", file=str(path), said="{}")
    return {name: describe(name, about) for name, about in found.items()}


def add(home: Path, server: Server) -> None:
    known = read(home)
    if server.name in known:
        raise exists(server.name)
    _write(_path(home), {**known, server.name: server})


def remove(home: Path, name: str) -> Server:
    known = read(home)
    server = known.pop(name, None)
    if server is None:
        raise unknown(name, known)
    _write(_path(home), known)
    return server


def exists(name: str) -> BadSettings:
    return BadSettings("mcp-exists", server=name)


def unknown(name: str, known: Mapping[str, Server]) -> BadSettings:
    return BadSettings("mcp-unknown", server=name, known=", ".join(sorted(known)) or "-")


def _path(home: Path) -> Path:
    return home / "data" / FILE


def _write(path: Path, servers: Mapping[str, Server]) -> None:
    """Atomic, and never readable by others, not even for a moment."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(
        os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8"
    ) as file:
        json.dump(
            {name: _written(server) for name, server in servers.items()}, file, indent=2, ensure_ascii=False
        )
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


def _written(server: Server) -> dict[str, object]:
    """The server with its secrets: this is the one place that writes them."""
    about = server.model_dump(exclude={"name", "headers", "env"}, exclude_defaults=True)
    secrets = {"headers": server.headers, "env": server.env}
    return about | {
        kind: {name: value.get_secret_value() for name, value in kept.items()}
        for kind, kept in secrets.items()
        if kept
    }
