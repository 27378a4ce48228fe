"""The models that may be called."""

from contextlib import suppress

from nanoclaw.context.groups import Groups
from nanoclaw.domain.errors import BadWorkspace
from nanoclaw.gateway.prices import split
from nanoclaw.host.settings import Settings

TIERS = ("haiku", "sonnet", "opus")


def allowed_models(settings: Settings, groups: Groups) -> tuple[str, ...]:
    """Patterns from the settings, otherwise the models that a tier or a group names."""
    agents = settings.agents
    if agents.allowed_models:
        return agents.allowed_models
    named = [getattr(agents, tier) for tier in TIERS]
    for name in groups.names():
        with suppress(BadWorkspace):
            named += [groups.get(name).model or ""]
    return tuple(dict.fromkeys(word for model in named for word in (model, split(model)[1]) if word))
