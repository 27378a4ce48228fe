"""Telegram's updates for one bot: they wait until they are confirmed, by long polling or by a webhook."""

import asyncio
import json
import ssl
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from typing import Any

import httpx

from nanoclaw.testing.telegram.form import Form
from nanoclaw.testing.telegram.news import News
from nanoclaw.testing.telegram.refusals import Refusal

_ONLY_WHEN_ASKED = {"chat_member", "message_reaction", "message_reaction_count"}
_MOST = 100  # updates in one answer
_LONGEST = 50  # seconds of a long poll
_PAUSE = 0.05  # seconds before a webhook is tried again, doubled up to a second
_PATIENCE = 10  # seconds for a webhook to answer


class Updates:
    """Kept as the bytes that are sent: a repeat costs nothing, and a hundred thousand of them are small."""

    def __init__(self, first_id: int) -> None:
        self.url = ""
        self.told: Callable[[dict[str, Any]], dict[str, Any]] = lambda update: update
        self.waiting: deque[tuple[int, bytes]] = deque()
        self._next_id = first_id
        self._last: tuple[int, bytes] | None = None
        self._repeats: list[bytes] = []
        self._allowed: list[str] | None = None
        self._news = News()
        self._poll = 0
        self._closing = False
        self._delivery: asyncio.Task[None] | None = None
        self._trouble: dict[str, Any] = {}

    def push(self, kind: str, content: dict[str, Any]) -> None:
        if kind in _ONLY_WHEN_ASKED if not self._allowed else kind not in self._allowed:
            return
        self.push_raw({"update_id": self._next_id, kind: content})

    def push_raw(self, update: dict[str, Any]) -> None:
        update = {"update_id": self._next_id} | update
        self._next_id = max(self._next_id, update["update_id"]) + 1
        self._last = (update["update_id"], json.dumps(self.told(update), ensure_ascii=False).encode())
        self.waiting.append(self._last)
        self._news.tell()

    def repeat_last(self) -> None:
        """The last update comes once more, confirmed or not, as after a fault of Telegram."""
        if self._last is None:
            raise LookupError("there was no update yet")
        self._repeats.append(self._last[1])
        self._news.tell()

    async def poll(self, form: Form) -> bytes:
        """The answer to getUpdates, as JSON. A second caller ends the first call."""
        if self.url:
            raise Refusal(
                "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
                status=409,
            )
        self._poll += 1
        mine = self._poll
        self._news.tell()
        self._allow(form)
        self._confirm(form.number("offset") or 0)
        wait = min(max(form.number("timeout") or 0, 0), _LONGEST)
        if wait and not self._has_news:
            with suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await self._news.until(lambda: self._has_news or self._poll != mine or self._closing)
        if self._poll != mine:
            other = "setWebhook" if self.url else "other getUpdates"
            more = "" if self.url else "; make sure that only one bot instance is running"
            raise Refusal(f"terminated by {other} request{more}", status=409)
        limit = min(max(form.number("limit") or _MOST, 1), _MOST)
        given = self._repeats[:limit]
        del self._repeats[:limit]
        given += [update for _, (_, update) in zip(range(limit - len(given)), self.waiting, strict=False)]
        return b"[" + b",".join(given) + b"]"

    @property
    def _has_news(self) -> bool:
        return bool(self.waiting or self._repeats)

    def _confirm(self, offset: int) -> None:
        if offset < 0:
            while len(self.waiting) > -offset:
                self.waiting.popleft()
        while offset > 0 and self.waiting and self.waiting[0][0] < offset:
            self.waiting.popleft()

    def _allow(self, form: Form) -> None:
        allowed = form.nested("allowed_updates", "can't parse allowed updates JSON object")
        if allowed is not None:
            self._allowed = [str(kind) for kind in allowed]

    # The webhook

    async def set_webhook(self, form: Form) -> bool:
        await self.stop_delivery()
        url = form.text("url")
        if url and not url.startswith(("http://", "https://")):
            raise Refusal("bad webhook: An HTTPS URL must be provided for webhook")
        self._allow(form)
        if form.flag("drop_pending_updates"):
            self.waiting.clear()
        self.url = url
        self._trouble = {}
        if url:
            self._poll += 1
            self._news.tell()
            self._delivery = asyncio.create_task(self._deliver(url, form.text("secret_token")))
        return True

    def webhook_info(self) -> dict[str, Any]:
        allowed = {"allowed_updates": self._allowed} if self._allowed else {}
        told: dict[str, Any] = {"has_custom_certificate": False, "pending_update_count": len(self.waiting)}
        return {"url": self.url} | told | allowed | self._trouble

    async def close(self) -> None:
        self._closing = True
        self._news.tell()
        await self.stop_delivery()

    async def stop_delivery(self) -> None:
        if self._delivery is not None:
            self._delivery.cancel()
            await asyncio.gather(self._delivery, return_exceptions=True)
            self._delivery = None

    async def _deliver(self, url: str, secret: str) -> None:
        headers = {"content-type": "application/json"}
        if secret:
            headers["X-Telegram-Bot-Api-Secret-Token"] = secret
        pause = _PAUSE
        # Skipping certificate checks is quick, and a webhook of a test is on this machine.
        nobody = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        async with httpx.AsyncClient(timeout=_PATIENCE, headers=headers, verify=nobody) as client:
            while True:
                await self._news.until(lambda: self._has_news)
                repeated = bool(self._repeats)
                body = self._repeats[0] if repeated else self.waiting[0][1]
                try:
                    answer = await client.post(url, content=body)
                except httpx.HTTPError as error:
                    said = f"Connection failed: {type(error).__name__}"
                else:
                    if answer.is_success:
                        pause = _PAUSE
                        if repeated:
                            del self._repeats[0]
                        else:
                            self.waiting.popleft()
                        continue
                    phrase = HTTPStatus(answer.status_code).phrase
                    said = f"Wrong response from the webhook: {answer.status_code} {phrase}"
                self._trouble = {"last_error_date": int(time.time()), "last_error_message": said}
                await asyncio.sleep(pause)
                pause = min(pause * 2, 1)
