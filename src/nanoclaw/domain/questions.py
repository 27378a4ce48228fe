"""A question to people: what is asked, what can be chosen, and what happens when nobody answers."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from nanoclaw.domain.asking import Misasked
from nanoclaw.domain.ids import HostId, SessionId
from nanoclaw.domain.parcels import QUESTION, Attachment
from nanoclaw.domain.text import is_empty, storable

AGAIN = "~again"
"""The choice to have a question that ran out of time asked once more."""

_DIGITS = 3
_MOST_DATA = 64  # bytes that a button can carry
_LONGEST_CONTEXT = 20_000
PROGRAM = "program"
"""The execution of a question that no turn asks."""


class QuestionKind(StrEnum):
    """What is wanted of the person. The value is its type in the rows."""

    APPROVAL = "confirmation"  # yes or no, sometimes with a third way
    CHOICE = "select"  # one of several
    INPUT = "input"  # words of their own
    REVIEW = "review"  # a look at a document, and what they think of it
    ESCALATION = "escalation"  # guidance: the agent does not know how to go on
    INTERACTIVE = "interactive_session"  # a session in which a person works with an agent, and concludes it

    @property
    def word(self) -> str:
        """As requests name it."""
        return {"confirmation": "approval", "select": "choice"}.get(self.value, self.value)

    @property
    def takes_words(self) -> bool:
        """Whether an answer may be what someone writes, beside the options."""
        return self not in (QuestionKind.APPROVAL, QuestionKind.CHOICE)


KINDS: Mapping[str, QuestionKind] = {kind.word: kind for kind in QuestionKind}


class Risk(StrEnum):
    """What could go wrong, and so what may happen when nobody answers."""

    NORMAL = "normal"
    PUBLISH = "publish"  # only a draft
    DESTRUCTIVE = (
        "destructive"  # only what destroys nothing; and more than one person decides, where there are enough
    )


class Status(StrEnum):
    """The life of a question. What was decided is in its answer, never here."""

    PENDING = "pending"
    COMPLETED = "completed"  # a person decided
    CANCELLED = "cancelled"  # whoever asked, or a person, took it back
    TIMEOUT = "timeout"  # nobody decided in time
    FAILED = "failed"


@dataclass(frozen=True, kw_only=True, slots=True)
class Option:
    """One choice. Without a label it is one of ours, and is called as the reader's language has it."""

    id: str
    label: str = ""
    description: str = ""
    safe: bool = False
    draft: bool = False


def _ours(*options: str, safe: str = "") -> tuple[Option, ...]:
    return tuple(Option(id=each, safe=each == safe, draft=each == safe) for each in options)


LAYOUTS: Mapping[str, tuple[Option, ...]] = {
    "approve_reject": _ours("approve", "reject", safe="reject"),
    "schedule_choice": _ours("now", "tomorrow", "monday", "custom"),
    "quality_gate": _ours("pass", "fix_minor", "rework", "reject", safe="reject"),
    "budget_confirm": _ours("proceed", "adjust", "cancel", safe="cancel"),
}
TOOL_LAYOUT = _ours("once", "session", "always", "reject", safe="reject")
"""Of a tool that needs permission."""

