"""Writes the pages that are made from the code: `just docs`. A test compares them with what is in the repository."""

import json
import re
import tomllib
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, SecretStr
from pydantic_core import PydanticUndefined

from nanoclaw.domain.tools import TOOLS, Tool
from nanoclaw.host.settings import HOME, Settings, SettingsSection, names
from nanoclaw.memory.entries import Decision, Fact, Restoration, Tombstone

CAPABILITIES = Path("docs/capabilities.md")
SETTINGS = Path("docs/reference/settings.md")
SCHEMAS = Path("docs/reference/file-protocol")
LINES = Path("docs/reference/memory-files")
WORDS = Path("docs/capabilities.toml")
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_ID = {
    "type": "string",
    "pattern": "^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$",
    "description": "The name of the file without .json: 32 random hex digits, or a name such as bg-1234.",
}
_MARK = re.compile(r"\bpytest\.mark\.capability\(([^)]+)\)")
_ABOUT_CAPABILITIES = """\
One row for each capability. *works*: all of it can be used, and the tests named prove it. *partly*: what is missing is
said. *not yet*: no test proves any of it. Made by `just docs` from the marks of the tests and `capabilities.toml`; a
test keeps it true."""
_ABOUT_SETTINGS = """\
In `nanoclaw.toml` of the workspace, or in the environment, which wins. A key that is not in this table is refused, and
so is a value that is not allowed; the message names the place and what is allowed. `ANTHROPIC_API_KEY` and
`ANTHROPIC_BASE_URL` set the two keys of `[anthropic]`. Prices of models that nobody knows are a table of their own, in
the file alone: `[prices]`, `"my-model" = "1.0/5.0"`, in dollars per million tokens in and out.
Channels of your own have a table each, `[channels.<name>]`, with `load` or `path` and the channel's own keys: see
[Add a channel](../how-to/add-a-channel.md). Made by `just docs`."""


def pages() -> dict[Path, str]:
    schemas = {
        SCHEMAS / name: json.dumps(schema, ensure_ascii=False, indent=2) + "\n"
        for name, schema in protocol_schemas().items()
    }
    lines = {
        LINES / f"{model.__name__.lower()}.schema.json": json.dumps(_line_schema(model), indent=2) + "\n"
        for model in (Fact, Decision, Tombstone, Restoration)
    }
    return {CAPABILITIES: capabilities_page(), SETTINGS: settings_page(), **schemas, **lines}


def _line_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The schema of a line of memory, as it is read."""
    return {"$schema": _DIALECT, **model.model_json_schema()}


def capabilities_page() -> str:
    """One row for each capability, with the test files that prove it."""
    proofs = _proofs()
    sections = tomllib.loads(WORDS.read_text("utf-8"))
    unknown = proofs.keys() - {name for section in sections.values() for name in section}
    if unknown:
        raise SystemExit(f"tests name capabilities that {WORDS} does not have: {sorted(unknown)}")
    lines = [
        "# What works",
        "",
        _ABOUT_CAPABILITIES,
    ]
    for title, section in sections.items():
        lines += ["", f"## {title}", "", "| id | what it is | state | proved by |", "|---|---|---|---|"]
        for name, entry in section.items():
            words, missing = (entry, "") if isinstance(entry, str) else (entry["words"], entry["missing"])
            tests = proofs.get(name, [])
            state = "not yet" if not tests else f"partly; not yet: {missing}" if missing else "works"
            proof = ", ".join(f"[{Path(test).stem}](../{test})" for test in tests)
            lines.append(f"| {name} | {words} | {state} | {proof} |")
    return "\n".join(lines) + "\n"


def settings_page() -> str:
    lines = [
        "# Settings",
        "",
        _ABOUT_SETTINGS,
        "",
        "| in the file | in the environment | default | what it is |",
        "|---|---|---|---|",
        f"| | `{HOME}` | `~/nanoclaw` | The workspace |",
    ]
    fields = dict(Settings.model_fields)
    for variable, key in names().items():
        section, _, name = key.rpartition(".")
        field = _section(section).model_fields[name] if section else fields[key]
        default = f"`{field.default}`" if _is_plain(field.default) else ""
        lines.append(f"| `{key}` | `{variable}` | {default} | {field.description} |")
    return "\n".join(lines) + "\n"


def protocol_schemas() -> dict[str, dict[str, Any]]:
    """JSON Schema of every file of the protocol, by the name under docs/reference/file-protocol/."""
    answer = _record(
        "The answer to a request. One in hitl-responses also has the fields of `data` beside it, and `request_id`.",
        ok={"type": "boolean", "description": "Whether it was done."},
        text={"type": "string", "description": "What the host says to the agent."},
        data={"type": "object", "description": "Values that a program can use."},
    )
    return {
        **{f"{tool.name}.schema.json": _request_schema(tool) for tool in TOOLS.values()},
        "answer.schema.json": {**answer, "additionalProperties": True},
    }


def _request_schema(tool: Tool) -> dict[str, Any]:
    made = _record(tool.description, tool={"const": tool.name}, arguments=tool.schema(main=True))
    made["properties"]["at"] = {"type": "string", "maxLength": 40, "description": "ISO time; not used."}
    return {**made, "title": f"/ipc/{tool.kind}: {tool.name}"}


def _record(about: str, **properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "$schema": _DIALECT,
        "description": about,
        "type": "object",
        "properties": {"id": _ID, **properties},
        "required": ["id", *properties],
        "additionalProperties": False,
    }


def _is_plain(default: object) -> bool:
    return default not in ("", (), None, PydanticUndefined) and not isinstance(default, SecretStr)


def _section(name: str) -> type[SettingsSection]:
    found = Settings.model_fields[name].annotation
    if not (isinstance(found, type) and issubclass(found, SettingsSection)):
        raise TypeError(name)
    return found


def _proofs() -> dict[str, list[str]]:
    """Which test files carry which marks."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(Path("tests").rglob("test_*.py")):
        marks = _MARK.findall(path.read_text("utf-8"))
        for name in sorted({name for mark in marks for name in re.findall(r'"(\w+)"', mark)}):
            found[name].append(str(path))
    return found


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, "utf-8")
