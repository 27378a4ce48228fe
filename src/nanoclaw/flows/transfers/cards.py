"""The card that asks whether a package may leave: what is in it, and what was removed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from nanoclaw.domain.continuations import Continuation
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.ids import MessageId
from nanoclaw.domain.questions import (
    PROGRAM,
    Asker,
    NewQuestion,
    Option,
    Question,
    QuestionKind,
    Risk,
    digest_of,
)
from nanoclaw.domain.shown_text import shown_line
from nanoclaw.domain.text import as_written
from nanoclaw.domain.tool_requests import BadToolRequest
from nanoclaw.domain.transfers import Package, Transfer
from nanoclaw.durable import work
from nanoclaw.durable.store import Tx
from nanoclaw.flows.human.card_text import SHORT
from nanoclaw.flows.human.each_language import in_each
from nanoclaw.flows.human.new_questions import NewQuestions
from nanoclaw.flows.transfers import picks
from nanoclaw.flows.transfers.changes import CANCEL, SEND
from nanoclaw.flows.transfers.picks import ListedFile
from nanoclaw.texts import say

_OPTIONS = (Option(id=SEND), Option(id=CANCEL, safe=True))
_MOST_FILES = 12  # named on the card; the page shows all of them
_KINDS = ("secret", "phone", "e-mail", "card", "iban", "messages", "referenced", "withheld")
_UNSEEN = "unseen"  # files that are not text, and leave as they are
_KB = 1000


@dataclass(frozen=True, kw_only=True, slots=True)
class TransferCards:
    new_questions: NewQuestions

    def ask(
        self, tx: Tx, transfer: Transfer, package: Package, asked_by: str, left: timedelta, at: datetime
    ) -> Question:
        """Owners and admins of the group decide, in its chat if one of them is there. Raises Refused. A
        transfer that already has a question was packed again: a decision about the earlier package does
        not count for this one.
        """
        prompt = partial(_prompt, transfer, asked_by)
        context = partial(_context, transfer, package)
        wanted = NewQuestion(
            kind=QuestionKind.APPROVAL,
            prompt=prompt(transfer.language),
            options=_OPTIONS,
            timeout=left,
            default=CANCEL,
            risk=Risk.PUBLISH,
            context=context(transfer.language),
            config=in_each(prompt, context),
            effect=effect_of(transfer, package.content_hash),
        )
        asker = Asker(
            session_id=None,  # the answer wakes no agent: the transfer story handles it
            execution_id=transfer.turn_id or PROGRAM,
            asked_id=" ".join(filter(None, ("transfer", transfer.id, transfer.question_id))),
            group=transfer.group,
            company=transfer.company,
            thread=transfer.thread,
            chat_id=transfer.chat_id,
            then=Continuation(work.TRANSFER, transfer.id),
            message_id=MessageId(transfer.message_id) if transfer.message_id else None,
        )
        try:
            return self.new_questions.open(tx, wanted, asker, None, at)
        except BadToolRequest as error:
            raise Refused("said", said=str(error)) from error


def effect_of(transfer: Transfer, content_hash: str | None) -> str:
    """What a yes lets leave, and where to."""
    return digest_of(transfer.id, transfer.target.value, content_hash)


def _prompt(transfer: Transfer, asked_by: str, language: str) -> str:
    key = "transfer-ask-proposed" if transfer.turn_id else "transfer-ask"
    prompt = say(language, key, target=target_in(transfer, language), name=as_written(asked_by))
    if transfer.purpose:
        purpose = say(language, "transfer-purpose", purpose=as_written(transfer.purpose))
        prompt = f"{prompt}\n{purpose}"
    if transfer.question_id:
        key = "transfer-ask-picked" if picks.picked(transfer) else "transfer-ask-again"
        prompt = "\n\n".join([prompt, say(language, key)])
    return prompt


def _context(transfer: Transfer, package: Package, language: str) -> str:
    """The hash ties the decision to exactly this package."""
    tied = say(language, "transfer-hash", hash=package.content_hash[:16])
    return "\n".join([contents(package, language), tied, *_staying(transfer, package, language)])


def _staying(transfer: Transfer, package: Package, language: str) -> Iterator[str]:
    """The files that stay unless they are picked, numbered, each with the reason, and how to pick them."""
    found = picks.listed(package)
    if not found:
        return
    yield say(language, "transfer-unchosen", count=len(found) + picks.unlisted(package))
    for each in found:
        why, size = why_in(each, language), size_of(each.size, language)
        yield f"{each.number}. {shown_line(each.name)} ({size}): {why}"
    if more := picks.unlisted(package):
        yield say(language, "transfer-unlisted", count=more)
    yield say(language, "transfer-pick-how", short=transfer.id[-SHORT:], number=found[0].number)


def why_in(each: ListedFile, language: str) -> str:
    """Why it stays unless it is picked."""
    return say(language, f"transfer-why-{each.why}")


def target_in(transfer: Transfer, language: str) -> str:
    return say(language, f"transfer-target-{transfer.target}")


def contents(package: Package | Transfer, language: str) -> str:
    """What is in it and what was removed, one line each."""
    files: Mapping[str, Any] = (package.manifest or {}).get("files", {})
    tokens = package.tokens or {}
    count = sum(value for name, value in tokens.items() if name != "is_estimate")
    size = sum(each["size"] for each in files.values())
    head = say(language, "transfer-size", files=len(files), size=size_of(size, language))
    if count:
        key = "transfer-tokens-about" if tokens.get("is_estimate", True) else "transfer-tokens"
        head = f"{head}, {say(language, key, count=count)}"
    named = [f"· {shown_line(name)} ({size_of(each['size'], language)})" for name, each in files.items()]
    return "\n".join([head, removed_in(package, language), *named])


def removed_in(package: Package | Transfer, language: str) -> str:
    """What was removed, in one sentence; it also says if nothing was."""
    removed = package.removed or {}
    said = list(removed_words(removed, language))
    told = (
        say(language, "transfer-removed", what=", ".join(said))
        if said
        else say(language, "transfer-removed-nothing")
    )
    if secrets := picks.secrets(package):
        names = ", ".join(shown_line(each.rpartition("/")[2]) for each in secrets)
        told = "\n".join([told, say(language, "transfer-secrets-leave", count=len(secrets), names=names)])
    if unseen := removed.get(_UNSEEN):
        names = ", ".join(each.rpartition("/")[2] for each in unseen[:_MOST_FILES])
        return "\n".join([told, say(language, "transfer-unseen", count=len(unseen), names=names)])
    return told


def removed_words(removed: Mapping[str, Any], language: str) -> Iterator[str]:
    """A phrase for each kind."""
    counts = {kind: value for kind, value in removed.items() if isinstance(value, int) and value}
    for each in removed.get("referenced") or ():
        kind = "withheld" if each["why"] == "secret" else "referenced"
        counts[kind] = counts.get(kind, 0) + 1
    for kind in _KINDS:
        if kind in counts:
            yield say(language, f"transfer-removed-{kind}", count=counts.pop(kind))
    if others := sum(counts.values()):
        yield say(language, "transfer-removed-other", count=others)


def size_of(size: int, language: str) -> str:
    """In thousands, as the page has it."""
    if size < _KB:
        return say(language, "size-bytes", size=size)
    if size < _KB * _KB:
        return say(language, "size-kilobytes", size=round(size / _KB))
    return say(language, "size-megabytes", size=round(size / _KB / _KB, 1))
