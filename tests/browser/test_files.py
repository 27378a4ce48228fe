"""The files that agents send, on the page in a real browser: albums are a grid, voices can be heard."""

import asyncio
import base64
import re
from pathlib import Path

import httpx
import pytest
from playwright.async_api import Browser, Route, expect
from tests.browsing import CHROMIUM, page_of
from tests.led_agent import PICTURE

from nanoclaw.delivery import outbox
from nanoclaw.domain.ids import ChatId, ParcelId, new_id
from nanoclaw.domain.parcels import Attachment, Author
from nanoclaw.durable import people, work
from nanoclaw.durable.clock import now
from nanoclaw.host.host import Host
from nanoclaw.testing import ScriptedModel, started_host

pytestmark = [
    pytest.mark.capability("O3", "A17"),
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian's package chromium)"),
    pytest.mark.asyncio(loop_scope="session"),  # of the browser that they share
]

VOICE = base64.b64decode(  # a third of a second of silence, Opus in Ogg
    "T2dnUwACAAAAAAAAAAAAAAAAAAAAAAIotXIBE09wdXNIZWFkAQE4AYC7AAAAAABPZ2dTAAAAAAAAAAAAAAAAAAABAAAASZW+VAEu"
    "T3B1c1RhZ3MGAAAAZmZtcGVnAQAAABQAAABlbmNvZGVyPUxhdmMgbGlib3B1c09nZ1MABHg5AAAAAAAAAAAAAAIAAABmtoN1EAcG"
    "BgYGBgYGBgYGBgYGBgYIC+Y7I6tgCAissw7GCAissw7GCAissw7GCAissw7GCAissw7GCAissw7GCAissw7GCAissw7GCAissw7G"
    "CAissw7GCAissw7GCAissw7GCAissw7GCAissw7GCAissw7G"
)


async def send_files(host: Host, *files: tuple[str, str, bytes]) -> None:
    """One parcel with all of them, each its name, media type and content."""
    room = await host.store.read(lambda tx: people.chats_of(tx, ("web",))[0][0].id)
    parcel_id = ParcelId(new_id("o"))
    folder = host.home / "data" / "attachments"
    folder.mkdir(exist_ok=True)
    sent = []
    for number, (name, media_type, content) in enumerate(files):
        kept = f"{parcel_id}.{number}" if number else parcel_id
        (folder / kept).write_bytes(content)
        sent.append(Attachment(name=name, media_type=media_type, size=len(content), kept=kept))
    await host.store.write(
        lambda tx: outbox.post(
            tx,
            chat_id=ChatId(room),
            thread=None,
            author=Author.AGENT,
            text="Here:",
            at=now(),
            parcel_id=parcel_id,
            attachments=sent,
        )
    )
    host.engine.kick(work.DELIVERY, room)


async def test_an_album_is_a_grid_without_a_hole_on_a_phone_too(home: Path, browser: Browser) -> None:
    phone = {"viewport": {"width": 390, "height": 800}}
    wanted = {2: [2], 3: [3], 4: [2, 2], 5: [2, 3], 7: [2, 2, 3], 9: [3, 3, 3], 10: [2, 2, 3, 3]}
    async with started_host(home, model=ScriptedModel()) as host, page_of(browser, host, **phone) as page:
        for count, rows in wanted.items():
            pictures = [(f"{number}.png", "image/png", PICTURE) for number in range(count)]
            await send_files(host, *pictures, (f"{count}.txt", "text/plain", b"milk"))
            bubble = page.locator(".bubble", has_text=f"{count}.txt")
            tiles = bubble.locator(".album .picture")
            await expect(tiles).to_have_count(count)
            places = await tiles.evaluate_all(
                "tiles => tiles.map(tile => [tile.offsetTop, tile.offsetLeft + tile.offsetWidth])"
            )
            tops = [top for top, _ in places]
            assert [tops.count(top) for top in sorted(set(tops))] == rows
            ends = [max(end for top, end in places if top == row) for row in set(tops)]
            assert max(ends) - min(ends) <= 1
            await expect(bubble.locator("> .file")).to_contain_text(f"{count}.txt")
        assert await page.evaluate("document.documentElement.scrollWidth") <= 390


async def test_a_voice_can_be_heard_wound_and_saved(home: Path, browser: Browser) -> None:
    async with started_host(home, model=ScriptedModel()) as host, page_of(browser, host) as page:
        await send_files(host, ("Відповідь.ogg", "audio/ogg", VOICE), ("a.wav", "audio/x-wav", b"RIFF"))
        sound = page.get_by_label("Відповідь.ogg")
        await expect(sound).to_be_visible()
        await expect(page.locator("audio")).to_have_count(1)
        await expect(sound).to_have_attribute("src", re.compile("^blob:"))
        heard = await sound.evaluate(
            """async audio => {
              audio.muted = true;
              await audio.play();
              await new Promise(done => { audio.onended = done; });
              return [audio.duration, audio.seekable.end(0)];
            }"""
        )
        assert heard == [pytest.approx(0.3, abs=0.02)] * 2
        async with page.expect_download() as download:
            await page.get_by_role("link", name="Відповідь.ogg").click()
        assert (await download.value).suggested_filename == "Відповідь.ogg"


