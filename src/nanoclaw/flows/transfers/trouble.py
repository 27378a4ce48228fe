"""What went wrong on the way of a package, written down: the key of an error, and its values beside it."""

from nanoclaw.domain.errors import NanoClawError


def written_down(error: NanoClawError) -> dict[str, str]:
    return {"key": error.key, **{name: str(value) for name, value in error.values.items()}}
