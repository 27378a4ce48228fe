"""What can be said in a request for an interactive session, under the names that harnesses are written against."""

import json
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from nanoclaw.domain.text import is_empty
from nanoclaw.domain.tool_arguments import Arguments
from nanoclaw.domain.tool_schemas import NOT_BLANK

LONGEST_PROMPT = 4000
MOST_CONTEXT = 256 * 1024  # bytes as JSON
MOST_SCHEMA = 64 * 1024
_LONGEST_SYSTEM_PROMPT = 20_000
_LONGEST_OPTION = 200
_LEAST_OPTIONS, _MOST_OPTIONS = 2, 8
_SECOND, _WEEK = 1000, 7 * 24 * 3600 * 1000  # milliseconds

_Text = Annotated[str, Field(pattern=NOT_BLANK)]
_Path = Annotated[_Text, Field(max_length=1000)]


def _bounded(name: str, most: int, value: object, remedy: str) -> None:
    try:
        size = len(json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace"))
    except ValueError as error:
        raise ValueError(f"`{name}` holds a number that is none (NaN, Infinity). Leave it out.") from error
    except RecursionError as error:
        raise ValueError(f"`{name}` is nested too deep. Make it flatter.") from error
    if size > most:
        raise ValueError(f"`{name}` has {size // 1024} kB; at most {most // 1024} kB are allowed. {remedy}")


def _small_context(value: dict[str, Any] | None) -> dict[str, Any] | None:
    _bounded(
        "context", MOST_CONTEXT, value, "Put the rest into a file below /work and name it in the context."
    )
    return value


class OutcomeWanted(Arguments):
    """What the session is to result in."""

    type: Literal["approval", "selection", "freeform", "structured"]
    options: list[Annotated[_Text, Field(max_length=_LONGEST_OPTION)]] | None = Field(
        default=None, description="Of a selection."
    )
    jsonSchema: dict[str, Any] | None = Field(default=None, description="Of what is structured.")

    @model_validator(mode="after")
    def _fits_its_type(self) -> Self:
        if self.options is not None and self.type != "selection":
            raise ValueError(f"`options` are for a selection; leave them out of `{self.type}`.")
        if self.jsonSchema is not None and self.type != "structured":
            raise ValueError(f"`jsonSchema` is for what is structured; leave it out of `{self.type}`.")
        if self.type == "structured" and self.jsonSchema is None:
            raise ValueError("What is structured needs a `jsonSchema`.")
        if self.type == "selection":
            _check_options([each.strip() for each in self.options or ()])
        _bounded("jsonSchema", MOST_SCHEMA, self.jsonSchema, "Make it simpler, or ask for a text.")
        return self


def _check_options(options: list[str]) -> None:
    if not _LEAST_OPTIONS <= len(options) <= _MOST_OPTIONS:
        raise ValueError(
            f"A selection needs {_LEAST_OPTIONS} to {_MOST_OPTIONS} `options`; these are {len(options)}."
        )
    if any(map(is_empty, options)):
        raise ValueError("An option is empty.")
    if len({each.casefold() for each in options}) < len(options):
        raise ValueError("Two `options` are the same: give each its own text.")


class SessionConfig(Arguments):
    """The configuration as it is stored with the question. `cwd` and `mcpConfig` are paths as in the box of
    the agent group. `SessionRequests`, which knows the workspace, checks whether a path, a model or a
    schema can be used.
    """

    systemPrompt: _Text | None = Field(
        default=None, max_length=_LONGEST_SYSTEM_PROMPT, description="How the agent there is to help."
    )
    context: Annotated[dict[str, Any] | None, AfterValidator(_small_context)] = Field(
        default=None, description="What it is about."
    )
    model: _Text | None = Field(default=None, max_length=200, description="opus, sonnet, haiku.")
    cwd: _Path | None = Field(default=None, description="A folder below /work.")
    mcpConfig: _Path | None = Field(default=None, description="A file below /work that names MCP servers.")
    timeout: int | None = Field(default=None, ge=_SECOND, le=_WEEK, description="Milliseconds.")
    outcomeSchema: OutcomeWanted | None = Field(default=None, description="Default: a text.")
    captureTranscript: bool = Field(default=False, description="Keep what was said.")
    blockOrchestration: bool = Field(default=True, description="False: go on, and be woken by the result.")

    def stored(self) -> dict[str, Any]:
        """For the column of the question: without what was left out, with defaults."""
        names = set(SessionConfig.model_fields)
        return self.model_dump(mode="json", exclude_none=True, include=names)


class RequestSession(SessionConfig):
    """Ask a person to work on something with an agent, in a session of their own, and to decide: more than a question
    can settle. You get `outcome` (completed, cancelled, timeout, failed)
    and `response`. Rarely needed: `systemPrompt`, `model`, `cwd`, `mcpConfig`, `captureTranscript`, `deciders`, and
    `cancel` (the id of an earlier request, alone) to take one back.
    """

    unlisted = frozenset(
        ("systemPrompt", "model", "cwd", "mcpConfig", "captureTranscript", "deciders", "cancel")
    )

    prompt: _Text | None = Field(default=None, max_length=LONGEST_PROMPT, description="Must stand alone.")
    deciders: list[Annotated[_Text, Field(max_length=200)]] | None = Field(
        default=None, max_length=20, description="Handles of those who may decide."
    )
    cancel: _Text | None = Field(default=None, max_length=80, description="The id of an earlier request.")

    @model_validator(mode="after")
    def _asks_or_cancels(self) -> Self:
        if (self.prompt is None) == (self.cancel is None):
            raise ValueError("Give `prompt` to ask for a session, or `cancel` alone to take one back.")
        return self

    @property
    def config(self) -> SessionConfig:
        return SessionConfig.model_validate(
            {name: getattr(self, name) for name in SessionConfig.model_fields}
        )
