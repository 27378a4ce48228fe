"""The tool calls that a model made in a turn, as the host itself saw them pass.

A box can write any request, whoever's turn it is, and so can a script that someone else left in its folder. What the
model said passes the gateway on its way to the box: a request found here comes from the agent itself.
"""

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from nanoclaw.domain.tool_rules import normal_name

_MOST = 1000  # per turn; further ones are ignored


class SeenCalls:
    """Each is good for one request."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def saw(self, tool: str, arguments: Mapping[str, Any]) -> None:
        if self._seen.total() < _MOST:
            self._seen[_key(tool, arguments)] += 1

    def take(self, tool: str, arguments: Mapping[str, Any]) -> bool:
        """Whether the model made exactly this call, and it has not been used yet."""
        key = _key(tool, arguments)
        if not self._seen[key]:
            del self._seen[key]
            return False
        self._seen[key] -= 1
        return True

    def forget(self) -> None:
        """Forget them: another turn begins."""
        self._seen.clear()


def _key(tool: str, arguments: Mapping[str, Any]) -> str:
    # 1.0 and 1 are the same number: a program may turn one into the other.
    plain = json.loads(json.dumps(arguments), parse_float=_number)
    return f"{normal_name(tool)} {json.dumps(plain, sort_keys=True)}"


def _number(written: str) -> float:
    found = float(written)
    return int(found) if found.is_integer() else found
