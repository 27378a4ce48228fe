"""How transfers and analyses are printed on a terminal."""

from nanoclaw.cli.plain_lines import clean, in_bytes, one_line
from nanoclaw.console.transfer_shapes import Analysis, Found, Transfer, TransferLine
from nanoclaw.domain.locale import Locale
from nanoclaw.flows.tasks.task_text import moment
from nanoclaw.texts import say

_INDENT = "    "


def transfer_line(locale: Locale, row: TransferLine) -> str:
    """One line for the list: id, what for, where to, its state, and when."""
    parts = [standing(row, locale), one_line(row.group), moment(row.created_at, locale)]
    return f"{row.short}  {title(row, locale.speaks)}\n{_INDENT}{' · '.join(parts)}"


def title(row: TransferLine, language: str) -> str:
    target = say(language, f"transfers-to-{row.target}")
    return f"{target}: {one_line(row.purpose)}" if row.purpose else target


def standing(row: TransferLine, locale: Locale) -> str:
    state = "asks" if row.asks else "packing" if row.state == "created" and not row.packed_at else row.state
    said = say(locale.speaks, f"transfers-state-{state}", time=moment(row.expires_at, locale))
    return f"{said}: {one_line(row.why)}" if row.why else said


def whole_lines(locale: Locale, row: Transfer) -> list[str]:
    """Everything about one: its state, what is in it, what was removed, and what came back."""
    language = locale.speaks
    return [
        f"{row.id}  {title(row, language)}",
        standing(row, locale),
        say(language, "transfers-asked", name=one_line(row.asked_by), time=moment(row.created_at, locale)),
        say(language, "tasks-where", group=one_line(row.group), chat=one_line(row.chat_title)),
        *_branch(row, language),
        *package_lines(row, language),
        *(line for each in row.analyses for line in ("", *analysis_lines(locale, each))),
    ]


def package_lines(row: Transfer, language: str) -> list[str]:
    """What is in it, and what was removed."""
    if not row.files:
        return []
    sum_of = say(language, "transfers-size", count=len(row.files), size=in_bytes(row.size))
    if row.tokens is not None:
        key = "transfers-tokens-about" if row.is_estimate else "transfers-tokens"
        sum_of = f"{sum_of}, {say(language, key, count=row.tokens)}"
    inside = [f"{_INDENT}{one_line(each.path)}  {in_bytes(each.size)}" for each in row.files]
    removed = [f"{_INDENT}{one_line(each)}" for each in row.removed]
    return [
        sum_of,
        *inside,
        say(language, "transfers-removed" if removed else "transfers-removed-nothing"),
        *removed,
        *_unseen(row, language),
        *_unchosen(row, language),
    ]


def _branch(row: Transfer, language: str) -> list[str]:
    branch = (row.delivered_to or {}).get("branch")
    return [say(language, "transfers-branch", branch=one_line(str(branch)))] if branch else []


def _unseen(row: Transfer, language: str) -> list[str]:
    names = ", ".join(map(one_line, row.unseen))
    return [say(language, "transfer-unseen", count=len(row.unseen), names=names)] if names else []


def _unchosen(row: Transfer, language: str) -> list[str]:
    """What leaves with its secrets, and what stays unless it is picked."""
    lines = []
    if row.secrets:
        names = ", ".join(map(one_line, row.secrets))
        lines.append(say(language, "transfer-secrets-leave", count=len(row.secrets), names=names))
    if row.unchosen:
        lines.append(say(language, "transfer-unchosen", count=len(row.unchosen) + row.unlisted))
    lines += [
        f"{_INDENT}{each.number}. {one_line(each.name)}  {in_bytes(each.size)}: {each.why}"
        for each in row.unchosen
    ]
    if row.unlisted:
        lines.append(f"{_INDENT}{say(language, 'transfer-unlisted', count=row.unlisted)}")
    if row.unchosen and row.asks:
        lines.append(say(language, "transfers-pick-how", id=row.short, number=row.unchosen[0].number))
    return lines


def analysis_lines(locale: Locale, row: Analysis) -> list[str]:
    """What was found in it, each finding with its source."""
    language = locale.speaks
    lines = [
        f"{row.id}  {one_line(row.file_name)}",
        say(
            language,
            "transfers-brought",
            state=analysis_standing(row, language),
            name=one_line(row.brought_by),
            time=moment(row.created_at, locale),
        ),
    ]
    if row.facts:
        lines += [say(language, "transfers-facts"), *(_found("•", each) for each in row.facts)]
    if row.decisions:
        lines.append(say(language, "transfers-decisions"))
        for each in row.decisions:
            mark = {True: "✓", False: "✗", None: "?"}[each.adopted]
            lines.append(_found(f"{mark} {each.number}.", each, each.rationale))
    if row.context_changes:
        lines.append(say(language, "transfers-changes"))
        lines += [_found(f"• {one_line(each.file)}:", each) for each in row.context_changes]
    if row.next_step:
        lines.append(say(language, "transfers-next", step=one_line(row.next_step)))
    return lines


def analysis_standing(row: Analysis, language: str) -> str:
    said = say(language, f"transfers-analysis-{row.state}")
    return f"{said}: {one_line(row.why).rstrip('.')}" if row.why else said


def choice_lines(locale: Locale, row: Analysis) -> list[str]:
    """The transfers to choose from."""
    return [say(locale.speaks, "transfers-which"), *(transfer_line(locale, each) for each in row.choices)]


def _found(mark: str, entry: Found, rationale: str = "") -> str:
    text = " ".join(clean(entry.text, longest=None))
    lines = [f"{_INDENT}{mark} {text}"]
    lines += [f"{_INDENT}{_INDENT}{one_line(each)}" for each in (rationale,) if each]
    lines += [f"{_INDENT}{_INDENT}↳ {one_line(entry.source)}" for _ in (1,) if entry.source]
    return "\n".join(lines)
