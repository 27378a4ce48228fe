"""Flow B. The result of a transfer comes back: a document is read in a box, understood and merged; its session goes on.

An analysis is a row, and each look does what it needs next: take the file, read it, find its transfer, ask the model
part by part, merge all of it in one transaction, carry out what people decided. Killed anywhere, it goes on there.
"""

from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from nanoclaw.domain.budgets import BUDGET_HELD
from nanoclaw.domain.errors import BoxRefused, ModelOutage, NanoClawError, Refused
from nanoclaw.domain.ids import PersonId
from nanoclaw.domain.parcels import Attachment
from nanoclaw.domain.people import Actor
from nanoclaw.domain.questions import Question, Status
from nanoclaw.domain.text import as_written
from nanoclaw.domain.transfers import Analysis, AnalysisState, Transfer
from nanoclaw.durable import analyses, budgets, memberships, people, questions, transfers, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.timeline import Event, note
from nanoclaw.durable.work import Claim
from nanoclaw.flows.analyses import told, transfer_match
from nanoclaw.flows.analyses.adoption import EXCERPT, Adoption
from nanoclaw.flows.analyses.changes import APPROVE, Analyses, effect_of
from nanoclaw.flows.analyses.decisions_card import SOME
from nanoclaw.flows.analyses.files import AnalysisFiles
from nanoclaw.flows.analyses.findings import Findings
from nanoclaw.flows.analyses.reader import DocumentReader, check_package
from nanoclaw.flows.company_context.documents import DocumentText
from nanoclaw.flows.human.card_text import SHORT
from nanoclaw.texts import say, tell

KEPT_FOR = timedelta(days=7)
_LONGEST_PAUSE = timedelta(minutes=5)


