"""The HTTP API, as the page uses it: rooms, messages, live events, why."""

import asyncio
import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import httpx
import pytest

from nanoclaw.app.wiring import Host
from nanoclaw.testing import FarEnd, ScriptedModel, started_host


def browser(host: Host) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=host.url, headers={"Authorization": f"Bearer {host.token}"})


async def events(
    client: httpx.AsyncClient, room: str, after: str = ""
) -> AsyncGenerator[tuple[str, Any], None]:
    async with client.stream("GET", f"/api/rooms/{room}/live", params={"after": after}) as answer:
        name = ""
        async for line in answer.aiter_lines():
            if line.startswith("event: "):
                name = line[7:]
            elif line.startswith("data: "):
                yield name, json.loads(line[6:])


async def first_room(client: httpx.AsyncClient) -> str:
    return str((await client.get("/api/rooms")).json()["rooms"][0]["id"])


async def say(client: httpx.AsyncClient, room: str, text: str, client_id: str = "1") -> Any:
    answer = await client.post(f"/api/rooms/{room}/messages", json={"text": text, "client_id": client_id})
    assert answer.status_code == 202, answer.text
    return answer.json()


async def lines(client: httpx.AsyncClient, room: str, **query: str) -> Any:
    return (await client.get(f"/api/rooms/{room}/messages", params=query)).json()


pytestmark = pytest.mark.capability("O3")


@pytest.mark.capability("A10")
async def test_two_who_watch_a_room_see_the_same_answer_grow(home: Path) -> None:
    model = ScriptedModel(lambda _: ["one ", "two ", "three"])
    model.hold()
    async with started_host(home, model=model) as host, browser(host) as one, browser(host) as two:
        room = await first_room(one)

        async def watch(client: httpx.AsyncClient) -> list[tuple[str, Any]]:
            heard = []
            async for event in events(client, room):
                heard.append(event)
                if event[0] == "message" and event[1]["author"] == "agent":
                    break
            return heard

        watching = [asyncio.create_task(watch(client)) for client in (one, two)]
        await asyncio.wait_for(until_watched(host, room, 2), 10)
        await say(one, room, "hello")
        await model.wait_for_calls(1)
        model.go_on()
        first, second = await asyncio.gather(*watching)
    kinds = [name for name, _ in first]
    assert "typing" in kinds
    assert "preview" in kinds
    assert first[-1][1]["text"] == "one two three"
    assert first[-1] == second[-1]


async def until_watched(host: Host, room: str, count: int) -> None:
    while len(host._live._watchers.get(room, ())) < count:
        await asyncio.sleep(0.01)


async def test_who_comes_in_the_middle_is_told_what_is_under_way_and_what_was_missed(home: Path) -> None:
    model = ScriptedModel(lambda _: ["begun ", "ended"])
    async with started_host(home, model=model) as host, browser(host) as client:
        room = await first_room(client)
        first = await say(client, room, "hello", "1")
        async for name, data in events(client, room, after=first["id"]):
            if name == "message" and data["author"] == "agent":
                break
        model.hold()
        await say(client, room, "more", "2")
        await model.wait_for_calls(2)
        heard = []
        async for name, data in events(client, room, after=first["id"]):
            heard.append((name, data.get("text")))
            if name == "typing":
                break
        model.go_on()
    assert ("message", "begun ended") in heard
    assert ("message", "more") in heard


@pytest.mark.capability("A1")
async def test_a_repeated_post_is_one_message(home: Path) -> None:
    async with started_host(home) as host, browser(host) as client:
        room = await first_room(client)
        assert (await say(client, room, "hi", "same"))["id"] == (await say(client, room, "hi", "same"))["id"]


async def test_history_is_paged_backwards_without_gaps(home: Path) -> None:
    async with started_host(home) as host, browser(host) as client:
        room = await first_room(client)
        for number in range(7):
            await say(client, room, f"/help {number}", str(number))
        everything = (await lines(client, room, limit="200"))["items"]
        assert len(everything) == 14
        paged: list[Any] = []
        query = {"limit": "4"}
        while True:
            page = await lines(client, room, **query)
            paged = page["items"] + paged
            if not page["more"]:
                break
            query["before"] = page["items"][0]["id"]
        assert [line["id"] for line in paged] == [line["id"] for line in everything]


async def test_a_reply_carries_what_it_replies_to(home: Path) -> None:
    model = ScriptedModel("the answer")
    async with started_host(home, model=model) as host, browser(host) as client:
        room = await first_room(client)
        question = await say(client, room, "a question", "1")
        body = {"text": "and this?", "client_id": "2", "reply_to": question["id"]}
        assert (await client.post(f"/api/rooms/{room}/messages", json=body)).json()["reply_to"] == question[
            "id"
        ]
        await model.wait_for_calls(1)
        body = {"text": "x", "client_id": "3", "reply_to": "m_nosuch"}
        assert (await client.post(f"/api/rooms/{room}/messages", json=body)).status_code == 404


