"""What owners or deciders must know: posted to the page's first room, and to each person's private chat with a bot."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from nanoclaw.delivery import outbox
from nanoclaw.domain.ids import ChatId
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.parcels import Author, Button
from nanoclaw.domain.people import Person, Role
from nanoclaw.durable import people
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx


@dataclass(frozen=True, kw_only=True, slots=True)
class Alerts:
    """`locale` is for owners who have not chosen a language."""

    locale: Locale

    def post(
        self,
        tx: Tx,
        once: str,
        words: Callable[[str], tuple[str, Sequence[Button]]],
        *,
        to: Sequence[Person] | None = None,
        except_in: ChatId | None = None,
    ) -> None:
        """Post it where owners (or those concerned) look, in each one's language; the same `once` only once."""
        wanted = people.with_role(tx, Role.OWNER) if to is None else to
        for chat_id, language in people.alert_chats(tx, wanted):
            origin = f"{outbox.ALERT} {once} {chat_id}"
            if chat_id == except_in or outbox.posted_for(tx, origin):
                continue
            text, buttons = words(Locale(language=language).or_else(self.locale).speaks)
            outbox.post(
                tx,
                chat_id=chat_id,
                thread=None,
                author=Author.HOST,
                text=text,
                at=now(),
                buttons=buttons,
                origin=origin,
            )