@dataclass(frozen=True, kw_only=True, slots=True)
class AnalysisStory:
    """The work of kind "analysis"; its key is the analysis."""

    kind = work.ANALYSIS
    at_once = 4

    store: Store
    analyses: Analyses
    files: AnalysisFiles
    reading: DocumentReader
    merging: Adoption

    async def sweep(self) -> None:
        """Remove files that a killed host left without a row."""
        for each in await self.files.left():
            if await self.store.read(partial(analyses.get, analysis_id=each)) is None:
                await self.files.remove(each)

    def begin(self, tx: Tx, claim: Claim) -> Analysis | None:
        return analyses.get(tx, claim.key)

    def look_again(self, key: str) -> None:
        """Nothing to do: decisions made meanwhile are read when the story runs again."""

    async def run(self, job: Analysis, claim: Claim) -> datetime | None:
        try:
            analysis = await self._further(job, claim)
        except ModelOutage as outage:
            return await self.store.write(partial(self._wait, claim=claim, outage=outage))
        except (Refused, BoxRefused) as error:
            analysis = await self.store.write(partial(self._refuse, claim=claim, error=error))
        if analysis.ended_at and now() >= analysis.ended_at + KEPT_FOR:
            await self.files.remove(analysis.id)
        return await self.store.write(partial(self._finish, claim=claim))

    async def _further(self, analysis: Analysis, claim: Claim) -> Analysis:
        """Go as far as possible without people. Raises Refused, BoxRefused and ModelOutage."""
        if analysis.question_id:
            analysis = await self.store.write(partial(self._heed_answer, claim=claim))
        if analysis.question_id is None and analysis.state is AnalysisState.RECEIVED:
            analysis = await self._taken(analysis, claim)
            document = await self.reading.text_of(analysis)
            analysis = await self.store.write(partial(self._match, claim=claim, document=document))
            if analysis.state is AnalysisState.RECEIVED:
                analysis = await self._understood(analysis, document, claim)
        if analysis.state is AnalysisState.UNDERSTOOD:
            analysis = await self._merged(analysis, claim)
        return analysis

    async def _taken(self, analysis: Analysis, claim: Claim) -> Analysis:
        """Copy a file that came with a message: agents can write where it lies, so the host works on its own copy."""
        place = (analysis.found or {}).get("from")
        if not place:
            return analysis
        kept = await self.files.take(analysis, place["group"], place["path"])

        def story(tx: Tx) -> Analysis:
            work.expect_mine(tx, claim)
            transfer_match.refuse_repeat(tx, analysis.company, kept.sha256, analysis.id)
            analyses.mark(tx, analysis.id, sha256=kept.sha256, found=None)
            return analyses.get(tx, analysis.id) or analysis

        return await self.store.write(story)

    def _match(self, tx: Tx, *, claim: Claim, document: DocumentText) -> Analysis:
        work.expect_mine(tx, claim)
        analysis, at = _locked(tx, claim), now()
        person = people.person(tx, PersonId(analysis.person_id))
        if person.blocked:  # nothing more is spent on them
            raise Refused("analysis-forbidden")
        place = transfer_match.place_of(analysis, memberships.rights_of(tx, person))
        texts = (document.text, document.manifest or "")
        brought_at = transfer_match.brought_at(analysis, at)
        meant = transfer_match.match(tx, texts, analysis.transfer_id, place, brought_at)
        if isinstance(meant, list):
            question = self.analyses.ask_which(tx, analysis, meant, at)
            analyses.mark(tx, analysis.id, state=AnalysisState.ASKING, question_id=question)
            return replace(analysis, state=AnalysisState.ASKING, question_id=question)
        check_package(document, meant)
        if analysis.transfer_id is None:
            analyses.mark(tx, analysis.id, transfer_id=meant.id)
        if not (analysis.found or {}).get("read"):
            note(tx, analysis.message_id, Event.ANALYSIS_MATCHED, at, id=meant.id[-SHORT:])
        return replace(analysis, transfer_id=meant.id)

    async def _understood(self, analysis: Analysis, document: DocumentText, claim: Claim) -> Analysis:
        """Store each part as soon as it is read, so that nothing paid for is asked again."""
        transfer, handle = await self.store.read(partial(_about, analysis=analysis))
        found = dict(analysis.found or {})
        async with aclosing(self.reading.parts(analysis, document.text, transfer, handle)) as parts:
            async for found in parts:
                await self.store.write(partial(self._keep, claim=claim, found=found))
        if not found.get("by_model") and Findings.of(found).is_empty:
            raise Refused("analysis-not-understood", name=analysis.file_name)
        return await self.store.write(partial(self._keep_all, claim=claim, found=found, text=document.text))

    def _keep(self, tx: Tx, *, claim: Claim, found: dict[str, Any]) -> None:
        work.expect_mine(tx, claim)
        analyses.mark(tx, claim.key, found=found, reason=None)

    def _keep_all(self, tx: Tx, *, claim: Claim, found: dict[str, Any], text: str) -> Analysis:
        work.expect_mine(tx, claim)
        analysis = _locked(tx, claim)
        kept = {
            **Findings.of(found).stored(),
            "by": "model" if found["by_model"] else "headings",
            "excerpt": text[:EXCERPT],
            "is_long": len(text) > EXCERPT,
        }
        analyses.mark(tx, analysis.id, state=AnalysisState.UNDERSTOOD, found=kept, reason=None)
        note(tx, analysis.message_id, Event.ANALYSIS_UNDERSTOOD, now(), by=kept["by"], parts=found["read"])
        return replace(analysis, state=AnalysisState.UNDERSTOOD, found=kept)

    async def _merged(self, analysis: Analysis, claim: Claim) -> Analysis:
        context = await self.reading.context_of(analysis.company)
        whole = told.listing(analysis, analysis.language)
        long = len(whole) > told.MOST_SHOWN
        listing = await self.files.keep_listing(analysis, whole) if long else None
        return await self.store.write(partial(self._merge, claim=claim, context=context, listing=listing))

    def _merge(
        self, tx: Tx, *, claim: Claim, context: dict[str, str | None], listing: Attachment | None
    ) -> Analysis:
        work.expect_mine(tx, claim)
        analysis = _locked(tx, claim)
        if analysis.state is not AnalysisState.UNDERSTOOD:
            return analysis
        by = self._actor(tx, people.person(tx, PersonId(analysis.person_id)).handle, analysis)
        return self.merging.merge(tx, analysis, by, context, listing, now())

    def _heed_answer(self, tx: Tx, *, claim: Claim) -> Analysis:
        """Carry out what people decided: whether to read it, which transfer it belongs to, which decisions hold."""
        work.expect_mine(tx, claim)
        analysis, at = _locked(tx, claim), now()
        question = questions.get(tx, analysis.question_id or "")
        if question is None or question.is_open:
            return analysis
        is_of_document = analysis.state in (AnalysisState.RECEIVED, AnalysisState.ASKING)
        if is_of_document and not question.is_about(effect_of(analysis)):
            raise Refused("analysis-not-as-shown", name=analysis.file_name)
        match analysis.state:
            case AnalysisState.RECEIVED:
                if question.status is not Status.COMPLETED or question.chosen != APPROVE:
                    raise Refused("analysis-declined", name=analysis.file_name)
                analyses.mark(tx, analysis.id, question_id=None)
            case AnalysisState.ASKING:
                meant = transfers.get(tx, question.chosen or "")
                if question.status is not Status.COMPLETED or meant is None:
                    raise Refused("analysis-no-transfer")
                state = AnalysisState.RECEIVED
                analyses.mark(tx, analysis.id, transfer_id=meant.id, state=state, question_id=None)
            case AnalysisState.IMPORTED:
                self._heed_decisions(tx, analysis, question, at)
            case _:
                pass
        return analyses.get(tx, analysis.id) or analysis

    def _heed_decisions(self, tx: Tx, analysis: Analysis, question: Question, at: datetime) -> None:
        cards = self.analyses.decisions
        if question.status is Status.COMPLETED and question.chosen == SOME and not question.user_input:
            analyses.mark(tx, analysis.id, question_id=cards.ask_which(tx, analysis, question, at))
            return
        by = self._actor(tx, question.decided_by, analysis) if question.decided_by else None
        cards.answered(tx, analysis, question, by, at)
        after = analyses.get(tx, analysis.id)
        if after and (after.found or {}).get("decided"):
            count = len((after.found or {}).get("adopted") or ())
            text = say(analysis.language, "analysis-decisions-done", count=count)
            told.tell(tx, analysis, text, at, "decisions")

    def _refuse(self, tx: Tx, *, claim: Claim, error: NanoClawError) -> Analysis:
        """Say why it was refused; the file is kept for a week."""
        work.expect_mine(tx, claim)
        analysis, at = _locked(tx, claim), now()
        if analysis.ended_at is not None:
            return analysis
        analyses.mark(
            tx,
            analysis.id,
            state=AnalysisState.REFUSED,
            reason=told.reason_of(error),
            ended_at=at,
            question_id=None,
        )
        note(tx, analysis.message_id, Event.ANALYSIS_REFUSED, at, error=error.key, **_values(error))
        said = as_written(tell(analysis.language, error))
        name = as_written(analysis.file_name)
        text = say(analysis.language, "analysis-refused", name=name, reason=said)
        told.tell(tx, analysis, text, at, "refused")
        return analyses.get(tx, analysis.id) or analysis

    def _wait(self, tx: Tx, *, claim: Claim, outage: ModelOutage) -> datetime:
        """Say once why it waits; it continues by itself."""
        work.expect_mine(tx, claim)
        analysis, at = _locked(tx, claim), now()
        if (analysis.reason or {}).get("key") != outage.key:
            analyses.mark(tx, analysis.id, reason=told.reason_of(outage))
            note(tx, analysis.message_id, Event.ANALYSIS_WAITED, at, error=outage.key, **_values(outage))
            said = as_written(tell(analysis.language, outage))
            text = say(analysis.language, "analysis-waits", reason=said)
            told.tell(tx, analysis, text, at, f"waits {outage.key}")
        if outage.key == BUDGET_HELD:
            budgets.hold(tx, str(outage.values["company"]), claim.kind, claim.key, at)
            return work.put_back(tx, claim, at + timedelta(seconds=outage.after), None)
        return work.put_back(tx, claim, at + min(timedelta(seconds=outage.after), _LONGEST_PAUSE), None)

    def _finish(self, tx: Tx, *, claim: Claim) -> datetime | None:
        """Finish; due again when its files are to be removed."""
        analysis = analyses.get(tx, claim.key)
        if analysis and analysis.ended_at and (goes_at := analysis.ended_at + KEPT_FOR) > now():
            work.due(tx, work.ANALYSIS, analysis.id, goes_at)
        return work.finish(tx, claim)

    def _actor(self, tx: Tx, handle: str, analysis: Analysis) -> Actor:
        person = people.person_named(tx, handle) or people.person(tx, PersonId(analysis.person_id))
        rights = memberships.rights_of(tx, person)
        return Actor.of(person, rights, via=analysis.via, language=analysis.language)


def _locked(tx: Tx, claim: Claim) -> Analysis:
    analysis = analyses.locked(tx, claim.key)
    if analysis is None:
        raise Refused("no-such-analysis", id=claim.key)
    return analysis


def _about(tx: Tx, analysis: Analysis) -> tuple[Transfer, str]:
    transfer = transfers.get(tx, analysis.transfer_id or "")
    if transfer is None:
        raise Refused("analysis-no-transfer")
    return transfer, people.person(tx, PersonId(analysis.person_id)).handle


def _values(error: NanoClawError) -> dict[str, Any]:
    return {name: value for name, value in told.reason_of(error).items() if name != "key"}
