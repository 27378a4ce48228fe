"""What a step must hand in at its end: the form of its result, and how it is read."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from nanoclaw.domain.errors import Refused
from nanoclaw.domain.pipelines import KNOWN_RESULTS, RESULT_RANGES, Gate, Outputs, ResultKind, Step, Template
from nanoclaw.domain.text import storable
from nanoclaw.pipelines.measures import MEASURED, measured

MOST_BYTES = 5 * 1024 * 1024
TEXT, TEXTS = "text", "outputs"
_TOLD = {
    "confidence": "0 to 1: how sure you are of it.",
    "quality": "0 to 100, judged strictly.",
    "keywords": "Each once.",
    "words": "Counted by the host.",
    "sections": "Counted by the host.",
}
_SCHEMAS: Mapping[ResultKind, dict[str, Any]] = {
    "number": {"type": "number"},
    "text": {"type": "string"},
    "list": {"type": "array", "items": {"type": "string"}},
}
_KINDS: Mapping[ResultKind, tuple[type, ...]] = {"number": (int, float), "text": (str,), "list": (list,)}


@dataclass(frozen=True, kw_only=True, slots=True)
class FalseClaim:
    """What the agent claimed about its text, where counting gave something else."""

    key: str
    claimed: float
    counted: float


@dataclass(frozen=True, kw_only=True, slots=True)
class StepResult:
    """`texts` by name: those of the outputs, `1`, `2` without names, and `text` if there is one."""

    texts: Mapping[str, str]
    results: Mapping[str, Any]  # for gates and conditions
    claims: tuple[FalseClaim, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class ResultForm:
    """What a step must hand in: its texts, and a value for each key."""

    outputs: Outputs
    kinds: Mapping[str, ResultKind]
    needed: frozenset[str] = field(default_factory=frozenset)

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the arguments that end a step."""
        name, texts = self._texts()
        values = {
            key: {**_SCHEMAS[kind], **_range(key), **({"description": _TOLD[key]} if key in _TOLD else {})}
            for key, kind in self.kinds.items()
        }
        return {
            "type": "object",
            "properties": {name: texts, **values},
            "required": [name, *(key for key in self.kinds if key in self.needed)],
        }

    def read(self, given: str | bytes | Mapping[str, Any]) -> StepResult | tuple[Refused, ...]:
        """The result, or everything that is wrong with it, for the agent to fix."""
        values = _parsed(given)
        if isinstance(values, Refused):
            return (values,)
        texts, faults = self._read_texts(values)
        results: dict[str, Any] = {}
        for key, kind in self.kinds.items():
            value = values.get(key)
            if value is None:
                if key in self.needed and key not in MEASURED:
                    faults.append(Refused("result-lacks", key=key, kind=kind))
            elif fault := _wrong(key, kind, value):
                faults.append(fault)
            else:
                results[key] = _tidy(value)
        if faults:
            return tuple(faults)
        counted = measured(texts.values())
        claims = tuple(
            FalseClaim(key=key, claimed=results[key], counted=count)
            for key, count in counted.items()
            if key in results and results[key] != count
        )
        return StepResult(texts=texts, results={**results, **counted}, claims=claims)

    def _texts(self) -> tuple[str, dict[str, Any]]:
        one = {"type": "string", "minLength": 1, "description": "The whole text, in Markdown."}
        if self.outputs.names:
            texts = {name: {**one, "description": f"For {name}."} for name in self.outputs.names}
            return TEXTS, {"type": "object", "properties": texts, "required": list(texts)}
        if self.outputs.count > 1:
            count = self.outputs.count
            return TEXTS, {"type": "array", "items": one, "minItems": count, "maxItems": count}
        return TEXT, one

    def _read_texts(self, values: Mapping[str, Any]) -> tuple[dict[str, str], list[Refused]]:
        names = self.outputs.names or tuple(map(str, range(1, self.outputs.count + 1)))
        found: Mapping[str, Any]
        if self.outputs.names:
            given = values.get(TEXTS)
            found = given if isinstance(given, dict) else {}
        elif self.outputs.count > 1:
            given = values.get(TEXTS)
            found = dict(zip(names, given, strict=False)) if isinstance(given, list) else {}
            if isinstance(given, list) and len(given) > len(names):
                return {}, [Refused("result-many", count=len(given), wanted=len(names))]
        else:
            names, found = (TEXT,), values
        missing = [name for name in names if not isinstance(found.get(name), str) or not found[name].strip()]
        faults = [Refused("result-no-text", name=name) for name in missing]
        return {name: storable(found[name]) for name in names if name not in missing}, faults


def form_of(template: Template, step: Step, declared: Mapping[str, ResultKind]) -> ResultForm:
    """`declared` is what the step's skill has under `results:`."""
    asked = {gate.key for gate in step.gates}
    asked |= {each.key for later in template.steps for each in later.when if each.step == step.number}
    kinds = {**KNOWN_RESULTS, **declared}
    keys = ["confidence", *(key for key in kinds if key != "confidence" and key in asked | declared.keys())]
    return ResultForm(
        outputs=step.outputs,
        kinds={key: kinds[key] for key in keys},
        needed=frozenset(key for key in keys if key in asked | declared.keys()) - MEASURED,
    )


def failed_gates(step: Step, results: Mapping[str, Any]) -> tuple[Gate, ...]:
    return tuple(gate for gate in step.gates if not gate.passes(results))


def _parsed(given: str | bytes | Mapping[str, Any]) -> Mapping[str, Any] | Refused:
    if isinstance(given, Mapping):
        size = len(json.dumps(given, ensure_ascii=False).encode(errors="replace"))
    else:
        size = len(given.encode(errors="replace") if isinstance(given, str) else given)
    if size > MOST_BYTES:
        return Refused("result-big", megabytes=MOST_BYTES // 1024 // 1024)
    if isinstance(given, Mapping):
        return given
    try:
        values = json.loads(given)
    except (ValueError, RecursionError) as error:
        return Refused("result-not-json", said=str(error)[:200])
    return values if isinstance(values, dict) else Refused("result-not-json", said=type(values).__name__)


def _wrong(key: str, kind: ResultKind, value: object) -> Refused | None:
    if isinstance(value, bool) or not isinstance(value, _KINDS[kind]):
        return Refused("result-type", key=key, kind=kind)
    if isinstance(value, list) and not all(isinstance(each, str) for each in value):
        return Refused("result-type", key=key, kind=kind)
    if isinstance(value, int | float):
        low, high = RESULT_RANGES.get(key, (-math.inf, math.inf))
        if not math.isfinite(value) or not low <= value <= high:
            return Refused("result-range", key=key, low=f"{low:g}", high=f"{high:g}")
    return None


def _tidy(value: Any) -> Any:
    """In a list, duplicates and blanks do not count."""
    if isinstance(value, str):
        return storable(value)
    if not isinstance(value, list):
        return value
    words = [" ".join(storable(each).split()) for each in value]
    return list({each.casefold(): each for each in words if each}.values())


def _range(key: str) -> dict[str, Any]:
    if key not in RESULT_RANGES:
        return {}
    low, high = RESULT_RANGES[key]
    return {"minimum": low, "maximum": high}
