"""What a backup says about itself: a head in its first member, and a list of its content in the last."""

from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

FORMAT = 1
HEAD = "about.json"
LIST = "manifest.json"
DATABASE = "database.db"
KEYS = "keys.encrypted"
WORKSPACE = "workspace"  # the folder of what people and agents wrote
DATA = "data"  # the folder of what the host wrote


class BackupHeader(BaseModel):
    """Enough to say what it is without reading all of it."""

    model_config = ConfigDict(defer_build=True, frozen=True)

    format: int = Field(ge=1)
    program: str
    schema_version: str
    database: str  # its origin, sqlite or postgresql; the copy is always SQLite
    created_at: datetime
    with_keys: bool


class Listed(BaseModel):
    model_config = ConfigDict(defer_build=True, frozen=True)

    size: int
    sha256: str


class Manifest(BaseModel):
    model_config = ConfigDict(defer_build=True, frozen=True)

    head: BackupHeader
    rows: dict[str, int]  # per table
    newest_message: str | None
    members: dict[str, Listed]
    links: dict[str, str]
    skipped: dict[str, str]  # what was not copied, and why
    changed: list[str]  # files that shrank while being read; padded with zeros
    taken_out: list[str]  # settings whose value is a secret


def spelled(name: str) -> str:
    """A file name may not be valid text; its odd bytes are escaped in the list."""
    return name.encode("utf-8", "backslashreplace").decode()


@dataclass(kw_only=True)
class Growing:
    """The list while the file is being written."""

    members: dict[str, Listed] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    changed: list[str] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Made:
    """A backup that is complete on disk."""

    file: str
    bytes: int
    created_at: datetime
    files: int
    rows: int
    with_keys: bool
    skipped: dict[str, str]
    changed: list[str]
    taken_out: list[str]

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "created_at": self.created_at.astimezone(UTC).isoformat()}
