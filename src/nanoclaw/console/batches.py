"""Endpoints for batches. Whoever holds the token starts and changes them as the owner of this machine."""

import re
from datetime import time

from starlette.requests import Request

from nanoclaw.console import batch_shapes as shapes
from nanoclaw.console.batch_views import show_batch, show_line
from nanoclaw.console.body import read_body
from nanoclaw.console.console import Console
from nanoclaw.console.openapi import Endpoint
from nanoclaw.console.owner import owner
from nanoclaw.domain.batches import LONGEST_TOPIC, Batch, BatchStatus
from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.domain.money import MICROS
from nanoclaw.domain.people import Actor
from nanoclaw.domain.text import storable
from nanoclaw.durable import batches, people
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.flows.batches.wanted import WantedBatch
from nanoclaw.flows.batches.wish import Wish, expect_count
from nanoclaw.flows.batches.wishes import Where
from nanoclaw.flows.human.card_text import SHORT

_MOST_BYTES = 32 << 20  # of a list of topics
_HOUR = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")


async def list_batches(request: Request, console: Console) -> shapes.BatchList:
    asked = shapes.BatchesOf.model_validate(dict(request.query_params))

    def look(tx: Tx) -> shapes.BatchList:
        statuses = [BatchStatus(asked.status)] if asked.status else []
        found = batches.newest(tx, statuses=statuses, before=asked.before, limit=asked.limit + 1)
        language = console.locale_of_owner(tx).speaks
        shown = [show_line(tx, batch, language) for batch in found[: asked.limit]]
        return shapes.BatchList(batches=shown, more=len(found) > asked.limit)

    return await console.store.read(look)


async def estimate(request: Request, console: Console) -> shapes.BatchCost:
    asked = shapes.NewBatch.model_validate_json(await read_body(request, _MOST_BYTES))

    def look(tx: Tx) -> shapes.BatchCost:
        wanted = _wanted(tx, console, asked, console.actor(tx))
        expected = console.batches.estimates.of(tx, wanted)
        return shapes.BatchCost(
            count=wanted.count,
            cost_usd=(expected.low / MICROS, expected.high / MICROS),
            one_by_one_usd=expected.alone / MICROS,
            reserved_usd=expected.most / MICROS,
            left_usd=expected.left / MICROS if expected.left is not None else None,
            fits=expected.fits,
            model=wanted.model,
            skill=wanted.skill,
            channel=wanted.channel,
            language=wanted.language,
        )

    return await console.store.read(look)


async def start(request: Request, console: Console) -> shapes.Batch:
    asked = shapes.NewBatch.model_validate_json(await read_body(request, _MOST_BYTES))

    def story(tx: Tx, by: Actor) -> shapes.Batch:
        wanted = _wanted(tx, console, asked, by)
        expected = console.batches.estimates.of(tx, wanted)
        if expected.fits < 1:
            raise Refused("batch-no-money", count=wanted.count)
        begin = console.batches.changes.propose if asked.ask else console.batches.changes.start
        return shown(tx, console, begin(tx, wanted, owner(tx), expected.row(), now()))

    return await console.act(request, story)


async def get_batch(request: Request, console: Console) -> shapes.Batch:
    return await console.store.read(lambda tx: shown(tx, console, found(tx, request)))


async def cancel(request: Request, console: Console) -> shapes.Batch:
    def story(tx: Tx, by: Actor) -> shapes.Batch:
        batch = console.batches.changes.cancel(tx, found(tx, request).id, by, now())
        return shown(tx, console, batches.get(tx, batch.id) or batch)

    return await console.act(request, story)


async def resubmit(request: Request, console: Console) -> shapes.Batch:
    asked = shapes.WantedAgain.model_validate_json(await read_body(request) or b"{}")

    def story(tx: Tx, by: Actor) -> shapes.Batch:
        batch = found(tx, request)
        console.batches.changes.resubmit(tx, batch.id, by, now(), asked.items)
        return shown(tx, console, batches.get(tx, batch.id) or batch)

    return await console.act(request, story)


async def schedule(request: Request, console: Console) -> shapes.Scheduled:
    asked = shapes.WantedSchedule.model_validate_json(await read_body(request) or b"{}")
    times = [_hour(each) for each in asked.times]

    def story(tx: Tx, by: Actor) -> shapes.Scheduled:
        batch = found(tx, request)
        group = console.groups.get(batch.group)
        planned = console.batches.schedule.plan(
            tx,
            batch.id,
            by,
            now(),
            first=asked.first,
            times=times,
            weekdays=asked.weekdays,
            chat_id=console.task_creation.chat_for(tx, asked.chat, group) if asked.chat else None,
        )
        after = shown(tx, console, batches.get(tx, batch.id) or batch)
        return shapes.Scheduled(
            count=planned.count, first_at=planned.first, last_at=planned.last, batch=after
        )

    return await console.act(request, story)


async def unschedule(request: Request, console: Console) -> shapes.Batch:
    def story(tx: Tx, by: Actor) -> shapes.Batch:
        batch = found(tx, request)
        console.batches.schedule.take_back(tx, batch.id, by, now())
        return shown(tx, console, batches.get(tx, batch.id) or batch)

    return await console.act(request, story)


