"""Checks a template against its workspace: is there a skill for each role, and can a step give what its gate
asks for?
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches

from nanoclaw.domain.pipelines import (
    KNOWN_RESULTS,
    RESULT_RANGES,
    Gate,
    Mistake,
    Operator,
    Outputs,
    ResultKind,
    Step,
    StepType,
    Template,
    When,
    in_order,
)
from nanoclaw.pipelines.known import Known, KnownSkill
from nanoclaw.pipelines.template import ReadTemplate


def check(template: Template, known: Known) -> ReadTemplate:
    """Fill in each step's skill and the names of its outputs."""
    checker = _Checker(template=template, known=known)
    checker.run()
    return ReadTemplate(
        template=replace(template, steps=tuple(checker.steps)), mistakes=in_order(checker.mistakes)
    )


@dataclass
class _Checker:
    template: Template
    known: Known
    steps: list[Step] = field(default_factory=list)
    skills: dict[int, KnownSkill] = field(default_factory=dict)
    mistakes: list[Mistake] = field(default_factory=list)

    def run(self) -> None:
        for trigger in self.template.triggers:
            if trigger in self.known.commands:
                self._fault(self.template.trigger_line, "trigger-taken", said=trigger)
        for step in self.template.steps:
            self.steps.append(self._checked(step))

    def _checked(self, step: Step) -> Step:
        step = replace(step, when=tuple(self._when(step, condition) for condition in step.when))
        if step.type is StepType.APPROVAL:
            return step
        self._check_files(step)
        if step.model and step.model not in self.known.models and not self.known.is_model(step.model):
            near = get_close_matches(step.model, self.known.models, n=1)
            self._fault(step.line, "model-unknown", *(near or self.known.models), said=step.model)
        for name in step.outputs.names:
            if name not in self.known.targets:
                near = get_close_matches(name, self.known.targets, n=3)
                self._fault(step.line, "target-unknown", *(near or self.known.targets), said=name)
        skill = self._skill(step)
        if skill is None:
            return step
        self.skills[step.number] = skill
        for gate in step.gates:
            self._check_condition(step.line, gate, skill.gives, skill.name)
        return replace(step, skill=skill.path, outputs=_named(step.outputs, skill, self.known))

    def _skill(self, step: Step) -> KnownSkill | None:
        role = step.role.lower()
        fitting = [skill for skill in self.known.skills if _fits(role, skill.path) or role == skill.name]
        broken = [path for path in self.known.broken if _fits(role, path)]
        if len(fitting) + len(broken) > 1:
            self._fault(step.line, "role-ambiguous", *(skill.path for skill in fitting), *broken, said=role)
        elif broken:
            self._fault(step.line, "skill-broken", said=broken[0])
        elif not fitting:
            names = [skill.path.rpartition("/")[2] for skill in self.known.skills]
            self._fault(step.line, "role-unknown", *(get_close_matches(role, names, n=3) or names), said=role)
        else:
            return fitting[0]
        return None

    def _check_files(self, step: Step) -> None:
        if not step.inputs.files:
            return
        existing = sorted(self.known.context_files())
        for name in step.inputs.files:
            area = name.removesuffix("*") if name.endswith("/*") else None
            if name in existing or (area and any(file.startswith(area) for file in existing)):
                continue
            near = get_close_matches(name, existing, n=3) or existing
            allowed = (f"context/{file}.md" for file in near)
            self._fault(step.line, "no-context-file", *allowed, said=f"context/{name}")

    def _check_condition(self, line: int, gate: Gate, gives: Mapping[str, ResultKind], giver: str) -> None:
        kind = gives.get(gate.key)
        if kind is None:
            near = get_close_matches(gate.key, gives, n=1)
            self._fault(line, "result-unknown", *(near or gives), said=gate.key, skill=giver)
        elif kind == "text" and not isinstance(gate.value, str):
            self._fault(line, "gate-of-text", f"{gate.key}=yes", said=str(gate))
        elif kind != "text" and isinstance(gate.value, str):
            self._fault(line, "gate-number", f"{gate.key}>5", said=gate.value, sign=gate.operator.value)
        elif _never(gate):
            low, high = RESULT_RANGES[gate.key]
            self._fault(line, "gate-never", f"{low:g}-{high:g}", said=str(gate))

    def _when(self, step: Step, condition: When) -> When:
        """The condition with the step that gives the key."""
        number = condition.step
        if number is None:
            givers = self._givers(step, condition.key)
            if len(givers) != 1:
                allowed = (f"step {each}.{condition.key}" for each in givers)
                key = "when-ambiguous" if givers else "when-unknown"
                self._fault(step.line, key, *allowed, said=condition.key)
                return condition
            number = givers[0]
        if not 0 < number <= len(self.template.steps):
            return condition  # the reader of the file has already reported it
        if self.template.step(number).type is StepType.APPROVAL:
            self._fault(step.line, "when-approval", said=str(number))
        elif skill := self.skills.get(number):
            gate = condition.gate or Gate(key=condition.key, operator=Operator.EQUAL, value=1)
            if condition.gate or condition.key not in skill.gives:
                self._check_condition(step.line, gate, skill.gives, skill.name)
        return replace(condition, step=number)

    def _givers(self, step: Step, key: str) -> list[int]:
        """The earlier steps that are asked for it; if none is, those that could be."""
        first = step.together[0] if step.together else step.number
        earlier = [each for each in self.steps[: first - 1] if each.type is not StepType.APPROVAL]
        asked = [
            each.number
            for each in earlier
            if any(gate.key == key for gate in each.gates)
            or (each.number in self.skills and key in dict(self.skills[each.number].results))
        ]
        return asked or ([each.number for each in earlier] if key in KNOWN_RESULTS else [])

    def _fault(self, line: int, key: str, /, *allowed: str, **about: object) -> None:
        self.mistakes.append(Mistake(line=line, key=key, values=about, allowed=allowed))


def _fits(role: str, path: str) -> bool:
    return path == role or path.endswith(f"/{role}")


def _named(outputs: Outputs, skill: KnownSkill, known: Known) -> Outputs:
    """For `outputs: 3` of a skill that writes for channels: the first three of its channels."""
    names = tuple(target for target in skill.targets if target in known.targets)[: outputs.count]
    is_for_channels = outputs.count > 1 and not outputs.names and len(names) == outputs.count
    return replace(outputs, names=names) if is_for_channels else outputs


def _never(gate: Gate) -> bool:
    if gate.key not in RESULT_RANGES or isinstance(gate.value, str):
        return False
    low, high = RESULT_RANGES[gate.key]
    samples = (low, high, min(max(gate.value, low), high), (low + high) / 2)
    return not any(gate.passes({gate.key: sample}) for sample in samples)
