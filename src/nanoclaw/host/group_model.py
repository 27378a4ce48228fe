"""Chooses the model for a single question of the host: that of an agent group, or of the skill that does the work."""

from nanoclaw.domain.model_choice import ModelWish, choose
from nanoclaw.host.agents import DEMO, Agents
from nanoclaw.host.allowed_models import TIERS
from nanoclaw.host.base import Base


def model_for(base: Base, agents: Agents, group_name: str, prompt: str, skill_name: str = "") -> str | None:
    """`skill_name`: a skill other than the group's. None on the demo, which has no model."""
    group = base.groups.get(group_name)
    skill = base.known_skills.find(skill_name or group.skill)
    runtime = (skill and skill.head.runtime) or group.runtime or agents.default_runtime()
    if runtime == DEMO:
        return None
    places = [ModelWish(by="group", model=group.model)]
    places += [ModelWish(by="skill", model=skill.head.model)] if skill else []
    model = choose(places, prompt, 0).model
    return str(getattr(base.settings.agents, model)) if model in TIERS else model
