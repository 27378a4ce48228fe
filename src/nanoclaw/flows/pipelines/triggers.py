"""A person asks for a pipeline, by its command or in plain words: the answer is the card of a run, or what is
missing.
"""

from dataclasses import dataclass
from pathlib import Path

from nanoclaw.context.groups import Groups
from nanoclaw.domain.errors import NanoClawError, Refused
from nanoclaw.domain.messages import Message
from nanoclaw.domain.people import Person, Role
from nanoclaw.domain.pipelines import PipelineWish, Template
from nanoclaw.domain.text import as_written, is_empty
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.flows.incoming.commands import CommandContext, RefusedAnswer
from nanoclaw.flows.incoming.template_commands import name_of
from nanoclaw.flows.pipelines.changes import PipelineChanges, WantedRun
from nanoclaw.flows.pipelines.estimates import Estimates
from nanoclaw.flows.pipelines.run_text import short_id
from nanoclaw.pipelines.catalogue import FOLDER, BrokenTemplate, Catalogue
from nanoclaw.pipelines.phrases import Meant, is_vague
from nanoclaw.pipelines.sentences import sentence
from nanoclaw.texts import say, tell


@dataclass(frozen=True, kw_only=True, slots=True)
class Triggers:
    catalogue: Catalogue
    groups: Groups
    estimates: Estimates
    changes: PipelineChanges

    def named(self, tx: Tx, name: str, subject: str, asked: CommandContext) -> str:
        template = self.catalogue.find(f"/{name}")
        if template is None:
            broken = self.catalogue.broken_with(f"/{name}")
            return RefusedAnswer(_broken(broken, name, asked.locale.speaks))
        return self._begin(tx, template, name, subject, asked)

    def meant(self, tx: Tx, meant: Meant, asked: CommandContext) -> str:
        if len(meant.templates) > 1:
            lines = [
                f"- `{_example(template, meant.subject or '…')}` {as_written(template.title)}"
                for template in meant.templates
            ]
            return RefusedAnswer("\n".join([say(asked.locale.speaks, "start-which"), "", *lines]))
        template = meant.templates[0]
        return self._begin(tx, template, name_of(template), meant.subject, asked)

    def wished(
        self,
        tx: Tx,
        wish: PipelineWish,
        *,
        person: Person,
        group: str,
        message: Message,
        language: str,
        origin: str,
    ) -> bool:
        """A model understood a message as a wish for a pipeline; returns whether a card asks now. Once per origin."""
        template = self.catalogue.find(wish.template)
        if template is None or is_empty(wish.subject) or is_vague(wish.subject):
            return False
        wanted = WantedRun(
            template=template,
            subject=wish.subject,
            group=group,
            company=self.groups.get(group).company,
            chat_id=message.chat_id,
            language=language,
            thread=message.thread,
            message_id=message.id,
            origin=origin,
        )
        try:
            estimate = self.estimates.of(tx, template, wanted.company, group)
            self.changes.propose(tx, wanted, person, estimate, now())
        except Refused:
            return False
        return True

    def _begin(self, tx: Tx, template: Template, name: str, subject: str, asked: CommandContext) -> str:
        """Begin a run; empty if its card is the answer."""
        language = asked.locale.speaks
        if is_empty(subject) or is_vague(subject):
            told = {"title": as_written(template.title), "said": as_written(subject)}
            key = "start-no-subject" if is_empty(subject) else "start-vague"
            example = _example(template, say(language, "start-example"))
            return RefusedAnswer(say(language, key, example=example, **told))
        try:
            return self._propose(tx, template, subject, asked)
        except NanoClawError as error:
            return RefusedAnswer(as_written(tell(language, error)))

    def _propose(self, tx: Tx, template: Template, subject: str, asked: CommandContext) -> str:
        fits = [group for group in asked.groups if asked.rights.role_in(group).may(Role.MEMBER)]
        if not fits:
            raise Refused("run-no-agent")
        group = self.groups.get(fits[0])
        wanted = WantedRun(
            template=template,
            subject=subject,
            group=group.name,
            company=group.company,
            chat_id=asked.chat.id,
            language=asked.locale.speaks,
            thread=asked.message.thread,
            message_id=asked.message.id,
        )
        estimate = self.estimates.of(tx, template, group.company, group.name)
        run = self.changes.propose(tx, wanted, asked.person, estimate, asked.at)
        if run.message_id != asked.message.id:  # repeated within a few seconds
            return say(asked.locale.speaks, "start-same", id=short_id(run), title=as_written(template.title))
        return ""


def _example(template: Template, subject: str) -> str:
    if template.triggers:
        return f"/{name_of(template).replace('-', '_')} {subject}"
    return f"{template.phrases[0]} {subject}" if template.phrases else subject


def _broken(broken: BrokenTemplate | None, name: str, language: str) -> str:
    if broken is None:  # removed since the command was recognised
        return say(language, "order-unknown", name=name)
    first, *others = broken.mistakes
    return say(
        language,
        "start-broken",
        file=(FOLDER / Path(broken.path).name).as_posix(),
        line=first.line,
        mistake=as_written(sentence(language, first)),
        more=len(others),
    )
