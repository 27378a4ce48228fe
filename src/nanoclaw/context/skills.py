"""Skills: what an agent can be asked to be. `skills/{domain}/{area}/{role}/SKILL.md`, front matter and instructions."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from nanoclaw.context import front_matter
from nanoclaw.context.adaptors import TARGET
from nanoclaw.context.front_matter import Flaw
from nanoclaw.domain.errors import BadSkill
from nanoclaw.domain.hosts import host_pattern
from nanoclaw.domain.model_choice import Complexity, ThinkingChoice
from nanoclaw.domain.pipelines import KNOWN_RESULTS, PipelineWish, ResultKind
from nanoclaw.domain.tool_rules import ToolRule
from nanoclaw.durable.file_listing import FileListing, Stamp


def _new_result(name: str) -> str:
    """Refuse the names that every step has: a gate must mean the same in all templates."""
    if name in (*KNOWN_RESULTS, "text", "outputs"):
        raise ValueError(f"`{name}` exists for every skill; leave it out")
    return name


_ResultName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]*$", max_length=64), AfterValidator(_new_result)]


class SkillFrontMatter(BaseModel):
    """The front matter of a SKILL.md."""

    model_config = ConfigDict(defer_build=True, extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$", max_length=64)  # also the name of a folder in a box
    description: str = Field(min_length=1)
    context: tuple[str, ...] = ()
    model: Literal["haiku", "sonnet", "opus", "auto"] = "sonnet"  # auto: by how hard the message looks
    thinking: ThinkingChoice | None = None  # before it answers; None: the model's default
    runtime: Literal["demo", "native", "claude-code"] | None = None
    commands: tuple[Annotated[str, Field(pattern=r"^/[a-z][a-z0-9-]*$")], ...] = ()
    with_file: str | None = None  # the skill that takes its commands if they come with a file
    tools: tuple[str, ...] = ()
    without_tools: tuple[str, ...] = ()
    network: tuple[Annotated[str, AfterValidator(host_pattern)], ...] = ()
    targets: tuple[Annotated[str, Field(pattern=TARGET)], ...] = ()  # channels it writes for
    approvals: tuple[ToolRule, ...] = ()  # tool calls that need a person first
    results: dict[_ResultName, ResultKind] = Field(
        default_factory=dict, max_length=20
    )  # what it hands in as a step


@dataclass(frozen=True, kw_only=True, slots=True)
class Skill:
    head: SkillFrontMatter
    instructions: str
    path: Path

    @property
    def name(self) -> str:
        return self.head.name


@dataclass(frozen=True, kw_only=True, slots=True)
class ChosenSkill:
    """A skill and why it was chosen; the reason goes into the timeline."""

    skill: Skill | None
    reason: str
    topic: str = ""  # the topic that decided
    wish: PipelineWish | None = None  # a pipeline instead
    complexity: Complexity | None = None  # of the message, if a small model read it


@dataclass
class Skills:
    """The skills of a workspace. A broken one is skipped and reported, and does not stop the others."""

    workspace: Path
    _known: dict[Path, tuple[Stamp, Skill | BadSkill]] = field(default_factory=dict)
    _sound: tuple[Skill, ...] = ()
    _faults: list[BadSkill] = field(default_factory=list)
    _commands: dict[str, Skill] = field(default_factory=dict)
    _seen: Mapping[Path, Stamp] | None = None

    def __post_init__(self) -> None:
        self._files = FileListing(self.workspace / "skills", "*/*/*/SKILL.md")

    def choose(self, command: str | None, default: str, *, has_file: bool = False) -> ChosenSkill:
        """By an explicit `/command`, otherwise the group's default skill."""
        skills = self.skills()
        for skill in skills:
            if command and f"/{command}" in skill.head.commands:
                other = self.find(skill.head.with_file) if has_file and skill.head.with_file else None
                return ChosenSkill(skill=other or skill, reason="command")
        for skill in skills:
            if skill.name == default:
                return ChosenSkill(skill=skill, reason="default")
        return ChosenSkill(skill=None, reason="missing")

    def find(self, ref: str) -> Skill | None:
        """Find a skill by its name, or its path such as `marketing/content/news-curator`."""
        path = self.workspace / "skills" / ref.strip("/") / "SKILL.md"
        return next((skill for skill in self.skills() if ref == skill.name or path == skill.path), None)

    def commands(self) -> Mapping[str, Skill]:
        self._look()
        return self._commands

    def skills(self) -> tuple[Skill, ...]:
        """The same tuple until one of them changes."""
        self._look()
        return self._sound

    def faults(self) -> list[BadSkill]:
        self._look()
        return self._faults

    def _look(self) -> None:
        files = self._files.look()
        if files is self._seen:
            return
        self._known = {path: self._fresh(path, stamp) for path, stamp in files.items()}
        told = [skill for _, skill in _told_apart(self._known)]
        sound = tuple(skill for skill in told if isinstance(skill, Skill))
        if sound != self._sound:
            self._sound = sound
        self._faults = [skill for skill in told if isinstance(skill, BadSkill)]
        self._commands = {
            command.removeprefix("/"): skill for skill in sound for command in skill.head.commands
        }
        self._seen = files

    def _fresh(self, path: Path, stamp: Stamp) -> tuple[Stamp, Skill | BadSkill]:
        known = self._known.get(path)
        if known is not None and known[0] == stamp:
            return known
        try:
            return stamp, read_skill(path)
        except BadSkill as fault:
            return stamp, fault


def _told_apart(
    known: dict[Path, tuple[Stamp, Skill | BadSkill]],
) -> Iterator[tuple[Stamp, Skill | BadSkill]]:
    """Of two skills with one name the second is a fault: nobody could tell which one is meant."""
    names: dict[str, Path] = {}
    for path, (stamp, skill) in known.items():
        if isinstance(skill, Skill) and names.setdefault(skill.name, path) != path:
            yield stamp, _bad(path, 2, "skill-twice", name=skill.name, other=str(names[skill.name]))
        else:
            yield stamp, skill


def read_skill(path: Path) -> Skill:
    """Parse one SKILL.md; every fault is reported with its line."""
    try:
        text = path.read_text("utf-8", errors="replace")
    except OSError as error:
        raise _bad(path, 1, "skill-unreadable", said=error.strerror or str(error)) from error
    return parse_skill(path, text)


def parse_skill(path: Path, text: str) -> Skill:
    """Parse the text of a SKILL.md, wherever it was read."""
    head = front_matter.read(lines := text.splitlines())
    if isinstance(head, Flaw):
        raise _bad(path, head.line, f"skill-{head.reason}", said=head.said)
    try:
        checked = SkillFrontMatter.model_validate(head.values)
    except ValidationError as error:
        raise _fault(path, front_matter.line_of(head, error), error) from error
    return Skill(head=checked, instructions="\n".join(lines[head.close :]).strip(), path=path)


def _fault(path: Path, line: int, error: ValidationError) -> BadSkill:
    first = error.errors()[0]
    names = [part for part in first["loc"] if isinstance(part, str)]
    key = ".".join(names)
    if first["type"] == "extra_forbidden":
        known = SkillFrontMatter.model_fields if len(names) == 1 else ToolRule.model_fields
        return _bad(path, line, "skill-unknown-key", key=key, known=", ".join(known))
    return _bad(path, line, "skill-bad-value", key=key, said=first["msg"])


def _bad(path: Path, line: int, key: str, /, **values: object) -> BadSkill:
    return BadSkill(key, file=str(path), line=str(line), **values)
