"""The HTTP API about who may speak, and to whom, as the page uses it: people, chats, requests, drops, cards."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import httpx
import pytest

from nanoclaw.domain.messages import Incoming
from nanoclaw.domain.people import Role
from nanoclaw.domain.wirings import ChatKind
from nanoclaw.durable import history, people, wirings
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.host.host import Host
from nanoclaw.testing import ScriptedModel, started_host

pytestmark = pytest.mark.capability("O3", "P3", "P4")

GARDEN = "-100"


def browser(host: Host) -> httpx.AsyncClient:
    headers = {"Authorization": f"Bearer {host.token}"}
    return httpx.AsyncClient(base_url=host.url, headers=headers, timeout=60)


def said(number: int, text: str, handle: str = "unknown:1", **more: Any) -> Incoming:
    private = {"address": "77", "kind": ChatKind.PRIVATE, "addressed": True}
    given: dict[str, Any] = {**private, "sender": "Taras", "chat_title": "Taras", **more}
    return Incoming(
        channel="unknown", external_id=str(number), handle=handle, text=text, sent_at=now(), **given
    )


def in_garden(number: int, text: str, handle: str = "unknown:1", **more: Any) -> Incoming:
    given = {"address": GARDEN, "kind": ChatKind.GROUP, "chat_title": "Garden", **more}
    return said(number, text, handle, **given)


async def settle_in(host: Host) -> None:
    """A group chat that belongs to the agent group main, and an owner on its network."""

    def story(tx: Tx) -> None:
        people.add_person(tx, handle="unknown:9", name="Olena", role=Role.OWNER, at=now(), username="olena")
        chat = people.add_chat(
            tx, channel="unknown", address=GARDEN, title="Garden", at=now(), kind=ChatKind.GROUP
        )
        wirings.wire(tx, chat.id, chat.kind, "main", now())

    await host.store.write(story)


def make_group(home: Path, name: str, company: str) -> None:
    folder = home / "groups" / name
    folder.mkdir(parents=True)
    (folder / "group.toml").write_text(f'company = "{company}"\n')


async def found(client: httpx.AsyncClient, path: str) -> Any:
    answer = await client.get(path)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def garden(client: httpx.AsyncClient) -> Any:
    chats = (await found(client, "/api/chats"))["chats"]
    return next(chat for chat in chats if chat["title"] == "Garden")


async def person(client: httpx.AsyncClient, handle: str) -> Any:
    everyone = (await found(client, "/api/people"))["people"]
    return next(one for one in everyone if one["handle"] == handle)


async def main_room(client: httpx.AsyncClient) -> str:
    return str((await found(client, "/api/rooms"))["rooms"][0]["id"])


async def card(client: httpx.AsyncClient, room: str) -> Any:
    """The line in the room that asks for a decision."""
    items = (await found(client, f"/api/rooms/{room}/messages"))["items"]
    return next(line for line in items if line["author"] == "host")


async def changed_lines(client: httpx.AsyncClient, room: str) -> AsyncGenerator[Any, None]:
    async with client.stream("GET", f"/api/rooms/{room}/live") as answer:
        name = ""
        async for line in answer.aiter_lines():
            if line.startswith("event: "):
                name = line[7:]
            elif line.startswith("data: ") and name == "message":
                yield json.loads(line[6:])
            elif line.startswith(": welcome"):
                yield None


@pytest.mark.capability("A4")
async def test_a_card_is_decided_by_its_button_and_is_shown_anew_to_whoever_watches(home: Path) -> None:
    async with started_host(home, model=ScriptedModel("good day")) as host, browser(host) as client:
        await settle_in(host)
        await host.inbound.receive(in_garden(1, "may I?"))
        room = await main_room(client)
        asking = await card(client, room)
        assert [button["label"] for button in asking["buttons"]] == ["Allow", "Deny", "Block"]
        allow = {"line": asking["id"], "data": asking["buttons"][0]["data"]}
        async with asyncio.timeout(60), aclosing(changed_lines(client, room)) as lines:
            assert await anext(lines) is None
            pressed = await client.post(f"/api/rooms/{room}/press", json=allow)
            async for line in lines:
                if line["id"] == asking["id"] and not line["buttons"]:
                    break
        assert pressed.json()["taken"] is True
        assert "decided Owner" in line["text"]
        assert (await person(client, "unknown:1"))["memberships"] == [{"group": "main", "role": "member"}]
        again = await client.post(f"/api/rooms/{room}/press", json=allow)
        assert again.status_code == 200
        assert again.json()["taken"] is False
        assert "decided by Owner" in again.json()["text"]


async def test_a_forged_press_changes_nothing(home: Path) -> None:
    async with started_host(home) as host, browser(host) as client:
        await settle_in(host)
        await host.inbound.receive(in_garden(1, "may I?"))
        room, other = [each["id"] for each in (await found(client, "/api/rooms"))["rooms"]]
        asking = await card(client, room)
        line, data = asking["id"], asking["buttons"][0]["data"]
        for where, body, status in [
            (room, {"line": line, "data": data.replace("allow", "king")}, 400),
            (room, {"line": line, "data": "snd:o_1"}, 400),
            (room, {"line": line, "data": "\x00"}, 400),
            (room, {"line": line}, 400),
            (room, {"line": line, "data": "x" * 1000}, 400),
            (room, {"line": "o_nothing", "data": data}, 404),
            (other, {"line": line, "data": data}, 404),
            ("c_nothing", {"line": line, "data": data}, 404),
        ]:
            answer = await client.post(f"/api/rooms/{where}/press", json=body)
            assert answer.status_code == status, (body, answer.text)
            assert answer.json()["error"]
        assert len((await found(client, "/api/requests"))["requests"]) == 1
        assert (await card(client, room)) == asking


async def test_a_failed_message_is_retried_by_its_own_line_and_not_by_a_button(home: Path) -> None:
    def broken(_: object) -> list[str]:
        raise RuntimeError("broken")

    async with started_host(home, model=ScriptedModel(broken)) as host, browser(host) as client:
        room = await main_room(client)
        async with asyncio.timeout(60), aclosing(changed_lines(client, room)) as lines:
            assert await anext(lines) is None
            await client.post(f"/api/rooms/{room}/messages", json={"text": "hello", "client_id": "1"})
            async for line in lines:
                if line["author"] != "person":
                    break
        [stored] = await host.store.read(lambda tx: history.parcels_by_id(tx, [line["id"]]))
        assert [button.data[:4] for button in stored.buttons] == ["try:"]
        assert line["buttons"] == []


async def test_a_request_is_listed_with_its_choices_and_decided_once(home: Path) -> None:
    async with started_host(home) as host, browser(host) as client:
        assert (await found(client, "/api/requests")) == {"requests": []}
        await settle_in(host)
        await host.inbound.receive(in_garden(1, "first"))
        await host.inbound.receive(in_garden(2, "second"))
        [request] = (await found(client, "/api/requests"))["requests"]
        assert request["said"] == ["first", "second"]
        assert [request["about"], request["chat"], request["person"]] == ["sender", "Garden", "Taras"]
        assert [choice["value"] for choice in request["choices"]] == ["allow", "deny", "block"]
        path = f"/api/requests/{request['id']}"
        assert (await client.post(path, json={"choice": "king"})).status_code == 400
        decided = await client.post(path, json={"choice": "deny"})
        assert "was turned away by Owner" in decided.json()["text"]
        assert (await client.post(path, json={"choice": "allow"})).status_code == 400
        assert (await found(client, "/api/requests")) == {"requests": []}
        assert {drop["reason"] for drop in (await found(client, "/api/drops"))["items"]} == {"denied"}


async def test_roles_are_given_taken_and_refused_with_the_reason(home: Path) -> None:
    async with started_host(home) as host, browser(host) as client:
        await settle_in(host)
        await host.inbound.receive(in_garden(1, "hi"))
        taras = (await person(client, "unknown:1"))["id"]
        owner = (await person(client, "local:owner"))["id"]

        async def change(who: str, **body: object) -> httpx.Response:
            return await client.patch(f"/api/people/{who}", json=body)

        assert (await change(taras, role="admin")).json()["role"] == "admin"
        assert (await change(taras, role="none")).json()["role"] == "none"
        given = (await change(taras, role="member", group="main")).json()
        assert given["memberships"] == [{"group": "main", "role": "member"}]
        assert (await change(taras, role="none", group="main")).json()["memberships"] == []
        assert (await change(taras, blocked=True)).json()["blocked"] is True
        assert (await change(taras, blocked=False)).json()["blocked"] is False
        refused: list[tuple[str, dict[str, object], str]] = [
            (taras, {"role": "king"}, "no-such-choice"),
            (taras, {"role": "member", "group": "nowhere"}, "no-such-group"),
            (taras, {"role": "owner", "group": "main"}, "owner-everywhere"),
            (owner, {"role": "none"}, "role-local-owner"),
            (owner, {"blocked": True}, "block-self"),
            (taras, {}, "bad-request"),
            (taras, {"group": "main"}, "bad-request"),
            (taras, {"role": "admin", "blocked": True}, "bad-request"),
            (taras, {"crown": True}, "bad-request"),
            ("p_nobody", {"role": "admin"}, "no-such-person"),
            ("%00", {"role": "admin"}, "no-such-person"),
        ]
        for who, body, code in refused:
            answer = await change(who, **body)
            assert answer.status_code == (404 if code == "no-such-person" else 400), body
            assert answer.json()["code"] == code, body
        assert (await person(client, "unknown:1"))["role"] == "none"


async def test_a_wiring_is_made_changed_and_ended_and_what_is_wrong_changes_nothing(home: Path) -> None:
    make_group(home, "support", "demo")
    make_group(home, "rival", "rival")
    async with started_host(home) as host, browser(host) as client:
        await settle_in(host)
        path = f"/api/chats/{(await garden(client))['id']}"

        async def wire(group: str, **body: object) -> httpx.Response:
            return await client.put(f"{path}/wirings/{group}", json=body)

        changed = (await wire("main", engage="pattern", pattern="^garden", priority=3)).json()
        [wiring] = changed["wirings"]
        assert [wiring["engage"], wiring["pattern"], wiring["priority"]] == ["pattern", "^garden", 3]
        assert wiring["senders"] == "all"
        added = (await wire("support", senders="known", ignored="accumulate")).json()
        assert [each["group"] for each in added["wirings"]] == ["support", "main"]
        before = await garden(client)
        refused: list[tuple[str, dict[str, object], str]] = [
            ("main", {"engage": "pattern", "pattern": "("}, "pattern-bad"),
            ("main", {"engage": "pattern", "pattern": ""}, "pattern-empty"),
            ("main", {"engage": "sometimes"}, "no-such-choice"),
            ("main", {"senders": "friends"}, "no-such-choice"),
            ("main", {"priority": 10**30}, "bad-request"),
            ("main", {"priority": "first"}, "bad-request"),
            ("rival", {}, "wiring-companies"),
            ("nowhere", {}, "no-such-group"),
        ]
        for group, body, code in refused:
            answer = await wire(group, **body)
            assert answer.status_code == 400, body
            assert answer.json()["code"] == code, body
        assert (await client.put("/api/chats/c_nothing/wirings/main", json={})).status_code == 404
        assert (await client.patch(path, json={"strangers": "welcome"})).status_code == 400
        assert await garden(client) == before
        assert (await client.patch(path, json={"strangers": "strict"})).json()["strangers"] == "strict"
        ended = await client.delete(f"{path}/wirings/support")
        assert [each["group"] for each in ended.json()["wirings"]] == ["main"]
        assert (await client.delete(f"{path}/wirings/support")).status_code == 404
        (home / "groups" / "main" / "group.toml").unlink()
        assert (await garden(client))["wirings"][0]["fault"] == "this agent group was removed"


async def test_an_agent_group_is_made_for_a_company_that_is_there_or_a_new_one(home: Path) -> None:
    async with started_host(home) as host, browser(host) as client:
        made = await client.post("/api/groups", json={"name": "Front Desk", "company": "Acme"})
        assert made.status_code == 201
        assert made.json() == {"name": "front-desk", "company": "acme", "main": False, "chats": 0}
        listed = await found(client, "/api/groups")
        assert {group["name"] for group in listed["groups"]} == {"main", "front-desk"}
        assert listed["companies"] == ["acme", "demo"]
        for name, company, code in [
            ("Front Desk", "Acme", "group-exists"),
            ("../..", "Acme", "group-unnamed"),
            ("new", " ", "company-unnamed"),
        ]:
            answer = await client.post("/api/groups", json={"name": name, "company": company})
            assert [answer.status_code, answer.json()["code"]] == [400, code]


async def test_drops_and_changes_are_paged_newest_first_with_their_reasons(home: Path) -> None:
    async with started_host(home) as host, browser(host) as client:
        await settle_in(host)
        for number in range(5):
            await host.inbound.receive(in_garden(number, f"aside {number}", "unknown:9", addressed=False))
        first = await found(client, "/api/drops?limit=3")
        assert [drop["text"] for drop in first["items"]] == ["aside 4", "aside 3", "aside 2"]
        assert first["more"] is True
        assert "not said to the bot" in first["items"][0]["sentence"]
        rest = await found(client, f"/api/drops?limit=3&before={first['items'][-1]['id']}")
        assert [drop["text"] for drop in rest["items"]] == ["aside 1", "aside 0"]
        assert rest["more"] is False
        assert (await client.get("/api/drops?limit=0")).status_code == 400
        taras = (await person(client, "unknown:9"))["id"]
        for blocked in (True, False, True):
            await client.patch(f"/api/people/{taras}", json={"blocked": blocked})
        page = await found(client, "/api/audit?limit=2")
        assert [entry["action"] for entry in page["items"]] == ["blocked", "unblocked"]
        assert [page["items"][0]["name"], page["items"][0]["via"], page["more"]] == ["Owner", "web", True]
        older = await found(client, f"/api/audit?before={page['items'][-1]['id']}")
        assert [entry["sentence"] for entry in older["items"]] == ["blocked Taras (unknown:9)"]


async def test_what_would_become_of_a_message_is_told_and_nothing_is_done(home: Path) -> None:
    async with started_host(home) as host, browser(host) as client:
        await settle_in(host)
        chat = (await garden(client))["id"]

        async def verdict(who: str, **more: object) -> Any:
            body = {"chat": chat, "person": who, "text": "hello", **more}
            return (await client.post("/api/admission/explain", json=body)).json()

        told = await verdict("unknown:9", addressed=True)
        assert told["verdict"] == "admitted"
        assert [finding["outcome"] for finding in told["findings"]] == ["wakes"]
        assert (await verdict("unknown:9"))["verdict"] == "dropped"
        assert (await verdict("unknown:someone", addressed=True))["verdict"] == "held"
        assert (await verdict("unknown:9", text="/status"))["verdict"] == "order"
        assert (await client.post("/api/admission/explain", json={"chat": chat})).status_code == 400
        assert (await found(client, "/api/requests")) == {"requests": []}
        assert (await found(client, "/api/drops"))["items"] == []
