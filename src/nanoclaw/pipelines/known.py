"""What a template can name: the skills, adaptors, models and files of a workspace, as plain values."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from nanoclaw.domain.pipelines import KNOWN_RESULTS, ResultKind


@dataclass(frozen=True, kw_only=True, slots=True)
class KnownSkill:
    name: str
    path: str  # marketing/content/editor
    model: str = "sonnet"
    results: tuple[tuple[str, ResultKind], ...] = ()  # declared in its front matter
    targets: tuple[str, ...] = ()

    @property
    def gives(self) -> Mapping[str, ResultKind]:
        return {**KNOWN_RESULTS, **dict(self.results)}


@dataclass(frozen=True, kw_only=True, slots=True)
class Known:
    skills: tuple[KnownSkill, ...] = ()
    broken: tuple[str, ...] = ()  # paths of skills that cannot be used
    targets: tuple[str, ...] = ()  # of adaptors
    commands: tuple[str, ...] = ()  # "/help", of the host and of skills
    models: tuple[str, ...] = ("haiku", "sonnet", "opus")
    # Called only if a template names one: both are slow.
    context_files: Callable[[], Collection[str]] = field(default=tuple, compare=False)  # "brand/voice"
    is_model: Callable[[str], bool] = field(default=lambda _: False, compare=False)  # one with a price

    def skill(self, path: str) -> KnownSkill | None:
        return next((skill for skill in self.skills if skill.path == path), None)
