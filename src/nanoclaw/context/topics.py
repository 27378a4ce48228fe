"""What the topics of a chat are for: each has its own skill, or a domain whose skills it may use."""

from collections.abc import Mapping
from typing import Annotated, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from nanoclaw.context.skills import Skill, Skills

_Ref = Annotated[str, Field(min_length=1, max_length=200)]
TopicId = Annotated[str, Field(pattern=r"^\S{1,100}$")]
"""The number of a topic, as Telegram's link to it ends; `c_…/42` for a topic of one chat among several."""


class Topic(BaseModel):
    """`skill` alone, or a domain, or skills; of a domain with skills only those."""

    model_config = ConfigDict(defer_build=True, extra="forbid", frozen=True)

    skill: _Ref | None = None
    domain: _Ref | None = None
    skills: tuple[_Ref, ...] = ()

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if bool(self.skill) == bool(self.domain or self.skills):
            raise ValueError("give a skill, or a domain, or skills")
        return self

    @property
    def named(self) -> tuple[str, ...]:
        return (self.skill,) if self.skill else self.skills


def _as_topic(written: object) -> object:
    """Read a bare name as a skill, a list as several."""
    if isinstance(written, str):
        return {"skill": written}
    return {"skills": written} if isinstance(written, list) else written


Topics = dict[TopicId, Annotated[Topic, BeforeValidator(_as_topic)]]


def topic_of(topics: Mapping[str, Topic], chat_id: str, thread: str | None) -> Topic | None:
    if not topics or thread is None:
        return None
    return topics.get(f"{chat_id}/{thread}") or topics.get(thread)


def skills_of(topic: Topic, known_skills: Skills) -> tuple[Skill, ...]:
    """The skills that exist. Missing ones are reported by the doctor, and at the start of the host."""
    if topic.named:
        return tuple(skill for name in topic.named if (skill := known_skills.find(name)))
    return tuple(skill for skill in known_skills.skills() if domain_of(skill) == topic.domain)


def domain_of(skill: Skill) -> str:
    """The domain: the first of its three folders."""
    return skill.path.parents[2].name
