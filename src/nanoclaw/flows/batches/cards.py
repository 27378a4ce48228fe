"""What people see of a batch: the card that asks for a yes, the one message that shows how far it is, and the card at
the end that asks what should become of the texts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from nanoclaw.context.groups import Groups
from nanoclaw.delivery import outbox
from nanoclaw.domain.batches import Batch, BatchCounts, ItemState
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.money import dollars
from nanoclaw.domain.parcels import Author
from nanoclaw.domain.questions import NewQuestion, Option, QuestionKind, digest_of
from nanoclaw.domain.shown_text import shown
from nanoclaw.domain.text import as_written
from nanoclaw.domain.wirings import ChatKind
from nanoclaw.durable import batches, people
from nanoclaw.durable.store import Tx
from nanoclaw.flows.batches import batch_text
from nanoclaw.flows.human.each_language import in_each
from nanoclaw.texts import say

START, PART, CANCEL = "start", "part", "cancel"
"""The choices before it starts: all of it, as much as the budget can pay for, or nothing."""
REVIEW, DAILY, FILES, LATER = "review", "daily", "files", "later"
"""The choices at the end."""

_OPEN_FOR = timedelta(hours=24)
_DECIDED_WITHIN = timedelta(days=7)
_SUBJECT = 500
_TOPICS = 200_000  # characters of named topics in the document of the card


def wanted_start(
    batch: Batch, estimate: Mapping[str, Any], topics: Sequence[str], language: str
) -> NewQuestion:
    """The card that asks for a yes. No answer means no, because it costs money; without money for any text
    only no is offered. `topics` are those that the person named.
    """
    fits = estimate.get("fits", batch.items)
    options = [Option(id=START)] if fits >= batch.items else []
    if 0 < fits < batch.items:
        options.append(Option(id=PART, label=say(language, "batch-option-part", count=fits)))
    return NewQuestion(
        kind=QuestionKind.APPROVAL,
        prompt=_start_prompt(batch, estimate, language),
        config=in_each(partial(_start_prompt, batch, estimate)),
        options=(*options, Option(id=CANCEL, safe=True)),
        timeout=_OPEN_FOR,
        default=CANCEL,
        context=_context(batch, topics, language) or None,
        effect=effect_of(batch, topics),
    )


def is_partly_shown(subject: str) -> bool:
    """Whether the first line of the card has less than all of it."""
    return len(subject) > _SUBJECT or shown(subject) != subject


def _context(batch: Batch, topics: Sequence[str], language: str) -> dict[str, str]:
    """What the first lines of the card do not show in full."""
    context = {"subject": batch.subject} if is_partly_shown(batch.subject) else {}
    lines, room = list[str](), _TOPICS
    for number, topic in enumerate(topics, 1):
        room -= len(topic)
        if room < 0:
            lines.append(say(language, "batch-asked-topics-more", count=len(topics) - len(lines)))
            break
        lines.append(f"{number}. {topic}")
    return context | ({"topics": "\n".join(lines)} if lines else {})


def effect_of(batch: Batch, topics: Sequence[str]) -> str:
    """What a yes starts. With fewer than all texts, those are the first ones."""
    made_by = (batch.subject, batch.skill, batch.channel, batch.model, batch.language, batch.max_tokens)
    fits = (batch.estimate or {}).get("fits")
    return digest_of(batch.id, *made_by, batch.least_grade, batch.items, fits, list(topics))


def agreed(batch: Batch, chosen: str | None) -> int:
    """How many texts somebody agreed to; 0 for none."""
    if chosen == START:
        return batch.items
    return int((batch.estimate or {}).get("fits", 0)) if chosen == PART else 0


def wanted_end(batch: Batch, counts: BatchCounts, language: str) -> NewQuestion:
    """The card that asks what to do with the texts. They wait as long as it takes: a command can ask again later."""
    prompt = say(
        language,
        "batch-end-asked",
        subject=as_written(batch_text.in_short(batch.subject, _SUBJECT)),
        ready=counts.succeeded,
        passed=counts.passed,
        id=batch_text.short_id(batch),
    )
    return NewQuestion(
        kind=QuestionKind.CHOICE,
        prompt=prompt,
        options=tuple(
            Option(id=name, label=say(language, f"batch-option-{name}"), safe=name == LATER)
            for name in (REVIEW, DAILY, FILES, LATER)
        ),
        timeout=_DECIDED_WITHIN,
        default=LATER,
        effect=digest_of(batch.id, "end"),  # whatever is approved by then: each text has its own card
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchCards:
    groups: Groups
    locale: Locale  # of the workspace

    def show(self, tx: Tx, batch: Batch, counts: BatchCounts, at: datetime) -> None:
        """Post the message, or edit it if something has changed. Before a yes there is only the card that asks."""
        # By its origin: the caller may have read the batch before it was posted.
        posted = outbox.id_for(tx, _origin(batch))
        there = outbox.get(tx, posted) if posted else None
        if there is None and batch.started_at is None:
            return
        text = self.text(tx, batch, counts, self.language_of(tx, batch))
        if there is None:
            self._post(tx, batch, text, at)
        elif there.text != shown(text):
            outbox.amend(tx, there.id, text, (), at)

    def text(self, tx: Tx, batch: Batch, counts: BatchCounts, language: str) -> str:
        failed = [
            item
            for state in (ItemState.ERRORED, ItemState.EXPIRED)
            if counts.failed
            for item in batches.items(tx, batch.id, state=state, limit=batch_text.MOST_FAILED)
        ]
        return batch_text.card(batch, counts, failed[: batch_text.MOST_FAILED], language)

    def language_of(self, tx: Tx, batch: Batch) -> str:
        """The language of the person who started it in a private chat, otherwise that of the group."""
        chat, person = people.chat(tx, batch.chat_id), people.person(tx, batch.started_by)
        own = Locale(language=person.language) if chat and chat.kind is ChatKind.PRIVATE else Locale()
        return own.or_else(self.groups.locale_of(batch.group)).or_else(self.locale).speaks

    def _post(self, tx: Tx, batch: Batch, text: str, at: datetime) -> None:
        parcel_id = outbox.post(
            tx,
            chat_id=batch.chat_id,
            thread=batch.thread,
            author=Author.HOST,
            text=text,
            at=at,
            message_id=batch.message_id,
            origin=_origin(batch),
        )
        batches.mark(tx, batch.id, parcel_id=parcel_id)


def _origin(batch: Batch) -> str:
    return f"batch {batch.id} card"


def _start_prompt(batch: Batch, estimate: Mapping[str, Any], language: str) -> str:
    """The prompt of the start card. Its first line stands alone in the inbox and in reminders."""
    subject = as_written(batch_text.in_short(batch.subject, _SUBJECT))
    first = say(language, "batch-asked", count=batch.items, subject=subject)
    lines = [batch_text.cost_line(estimate, language)]
    lines.append(
        say(
            language,
            "batch-asked-how",
            model=as_written(batch.model),
            skill=as_written(batch.skill) if batch.skill else "none",
            channel=as_written(batch.channel) if batch.channel else "none",
        )
    )
    if batch.least_grade is not None:
        lines.append(say(language, "batch-asked-grade", grade=batch.least_grade))
    left, fits = estimate.get("left"), estimate.get("fits", batch.items)
    if left is not None and fits < batch.items:
        told = {"left": dollars(max(0, left)), "most": dollars(estimate["most"]), "fits": fits}
        lines.append(say(language, "batch-asked-budget", count=batch.items, **told))
    return "\n\n".join([first, "\n".join(f"- {each}" for each in lines)])
