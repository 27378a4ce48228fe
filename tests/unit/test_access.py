"""The gate before every page: this machine only, and only with the token of the printed link."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from nanoclaw.console.access import AccessGuard, keep_token

pytestmark = pytest.mark.capability("O3")

RIGHT = "right-5f3b9c"
HERE = "http://127.0.0.1:8642"
BEARER = {"authorization": f"Bearer {RIGHT}"}


async def _data(request: Request) -> Response:
    return JSONResponse({"data": "private", "method": request.method})


async def _open(_request: Request) -> Response:
    return PlainTextResponse("open to all")


def _gate(right: str = RIGHT) -> AccessGuard:
    app = Starlette(
        routes=[
            Route("/api/{path:path}", _data, methods=["GET", "POST", "PUT", "DELETE", "PATCH"]),
            Route("/{path:path}", _open),
        ]
    )
    return AccessGuard(app, token=right, locked=PlainTextResponse("locked", 401), language="en")


@pytest.fixture
async def browser() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(_gate()), base_url=HERE) as client:
        yield client


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": "Bearer wrong"},
        {"authorization": "Bearer "},
        {"authorization": ""},
        {"authorization": f"Basic {RIGHT}"},
        {"cookie": f"token={RIGHT}"},
        {"x-token": RIGHT},
        {"authorization": f"Bearer {RIGHT}x"},
        {"authorization": f"Bearer {RIGHT[:-1]}"},
    ],
)
@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "POST", "DELETE"])
async def test_without_the_token_there_is_no_data(
    browser: httpx.AsyncClient, method: str, headers: dict[str, str]
) -> None:
    for path in (
        "/api/rooms",
        "/api/messages?x=1",
        f"/api/rooms?token={RIGHT}",
        "/api/",
    ):
        answer = await browser.request(method, path, headers={**headers, "origin": HERE})
        assert answer.status_code == 401
        assert "private" not in answer.text


async def test_the_api_says_as_json_that_it_is_locked(browser: httpx.AsyncClient) -> None:
    assert (await browser.get("/api/rooms")).json()["code"] == "locked"


@pytest.mark.parametrize(
    "path", ["/", "/chats/1", "/other", "/statics", f"/?token={RIGHT}", f"/tasks/7/runs?token={RIGHT}"]
)
async def test_the_page_itself_holds_nothing_and_is_given_to_whoever_asks(
    browser: httpx.AsyncClient, path: str
) -> None:
    answer = await browser.get(path)
    assert (answer.status_code, answer.text) == (200, "open to all")
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("given", ["wrong", "", RIGHT + "x", RIGHT.upper(), "%ff", "a%00b", "токен"])
async def test_a_link_with_a_wrong_token_says_so(browser: httpx.AsyncClient, given: str) -> None:
    answer = await browser.get(f"/?token={given}", headers=BEARER)
    assert (answer.status_code, answer.text) == (401, "locked")


@pytest.mark.attack
@pytest.mark.parametrize(
    "path",
    ["//evil.example/", "//evil.example", "/\\evil.example/", "/chats//evil.example", "/%2f/evil.example"],
)
async def test_the_link_leads_nowhere_else(browser: httpx.AsyncClient, path: str) -> None:
    answer = await browser.get(f"{HERE}{path}?token={RIGHT}")
    assert (answer.status_code, answer.text) == (200, "open to all")
    assert "location" not in answer.headers


async def test_the_token_opens_the_api(browser: httpx.AsyncClient) -> None:
    answer = await browser.get("/api/rooms", headers=BEARER)
    assert answer.json() == {"data": "private", "method": "GET"}


@pytest.mark.parametrize("path", ["/static/styles/base.css", "/healthz"])
async def test_what_holds_no_data_is_open(browser: httpx.AsyncClient, path: str) -> None:
    assert (await browser.get(path)).text == "open to all"


@pytest.mark.attack
@pytest.mark.parametrize(
    "path", ["/api/healthz", "/api/static/x", "/%61pi/rooms", "/api//rooms", "/api/%2e%2e/x"]
)
async def test_what_only_looks_like_an_open_path_is_not(browser: httpx.AsyncClient, path: str) -> None:
    assert (await browser.get(HERE + path)).status_code == 401


@pytest.mark.attack
@pytest.mark.parametrize(
    "path", ["/x/../api/rooms", "//api/rooms", "/Api/rooms", "/api", "/api\\rooms", "/x/api/rooms"]
)
async def test_no_other_spelling_leads_to_the_data(browser: httpx.AsyncClient, path: str) -> None:
    assert "private" not in (await browser.get(HERE + path)).text


# A site that was pointed at this machine (DNS rebinding)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8642",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "192.168.1.7:8642",
        "127.0.0.1:9999",
        "localhost:9999",
        "localhost",
        "127.0.0.1",
        "user@127.0.0.1:8642",
    ],
)
@pytest.mark.parametrize(
    "path", ["/", "/api/rooms", "/healthz", "/static/styles/base.css", f"/?token={RIGHT}"]
)
async def test_a_request_in_the_name_of_another_host_is_refused(
    browser: httpx.AsyncClient, host: str, path: str
) -> None:
    answer = await browser.get(path, headers={**BEARER, "host": host, "origin": f"http://{host}"})
    assert answer.status_code == 403
    assert answer.json()["code"] == "wrong-host"
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("host", ["127.0.0.1:8642", "localhost:8642", "LOCALHOST:8642"])
async def test_this_machine_may_be_called_by_each_of_its_names(browser: httpx.AsyncClient, host: str) -> None:
    assert (await browser.get("/api/rooms", headers={**BEARER, "host": host})).status_code == 200


@pytest.mark.parametrize(
    "host", ["localhost/static/?x=", "localhost/static/#", "127.0.0.1:8642/healthz?", "localhost\\static"]
)
async def test_a_host_header_cannot_pretend_to_be_an_open_path(browser: httpx.AsyncClient, host: str) -> None:
    answer = await browser.get("/api/rooms", headers={"host": host})
    assert answer.status_code in (401, 403)


# Another site that makes the browser write (CSRF)


@pytest.mark.attack
@pytest.mark.parametrize("method", ["GET", "OPTIONS", "POST", "PUT", "DELETE", "PATCH"])
@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "",
        "http://evil.example",
        "http://127.0.0.1:9999",
        "http://127.0.0.1",
        "https://127.0.0.1:8642",
        "http://localhost:8642",
        HERE + ".evil.example",
        HERE + "/",
    ],
)
async def test_another_origin_gets_nothing_even_with_the_token(
    browser: httpx.AsyncClient, method: str, origin: str
) -> None:
    answer = await browser.request(method, "/api/messages", headers={**BEARER, "origin": origin})
    assert answer.status_code == 403
    assert answer.json()["code"] == "wrong-origin"


@pytest.mark.parametrize("origin", [{}, {"origin": HERE}])
async def test_this_page_and_programs_may_write(browser: httpx.AsyncClient, origin: dict[str, str]) -> None:
    answer = await browser.post("/api/messages", headers={**BEARER, **origin})
    assert answer.json() == {"data": "private", "method": "POST"}


# Headers


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/api/rooms", BEARER),
        ("/", {}),
        ("/api/rooms", {}),
        (f"/?token={RIGHT}", {}),
        ("/static/styles/base.css", {}),
        ("/", {"host": "evil.example"}),
    ],
)
async def test_every_answer_carries_the_headers_that_protect_the_page(
    browser: httpx.AsyncClient, path: str, headers: dict[str, str]
) -> None:
    answer = await browser.get(path, headers=headers)
    policy = answer.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "script-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    kept = "no-cache" if path.startswith("/static/") else "no-store"
    assert answer.headers["cache-control"] == kept


# The token


def test_the_token_is_made_once_and_readable_by_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "web-token"
    made = keep_token(path)
    assert len(made) >= 32
    assert made.isascii()
    assert path.stat().st_mode & 0o777 == 0o600
    assert keep_token(path) == made
    assert keep_token(tmp_path / "other") != made


def test_a_token_that_a_person_wrote_is_taken_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "web-token"
    path.write_text("  mine-own \n", "ascii")
    assert keep_token(path) == "mine-own"


@pytest.mark.parametrize("text", ["", "\n"])
def test_an_empty_token_is_made_again(tmp_path: Path, text: str) -> None:
    path = tmp_path / "web-token"
    path.write_text(text, "ascii")
    assert len(keep_token(path)) >= 32


async def test_a_gate_without_a_token_lets_nobody_in() -> None:
    transport = httpx.ASGITransport(_gate(right=""))
    async with httpx.AsyncClient(transport=transport, base_url=HERE) as client:
        assert (await client.get("/api/rooms")).status_code == 401
