"""Endpoints for interactive sessions. The holder of the token opens and concludes them as the owner of this
machine.
"""

from starlette.requests import Request

from nanoclaw.console import session_shapes as shapes
from nanoclaw.console.body import read_body
from nanoclaw.console.console import Console
from nanoclaw.console.openapi import Endpoint
from nanoclaw.console.question_views import show_question
from nanoclaw.console.session_views import concluded, outcome_name, show_live, show_sessions
from nanoclaw.domain.errors import NotFound
from nanoclaw.domain.people import Actor
from nanoclaw.domain.questions import Question, QuestionKind, Status
from nanoclaw.domain.text import storable
from nanoclaw.durable import live_sessions, questions
from nanoclaw.durable.clock import now
from nanoclaw.durable.live_sessions import LiveSession
from nanoclaw.durable.store import Tx
from nanoclaw.flows.human.conclusions import wanted_form
from nanoclaw.flows.human.interaction_xml import as_xml


async def list_sessions(request: Request, console: Console) -> shapes.SessionList:
    asked = shapes.SessionsOf.model_validate(dict(request.query_params))

    def look(tx: Tx) -> shapes.SessionList:
        found = questions.interactive(
            tx, asked.limit + 1, before=asked.before, is_open={"open": True, "over": False}.get(asked.state)
        )
        shown = show_sessions(tx, found[: asked.limit], console.locale_of_owner(tx).speaks)
        return shapes.SessionList(sessions=shown, more=len(found) > asked.limit)

    return await console.store.read(look)


async def get_session(request: Request, console: Console) -> shapes.WholeSession:
    await console.conclusions.hear_terminal(await console.store.read(lambda tx: _find(tx, request, console)))
    return await _shown(request, console)


async def open_session(request: Request, console: Console) -> shapes.WholeSession:
    asked = shapes.Opening.model_validate_json(await read_body(request) or b"{}")
    question = await console.store.read(lambda tx: _find(tx, request, console))
    by = await console.actor_of(request)
    await console.sessions.live.open(question.id, by, in_chat=asked.place == "chat")
    return await _shown(request, console)


async def conclude(request: Request, console: Console) -> shapes.WholeSession:
    asked = shapes.SessionConclusion.model_validate_json(await read_body(request))
    question = await console.store.read(lambda tx: _find(tx, request, console))
    await console.conclusions.conclude(
        question.id,
        await console.actor_of(request),
        response=asked.response,
        status=Status(asked.status),
        transcript=asked.transcript,
        error=asked.error,
    )
    return await _shown(request, console)


async def cancel(request: Request, console: Console) -> shapes.WholeSession:
    def story(tx: Tx, by: Actor) -> None:
        console.question_decisions.cancel(tx, _find(tx, request, console).id, by, now())

    await console.act(request, story)
    return await _shown(request, console)


def _find(tx: Tx, request: Request, console: Console) -> Question:
    ref = storable(request.path_params["session"])
    question = console.question_decisions.find(tx, ref)
    if question.kind is not QuestionKind.INTERACTIVE:
        raise NotFound("no-such-session", id=ref)
    return question


async def _shown(request: Request, console: Console) -> shapes.WholeSession:
    def look(tx: Tx) -> tuple[Question, LiveSession, str]:
        question = _find(tx, request, console)
        return question, live_sessions.get(tx, question.id), console.locale_of_owner(tx).speaks

    question, live, language = await console.store.read(look)
    files = await console.sessions.live.files(question.id)
    return shapes.WholeSession(
        question=await console.store.read(lambda tx: show_question(tx, question, language)),
        live=show_live(live, has_terminal=console.sessions.has_terminal(question)),
        outcome=outcome_name(question),
        concluded=concluded(question, language),
        form=wanted_form(question),
        prefill=live.prefill,
        files=[shapes.ChangedFile.of(each) for each in files],
        xml=as_xml(question, live),
    )


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/api/sessions",
        summary="Interactive sessions, newest first: those that are `open`, `over`, or `all`; `before` pages back",
        answer=list_sessions,
        asks=shapes.SessionsOf,
        gives=shapes.SessionList,
    ),
    Endpoint(
        method="GET",
        path="/api/sessions/{session}",
        summary="An interactive session, by its id or the end of it: what is asked, what changed, how to conclude it",
        answer=get_session,
        gives=shapes.WholeSession,
    ),
    Endpoint(
        method="POST",
        path="/api/sessions/{session}/open",
        summary="Open it: its conversation begins, once; then work in its room, or in its terminal",
        answer=open_session,
        takes=shapes.Opening,
        gives=shapes.WholeSession,
    ),
    Endpoint(
        method="POST",
        path="/api/sessions/{session}/conclude",
        summary="Conclude it with a result, which is checked; one that does not fit is refused with the reason",
        answer=conclude,
        takes=shapes.SessionConclusion,
        gives=shapes.WholeSession,
    ),
    Endpoint(
        method="POST",
        path="/api/sessions/{session}/cancel",
        summary="Take the request back; nothing is decided",
        answer=cancel,
        gives=shapes.WholeSession,
    ),
)
