"""Says why a conclusion does not fit, in the reader's language."""

from collections.abc import Mapping, Sequence
from typing import Any

from nanoclaw.domain.outcomes import Misfit
from nanoclaw.domain.text import storable
from nanoclaw.texts import say


def said(misfits: Sequence[Misfit], language: str) -> str:
    """Each misfit with its place in front, as in "`/notes`: ...": the page shows it beside that field."""
    return storable(
        " ".join(
            (f"`{each.place}`: " if each.place else "") + say(language, f"misfit-{each.key}", **each.values)
            for each in misfits
        )
    )


def as_stored(misfits: Sequence[Misfit]) -> list[dict[str, Any]]:
    return [{"key": each.key, "values": dict(each.values), "place": each.place} for each in misfits]


def from_stored(rows: Sequence[Mapping[str, Any]]) -> list[Misfit]:
    return [Misfit(key=each["key"], values=each["values"], place=each["place"]) for each in rows]
