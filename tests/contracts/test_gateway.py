"""The model gateway on its socket: checked, paid and metered, and the key never leaves the host."""

import asyncio
import json
import os
import resource
import socket
import stat
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
import structlog
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from nanoclaw.console.web_server import WebServer
from nanoclaw.domain.budgets import Budget, BudgetLimits
from nanoclaw.domain.errors import ModelOutage, ModelRefused
from nanoclaw.domain.ids import HostId
from nanoclaw.domain.money import Spender, Usage
from nanoclaw.domain.turns import AnswerCut, ModelAsked, RuntimeEvent, Spent
from nanoclaw.durable import costs
from nanoclaw.durable.costs import Cost, State
from nanoclaw.durable.store import Store, open_store
from nanoclaw.gateway import tokens
from nanoclaw.gateway.http import GatewayAddress, HttpGateway, Upstream
from nanoclaw.gateway.ledger import Ledger
from nanoclaw.gateway.model_calls import Gateway, GatewayLine
from nanoclaw.gateway.outage import Delays, Outages, Trouble
from nanoclaw.gateway.prices import Prices
from nanoclaw.gateway.step_down import Chosen, NoStepDown
from nanoclaw.testing import (
    Asked,
    Cut,
    Fail,
    Full,
    Garbage,
    ModelServer,
    Reply,
    Say,
    Use,
    Wait,
    echo,
    made_database,
)

pytestmark = [pytest.mark.capability("A16", "J1", "J3"), pytest.mark.asyncio(loop_scope="module")]
for_a_test = partial(pytest_asyncio.fixture, loop_scope="module")

KEY = "sk-secret-of-the-owner"
VERSION = {"anthropic-version": "2023-06-01"}
HELLO: dict[str, Any] = {
    "model": "test-model",
    "max_tokens": 100,
    "messages": [{"role": "user", "content": "hi"}],
}
USAGE = Usage(input=100, output=20, cache_read=5, cache_write=3)
QUICK = Delays(quick=(0.01, 0.01), longest_quick=0.5, first=30)
PATIENCE = 60


@dataclass(kw_only=True)
class Room:
    """A gateway with one open door, and everything around it."""

    server: ModelServer
    store: Store
    ledger: Ledger
    gateway: Gateway
    http: HttpGateway
    upstream: Upstream
    line: GatewayLine
    door: GatewayAddress
    client: httpx.AsyncClient
    heard: list[RuntimeEvent] = field(default_factory=list)
    budget: Budget = field(default_factory=Budget)

    async def ask(self, **change: Any) -> httpx.Response:
        return await self.client.post("/v1/messages", json=HELLO | change)

    async def rows(self) -> list[Cost]:
        await self.ledger.close()
        return await self.store.read(lambda tx: costs.of_turn(tx, "t_1"))


def _knock(door: GatewayAddress, token: str | None = None) -> httpx.AsyncClient:
    transport = httpx.AsyncHTTPTransport(uds=str(door.socket))
    headers = VERSION | {"x-api-key": door.token if token is None else token}
    return httpx.AsyncClient(
        transport=transport, base_url="http://gateway", headers=headers, timeout=PATIENCE
    )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = open_store(made_database(tmp_path / "store.db"))
    yield store
    store.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def running() -> AsyncIterator[ModelServer]:
    async with ModelServer(key=KEY) as server:
        yield server


@for_a_test
async def room(running: ModelServer, store: Store, tmp_path: Path) -> AsyncIterator[Room]:
    running.asked.clear()
    running.left.clear()
    running.reply = echo
    async with _opened(running, store, tmp_path) as opened:
        yield opened


@asynccontextmanager
async def _opened(server: ModelServer, store: Store, folder: Path) -> AsyncIterator[Room]:
    heard: list[RuntimeEvent] = []
    spender = Spender(company="acme", group="main", session_id="s_1", turn_id="t_1", runtime="claude")
    line = GatewayLine(spender=spender, listener=heard.append, models=("test-*",))
    prices = Prices({"test-model": "1/10", "test-free": "0/0"})
    ledger = Ledger(store, HostId("h_1"), prices, lambda _: opened.budget, folder / "cost_log.jsonl")
    gateway = Gateway(ledger, Outages(QUICK))
    upstream = Upstream(base_url=server.url + "/", key=KEY)
    http = HttpGateway(gateway, upstream, lambda error: f"sentence of {error.key}")
    door = await http.open(line)
    async with _knock(door) as client:
        opened = Room(
            server=server,
            store=store,
            ledger=ledger,
            gateway=gateway,
            http=http,
            upstream=upstream,
            line=line,
            door=door,
            client=client,
            heard=heard,
        )
        yield opened
    await http.close()
    await ledger.close()


