"""What someone could try against interactive sessions: letters that are none, names that are none, and a crowd."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio

from nanoclaw.host.host import Host
from nanoclaw.testing import started_host

pytestmark = [pytest.mark.capability("S1", "S3"), pytest.mark.attack]

_ODD = "a\u0000b\u001b[31m"


class Door:
    def __init__(self, host: Host, client: httpx.AsyncClient) -> None:
        self.host, self.client = host, client

    async def ask(self, prompt: str = "Review this", **config: Any) -> httpx.Response:
        return await self.post("/api/questions", {"question": prompt, "session": config})

    async def post(self, path: str, body: object) -> httpx.Response:
        content = json.dumps(body).encode()  # as ASCII: half a letter is an escape
        return await self.client.post(path, content=content, headers={"Content-Type": "application/json"})


@pytest_asyncio.fixture
async def door(tmp_path: Path, database_url: str) -> AsyncIterator[Door]:
    async with started_host(tmp_path / "nanoclaw", database={"url": database_url}) as host:
        header = {"Authorization": f"Bearer {host.token}"}
        async with httpx.AsyncClient(base_url=host.url, headers=header, timeout=30) as client:
            yield Door(host, client)


async def test_letters_that_no_screen_should_obey_are_stored_shown_and_concluded_with(door: Door) -> None:
    for config in (
        {"context": {_ODD: [_ODD]}, "systemPrompt": _ODD},
        {"outcomeSchema": {"type": "selection", "options": [_ODD, "b"]}},
        {"outcomeSchema": {"type": "structured", "jsonSchema": {"type": "object", "title": _ODD}}},
    ):
        asked = await door.ask(_ODD, captureTranscript=True, **config)
        assert asked.status_code == 200
        path = f"/api/sessions/{asked.json()['id']}"
        assert (await door.post(f"{path}/open", {"place": "chat"})).status_code == 200
        response = {_ODD: _ODD} if "title" in str(config) else _ODD
        ended = await door.post(f"{path}/conclude", {"response": response, "transcript": _ODD})
        assert ended.status_code == 200
        shown = await door.client.get(path)
        late = await door.post(f"{path}/conclude", {"response": "b"})
        assert (shown.status_code, late.status_code) == (200, 400)
        assert not any(letter in f"{shown.json()['xml']}{late.json()['error']}" for letter in "\0\x1b")


async def test_a_name_that_is_no_text_and_a_disk_that_takes_nothing_hide_no_session(door: Door) -> None:
    files = door.host.home / "groups" / "main" / "files"
    files.mkdir(parents=True, exist_ok=True)
    path = f"/api/sessions/{(await door.ask()).json()['id']}"
    await door.post(f"{path}/open", {"place": "terminal"})
    for name in ("\udcff.txt", "\x1b[31mred.txt", "two\n+lines.txt"):
        (files / name).write_text("one\n")
    shown = (await door.client.get(path)).json()["files"]
    assert {each["path"] for each in shown} == {"\ufffd.txt", "\ufffd[31mred.txt", "two\n+lines.txt"}
    assert all(each["diff"].splitlines()[1].startswith("+++ b/") for each in shown)

    remembered = door.host.home / "data" / "live_sessions"
    remembered.rename(door.host.home / "data" / "gone")
    remembered.write_text("")  # as on a full disk: nothing can be made in it
    path = f"/api/sessions/{(await door.ask('Another')).json()['id']}"
    for asked in (
        await door.post(f"{path}/open", {"place": "chat"}),
        await door.client.get(path),
        await door.post(f"{path}/conclude", {"response": "Fine."}),
    ):
        assert asked.status_code == 200, asked.text


async def test_a_crowd_that_concludes_at_once_gets_one_result(door: Door) -> None:
    session = (await door.ask(outcomeSchema={"type": "selection", "options": ["a", "b", "c"]})).json()["id"]
    answers = await asyncio.gather(
        *(door.post(f"/api/sessions/{session}/conclude", {"response": "abc"[n % 3]}) for n in range(30))
    )
    assert Counter(each.status_code for each in answers) == {200: 1, 400: 29}
    [won] = [each.json()["concluded"] for each in answers if each.status_code == 200]
    assert (await door.client.get(f"/api/sessions/{session}")).json()["concluded"] == won


async def test_many_sessions_with_much_to_read_come_in_answers_of_a_bounded_size(door: Door) -> None:
    much = {"log": "x" * 250_000}
    asked = [(await door.ask(f"Review {number}", context=much)).json()["id"] for number in range(24)]
    got: list[str] = []
    while len(got) < len(asked):
        answer = await door.client.get("/api/questions", params={"after": got[-1]} if got else {})
        assert len(answer.content) < 6 << 20
        page = answer.json()
        got += [each["id"] for each in page["questions"]]
        assert page["more"] == (len(got) < len(asked))
    assert got == asked
