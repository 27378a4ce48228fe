"""The hosts that a group may reach: `api.example.com`, `*.example.com`, either with `:port`."""

import re

_PATTERN = re.compile(
    r"(\*\.)?([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(:\d{1,5})?"
)


def host_pattern(written: str) -> str:
    """Normalised for comparison: lower case, no trailing dot, other alphabets in ASCII form."""
    pattern = written.strip().lower().rstrip(".")
    if not pattern.isascii():
        wild, _, name = pattern.rpartition("*.")
        pattern = f"{'*.' if wild or pattern.startswith('*.') else ''}{name.encode('idna').decode()}"
    if not _PATTERN.fullmatch(pattern):
        raise ValueError(f"{written!r} is no host: write a name such as api.example.com or *.example.com")
    return pattern
