"""Who writes in a run: people alone with the bot, and groups; each message has a number, and a bounded number waits."""

import asyncio
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from tests.chaos.answers import lines_in, question
from tests.chaos.ledger import Called, Ledger, Wrote
from tests.chaos.memory import command
from tests.chaos.pieces import Shown
from tests.chaos.telegram import WatchedTelegram

from nanoclaw.domain.people import Role
from nanoclaw.durable import people, schema
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx, open_store
from nanoclaw.testing.telegram.accounts import Bot
from nanoclaw.testing.telegram.chats import Chat
from nanoclaw.testing.telegram.people import Person

_TOO_LATE = 15.0  # seconds after which nobody waits for an answer before the next message is written
_IN_ONE_CHAT = 2


@dataclass(kw_only=True)
class Talk:
    """A chat of the run, and who writes there."""

    chat: Chat
    writers: Sequence[Person]
    prefix: str = ""
    waiting: dict[int, float] = field(default_factory=dict)  # numbers, since when

    @property
    def id(self) -> str:
        return str(self.chat.id)

    def has_room(self, most: int = _IN_ONE_CHAT) -> bool:
        for number, since in list(self.waiting.items()):
            if time.monotonic() - since > _TOO_LATE:
                del self.waiting[number]
        return len(self.waiting) < most


class Crowd:
    def __init__(
        self, server: WatchedTelegram, ledger: Ledger, *, people: int, groups: int, at_once: int
    ) -> None:
        self.bot: Bot = server.add_bot("helper_bot", name="Helper")
        self.owner = server.person("Olena")
        self._ledger = ledger
        self._at_once = at_once
        self._change = asyncio.Event()
        self._persons = [server.person(f"Person {each}") for each in range(1, people + 1)]
        self.talks = [
            Talk(chat=person.chat_with(self.bot), writers=[person]) for person in (self.owner, *self._persons)
        ]
        for each in range(groups):
            members = [self.owner, *self._persons[each::2][:3]]
            group = server.group(f"Group {each}", self.bot, members=members)
            self.talks.append(Talk(chat=group, writers=members, prefix="@helper_bot "))
        self._of_chat = {talk.id: talk for talk in self.talks}
        server.changed = self._heard

    async def introduce(self, url: str) -> None:
        """The host knows them already: who may speak is not the question of this harness."""
        store = open_store(url)
        schema.upgrade(store)

        def story(tx: Tx) -> None:
            for person in (self.owner, *self._persons):
                role = Role.OWNER if person is self.owner else Role.ADMIN
                handle = f"telegram:{person.id}"
                people.add_person(tx, handle=handle, name=person.name, role=role, at=now())

        await store.write(story)
        store.close()

    async def open_chats(self) -> None:
        """Groups, and the chat of the owner's commands: they belong to the agent when the owner has written."""
        for talk in self.talks:
            if talk.prefix or talk is self.talks[0]:
                await self._write(talk, self.owner, self._next())
                await talk.chat.wait_until(partial(talk.has_room, 1))

    async def write_one(self, dice: random.Random) -> int:
        """As soon as some chat has room."""
        async with asyncio.timeout(600):
            while not (free := self._with_room()):
                self._change.clear()
                # Nobody tells when a message has waited too long to be waited for.
                try:
                    async with asyncio.timeout(1):
                        await self._change.wait()
                except TimeoutError:
                    continue
        talk = dice.choice(free)
        number = self._next()
        await self._write(talk, dice.choice(talk.writers), number)
        return number

    async def ask_to_remember(self, number: int) -> None:
        """In the owner's own chat."""
        self._ledger.memos.append(number)
        await self.owner.says(self.talks[0].chat, command(number))

    async def write_everywhere(self) -> None:
        """The last words of everyone in each chat, when all is well again."""
        for talk in self.talks:
            for person in talk.writers:
                await self._write(talk, person, self._next(), is_last=True)

    def shown(self) -> dict[str, list[Shown]]:
        return {
            talk.id: [
                Shown(id=each.id, text=each.text or each.caption) for each in talk.chat.seen if each.by_bot
            ]
            for talk in self.talks
        }

    def _with_room(self) -> list[Talk]:
        free = [talk for talk in self.talks if talk.has_room()]
        return free if sum(len(talk.waiting) for talk in self.talks) < self._at_once else []

    def _next(self) -> int:
        return len(self._ledger.wrote) + 1

    async def _write(self, talk: Talk, person: Person, number: int, *, is_last: bool = False) -> None:
        talk.waiting[number] = time.monotonic()
        # Written down first: the host may answer before this continues.
        self._ledger.wrote[number] = Wrote(number=number, chat=talk.id, at=time.time(), is_last=is_last)
        await person.says(talk.chat, talk.prefix + question(number))

    def _heard(self, call: Called) -> None:
        talk = self._of_chat.get(call.chat)
        if talk is None:
            return
        for line in lines_in(call.text):
            if line.is_last and line.number in talk.waiting:
                del talk.waiting[line.number]
                self._change.set()
                talk.chat.changed()
