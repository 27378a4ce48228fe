"""The token of the page, in a real browser: kept by the origin alone, and sent to nobody else on this machine."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from playwright.async_api import Browser, expect
from tests.browsing import CHROMIUM, page_of

from nanoclaw.testing import ScriptedModel, started_host

pytestmark = [
    pytest.mark.capability("O3"),
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian's package chromium)"),
    pytest.mark.asyncio(loop_scope="session"),  # of the browser that they share
]


@asynccontextmanager
async def _another_port() -> AsyncIterator[tuple[str, list[bytes]]]:
    """Another program of this machine that serves a page, and keeps every head that a browser sends it."""
    heads: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append(await reader.readuntil(b"\r\n\r\n"))
        page = b"<!doctype html><title>other</title><body>other"
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n")
        writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(page), page))
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", heads


@pytest.mark.attack
async def test_another_port_of_the_machine_gets_neither_the_token_nor_anything_by_it(
    home: Path, browser: Browser
) -> None:
    async with (
        started_host(home, model=ScriptedModel()) as host,
        _another_port() as (elsewhere, heads),
        page_of(browser, host) as page,
    ):
        await expect(page.locator("#composer")).to_be_visible()
        assert await page.context.cookies() == []
        assert await page.evaluate("localStorage.getItem('nanoclaw-token')") == host.token

        other = await page.context.new_page()  # of the same person, in the same browser
        await other.goto(elsewhere)
        assert await other.evaluate("Object.keys(localStorage).length + document.cookie.length") == 0
        assert heads
        assert all(host.token.encode() not in head and b"cookie:" not in head.lower() for head in heads)

        # What that page can make the browser send to the host: reading, writing, framing, loading as a script.
        tried = await other.evaluate(
            """async (url) => {
              const attempts = [
                () => fetch(url + "api/rooms", { credentials: "include" }),
                () => fetch(url + "api/rooms", { mode: "no-cors", credentials: "include" }),
                () => fetch(url + "api/rooms", { method: "POST", body: '{"title": "theirs"}', mode: "no-cors",
                                                 credentials: "include" }),
                () => fetch(url + "api/rooms", { headers: { Authorization: "Bearer guess" } }),
                () => fetch(url + "static/styles/base.css", { mode: "no-cors" }),
              ];
              return Promise.all(attempts.map((attempt) => attempt().then(
                (answer) => answer.type + answer.status, () => "refused")));
            }""",
            host.url,
        )
        assert "basic200" not in tried
        assert set(tried) <= {"refused", "opaque0"}
        form = "document.body.innerHTML = `<form method=post action=${url}api/rooms><input name=title value=x></form>`"
        await other.evaluate(f"(url) => {{ {form}; document.forms[0].submit(); }}", host.url)
        await expect(other.locator("body")).to_contain_text("Only this page may do that")
        async with httpx.AsyncClient(
            base_url=host.url, headers={"authorization": f"Bearer {host.token}"}
        ) as owner:
            rooms = (await owner.get("/api/rooms")).json()["rooms"]
        assert {room["title"] for room in rooms}.isdisjoint({"theirs", "x"})


async def test_the_link_works_with_one_click_and_a_bookmark_after_it(home: Path, browser: Browser) -> None:
    async with started_host(home, model=ScriptedModel()) as host, page_of(browser, host) as page:
        await expect(page.locator("#composer")).to_be_visible()
        assert page.url == host.url
        await page.goto(host.url)  # without the token
        await expect(page.locator("#composer")).to_be_visible()
        stranger = await browser.new_context()
        shown = await stranger.new_page()
        await shown.goto(host.url)
        await expect(shown.get_by_role("heading")).to_have_text("This page is locked")
        await expect(shown.get_by_role("link", name="Inbox")).to_have_count(0)
        assert "General" not in await shown.content()
        await stranger.close()


async def test_a_new_token_locks_the_open_page_and_its_link_opens_it_again(
    home: Path, browser: Browser
) -> None:
    async with started_host(home, model=ScriptedModel()) as host:
        port = int(host.url.rsplit(":", 1)[1].strip("/"))
        context = await browser.new_context()
        page = await context.new_page()
        await page.goto(f"{host.url}?token={host.token}")
        await expect(page.locator("#composer")).to_be_visible()
    (home / "data" / "web-token").unlink()
    async with started_host(home, model=ScriptedModel(), web={"port": port}) as host:
        await expect(page.get_by_role("heading", name="This page is locked")).to_be_visible()
        await page.goto(f"{host.url}?token={host.token}")
        await page.locator("#text").fill("hello again")
        await page.keyboard.press("Enter")
        await expect(page.locator(".row[data-author=agent]")).to_have_count(1)
    await context.close()
