"""What is told of a call to Telegram that went wrong."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from telegram.error import NetworkError

from nanoclaw.channels.telegram.bots import make_bot

TOKEN = "123456:A-secret-that-stands-in-every-address"  # noqa: S105 - of nobody


@asynccontextmanager
async def server(answer: bytes) -> AsyncIterator[str]:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as listening:
        yield f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"


@pytest.mark.parametrize(
    "answer", [b"", b"no HTTP\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"], ids=repr
)
async def test_what_is_told_of_a_broken_answer_holds_no_token(answer: bytes) -> None:
    async with server(answer) as base:
        bot = make_bot(TOKEN, base)
        with pytest.raises(NetworkError) as told:
            await bot.send_message(1, "hello")
        for request in bot._request:
            await request.shutdown()
    assert TOKEN not in str(told.value)
