"""A tool that needs permission: the agent's call waits until a person allows it, with all its arguments shown.

It is allowed once, for this session, or always; the last two are permits that are listed and can be revoked. A call
that times out, or is not answered while the turn can wait, is not made: the agent is told, and woken later.

What is allowed is what runs: a permit covers these arguments, and the files they name as they were when shown. Both
are checked again right before the call is let through.
"""

import asyncio
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from nanoclaw.admission.tool_rules import (
    BASH,
    Act,
    ToolRule,
    acts_of,
    arguments_hash,
    caught_by,
    normal_name,
    shown_arguments,
)
from nanoclaw.context.groups import Groups
from nanoclaw.domain.errors import BadWorkspace
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.question_requests import LATER_LAYOUT, TOOL_LAYOUT
from nanoclaw.domain.questions import NewQuestion, Question, QuestionKind, Risk, Status
from nanoclaw.domain.shown_text import shown_line
from nanoclaw.domain.tool_requests import BadToolRequest
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.durable import permits, sessions
from nanoclaw.durable.clock import now
from nanoclaw.durable.permits import Permit, Scope
from nanoclaw.durable.store import Store, Tx
from nanoclaw.flows.human.answer_text import told
from nanoclaw.flows.human.questions import Questions
from nanoclaw.sandbox.named_files import Named, NamedFiles
from nanoclaw.texts import say

ASKING = "request_human"  # asking a person needs no permission
CHECK = "check"  # marks a question about running a task's check
REJECT = "reject"
_LONGEST = 16_000  # characters of arguments; nobody can read more before deciding
_SUMMED_UP = 200  # characters of the arguments in a one-line question; its card shows all of them
_FILES_SHOWN = 20
_MOST_ASKED = 10  # times about one call, if its files keep changing after someone looked at them


@dataclass(frozen=True, kw_only=True, slots=True)
class DeniedCall:
    """Why a call may not be made, in words for the agent. `waits`: a person may still allow it. `unseen`:
    what it names that cannot be shown, so that nobody was asked.
    """

    said: str
    waits: bool = False
    unseen: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class _MatchingRule:
    """One rule that matches, and the files it names as they are now."""

    rule: ToolRule
    act: Act
    named: Named

    @property
    def hash(self) -> str:
        files = [[each.path, each.size, each.mark] for each in self.named.files]
        return arguments_hash(self.act.tool, self.act.arguments, files)

    def fits(self, permit: Permit | None) -> bool:
        """A one-time permit does not cover what runs by itself, again and again."""
        return permit is not None and (permit.scope is Scope.ALWAYS or not self.act.later)