async def save(request: Request, console: Console) -> shapes.Batch:
    def story(tx: Tx, by: Actor) -> shapes.Batch:
        batch = console.batches.afterwards.save_files(tx, found(tx, request).id, by, now())
        return shown(tx, console, batch)

    return await console.act(request, story)


async def review_in_chat(request: Request, console: Console) -> shapes.Batch:
    def story(tx: Tx, by: Actor) -> shapes.Batch:
        batch = found(tx, request)
        if not console.batches.afterwards.begin_review(tx, batch.id, by, now()):
            raise Refused("batch-review-none")
        return shown(tx, console, batches.get(tx, batch.id) or batch)

    return await console.act(request, story)


def _wanted(tx: Tx, console: Console, asked: shapes.NewBatch, by: Actor) -> WantedBatch:
    """The order as a command in a chat would give it. Raises Refused."""
    group = console.groups.get(asked.group) if asked.group else console.groups.main()
    chat_id = console.task_creation.chat_for(tx, asked.chat, group)
    chat = people.chat(tx, chat_id)
    topics = _topics(asked.topics or [])
    wish = Wish(
        subject=asked.subject.strip(),
        count=expect_count(asked.count) if asked.count is not None else None,
        skill=asked.skill or None,
        model=(asked.model or "").casefold() or None,
        channel=(asked.channel or "").casefold() or None,
        language=(asked.language or "").casefold() or None,
        least_grade=asked.least_grade,
    )
    where = Where(
        group=group.name, chat_id=chat_id, channel=chat.channel if chat else "", language=by.language
    )
    origin = f"api {asked.id}" if asked.id else None
    return console.batches.wishes.complete(wish, where, topics or None, origin)


def _topics(given: list[str]) -> tuple[str, ...]:
    """The topics without empty ones and exact repeats."""
    topics = tuple(dict.fromkeys(" ".join(each.split()) for each in given if each.strip()))
    if long := next((place for place, each in enumerate(topics, 1) if len(each) > LONGEST_TOPIC), None):
        raise Refused("batch-long-topic", number=long, most=LONGEST_TOPIC)
    if topics:
        expect_count(len(topics))
    return topics


def _hour(written: str) -> time:
    found = _HOUR.fullmatch(written.strip())
    if found is None:
        raise Refused("batch-bad-time", said=written[:20])
    return time(int(found[1]), int(found[2]))


def found(tx: Tx, request: Request) -> Batch:
    """Find a batch by its id, or the end of it as lists show it."""
    ref = storable(request.path_params["batch"]).strip().lower()
    known = batches.get(tx, ref)
    fits = [known] if known else batches.ending(tx, ref) if len(ref) >= SHORT else []
    if len(fits) != 1:
        raise NotFound("batch-unknown", id=ref[:40])
    return fits[0]


def shown(tx: Tx, console: Console, batch: Batch) -> shapes.Batch:
    zone, _ = console.batches.schedule.clock_of(batch)
    return show_batch(tx, batch, console.locale_of_owner(tx).speaks, zone)


BATCH = "/api/batches/{batch}"

ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/api/batches",
        summary="Batches, newest first, in one state if wanted; `before` pages back",
        answer=list_batches,
        asks=shapes.BatchesOf,
        gives=shapes.BatchList,
    ),
    Endpoint(
        method="POST",
        path="/api/batches",
        summary="Start a batch, or have a card ask whether to",
        answer=start,
        takes=shapes.NewBatch,
        gives=shapes.Batch,
        status=201,
    ),
    Endpoint(
        method="POST",
        path="/api/batches/estimate",
        summary="What a batch would cost, beside its texts one by one; nothing is started",
        answer=estimate,
        takes=shapes.NewBatch,
        gives=shapes.BatchCost,
    ),
    Endpoint(
        method="GET",
        path=BATCH,
        summary="A batch with its parts; by its id, or the last five letters of it or more",
        answer=get_batch,
        gives=shapes.Batch,
    ),
    Endpoint(
        method="POST",
        path=f"{BATCH}/cancel",
        summary="Cancel a batch: what is written stays and is paid for, the rest is called back",
        answer=cancel,
        gives=shapes.Batch,
    ),
    Endpoint(
        method="POST",
        path=f"{BATCH}/resubmit",
        summary="Send items again: those named, else all that failed or expired",
        answer=resubmit,
        takes=shapes.WantedAgain,
        gives=shapes.Batch,
    ),
    Endpoint(
        method="POST",
        path=f"{BATCH}/schedule",
        summary="Send its texts one a day, or in another rhythm: a task for each",
        answer=schedule,
        takes=shapes.WantedSchedule,
        gives=shapes.Scheduled,
    ),
    Endpoint(
        method="POST",
        path=f"{BATCH}/unschedule",
        summary="Delete the tasks of all texts that are not sent yet; they can be scheduled anew",
        answer=unschedule,
        gives=shapes.Batch,
    ),
    Endpoint(
        method="POST",
        path=f"{BATCH}/save",
        summary="Write its texts into files of the group",
        answer=save,
        gives=shapes.Batch,
    ),
    Endpoint(
        method="POST",
        path=f"{BATCH}/review",
        summary="Ask about its texts in its chat, card by card",
        answer=review_in_chat,
        gives=shapes.Batch,
    ),
)
