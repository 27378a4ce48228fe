"""Fetches the files of a message before its turn and stores them where its agents work; voice is transcribed.

The message keeps its place meanwhile. A file that cannot be fetched does not block it for ever: the agent is
told why.
"""

import asyncio
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import structlog

from nanoclaw.context.groups import Groups
from nanoclaw.domain.boxes import WORK
from nanoclaw.domain.errors import BadWorkspace, NotHeard, SendLater, SendRefused
from nanoclaw.domain.messages import File, FileKind, Message
from nanoclaw.domain.money import Spender
from nanoclaw.domain.news import MessageChanged
from nanoclaw.domain.ports import Channel, SpeechToText
from nanoclaw.domain.text import storable, tidy_file_name
from nanoclaw.domain.turns import Session
from nanoclaw.durable import messages, people, session_queue, work
from nanoclaw.durable.after_commit import announce
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx, insist
from nanoclaw.durable.timeline import Event, note
from nanoclaw.durable.work import Claim
from nanoclaw.flows.human.text_answers import TextAnswers
from nanoclaw.flows.incoming.admission import MessageAdmission
from nanoclaw.sandbox.file_placement import place
from nanoclaw.sandbox.file_writers import FileWriters
from nanoclaw.texts import tell

log = structlog.get_logger("files")

_MEGABYTE = 1 << 20
_TRIES = 5
_FIRST_PAUSE = 2.0
_NOT_CONNECTED = timedelta(minutes=1)
_NO_EARS = "This host cannot turn voice into text: no voice.engine is set."


@dataclass(frozen=True, kw_only=True, slots=True)
class Fetching:
    """The message whose files are wanted, its sender, and where it waits."""

    message: Message
    channel: str
    groups: tuple[str, ...]  # whose files get them
    sessions: tuple[Session, ...]
    heard_by: str | None = None  # the agent group for which voice is transcribed
    handle: str = ""  # of the sender


