"""The commands with which people ask for batches in a chat, list, cancel and repeat them, and read their texts."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from nanoclaw.domain.batches import Batch, BatchItem, ItemState, TextVerdict
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.messages import File
from nanoclaw.domain.people import Role
from nanoclaw.domain.text import as_written
from nanoclaw.durable import batch_numbers, batch_texts, batches
from nanoclaw.durable.batch_texts import TextFilter
from nanoclaw.durable.store import Tx
from nanoclaw.flows.batches import batch_refs, batch_text
from nanoclaw.flows.batches.batch_refs import OPEN, VisibleBatches
from nanoclaw.flows.batches.cards import BatchCards
from nanoclaw.flows.batches.changes import BatchChanges
from nanoclaw.flows.batches.estimate import BatchEstimates
from nanoclaw.flows.batches.given_topics import KINDS, read_file
from nanoclaw.flows.batches.quality import fault_text
from nanoclaw.flows.batches.wanted import WantedBatch
from nanoclaw.flows.batches.wish import read_wish
from nanoclaw.flows.batches.wishes import Where, Wishes
from nanoclaw.flows.incoming.commands import Answer, CommandContext, refused_in_words
from nanoclaw.texts import say

_LONGEST_TEXT = 3000  # characters of one text in an answer
_LISTED = 20


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchCommands:
    home: Path
    wishes: Wishes
    estimates: BatchEstimates
    changes: BatchChanges
    cards: BatchCards

    def answers(self) -> Mapping[str, Answer]:
        known: dict[str, Callable[[Tx, str, CommandContext], str]] = {
            "batch-generate": self._generate,
            "batches": self._batches,
            "batch-cancel": self._cancel,
            "batch-results": self._results,
            "batch-resubmit": self._resubmit,
        }
        return {name: partial(refused_in_words, act) for name, act in known.items()}

    def _generate(self, tx: Tx, argument: str, asked: CommandContext) -> str:
        """`/batch_generate 30 posts for Telegram`; an attached document lists topics. Returns nothing: the
        card is the answer.
        """
        if not argument and not asked.message.files:
            raise Refused("batch-no-count")
        wanted = self._wanted(argument, asked)
        estimate = self.estimates.of(tx, wanted)
        if estimate.fits < 1:
            raise Refused("batch-no-money", count=wanted.count)
        batch = self.changes.propose(tx, wanted, asked.person, estimate.row(), asked.at)
        if batch.message_id != asked.message.id:  # repeated within a few seconds
            return say(asked.locale.speaks, "batch-same", id=batch_text.short_id(batch))
        return ""

    def _wanted(self, argument: str, asked: CommandContext) -> WantedBatch:
        fits = [group for group in asked.groups if asked.rights.role_in(group).may(Role.MEMBER)]
        if not fits:
            raise Refused("batch-no-agent")
        where = Where(
            group=fits[0],
            chat_id=asked.chat.id,
            channel=asked.chat.channel,
            language=asked.locale.speaks,
            thread=asked.message.thread,
            message_id=asked.message.id,
        )
        brought = self._brought(asked, fits[0]) if asked.message.files else None
        return self.wishes.complete(read_wish(argument), where, brought)

    def _brought(self, asked: CommandContext, group: str) -> tuple[str, ...]:
        """The topics in the attached document."""
        files = asked.message.files
        document = next((each for each in files if Path(each.name).suffix.casefold() in KINDS), files[0])
        if document.path is None:
            raise Refused("batch-file-missing", name=document.name[:80], said=_missing(document))
        return read_file(self.home / "groups" / group / "files", document.path)

    def _batches(self, tx: Tx, argument: str, asked: CommandContext) -> str:
        """List the batches, or show how far one is."""
        language, seen = asked.locale.speaks, _seen(asked)
        if argument:
            batch = batch_refs.named(tx, argument.split()[0], seen)
            return self.cards.text(tx, batch, batches.counts(tx, batch.id), language)
        found = batch_refs.listed(tx, seen)
        if not found:
            return say(language, "batches-none")
        lines = [
            f"{batch_numbers.number_of(tx, batch)}. {batch_text.line(batch, batches.counts(tx, batch.id), language)}"
            for batch in found
        ]
        return "\n".join([say(language, "batches-head"), "", *lines, "", say(language, "batches-foot")])

    def _cancel(self, tx: Tx, argument: str, asked: CommandContext) -> str:
        """`/batch_cancel 3`; without a number, the batch under way in this chat."""
        seen = _seen(asked)
        found = (
            batch_refs.named(tx, argument.split()[0], seen) if argument else batch_refs.last(tx, seen, OPEN)
        )
        batch = self.changes.cancel(tx, found.id, asked.actor, asked.at)
        counts = batches.counts(tx, batch.id)
        return self._told("order-batch-cancel", batch, asked, ready=counts.succeeded, sent=counts.sent)

    def _resubmit(self, tx: Tx, argument: str, asked: CommandContext) -> str:
        """`/batch_resubmit 3`, or only some of its texts: `/batch_resubmit 3 7 12`."""
        seen, words = _seen(asked), argument.replace(",", " ").split()
        found = batch_refs.named(tx, words[0], seen) if words else batch_refs.last(tx, seen)
        numbers = [_number(word) for word in words[1:]]
        count = self.changes.resubmit(tx, found.id, asked.actor, asked.at, numbers or None)
        if not count:
            return say(asked.locale.speaks, "member-limit-admin-asked")
        return self._told("order-batch-resubmit", found, asked, count=count)

    def _results(self, tx: Tx, argument: str, asked: CommandContext) -> str:
        """`/batch_results 3`: what became of each text; `/batch_results 3 7`: the seventh text."""
        seen, words = _seen(asked), argument.split()
        batch = batch_refs.named(tx, words[0], seen) if words else batch_refs.last(tx, seen)
        language = asked.locale.speaks
        if len(words) > 1:
            item = batches.item(tx, batch.id, _number(words[1]))
            if item is None:
                raise Refused("batch-no-item", number=_number(words[1]))
            return _whole(item, language)
        return self._listed(tx, batch, language)

    def _listed(self, tx: Tx, batch: Batch, language: str) -> str:
        """Texts that need a look come first: nobody reads ten thousand of them in a chat."""
        counts = batches.counts(tx, batch.id)
        if not counts.over:
            return self.cards.text(tx, batch, counts, language)
        faulty = batch_texts.page(tx, batch.id, TextFilter.FAULTY, limit=_LISTED)
        found = [*faulty, *batch_texts.page(tx, batch.id, TextFilter.PASSED, limit=_LISTED)][:_LISTED]
        lines = [_line(item, language) for item in found]
        if (more := counts.succeeded - len(found)) > 0:
            lines.append(say(language, "batch-items-more", count=more))
        foot = say(language, "batch-results-foot", id=batch_text.short_id(batch))
        if planned := next((item.task_id for item in found if item.task_id), None):
            foot = f"{foot}\n{say(language, 'batch-results-tasks', task=str(planned))}"
        return "\n\n".join([self.cards.text(tx, batch, counts, language), "\n".join(lines), foot])

    def _told(self, key: str, batch: Batch, asked: CommandContext, **values: object) -> str:
        subject = as_written(batch_text.in_short(batch.subject, 80))
        return say(asked.locale.speaks, key, id=batch_text.short_id(batch), subject=subject, **values)


def _seen(asked: CommandContext) -> VisibleBatches:
    return VisibleBatches(by=asked.actor, groups=asked.groups, chat_id=asked.chat.id)


def _number(word: str) -> int:
    plain = word.strip("#.,")
    if not (plain.isascii() and plain.isdigit() and len(plain) <= 6):
        raise Refused("batch-bad-number", said=word[:20])
    return int(plain)


def _missing(document: File) -> str:
    return document.missing or ""


def _line(item: BatchItem, language: str) -> str:
    topic = as_written(batch_text.in_short(item.topic))
    if item.state is ItemState.SUCCEEDED:
        faults = "; ".join(fault_text(language, each) for each in item.faults[:3])
        key = "batch-item-faulty" if item.faults else "batch-item-good"
        told = say(language, key, number=str(item.number), topic=topic, faults=as_written(faults))
        return " · ".join([told, *_notes(item, language)])
    if not item.state.is_over:
        return say(language, "batch-item-waits", number=str(item.number), topic=topic)
    said = as_written(batch_text.reason(item, language))
    return say(language, "batch-item-failed", number=str(item.number), topic=topic, said=said)


def _notes(item: BatchItem, language: str) -> list[str]:
    """What people decided about a text, and the task that sends it."""
    decided = [] if item.verdict is TextVerdict.OPEN else [say(language, f"batch-note-{item.verdict}")]
    return [*decided, *([say(language, "batch-note-task", task=str(item.task_id))] if item.task_id else [])]


def _whole(item: BatchItem, language: str) -> str:
    head = _line(item, language)
    return f"{head}\n\n{batch_text.cut(item.text, _LONGEST_TEXT)}" if item.text else head
