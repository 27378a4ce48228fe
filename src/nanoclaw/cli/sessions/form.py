"""Asks for the conclusion of a session on a terminal, as its outcome requires: a decision, a choice, a text,
fields.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

import typer

from nanoclaw.cli.plain_lines import one_line
from nanoclaw.texts import say

_YES, _NO = "approved", "rejected"
_DECIDED = ("approval", "selection")


class Later(Exception):
    """The person leaves it open."""


class ConclusionForm:
    def __init__(self, form: Mapping[str, Any], prefill: Mapping[str, Any] | None, language: str) -> None:
        """`prefill` is what people said in passing. A text or a field offers it; a decision never takes an
        empty Enter.
        """
        self._form = form
        self._filled = (prefill or {}).get("value")
        self._language = language

    def ask(self) -> object:
        """What they conclude. Raises Later if they leave it open."""
        typer.echo(
            self._say("head" if self._form["type"] in _DECIDED or not self._is_filled else "head-filled")
        )
        if self._form["type"] in _DECIDED and isinstance(self._filled, str):
            typer.echo(self._say("said", said=one_line(self._filled)))
        match self._form["type"]:
            case "approval":
                return self._approval()
            case "selection":
                return self._selection([str(each) for each in self._form["options"]])
            case "structured" if self._form["raw"]:
                return self._json(self._say("raw"), self._filled, required=True)
            case "structured":
                return self._fields()
            case _:
                return self._line(self._say("text"), self._filled if isinstance(self._filled, str) else "")

    def _approval(self) -> object:
        words = {"a": _YES, "y": _YES, "т": _YES, "с": _YES, "r": _NO, "n": _NO, "н": _NO, "в": _NO}
        decided = self._until(self._say("approval"), "", lambda typed: words.get(typed.strip().lower()[:1]))
        notes = self._prompt(self._say("notes"), "").strip()
        return {"approved": decided == _YES, "notes": notes} if notes else decided

    def _selection(self, options: list[str]) -> object:
        for place, each in enumerate(options, 1):
            typer.echo(f"  {place}  {one_line(each)}")
        return self._until(self._say("selection"), "", lambda typed: _chosen(typed, options))

    def _fields(self) -> object:
        """Ask one field after the other; optional ones may be left out. Nothing in the first one leaves it open."""
        before = self._filled if isinstance(self._filled, Mapping) else {}
        told: dict[str, Any] = {}
        for field in self._form["fields"]:
            value = self._field(field, before.get(field["name"], field.get("default")))
            if value is not None:
                told[field["name"]] = value
        return told

    def _field(self, field: Mapping[str, Any], offered: object) -> object:
        title = one_line(str(field.get("title") or field["name"]))
        hint = f" ({one_line(str(field['description']))})" if field.get("description") else ""
        name, required = f"{title}{hint}", bool(field["required"])
        match field["type"]:
            case "boolean":
                words = {"y": True, "т": True, "n": False, "н": False}
                default = "" if offered is None else ("y" if offered else "n")
                asked = f"{name} [{self._say('yes-no')}]"
                return self._until(
                    asked, default, lambda typed: words.get(typed.lower()[:1]), required=required
                )
            case "choice":
                options = [each if isinstance(each, str) else json.dumps(each) for each in field["enum"]]
                for place, each in enumerate(options, 1):
                    typer.echo(f"  {place}  {one_line(each)}")
                default = "" if offered is None else str(offered)
                picked = self._until(name, default, lambda typed: _chosen(typed, options), required=required)
                return None if picked is None else field["enum"][options.index(str(picked))]
            case "integer" | "number":
                default = "" if offered is None else str(offered)
                return self._until(name, default, _number, required=required)
            case "list":
                default = ", ".join(map(str, offered)) if isinstance(offered, list) else ""
                asked = f"{name} [{self._say('list')}]"
                return self._until(asked, default, _parts, required=required)
            case "text":
                default = "" if offered is None else str(offered)
                return self._until(name, default, lambda typed: typed or None, required=required)
            case _:
                return self._json(f"{name} [JSON]", offered, required=required)

    def _json(self, asked: str, offered: object, *, required: bool) -> object:
        default = "" if offered is None else json.dumps(offered, ensure_ascii=False)
        found = self._until(asked, default, _parsed, required=required)
        return found[0] if isinstance(found, tuple) else None

    def _line(self, asked: str, offered: str) -> object:
        return self._until(asked, offered, lambda typed: typed.strip() or None)

    def _until(
        self, asked: str, default: str, read: Callable[[str], object], *, required: bool = True
    ) -> object:
        """Ask until it can be read. An empty required answer leaves the session open."""
        while True:
            typed = self._prompt(asked, default)
            if not typed.strip():
                if required:
                    raise Later
                return None
            found = read(typed.strip())
            if found is not None:
                return found
            typer.echo(self._say("unread", typed=one_line(typed)[:80]))

    def _prompt(self, asked: str, default: str) -> str:
        try:
            return str(typer.prompt(asked, default=default, show_default=bool(default)))
        except typer.Abort as left:
            typer.echo()  # the prompt stays on its own line
            raise Later from left

    @property
    def _is_filled(self) -> bool:
        """Whether Enter takes a value shown in brackets."""
        return self._filled is not None or any("default" in each for each in self._form.get("fields", ()))

    def _say(self, what: str, **values: str) -> str:
        return say(self._language, f"session-form-{what}", **values)


def _chosen(typed: str, options: list[str]) -> str | None:
    """The option by its number, or as it is written."""
    if typed in options:
        return typed
    if typed.isascii() and typed.isdigit() and 1 <= int(typed[:4]) <= len(options):
        return options[int(typed[:4]) - 1]
    return next((each for each in options if each.casefold() == typed.casefold()), None)


def _number(typed: str) -> int | float | None:
    try:
        return int(typed)
    except ValueError:
        pass
    try:
        return float(typed.replace(",", "."))
    except ValueError:
        return None


def _parts(typed: str) -> list[str] | None:
    return [part for each in typed.split(",") if (part := each.strip())] or None


def _parsed(typed: str) -> tuple[object] | None:
    """The value in a tuple, because null is a value too."""
    try:
        return (json.loads(typed),)
    except ValueError:
        return None
