"""Which hosts a box may reach: listed names, and only if they do not lead into the owner's own network."""

import asyncio
import re
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

import idna

from nanoclaw.domain.errors import BadSettings

Resolver = Callable[[str, int], Awaitable[list[str]]]
"""The addresses of a name, best first. Raises OSError if there are none."""

_PORTS = (80, 443)
_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_PLAIN = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_NAT64 = IPv6Network("64:ff9b::/96")
_NAT64_LOCAL = IPv6Network("64:ff9b:1::/48")
_V4_COMPATIBLE = IPv6Network("::/96")
# Services of clouds for their own machines, at addresses that look public; some give keys to anyone who asks.
_OF_CLOUDS = tuple(
    ip_network(written)
    for written in (
        "168.63.129.16/32",  # Azure: the agent of the machine, its certificates, its names
        "161.26.0.0/16",  # IBM Cloud: services of the private network
        "166.8.0.0/14",  # IBM Cloud: the same
    )
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Pattern:
    """`host` is that host alone, `*.host` everything below it; without a port, the web ports."""

    name: str
    below: bool
    ports: tuple[int, ...]

    def fits(self, host: str, port: int) -> bool:
        known = host.endswith("." + self.name) if self.below else host == self.name
        return known and port in self.ports


def parse_pattern(written: str) -> Pattern:
    """Raises BadSettings for an invalid pattern: a misread one could let out too much."""
    below = written.startswith("*.")
    try:
        host, port = split_port(written.removeprefix("*."))
        name = normal(host)
    except ValueError as error:
        raise BadSettings("network-pattern", written=written) from error
    if below and literal(name) is not None:
        raise BadSettings("network-pattern", written=written)
    return Pattern(name=name, below=below, ports=_PORTS if port is None else (port,))


def split_port(authority: str) -> tuple[str, int | None]:
    """`host:port`, `[address]:port` or either without a port. Raises ValueError for anything else."""
    found = re.fullmatch(r"(?:\[([0-9a-fA-F:.]+)\]|([^\[\]:@/?#\s]+))(?::([0-9]{1,5}))?", authority)
    if found is None:
        raise ValueError(f"{authority!r} is no host")
    port = None if found[3] is None else int(found[3])
    if port is not None and not 0 < port < 65536:
        raise ValueError(f"{port} is no port")
    return found[1] or found[2], port


def normal(host: str) -> str:
    """The canonical form of a name. Raises ValueError for an invalid one."""
    address = literal(host)
    if address is not None:
        return str(address)
    lower = host.lower().removesuffix(".")
    if not lower.isascii():
        lower = idna.encode(lower, uts46=True).decode("ascii")  # its errors are ValueErrors
    if len(lower) > 253 or _PLAIN.fullmatch(lower) is None:
        raise ValueError(f"{host!r} is no host")
    return lower


def literal(host: str) -> IPv4Address | IPv6Address | None:
    """The address, if the host is written as one."""
    try:
        return ip_address(host)
    except ValueError:
        return None


def is_public(written: str) -> bool:
    """Whether the address is public, even if it is embedded in another one."""
    address = ip_address(written)
    if isinstance(address, IPv6Address):
        if address in _NAT64_LOCAL or address.teredo is not None or address.is_site_local:
            return False
        if (inner := _wrapped(address)) is not None:
            return is_public(str(inner))
    if any(address in network for network in _OF_CLOUDS):
        return False
    special = (
        address.is_private,
        address.is_loopback,
        address.is_link_local,
        address.is_multicast,
        address.is_reserved,
        address.is_unspecified,
    )
    return address.is_global and not any(special)


def _wrapped(address: IPv6Address) -> IPv4Address | None:
    if address in _NAT64 or address in _V4_COMPATIBLE:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour


async def resolve(host: str, port: int) -> list[str]:
    """Resolve a name as the system does."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))
