"""Assembles the story of batches: its vendors, its money, its files, and how often it looks."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache, partial
from typing import Any, Self

from nanoclaw.domain.batches import Batch
from nanoclaw.domain.ids import SessionId, TurnId
from nanoclaw.domain.money import Spender, Usage
from nanoclaw.domain.ports import BatchVendor, Model
from nanoclaw.domain.turns import AnswerCut, Spent, SystemPrompt, TextDelta, TextWritten, TurnRequest
from nanoclaw.durable.store import Tx
from nanoclaw.flows.batch import Batches
from nanoclaw.flows.batches.ends import BatchEnds
from nanoclaw.flows.batches.money import BatchMoney, payer
from nanoclaw.flows.batches.money_questions import MoneyQuestions
from nanoclaw.flows.batches.part_sender import PartSender
from nanoclaw.flows.batches.progress import BatchProgress
from nanoclaw.flows.batches.prompts import prompt_in, request_of
from nanoclaw.flows.batches.requests import RequestFiles
from nanoclaw.flows.batches.results import PartResults
from nanoclaw.flows.batches.topics import Payer
from nanoclaw.flows.batches.unclear import UnclearParts
from nanoclaw.flows.batches.wanted import DEMO
from nanoclaw.gateway.ledger import Ledger
from nanoclaw.gateway.message_batches import MOST_BYTES, MOST_REQUESTS, MessageBatches
from nanoclaw.gateway.model_calls import Gateway, check_allowed
from nanoclaw.gateway.ordinary_batches import Answered, OrdinaryBatches
from nanoclaw.gateway.prices import split
from nanoclaw.gateway.step_down import NoStepDown
from nanoclaw.host.agents import native_model
from nanoclaw.host.allowed_models import allowed_models
from nanoclaw.host.base import Base
from nanoclaw.host.batch_chat import BatchChat
from nanoclaw.host.keys import ANTHROPIC, Keys
from nanoclaw.host.question_parts import QuestionParts
from nanoclaw.runtimes import demo_batch


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchParts:
    story: Batches
    vendors: "BatchVendors"

    @classmethod
    def of(
        cls,
        base: Base,
        question_parts: QuestionParts,
        keys: Keys,
        ledger: Ledger,
        chat: BatchChat,
        *,
        ask_end: Callable[[Tx, Batch, datetime], None],
        step_down: NoStepDown,
    ) -> Self:
        """`ask_end` asks people what should become of the texts."""
        settings, store = base.settings.batches, base.store
        money = BatchMoney(store=store, ledger=ledger, log=base.home / "data" / "cost_log.jsonl")
        files = RequestFiles(
            store=store,
            folder=base.home / "data" / "batches",
            system=chat.prompts.system,
            make_request=request_of,
            most_requests=MOST_REQUESTS,
            most_bytes=MOST_BYTES,
        )
        unclear = UnclearParts(new_questions=question_parts.new_questions)
        progress = BatchProgress(
            ends=BatchEnds(
                cards=chat.cards,
                money=money,
                ask_end=ask_end,
                pass_to_admin=chat.changes.pass_to_admin,
                take_up_again=chat.changes.take_up_again,
                locale=base.settings.locale,
            ),
            money=money,
            money_questions=MoneyQuestions(
                new_questions=question_parts.new_questions, resolution=question_parts.resolution
            ),
            unclear=unclear,
            first_poll=timedelta(seconds=settings.poll_seconds),
            longest_poll=timedelta(seconds=max(settings.poll_seconds, settings.longest_poll_seconds)),
        )
        vendors = BatchVendors(base, keys, ledger, step_down)
        story = Batches(
            store=store,
            progress=progress,
            topics=chat.topics,
            files=files,
            money=money,
            sending=PartSender(
                store=store,
                files=files,
                unclear=unclear,
                settle=timedelta(seconds=settings.lost_seconds),
            ),
            results=PartResults(store=store, files=files, money=money),
            checking=chat.checking,
            vendor_of=vendors.of,
        )
        return cls(story=story, vendors=vendors)


class BatchVendors:
    """Claude has batches; with all other vendors each text is a call."""

    def __init__(self, base: Base, keys: Keys, ledger: Ledger, step_down: NoStepDown) -> None:
        settings = base.settings
        at_once = settings.batches.at_once
        self._claude = MessageBatches(
            settings.anthropic.base_url, lambda: keys.get(ANTHROPIC), base.engine.liveness.check
        )
        self._demo = OrdinaryBatches(_DemoCalls(settings.demo.pace).ask, at_once=at_once)

        self._allowed = partial(allowed_models, settings, base.groups)

        @cache
        def model() -> Model:
            # With separate outages: a vendor that has had enough of a batch still answers people.
            gateway = Gateway(ledger, step_down=step_down, least_tokens=settings.spending.least_tokens)
            return native_model(gateway, settings, keys, self._allowed)

        self._model = model
        self._ordinary = OrdinaryBatches(_ModelCalls(model, partial(payer, base.store)).ask, at_once=at_once)

    def of(self, batch: Batch) -> BatchVendor:
        """Raises ModelRefused if its model may no longer be called."""
        if batch.model == DEMO:
            return self._demo
        check_allowed(batch.model, self._allowed())
        return self._claude if split(batch.model)[0] in ("", ANTHROPIC) else self._ordinary

    async def close(self) -> None:
        await self._claude.close()
        if self._model.cache_info().currsize:
            await self._model().close()


class _DemoCalls:
    def __init__(self, pace: float) -> None:
        self._pace = pace

    async def ask(self, _batch: Batch, _custom_id: str, params: Mapping[str, Any]) -> Answered:
        await asyncio.sleep(self._pace)
        return Answered(text=demo_batch.write(params), usage=Usage(), micros=0)


class _ModelCalls:
    def __init__(self, model: Callable[[], Model], paid_by: Payer) -> None:
        self._model = model
        self._paid_by = paid_by

    async def ask(self, batch: Batch, custom_id: str, params: Mapping[str, Any]) -> Answered:
        request = _ItemRequest(
            turn_id=TurnId(custom_id),
            session_id=SessionId(""),
            group=batch.group,
            company=batch.company,
            skill=batch.skill,
            model=batch.model,
            system_prompt=SystemPrompt(foundation=params["system"][0]["text"], company="", skill=""),
            history=(),
            prompt=prompt_in(params),
            conversation="",
            flow="I",
            payer=await self._paid_by(batch),
        )
        text, usage, micros, is_cut = "", Usage(), 0, False
        async with aclosing(self._model().stream(request, (), ())) as pieces:
            async for piece in pieces:
                match piece:
                    case TextDelta(text=more):
                        text += more
                    case TextWritten(text=whole):
                        text = whole
                    case Spent(usage=used, micros=paid):
                        usage, micros = usage + used, micros + paid
                    case AnswerCut():
                        is_cut = True
                    case _:
                        pass
        return Answered(text=text, usage=usage, micros=micros, is_cut=is_cut)


@dataclass(frozen=True, kw_only=True, slots=True)
class _ItemRequest(TurnRequest):
    """One text as a turn without a person: its batch pays."""

    payer: Spender

    def spender(self, runtime: str) -> Spender:
        return self.payer
