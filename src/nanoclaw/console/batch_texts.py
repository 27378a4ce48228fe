"""Endpoints for the texts of a batch: a page of them at a time, and what a person decides about each."""

from collections.abc import Callable
from datetime import datetime
from functools import partial

from starlette.requests import Request

from nanoclaw.console import batch_shapes as shapes
from nanoclaw.console.batch_views import show_texts
from nanoclaw.console.batches import BATCH, found
from nanoclaw.console.body import read_body
from nanoclaw.console.console import Console
from nanoclaw.console.openapi import Endpoint
from nanoclaw.domain.batches import BatchItem
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.people import Actor
from nanoclaw.durable import batch_texts, batches
from nanoclaw.durable.batch_texts import TextFilter
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx

_DIGITS = 6


async def list_texts(request: Request, console: Console) -> shapes.BatchTexts:
    asked = shapes.TextsOf.model_validate(dict(request.query_params))

    def look(tx: Tx) -> shapes.BatchTexts:
        batch, choice = found(tx, request), TextFilter(asked.choice)
        items = batch_texts.page(tx, batch.id, choice, after=asked.after, limit=asked.limit + 1)
        language = console.locale_of_owner(tx).speaks
        return shapes.BatchTexts(
            texts=show_texts(tx, items[: asked.limit], language, html=asked.html),
            more=len(items) > asked.limit,
            count=batch_texts.count(tx, batch.id, choice),
        )

    return await console.store.read(look)


async def get_text(request: Request, console: Console) -> shapes.BatchText:
    def look(tx: Tx) -> shapes.BatchText:
        batch, number = found(tx, request), _number(request)
        item = batches.item(tx, batch.id, number)
        if item is None:
            raise Refused("batch-no-item", number=number)
        return _shown(tx, console, item)

    return await console.store.read(look)


async def decide(request: Request, console: Console, *, action: str) -> shapes.BatchText:
    """Approve, reject, or take the decision back."""
    seen = shapes.SeenText.model_validate_json(await read_body(request) or b"{}").text_sha256

    def story(tx: Tx, by: Actor) -> shapes.BatchText:
        review = console.batches.review
        acts: dict[str, Callable[[Tx, str, int, Actor, datetime], BatchItem]] = {
            "approve": review.approve,
            "reject": review.reject,
            "reopen": review.reopen,
        }
        batch, number = found(tx, request), _number(request)
        review.expect(tx, batch.id, number, seen)
        return _shown(tx, console, acts[action](tx, batch.id, number, by, now()))

    return await console.act(request, story)


async def edit(request: Request, console: Console) -> shapes.BatchText:
    asked = shapes.NewText.model_validate_json(await read_body(request))

    def story(tx: Tx, by: Actor) -> shapes.BatchText:
        batch, number = found(tx, request), _number(request)
        return _shown(tx, console, console.batches.review.edit(tx, batch.id, number, asked.text, by, now()))

    return await console.act(request, story)


async def rewrite(request: Request, console: Console) -> shapes.BatchText:
    asked = shapes.RewriteNote.model_validate_json(await read_body(request) or b"{}")

    def story(tx: Tx, by: Actor) -> shapes.BatchText:
        batch, number = found(tx, request), _number(request)
        item = console.batches.review.regenerate(tx, batch.id, number, asked.note, by, now())
        return _shown(tx, console, item)

    return await console.act(request, story)


async def approve_passed(request: Request, console: Console) -> shapes.Approved:
    def story(tx: Tx, by: Actor) -> shapes.Approved:
        count = console.batches.review.approve_passed(tx, found(tx, request).id, by, now())
        return shapes.Approved(count=count)

    return await console.act(request, story)


def _number(request: Request) -> int:
    written = str(request.path_params["number"])
    if not (written.isascii() and written.isdigit() and len(written) <= _DIGITS):
        raise Refused("batch-bad-number", said=written[:20])
    return int(written)


def _shown(tx: Tx, console: Console, item: BatchItem) -> shapes.BatchText:
    return show_texts(tx, [item], console.locale_of_owner(tx).speaks, html=True)[0]


_TEXT = f"{BATCH}/texts/{{number}}"
_ACTIONS = {
    "approve": "Approve a text",
    "reject": "Reject a text: it is neither scheduled nor saved",
    "reopen": "Take back what was decided about a text",
}

ENDPOINTS = (
    Endpoint(
        method="GET",
        path=f"{BATCH}/texts",
        summary="The texts of a batch in their order, of one kind if wanted; `after` pages on",
        answer=list_texts,
        asks=shapes.TextsOf,
        gives=shapes.BatchTexts,
    ),
    Endpoint(
        method="POST",
        path=f"{BATCH}/approve-passed",
        summary="Approve all texts that passed the check and that nobody has decided about",
        answer=approve_passed,
        gives=shapes.Approved,
    ),
    Endpoint(
        method="GET", path=_TEXT, summary="One text of a batch", answer=get_text, gives=shapes.BatchText
    ),
    Endpoint(
        method="PUT",
        path=_TEXT,
        summary="Reword a text; it counts as approved, and its task sends the new words",
        answer=edit,
        takes=shapes.NewText,
        gives=shapes.BatchText,
    ),
    *(
        Endpoint(
            method="POST",
            path=f"{_TEXT}/{action}",
            summary=summary,
            answer=partial(decide, action=action),
            takes=shapes.SeenText,
            gives=shapes.BatchText,
        )
        for action, summary in _ACTIONS.items()
    ),
    Endpoint(
        method="POST",
        path=f"{_TEXT}/rewrite",
        summary="Have a text written again, with a wish if there is one",
        answer=rewrite,
        takes=shapes.RewriteNote,
        gives=shapes.BatchText,
    ),
)
