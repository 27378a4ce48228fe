"""The values that templates are written with: conditions, amounts of money, spans of time, step numbers."""

import re
from collections.abc import Callable, Iterator
from datetime import timedelta

from nanoclaw.domain.model_choice import ThinkingChoice
from nanoclaw.domain.money import MICROS
from nanoclaw.domain.pipelines import Gate, Inputs, OnTimeout, Operator, Outputs, StepType, When
from nanoclaw.domain.questions import Risk
from nanoclaw.times.time_words import UNITS
from nanoclaw.times.until import span_of

_OPERATORS = {"≥": ">=", "≤": "<=", "=>": ">=", "=<": "<=", "==": "="}
_CONDITION = re.compile(r"([A-Za-z][\w-]{0,63}) ?(>=|<=|=>|=<|==|>|<|=|≥|≤) ?(.{1,200})")
_NUMBER = re.compile(r"-?[0-9]{1,12}(?:\.[0-9]{1,6})?")
_OF_STEP = re.compile(r"(?:step )?([0-9]{1,6}) ?\. ?(?=[A-Za-z])", re.IGNORECASE)
_KEY = re.compile(r"[A-Za-z][\w-]{0,63}")
_RANGE = re.compile(r"(?:steps? )?([0-9]{1,6})(?: ?[-–—] ?([0-9]{1,6}))?", re.IGNORECASE)
_MONEY = re.compile(r"\$? ?([0-9]{1,6}(?:\.[0-9]{1,6})?)(?: ?(?:\$|usd))?", re.IGNORECASE)
_SPAN = re.compile(r"([0-9]{1,4})(?: ?[-–—] ?([0-9]{1,4}))? ?([^\W\d_]+)")
_CONTEXT = re.compile(r"(?:context/)?([a-z0-9_-]+)/(?:([a-z0-9_-]+)(?:\.md)?|\*)?", re.IGNORECASE)
_TARGET = re.compile(r"[a-z][a-z0-9_-]*")
_MODEL = re.compile(r"[a-z0-9][\w.:/-]{0,99}", re.IGNORECASE)
_MOST_RETRIES = 10
_MOST_OUTPUTS = 20
_LONGEST_STEP = timedelta(days=1)
_SESSION = {"yes": True, "no": False}
_LONGEST_APPROVAL = timedelta(days=7)
COMPARISONS = (">", ">=", "<", "<=", "=")
_RISKS = {
    "normal": Risk.NORMAL,
    "high": Risk.PUBLISH,
    "publish": Risk.PUBLISH,
    "destructive": Risk.DESTRUCTIVE,
}


class WrongValue(Exception):
    """Becomes a `Mistake` once the line is known."""

    def __init__(self, key: str, /, *allowed: str, **values: object) -> None:
        super().__init__(key)
        self.key, self.allowed, self.values = key, allowed, values


def plain(text: str) -> str:
    """One space between words, so that no pattern below meets long runs of spaces."""
    return " ".join(text.split())


def shown(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:59]}…"


def gates(text: str) -> tuple[Gate, ...]:
    return tuple(map(_gate, _conditions(text)))


def conditions(text: str) -> tuple[When, ...]:
    return tuple(map(_when, _conditions(text)))


def _conditions(text: str) -> list[str]:
    parts = [
        part.strip() for each in text.split(",") for part in re.split(" and ", each, flags=re.IGNORECASE)
    ]
    if not all(parts):
        raise WrongValue("condition", "confidence>0.6", "words>=1500, quality>80", said=shown(text))
    return parts


def _gate(text: str) -> Gate:
    match = _CONDITION.fullmatch(text)
    if match is None:
        if _NUMBER.fullmatch(text):  # 0,6 was meant as one number
            raise WrongValue("comma", "confidence>0.6", said=shown(text))
        raise WrongValue("condition", *COMPARISONS, said=shown(text))
    key, sign, value = match[1].lower(), Operator(_OPERATORS.get(match[2], match[2])), match[3].strip()
    if _NUMBER.fullmatch(value):
        return Gate(key=key, operator=sign, value=float(value))
    if sign is not Operator.EQUAL or not value or value[0] in "<>=≥≤":
        raise WrongValue("gate-number", "confidence>0.6", said=shown(value), sign=sign.value)
    return Gate(key=key, operator=sign, value=value.strip("\"'«»“”"))


def _when(text: str) -> When:
    before = _OF_STEP.match(text)
    step, rest = (int(before[1]), text[before.end() :]) if before else (None, text)
    if _KEY.fullmatch(rest):
        return When(key=rest.lower(), step=step)
    gate = _gate(rest)
    return When(key=gate.key, step=step, gate=gate)


def step_type(text: str) -> StepType:
    try:
        return StepType(text.lower().replace(" ", "-").replace("subagent", "sub-agent"))
    except ValueError:
        raise WrongValue("type", *StepType, said=shown(text)) from None


def on_timeout(text: str) -> OnTimeout:
    try:
        return OnTimeout(text.lower())
    except ValueError:
        raise WrongValue("on-timeout", *OnTimeout, said=shown(text)) from None


def in_session(text: str) -> bool:
    if text.lower() not in _SESSION:
        raise WrongValue("session", *_SESSION, said=shown(text))
    return _SESSION[text.lower()]


