"""What is wrong with a question before it is asked, in command-line terms instead of a tool's."""

import re
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from nanoclaw.domain.errors import HostSaid, Refused
from nanoclaw.domain.question_requests import CANCEL, LAYOUTS
from nanoclaw.domain.questions import Risk
from nanoclaw.domain.text import is_empty
from nanoclaw.domain.tools import TOOLS
from nanoclaw.flows.human.card_text import span

_KNOWN: dict[str, Any] = TOOLS["request_human"].schema(main=True)["properties"]
_OPTION: dict[str, Any] = _KNOWN["options"]["items"]["properties"]
_FEWEST = 2
_USUAL = LAYOUTS["approve_reject"]
_SHOWN = 80
_FLAGS = {
    "options": "--options",
    "timeout_minutes": "--timeout",
    "default_action": "--default",
    "context": "--context",
    "risk": "--risk",
    "question": "QUESTION",
    "id": "--id",
    "group": "--group",
}
_FOR_MODELS = re.compile(r"^(?:request_human was not done|The question was not asked)\. ")
_NAME = re.compile(rf"`(?:arguments\.)?({'|'.join(_FLAGS)})\b([^`]*)`")


def check(wanted: dict[str, Any], language: str) -> None:
    """Raises Refused, saying which flag to change."""
    _check_text("question", wanted["question"])
    if is_empty(wanted["question"]):
        raise Refused("ask-question-empty")
    _check_text("context", wanted.get("context", ""))
    if (risk := wanted.get("risk", Risk.NORMAL)) not in _KNOWN["risk"]["enum"]:
        raise Refused("ask-risk-unknown", risk=risk[:_SHOWN], known=", ".join(_KNOWN["risk"]["enum"]))
    _check_timeout(wanted.get("timeout_minutes"), language)
    takes_words = "kind" in wanted
    if "options" in wanted:
        _check_options(wanted["options"], fewest=1 if takes_words else _FEWEST)
    usual = [{"id": each.id, "safe": each.safe} for each in _USUAL]
    _check_default(wanted.get("default_action"), risk, wanted.get("options", [] if takes_words else usual))


def in_flags(error: HostSaid) -> HostSaid:
    """A refusal that was written for an agent, reworded for someone who typed a command."""
    said = _FOR_MODELS.sub("", str(error.values.get("said", "")))
    told = _NAME.sub(lambda found: f"{_FLAGS[found[1]]}{found[2]}", said)
    return HostSaid(error.key, **{**error.values, "said": told})


def _check_text(name: str, text: str) -> None:
    if len(text) > (most := _KNOWN[name]["maxLength"]):
        raise Refused(f"ask-{name}-long", length=len(text), most=most)


def _check_timeout(minutes: int | None, language: str) -> None:
    least, most = _KNOWN["timeout_minutes"]["minimum"], _KNOWN["timeout_minutes"]["maximum"]
    if minutes is not None and not least <= minutes <= most:
        ends = {
            name: span(language, timedelta(minutes=each)) for name, each in (("least", least), ("most", most))
        }
        raise Refused("ask-timeout-range", **ends)


def _check_options(options: Sequence[dict[str, Any]], *, fewest: int) -> None:
    if any(is_empty(each["id"]) for each in options):
        raise Refused("ask-option-empty")
    most = _KNOWN["options"]["maxItems"]
    if not fewest <= len(options) <= most:
        raise Refused("ask-options-count", count=len(options), fewest=fewest, most=most)
    for name in ("id", "label"):
        written = [each[name] for each in options]
        if twice := next((each for each in written if written.count(each) > 1), None):
            raise Refused("ask-option-twice", option=twice[:_SHOWN])
    for each in options:
        for name in ("label", "id"):
            longest = _OPTION[name]["maxLength"]
            if (length := len(each[name])) > longest:
                raise Refused(f"ask-{name}-long", text=each[name][:_SHOWN], length=length, most=longest)


def _check_default(default: str | None, risk: str, options: Sequence[dict[str, Any]]) -> None:
    """A default must do no harm. The host knows which custom options are harmless."""
    called_off = [CANCEL.id] if risk != Risk.NORMAL else []
    known = ", ".join(each["id"] for each in options)
    if default is not None and default not in [*(each["id"] for each in options), *called_off]:
        raise Refused(
            "ask-default-unknown" if options else "ask-default-words", default=default[:_SHOWN], known=known
        )
    harmless = [each["id"] for each in options if each.get("safe")]
    if risk == Risk.NORMAL or not options:
        return
    if default is not None and harmless and default not in harmless:
        raise Refused("ask-default-harm", risk=risk, default=default[:_SHOWN], known=", ".join(harmless))
    if default is not None and default == options[0]["id"]:  # its index is the exit code of a yes
        raise Refused("ask-default-first", risk=risk, default=default[:_SHOWN])
