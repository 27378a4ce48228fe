"""How questions, decisions, their figures and permits are printed on a terminal."""

import json
from collections.abc import Sequence
from datetime import datetime, timedelta

from wcwidth import wcswidth

from nanoclaw.cli.host_words import without_escapes
from nanoclaw.cli.plain_lines import clean, one_line
from nanoclaw.console.question_shapes import Figure, Figures, Option, Permit, Question
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.questions import PROGRAM, QuestionKind, Risk, Status
from nanoclaw.domain.text import gist
from nanoclaw.flows.human.card_text import clock, span
from nanoclaw.texts import say

_INDENT = "    "
_CONTEXT_LINES = 5
_FEW_SECONDS = 10  # below which tenths are shown
_BAR = 30  # characters of the longest one
_EIGHTHS = " ▏▎▍▌▋▊▉"


def open_lines(locale: Locale, row: Question, at: datetime) -> list[str]:
    """An open question, with its choices, its deadline, and how to decide it."""
    language = locale.speaks
    first, *more = clean(without_escapes(row.question).replace("**", ""))
    # A person who allows a tool must have seen everything it will do.
    shown, most = (clean(row.tool, longest=None), None) if row.tool else (clean(row.context), _CONTEXT_LINES)
    body = [*more, *_quoted(shown[:most])]
    if most and len(shown) > most:
        body.append(say(language, "inbox-context-more", count=len(shown) - _CONTEXT_LINES, id=row.short))
    return [f"{row.short}  {first}", *(_INDENT + line for line in [*body, *_standing(locale, row, at)])]


def _standing(locale: Locale, row: Question, at: datetime) -> list[str]:
    language = locale.speaks
    lines = _choices(row)
    if row.document:
        lines.append(say(language, "inbox-document", name=one_line(row.document)))
    if row.risk != Risk.NORMAL:
        lines.append(say(language, "inbox-risk", risk=row.risk))
    if row.votes_needed > 1:
        given = ", ".join(f"{one_line(vote.name)}: {one_line(vote.option)}" for vote in row.votes)
        lines.append(say(language, "inbox-votes", needed=row.votes_needed, given=given or "–"))
    lines += [_deadline(locale, row, at), _asker(language, row)]
    if not row.may_decide:
        return [*lines, say(language, "inbox-not-yours")]
    if row.options:
        lines.append(say(language, "inbox-how", id=row.short))
    if row.type == QuestionKind.INTERACTIVE:
        lines.append(say(language, "inbox-how-session", id=row.short))
    elif row.takes_words:
        lines.append(say(language, "inbox-how-words", id=row.short))
    return lines


def _choices(row: Question) -> list[str]:
    width = max((wcswidth(option.id) for option in row.options), default=0)
    return [
        f"{place}  {_choice(option, width)}"
        + (f": {one_line(option.description)}" if option.description else "")
        for place, option in enumerate(row.options, 1)
    ]


def _choice(option: Option, width: int) -> str:
    """A label equal to its id is shown once."""
    if option.label == option.id:
        return one_line(option.id)
    return f"{one_line(option.id)}{' ' * (width - wcswidth(option.id))}  {one_line(option.label)}"


def _deadline(locale: Locale, row: Question, at: datetime) -> str:
    language = locale.speaks
    when = {
        "left": span(language, row.deadline_at - at),
        "time": clock(row.deadline_at, locale, asked_at=at),
    }
    if row.default is None:
        return say(language, "inbox-until-nothing", **when)
    return say(language, "inbox-until", default=one_line(row.default_label), **when)


def _asker(language: str, row: Question) -> str:
    if row.execution_id == PROGRAM and not row.asker:
        return say(language, "inbox-asker-program", group=one_line(row.group))
    name = row.skill or row.asker
    who = f"{name} ({row.group})" if name else row.group
    return say(language, "inbox-asker", who=one_line(who))


def decision_line(locale: Locale, row: Question) -> str:
    at = row.resolved_at or row.created_at
    first = clean(gist(row.question))[0]
    return (
        f"{at.astimezone(locale.zone):%Y-%m-%d %H:%M}  {row.short}  {first}\n{_INDENT}{outcome(locale, row)}"
    )


