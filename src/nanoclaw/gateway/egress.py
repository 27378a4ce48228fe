"""Where a box may connect to, and the judge that decides about each connection."""

from dataclasses import dataclass

from nanoclaw.durable.connections import ConnectionVerdict
from nanoclaw.gateway.addresses import Resolver, is_public, literal, normal, parse_pattern

_ADDRESSES = 4  # of a host that are tried


@dataclass(frozen=True, kw_only=True, slots=True)
class Egress:
    """What one box may reach: patterns such as `example.com`, `*.example.com` or `example.com:8080`.

    `private` names hosts whose addresses may be private: a service in the owner's own network, and nothing else.
    """

    hosts: tuple[str, ...]
    private: frozenset[str] = frozenset()


class NoEgress(Exception):
    """The connection is refused."""

    def __init__(self, verdict: ConnectionVerdict) -> None:
        super().__init__(verdict)
        self.verdict = verdict


class EgressJudge:
    """Decides where a connection may go: to the addresses that were checked, never to what the name resolves
    to later.
    """

    def __init__(self, egress: Egress, resolver: Resolver) -> None:
        self._patterns = [parse_pattern(written) for written in egress.hosts]
        self._private = frozenset(normal(host) for host in egress.private)
        self._resolver = resolver

    async def addresses(self, host: str, port: int) -> list[str]:
        if not any(pattern.fits(host, port) for pattern in self._patterns):
            raise NoEgress(ConnectionVerdict.NOT_LISTED)
        if literal(host) is not None:
            found = [host]
        else:
            try:
                found = await self._resolver(host, port)
            except OSError as error:
                raise NoEgress(ConnectionVerdict.UNRESOLVED) from error
        if not found:
            raise NoEgress(ConnectionVerdict.UNRESOLVED)
        # One private address among public ones is a trap, not a choice.
        if host not in self._private and not all(is_public(address) for address in found):
            raise NoEgress(ConnectionVerdict.PRIVATE)
        return found[:_ADDRESSES]
