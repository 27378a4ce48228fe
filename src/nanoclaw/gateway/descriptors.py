"""How many descriptors the host may have open, and how many boxes may use: the rest keeps the host and its
page alive.
"""

import resource
from typing import Protocol
from weakref import WeakSet

_WANTED = 8192
_KEPT = 512  # for the page, the database, files, pipes of boxes, and calls to vendors and chat networks
_LEAST = 64


class _Member(Protocol):
    @property
    def count(self) -> int: ...

    def drop_idle(self) -> bool: ...


def raise_limit() -> int:
    """Raise the limit as far as the system allows, up to what the host can use. The usual 1,024 is meant for
    old programs.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _WANTED if hard == resource.RLIM_INFINITY else min(_WANTED, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        return wanted
    return soft


class Pool:
    """What all boxes together may have open. `cost`: descriptors per connection."""

    def __init__(self, *, cost: int = 1) -> None:
        self._cost = cost
        self._members: WeakSet[_Member] = WeakSet()

    def join(self, member: _Member) -> None:
        self._members.add(member)

    def make_room(self) -> bool:
        """For one more. Whoever has the most gives up an idle one, so that no box keeps the others out."""
        if self._has_room():
            return True
        most_first = sorted(self._members, key=lambda each: each.count, reverse=True)
        return any(each.drop_idle() for each in most_first)

    def _has_room(self) -> bool:
        limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        if limit == resource.RLIM_INFINITY:
            return True
        # Half for the gateway, half for the proxy: neither can starve the other.
        share = max((limit - _KEPT) // 2, _LEAST)
        return sum(each.count for each in self._members) * self._cost < share
