"""What the API bodies share. A command parses responses with it and need not load the page."""

from functools import cache
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from nanoclaw.domain.shown_text import shown
from nanoclaw.domain.text import storable

VIA = "X-NanoClaw-Via"
"""The header in which a client of the API says who it is, if it is not the page."""
COMMAND_LINE = "command line"

Id = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(storable)]
Word = Annotated[str, Field(max_length=1000), AfterValidator(storable)]
Words = Annotated[str, Field(max_length=20_000), AfterValidator(storable)]
_TO_THE_LETTER = "to the letter"
Letters = Annotated[str, _TO_THE_LETTER]
"""What is said in chats and what programs get as data. All else that people are shown has marks; see `as_shown`."""
OptionalLetters = Annotated[str | None, _TO_THE_LETTER]
Data = Annotated[Any, _TO_THE_LETTER]
OptionalData = Annotated[dict[str, Any] | None, _TO_THE_LETTER]


class Shape(BaseModel):
    model_config = ConfigDict(defer_build=True, extra="forbid", from_attributes=True, frozen=True)

    @classmethod
    def of(cls, row: object, **own: object) -> Self:
        """Fields with the same name come from the row; `own` gives those that the row lacks or names differently."""
        same = (name for name in cls.model_fields if name not in own and hasattr(row, name))
        return cls.model_validate({name: getattr(row, name) for name in same} | own)


def as_shown(value: Any) -> Any:
    """The same for people's eyes: whatever a screen would hide is a mark, in every field that is not `Letters`."""
    match value:
        case str():
            return shown(value)
        case Shape():
            fields = ((name, getattr(value, name)) for name in _shown_fields(type(value)))
            changes = {name: marked for name, each in fields if (marked := as_shown(each)) is not each}
            return value.model_copy(update=changes) if changes else value
        case list() | tuple():
            marked = [as_shown(each) for each in value]
            is_same = all(one is other for one, other in zip(marked, value, strict=True))
            return value if is_same else type(value)(marked)
        case dict():
            return {as_shown(name): as_shown(each) for name, each in value.items()}
        case _:
            return value


@cache
def _shown_fields(shape: type[Shape]) -> tuple[str, ...]:
    fields = shape.model_fields.items()
    return tuple(name for name, field in fields if _TO_THE_LETTER not in field.metadata)


class PageOf(Shape):
    """Which part of a list: its newest entries, or those before one of them."""

    before: str | None = None
    limit: int = Field(default=50, ge=1, le=200)


class Accepted(Shape):
    id: str


class Problem(Shape):
    """What went wrong, as a sentence for the person."""

    error: str
    code: str
