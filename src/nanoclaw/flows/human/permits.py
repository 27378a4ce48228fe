"""Permits: given with a decision, and revoked by those who may give them."""

from datetime import datetime, timedelta

from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.domain.ids import new_id
from nanoclaw.domain.people import Actor, Role
from nanoclaw.domain.questions import Question, Status
from nanoclaw.durable import audit, permits
from nanoclaw.durable.permits import Permit, Scope
from nanoclaw.durable.store import Tx
from nanoclaw.flows.human.card_text import SHORT

_A_DAY = timedelta(days=1)  # how long a permit lasts unless given for longer, used or not
_SCOPES = {scope.value: scope for scope in Scope}


def permit(tx: Tx, question: Question, at: datetime) -> None:
    """Store what a person allowed by their choice, if it was about a tool."""
    scope = _SCOPES.get(question.chosen or "")
    if question.tool is None or scope is None or question.status is not Status.COMPLETED:
        return
    tool = question.tool
    whole_rule = tool["allows"] == "rule" and scope is not Scope.ONCE
    permits.grant(
        tx,
        Permit(
            id=new_id("u"),
            scope=scope,
            agent_group=question.group,
            session_id=question.session_id or "",
            tool=tool["tool"],
            arguments_hash=None if whole_rule else tool["arguments_hash"],
            rule=tool["rule"],
            shown=tool["rule"] if whole_rule else tool["shown"],
            granted_by=question.decided_by or "",
            granted_name=question.decided_name or "",
            question_id=question.id,
            created_at=at,
            expires_at=at + (timedelta(days=tool["days"]) if scope is Scope.ALWAYS else _A_DAY),
        ),
    )


def find_permit(tx: Tx, ref: str, at: datetime) -> Permit:
    """Find a permit by the end of its id."""
    wanted = ref.strip().lower()
    fits = [each for each in permits.valid(tx, at) if len(wanted) >= SHORT and each.id.endswith(wanted)]
    if len(fits) != 1:
        raise NotFound("no-such-permit", id=ref[:80])
    return fits[0]


def revoke(tx: Tx, permit: Permit, by: Actor, at: datetime) -> None:
    if not by.rights.role_in(permit.agent_group).may(Role.ADMIN):
        raise Refused("question-forbidden")
    if not permits.revoke(tx, permit.id, at):
        raise NotFound("no-such-permit", id=permit.id[-SHORT:])
    audit.record(
        tx, by, at, "permit-revoked", permit.id, tool=permit.tool, rule=permit.rule, group=permit.agent_group
    )
