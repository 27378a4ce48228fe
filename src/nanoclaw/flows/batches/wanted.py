"""A batch that someone wants: how many texts, about what, for which channel, by which skill and model."""

from dataclasses import dataclass

from nanoclaw.domain.ids import ChatId, MessageId

DEMO = "demo"
"""The model of a host without a key: its texts are played, and cost nothing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WantedBatch:
    """A checked and complete order. `topics` are those a person gave: each becomes an item when the batch is
    added."""

    count: int
    subject: str  # in the person's words: "posts for Telegram"
    skill: str  # its name; empty where no skill fits
    channel: str  # the target of an adaptor; empty where there is none
    model: str  # as the vendor names it; "demo" without a key
    max_tokens: int  # of one text
    group: str
    company: str
    chat_id: ChatId
    language: str  # of the texts
    topics: tuple[str, ...] | None = None
    least_grade: int | None = None  # 1 to 10
    thread: str | None = None
    message_id: MessageId | None = None
    asked_in: str | None = None  # the language of the person who asks; otherwise that of the texts
    origin: str | None = None  # the same origin is the same batch
