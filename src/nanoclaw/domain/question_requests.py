"""A question as it is asked for in the words of the tool `request_human`: read, completed, refused if it is wrong."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from nanoclaw.domain.asking import Misasked
from nanoclaw.domain.questions import KINDS, Option, QuestionKind, Risk, Wanted
from nanoclaw.domain.text import is_empty, storable

_LONGEST_CONTEXT = 20_000


def _ours(*options: str, safe: str = "") -> tuple[Option, ...]:
    return tuple(Option(id=each, safe=each == safe, draft=each == safe) for each in options)


LAYOUTS: Mapping[str, tuple[Option, ...]] = {
    "approve_reject": _ours("approve", "reject", safe="reject"),
    "schedule_choice": _ours("now", "tomorrow", "monday", "custom"),
    "quality_gate": _ours("pass", "fix_minor", "rework", "reject", safe="reject"),
    "budget_confirm": _ours("proceed", "adjust", "cancel", safe="cancel"),
}
CANCEL = _ours("cancel", safe="cancel")[0]
"""Added by the host wherever something is at stake and no choice of its own calls it off."""
TOOL_LAYOUT = _ours("once", "session", "always", "reject", safe="reject")
"""Of a tool that needs permission."""
LATER_LAYOUT = _ours("always", "reject", safe="reject")
"""Of a command that a task runs by itself, again and again."""

_USUAL_LAYOUT = {QuestionKind.APPROVAL: "approve_reject", QuestionKind.REVIEW: "approve_reject"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Harmless:
    """Options that the owner of a group says do no harm, by their ids, and what each is called then.

    In the owner's words: whoever asks could write `Delete all` on a button whose id the owner trusts.
    """

    safe: Mapping[str, str] = field(default_factory=dict)  # destroys nothing
    draft: Mapping[str, str] = field(default_factory=dict)  # publishes nothing

    def mark(self, option: Option) -> Option:
        label = self.safe.get(option.id) or self.draft.get(option.id)
        if label is None:
            return option
        return Option(id=option.id, label=label, safe=option.id in self.safe, draft=option.id in self.draft)


def read_wanted(
    given: Mapping[str, Any], *, usual_timeout: timedelta, harmless: Harmless | None = None
) -> Wanted:
    """A request in the words of the tool `request_human`, its types checked. Raises Misasked: what to change."""
    options = tuple(map(_option, given.get("options", ())))
    layout = given.get("layout")
    kind = KINDS[given["kind"]] if "kind" in given else _guess(options, layout)
    options = _with_layout(kind, options, layout)
    risk = Risk(given.get("risk", Risk.NORMAL))
    minutes = given.get("timeout_minutes")
    prompt = storable(given["question"]).strip()
    faults = [
        *_faults(kind, options, given),
        *(["`question` is empty."] if is_empty(prompt) else []),
    ]
    if faults:
        raise Misasked("The question was not asked. " + " ".join(faults))
    options = _with_way_out(tuple(map((harmless or Harmless()).mark, options)), risk)
    return Wanted(
        kind=kind,
        prompt=prompt,
        options=options,
        timeout=timedelta(minutes=minutes) if minutes else usual_timeout,
        default=_default(options, risk, given),
        risk=risk,
        context=_context(given.get("context")),
        document=given.get("document"),
        deciders=tuple(map(storable, given.get("deciders", ()))),
        votes=given.get("votes"),
        skill=given.get("skill", ""),
    )


def _option(given: Mapping[str, Any]) -> Option:
    return Option(
        id=storable(given["id"]).strip(),
        label=storable(given["label"]).strip(),
        description=storable(given.get("description", "")).strip(),
    )


def _guess(options: Sequence[Option], layout: str | None) -> QuestionKind:
    return QuestionKind.CHOICE if options and not layout else QuestionKind.APPROVAL


def _with_layout(kind: QuestionKind, options: tuple[Option, ...], layout: str | None) -> tuple[Option, ...]:
    """What is offered: the layout's own choices; those of the request take the place of the times in a schedule."""
    if layout == "schedule_choice" and options:
        now, *_, custom = LAYOUTS[layout]
        return (now, *options, custom)
    if options:
        return options
    chosen = layout or _USUAL_LAYOUT.get(kind)
    return LAYOUTS[chosen] if chosen else ()


def _with_way_out(options: tuple[Option, ...], risk: Risk) -> tuple[Option, ...]:
    """What is at stake can always be called off, by a choice that is the host's own and not what someone calls so."""
    if risk is Risk.NORMAL or not options or any(each.safe and not each.label for each in options):
        return options
    return (*(each for each in options if each.id != CANCEL.id), CANCEL)


def _faults(kind: QuestionKind, options: Sequence[Option], given: Mapping[str, Any]) -> list[str]:
    found = []
    ids, labels = [each.id for each in options], [each.label for each in options if each.label]
    for name, values in (("id", ids), ("label", labels)):
        if doubled := next((each for each in values if values.count(each) > 1), None):
            found.append(f"Two options have the {name} `{doubled}`: give each its own.")
    written = [str(each["label"]) for each in given.get("options", ())]
    if any(is_empty(each.id) for each in options) or any(map(is_empty, written)):
        found.append("An option has an empty id or label.")
    if kind is QuestionKind.CHOICE and len(options) < 2:
        found.append("A choice needs at least two `options`.")
    if kind is QuestionKind.REVIEW and not given.get("document"):
        found.append("A review needs `document`: a file below /work.")
    return found


def _default(options: Sequence[Option], risk: Risk, given: Mapping[str, Any]) -> str | None:
    """What is done when nobody answers: what was named, else the only harmless choice; nothing, if there is none."""
    marked = [each["id"] for each in given.get("options", ()) if each.get("is_default")]
    named = given.get("default_action") or (marked[0] if marked else None)
    if len(set(marked)) > 1 or (marked and named != marked[0]):
        raise Misasked(
            "More than one option is the default: name one, by `default_action` or by `is_default`."
        )
    known = {each.id: each for each in options}
    if named is not None and named not in known:
        ids = ", ".join(known) or "none: leave `default_action` out"
        raise Misasked(f"`default_action` is `{named}`, which is no option. The options are: {ids}.")
    harmless = [each.id for each in options if _is_harmless(each, risk)]
    if risk is Risk.NORMAL or not options:
        return named or (harmless[0] if len(harmless) == 1 else None)
    default = named or next(each.id for each in options if each.safe and not each.label)  # the host's own
    if default not in harmless:
        raise Misasked(
            f"When nobody answers a question of the risk `{risk}`, only what surely does no harm may be done: "
            f"{', '.join(f'`{each}`' for each in harmless)}. Leave `default_action` out, or name one of these."
        )
    return default


def _is_harmless(option: Option, risk: Risk) -> bool:
    return option.draft if risk is Risk.PUBLISH else option.safe


def _context(given: object) -> object:
    if given is None or given == "":
        return None
    try:
        written = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False, allow_nan=False)
    except ValueError as error:
        raise Misasked("`context` holds a number that is none (NaN, Infinity). Leave it out.") from error
    if len(written) > _LONGEST_CONTEXT:
        raise Misasked(
            f"`context` has {len(written)} characters; at most {_LONGEST_CONTEXT} are allowed. "
            "Shorten it, or put it into a file below /work and send a review with `document`."
        )
    return _storable(given)


def _storable(value: object) -> object:
    """Every text in it as a database takes it."""
    match value:
        case str():
            return storable(value)
        case list():
            return [_storable(each) for each in value]
        case dict():
            return {storable(str(key)): _storable(each) for key, each in value.items()}
        case _:
            return value
