"""The answers about questions to people. Whoever holds the token decides as the owner of this machine."""

import asyncio
from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response

from nanoclaw.console import files
from nanoclaw.console import inbox_shapes as shapes
from nanoclaw.console.body import read_body
from nanoclaw.console.desk import Desk
from nanoclaw.console.inbox_keeper import COMMAND_LINE, VIA, InboxKeeper, QuestionRow
from nanoclaw.console.openapi import Endpoint
from nanoclaw.console.shapes import Accepted, PageOf
from nanoclaw.delivery.live import Closing, Overrun
from nanoclaw.domain.errors import NotFound
from nanoclaw.domain.news import EVERY_CHAT
from nanoclaw.domain.text import storable
from nanoclaw.durable import questions

# Questions


async def list_questions(request: Request, desk: Desk) -> shapes.QuestionList:
    page = shapes.OpenPage.model_validate(dict(request.query_params))
    found = await desk.inbox.open(page.execution, limit=page.limit + 1, after=page.after)
    return shapes.QuestionList(
        questions=await _drawn(found[: page.limit]),
        more=len(found) > page.limit,
        total=await desk.inbox.count_open(),
    )


async def get_question(request: Request, desk: Desk) -> shapes.Question:
    return shapes.question(await desk.inbox.get(_ref(request)))


async def ask(request: Request, desk: Desk) -> shapes.Question:
    asked = shapes.NewQuestion.model_validate_json(await read_body(request))
    return shapes.question(await desk.inbox.ask(asked.given()))


async def wait(request: Request, desk: Desk) -> shapes.Question:
    """Whoever went away waits no longer, and nobody keeps a host from stopping."""
    patience = shapes.Patience.model_validate(dict(request.query_params))
    question = await desk.inbox.get(_ref(request))
    waits = asyncio.create_task(desk.inbox.wait(question.id, patience.seconds))
    ends = [asyncio.create_task(_gone(request)), asyncio.create_task(_closing(desk))]
    try:
        await asyncio.wait([waits, *ends], return_when=asyncio.FIRST_COMPLETED)
        return shapes.question(waits.result() if waits.done() else await desk.inbox.get(question.id))
    finally:
        for task in (waits, *ends):
            task.cancel()


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _closing(desk: Desk) -> None:
    with desk.live.watch(EVERY_CHAT) as heard:
        while not isinstance(await heard.get(), Closing | Overrun):
            pass


async def decide(request: Request, desk: Desk) -> shapes.Decided:
    asked = shapes.Decision.model_validate_json(await read_body(request))
    words = (asked.text or "").strip() or None
    said, row = await _inbox(request, desk).decide(_ref(request), asked.option, words)
    return shapes.Decided(said=said, question=shapes.question(row))


async def cancel(request: Request, desk: Desk) -> shapes.Question:
    return shapes.question(await _inbox(request, desk).cancel(_ref(request)))


async def ask_again(request: Request, desk: Desk) -> shapes.Question:
    return shapes.question(await _inbox(request, desk).ask_again(_ref(request)))


async def conclude(request: Request, desk: Desk) -> shapes.Question:
    asked = shapes.Conclusion.model_validate_json(await read_body(request))
    return shapes.question(await _inbox(request, desk).conclude(_ref(request), **dict(asked)))


async def hand_out_document(request: Request, desk: Desk) -> Response:
    row = await desk.inbox.get(_ref(request))
    question = await desk.store.read(lambda tx: questions.get(tx, row.id))
    if question is None or question.document is None:
        raise NotFound("no-such-document")
    kept = await asyncio.to_thread(files.open_kept, desk.attachments, question.document.kept)
    return files.FileAnswer(kept, question.document)


# Decisions


async def list_decisions(request: Request, desk: Desk) -> shapes.DecisionPage:
    page = PageOf.model_validate(dict(request.query_params))
    found = await desk.inbox.decided(page.limit + 1, page.before and storable(page.before))
    return shapes.DecisionPage(
        decisions=await _drawn(found[: page.limit]),
        more=len(found) > page.limit,
    )


