"""The API bodies for bots on chat networks."""

from pydantic import Field

from nanoclaw.console.shape import Shape


class BotToken(Shape):
    token: str = Field(min_length=1, max_length=200)


class Bot(Shape):
    """A bot on a chat network, and what is wrong with it, if anything."""

    id: str
    username: str
    trouble: str | None


class BotList(Shape):
    bots: list[Bot]


class Pairing(Shape):
    """Sent to a bot as `/pair CODE` in time, it makes the sender the owner."""

    code: str
    minutes: int


class QrText(Shape):
    text: str = Field(min_length=1, max_length=500)
