"""Checks a request for an interactive session against the workspace before anybody is asked.

What cannot be used (a folder outside the box, a model or server that is not allowed, a broken schema) is
refused with what to change: otherwise the person would find out, and could do nothing about it.
"""

import asyncio
import json
import posixpath
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Protocol

from nanoclaw.context.groups import Group
from nanoclaw.context.mounts import allowed_mounts
from nanoclaw.domain.boxes import WORK, Mount
from nanoclaw.domain.errors import BadWorkspace
from nanoclaw.domain.interactive_requests import RequestSession, SessionConfig
from nanoclaw.domain.outcomes import APPROVED, REJECTED
from nanoclaw.domain.questions import NewQuestion, Option, QuestionKind, plain_handles
from nanoclaw.domain.tool_requests import BadToolRequest
from nanoclaw.sandbox.box_files import BoxFiles
from nanoclaw.texts import tell

_TIERS = ("opus", "sonnet", "haiku")
_LABEL = 20  # characters on a button
_MOST_MCP = 64 * 1024
_MOST_SHOWN = 20_000  # characters of a context shown in the inbox; the session has all of it
_NOT_ASKED = "The session was not asked for. "


class SchemaChecks(Protocol):
    """Implemented by `sandbox/outcome_checks.py`."""

    async def schema_problem(self, schema: Mapping[str, Any]) -> str | None: ...


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionRequests:
    """`models` are patterns of the models that may be called, besides the tiers."""

    home: Path
    mounts_list: Path
    checks: SchemaChecks
    models: Callable[[], Collection[str]]
    usual_timeout: timedelta

    async def wanted(self, given: RequestSession, group: Group, skill: str = "") -> NewQuestion:
        """The checked request. Raises BadToolRequest with what to change."""
        config = given.config
        stored = config.stored()
        self._check_model(config)
        if config.cwd or config.mcpConfig:
            stored |= await asyncio.to_thread(self._look, config, group)
        outcome = config.outcomeSchema
        schema = outcome.jsonSchema if outcome else None
        if schema is not None and (problem := await self.checks.schema_problem(schema)):
            raise BadToolRequest(f"{_NOT_ASKED}`jsonSchema` cannot be used. {problem}")
        shown = config.context
        if shown is not None and len(json.dumps(shown, ensure_ascii=False)) > _MOST_SHOWN:
            shown = None
        return NewQuestion(
            kind=QuestionKind.INTERACTIVE,
            prompt=(given.prompt or "").strip(),
            options=_options(outcome.type, outcome.options or ()) if outcome else (),
            timeout=timedelta(milliseconds=config.timeout) if config.timeout else self.usual_timeout,
            default=None,
            context=shown,
            deciders=plain_handles(given.deciders or ()),
            skill=skill,
            config=stored,
        )

    def _check_model(self, config: SessionConfig) -> None:
        model = config.model
        if model is None or model in _TIERS:
            return
        names = (model, model.partition(":")[2] or model)
        allowed = self.models()
        if not any(fnmatchcase(name, pattern) for name in names for pattern in allowed):
            known = ", ".join(f"`{each}`" for each in dict.fromkeys((*_TIERS, *allowed)))
            raise BadToolRequest(
                f"{_NOT_ASKED}`model` is `{model[:80]}`, which this workspace does not allow. Use one of {known}."
            )

    def _look(self, config: SessionConfig, group: Group) -> dict[str, Any]:
        """Where its paths lead in a box of the group. Blocks: use a thread."""
        try:
            extra = allowed_mounts(group.mounts, self.mounts_list)
        except BadWorkspace as error:
            raise BadToolRequest(f"{_NOT_ASKED}{tell('en', error)}") from error
        work = Mount(source=self.home / "groups" / group.name / "files", target=WORK)
        mounts = (work, *extra)
        found: dict[str, Any] = {}
        with BoxFiles(mounts) as box:
            if config.cwd:
                found["cwd"] = _folder(box, config.cwd, mounts)
            if config.mcpConfig:
                path = _file(box, config.mcpConfig, mounts)
                found |= {"mcpConfig": path, "mcpServers": _servers(box.read(path, _MOST_MCP), path, group)}
        return found


def _folder(box: BoxFiles, path: str, mounts: Sequence[Mount]) -> str:
    place = _beneath(box, "cwd", path, mounts)
    found = box.find(place)
    if found is None or not found.is_folder:
        raise BadToolRequest(f"{_NOT_ASKED}`cwd` is `{path[:200]}`: there is no such folder.")
    return place


def _file(box: BoxFiles, path: str, mounts: Sequence[Mount]) -> str:
    place = _beneath(box, "mcpConfig", path, mounts)
    found = box.find(place)
    if found is None or found.is_folder or found.fault:
        raise BadToolRequest(f"{_NOT_ASKED}`mcpConfig` is `{path[:200]}`: there is no such file.")
    return place


def _beneath(box: BoxFiles, name: str, path: str, mounts: Sequence[Mount]) -> str:
    """The path it leads to, links included; it must lie in a folder of the box that the group's people share."""
    found = box.find(posixpath.normpath(path)) if path.startswith("/") else None
    place = found.path if found else posixpath.normpath(path)
    if not any(place == each.target or place.startswith(f"{each.target}/") for each in mounts):
        known = ", ".join(f"`{each.target}`" for each in mounts)
        raise BadToolRequest(
            f"{_NOT_ASKED}`{name}` is `{path[:200]}`: it must be a full path in {known}, as in a box of the group."
        )
    return place


def _servers(content: bytes | None, path: str, group: Group) -> list[str]:
    """The servers of the workspace that the file names. What it says about them does not count: no box starts any."""
    if content is None:
        raise BadToolRequest(f"{_NOT_ASKED}`mcpConfig`: {path} has more than {_MOST_MCP // 1024} kB.")
    try:
        servers = json.loads(content)["mcpServers"]
        names = list(servers)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise BadToolRequest(
            f'{_NOT_ASKED}`mcpConfig`: {path} must be JSON like {{"mcpServers": {{"name": {{}}}}}}.'
        ) from error
    if unknown := [each for each in names if each not in group.mcp]:
        known = ", ".join(f"`{each}`" for each in group.mcp) or "none"
        raise BadToolRequest(
            f"{_NOT_ASKED}`mcpConfig` names the server `{str(unknown[0])[:80]}`, which the group {group.name} does not "
            f"have. It has: {known}. The owner adds one with `nanoclaw mcp add`, and in `mcp` of its group.toml."
        )
    return names


def _options(kind: str, texts: Sequence[str]) -> tuple[Option, ...]:
    """Buttons: their labels are short, and their ids are the whole text, which is the result."""
    if kind == "approval":
        return Option(id=APPROVED), Option(id=REJECTED, safe=True)
    whole = [each.strip() for each in texts]
    short = [each if len(each) <= _LABEL else f"{each[: _LABEL - 1]}…" for each in whole]
    if len(set(short)) < len(short):
        short = [f"{number}. {each}"[:_LABEL] for number, each in enumerate(whole, 1)]
    return tuple(
        Option(id=text, label=label, description=text if label != text else "")
        for text, label in zip(whole, short, strict=True)
    )
