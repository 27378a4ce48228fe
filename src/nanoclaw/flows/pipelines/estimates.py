"""Estimates the cost and time of a run here: the prices of this workspace, and its own earlier runs."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from nanoclaw.context.groups import Group, Groups
from nanoclaw.context.skills import Skills
from nanoclaw.domain.errors import BadWorkspace, ModelRefused
from nanoclaw.domain.model_choice import AUTO
from nanoclaw.domain.money import Usage
from nanoclaw.domain.pipelines import Step, StepType, Template
from nanoclaw.durable import pipeline_runs
from nanoclaw.durable.store import Tx
from nanoclaw.gateway.prices import Prices
from nanoclaw.pipelines.estimates import RunEstimate, StepHistory, estimate

_DEMO = "demo"
_A_TOKEN = Usage(input=1, output=1)


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimates:
    """`models` says which model a tier means; `runtime` is used for groups and skills that name none."""

    prices: Prices
    groups: Groups
    known_skills: Skills
    models: Mapping[str, str]
    runtime: Callable[[], str]

    def of(self, tx: Tx, template: Template, company: str, group: str | None = None) -> RunEstimate:
        """The estimate for a run in this group; its steps' models are chosen as for their turns."""
        where = self._group(group)
        agents = [step for step in template.steps if step.type is not StepType.APPROVAL]
        models = {step.number: self._model(step, where) for step in agents}
        history = {
            number: StepHistory(
                # Free attempts were played by the demo agent, or by a model on this machine.
                micros=[each for each in micros if each] if self._costs(models[number]) else micros,
                seconds=seconds,
            )
            for number, (micros, seconds) in pipeline_runs.finished_steps(tx, template, company).items()
            if number in models
        }
        return estimate(
            template, model_of=lambda step: models[step.number], price=self._price, history=history
        )

    def _group(self, name: str | None) -> Group | None:
        if name is not None:
            with suppress(BadWorkspace):
                return self.groups.get(name)
        return None

    def _model(self, step: Step, group: Group | None) -> str:
        """Chosen as in `Preparation`: the step's, the group's, the skill's. The demo agent needs no model."""
        skill = self.known_skills.find(step.skill)
        runtime = (skill and skill.head.runtime) or (group and group.runtime) or self.runtime()
        if runtime == _DEMO:
            return _DEMO
        wanted = step.model or (group and group.model) or (skill.head.model if skill else "sonnet")
        # How hard the work is shows only when it is there, so the estimate assumes the middle tier.
        return self.models.get("sonnet" if wanted == AUTO else wanted, wanted)

    def _price(self, model: str, usage: Usage) -> int:
        return 0 if model == _DEMO else self.prices.price_of(model, usage)

    def _costs(self, model: str) -> bool:
        try:
            return self._price(model, _A_TOKEN) > 0
        except ModelRefused:
            return True
