"""Endpoints for who may speak, and to whom. The holder of the token acts as the owner, and it is audited."""

import asyncio

from starlette.requests import Request

from nanoclaw.console import people_shapes as shapes
from nanoclaw.console import people_views as views
from nanoclaw.console.body import read_body
from nanoclaw.console.console import Console
from nanoclaw.console.explanation import explain
from nanoclaw.console.openapi import Endpoint
from nanoclaw.console.shape import PageOf
from nanoclaw.domain.errors import NotFound
from nanoclaw.domain.memory import MemoryMode
from nanoclaw.domain.messages import Chat
from nanoclaw.domain.people import Actor, Person
from nanoclaw.domain.text import storable
from nanoclaw.domain.wirings import UnknownSenders
from nanoclaw.durable import people
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.flows.incoming.access import read_change, read_choice, read_role

# People


async def list_people(_request: Request, console: Console) -> shapes.PersonList:
    return shapes.PersonList(people=await console.store.read(views.show_people))


async def change_person(request: Request, console: Console) -> shapes.Person:
    asked = shapes.PersonChange.model_validate_json(await read_body(request))

    def story(tx: Tx, by: Actor) -> shapes.Person:
        person = _person(tx, request)
        if asked.role is not None:
            role = read_role(asked.role)
            group = console.access.usual_group(role) if asked.group is None else asked.group
            console.access.give_role(tx, by, person, role, group, now())
        else:
            console.access.block(tx, by, person, now(), blocked=bool(asked.blocked))
        return views.show_person(tx, _person(tx, request))

    return await console.act(request, story)


def _person(tx: Tx, request: Request) -> Person:
    wanted = storable(request.path_params["person"])
    found = next((one for one in people.everyone(tx) if one.id == wanted), None)
    if found is None:
        raise NotFound("no-such-person", person=wanted)
    return found


# Chats and agent groups


async def list_chats(_request: Request, console: Console) -> shapes.ChatList:
    return await console.store.read(
        lambda tx: shapes.ChatList(
            chats=views.show_chats(tx, console.groups, console.locale_of_owner(tx).speaks)
        )
    )


async def change_chat(request: Request, console: Console) -> shapes.Chat:
    asked = shapes.ChatChange.model_validate_json(await read_body(request))
    policy = None if asked.strangers is None else read_choice(UnknownSenders, asked.strangers)
    memory = None if asked.memory is None else read_choice(MemoryMode, asked.memory)

    def story(tx: Tx, by: Actor) -> shapes.Chat:
        if policy is not None:
            console.access.set_strangers(tx, by, _chat(tx, request), policy, now())
        if memory is not None:
            console.access.set_memory(tx, by, _chat(tx, request), memory, now())
        return _shown(tx, request, console, by)

    return await console.act(request, story)


async def wire(request: Request, console: Console) -> shapes.Chat:
    asked = shapes.WiringChange.model_validate_json(await read_body(request) or b"{}")
    change = read_change(**dict(asked))

    def story(tx: Tx, by: Actor) -> shapes.Chat:
        console.access.set_wiring(tx, by, _chat(tx, request), _group(request), change, now())
        return _shown(tx, request, console, by)

    return await console.act(request, story)


async def unwire(request: Request, console: Console) -> shapes.Chat:
    def story(tx: Tx, by: Actor) -> shapes.Chat:
        console.access.unwire(tx, by, _chat(tx, request), _group(request), now())
        return _shown(tx, request, console, by)

    return await console.act(request, story)


def _shown(tx: Tx, request: Request, console: Console, by: Actor) -> shapes.Chat:
    return views.show_chat(tx, console.groups, by.language, _chat(tx, request))


def _chat(tx: Tx, request: Request) -> Chat:
    """Find a chat by id only: another may have the same title."""
    wanted = storable(request.path_params["chat"])
    found = people.chat(tx, wanted)
    if found is None:
        raise NotFound("no-such-chat", chat=wanted)
    return found


def _group(request: Request) -> str:
    return storable(request.path_params["group"])


async def list_groups(_request: Request, console: Console) -> shapes.GroupList:
    return shapes.GroupList(
        groups=await console.store.read(lambda tx: views.show_groups(tx, console.groups)),
        companies=await asyncio.to_thread(console.group_creation.companies),
    )


async def found_group(request: Request, console: Console) -> shapes.Group:
    asked = shapes.NewGroup.model_validate_json(await read_body(request))

    def story(tx: Tx, by: Actor) -> shapes.Group:
        name = console.access.found_group(tx, by, asked.name, asked.company, now())
        return next(group for group in views.show_groups(tx, console.groups) if group.name == name)

    return await console.act(request, story)


