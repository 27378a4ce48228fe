"""What the API bodies share. A command parses responses with it and need not load the page."""

from typing import Annotated, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from nanoclaw.domain.shown_text import shown
from nanoclaw.domain.text import storable

VIA = "X-NanoClaw-Via"
"""The header in which a client of the API says who it is, if it is not the page."""
COMMAND_LINE = "command line"

Id = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(storable)]
Word = Annotated[str, Field(max_length=1000), AfterValidator(storable)]
Shown = Annotated[str, AfterValidator(shown)]
"""What people are shown: invisible and misleading letters are marks."""
Words = Annotated[str, Field(max_length=20_000), AfterValidator(storable)]


class Shape(BaseModel):
    model_config = ConfigDict(defer_build=True, extra="forbid", from_attributes=True, frozen=True)

    @classmethod
    def of(cls, row: object, **own: object) -> Self:
        """Fields with the same name come from the row; `own` gives those that the row lacks or names differently."""
        same = (name for name in cls.model_fields if name not in own and hasattr(row, name))
        return cls.model_validate({name: getattr(row, name) for name in same} | own)


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
