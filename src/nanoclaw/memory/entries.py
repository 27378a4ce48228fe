"""The lines of memory: what a line of `facts.jsonl` and `decisions.jsonl` may hold, and how it is read and
written.

Unknown fields are kept: other programs write them, and so do people.
"""

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from typing import Annotated, Any, Literal

import pydantic_core
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from nanoclaw.domain.memory import Entry, EntryKind, Trust
from nanoclaw.domain.secret_search.masker import mask_secrets

FACTS = "memory/facts.jsonl"
DECISIONS = "memory/decisions.jsonl"
ARCHIVE = "memory/archive"
CONTEXT_RECORD = "context"  # the domain of records that a context file was changed

MOST_LINE = 1024 * 1024  # bytes; the record of a question holds all that it was about
MOST_TEXT = 8000  # characters of a fact or decision; more is a document, and no prompt has room for it
_MOST_WORDS = 200  # characters of a domain, topic or source in the index
_MOST_RELATED = 50
_KEPT_OF_A_BAD_LINE = 64 * 1024
_BOM = b"\xef\xbb\xbf"
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # as in domain/ids.py


class Reason(StrEnum):
    """Why a line cannot be used."""

    ENCODING = "encoding"  # not UTF-8
    JSON = "json"
    SHAPE = "shape"  # not an object, or none of the kinds that we know
    FIELD = "field"  # a field is missing, or holds something else
    EMPTY = "empty"  # a field that must say something
    LONG = "long"
    TORN = "torn"  # the end of the line is missing
    NOT_A_FILE = "not-a-file"  # a link, a pipe or a folder lies there


@dataclass(frozen=True, kw_only=True, slots=True)
class BadLine:
    """A line that was not understood, with its position. It stays in the file as it is."""

    reason: Reason
    raw: bytes = b""  # its beginning, if it is very long
    field: str = ""  # and what is wrong with it: `confidence: less_than_equal`
    file: str = ""
    offset: int = 0

    @property
    def text(self) -> str:
        """The part that can be shown and stored: without secrets, and databases do not accept NUL."""
        return mask_secrets(self.raw.decode("utf-8", "replace").replace("\0", "\ufffd"))


def _moment(value: object) -> datetime:
    if isinstance(value, str):
        value = datetime.fromisoformat(value)
    if not isinstance(value, datetime):
        raise ValueError("not a time")  # noqa: TRY004 (pydantic reports a ValueError)
    try:
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("a time out of range") from error


def _end(value: object) -> datetime:
    """A day alone means until its end."""
    if isinstance(value, str) and len(value) == len("2026-12-31"):
        day = min(date.fromisoformat(value), date.max - timedelta(days=1))
        return datetime.combine(day + timedelta(days=1), time(), UTC)
    return _moment(value)


def _clean(text: str) -> str:
    if "\0" in text:
        raise ValueError("holds a NUL")
    return text


Moment = Annotated[datetime, BeforeValidator(_moment)]
End = Annotated[datetime, BeforeValidator(_end)]
Text = Annotated[str, AfterValidator(_clean)]
Id = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$")]


class _Model(BaseModel):
    model_config = ConfigDict(defer_build=True, extra="allow", strict=True, frozen=True)


class Provenance(_Model):
    """Where an entry came from. Only the host writes this."""

    message: Text | None = None
    turn: Text | None = None
    person: Text | None = None  # a handle
    chat: Text | None = None
    trust: Annotated[Trust, BeforeValidator(lambda value: Trust(value))] = Trust.OWNER
    via: Text | None = None  # tool, command, page, extraction, pipeline, file, import


class _EntryLine(_Model):
    id: Id
    timestamp: Moment
    provenance: Provenance | None = None

    @property
    def trust(self) -> Trust:
        """A line without provenance was written by someone who can write the workspace."""
        return self.provenance.trust if self.provenance else Trust.OWNER


