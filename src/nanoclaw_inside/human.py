"""A script in the box asks people: `human.ask("Deploy?", ["yes", "no"])`, or as a command.

`python3 -m nanoclaw_inside.human "Deploy?" --options yes,no` prints the answer, and its exit code is the position of
the choice, as with `nanoclaw ask` on the host. `human.InteractiveSession` asks for a session with a person.
"""

import argparse
import json
import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from nanoclaw_inside import asking
from nanoclaw_inside.answers import (
    NOT_ASKED,
    Answer,
    Cancelled,
    HumanError,
    NobodyAnswered,
    NotAsked,
    Pending,
)
from nanoclaw_inside.interactive import InteractiveSession as InteractiveSession
from nanoclaw_inside.interactive import SessionFailed as SessionFailed
from nanoclaw_inside.interactive import SessionResult as SessionResult

LAYOUTS = {
    "approve_reject": ("approve", "reject"),
    "schedule_choice": ("now", "tomorrow", "monday", "custom"),
    "quality_gate": ("pass", "fix_minor", "rework", "reject"),
    "budget_confirm": ("proceed", "adjust", "cancel"),
}
"""The choices of each layout, in order, as the host has them."""
_MINUTES = {"s": 1 / 60, "m": 1, "h": 60, "d": 24 * 60}


def ask(
    question: str,
    options: Sequence[str | Mapping[str, Any]] | None = None,
    *,
    kind: str | None = None,
    layout: str | None = None,
    timeout_minutes: int | None = None,
    default_action: str | None = None,
    risk: str | None = None,
    context: str | Mapping[str, Any] | None = None,
    document: str | None = None,
    deciders: Sequence[str] | None = None,
    votes: int | None = None,
) -> Answer:
    """Ask, and wait for the answer. An option is `yes`, `yes=Deploy now`, or an object as `request_human` takes it.

    Raises NotAsked, Pending, NobodyAnswered and Cancelled, which are all HumanErrors.
    """
    wanted = {
        "question": question,
        "options": [_option(each) for each in options] if options else None,
        "kind": kind,
        "layout": layout,
        "timeout_minutes": timeout_minutes,
        "default_action": default_action,
        "risk": risk,
        "context": context,
        "document": document,
        "deciders": list(deciders) if deciders else None,
        "votes": votes,
    }
    said = {name: value for name, value in wanted.items() if value is not None}
    try:
        reply = asking.ask("hitl", "request_human", said, wait=None)
    except OSError as error:
        raise NotAsked(Answer.of({"text": f"The host cannot be asked: {error}."})) from error
    answer = Answer.of(reply)
    if not reply.get("ok"):
        raise NotAsked(answer)
    match answer.status:
        case "completed":
            return answer
        case "timeout" if answer.chosen is not None:
            return answer
        case "timeout":
            raise NobodyAnswered(answer)
        case "pending":
            raise Pending(answer)
        case "cancelled":
            raise Cancelled(answer)
        case _:
            raise HumanError(answer)


def _option(given: str | Mapping[str, Any]) -> Mapping[str, Any]:
    if not isinstance(given, str):
        return given
    key, _, label = map(str.strip, given.partition("="))
    return {"id": key, "label": label or key}


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Exit with our own code: 2 would be the third option."""
        self.print_usage(sys.stderr)
        self.exit(NOT_ASKED, f"{message}\n")


def main(argv: Sequence[str]) -> int:
    """Print only the answer; anything about it goes to stderr."""
    parser = _Parser(prog="python3 -m nanoclaw_inside.human", description=ask.__doc__)
    parser.add_argument("question")
    parser.add_argument("--options", help="yes,no or yes=Deploy now,no=Not yet")
    parser.add_argument("--input", action="store_const", const="input", dest="kind", help="ask for words")
    parser.add_argument("--kind", help="approval, choice, input, review or escalation")
    parser.add_argument("--layout", help=", ".join(LAYOUTS))
    parser.add_argument("--timeout", type=_minutes, dest="timeout_minutes", help="30m, 2h, 1d")
    parser.add_argument("--default", dest="default_action", help="what is done when nobody answers")
    parser.add_argument("--risk", help="normal, publish or destructive")
    parser.add_argument("--context", help="what helps to decide")
    parser.add_argument("--document", help="for review: a file below /work")
    parser.add_argument("--json", action="store_true", help="print all that is known about the answer")
    given = vars(parser.parse_args(argv))
    as_json, options = given.pop("json"), given.pop("options")
    given["options"] = options.split(",") if options else None
    try:
        answer = ask(**given)
        code = _place(answer, given["options"], given["layout"], given["kind"])
    except HumanError as error:
        answer, code = error.answer, error.exit_code
    if as_json:
        print(json.dumps({**vars(answer), "code": code}, ensure_ascii=False))  # noqa: T201
    elif answer:
        print(answer)  # noqa: T201
    if answer.status != "completed":
        print(answer.text, file=sys.stderr)  # noqa: T201
    return code


def _place(answer: Answer, options: Sequence[str] | None, layout: str | None, kind: str | None) -> int:
    """The position of the option among those that people saw; 0 for an answer in words."""
    offered = [each.partition("=")[0].strip() for each in options or ()]
    if layout == "schedule_choice" and offered:
        first, *_, last = LAYOUTS[layout]
        offered = [first, *offered, last]
    usual = "" if kind in ("input", "escalation") else "approve_reject"
    shown = offered or list(LAYOUTS.get(layout or usual, ()))
    return shown.index(answer) if answer in shown else 0


def _minutes(text: str) -> int:
    number, unit = (text[:-1], text[-1]) if text[-1:] in _MINUTES else (text, "m")
    if not number.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no length of time; write it like 30m, 2h or 1d")
    return math.ceil(int(number) * _MINUTES[unit])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
