"""The one message of a run: posted where the run was started, and edited as it advances."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from nanoclaw.context.groups import Groups
from nanoclaw.delivery import outbox
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.parcels import Author, Button
from nanoclaw.domain.pipeline_runs import PipelineRun, StepRun
from nanoclaw.domain.wirings import ChatKind
from nanoclaw.durable import chains, people, pipeline_runs
from nanoclaw.durable.store import Tx
from nanoclaw.flows.pipelines import run_text
from nanoclaw.flows.pipelines.run_buttons import under_card


@dataclass(frozen=True, kw_only=True, slots=True)
class RunCards:
    groups: Groups
    locale: Locale  # of the workspace

    def show(
        self,
        tx: Tx,
        run: PipelineRun,
        steps: Sequence[StepRun],
        at: datetime,
        *,
        doing: Mapping[int, str] | None = None,
    ) -> None:
        """Post the message, or edit it if something has changed. `doing` is what agents do now, by step."""
        language = self.language_of(tx, run)
        spent = self.spent(tx, run.id)
        text = run_text.card(run, steps, language, at, spent=spent, doing=doing)
        shown = outbox.get(tx, run.parcel_id) if run.parcel_id else None
        if shown is None and run.started_at is None:  # the card that asks for a yes shows the outcome
            return
        below = under_card(run, language)
        if shown is None:
            self._post(tx, run, text, below, at)
        elif (shown.text, shown.buttons) != (text, below):
            outbox.amend(tx, shown.id, text, below, at)

    def spent(self, tx: Tx, run_id: str) -> int:
        """What was paid, without reservations for calls under way: most of that comes back."""
        return chains.paid(tx, run_id)

    def language_of(self, tx: Tx, run: PipelineRun) -> str:
        """The language of the person who started it in a private chat, otherwise that of the group."""
        chat, person = people.chat(tx, run.chat_id), people.person(tx, run.started_by)
        own = Locale(language=person.language) if chat and chat.kind is ChatKind.PRIVATE else Locale()
        return own.or_else(self.groups.locale_of(run.group)).or_else(self.locale).speaks

    def _post(self, tx: Tx, run: PipelineRun, text: str, below: Sequence[Button], at: datetime) -> None:
        parcel_id = outbox.post(
            tx,
            chat_id=run.chat_id,
            thread=run.thread,
            author=Author.HOST,
            text=text,
            at=at,
            buttons=below,
            message_id=run.message_id,
            origin=f"pipeline {run.id} card",
        )
        pipeline_runs.mark(tx, run.id, parcel_id=parcel_id)