# Requests, drops, changes


async def list_requests(_request: Request, console: Console) -> shapes.RequestList:
    return await console.store.read(
        lambda tx: shapes.RequestList(
            requests=views.show_requests(tx, console.groups, console.locale_of_owner(tx).speaks)
        )
    )


async def decide(request: Request, console: Console) -> shapes.RequestDecided:
    asked = shapes.RequestChoice.model_validate_json(await read_body(request))
    wanted = storable(request.path_params["request"])

    def story(tx: Tx, by: Actor) -> str:
        found = console.approvals.find(tx, wanted)
        return console.approvals.decide(tx, found.id, asked.choice, by, now()).said

    return shapes.RequestDecided(text=views.plain(await console.act(request, story)))


async def list_drops(request: Request, console: Console) -> shapes.DropPage:
    page = PageOf.model_validate(dict(request.query_params))
    before = page.before and storable(page.before)
    found = await console.store.read(
        lambda tx: views.show_drops(tx, console.locale_of_owner(tx).speaks, page.limit + 1, before)
    )
    return shapes.DropPage(items=found[: page.limit], more=len(found) > page.limit)


async def list_audit(request: Request, console: Console) -> shapes.AuditPage:
    page = PageOf.model_validate(dict(request.query_params))
    before = page.before and storable(page.before)
    found = await console.store.read(
        lambda tx: views.show_audit(tx, console.locale_of_owner(tx), page.limit + 1, before)
    )
    return shapes.AuditPage(items=found[: page.limit], more=len(found) > page.limit)


async def explain_trial(request: Request, console: Console) -> shapes.Verdict:
    trial = shapes.Trial.model_validate_json(await read_body(request))
    return await console.store.read(
        lambda tx: explain(
            tx,
            trial,
            console.locale_of_owner(tx).speaks,
            message_admission=console.message_admission,
            access=console.access,
            skills=console.known_skills.commands().keys(),
        )
    )


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/api/people",
        summary="Everyone who has written or has a role",
        answer=list_people,
        gives=shapes.PersonList,
    ),
    Endpoint(
        method="PATCH",
        path="/api/people/{person}",
        summary="Give a role, take it away, block or unblock: one of them at a time",
        answer=change_person,
        takes=shapes.PersonChange,
        gives=shapes.Person,
    ),
    Endpoint(
        method="GET",
        path="/api/chats",
        summary="The chats of every channel, with their wirings",
        answer=list_chats,
        gives=shapes.ChatList,
    ),
    Endpoint(
        method="PATCH",
        path="/api/chats/{chat}",
        summary="Choose what happens when a stranger writes there",
        answer=change_chat,
        takes=shapes.ChatChange,
        gives=shapes.Chat,
    ),
    Endpoint(
        method="PUT",
        path="/api/chats/{chat}/wirings/{group}",
        summary="Wire a chat to an agent group, or change how it is wired",
        answer=wire,
        takes=shapes.WiringChange,
        gives=shapes.Chat,
    ),
    Endpoint(
        method="DELETE",
        path="/api/chats/{chat}/wirings/{group}",
        summary="Take an agent group out of a chat",
        answer=unwire,
        gives=shapes.Chat,
    ),
    Endpoint(
        method="GET",
        path="/api/groups",
        summary="The agent groups, and the companies that they can work for",
        answer=list_groups,
        gives=shapes.GroupList,
    ),
    Endpoint(
        method="POST",
        path="/api/groups",
        summary="Make an agent group",
        answer=found_group,
        takes=shapes.NewGroup,
        gives=shapes.Group,
        status=201,
    ),
    Endpoint(
        method="GET",
        path="/api/requests",
        summary="Who waits for a decision",
        answer=list_requests,
        gives=shapes.RequestList,
    ),
    Endpoint(
        method="POST",
        path="/api/requests/{request}",
        summary="Decide: one of the choices of the request",
        answer=decide,
        takes=shapes.RequestChoice,
        gives=shapes.RequestDecided,
    ),
    Endpoint(
        method="GET",
        path="/api/drops",
        summary="What was not admitted and why, newest first; `before` and `limit` page back",
        answer=list_drops,
        asks=PageOf,
        gives=shapes.DropPage,
    ),
    Endpoint(
        method="GET",
        path="/api/audit",
        summary="Who changed what, newest first; `before` and `limit` page back",
        answer=list_audit,
        asks=PageOf,
        gives=shapes.AuditPage,
    ),
    Endpoint(
        method="POST",
        path="/api/admission/explain",
        summary="What would become of a message, without doing it",
        answer=explain_trial,
        takes=shapes.Trial,
        gives=shapes.Verdict,
    ),
)
