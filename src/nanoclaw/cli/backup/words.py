"""The words of the command line about backups. The work is done elsewhere."""

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from nanoclaw.cli.words import AsJson
from nanoclaw.cli.words import help_of as _help
from nanoclaw.cli.words import room as _room
from nanoclaw.host.settings import home_folder

_MAKE = "make"


class _MakesByDefault(TyperGroup):
    """`nanoclaw backup FILE` makes one; the other words are said after `backup`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args or (args[0] not in self.commands and args[0] != "--help"):
            args = [_MAKE, *args]
        return super().parse_args(ctx, args)


backup = typer.Typer(help=_help("backup"), cls=_MakesByDefault)

PassphraseFile = Annotated[
    Path | None, typer.Option("--passphrase-file", metavar="FILE", help=_help("backup-passphrase-file"))
]
File = Annotated[Path, typer.Argument(metavar="FILE", help=_help("backup-which"))]


def add_to(app: typer.Typer) -> None:
    app.add_typer(backup, name="backup")
    app.command("restore", help=_help("restore"))(restore)
    app.command("resume", help=_help("resume"))(resume)


@backup.command(_MAKE, help=_help("backup-make"))
def backup_make(
    file: Annotated[Path | None, typer.Argument(metavar="[FILE]", help=_help("backup-file"))] = None,
    with_keys: Annotated[bool, typer.Option("--with-keys", help=_help("backup-with-keys"))] = False,
    passphrase_file: PassphraseFile = None,
    as_json: AsJson = False,
) -> None:
    _room("backup.commands").make(
        home_folder(), file, with_keys=with_keys, passphrase_file=passphrase_file, as_json=as_json
    )


@backup.command("verify", help=_help("backup-verify"))
def backup_verify(file: File, as_json: AsJson = False) -> None:
    _room("backup.commands").verify(home_folder(), file, as_json=as_json)


@backup.command("list", help=_help("backup-list"))
def backup_list(as_json: AsJson = False) -> None:
    _room("backup.commands").list_backups(home_folder(), as_json=as_json)


def restore(
    file: File,
    passphrase_file: PassphraseFile = None,
    without_keys: Annotated[bool, typer.Option("--without-keys", help=_help("restore-without-keys"))] = False,
    yes: Annotated[bool, typer.Option("--yes", help=_help("restore-yes"))] = False,
    as_json: AsJson = False,
) -> None:
    _room("backup.restore_command").restore(
        home_folder(),
        file,
        passphrase_file=passphrase_file,
        without_keys=without_keys,
        is_sure=yes,
        as_json=as_json,
    )


def resume(
    drop: Annotated[bool, typer.Option("--drop", help=_help("resume-drop"))] = False, as_json: AsJson = False
) -> None:
    _room("backup.restore_command").resume(home_folder(), drop=drop, as_json=as_json)