class Fact(_EntryLine):
    domain: Text = ""
    topic: Text = ""
    fact: Annotated[Text, Field(min_length=1, max_length=MOST_TEXT)]
    source: Text = ""
    confidence: Annotated[float, Field(ge=0, le=1)] = 1.0
    evidence_grade: Text | None = None
    expires: End | None = None
    related_to: list[Text] = []
    extracted_by: Text = ""
    kind: Literal["fact", "preference", "priority", "activity"] = "fact"
    public: bool = False
    supersedes: Id | None = None

    @property
    def text(self) -> str:
        return self.fact


class Decision(_EntryLine):
    type: Literal["strategic", "tactical", "hitl", "preference"] = "tactical"
    domain: Text = ""
    decision: Annotated[Text, Field(min_length=1)]
    rationale: Text = ""
    made_by: Text = "owner"
    reversible: bool = True
    affects: list[Text] = []
    supersedes: Id | None = None
    binding: bool = True
    public: bool = False
    expires: End | None = None

    @property
    def text(self) -> str:
        return self.decision


class Tombstone(_EntryLine):
    """The entry is forgotten. With `superseded_by`: it says the same as that one. With `purged`: it was removed."""

    forgets: Id
    superseded_by: Id | None = None
    reason: Text | None = None  # expired, duplicate, reverted
    purged: Text | None = None  # `purge_hash` of what was removed


class Restoration(_EntryLine):
    """Takes back earlier tombstones of the entry."""

    restores: Id


Line = Fact | Decision | Tombstone | Restoration

# The first of these fields that a line has decides its kind.
_KINDS: Mapping[str, type[Fact] | type[Decision] | type[Tombstone] | type[Restoration]] = {
    "forgets": Tombstone,
    "restores": Restoration,
    "decision": Decision,
    "fact": Fact,
}
# Always written, as people and other programs expect them; the others only if they say something.
_ALWAYS = {
    Fact: {
        "domain",
        "topic",
        "source",
        "confidence",
        "evidence_grade",
        "expires",
        "related_to",
        "extracted_by",
    },
    Decision: {"domain", "type", "rationale", "made_by", "reversible", "affects", "binding", "supersedes"},
}


def read_line(raw: bytes) -> Line | BadLine:
    """Read one line of a file, without its line end. The caller skips empty lines."""
    content = tidy(raw)
    if len(content) > MOST_LINE:
        return bad(Reason.LONG, raw)
    try:
        body = pydantic_core.from_json(content, allow_inf_nan=False)
    except ValueError:
        return bad(Reason.JSON if _is_utf8(content) else Reason.ENCODING, raw)
    if not isinstance(body, dict):
        return bad(Reason.SHAPE, raw)
    return line_of(body, raw)


def tidy(raw: bytes) -> bytes:
    """The JSON object alone."""
    return raw.removeprefix(_BOM).strip()


def line_of(body: Mapping[str, Any], raw: bytes = b"") -> Line | BadLine:
    """The line for an object."""
    model = next((model for field, model in _KINDS.items() if field in body), None)
    if model is None:
        return bad(Reason.SHAPE, raw or _dumped(body))
    try:
        said = {
            key: value for key, value in body.items() if value is not None or key not in model.model_fields
        }
        line = model.model_validate(said)
    except ValidationError as error:
        return _with_field(error, raw or _dumped(body))
    if isinstance(line, Decision) and line.type != "hitl" and len(line.decision) > MOST_TEXT:
        return bad(Reason.LONG, raw or _dumped(body), "decision")
    return line


def write_line(line: Line) -> bytes:
    """The line with its line end. The same line always gives the same bytes."""
    return _dumped(body_of(line)) + b"\n"


def body_of(line: Line) -> dict[str, Any]:
    """The object that is written, and that a change holds until then."""
    known = type(line).model_fields
    body: dict[str, Any] = {}
    for key, value in line.model_dump(exclude={"provenance"}).items():
        is_said = key not in known or value != known[key].default
        if is_said or key in _ALWAYS.get(type(line), ()):
            body[key] = _written(value) if isinstance(value, datetime) else value
    if line.provenance is not None:
        body["provenance"] = {
            key: value
            for key, value in line.provenance.model_dump().items()
            if value is not None or key not in Provenance.model_fields
        }
    return body


