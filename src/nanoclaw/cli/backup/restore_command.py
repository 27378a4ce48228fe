"""`nanoclaw restore` and `nanoclaw resume`: bring a copy back, and say go."""

import sys
from dataclasses import asdict
from pathlib import Path

import typer

from nanoclaw.cli.backup.commands import language_of, read_passphrase, shown_time, with_extra
from nanoclaw.cli.report import print_json, settings_of, with_store
from nanoclaw.domain.errors import Refused
from nanoclaw.durable import held
from nanoclaw.durable.clock import now
from nanoclaw.durable.held import Waits
from nanoclaw.durable.store import Tx
from nanoclaw.host import running
from nanoclaw.host.backup import sealing, verifying
from nanoclaw.host.backup.manifest import Manifest
from nanoclaw.host.backup.restoring import Restored
from nanoclaw.host.backup.restoring import restore as bring_back
from nanoclaw.host.backup.telling import held_lines
from nanoclaw.texts import say

_MOST_SAID = 20
_YES = ("y", "yes", "т", "так")


def restore(
    home: Path,
    file: Path,
    *,
    passphrase_file: Path | None,
    without_keys: bool,
    is_sure: bool,
    as_json: bool,
) -> None:
    language = language_of(home)
    path = file.expanduser().absolute()
    listed = verifying.sound(path)
    passphrase = None
    if listed.head.with_keys and not without_keys:
        with_extra(sealing.need_cipher, language)
        passphrase = read_passphrase(language, passphrase_file, twice=False)

    def asked() -> bool:
        if is_sure:
            return True
        if not sys.stdin.isatty():
            raise Refused("restore-needs-yes", home=str(home))
        return _is_sure(home, language, listed)

    restored = bring_back(home, path, listed, passphrase=passphrase, is_sure=asked)
    if as_json:
        print_json(asdict(restored))
    else:
        _tell(restored, language_of(home))


def resume(home: Path, *, drop: bool, as_json: bool) -> None:
    """Works on the rows: a host that runs takes it up within seconds, and one that does not at its next start."""
    settings = settings_of(home)
    language = settings.language

    def story(tx: Tx) -> tuple[bool, Waits]:
        waits = held.count(tx)
        return held.release(tx, now(), drop=drop) is not None, waits

    was_held, waits = with_store(home, settings, story, write=True)
    is_running = running.find(home) is not None
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
        typer.echo(say(language, "restore-link", path=name))
    if len(restored.skipped) > _MOST_SAID:
        typer.echo(say(language, "backup-skipped-more", count=len(restored.skipped) - _MOST_SAID))
    for name in restored.taken_out:
        typer.echo(say(language, "restore-secret", name=name))
    if not restored.with_keys:
        typer.echo(say(language, "restore-no-keys"))
    if restored.moved_database:
        typer.echo(say(language, "restore-database", database=restored.database))
    for line in held_lines(language, restored.waits):
        typer.echo(line)
