"""The model of a run: it answers each message with its number, in pieces, and fails when it is told to."""

from collections import deque

from tests.chaos.answers import Answers, asked_in
from tests.chaos.ledger import Ledger

from nanoclaw.testing.model_parts import Asked, Cut, Fail, Part, Say, Wait


class ChaosModel:
    def __init__(self, answers: Answers, ledger: Ledger) -> None:
        self._answers = answers
        self._ledger = ledger
        self.faults: deque[tuple[str, Part]] = deque()

    def fail(self, kind: str, amount: float) -> None:
        part: Part
        if kind == "model-busy":
            part = Fail(429, "rate_limit_error", "slow down", {"retry-after": str(1 + int(amount * 2))})
        elif kind == "model-overloaded":
            part = Fail(529, "overloaded_error", "overloaded")
        else:
            part = Cut(after=int(amount * 12))
        self.faults.append((kind, part))

    def __call__(self, asked: Asked) -> list[Part]:
        numbers = asked_in(asked.text)
        parts: list[Part] = []
        for number in numbers:
            for line in self._answers.lines(number):
                parts.append(Say(f"{line}\n\n"))
                if pause := self._answers.pause(number):
                    parts.append(Wait(pause))
        if not parts:
            return [Say("Nothing was asked.")]
        if self.faults:
            kind, part = self.faults.popleft()
            self._ledger.faults[kind] += 1
            self._ledger.note(f"{kind} for {numbers}")
            return [part, *parts]
        return parts