def entry_of(company: str, file: str, line: Fact | Decision) -> Entry:
    """The entry as the index holds it. Other lines say whether it is superseded or forgotten: `states.py`."""
    origin = line.provenance or Provenance()
    if isinstance(line, Fact):
        kind, text, topic, related = EntryKind(line.kind), line.fact, line.topic, line.related_to
        source, confidence, expires, is_binding = line.source, line.confidence, line.expires, False
    else:
        kind, topic, related = EntryKind.DECISION, "", line.affects
        # Approvals of single steps are not what a company decided, and their reason is what was typed.
        is_approval = line.type == "hitl"
        text = line.decision if is_approval or not line.rationale else f"{line.decision} ({line.rationale})"
        source, confidence, expires = origin.via or line.made_by, 1.0, line.expires
        is_record = is_approval or _is_of_context(line)
        is_binding = line.binding and not is_record and origin.trust.is_trusted
    return Entry(
        company=company,
        id=line.id,
        kind=kind,
        text=text[:MOST_TEXT],
        at=line.timestamp,
        file=file,
        domain=line.domain[:_MOST_WORDS],
        topic=topic[:_MOST_WORDS],
        related=tuple(each[:_MOST_WORDS] for each in related[:_MOST_RELATED]),
        source=source[:_MOST_WORDS],
        confidence=confidence,
        expires=expires,
        trust=origin.trust,
        is_public=line.public,
        is_binding=is_binding,
        person=origin.person or _user(line),
        turn_id=origin.turn,
        message_id=origin.message,
        chat_id=origin.chat,
        supersedes=line.supersedes,
    )


def _is_of_context(line: Decision) -> bool:
    """The record of a changed context file. Earlier versions wrote them as binding."""
    return (
        line.domain == CONTEXT_RECORD
        and len(line.affects) == 1
        and line.decision.startswith(f"{line.affects[0]}: ")
    )


def file_of(line: Line) -> str:
    """The file that a new line is appended to."""
    if isinstance(line, (Fact, Decision)):
        return FACTS if isinstance(line, Fact) else DECISIONS
    target = line.forgets if isinstance(line, Tombstone) else line.restores
    return FACTS if target.startswith("fact_") else DECISIONS


def new_fact_id(at: datetime) -> str:
    return _new_id("fact", at)


def new_decision_id(at: datetime) -> str:
    return _new_id("dec", at)


def new_tombstone_id(at: datetime) -> str:
    return _new_id("tomb", at)


def new_purge_id(at: datetime) -> str:
    return _new_id("gone", at)


def _new_id(kind: str, at: datetime) -> str:
    """Random, so that two machines never make the same one."""
    return f"{kind}_{at.astimezone(UTC):%Y%m%d}_" + "".join(secrets.choice(_ALPHABET) for _ in range(8))


def bad(reason: Reason, raw: bytes = b"", field: str = "") -> BadLine:
    return BadLine(reason=reason, raw=raw[:_KEPT_OF_A_BAD_LINE], field=field)


def _with_field(error: ValidationError, raw: bytes) -> BadLine:
    """The field and the kind of its fault, never its value."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    field = ".".join(str(part) for part in first["loc"])
    if first["type"] in ("string_too_long", "too_long"):
        return bad(Reason.LONG, raw, field)
    if first["type"] in ("string_too_short", "too_short"):
        return bad(Reason.EMPTY, raw, field)
    return bad(Reason.FIELD, raw, f"{field}: {first['type']}")


def _dumped(body: Mapping[str, Any]) -> bytes:
    return json.dumps(body, ensure_ascii=False, default=str).encode("utf-8", "backslashreplace")


def _written(at: datetime) -> str:
    return at.isoformat().replace("+00:00", "Z")


def _user(line: Fact | Decision) -> str:
    """Who answered, in the records of questions."""
    user = (line.model_extra or {}).get("user")
    return user.replace("\0", "") if isinstance(user, str) else ""


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True
