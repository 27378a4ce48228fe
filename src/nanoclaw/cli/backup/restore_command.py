"""`nanoclaw restore` and `nanoclaw resume`: restore a copy, and release the hold."""

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from nanoclaw.cli.backup.commands import File, PassphraseFile, read_passphrase, shown_time, with_extra
from nanoclaw.cli.database import settings_of, with_store
from nanoclaw.cli.options import AsJson, guarded_home, help_of, language_of
from nanoclaw.cli.output import print_json
from nanoclaw.cli.trust import is_accepted
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.shown_text import shown_line
from nanoclaw.durable import restore_hold
from nanoclaw.durable.clock import now
from nanoclaw.durable.restore_hold import WaitingWork
from nanoclaw.durable.store import Tx
from nanoclaw.host import host_lock
from nanoclaw.host.backup import sealed_secrets, verification
from nanoclaw.host.backup.hold_text import held_lines
from nanoclaw.host.backup.manifest import Manifest
from nanoclaw.host.backup.restore import Restored
from nanoclaw.host.backup.restore import restore as bring_back
from nanoclaw.host.outgoing import Destination
from nanoclaw.texts import say

app = typer.Typer()

_MOST_SAID = 20
_YES = ("y", "yes", "т", "так")


@app.command("restore", help=help_of("restore"))
def restore(
    file: File,
    passphrase_file: PassphraseFile = None,
    without_keys: Annotated[
        bool, typer.Option("--without-keys", help=help_of("restore-without-keys"))
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help=help_of("restore-yes"))] = False,
    accept: Annotated[str, typer.Option("--accept", metavar="DIGEST", help=help_of("restore-accept"))] = "",
    as_json: AsJson = False,
) -> None:
    home = guarded_home(brought=True)
    language = language_of(home)
    path = file.expanduser().absolute()
    listed = verification.sound(path)
    passphrase = None
    if listed.head.with_keys and not without_keys:
        with_extra(sealed_secrets.need_cipher, language)
        passphrase = read_passphrase(language, passphrase_file, twice=False)

    def asked() -> bool:
        if yes:
            return True
        if not sys.stdin.isatty():
            raise Refused("restore-needs-yes", home=str(home))
        return _is_sure(home, language, listed)

    def accepts(found: Sequence[Destination]) -> bool:
        """`--yes` is about what is replaced; to whom the restored workspace sends needs a yes of its own."""
        return is_accepted(language, found, accept)

    restored = bring_back(home, path, listed, passphrase=passphrase, is_sure=asked, accepts=accepts)
    if as_json:
        print_json(asdict(restored))
    else:
        _tell(restored, language_of(home))


@app.command("resume", help=help_of("resume"))
def resume(
    drop: Annotated[bool, typer.Option("--drop", help=help_of("resume-drop"))] = False,
    as_json: AsJson = False,
) -> None:
    """Works on the rows: a running host picks it up within seconds, others at their next start."""
    home = guarded_home()
    settings = settings_of(home)
    language = settings.language

    def story(tx: Tx) -> tuple[bool, WaitingWork]:
        waits = restore_hold.count(tx)
        return restore_hold.release(tx, now(), drop=drop) is not None, waits

    was_held, waits = with_store(home, settings, story, write=True)
    is_running = host_lock.find(home) is not None
    if as_json:
        print_json(
            {"was_held": was_held, "dropped": drop and was_held, "running": is_running, "waits": waits}
        )
        return
    if not was_held:
        typer.echo(say(language, "resume-not-held"))
        return
    running_now = "yes" if is_running else "no"
    typer.echo(say(language, "resume-dropped" if drop else "resume-done", running=running_now, **waits))
    if waits["parcels"]:
        typer.echo(say(language, "held-parcels", count=waits["parcels"]))


def _is_sure(home: Path, language: str, listed: Manifest) -> bool:
    at = shown_time(listed.head.created_at.isoformat())
    question = say(language, "restore-sure", home=str(home), at=at)
    typer.echo(f"{question} ", nl=False, err=True)
    return sys.stdin.readline().strip().lower() in _YES


def _tell(restored: Restored, language: str) -> None:
    typer.echo(
        say(
            language,
            "restore-done",
            home=restored.home,
            at=shown_time(restored.made_at),
            database=restored.database,
        )
    )
    for path in restored.aside:
        typer.echo(say(language, "restore-aside", path=path))
    if restored.backup:
        typer.echo(say(language, "restore-kept", file=restored.backup))
    for name in restored.skipped[:_MOST_SAID]:
        typer.echo(say(language, "restore-link", path=shown_line(name)))
    if len(restored.skipped) > _MOST_SAID:
        typer.echo(say(language, "backup-skipped-more", count=len(restored.skipped) - _MOST_SAID))
    for name in restored.taken_out:
        typer.echo(say(language, "restore-secret", name=shown_line(name)))
    if not restored.with_keys:
        typer.echo(say(language, "restore-no-keys"))
    if restored.moved_database:
        typer.echo(say(language, "restore-database", database=restored.database))
    for line in held_lines(language, restored.waits):
        typer.echo(line)
