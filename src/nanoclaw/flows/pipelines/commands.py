"""The commands by which people list, cancel and repeat runs of pipelines in a chat."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from nanoclaw.domain.errors import Refused
from nanoclaw.domain.pipeline_runs import PipelineRun, PipelineRunStatus
from nanoclaw.domain.text import as_written
from nanoclaw.durable import budgets, pipeline_progress, pipeline_runs
from nanoclaw.durable.store import Tx
from nanoclaw.flows.incoming.commands import Answer, CommandContext, refused_in_words
from nanoclaw.flows.pipelines import run_refs, run_text
from nanoclaw.flows.pipelines.cards import RunCards
from nanoclaw.flows.pipelines.changes import PipelineChanges
from nanoclaw.flows.pipelines.run_refs import OPEN, OVER, VisibleRuns
from nanoclaw.pipelines.catalogue import Catalogue
from nanoclaw.texts import say

_MOST_LISTED = 10
_STEP_DIGITS = 3
_FILLERS = frozenset(["from", "step", "з", "із", "від", "кроку", "крок"])


@dataclass(frozen=True, kw_only=True, slots=True)
class PipelineCommands:
    catalogue: Catalogue
    changes: PipelineChanges
    cards: RunCards

    def answers(self) -> Mapping[str, Answer]:
        known: dict[str, Callable[[Tx, str, CommandContext], str]] = {
            "pipelines": self._pipelines,
            "pipeline-cancel": self._cancel,
            "pipeline-retry": self._retry,
        }
        return {name: partial(refused_in_words, act) for name, act in known.items()}

    def _pipelines(self, tx: Tx, argument: str, asked: CommandContext) -> str:
        """List the templates, current runs and latest runs; or show one run."""
        language, seen = asked.locale.speaks, _seen(asked)
        if argument:
            run = run_refs.named(tx, argument.split()[0], seen)
            steps = pipeline_runs.steps(tx, run.id)
            spent, is_unpaid = self.cards.spent(tx, run.id), run.id in budgets.waiting(tx).chains
            return run_text.card(run, steps, language, asked.at, spent=spent, is_unpaid=is_unpaid)
        parts = [self._templates(language)]
        for key, statuses in (("pipelines-open", OPEN), ("pipelines-over", OVER)):
            found = pipeline_runs.newest(tx, groups=seen.groups, statuses=statuses, limit=_MOST_LISTED)
            if lines := self._lines(tx, [run for run in found if seen.has(run)], language):
                parts.append("\n".join([say(language, key), "", *lines]))
        if len(parts) > 1:
            parts.append(say(language, "pipelines-foot"))
        return "\n\n".join(parts)

    def _templates(self, language: str) -> str:
        templates, broken = self.catalogue.templates(), self.catalogue.broken()
        if not templates and not broken:
            return say(language, "pipelines-none")
        lines = [
            say(
                language,
                "pipelines-template",
                title=as_written(template.title),
                commands=", ".join(f"`{each.replace('-', '_')}`" for each in template.triggers) or "–",
                steps=len(template.steps),
            )
            for template in templates
        ]
        lines += [say(language, "pipelines-template-broken", name=as_written(each.name)) for each in broken]
        return "\n".join([say(language, "pipelines-head"), "", *lines])

    def _lines(self, tx: Tx, runs: Sequence[PipelineRun], language: str) -> list[str]:
        """Lines for runs, without the texts of their steps, which may be long."""
        progress = pipeline_progress.of_runs(tx, [run.id for run in runs])
        unpaid = budgets.waiting(tx).chains
        return [
            run_text.line(
                run,
                progress.get(run.id, []),
                language,
                spent=self.cards.spent(tx, run.id),
                is_unpaid=run.id in unpaid,
            )
            for run in runs
        ]

    def _cancel(self, tx: Tx, argument: str, asked: CommandContext) -> str:
        """`/pipeline_cancel ab12c`; without an id, the run under way in this chat."""
        seen = _seen(asked)
        run = (
            run_refs.named(tx, argument.split()[0], seen)
            if argument
            else run_refs.last(tx, seen, OPEN, only=True)
        )
        self.changes.cancel(tx, run.id, asked.actor, asked.at)
        return self._told("order-pipeline-cancel", run, asked)

    def _retry(self, tx: Tx, argument: str, asked: CommandContext) -> str:
        """`/pipeline_retry ab12c 3 make it shorter`, `/pipeline_retry from step 3`, `/pipeline_retry`."""
        seen, words = _seen(asked), argument.split()
        ref = words.pop(0) if words and not _is_step(words) else None
        while words and words[0].casefold() in _FILLERS:
            words.pop(0)
        step = int(words.pop(0).rstrip(":,.")) if words and _is_number(words[0]) else None
        if words and step is None:
            raise Refused("run-retry-how")
        run = run_refs.named(tx, ref, seen) if ref else run_refs.last(tx, seen, OVER, only=False)
        again = self.changes.retry(
            tx, run.id, asked.person, asked.at, from_step=step, note=" ".join(words) or None
        )
        if again.status is PipelineRunStatus.ASKED:
            return say(asked.locale.speaks, "member-limit-admin-asked")
        return self._told("order-pipeline-retry", again, asked, step=again.from_step)

    def _told(self, key: str, run: PipelineRun, asked: CommandContext, **values: object) -> str:
        told = {"id": run_text.short_id(run), "title": as_written(run.template.title), **values}
        return say(asked.locale.speaks, key, subject=as_written(run.subject[:80]), **told)


def _seen(asked: CommandContext) -> VisibleRuns:
    return VisibleRuns(by=asked.actor, groups=asked.groups, chat_id=asked.chat.id)


def _is_step(words: list[str]) -> bool:
    """`3`, `from 3`, `from step 3`: a step of the last run, not an id."""
    rest = [word for word in words if word.casefold() not in _FILLERS]
    return bool(rest) and _is_number(rest[0]) and (words[0].casefold() in _FILLERS or rest[0] == words[0])


def _is_number(word: str) -> bool:
    """Whether the word is a step number. Ids are longer."""
    bare = word.rstrip(":,.")
    return bare.isascii() and bare.isdigit() and len(bare) <= _STEP_DIGITS
