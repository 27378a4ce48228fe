"""The API bodies. The OpenAPI page is made from these."""

from datetime import datetime

from pydantic import Field

from nanoclaw.console.markdown import to_html
from nanoclaw.console.shape import Letters, Shape
from nanoclaw.delivery.live import SpentSoFar, ToolSeen
from nanoclaw.domain import parcels
from nanoclaw.domain.messages import Chat
from nanoclaw.domain.money import dollars
from nanoclaw.domain.parcels import ParcelState, Preview
from nanoclaw.durable.connection_pages import AskedConnection
from nanoclaw.durable.history import Item
from nanoclaw.durable.why import Explanation


class Room(Shape):
    id: str
    title: str
    channel: str
    last_at: datetime | None


class RoomList(Shape):
    rooms: list[Room]


class Start(Shape):
    """What the page needs to start. `handle` is that of the holder of the token."""

    timezone: str
    owner: str
    handle: str
    held: bool
    rooms: list[Room]


class RoomTitle(Shape):
    title: str = Field(max_length=80)


class NewMessage(Shape):
    text: str
    client_id: str = Field(min_length=1, max_length=100)
    reply_to: str | None = None


class Attachment(Shape):
    """A file that an agent sent."""

    name: str
    media_type: Letters
    size: int
    url: str


class Button(Shape):
    """A button under a line; `data` goes back to the host unchanged."""

    label: str
    data: str
    row: int | None = None  # those with the same row are side by side


class Line(Shape):
    """One line of a room, by a person, the agent or the host."""

    id: str
    author: str
    name: str
    text: Letters
    html: Letters
    at: datetime
    state: str
    place: int | None
    turn: str | None
    reply_to: str | None
    answers: str | None
    attachments: list[Attachment]
    buttons: list[Button]


class ButtonPress(Shape):
    """A button under a line of the room, by its data."""

    line: str = Field(max_length=100)
    data: str = Field(max_length=100)


class ButtonPressed(Shape):
    """What the person who pressed is told; not `taken` if it had no effect."""

    text: str
    taken: bool


class LinePage(Shape):
    items: list[Line]
    more: bool


class Step(Shape):
    at: datetime
    event: str
    sentence: str


class UsedEntry(Shape):
    """An entry of memory, or a passage of the context, that was in the prompt; `text` is how it begins."""

    id: str
    company: str
    kind: str
    text: str


class Why(Shape):
    id: str
    text: str
    state: str
    sentence: str
    steps: list[Step]
    memories: list[UsedEntry]


class Channel(Shape):
    """A channel that the settings name, and what is wrong with it, if anything."""

    name: str
    trouble: str | None


class Status(Shape):
    version: str
    database: str
    waiting: int
    running: int
    undelivered: int
    failed: int
    awaiting: int = Field(description="Sessions whose work is elsewhere: `awaiting_external_result`")
    held: bool
    channels: list[Channel]


class Health(Shape):
    """What keeps the host from storing anything, if anything, and its name."""

    ok: bool
    trouble: str | None
    code: str | None


class Connection(Shape):
    """Something in a box wanted to connect to the outside."""

    id: str
    at: datetime
    group: str
    turn: str
    host: str
    port: int
    verdict: str
    sent: int
    received: int
    seconds: float


class ConnectionPage(Shape):
    items: list[Connection]
    more: bool


# What an open page receives


class Growing(Shape):
    """The answer of a turn so far."""

    turn: str
    text: Letters
    html: Letters


class Typing(Shape):
    turn: str
    on: bool


class Tool(Shape):
    """A tool of a running turn in its current state: running, done or failed. The next one with its id replaces it."""

    turn: str
    tool: str
    name: str
    shown: str
    state: str
    text: str


class Spent(Shape):
    """What the model calls of a running turn have used so far."""

    turn: str
    model: str
    input: int
    output: int
    micros: int
    money: str


class QuestionNews(Shape):
    """A question to people is new, was voted on, or is decided; fetch its state by id."""

    id: str
    status: str


class TaskNews(Shape):
    """A task is new, was changed, or began or ended a run; fetch its state by number."""

    id: int


class PipelineNews(Shape):
    """A run of a pipeline is new, or one of its steps has another state; fetch its state by id."""

    id: str


class BudgetNews(Shape):
    """The budget of a company was changed; fetch it by the company."""

    company: str


class HandoffNews(Shape):
    """Something was handed over, or has another state; fetch it by id."""

    id: str


class BatchNews(Shape):
    """A batch is new, or is further than before; fetch it by id."""

    id: str


class TransferNews(Shape):
    """A transfer, or an analysis that came back, is further than before; the id is of either."""

    id: str


class MemoryNews(Shape):
    """What a company knows has changed, or is about to; fetch what is shown."""


EVENTS: dict[str, type[Shape]] = {
    "message": Line,
    "preview": Growing,
    "typing": Typing,
    "tool": Tool,
    "spent": Spent,
    "room": Room,
    "question": QuestionNews,
    "task": TaskNews,
    "pipeline": PipelineNews,
    "handoff": HandoffNews,
    "budget": BudgetNews,
    "batch": BatchNews,
    "transfer": TransferNews,
    "memory": MemoryNews,
}


def room(chat: Chat, last_at: datetime | None) -> Room:
    return Room.of(chat, last_at=last_at)


def line(item: Item) -> Line:
    return Line.of(
        item,
        html=to_html(item.text),
        # What a room shows has arrived: its far end is the very row that was read here.
        state=item.state if item.author == "person" else ParcelState.DELIVERED,
        attachments=[_attachment(item, each) for each in item.attachments],
        # A failed message is retried by the button on its own line.
        buttons=[Button.of(each) for each in item.buttons if not each.data.startswith(f"{parcels.RETRY}:")],
    )


def _attachment(item: Item, sent: parcels.Attachment) -> Attachment:
    url = f"/api/rooms/{item.chat_id}/files/{sent.kept}"
    if sent.kept.partition(".")[0] != item.id:  # a question's document, which goes with several parcels
        url += f"?line={item.id}"
    return Attachment.of(sent, url=url)


def why(told: Explanation) -> Why:
    return Why.model_validate(told)


def growing(preview: Preview) -> Growing:
    return Growing(turn=preview.turn_id, text=preview.text, html=to_html(preview.text))


def tool(seen: ToolSeen) -> Tool:
    return Tool.of(seen, turn=seen.turn_id)


def spent(so_far: SpentSoFar) -> Spent:
    return Spent.of(so_far, turn=so_far.turn_id, money=dollars(so_far.micros))


def connection(asked: AskedConnection) -> Connection:
    made = asked.connection
    return Connection.of(made, id=asked.id, group=asked.group, turn=asked.turn_id, seconds=made.duration)
