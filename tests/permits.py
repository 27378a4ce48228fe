"""A permit as a person would have given it, for tests that show permits or take them back."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from nanoclaw.durable.clock import now
from nanoclaw.durable.permits import Permit, Scope


def a_permit(permit_id: str = "u_01aaaaaaaaaaaaaaaaaaaaaaab", **changes: Any) -> Permit:
    given = Permit(
        id=permit_id,
        scope=Scope.ALWAYS,
        agent_group="main",
        session_id="",
        tool="bash",
        arguments_hash=None,
        rule="rm",
        shown="rm -r build",
        granted_by="local:owner",
        granted_name="Owner",
        question_id="",
        created_at=now(),
        expires_at=now() + timedelta(days=30),
    )
    return replace(given, **changes)
