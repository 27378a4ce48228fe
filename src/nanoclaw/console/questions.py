"""Endpoints for questions to people. The holder of the token decides as the owner of this machine."""

import asyncio
from datetime import timedelta
from functools import partial

from starlette.requests import Request
from starlette.responses import Response

from nanoclaw.console import files
from nanoclaw.console import question_shapes as shapes
from nanoclaw.console.body import read_body
from nanoclaw.console.console import Console
from nanoclaw.console.openapi import Endpoint
from nanoclaw.console.question_views import show_permit, show_question, show_questions, within_bounds
from nanoclaw.console.shape import Accepted, PageOf
from nanoclaw.delivery.live import Closing, Overrun
from nanoclaw.domain.errors import NotFound
from nanoclaw.domain.news import EVERY_CHAT
from nanoclaw.domain.people import Actor
from nanoclaw.domain.questions import Question, Status
from nanoclaw.domain.text import storable
from nanoclaw.durable import permits, questions
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.flows.human.permits import find_permit
from nanoclaw.flows.human.permits import revoke as revoke_permit
from nanoclaw.flows.human.statistics import figure, figures_by

# Questions


async def list_questions(request: Request, console: Console) -> shapes.QuestionList:
    page = shapes.OpenPage.model_validate(dict(request.query_params))

    def look(tx: Tx) -> shapes.QuestionList:
        found = questions.list_open(tx, page.limit + 1, execution_id=page.execution, after=page.after)
        shown = within_bounds(found[: page.limit])
        return shapes.QuestionList(
            questions=show_questions(tx, shown, console.locale_of_owner(tx).speaks),
            more=len(found) > len(shown),
            total=questions.count_open(tx),
        )

    return await console.store.read(look)


async def get_question(request: Request, console: Console) -> shapes.Question:
    return await _shown(console, _ref(request))


async def ask(request: Request, console: Console) -> shapes.Question:
    asked = shapes.NewQuestion.model_validate_json(await read_body(request))
    group = console.groups.get(asked.group) if asked.group else console.groups.main()
    question = await console.questions.ask_for_program(asked.given(), group)
    return await _shown(console, question.id)


async def wait(request: Request, console: Console) -> shapes.Question:
    """A client that left no longer waits, and none keeps a host from stopping."""
    patience = shapes.Patience.model_validate(dict(request.query_params))
    question = await _shown(console, _ref(request))
    if question.status != Status.PENDING:
        return question
    waits = (console.questions.wait(question.id, patience.seconds), _gone(request), _closing(console))
    tasks = [asyncio.create_task(each) for each in waits]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        return await _shown(console, question.id)
    finally:
        for task in tasks:
            task.cancel()


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _closing(console: Console) -> None:
    with console.live.watch(EVERY_CHAT) as heard:
        while not isinstance(await heard.get(), Closing | Overrun):
            pass


async def decide(request: Request, console: Console) -> shapes.Decided:
    asked = shapes.Decision.model_validate_json(await read_body(request))
    words = (asked.text or "").strip() or None

    def story(tx: Tx, by: Actor) -> tuple[str, str]:
        question = console.question_decisions.find(tx, _ref(request))
        return console.question_decisions.decide(
            tx, question.id, asked.option, by, now(), said=words
        ), question.id

    said, question_id = await console.act(request, story)
    return shapes.Decided(said=said, question=await _shown(console, question_id))


async def change(request: Request, console: Console, *, action: str) -> shapes.Question:
    def story(tx: Tx, by: Actor) -> Question:
        question = console.question_decisions.find(tx, _ref(request))
        return console.question_decisions.acts[action](tx, question.id, by, now())

    changed = await console.act(request, story)
    return await _shown(console, changed.id)


async def conclude(request: Request, console: Console) -> shapes.Question:
    asked = shapes.Conclusion.model_validate_json(await read_body(request))
    ended = dict(asked) | {"status": Status(asked.status)}
    question = await console.conclusions.conclude(_ref(request), await console.actor_of(request), **ended)
    return await _shown(console, question.id)


async def hand_out_document(request: Request, console: Console) -> Response:
    question = await console.store.read(lambda tx: console.question_decisions.find(tx, _ref(request)))
    if question.document is None:
        raise NotFound("no-such-document")
    kept = await asyncio.to_thread(files.open_kept, console.attachments, question.document.kept)
    return files.FileAnswer(kept, question.document)


# Decisions


async def list_decisions(request: Request, console: Console) -> shapes.DecisionPage:
    page = PageOf.model_validate(dict(request.query_params))

    def look(tx: Tx) -> shapes.DecisionPage:
        found = questions.decided(tx, page.limit + 1, page.before and storable(page.before))
        shown = within_bounds(found[: page.limit])
        return shapes.DecisionPage(
            decisions=show_questions(tx, shown, console.locale_of_owner(tx).speaks),
            more=len(found) > len(shown),
        )

    return await console.store.read(look)


async def add_up(request: Request, console: Console) -> shapes.Figures:
    days = shapes.Days.model_validate(dict(request.query_params)).days
    outcomes = await console.store.read(lambda tx: questions.outcomes(tx, now() - timedelta(days=days)))
    return shapes.Figures(
        days=days,
        total=shapes.Figure.of(figure("all", outcomes)),
        by_kind=[shapes.Figure.of(each) for each in figures_by(outcomes, lambda each: each.kind)],
        by_skill=[shapes.Figure.of(each) for each in figures_by(outcomes, lambda each: each.skill or "-")],
    )


# Permits


async def list_permits(_request: Request, console: Console) -> shapes.PermitList:
    found = await console.store.read(lambda tx: permits.valid(tx, now()))
    return shapes.PermitList(permits=[show_permit(each) for each in found])


async def revoke(request: Request, console: Console) -> Accepted:
    permit = storable(request.path_params["permit"])
    await console.act(request, lambda tx, by: revoke_permit(tx, find_permit(tx, permit, now()), by, now()))
    return Accepted(id=permit)


def _ref(request: Request) -> str:
    return storable(request.path_params["question"])


async def _shown(console: Console, ref: str) -> shapes.Question:
    """Find a question by its id, or the end of it."""
    return await console.store.read(
        lambda tx: show_question(
            tx, console.question_decisions.find(tx, ref), console.locale_of_owner(tx).speaks
        )
    )


_ACTIONS = {
    "cancel": "Take a question back; nothing is decided",
    "again": "Ask once more what ran out of time; gives the new question",
}

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
    *(
        Endpoint(
            method="POST",
            path=f"/api/questions/{{question}}/{action}",
            summary=summary,
            answer=partial(change, action=action),
            gives=shapes.Question,
        )
        for action, summary in _ACTIONS.items()
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
