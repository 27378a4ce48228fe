"""The commands for adaptors: which there are, and whether a file keeps the rules of its channel."""

import json
import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import typer

from nanoclaw.context.adaptor_rules import Breach
from nanoclaw.context.adaptor_rules import check as check_text
from nanoclaw.context.adaptors import FOLDER, Adaptor, Adaptors, target_of
from nanoclaw.context.front_matter import Head
from nanoclaw.context.manuscript import head_of, lines_of
from nanoclaw.domain.errors import NanoClawError, Refused
from nanoclaw.domain.text import storable, tidy_name
from nanoclaw.host.settings import read_settings
from nanoclaw.host.workspace import STARTER, local_language
from nanoclaw.texts import say, tell

MOST_BYTES = 256 * 1024
_MOST_SHOWN = 50
_BROKEN, _UNCHECKED = 1, 2


def list_adaptors(home: Path, *, as_json: bool) -> None:
    """Faults are told on the error stream, and end with code 1: a format that is left out is soon missed."""
    language, adaptors = _language(home), Adaptors(home)
    if as_json:
        found = [_shown(adaptor) for adaptor in adaptors.all()]
        faults = [tell(language, fault) for fault in adaptors.faults()]
        typer.echo(json.dumps({"adaptors": found, "faults": faults}, ensure_ascii=False, indent=2))
    elif not adaptors.all():
        typer.echo(tell(language, _none(home)))
    for adaptor in () if as_json else adaptors.all():
        typer.echo(f"{adaptor.name}  {', '.join(adaptor.head.targets)}  {adaptor.head.description}")
    for fault in () if as_json else adaptors.faults():
        typer.echo(tell(language, fault), err=True)
    if adaptors.faults():
        raise typer.Exit(_BROKEN)


def check(home: Path, file: Path, *, target: str | None, as_json: bool) -> None:
    """Ends with code 0 when every rule is kept, 1 when one is not, 2 when nothing could be checked."""
    language = _language(home)
    try:
        text = read_text(file)
        adaptor = _adaptor(Adaptors(home), home, file, target or _target_in(text))
    except Refused as refusal:
        _give_up(language, refusal)
    breaches = check_text(text, adaptor)
    if as_json:
        _print_json(language, file, adaptor, breaches)
    elif not breaches:
        typer.echo(say(language, "adaptors-kept", file=str(file), adaptor=adaptor.name))
    for breach in () if as_json else breaches[:_MOST_SHOWN]:
        place = f"{file}:{breach.line}" if breach.line else str(file)
        typer.echo(f"{place}: {_sentence(language, breach)}")
    if not as_json and len(breaches) > _MOST_SHOWN:
        typer.echo(say(language, "adaptors-more", count=len(breaches) - _MOST_SHOWN))
    if breaches:
        raise typer.Exit(_BROKEN)


def read_text(file: Path) -> str:
    """A small UTF-8 file. A pipe or a device is not waited for, and of a big file nothing is read."""
    try:
        opened = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
        with os.fdopen(opened, "rb") as stream:
            if not stat.S_ISREG(os.fstat(opened).st_mode):
                raise Refused("adaptors-not-a-file", file=str(file))
            content = stream.read(MOST_BYTES + 1)
    except IsADirectoryError as error:
        raise Refused("adaptors-not-a-file", file=str(file)) from error
    except OSError as error:
        raise Refused("adaptors-unread", file=str(file), said=error.strerror or str(error)) from error
    if len(content) > MOST_BYTES:
        raise Refused("adaptors-too-big", file=str(file), kilobytes=MOST_BYTES // 1024)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise Refused("adaptors-not-text", file=str(file), line=str(line)) from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise Refused("adaptors-not-text", file=str(file), line=str(line))
    return text


def _target_in(text: str) -> str | None:
    """What the front matter of the file says: `channel: linkedin` or `target: linkedin`."""
    head = head_of(lines_of(text))
    values = head.values if isinstance(head, Head) else {}
    said = values.get("channel") or values.get("target")
    return target_of(said.strip().lower()) if isinstance(said, str) else None


def _adaptor(adaptors: Adaptors, home: Path, file: Path, target: str | None) -> Adaptor:
    known = ", ".join(adaptors.targets())
    if not known:
        raise _none(home)
    if target is None:
        raise Refused("adaptors-no-target", file=str(file), known=known)
    found = adaptors.find(target)
    if found is None:
        raise Refused("adaptors-unknown-target", target=tidy_name(target), known=known)
    return found


def _give_up(language: str, refusal: Refused) -> NoReturn:
    typer.echo(tell(language, refusal), err=True)
    raise typer.Exit(_UNCHECKED)


def _print_json(language: str, file: Path, adaptor: Adaptor, breaches: Sequence[Breach]) -> None:
    found = [
        {"rule": each.rule, "line": each.line, "key": each.key, "sentence": _sentence(language, each)}
        for each in breaches
    ]
    told = {"file": str(file), "adaptor": adaptor.name, "ok": not breaches, "breaches": found}
    typer.echo(json.dumps(told, ensure_ascii=False, indent=2))


def _sentence(language: str, breach: Breach) -> str:
    """Pieces of the text may stand in it, and a terminal would obey what they hide."""
    return storable(say(language, f"breach-{breach.key}", **breach.values))


def _shown(adaptor: Adaptor) -> dict[str, object]:
    return {
        "name": adaptor.name,
        "description": adaptor.head.description,
        "targets": list(adaptor.head.targets),
        "file": str(adaptor.path),
        "rules": adaptor.rules.model_dump(exclude_defaults=True),
    }


def _none(home: Path) -> Refused:
    """As in a workspace that is older than adaptors: the first start brought none."""
    return Refused("adaptors-none", folder=str(home / FOLDER), starter=str(STARTER / "common" / FOLDER))


def _language(home: Path) -> str:
    """A file can be checked also where the settings cannot be read."""
    try:
        return read_settings(home).language
    except NanoClawError:
        return local_language()
