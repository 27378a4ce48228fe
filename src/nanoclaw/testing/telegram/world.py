"""Everything Telegram knows in one test: its bots, people, chats, files, and how much everyone has sent."""

from collections.abc import Callable, Sequence

from nanoclaw.testing.telegram.accounts import Bot
from nanoclaw.testing.telegram.chats import Chat, PrivateChat
from nanoclaw.testing.telegram.files import FileStore, Sizes
from nanoclaw.testing.telegram.flood import FloodControl
from nanoclaw.testing.telegram.form import Form
from nanoclaw.testing.telegram.groups import Channel, Group
from nanoclaw.testing.telegram.messages import Memory
from nanoclaw.testing.telegram.people import Person, Surroundings
from nanoclaw.testing.telegram.presses import Presses
from nanoclaw.testing.telegram.refusals import Refusal

_FIRST_BOT = 6_000_000_000  # ids of accounts do not fit in 32 bits any more
_FIRST_PERSON = 7_000_000_000


class World:
    def __init__(self, *, clock: Callable[[], float], sizes: Sizes, keep: int) -> None:
        self.bots: dict[str, Bot] = {}  # by token
        self.people: list[Person] = []
        self.chats: dict[int, Chat] = {}
        self.flood = FloodControl(clock)
        self.around = Surroundings(
            files=FileStore(sizes), memory=Memory(keep), presses=Presses(clock), private={}
        )

    @property
    def files(self) -> FileStore:
        return self.around.files

    def add_bot(self, username: str, name: str) -> Bot:
        bot = Bot(_FIRST_BOT + len(self.bots) + 1, username, name)
        self.bots[bot.token] = bot
        return bot

    def person(self, name: str, *, username: str, language: str) -> Person:
        number = _FIRST_PERSON + len(self.people) + 1
        person = Person(number, name, self.around, username=username, language=language)
        self.people.append(person)
        return person

    def group(
        self, kind: type[Group], told: dict[str, object], bots: Sequence[Bot], members: Sequence[Person]
    ) -> Group:
        owner = members[0] if members else self.person("Owner", username="", language="")
        group = kind(told, owner, self.around.memory, self.chats)
        for member in members[1:]:
            group.set_status(member, "member")
        for bot in bots:
            group.set_status(bot, "administrator" if kind is Channel else "member")
        return group

    def find_chat(self, bot: Bot, form: Form) -> Chat:
        """The chat that `chat_id` names for this bot, whatever the bot may do there."""
        given = form.text("chat_id")
        if not given:
            raise Refusal("chat_id is empty")
        number = form.number("chat_id")
        chat: Chat | PrivateChat | None = None
        if number is not None:
            chat = self.chats.get(number) or self.around.private.get((bot.id, number))
        elif given.startswith("@"):
            named = (each for each in self.chats.values() if each.told.get("username") == given[1:])
            chat = next(named, None)
        if chat is None:
            raise Refusal("chat not found")
        return chat
