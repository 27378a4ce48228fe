"""What a model call uses, what it costs, and who it is for."""

from dataclasses import dataclass, replace

RUN_SPENT, STEP_SPENT = "budget-of-run-spent", "budget-of-step-spent"
"""Why a call of a run is refused: nothing changes that, not even time."""

MICROS = 1_000_000  # money is counted in millionths of a US dollar, so that sums are exact
_MOST_COUNTED = 1_000_000_000  # no call uses this many tokens, and no database may refuse what a vendor says


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """The tokens of one model call, as the vendor counts them."""

    input: int = 0  # without cache reads and writes
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    thinking: int = 0  # part of the output, if the vendor reports it
    searches: int = 0  # web searches by the model itself

    @property
    def without_cache(self) -> "Usage":
        """The same call, if the vendor had no cache."""
        everything = self.input + self.cache_read + self.cache_write
        return replace(self, input=everything, cache_read=0, cache_write=0)

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            input=self.input + other.input,
            output=self.output + other.output,
            cache_read=self.cache_read + other.cache_read,
            cache_write=self.cache_write + other.cache_write,
            thinking=self.thinking + other.thinking,
            searches=self.searches + other.searches,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Spender:
    """Whom a model call is for. Known from where the call arrived, never from what it says."""

    company: str
    group: str
    session_id: str
    turn_id: str
    runtime: str
    skill: str = ""
    flow: str = "A"
    chain_id: str | None = None  # the run of a pipeline, or the chain of handoffs, that pays for it
    step: int | None = None  # of that run
    step_budget: int | None = None  # in micros: the step's calls never cost more
    person: str | None = None  # the handle of who woke the agent
    chat_id: str | None = None
    task_id: int | None = None
    batch_id: str | None = None
    is_own: bool = False  # a person's own message: someone waits for the answer, even if the budget is spent


def counted(told: object) -> int:
    """What a vendor says a call used. Nothing it says makes a call cost less than nothing, or breaks its row."""
    return min(told, _MOST_COUNTED) if type(told) is int and told > 0 else 0


def dollars(micros: int) -> str:
    """The amount for people: two digits, or as many as a small sum needs."""
    digits = 2 if micros >= MICROS or micros == 0 else 4 if micros >= MICROS // 10_000 else 6
    return f"${micros / MICROS:.{digits}f}"


def dollars_and_cents(micros: int) -> str:
    """For amounts that people set: whole cents as cents, anything smaller as above."""
    return f"${micros / MICROS:.2f}" if micros % (MICROS // 100) == 0 else dollars(micros)
