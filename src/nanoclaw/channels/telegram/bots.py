"""A bot: python-telegram-bot over HTTP, and what its errors mean for a parcel."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import Any, TypeVar

import structlog
from telegram import Bot, User
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Conflict,
    Forbidden,
    InvalidToken,
    NetworkError,
    RetryAfter,
    TelegramError,
)

from nanoclaw.channels.telegram.names import bot_id_of
from nanoclaw.channels.telegram.request import NEVER_SENT, PATIENCE, UNANSWERED, BotRequest, plain_form, tls
from nanoclaw.channels.telegram.update_repair import mended_user, sent_message
from nanoclaw.domain.errors import (
    BadSettings,
    LeaseLost,
    SendLater,
    SendRefused,
    SendUnknown,
    StoreUnavailable,
)

log = structlog.get_logger("telegram")

T = TypeVar("T")

POLL_SECONDS = 50
_UPLOAD = 120.0
_SHOWN = 100  # characters of the reply
_BAD_TOKEN = timedelta(minutes=5)
_PLAIN = ("getUpdates", "sendMessage")  # never with a file; each message needs both

# These loggers write every request's address, with the token in it, and what is sent and answered, even in a program
# that uses this package without our logging.
for _name in ("httpx", "httpcore", "telegram"):
    logging.getLogger(_name).setLevel(logging.WARNING)


class RawBot(Bot):
    """Leaves updates as plain data: one that the library cannot parse must not hide the rest of its batch."""

    def __repr__(self) -> str:
        """The library's own repr shows the token, and a traceback may show the repr."""
        return f"RawBot({bot_id_of(self.token)})"

    async def fetch_updates(
        self, offset: int, limit: int, wanted: Sequence[str], *, wait: int = POLL_SECONDS
    ) -> list[Any]:
        """The updates as a list, whatever came back."""
        asked = {"timeout": wait, "limit": limit, "allowed_updates": list(wanted), "offset": offset}
        found = await self._do_post("getUpdates", asked, read_timeout=wait + PATIENCE)
        if not isinstance(found, list):
            raise TelegramError(f"an answer without updates: {str(found)[:_SHOWN]}")
        return found

    async def send_text(self, chat_id: str, text: str, **about: Any) -> int:
        """The number of the new message. The library's own `send_message` would build objects from the
        answer, which takes as long as all the rest.
        """
        sent = await self._do_post("sendMessage", {"chat_id": chat_id, "text": text, **about})
        return int(sent["message_id"])

    async def _do_post(self, endpoint: str, data: dict[str, Any], **patience: Any) -> Any:
        """Turn whatever comes back into an answer that the library can parse, or a TelegramError."""
        try:
            if endpoint in _PLAIN:
                url, request = f"{self.base_url}/{endpoint}", self._request[endpoint != "getUpdates"]
                result: Any = await request.post(url, plain_form(data), **patience)
            else:
                result = await super()._do_post(endpoint, data, **patience)
        except (LookupError, TypeError, AttributeError, ValueError) as error:
            log.warning("an answer that is none", endpoint=endpoint, exc_info=error)
            raise TelegramError(f"an answer that is none, to {endpoint}") from error
        return _readable(endpoint, data, result)


def _readable(endpoint: str, data: dict[str, Any], result: Any) -> Any:
    """Reduce the answer: of a sent message only its id matters; of an edit, only that it was answered."""
    if endpoint == "getMe":
        return mended_user(result)
    if endpoint.startswith("edit"):
        return True
    if not endpoint.startswith("send") or endpoint == "sendChatAction":
        return result
    several = result if isinstance(result, list) else [result]
    sent = [told for each in several if (told := sent_message(each, data.get("chat_id")))]
    if not sent:
        raise TelegramError(f"an answer without the message that was sent: {str(result)[:_SHOWN]}")
    return sent if isinstance(result, list) else sent[0]


def make_bot(token: str, api_base: str, assure: Callable[[], Awaitable[None]] | None = None) -> RawBot:
    """`assure` is called right before each call; whatever it raises is why the call was not made."""
    base = api_base.rstrip("/")
    checked = {"verify": tls()}
    bot = RawBot(
        token,
        base_url=f"{base}/bot",
        base_file_url=f"{base}/file/bot",
        request=BotRequest(
            connection_pool_size=64,
            read_timeout=PATIENCE,
            write_timeout=PATIENCE,
            media_write_timeout=_UPLOAD,
            pool_timeout=PATIENCE,
            httpx_kwargs=checked,
        ),
        get_updates_request=BotRequest(connection_pool_size=2, read_timeout=PATIENCE, httpx_kwargs=checked),
    )
    for request, most in zip(bot._request, (2, 64), strict=True):
        request.assure, request.most = assure, most  # type: ignore[attr-defined]
    return bot


