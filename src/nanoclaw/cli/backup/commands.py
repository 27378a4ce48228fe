"""`nanoclaw backup ...`: make one, verify one, list them."""

import sys
from collections.abc import Callable
from getpass import getpass
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from typer.core import TyperGroup

from nanoclaw.cli.database import settings_of
from nanoclaw.cli.options import AsJson, guarded_home, help_of, language_of
from nanoclaw.cli.output import print_json, print_table
from nanoclaw.domain.errors import MissingExtra, Refused
from nanoclaw.domain.shown_text import shown_line
from nanoclaw.durable.clock import now
from nanoclaw.host import extras
from nanoclaw.host.backup import creation as maker
from nanoclaw.host.backup import names as naming
from nanoclaw.host.backup import sealed_secrets, verification
from nanoclaw.texts import say

T = TypeVar("T")
_MOST_SAID = 20  # of what was left out
_MAKE = "make"


class _MakesByDefault(TyperGroup):
    """`nanoclaw backup FILE` makes one; subcommands come after `backup`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args or (args[0] not in self.commands and args[0] != "--help"):
            args = [_MAKE, *args]
        return super().parse_args(ctx, args)


app = typer.Typer()
backup = typer.Typer(help=help_of("backup"), cls=_MakesByDefault)
app.add_typer(backup, name="backup")

PassphraseFile = Annotated[
    Path | None, typer.Option("--passphrase-file", metavar="FILE", help=help_of("backup-passphrase-file"))
]
File = Annotated[Path, typer.Argument(metavar="FILE", help=help_of("backup-which"))]


@backup.command(_MAKE, help=help_of("backup-make"))
def make(
    file: Annotated[Path | None, typer.Argument(metavar="[FILE]", help=help_of("backup-file"))] = None,
    with_keys: Annotated[bool, typer.Option("--with-keys", help=help_of("backup-with-keys"))] = False,
    passphrase_file: PassphraseFile = None,
    as_json: AsJson = False,
) -> None:
    home = guarded_home()
    settings = settings_of(home)
    language = settings.language
    folder = naming.folder_of(home, settings)
    target = folder if file is None else file.expanduser().absolute()
    if file is None or target.is_dir():
        target = naming.free_name(target, now())
    passphrase = None
    if with_keys or passphrase_file is not None:
        with_extra(sealed_secrets.need_cipher, language)
        passphrase = read_passphrase(language, passphrase_file, twice=True)
    made = maker.make(home, settings, target, passphrase=passphrase)
    if as_json:
        print_json(made.as_json())
        return
    typer.echo(
        say(
            language,
            "backup-made",
            file=made.file,
            size=megabytes(made.bytes),
            files=made.files,
            rows=made.rows,
        )
    )
    typer.echo(say(language, "backup-keys-in" if made.with_keys else "backup-keys-out"))
    for path, why in list(made.skipped.items())[:_MOST_SAID]:
        typer.echo(say(language, "backup-skipped", path=path, reason=say(language, f"backup-because-{why}")))
    if len(made.skipped) > _MOST_SAID:
        typer.echo(say(language, "backup-skipped-more", count=len(made.skipped) - _MOST_SAID))
    for path in made.changed:
        typer.echo(say(language, "backup-changed", path=path))


@backup.command("verify", help=help_of("backup-verify"))
def verify(file: File, as_json: AsJson = False) -> None:
    language = language_of(guarded_home())
    checked = verification.verify(file.expanduser())
    faults = [say(language, f"error-backup-{fault.key}", **fault.values) for fault in checked.faults]
    if as_json:
        print_json(
            {
                "ok": not faults,
                "faults": [
                    {"key": fault.key, **fault.values, "sentence": sentence}
                    for fault, sentence in zip(checked.faults, faults, strict=True)
                ],
                "head": checked.manifest and checked.manifest.head.model_dump(mode="json"),
                "rows": checked.manifest and checked.manifest.rows,
                "left_out": checked.left_out,
            }
        )
    elif faults:
        for sentence in faults[:_MOST_SAID]:
            typer.echo(shown_line(sentence), err=True)
        if len(faults) > _MOST_SAID:
            typer.echo(say(language, "backup-faults-more", count=len(faults) - _MOST_SAID), err=True)
    elif checked.manifest:
        listed = checked.manifest
        typer.echo(
            say(
                language,
                "backup-sound",
                file=str(file),
                at=shown_time(listed.head.created_at.isoformat()),
                files=len(listed.members) - 1,
                rows=sum(listed.rows.values()),
            )
        )
        for name in checked.left_out[:_MOST_SAID]:
            typer.echo(say(language, "backup-not-taken", path=shown_line(name)))
        if len(checked.left_out) > _MOST_SAID:
            typer.echo(say(language, "backup-skipped-more", count=len(checked.left_out) - _MOST_SAID))
    if faults:
        raise typer.Exit(1)


@backup.command("list", help=help_of("backup-list"))
def list_backups(as_json: AsJson = False) -> None:
    """The backups in the backup folder, newest first."""
    home = guarded_home()
    settings = settings_of(home)
    language, found = settings.language, []
    for path in naming.kept_in(naming.folder_of(home, settings)):
        head = verification.head_of(path)
        found.append(
            {
                "file": str(path),
                "made_at": naming.made_at(path).isoformat(),
                "bytes": path.stat().st_size,
                "readable": head is not None,
                "database": head and head.database,
                "with_keys": head and head.with_keys,
            }
        )
    if as_json:
        print_json(found)
    elif not found:
        typer.echo(say(language, "backup-none"))
    else:
        names = [say(language, f"backup-column-{name}") for name in ("made", "size", "keys", "file")]
        rows = [
            (
                shown_time(str(each["made_at"])),
                megabytes(int(str(each["bytes"]))),
                say(language, "backup-unreadable-cell")
                if not each["readable"]
                else say(language, "backup-with-keys" if each["with_keys"] else "backup-without-keys"),
                str(each["file"]),
            )
            for each in found
        ]
        print_table(names, rows)


def read_passphrase(language: str, file: Path | None, *, twice: bool) -> str:
    """From the first line of a file, otherwise prompted without echo; never an argument, which `ps` would show."""
    if file is not None:
        try:
            given = file.expanduser().read_text("utf-8").partition("\n")[0].rstrip("\r")
        except (OSError, UnicodeDecodeError) as error:
            raise Refused("passphrase-file", file=str(file), said=str(error)) from error
    elif not sys.stdin.isatty():
        raise Refused("passphrase-needed")
    else:
        given = getpass(say(language, "passphrase-ask"))
        if twice and getpass(say(language, "passphrase-again")) != given:
            raise Refused("passphrase-differs")
    if twice and len(given) < sealed_secrets.SHORTEST:
        raise Refused("passphrase-short", least=sealed_secrets.SHORTEST)
    return given


def with_extra(act: Callable[[], T], language: str) -> T:
    """Install the packages it needs on the way."""
    try:
        return act()
    except MissingExtra as missing:
        extras.install(missing, language)
        return act()


def megabytes(size: int) -> str:
    return f"{size / 1024**2:.1f} MB"


def shown_time(moment: str) -> str:
    return f"{moment[:10]} {moment[11:16]} UTC"
