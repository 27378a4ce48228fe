"""What the host says of each message in its own rows. Plain SQL on its tables: the harness knows no code of it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from tests.chaos.answers import asked_in, lines_in

Row = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Fate:
    """`stored` is how often the message is there; `end` is empty while it has none. Moments in seconds."""

    stored: int
    end: str = ""
    told_as: tuple[int, ...] = ()  # the messages by which the person was told that there is no answer
    was_unknown: bool = False
    since: float = 0  # when its words could leave for the first time
    unknown_at: float = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Open:
    """What is not over yet."""

    waiting: int
    parcels: int
    unknown: int
    memory: int  # changes that are not in the files yet

    @property
    def is_settled(self) -> bool:
        return not self.waiting and not self.parcels and not self.memory


@dataclass(frozen=True, kw_only=True, slots=True)
class _Known:
    """What was read at once: row by row it would take minutes."""

    places: Mapping[str, list[Row]]  # of a message in sessions
    events: Mapping[str, list[Row]]  # of a message or turn
    of_turn: Mapping[str, list[Row]]
    of_message: Mapping[str, list[Row]]
    of_number: Mapping[int, list[Row]]

    def fate(self, row: Row, number: int, *, stored: int) -> Fate:
        places = self.places.get(row["id"], [])
        turns = [place["turn_id"] for place in places if place["turn_id"]]
        events = [event for each in (row["id"], *turns) for event in self.events.get(each, [])]
        said = [*self.of_message.get(row["id"], []), *self.of_number.get(number, [])]
        said += [each for turn in turns for each in self.of_turn.get(turn, [])]
        at = _grouped(events, "event")
        unknown = [_seconds(each["at"]) for each in at.get("delivery-unknown", [])]
        # What an attempt showed before it was cut off may be the whole answer already.
        ends_or_begins = ("started",) if "started-again" in at else ("finished", "failed", "stopped")
        since = [_seconds(each["at"]) for name in ends_or_begins for each in at.get(name, [])]
        ends = [place["end"] for place in places] or [row["end"]]
        by_host = [each for each in said if each["author"] == "host" and each["state"] == "delivered"]
        return Fate(
            stored=stored,
            end=ends[0] if all(ends) else "",
            told_as=tuple(int(each["platform_id"]) for each in by_host if each["platform_id"]),
            was_unknown=bool(unknown) or any(each["state"] == "unknown" or each["noted"] for each in said),
            since=max(since, default=0),
            unknown_at=max(unknown, default=float("inf")),
        )


class Rows:
    def __init__(self, url: str) -> None:
        driver = url.replace("postgresql://", "postgresql+psycopg://")
        self._engine = sa.create_engine(driver, poolclass=sa.NullPool)

    def _all(self, query: str, **values: object) -> list[Row]:
        with self._engine.connect() as connection:
            return [dict(row._mapping) for row in connection.execute(sa.text(query), values)]

    def open(self) -> Open:
        [waiting] = self._all('select count(*) as n from session_queue where "end" is null')
        states = self._all(
            "select state, count(*) as n from parcels where state != 'delivered' group by state"
        )
        count = {row["state"]: int(row["n"]) for row in states}
        [memory] = self._all("select count(*) as n from memory_changes where state = 'waiting'")
        return Open(
            waiting=int(waiting["n"]),
            parcels=count.get("pending", 0) + count.get("sending", 0),
            memory=int(memory["n"]),
            unknown=count.get("unknown", 0),
        )

    def still_open(self) -> list[str]:
        """Parcels that are to be sent and are not, each with the work that should do it."""
        told: list[str] = []
        for each in self._all("select * from parcels where state in ('pending', 'sending') order by id"):
            words = " ".join(each["text"].split())[:60]
            told.append(
                f"parcel {each['id']} {each['state']} attempts {each['attempts']} platform id "
                f"{each['platform_id']} error {_short(each['error'])} {words!r}"
            )
            told += self._work(each["chat_id"]) or ["  no work"]
        return told

    def stored(self) -> int:
        [row] = self._all("select count(*) as n from messages where text like '%q%'")
        return int(row["n"])

    def remembered(self) -> list[str]:
        """The ids of what the index has of the company's facts and decisions."""
        wanted = "select id from memory_entries where kind != 'context' and id not like 'act%'"
        return [str(row["id"]) for row in self._all(wanted)]

    def fates(self) -> dict[int, Fate]:
        parcels = self._all(
            "select turn_id, message_id, state, author, platform_id, noted, text from parcels"
        )
        told = self._all(
            "select subject, event, at from timeline where event in "
            "('delivery-unknown', 'finished', 'failed', 'stopped', 'started', 'started-again')"
        )
        known = _Known(
            places=_grouped(self._all('select message_id, turn_id, "end" from session_queue'), "message_id"),
            events=_grouped(told, "subject"),
            of_turn=_grouped(parcels, "turn_id"),
            of_message=_grouped(parcels, "message_id"),
            of_number=_by_words(parcels),
        )
        found: dict[int, Fate] = {}
        for row in self._all(
            'select id, text, "end" from messages where channel like :telegram order by id',
            telegram="telegram%",
        ):
            for number in asked_in(row["text"])[:1]:
                before = found[number].stored if number in found else 0
                found[number] = known.fate(row, number, stored=before + 1)
        return found

    def story(self, number: int) -> list[str]:
        """All that the host wrote down about a message, in words."""
        told: list[str] = []
        for row in self._all("select * from messages where text like :asked", asked=f"%q{number} %"):
            if number not in asked_in(row["text"]):
                continue
            told.append(f"message {row['id']} received {_clock(row['received_at'])} end {row['end']}")
            places = self._all("select * from session_queue where message_id = :id", id=row["id"])
            for place in places:
                told.append(f"  inbox: turn {place['turn_id']} end {place['end']}")
                told += self._work(place["session_id"])
            told += self._parcels("turn_id is null and text like :words", words=f"m{number}-%")
            for subject in (row["id"], *(place["turn_id"] for place in places if place["turn_id"])):
                told += [line for line in self._subject(subject) if line not in told]
        return told or ["never stored"]

    def _work(self, key: str) -> list[str]:
        """Still to be done, or claimed by a host that is at it, or should be."""
        return [
            f"  work {each['kind']} due {_clock(each['due_at'])} host {each['host']} attempts {each['attempts']}"
            for each in self._all("select * from work where key = :key", key=key)
        ]

    def _subject(self, subject: str) -> list[str]:
        steps = self._all("select * from timeline where subject = :id order by id", id=subject)
        told = [f"  {_clock(each['at'])} {each['event']} {_short(each['detail'])}" for each in steps]
        told += self._parcels("turn_id = :id or message_id = :id", id=subject)
        return told + self._sent(subject)

    def _parcels(self, which: str, **values: object) -> list[str]:
        told: list[str] = []
        for each in self._all(f"select * from parcels where {which} order by id", **values):  # noqa: S608
            what = "file" if each["attachments"] else "text"
            told.append(
                f"  parcel {each['id']} ({what}) {each['state']} attempts {each['attempts']} "
                f"noted {each.get('noted')} platform id {each['platform_id']} error {_short(each['error'])}"
            )
            told += self._sent(each["id"])
        return told

    def _sent(self, subject: str) -> list[str]:
        rows = self._all("select * from sent where subject = :id order by part", id=subject)
        return [f"  sent part {each['part']} as {each['platform_id']}" for each in rows]

    def close(self) -> None:
        self._engine.dispose()


def _grouped(rows: Sequence[Row], key: str) -> dict[str, list[Row]]:
    made: dict[str, list[Row]] = {}
    for row in rows:
        if row[key]:
            made.setdefault(row[key], []).append(row)
    return made


def _by_words(parcels: Sequence[Row]) -> dict[int, list[Row]]:
    """What a tool sent belongs to no turn; it is known by what it says."""
    made: dict[int, list[Row]] = {}
    for parcel in parcels:
        if not parcel["turn_id"] and (lines := lines_in(parcel["text"])):
            made.setdefault(lines[0].number, []).append(parcel)
    return made


def _moment(value: object) -> datetime:
    """SQLite gives text without a zone."""
    moment = datetime.fromisoformat(value) if isinstance(value, str) else value
    assert isinstance(moment, datetime)
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


def _seconds(value: object) -> float:
    return _moment(value).timestamp()


def _clock(value: object) -> str:
    return f"{_moment(value).astimezone(UTC):%H:%M:%S.%f}"[:-3]


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return "" if text in ("{}", "null") else text[:160]