async def look_up(token: str, api_base: str) -> User:
    """The owner of the token. Raises BadSettings if Telegram does not know it or cannot be reached."""
    bot_id_of(token)
    bot = make_bot(token, api_base)
    try:
        await bot.initialize()  # otherwise its connections are never closed
    except InvalidToken as error:
        if is_page(error):
            raise BadSettings("telegram-unreachable", url=api_base, said="no answer of Telegram's") from None
        raise BadSettings("telegram-token-unknown") from None
    except (TelegramError, TypeError, ValueError, LookupError) as error:
        raise BadSettings("telegram-unreachable", url=api_base, said=str(error)[:_SHOWN]) from error
    else:
        return bot.bot
    finally:
        await bot.shutdown()


def seconds_asked(error: RetryAfter) -> float:
    """How long Telegram wants us to wait."""
    pause = error.retry_after
    return pause.total_seconds() if isinstance(pause, timedelta) else float(pause)


def is_page(error: TelegramError) -> bool:
    """Whether something other than Telegram refused: Telegram answers in JSON, proxies with pages."""
    cause = error.__cause__
    if isinstance(cause, InvalidToken):  # its message repeats the token
        return is_page(cause)
    return type(cause) is TelegramError


class NotThere(SendRefused):
    """The chat is gone, or the bot may no longer speak there."""


class Moved(Exception):
    """The group has a new address."""

    def __init__(self, to: str) -> None:
        super().__init__(to)
        self.to = to


class Unfit(Exception):
    """Telegram rejected the form; another may work. `said` is its message, in lower case with spaces."""

    def __init__(self, said: str) -> None:
        super().__init__(said)
        self.said = said.lower().replace("_", " ")  # MESSAGE_TOO_LONG and "message is too long" are the same


_GONE = (
    "chat not found",
    "user not found",
    "peer_id_invalid",
    "chat_write_forbidden",
    "not enough rights to send text",
)


async def asked(call: Awaitable[T], *, harmless: bool) -> T:
    """The answer to a call. `harmless`: doing it twice does no harm, as with an edit. Raises SendLater,
    SendRefused (NotThere), SendUnknown, Moved or Unfit.
    """
    try:
        return await call
    except (Forbidden, InvalidToken, BadRequest, Conflict) as error:
        raise (_refused_by_page(error) if is_page(error) else _refused(error)) from error
    except RetryAfter as error:
        after = timedelta(seconds=seconds_asked(error))
        raise SendLater("telegram-busy", after=after, by_request=True) from error
    except ChatMigrated as error:
        raise Moved(str(error.new_chat_id)) from error
    except NetworkError as error:
        raise _unanswered(error, harmless=harmless) from error
    except TelegramError as error:  # an unusable answer
        raise _unheard("telegram-silent", harmless=harmless, said=error.message[:_SHOWN]) from error
    except (TypeError, ValueError, LookupError, AttributeError) as error:
        log.exception("an answer that cannot be read")
        raise _unheard("telegram-silent", harmless=harmless, said=type(error).__name__) from error


def _refused(error: TelegramError) -> Exception:
    match error:
        case Forbidden():
            return NotThere("telegram-forbidden", said=error.message)
        case InvalidToken():
            return SendLater("telegram-token", after=_BAD_TOKEN)
        case Conflict():
            return SendLater("telegram-conflict")
    if any(gone in error.message.lower() for gone in _GONE):
        return NotThere("telegram-forbidden", said=error.message)
    return Unfit(error.message)


def _refused_by_page(error: TelegramError) -> SendLater:
    """A proxy rejected it before Telegram saw it: that says nothing about the chat or the token."""
    return SendLater("telegram-failed", said=error.message.partition(". ")[0])


def _unanswered(error: NetworkError, *, harmless: bool) -> SendLater | SendRefused | SendUnknown:
    """A server that failed, or a connection that broke after the request, may have done the work: Telegram answers 5xx
    even when the message is already in the chat. Only a connection that was never made proves that nothing was done.
    """
    if isinstance(error.__cause__, LeaseLost | StoreUnavailable):
        raise error.__cause__
    if "(413)" in error.message or "too large" in error.message.lower():
        return SendRefused("telegram-too-big")
    if is_page(error) and "(429)" in error.message:
        return _refused_by_page(error)
    if not isinstance(error.__cause__, UNANSWERED):
        return _unheard("telegram-failed", harmless=harmless, said=error.message.partition(". ")[0][:_SHOWN])
    said = type(error.__cause__).__name__
    if isinstance(error.__cause__, NEVER_SENT):
        return SendLater("telegram-silent", said=said)
    return _unheard("telegram-silent", harmless=harmless, said=said)


def _unheard(key: str, *, harmless: bool, said: str) -> SendLater | SendUnknown:
    return SendLater(key, said=said) if harmless else SendUnknown(key, said=said)
