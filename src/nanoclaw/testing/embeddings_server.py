"""The far end of embeddings: a server that plays OpenAI's API, and knows which words mean the same."""

from collections import deque
from collections.abc import Sequence
from typing import Any, Self

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from nanoclaw.console.web_server import WebServer
from nanoclaw.testing.model_parts import Fail, Garbage

_FIELDS = {"model", "input", "encoding_format", "dimensions", "user"}


class EmbeddingsServer:
    """Use as `async with EmbeddingsServer(["price", "cost"], ["dog", "hound"]) as server`; `server.url` is its base.

    Texts with words of the same list are near each other. `server.answers` are what goes wrong, in turn.
    """

    def __init__(self, *meanings: Sequence[str], model: str = "meaning-1") -> None:
        self.url = ""
        self.model = model
        self.answers: deque[Fail | Garbage] = deque()
        self.texts: list[str] = []  # that it was given
        self.requests = 0
        self._meanings = meanings

    async def __aenter__(self) -> Self:
        self._serving = WebServer(0, for_everyone=True)
        self._serving.start(Starlette(routes=[Route("/v1/embeddings", self._embed, methods=["POST"])]))
        self.url = f"{self._serving.url}/v1"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._serving.stop()

    async def _embed(self, request: Request) -> Response:
        body: dict[str, Any] = await request.json()
        self.requests += 1
        if self.answers:
            answer = self.answers.popleft()
            if isinstance(answer, Fail):
                return JSONResponse({"error": {"message": answer.message}}, answer.status)
            return Response("}{", media_type="application/json")
        if body.keys() - _FIELDS or body.get("model") != self.model or not body.get("input"):
            return JSONResponse(
                {"error": {"message": "invalid request", "type": "invalid_request_error"}}, 400
            )
        texts = [body["input"]] if isinstance(body["input"], str) else list(body["input"])
        self.texts += texts
        data = [
            {"object": "embedding", "index": index, "embedding": self._vector(text)}
            for index, text in enumerate(texts)
        ]
        return JSONResponse({"object": "list", "model": self.model, "data": data})

    def _vector(self, text: str) -> list[float]:
        lower = text.lower()
        return [0.01, *(float(any(word in lower for word in words)) for words in self._meanings)]
