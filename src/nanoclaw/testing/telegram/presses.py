"""Button presses: each waits for its answer, and Telegram forgets it when the answer comes too late."""

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from nanoclaw.testing.telegram.form import Form
from nanoclaw.testing.telegram.refusals import Refusal

_TOO_OLD = 15  # seconds
_MOST = 10_000
_WORDS = 200  # characters of an answer


@dataclass(frozen=True, kw_only=True, slots=True)
class Answered:
    """What the person saw on top of the chat: `alert` is a box to close, else it fades away."""

    text: str
    alert: bool
    url: str
    after: float  # seconds


class Press:
    def __init__(self, press_id: str, bot: int, at: float) -> None:
        self.id = press_id
        self.bot = bot
        self.at = at
        self.answer: Answered | None = None
        self._done = asyncio.Event()

    async def wait(self, *, patience: float = 60) -> Answered:
        async with asyncio.timeout(patience):
            await self._done.wait()
        assert self.answer is not None  # noqa: S101
        return self.answer

    def done(self, answer: Answered) -> None:
        self.answer = answer
        self._done.set()


class Presses:
    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._open: OrderedDict[str, Press] = OrderedDict()

    def begin(self, bot: int) -> Press:
        press = Press(str(secrets.randbits(62)), bot, self._clock())
        self._open[press.id] = press
        if len(self._open) > _MOST:
            self._open.popitem(last=False)
        return press

    def answer(self, bot: int, form: Form) -> bool:
        """The answer to answerCallbackQuery. A press is answered once."""
        press = self._open.pop(form.text("callback_query_id"), None)
        after = self._clock() - press.at if press else 0
        if press is None or press.bot != bot or after > _TOO_OLD:
            raise Refusal("query is too old and response timeout expired or query ID is invalid")
        text = form.text("text")
        if len(text) > _WORDS:
            self._open[press.id] = press
            raise Refusal("MESSAGE_TOO_LONG")
        press.done(Answered(text=text, alert=form.flag("show_alert"), url=form.text("url"), after=after))
        return True
