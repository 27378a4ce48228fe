"""A text for a channel must keep the rules of its adaptor: the agent gets it back once, after that people see
its faults.
"""

from collections import OrderedDict

from nanoclaw.context.adaptor_check import Violation, check_for, sentence
from nanoclaw.context.adaptors import Adaptors
from nanoclaw.texts import say

_MOST_TOLD = 10
_MOST_KEPT = 1000


class AdaptedTexts:
    """Remembers what was sent back, by turn and target. After a restart it may be sent back once more."""

    def __init__(self, adaptors: Adaptors) -> None:
        self._adaptors = adaptors
        self._sent_back: OrderedDict[tuple[str, str], None] = OrderedDict()

    def judge(self, text: str, target: str, turn: str) -> tuple[tuple[Violation, ...], bool]:
        """The broken rules, and whether the agent gets the text back. An unknown target is refused."""
        violations = check_for(text, target, self._adaptors)
        key = (turn, target.lower())
        goes_back = bool(violations) and key not in self._sent_back
        if goes_back:
            self._sent_back[key] = None
            if len(self._sent_back) > _MOST_KEPT:
                self._sent_back.popitem(last=False)
        else:  # the next text for this channel gets its own chance
            self._sent_back.pop(key, None)
        return violations, goes_back


def for_agent(target: str, violations: tuple[Violation, ...]) -> str:
    faults = "\n".join(_lines("en", violations))
    return f"Not sent: the text does not keep the rules of {target}. Mend it and send it again.\n{faults}"


def for_people(language: str, text: str, target: str, violations: tuple[Violation, ...]) -> str:
    """The text with its faults below."""
    head = say(language, "adapted-faults", target=target, count=len(violations))
    return "\n".join([text.rstrip(), "", head, *_lines(language, violations)])


def _lines(language: str, violations: tuple[Violation, ...]) -> list[str]:
    told = [f"- {sentence(language, violation)}" for violation in violations[:_MOST_TOLD]]
    return told if len(violations) <= _MOST_TOLD else [*told, "- …"]
