"""API bodies about sharing the workspace through git."""

from datetime import datetime

from nanoclaw.console.shape import Shape


class Synced(Shape):
    """What one meeting with the remote changed: paths of files. `waits` is in git, and takes effect when an
    owner has decided; `refused` never does. `results`: branches of transfers on which a result came back.
    `lost`: commits that the remote had lost, and has again.
    """

    branch: str
    came: list[str]
    waits: list[str]
    refused: list[str]
    went: list[str]
    results: list[str]
    lost: int


class SyncState(Shape):
    """`remote` is None if nothing is shared. `what` is the last meeting that changed something, at
    `changed_at`; `at` is the last of all. `trouble` says why it does not work, since `since`.
    """

    remote: str | None
    at: datetime | None
    changed_at: datetime | None
    what: Synced | None
    trouble: str | None
    since: datetime | None
    due_at: datetime | None