async def add_up(request: Request, desk: Desk) -> shapes.Figures:
    asked = shapes.Days.model_validate(dict(request.query_params))
    return shapes.Figures.model_validate(await desk.inbox.figures(asked.days))


# Permits


async def list_permits(_request: Request, desk: Desk) -> shapes.PermitList:
    found = await desk.inbox.permits()
    return shapes.PermitList(permits=[shapes.Permit.model_validate(each) for each in found])


async def revoke(request: Request, desk: Desk) -> Accepted:
    permit = storable(request.path_params["permit"])
    await _inbox(request, desk).revoke(permit)
    return Accepted(id=permit)


def _inbox(request: Request, desk: Desk) -> InboxKeeper:
    """Who acts is known by the token; this only says with which tool."""
    return desk.inbox.through(COMMAND_LINE) if request.headers.get(VIA) == COMMAND_LINE else desk.inbox


def _ref(request: Request) -> str:
    return storable(request.path_params["question"])


async def _drawn(rows: Sequence[QuestionRow]) -> list[shapes.Question]:
    return await asyncio.to_thread(lambda: [shapes.question(row) for row in rows])


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/api/questions",
        summary="The inbox: the questions that are open, first asked first; `after` and `limit` page on",
        answer=list_questions,
        asks=shapes.OpenPage,
        gives=shapes.QuestionList,
    ),
    Endpoint(
        method="POST",
        path="/api/questions",
        summary="Ask people, in the words of the tool request_human; a repeated id is recognised",
        answer=ask,
        takes=shapes.NewQuestion,
        gives=shapes.Question,
    ),
    Endpoint(
        method="GET",
        path="/api/questions/{question}",
        summary="A question as it stands, by its id or the end of it",
        answer=get_question,
        gives=shapes.Question,
    ),
    Endpoint(
        method="GET",
        path="/api/questions/{question}/wait",
        summary="The same, as soon as it is decided, or as it stands after so many `seconds`",
        answer=wait,
        asks=shapes.Patience,
        gives=shapes.Question,
    ),
    Endpoint(
        method="POST",
        path="/api/questions/{question}/decide",
        summary="Decide: one of its options, words where it takes them, or both",
        answer=decide,
        takes=shapes.Decision,
        gives=shapes.Decided,
    ),
    Endpoint(
        method="POST",
        path="/api/questions/{question}/cancel",
        summary="Take a question back; nothing is decided",
        answer=cancel,
        gives=shapes.Question,
    ),
    Endpoint(
        method="POST",
        path="/api/questions/{question}/again",
        summary="Ask once more what ran out of time; gives the new question",
        answer=ask_again,
        gives=shapes.Question,
    ),
    Endpoint(
        method="POST",
        path="/api/questions/{question}/conclude",
        summary="An interactive session is over",
        answer=conclude,
        takes=shapes.Conclusion,
        gives=shapes.Question,
    ),
    Endpoint(
        method="GET",
        path="/api/questions/{question}/document",
        summary="The document that is to be reviewed, as it was when it was asked about",
        answer=hand_out_document,
    ),
    Endpoint(
        method="GET",
        path="/api/decisions",
        summary="What came of questions, newest first; `before` and `limit` page back",
        answer=list_decisions,
        asks=PageOf,
        gives=shapes.DecisionPage,
    ),
    Endpoint(
        method="GET",
        path="/api/decisions/figures",
        summary="How fast people decided, and how often nobody did, in the last `days`: in all, by kind, by skill",
        answer=add_up,
        asks=shapes.Days,
        gives=shapes.Figures,
    ),
    Endpoint(
        method="GET",
        path="/api/permits",
        summary="What agents may do with tools without asking again",
        answer=list_permits,
        gives=shapes.PermitList,
    ),
    Endpoint(
        method="DELETE",
        path="/api/permits/{permit}",
        summary="Take a permit back, by its id or the end of it",
        answer=revoke,
        gives=Accepted,
    ),
)
