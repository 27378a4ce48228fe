"""The model of a run: it answers each message with its number, in pieces, and fails when it is told to."""

import re
from collections import deque

from tests.chaos.answers import Answers, Size, asked_in
from tests.chaos.ledger import Ledger

from nanoclaw.testing.model_parts import Asked, Cut, Fail, Part, Say, Use, Wait

_RECALLED = re.compile(r"<recalled>.*?</recalled>", re.DOTALL)

FILE = "note.txt"
"""In the folder of the agent's group, of every host."""


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
        numbers = _asked(asked)
        if not numbers:
            return [Say("Nothing was asked.")]
        parts = self._parts(asked, numbers)
        if self.faults:
            kind, part = self.faults.popleft()
            self._ledger.faults[kind] += 1
            self._ledger.note(f"{kind} for {numbers}")
            return [part, *parts]
        return parts

    def _parts(self, asked: Asked, numbers: list[int]) -> list[Part]:
        parts: list[Part] = []
        # Only before everything else: a file is sent at once, and would overtake the words of an older answer.
        with_file = self._answers.size(numbers[0]) is Size.FILE and not _was_refused(asked)
        if with_file and not asked.results:
            caption = self._answers.lines(numbers[0])[0]
            # The id is the same in every run of the turn: what is asked for again is not sent again.
            return [Use("send_file", {"path": FILE, "caption": caption}, id=f"toolu_q{numbers[0]}")]
        for number in numbers:
            lines = self._answers.lines(number)
            for line in lines[1:] if with_file and number == numbers[0] else lines:
                parts.append(Say(f"{line}\n\n"))
                if pause := self._answers.pause(number):
                    parts.append(Wait(pause))
        return parts


def _asked(asked: Asked) -> list[int]:
    """The numbers of the turn that runs: of its prompt, and of what came while its tool ran."""
    texts: list[str] = []
    used_a_tool = False
    for message in asked.messages:
        blocks = message["content"] if isinstance(message["content"], list) else [message["content"]]
        if message["role"] == "assistant":
            used_a_tool = any(isinstance(block, dict) and block["type"] == "tool_use" for block in blocks)
            texts = texts if used_a_tool else []
            continue
        said = [block if isinstance(block, str) else block.get("text", "") for block in blocks]
        # Without a tool only the last counts: those before it were never answered, and are not asked again.
        texts = texts + said if used_a_tool else said[-1:]
    return asked_in(_RECALLED.sub("", "\n".join(texts)))  # what others asked is remembered, and not asked


def _was_refused(asked: Asked) -> bool:
    """The tool did not do it, as on a full disk: then all of it is said."""
    last = asked.messages[-1]["content"]
    return isinstance(last, list) and any(
        block["type"] == "tool_result" and block.get("is_error") for block in last
    )
