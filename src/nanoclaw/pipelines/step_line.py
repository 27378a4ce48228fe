"""Reads one line of `## Steps:`, such as `5. copywriter | gate: words>1500 | type: container`."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from nanoclaw.domain.pipelines import (
    APPROVAL_TIMEOUT,
    RETRIES,
    STEP_TIMEOUT,
    Inputs,
    Mistake,
    OnTimeout,
    Outputs,
    Step,
    StepType,
)
from nanoclaw.domain.questions import Risk
from nanoclaw.pipelines import values
from nanoclaw.pipelines.values import WrongValue, plain, shown

HUMAN = "hitl"
_FOR_AGENTS = (
    "gate",
    "type",
    "timeout",
    "outputs",
    "model",
    "thinking",
    "input",
    "when",
    "with",
    "retry",
    "budget",
)
_FOR_PEOPLE = ("type", "timeout", "on timeout", "risk", "session", "when")
_KEYS = tuple(dict.fromkeys((*_FOR_AGENTS, *_FOR_PEOPLE)))
_NUMBERED = re.compile(r"([0-9]{1,6})([a-zA-Zа-яіїєґ]?)[.)]\s*(.*)", re.DOTALL)
_ROLE = re.compile(r"[a-z0-9][a-z0-9-]*(?:/[a-z0-9][a-z0-9-]*)*", re.IGNORECASE)
_LONGEST_ROLE = 200


@dataclass
class StepDraft:
    """A step whose neighbours are not known yet."""

    step: Step
    written: int  # its number in the file
    inputs: Inputs | None = None  # as written
    beside: int | None = None  # `with: 2`
    columns: Mapping[str, int] = field(default_factory=dict)


def read_step(text: str, line: int, position: int, mistakes: list[Mistake]) -> StepDraft | None:
    """None if it is not a step at all."""
    indent = len(text) - len(text.lstrip())
    numbered = _NUMBERED.match(text.strip())
    if numbered is None:
        mistakes.append(
            Mistake(
                line=line,
                key="no-step",
                values={"said": shown(plain(text))},
                allowed=(f"{position}. role | gate: confidence>0.6 | type: sub-agent",),
            )
        )
        return None
    if numbered[2]:
        mistakes.append(
            Mistake(
                line=line, key="lettered", values={"said": numbered[1] + numbered[2]}, allowed=("with: 2",)
            )
        )
    parts = numbered[3].split("|")
    reader = _StepLineReader(line=line, mistakes=mistakes)
    column = indent + numbered.start(3) + 1 + len(parts[0]) + 1
    for part in parts[1:]:
        reader.take(part, column + len(part) - len(part.lstrip()))
        column += len(part) + 1
    step = reader.step(plain(parts[0]), position)
    return StepDraft(
        step=step,
        written=int(numbered[1]),
        inputs=reader.found.get("input"),
        beside=reader.found.get("with"),
        columns=reader.columns,
    )


@dataclass
class _StepLineReader:
    line: int
    mistakes: list[Mistake]
    written: dict[str, str] = field(default_factory=dict)
    columns: dict[str, int] = field(default_factory=dict)
    found: dict[str, Any] = field(default_factory=dict)

    def take(self, part: str, column: int) -> None:
        """One `key: value`."""
        name, colon, value = part.partition(":")
        key = plain(name).lower()
        if not key and not colon:
            self.fault("empty-part", column)
        elif key not in _KEYS:
            near = get_close_matches(key, _KEYS, n=1)
            self.fault("unknown-key", column, *(near or _KEYS), said=shown(key))
        elif key in self.written:
            self.fault("key-twice", column, said=key)
        elif not plain(value):
            self.fault("no-value", column, said=key)
        else:
            self.written[key], self.columns[key] = plain(value), column

    def step(self, role: str, position: int) -> Step:
        is_human = role.lower() == HUMAN
        usual = StepType.APPROVAL if is_human else StepType.SUB_AGENT
        kind: StepType = self._read("type", values.step_type, usual)
        is_approval = kind is StepType.APPROVAL
        if is_human and not is_approval:
            self.fault("human-type", self.columns.get("type"), StepType.APPROVAL)
        self._check_role(role, is_approval=is_approval)
        allowed = _FOR_PEOPLE if is_approval else _FOR_AGENTS
        for key in self.written:
            if key not in allowed:
                self.fault("key-of-others", self.columns[key], *allowed, said=key, type=kind.value)
        self._read("input", values.inputs, None)
        self._read("with", _beside, None)
        risk: Risk = self._read("risk", values.risk, Risk.NORMAL)
        in_session: bool = self._read("session", values.in_session, False)  # noqa: FBT003
        if in_session and risk is not Risk.NORMAL:  # one person concludes it, whatever the risk
            self.fault("session-risk", self.columns["risk"], "risk: normal")
        return Step(
            number=position,
            role=role,
            type=kind,
            line=self.line,
            gates=self._read("gate", values.gates, ()),
            when=self._read("when", values.conditions, ()),
            outputs=self._read("outputs", values.outputs, Outputs()),
            model=self._read("model", values.model, ""),
            thinking=self._read("thinking", values.thinking, ""),
            timeout=self._read(
                "timeout",
                lambda text: values.timeout(text, is_approval=is_approval),
                APPROVAL_TIMEOUT if is_approval else STEP_TIMEOUT,
            ),
            retry=self._read("retry", values.retry, RETRIES),
            budget=self._read("budget", values.money, None),
            on_timeout=self._read(
                "on timeout",
                values.on_timeout,
                OnTimeout.GO_ON if risk is Risk.NORMAL else OnTimeout.CANCEL,
            ),
            risk=risk,
            in_session=in_session,
        )

    def fault(self, key: str, column: int | None, /, *allowed: str, **about: object) -> None:
        self.mistakes.append(Mistake(line=self.line, column=column, key=key, values=about, allowed=allowed))

    def _read(self, key: str, read: Callable[[str], Any], usual: Any) -> Any:
        if key not in self.written:
            return usual
        try:
            self.found[key] = read(self.written[key])
        except WrongValue as wrong:
            self.fault(wrong.key, self.columns[key], *wrong.allowed, **wrong.values)
            return usual
        return self.found[key]

    def _check_role(self, role: str, *, is_approval: bool) -> None:
        if not role:
            self.fault("no-role", None)
        elif len(role) > _LONGEST_ROLE:
            self.fault("role-long", None, f"<= {_LONGEST_ROLE}")
        elif not is_approval and not _ROLE.fullmatch(role):
            self.fault("role", None, "topic-researcher", "marketing/content/editor", said=shown(role))


def _beside(text: str) -> int:
    numbers = values.step_numbers(text)
    if numbers is None or len(numbers) != 1:
        raise WrongValue("with", "with: 2", said=shown(text))
    return numbers[0]
