"""A contract that another runtime pushed: checked by the same rules as any handoff, then put to an owner."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from nanoclaw.context.groups import Group, Groups
from nanoclaw.domain.budgets import Budget
from nanoclaw.domain.continuations import Continuation
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.file_protocol import RequestKind
from nanoclaw.domain.handoff_contract import OTHER_RUNTIMES, is_contract
from nanoclaw.domain.handoffs import Handoff, HandoffState, HandoffType, HandoffWay
from nanoclaw.domain.ids import SessionId, TurnId, new_id
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.people import Person, Role
from nanoclaw.domain.questions import Asker, NewQuestion, Option, QuestionKind
from nanoclaw.domain.tool_arguments import HandOver
from nanoclaw.domain.tool_requests import understand
from nanoclaw.domain.tools import TOOLS
from nanoclaw.durable import chains, handoffs, memberships, people, work
from nanoclaw.durable.store import Tx
from nanoclaw.flows.handoffs.git_files import WrittenFile, body_of
from nanoclaw.flows.handoffs.given_work import effect_of, shown_work
from nanoclaw.flows.handoffs.progress import YES
from nanoclaw.flows.handoffs.rules import HandoffRules, HandoffSender
from nanoclaw.flows.handoffs.tools import contract_of
from nanoclaw.flows.human.new_questions import NewQuestions
from nanoclaw.texts import say

_MOST_OPEN = 20  # open cards of this kind: people who can push must not flood the owners
_FROM_GIT = "git"  # stands for the session, and for a name that nobody could check


def origin_of(written: WrittenFile) -> str:
    return f"git {written.company} {written.id}"


@dataclass(frozen=True, kw_only=True, slots=True)
class CameContracts:
    rules: HandoffRules
    groups: Groups
    new_questions: NewQuestions
    budgets: Callable[[str], Budget]
    locale: Locale

    def take(self, tx: Tx, written: WrittenFile, known: Handoff | None, at: datetime) -> None:
        """Put a contract to an owner; a known one is not asked about again. Raises Refused or BadToolRequest."""
        if known:
            if known.contract["came"]["sha256"] != written.sha256:
                raise Refused("handoff-altered", id=written.id)
            return
        body = body_of(written)
        if not is_contract(body):
            raise Refused("handoff-file-unreadable")
        runtime = _runtime(body, "from") or _FROM_GIT
        if _runtime(body, "to") in OTHER_RUNTIMES:
            return  # the other runtimes talk to each other
        told = {name: value for name, value in body.items() if name not in ("way", "result")}
        asked = understand(RequestKind.HANDOFFS, written.id, SessionId(_FROM_GIT), told).given(HandOver)
        given = asked.model_copy(update={"type": HandoffType.CALLBACK, "way": HandoffWay.SESSION})
        if len(handoffs.from_session(tx, _FROM_GIT)) >= _MOST_OPEN:
            raise Refused("handoff-git-many", most=_MOST_OPEN)
        owners, group = people.with_role(tx, Role.OWNER), self._group(written.company)
        chats = people.alert_chats(tx, owners)
        if not owners or not chats:
            raise Refused("handoff-no-owner")
        handoff = self._made(tx, written, given, owners[0], group, runtime, at)
        self._ask(tx, handoff, owners, at)

    def _group(self, company: str) -> Group:
        mine = [name for name in self.groups.names() if self.groups.company_of(name) == company]
        if not mine:
            raise Refused("handoff-no-group", company=company)
        main = self.groups.main()
        return main if main.name in mine else self.groups.get(mine[0])

    def _made(
        self,
        tx: Tx,
        written: WrittenFile,
        given: HandOver,
        owner: Person,
        group: Group,
        runtime: str,
        at: datetime,
    ) -> Handoff:
        joined = self._joined(tx, given, group.company)
        sender = HandoffSender(
            session_id=_FROM_GIT,
            turn_id=TurnId(origin_of(written)),
            skill=runtime,
            group=group,
            rights=memberships.rights_of(tx, owner),
            is_stranger=False,
            by_model=True,
            chain_id=joined.chain_id if joined else None,
            path=joined.path if joined else (f"{runtime}@{_FROM_GIT}",),
        )
        own_chain = (
            {} if joined else {"chain_id": None}
        )  # their chain means nothing here: a chain of ours begins
        checked = self.rules.check(tx, given.model_copy(update=own_chain), sender, at)
        handoff_id = new_id("hf")
        if joined is None:
            named = self.budgets(group.company).chain_limit
            budget = self.rules.limits.chain_budget if named is None else named
            handoffs.begin_chain(tx, handoff_id, group.company, budget=budget, message_id=None, at=at)
        receiver = checked.receivers[0]
        came = {"id": written.id, "runtime": runtime, "sha256": written.sha256}
        handoff = Handoff(
            id=handoff_id,
            chain_id=joined.chain_id if joined else handoff_id,
            step=checked.step,
            type=checked.type,
            way=checked.way,
            state=HandoffState.ASKED,
            company=group.company,
            from_group=group.name,
            from_skill=runtime,
            from_session=SessionId(_FROM_GIT),
            from_turn=None,
            to_group=checked.group.name,
            to_skill=receiver.name,
            contract={**contract_of(given, checked), "came": came},
            grants={
                "tools": list(TOOLS),
                "network": [*checked.group.network, *receiver.head.network],
                "web_search": checked.group.web_search,
                "mcp": list(checked.group.mcp),
                "mounts": [],
                "main": False,
                "approvals": [],
            },
            person_id=owner.id,
            chat_id=people.alert_chats(tx, [owner])[0][0],
            is_mixed=True,
            visited=sender.path,
            created_at=at,
            expires_at=checked.expires_at,
        )
        return handoffs.add(tx, handoff, origin=origin_of(written))

    def _joined(self, tx: Tx, given: HandOver, company: str) -> Handoff | None:
        """A chain of ours that went out through git may come back; it continues at its last handoff that left."""
        owner = chains.company_of(tx, given.chain_id) if given.chain_id else None
        if given.chain_id is None or owner is None:
            return None
        went = [each for each in handoffs.of_chain(tx, given.chain_id) if each.way is HandoffWay.GIT]
        if owner != company or not went:
            raise Refused("handoff-other-chain", chain=given.chain_id[:60])
        return went[-1]

    def _ask(self, tx: Tx, handoff: Handoff, owners: list[Person], at: datetime) -> None:
        """Ask an owner. Git proves no author, so nothing begins without a yes to all of it; silence is a no."""
        prompt = say(
            self.locale.speaks,
            "handoff-asked-git",
            sender=handoff.from_skill,
            receiver=handoff.to_skill,
            group=handoff.to_group,
        )
        wanted = NewQuestion(
            kind=QuestionKind.APPROVAL,
            prompt=prompt,
            options=(Option(id=YES), Option(id="reject", safe=True)),
            timeout=max(handoff.expires_at - at, timedelta(minutes=1)),
            default="reject",
            context=shown_work(handoff),
            effect=effect_of(handoff),
            deciders=tuple(each.handle for each in owners),
        )
        asker = Asker(
            asked_id=f"handoff {handoff.id}",
            group=handoff.from_group,
            company=handoff.company,
            then=Continuation(work.HANDOFF, handoff.id),
            chain_id=handoff.chain_id,
            step=handoff.step,
        )
        question = self.new_questions.open(tx, wanted, asker, None, at)
        handoffs.mark(tx, handoff.id, question_id=question.id)
        work.due(tx, work.HANDOFF, handoff.id, handoff.expires_at)


def _runtime(body: dict[str, object], side: str) -> str | None:
    """A runtime we know; None for any other."""
    part = body.get(side)
    named = str(part.get("runtime") or "").lower() if isinstance(part, dict) else ""
    return named if named in (*OTHER_RUNTIMES, "nanoclaw") else None
