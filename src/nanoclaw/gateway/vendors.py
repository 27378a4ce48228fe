"""Any other vendor that pydantic-ai supports, as a model of the native runtime; its calls pass the gateway too."""

from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from typing import Any

from pydantic_ai import exceptions, messages
from pydantic_ai.direct import model_request_stream
from pydantic_ai.models import Model as PydanticModel
from pydantic_ai.models import ModelRequestParameters, StreamedResponse, infer_model
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.native_tools import WebSearchTool
from pydantic_ai.providers import Provider, infer_provider_class
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.settings import ModelSettings, ThinkingLevel
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.usage import RequestUsage

from nanoclaw.domain.errors import ModelFailed
from nanoclaw.domain.model_choice import Thinking
from nanoclaw.domain.money import Usage, counted
from nanoclaw.domain.steps import (
    ModelPiece,
    Returned,
    Spoke,
    Step,
    Told,
    ToolCall,
    ToolOffer,
    VendorState,
    calls_in,
    new_call_id,
)
from nanoclaw.domain.turns import (
    AnswerCut,
    ModelAsked,
    RuntimeEvent,
    Spent,
    TextDelta,
    TextWritten,
    TurnRequest,
)
from nanoclaw.gateway import tokens
from nanoclaw.gateway.model_calls import Call, Gateway, GatewayLine
from nanoclaw.gateway.outage import Trouble
from nanoclaw.gateway.prices import split
from nanoclaw.gateway.written_arguments import arguments_in

LOCAL = "local"  # any OpenAI-compatible server, at `agents.base_url`
OLLAMA = "ollama"
_OLLAMA_URL = "http://localhost:11434/v1"
_CHARACTERS_PER_TOKEN = 4
_MOST_OUTPUT = 16_000
_FRAME = 20  # bytes around each part of a request
_MOST_WRITTEN = 4 << 20  # characters of one answer: many times the longest one
_PASSING = (
    exceptions.ModelRateLimitError,
    exceptions.ModelQuotaExceededError,
    exceptions.ModelUnavailableError,
    exceptions.ModelServerError,
    exceptions.ModelConnectionError,
)
_FAILING = (exceptions.ModelAPIError, exceptions.UnexpectedModelBehavior, exceptions.UserError)
_THINKING: dict[Thinking, ThinkingLevel] = {
    Thinking.OFF: False,
    Thinking.LOW: "low",
    Thinking.HIGH: "high",
}


class Vendors:
    """Creates a vendor's model when it is first asked for. Keys come from a function and stay in the client."""

    def __init__(self, keys: Callable[[str], str | None], *, base_url: str) -> None:
        self._keys = keys
        self._base_url = base_url
        self._made: dict[str, PydanticModel] = {}
        self._opened = AsyncExitStack()

    async def model(self, name: str) -> PydanticModel:
        if name not in self._made:
            vendor, model = split(name)
            try:
                if vendor == LOCAL:
                    made: PydanticModel = OpenAIChatModel(model, provider=self._local())
                else:
                    made = infer_model(f"{vendor}:{model}", self._provider)
            except (exceptions.UserError, ValueError, ImportError) as error:
                raise ModelFailed("model-unknown", model=name, said=str(error).splitlines()[0]) from error
            self._made[name] = await self._opened.enter_async_context(made)
        return self._made[name]

    def key(self, name: str) -> str:
        """The key of a model's vendor; empty if there is none."""
        return self._keys(split(name)[0]) or ""

    async def close(self) -> None:
        await self._opened.aclose()

    def _provider(self, vendor: str) -> Provider[Any]:
        provider: Any = infer_provider_class(vendor)
        key = self._keys(vendor)
        if vendor == OLLAMA:
            made: Provider[Any] = provider(base_url=self._base_url or _OLLAMA_URL, api_key=key)
        elif key is None:
            raise ModelFailed("key-absent", vendor=vendor)
        else:
            made = provider(api_key=key)
        return made

    def _local(self) -> OpenAIProvider:
        if not self._base_url:
            raise ModelFailed("base-url-absent")
        return OpenAIProvider(base_url=self._base_url, api_key=self._keys(LOCAL) or "none")


