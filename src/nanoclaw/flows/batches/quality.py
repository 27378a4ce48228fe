"""Checks whether each text of a batch is good enough: the rules of its channel, its language, its length
compared with the others, and whether another text says nearly the same."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from nanoclaw.context.adaptor_check import Violation, check, sentence
from nanoclaw.context.adaptors import Adaptor
from nanoclaw.flows.batches.doubles import Doubles, pairs_of
from nanoclaw.flows.batches.languages import spoken_in
from nanoclaw.texts import say

ALIKE = 0.5  # of the word pairs of both: the same text with every tenth word replaced has 0.67
_ODD = 4  # times shorter or longer than the median text

Fault = Mapping[str, Any]
"""`key` and `values` of the text `batch-fault-<key>`; a broken adaptor rule also has `rule` and `line`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchCheck:
    """Takes texts in order, each once, and remembers them: a later one may repeat an earlier one."""

    adaptor: Adaptor | None
    language: str
    usual_length: int  # of the median text, in characters; 0 if unknown
    doubles: Doubles = field(default_factory=lambda: Doubles(ALIKE))

    def faults(self, number: int, text: str) -> tuple[Fault, ...]:
        if not text.strip():
            return ({"key": "empty", "values": {}},)
        return (*self._rules(text), *self._own(number, text))

    def _rules(self, text: str) -> Iterator[Fault]:
        if self.adaptor:
            yield from (asdict(each) for each in check(text, self.adaptor))

    def _own(self, number: int, text: str) -> Iterator[Fault]:
        spoken = spoken_in(text)
        if spoken is not None and spoken != self.language:
            yield {"key": "language", "values": {"is": spoken, "wanted": self.language}}
        length = len(text)
        if self.usual_length > length * _ODD:
            yield {"key": "short", "values": {"count": length, "usual": self.usual_length}}
        elif self.usual_length and length > self.usual_length * _ODD:
            yield {"key": "long", "values": {"count": length, "usual": self.usual_length}}
        if (other := self.doubles.add(number, pairs_of(text))) is not None:
            yield {"key": "double", "values": {"of": other}}


def check_texts(
    texts: Iterable[tuple[int, str]], *, adaptor: Adaptor | None, language: str
) -> dict[int, tuple[Fault, ...]]:
    """All texts of a small batch at once."""
    known = list(texts)
    lengths = sorted(len(text) for _, text in known if text.strip())
    usual = lengths[len(lengths) // 2] if lengths else 0
    batch_check = BatchCheck(adaptor=adaptor, language=language, usual_length=usual)
    return {number: batch_check.faults(number, text) for number, text in known}


def fault_text(language: str, fault: Fault) -> str:
    """What is wrong, in words for people."""
    if "rule" in fault:
        return sentence(
            language, Violation(rule=fault["rule"], key=fault["key"], values=dict(fault["values"]))
        )
    values = dict(fault.get("values") or {})
    if fault["key"] == "language":
        values = {name: say(language, f"batch-language-{code}") for name, code in values.items()}
    return say(language, f"batch-fault-{fault['key']}", **values)
