"""How hypothesis searches here: few examples, no clock. The machine may be busy, and a slow one is not a fault."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "unit", max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("unit")