class Files:
    """The work of kind "files"; its key is the message."""

    kind = work.FILES
    at_once = 8

    def __init__(
        self,
        *,
        store: Store,
        groups: Groups,
        home: Path,
        channels: Mapping[str, Channel],
        speech_to_text: SpeechToText | None,
        most_bytes: int,
        owner_of: Callable[[str], int],
        writers: FileWriters,
        text_answers: TextAnswers,
        message_admission: MessageAdmission,
    ) -> None:
        """`owner_of` gives the user id that a company's boxes run as."""
        self._store = store
        self._groups = groups
        self._home = home
        self._channels = channels
        self._speech_to_text = speech_to_text
        self._most_bytes = most_bytes
        self._owner_of = owner_of
        self._writers = writers
        self._text_answers = text_answers
        self._message_admission = message_admission

    def begin(self, tx: Tx, claim: Claim) -> Fetching | None:
        message = messages.get(tx, claim.key)
        if message is None or message.is_ready:
            return None
        chat = people.chat(tx, message.chat_id)
        waits_in = tuple(session_queue.sessions_of(tx, message.id))
        asked_by = self._text_answers.asked_by(tx, message)
        commanded = (
            None if waits_in or asked_by else self._message_admission.place_for_file(tx, message, now())
        )
        return Fetching(
            message=message,
            channel=chat.channel if chat else "",
            groups=tuple(session.group for session in waits_in) or ((commanded,) if commanded else ()),
            sessions=waits_in,
            heard_by=asked_by or (waits_in[0].group if waits_in else None),
            handle=people.person(tx, message.person_id).handle,
        )

    def look_again(self, key: str) -> None:
        """Nothing to do: pictures that join an album meanwhile are seen in `_settle`."""

    async def run(self, job: Fetching, claim: Claim) -> datetime | None:
        folder = self._home / "data" / "fetched" / job.message.id
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            last = claim.attempt >= _TRIES
            numbered = list(enumerate(job.message.files))
            come = [
                await self._fetched(job, file, folder / str(number), last=last) for number, file in numbered
            ]
            # Fetch all before placing any: after a failure they are fetched again, and would be placed twice.
            fetched = [
                await self._placed(job, file, folder / str(number)) for number, file in enumerate(come)
            ]
            if len(fetched) == 1:
                fetched = [await self._heard(job, fetched[0], folder / "0")]
        except SendLater as later:
            pause = later.after or timedelta(seconds=_FIRST_PAUSE * 2**claim.attempt)
            put_back = partial(work.put_back, claim=claim, at=now() + pause, error=later.key)
            return await self._store.write(put_back)
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        return await insist(
            self._store,
            partial(self._settle, claim=claim, job=job, files=fetched),
            told=lambda why: log.warning("files not recorded yet", reason=why),
        )

    async def _fetched(self, job: Fetching, file: File, target: Path, *, last: bool) -> File:
        """The file if it is, or already was, fetched; otherwise with the reason why not."""
        if file.path or file.missing:
            return file
        if file.size is not None and file.size > self._most_bytes:
            return replace(file, missing=_too_big(file.size, self._most_bytes))
        try:
            channel = self._channels.get(job.channel)
            if channel is None:
                raise SendLater("not-connected", after=_NOT_CONNECTED, channel=job.channel)
            await channel.fetch(file, target, self._most_bytes)
        except SendRefused as refusal:
            return replace(file, missing=tell("en", refusal))
        except SendLater as later:
            if last:
                return replace(file, missing=tell("en", later))
            raise
        return file

    async def _placed(self, job: Fetching, file: File, target: Path) -> File:
        """Put it where each agent finds it, under the same name."""
        if file.path or file.missing:
            return file
        name = tidy_file_name(file.name, f"{file.kind.value}.bin")
        if len(job.groups) > 1:
            name = (
                f"{file.part_of}-{name}"  # the same in every group, though the name may be taken in only one
            )
        try:
            paths = [await self._put(group, target, name, job.sessions) for group in job.groups]
        except (OSError, BadWorkspace) as error:
            log.warning("file not placed", message=job.message.id, reason=error)
            return replace(file, missing=f"It could not be put into {WORK}: {error}")
        size = await asyncio.to_thread(target.stat)
        return replace(file, name=name, path=paths[0] if paths else None, size=size.st_size)

    async def _put(self, name_of_group: str, source: Path, name: str, sessions: Sequence[Session]) -> str:
        group = self._groups.get(name_of_group)
        files = self._home / "groups" / group.name / "files"
        path = await asyncio.to_thread(place, source, files, name, self._owner_of(group.company))
        theirs = [each.id for each in sessions if each.group == group.name]
        await asyncio.to_thread(self._writers.put, group.name, path, theirs)
        return path

    async def _heard(self, job: Fetching, file: File, source: Path) -> File:
        """Turn a voice message into the text of the message, below its caption."""
        if file.kind is not FileKind.VOICE or file.missing or job.heard_by is None:
            return file
        if self._speech_to_text is None:
            return replace(file, missing=_NO_EARS)
        group = self._groups.get(job.heard_by)
        spender = Spender(
            company=group.company,
            group=group.name,
            session_id=job.sessions[0].id if job.sessions else "",
            turn_id="",
            runtime="voice",
            person=job.handle,
            chat_id=job.message.chat_id,
            is_own=True,
        )
        try:
            text = await self._speech_to_text.transcribe(
                source,
                media_type=file.media_type,
                seconds=file.seconds,
                language=None,  # detected: a wrong one would make the engine translate
                spender=spender,
            )
        except NotHeard as error:
            return replace(file, missing=tell("en", error))
        return replace(file, heard=storable(text).strip())

    def _settle(self, tx: Tx, *, claim: Claim, job: Fetching, files: list[File]) -> datetime | None:
        """Make the message ready, unless a picture joined its album meanwhile."""
        message_id = job.message.id
        announce(tx, job.message.chat_id, MessageChanged(message_id))
        stored = messages.get_alone(tx, message_id)
        joined = stored.files[len(files) :] if stored else ()
        messages.put_files(tx, message_id, [*files, *joined], unfetched=bool(joined))
        if joined:
            return work.finish(tx, claim, again_at=now())
        if stored and any(file.heard for file in files):
            spoken = replace(stored, files=tuple(files)).worded(stored.text)
            messages.reword(tx, message_id, spoken)
        missing = [file for file in files if file.missing]
        note(tx, message_id, Event.FETCHED, now(), count=len(files) - len(missing))
        for file in missing:
            note(tx, message_id, Event.NOT_FETCHED, now(), name=file.name, said=file.missing)
        ready = messages.get_alone(tx, message_id)
        if ready and ready.answers:
            self._text_answers.heard(tx, ready, now())
            return work.finish(tx, claim)
        if ready and not job.sessions:
            self._message_admission.resume(tx, ready, now())
        for session in job.sessions:
            work.due(tx, work.TURN, session.id, now(), hasten=False)
        return work.finish(tx, claim)


def _too_big(size: int, most: int) -> str:
    return f"It has {size / _MEGABYTE:.0f} MB; at most {most / _MEGABYTE:.0f} MB are fetched."
