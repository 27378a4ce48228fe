"""Messages that an agent does not get although their sender may speak: the person is told why."""

from dataclasses import dataclass

from nanoclaw.domain.text import is_empty


@dataclass(frozen=True, kw_only=True, slots=True)
class Refusal:
    """Worded as the text `declined-<reason>`."""

    reason: str
    values: dict[str, int]


def refusal(text: str, *, has_files: bool, longest: int) -> Refusal | None:
    if is_empty(text) and not has_files:
        return Refusal(reason="empty", values={})
    if len(text) > longest:
        return Refusal(reason="too-long", values={"length": len(text), "longest": longest})
    return None
