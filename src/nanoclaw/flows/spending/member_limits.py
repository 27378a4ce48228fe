"""What a member may spend without asking: so much a start, so much a day. Beyond it an admin decides.

The day counts what this person's work has cost, what is reserved for its calls, and what their batches and runs under
way may still cost: otherwise ten starts at once would all find the same money. Owners and admins have no such limit.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from nanoclaw.delivery import outbox
from nanoclaw.domain.budgets import Budget, periods
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.ids import ChatId, MessageId
from nanoclaw.domain.money import dollars, dollars_and_cents
from nanoclaw.domain.parcels import Author
from nanoclaw.domain.people import Person, Role
from nanoclaw.domain.text import as_written
from nanoclaw.durable import committed_money, cost_sums, costs, limits, memberships, people
from nanoclaw.durable.costs import NO_HOST
from nanoclaw.durable.limits import Limit
from nanoclaw.durable.store import Tx
from nanoclaw.texts import say


@dataclass(frozen=True, kw_only=True, slots=True)
class BeyondLimit:
    """Why a member's start needs an admin, in micros. `asked` is None if nobody knows what it will cost."""

    name: str
    asked: int | None
    today: int
    start: int
    day: int

    def line(self, language: str) -> str:
        """For the card that an admin decides."""
        return say(
            language,
            "member-limit-asked",
            name=as_written(self.name),
            asked="unknown" if self.asked is None else dollars(self.asked),
            today=dollars(self.today),
            start=dollars_and_cents(self.start),
            day=dollars_and_cents(self.day),
        )

    def refusal(self) -> Refused:
        """For work that has no card of its own: an admin can start it."""
        told = {"today": dollars(self.today), "day": dollars_and_cents(self.day)}
        return Refused("member-limit", start=dollars_and_cents(self.start), **told)


def tell_waiting(
    tx: Tx,
    chat_id: ChatId,
    thread: str | None,
    message_id: MessageId | None,
    beyond: BeyondLimit,
    language: str,
    at: datetime,
) -> None:
    """Tell the member in their chat that an admin is asked."""
    text = say(
        language,
        "member-limit-waits",
        today=dollars(beyond.today),
        start=dollars_and_cents(beyond.start),
        day=dollars_and_cents(beyond.day),
    )
    outbox.post(
        tx, chat_id=chat_id, thread=thread, author=Author.HOST, text=text, at=at, message_id=message_id
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class MemberLimits:
    """In micros. `budgets` gives the company's budget, whose clock says when the day begins."""

    start: int
    day: int
    budgets: Callable[[str], Budget]

    def beyond(
        self, tx: Tx, by: Person, group: str, company: str, asked: int | None, at: datetime
    ) -> BeyondLimit | None:
        """None if they may start it themselves. Others who start in this company wait until the transaction ends."""
        if self.is_free(tx, by, group):
            return None
        costs.lock(tx, company)
        today = self.today(tx, by, company, at)
        if asked is not None and asked <= self.start and today + asked <= self.day:
            return None
        return BeyondLimit(name=by.name, asked=asked, today=today, start=self.start, day=self.day)

    def most_for(self, tx: Tx, by: Person, group: str, company: str, at: datetime) -> int | None:
        """The ceiling for work without an estimate; None for whoever has no such limit. Raises Refused once the day
        is used up.
        """
        if self.is_free(tx, by, group):
            return None
        costs.lock(tx, company)
        today = self.today(tx, by, company, at)
        left = min(self.start, self.day - today)
        if left <= 0:
            raise BeyondLimit(name=by.name, asked=None, today=today, start=self.start, day=self.day).refusal()
        return left

    def is_free(self, tx: Tx, by: Person, group: str) -> bool:
        """Whether this person decides about such money themselves."""
        return memberships.rights_of(tx, by).role_in(group).may(Role.ADMIN)

    def may_decide(self, tx: Tx, handle: str | None, group: str) -> bool:
        """Whether an answer from this person counts as an admin's."""
        person = people.person_named(tx, handle) if handle else None
        return person is not None and self.is_free(tx, person, group)

    def today(self, tx: Tx, by: Person, company: str, at: datetime) -> int:
        """What their work has cost since the day began, and what is set aside or started for it."""
        (begins, _), _ = periods(at, self.budgets(company).zone)
        limit = Limit(
            kind=cost_sums.PERSON, name=by.handle, micros=self.day, error="member-limit", since=begins
        )
        [money] = limits.count(tx, company, [limit], NO_HOST)
        return self.day - money.left + committed_money.of_person(tx, by.id, company)
