"""What becomes of the texts of a batch, as people decide in its chat: a card at the end, then a card for each text.

The plan in the row of the batch says what was asked last, and about which text.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from nanoclaw.delivery import outbox
from nanoclaw.domain.batches import Batch, BatchCounts, BatchItem, BatchStatus
from nanoclaw.domain.continuations import Continuation
from nanoclaw.domain.errors import NanoClawError, Refused
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.parcels import Author
from nanoclaw.domain.people import Actor
from nanoclaw.domain.questions import (
    Asker,
    NewQuestion,
    Option,
    Question,
    QuestionKind,
    Status,
    digest_of,
    too,
)
from nanoclaw.domain.text import as_written
from nanoclaw.durable import batch_texts, batches, memberships, people, questions, work
from nanoclaw.durable.batch_texts import TextFilter
from nanoclaw.durable.store import Tx
from nanoclaw.flows.batches.cards import DAILY, FILES, REVIEW
from nanoclaw.flows.batches.review import Review
from nanoclaw.flows.batches.schedule import BatchSchedule, check_written
from nanoclaw.flows.human.card_text import SHORT
from nanoclaw.flows.human.new_questions import NewQuestions
from nanoclaw.flows.tasks.task_text import moment
from nanoclaw.texts import say, tell

APPROVE, EDIT, REJECT, REWRITE, STOP = "approve", "edit", "reject", "rewrite", "stop"
"""The choices on the card of a text."""
_END, _TEXT, _WORDS = "end", "text", "words"

_OPEN_FOR = timedelta(days=7)
_SHOWN = 3000  # characters of a text on its card


@dataclass(frozen=True, kw_only=True, slots=True)
class Afterwards:
    """Each method runs in the caller's transaction."""

    new_questions: NewQuestions
    review: Review
    schedule: BatchSchedule
    end_card: Callable[[Batch, BatchCounts, str], NewQuestion]
    language_of: Callable[[Tx, Batch], str]
    fault: Callable[[str, Mapping[str, Any]], str]

    def ask(self, tx: Tx, batch: Batch, at: datetime) -> None:
        """Ask what should become of the texts, unless a card of this batch is open."""
        if not self._is_asking(tx, batch):
            wanted = self.end_card(batch, batches.counts(tx, batch.id), self.language_of(tx, batch))
            self._open(tx, batch, wanted, {"about": _END}, at)

    def begin_review(self, tx: Tx, batch_id: str, by: Actor, at: datetime) -> bool:
        """Review the texts one by one in the chat of the batch. False if nothing is left to decide."""
        batch = self.review.changes.theirs(tx, batch_id, by)
        if self._is_asking(tx, batch):
            raise Refused("batch-asks-already", id=batch.id[-SHORT:])
        return self._ask_next(tx, batch, at)

    def save_files(self, tx: Tx, batch_id: str, by: Actor, at: datetime) -> Batch:
        """Have the texts saved as files; the story of the output writes them and says where they are."""
        batch = self.review.changes.theirs(tx, batch_id, by)
        check_written(batch)
        if not batches.counts(tx, batch.id).succeeded:
            raise Refused("batch-nothing-to-save", id=batch.id[-SHORT:])
        return self._note(tx, batch, at, files={"wanted": at.isoformat()})

    def take_up(self, tx: Tx, batch: Batch, at: datetime) -> None:
        """Carry out the answer to the last card."""
        asked: Mapping[str, Any] = (batch.plan or {}).get("asked") or {}
        question = questions.get(tx, asked["question"]) if asked else None
        if question is None or question.is_open:
            return
        batch = self._note(tx, batch, at, asked=None)
        person = people.person_named(tx, question.decided_by) if question.decided_by else None
        if question.status is not Status.COMPLETED or person is None:
            return
        language = self.language_of(tx, batch)
        by = Actor.of(
            person, memberships.rights_of(tx, person), via=question.via or "chat", language=language
        )
        try:
            if asked["about"] == _END:
                self._take_end(tx, batch, question, by, at)
            else:
                self._take_review(tx, batch, asked, question, by, at)
        except NanoClawError as error:
            self._say(tx, batch, as_written(tell(language, error)), at, f"refused {question.id}")

    def _take_end(self, tx: Tx, batch: Batch, question: Question, by: Actor, at: datetime) -> None:
        language = self.language_of(tx, batch)
        match question.chosen:
            case choice if choice == REVIEW:
                if not self._ask_next(tx, batch, at):
                    self._say(tx, batch, say(language, "batch-review-none"), at, f"none {question.id}")
            case choice if choice == DAILY:
                planned = self.schedule.plan(tx, batch.id, by, at)
                zone = Locale(language=language, timezone=self.schedule.clock_of(batch)[0])
                times = {
                    name: moment(each, zone) if each else "-"
                    for name, each in (("first", planned.first), ("last", planned.last))
                }
                key = "batch-scheduled" if planned.count else "batch-scheduled-already"
                told = say(language, key, count=planned.count, id=batch.id[-SHORT:], **times)
                self._say(tx, batch, told, at, f"planned {question.id}")
            case choice if choice == FILES:
                self.save_files(tx, batch.id, by, at)
            case _:
                return

    def _take_review(
        self,
        tx: Tx,
        batch: Batch,
        asked: Mapping[str, Any],
        question: Question,
        by: Actor,
        at: datetime,
    ) -> None:
        number, words = int(asked["number"]), _words(question)
        match asked["about"], question.chosen:
            case about, _ if about == _WORDS and words:
                self.review.edit(tx, batch.id, number, words, by, at)
            case _, _ if words:
                self.review.regenerate(tx, batch.id, number, words, by, at)
            case _, choice if choice == APPROVE:
                item = next(iter(batches.items_numbered(tx, batch.id, [number])), None)
                if item and not question.is_about(_effect(item)):  # written anew since it was shown
                    self._ask_next(tx, batch, at, after=number - 1)
                    return
                self.review.approve(tx, batch.id, number, by, at)
            case _, choice if choice == REJECT:
                self.review.reject(tx, batch.id, number, by, at)
            case _, choice if choice == REWRITE:
                self.review.regenerate(tx, batch.id, number, "", by, at)
            case _, choice if choice == EDIT:
                self._ask_words(tx, batch, number, at)
                return
            case _:
                self._conclude(tx, batch, at)
                return
        if not self._ask_next(tx, batches.get(tx, batch.id) or batch, at, after=number):
            self._conclude(tx, batches.get(tx, batch.id) or batch, at)

    def _conclude(self, tx: Tx, batch: Batch, at: datetime) -> None:
        """Say how the review went, and ask what comes next."""
        counts, language = batches.counts(tx, batch.id), self.language_of(tx, batch)
        told = say(
            language,
            "batch-review-over",
            approved=counts.approved,
            rejected=counts.rejected,
            left=batch_texts.count(tx, batch.id, TextFilter.OPEN),
            again=counts.waiting + counts.sent,
        )
        self._say(tx, batch, told, at, f"reviewed {at.isoformat()}")
        if counts.approved and (batch.status is BatchStatus.READY or batch.status.is_over):
            self.ask(tx, batch, at)

    def _ask_next(self, tx: Tx, batch: Batch, at: datetime, *, after: int = 0) -> bool:
        """Ask about the next undecided text; after the last one, about those that were skipped."""
        found = batch_texts.page(tx, batch.id, TextFilter.OPEN, after=after, limit=1) or batch_texts.page(
            tx, batch.id, TextFilter.OPEN, limit=1
        )
        if found:
            wanted = self._text_card(tx, batch, found[0])
            self._open(tx, batch, wanted, {"about": _TEXT, "number": found[0].number}, at)
        return bool(found)

    def _text_card(self, tx: Tx, batch: Batch, item: BatchItem) -> NewQuestion:
        language = self.language_of(tx, batch)
        counts = batches.counts(tx, batch.id)
        is_long = len(item.text) > _SHOWN
        lines = [
            say(
                language,
                "batch-review-text",
                number=str(item.number),
                count=counts.items,
                topic=as_written(" ".join(item.topic.split())[:200]),
            ),
            *([] if is_long else [item.text]),
        ]
        if item.faults:
            lines.append("\n".join(f"- ⚠️ {as_written(self.fault(language, each))}" for each in item.faults))
        if item.grade is not None:
            lines.append(say(language, "batch-review-grade", grade=item.grade))
        lines.append(say(language, "batch-review-wish"))
        return NewQuestion(
            kind=QuestionKind.REVIEW,
            prompt="\n\n".join(lines),
            options=tuple(
                Option(id=each, safe=each == STOP) for each in (APPROVE, EDIT, REJECT, REWRITE, STOP)
            ),
            timeout=_OPEN_FOR,
            default=STOP,
            context={"text": item.text} if is_long else None,
            effect=_effect(item),
        )

    def _ask_words(self, tx: Tx, batch: Batch, number: int, at: datetime) -> None:
        wanted = NewQuestion(
            kind=QuestionKind.INPUT,
            prompt=say(self.language_of(tx, batch), "batch-review-words", number=number),
            options=(),
            timeout=_OPEN_FOR,
            default=None,
            effect=digest_of(batch.id, number, "words"),
        )
        self._open(tx, batch, wanted, {"about": _WORDS, "number": number}, at)

    def _open(self, tx: Tx, batch: Batch, wanted: NewQuestion, about: dict[str, Any], at: datetime) -> None:
        number = int((batch.plan or {}).get("cards", 0)) + 1
        asker = Asker(
            asked_id=f"{batch.id} card {number}",
            group=batch.group,
            company=batch.company,
            chat_id=batch.chat_id,
            thread=batch.thread,
            then=Continuation(work.BATCH_OUTPUT, batch.id),
        )
        starter = people.person(tx, batch.started_by)
        question = self.new_questions.open(
            tx, replace(wanted, deciders=(too(starter.handle),)), asker, None, at
        )
        self._note(tx, batch, at, asked={**about, "question": question.id}, cards=number)

    def _is_asking(self, tx: Tx, batch: Batch) -> bool:
        asked = (batch.plan or {}).get("asked")
        question = questions.get(tx, asked["question"]) if asked else None
        return question is not None and question.is_open

    def _note(self, tx: Tx, batch: Batch, at: datetime, **plan: object) -> Batch:
        """Add to the plan, and make the output due."""
        written = {**(batch.plan or {}), **plan}
        batches.mark(tx, batch.id, plan=written)
        work.due(tx, work.BATCH_OUTPUT, batch.id, at)
        return replace(batch, plan=written)

    def _say(self, tx: Tx, batch: Batch, text: str, at: datetime, about: str) -> None:
        origin = f"batch {batch.id} {about}"
        if not outbox.posted_for(tx, origin):
            outbox.post(
                tx,
                chat_id=batch.chat_id,
                thread=batch.thread,
                author=Author.HOST,
                text=text,
                at=at,
                origin=origin,
            )


def _words(question: Question) -> str:
    """What the person wrote instead of choosing an option."""
    if question.option(question.chosen):
        return ""
    return (question.user_input or question.chosen or "").strip()


def _effect(item: BatchItem) -> str:
    """The text that a yes approves."""
    return digest_of(item.batch_id, item.number, item.text)
