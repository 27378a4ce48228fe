"""The answers about who may speak, and to whom. Whoever holds the token rules as the owner, and it is written down."""

from starlette.requests import Request

from nanoclaw.console import door_shapes as shapes
from nanoclaw.console import keeper as rows
from nanoclaw.console.body import read_body
from nanoclaw.console.desk import Desk
from nanoclaw.console.openapi import Endpoint
from nanoclaw.console.shapes import PageOf
from nanoclaw.domain.errors import NotFound
from nanoclaw.domain.text import storable

# People


async def list_people(_request: Request, desk: Desk) -> shapes.PersonList:
    everyone = await desk.keeper.people()
    return shapes.PersonList(people=[shapes.Person.model_validate(one) for one in everyone])


async def change_person(request: Request, desk: Desk) -> shapes.Person:
    asked = shapes.PersonChange.model_validate_json(await read_body(request))
    person = await _person(request, desk)
    if asked.role is not None:
        await desk.keeper.give_role(person.id, asked.role, asked.group)
    elif asked.blocked is not None:
        await desk.keeper.block(person.id, blocked=asked.blocked)
    return shapes.Person.model_validate(await _person(request, desk))


async def _person(request: Request, desk: Desk) -> rows.PersonRow:
    wanted = storable(request.path_params["person"])
    found = next((one for one in await desk.keeper.people() if one.id == wanted), None)
    if found is None:
        raise NotFound("no-such-person", person=wanted)
    return found


# Chats and agent groups


async def list_chats(_request: Request, desk: Desk) -> shapes.ChatList:
    return shapes.ChatList(chats=[shapes.Chat.model_validate(chat) for chat in await desk.keeper.chats()])


async def change_chat(request: Request, desk: Desk) -> shapes.Chat:
    asked = shapes.ChatChange.model_validate_json(await read_body(request))
    chat = await _chat(request, desk)
    await desk.keeper.set_strangers(chat.id, asked.strangers)
    return shapes.Chat.model_validate(await _chat(request, desk))


async def wire(request: Request, desk: Desk) -> shapes.Chat:
    asked = shapes.WiringChange.model_validate_json(await read_body(request) or b"{}")
    chat = await _chat(request, desk)
    await desk.keeper.wire(chat.id, _group(request), rows.WiringChange(**asked.model_dump()))
    return shapes.Chat.model_validate(await _chat(request, desk))


async def unwire(request: Request, desk: Desk) -> shapes.Chat:
    chat = await _chat(request, desk)
    await desk.keeper.unwire(chat.id, _group(request))
    return shapes.Chat.model_validate(await _chat(request, desk))


async def _chat(request: Request, desk: Desk) -> rows.ChatRow:
    """By its id alone: another chat may be titled like it."""
    wanted = storable(request.path_params["chat"])
    found = next((chat for chat in await desk.keeper.chats() if chat.id == wanted), None)
    if found is None:
        raise NotFound("no-such-chat", chat=wanted)
    return found


def _group(request: Request) -> str:
    return storable(request.path_params["group"])


async def list_groups(_request: Request, desk: Desk) -> shapes.GroupList:
    return shapes.GroupList(
        groups=[shapes.Group.model_validate(group) for group in await desk.keeper.groups()],
        companies=await desk.keeper.companies(),
    )


async def found_group(request: Request, desk: Desk) -> shapes.Group:
    asked = shapes.NewGroup.model_validate_json(await read_body(request))
    name = await desk.keeper.found_group(asked.name, asked.company)
    made = next(group for group in await desk.keeper.groups() if group.name == name)
    return shapes.Group.model_validate(made)


# Requests, drops, changes


async def list_requests(_request: Request, desk: Desk) -> shapes.RequestList:
    found = await desk.keeper.requests()
    return shapes.RequestList(requests=[shapes.Request.model_validate(each) for each in found])


async def decide(request: Request, desk: Desk) -> shapes.RequestDecided:
    asked = shapes.RequestChoice.model_validate_json(await read_body(request))
    wanted = storable(request.path_params["request"])
    return shapes.RequestDecided(text=await desk.keeper.decide(wanted, asked.choice))


async def list_drops(request: Request, desk: Desk) -> shapes.DropPage:
    page = PageOf.model_validate(dict(request.query_params))
    found = await desk.keeper.drops(page.limit + 1, page.before and storable(page.before))
    items = [shapes.Drop.model_validate(each) for each in found[: page.limit]]
    return shapes.DropPage(items=items, more=len(found) > page.limit)


async def list_audit(request: Request, desk: Desk) -> shapes.AuditPage:
    page = PageOf.model_validate(dict(request.query_params))
    found = await desk.keeper.audit(page.limit + 1, page.before and storable(page.before))
    items = [shapes.AuditEntry.model_validate(each) for each in found[: page.limit]]
    return shapes.AuditPage(items=items, more=len(found) > page.limit)


async def explain(request: Request, desk: Desk) -> shapes.Verdict:
    asked = shapes.Trial.model_validate_json(await read_body(request))
    told = await desk.keeper.explain(
        asked.chat, asked.person, storable(asked.text), addressed=asked.addressed, thread=asked.thread
    )
    return shapes.Verdict.model_validate(told)


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
        answer=explain,
        takes=shapes.Trial,
        gives=shapes.Verdict,
    ),
)