def risk(text: str) -> Risk:
    if text.lower() not in _RISKS:
        raise WrongValue("risk", *_RISKS, said=shown(text))
    return _RISKS[text.lower()]


def timeout(text: str, *, is_approval: bool) -> timedelta:
    found = span_of(text.lower())
    if not found:
        raise WrongValue("timeout", "90s", "15m", "2h", "1d", said=shown(text))
    longest, word = (_LONGEST_APPROVAL, "7d") if is_approval else (_LONGEST_STEP, "1d")
    if found > longest:
        raise WrongValue("timeout-long", f"<= {word}", said=shown(text))
    return found


def outputs(text: str) -> Outputs:
    if re.fullmatch("[0-9]{1,6}", text):
        if not 1 <= int(text) <= _MOST_OUTPUTS:
            raise WrongValue("outputs-count", f"1-{_MOST_OUTPUTS}", said=text)
        return Outputs(count=int(text))
    names = tuple(name.strip().lower() for name in text.split(","))
    for name in names:
        if not _TARGET.fullmatch(name):
            raise WrongValue("outputs", "3", "telegram, linkedin", said=shown(name))
        if names.count(name) > 1:
            raise WrongValue("output-twice", said=shown(name))
    if len(names) > _MOST_OUTPUTS:
        raise WrongValue("outputs-count", f"1-{_MOST_OUTPUTS}", said=str(len(names)))
    return Outputs(count=len(names), names=names)


def model(text: str) -> str:
    if not _MODEL.fullmatch(text):
        raise WrongValue("model", "haiku", "sonnet", "opus", said=shown(text))
    return text.lower() if ":" not in text else text


def thinking(text: str) -> str:
    if text.lower() not in list(ThinkingChoice):
        raise WrongValue("thinking", *ThinkingChoice, said=shown(text))
    return text.lower()


def retry(text: str) -> int:
    if not re.fullmatch("[0-9]{1,6}", text) or int(text) > _MOST_RETRIES:
        raise WrongValue("retry", f"0-{_MOST_RETRIES}", said=shown(text))
    return int(text)


def money(text: str) -> int:
    match = _MONEY.fullmatch(text)
    micros = round(float(match[1]) * MICROS) if match else 0
    if not micros:
        raise WrongValue("money", "$0.50", said=shown(text))
    return micros


def cost_range(text: str) -> tuple[int, int]:
    return _range(text, money, ("$0.25-0.50", "$0.30"))


def time_range(text: str) -> tuple[int, int]:
    """The range in seconds."""
    match = _SPAN.fullmatch(text.lower())
    unit = UNITS.get(match[3]) if match else None
    if match is None or unit is None:
        raise WrongValue("time", "5-15 minutes", "2 hours", said=shown(text))
    low, high = int(match[1]), int(match[2] or match[1])
    if not 0 < low <= high:
        raise WrongValue("time", "5-15 minutes", "2 hours", said=shown(text))
    return round((low * unit).total_seconds()), round((high * unit).total_seconds())


def _range(text: str, read: Callable[[str], int], examples: tuple[str, ...]) -> tuple[int, int]:
    parts = [part.strip() for part in re.split("[-–—]", text)]
    if len(parts) > 2:
        raise WrongValue("money", *examples, said=shown(text))
    found = tuple(map(read, parts))
    if found[0] > found[-1]:
        raise WrongValue("range", *examples, said=shown(text))
    return found[0], found[-1]


def step_numbers(text: str) -> tuple[int, ...] | None:
    """`3`, `1-3`, `step 2`; None if it is something else."""
    match = _RANGE.fullmatch(text)
    if match is None:
        return None
    first, last = int(match[1]), int(match[2] or match[1])
    if not 0 < first <= last:
        raise WrongValue("range", "1-3", said=shown(text))
    # A wide range is a mistake anyway: the first number beyond the last step shows it.
    return tuple(range(first, min(last, first + 1000) + 1))


def inputs(text: str) -> Inputs:
    steps: dict[int, None] = {}
    files: dict[str, None] = {}
    for item in (part.strip() for part in text.split(",")):
        if item.lower() == "subject":  # which every step is given
            continue
        numbers = step_numbers(item)
        context = _CONTEXT.fullmatch(item)
        if numbers is not None:
            steps.update(dict.fromkeys(numbers))
        elif context:
            files[f"{context[1]}/{context[2] or '*'}".lower()] = None
        else:
            raise WrongValue(
                "input", "1", "1-3", "context/brand/voice.md", "context/audience/", said=shown(item)
            )
    return Inputs(steps=tuple(steps), files=tuple(files))


def model_defaults(text: str) -> Iterator[tuple[tuple[int, ...], str]]:
    """`steps 1-3,7=Sonnet, steps 5-6=Opus`."""
    examples = ("steps 1-3,7=Sonnet, steps 5-6=Opus",)
    waiting: list[int] = []
    for item in (part.strip() for part in text.split(",")):
        left, equals, right = (part.strip() for part in item.partition("="))
        numbers = step_numbers(left)
        if numbers is None:
            raise WrongValue("model-defaults", *examples, said=shown(item))
        waiting.extend(numbers)
        if equals:
            yield tuple(waiting), model(right)
            waiting = []
    if waiting:
        raise WrongValue("model-defaults", *examples, said=shown(text))
