"""Interactive sessions over HTTP, and their terminal over a WebSocket, as the page and the command line use them."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
import pytest_asyncio
from tests.staging import until
from tests.terminal_scene import PlayedTerminals, played_page
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from nanoclaw.domain.errors import Refused
from nanoclaw.host.host import Host
from nanoclaw.testing import started_host

pytestmark = pytest.mark.asyncio(loop_scope="module")

REVIEW = {
    "type": "object",
    "properties": {"title": {"type": "string", "minLength": 3}, "days": {"type": "integer", "minimum": 1}},
    "required": ["title"],
}


class Stage:
    """A host, its page as a program sees it, and a terminal that is played."""

    def __init__(self, host: Host, url: str, terminals: PlayedTerminals) -> None:
        self.host, self.terminals = host, terminals
        self.at = url.removeprefix("http://").rstrip("/")
        self.header = {"Authorization": f"Bearer {host.token}"}
        self.client = httpx.AsyncClient(base_url=url, headers=self.header, timeout=httpx.Timeout(30))

    async def asked(self, prompt: str = "Review this", **config: Any) -> str:
        """The id of a session that a program asks for."""
        body = {"question": prompt, "session": config}
        answer = await self.client.post("/api/questions", json=body)
        assert answer.status_code == 200, answer.text
        found: str = answer.json()["id"]
        return found

    async def got(self, path: str) -> Any:
        answer = await self.client.get(f"/api/sessions{path}")
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def posted(self, path: str, body: object = None) -> httpx.Response:
        return await self.client.post(f"/api/sessions{path}", json={} if body is None else body)

    def socket(self, session: str, query: str = "") -> connect:
        return connect(
            f"ws://{self.at}/api/sessions/{session}/terminal{query}",
            additional_headers=self.header,
            proxy=None,
            close_timeout=0.5,  # of one that reads nothing
        )


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    home = tmp_path_factory.mktemp("sessions") / "nanoclaw"
    async with started_host(home) as host:
        terminals = PlayedTerminals()
        async with played_page(host, terminals) as url:
            made = Stage(host, url, terminals)
            async with made.client:
                yield made


_KEPT = 200_000


class Heard:
    """What a socket brings, sorted."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.shown = b""
        self.told: list[dict[str, Any]] = []

    async def until(self, *, shows: bytes = b"", tells: str = "", types: bool = False) -> "Heard":
        """`types`: it has the keyboard, which someone who has just left may still hold."""
        while not (
            shows in self.shown
            and any(tells in each or not tells for each in (self.told or [{}]))
            and (not types or {"typist": True} in self.told)
        ):
            frame = await asyncio.wait_for(self.socket.recv(), 20)
            if isinstance(frame, bytes):
                self.shown = (self.shown + frame)[-_KEPT:]
            else:
                self.told.append(json.loads(frame))
        return self


@pytest.mark.capability("S4", "O3")
async def test_a_session_is_listed_opened_and_concluded_once(stage: Stage) -> None:
    session = await stage.asked(
        "Ship **it**?", outcomeSchema={"type": "approval"}, context={"branch": "main"}, captureTranscript=True
    )
    [listed] = [each for each in (await stage.got(""))["sessions"] if each["id"] == session]
    assert (listed["status"], listed["outcome"], listed["opened_at"]) == ("pending", "approval", None)
    assert listed["asker"] == "a program"

    opened = (await stage.posted(f"/{session}/open", {"place": "chat"})).json()
    again = (await stage.posted(f"/{session}/open")).json()
    assert opened["live"]["room"] == again["live"]["room"] is not None
    assert opened["live"]["has_terminal"]
    assert '<human-interaction type="interactive_session" status="pending">' in opened["xml"]
    assert "main" in opened["question"]["context"]
    rooms = (await stage.client.get("/api/rooms")).json()["rooms"]
    assert opened["live"]["room"] not in [room["id"] for room in rooms]  # it is found here alone

    answer = await stage.posted(
        f"/{session}/conclude",
        {"response": {"approved": True, "notes": "well done"}, "transcript": "we looked at it"},
    )
    ended = answer.json()
    assert (ended["question"]["status"], ended["question"]["response"]) == ("completed", "approved")
    assert ended["question"]["user_input"] == "well done"
    assert ended["question"]["transcript"] == "we looked at it"
    assert ended["concluded"] == "Approved"
    assert ended["question"]["decided_name"]
    assert ended["question"]["duration_ms"] is not None
    assert 'status="completed"' in ended["xml"]

    late = await stage.posted(f"/{session}/conclude", {"response": "rejected"})
    assert late.status_code == 400
    assert session not in [each["id"] for each in (await stage.got(""))["sessions"]]
    [over] = [each for each in (await stage.got("?state=over"))["sessions"] if each["id"] == session]
    assert over["concluded"] == "Approved"
    assert over["seconds"] is not None


