"""Estimates the cost and time of a run: from earlier runs, otherwise from prices and typical sizes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import quantiles

from nanoclaw.domain.errors import ModelRefused
from nanoclaw.domain.money import Usage
from nanoclaw.domain.pipelines import Step, StepType, Template, TemplateEstimate

_FEW = 3  # with fewer runs their spread says too little
_SPREAD = (0.7, 1.4)
# Least and most, for steps that never ran: a short answer, and one with a few tool calls.
_TOKENS = {
    StepType.SUB_AGENT: (Usage(input=6_000, output=800), Usage(input=20_000, output=3_000)),
    StepType.CONTAINER: (Usage(input=12_000, output=2_500), Usage(input=60_000, output=8_000)),
}
_SECONDS = {StepType.SUB_AGENT: (15, 90), StepType.CONTAINER: (45, 240)}

Price = Callable[[str, Usage], int]
"""Micros for the tokens of a model; `ModelRefused` if its price is unknown."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StepHistory:
    """The finished runs of one step, in any order."""

    micros: Sequence[int] = ()
    seconds: Sequence[float] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class StepEstimate:
    number: int
    model: str
    cost: tuple[int, int] | None  # in micros; None when nobody knows the price
    seconds: tuple[int, int]
    runs: int  # how many earlier ones it is based on


@dataclass(frozen=True, kw_only=True, slots=True)
class RunEstimate:
    """Waits for people are not included."""

    cost: tuple[int, int] | None
    seconds: tuple[int, int]
    steps: tuple[StepEstimate, ...]
    author: TemplateEstimate  # what the template itself says

    @property
    def is_learned(self) -> bool:
        return any(step.runs for step in self.steps)


def estimate(
    template: Template,
    *,
    model_of: Callable[[Step], str],
    price: Price,
    history: Mapping[int, StepHistory] | None = None,
) -> RunEstimate:
    """`history` is that of this template, by step number."""
    steps = {
        step.number: _of_step(step, model_of(step), price, (history or {}).get(step.number, StepHistory()))
        for step in template.steps
        if step.type is not StepType.APPROVAL
    }
    costs = [step.cost for step in steps.values()]
    known = [cost for cost in costs if cost is not None]
    total = (sum(low for low, _ in known), sum(high for _, high in known))
    stages = [
        [steps[step.number].seconds for step in stage if step.number in steps] for stage in template.stages
    ]
    return RunEstimate(
        cost=_capped(total, template.budget) if len(known) == len(costs) else None,
        seconds=(
            sum(max((low for low, _ in stage), default=0) for stage in stages),
            sum(max((high for _, high in stage), default=0) for stage in stages),
        ),
        steps=tuple(steps.values()),
        author=template.estimate,
    )


def _of_step(step: Step, model: str, price: Price, history: StepHistory) -> StepEstimate:
    low, high = _around(history.seconds) if history.seconds else _SECONDS[step.type]
    limit = step.timeout.total_seconds()
    cost: tuple[float, float] | None
    if history.micros:
        cost = _around(history.micros)
    else:
        try:
            least, most = _TOKENS[step.type]
            cost = price(model, least), price(model, most)
        except ModelRefused:
            cost = None
    if cost and step.when:  # it may be skipped
        cost = 0, cost[1]
    if step.when:
        low = 0
    return StepEstimate(
        number=step.number,
        model=model,
        cost=_capped((round(cost[0]), round(cost[1])), step.budget) if cost else None,
        seconds=(round(min(low, limit)), round(min(high, limit))),
        runs=max(len(history.micros), len(history.seconds)),
    )


def _around(values: Sequence[float]) -> tuple[float, float]:
    """The middle half; with few runs their median, with the usual spread."""
    middle = sorted(values)
    if len(middle) < _FEW:
        median = sum(middle) / len(middle)
        return median * _SPREAD[0], median * _SPREAD[1]
    first, _, third = quantiles(middle, n=4, method="inclusive")
    return first, third


def _capped(cost: tuple[int, int], budget: int | None) -> tuple[int, int]:
    return cost if budget is None else (min(cost[0], budget), min(cost[1], budget))
