"""`nanoclaw chat`: a conversation with the running host, or one message and its answer."""

import asyncio
import uuid
from pathlib import Path
from typing import Annotated

import typer

from nanoclaw.cli.chat import run
from nanoclaw.cli.chat_once import say_once
from nanoclaw.cli.init import prepare
from nanoclaw.cli.options import AsJson, guarded_home, help_of
from nanoclaw.client.connection import Address
from nanoclaw.host import logs

app = typer.Typer()


@app.command(help=help_of("chat"))
def chat(
    message: Annotated[str | None, typer.Option("--message", "-m", help=help_of("message"))] = None,
    room: Annotated[str | None, typer.Option(help=help_of("room"))] = None,
    timeout: Annotated[float, typer.Option(min=1, help=help_of("timeout"))] = 300,
    as_json: AsJson = False,
) -> None:
    home = guarded_home()
    if message is None:
        run(home, room=room)
    else:
        raise typer.Exit(_say_once(home, message, room=room, timeout=timeout, as_json=as_json))


def _say_once(home: Path, text: str, *, room: str | None, timeout: float, as_json: bool) -> int:
    """Use the running host; without one, start it for as long as the answer takes."""
    from nanoclaw.cli.temporary_host import through_host  # noqa: PLC0415 - a host behind it, which is rarely needed

    settings, _ = prepare(home)
    logs.write_to_file(home, settings.log.level)
    client_id = str(uuid.uuid4())  # one for all tries: however often it is sent, it is one message

    async def ask(address: Address) -> int:
        return await say_once(
            address,
            settings.language,
            text,
            client_id=client_id,
            room=room,
            patience=timeout,
            as_json=as_json,
            home=home,
        )

    return asyncio.run(through_host(home, settings, ask, patience=timeout))
