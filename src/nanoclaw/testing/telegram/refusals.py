"""Telegram's errors: a status, its own words, and what to do then (wait, or write to another chat)."""

from typing import Any

_PREFIXES = {
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    409: "Conflict",
    413: "Request Entity Too Large",
    429: "Too Many Requests",
}


class Refusal(Exception):
    """Becomes `{"ok": false, ...}`; the text is given without the words of its status."""

    def __init__(self, text: str = "", *, status: int = 400, **parameters: int) -> None:
        prefix = _PREFIXES[status]
        self.status = status
        self.description = f"{prefix}: {text}" if text else prefix
        self.parameters = parameters
        super().__init__(self.description)

    @property
    def answer(self) -> dict[str, Any]:
        body: dict[str, Any] = {"ok": False, "error_code": self.status, "description": self.description}
        return body | ({"parameters": self.parameters} if self.parameters else {})
