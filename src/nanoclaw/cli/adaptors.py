"""The commands for adaptors: listing them, and checking whether a file keeps the rules of its channel."""

import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from nanoclaw.cli.options import AsJson, guarded_home, help_of, language_of
from nanoclaw.cli.output import print_json
from nanoclaw.cli.plain_lines import told_back
from nanoclaw.context.adaptor_check import Violation, sentence
from nanoclaw.context.adaptor_check import check as check_text
from nanoclaw.context.adaptors import FOLDER, Adaptor, Adaptors, target_of
from nanoclaw.context.channel_text import head_of, lines_of
from nanoclaw.context.front_matter import FrontMatter
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.text import tidy_name
from nanoclaw.host.workspace import STARTER
from nanoclaw.texts import say, tell

app = typer.Typer()
adaptors = typer.Typer(help=help_of("adaptors"), no_args_is_help=True)
app.add_typer(adaptors, name="adaptors")

MOST_BYTES = 256 * 1024
_MOST_SHOWN = 50
_BROKEN, _UNCHECKED = 1, 2


@adaptors.command("list", help=help_of("adaptors-list"))
def list_adaptors(as_json: AsJson = False) -> None:
    """Faults go to stderr and exit with 1: a format that is left out is soon missed."""
    home = guarded_home()
    language, found = language_of(home), Adaptors(home)
    if as_json:
        shown = [_shown(adaptor) for adaptor in found.all()]
        faults = [tell(language, fault) for fault in found.faults()]
        print_json({"adaptors": shown, "faults": faults})
    elif not found.all():
        typer.echo(tell(language, _none(home)))
    for adaptor in () if as_json else found.all():
        typer.echo(f"{adaptor.name}  {', '.join(adaptor.head.targets)}  {adaptor.head.description}")
    for fault in () if as_json else found.faults():
        typer.echo(tell(language, fault), err=True)
    if found.faults():
        raise typer.Exit(_BROKEN)


@adaptors.command("check", help=help_of("adaptors-check"))
def check(
    file: Annotated[Path, typer.Argument(help=help_of("adaptors-file"))],
    target: Annotated[str | None, typer.Option(help=help_of("adaptors-target"))] = None,
    as_json: AsJson = False,
) -> None:
    """Exits with 0 if every rule is kept, 1 if one is not, 2 if nothing could be checked."""
    home = guarded_home()
    language = language_of(home)
    try:
        text = read_text(file)
        adaptor = _adaptor(Adaptors(home), home, file, target or _target_in(text))
    except Refused as refusal:
        _give_up(language, refusal)
    violations = check_text(text, adaptor)
    if as_json:
        _print_json(language, file, adaptor, violations)
    elif not violations:
        typer.echo(say(language, "adaptors-kept", file=str(file), adaptor=adaptor.name))
    for violation in () if as_json else violations[:_MOST_SHOWN]:
        place = f"{file}:{violation.line}" if violation.line else str(file)
        typer.echo(f"{place}: {sentence(language, violation)}")
    if not as_json and len(violations) > _MOST_SHOWN:
        typer.echo(say(language, "adaptors-more", count=len(violations) - _MOST_SHOWN))
    if violations:
        raise typer.Exit(_BROKEN)


def read_text(file: Path) -> str:
    """A small UTF-8 file. Pipes and devices are not waited for, and nothing is read of a big file."""
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
    """From the front matter of the file: `channel: linkedin` or `target: linkedin`."""
    head = head_of(lines_of(text))
    values = head.values if isinstance(head, FrontMatter) else {}
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
    typer.echo(told_back(tell(language, refusal)), err=True)
    raise typer.Exit(_UNCHECKED)


def _print_json(language: str, file: Path, adaptor: Adaptor, violations: Sequence[Violation]) -> None:
    found = [
        {"rule": each.rule, "line": each.line, "key": each.key, "sentence": sentence(language, each)}
        for each in violations
    ]
    print_json({"file": str(file), "adaptor": adaptor.name, "ok": not violations, "breaches": found})


def _shown(adaptor: Adaptor) -> dict[str, object]:
    return {
        "name": adaptor.name,
        "description": adaptor.head.description,
        "targets": list(adaptor.head.targets),
        "file": str(adaptor.path),
        "rules": adaptor.rules.model_dump(exclude_defaults=True),
    }


def _none(home: Path) -> Refused:
    """The refusal for a workspace older than adaptors, whose first start created none."""
    return Refused("adaptors-none", folder=str(home / FOLDER), starter=str(STARTER / "common" / FOLDER))
