"""The HTTP API, as the page uses it: rooms, messages, live events, why."""

import asyncio
import json
import logging
import os
import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.led_agent import PICTURE, LedAgent, host_of, send_file

from nanoclaw.console import web_server
from nanoclaw.console.files import SHOWN
from nanoclaw.console.shapes import EVENTS
from nanoclaw.domain.ids import HostId
from nanoclaw.domain.money import Spender, Usage
from nanoclaw.domain.turns import Connected, Spent, TextDelta, ToolEnded, ToolPrinted, ToolStarted
from nanoclaw.durable import connections, costs
from nanoclaw.durable.clock import now
from nanoclaw.durable.connections import Connection, ConnectionVerdict
from nanoclaw.host.host import Host
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
            elif line.startswith("data: ") and name != "memory":  # which every answer changes, a moment later
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
        await asyncio.wait_for(until_watched(host, room, 2), 60)
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
        await asyncio.wait_for(until_watched(host, room, 1), 60)
        await far_end.say("elsewhere", "hello")
        await far_end.wait_for("elsewhere")
        renamed = (await client.patch(f"/api/rooms/{room}", json={"title": "Renamed"})).json()
        assert await asyncio.wait_for(first, 60) == ("room", renamed)
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
        ("GET", "/api/connections?limit=0", None, 400),
        ("GET", "/api/rooms/{room}/files/o_nosuch", None, 404),
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
                filled = re.sub(r"{(\w+)}", lambda named: room if named[1] == "room" else "1", path)
                answer = await client.request(method.upper(), filled, json={})
                assert answer.status_code != 405, (method, path)
        live = described["paths"]["/api/rooms/{room}/live"]["get"]["responses"]["200"]["content"]
        assert live["text/event-stream"]["x-events"].keys() == EVENTS.keys()
        shapes = described["components"]["schemas"]
        referred = set(re.findall(r'"#/([^"]+)"', json.dumps(described)))
        assert referred == {f"components/schemas/{name}" for name in shapes}
        assert [name for name in shapes if "__" in name] == []  # two shapes of one name
        page = Path(__file__).parents[2].joinpath("docs/reference/api.md").read_text()
        assert [name for name in EVENTS if f"| `{name}` |" not in page] == []


async def test_nothing_is_served_without_the_token(home: Path) -> None:
    async with started_host(home) as host, httpx.AsyncClient(base_url=host.url) as nobody:
        described = ["/api/page", "/api/rooms", "/api/status", "/api/openapi.json", "/api/connections"]
        described += ["/api/costs", "/api/rooms/x/files/o_1", "/api/bots"]
        for path in described:
            answer = await nobody.get(path)
            assert answer.status_code == 401
            assert "General" not in answer.text
        for path in ("/", "/chats/x", "/tasks/7", "/nowhere"):  # the page without anything in it
            answer = await nobody.get(path)
            assert answer.status_code == 200
            assert "General" not in answer.text
            assert host.token not in answer.text
        assert (await nobody.get("/healthz")).text == "ok"


@pytest.mark.attack
async def test_half_requests_of_anyone_on_the_machine_stop_neither_the_page_nor_the_host(home: Path) -> None:
    model = ScriptedModel()
    async with started_host(home, model=model) as host, browser(host) as client:
        address = httpx.URL(host.url)
        room = await first_room(client)
        before = len(list(Path("/proc/self/fd").iterdir()))
        half = []
        for number in range(1020):
            reader, writer = await asyncio.open_connection(address.host, address.port)
            writer.write(b"GET / HTTP/1.1\r\nHost: " if number % 2 else b"")
            half.append((reader, writer))
        assert (await client.get("/api/status")).status_code == 200
        async with aclosing(events(client, room)) as told:  # someone who watches keeps their place
            listening = asyncio.ensure_future(anext(told))
            await until_watched(host, room, 1)
            half += [await asyncio.open_connection(address.host, address.port) for _ in range(300)]
            await say(client, room, "still there?")
            await asyncio.wait_for(listening, 60)
        assert len(list(Path("/proc/self/fd").iterdir())) - before - len(half) < 300
        for _, writer in half:
            writer.close()


