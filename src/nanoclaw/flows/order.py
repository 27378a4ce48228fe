"""A person gives the host an order (`/help`, `/why` ...), and the host itself answers, without an agent."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from nanoclaw.admission.commands import COMMANDS, Order
from nanoclaw.context.skills import Shelf
from nanoclaw.domain.locale import Locale, find_zone
from nanoclaw.domain.messages import Message
from nanoclaw.domain.people import Person
from nanoclaw.durable import figures, messages, people, timeline
from nanoclaw.durable.store import Tx
from nanoclaw.durable.why import explain
from nanoclaw.texts import LANGUAGES, say


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """Who gave the order, where and when, and in which language to answer."""

    person: Person
    message: Message
    locale: Locale
    at: datetime


class Orders:
    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._answers: dict[str, Callable[[Tx, str, Asked], str]] = {
            "help": self._help,
            "start": self._start,
            "status": self._status,
            "why": self._why,
            "language": self._language,
            "timezone": self._timezone,
        }

    def obey(self, tx: Tx, order: Order, asked: Asked) -> str:
        """Carry the order out in the transaction of its message; returns what to say."""
        return self._answers[order.name](tx, order.argument, asked)

    def _help(self, _tx: Tx, _argument: str, asked: Asked) -> str:
        language = asked.locale.speaks
        lines = [say(language, "help-head"), ""]
        for command in COMMANDS.values():
            if asked.person.role.may(command.role):
                usage = f" {command.usage}" if command.usage else ""
                meaning = say(language, f"command-{command.name}")
                lines.append(f"- `/{command.name}{usage}` {meaning}")
        skills = {name: skill for name, skill in self._shelf.commands().items() if name not in COMMANDS}
        if skills:
            lines += ["", say(language, "help-skills"), ""]
            lines += [f"- `/{name}` {skill.head.description}" for name, skill in skills.items()]
        return "\n".join([*lines, "", say(language, "help-foot")])

    def _start(self, tx: Tx, argument: str, asked: Asked) -> str:
        head = say(asked.locale.speaks, "start-head", name=asked.person.name)
        return f"{head}\n\n{self._help(tx, argument, asked)}"

    def _status(self, tx: Tx, _argument: str, asked: Asked) -> str:
        found = figures.count(tx)
        return say(
            asked.locale.speaks,
            "order-status",
            running=found.running,
            waiting=found.waiting,
            undelivered=found.undelivered,
            failed=found.failed,
        )

    def _why(self, tx: Tx, argument: str, asked: Asked) -> str:
        """Without an id: the last message of this chat that is not itself such an order."""
        here = asked.message.chat_id
        if argument:
            found = (messages.get(tx, message_id) for message_id in timeline.find(tx, argument))
            fits = (message.id for message in found if message and message.chat_id == here)
            wanted: str | None = next(fits, None)
        else:
            wanted = timeline.last_before(tx, here, asked.message.id)
        told = explain(tx, wanted, asked.locale) if wanted else None
        if told is None:
            return say(asked.locale.speaks, "order-why-none")
        zone = asked.locale.zone
        steps = "\n".join(
            f"- `{step.at.astimezone(zone):%H:%M:%S.%f}`"[:-4] + f"` {step.sentence}" for step in told.steps
        )
        return f"**{told.sentence}** `{told.id}`\n\n{steps}"

    def _language(self, tx: Tx, argument: str, asked: Asked) -> str:
        language = argument.lower()
        if language not in LANGUAGES:
            return say(asked.locale.speaks, "order-language-unknown")
        people.set_preference(tx, asked.person.id, language=language)
        return say(language, "order-language-set")

    def _timezone(self, tx: Tx, argument: str, asked: Asked) -> str:
        language = asked.locale.speaks
        if not argument:
            return say(language, "order-timezone-now", zone=asked.locale.zone.key)
        name = find_zone(argument)
        if name is None:
            return say(language, "order-timezone-unknown", zone=argument[:50])
        people.set_preference(tx, asked.person.id, timezone=name)
        local = asked.at.astimezone(Locale(timezone=name).zone)
        return say(language, "order-timezone-set", zone=name, time=f"{local:%Y-%m-%d %H:%M}")