async def test_a_conclusion_that_does_not_fit_is_asked_for_again_then_it_has_failed(stage: Stage) -> None:
    wanted = {"outcomeSchema": {"type": "structured", "jsonSchema": REVIEW}}
    session = await stage.asked("Fill it in", **wanted)
    form = (await stage.got(f"/{session}"))["form"]
    assert [(each["name"], each["type"], each["required"]) for each in form["fields"]] == [
        ("title", "text", True),
        ("days", "integer", False),
    ]
    for response in ({"title": "x", "days": 0}, {"title": "no"}, {}):
        answer = await stage.posted(f"/{session}/conclude", {"response": response})
        assert answer.status_code == 400
        assert "`/" in answer.json()["error"]  # the page puts it beside its field
    assert (await stage.got(f"/{session}"))["question"]["status"] == "failed"

    other = await stage.asked("Fill it in", **wanted)
    await stage.posted(f"/{other}/conclude", {"response": {"title": 7}})
    assert (await stage.got(f"/{other}"))["live"]["attempts"] == 1
    fits = await stage.posted(f"/{other}/conclude", {"response": {"title": "Спершу тести", "days": 2}})
    assert fits.json()["question"]["response"] == {"title": "Спершу тести", "days": 2}


async def test_a_session_can_be_taken_back_and_is_no_other_question(stage: Stage) -> None:
    session = await stage.asked()
    assert (await stage.posted(f"/{session}/cancel")).json()["question"]["status"] == "cancelled"
    assert (await stage.posted(f"/{session}/open")).status_code == 400
    plain = (await stage.client.post("/api/questions", json={"question": "Deploy?"})).json()["id"]
    for path in (f"/{plain}", "/nothing"):
        assert (await stage.client.get(f"/api/sessions{path}")).status_code == 404
        assert (await stage.posted(f"{path}/open")).status_code == 404
        assert (await stage.posted(f"{path}/conclude", {"response": "x"})).status_code == 404


# The terminal


@pytest.mark.capability("S4")
async def test_a_terminal_is_typed_in_by_one_and_watched_by_others(stage: Stage) -> None:
    session = await stage.asked()
    async with stage.socket(session, "?rows=30&cols=100") as first:
        one = await Heard(first).until(shows=b"Welcome", tells="typist")
        assert one.told == [{"typist": True}]
        await first.send("привіт 🐾\r".encode())
        await one.until(shows="you said привіт 🐾".encode())
        await first.send(json.dumps({"resize": [31, 101]}))
        await first.send(b"size\r")
        await one.until(shows=b"31x101")
        async with stage.socket(session[-5:]) as second:  # by the end of the id, as people type it
            other = await Heard(second).until(shows="you said привіт 🐾".encode(), tells="typist")
            assert other.told == [{"typist": False}]
            await second.send(b"not mine\r")
            await first.send(b"mine\r")
            await other.until(shows=b"you said mine")
            assert b"not mine" not in other.shown
            await first.close()
            await until(lambda: len(stage.terminals.attached) == 1)
            await other.until(shows=b"")
            while {"typist": True} not in other.told:
                await other.until(shows=b"", tells="typist")
                frame = await asyncio.wait_for(second.recv(), 20)
                if isinstance(frame, str):
                    other.told.append(json.loads(frame))
            await second.send(b"now mine\r")
            await other.until(shows=b"you said now mine")
    await until(lambda: not stage.terminals.attached)
    async with stage.socket(session, "?watch=true") as watcher:
        seen = await Heard(watcher).until(shows=b"you said now mine", tells="typist")
        assert seen.told == [{"typist": False}]


