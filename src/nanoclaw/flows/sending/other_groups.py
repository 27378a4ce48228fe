"""An agent of the main group acts outside its own group: for a person who may, and in another company only with an
owner's approval.

Being the main group's agent gives no rights: it has those of the person it works for.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from nanoclaw.admission.tool_rules import arguments_hash, shown_arguments
from nanoclaw.context.groups import Group, Groups
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.people import Actor, Person, Rights, Role
from nanoclaw.domain.question_requests import TOOL_LAYOUT
from nanoclaw.domain.questions import NewQuestion, Question, QuestionKind
from nanoclaw.domain.tool_arguments import ChangeTask, RegisterGroup
from nanoclaw.domain.tool_requests import BadToolRequest, ToolRequest
from nanoclaw.domain.turns import Session
from nanoclaw.durable import memberships, people, permits, tasks
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.turns import speaker_of
from nanoclaw.flows.human.answer_text import told
from nanoclaw.flows.human.questions import Questions
from nanoclaw.texts import say

VIA = "agent"
_RULE = "another company"
_UNKNOWN = "?"  # never the name of a company
_NO_TURN = "No turn is running. Ask while you work for someone."
_TIMEOUT = timedelta(hours=1)
_ONCE_OR_NOT = tuple(option for option in TOOL_LAYOUT if option.id in ("once", "reject"))


@dataclass(frozen=True, kw_only=True, slots=True)
class _Target:
    """The target: a group, or the company for which one is to be created."""

    company: str
    group: str | None

    @property
    def name(self) -> str:
        return self.group or self.company


class OtherGroups:
    def __init__(self, *, store: Store, questions: Questions, groups: Groups, locale: Locale) -> None:
        self._store = store
        self._questions = questions
        self._groups = groups
        self._locale = locale

    async def refusal(self, asking: ToolRequest, session: Session, group: Group) -> str | None:
        """Why it is refused, in words for the agent; None if it is allowed, or stays within the group."""
        target = await self._store.read(lambda tx: self._target(tx, asking, group))
        if target is None:
            return None
        if not group.main:
            return "Only the main group may act outside its own group."
        found = await self._store.read(lambda tx: standing_of(tx, asking, session, group))
        if found is None:
            return _NO_TURN
        person, rights = found
        role = rights.role_in(target.group) if target.group else rights.everywhere
        if not role.may(Role.ADMIN):
            whose = "" if asking.by_model else " A script in the box has only the rights of a member."
            return f"Not done: {person.name} would have to be an owner, or an admin of {target.name}.{whose}"
        if target.company == group.company:
            return None
        if target.company == _UNKNOWN:
            return f"There is no group {target.name} whose file can be read."
        return await self._ask_owner(asking, session, group, target)

    def _target(self, tx: Tx, asking: ToolRequest, group: Group) -> _Target | None:
        """None if the target is inside the group, or does not exist: the act itself says so."""
        name = asking.target_group
        match asking.arguments:
            case RegisterGroup(company=company):
                return _Target(company=company or group.company, group=None)
            case ChangeTask(task_id=number):
                task = tasks.get(tx, number)
                name = task.group if task and group.main else None
        if not name or name == group.name:
            return None
        return _Target(company=self._groups.company_of(name) or _UNKNOWN, group=name)

    async def _ask_owner(
        self, asking: ToolRequest, session: Session, group: Group, target: _Target
    ) -> str | None:
        wanted = {
            "group": group.name,
            "session_id": session.id,
            "tool": asking.tool,
            "arguments_hash": arguments_hash(asking.tool, asking.arguments.plain()),
            "rule": _RULE,
        }
        if await self._store.write(lambda tx: _use_permit(tx, wanted)):
            return None
        try:
            question = await self._ask(asking, session, group, target, wanted["arguments_hash"])
        except BadToolRequest as error:
            return f"Not done: it would reach another company, and no owner could be asked. {error}"
        if await self._store.write(lambda tx: _use_permit(tx, wanted)):
            return None
        said = told(question, self._locale)
        if question.is_open:
            return (
                f"Not done yet: it would reach another company, and an owner decides about that. {said} When you are "
                "woken with the permission, call it again with the very same arguments."
            )
        return f"Not done: it would reach another company, and only an owner can allow that. {said}"

    async def _ask(
        self, asking: ToolRequest, session: Session, group: Group, target: _Target, arguments: str
    ) -> Question:
        owners = await self._store.read(lambda tx: people.with_role(tx, Role.OWNER))
        language = group.locale.or_else(self._locale).speaks
        why = say(
            language,
            "crossing-asked",
            tool=asking.tool,
            target=target.name,
            company=target.company,
            own=group.company,
        )
        wanted = NewQuestion(
            kind=QuestionKind.APPROVAL,
            prompt=why,
            options=_ONCE_OR_NOT,
            timeout=_TIMEOUT,
            default="reject",
            deciders=tuple(owner.handle for owner in owners),
            skill=asking.skill,
            tool={
                "tool": asking.tool,
                "why": why,
                "shown": shown_arguments(asking.arguments.plain()),
                "arguments": json.dumps(asking.arguments.plain(), sort_keys=True),
                "arguments_hash": arguments,
                "rule": _RULE,
                "allows": "same",
                "days": 1,
            },
        )
        asked_id = hashlib.sha256(f"{asking.id} {_RULE}".encode()).hexdigest()[:32]
        question = await self._questions.ask(wanted, await self._questions.asker(session, group, asked_id))
        attended, _ = await self._questions.attend(question)
        return attended


def standing_of(tx: Tx, asking: ToolRequest, session: Session, group: Group) -> tuple[Person, Rights] | None:
    """The person the agent asks for, with their rights if the host saw the agent itself make the request."""
    person = speaker_of(tx, session)
    if person is None:
        return None
    rights = memberships.rights_of(tx, person)
    return person, rights if asking.by_model else rights.as_member_of(group.name)


def actor_of(person: Person, rights: Rights, locale: Locale) -> Actor:
    language = Locale(language=person.language).or_else(locale).speaks
    return Actor.of(person, rights, via=VIA, language=language)


def _use_permit(tx: Tx, wanted: Mapping[str, Any]) -> bool:
    """Whether an owner has allowed exactly this call; uses up the permit. A delegate's approval is not an owner's."""
    permit = permits.covering(tx, **wanted, at=now())
    granter = people.person_named(tx, permit.granted_by) if permit else None
    if permit is None or granter is None or granter.role is not Role.OWNER:
        return False
    return permits.use_up(tx, permit.id, now())
