"""When a question needs attention: two reminders, and the end of its time."""

from datetime import datetime, timedelta

from nanoclaw.domain.questions import Question

_LAST_CALL = timedelta(minutes=1)


def reminders(asked_at: datetime, deadline: datetime) -> list[datetime]:
    """At two thirds of the time, and a minute before the end unless that is earlier."""
    first, last = asked_at + (deadline - asked_at) * 2 / 3, deadline - _LAST_CALL
    return [first, last] if last > first else [first]


def next_moment(question: Question) -> datetime:
    """The next unsent reminder, otherwise the deadline."""
    left = reminders(question.created_at, question.deadline_at)[question.reminded :]
    return left[0] if left else question.deadline_at