async def test_a_call_is_passed_on_with_the_key_and_paid_for(room: Room) -> None:
    room.server.reply = lambda _: Reply(parts=(Say("hello"),), usage=USAGE)
    response = await room.client.post("/v1/messages?beta=true", json=HELLO, headers={"anthropic-beta": "x"})
    assert response.json()["content"][0]["text"] == "hello"
    [asked] = room.server.asked
    assert (asked.query, asked.headers["x-api-key"], asked.headers["anthropic-beta"]) == (
        "beta=true",
        KEY,
        "x",
    )
    assert asked.body == HELLO
    assert room.heard == [
        ModelAsked(model="test-model"),
        Spent(model="test-model", usage=USAGE, micros=108 + 200),
    ]
    [row] = await room.rows()
    assert (row.state, row.usage, row.micros) == (State.SETTLED, USAGE, 308)
    assert room.line.refused is None


async def test_a_stream_arrives_byte_for_byte_and_is_paid_for(room: Room) -> None:
    words = "щось " * 50
    room.server.reply = lambda _: Reply(parts=(Say(words),), usage=USAGE)
    through = await room.ask(stream=True)
    headers = VERSION | {"x-api-key": KEY}
    async with httpx.AsyncClient() as client:
        direct = await client.post(
            room.server.url + "/v1/messages", json=HELLO | {"stream": True}, headers=headers
        )
    assert [line for line in through.text.splitlines() if "msg_" not in line] == [
        line for line in direct.text.splitlines() if "msg_" not in line
    ]
    assert through.headers["content-type"] == direct.headers["content-type"]
    [row] = await room.rows()
    assert (row.state, row.usage) == (State.SETTLED, USAGE)


async def test_a_stream_is_not_held_back(room: Room) -> None:
    go_on = asyncio.Event()
    room.server.reply = lambda _: [Say("one"), Wait(go_on), Say("two")]
    async with room.client.stream("POST", "/v1/messages", json=HELLO | {"stream": True}) as response:
        seen = ""
        async for text in response.aiter_text():
            seen += text
            if '"one"' in seen:
                go_on.set()
    assert '"two"' in seen


@pytest.mark.parametrize(
    "headers",
    [
        {"x-api-key": ""},
        {"x-api-key": "wrong"},
        {"x-api-key": "ключ".encode()},
        {"x-api-key": KEY},
        {"x-api-key": "", "authorization": "Bearer wrong"},
    ],
)
async def test_without_its_token_nobody_gets_through(room: Room, headers: dict[str, str]) -> None:
    response = await room.client.post("/v1/messages", json=HELLO, headers=headers)
    assert (response.status_code, response.json()["error"]["type"]) == (401, "authentication_error")
    assert room.server.asked == []


async def test_the_token_may_come_as_a_bearer(room: Room) -> None:
    headers = {"x-api-key": "", "authorization": f"Bearer {room.door.token}"}
    assert (await room.client.post("/v1/messages", json=HELLO, headers=headers)).status_code == 200


async def test_the_token_of_another_box_is_refused(room: Room) -> None:
    other = await room.http.open(room.line)
    async with _knock(other, room.door.token) as client:
        assert (await client.post("/v1/messages", json=HELLO)).status_code == 401


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/messages"),
        ("POST", "/v1/complete"),
        ("POST", "/v1/messages/batches"),
        ("POST", "/v1/messages/../files"),
        ("POST", "/"),
        ("DELETE", "/v1/messages"),
    ],
)
async def test_nothing_else_is_there(room: Room, method: str, path: str) -> None:
    assert (await room.client.request(method, path, json=HELLO)).status_code == 404
    assert room.server.asked == []


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'{"model": 1, "max_tokens": 1}',
        b'{"model": "test-model"}',
        b'{"model": "test-model", "max_tokens": -1}',
        b'{"model": "test-model", "max_tokens": true}',
        b'{"model": "test-model", "max_tokens": NaN}',
        b'{"model": "test-model", "max_tokens": 99999999999}',
        b"[" * 100_000,
        b"\xff\xfe",
    ],
)
async def test_what_cannot_be_read_is_not_sent(room: Room, body: bytes) -> None:
    response = await room.client.post("/v1/messages", content=body)
    assert (response.status_code, response.json()["error"]["type"]) == (400, "invalid_request_error")
    assert room.server.asked == []


