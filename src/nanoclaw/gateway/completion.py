"""One question, one short answer: for the host itself, to choose a skill or to check that a key works."""

import json
from collections.abc import Callable

import httpx

from nanoclaw.domain.bounds import TooMuch, whole
from nanoclaw.domain.errors import ModelFailed
from nanoclaw.domain.money import Spender, Usage, counted
from nanoclaw.domain.turns import Spent
from nanoclaw.gateway import tokens
from nanoclaw.gateway.model_calls import ANTHROPIC, Gateway, GatewayLine
from nanoclaw.gateway.outage import Trouble, trouble_of
from nanoclaw.gateway.prices import split

_TIMEOUT = 60.0
_BIGGEST_ANSWER = 1 << 20  # bytes: the host asks for short ones
_COUNTING = 10.0  # seconds; without a count there is an estimate


class Completions:
    """Calls Anthropic without an SDK: a host that only talks to people must not load one for a question."""

    def __init__(self, gateway: Gateway, base_url: str, key: Callable[[], str | None]) -> None:
        self._gateway = gateway
        self._base_url = base_url
        self._key = key

    async def ask(self, spender: Spender, model: str, prompt: str, *, most_output: int) -> tuple[str, Spent]:
        """Raises ModelFailed, ModelRefused or ModelOutage."""
        vendor, name = split(model)
        if vendor not in ("", ANTHROPIC):
            raise ModelFailed("model-of-other-vendor", model=model)
        if (key := self._key()) is None:
            raise ModelFailed("key-absent", vendor=ANTHROPIC)
        line = GatewayLine(spender=spender, listener=lambda _event: None, models=(model, name))
        size = len(prompt.encode())
        async with (
            # Never a shorter answer: half an answer is of no use to the host.
            self._gateway.pass_through(
                line, name, tokens.of_text(size, with_tools=False), most_output, least_output=most_output
            ) as call,
            httpx.AsyncClient(base_url=self._base_url, timeout=_TIMEOUT) as client,
        ):
            while True:
                trouble = None
                call.sent(Usage(input=tokens.likely(size), output=most_output))
                try:
                    asked = {
                        "model": split(call.model)[1],
                        "max_tokens": most_output,
                        "messages": [{"role": "user", "content": prompt}],
                    }
                    async with client.stream(
                        "POST", "/v1/messages", headers=_headers(key), json=asked
                    ) as answer:
                        body = await whole(answer.aiter_bytes(), _BIGGEST_ANSWER)
                except TooMuch:
                    raise ModelFailed("model-endless") from None
                except httpx.ConnectError as error:
                    call.refused()
                    trouble = Trouble(said=str(error) or type(error).__name__)
                except httpx.HTTPError as error:
                    trouble = Trouble(said=str(error) or type(error).__name__)
                else:
                    if answer.is_error:
                        call.refused()
                        said = _message(body, key)
                        trouble = trouble_of(answer.status_code, answer.headers, said)
                        if trouble is None:
                            raise ModelFailed("model-said", said=f"{answer.status_code} {said}")
                if trouble is None:
                    break
                await call.failed(trouble)
            call.answered()
            text, usage = _read(body)
            return text, Spent(model=call.model, usage=usage, micros=call.settle(usage))

    async def count(self, model: str, text: str) -> int | None:
        """How many tokens the vendor counts in a text, which is free; None if it does not say."""
        vendor, name = split(model)
        if vendor not in ("", ANTHROPIC) or (key := self._key()) is None:
            return None
        asked = {"model": name, "messages": [{"role": "user", "content": text}]}
        try:
            async with (
                httpx.AsyncClient(base_url=self._base_url, timeout=_COUNTING) as client,
                client.stream(
                    "POST", "/v1/messages/count_tokens", headers=_headers(key), json=asked
                ) as answer,
            ):
                body = json.loads(await whole(answer.aiter_bytes(), _BIGGEST_ANSWER))
                return None if answer.is_error else counted(body["input_tokens"])
        except (httpx.HTTPError, ValueError, KeyError, TypeError, RecursionError, TooMuch):
            return None


def _headers(key: str) -> dict[str, str]:
    return {"x-api-key": key, "anthropic-version": "2023-06-01", "accept-encoding": "identity"}


def _read(body: bytes) -> tuple[str, Usage]:
    try:
        found = json.loads(body)
        used = found["usage"]
        text = "".join(part["text"] for part in found["content"] if part["type"] == "text")
        return text, Usage(input=counted(used["input_tokens"]), output=counted(used["output_tokens"]))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ModelFailed("model-garbled", said=type(error).__name__) from error


def _message(body: bytes, key: str) -> str:
    """The vendor's own message, without the rest of the body or the key, which some repeat when they refuse it."""
    try:
        said = str(json.loads(body)["error"]["message"])
    except (ValueError, KeyError, TypeError, RecursionError):
        said = body.decode("utf-8", "replace")
    return " ".join(said.replace(key, "***").split())[:300]
