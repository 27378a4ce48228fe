"""An agent sends messages or files while its turn runs, in its own chat or in those of another group."""

import asyncio
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from nanoclaw.context.groups import Group
from nanoclaw.delivery import outbox
from nanoclaw.delivery.markdown import render
from nanoclaw.domain.errors import NotHeard, Refused
from nanoclaw.domain.ids import ChatId, ParcelId, new_id
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.money import Spender
from nanoclaw.domain.parcels import Attachment, Author, Manner, kept_name
from nanoclaw.domain.ports import TextToSpeech
from nanoclaw.domain.tool_arguments import SendFile, SendMessage
from nanoclaw.domain.tool_requests import ToolReply, ToolRequest
from nanoclaw.domain.turns import Session
from nanoclaw.durable import audit, session_queue, wirings
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx
from nanoclaw.flows.sending.adapted_texts import AdaptedTexts, for_agent, for_people
from nanoclaw.flows.sending.other_groups import actor_of, standing_of
from nanoclaw.flows.sending.quota import Quota
from nanoclaw.sandbox.copies import CannotSend, Copies
from nanoclaw.texts import tell

_DONE = ToolReply(ok=True, text="Sent.")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Draft:
    """What one chat gets."""

    chat_id: ChatId
    id: ParcelId
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Sending:
    """The caller has checked whether the agent may write to another group."""

    store: Store
    copies: Copies
    locale: Locale
    text_to_speech: TextToSpeech | None
    adapted_texts: AdaptedTexts
    quota: Quota = field(default_factory=Quota)

    async def send_message(self, asking: ToolRequest, session: Session, group: Group) -> ToolReply:
        chats = [ChatId(session.chat_id)]
        given, target = asking.given(SendMessage), asking.target_group
        if target and target != group.name:
            chats = await self.store.read(lambda tx: wirings.chats_wired_to(tx, target))
            if not chats:
                return ToolReply(ok=False, text=f"No chat is wired to a group {target}.")
        if await self._was_done(session, asking):
            return _DONE
        if why_not := await self._too_many(session, len(chats)):
            return ToolReply(ok=False, text=why_not)
        drafts = [_Draft(chat_id=chat_id, id=ParcelId(new_id("o"))) for chat_id in chats]
        if given.target:
            return await self._send_adapted(asking, session, group, drafts, given.target)
        if not given.voice:
            return await self._post(asking, session, group, drafts, given.text)
        return await self._say_aloud(asking, session, group, drafts, given.text)

    async def _send_adapted(
        self, asking: ToolRequest, session: Session, group: Group, drafts: list[_Draft], target: str
    ) -> ToolReply:
        """Send a text for a channel, to be read and copied: never spoken."""
        text = asking.given(SendMessage).text
        turn = await self.store.read(lambda tx: session_queue.open_turn(tx, session.id))
        try:
            violations, goes_back = self.adapted_texts.judge(text, target, turn[0] if turn else session.id)
        except Refused as refusal:
            return ToolReply(ok=False, text=tell("en", refusal))
        if goes_back:
            return ToolReply(ok=False, text=for_agent(target, violations))
        if not violations:
            return await self._post(asking, session, group, drafts, text)
        language = group.locale.or_else(self.locale).speaks
        sent = await self._post(
            asking, session, group, drafts, for_people(language, text, target, violations)
        )
        return (
            replace(sent, text="Sent, with a note on the rules that it does not keep.") if sent.ok else sent
        )

    async def _say_aloud(
        self, asking: ToolRequest, session: Session, group: Group, drafts: list[_Draft], text: str
    ) -> ToolReply:
        """Send words as speech; without a voice, as text."""
        if self.text_to_speech is None:
            written = await self._post(asking, session, group, drafts, text)
            return replace(written, text="Sent as text: this host has no voice.") if written.ok else written
        spoken = self.copies.folder / drafts[0].id
        spoken.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        spender = Spender(
            company=group.company,
            group=group.name,
            session_id=session.id,
            turn_id="",
            runtime="voice",
            chain_id=session.chain_id,
            chat_id=session.chat_id,
            task_id=session.task,
        )
        if asking.turn:
            spender = replace(asking.turn.spender("voice"), step=None, step_budget=None)
        try:
            await self.text_to_speech.speak(
                render(text).text, spoken, language=group.locale.language, spender=spender
            )
        except NotHeard as error:
            spoken.unlink(missing_ok=True)
            written = await self._post(asking, session, group, drafts, text)
            return replace(written, text=f"Sent as text: {error}.") if written.ok else written
        for other in drafts[1:]:  # each parcel has its own copy, deleted on delivery
            await asyncio.to_thread(shutil.copyfile, spoken, self.copies.folder / other.id)
        size = spoken.stat().st_size
        voiced = [replace(draft, attachments=(_voice(draft.id, size),)) for draft in drafts]
        return await self._post(asking, session, group, voiced, text)

    async def send_file(self, asking: ToolRequest, session: Session, group: Group) -> ToolReply:
        """Copy the bytes now, so that the person gets the files as they were when they were sent."""
        given = asking.given(SendFile)
        paths = given.paths or [str(given.path)]
        if await self._was_done(session, asking):
            return _DONE  # a second copy would belong to no parcel
        if why_not := await self._too_many(session, len(paths)):
            return ToolReply(ok=False, text=why_not)
        parcel_id = ParcelId(new_id("o"))
        manner = Manner.VOICE if given.voice else Manner.FITTING
        kept: list[Attachment] = []
        try:
            for index, path in enumerate(paths):
                kept.append(
                    await self.copies.keep(path, session.id, group.name, kept_name(parcel_id, index), manner)
                )
        except CannotSend as refusal:
            self._forget(kept)
            return ToolReply(ok=False, text=str(refusal))
        draft = _Draft(chat_id=ChatId(session.chat_id), id=parcel_id, attachments=tuple(kept))
        return await self._post(asking, session, group, [draft], given.caption or "")

    async def _too_many(self, session: Session, count: int) -> str | None:
        turn = await self.store.read(lambda tx: session_queue.open_turn(tx, session.id))
        return self.quota.take(session.id, turn[0] if turn else "", count)

    async def _was_done(self, session: Session, asking: ToolRequest) -> bool:
        return await self.store.read(lambda tx: outbox.posted_for(tx, _origin(session, asking)))

    async def _post(
        self, asking: ToolRequest, session: Session, group: Group, drafts: Sequence[_Draft], text: str
    ) -> ToolReply:
        def story(tx: Tx) -> None:
            at = now()
            for place, draft in enumerate(drafts):
                origin = _origin(session, asking, place)
                if not outbox.posted_for(tx, origin):
                    outbox.post(
                        tx,
                        chat_id=draft.chat_id,
                        thread=session.thread if draft.chat_id == session.chat_id else None,
                        author=Author.AGENT,
                        text=text,
                        at=at,
                        parcel_id=draft.id,
                        attachments=draft.attachments,
                        origin=origin,
                    )
            self._record(tx, asking, session, group, at)

        await self.store.write(story)
        return _DONE

    def _record(self, tx: Tx, asking: ToolRequest, session: Session, group: Group, at: datetime) -> None:
        """Record who had another group written to."""
        target = asking.target_group
        found = standing_of(tx, asking, session, group) if target and target != group.name else None
        if found is not None:
            by = actor_of(*found, self.locale)
            audit.record(tx, by, at, "message-elsewhere", session.id, group=group.name, target=target)

    def _forget(self, kept: Sequence[Attachment]) -> None:
        for each in kept:
            (self.copies.folder / each.kept).unlink(missing_ok=True)


def _voice(kept: str, size: int) -> Attachment:
    return Attachment(name="voice.ogg", media_type="audio/ogg", size=size, kept=kept, manner=Manner.VOICE)


def _origin(session: Session, asking: ToolRequest, place: int = 0) -> str:
    return f"{session.id} {asking.id} {place}"
