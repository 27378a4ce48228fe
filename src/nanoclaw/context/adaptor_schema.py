"""The rules that an adaptor can set and the host can check. docs/how-to/write-for-a-channel.md explains each."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Count = Annotated[int, Field(ge=0)]
Size = Annotated[int, Field(ge=1)]
Name = Annotated[str, Field(min_length=1, max_length=64)]


class Rule(BaseModel):
    model_config = ConfigDict(defer_build=True, extra="forbid", frozen=True)


class Bounds(Rule):
    """The least and the most of something."""

    least: Count = 0
    most: Count | None = None

    @model_validator(mode="after")
    def _can_be_kept(self) -> Self:
        if self.most is not None and self.least > self.most:
            raise ValueError(f"least ({self.least}) is more than most ({self.most})")
        return self


class Hashtags(Bounds):
    place: Literal["anywhere", "end"] = "anywhere"


class FirstLine(Rule):
    """What a reader sees first."""

    longest: Size | None = None
    emoji: bool = True


class TextPart(Rule):
    """A named piece of the text: front matter, a line `Subject: ...`, or a section under a heading."""

    names: tuple[Name, ...] = ()  # its names in other languages
    needed: bool = False
    longest: Size | None = None
    words: Size | None = None
    items: Bounds | None = None
    hashtags: Hashtags | None = None
    first_line: FirstLine | None = None


class Heading(Rule):
    names: tuple[Name, ...] = Field(min_length=1)
    needed: bool = True


class Timestamps(Rule):
    """Chapters of a video."""

    over: Size  # minutes; a longer video must have them


class Rules(Rule):
    counted: Literal["characters", "utf-16"] = "characters"
    text: TextPart = TextPart()
    parts: dict[Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")], TextPart] = {}
    front_matter: tuple[Name, ...] = ()
    headings: tuple[Heading, ...] = ()
    longest_list: Size | None = None
    code_language: bool = False
    html: tuple[Name, ...] | None = None
    link: tuple[Name, ...] = ()
    timestamps: Timestamps | None = None


def known_at(way: tuple[str | int, ...]) -> tuple[str, ...]:
    """The keys allowed where an unknown one was found; `way` leads to it, starting with `rules`."""
    models: dict[str, type[Rule]] = {
        "rules": Rules,
        "items": Bounds,
        "hashtags": Hashtags,
        "first_line": FirstLine,
        "timestamps": Timestamps,
    }
    holder = way[-2]
    model = Heading if isinstance(holder, int) else models.get(holder, TextPart)
    return tuple(model.model_fields)
