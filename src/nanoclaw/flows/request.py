"""An agent asks the host for something through a tool: to say something, to send a file, to make a group.

Who asks is known by the session whose folder or runtime it came from. What is done is done once: the request's id goes
into the row that it makes, and a repeat after a crash finds it there.
"""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import structlog

from nanoclaw.context.founding import Founding
from nanoclaw.context.groups import Group, Groups
from nanoclaw.delivery import outbox
from nanoclaw.delivery.rendering import render
from nanoclaw.domain.asking import Asking, Reply
from nanoclaw.domain.errors import BadWorkspace, NotHeard, Refused
from nanoclaw.domain.ids import ChatId, ParcelId, new_id
from nanoclaw.domain.money import Spender
from nanoclaw.domain.parcels import Attachment, Author, Manner, kept_name
from nanoclaw.domain.ports import Mouth
from nanoclaw.domain.text import storable
from nanoclaw.domain.turns import Session
from nanoclaw.durable import sessions, wirings, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.engine import Engine
from nanoclaw.durable.store import Store, Tx
from nanoclaw.flows.background import Background
from nanoclaw.flows.question import Questions
from nanoclaw.flows.sending.copies import CannotSend, Copies
from nanoclaw.flows.tasks.tools import TaskTools
from nanoclaw.texts import tell

log = structlog.get_logger("request")

_NOT_YET = "{tool} is not available on this host. Tell the person, or do it another way."
_DONE = Reply(ok=True, text="Sent.")


class Requests:
    def __init__(
        self,
        *,
        store: Store,
        engine: Engine,
        groups: Groups,
        home: Path,
        copies: Copies,
        questions: Questions,
        tasks: TaskTools,
        background: Background,
        mouth: Mouth | None = None,
    ) -> None:
        self._store = store
        self._engine = engine
        self._groups = groups
        self._home = home
        self._copies = copies
        self._mouth = mouth
        self._tools: dict[str, Callable[[Asking, Session, Group], Awaitable[Reply]]] = {
            "send_message": self._send_message,
            "send_file": self._send_file,
            "register_group": self._register_group,
            "request_human": questions.answer,
            "schedule_task": tasks.schedule,
            "list_tasks": tasks.show,
            "change_task": tasks.change,
            "background_task": background.answer,
        }

    async def answer(self, asking: Asking) -> Reply:
        act = self._tools.get(asking.tool)
        if act is None:
            return Reply(ok=False, text=_NOT_YET.format(tool=asking.tool))
        session = await self._store.read(lambda tx: sessions.get(tx, asking.session_id))
        try:
            group = self._groups.get(session.group)
        except BadWorkspace as error:
            return Reply(ok=False, text=f"Your group cannot be read: {error}")
        return await act(asking, session, group)

    async def _send_message(self, asking: Asking, session: Session, group: Group) -> Reply:
        chats = [ChatId(session.chat_id)]
        target = asking.arguments.get("target_group")
        if target and target != group.name:
            if not group.main:
                return Reply(ok=False, text="Only the main group may write to another group.")
            chats = await self._store.read(lambda tx: wirings.chats_wired_to(tx, target))
            if not chats:
                return Reply(ok=False, text=f"No chat is wired to a group {target}.")
        text = storable(asking.arguments["text"])
        if not asking.arguments.get("voice"):
            return await self._post(asking, session, chats, text)
        return await self._say_aloud(asking, session, group, text)

    async def _say_aloud(self, asking: Asking, session: Session, group: Group, text: str) -> Reply:
        """To the agent's own chat. Without a voice the words arrive as text."""
        here = [ChatId(session.chat_id)]
        if await self._was_done(session, asking):
            return _DONE
        if self._mouth is None:
            await self._post(asking, session, here, text)
            return Reply(ok=True, text="Sent as text: this host has no voice.")
        parcel_id = ParcelId(new_id("o"))
        kept = self._copies.folder / parcel_id
        kept.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        spender = Spender(
            company=group.company, group=group.name, session_id=session.id, turn_id="", runtime="voice"
        )
        try:
            await self._mouth.speak(render(text).text, kept, language=group.locale.language, spender=spender)
        except NotHeard as error:
            kept.unlink(missing_ok=True)
            await self._post(asking, session, here, text)
            return Reply(ok=True, text=f"Sent as text: {error}.")
        voice = Attachment(
            name="voice.ogg",
            media_type="audio/ogg",
            size=kept.stat().st_size,
            kept=parcel_id,
            manner=Manner.VOICE,
        )
        return await self._post(asking, session, here, text, parcel_id=parcel_id, attachments=(voice,))

    async def _send_file(self, asking: Asking, session: Session, group: Group) -> Reply:
        """The bytes are copied out now: what the person gets is what the files were when they were sent."""
        given = asking.arguments
        if ("path" in given) == ("paths" in given):
            return Reply(ok=False, text="Give either `path` or `paths`.")
        paths = given.get("paths") or [given["path"]]
        if await self._was_done(session, asking):
            return _DONE  # a second copy would belong to no parcel
        parcel_id = ParcelId(new_id("o"))
        manner = Manner.VOICE if given.get("voice") else Manner.FITTING
        attachments: list[Attachment] = []
        try:
            for index, path in enumerate(paths):
                attachments.append(
                    await self._copies.keep(path, session.id, group.name, kept_name(parcel_id, index), manner)
                )
        except CannotSend as refusal:
            for kept in attachments:
                (self._copies.folder / kept.kept).unlink()
            return Reply(ok=False, text=str(refusal))
        caption = storable(given.get("caption", ""))
        here = [ChatId(session.chat_id)]
        return await self._post(asking, session, here, caption, parcel_id=parcel_id, attachments=attachments)

    async def _was_done(self, session: Session, asking: Asking) -> bool:
        return await self._store.read(lambda tx: outbox.posted_for(tx, _origin(session, asking)))

    async def _register_group(self, asking: Asking, _session: Session, group: Group) -> Reply:
        if not group.main:
            return Reply(ok=False, text="Only the main group may make groups.")
        name, company = asking.arguments["name"], asking.arguments.get("company") or group.company
        founding = Founding(self._home)
        if company not in founding.companies():
            return Reply(ok=False, text=f"There is no company {company}.")
        if name in self._groups.names():
            return Reply(ok=True, text=f"There is a group {name} already.")
        try:
            founding.found(founding.folder_for(name), company)
        except (Refused, BadWorkspace) as error:
            return Reply(ok=False, text=tell("en", error))
        log.info("group made by an agent", group=name, by=group.name)
        return Reply(ok=True, text=f"The group {name} is made. A person can wire a chat to it.")

    async def _post(
        self,
        asking: Asking,
        session: Session,
        chats: list[ChatId],
        text: str,
        *,
        parcel_id: ParcelId | None = None,
        attachments: Sequence[Attachment] = (),
    ) -> Reply:
        def story(tx: Tx) -> None:
            for place, chat_id in enumerate(chats):
                origin = _origin(session, asking, place)
                if not outbox.posted_for(tx, origin):
                    outbox.post(
                        tx,
                        chat_id=chat_id,
                        thread=session.thread if chat_id == session.chat_id else None,
                        author=Author.AGENT,
                        text=text,
                        at=now(),
                        parcel_id=parcel_id,
                        attachments=attachments,
                        origin=origin,
                    )

        await self._store.write(story)
        for chat_id in chats:
            self._engine.kick(work.DELIVERY, chat_id)
        return _DONE


def _origin(session: Session, asking: Asking, place: int = 0) -> str:
    return f"{session.id} {asking.id} {place}"
