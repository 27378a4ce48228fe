"""The button under the message of a run."""

from nanoclaw.domain.parcels import PIPELINE, Button
from nanoclaw.domain.pipeline_runs import PipelineRun, PipelineRunStatus
from nanoclaw.texts import say

CANCEL, RETRY = "c", "r"
"""The last part of a button's data, and of the key of its label."""

_OFFERED = {
    PipelineRunStatus.RUNNING: CANCEL,
    PipelineRunStatus.FAILED: RETRY,
    PipelineRunStatus.CANCELLED: RETRY,
}


def under_card(run: PipelineRun, language: str) -> tuple[Button, ...]:
    action = _OFFERED.get(run.status)
    if action is None:
        return ()
    label = say(language, f"pipeline-button-{action}")
    return (Button(label=label, data=f"{PIPELINE}:{run.id}:{action}"),)