class VendorModel:
    def __init__(self, gateway: Gateway, vendors: Vendors, allowed: Callable[[], tuple[str, ...]]) -> None:
        self._gateway = gateway
        self._vendors = vendors
        self._allowed = allowed
        self._breaking_off: Counter[str] = Counter()  # answers without an end, by model

    async def close(self) -> None:
        await self._vendors.close()

    def _broke_off(self, model: PydanticModel, answer: messages.ModelResponse) -> bool:
        """Whether the answer was cut: its stream says neither why it ended nor what it cost. A few servers
        never say: after two such answers in a row, the model is taken as it is.
        """
        if not isinstance(model, OpenAIChatModel) or _is_ended(answer):
            self._breaking_off.pop(model.model_name, None)
            return False
        self._breaking_off[model.model_name] += 1
        return self._breaking_off[model.model_name] == 1

    async def stream(
        self, request: TurnRequest, steps: Sequence[Step], tools: Sequence[ToolOffer]
    ) -> AsyncGenerator[ModelPiece, None]:
        await self._vendors.model(request.model)  # an unknown one is reported before any money is set aside
        key = self._vendors.key(request.model)
        told: list[ModelAsked | AnswerCut | Spent] = []

        def hear(event: RuntimeEvent) -> None:
            if isinstance(event, ModelAsked | AnswerCut | Spent):
                told.append(event)

        line = GatewayLine(spender=request.spender("native"), listener=hear, models=self._allowed())
        asked = _messages(request, steps)
        size = _size(request, steps, tools)
        estimate, most = tokens.likely(size), tokens.of_text(size)
        ask = partial(
            model_request_stream,
            messages=asked,
            model_request_parameters=_parameters(request, tools),
            instrument=False,
        )
        async with self._gateway.pass_through(line, request.model, most, _MOST_OUTPUT) as call:
            for event in told:
                yield event
            told.clear()
            while True:
                model = await self._vendors.model(call.model)
                shortened = ModelSettings(max_tokens=call.max_output)
                if request.thinking is not None:  # models that do not take this setting are not given it
                    shortened["thinking"] = _THINKING[request.thinking]
                call.sent(Usage(input=estimate))
                try:
                    async with ask(model, model_settings=shortened) as stream:
                        async for text in _heard(stream, call, estimate):
                            yield TextDelta(text=text)
                        answer = stream.get()
                    if not self._broke_off(model, answer):
                        break
                    yield TextWritten(text="")  # what came before is written again
                    await call.failed(Trouble(said="the answer broke off"))
                except _PASSING as error:
                    if not error.in_stream:
                        call.refused()
                    yield TextWritten(text="")  # what came before is written again
                    await call.failed(_trouble(error, key))
                except _FAILING as error:
                    if isinstance(error, exceptions.ModelAPIError) and not (call.seen and call.seen.output):
                        call.refused()  # nothing of an answer was received
                    raise _failure(error, request.model, key) from error
            call.settle(_usage(answer.usage, estimate, sum(map(_length, answer.parts))))
            _check(answer)
            answer, cut = _as_cut(_with_own_ids(answer, calls_in(steps)), call)
        for event in told:
            yield event
        for called in _calls(answer, cut):
            yield called
        yield VendorState(value=answer)


def _is_ended(answer: messages.ModelResponse) -> bool:
    said = (answer.provider_details or {}).get("finish_reason")
    return bool(said) or answer.finish_reason == "content_filter" or answer.usage.output_tokens > 0


def _check(answer: messages.ModelResponse) -> None:
    """Raises ModelFailed for an unusable answer."""
    if answer.finish_reason == "content_filter":
        raise ModelFailed("model-declined")
    calls = any(isinstance(part, messages.ToolCallPart) for part in answer.parts)
    if answer.finish_reason == "tool_call" and not calls:
        raise ModelFailed("model-garbled", said="a tool call without a name")


def _with_own_ids(answer: messages.ModelResponse, taken: Collection[str]) -> messages.ModelResponse:
    known, parts = set(taken), list[messages.ModelResponsePart]()
    for part in answer.parts:
        if isinstance(part, messages.ToolCallPart):
            named = replace(part, tool_call_id=new_call_id(part.tool_call_id, known))
            known.add(named.tool_call_id)
            parts.append(named)
        else:
            parts.append(part)
    return replace(answer, parts=parts)


async def _heard(stream: StreamedResponse, call: Call, estimate: int) -> AsyncIterator[str]:
    """The text of an answer as it comes. Raises ModelFailed if it does not end."""
    length = 0
    async for piece in stream:
        call.answered()
        match piece:
            case messages.PartStartEvent(part=part):
                length += _length(part)
            case messages.PartDeltaEvent(delta=delta):
                length += _length(delta)
            case _:
                pass
        call.seen = _usage(stream.usage, estimate, length)
        if length > _MOST_WRITTEN:
            raise ModelFailed("model-endless")
        if text := _text(piece):
            yield text


def _length(part: object) -> int:
    """Characters said, thought, or written as arguments; one if there are none."""
    fields = ("content", "args", "content_delta", "args_delta")
    return sum(len(str(getattr(part, name, None) or "")) for name in fields) or 1


def _as_cut(answer: messages.ModelResponse, call: Call) -> tuple[messages.ModelResponse, object]:
    """The answer, and the part that was cut off if it became too long."""
    if answer.finish_reason != "length" or not answer.parts:
        return answer, None
    call.was_cut()
    cut = answer.parts[-1]
    if isinstance(cut, messages.ToolCallPart) and call.is_lowered:  # there is no money to do it again
        return replace(answer, parts=answer.parts[:-1]), None
    return answer, cut