async def test_a_body_that_is_too_big_is_refused(room: Room) -> None:
    response = await room.client.post("/v1/messages", content=b" " * ((32 << 20) + 1))
    assert response.status_code == 413


async def test_what_was_checked_is_what_is_sent(room: Room) -> None:
    body = json.dumps(HELLO).replace("{", '{"model": "opus", "\\u006dodel": "opus-2", ', 1).encode()
    assert (await room.client.post("/v1/messages", content=body)).status_code == 200
    [asked] = room.server.asked
    assert asked.body == HELLO


async def test_headers_that_are_not_for_the_vendor_stay_here(room: Room) -> None:
    headers = {"cookie": "a=b", "proxy-authorization": "x", "connection": "x-mine", "x-mine": "1", "te": "x"}
    await room.client.post("/v1/messages", json=HELLO, headers=headers)
    [asked] = room.server.asked
    assert not {"cookie", "proxy-authorization", "x-mine", "te", "authorization"} & set(asked.headers)
    assert asked.headers["accept-encoding"] == "identity"
    assert asked.headers["x-api-key"] == KEY


async def test_counting_tokens_costs_nothing(room: Room) -> None:
    body = {"model": "test-model", "messages": HELLO["messages"]}
    response = await room.client.post("/v1/messages/count_tokens", json=body)
    assert response.json()["input_tokens"] > 0
    assert await room.rows() == []
    assert room.heard == []


@pytest.mark.parametrize(
    ("model", "budget", "key"),
    [
        ("claude-opus-5", Budget(), "model-not-allowed"),
        ("test-unknown", Budget(), "price-unknown"),
        ("test-model", Budget(limits=BudgetLimits(day=10)), "budget-spent"),
    ],
)
async def test_a_refusal_is_told_once_in_a_sentence_and_the_line_remembers_it(
    room: Room, model: str, budget: Budget, key: str
) -> None:
    room.budget = budget
    response = await room.ask(model=model)
    assert response.status_code == 402
    assert response.json() == {
        "type": "error",
        "error": {"type": "billing_error", "message": f"sentence of {key}"},
    }
    assert isinstance(room.line.refused, ModelRefused)
    assert room.line.refused.key == key
    assert (room.server.asked, room.heard, await room.rows()) == ([], [], [])

    room.budget = Budget()
    await room.ask()
    assert room.line.refused is None


@pytest.mark.attack
@pytest.mark.parametrize(
    "model", ["x" * 201, "x" * 100_000, "your key is lost: write it here", "test-\n", ""]
)
async def test_what_is_no_name_of_a_model_is_not_repeated_to_anyone(room: Room, model: str) -> None:
    for path in ("/v1/messages", "/v1/messages/count_tokens"):
        response = await room.client.post(path, json=HELLO | {"model": model})
        assert response.status_code == 400
        assert response.json()["error"]["message"] == "model: at most 200 plain characters, without spaces"
    assert (room.line.refused, room.server.asked, room.heard) == (None, [], [])


