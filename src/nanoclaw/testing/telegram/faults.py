"""Network faults: an answer that never comes, a call that never arrives, a server that is down."""

from collections import deque
from dataclasses import dataclass
from http import HTTPStatus
from typing import Literal

from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

ANY = "*"


@dataclass(frozen=True, kw_only=True, slots=True)
class Fault:
    kind: Literal["cut before", "cut after", "fail"]
    status: int = 502
    description: str = ""

    @property
    def response(self) -> Response:
        if self.kind != "fail":
            return CutOff()
        said = self.description or HTTPStatus(self.status).phrase
        body = {"ok": False, "error_code": self.status, "description": said}
        return JSONResponse(body, self.status)


class Faults:
    """Each is used up by one call of its method, in the planned order."""

    def __init__(self) -> None:
        self._planned: dict[str, deque[Fault]] = {}

    def plan(self, method: str, fault: Fault, times: int) -> None:
        self._planned.setdefault(method.lower(), deque()).extend([fault] * times)

    def take(self, method: str) -> Fault | None:
        if not self._planned:
            return None
        for name in (method, ANY):
            if planned := self._planned.get(name):
                return planned.popleft()
        return None


class CutOff(Response):
    """For an incomplete answer the server closes the connection, which is what a cut looks like."""

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        headers = [(b"content-length", b"9")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
