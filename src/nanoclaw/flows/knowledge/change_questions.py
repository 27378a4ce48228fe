"""Changes of memory that people decide about first: a member's proposal, and a decision that contradicts
another.

The change waits in its row, and the question names the company's writer as the work that waits for it.
"""

from dataclasses import dataclass, replace
from datetime import timedelta

from nanoclaw.context.groups import Groups
from nanoclaw.domain.continuations import Continuation
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.memory import Entry
from nanoclaw.domain.people import Actor
from nanoclaw.domain.question_requests import LAYOUTS
from nanoclaw.domain.questions import Asker, NewQuestion, Option, Question, QuestionKind, Status, digest_of
from nanoclaw.domain.text import as_written
from nanoclaw.durable import memory_changes, questions, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.memory_changes import Action, Change, ChangeState
from nanoclaw.durable.store import Tx
from nanoclaw.flows.human.new_questions import NewQuestions
from nanoclaw.texts import say

_PATIENCE = timedelta(days=7)
_WORDS = ("topic", "domain", "rationale", "source", "related_to", "affects", "expires", "kind", "public")
KEEP, REPLACE, BOTH = "keep", "replace", "both"


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangeQuestions:
    new_questions: NewQuestions
    groups: Groups
    locale: Locale

    def propose(self, tx: Tx, change: Change, old: Entry, text: str, by: Actor) -> None:
        """A member wants to correct or forget something; without an answer it stays as it is."""
        language = self._language(change.company)
        key = (
            "memory-proposed-correction" if change.action is Action.CORRECT else "memory-proposed-forgetting"
        )
        prompt = say(
            language,
            key,
            name=as_written(by.name or by.handle),
            old=as_written(old.text),
            new=as_written(text),
        )
        options = LAYOUTS["approve_reject"]
        self._ask(tx, change, QuestionKind.APPROVAL, prompt, options, "reject")

    def ask_about_conflict(self, tx: Tx, change: Change, old: Entry) -> None:
        """A new decision contradicts a binding one; without an answer the old one stays."""
        language = self._language(change.company)
        new = str((change.body or {}).get("decision", ""))
        prompt = say(language, "memory-conflict", old=as_written(old.text), new=as_written(new))
        options = tuple(
            Option(id=each, label=say(language, f"memory-conflict-{each}"), safe=each == KEEP)
            for each in (KEEP, REPLACE, BOTH)
        )
        asked = replace(change, reason={"conflict": old.id})
        self._ask(tx, asked, QuestionKind.CHOICE, prompt, options, KEEP)

    def settle_answered(self, tx: Tx, company: str) -> None:
        """Hand changes that people have decided about to the writer, or end them."""
        for change in memory_changes.asked(tx, company):
            question = questions.find(tx, None, _asked_id(change))
            if question is None or question.is_open:
                continue
            if body := self._agreed(change, question):
                memory_changes.change(tx, change.id, state=ChangeState.WAITING.value, **body)
            else:
                reason = {"declined": question.chosen or question.status.value}
                memory_changes.settle(tx, [change.id], ChangeState.REFUSED, now(), reason)

    def _agreed(self, change: Change, question: Question) -> dict[str, object] | None:
        if question.status is not Status.COMPLETED or not question.is_about(_effect(change)):
            return None
        conflict = (change.reason or {}).get("conflict")
        if conflict is None:
            return {"reason": None} if question.chosen == "approve" else None
        if question.chosen not in (REPLACE, BOTH):
            return None
        body = dict(change.body or {})
        if question.chosen == REPLACE:
            body["supersedes"] = conflict
        return {"body": body, "reason": {"decided": question.chosen}}

    def _ask(
        self,
        tx: Tx,
        change: Change,
        kind: QuestionKind,
        prompt: str,
        options: tuple[Option, ...],
        default: str,
    ) -> None:
        if memory_changes.get(tx, change.id) is None:
            memory_changes.ask(tx, replace(change, state=ChangeState.ASKED))
        else:
            memory_changes.change(tx, change.id, state=ChangeState.ASKED.value, reason=change.reason)
        wanted = NewQuestion(
            kind=kind,
            prompt=prompt,
            options=options,
            timeout=_PATIENCE,
            default=default,
            context=_other_words(change),
            effect=_effect(change),
        )
        asker = Asker(
            asked_id=_asked_id(change),
            group=self._group(change.company),
            company=change.company,
            chat_id=change.chat_id,
            then=Continuation(work.MEMORY, change.company),
        )
        self.new_questions.open(tx, wanted, asker, None, now())

    def _group(self, company: str) -> str:
        """The group whose admins decide, besides the owners: the main group if it is the company's, otherwise
        the first.
        """
        main = self.groups.main()
        if main.company == company:
            return main.name
        return next(
            (each for each in self.groups.names() if self.groups.company_of(each) == company), main.name
        )

    def _language(self, company: str) -> str:
        return self.groups.locale_of(self._group(company)).or_else(self.locale).speaks


def _effect(change: Change) -> str:
    """What a yes writes, to the letter."""
    body = dict(change.body) if change.body is not None else None
    return digest_of(change.action.value, change.entry_id, body)


def _asked_id(change: Change) -> str:
    return f"memory {change.id}"


def _other_words(change: Change) -> dict[str, object] | None:
    """What a yes writes besides the text: whatever an agent could have put words into."""
    body = change.body or {}
    return {name: body[name] for name in _WORDS if body.get(name)} or None