class Permissions:
    def __init__(
        self, *, store: Store, questions: Questions, groups: Groups, locale: Locale, files: NamedFiles
    ) -> None:
        self._store = store
        self._questions = questions
        self._groups = groups
        self._locale = locale
        self._files = files

    async def ask(
        self, request: TurnRequest, tool: str, arguments: Mapping[str, Any], call_id: str
    ) -> str | None:
        """None if the tool may be used; otherwise why not, in words for the agent. Every rule that matches
        the call needs a permit: allowing a push does not allow the other commands beside it.
        """
        if normal_name(tool) == ASKING:
            return None
        refusal = await self._judge(request, tool, acts_of(tool, arguments), call_id)
        return refusal.said if refusal else None

    async def ask_for_check(self, request: TurnRequest, command: str) -> DeniedCall | None:
        """Before the check of a task runs: what was allowed when the task was created may have changed since."""
        act = Act(tool=BASH, arguments={"command": command})
        return await self._judge(request, "check", [act], f"{request.turn_id} check", check=True)

    async def _judge(
        self, request: TurnRequest, tool: str, acts: Sequence[Act], call_id: str, *, check: bool = False
    ) -> DeniedCall | None:
        caught = caught_by(request.grants.approvals, acts) if request.grants.approvals else []
        asked: set[tuple[str, str]] = set()
        while caught and (case := await self._unpermitted(request, await self._look(request, caught))):
            if case.named.unseen is not None:
                return DeniedCall(said=_unseen(tool, case.named.unseen), unseen=case.named.unseen)
            if (case.rule.name, case.hash) in asked:
                # The permit was written with the decision. If it is already gone, nobody is asked twice.
                return DeniedCall(
                    said=f"Not done: the permission for {tool} was used or taken back meanwhile."
                )
            if len(asked) >= _MOST_ASKED:
                return DeniedCall(
                    said=f"Not done: the files that {tool} names change each time that a person has seen them."
                )
            asked.add((case.rule.name, case.hash))
            shown = shown_arguments(case.act.arguments)
            if len(shown) > _LONGEST:
                return DeniedCall(
                    said=f"Not done: {tool} needs a person's permission here, and nobody can read {len(shown)} "
                    f"characters of arguments before they decide; at most {_LONGEST}. Put the content into a file, in "
                    "parts."
                )
            try:
                question = await self._ask(request, case, shown, call_id, check=check)
            except (BadToolRequest, BadWorkspace) as error:
                said = f"Not done: {tool} needs a person's permission, and nobody could be asked. {error}"
                return DeniedCall(said=said)
            if question.status is not Status.COMPLETED or question.chosen == REJECT:
                clock = await self._questions.clock_of(question, self._groups.get(request.group))
                return DeniedCall(said=self._refused(question, tool, clock), waits=question.is_open)
        return None

    async def _look(
        self, request: TurnRequest, caught: Sequence[tuple[ToolRule, Act]]
    ) -> list[_MatchingRule]:
        def look() -> list[_MatchingRule]:
            return [
                _MatchingRule(rule=rule, act=act, named=self._files.look(request, act.names, act.folders))
                for rule, act in caught
            ]

        return await asyncio.to_thread(look)

    async def _unpermitted(
        self, request: TurnRequest, cases: Sequence[_MatchingRule]
    ) -> _MatchingRule | None:
        """The first case without a permit. If all have one, one-time permits are used up."""

        def story(tx: Tx) -> _MatchingRule | None:
            at, found = now(), []
            for case in cases:
                permit = permits.covering(
                    tx,
                    group=request.group,
                    session_id=request.session_id,
                    tool=case.act.tool,
                    arguments_hash=case.hash,
                    rule=case.rule.name,
                    at=at,
                )
                if permit is None or not case.fits(permit):
                    return case
                found.append((case, permit))
            for case, permit in found:
                if permit.scope is Scope.ONCE and not permits.use_up(tx, permit.id, at):
                    return case
            return None

        return await self._store.write(story)

    async def _ask(
        self, request: TurnRequest, case: _MatchingRule, shown: str, call_id: str, *, check: bool
    ) -> Question:
        group = self._groups.get(request.group)
        session = await self._store.read(lambda tx: sessions.get(tx, request.session_id))
        language = group.locale.or_else(self._locale).speaks
        rule, act = case.rule, case.act
        summed_up = {"tool": act.tool, "what": " ".join(shown.split())[:_SUMMED_UP]}
        wanted = NewQuestion(
            kind=QuestionKind.APPROVAL,
            prompt=say(language, "tool-asked-check" if check or act.later else "tool-asked", **summed_up),
            options=LATER_LAYOUT if act.later else TOOL_LAYOUT,
            timeout=timedelta(minutes=rule.timeout_minutes),
            default=REJECT,
            risk=Risk(rule.risk),
            skill=request.skill,
            tool={
                "tool": act.tool,
                "shown": "\n".join([shown, *_about(case, language, check=check)]),
                # As text, because not every database stores every number.
                "arguments": json.dumps(dict(act.arguments), sort_keys=True),
                "arguments_hash": case.hash,
                "rule": rule.name,
                "allows": rule.allows,
                "days": rule.days,
                CHECK: check,
            },
        )
        asked_id = hashlib.sha256(f"{call_id} {rule.name} {case.hash}".encode()).hexdigest()[:32]
        question = await self._questions.ask(wanted, await self._questions.asker(session, group, asked_id))
        attended, _ = await self._questions.attend(question, is_live=request.is_live)
        return attended

    def _refused(self, question: Question, tool: str, clock: Locale) -> str:
        said = told(question, clock)
        if question.is_open:
            return (
                f"Not done yet: {tool} waits for a person's permission. {said} When you are woken with the permission, "
                "call it again with the very same arguments."
            )
        return f"Not done: {tool} needs a person's permission. {said}"


def _about(case: _MatchingRule, language: str, *, check: bool) -> list[str]:
    """What the arguments do not say: when it runs, and on which files. No argument can imitate these lines."""
    lines = [say(language, "tool-runs-later")] if check or case.act.later else []
    files = case.named.files
    for each in files[:_FILES_SHOWN]:
        key = "tool-file" if each.is_read else "tool-file-big"
        lines.append(say(language, key, path=shown_line(each.path), size=each.size, hash=each.mark[:12]))
    if len(files) > _FILES_SHOWN:
        lines.append(say(language, "tool-files-more", count=len(files) - _FILES_SHOWN))
    return lines


def _unseen(tool: str, path: str) -> str:
    return (
        f"Not done: {tool} needs a person's permission, and it names {path[:200]}, which the host cannot look at: "
        "nobody could be sure that what runs is what was allowed. Have what it needs as plain files below /work or "
        "/memory, and call it again with them. Write the names of scripts out, without variables, $(...) or {a,b}."
    )
