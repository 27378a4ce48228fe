"""Parses what a program of this machine asks people, in the format of the tool `request_human`."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

from nanoclaw.context.groups import Group
from nanoclaw.domain.file_protocol import Kind
from nanoclaw.domain.ids import SessionId
from nanoclaw.domain.question_requests import LAYOUTS, read_wanted
from nanoclaw.domain.questions import Option, QuestionKind, Wanted
from nanoclaw.domain.text import is_empty, storable
from nanoclaw.domain.tool_arguments import RequestHuman
from nanoclaw.domain.tool_requests import BadToolRequest, understand

_MOST_OPTIONS, _LABEL, _ID = 8, 20, 40  # of a session; letters


def read_program_request(
    given: Mapping[str, Any], asked_id: str, group: Group, usual_timeout: timedelta
) -> Wanted:
    """`session` describes an interactive session. Raises BadToolRequest."""
    arguments = {key: value for key, value in given.items() if key not in ("id", "group", "session")}
    if "document" in arguments or arguments.get("kind") == "review":
        raise BadToolRequest(
            "A program has no /work, so it cannot ask for a review: put what is to be read into `context` "
            "and ask for an approval or an escalation."
        )
    asking = understand(Kind.HITL, asked_id, SessionId(""), arguments)
    wanted = read_wanted(asking.given(RequestHuman), usual_timeout=usual_timeout, harmless=group.harmless)
    session = given.get("session")
    return replace(wanted, **_as_session(session)) if session else wanted


def _as_session(config: Mapping[str, Any]) -> dict[str, Any]:
    """The possible outcomes of an interactive session, if it names any; else free text at its end."""
    outcome = config.get("outcomeSchema") or {}
    if not isinstance(outcome, dict):
        raise BadToolRequest("`session.outcomeSchema` must be an object.")
    options = _session_options(outcome.get("options") or [])
    if outcome.get("type") == "approval":
        options = LAYOUTS["approve_reject"]
    return {"kind": QuestionKind.INTERACTIVE, "options": options, "default": None, "config": dict(config)}


def _session_options(given: object) -> tuple[Option, ...]:
    """Each becomes a button, identified by its label."""
    texts = [each for each in given if isinstance(each, str)] if isinstance(given, list) else None
    labels = [storable(each)[:_LABEL] for each in texts or ()]
    if (
        texts != given
        or len(labels) > _MOST_OPTIONS
        or any(map(is_empty, labels))
        or len(set(labels)) < len(labels)
    ):
        raise BadToolRequest(
            f"`session.outcomeSchema.options` must be up to {_MOST_OPTIONS} texts that differ in their first "
            f"{_LABEL} letters."
        )
    return tuple(Option(id=storable(each)[:_ID], label=storable(each)[:_LABEL]) for each in texts or ())
