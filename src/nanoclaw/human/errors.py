"""What can go wrong with a question to people, named for what the program does next."""

from collections.abc import Iterator
from contextlib import contextmanager

from nanoclaw.domain.errors import HostUnreachable, NanoClawError, NotRunning, Refused
from nanoclaw.texts import tell


class HumanError(NanoClawError):
    """There is no answer. The text says why, and what to do."""

    def __str__(self) -> str:
        return tell("en", self)


class NoHost(HumanError):
    """No host runs on the workspace, or it does not answer; start it, and ask again."""


class NotAsked(HumanError):
    """The host refused; the text says what to change. Nobody was asked, and nothing was changed."""


class NobodyAnswered(HumanError):
    """Time is up, and the question has no default: nothing was decided."""


class Cancelled(HumanError):
    """Someone took the question back: nothing was decided."""


class SessionFailed(HumanError):
    """The interactive session failed."""


@contextmanager
def in_own_words() -> Iterator[None]:
    """Raise the host's errors as those of this package."""
    try:
        yield
    except HumanError:
        raise
    except (NotRunning, HostUnreachable) as error:
        raise NoHost(error.key, **error.values) from error
    except Refused as error:
        raise NotAsked(error.key, **error.values) from error