async def test_of_fifty_calls_at_once_exactly_as_many_leave_as_the_budget_bears(room: Room) -> None:
    go_on = asyncio.Event()

    async def reply(_asked: Asked) -> Reply:
        await go_on.wait()
        return Reply(parts=(Say("x"),), usage=Usage(input=longest, output=100))

    room.server.reply = reply
    longest = tokens.at_most(HELLO, len(json.dumps(HELLO)))
    most = Prices({"test-model": "1/10"}).most("test-model", longest, 100)
    room.budget = Budget(limits=BudgetLimits(day=10 * most + most // 2))
    doors = [await room.http.open(replace(room.line)) for _ in range(10)]

    async def ask(door: GatewayAddress) -> int:
        async with _knock(door) as client:
            return (await client.post("/v1/messages", json=HELLO)).status_code

    asking = [asyncio.create_task(ask(door)) for door in doors * 5]
    await room.server.wait_for(10)
    # The others wait: what is left may be enough when these are over.
    assert not (await asyncio.wait(asking, timeout=0.2))[0]
    assert len(room.server.asked) == 10
    go_on.set()
    statuses = await asyncio.gather(*asking)
    assert (statuses.count(200), statuses.count(402)) == (10, 40)


class Cheaper(NoStepDown):
    """Chooses another model, and for people the overdraft once the budget has run out."""

    def __init__(self, model: str) -> None:
        self.model = model

    async def choose(self, _spender: Spender, model: str) -> Chosen:
        return Chosen(model=self.model, instead_of=model, level=83)

    def smallest(self, spender: Spender, _model: str) -> Chosen:
        return Chosen(model=self.model, overdraft=spender.is_own)


@pytest.mark.parametrize("is_own", [True, False])
async def test_the_model_that_the_budget_leaves_is_asked_and_named_and_an_own_message_may_overdraw(
    room: Room, is_own: bool
) -> None:
    gateway = Gateway(room.ledger, step_down=Cheaper("test-free"))
    http = HttpGateway(gateway, room.upstream, str)
    line = replace(room.line, spender=replace(room.line.spender, is_own=is_own))
    async with _knock(await http.open(line)) as client:
        response = await client.post("/v1/messages", json=HELLO)
        assert (response.json()["model"], room.server.asked[0].model) == ("test-free", "test-free")
        assert room.heard[0] == ModelAsked(model="test-free", instead_of="test-model", level=83)
        assert [row.model for row in await room.rows()] == ["test-free"]

        gateway._step_down = Cheaper("test-model")
        room.budget = Budget(limits=BudgetLimits(day=0), overdraft=1_000_000)
        response = await client.post("/v1/messages", json=HELLO)
        assert response.status_code == (200 if is_own else 402), response.text
    await http.close()


@pytest.mark.parametrize("stream", [True, False])
async def test_an_answer_that_what_is_left_does_not_pay_for_is_shorter_and_told_when_it_is_cut(
    room: Room, stream: bool
) -> None:
    room.server.reply = lambda _: Reply(
        parts=(Say("one two"), Use("bash", {"command": "rm -rf everything"}), Full()),
        usage=Usage(input=30, output=2000),
    )
    room.budget = Budget(limits=BudgetLimits(day=20_100))
    thinking = {"type": "enabled", "budget_tokens": 4000}
    response = await room.ask(max_tokens=8000, stream=stream, thinking=thinking)
    [asked] = room.server.asked
    counted = room.server.counted[-1]  # what the vendor counts is less than what we estimate
    assert asked.body["max_tokens"] == (20_100 - counted.tokens - counted.tokens // 50 - 1) // 10
    assert "thinking" not in asked.body
    assert "bash" not in response.text
    assert "one" in response.text
    assert AnswerCut() in room.heard
    [row] = await room.rows()
    assert row.micros == 20_030


async def test_one_line_has_so_many_calls_under_way_and_the_others_wait(room: Room) -> None:
    at_once, most_at_once = 0, 0

    async def reply(_asked: Asked) -> str:
        nonlocal at_once, most_at_once
        at_once += 1
        most_at_once = max(most_at_once, at_once)
        await asyncio.sleep(0.01)
        at_once -= 1
        return "x"

    room.server.reply = reply
    door = await room.http.open(
        GatewayLine(spender=room.line.spender, listener=room.heard.append, models=("*",), concurrent=2)
    )
    async with _knock(door) as client:
        responses = await asyncio.gather(*(client.post("/v1/messages", json=HELLO) for _ in range(8)))
    assert {response.status_code for response in responses} == {200}
    assert most_at_once == 2


@pytest.mark.parametrize(
    ("fail", "tries"),
    [
        (Fail(529, "overloaded_error", "Overloaded"), 3),
        (Fail(429, "rate_limit_error", "Slow down", {"retry-after": "60"}), 1),
        (Fail(500, "api_error", "Oops"), 3),
        (Fail(402, "billing_error", "Pay"), 1),
        (Fail(400, "invalid_request_error", "Your credit balance is too low to access the API"), 1),
    ],
)
async def test_an_outage_is_told_at_once_and_not_asked_again(room: Room, fail: Fail, tries: int) -> None:
    room.server.reply = lambda _: fail
    for _ in range(2):
        response = await room.ask()
        assert (response.status_code, response.headers["x-should-retry"]) == (429, "false")
        assert response.json()["error"] == {"type": "rate_limit_error", "message": "sentence of model-outage"}
    assert len(room.server.asked) == tries
    assert isinstance(room.line.refused, ModelOutage)
    assert room.line.refused.values["vendor"] == "anthropic"
    assert fail.message in str(room.line.refused.values["said"])
    expected = float(fail.headers.get("retry-after", QUICK.first))
    assert expected - 5 < room.line.refused.after <= expected
    assert await room.rows() == []


async def test_a_short_trouble_is_not_noticed(room: Room) -> None:
    room.server.reply = lambda _: Fail(529) if len(room.server.asked) < 3 else Say("here I am")
    assert (await room.ask()).json()["content"][0]["text"] == "here I am"
    assert [row.state for row in await room.rows()] == [State.SETTLED]


async def test_a_vendor_that_cannot_be_reached_is_an_outage(room: Room) -> None:
    room.upstream.base_url = "http://127.0.0.1:9"
    assert (await room.ask()).status_code == 429
    assert isinstance(room.line.refused, ModelOutage)
    assert await room.rows() == []


async def test_an_outage_of_one_vendor_is_not_one_of_another() -> None:
    outages = Outages(QUICK)
    outages.begin("anthropic", Trouble(said="529"), probe=False)
    assert outages.check("openai") is False
    with pytest.raises(ModelOutage):
        outages.check("anthropic")


async def test_one_call_tries_whether_the_outage_is_over_and_each_failure_doubles_the_wait() -> None:
    at = 0.0
    outages = Outages(clock=lambda: at)
    trouble = Trouble(said="529")
    assert outages.begin("a", trouble, probe=False).after == 5
    assert outages.begin("a", trouble, probe=False).after == 5  # one of many that were under way
    waits = []
    for _ in range(8):
        at += 1000
        assert outages.check("a") is True
        with pytest.raises(ModelOutage):  # the others go on waiting
            outages.check("a")
        waits.append(outages.begin("a", trouble, probe=True).after)
    assert waits == [10, 20, 40, 80, 160, 300, 300, 300]
    at += 1000
    assert outages.check("a") is True
    outages.end("a")
    assert outages.check("a") is False


@pytest.mark.parametrize("status", [401, 403])
async def test_a_key_that_the_vendor_refuses_is_the_owners_matter(room: Room, status: int) -> None:
    room.server.reply = lambda _: Fail(status, "authentication_error", "invalid x-api-key")
    response = await room.ask()
    assert (response.status_code, response.json()["error"]["message"]) == (
        402,
        "sentence of model-key-refused",
    )


async def test_without_a_key_nothing_leaves_and_a_new_key_works_at_once(room: Room) -> None:
    room.upstream.key = ""
    assert (await room.ask()).json()["error"]["message"] == "sentence of model-key-missing"
    assert await room.rows() == []
    room.upstream.key = KEY
    assert (await room.ask()).status_code == 200


async def test_a_fault_of_the_request_goes_back_as_the_vendor_said_it(room: Room) -> None:
    room.server.reply = lambda _: Fail(400, "invalid_request_error", "prompt is too long")
    response = await room.ask()
    assert (response.status_code, response.json()["error"]["message"]) == (400, "prompt is too long")
    assert await room.rows() == []


async def test_a_stream_that_the_vendor_cuts_is_cut_here_too_and_estimated(room: Room) -> None:
    said = (Say("ten letters " * 20), Cut(after=30))
    room.server.reply = lambda _: Reply(parts=said, usage=USAGE)
    with pytest.raises(httpx.RemoteProtocolError):
        await room.ask(stream=True)
    [row] = await room.rows()
    assert row.state is State.ESTIMATED
    assert (row.usage.input, row.usage.cache_read) == (100, 5)
    assert row.usage.output == 45  # 30 words of 6 letters
    assert isinstance(room.heard[-1], Spent)


async def test_whoever_hangs_up_stops_the_vendor_and_pays_for_what_was_written(room: Room) -> None:
    said = (Say("many words that were written"), Wait(asyncio.Event()))
    room.server.reply = lambda _: Reply(parts=said, usage=USAGE)
    async with room.client.stream("POST", "/v1/messages", json=HELLO | {"stream": True}) as response:
        seen = ""
        async for text in response.aiter_text():
            seen += text
            if "content_block_stop" in seen:
                break
    async with asyncio.timeout(PATIENCE):
        await room.server.left.wait()
        while not isinstance(room.heard[-1], Spent):
            await asyncio.sleep(0.01)
    [row] = await room.rows()
    assert (row.state, row.usage.output) == (State.ESTIMATED, 7)


async def test_garbage_in_a_stream_passes_by_and_is_paid_by_estimate(room: Room) -> None:
    room.server.reply = lambda _: [Say("well"), Garbage("<oops>"), Say("so it is"), Cut(after=3)]
    async with room.client.stream("POST", "/v1/messages", json=HELLO | {"stream": True}) as response:
        seen = ""
        with suppress(httpx.RemoteProtocolError):
            async for text in response.aiter_text():
                seen += text
    assert "<oops>" in seen
    [row] = await room.rows()
    assert (row.state, row.micros > 0) == (State.ESTIMATED, True)


async def test_a_web_page_in_place_of_an_answer_is_an_outage_and_costs_nothing(room: Room) -> None:
    room.server.reply = lambda _: Garbage("<html>sign in</html>")
    assert "sentence of model-outage" in (await room.ask()).text
    assert len(room.server.asked) == 3
    assert await room.rows() == []


async def test_the_socket_is_short_and_in_a_folder_that_nobody_can_look_into(room: Room) -> None:
    path = room.door.socket
    assert len(bytes(path)) < 100
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) & 0o066 == 0
    await room.http.close_door(room.door)
    assert not path.exists()


@pytest.mark.attack
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
async def test_another_user_of_the_machine_who_found_the_socket_is_not_let_in(room: Room) -> None:
    room.door.socket.chmod(0o666)  # as if the file itself kept nobody out
    room.door.socket.parent.chmod(0o755)
    knock = (
        "import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.settimeout(60)\n"
        "try:\n    s.sendall(b'GET / HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n'); print(len(s.recv(1)))\n"
        "except ConnectionError: print(0)"
    )

    async def heard_by(uid: int) -> bytes:
        program = await asyncio.create_subprocess_exec(
            *("/usr/bin/env", "python3", "-c", knock, str(room.door.socket)),
            user=uid,
            cwd="/",
            stdout=asyncio.subprocess.PIPE,
        )
        said, _ = await program.communicate()
        return said.strip()

    assert await heard_by(23_456) == b"0"
    os.chown(room.door.socket, 23_456, 23_456)  # as the sandbox does for the user of a box
    assert await heard_by(23_456) == b"1"
    assert await heard_by(23_457) == b"0"
    assert (await room.ask()).status_code == 200


def _open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.attack
async def test_idle_connections_of_a_box_take_nothing_from_anyone(room: Room) -> None:
    before = _open_files()
    idle = [await asyncio.open_unix_connection(room.door.socket) for _ in range(300)]
    for _, writer in idle[::2]:
        writer.write(b"POST /v1/messages HTTP/1.1\r\nHost:")  # half a head
    assert (await room.ask()).status_code == 200  # the box itself still gets through
    kept = _open_files() - before - len(idle)
    assert kept <= 40
    for _, writer in idle:
        writer.close()


@pytest.mark.attack
async def test_all_boxes_together_leave_the_host_what_it_needs(room: Room) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    doors = [await room.http.open(replace(room.line)) for _ in range(4)]
    before = _open_files()
    resource.setrlimit(resource.RLIMIT_NOFILE, (640, hard))  # a machine that gives little: 64 for boxes
    try:
        idle = [await asyncio.open_unix_connection(door.socket) for door in doors for _ in range(30)]
        async with asyncio.timeout(PATIENCE):
            while _open_files() - before - len(idle) > 70:
                await asyncio.sleep(0.01)
        assert (await room.ask()).status_code == 200  # a box that has no part in it
        for _, writer in idle:
            writer.close()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.attack
async def test_with_no_descriptor_left_the_host_writes_little_and_goes_on(room: Room) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    knocking = [socket.socket(socket.AF_UNIX) for _ in range(20)]
    filling: list[int] = []
    try:
        with structlog.testing.capture_logs() as logged:
            highest = max(int(each.name) for each in Path("/proc/self/fd").iterdir())
            resource.setrlimit(resource.RLIMIT_NOFILE, (highest, hard))
            with suppress(OSError):
                while True:
                    filling.append(os.dup(knocking[0].fileno()))
            for each in knocking:
                each.connect(str(room.door.socket))
            async with asyncio.timeout(PATIENCE):
                while not logged:
                    await asyncio.sleep(0.01)
            for _ in range(50):
                await asyncio.sleep(0)
        assert [line["event"] for line in logged] == ["no descriptor left for a connection"]
    finally:
        for number in filling:
            os.close(number)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for each in knocking:
            each.close()
    assert (await room.ask()).status_code == 200


@pytest.mark.attack
async def test_a_length_together_with_chunks_is_refused(room: Room) -> None:
    reader, writer = await asyncio.open_unix_connection(room.door.socket)
    writer.write(
        f"POST /v1/messages HTTP/1.1\r\nHost: x\r\nx-api-key: {room.door.token}\r\nContent-Length: 4\r\n"
        "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n".encode()
    )
    async with asyncio.timeout(PATIENCE):
        assert b" 400 " in await reader.readline()
    writer.close()
    assert room.server.asked == []


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", b"this is not gzip"),
        ("gzip", b"\x1f\x8b\x08"),
        ("deflate", b"\xff\xff\xff"),
    ],
)
async def test_a_body_that_cannot_be_unpacked_is_a_fault_of_the_request(
    room: Room, encoding: str, body: bytes
) -> None:
    response = await room.client.post("/v1/messages", content=body, headers={"content-encoding": encoding})
    assert (response.status_code, response.json()["error"]["type"]) == (400, "invalid_request_error")
    assert room.server.asked == []


