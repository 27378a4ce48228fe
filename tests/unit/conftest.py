"""How hypothesis searches here: few examples, no clock. The machine may be busy, and a slow one is not a fault.

The examples are the same in every run, so that a change is judged by itself and not by luck. Who wants new ones asks
for them: `just search`.
"""

from hypothesis import HealthCheck, settings

_PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)

settings.register_profile("unit", _PATIENT, max_examples=60, derandomize=True)
settings.register_profile("search", _PATIENT, max_examples=2000)
settings.load_profile("unit")
