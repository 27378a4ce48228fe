"""Templates of pipelines as the API shows them: their steps, their picture, their mistakes, what runs will cost."""

from collections.abc import Iterable

from nanoclaw.console import pipeline_shapes as shapes
from nanoclaw.domain.money import MICROS
from nanoclaw.domain.pipelines import Mistake, Step, StepType, Template, When
from nanoclaw.pipelines.estimates import RunEstimate
from nanoclaw.pipelines.picture import rows
from nanoclaw.pipelines.sentences import sentence
from nanoclaw.pipelines.template import ReadTemplate

Range = tuple[float, float]


def show_template(template: Template, estimate: RunEstimate) -> shapes.PipelineTemplate:
    return shapes.PipelineTemplate.of(
        template,
        commands=template.triggers,
        budget_usd=usd(template.budget),
        estimate=show_estimate(estimate),
        **picture_of(template),
    )


def picture_of(template: Template | None) -> dict[str, object]:
    if template is None:
        return {"steps": [], "rows": []}
    return {"steps": [planned(step) for step in template.steps], "rows": rows_of(template)}


def rows_of(template: Template) -> list[list[int]]:
    return [[step.number for step in row.steps] for row in rows(template)]


def planned(step: Step) -> shapes.PlannedStep:
    return shapes.PlannedStep.of(step, **plan_of(step))


def plan_of(step: Step) -> dict[str, object]:
    """The fields of a planned step, which a running one has too."""
    is_approval = step.type is StepType.APPROVAL
    count = 0 if is_approval else step.outputs.count
    return {
        "number": step.number,
        "role": step.role,
        "type": step.type.value,
        "skill": step.skill,
        "model": step.model,
        "gates": [str(gate) for gate in step.gates],
        "conditions": [_condition(each) for each in step.when],
        "given": step.inputs.steps,
        "files": step.inputs.files,
        "outputs": step.outputs.names or ([str(number + 1) for number in range(count)] if count > 1 else []),
        "timeout": step.timeout.total_seconds(),
        "on_timeout": step.on_timeout.value if is_approval else None,
        "retry": step.retry,
        "budget_usd": usd(step.budget),
        "line": step.line,
    }


def show_estimate(estimate: RunEstimate) -> shapes.PipelineEstimate:
    return shapes.PipelineEstimate(
        cost_usd=usd_range(estimate.cost),
        seconds=estimate.seconds,
        runs=max((step.runs for step in estimate.steps), default=0),
        author_cost_usd=usd_range(estimate.author.cost),
        author_seconds=estimate.author.seconds,
        steps=[
            shapes.StepExpectation.of(step, cost_usd=usd_range(step.cost), seconds=step.seconds)
            for step in estimate.steps
        ],
    )


def show_checked(reading: ReadTemplate, language: str) -> dict[str, object]:
    """The fields of a checked template."""
    return {
        "ok": reading.is_sound,
        "title": reading.template.title if reading.template else "",
        "mistakes": show_mistakes(reading.mistakes, language),
        **picture_of(reading.template),
    }


def show_mistakes(mistakes: Iterable[Mistake], language: str) -> list[shapes.TemplateMistake]:
    return [
        shapes.TemplateMistake.of(mistake, sentence=sentence(language, mistake), allowed=mistake.allowed)
        for mistake in mistakes
    ]


def usd(micros: int | None) -> float | None:
    return None if micros is None else micros / MICROS


def usd_range(micros: tuple[int, int] | None) -> Range | None:
    return None if micros is None else (micros[0] / MICROS, micros[1] / MICROS)


def _condition(when: When) -> str:
    said = str(when.gate) if when.gate else when.key
    return f"step {when.step}.{said}" if when.step else said
