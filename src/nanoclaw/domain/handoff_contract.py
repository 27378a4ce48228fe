"""The contract of a handoff as a file: read from what an agent wrote, and written for others to read.

What the host knows itself (who hands over, for whom, in which chain, when) is never taken from the file. If a
file claims such a thing, the claim is checked, and a wrong one is refused.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from nanoclaw.domain.handoffs import Handoff

# Parts of the contract, and their fields as the tool names them. None: the host fills it in, whatever is written there.
_PARTS: Mapping[str, Mapping[str, str | None]] = {
    "from": {"skill": None, "runtime": None, "session_id": None, "group": None, "company": "company"},
    "to": {"skill": "to", "company": "to_company", "group": "group", "runtime": "runtime"},
    "payload": {
        **{name: name for name in ("content", "confidence", "evidence_grade", "gaps", "sources", "format")},
        "attachments": "attachments",
        "content_tokens": None,
    },
    "constraints": {
        name: name for name in ("tone_isolation", "max_context_tokens", "requires_hitl", "deadline")
    },
    "metadata": {
        **{name: name for name in ("created_at", "ttl_hours", "chain_id", "step")},
        "total_steps": None,
    },
}
OTHER_RUNTIMES = ("claude-code", "claude.ai", "claude-ai")  # that fetch it from the repository


def is_contract(body: Mapping[str, Any]) -> bool:
    """Whether it is written in parts; otherwise it has the fields of the tool."""
    return isinstance(body.get("to"), dict) or isinstance(body.get("payload"), dict)


def arguments_in(body: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of the tool. Unknown fields keep their names, so that they are refused by them."""
    made: dict[str, Any] = {}
    for name, value in body.items():
        fields = _PARTS.get(name)
        if fields is None or not isinstance(value, dict):
            made[name] = value
            continue
        for field, written in value.items():
            ours = fields.get(field, f"{name}.{field}")
            if ours is not None and written is not None:
                made[ours] = written
    if str(made.pop("runtime", "")).lower() in OTHER_RUNTIMES:
        made.setdefault("way", "git")
    made.pop("id", None)
    return made


def as_contract(handoff: Handoff) -> dict[str, Any]:
    """The whole contract, with everything that the host knows."""
    given = handoff.contract
    return {
        "id": handoff.id,
        "type": handoff.type.value,
        "way": handoff.way.value,
        "from": {
            "skill": handoff.from_skill,
            "group": handoff.from_group,
            "company": handoff.company,
            "runtime": given.get("came", {}).get("runtime", "nanoclaw"),
            "session_id": handoff.from_session,
        },
        "to": {
            "skill": handoff.to_skill,
            "group": handoff.to_group,
            "company": handoff.company,
            "runtime": None,
        },
        "payload": given["payload"],
        "constraints": {**given["constraints"], "deadline": _written(handoff.expires_at)},
        "metadata": {
            "created_at": _written(handoff.created_at),
            "ttl_hours": round((handoff.expires_at - handoff.created_at).total_seconds() / 3600, 2),
            "chain_id": handoff.chain_id,
            "step": handoff.step,
            "total_steps": None,
            "visited": list(handoff.visited),
        },
    }


def _written(at: datetime) -> str:
    return at.isoformat(timespec="seconds")
