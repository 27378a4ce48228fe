"""What a member may spend without asking: so much a start, so much a day. Beyond it an admin decides.

The day counts what this person's work has cost, what is reserved for its calls, and what their work under way may
still cost: otherwise ten starts at once would all find the same money. What has started has a ceiling, which is what
the card showed. Owners and admins have no such limit.
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

_BY_YES = 5_000_000
_TIMES = 2  # what a start may cost, compared with what is expected of it


@dataclass(frozen=True, kw_only=True, slots=True)
class BeyondLimit:
    """Why a member's start needs an admin, in micros. `asked` is None if nobody knows what it will cost."""

    name: str
    asked: int | None
    today: int
    start: int
    day: int
    most: int | None = None  # the ceiling that a yes gives it

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
            most="unknown" if self.most is None else dollars_and_cents(self.most),
        )

    def refusal(self) -> Refused:
        """For work that cannot wait for an admin."""
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
        asked="unknown" if beyond.asked is None else dollars(beyond.asked),
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
        self,
        tx: Tx,
        by: Person,
        group: str,
        company: str,
        asked: int | None,
        at: datetime,
        *,
        most: int | None = None,
    ) -> BeyondLimit | None:
        """None if they may start it themselves. Others who start in this company wait until the transaction ends."""
        if self.is_free(tx, by, group):
            return None
        costs.lock(tx, company)
        today = self.today(tx, by, company, at)
        if asked is not None and asked <= max(0, min(self.start, self.day - today)):
            return None
        return BeyondLimit(name=by.name, asked=asked, today=today, start=self.start, day=self.day, most=most)

    def judge(
        self,
        tx: Tx,
        by: Person,
        group: str,
        company: str,
        expected: int | None,
        at: datetime,
        *,
        own: int | None = None,
    ) -> tuple[int | None, BeyondLimit | None]:
        """The ceiling of a start that is expected to cost at most so much, and why an admin decides about it, if one
        must. `own` is the ceiling that it has anyway.
        """
        if self.is_free(tx, by, group):
            return own, None
        costs.lock(tx, company)
        today = self.today(tx, by, company, at)
        known = [each for each in (expected, own) if each is not None]
        asked, left = min(known, default=None), max(0, min(self.start, self.day - today))
        if asked is not None and asked <= left:
            ceilings = (left, own, _TIMES * expected if expected else None)
            return min(each for each in ceilings if each is not None), None
        most = own if own is not None else _TIMES * asked if asked else self.by_yes
        beyond = BeyondLimit(
            name=by.name, asked=asked, today=today, start=self.start, day=self.day, most=most
        )
        return most, beyond

    def judge_unknown(
        self, tx: Tx, by: Person, group: str, company: str, at: datetime, *, own: int | None = None
    ) -> tuple[int | None, BeyondLimit | None]:
        """The same for the work of an agent, whose cost nobody knows: it may cost what is left for a start. An admin
        decides once nothing is left.
        """
        if self.is_free(tx, by, group):
            return own, None
        costs.lock(tx, company)
        today = self.today(tx, by, company, at)
        left = min(self.start, self.day - today)
        if left > 0:
            return left if own is None else min(left, own), None
        most = self.by_yes if own is None else own
        return most, BeyondLimit(
            name=by.name, asked=None, today=today, start=self.start, day=self.day, most=most
        )

    @property
    def by_yes(self) -> int:
        """The ceiling that an admin's yes gives what nobody can estimate, also where members start nothing alone."""
        return max(self.start, self.day) or _BY_YES

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
