"""`/sync` in a chat: meets the remote now, and answers when that is done.

A request is a note with the id of its message, so that it outlives the host and holds no place while git
works.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import partial
from typing import Any

from nanoclaw.domain.errors import NanoClawError, Refused
from nanoclaw.domain.ids import MessageId
from nanoclaw.durable import messages, notes, work
from nanoclaw.durable.store import Tx
from nanoclaw.flows.incoming.commands import Answer, CommandContext, LaterAnswer, refused_in_words
from nanoclaw.flows.syncing.report import Synced
from nanoclaw.flows.syncing.words import done_lines

_NOTE = "sync-asked "


@dataclass(frozen=True, kw_only=True, slots=True)
class SyncRequests:
    """`kind` and `key` are those of the work that meets the remote; `remote` is None if nothing is shared."""

    kind: str
    key: str
    remote: str | None

    def answers(self) -> Mapping[str, Answer]:
        return {"sync": partial(refused_in_words, self._sync)}

    def _sync(self, tx: Tx, _argument: str, asked: CommandContext) -> str:
        """Ask for a meeting when the command comes; run again afterwards, tell the result."""
        if self.remote is None:
            raise Refused("sync-off")
        done: dict[str, Any] | None = notes.read(tx, f"{_NOTE}{asked.message.id}")
        if done is None:
            notes.write(tx, f"{_NOTE}{asked.message.id}", {"of": self.kind}, asked.at)
            work.due(tx, self.kind, self.key, asked.at)
            return LaterAnswer()
        if "trouble" in done:
            raise Refused(done["trouble"], **done["values"])
        return "\n".join(done_lines(asked.locale.speaks, Synced(**done["synced"]), "- `{path}`"))

    def waiting(self, tx: Tx) -> list[str]:
        """The messages that are not answered yet."""
        return [name.removeprefix(_NOTE) for name, done in self._known(tx) if len(done) == 1]

    def end(self, tx: Tx, asked: Iterable[str], result: Synced | NanoClawError, at: datetime) -> None:
        """Answer those who asked before it began. Notes of messages answered since are forgotten."""
        for name, _ in self._known(tx):
            message = messages.get(tx, MessageId(name.removeprefix(_NOTE)))
            if message is None or message.end is not None:
                notes.forget(tx, name)
        for message_id in asked:
            notes.write(tx, f"{_NOTE}{message_id}", {"of": self.kind, **_kept(result)}, at)
            work.due(tx, work.COMMAND, message_id, at)

    def _known(self, tx: Tx) -> list[tuple[str, dict[str, Any]]]:
        """The requests of this workspace: others may share the database."""
        found = notes.named(tx, _NOTE).items()
        return [(name, done) for name, done in found if done["of"] == self.kind]


def _kept(result: Synced | NanoClawError) -> dict[str, Any]:
    if isinstance(result, NanoClawError):
        values = {name: str(value) for name, value in result.values.items()}
        return {"trouble": result.key, "values": values}
    return {"synced": asdict(result)}
