"""Endpoints for transfers: sessions that are taken elsewhere. The holder of the token acts as the machine's owner."""

import asyncio

from starlette.requests import Request

from nanoclaw.console import transfer_shapes as shapes
from nanoclaw.console.body import read_body
from nanoclaw.console.console import Console
from nanoclaw.console.openapi import Endpoint
from nanoclaw.console.owner import owner
from nanoclaw.console.transfer_views import show_analysis, show_line, show_transfer
from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.domain.ids import SessionId
from nanoclaw.domain.people import Actor
from nanoclaw.domain.text import storable
from nanoclaw.domain.transfers import Target, Transfer
from nanoclaw.domain.turns import Session
from nanoclaw.durable import analyses, people, sessions, transfers
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.flows.transfers.commands import read_target

_OPEN = {"open": True, "over": False}
_MOST_UNMATCHED = 10  # each comes with the transfers to choose from


async def list_transfers(request: Request, console: Console) -> shapes.TransferList:
    asked = shapes.TransfersOf.model_validate(dict(request.query_params))

    def look(tx: Tx) -> shapes.TransferList:
        found = transfers.latest(
            tx,
            is_open=_OPEN.get(asked.state),
            chat_id=asked.chat,
            before=asked.before,
            limit=asked.limit + 1,
        )
        language = console.locale_of_owner(tx).speaks
        return shapes.TransferList(
            transfers=[show_line(tx, each, language) for each in found[: asked.limit]],
            more=len(found) > asked.limit,
            unmatched=[show_analysis(tx, each, language) for each in analyses.asking(tx, _MOST_UNMATCHED)],
        )

    return await console.store.read(look)


async def start(request: Request, console: Console) -> shapes.Transfer:
    asked = shapes.NewTransfer.model_validate_json(await read_body(request))

    def story(tx: Tx, by: Actor) -> Transfer:
        session = _session(tx, console, asked)
        chat = people.chat(tx, session.chat_id)
        if chat is None:
            raise Refused("transfer-no-session")
        return console.transfers.changes.ask_for(
            tx,
            person=owner(tx),
            rights=by.rights,
            session=session,
            chat=chat,
            thread=session.thread,
            target=_target(asked.target),
            purpose=asked.purpose.strip(),
            language=by.language,
            at=now(),
        )

    return await shown(console, (await console.act(request, story)).id)


async def get_transfer(request: Request, console: Console) -> shapes.Transfer:
    by = await console.actor_of(request)
    return await shown(console, (await console.store.read(lambda tx: found(tx, request, console, by))).id)


async def release(request: Request, console: Console) -> shapes.Transfer:
    asked = shapes.Release.model_validate_json(await read_body(request) or b"{}")

    def story(tx: Tx, by: Actor) -> Transfer:
        transfer = found(tx, request, console, by)
        console.transfers.changes.release(tx, transfer.id, by, now(), seen=asked.content_hash)
        return transfer

    return await shown(console, (await console.act(request, story)).id)


async def pick(request: Request, console: Console) -> shapes.Transfer:
    asked = shapes.PickedFiles.model_validate_json(await read_body(request))

    def story(tx: Tx, by: Actor) -> Transfer:
        transfer = found(tx, request, console, by)
        console.transfers.changes.pick(tx, transfer.id, asked.files, by, now())
        return transfer

    return await shown(console, (await console.act(request, story)).id)


async def cancel(request: Request, console: Console) -> shapes.Transfer:
    def story(tx: Tx, by: Actor) -> Transfer:
        transfer = found(tx, request, console, by)
        console.transfers.changes.cancel(tx, transfer.id, by, now())
        return transfer

    return await shown(console, (await console.act(request, story)).id)


def found(tx: Tx, request: Request, console: Console, by: Actor) -> Transfer:
    """Find a transfer by its id, or the end of it as lists show it."""
    return console.transfers.changes.find(tx, by, storable(request.path_params["transfer"]).strip().lower())


async def shown(console: Console, transfer_id: str) -> shapes.Transfer:
    folder = console.transfers.packages.folder(transfer_id)
    has_package = await asyncio.to_thread(folder.is_dir)

    def look(tx: Tx) -> shapes.Transfer:
        transfer = transfers.get(tx, transfer_id)
        if transfer is None:
            raise NotFound("no-such-transfer", id=transfer_id)
        return show_transfer(tx, transfer, console.locale_of_owner(tx).speaks, has_package=has_package)

    return await console.store.read(look)


def _target(written: str) -> Target:
    target, rest = read_target(written)
    if rest:
        raise Refused("transfer-target", target=written[:40])
    return target


def _session(tx: Tx, console: Console, asked: shapes.NewTransfer) -> Session:
    """A session by its id, otherwise the newest conversation of this chat or of this group."""
    if asked.session:
        known = sessions.known(tx, SessionId(asked.session.strip()))
        if known is None:
            raise NotFound("transfer-unknown-session", id=asked.session[:40])
        return known
    group = console.groups.get(asked.group).name if asked.group else None
    if not asked.chat:
        talked = sessions.last_talked(tx, group=group or console.groups.main().name)
    else:
        named = people.chat(tx, asked.chat)
        chats = [named] if named else people.titled(tx, asked.chat)
        if not chats:
            raise NotFound("transfer-unknown-chat", chat=asked.chat[:80])
        talked = sessions.last_talked(tx, group=group, chats=[each.id for each in chats])
    if talked is None:
        raise Refused("transfer-no-session")
    return talked


TRANSFER = "/api/transfers/{transfer}"

ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/api/transfers",
        summary="Transfers, newest first: `open`, `over`, or `all`; only those of a `chat`; `before` pages back",
        answer=list_transfers,
        asks=shapes.TransfersOf,
        gives=shapes.TransferList,
    ),
    Endpoint(
        method="POST",
        path="/api/transfers",
        summary="Take a conversation elsewhere: it is packed, then someone decides whether it may leave",
        answer=start,
        takes=shapes.NewTransfer,
        gives=shapes.Transfer,
        status=201,
    ),
    Endpoint(
        method="GET",
        path=TRANSFER,
        summary="A transfer: what is in it, what was removed, how far it is, and what came back",
        answer=get_transfer,
        gives=shapes.Transfer,
    ),
    Endpoint(
        method="POST",
        path=f"{TRANSFER}/release",
        summary="Let it leave; with a `content_hash` only if that is still what is packed",
        answer=release,
        takes=shapes.Release,
        gives=shapes.Transfer,
    ),
    Endpoint(
        method="POST",
        path=f"{TRANSFER}/pick",
        summary="Take along files that stay otherwise: it is packed, and asked about, again",
        answer=pick,
        takes=shapes.PickedFiles,
        gives=shapes.Transfer,
    ),
    Endpoint(
        method="POST",
        path=f"{TRANSFER}/cancel",
        summary="Cancel it: nothing leaves any more, and nothing that comes back is taken",
        answer=cancel,
        gives=shapes.Transfer,
    ),
)
