"""The state of sharing through git, in one line for `nanoclaw status`."""

from nanoclaw.domain.errors import NanoClawError
from nanoclaw.durable import notes
from nanoclaw.durable.store import Tx
from nanoclaw.flows.syncing import report
from nanoclaw.flows.syncing.now import TROUBLE
from nanoclaw.flows.tasks.task_text import moment
from nanoclaw.host.settings import Settings
from nanoclaw.texts import say, tell


def sync_line(tx: Tx, settings: Settings) -> str | None:
    """None if nothing is shared."""
    if not settings.memory.push:
        return None
    language, remote = settings.locale.speaks, settings.memory.remote
    if trouble := notes.read(tx, TROUBLE):
        return tell(language, NanoClawError(trouble["key"], **trouble["values"]))
    if last := report.read(tx):
        return say(language, "sync-last", remote=remote, at=moment(last.at, settings.locale))
    return say(language, "sync-never", remote=remote)
