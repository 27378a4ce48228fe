"""A person presses a button under the message of a run: cancel it, or run it again from where it stopped."""

from dataclasses import dataclass
from datetime import datetime

from nanoclaw.domain.errors import Refused
from nanoclaw.domain.people import Actor, Person
from nanoclaw.domain.pipeline_runs import PipelineRunStatus
from nanoclaw.durable.store import Tx
from nanoclaw.flows.pipelines.changes import PipelineChanges
from nanoclaw.flows.pipelines.run_buttons import CANCEL, RETRY
from nanoclaw.flows.pipelines.run_text import short_id
from nanoclaw.texts import say


@dataclass(frozen=True, kw_only=True, slots=True)
class RunPresses:
    changes: PipelineChanges

    def press(self, tx: Tx, meant: str, by: Actor, person: Person, at: datetime) -> str:
        """`meant` is the id of the run and the letter of the button. Raises Refused."""
        run_id, _, letter = meant.partition(":")
        if letter == CANCEL:
            self.changes.cancel(tx, run_id, by, at)
            return say(by.language, "press-taken")
        if letter == RETRY:
            again = self.changes.retry(tx, run_id, person, at)
            if again.status is PipelineRunStatus.ASKED:
                return say(by.language, "member-limit-admin-asked")
            return say(by.language, "pipeline-again", id=short_id(again), step=again.from_step)
        raise Refused("press-unknown")
