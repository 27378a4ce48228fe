"""Every error of ours, named for what happens next.

An error carries a key and values; the sentence that a person reads is `error-<key>` in the catalogue.
"""

from datetime import timedelta


class NanoClawError(Exception):
    """Something went wrong, and the sentence says what to do."""

    def __init__(self, key: str, /, **values: object) -> None:
        super().__init__(key, values)
        self.key = key
        self.values = values

    def __str__(self) -> str:
        return " ".join([self.key, *(f"{name}={value!r}" for name, value in self.values.items())])


class Refused(NanoClawError):
    """The request cannot be carried out as it is; nothing was changed."""


class BadSettings(Refused):
    """The settings cannot be used; the sentence names the place, the key and the allowed values."""


class BadWorkspace(Refused):
    """The workspace cannot be used; the sentence says what to fix."""


class BadSkill(Refused):
    """The skill file cannot be used; the sentence names the file and the line."""


class AlreadyRunning(Refused):
    """A host already runs on this workspace."""


class NotRunning(Refused):
    """No host runs on this workspace."""


class HostUnreachable(NanoClawError):
    """The host does not answer over HTTP, or something else does."""


class HostSaid(Refused):
    """The host refused, in its own words."""


class PortTaken(Refused):
    """Another program listens on the port of the web page."""


class MissingExtra(Refused):
    """A setting asks for packages that are not installed; they can be installed now."""


class NotFound(Refused):
    """There is nothing with that id."""


class TooBig(Refused):
    """The request is too big to read."""


class StoreDamaged(NanoClawError):
    """The database file is damaged; it was left as it is."""


class StoreUnavailable(NanoClawError):
    """The database cannot be used now (full disk, lost connection); try again when that is fixed."""


class HostIll(NanoClawError):
    """The host fails at everything; nothing is confirmed until it recovers."""


class LeaseLost(NanoClawError):
    """Another host took this work over; what was done here must be discarded. `left`: a call had already left."""

    def __init__(self, *, left: bool = False) -> None:
        super().__init__("lease-lost")
        self.left = left


class SendLater(NanoClawError):
    """The channel could not take the parcel now; it is retried, not before `after`.

    `in_turn`: nothing went wrong, others are before it. `by_request`: the network itself said when. Neither counts as
    an attempt.
    """

    def __init__(
        self,
        key: str,
        /,
        *,
        after: timedelta | None = None,
        in_turn: bool = False,
        by_request: bool = False,
        **values: object,
    ) -> None:
        super().__init__(key, **values)
        self.after = after
        self.in_turn = in_turn
        self.by_request = by_request


class SendUnknown(NanoClawError):
    """The parcel was sent and the outcome is unknown: it may or may not have arrived."""


class SendRefused(NanoClawError):
    """The channel will never take this parcel; it is kept among the failed ones."""


class NotHeard(NanoClawError):
    """Transcription or speech failed; the agent is told, and the file or text stays."""


class ModelFailed(NanoClawError):
    """The model or its runtime gave no usable answer; the person is told and can retry."""


class BoxRefused(NanoClawError):
    """There can be no box, or none that holds; the sentence says how to fix it. No agent runs without one."""


class ModelRefused(ModelFailed):
    """The gateway refused the call (budget, unknown price, model not allowed); a retry would not help."""


class ModelOutage(NanoClawError):
    """The model is unavailable now; what waits for it is held, and retried not before `after` seconds."""

    def __init__(self, key: str, /, *, after: float, **values: object) -> None:
        super().__init__(key, **values)
        self.after = after


class TurnStuck(NanoClawError):
    """The agent was silent too long; its box was killed, and the turn is retried."""
