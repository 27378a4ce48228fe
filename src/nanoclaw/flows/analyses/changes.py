"""A document comes back from another runtime: brought, matched by people, adopted or taken back.

Every door leads here: chat, page, terminal and git. What takes longer is done by the story (`flows/analysis.py`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from nanoclaw.context.groups import Groups
from nanoclaw.domain.continuations import Continuation
from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.domain.ids import MessageId
from nanoclaw.domain.people import Actor, Role
from nanoclaw.domain.question_requests import LAYOUTS
from nanoclaw.domain.questions import Asker, NewQuestion, Option, QuestionKind, digest_of, too
from nanoclaw.domain.text import as_written, tidy_name
from nanoclaw.domain.transfers import Analysis, AnalysisState, Transfer
from nanoclaw.durable import analyses, audit, people, questions, transfers, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.timeline import Event, note
from nanoclaw.flows.analyses import told, transfer_match
from nanoclaw.flows.analyses.decisions_card import DecisionsCard
from nanoclaw.flows.analyses.files import AnalysisFiles
from nanoclaw.flows.analyses.interpretation import SKILL
from nanoclaw.flows.analyses.undo import TakenBack, take_back
from nanoclaw.flows.human.card_text import SHORT
from nanoclaw.flows.human.each_language import in_each, sentence
from nanoclaw.flows.human.new_questions import NewQuestions
from nanoclaw.flows.human.resolution import Resolution
from nanoclaw.texts import say

GIT = "git"
APPROVE, NO_TRANSFER = "approve", "none_of_these"
_TIME = timedelta(hours=72)
_MOST_ASKED = 3  # per person, so that nobody floods the deciders with cards
_PURPOSE = 60  # characters on a button
_MOST_CHOICES = 8  # buttons of a card; an older transfer can be named with the command


@dataclass(frozen=True, kw_only=True, slots=True)
class Analyses:
    store: Store
    groups: Groups
    files: AnalysisFiles
    new_questions: NewQuestions
    resolution: Resolution
    decisions: DecisionsCard

    async def bring(
        self,
        *,
        by: Actor,
        group: str,
        chat_id: str,
        thread: str | None,
        name: str,
        content: bytes | Path,
        via: str,
        transfer: str | None,
        message_id: str | None = None,
    ) -> Analysis:
        """Take in a document from the page, a terminal or git. News about it goes to `chat_id`. Raises Refused."""
        analysis_id = analyses.new_analysis_id()
        kept = await self.files.keep(analysis_id, name, content)

        def story(tx: Tx) -> Analysis:
            analysis = self.made(
                tx,
                by,
                group=group,
                chat_id=chat_id,
                thread=thread,
                name=kept.name,
                via=via,
                transfer=transfer,
                message_id=message_id,
                at=now(),
            )
            transfer_match.refuse_repeat(tx, analysis.company, kept.sha256)
            return self.receive(tx, replace(analysis, id=analysis_id, sha256=kept.sha256), by, now())

        try:
            return await self.store.write(story)
        except Refused:
            await self.files.remove(analysis_id)
            raise

    def made(
        self,
        tx: Tx,
        by: Actor,
        *,
        group: str,
        chat_id: str,
        thread: str | None,
        name: str,
        via: str,
        transfer: str | None,
        message_id: str | None,
        at: datetime,
    ) -> Analysis:
        """Check what can be checked before the document is read, and build its row. Raises Refused."""
        company, person = self.groups.company_of(group), people.person_named(tx, by.handle)
        if company is None or person is None or not by.rights.role_in(group).may(Role.MEMBER):
            raise Refused("analysis-forbidden")
        analysis = Analysis(
            id=analyses.new_analysis_id(),
            company=company,
            group=group,
            chat_id=chat_id,
            thread=thread,
            person_id=person.id,
            message_id=message_id,
            via=via,
            file_name=name,
            sha256="",
            language=by.language,
            created_at=at,
        )
        if transfer is None:
            return analysis
        meant = transfer_match.find(tx, transfer, transfer_match.place_of(analysis, by.rights), at)
        return replace(analysis, transfer_id=meant.id)

    def receive(self, tx: Tx, analysis: Analysis, by: Actor, at: datetime) -> Analysis:
        """Let it be read next. What a member or git brings first needs the consent of the group's admins."""
        is_by_git = analysis.via == GIT
        is_asked = is_by_git or not by.rights.role_in(analysis.group).may(Role.ADMIN)
        if is_asked and not is_by_git and analyses.count_asked(tx, analysis.person_id) >= _MOST_ASKED:
            raise Refused("analysis-too-many", most=_MOST_ASKED)
        analyses.add(tx, analysis)
        note(tx, analysis.message_id, Event.ANALYSIS_RECEIVED, at, name=analysis.file_name)
        if is_asked:
            key = "analysis-ask-git" if is_by_git else "analysis-ask-member"
            who = as_written(tidy_name(by.name) or by.handle)
            words = sentence(key, name=as_written(analysis.file_name), who=who)
            wanted = NewQuestion(
                kind=QuestionKind.APPROVAL,
                prompt=words(analysis.language),
                options=LAYOUTS["approve_reject"],
                timeout=_TIME,
                default="reject",
                skill=SKILL,
                config=in_each(words),
                effect=effect_of(analysis),
            )
            asked = self._ask(tx, wanted, analysis, analysis.group, "permit", at)
            analysis = replace(analysis, question_id=asked)
            analyses.mark(tx, analysis.id, question_id=asked)
        else:
            work.due(tx, work.ANALYSIS, analysis.id, at)
        return analysis

    def ask_which(self, tx: Tx, analysis: Analysis, fits: Sequence[Transfer], at: datetime) -> str:
        """Ask which transfer it belongs to; the person who brought it may answer too. Returns the id of the
        question.
        """
        person = people.person(tx, analysis.person_id)
        newest = sorted(fits, key=lambda each: each.id)[-_MOST_CHOICES:]
        options = tuple(Option(id=each.id, label=self._label(each)) for each in newest)
        more = len(fits) - len(newest)

        def words(language: str) -> str:
            asks = say(language, "analysis-ask-transfer", name=as_written(analysis.file_name))
            others = say(language, "analysis-ask-transfer-more", count=more) if more else ""
            return "\n\n".join(filter(None, (asks, others)))

        wanted = NewQuestion(
            kind=QuestionKind.CHOICE,
            prompt=words(analysis.language),
            options=(
                *options,
                Option(id=NO_TRANSFER, safe=True),
            ),
            timeout=_TIME,
            default=NO_TRANSFER,
            deciders=(too(person.handle),),
            skill=SKILL,
            config=in_each(words),
            effect=effect_of(analysis),
        )
        return self._ask(tx, wanted, analysis, analysis.group, "transfer", at)

    def match(self, tx: Tx, analysis_id: str, transfer: str, by: Actor, at: datetime) -> Analysis:
        """Record the transfer that a person chose on the page or in a terminal. Raises Refused."""
        analysis = self._known(tx, analysis_id)
        question = questions.locked(tx, analysis.question_id or "")
        if analysis.state is not AnalysisState.ASKING or question is None or not question.is_open:
            raise Refused("analysis-not-asking")
        if by.handle != people.person(tx, analysis.person_id).handle and not by.rights.role_in(
            analysis.group
        ).may(Role.ADMIN):
            raise Refused("analysis-decide-forbidden")
        place = transfer_match.place_of(analysis, by.rights)
        meant = transfer_match.find(tx, transfer, place, transfer_match.brought_at(analysis, at))
        if question.option(meant.id):
            self.resolution.decide(tx, question, by, at, chosen=meant.id)
        else:
            self.resolution.cancel(tx, question, by, at)
        analyses.mark(tx, analysis.id, transfer_id=meant.id, state=AnalysisState.RECEIVED, question_id=None)
        work.due(tx, work.ANALYSIS, analysis.id, at)
        return analyses.get(tx, analysis.id) or analysis

    def decide(self, tx: Tx, analysis_id: str, adopted: Sequence[int], by: Actor, at: datetime) -> Analysis:
        """Adopt the decisions with these numbers, counted from 1. Raises Refused."""
        analysis = self._known(tx, analysis_id)
        return self.decisions.decide(tx, analysis, adopted, by, self._group(tx, analysis), at)

    def undo(self, tx: Tx, analysis_id: str, by: Actor, at: datetime) -> dict[str, Any]:
        """Take back everything it brought, and return how much that was. Raises Refused."""
        analysis = self._known(tx, analysis_id)
        group = self._group(tx, analysis)
        if not by.rights.role_in(group).may(Role.ADMIN):
            raise Refused("analysis-undo-forbidden")
        if analysis.state is AnalysisState.UNDONE:
            raise Refused("analysis-undone")
        if analysis.state is not AnalysisState.IMPORTED:
            raise Refused("analysis-not-imported")
        taken = take_back(tx, analysis, self.resolution, by, group, at)
        analyses.mark(
            tx,
            analysis.id,
            state=AnalysisState.UNDONE,
            undone_by=by.handle,
            undone_at=at,
            question_id=None,
        )
        audit.record(tx, by, at, "analysis-undone", analysis.id, **taken.counts)
        note(tx, analysis.message_id, Event.ANALYSIS_UNDONE, at, name=by.name)
        told.tell(tx, analysis, undone_text(taken, by, analysis), at, "undone")
        return dict(taken.counts)

    def _known(self, tx: Tx, analysis_id: str) -> Analysis:
        analysis = analyses.locked(tx, analysis_id)
        if analysis is None:
            raise NotFound("no-such-analysis", id=analysis_id[:80])
        return analysis

    def _group(self, tx: Tx, analysis: Analysis) -> str:
        """The group whose people decide about it: that of the transfer, once it is known."""
        transfer = transfers.get(tx, analysis.transfer_id) if analysis.transfer_id else None
        return transfer.group if transfer else analysis.group

    def _label(self, transfer: Transfer) -> str:
        purpose = " ".join(transfer.purpose.split()) or transfer.target.value
        shown = purpose if len(purpose) <= _PURPOSE else f"{purpose[: _PURPOSE - 1]}…"
        return f"{shown} · {transfer.id[-SHORT:]}"

    def _ask(
        self, tx: Tx, wanted: NewQuestion, analysis: Analysis, group: str, what: str, at: datetime
    ) -> str:
        asker = Asker(
            asked_id=f"analysis {analysis.id} {what}",
            group=group,
            company=analysis.company,
            chat_id=analysis.chat_id,
            thread=analysis.thread,
            then=Continuation(work.ANALYSIS, analysis.id),
            message_id=MessageId(analysis.message_id) if analysis.message_id else None,
        )
        return self.new_questions.open(tx, wanted, asker, None, at).id


def effect_of(analysis: Analysis) -> str:
    """Which document a yes lets in."""
    return digest_of(analysis.id, analysis.file_name, analysis.sha256)


def undone_text(taken: TakenBack, by: Actor, analysis: Analysis) -> str:
    language = analysis.language
    head = say(
        language,
        "analysis-taken-back",
        name=as_written(analysis.file_name),
        who=as_written(by.name or by.handle),
        facts=taken.facts,
        decisions=taken.decisions,
        changes=taken.changes,
    )
    stays = [f"`{each}`" for each in taken.stays]
    if not stays:
        return head
    return f"{head}\n\n{say(language, 'analysis-stays', files=', '.join(stays), count=len(stays))}"
