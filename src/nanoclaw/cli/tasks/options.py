"""Options shared by several commands of `nanoclaw tasks`."""

from typing import Annotated, Any

import typer

from nanoclaw.cli.options import help_of


def option(word: str, *names: str, **more: Any) -> Any:
    return typer.Option(*names, help=help_of(f"tasks-{word}"), **more)


Number = Annotated[str, typer.Argument(metavar="NUMBER", help=help_of("tasks-number"))]
Skill = Annotated[str | None, option("skill")]
Model = Annotated[str | None, option("model")]
Zone = Annotated[str | None, option("zone")]
Check = Annotated[str | None, option("check", metavar="CMD")]
CatchUp = Annotated[str | None, option("catch-up", metavar="[none|latest|all]")]
MostCaughtUp = Annotated[int | None, option("most-caught-up", min=1, max=100)]
StaleAfter = Annotated[str | None, option("stale-after", metavar="SPAN")]
Thinking = Annotated[str | None, option("thinking", metavar="[off|low|high|auto]")]
Overlap = Annotated[str | None, option("overlap", metavar="[skip|queue]")]
Jitter = Annotated[str | None, option("jitter", metavar="SPAN")]
Retries = Annotated[int | None, option("retries", min=0, max=20)]
RetryPause = Annotated[str | None, option("retry-pause", metavar="SPAN")]
PauseAfter = Annotated[int | None, option("pause-after", min=1, max=1000)]
DeliverBy = Annotated[str | None, option("deliver-by", metavar="SPAN")]
AlarmTo = Annotated[str | None, option("alarm-to", metavar="CHAT")]