async def test_the_end_of_a_terminal_and_a_refusal_come_with_a_sentence(stage: Stage) -> None:
    session = await stage.asked()
    async with stage.socket(session) as socket:
        heard = await Heard(socket).until(shows=b"Welcome", types=True)
        await socket.send(b"exit\r")
        await heard.until(tells="ended")
        assert heard.told[-1] == {"ended": "The agent has left."}
        with pytest.raises(ConnectionClosed) as closed:
            await socket.recv()
        assert closed.value.rcvd
        assert closed.value.rcvd.code == 1000
    stage.terminals.refuses = Refused("session-over")
    try:
        async with stage.socket(session) as refused:
            heard = await Heard(refused).until(tells="problem")
            assert heard.told[0]["code"] == "session-over"
            with pytest.raises(ConnectionClosed) as closed:
                await refused.recv()
            assert closed.value.rcvd
            assert closed.value.rcvd.code == 4000
    finally:
        stage.terminals.refuses = None
    async with stage.socket("nothing") as nowhere:
        assert (await Heard(nowhere).until(tells="problem")).told[0]["code"] == "no-such-question"


async def test_a_session_without_a_terminal_says_so_and_one_that_is_over_has_none(stage: Stage) -> None:
    """At the host itself, whose agent is the demo."""
    session = await stage.asked()
    at = stage.host.url.removeprefix("http://")
    path = f"api/sessions/{session}"

    async def refusal() -> str:
        address = f"ws://{at}{path}/terminal"
        async with connect(address, additional_headers=stage.header, proxy=None) as socket:
            return str((await Heard(socket).until(tells="problem")).told[0]["code"])

    shown = await stage.client.get(f"{stage.host.url}{path}")
    assert shown.json()["live"]["has_terminal"] is False
    assert await refusal() == "no-terminal"
    await stage.posted(f"/{session}/cancel")
    assert await refusal() == "session-over"


@pytest.mark.attack
@pytest.mark.capability("O3")
async def test_a_terminal_is_open_to_nobody_without_the_token(stage: Stage) -> None:
    session = await stage.asked()
    address = f"ws://{stage.at}/api/sessions/{session}/terminal"
    attempts = [
        connect(address, proxy=None),
        connect(f"{address}?token={stage.host.token}", proxy=None),
        connect(address, additional_headers={"Authorization": "Bearer wrong"}, proxy=None),
        connect(address, additional_headers={**stage.header, "Origin": "http://127.0.0.1:1"}, proxy=None),
    ]
    for attempt in attempts:
        with pytest.raises(InvalidStatus):
            async with attempt:
                pytest.fail("was let in")
    await until(lambda: not stage.terminals.attached)


@pytest.mark.attack
@pytest.mark.parametrize(
    "frame",
    [
        '{"resize": [0, 80]}',
        '{"resize": [24, 100000]}',
        '{"resize": [24]}',
        '{"typist": true}',
        "no JSON",
        "[" * 5000,
        "",
    ],
)
async def test_a_frame_that_means_nothing_ends_only_its_own_connection(stage: Stage, frame: str) -> None:
    session = await stage.asked()
    async with stage.socket(session) as good:
        heard = await Heard(good).until(shows=b"Welcome", types=True)
        async with stage.socket(session) as bad:
            await bad.send(frame)
            with pytest.raises(ConnectionClosed) as closed:
                await Heard(bad).until(shows=b"nothing of the kind")
        assert closed.value.rcvd
        assert closed.value.rcvd.code == 1008
        await good.send(b"still here\r")
        await heard.until(shows=b"you said still here")


@pytest.mark.attack
async def test_bad_sizes_a_thousand_resizes_and_a_flood_hold_up_nobody(stage: Stage) -> None:
    session = await stage.asked()
    for query in ("?rows=0&cols=80", "?rows=x", "?cols=99999", "?other=1"):
        async with stage.socket(session, query) as refused:
            assert (await Heard(refused).until(tells="problem")).told[0]["code"] == "terminal-frame"
    async with stage.socket(session) as busy:
        heard = await Heard(busy).until(shows=b"Welcome", types=True)
        async with stage.socket(session) as lazy:
            for count in range(1, 1001):
                await busy.send(json.dumps({"resize": [1 + count % 200, 80]}))
            for _ in range(60):  # nobody reads them at the other socket
                stage.terminals.show(b"x" * 65536)
            await busy.send(b"size\r")
            await heard.until(shows=b"1x80\r\n")
            assert lazy.state.name == "OPEN"
