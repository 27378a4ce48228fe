"""Parses what a program of this machine asks people, in the format of `request_human` or `request_session`."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from nanoclaw.context.groups import Group
from nanoclaw.domain.argument_faults import quoted
from nanoclaw.domain.file_protocol import RequestKind
from nanoclaw.domain.ids import SessionId
from nanoclaw.domain.interactive_requests import RequestSession, SessionConfig
from nanoclaw.domain.question_requests import read_wanted
from nanoclaw.domain.questions import NewQuestion
from nanoclaw.domain.tool_arguments import RequestHuman
from nanoclaw.domain.tool_requests import BadToolRequest, read_arguments, understand
from nanoclaw.domain.tools import TOOLS

_OF_SESSIONS = {"id", "group", "question", "session", "deciders", "skill"}


def read_program_request(
    given: Mapping[str, Any], asked_id: str, group: Group, usual_timeout: timedelta
) -> NewQuestion:
    """Raises BadToolRequest."""
    arguments = {key: value for key, value in given.items() if key not in ("id", "group")}
    if "document" in arguments or arguments.get("kind") == "review":
        raise BadToolRequest(
            "A program has no /work, so it cannot ask for a review: put what is to be read into `context` "
            "and ask for an approval or an escalation."
        )
    asking = understand(RequestKind.HITL, asked_id, SessionId(""), arguments)
    return read_wanted(asking.given(RequestHuman), usual_timeout=usual_timeout, harmless=group.harmless)


def read_session_request(given: Mapping[str, Any], session: Mapping[str, Any]) -> RequestSession:
    """`session` describes an interactive session, `question` is its prompt. Raises BadToolRequest."""
    if extra := given.keys() - _OF_SESSIONS:
        raise BadToolRequest(
            f"{quoted(extra)} cannot be said of a session: what it results in is its `outcomeSchema`, and how long it "
            "lasts its `timeout`."
        )
    if unknown := session.keys() - set(SessionConfig.model_fields):
        raise BadToolRequest(
            f"`session` has no {quoted(unknown)}; it may have {', '.join(SessionConfig.model_fields)}."
        )
    arguments = {**session, "prompt": given.get("question")}
    if "deciders" in given:
        arguments["deciders"] = given["deciders"]
    asked = read_arguments(TOOLS["request_session"], arguments)
    if not isinstance(asked, RequestSession):
        raise TypeError("request_session takes other arguments")
    return asked
