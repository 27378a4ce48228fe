"""Proposes a change of a context file: stored with both texts, and put to people as a question with a diff."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from nanoclaw.context.groups import Groups
from nanoclaw.delivery import outbox
from nanoclaw.domain.context_files import LONGEST_TEXT
from nanoclaw.domain.continuations import Continuation
from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.domain.ids import ChatId, new_id
from nanoclaw.domain.parcels import Author
from nanoclaw.domain.people import Actor, Role
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
from nanoclaw.domain.text import as_written, is_empty, storable
from nanoclaw.domain.tool_requests import BadToolRequest
from nanoclaw.durable import people, proposals, question_cards, work
from nanoclaw.durable.proposals import Proposal, ProposalSource, ProposalState
from nanoclaw.durable.store import Tx
from nanoclaw.flows.company_context.files import diff
from nanoclaw.flows.human.each_language import in_each
from nanoclaw.flows.human.new_questions import NewQuestions
from nanoclaw.texts import say

APPLY, SHOW_DIFF, EDIT, CANCEL = "apply", "show_diff", "edit_text", "cancel"
SKILL = "context-compiler"
_OPTIONS = (
    Option(id=APPLY),
    Option(id=SHOW_DIFF),
    Option(id=EDIT),
    Option(id=CANCEL, safe=True),
)
_DELETION = (Option(id=APPLY), Option(id=CANCEL, safe=True))
_TIME = timedelta(days=7)
_LONGEST_SUMMARY = 300
_LONGEST_GUESS = 80
_LONGEST_DIFF = 20_000  # characters in a chat


@dataclass(frozen=True, kw_only=True, slots=True)
class ContextChange:
    """What is proposed. `before` is the current text (None: no such file), `after` the new one (None: delete
    it). `summary_in` gives the summary in another language, if the host wrote it.
    """

    company: str
    file: str
    before: str | None
    after: str | None
    summary: str
    source: ProposalSource
    origin: str | None = None
    summary_in: Callable[[str], str] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ProposalPlace:
    """The agent group it is proposed for, and where to look for deciders first."""

    group: str
    chat_id: str | None = None
    thread: str | None = None
    session_id: str | None = None
    turn_id: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Proposals:
    groups: Groups
    new_questions: NewQuestions

    def group_for(self, company: str) -> str:
        """The agent group of this company whose people decide; the main group if it belongs to the company."""
        main = self.groups.main()
        if main.company == company:
            return main.name
        found = next((name for name in self.groups.usable() if self.groups.company_of(name) == company), None)
        if found is None:
            raise NotFound("context-no-company", company=company[:80])
        return found

    def propose(
        self, tx: Tx, by: Actor, change: ContextChange, place: ProposalPlace, at: datetime
    ) -> Proposal:
        """Propose a change. Members propose and admins decide; only owners propose a deletion. Raises Refused."""
        is_deletion = change.after is None
        if not by.rights.role_in(place.group).may(Role.OWNER if is_deletion else Role.MEMBER):
            raise Refused("context-delete-forbidden" if is_deletion else "context-forbidden")
        if change.origin and (known := proposals.with_origin(tx, change.origin)):
            return known
        change = replace(change, after=_tidy(change.after))
        change = replace(
            change, summary=_short(change.summary) or _short(_first_new_line(change)) or change.file
        )
        _check(change)
        same = (
            each for each in proposals.waiting(tx, change.company, change.file) if each.after == change.after
        )
        if known := next(same, None):
            return known
        person = people.person_named(tx, by.handle)
        proposal = Proposal(
            id=proposals.new_proposal_id(),
            company=change.company,
            file=change.file,
            before=change.before,
            after=change.after,
            summary=change.summary,
            source=change.source,
            created_at=at,
            person_id=person.id if person else None,
            chat_id=place.chat_id,
            session_id=place.session_id,
            turn_id=place.turn_id,
            origin=change.origin,
        )
        question = self._ask(tx, proposal, place, by.language, at, change.summary_in)
        proposals.add(tx, replace(proposal, question_id=question.id))
        return replace(proposal, question_id=question.id)

    def ask_again(
        self, tx: Tx, proposal: Proposal, place: ProposalPlace, language: str, at: datetime
    ) -> Question:
        """Ask about the same proposal with another text, after an edit."""
        proposal = replace(proposal, after=_tidy(proposal.after))
        _check_text(proposal.after)
        question = self._ask(tx, proposal, place, language, at)
        proposals.mark(
            tx,
            proposal.id,
            before=proposal.before,
            after=proposal.after,
            state=ProposalState.OPEN,
            question_id=question.id,
        )
        return question

    def ask_for_text(self, tx: Tx, proposal: Proposal, asked: Question, language: str, at: datetime) -> None:
        """Let a person write the text: their next message in that chat is the new text."""
        place = self.place_of(tx, proposal, asked)
        if place.chat_id:
            outbox.post(
                tx,
                chat_id=ChatId(place.chat_id),
                thread=place.thread,
                author=Author.HOST,
                text=fenced(proposal.after or "", "markdown"),
                at=at,
            )
        wanted = NewQuestion(
            kind=QuestionKind.INPUT,
            prompt=say(language, "context-write", file=proposal.file),
            options=(Option(id=CANCEL, safe=True),),
            timeout=_TIME,
            default=CANCEL,
            deciders=(asked.decided_by,) if asked.decided_by else (),
            skill=SKILL,
            effect=digest_of(proposal.id, "text"),  # whatever they write, which is shown before it is applied
        )
        question = self._open(tx, wanted, proposal, place, at)
        proposals.mark(tx, proposal.id, state=ProposalState.EDITING, question_id=question.id)

    def place_of(self, tx: Tx, proposal: Proposal, asked: Question) -> ProposalPlace:
        """Where its card was shown, the first place if there were several."""
        cards = question_cards.cards_of(tx, asked.id)
        here = next((card for card in cards if card.chat_id == proposal.chat_id), cards[0] if cards else None)
        shown = outbox.get(tx, here.parcel_id) if here else None
        return ProposalPlace(
            group=asked.group,
            chat_id=here.chat_id if here else proposal.chat_id,
            thread=shown.thread if shown else None,
            session_id=proposal.session_id,
            turn_id=proposal.turn_id,
        )

    def show_diff(self, tx: Tx, question: Question, by: Actor, at: datetime, chat_id: ChatId | None) -> str:
        """Post the diff below the card, as much as fits in a chat; without a chat, return it."""
        proposal = proposals.about(tx, question.id)
        if proposal is None:
            raise NotFound("no-such-question", id=question.id)
        shown = diff(proposal.before, proposal.after)
        if chat_id is None:
            return shown
        if len(shown) > _LONGEST_DIFF:  # the document beside the card has all of it
            left = say(by.language, "context-diff-rest", count=len(shown) - _LONGEST_DIFF)
            shown = f"{shown[:_LONGEST_DIFF]}\n{left}"
        place = self.place_of(tx, replace(proposal, chat_id=chat_id), question)
        outbox.post(
            tx,
            chat_id=chat_id,
            thread=place.thread,
            author=Author.HOST,
            text=fenced(shown, "diff"),
            at=at,
        )
        return say(by.language, "context-diff-shown")

    def _ask(
        self,
        tx: Tx,
        proposal: Proposal,
        place: ProposalPlace,
        language: str,
        at: datetime,
        summary_in: Callable[[str], str] | None = None,
    ) -> Question:
        is_deletion = proposal.after is None
        key = (
            "context-ask-delete"
            if is_deletion
            else "context-ask-new"
            if proposal.before is None
            else "context-ask"
        )
        owners = tuple(each.handle for each in people.with_role(tx, Role.OWNER)) if is_deletion else ()

        def words(language: str) -> str:
            summary = _short(summary_in(language)) if summary_in else proposal.summary
            return say(language, key, file=proposal.file, summary=as_written(summary))

        wanted = NewQuestion(
            kind=QuestionKind.APPROVAL,
            prompt=words(language),
            options=_DELETION if is_deletion else _OPTIONS,
            timeout=_TIME,
            default=CANCEL,
            risk=Risk.DESTRUCTIVE if is_deletion else Risk.NORMAL,
            context={"file": proposal.file, "diff": diff(proposal.before, proposal.after)},
            effect=effect_of(proposal),
            deciders=owners,
            skill=SKILL,
            config=in_each(words),
        )
        return self._open(tx, wanted, proposal, place, at)

    def _open(
        self, tx: Tx, wanted: NewQuestion, proposal: Proposal, place: ProposalPlace, at: datetime
    ) -> Question:
        asker = Asker(
            session_id=None,  # the answer wakes no agent: the context story handles it
            execution_id=place.turn_id or PROGRAM,
            asked_id=f"context {proposal.id} {new_id('a')}",
            group=place.group,
            company=proposal.company,
            thread=place.thread,
            chat_id=place.chat_id,
            then=Continuation(work.CONTEXT, proposal.company),
        )
        try:
            return self.new_questions.open(tx, wanted, asker, None, at)
        except BadToolRequest as error:
            raise Refused("said", said=str(error)) from error


def effect_of(proposal: Proposal) -> str:
    """What a yes does, to the letter."""
    return digest_of(proposal.company, proposal.file, proposal.before, proposal.after)


def fenced(text: str, kind: str = "") -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{kind}\n{text.rstrip()}\n{fence}"


def _tidy(after: str | None) -> str | None:
    return None if after is None else f"{storable(after).strip()}\n"


def _short(summary: str) -> str:
    plain = " ".join(storable(summary).split())
    return plain if len(plain) <= _LONGEST_SUMMARY else f"{plain[:_LONGEST_SUMMARY]}…"


def _first_new_line(change: ContextChange) -> str:
    """Stands in for a summary that nobody wrote."""
    lines = diff(change.before, change.after).split("\n") if change.after is not None else []
    added = (line[1:].strip(" #*->") for line in lines if line.startswith("+"))
    return next(filter(None, added), "")[:_LONGEST_GUESS]


def _check(change: ContextChange) -> None:
    if change.after is None and change.before is None:
        raise NotFound("context-file-missing", file=change.file)
    if (
        change.after is not None
        and change.before is not None
        and change.after.strip() == change.before.strip()
    ):
        raise Refused("context-no-change", file=change.file)
    if change.after is not None:
        _check_text(change.after)


def _check_text(after: str | None) -> None:
    if after is not None and is_empty(after):
        raise Refused("context-empty")
    if after is not None and len(after) > LONGEST_TEXT:
        raise Refused("context-too-long", most=LONGEST_TEXT)
