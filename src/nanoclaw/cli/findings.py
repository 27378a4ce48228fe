"""What a check of the doctor finds. A failure of the check itself is a finding too, never a traceback."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from nanoclaw.domain.errors import NanoClawError
from nanoclaw.texts import say, tell


@dataclass(frozen=True, kw_only=True)
class CheckResult:
    """One thing checked. `ok` is None if it is neither good nor bad."""

    check: str
    ok: bool | None
    sentence: str


Found = Callable[..., CheckResult]
"""Takes the name of the check, the key of the sentence without `doctor-`, `ok`, and the values of the sentence."""


def fenced(language: str, check: str, look: Callable[[], Iterator[CheckResult]]) -> Iterator[CheckResult]:
    """A check that fails must not stop the others."""
    try:
        yield from look()
    except NanoClawError as error:
        yield CheckResult(check=error.key, ok=False, sentence=tell(language, error))
    except Exception as error:  # noqa: BLE001 - nothing is swallowed: it is what the doctor says
        said = f"{type(error).__name__}: {error}"
        sentence = say(language, "doctor-check-failed", check=check, said=said)
        yield CheckResult(check=check, ok=False, sentence=sentence)
