"""A question in the format of the tool `request_human`: parsed, completed, or refused if it is wrong."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from nanoclaw.domain.questions import KINDS, NewQuestion, Option, QuestionKind, Risk, plain_handles
from nanoclaw.domain.text import is_empty
from nanoclaw.domain.tool_arguments import RequestHuman, WantedOption
from nanoclaw.domain.tool_requests import BadToolRequest


def _ours(*options: str, safe: str = "") -> tuple[Option, ...]:
    return tuple(Option(id=each, safe=each == safe, draft=each == safe) for each in options)


LAYOUTS: Mapping[str, tuple[Option, ...]] = {
    "approve_reject": _ours("approve", "reject", safe="reject"),
    "schedule_choice": _ours("now", "tomorrow", "monday", "custom"),
    "quality_gate": _ours("pass", "fix_minor", "rework", "reject", safe="reject"),
    "budget_confirm": _ours("proceed", "adjust", "cancel", safe="cancel"),
}
CANCEL = _ours("cancel", safe="cancel")[0]
"""Added by the host if something is at stake and none of the host's own options cancels it."""
TOOL_LAYOUT = _ours("once", "session", "always", "reject", safe="reject")
"""For a tool that needs permission."""
LATER_LAYOUT = _ours("always", "reject", safe="reject")
"""For a command that a task runs by itself, again and again."""

_USUAL_LAYOUT = {QuestionKind.APPROVAL: "approve_reject", QuestionKind.REVIEW: "approve_reject"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Harmless:
    """Options that the owner of a group declares harmless, by id, with the labels they get. In the owner's
    words: the asker could write `Delete all` on a button whose id the owner trusts.
    """

    safe: Mapping[str, str] = field(default_factory=dict)  # destroys nothing
    draft: Mapping[str, str] = field(default_factory=dict)  # publishes nothing

    def mark(self, option: Option) -> Option:
        label = self.safe.get(option.id) or self.draft.get(option.id)
        if label is None:
            return option
        return Option(id=option.id, label=label, safe=option.id in self.safe, draft=option.id in self.draft)


def read_wanted(
    given: RequestHuman, *, usual_timeout: timedelta, harmless: Harmless | None = None
) -> NewQuestion:
    """Raises BadToolRequest with what to change."""
    options = tuple(map(_option, given.options or ()))
    kind = KINDS[given.kind] if given.kind else _guess(options, given.layout)
    options = _with_layout(kind, options, given.layout)
    risk = given.risk or Risk.NORMAL
    prompt = given.question.strip()
    faults = [
        *_faults(kind, options, given),
        *(["`question` is empty."] if is_empty(prompt) else []),
    ]
    if faults:
        raise BadToolRequest("The question was not asked. " + " ".join(faults))
    options = _with_cancel(tuple(map((harmless or Harmless()).mark, options)), risk)
    return NewQuestion(
        kind=kind,
        prompt=prompt,
        options=options,
        timeout=timedelta(minutes=given.timeout_minutes) if given.timeout_minutes else usual_timeout,
        default=_default(options, risk, given),
        risk=risk,
        context=None if given.context == "" else given.context,
        document=given.document,
        deciders=plain_handles(given.deciders or ()),
        votes=given.votes,
        skill=given.skill or "",
    )


def _option(given: WantedOption) -> Option:
    return Option(
        id=given.id.strip(), label=given.label.strip(), description=(given.description or "").strip()
    )


def _guess(options: Sequence[Option], layout: str | None) -> QuestionKind:
    return QuestionKind.CHOICE if options and not layout else QuestionKind.APPROVAL


def _with_layout(kind: QuestionKind, options: tuple[Option, ...], layout: str | None) -> tuple[Option, ...]:
    """The request's options, otherwise the layout's; in a schedule they replace only the times."""
    if layout == "schedule_choice" and options:
        now, *_, custom = LAYOUTS[layout]
        return (now, *options, custom)
    if options:
        return options
    chosen = layout or _USUAL_LAYOUT.get(kind)
    return LAYOUTS[chosen] if chosen else ()


def _with_cancel(options: tuple[Option, ...], risk: Risk) -> tuple[Option, ...]:
    """Risky questions can always be cancelled, by the host's own option and not by one merely labelled so."""
    if risk is Risk.NORMAL or not options or any(each.safe and not each.label for each in options):
        return options
    return (*(each for each in options if each.id != CANCEL.id), CANCEL)


def _faults(kind: QuestionKind, options: Sequence[Option], given: RequestHuman) -> list[str]:
    found = []
    ids, labels = [each.id for each in options], [each.label for each in options if each.label]
    for name, values in (("id", ids), ("label", labels)):
        if doubled := next((each for each in values if values.count(each) > 1), None):
            found.append(f"Two options have the {name} `{doubled}`: give each its own.")
    written = [each.label for each in given.options or ()]
    if any(is_empty(each.id) for each in options) or any(map(is_empty, written)):
        found.append("An option has an empty id or label.")
    if kind is QuestionKind.CHOICE and len(options) < 2:
        found.append("A choice needs at least two `options`.")
    if kind is QuestionKind.REVIEW and not given.document:
        found.append("A review needs `document`: a file below /work.")
    return found


def _default(options: Sequence[Option], risk: Risk, given: RequestHuman) -> str | None:
    """What happens if nobody answers: the named option, otherwise the only harmless one, otherwise nothing."""
    marked = [each.id for each in given.options or () if each.is_default]
    named = given.default_action or (marked[0] if marked else None)
    if len(set(marked)) > 1 or (marked and named != marked[0]):
        raise BadToolRequest(
            "More than one option is the default: name one, by `default_action` or by `is_default`."
        )
    known = {each.id: each for each in options}
    if named is not None and named not in known:
        ids = ", ".join(known) or "none: leave `default_action` out"
        raise BadToolRequest(f"`default_action` is `{named}`, which is no option. The options are: {ids}.")
    harmless = [each.id for each in options if _is_harmless(each, risk)]
    if risk is Risk.NORMAL or not options:
        return named or (harmless[0] if len(harmless) == 1 else None)
    default = named or next(each.id for each in options if each.safe and not each.label)  # the host's own
    if default not in harmless:
        raise BadToolRequest(
            f"When nobody answers a question of the risk `{risk}`, only what surely does no harm may be done: "
            f"{', '.join(f'`{each}`' for each in harmless)}. Leave `default_action` out, or name one of these."
        )
    return default


def _is_harmless(option: Option, risk: Risk) -> bool:
    return option.draft if risk is Risk.PUBLISH else option.safe
