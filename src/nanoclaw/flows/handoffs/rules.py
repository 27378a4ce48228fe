"""The rules a handoff must keep, judged from rows, files and the turn, never from a claim."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from nanoclaw.context.groups import Group, Groups
from nanoclaw.context.skills import Skill, Skills
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.handoffs import HandoffType, HandoffWay, tokens_in, visit
from nanoclaw.domain.ids import TurnId
from nanoclaw.domain.money import dollars
from nanoclaw.domain.people import Rights, Role
from nanoclaw.domain.tool_arguments import HandOver
from nanoclaw.durable import chains, handoffs
from nanoclaw.durable.store import Tx

_USUAL_TOKENS = 4000
_USUAL_TTL = timedelta(hours=24)
_MOST_NAMED = 20


@dataclass(frozen=True, kw_only=True, slots=True)
class HandoffLimits:
    most_hops: int = 5  # from the first sender to the last receiver
    most_in_chain: int = 50
    most_in_turn: int = 10
    chain_budget: int | None = None  # in micros


@dataclass(frozen=True, kw_only=True, slots=True)
class HandoffSender:
    """The turn that hands over, as the host knows it."""

    session_id: str
    turn_id: TurnId
    skill: str
    group: Group
    rights: Rights  # of the person it works for
    is_stranger: bool
    by_model: bool
    chain_id: str | None  # None: a new chain begins
    path: tuple[str, ...]  # the skills that have had the work, this one last
    works_for: str = ""  # the kind of work that waits for its answer; empty in a chat


@dataclass(frozen=True, kw_only=True, slots=True)
class Checked:
    """A handoff that may go on."""

    receivers: tuple[Skill, ...]
    group: Group
    type: HandoffType
    way: HandoffWay
    expires_at: datetime
    max_tokens: int
    tokens: int
    step: int  # of the first; the others follow


@dataclass(frozen=True, kw_only=True, slots=True)
class HandoffRules:
    groups: Groups
    known_skills: Skills
    limits: HandoffLimits

    def check(self, tx: Tx, given: HandOver, sender: HandoffSender, at: datetime) -> Checked:
        """Check every rule. Raises Refused with the broken rule and what to do."""
        named = [given.to] if isinstance(given.to, str) else list(dict.fromkeys(given.to))
        type_ = given.type or (HandoffType.PARALLEL if len(named) > 1 else HandoffType.SEQUENTIAL)
        way = given.way or HandoffWay.SESSION
        if sender.is_stranger:
            raise Refused("handoff-stranger")
        self._same_company(given, sender)
        group = self._group(given, sender)
        receivers = tuple(self._receiver(each, group, sender) for each in named)
        self._form(given, sender, type_, way, len(receivers))
        tokens, most = tokens_in(given.content), given.max_context_tokens or _USUAL_TOKENS
        if tokens > most:
            raise Refused("handoff-too-long", tokens=tokens, most=most)
        expires_at = _expires_at(given, at)
        if expires_at <= at:
            raise Refused("handoff-expired", at=expires_at.isoformat(timespec="seconds"))
        step = self._chain(tx, given, sender, len(receivers))
        return Checked(
            receivers=receivers,
            group=group,
            type=type_,
            way=way,
            expires_at=expires_at,
            max_tokens=most,
            tokens=tokens,
            step=step,
        )

    def _same_company(self, given: HandOver, sender: HandoffSender) -> None:
        for claimed in (given.company, given.to_company):
            if claimed is not None and claimed != sender.group.company:
                raise Refused("handoff-other-company", company=claimed, own=sender.group.company)

    def _group(self, given: HandOver, sender: HandoffSender) -> Group:
        """The receiving group. Another group has other files: the person must be an admin there, and the
        model must ask for it.
        """
        name = given.group or sender.group.name
        if name == sender.group.name:
            return sender.group
        company = self.groups.company_of(name)
        if not company:
            raise Refused("handoff-group-unknown", group=name)
        if company != sender.group.company:
            raise Refused("handoff-other-company", company=company, own=sender.group.company)
        if not sender.by_model or not sender.rights.role_in(name).may(Role.ADMIN):
            raise Refused("handoff-group-not-yours", group=name)
        if given.way is HandoffWay.INSIDE:
            raise Refused("handoff-group-inside", group=name)
        if given.attachments:
            raise Refused("handoff-group-files", group=name)
        return self.groups.get(name)

    def _receiver(self, named: str, group: Group, sender: HandoffSender) -> Skill:
        skill = self.known_skills.find(named)
        if skill is None:
            known = sorted(each.name for each in self.known_skills.skills() if each.name != sender.skill)
            more = ", …" if len(known) > _MOST_NAMED else ""
            raise Refused("handoff-no-skill", skill=named[:80], known=", ".join(known[:_MOST_NAMED]) + more)
        receiver = visit(skill.name, group.name)
        if receiver == sender.path[-1]:
            raise Refused("handoff-to-self", skill=skill.name)
        if receiver in sender.path:
            way = " → ".join((*(each.partition("@")[0] for each in sender.path), skill.name))
            raise Refused("handoff-circle", skill=skill.name, way=way)
        if len(sender.path) > self.limits.most_hops:
            raise Refused("handoff-hops", most=self.limits.most_hops)
        return skill

    def _form(
        self, given: HandOver, sender: HandoffSender, type_: HandoffType, way: HandoffWay, receivers: int
    ) -> None:
        if receivers > 1 and type_ is not HandoffType.PARALLEL:
            raise Refused("handoff-one-receiver", type=type_.value)
        if way is HandoffWay.INSIDE:
            if given.requires_hitl:
                raise Refused("handoff-inside-hitl")
        elif sender.works_for not in ("", "handoff") and type_ is not HandoffType.SEQUENTIAL:
            # Its run ends with the turn: there would be nobody to wake.
            raise Refused("handoff-nobody-to-wake", type=type_.value)

    def _chain(self, tx: Tx, given: HandOver, sender: HandoffSender, more: int) -> int:
        """The next step of the chain, locked until the transaction ends."""
        if len(handoffs.of_turn(tx, sender.session_id, sender.turn_id)) + more > self.limits.most_in_turn:
            raise Refused("handoff-too-many", most=self.limits.most_in_turn)
        step = 1
        if sender.chain_id:
            chains.lock(tx, sender.chain_id)
            step = handoffs.last_step(tx, sender.chain_id) + 1
            budget, spent = chains.budget_of(tx, sender.chain_id), chains.spent(tx, sender.chain_id)
            if budget is not None and spent >= budget:
                raise Refused("handoff-budget", spent=dollars(spent), budget=dollars(budget))
        if step + more - 1 > self.limits.most_in_chain:
            raise Refused("handoff-chain-long", most=self.limits.most_in_chain)
        if given.chain_id is not None and given.chain_id != sender.chain_id:
            raise Refused("handoff-other-chain", chain=given.chain_id[:60])
        if given.step is not None and given.step != step:
            raise Refused("handoff-other-step", step=given.step, expected=step)
        return step


def _expires_at(given: HandOver, at: datetime) -> datetime:
    """A claimed start can only bring the end nearer."""
    begun = min(_moment(given.created_at, at), at) if given.created_at else at
    ends = begun + (timedelta(hours=given.ttl_hours) if given.ttl_hours else _USUAL_TTL)
    return min(ends, _moment(given.deadline, at)) if given.deadline else ends


def _moment(written: str, at: datetime) -> datetime:
    try:
        found = datetime.fromisoformat(written)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(at.tzinfo)
    except (ValueError, OverflowError):
        raise Refused("handoff-moment", text=written) from None
