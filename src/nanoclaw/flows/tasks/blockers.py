"""Whether a task may run now: its owner, agent group, chat and skill are checked each time."""

from dataclasses import dataclass

from nanoclaw.context.groups import Groups
from nanoclaw.context.skills import Skills
from nanoclaw.domain.errors import BadWorkspace
from nanoclaw.domain.people import Role
from nanoclaw.domain.tasks import Task
from nanoclaw.durable import memberships, people, wirings
from nanoclaw.durable.store import Tx


@dataclass(frozen=True, kw_only=True, slots=True)
class Blockers:
    groups: Groups
    known_skills: Skills

    def in_the_way_of(self, tx: Tx, task: Task) -> str | None:
        """The blocker, as the key of the text `task-why-<key>`; None if there is none."""
        try:
            self.groups.get(task.group)
        except BadWorkspace:
            return "group-gone"
        owner = people.person(tx, task.owner)
        if owner.blocked or not memberships.rights_of(tx, owner).role_in(task.group).may(Role.MEMBER):
            return "owner-lost-rights"
        if task.group not in wirings.groups_of(tx, task.chat_id):
            return "unwired"
        if task.skill and self.known_skills.find(task.skill) is None:
            return "skill-gone"
        return None
