"""When something is to be done about a question: two reminders, and the end of its time."""

from datetime import datetime, timedelta

from nanoclaw.domain.questions import Question

_LAST_CALL = timedelta(minutes=1)


def reminders(asked_at: datetime, deadline: datetime) -> list[datetime]:
    """At two thirds of the time, and a minute before its end unless that comes first."""
    first, last = asked_at + (deadline - asked_at) * 2 / 3, deadline - _LAST_CALL
    return [first, last] if last > first else [first]


def next_moment(question: Question) -> datetime:
    """The next reminder that is not sent yet, else the end."""
    left = reminders(question.created_at, question.deadline_at)[question.reminded :]
    return left[0] if left else question.deadline_at