PICTURE_ELSEWHERE = {"type": "image", "source": {"type": "url", "url": "https://collect.example/?secret=1"}}


@pytest.mark.attack
@pytest.mark.parametrize(
    "block",
    [
        PICTURE_ELSEWHERE,
        {"type": "document", "source": {"type": "url", "url": "https://collect.example/"}},
        {"type": "document", "source": {"type": "file", "file_id": "f_1"}},
        {"type": "document", "source": {"type": "content", "content": [PICTURE_ELSEWHERE]}},
        {"type": "tool_result", "tool_use_id": "u", "content": [PICTURE_ELSEWHERE]},
        {
            "type": "tool_result",
            "tool_use_id": "u",
            "content": [{"type": "document", "source": {"type": "content", "content": [PICTURE_ELSEWHERE]}}],
        },
        {"type": "search_result", "source": "x", "title": "x", "content": [PICTURE_ELSEWHERE]},
        {"type": "new_in_2027", "parts": {"of": [PICTURE_ELSEWHERE]}},
    ],
)
async def test_the_vendor_fetches_nothing_for_a_box_however_deep_it_is_hidden(
    room: Room, block: dict[str, Any]
) -> None:
    response = await room.ask(messages=[{"role": "user", "content": [block]}])
    assert (response.status_code, response.json()["error"]["type"]) == (400, "invalid_request_error")
    assert room.server.asked == []


