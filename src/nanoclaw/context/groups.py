"""Agent groups: `groups/{group}/group.toml` says which company an agent works for and how."""

import os
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from nanoclaw.context.topics import Topics
from nanoclaw.domain.errors import BadWorkspace
from nanoclaw.domain.hosts import host_pattern
from nanoclaw.domain.locale import Locale, zone_name
from nanoclaw.domain.model_choice import ThinkingChoice
from nanoclaw.domain.question_requests import Harmless


class MountWish(BaseModel):
    """A folder of the machine that the group wants to see, as `/extra/<name>`."""

    model_config = ConfigDict(defer_build=True, extra="forbid", frozen=True)

    path: str = Field(pattern=r"^/")
    write: bool = False


OptionId = Annotated[str, Field(min_length=1, max_length=40)]
OptionLabel = Annotated[str, Field(min_length=1, max_length=20)]


def _as_wish(written: object) -> object:
    """Read a bare path as a wish to read it."""
    return {"path": written} if isinstance(written, str) else written


class GroupFile(BaseModel):
    """An agent group as a person describes it."""

    model_config = ConfigDict(defer_build=True, extra="forbid", frozen=True)

    company: str = Field(pattern=r"^[\w-]+$")
    main: bool = False
    skill: str = "general-assistant"
    runtime: Literal["demo", "native", "claude-code"] | None = None
    model: str | None = Field(default=None, min_length=1)  # a tier, a vendor's model, or auto
    thinking: ThinkingChoice | None = None
    classify: bool = False
    topics: Topics = Field(default_factory=dict)
    network: tuple[Annotated[str, AfterValidator(host_pattern)], ...] = ()
    web_search: bool = False
    interactive: bool = True  # its agents may answer people with questions in JSON, which become a plan
    mcp: tuple[str, ...] = ()
    without_tools: tuple[str, ...] = ()  # tools of the host that are not offered, and refused
    mounts: tuple[Annotated[MountWish, BeforeValidator(_as_wish)], ...] = ()
    safe_options: dict[OptionId, OptionLabel] = Field(
        default_factory=dict
    )  # options of questions that destroy nothing
    draft_options: dict[OptionId, OptionLabel] = Field(default_factory=dict)  # options that publish nothing
    language: Literal["en", "uk"] | None = None
    timezone: Annotated[str, AfterValidator(zone_name)] | None = None


class Group(GroupFile):
    """A group with its name, which is that of its folder."""

    name: str

    @property
    def harmless(self) -> Harmless:
        return Harmless(safe=self.safe_options, draft=self.draft_options)

    @property
    def locale(self) -> Locale:
        return Locale(language=self.language, timezone=self.timezone)


class Groups:
    """The agent groups of a workspace, read when asked for."""

    def __init__(self, workspace: Path) -> None:
        self._folder = workspace / "groups"
        self._read: dict[str, tuple[int, Group]] = {}

    def names(self) -> list[str]:
        # As text: every message passes here, and path objects cost more than the check itself.
        with suppress(FileNotFoundError), os.scandir(self._folder) as found:
            return sorted(each.name for each in found if os.path.exists(f"{each.path}/group.toml"))  # noqa: PTH110
        return []

    def get(self, name: str) -> Group:
        path = f"{self._folder}/{name}/group.toml"
        try:
            stamp = os.stat(path).st_mtime_ns  # noqa: PTH116
        except OSError:
            raise BadWorkspace("group-missing", group=name, file=path) from None
        known = self._read.get(name)
        if known is None or known[0] != stamp:
            known = (stamp, read_group(Path(path)))
            self._read[name] = known
        return known[1]

    def is_other(self, name: str) -> bool:
        """Whether it is not the main group, which comes first wherever groups are offered."""
        return name != self.main().name

    def usable(self) -> tuple[str, ...]:
        """The groups whose file can be read."""
        return tuple(name for name in self.names() if self.company_of(name))

    def company_of(self, name: str) -> str | None:
        """None if the group was removed; empty if its file cannot be read, which is reported elsewhere."""
        try:
            return self.get(name).company
        except BadWorkspace as fault:
            return None if fault.key == "group-missing" else ""

    def companies(self) -> tuple[str, ...]:
        """The companies that a group works for."""
        return tuple(sorted({company for name in self.names() if (company := self.company_of(name))}))

    def locale_of(self, name: str) -> Locale:
        """The group's language and zone; unknown if the group cannot be read, which is reported elsewhere."""
        try:
            return self.get(name).locale
        except BadWorkspace:
            return Locale()

    def main(self) -> Group:
        """The group whose people administer the host, otherwise the first. A broken one does not stop the others."""
        groups, faults = [], []
        for name in self.names():
            try:
                groups.append(self.get(name))
            except BadWorkspace as fault:
                faults.append(fault)
        if not groups:
            raise faults[0] if faults else BadWorkspace("no-groups", folder=str(self._folder))
        return next((group for group in groups if group.main), groups[0])


def read_group(path: Path) -> Group:
    try:
        written = GroupFile.model_validate(tomllib.loads(path.read_text("utf-8")))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadWorkspace("group-broken", file=str(path), said=str(error)) from error
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        known = ", ".join(GroupFile.model_fields)
        if first["type"] in ("extra_forbidden", "missing"):
            raise BadWorkspace(
                "group-key", file=str(path), key=key, said=first["type"], known=known
            ) from error
        said = first["msg"].removeprefix("Value error, ")
        raise BadWorkspace("group-value", file=str(path), key=key, said=said) from error
    return Group(name=path.parent.name, **written.model_dump())
