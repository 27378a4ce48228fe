"""The process templates of a workspace, and what they can name in it."""

from fnmatch import fnmatchcase
from operator import is_not
from pathlib import Path

from nanoclaw.admission.commands import COMMANDS
from nanoclaw.context.adaptors import Adaptors
from nanoclaw.context.groups import Groups
from nanoclaw.context.skills import Skill, Skills
from nanoclaw.domain.model_choice import AUTO
from nanoclaw.gateway.prices import split
from nanoclaw.host.allowed_models import TIERS, allowed_models
from nanoclaw.host.settings import Settings
from nanoclaw.pipelines.catalogue import Catalogue
from nanoclaw.pipelines.known import Known, KnownSkill


def make_catalogue(home: Path, settings: Settings, groups: Groups, known_skills: Skills) -> Catalogue:
    return Catalogue(home, KnownHere(home, settings, groups, known_skills, Adaptors(home)).known)


class KnownHere:
    """Rebuilt only when a skill or an adaptor changes."""

    def __init__(
        self, home: Path, settings: Settings, groups: Groups, known_skills: Skills, adaptors: Adaptors
    ) -> None:
        self._home = home
        self._settings = settings
        self._groups = groups
        self._skills = known_skills
        self._adaptors = adaptors
        self._made_of: tuple[object, ...] = ()
        self._known = Known()

    def known(self) -> Known:
        found = (self._skills.skills(), self._skills.faults(), self._adaptors.all())
        if not self._made_of or any(map(is_not, found, self._made_of)):
            self._known, self._made_of = self._make(), found
        return self._known

    def _make(self) -> Known:
        folder = self._home / "skills"
        skills = self._skills.skills()
        return Known(
            skills=tuple(_known(skill, folder) for skill in skills),
            broken=tuple(_path(Path(str(fault.values["file"])), folder) for fault in self._skills.faults()),
            targets=tuple(self._adaptors.targets()),
            commands=(
                *(f"/{name}" for name in COMMANDS),
                *(command for skill in skills for command in skill.head.commands),
            ),
            models=(*TIERS, AUTO),
            context_files=lambda: _context_files(self._home),
            is_model=lambda model: _is_allowed(model, allowed_models(self._settings, self._groups)),
        )


def _known(skill: Skill, folder: Path) -> KnownSkill:
    return KnownSkill(
        name=skill.name,
        path=_path(skill.path, folder),
        model=skill.head.model,
        results=tuple(skill.head.results.items()),
        targets=skill.head.targets,
    )


def _path(file: Path, folder: Path) -> str:
    return file.parent.relative_to(folder).as_posix()


def _context_files(home: Path) -> set[str]:
    """The context files of any company: a template is for all of them."""
    found = home.glob("companies/*/context/*/*.md")
    return {f"{path.parent.name}/{path.stem}" for path in found}


def _is_allowed(model: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(word, pattern) for pattern in patterns for word in (model, split(model)[1]))
