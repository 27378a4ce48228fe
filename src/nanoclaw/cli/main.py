"""The `nanoclaw` command: its subcommands, and the module behind each."""

import sys
from importlib.metadata import version
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from nanoclaw.cli.help_frame import speak
from nanoclaw.cli.options import LANGUAGE, help_of
from nanoclaw.cli.plain_lines import told_back
from nanoclaw.domain.errors import NanoClawError
from nanoclaw.host.quick_import import load
from nanoclaw.host.safe_errors import traced
from nanoclaw.host.secret_mask import masked
from nanoclaw.texts import tell

# In the order of the help.
WORDS = {
    "up": "up",
    "chat": "chat_command",
    "init": "init",
    "status": "report",
    "why": "report",
    "doctor": "doctor",
    "pair": "telegram",
    "connections": "connections",
    "costs": "costs",
    "budget": "budget.commands",
    "drops": "people.cases",
    "decide": "inbox.commands",
    "ask": "inbox.ask",
    "restore": "backup.restore_command",
    "resume": "backup.restore_command",
    "trust": "trust",
    "failed": "failed",
    "key": "keys",
    "sandbox": "boxes",
    "telegram": "telegram",
    "adaptors": "adaptors",
    "mcp": "mcp",
    "people": "people.commands",
    "roles": "people.commands",
    "chats": "people.commands",
    "wirings": "people.wirings",
    "groups": "people.commands",
    "requests": "people.cases",
    "admission": "people.cases",
    "audit": "people.cases",
    "inbox": "inbox.commands",
    "decisions": "inbox.commands",
    "permits": "inbox.commands",
    "session": "sessions.commands",
    "tasks": "tasks.commands",
    "pipelines": "pipelines.commands",
    "batches": "batches.commands",
    "handoffs": "handoffs.commands",
    "transfer": "transfers.commands",
    "sync": "sync",
    "memory": "memory.commands",
    "context": "context.commands",
    "backup": "backup.commands",
}


class LazyGroup(TyperGroup):
    """Loads a command when it is used: `nanoclaw --help` need not wait for the web server and the database."""

    def __init__(self, **attrs: Any) -> None:
        super().__init__(**attrs)
        self.commands = {word: TyperCommand(word, help=help_of(word)) for word in WORDS}

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        word, listed, rest = super().resolve_command(ctx, args)
        return word, listed and command_of(str(word)), rest


def command_of(word: str) -> Any:
    app: typer.Typer = load(f"nanoclaw.cli.{WORDS[word]}").app
    return get_group(app).commands[word]


speak(LANGUAGE)
app = typer.Typer(
    name="nanoclaw",
    cls=LazyGroup,
    help=help_of("app"),
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(version("nanoclaw-os"))
        raise typer.Exit


@app.callback()
def options(
    _version: Annotated[
        bool, typer.Option("--version", help=help_of("version"), callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    pass


def main() -> None:
    try:
        app()
    except NanoClawError as error:
        shown = load("nanoclaw.domain.shown_text").shown  # a name in it may be anybody's
        typer.echo(shown(told_back(tell(LANGUAGE, error))), err=True)
        sys.exit(1)
    except Exception as error:  # noqa: BLE001 - a fault of ours: told as a log tells it, since it may go into one
        typer.echo(masked(traced(error)), err=True)
        sys.exit(1)
