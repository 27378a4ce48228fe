"""What goes over the wire: the bodies of the API. The OpenAPI page is made from these."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field

from nanoclaw.console.markdown import to_html
from nanoclaw.domain.messages import Chat
from nanoclaw.domain.parcels import ParcelState
from nanoclaw.durable.history import Item
from nanoclaw.durable.why import Explanation


class Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", from_attributes=True)


class Room(Shape):
    id: str
    title: str
    channel: str
    last_at: datetime | None


class RoomList(Shape):
    rooms: list[Room]


class RoomTitle(Shape):
    title: str = Field(max_length=80)


class NewMessage(Shape):
    text: str
    client_id: str = Field(min_length=1, max_length=100)
    reply_to: str | None = None


class Line(Shape):
    """One line of a room, by a person, the agent or the host."""

    id: str
    author: str
    name: str
    text: str
    html: str
    at: datetime
    state: str
    place: int | None
    turn: str | None
    reply_to: str | None


class PageOf(Shape):
    """Which part of a room: the newest lines, or those before one of them."""

    before: str | None = None
    limit: int = Field(default=50, ge=1, le=200)


class LinePage(Shape):
    items: list[Line]
    more: bool


class Step(Shape):
    at: datetime
    event: str
    sentence: str


class Why(Shape):
    id: str
    text: str
    state: str
    sentence: str
    steps: list[Step]


class Status(Shape):
    version: str
    database: str
    waiting: int
    running: int
    undelivered: int
    failed: int


class Accepted(Shape):
    id: str


class Problem(Shape):
    """What went wrong, as a sentence for the person."""

    error: str
    code: str


def room(chat: Chat, last_at: datetime | None) -> Room:
    return Room(id=chat.id, title=chat.title, channel=chat.channel, last_at=last_at)


def line(item: Item) -> Line:
    return Line(
        id=item.id,
        author=item.author,
        name=item.name,
        text=item.text,
        html=to_html(item.text),
        at=item.at,
        # What a room shows has arrived: its far end is the very row that was read here.
        state=item.state if item.author == "person" else ParcelState.DELIVERED.value,
        place=item.place,
        turn=item.turn,
        reply_to=item.reply_to,
    )


def why(told: Explanation) -> Why:
    return Why.model_validate(told)