async def test_a_chat_of_another_channel_is_not_shown_as_a_room(home: Path) -> None:
    async with (
        FarEnd() as far_end,
        started_host(home, model=ScriptedModel(), scripted={"url": far_end.url}) as host,
        browser(host) as client,
    ):
        room = await first_room(client)
        watching = events(client, room)
        first = asyncio.create_task(anext(watching))
        await asyncio.wait_for(until_watched(host, room, 1), 10)
        await far_end.say("elsewhere", "hello")
        await far_end.wait_for("elsewhere")
        renamed = (await client.patch(f"/api/rooms/{room}", json={"title": "Renamed"})).json()
        assert await asyncio.wait_for(first, 10) == ("room", renamed)
        await watching.aclose()


async def test_rooms_are_opened_renamed_and_kept_apart(home: Path) -> None:
    async with started_host(home) as host, browser(host) as client:
        opened = (await client.post("/api/rooms", json={"title": "Plans"})).json()
        await say(client, opened["id"], "/help")
        assert len((await lines(client, opened["id"]))["items"]) == 2
        assert (await lines(client, await first_room(client)))["items"] == []
        renamed = await client.patch(f"/api/rooms/{opened['id']}", json={"title": "  New\n plans "})
        assert renamed.json()["title"] == "New plans"


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/api/rooms/{room}/messages", {"text": "x"}, 400),
        ("POST", "/api/rooms/{room}/messages", {"text": 5, "client_id": "1"}, 400),
        ("POST", "/api/rooms/{room}/messages", {"text": "x", "client_id": "1", "sudo": True}, 400),
        ("POST", "/api/rooms/nosuch/messages", {"text": "x", "client_id": "1"}, 404),
        ("GET", "/api/rooms/{room}/messages?limit=many", None, 400),
        ("GET", "/api/rooms/{room}/messages?limit=100000", None, 400),
        ("POST", "/api/rooms", {"title": ""}, 400),
        ("POST", "/api/rooms", {"title": "\u202e"}, 400),
        ("POST", "/api/messages/m_1/retry", None, 404),
        ("GET", "/api/messages/m_1/why", None, 404),
    ],
)
async def test_a_bad_request_gets_a_sentence(
    home: Path, method: str, path: str, body: object, status: int
) -> None:
    async with started_host(home) as host, browser(host) as client:
        answer = await client.request(method, path.format(room=await first_room(client)), json=body)
        assert answer.status_code == status
        assert len(answer.json()["error"]) > 10


async def test_a_request_that_is_too_big_is_refused_while_it_is_read(home: Path) -> None:
    async with started_host(home) as host, browser(host) as client:
        answer = await client.post(
            f"/api/rooms/{await first_room(client)}/messages", content=b"x" * 9_000_000
        )
        assert answer.status_code == 413
        assert "8 MB" in answer.json()["error"]


@pytest.mark.capability("O2", "A15")
async def test_why_is_told_for_a_message_and_for_its_answer(home: Path) -> None:
    async with started_host(home, model=ScriptedModel("yes")) as host, browser(host) as client:
        room = await first_room(client)
        message = await say(client, room, "hello")
        async for name, data in events(client, room, after=message["id"]):
            if name == "message" and data["author"] == "agent":
                answer = data
                break
        told = (await client.get(f"/api/messages/{message['id']}/why")).json()
        assert [step["event"] for step in told["steps"]][:3] == ["received", "admitted", "queued"]
        assert (await client.get(f"/api/messages/{answer['id']}/why")).json()["id"] == message["id"]


async def test_the_described_api_is_the_one_that_is_served(home: Path) -> None:
    async with started_host(home) as host, browser(host) as client:
        described = (await client.get("/api/openapi.json")).json()
        room = await first_room(client)
        for path, methods in described["paths"].items():
            for method in methods:
                if path.endswith("/live"):
                    continue
                answer = await client.request(method.upper(), path.format(room=room, message="m_1"), json={})
                assert answer.status_code != 405, (method, path)


async def test_nothing_is_served_without_the_token(home: Path) -> None:
    async with started_host(home) as host, httpx.AsyncClient(base_url=host.url) as nobody:
        described = ["/", "/rooms/x", "/api/rooms", "/api/status", "/api/openapi.json"]
        for path in described:
            answer = await nobody.get(path)
            assert answer.status_code == 401
            assert "General" not in answer.text
        assert (await nobody.get("/healthz")).text == "ok"


async def test_a_waiting_message_knows_its_place(home: Path) -> None:
    model = ScriptedModel()
    model.hold()
    async with started_host(home, model=model, turns={"concurrent": 1}) as host, browser(host) as client:
        rooms = [(await client.post("/api/rooms", json={"title": str(n)})).json()["id"] for n in range(3)]
        await say(client, rooms[0], "a", "1")
        await model.wait_for_calls(1)
        await say(client, rooms[1], "b", "2")
        await say(client, rooms[2], "c", "3")
        places = [(await lines(client, room))["items"][0]["place"] for room in rooms]
        model.go_on()
    assert places == [None, 1, 2]
