"""Assembles what decides who may speak: for a running host, and for a command beside it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Self

from nanoclaw.admission.rates import Rates
from nanoclaw.context.group_creation import GroupCreation
from nanoclaw.context.groups import Groups
from nanoclaw.context.skills import Skills
from nanoclaw.delivery.alerts import Alerts
from nanoclaw.flows.incoming.access import AccessChanges
from nanoclaw.flows.incoming.access_commands import AccessCommands
from nanoclaw.flows.incoming.admission import MessageAdmission
from nanoclaw.flows.incoming.approvals import Approvals
from nanoclaw.flows.incoming.cards import Cards
from nanoclaw.flows.incoming.commands import Commands
from nanoclaw.flows.incoming.held_messages import HeldMessages
from nanoclaw.flows.incoming.template_commands import TemplateCommands
from nanoclaw.host.settings import Settings
from nanoclaw.host.templates import make_catalogue
from nanoclaw.pipelines.catalogue import Catalogue


@dataclass(frozen=True, kw_only=True, slots=True)
class Admission:
    message_admission: MessageAdmission
    approvals: Approvals
    waiting: HeldMessages
    access: AccessChanges
    groups: Groups
    known_skills: Skills
    catalogue: Catalogue
    commands: Commands
    rates: Rates

    @classmethod
    def of(cls, home: Path, settings: Settings, groups: Groups, known_skills: Skills) -> Self:
        cards = Cards(Alerts(locale=settings.locale), groups)
        catalogue = make_catalogue(home, settings, groups, known_skills)
        commands = Commands(known_skills, TemplateCommands(catalogue=catalogue))
        limits = settings.limits
        rates = Rates(per_person=limits.person_per_minute, per_group=limits.group_per_minute)
        message_admission = MessageAdmission(
            groups=groups,
            commands=commands,
            cards=cards,
            rates=rates,
            locale=settings.locale,
            longest=limits.message_characters,
        )
        waiting = HeldMessages(
            message_admission=message_admission, cards=cards, groups=groups, known_skills=known_skills
        )
        group_creation = GroupCreation(home)
        approvals = Approvals(
            message_admission=message_admission,
            cards=cards,
            waiting=waiting,
            groups=groups,
            group_creation=group_creation,
        )
        access = AccessChanges(groups=groups, group_creation=group_creation, waiting=waiting)
        commands.learn(AccessCommands(access, approvals, groups).answers(), paired=waiting.paired)
        return cls(
            catalogue=catalogue,
            commands=commands,
            rates=rates,
            message_admission=message_admission,
            approvals=approvals,
            waiting=waiting,
            access=access,
            groups=groups,
            known_skills=known_skills,
        )
