"""How the steps of a template are connected: their numbers, which run at once, and what each is given."""

from collections.abc import Sequence
from dataclasses import replace

from nanoclaw.domain.pipelines import Inputs, Mistake, Step, StepType
from nanoclaw.pipelines.step_line import StepDraft


def put_in_order(drafts: Sequence[StepDraft], mistakes: list[Mistake]) -> tuple[Step, ...]:
    """A step can only look back, so there are no circles."""
    _check_numbers(drafts, mistakes)
    groups = _groups(drafts, mistakes)
    steps: list[Step] = []
    for draft in drafts:
        number = draft.step.number
        together = groups[number]
        first = together[0] if together else number
        for condition in draft.step.when:
            if condition.step is not None:
                _check_earlier(draft, condition.step, first, "when", len(drafts), mistakes)
        inputs = _inputs(draft, first, drafts, groups, mistakes)
        if draft.step.type is StepType.APPROVAL and not inputs.steps:
            mistakes.append(Mistake(line=draft.step.line, key="approval-first"))
        steps.append(replace(draft.step, together=together, inputs=inputs))
    return tuple(steps)


def _check_numbers(drafts: Sequence[StepDraft], mistakes: list[Mistake]) -> None:
    seen: set[int] = set()
    before = 0
    for draft in drafts:
        about = {"said": str(draft.written), "wanted": str(before + 1)}
        if draft.written in seen:
            mistakes.append(Mistake(line=draft.step.line, key="number-twice", values=about))
        elif draft.written != before + 1:
            mistakes.append(
                Mistake(line=draft.step.line, key="number-order", values=about, allowed=(about["wanted"],))
            )
        seen.add(draft.written)
        before = max(before, draft.written)


def _groups(drafts: Sequence[StepDraft], mistakes: list[Mistake]) -> dict[int, tuple[int, ...]]:
    """The steps that run at once, for each step; empty for one that runs alone."""
    stages: list[list[int]] = []
    for draft in drafts:
        number, beside = draft.step.number, draft.beside
        if beside is None:
            stages.append([number])
            continue
        before = stages[-1] if stages else []
        if beside not in before:
            allowed = tuple(f"with: {each}" for each in before)
            fault = Mistake(
                line=draft.step.line,
                column=draft.columns.get("with"),
                key="with-far",
                values={"said": str(beside)},
                allowed=allowed,
            )
            mistakes.append(fault)
            stages.append([number])
        elif drafts[beside - 1].step.type is StepType.APPROVAL:
            fault = Mistake(line=draft.step.line, column=draft.columns.get("with"), key="with-approval")
            mistakes.append(fault)
            stages.append([number])
        else:
            before.append(number)
    return {number: tuple(stage) if len(stage) > 1 else () for stage in stages for number in stage}


def _inputs(
    draft: StepDraft,
    first: int,
    drafts: Sequence[StepDraft],
    groups: dict[int, tuple[int, ...]],
    mistakes: list[Mistake],
) -> Inputs:
    """The inputs as written; otherwise what the steps before it made. An approval makes nothing, so what it
    approved is passed on.
    """
    given = draft.inputs
    if given is None:
        earlier = (each.step for each in reversed(drafts[: first - 1]))
        made = next((step for step in earlier if step.type is not StepType.APPROVAL), None)
        return Inputs(steps=(groups[made.number] or (made.number,)) if made else ())
    sound = [
        number
        for number in given.steps
        if _check_earlier(draft, number, first, "input", len(drafts), mistakes)
        and _makes_something(draft, drafts[number - 1].step, mistakes)
    ]
    return Inputs(steps=tuple(sound), files=given.files)


def _makes_something(draft: StepDraft, step: Step, mistakes: list[Mistake]) -> bool:
    if step.type is not StepType.APPROVAL:
        return True
    about = {"said": str(step.number)}
    column = draft.columns.get("input")
    mistakes.append(Mistake(line=draft.step.line, column=column, key="input-approval", values=about))
    return False


def _check_earlier(
    draft: StepDraft, number: int, first: int, field: str, count: int, mistakes: list[Mistake]
) -> bool:
    if 0 < number < first:
        return True
    own = draft.step.number
    if number > count or number < 1:
        key = "step-unknown"
    elif number == own:
        key = "itself"
    else:
        key = "later" if number > own else "beside"
    allowed = (f"1-{first - 1}",) if first > 2 else ("1",) if first == 2 else ()
    about = {"said": str(number), "field": field}
    mistakes.append(
        Mistake(line=draft.step.line, column=draft.columns.get(field), key=key, values=about, allowed=allowed)
    )
    return False