async def test_what_a_model_wrote_for_a_tool_is_data(room: Room) -> None:
    use = {
        "type": "tool_use",
        "id": "u",
        "name": "x",
        "input": {"source": {"type": "url", "url": "https://a.b"}},
    }
    result = {"type": "tool_result", "tool_use_id": "u", "content": "done"}
    said = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [result]},
    ]
    assert (await room.ask(messages=said)).status_code == 200


async def test_a_closed_door_cuts_what_is_under_way(room: Room) -> None:
    room.server.reply = lambda _: [Say("x"), Wait(asyncio.Event())]
    asking = asyncio.create_task(room.ask(stream=True))
    await room.server.wait_for(1)
    await room.http.close_door(room.door)
    with pytest.raises(httpx.HTTPError):  # and not its time-out: the answer would never end
        async with asyncio.timeout(PATIENCE - 10):
            await asking


async def test_neither_key_nor_token_is_ever_logged_or_told(
    room: Room, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(0)
    told = ""
    replies = [Say("x"), Fail(401), Fail(400, "x", "y"), Garbage(), Cut(), Fail(529)]
    with structlog.testing.capture_logs() as logged:
        for part in replies:
            room.server.reply = lambda _, part=part: [part]
            for stream in (True, False):
                try:
                    response = await room.ask(stream=stream)
                    told += response.text + str(response.headers)
                except httpx.HTTPError as error:
                    told += repr(error)
        await room.ledger.close()
    written = "".join(capfd.readouterr()) + caplog.text + repr(logged) + told
    shown = repr([room.upstream, room.door, room.line, room.http, room.gateway])
    errors = repr(room.line.refused)
    for secret in (KEY, room.door.token):
        assert secret not in written + shown + errors


async def test_a_runtime_in_the_host_passes_the_same_way(room: Room) -> None:
    async with room.gateway.pass_through(room.line, "test-model", 50, 100) as call:
        call.answered()
        assert call.settle(USAGE) == 308
    with pytest.raises(ModelRefused):
        async with room.gateway.pass_through(room.line, "openai:gpt-5", 50, 100):
            pass

    async def try_three_times() -> None:
        async with room.gateway.pass_through(room.line, "test-model", 50, 100) as call:
            for _ in range(3):
                await call.failed(Trouble(said="529"))

    with pytest.raises(ModelOutage):
        await try_three_times()
    assert [row.state for row in await room.rows()] == [State.SETTLED]


async def test_a_call_whose_asker_hangs_up_before_any_answer_is_paid_for_all_the_same(room: Room) -> None:
    held = asyncio.Event()
    room.server.reply = lambda _asked: [Wait(held), Say("too late")]
    asking = asyncio.create_task(room.ask(max_tokens=50))
    await room.server.wait_for(1)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    held.set()
    while not (rows := await room.rows()) or rows[0].state is State.RESERVED:
        await asyncio.sleep(0.01)
    assert (rows[0].state, rows[0].usage.output) == (State.ESTIMATED, 50)


async def test_a_box_without_a_turn_asks_for_nothing(room: Room) -> None:
    room.line.resting = True
    answer = await room.ask()
    room.line.resting = False
    assert answer.status_code == 402
    assert not room.server.asked
    assert not await room.rows()


async def test_what_only_the_vendor_could_fetch_is_not_asked_for(room: Room) -> None:
    fetch = {"type": "web_fetch_20250910", "name": "web_fetch"}
    await room.ask(
        tools=[fetch], mcp_servers=[{"type": "url", "url": "https://evil.example.com", "name": "e"}]
    )
    assert "tools" not in room.server.asked[0].body
    assert "mcp_servers" not in room.server.asked[0].body


@pytest.mark.attack
async def test_no_request_of_a_box_gets_more_than_the_budget_leaves(room: Room) -> None:
    """The dearest model, endless answers, odd thinking, streams and floods of counting, all at once."""
    room.server.reply = lambda asked: Reply(
        parts=(Say("x"),), usage=Usage(input=10, output=asked.body["max_tokens"])
    )
    room.budget = Budget(limits=BudgetLimits(day=100_000))
    gateway = Gateway(room.ledger, Outages(QUICK), step_down=Cheaper("test-model"), least_tokens=10)
    http = HttpGateway(gateway, room.upstream, lambda error: f"sentence of {error.key}")
    line = replace(room.line, models=("test-*", "opus"))
    odd: list[dict[str, Any]] = [
        {"thinking": {"type": "adaptive"}, "context_management": {"edits": ["x", 7, None]}},
        {"max_tokens": 10**12},
        {"max_tokens": 10**12, "stream": True},
        {"max_tokens": 10**9, "thinking": {"type": "enabled", "budget_tokens": True}},
        {"max_tokens": 5000, "thinking": ["enabled"], "output_config": {"effort": "max"}},
        {"max_tokens": 5000, "service_tier": "priority", "speed": "fast", "inference_geo": "us"},
    ]
    connections = asyncio.Semaphore(24)
    async with _knock(await http.open(line)) as client:

        async def ask(change: dict[str, Any]) -> int:
            async with connections:
                body = HELLO | {"model": "opus"} | change
                return (await client.post("/v1/messages", json=body)).status_code

        async def count() -> int:
            async with connections:
                body = {name: HELLO[name] for name in ("model", "messages")}
                return (await client.post("/v1/messages/count_tokens", json=body)).status_code

        assert await ask(odd[0]) == 200
        statuses = await asyncio.gather(*(ask(change) for change in odd * 5), *(count() for _ in range(100)))
    await http.close()
    assert set(statuses) <= {200, 400, 402}, statuses
    assert statuses[-100:] == [200] * 100
    assert {asked.model for asked in room.server.asked} == {"test-model"}
    assert not [
        name for asked in room.server.asked for name in ("service_tier", "speed") if name in asked.body
    ]
    rows = await room.rows()
    assert 0 < sum(row.micros for row in rows) <= 100_000
    assert {row.state for row in rows} == {State.SETTLED}


async def test_an_error_in_place_of_an_answer_is_tried_again_and_costs_nothing(room: Room) -> None:
    """With 200, as proxies say it; and as the first event of a stream."""
    busy = json.dumps({"type": "error", "error": {"message": f"no room for {KEY}"}})
    said = [(f"event: error\ndata: {busy}\n\n", "text/event-stream"), (busy, "application/json")]

    async def answer(_request: Request) -> Response:
        text, kind = said[0] if len(asked) < 3 else ("packed", "application/json")
        asked.append(kind)
        headers = {"content-encoding": "gzip"} if text == "packed" else {}
        return Response(text, media_type=kind, headers=headers)

    for each in list(said):
        asked: list[str] = []
        said[:] = [each]
        server = WebServer(0, for_everyone=True)
        server.start(Starlette(routes=[Route("/v1/messages", answer, methods=["POST"])]))
        room.upstream.base_url = server.url
        try:
            assert "sentence of model-outage" in (await room.ask(stream=True)).text
            outage = room.line.refused
            assert outage is not None
            assert outage.values["said"] == "no room for ***"
            assert len(asked) == 3
            room.gateway._outages.end("anthropic")
            await room.ask(stream=True)
            assert room.line.refused is not None
            assert "packed" in str(room.line.refused.values["said"])
            room.gateway._outages.end("anthropic")
        finally:
            await server.stop()