async def test_a_host_that_stops_waits_for_no_page_that_comes_meanwhile_and_logs_no_fault(
    home: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(web_server, "_GRACE", 0.2)
    async with started_host(home) as host, browser(host) as client:
        room, address = await first_room(client), httpx.URL(host.url)
        _, half = await asyncio.open_connection(address.host, address.port)
        head = (
            f"host: {address.netloc.decode()}\r\nauthorization: Bearer {host.token}\r\ncontent-length: 9\r\n"
        )
        half.write(f"POST /api/rooms HTTP/1.1\r\n{head}\r\n".encode())
        host._live.close()  # with which a stop begins
        async with asyncio.timeout(60):
            assert [event async for event in events(client, room)] == []
    half.close()
    assert [line.getMessage() for line in caplog.records if line.levelno >= logging.ERROR] == []


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


@pytest.mark.capability("A10")
async def test_tools_and_money_are_told_in_order_and_again_to_who_comes_later(home: Path) -> None:
    agent = LedAgent(
        [
            ToolStarted(id="1", name="bash", shown="make"),
            ToolPrinted(id="1", text="one\n"),
            ToolPrinted(id="1", text="two\n"),
            Connected(host="api.example.com", port=443, allowed=True),
            Spent(model="m", usage=Usage(input=1000, cache_read=200, output=340), micros=12300),
            None,
            ToolEnded(id="1", ok=True, text="made"),
            TextDelta(text="done"),
        ]
    )
    async with host_of(home, agent) as host, browser(host) as client:
        room = await first_room(client)
        message = await say(client, room, "make it")
        await asyncio.wait_for(agent.waiting.wait(), 60)

        heard = []
        async with aclosing(events(client, room)) as told_first:
            async for name, data in told_first:
                heard.append((name, data))
                if name == "spent":
                    break
        turn = heard[0][1]["turn"]
        running = {"turn": turn, "tool": "1", "name": "bash", "shown": "make", "state": "running"}
        assert heard == [
            ("typing", {"turn": turn, "on": True}),
            ("tool", {**running, "text": "one\ntwo\n"}),
            (
                "tool",
                {**running, "tool": "api.example.com:443", "name": "network", "shown": "api.example.com:443"}
                | {"state": "done", "text": ""},
            ),
            (
                "spent",
                {"turn": turn, "model": "m", "input": 1200, "output": 340}
                | {"micros": 12300, "money": "$0.0123"},
            ),
        ]

        async def rest() -> list[tuple[str, Any]]:
            told = []
            async for event in events(client, room, after=message["id"]):
                told.append(event)
                joined.set()  # what was missed has been read
                if event[0] == "message" and event[1]["author"] == "agent":
                    return told
            raise AssertionError

        while host._live.watched(room):  # the first one has gone
            await asyncio.sleep(0.01)
        joined = asyncio.Event()
        watching = asyncio.create_task(rest())
        await asyncio.wait_for(joined.wait(), 60)
        agent.go_on()
        told = await asyncio.wait_for(watching, 60)
    ends = [
        data["text"] for name, data in told if name == "tool" and data["state"] == "done" and data["text"]
    ]
    assert set(ends) == {"made"}  # told as it happened, and perhaps to who came just then
    assert told[-1][1]["text"] == "done"


async def test_a_tool_that_prints_without_end_is_told_now_and_then(home: Path) -> None:
    printed = [ToolPrinted(id="1", text=f"line {number}\n") for number in range(3000)]
    agent = LedAgent(
        [
            None,
            ToolStarted(id="1", name="bash", shown="yes"),
            *printed,
            ToolEnded(id="1", ok=True, text="enough"),
            TextDelta(text="done"),
        ]
    )
    async with host_of(home, agent) as host, browser(host) as client:
        room = await first_room(client)
        await say(client, room, "go")
        tools = 0
        async with asyncio.timeout(60):
            async for name, data in events(client, room):
                if name == "typing" and data["on"]:
                    agent.go_on()
                tools += name == "tool"
                if name == "message" and data["author"] == "agent":
                    break
    assert 1 <= tools < 1000


@pytest.mark.parametrize(
    ("name", "media_type", "how"),
    [
        ("chart.png", "image/png", "inline"),
        ("notes.txt", "text/plain", "inline"),
        ('Звіт "1".pdf', "application/pdf", "attachment"),
        ("page.html", "text/html", "attachment"),
        ("drawing.svg", "image/svg+xml", "attachment"),
        ("odd", "text/html\r\nx-evil: yes", "attachment"),
    ],
)
async def test_a_file_comes_as_it_is_and_runs_nowhere(
    home: Path, name: str, media_type: str, how: str
) -> None:
    content = PICTURE * 10_000
    async with started_host(home, model=ScriptedModel()) as host, browser(host) as client:
        room = await first_room(client)
        parcel = await send_file(host, room, name, media_type, content, "here")
        line = (await lines(client, room))["items"][0]
        assert line["text"] == "here"
        (file,) = line["attachments"]
        assert file == {
            "name": name,
            "media_type": media_type,
            "size": len(content),
            "url": f"/api/rooms/{room}/files/{parcel}",
        }
        answer = await client.get(file["url"])
    assert answer.content == content
    assert answer.headers["content-disposition"].split(";")[0] == how
    assert (how == "inline") == (media_type in SHOWN)
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in answer.headers["content-security-policy"]
    assert "script-src" not in answer.headers["content-security-policy"]
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "x-evil" not in answer.headers


async def test_a_file_is_found_only_in_its_own_room_and_never_through_a_link(home: Path) -> None:
    async with started_host(home, model=ScriptedModel()) as host, browser(host) as client:
        room = await first_room(client)
        other = (await client.post("/api/rooms", json={"title": "Other"})).json()["id"]
        parcel = await send_file(host, room, "a.txt", "text/plain", b"mine")
        kept = home / "data" / "attachments" / parcel
        assert (await client.get(f"/api/rooms/{room}/files/{parcel}")).text == "mine"
        assert (await client.get(f"/api/rooms/{other}/files/{parcel}")).status_code == 404
        assert (await client.get(f"/api/rooms/{room}/files/..%2Fweb-token")).status_code == 404
        kept.unlink()
        assert (await client.get(f"/api/rooms/{room}/files/{parcel}")).status_code == 404
        kept.symlink_to(home / "data" / "web-token")
        assert (await client.get(f"/api/rooms/{room}/files/{parcel}")).status_code == 404
        kept.unlink()
        os.mkfifo(kept)
        refused = await client.get(f"/api/rooms/{room}/files/{parcel}")
    assert refused.status_code == 404
    assert refused.json()["code"] == "no-such-file"


@pytest.mark.capability("A18")
async def test_connections_are_paged_from_the_newest_on(home: Path) -> None:
    spender = Spender(company="acme", group="main", session_id="s_1", turn_id="t_1", runtime="native")
    async with started_host(home, model=ScriptedModel()) as host, browser(host) as client:
        for number, verdict in enumerate(ConnectionVerdict):
            made = Connection(
                at=now(), host=f"h{number}", port=443, verdict=verdict, sent=1, received=2, duration=0.5
            )
            await host.store.write(lambda tx, made=made: connections.note(tx, spender, made))  # type: ignore[misc]
        found: list[Any] = []
        query: dict[str, str] = {"limit": "2"}
        while True:
            page = (await client.get("/api/connections", params=query)).json()
            found += page["items"]
            if not page["more"]:
                break
            query["before"] = page["items"][-1]["id"]
    assert [item["verdict"] for item in found] == [verdict.value for verdict in reversed(ConnectionVerdict)]
    one = found[-1]
    assert (one["host"], one["port"], one["group"], one["turn"]) == ("h0", 443, "main", "t_1")
    assert (one["sent"], one["received"], one["seconds"]) == (1, 2, 0.5)


@pytest.mark.capability("J4")
async def test_costs_are_added_up_by_company_for_the_day_and_the_month(home: Path) -> None:
    async with started_host(home, model=ScriptedModel()) as host, browser(host) as client:
        empty = (await client.get("/api/costs")).json()
        for number, (company, days) in enumerate((("acme", 0), ("acme", 0), ("other", 0), ("acme", 40))):
            cost = costs.Cost(
                id=f"c_{number}",
                at=now() - timedelta(days=days),
                spender=Spender(company=company, group="g", session_id="s", turn_id="t", runtime="native"),
                model="m",
                host=HostId("h_1"),
                micros=60_000,
                state=costs.State.SETTLED,
                usage=Usage(input=10, cache_read=5, output=7),
            )
            await host.store.write(lambda tx, cost=cost: costs.settle(tx, cost))  # type: ignore[misc]
        told = (await client.get("/api/costs")).json()
    assert (empty["today"]["money"], empty["companies"]) == ("$0.00", [])
    assert told["month"]["micros"] == told["today"]["micros"] == 180_000
    assert [row["company"] for row in told["companies"]] == ["acme", "other"]
    acme = told["companies"][0]["today"]
    assert (acme["calls"], acme["input"], acme["cached"], acme["output"]) == (2, 30, 10, 14)
    assert (acme["micros"], acme["money"]) == (120_000, "$0.1200")
    # The costs of 40 days ago are no guide for this month unless they are among the last ones with spending.
    assert told["forecast"]["days"] == 1
