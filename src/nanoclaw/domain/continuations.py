"""What waits for something to end: a turn or question names it when it begins, and it is due at the end."""

from typing import NamedTuple


class Continuation(NamedTuple):
    """Work of this kind with this key. The result is in the row of what ended."""

    kind: str
    key: str
