"""Which texts of a run its chat gets at the end, and how their files are named."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from nanoclaw.domain.parcels import Attachment
from nanoclaw.domain.pipeline_runs import PipelineRun, StepRun
from nanoclaw.domain.pipelines import Step
from nanoclaw.domain.text import tidy_file_name

_LONGEST_MESSAGE = 3500  # characters of a text without a channel; longer ones come as a document
_LONGEST_POST = (
    12_000  # of a text for the chat's own network: it may be too long for it, but must not flood the chat
)


@dataclass(frozen=True, kw_only=True, slots=True)
class DeliveredText:
    """A text that the chat gets."""

    step: Step
    name: str  # the target of an adaptor, or only a name: `text`, `1`
    text: str
    file: str
    kept: str  # its copy for sending: a box can change the files of its group
    faults: tuple[Mapping[str, Any], ...] = ()
    comes_along: bool = False  # the text that the others were made from

    @property
    def target(self) -> str | None:
        return self.name if self.name in self.step.outputs.names else None

    def is_message_on(self, network: str) -> bool:
        if self.comes_along:
            return False
        if self.target:
            return self.target == network and len(self.text) <= _LONGEST_POST
        return len(self.text) <= _LONGEST_MESSAGE

    @property
    def attachment(self) -> Attachment:
        size = len(self.text.encode())
        return Attachment(name=self.file, media_type="text/markdown", size=size, kept=self.kept)


def delivered(run: PipelineRun, steps: Sequence[StepRun]) -> Iterator[DeliveredText]:
    """What the last step made, or the last steps that ran at once. If it was made for channels, the text of
    the step before comes along: a person wants the article too, not only the posts about it.
    """
    done = [each for each in steps if each.texts]
    if not done:
        return
    stage = next(stage for stage in run.template.stages for step in stage if step.number == done[-1].number)
    numbers = {step.number for step in stage}
    last = [each for each in done if each.number in numbers]
    before = [each for each in done if each.number < min(numbers)]
    is_for_channels = any(run.template.step(each.number).outputs.names for each in last)
    whole = before[-1:] if is_for_channels and before and len(before[-1].texts) == 1 else []
    for each in last:
        yield from _outputs_of(run, each)
    for each in whole:
        yield from (replace(output, comes_along=True) for output in _outputs_of(run, each))


def _outputs_of(run: PipelineRun, step_run: StepRun) -> Iterator[DeliveredText]:
    step = run.template.step(step_run.number)
    for place, (name, text) in enumerate(step_run.texts.items()):
        faults = tuple(fault for fault in step_run.faults if fault.get("name") == name and "rule" in fault)
        kept = f"{run.id}.{step.number}.{place}"
        file = file_name(step, name)
        yield DeliveredText(step=step, name=name, text=text, file=file, kept=kept, faults=faults)


def file_name(step: Step, name: str) -> str:
    """`5-copywriter.md`, `7-repurposer-linkedin.md`."""
    role = (step.skill or step.role).rpartition("/")[2]
    parts = [f"{step.number}", role] if name == "text" else [f"{step.number}", role, name]
    return tidy_file_name("-".join(parts).replace("/", "-") + ".md", f"{step.number}.md")
