"""The plan of a run: what goes wrong, and after how many messages. The same seed makes the same plan."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

KINDS: dict[str, str] = {
    "kill": "a host is killed at any moment",
    "kill-before": "a host is killed when its call has arrived and nothing is done",
    "kill-after": "a host is killed when its call is done and not answered",
    "pause": "a host stands still for longer than its lease, and goes on",
    "pause-at-call": "the same, from the moment of a call",
    "cut-before": "the connection breaks before the call is done",
    "cut-after": "the connection breaks after the call is done",
    "flood": "429 with a time to wait",
    "fail-before": "500, 502 or 504, and nothing was done",
    "fail-after": "500, 502 or 504 although the call was done",
    "model-busy": "the model answers 429",
    "model-overloaded": "the model answers 529",
    "model-cut": "the model's answer breaks off",
    "database-down": "the database is stopped and started again",
    "database-frozen": "the database stands still with open connections",
    "clock": "the wall clock of a host is set forward or back while it runs",
    "clock-restart": "the same while the host is down",
    "disk": "the disk is full for a while",
    "repeat": "an update comes twice",
    "delay": "updates come late",
}
_AT_CALL = (
    "kill-before",
    "kill-after",
    "pause-at-call",
    "cut-before",
    "cut-after",
    "fail-before",
    "fail-after",
)
_METHODS = ("sendMessage", "sendMessage", "sendMessage", "editMessageText", "editMessageText", "sendDocument")


@dataclass(frozen=True, kw_only=True, slots=True)
class Fault:
    """`after` is the number of the message after which it begins; the rest says how bad it is."""

    after: int
    kind: str
    host: int
    method: str
    seconds: float
    amount: float  # from 0 to 1: which status, how many pieces, which way the clock goes

    def __str__(self) -> str:
        where = f" {self.method}" if self.kind in _AT_CALL else f" host {self.host + 1}"
        return f"after {self.after}: {self.kind}{where} {self.seconds:.1f} s {self.amount:.2f}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Setup:
    """Everything that one run is told."""

    seed: int = 1
    messages: int = 120
    faults: int = 30
    hosts: int = 1
    database: str = "sqlite"
    only: tuple[str, ...] = ()
    people: int = 8
    groups: int = 1
    at_once: int = 16
    flood_control: bool = True
    lifetime: float = 3.0  # seconds until other hosts take over from one that is silent
    longest_pause: float = 2.5  # in lifetimes
    patience: float = 90.0  # seconds without any change until a run is judged as it is


PRESETS: dict[str, Setup] = {
    "one": Setup(),
    "three": Setup(hosts=3, database="postgres", messages=150, faults=36),
    "pause": Setup(
        hosts=2, database="postgres", only=("pause", "pause-at-call"), messages=120, faults=14, people=12
    ),
    "clock": Setup(only=("clock", "clock-restart", "kill"), messages=100, faults=12),
    "disk": Setup(only=("disk", "kill"), messages=100, faults=8),
    "long": Setup(
        hosts=3,
        database="postgres",
        messages=10_000,
        faults=300,
        people=150,
        groups=4,
        at_once=100,
        flood_control=False,
        patience=180,
    ),
}


@dataclass(frozen=True, kw_only=True)
class Plan:
    """In the order in which they begin."""

    faults: tuple[Fault, ...]
    left_out: dict[str, str] = field(default_factory=dict)  # kinds that this machine or database cannot have


def possible(setup: Setup, cannot: dict[str, str]) -> Sequence[str]:
    wanted = setup.only or tuple(KINDS)
    return [kind for kind in wanted if kind not in cannot]


def make_plan(setup: Setup, cannot: dict[str, str]) -> Plan:
    """`cannot` names the kinds that are left out, with the reason."""
    dice = random.Random(setup.seed)  # noqa: S311 - not a secret
    kinds = possible(setup, cannot)
    made = []
    for each in range(setup.faults if kinds else 0):
        # In turn, so that a short run has each of them; how they meet is left to chance.
        kind = kinds[each % len(kinds)]
        made.append(
            Fault(
                after=dice.randint(1, max(setup.messages * 9 // 10, 1)),
                kind=kind,
                host=dice.randrange(setup.hosts),
                method=dice.choice(_METHODS),
                seconds=round(dice.uniform(1.2, setup.longest_pause) * setup.lifetime, 1)
                if kind.startswith("pause")
                else round(dice.uniform(0.2, 4), 1),
                amount=round(dice.random(), 2),
            )
        )
    wanted = setup.only or tuple(KINDS)
    return Plan(
        faults=tuple(sorted(made, key=lambda fault: fault.after)),
        left_out={kind: why for kind, why in cannot.items() if kind in wanted},
    )