async def test_only_what_comes_into_sight_is_fetched(home: Path, browser: Browser) -> None:
    async with started_host(home, model=ScriptedModel()) as host:
        for number in range(60):
            await send_files(host, (f"{number}.png", "image/png", PICTURE))
        await send_files(host, ("last.ogg", "audio/ogg", VOICE))
        async with page_of(browser, host) as page:
            fetched: list[str] = []
            page.on("request", lambda asked: fetched.append(asked.url) if "/files/" in asked.url else None)
            await page.reload()
            shown = page.locator(".picture img[src^='blob:']")
            await expect(page.get_by_title("59.png").locator("img[src^='blob:']")).to_be_visible()
            await expect(page.get_by_label("last.ogg")).to_have_attribute("src", re.compile("^blob:"))
            assert await shown.count() < 30
            assert len(fetched) < 30
            await expect(page.locator(".picture").nth(44)).to_be_attached()


async def test_the_page_keeps_the_last_files_and_fetches_an_older_one_again(
    home: Path, browser: Browser
) -> None:
    async with started_host(home, model=ScriptedModel()) as host, page_of(browser, host) as page:
        for number in range(6):
            await send_files(host, *((f"{number}-{place}.png", "image/png", PICTURE) for place in range(10)))
            for place in range(10):  # only what comes into sight is fetched
                link = page.get_by_title(f"{number}-{place}.png")
                await link.scroll_into_view_if_needed()
                await expect(link.locator("img[src^='blob:']")).to_have_count(1)
        await expect(page.locator(".picture[href^='blob:']")).to_have_count(50)
        first = page.get_by_title("0-0.png")
        await expect(first).to_have_attribute("href", re.compile("^/api/"))
        async with page.expect_popup() as opened:
            await first.click()
        assert (await opened.value).url.startswith("blob:")
        await expect(first).to_have_attribute("href", re.compile("^blob:"))


async def test_a_picture_that_could_not_be_fetched_is_fetched_by_a_click(
    home: Path, browser: Browser
) -> None:
    async with started_host(home, model=ScriptedModel()) as host, page_of(browser, host) as page:
        away = True

        async def answer(route: Route) -> None:
            await (route.abort() if away else route.continue_())

        await page.route("**/files/**", answer)
        async with page.expect_request("**/files/**"):
            await send_files(host, ("cat.png", "image/png", PICTURE))
        link = page.get_by_title("cat.png")
        await expect(link).to_have_attribute("href", re.compile("^/api/"))
        away = False
        async with page.expect_popup() as opened:
            await link.click()
        assert (await opened.value).url.startswith("blob:")
        await expect(link.locator("img")).to_have_attribute("src", re.compile("^blob:"))


async def test_a_fault_in_the_page_does_not_break_the_live_stream(home: Path, browser: Browser) -> None:
    async with started_host(home, model=ScriptedModel()) as host, page_of(browser, host) as page:
        room = await host.store.read(lambda tx: people.chats_of(tx, ("web",))[0][0].id)
        await page.evaluate(
            """async path => {
              const { follow } = await import("/static/live.js");
              const told = window.told = { up: 0, down: 0, heard: 0 };
              const own = { up: () => { told.up++; }, down: () => { told.down++; } };
              const fall = () => { told.heard++; throw new Error("a fault"); };
              follow(() => path, new Proxy(own, { get: (all, name) => all[name] ?? fall }));
            }""",
            f"/api/rooms/{room}/live",
        )
        told = {"up": 0, "down": 0, "heard": 0}

        async def look(name: str) -> None:
            before = told[name]
            async with asyncio.timeout(60):
                while told[name] == before:
                    told.update(await page.evaluate("told"))

        await look("up")
        for name in ("a.txt", "b.txt"):
            await send_files(host, (name, "text/plain", b"milk"))
            await look("heard")
        assert (told["up"], told["down"]) == (1, 0)


RANGES = (
    ("bytes=2-5", 206, slice(2, 6)),
    ("bytes=2-", 206, slice(2, None)),
    ("bytes=0-0", 206, slice(0, 1)),
    ("bytes=5-99999", 206, slice(5, None)),
    ("bytes=99999-", 200, slice(None)),
    ("bytes=5-2", 200, slice(None)),
    ("bytes=-4", 200, slice(None)),
    ("bytes=0-1,3-4", 200, slice(None)),
    ("bytes=٣-", 200, slice(None)),
)


async def test_a_part_of_a_file_can_be_asked_for(home: Path) -> None:
    async with started_host(home, model=ScriptedModel()) as host:
        await send_files(host, ("voice.ogg", "audio/ogg", VOICE))
        headers = {"authorization": f"Bearer {host.token}"}
        async with httpx.AsyncClient(base_url=host.url, headers=headers) as client:
            room = (await client.get("/api/rooms")).json()["rooms"][0]["id"]
            line = (await client.get(f"/api/rooms/{room}/messages")).json()["items"][-1]
            url = line["attachments"][0]["url"]
            for asked, status, given in RANGES:
                answer = await client.get(url, headers=[(b"range", asked.encode())])
                assert (answer.status_code, answer.content) == (status, VOICE[given]), asked
                assert answer.headers["content-disposition"].startswith("inline")
                assert int(answer.headers["content-length"]) == len(answer.content)
                assert ("content-range" in answer.headers) == (status == 206), asked
                assert "sandbox" in answer.headers["content-security-policy"]
