"""Collects from the workspace everything that a runtime learns about a turn."""

import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path

from nanoclaw.context import message_xml, recalled_xml
from nanoclaw.context.classifier import classify
from nanoclaw.context.company_context import CompanyContexts
from nanoclaw.context.groups import Group, Groups
from nanoclaw.context.mounts import allowed_mounts
from nanoclaw.context.recall import Recall, RecalledContext
from nanoclaw.context.skills import ChosenSkill, Skill, Skills
from nanoclaw.context.system_prompt import SystemPrompts, files_for
from nanoclaw.context.topics import skills_of, topic_of
from nanoclaw.domain.boxes import WORK
from nanoclaw.domain.ids import PersonId, TurnId
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.memory import MemoryMode
from nanoclaw.domain.messages import Message
from nanoclaw.domain.model_choice import ModelChoice, ModelWish, choose
from nanoclaw.domain.money import Spender
from nanoclaw.domain.people import Speaker
from nanoclaw.domain.pipelines import Template
from nanoclaw.domain.tasks import Task
from nanoclaw.domain.tool_rules import ToolRule
from nanoclaw.domain.turns import Exchange, OtherSkill, Session, TurnGrants, TurnRequest

_CONVERSATIONS = uuid.UUID("5c3b6a0e-9d0c-4f43-8f5a-0d3c8a3f5e11")


@dataclass(frozen=True, kw_only=True, slots=True)
class Prepared:
    """A turn ready to run, its runtime, why it has this skill, and what was found for it."""

    request: TurnRequest
    runtime: str
    choice: ChosenSkill
    found: RecalledContext
    model: ModelChoice
    may_ask_first: bool  # it was told how to answer with questions


