"""`/export-session`, `/transfers`, `/transfer-pick` and `/transfer-cancel`: a person takes a conversation elsewhere,
says which files go along, or gives that up.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from nanoclaw.admission.rates import Rates
from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.domain.ids import SessionId
from nanoclaw.domain.people import Role
from nanoclaw.domain.text import as_written, is_empty
from nanoclaw.domain.transfers import Target, Transfer, TransferState
from nanoclaw.domain.turns import Session
from nanoclaw.durable import sessions, transfers
from nanoclaw.durable.store import Tx
from nanoclaw.flows.human.card_text import SHORT
from nanoclaw.flows.incoming.access_lists import listed
from nanoclaw.flows.incoming.commands import Answer, CommandContext, refused_in_words
from nanoclaw.flows.transfers.changes import CLEARED, Transfers
from nanoclaw.flows.transfers.delivery import is_at_machine
from nanoclaw.flows.transfers.notes import line_of
from nanoclaw.flows.transfers.picks import names_of
from nanoclaw.texts import say

_NAMES = {
    "claude-ai": Target.CLAUDE_AI,
    "claudeai": Target.CLAUDE_AI,
    "ai": Target.CLAUDE_AI,
    "claude-code": Target.CLAUDE_CODE,
    "claudecode": Target.CLAUDE_CODE,
    "code": Target.CLAUDE_CODE,
    "git": Target.GIT,
    "github": Target.GIT,
    "branch": Target.GIT,
    "manual": Target.MANUAL,
    "zip": Target.MANUAL,
    "file": Target.MANUAL,
    "download": Target.MANUAL,
}
_SEPARATORS = re.compile(r"[._]")
_ONE_WORD = re.compile(r"[A-Za-z]+(?:[-_.][A-Za-z]+)*")
_NUMBER = re.compile(r"[0-9]{1,3}")  # ids are longer
_CLAUDE = re.compile(r"(?i)claude[ _.-]+(ai|code)\b[:,]?\s*")


@dataclass(frozen=True, kw_only=True, slots=True)
class TransferCommands:
    transfers: Transfers
    rates: Rates

    def answers(self) -> Mapping[str, Answer]:
        known: dict[str, Callable[[Tx, str, CommandContext], str]] = {
            "export-session": self._export,
            "transfers": self._list,
            "transfer-pick": self._pick,
            "transfer-cancel": self._cancel,
        }
        return {name: partial(refused_in_words, act) for name, act in known.items()}

    def cleared(self, tx: Tx, session_id: SessionId, asked: CommandContext) -> str:
        """On `/clear`, give up open transfers: one not yet sent would take along what was cleared, and nobody
        here would know what the result of the others is for.
        """
        ended = []
        for each in transfers.open_of(tx, session_id):
            if (found := transfers.locked(tx, each.id)) and found.is_open:
                self.transfers.end(
                    tx, found, TransferState.CANCELLED, asked.at, reason=CLEARED, by=asked.actor
                )
                ended.append(self._given_up(found, asked))
        return "\n\n".join(ended)

    def status(self, tx: Tx, _argument: str, asked: CommandContext) -> str:
        """What waits for a result from elsewhere, or how to take a conversation there."""
        if found := self._open_here(tx, asked):
            is_only = len(found) == 1
            return "\n".join(f"- {_line_with_ways(tx, each, asked, is_only=is_only)}" for each in found)
        return say(asked.locale.speaks, "transfer-hint") if _session_here(tx, asked) else ""

    def _export(self, tx: Tx, argument: str, asked: CommandContext) -> str:
        target, purpose = read_target(argument)
        session = _session_here(tx, asked)
        if session is None:
            raise Refused("transfer-no-session")
        # Packing may ask the model, so it counts as a message.
        pause = self.rates.take(asked.message.id, asked.person.id, (session.group,), asked.at)
        transfer = self.transfers.ask_for(
            tx,
            person=asked.person,
            rights=asked.rights,
            session=session,
            chat=asked.chat,
            thread=asked.message.thread,
            target=target,
            purpose=purpose,
            message_id=asked.message.id,
            language=asked.locale.speaks,
            at=asked.at,
            not_before=pause.until if pause else None,
        )
        name = say(asked.locale.speaks, f"transfer-target-{target}")
        return say(asked.locale.speaks, "transfer-packing", target=name, short=transfer.id[-SHORT:])

    def _list(self, tx: Tx, _argument: str, asked: CommandContext) -> str:
        lines = [f"- {line_of(each, asked.locale)}{_purpose(each)}" for each in self._open_here(tx, asked)]
        return listed(asked.locale.speaks, "transfers-head", lines)

    def _pick(self, tx: Tx, argument: str, asked: CommandContext) -> str:
        """Take along files that stay otherwise, by their numbers on the card."""
        words = argument.replace(",", " ").split()
        ref = words.pop(0) if words and not _NUMBER.fullmatch(words[0]) else ""
        if not all(map(_NUMBER.fullmatch, words)):
            raise Refused("transfer-pick-numbers")
        transfer = self._meant(tx, ref, asked)
        found = self.transfers.pick(tx, transfer.id, map(int, words), asked.actor, asked.at)
        names = as_written(names_of(found))
        return say(asked.locale.speaks, "transfer-picking", short=transfer.id[-SHORT:], names=names)

    def _meant(self, tx: Tx, ref: str, asked: CommandContext) -> Transfer:
        """The transfer of this id; without one, the only open one here."""
        if not is_empty(ref):
            return self.transfers.find(tx, asked.actor, ref)
        found = self._open_here(tx, asked)
        if not found:
            raise NotFound("transfer-none-open")
        if len(found) > 1:
            raise Refused("transfer-which", ids=", ".join(each.id[-SHORT:] for each in found))
        return found[0]

    def _cancel(self, tx: Tx, ref: str, asked: CommandContext) -> str:
        transfer = self._meant(tx, ref, asked)
        self.transfers.cancel(tx, transfer.id, asked.actor, asked.at)
        return self._given_up(transfer, asked)

    def _given_up(self, transfer: Transfer, asked: CommandContext) -> str:
        key = "transfer-given-up" if transfer.delivered_at is None else "transfer-given-up-away"
        return say(asked.locale.speaks, key, short=transfer.id[-SHORT:], target=transfer.target.value)

    def _open_here(self, tx: Tx, asked: CommandContext) -> list[Transfer]:
        """The open transfers of conversations in this chat whose agent they may talk to."""
        here = sessions.of_chat(tx, asked.chat.id, asked.message.thread)
        mine = [each for each in here if asked.rights.role_in(each.group).may(Role.MEMBER)]
        return [found for each in mine for found in transfers.open_of(tx, each.id)]


def read_target(argument: str) -> tuple[Target, str]:
    """Read `claude-code what for`, in the ways people write the names. Without a target, everything is the
    purpose. Raises Refused for a single word that is not a target: it was probably meant as one.
    """
    if spaced := _CLAUDE.match(argument):
        return _NAMES[spaced[1].lower()], argument[spaced.end() :].strip()
    first, _, rest = argument.strip().partition(" ")
    bare = _SEPARATORS.sub("-", first.casefold().rstrip(":,"))
    if bare in _NAMES:
        return _NAMES[bare], rest.strip()
    if first and not rest.strip() and _ONE_WORD.fullmatch(first):
        raise Refused("transfer-target", target=first[:40])
    return Target.CLAUDE_AI, argument.strip()


def _session_here(tx: Tx, asked: CommandContext) -> Session | None:
    """The conversation of the first agent here that they may talk to and that has been talked to."""
    fits = [each for each in asked.groups if asked.rights.role_in(each).may(Role.MEMBER)]
    found = (sessions.find(tx, each, asked.chat.id, asked.message.thread) for each in fits)
    return next((each for each in found if each and sessions.exchanges(tx, each, 1)), None)


def _line_with_ways(tx: Tx, transfer: Transfer, asked: CommandContext, *, is_only: bool) -> str:
    """The line, with how to bring its result and how to give it up; an id is only needed among several."""
    line = line_of(transfer, asked.locale)
    if transfer.delivered_at is None:
        return line
    key = "transfer-line-back-at-machine" if is_at_machine(tx, asked.chat.id) else "transfer-line-back"
    return say(asked.locale.speaks, key, line=line, id="" if is_only else transfer.id[-SHORT:]).rstrip()


def _purpose(transfer: Transfer) -> str:
    return f": {as_written(transfer.purpose[:100])}" if transfer.purpose else ""
