"""The tool `handoff`: checks what an agent asks for, writes it down and begins it, or refuses it with a
sentence.

A refusal is told to the agent that asked, and to the owners: collected, so that an agent in a loop floods
nobody.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from nanoclaw.context.groups import Group
from nanoclaw.delivery.alerts import Alerts
from nanoclaw.domain import narrowed_grants
from nanoclaw.domain.budgets import Budget
from nanoclaw.domain.continuations import Continuation
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.handoffs import Handoff, HandoffState, HandoffType, HandoffWay, visit
from nanoclaw.domain.ids import ChatId, new_id
from nanoclaw.domain.money import dollars_and_cents
from nanoclaw.domain.people import Role
from nanoclaw.domain.questions import Asker, NewQuestion, Option, QuestionKind
from nanoclaw.domain.text import as_written
from nanoclaw.domain.tool_arguments import HandOver
from nanoclaw.domain.tool_requests import BadToolRequest, ToolReply, ToolRequest
from nanoclaw.domain.turns import Session
from nanoclaw.durable import handoffs, memberships, people, session_queue, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.turns import speaker_of
from nanoclaw.flows.handoffs.ends import HandoffEnds, returned_to
from nanoclaw.flows.handoffs.given_work import effect_of, shown_work
from nanoclaw.flows.handoffs.progress import YES
from nanoclaw.flows.handoffs.rules import Checked, HandoffRules, HandoffSender
from nanoclaw.flows.handoffs.start import start_session
from nanoclaw.flows.handoffs.sub_agents import SubAgents
from nanoclaw.flows.human.each_language import in_each, sentence, with_line
from nanoclaw.flows.human.new_questions import NewQuestions
from nanoclaw.flows.knowledge.trust import has_heard_others
from nanoclaw.flows.spending.member_limits import BeyondLimit, MemberLimits, tell_waiting
from nanoclaw.texts import say, tell

_GATHERED = "%Y-%m-%d %H"  # owners hear of the same kind of refusal in a group once per hour
_LATER = timedelta(minutes=15)
_NOT_BEGUN = (HandoffState.ASKED, HandoffState.REFUSED, HandoffState.EXPIRED)
_PAYLOAD = ("content", "confidence", "evidence_grade", "gaps", "sources", "format", "attachments")


@dataclass(frozen=True, kw_only=True, slots=True)
class HandoffTools:
    store: Store
    rules: HandoffRules
    ends: HandoffEnds
    new_questions: NewQuestions
    sub_agents: SubAgents
    alerts: Alerts
    budgets: Callable[[str], Budget]
    limits: MemberLimits

    async def hand_over(self, asking: ToolRequest, session: Session, group: Group) -> ToolReply:
        try:
            made = await self.store.write(
                partial(self._make, asking=asking, session=session, group=group, at=now())
            )
        except Refused as error:
            await self.store.write(partial(self._tell_owners, group=group, skill=asking.skill, error=error))
            return ToolReply(ok=False, text=tell("en", error), data={"refused": error.key})
        except BadToolRequest as error:
            return ToolReply(ok=False, text=str(error), data={"refused": "question"})
        asking.noted()
        ids = {"handoffs": [each.id for each in made], "chain_id": made[0].chain_id}
        if made[0].way is not HandoffWay.INSIDE:
            is_asked = await self.store.read(lambda tx: _is_asked(tx, made[0]))
            return ToolReply(ok=True, text=_told(made, is_asked=is_asked), data=ids)
        ok, text = await self.sub_agents.run(made, asking.turn)
        return ToolReply(ok=ok, text=text, data=ids)

    def _budget(self, company: str) -> int | None:
        """The chain's budget: the company's file takes precedence over the settings."""
        named = self.budgets(company).chain_limit
        return self.rules.limits.chain_budget if named is None else named

    def _make(
        self, tx: Tx, *, asking: ToolRequest, session: Session, group: Group, at: datetime
    ) -> list[Handoff]:
        """Create the handoffs; the same request after a crash finds those it made."""
        given, origin = asking.given(HandOver), f"{session.id} {asking.id}"
        if first := handoffs.known(tx, f"{origin} 0"):
            return handoffs.joined(tx, first.joins) if first.joins else [first]
        sender = self._sender(tx, asking, session, group)
        checked = self.rules.check(tx, given, sender, at)
        ids = [new_id("hf") for _ in checked.receivers]
        chain_id = sender.chain_id or ids[0]
        person = speaker_of(tx, session)
        if person is None:
            raise Refused("handoff-no-turn")
        beyond: BeyondLimit | None = None
        if sender.chain_id is None:
            usual = self._budget(group.company)
            budget, beyond = self.limits.judge_unknown(tx, person, group.name, group.company, at, own=usual)
            if beyond and checked.way is HandoffWay.INSIDE:
                day = dollars_and_cents(beyond.day)
                raise Refused("member-limit-inside", name=as_written(person.name), day=day)
            said = session_queue.messages_of(tx, sender.turn_id)
            handoffs.begin_chain(
                tx,
                chain_id,
                group.company,
                budget=budget,
                message_id=said[0].id if said else None,
                at=at,
            )
        is_mixed = not asking.by_model or has_heard_others(tx, session)
        made = [
            Handoff(
                id=each,
                chain_id=chain_id,
                step=checked.step + number,
                type=checked.type,
                way=checked.way,
                state=HandoffState.RUNNING if checked.way is HandoffWay.INSIDE else HandoffState.WAITING,
                company=group.company,
                from_group=group.name,
                from_skill=sender.skill,
                from_session=session.id,
                from_turn=sender.turn_id,
                to_group=checked.group.name,
                to_skill=checked.receivers[number].name,
                contract=contract_of(given, checked),
                grants=narrowed_grants.as_json(asking.turn.grants)
                if asking.turn
                else narrowed_grants.NOTHING,
                person_id=person.id,
                chat_id=ChatId(session.chat_id),
                thread=session.thread,
                is_mixed=is_mixed,
                joins=ids[0] if checked.type is HandoffType.PARALLEL else None,
                visited=sender.path,
                created_at=at,
                expires_at=checked.expires_at,
            )
            for number, each in enumerate(ids)
        ]
        for number, handoff in enumerate(made):
            handoffs.add(tx, handoff, origin=f"{origin} {number}")
            self._begin(tx, handoff, given, beyond, at)
        if beyond:
            language = self.ends.language(tx, made[0])
            tell_waiting(tx, made[0].chat_id, made[0].thread, None, beyond, language, at)
        return made

    def _sender(self, tx: Tx, asking: ToolRequest, session: Session, group: Group) -> HandoffSender:
        turn, person = session_queue.open_turn(tx, session.id), speaker_of(tx, session)
        if turn is None or person is None:
            raise Refused("handoff-no-turn")
        rights = memberships.rights_of(tx, person)
        works_on = (
            handoffs.get(tx, asking.turn.handoff_id) if asking.turn and asking.turn.handoff_id else None
        )
        returned = None if works_on or session.chain_id else returned_to(tx, session)
        before = handoffs.of_turn(tx, session.id, turn.id)
        started = works_on or returned or (before[0] if before else None)
        own = (visit(asking.skill, group.name),)
        path = works_on.path if works_on else returned.visited if returned else own
        return HandoffSender(
            session_id=session.id,
            turn_id=turn.id,
            skill=asking.skill,
            group=group,
            rights=rights if asking.by_model else rights.as_member_of(group.name),
            is_stranger=not rights.role_in(group.name).may(Role.MEMBER),
            by_model=asking.by_model,
            chain_id=session.chain_id
            or (started.chain_id if started and _has_begun(tx, started.chain_id) else None),
            path=path,
            works_for=session.then.kind if session.then else "",
        )

    def _begin(
        self, tx: Tx, handoff: Handoff, given: HandOver, beyond: BeyondLimit | None, at: datetime
    ) -> None:
        if handoff.way is HandoffWay.INSIDE:
            work.due(tx, work.HANDOFF, handoff.id, at + _LATER)  # in case its turn is cut off
        elif given.requires_hitl or beyond:
            self._ask(tx, handoff, beyond, at)
        elif handoff.way is HandoffWay.GIT:
            work.due(tx, work.HANDOFF, handoff.id, at)  # the story writes its file
        else:
            start_session(tx, handoff, at)

    def _ask(self, tx: Tx, handoff: Handoff, beyond: BeyondLimit | None, at: datetime) -> None:
        """Ask the admins before anything is delivered. Silence is not a yes."""
        person = people.person(tx, handoff.person_id)
        language = self.ends.language(tx, handoff)
        words = sentence(
            "handoff-asked",
            sender=handoff.from_skill,
            receiver=handoff.to_skill,
            name=as_written(person.name),
        )
        wanted = NewQuestion(
            kind=QuestionKind.APPROVAL,
            prompt=words(language),
            options=(Option(id=YES), Option(id="reject", safe=True)),
            timeout=max(handoff.expires_at - at, timedelta(minutes=1)),
            default="reject",
            context=shown_work(handoff),
            effect=effect_of(handoff),
            skill=handoff.from_skill,
            config=in_each(words),
        )
        wanted = with_line(wanted, beyond.line) if beyond else wanted
        asker = Asker(
            asked_id=f"handoff {handoff.id}",
            group=handoff.from_group,
            company=handoff.company,
            chat_id=handoff.chat_id,
            thread=handoff.thread,
            then=Continuation(work.HANDOFF, handoff.id),
            chain_id=handoff.chain_id,
            step=handoff.step,
        )
        question = self.new_questions.open(tx, wanted, asker, None, at)
        handoffs.mark(tx, handoff.id, state=HandoffState.ASKED.value, question_id=question.id)
        work.due(tx, work.HANDOFF, handoff.id, handoff.expires_at)

    def _tell_owners(self, tx: Tx, *, group: Group, skill: str, error: Refused) -> None:
        def words(language: str) -> tuple[str, tuple[()]]:
            told = {"group": group.name, "skill": skill, "reason": tell(language, error)}
            return say(language, "handoff-refused-alert", **told), ()

        self.alerts.post(tx, f"handoff {group.name} {error.key} {now():{_GATHERED}}", words)


def contract_of(given: HandOver, checked: Checked) -> dict[str, Any]:
    """What the sender gave, as checked."""
    payload = {name: value for name in _PAYLOAD if (value := getattr(given, name)) is not None}
    return {
        "payload": {**payload, "content_tokens": checked.tokens},
        "constraints": {
            "tone_isolation": given.tone_isolation is not False,
            "max_context_tokens": checked.max_tokens,
            "requires_hitl": bool(given.requires_hitl),
        },
    }


def _has_begun(tx: Tx, chain_id: str) -> bool:
    """Whether anything of it was let through. What was only asked about gives what comes after it no money."""
    return any(each.state not in _NOT_BEGUN for each in handoffs.of_chain(tx, chain_id))


def _is_asked(tx: Tx, made: Handoff) -> bool:
    handoff = handoffs.get(tx, made.id)
    return handoff is not None and handoff.state is HandoffState.ASKED


def _told(made: Sequence[Handoff], *, is_asked: bool) -> str:
    """Tell the agent what to expect."""
    names = ", ".join(each.to_skill for each in made)
    head = f"Handed over to {names} (step {made[0].step}, id {made[0].id})."
    if is_asked:
        head += " A person agrees first; the card is shown."
    if made[0].way is HandoffWay.GIT:
        return f"{head} It waits in the repository until {made[0].expires_at:%Y-%m-%d %H:%M} UTC for another program."
    match made[0].type:
        case HandoffType.SEQUENTIAL:
            return f"{head} It answers the person: end your turn with at most one sentence, and do not do its work."
        case HandoffType.CALLBACK:
            return f"{head} You are woken with its result: end your turn now, and do not wait for it."
        case HandoffType.PARALLEL:
            return f"{head} You are woken once all of them have ended: end your turn now, and do not wait for them."