class Preparation:
    def __init__(
        self,
        *,
        groups: Groups,
        known_skills: Skills,
        contexts: CompanyContexts,
        system_prompts: SystemPrompts,
        recall: Recall,
        locale: Locale,
        runtime: Callable[[], str],
        models: Mapping[str, str],
        mounts_list: Path,
        approvals: Sequence[ToolRule] = (),
        ask: Callable[[Spender, str], Awaitable[str]] | None = None,
        most_steps_of_tasks: int = 200,
        templates: Callable[[], Sequence[Template]] = tuple,
    ) -> None:
        """`runtime` is the default for groups that name none; `models` says which model a tier means.
        `approvals` say which tools need a person first, whatever the skill says. `ask` is a small model,
        for groups that want a skill to be chosen by the message's content.
        """
        self._groups = groups
        self._known_skills = known_skills
        self._contexts = contexts
        self._system_prompts = system_prompts
        self._recall = recall
        self._locale = locale
        self._runtime = runtime
        self._models = models
        self._mounts_list = mounts_list
        self._approvals = approvals
        self._ask = ask
        self._most_steps_of_tasks = most_steps_of_tasks
        self._templates = templates
        self._others: tuple[tuple[Skill, ...], tuple[OtherSkill, ...]] = ((), ())

    def locale_of(self, session: Session, person: Locale) -> Locale:
        """The locale of the person who woke the agent, then the group's, then the workspace's."""
        return person.or_else(self._groups.locale_of(session.group)).or_else(self._locale)

    def runtime_for(self, group: str, skill: str | None) -> str:
        """The runtime of a turn with this skill, or with the one that the group names."""
        found = self._groups.get(group)
        named = self._known_skills.find(skill or found.skill)
        return (named and named.head.runtime) or found.runtime or self._runtime()

    def may_ask(self, session: Session) -> bool:
        """Whether a model may be asked which skill is meant."""
        group = self._groups.get(session.group)
        return bool(group.classify or group.topics)

    def worded(
        self, messages: Sequence[Message], locale: Locale, speakers: Mapping[PersonId, Speaker]
    ) -> str:
        return message_xml.put(messages, locale, speakers=speakers)

    async def prepare(
        self,
        *,
        turn_id: TurnId,
        session: Session,
        messages: Sequence[Message],
        history: tuple[Exchange, ...],
        locale: Locale,
        command: str | None,
        again: bool,
        channel: str = "",
        overheard: Sequence[Message] = (),
        speakers: Mapping[PersonId, Speaker] | None = None,
        acts_as: str | None = None,
        step: ModelWish | None = None,
        task: Task | None = None,
        speaker: PersonId | None = None,
        handle: str | None = None,
        is_own: bool = False,
        notes: Sequence[str] = (),
        memory: MemoryMode = MemoryMode.WRITE,
        wants_memory: bool = True,
        is_stranger: bool = False,
        may_ask_first: bool = False,
    ) -> Prepared:
        """`memory` is what the chat's turns may do with their company's memory, and `wants_memory` whether
        this one is told what it knows; `step` is what the pipeline step says about the model; `handle` is
        the speaker's. `may_ask_first`: a person is there to answer questions before the work begins,
        unless the group wants none.
        """
        group = self._groups.get(session.group)
        may_ask_first = may_ask_first and group.interactive
        choice = await self._choose(
            turn_id, session, group, messages, command, acts_as, handle, is_own=is_own
        )
        skill = choice.skill
        company = self._contexts.read(group.company)
        found = await self._recall.find(
            group.company,
            messages,
            history,
            stamps=company.stamps,
            passages_of=files_for(skill)[1],
            wants_memory=wants_memory and memory is not MemoryMode.OFF,
            is_stranger=is_stranger,
        )
        chosen = self._model(group, skill, choice, messages, task=task, step=step)
        request = TurnRequest(
            turn_id=turn_id,
            session_id=session.id,
            group=group.name,
            company=group.company,
            skill=skill.name if skill else group.skill,
            model=chosen.model,
            thinking=chosen.thinking,
            system_prompt=self._system_prompts.system_prompt(
                company, skill, channel, found.memory.stable, may_ask_first=may_ask_first
            ),
            history=history,
            prompt=message_xml.put(
                messages, locale, overheard=overheard, speakers=speakers, again=again, notes=notes
            ),
            recalled=recalled_xml.put(found.recalled, locale, found.memory.recent),
            conversation=conversation_of(session),
            grants=TurnGrants(
                other_skills=self._other_skills(),
                tools=skill.head.tools if skill else (),
                without_tools=(
                    *group.without_tools,
                    *(skill.head.without_tools if skill else ()),
                    *_refused_tools(session, memory),
                ),
                network=tuple(dict.fromkeys((*group.network, *(skill.head.network if skill else ())))),
                web_search=group.web_search,
                mcp=group.mcp,
                mounts=allowed_mounts(group.mounts, self._mounts_list),
                main=group.main,
                approvals=(*self._approvals, *(skill.head.approvals if skill else ())),
            ),
            speaker=speaker,
            is_stranger=is_stranger,
            again=again,
            is_unattended=task is not None,
            flow=_flow(skill, is_task=task is not None),
            chain_id=session.chain_id,
            most_steps=self._most_steps_of_tasks if task else None,
            person=handle,
            language=locale.speaks,
            chat_id=session.chat_id,
            task_id=task.id if task else None,
            is_own=is_own,
        )
        runtime = (skill and skill.head.runtime) or group.runtime or self._runtime()
        return Prepared(
            request=request,
            runtime=runtime,
            choice=choice,
            found=found,
            model=chosen,
            may_ask_first=may_ask_first,
        )

    def tier_of(self, model: str) -> str:
        """What people call a model: its tier, or its own name."""
        return next((tier for tier, named in self._models.items() if named == model), model)

    def _model(
        self,
        group: Group,
        skill: Skill | None,
        choice: ChosenSkill,
        messages: Sequence[Message],
        *,
        task: Task | None,
        step: ModelWish | None,
    ) -> ModelChoice:
        """The first that names a model: the step of a pipeline, the task, the group, the skill."""
        places = [
            *([step] if step else []),
            *([ModelWish(by="task", model=task.model, thinking=task.policy.thinking)] if task else []),
            ModelWish(by="group", model=group.model, thinking=group.thinking),
            *([ModelWish(by="skill", model=skill.head.model, thinking=skill.head.thinking)] if skill else []),
        ]
        text = "\n".join(message.text for message in messages)
        files = sum(len(message.files) for message in messages)
        chosen = choose(places, text, files, choice.complexity)
        return replace(chosen, model=self._models.get(chosen.model, chosen.model))

    async def _choose(
        self,
        turn_id: TurnId,
        session: Session,
        group: Group,
        messages: Sequence[Message],
        command: str | None,
        acts_as: str | None,
        handle: str | None,
        *,
        is_own: bool,
    ) -> ChosenSkill:
        """Choose the skill by its command, else as it asked people, else by topic or content, else the group's."""
        usual = self._known_skills.choose(
            command, acts_as or group.skill, has_file=any(map(_brings_file, messages))
        )
        if usual.skill is None:  # it was removed since
            usual = self._known_skills.choose(command, group.skill)
        if usual.reason == "command" or acts_as:
            return usual
        topic = topic_of(group.topics, session.chat_id, session.thread)
        allowed = skills_of(topic, self._known_skills) if topic else ()
        if len(allowed) == 1:
            return ChosenSkill(skill=allowed[0], reason="topic", topic=session.thread or "")
        if not (allowed or group.classify) or not messages or self._ask is None:
            return usual
        spender = Spender(
            company=group.company,
            group=group.name,
            session_id=session.id,
            turn_id=turn_id,
            runtime="classifier",
            chain_id=session.chain_id,
            person=handle,
            chat_id=session.chat_id,
            task_id=session.task,
            flow=_flow(None, is_task=session.task is not None),
            is_own=is_own,
        )
        found = await classify(
            partial(self._ask, spender),
            messages[-1].text,
            allowed or self._known_skills.skills(),
            () if allowed else self._templates(),
        )
        if found and found.wish:
            return replace(usual, wish=found.wish)
        if found and allowed:
            return replace(found, reason="topic-classified", topic=session.thread or "")
        return found or usual

    def _other_skills(self) -> tuple[OtherSkill, ...]:
        skills = self._known_skills.skills()
        if skills is not self._others[0]:
            self._others = skills, tuple(map(self._other_skill, skills))
        return self._others[1]

    def _other_skill(self, skill: Skill) -> OtherSkill:
        return OtherSkill(
            name=skill.name,
            description=skill.head.description,
            instructions=skill.instructions,
            model=self._models.get(skill.head.model, self._models["sonnet"]),
            folder=skill.path.parent,
            approvals=skill.head.approvals,
        )


def _refused_tools(session: Session, memory: MemoryMode) -> tuple[str, ...]:
    """Tools that would refuse every call in this conversation: offered, they cost words and are tried in vain."""
    refused = {MemoryMode.OFF: ("remember", "recall"), MemoryMode.READ: ("remember",)}.get(memory, ())
    return (*refused, "propose_transfer") if session.task or session.then else refused


def _flow(skill: Skill | None, *, is_task: bool) -> str:
    """The flow these costs belong to. A skill that changes the company's context works for that flow."""
    if is_task:
        return "F"
    return "H" if skill and "propose_context" in skill.head.tools else "A"


def _brings_file(message: Message) -> bool:
    """Whether a file comes with it, or with what it replies to, where the host writes each file's path."""
    quoted = message.reply_to.text if message.reply_to else ""
    return bool(message.files) or f"[document: {WORK}/" in quoted


def conversation_of(session: Session) -> str:
    """The conversation id: the same for every turn of a session until it is cleared."""
    cleared = session.cleared_at.isoformat() if session.cleared_at else ""
    return _conversation(f"{session.id} {cleared}")


@lru_cache(maxsize=1000)
def _conversation(name: str) -> str:
    return str(uuid.uuid5(_CONVERSATIONS, name))
