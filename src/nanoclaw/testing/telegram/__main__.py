"""Telegram without Telegram: `python -m nanoclaw.testing.telegram`, and you are the person at the phone.

`--sloppy` makes it a server that is less careful than Telegram.
"""

import asyncio
import os
import sys
from pathlib import Path

from nanoclaw.testing.telegram.chats import Chat, SeenMessage
from nanoclaw.testing.telegram.people import Person
from nanoclaw.testing.telegram.server import TelegramServer
from nanoclaw.texts import say

_DIM, _PLAIN = "\x1b[2m", "\x1b[0m"
_PRESS, _REPLY, _SEND = "!press ", "!reply ", "!send "


async def play(language: str, *, sloppy: bool) -> None:
    async with TelegramServer(sloppy=sloppy) as server:
        bot = server.add_bot("try_me_bot", name="Try me")
        person = server.person("You", language=language)
        chat = person.chat_with(bot)
        _write(say(language, "fake-telegram", url=server.url, token=bot.token, bot=bot.username))
        showing = asyncio.create_task(_show(chat))
        try:
            while line := await asyncio.to_thread(sys.stdin.readline):
                if line.strip():
                    await _do(person, chat, line.strip(), language)
        finally:
            showing.cancel()
            await asyncio.gather(showing, return_exceptions=True)


async def _do(person: Person, chat: Chat, line: str, language: str) -> None:
    try:
        if line.startswith(_PRESS):
            card, label = _meant(chat, line.removeprefix(_PRESS).strip())
            press = await person.presses(card, label)
            _write(f"{_DIM}[{(await press.wait()).text}]{_PLAIN}")
        elif line.startswith(_REPLY):
            message, words = _answered(chat, line.removeprefix(_REPLY).strip())
            await person.says(chat, words, reply_to=message)
        elif line.startswith(_SEND):
            name, data = await asyncio.to_thread(_read, line.removeprefix(_SEND))
            await person.sends_document(chat, data, name=name)
        else:
            await person.says(chat, line)
    except LookupError:
        _write(say(language, "fake-telegram-nothing"))
    except OSError as error:
        _write(str(error))


def _meant(chat: Chat, wanted: str) -> tuple[SeenMessage, str]:
    """The newest button with that label; an emoji at its beginning need not be typed."""
    for message in reversed(chat.seen):
        for label in message.labels:
            if wanted.casefold() in (label.casefold(), label.partition(" ")[2].casefold()):
                return message, label
    raise LookupError


def _answered(chat: Chat, written: str) -> tuple[SeenMessage, str]:
    """`#12 words` answers that message, words alone the newest of the bot."""
    number, _, words = written.partition(" ")
    if not (number.startswith("#") and number[1:].isdecimal() and words):
        number, words = "", written
    for message in reversed(chat.seen):
        if message.by_bot and number in ("", f"#{message.id}"):
            return message, words
    raise LookupError


def _read(path: str) -> tuple[str, bytes]:
    file = Path(path).expanduser()
    return file.name, file.read_bytes()


async def _show(chat: Chat) -> None:
    """Shows each message of the bot when it comes and whenever it changes."""
    shown: dict[int, str] = {}
    while True:
        fresh = [
            message for message in chat.seen if message.by_bot and shown.get(message.id) != _look(message)
        ]
        for message in fresh:
            shown[message.id] = _look(message)
            _write(_look(message))
        await chat.wait_until(
            lambda: any(m.by_bot and shown.get(m.id) != _look(m) for m in chat.seen), patience=10**9
        )


def _look(message: SeenMessage) -> str:
    edited = f" {_DIM}*{message.edited}{_PLAIN}" if message.edited else ""
    file = f" [{message.kind} {message.file_name}]" if message.data else ""
    buttons = "".join(f"\n  [ {label} ]" for label in message.labels)
    return f"{_DIM}#{message.id}{_PLAIN}{edited}{file} {message.text or message.caption}{buttons}"


def _write(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    speaks = "uk" if os.environ.get("LANG", "").startswith("uk") else "en"
    asyncio.run(play(speaks, sloppy="--sloppy" in sys.argv[1:]))
