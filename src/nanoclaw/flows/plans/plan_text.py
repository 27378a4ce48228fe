"""A plan in words and buttons: its question, its summary, and what is said meanwhile."""

from collections.abc import Iterator, Sequence

from nanoclaw.domain.parcels import PLAN, Button
from nanoclaw.domain.plans import LONGEST_LABEL, LONGEST_QUESTION, Plan, PlanQuestion, PlanState
from nanoclaw.domain.shown_text import shown
from nanoclaw.domain.text import as_written
from nanoclaw.texts import say

ANSWER, TYPE, BACK, CONFIRM, EDIT, EDIT_ONE, CANCEL, KEEP, NEW = (
    "a",
    "t",
    "back",
    "confirm",
    "edit",
    "eq",
    "cancel",
    "keep",
    "new",
)
"""A button's data after `iq:`; answers and edits name their question, counted from 0."""

SUMMED_QUESTION, SUMMED_ANSWER = 100, 160  # characters: fifteen of each fit into one message
_LINE = "━" * 22
_CELLS = 10
_A_ROW, _WIDE = 3, 36  # options, and characters, that a phone shows side by side

Buttons = Sequence[Button]
Card = tuple[str, Buttons]


def card(plan: Plan, *, typing: bool = False) -> Card:
    """What the card shows now; `typing`: they want to answer in their own words."""
    if plan.state is PlanState.GENERATING:
        text, buttons = _thinking(plan), [_button(plan, CANCEL)]
    elif question := plan.asked:
        text, buttons = _question(plan, question, typing=typing), list(_under_question(plan, question))
    else:
        text, buttons = _summary(plan), list(_under_summary(plan))
    if plan.rested_at:
        text += "\n\n" + say(plan.language, "plan-rests")
    return text, buttons


def menu(plan: Plan) -> Card:
    """Every question, as a button that leads to it."""
    lines = [say(plan.language, "plan-edit-head"), _LINE, *_pairs(plan)]
    buttons = [
        _made(f"Q{place + 1} · {cut(question.question, LONGEST_LABEL)}", f"{EDIT_ONE}:{place}", place)
        for place, question in enumerate(plan.questions)
    ]
    last = len(buttons)
    return "\n".join(lines), [*buttons, _button(plan, BACK, last), _button(plan, CANCEL, last)]


def offer(plan: Plan, other: Plan) -> Card:
    """They are already planning something else: ask which plan continues."""
    text = say(plan.language, "plan-which", old=_title(other), new=_title(plan))
    return text, [
        _made(say(plan.language, "plan-keep-old"), KEEP, 0),
        _made(say(plan.language, "plan-take-new"), NEW, 0),
    ]


def waiting(plan: Plan, reason: str) -> Card:
    """Why the next questions do not come yet."""
    return told_of(plan, "plan-waits", reason=as_written(reason)), [_button(plan, CANCEL)]


def answered(plan: Plan, index: int, answer: str) -> str:
    """The card of a question that was answered in words: the next one is below."""
    question = plan.questions[index]
    said = as_written(cut(question.in_words(answer), LONGEST_QUESTION))
    return "\n".join([*_head(plan), "", *_asked(question), "", say(plan.language, "plan-said", answer=said)])


def moved_on(plan: Plan) -> str:
    """An older card of a plan that continues further down."""
    return "\n".join([*_head(plan), "", say(plan.language, "plan-below")])


def told_of(plan: Plan, key: str, **values: object) -> str:
    """The head of the plan with one sentence."""
    return "\n".join([*_head(plan), say(plan.language, key, **values)])


def started(plan: Plan) -> str:
    """The summary once nothing in it can be changed."""
    return _summary(plan)


def bar(number: int, count: int) -> str:
    """`▓▓░░░░░░░░ 25%`."""
    percent = round(100 * number / count)
    full = percent * _CELLS // 100
    return f"{'▓' * full}{'░' * (_CELLS - full)} {percent}%"


def cut(text: str, most: int) -> str:
    """The text on one line, shortened for display; the row has all of it."""
    line = " ".join(shown(text).split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def _thinking(plan: Plan) -> str:
    return told_of(plan, "plan-checking" if plan.questions else "plan-thinking")


def _question(plan: Plan, question: PlanQuestion, *, typing: bool) -> str:
    number, count = plan.current + 1, len(plan.questions)
    progress = say(plan.language, "plan-progress", number=number, count=count, bar=bar(number, count))
    lines = [*_head(plan), progress, "", *_asked(question)]
    if any(len(option.label) > LONGEST_LABEL for option in question.options):
        lines += ["", *(f"• {as_written(cut(each.label, LONGEST_QUESTION))}" for each in question.options)]
    if typing or not question.options:
        lines += ["", say(plan.language, "plan-type-now")]
    return "\n".join(lines)


def _under_question(plan: Plan, question: PlanQuestion) -> Iterator[Button]:
    labels = [cut(option.label, LONGEST_LABEL) for option in question.options]
    in_a_row = len(labels) if len(labels) <= _A_ROW and sum(map(len, labels)) <= _WIDE else 2
    for place, label in enumerate(labels):
        yield _made(label, f"{ANSWER}:{plan.current}:{place}", place // in_a_row)
    below = len(labels)  # rows of options have lower numbers
    if question.allow_free_text and labels:
        yield _made(say(plan.language, "plan-type"), f"{TYPE}:{plan.current}", below)
    yield _button(plan, BACK, below + 1)
    yield _button(plan, CANCEL, below + 1)


def _summary(plan: Plan) -> str:
    language = plan.language
    lines = [say(language, "plan-ready"), _LINE]
    lines += [say(language, "plan-task", task=_title(plan)), "", *_pairs(plan)]
    saved = say(language, "plan-saved", path=plan.path) if plan.path else say(language, "plan-not-saved")
    return "\n".join([*lines, *([""] if plan.questions else []), saved])


def _pairs(plan: Plan) -> Iterator[str]:
    for place, (question, answer) in enumerate(plan.answered, 1):
        asked = as_written(cut(question.question, SUMMED_QUESTION))
        said = as_written(cut(answer, SUMMED_ANSWER))
        yield f"**Q{place}:** {asked} → {said}"


def _under_summary(plan: Plan) -> Iterator[Button]:
    yield _button(plan, CONFIRM)
    yield _button(plan, EDIT) if plan.questions else _button(plan, CANCEL)


def _head(plan: Plan) -> list[str]:
    return [say(plan.language, "plan-head", task=_title(plan)), _LINE]


def _asked(question: PlanQuestion) -> list[str]:
    return [as_written(cut(question.question, LONGEST_QUESTION))]


def _title(plan: Plan) -> str:
    return as_written(cut(plan.task, LONGEST_QUESTION))


def _button(plan: Plan, what: str, row: int = 0) -> Button:
    return _made(say(plan.language, f"plan-button-{what}"), what, row)


def _made(label: str, what: str, row: int) -> Button:
    return Button(label=label, data=f"{PLAN}:{what}", row=row)
