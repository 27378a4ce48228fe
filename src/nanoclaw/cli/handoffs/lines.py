"""How handoffs are printed on a terminal."""

from nanoclaw.cli.plain_lines import clean, one_line
from nanoclaw.console.handoff_shapes import Handoff, WholeHandoff
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.money import MICROS, dollars
from nanoclaw.flows.tasks.task_text import moment
from nanoclaw.texts import say

_INDENT = "    "


def handoff_line(locale: Locale, row: Handoff) -> str:
    """One line for the list: who to whom, how far it is, and what it is about."""
    about = one_line(row.content)[:100]
    return f"{row.id}  {_head(locale, row)}\n{_INDENT}{about}"


def whole_lines(locale: Locale, row: WholeHandoff) -> list[str]:
    language, chain = locale.speaks, row.chain
    said = row.result or row.reason
    return [
        f"{row.id}  {_head(locale, row)}",
        *(f"│ {line}" for line in clean(row.content, longest=None)),
        say(
            language,
            "handoffs-times",
            begun=moment(row.created_at, locale),
            ends=moment(row.expires_at, locale),
        ),
        say(language, "handoffs-for", name=one_line(row.person), chat=one_line(row.chat_title)),
        *(["", say(language, "handoffs-result"), *clean(said, longest=None)] if said else []),
        "",
        say(
            language,
            "handoffs-chain",
            cost=dollars(round(chain.cost_usd * MICROS)),
            count=len(chain.handoffs),
        ),
        *([f"{_INDENT}{one_line(chain.message)}"] if chain.message else []),
        *(f"{_INDENT}{each.step}. {_head(locale, each)}" for each in chain.handoffs),
    ]


def _head(locale: Locale, row: Handoff) -> str:
    state = say(locale.speaks, f"handoffs-{row.state}")
    return f"{one_line(row.from_skill)} → {one_line(row.to_skill)} · {row.type}, {row.way} · {state}"
