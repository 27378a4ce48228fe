"""A tool that needs a person first: the agent's call waits until someone allows it, with all its arguments shown.

A person allows it once, for this session, or always; the last two are permits that are listed and can be taken back.
What runs out of time, or is not answered while the turn can wait, is not done: the agent is told, and woken later.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from nanoclaw.admission.tool_rules import ToolRule, arguments_hash, caught_by, normal_name, shown_arguments
from nanoclaw.context.groups import Groups
from nanoclaw.domain.asking import Misasked
from nanoclaw.domain.errors import BadWorkspace
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.question_requests import TOOL_LAYOUT
from nanoclaw.domain.questions import Question, QuestionKind, Risk, Status, Wanted
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.durable import permits, sessions
from nanoclaw.durable.clock import now
from nanoclaw.durable.permits import Scope
from nanoclaw.durable.store import Store, Tx
from nanoclaw.flows.human.telling import told
from nanoclaw.flows.question import Questions
from nanoclaw.texts import say

ASKING = "request_human"  # to ask a person needs nobody's permission
_LONGEST = 16_000  # characters of arguments; nobody can read more before they decide
_SUMMED_UP = 200  # characters of the arguments where there is one line for a question; its card shows all
_REJECT = "reject"


class Permissions:
    def __init__(self, *, store: Store, questions: Questions, groups: Groups, locale: Locale) -> None:
        self._store = store
        self._questions = questions
        self._groups = groups
        self._locale = locale

    async def ask(
        self, request: TurnRequest, tool: str, arguments: Mapping[str, Any], call_id: str
    ) -> str | None:
        """None when the tool may be used; else why not, in words for the agent.

        Every rule that catches the call needs a permit: who allowed a push has not allowed what stands beside it.
        """
        rules = request.reach.approvals
        caught = caught_by(rules, tool, arguments) if rules and normal_name(tool) != ASKING else []
        while caught and (rule := await self._unpermitted(request, caught, tool, arguments)):
            shown = shown_arguments(arguments)
            if len(shown) > _LONGEST:
                return (
                    f"Not done: {tool} needs a person's permission here, and nobody can read {len(shown)} characters "
                    f"of arguments before they decide; at most {_LONGEST}. Put the content into a file, in parts."
                )
            try:
                question = await self._ask(request, rule, tool, arguments, shown, f"{call_id} {rule.name}")
            except (Misasked, BadWorkspace) as error:
                return f"Not done: {tool} needs a person's permission, and nobody could be asked. {error}"
            if question.status is not Status.COMPLETED or question.chosen == _REJECT:
                clock = await self._questions.clock_of(question, self._groups.get(request.group))
                return self._refusal(question, tool, clock)
            # The permit was written with the decision. If it is gone again, the same call is not asked about twice.
            if rule is await self._unpermitted(request, [rule], tool, arguments, only_look=True):
                return f"Not done: the permission for {tool} was used or taken back meanwhile."
        return None

    async def _unpermitted(
        self,
        request: TurnRequest,
        caught: Sequence[ToolRule],
        tool: str,
        arguments: Mapping[str, Any],
        *,
        only_look: bool = False,
    ) -> ToolRule | None:
        """The first rule without a permit. When all have one, those that are for once are used up."""
        wanted = {
            "group": request.group,
            "session_id": request.session_id,
            "tool": normal_name(tool),
            "arguments_hash": arguments_hash(tool, arguments),
        }

        def story(tx: Tx) -> ToolRule | None:
            at, found = now(), []
            for rule in caught:
                permit = permits.covering(tx, **wanted, rule=rule.name, at=at)
                if permit is None:
                    return rule
                found.append((rule, permit))
            for rule, permit in found if not only_look else ():
                if permit.scope is Scope.ONCE and not permits.use_up(tx, permit.id, at):
                    return rule
            return None

        return await self._store.write(story)

    async def _ask(
        self,
        request: TurnRequest,
        rule: ToolRule,
        tool: str,
        arguments: Mapping[str, Any],
        shown: str,
        call_id: str,
    ) -> Question:
        group = self._groups.get(request.group)
        session = await self._store.read(lambda tx: sessions.get(tx, request.session_id))
        language = group.locale.or_else(self._locale).speaks
        wanted = Wanted(
            kind=QuestionKind.APPROVAL,
            prompt=say(
                language, "tool-asked", tool=normal_name(tool), what=" ".join(shown.split())[:_SUMMED_UP]
            ),
            options=TOOL_LAYOUT,
            timeout=timedelta(minutes=rule.timeout_minutes),
            default=_REJECT,
            risk=Risk(rule.risk),
            skill=request.skill,
            tool={
                "tool": normal_name(tool),
                "shown": shown,
                # As text: no database takes every number.
                "arguments": json.dumps(dict(arguments), sort_keys=True),
                "arguments_hash": arguments_hash(tool, arguments),
                "rule": rule.name,
                "allows": rule.allows,
                "days": rule.days,
            },
        )
        asked_id = hashlib.sha256(call_id.encode()).hexdigest()[:32]
        question = await self._questions.ask(wanted, await self._questions.asker(session, group, asked_id))
        attended, _ = await self._questions.attend(question)
        return attended

    def _refusal(self, question: Question, tool: str, clock: Locale) -> str:
        said = told(question, clock)
        if question.is_open:
            return (
                f"Not done yet: {tool} waits for a person's permission. {said} When you are woken with the permission, "
                "call it again with the very same arguments."
            )
        return f"Not done: {tool} needs a person's permission. {said}"