_USUAL_LAYOUT = {QuestionKind.APPROVAL: "approve_reject", QuestionKind.REVIEW: "approve_reject"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """A question before it is asked: checked, and complete."""

    kind: QuestionKind
    prompt: str
    options: tuple[Option, ...]
    timeout: timedelta
    default: str | None
    risk: Risk = Risk.NORMAL
    context: object = None
    document: str | None = None  # a path, as whoever asks sees it
    deciders: tuple[str, ...] = ()  # handles
    votes: int | None = None  # how many must agree; None: as is usual for the risk
    skill: str = ""
    tool: Mapping[str, Any] | None = None
    config: Mapping[str, Any] | None = None  # of an interactive session

    def payload(self, document_hash: str | None = None) -> str:
        """Exactly what people decide on, in one form."""
        said: dict[str, Any] = {
            "kind": self.kind.word,
            "question": self.prompt,
            "options": [asdict(option) for option in self.options],
            "timeout_minutes": self.timeout.total_seconds() / 60,
            "default_action": self.default,
            "risk": self.risk.value,
            "context": self.context,
            "document": self.document,
            "document_sha256": document_hash,
            "deciders": list(self.deciders),
            "votes": self.votes,
            "tool": self.tool,
        }
        return json.dumps(said, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A question as it stands in the rows."""

    id: str
    execution_id: str
    kind: QuestionKind
    prompt: str
    options: tuple[Option, ...]
    status: Status
    response: Mapping[str, Any] | None
    created_at: datetime
    resolved_at: datetime | None
    session_id: SessionId | None
    asked_id: str
    group: str
    company: str
    skill: str
    risk: Risk
    default: str | None
    context: object
    document: Attachment | None
    deciders: tuple[str, ...]
    votes: int
    tool: Mapping[str, Any] | None
    payload: str
    payload_hash: str
    deadline_at: datetime
    reminded: int
    made_by: str | None
    decided_by: str | None
    decided_name: str | None
    via: str | None
    waiter: HostId | None
    carried_at: datetime | None
    recorded_at: datetime | None
    repeats: str | None
    config: Mapping[str, Any] | None = None
    transcript: str | None = None
    duration_ms: int | None = None
    error: str | None = None

    @property
    def is_open(self) -> bool:
        return self.status is Status.PENDING

    @property
    def concluded(self) -> object:
        """What came of it: the id of an option, words, or whatever an interactive session came to."""
        return (self.response or {}).get("chosen")

    @property
    def chosen(self) -> str | None:
        return self.concluded if isinstance(self.concluded, str) else None

    @property
    def user_input(self) -> str | None:
        return (self.response or {}).get("user_input")

    def option(self, option_id: str | None) -> Option | None:
        return next((each for each in self.options if each.id == option_id), None)

    def option_of(self, choice: str) -> Option | None:
        """By its place as buttons carry it, its id, or its place as people count."""
        place = choice.removeprefix("~")
        number = int(place) if place.isascii() and place.isdigit() and len(place) <= _DIGITS else None
        if choice.startswith("~"):  # never an id: an agent could name an option after the place of another
            return self._at(number)
        return self.option(choice) or (self._at(number - 1) if number is not None else None)

    def _at(self, index: int | None) -> Option | None:
        return self.options[index] if index is not None and 0 <= index < len(self.options) else None

    def button_data(self, option: Option) -> str:
        """By the option's place where its id would not fit into a button."""
        data = f"{QUESTION}:{self.id}:{option.id}"
        plain = not option.id.startswith("~") and len(data.encode()) <= _MOST_DATA
        return data if plain else f"{QUESTION}:{self.id}:~{self.options.index(option)}"

    @property
    def again_data(self) -> str:
        return f"{QUESTION}:{self.id}:{AGAIN}"


def hash_of(payload: str) -> str:
    return hashlib.sha256(payload.encode()).hexdigest()


@dataclass(frozen=True, kw_only=True, slots=True)
class Asker:
    """Who asks: the turn of a session, or a program of this machine for an agent group."""

    session_id: SessionId | None
    execution_id: str
    asked_id: str
    group: str
    company: str
    thread: str | None = None
    chat_id: str | None = None
    host: HostId | None = None  # where someone waits for the answer


def read_wanted(given: Mapping[str, Any], *, usual_timeout: timedelta) -> Wanted:
    """A request in the words of the tool `request_human`, its types checked. Raises Misasked: what to change."""
    options = tuple(map(_option, given.get("options", ())))
    layout = given.get("layout")
    kind = KINDS[given["kind"]] if "kind" in given else _guess(options, layout)
    options = _with_layout(kind, options, layout)
    risk = Risk(given.get("risk", Risk.NORMAL))
    minutes = given.get("timeout_minutes")
    prompt = storable(given["question"]).strip()
    faults = [
        *_faults(kind, options, given),
        *(["`question` is empty."] if is_empty(prompt) else []),
    ]
    if faults:
        raise Misasked("The question was not asked. " + " ".join(faults))
    return Wanted(
        kind=kind,
        prompt=prompt,
        options=options,
        timeout=timedelta(minutes=minutes) if minutes else usual_timeout,
        default=_default(options, risk, given),
        risk=risk,
        context=_context(given.get("context")),
        document=given.get("document"),
        deciders=tuple(given.get("deciders", ())),
        votes=given.get("votes"),
        skill=given.get("skill", ""),
    )


def _option(given: Mapping[str, Any]) -> Option:
    return Option(
        id=storable(given["id"]).strip(),
        label=storable(given["label"]).strip(),
        description=storable(given.get("description", "")).strip(),
        safe=given.get("safe", False),
        draft=given.get("draft", False),
    )


def _guess(options: Sequence[Option], layout: str | None) -> QuestionKind:
    return QuestionKind.CHOICE if options and not layout else QuestionKind.APPROVAL


def _with_layout(kind: QuestionKind, options: tuple[Option, ...], layout: str | None) -> tuple[Option, ...]:
    """What is offered: the layout's own choices; those of the request take the place of the times in a schedule."""
    if layout == "schedule_choice" and options:
        now, *_, custom = LAYOUTS[layout]
        return (now, *options, custom)
    if options:
        return options
    chosen = layout or _USUAL_LAYOUT.get(kind)
    return LAYOUTS[chosen] if chosen else ()


def _faults(kind: QuestionKind, options: Sequence[Option], given: Mapping[str, Any]) -> list[str]:
    found = []
    ids, labels = [each.id for each in options], [each.label for each in options if each.label]
    for name, values in (("id", ids), ("label", labels)):
        if doubled := next((each for each in values if values.count(each) > 1), None):
            found.append(f"Two options have the {name} `{doubled}`: give each its own.")
    if any(is_empty(each.id) for each in options) or any(is_empty(each) for each in labels):
        found.append("An option has an empty id or label.")
    if kind is QuestionKind.CHOICE and len(options) < 2:
        found.append("A choice needs at least two `options`.")
    if kind is QuestionKind.REVIEW and not given.get("document"):
        found.append("A review needs `document`: a file below /work.")
    return found


def _default(options: Sequence[Option], risk: Risk, given: Mapping[str, Any]) -> str | None:
    """What is done when nobody answers: what was named, else the only harmless choice; nothing, if there is none."""
    marked = [each["id"] for each in given.get("options", ()) if each.get("is_default")]
    named = given.get("default_action") or (marked[0] if marked else None)
    if len(set(marked)) > 1 or (marked and named != marked[0]):
        raise Misasked(
            "More than one option is the default: name one, by `default_action` or by `is_default`."
        )
    known = {each.id: each for each in options}
    if named is not None and named not in known:
        ids = ", ".join(known) or "none: leave `default_action` out"
        raise Misasked(f"`default_action` is `{named}`, which is no option. The options are: {ids}.")
    harmless = [each.id for each in options if _is_harmless(each, risk)]
    default = named or (harmless[0] if len(harmless) == 1 else None)
    if risk is Risk.NORMAL or not options:
        return default
    if default is None or default not in harmless:
        mark = "safe" if risk is Risk.DESTRUCTIVE else "draft"
        does = "destroys" if risk is Risk.DESTRUCTIVE else "publishes"
        raise Misasked(
            f"When nobody answers a question of the risk `{risk}`, only something that {does} nothing may be done: "
            f"mark such an option with `{mark}: true` and name it as `default_action`."
        )
    return default


def _is_harmless(option: Option, risk: Risk) -> bool:
    return option.draft if risk is Risk.PUBLISH else option.safe


def _context(given: object) -> object:
    if given is None or given == "":
        return None
    try:
        written = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False, allow_nan=False)
    except ValueError as error:
        raise Misasked("`context` holds a number that is none (NaN, Infinity). Leave it out.") from error
    if len(written) > _LONGEST_CONTEXT:
        raise Misasked(
            f"`context` has {len(written)} characters; at most {_LONGEST_CONTEXT} are allowed. "
            "Shorten it, or put it into a file below /work and send a review with `document`."
        )
    return _storable(given)


def _storable(value: object) -> object:
    """Every text in it as a database takes it."""
    match value:
        case str():
            return storable(value)
        case list():
            return [_storable(each) for each in value]
        case dict():
            return {storable(str(key)): _storable(each) for key, each in value.items()}
        case _:
            return value