def _calls(answer: messages.ModelResponse, cut: object) -> Iterator[ToolCall]:
    for part in answer.parts:
        if isinstance(part, messages.ToolCallPart):
            yield ToolCall(
                id=part.tool_call_id,
                name=part.tool_name,
                arguments=arguments_in(part.args if isinstance(part.args, str) else part.args_as_json_str()),
                is_cut=part is cut,
            )


def _messages(request: TurnRequest, steps: Sequence[Step]) -> list[messages.ModelMessage]:
    """The conversation in pydantic-ai's types. What a vendor needs to see again is returned unchanged."""
    made: list[messages.ModelMessage] = []
    for exchange in request.history:
        made.append(_user(exchange.asked))
        made.append(messages.ModelResponse(parts=[messages.TextPart(exchange.answered)]))
    made.append(_user(request.whole_prompt))
    for step in steps:
        match step:
            case Spoke(kept=messages.ModelResponse() as kept):
                made.append(kept)
            case Spoke(text=text):
                made.append(messages.ModelResponse(parts=[messages.TextPart(text)]))
            case Returned(call=call, text=text):
                part = messages.ToolReturnPart(tool_name=call.name, content=text, tool_call_id=call.id)
                _add(made, part)
            case Told(prompt=prompt):
                _add(made, messages.UserPromptPart(prompt))
    last = made[-1]
    if isinstance(last, messages.ModelRequest):
        last.instructions = str(request.system_prompt)
    return made


def _add(made: list[messages.ModelMessage], part: messages.ModelRequestPart) -> None:
    """Add to the last message: vendors want the results of all calls of an answer in the one message that
    follows it.
    """
    if isinstance(made[-1], messages.ModelRequest):
        made[-1].parts = [*made[-1].parts, part]
    else:
        made.append(messages.ModelRequest(parts=[part]))


def _user(prompt: str) -> messages.ModelRequest:
    return messages.ModelRequest(parts=[messages.UserPromptPart(prompt)])


def _parameters(request: TurnRequest, tools: Sequence[ToolOffer]) -> ModelRequestParameters:
    return ModelRequestParameters(
        function_tools=[
            ToolDefinition(
                name=tool.name, description=tool.description, parameters_json_schema=dict(tool.arguments)
            )
            for tool in tools
        ],
        native_tools=[WebSearchTool()] if request.grants.web_search else [],
        allow_text_output=True,
    )


def _text(piece: object) -> str:
    match piece:
        case messages.PartStartEvent(part=messages.TextPart(content=text)):
            return text
        case messages.PartDeltaEvent(delta=messages.TextPartDelta(content_delta=text)):
            return text
        case _:
            return ""


def _usage(usage: RequestUsage, estimate: int, length: int) -> Usage:
    """The usage as the vendor reported it. Some report nothing, or only at the end: then what was sent and
    seen counts.
    """
    told = Usage(
        input=counted(usage.input_tokens - usage.cache_read_tokens - usage.cache_write_tokens),
        output=counted(usage.output_tokens),
        cache_read=counted(usage.cache_read_tokens),
        cache_write=counted(usage.cache_write_tokens),
        thinking=counted(usage.details.get("reasoning_tokens", 0)),
    )
    is_told = told.input or told.cache_read or told.cache_write
    return replace(
        told,
        input=told.input if is_told else estimate,
        output=told.output or -(-length // _CHARACTERS_PER_TOKEN),
    )


def _failure(error: Exception, model: str, key: str) -> ModelFailed:
    match error:
        case exceptions.ModelAPIError():
            return ModelFailed("model-said", said=_said(error, key))
        case exceptions.ContentFilterError():
            return ModelFailed("model-declined")
        case exceptions.UnexpectedModelBehavior():
            return ModelFailed("model-garbled", said=_said(error, key))
        case _:
            return ModelFailed("model-unknown", model=model, said=_said(error, key))


def _trouble(error: exceptions.ModelAPIError, key: str) -> Trouble:
    lasting = isinstance(error, exceptions.ModelQuotaExceededError)
    return Trouble(said=_said(error, key), after=getattr(error, "retry_after", None), lasting=lasting)


def _said(error: Exception, key: str) -> str:
    """The vendor's own message, if any; without the key, which some repeat when they refuse it."""
    match error:
        case exceptions.ModelHTTPError(body={"error": {"message": str(words)}} | {"message": str(words)}):
            said = words
        case _:
            said = str(error)
    return " ".join((said.replace(key, "***") if key else said).split())[:300]


def _size(request: TurnRequest, steps: Sequence[Step], tools: Sequence[ToolOffer]) -> int:
    said = [
        str(request.system_prompt),
        request.whole_prompt,
        *(f"{each.asked}{each.answered}" for each in request.history),
    ]
    for step in steps:
        match step:
            case Told(prompt=prompt):
                said.append(prompt)
            case Spoke(kept=messages.ModelResponse() as kept):
                said.append(str(kept.parts))
            case _:
                said.append(step.text)
    said += [f"{tool.name} {tool.description} {tool.arguments}" for tool in tools]
    return sum(len(text.encode()) + _FRAME for text in said)
