"""Pipeline templates as commands: `/write-article`, or one of their phrases at the beginning of a message."""

from collections.abc import Mapping
from dataclasses import dataclass

from nanoclaw.admission.commands import Command, HelpTopic
from nanoclaw.domain.people import Role
from nanoclaw.domain.pipelines import Template
from nanoclaw.pipelines.catalogue import Catalogue
from nanoclaw.pipelines.phrases import Meant, meant_by


@dataclass(frozen=True, kw_only=True, slots=True)
class TemplateCommands:
    """Looked up each time: a template changed on disk counts from the next message."""

    catalogue: Catalogue

    def find(self, name: str) -> Command | None:
        """The command of a template, even a broken one: its user is told what is wrong."""
        slashed = f"/{name}"
        is_known = self.catalogue.find(slashed) or self.catalogue.broken_with(slashed)
        return command_of(name) if is_known else None

    def meant(self, text: str) -> Meant | None:
        return meant_by(text, self.catalogue.templates())

    def listed(self) -> Mapping[str, str]:
        """The first command of each template, and what it starts."""
        found = self.catalogue.templates()
        return {name_of(template): template.title for template in found if template.triggers}


def name_of(template: Template) -> str:
    """Its first command, or its own name if it has only phrases."""
    return template.triggers[0].removeprefix("/") if template.triggers else template.name


def command_of(name: str) -> Command:
    return Command(name=name, topic=HelpTopic.PIPELINES, role=Role.MEMBER, usage="SUBJECT")
