"""One question to a model of any vendor, without tools: the text of its answer."""

from contextlib import aclosing

from nanoclaw.domain.ids import SessionId, TurnId
from nanoclaw.domain.money import Spender
from nanoclaw.domain.ports import Model
from nanoclaw.domain.turns import SystemPrompt, TextDelta, TextWritten, TurnRequest


async def answer_of(model: Model, spender: Spender, name: str, question: str) -> str:
    """Raises ModelFailed, ModelRefused or ModelOutage."""
    request = TurnRequest(
        turn_id=TurnId(spender.turn_id),
        session_id=SessionId(spender.session_id),
        group=spender.group,
        company=spender.company,
        skill=spender.skill,
        model=name,
        system_prompt=SystemPrompt(foundation="", company="", skill=""),
        history=(),
        prompt=question,
        conversation="",
        flow=spender.flow,
        person=spender.person,
        chat_id=spender.chat_id,
        is_own=spender.is_own,
    )
    text = ""
    async with aclosing(model.stream(request, (), ())) as pieces:
        async for piece in pieces:
            match piece:
                case TextDelta(text=more):
                    text += more
                case TextWritten(text=whole):
                    text = whole
                case _:
                    pass
    return text
