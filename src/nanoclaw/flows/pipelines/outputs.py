"""What a run produced: files of the group, and what its chat gets at the end, through the adaptors of the
channels.
"""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import structlog

from nanoclaw.context.adaptor_check import check, sentence
from nanoclaw.context.adaptors import Adaptors, target_of
from nanoclaw.context.skills import Skills
from nanoclaw.delivery import outbox
from nanoclaw.domain.ids import ParcelId
from nanoclaw.domain.parcels import Author
from nanoclaw.domain.pipeline_runs import PipelineRun, StepRun
from nanoclaw.domain.pipelines import Step
from nanoclaw.domain.wirings import ChatKind
from nanoclaw.durable import people, tasks
from nanoclaw.durable.store import Tx
from nanoclaw.flows.human.deciders import Whereabouts
from nanoclaw.flows.pipelines.cards import RunCards
from nanoclaw.flows.pipelines.delivered import delivered, file_name
from nanoclaw.flows.pipelines.output_text import closing, with_faults
from nanoclaw.sandbox.file_placement import PIPELINES, write_below

log = structlog.get_logger("pipelines")

FOLDER = PIPELINES  # among the files of the group
RESULTS = "results.json"


@dataclass(frozen=True, kw_only=True, slots=True)
class OutputFiles:
    """`owner_of` gives the user id that a company's boxes run as."""

    home: Path
    adaptors: Adaptors
    known_skills: Skills
    whereabouts: Whereabouts
    cards: RunCards
    owner_of: Callable[[str], int]

    def faults(self, step: Step, texts: Mapping[str, str], channel: str) -> tuple[Mapping[str, Any], ...]:
        """The adaptor rules that the texts break, as rows hold them; `said` is for the agent."""
        network = target_of(channel)
        found: list[Mapping[str, Any]] = []
        for name, text in texts.items():
            target = name if name in step.outputs.names else self._own_target(step, network)
            adaptor = self.adaptors.find(target) if target else None
            violations = check(text, adaptor) if adaptor else ()
            found += [
                {"target": target, "name": name, "said": sentence("en", each), **asdict(each)}
                for each in violations
            ]
        return tuple(found)

    def _own_target(self, step: Step, network: str) -> str | None:
        """The target of an unnamed text, if its skill writes for the network of this chat."""
        skill = self.known_skills.find(step.skill) if step.skill else None
        return network if skill and network in skill.head.targets else None

    async def write(self, run: PipelineRun, steps: Sequence[StepRun]) -> None:
        """Write the files before the transaction that ends the run; repeated after a crash, it writes the same."""
        await asyncio.to_thread(self._keep, run, steps)
        try:
            await asyncio.to_thread(self._write, run, steps)
        except OSError as error:  # what a box put in the way must not keep the run from ending
            log.warning("files of a run not written", run=run.id, reason=error)

    def _write(self, run: PipelineRun, steps: Sequence[StepRun]) -> None:
        files = self.home / "groups" / run.group / "files"
        owner, folders = self.owner_of(run.company), (FOLDER, run.id)
        for step in steps:
            for name, text in step.texts.items():
                file = file_name(run.template.step(step.number), name)
                write_below(files, folders, file, text.encode(), owner)
        results = json.dumps(_results(run, steps), ensure_ascii=False, indent=1)
        write_below(files, folders, RESULTS, results.encode(), owner)

    def _keep(self, run: PipelineRun, steps: Sequence[StepRun]) -> None:
        folder = self.home / "data" / "attachments"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for output in delivered(run, steps):
            fresh = folder / f".{output.kept}"
            fresh.write_bytes(output.text.encode())
            fresh.rename(folder / output.kept)

    def deliver(self, tx: Tx, run: PipelineRun, steps: Sequence[StepRun], at: datetime) -> None:
        """Runs in the transaction that ends the run, after `write`."""
        chat = people.chat(tx, run.chat_id)
        task = tasks.get(tx, run.task_id) if run.task_id else None
        if chat is None or (task and not task.notify) or closing_of(tx, run.id):
            return
        language, spent = self.cards.language_of(tx, run), self.cards.spent(tx, run.id)
        sleeps = self.whereabouts.quiet_until(people.person(tx, run.started_by), at) is not None
        silent = sleeps and chat.kind is ChatKind.PRIVATE
        network = target_of(chat.channel)
        outputs = list(delivered(run, steps))
        documents = [each for each in outputs if not each.is_message_on(network)]
        messages = [each for each in outputs if each not in documents]
        said = [with_faults(language, each.text, each.faults) for each in messages]
        said.append(closing(language, run, spent, documents))
        for place, text in enumerate(said):
            is_last = place == len(said) - 1
            outbox.post(
                tx,
                chat_id=run.chat_id,
                thread=run.thread,
                author=Author.HOST if is_last else Author.AGENT,
                text=text,
                at=at,
                attachments=[each.attachment for each in documents] if is_last else (),
                origin=_origin(run.id) if is_last else f"{_origin(run.id)} {place}",
                silent=silent,
            )


def _results(run: PipelineRun, steps: Sequence[StepRun]) -> dict[str, Any]:
    return {
        "run": run.id,
        "template": run.template.name,
        "subject": run.subject,
        "started_at": run.started_at and run.started_at.isoformat(),
        "steps": [
            {
                "step": each.number,
                "role": run.template.step(each.number).role,
                "state": each.state.value,
                "files": [file_name(run.template.step(each.number), name) for name in each.texts],
                "results": dict(each.results),
                "claims": [dict(claim) for claim in each.claims],
                "faults": [dict(fault) for fault in each.faults],
                "cost_usd": each.micros / 1_000_000,
            }
            for each in steps
        ],
    }


def closing_of(tx: Tx, run_id: str) -> ParcelId | None:
    """The last message of a run, if it was posted."""
    return outbox.id_for(tx, _origin(run_id))


def _origin(run_id: str) -> str:
    return f"outputs {run_id}"
