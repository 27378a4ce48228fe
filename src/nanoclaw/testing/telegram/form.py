"""What a call to the Bot API carries: parameters as a form, as JSON or in the address, and files as multipart."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.message import Message
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import Request

from nanoclaw.testing.telegram.refusals import Refusal

_NUMBER = re.compile(r"-?[0-9]{1,18}")
_MARGIN = 1 << 20  # what may come with a file: its name, the caption, the boundaries


@dataclass(frozen=True, kw_only=True, slots=True)
class Upload:
    """A file as it came."""

    name: str
    mime: str
    data: bytes = field(repr=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Form:
    """Every value is text, as the Bot API gets it; nested values are JSON in that text."""

    values: Mapping[str, str]
    files: Mapping[str, Upload]

    def text(self, name: str) -> str:
        return self.values.get(name, "")

    def number(self, name: str) -> int | None:
        value = self.values.get(name, "")
        return int(value) if _NUMBER.fullmatch(value) else None

    def flag(self, name: str) -> bool:
        return self.values.get(name, "").lower() in ("true", "1", "yes", "t")

    def nested(self, name: str, refusal: str) -> Any:
        """None when it was not given."""
        value = self.values.get(name)
        if not value:
            return None
        try:
            return json.loads(value)
        except ValueError:
            raise Refusal(refusal) from None


async def read_form(request: Request, limit: int) -> Form:
    body = await _read_body(request, limit + _MARGIN)
    values = dict(request.query_params)
    kind = request.headers.get("content-type", "")
    files: dict[str, Upload] = {}
    try:
        if kind.startswith("application/x-www-form-urlencoded"):
            values |= parse_qsl(body.decode(), keep_blank_values=True, errors="strict")
        elif kind.startswith("application/json"):
            given = json.loads(body or b"{}")
            values |= {key: _as_text(value) for key, value in given.items() if value is not None}
        elif kind.startswith("multipart/form-data"):
            files = _read_parts(body, kind, values)
    except UnicodeDecodeError:
        raise Refusal("strings must be encoded in UTF-8") from None
    except (ValueError, AttributeError):
        raise Refusal("can't parse the request") from None
    if any(len(upload.data) > limit for upload in files.values()):
        raise Refusal(status=413)
    return Form(values=values, files=files)


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


async def _read_body(request: Request, limit: int) -> bytes:
    pieces = []
    size = 0
    async for piece in request.stream():
        size += len(piece)
        if size <= limit:
            pieces.append(piece)
    # Too big a body is read to its end, so that the sender sees the refusal and not a broken pipe.
    if size > limit:
        raise Refusal(status=413)
    return b"".join(pieces)


def _read_parts(body: bytes, kind: str, values: dict[str, str]) -> dict[str, Upload]:
    boundary = str(_header(kind).get_param("boundary"))
    before, *parts, after = (b"\r\n" + body).split(b"\r\n--" + boundary.encode())
    if before or after.strip() != b"--":
        raise ValueError("the parts are not complete")
    files = {}
    for part in parts:
        head, separator, data = part.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if line)
        headers = {key.lower(): value for key, value in headers.items()}
        what = _parameters(headers["content-disposition"])
        if not separator or "name" not in what:
            raise ValueError("a part without a name")
        if "filename" in what:
            mime = headers.get("content-type", "application/octet-stream")
            files[what["name"]] = Upload(name=what["filename"], mime=mime, data=data)
        else:
            values[what["name"]] = data.decode()
    return files


def _header(value: str) -> Message:
    message = Message()
    message["content-type"] = value
    return message


def _parameters(disposition: str) -> dict[str, str]:
    """`form-data; name="x"; filename="y"`: browsers and httpx write a quote as %22 and a backslash twice."""
    found = {}
    rest = disposition.partition(";")[2]
    while rest.strip():
        key, separator, rest = rest.partition('="')
        value, closing, rest = rest.partition('"')
        if not separator or not closing:
            raise ValueError("a quote is missing")
        found[key.strip(" ;").lower()] = value.replace("%22", '"').replace("\\\\", "\\")
    return found