def outcome(locale: Locale, row: Question) -> str:
    language = locale.speaks
    words = " ".join(clean(row.user_input or ""))
    chosen = one_line(row.chosen_label) or _response(row.response)
    values = {
        "label": f"{chosen}: {words}" if words and row.user_input != row.chosen else words or chosen,
        "name": one_line(row.decided_name or ""),
        "via": row.via or "",
        "took": took(language, row.seconds),
        "said": one_line(row.error or ""),
    }
    match Status(row.status):
        case Status.PENDING:
            return say(language, "decision-open")
        case Status.COMPLETED:
            return say(language, "decision-made", **values)
        case Status.TIMEOUT if row.chosen is not None:
            return say(language, "decision-default", **values)
        case Status.TIMEOUT:
            return say(language, "decision-none", **values)
        case Status.CANCELLED:
            return say(language, "decision-cancelled", **values)
        case Status.FAILED:
            return say(language, "decision-failed", **values)


def _response(response: object) -> str:
    """The result of an interactive session, which may be more than a word."""
    return "" if response is None else one_line(json.dumps(response, ensure_ascii=False))


def whole_lines(locale: Locale, row: Question, at: datetime) -> list[str]:
    """Everything about one question: exactly what people were asked, and what came of it."""
    language = locale.speaks
    first, *more = clean(row.question, longest=None)
    payload = json.dumps(json.loads(row.payload), ensure_ascii=False, indent=2, sort_keys=True)
    return [
        f"{row.id}  {first}",
        *more,
        *_quoted(clean(row.tool or row.context, longest=None)),
        say(language, "decision-asked", time=f"{row.created_at.astimezone(locale.zone):%Y-%m-%d %H:%M:%S}"),
        *(
            _standing(locale, row, at)
            if row.status == Status.PENDING
            else [*_choices(row), outcome(locale, row)]
        ),
        say(language, "decision-payload"),
        *clean(payload, longest=None),
        say(language, "decision-hash", hash=row.payload_hash),
    ]


def figure_lines(
    locale: Locale, figures: Figures
) -> tuple[str, Sequence[str], Sequence[Sequence[str]], Sequence[str]]:
    """A sentence, a table's head and rows, and two plots: how fast people decide, and how often nobody does."""
    language = locale.speaks
    total = figures.total
    if not total.asked:
        return say(language, "figures-none", days=figures.days), [], [], []
    head = say(language, "figures-head", days=figures.days, asked=total.asked)
    parts = [
        (say(language, "figures-all"), total),
        *((say(language, "figures-kind", name=one_line(each.name)), each) for each in figures.by_kind),
        *((say(language, "figures-skill", name=one_line(each.name)), each) for each in figures.by_skill),
    ]
    names = [
        say(language, f"figures-column-{name}")
        for name in ("of", "asked", "answered", "rate", "mean", "median")
    ]
    rows = [_figure_cells(language, name, each) for name, each in parts]
    speeds = [
        (name, each.median, took(language, each.median)) for name, each in parts if each.median is not None
    ]
    rates = [(name, each.timeout_rate, _percent(each.timeout_rate)) for name, each in parts]
    plots = [
        *_plot(say(language, "figures-plot-median"), speeds),
        *_plot(say(language, "figures-plot-rate"), rates, most=1.0),
    ]
    return head, names, rows, plots


def _figure_cells(language: str, name: str, row: Figure) -> list[str]:
    return [
        name,
        str(row.asked),
        str(row.answered),
        _percent(row.timeout_rate),
        took(language, row.mean),
        took(language, row.median),
    ]


def _plot(title: str, bars: Sequence[tuple[str, float, str]], most: float = 0) -> list[str]:
    if not bars:
        return []
    width = max(wcswidth(name) for name, _, _ in bars)
    longest = max(most, *(size for _, size, _ in bars)) or 1
    return [
        "",
        title,
        *(
            f"{name}{' ' * (width - wcswidth(name))}  {_bar(size / longest)} {told}"
            for name, size, told in bars
        ),
    ]


def _bar(share: float) -> str:
    eighths = round(share * _BAR * 8)
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def permit_line(locale: Locale, permit: Permit) -> str:
    language = locale.speaks
    until = f"{permit.expires_at.astimezone(locale.zone):%Y-%m-%d %H:%M}" if permit.expires_at else "–"
    return say(
        language,
        "permit-row",
        id=permit.short,
        group=one_line(permit.group),
        tool=one_line(permit.tool),
        what=" ".join(clean(permit.shown)),
        scope=permit.scope,
        name=one_line(permit.granted_name),
        until=until,
    )


def took(language: str, seconds: float | None) -> str:
    if seconds is None:
        return "–"
    if seconds < _FEW_SECONDS:
        return say(language, "span-fraction", count=round(seconds, 1))
    return span(language, timedelta(seconds=seconds))


def _percent(share: float) -> str:
    return f"{share:.0%}"


def _quoted(lines: Sequence[str]) -> list[str]:
    return [f"│ {line}" for line in lines]
