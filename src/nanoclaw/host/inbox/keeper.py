"""Keeps the inbox for the page, the command line and programs: all in the name of whoever holds this machine."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import timedelta
from typing import Any, TypeVar

from nanoclaw.console.inbox_keeper import MOST_ROWS, FigureRow, Figures, PermitRow, QuestionRow
from nanoclaw.context.groups import Groups
from nanoclaw.domain.asking import Misasked, understand
from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.domain.ids import SessionId, new_id
from nanoclaw.domain.people import LOCAL_OWNER, Ruler
from nanoclaw.domain.question_requests import LAYOUTS, read_wanted
from nanoclaw.domain.questions import PROGRAM, Asker, Option, QuestionKind, Status
from nanoclaw.domain.text import is_empty, storable
from nanoclaw.domain.tools import Kind
from nanoclaw.durable import memberships, people, permits, questions
from nanoclaw.durable.aftermath import Aftermath
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx
from nanoclaw.flows.human.figures import Figure, figure, figures_by
from nanoclaw.flows.human.permitting import find_permit, revoke
from nanoclaw.flows.human.words import SHORT
from nanoclaw.host.humans import Humans
from nanoclaw.host.inbox.rows import Rows, language_of
from nanoclaw.host.settings import Settings

T = TypeVar("T")

_LONGEST_WAIT = 60.0  # of one call; whoever wants to wait longer asks again
_MOST_OPTIONS, _LABEL, _ID = 8, 20, 40  # of a session; letters


class HostInbox:
    def __init__(self, *, store: Store, humans: Humans, groups: Groups, settings: Settings, via: str) -> None:
        self._store = store
        self._humans = humans
        self._groups = groups
        self._settings = settings
        self._via = via

    def through(self, via: str) -> "HostInbox":
        return HostInbox(
            store=self._store, humans=self._humans, groups=self._groups, settings=self._settings, via=via
        )

    async def open(
        self, execution_id: str = "*", *, limit: int = MOST_ROWS, after: str | None = None
    ) -> Sequence[QuestionRow]:
        def look(tx: Tx) -> list[QuestionRow]:
            found = questions.list_open(tx, limit, execution_id=execution_id, after=after)
            return Rows(tx, self._settings.locale).of(found)

        return await self._store.read(look)

    async def count_open(self) -> int:
        return await self._store.read(questions.count_open)

    async def get(self, ref: str) -> QuestionRow:
        def look(tx: Tx) -> QuestionRow:
            return Rows(tx, self._settings.locale).row(self._humans.deciding.find(tx, ref))

        return await self._store.read(look)

    async def ask(self, given: Mapping[str, Any]) -> QuestionRow:
        asked_id = given.get("id") or new_id("a")
        name = given.get("group") or self._groups.main().name
        group = self._groups.get(name)
        arguments = {key: value for key, value in given.items() if key not in ("id", "group", "session")}
        try:
            if "document" in arguments or arguments.get("kind") == "review":
                raise Misasked(
                    "A program has no /work, so it cannot ask for a review: put what is to be read into `context` "
                    "and ask for an approval or an escalation."
                )
            asking = understand(Kind.HITL, asked_id, SessionId(""), arguments)
            usual = timedelta(minutes=self._settings.questions.timeout_minutes)
            wanted = read_wanted(asking.arguments, usual_timeout=usual, harmless=group.harmless)
            if session := given.get("session"):
                wanted = replace(wanted, **_as_session(session))
            asker = Asker(
                session_id=None,
                execution_id=PROGRAM,
                asked_id=asked_id,
                group=group.name,
                company=group.company,
            )
            question = await self._humans.questions.ask(wanted, asker)
        except Misasked as error:
            raise Refused("said", said=str(error)) from error
        return await self.get(question.id)

    async def wait(self, ref: str, seconds: float) -> QuestionRow:
        found = await self.get(ref)
        if found.status == Status.PENDING:
            await self._humans.questions.wait(found.id, min(seconds, _LONGEST_WAIT))
        return await self.get(found.id)

    async def decide(self, ref: str, option: str | None, words: str | None) -> tuple[str, QuestionRow]:
        def story(tx: Tx, by: Ruler) -> tuple[tuple[str, str], Aftermath]:
            question = self._humans.deciding.find(tx, ref)
            decided = self._humans.deciding.decide(tx, question.id, option, by, now(), said=words)
            return (decided.said, question.id), decided.aftermath

        said, question_id = await self._change(story)
        return said, await self.get(question_id)

    async def cancel(self, ref: str) -> QuestionRow:
        def story(tx: Tx, by: Ruler) -> tuple[str, Aftermath]:
            question = self._humans.deciding.find(tx, ref)
            return question.id, self._humans.deciding.cancel(tx, question.id, by, now())

        return await self.get(await self._change(story))

    async def ask_again(self, ref: str) -> QuestionRow:
        def story(tx: Tx, by: Ruler) -> tuple[str, Aftermath]:
            question = self._humans.deciding.find(tx, ref)
            again, going = self._humans.deciding.ask_again(tx, question.id, by, now())
            return again.id, going

        return await self.get(await self._change(story))

    async def conclude(
        self,
        ref: str,
        *,
        status: str,
        response: object = None,
        transcript: str | None = None,
        duration_ms: int | None = None,
        error: str | None = None,
    ) -> QuestionRow:
        def story(tx: Tx, by: Ruler) -> tuple[str, Aftermath]:
            question = self._humans.deciding.find(tx, ref)
            if question.kind is not QuestionKind.INTERACTIVE:
                raise Refused("not-a-session")
            keeps = bool((question.config or {}).get("captureTranscript"))
            going = self._humans.deciding.conclude(
                tx,
                question.id,
                by,
                now(),
                status=Status(status),
                response=response,
                transcript=transcript if keeps else None,
                duration_ms=duration_ms,
                error=error,
            )
            return question.id, going

        return await self.get(await self._change(story))

    async def decided(self, limit: int, before: str | None = None) -> Sequence[QuestionRow]:
        def look(tx: Tx) -> list[QuestionRow]:
            found = questions.decided(tx, min(limit, MOST_ROWS), before)
            return Rows(tx, self._settings.locale).of(found)

        return await self._store.read(look)

    async def figures(self, days: int) -> Figures:
        outcomes = await self._store.read(lambda tx: questions.outcomes(tx, now() - timedelta(days=days)))
        return Figures(
            days=days,
            total=_figure_row(figure("all", outcomes)),
            by_kind=tuple(map(_figure_row, figures_by(outcomes, lambda each: each.kind))),
            by_skill=tuple(map(_figure_row, figures_by(outcomes, lambda each: each.skill or "-"))),
        )

    async def permits(self) -> Sequence[PermitRow]:
        found = await self._store.read(lambda tx: permits.valid(tx, now()))
        return [
            PermitRow(
                id=permit.id,
                short=permit.id[-SHORT:],
                scope=permit.scope.value,
                group=permit.agent_group,
                tool=permit.tool,
                rule=permit.rule,
                shown=permit.shown,
                granted_by=permit.granted_by,
                granted_name=permit.granted_name,
                created_at=permit.created_at,
                expires_at=permit.expires_at,
            )
            for permit in found
        ]

    async def revoke(self, ref: str) -> None:
        def story(tx: Tx, by: Ruler) -> tuple[None, Aftermath]:
            revoke(tx, find_permit(tx, ref, now()), by, now())
            return None, Aftermath()

        await self._change(story)

    async def _change(self, act: Callable[[Tx, Ruler], tuple[T, Aftermath]]) -> T:
        def story(tx: Tx) -> tuple[T, Aftermath]:
            return act(tx, self._ruler(tx))

        changed, going = await self._store.write(story)
        self._humans.questions.set_going(going)
        return changed

    def _ruler(self, tx: Tx) -> Ruler:
        owner = people.person_named(tx, LOCAL_OWNER)
        if owner is None:
            raise NotFound("no-such-person", person=LOCAL_OWNER)
        rights = memberships.rights_of(tx, owner)
        return Ruler.of(owner, rights, via=self._via, language=language_of(owner, self._settings.locale))


def _figure_row(made: Figure) -> FigureRow:
    return FigureRow(**asdict(made))


def _as_session(config: Mapping[str, Any]) -> dict[str, Any]:
    """What an interactive session can come to: what its outcome says; else whatever is written at its end."""
    outcome = config.get("outcomeSchema") or {}
    if not isinstance(outcome, dict):
        raise Misasked("`session.outcomeSchema` must be an object.")
    options = _session_options(outcome.get("options") or [])
    if outcome.get("type") == "approval":
        options = LAYOUTS["approve_reject"]
    return {"kind": QuestionKind.INTERACTIVE, "options": options, "default": None, "config": dict(config)}


def _session_options(given: object) -> tuple[Option, ...]:
    """Each becomes a button, and is told apart from the others by what stands on it."""
    texts = [each for each in given if isinstance(each, str)] if isinstance(given, list) else None
    labels = [storable(each)[:_LABEL] for each in texts or ()]
    if (
        texts != given
        or len(labels) > _MOST_OPTIONS
        or any(map(is_empty, labels))
        or len(set(labels)) < len(labels)
    ):
        raise Misasked(
            f"`session.outcomeSchema.options` must be up to {_MOST_OPTIONS} texts that differ in their first "
            f"{_LABEL} letters."
        )
    return tuple(Option(id=storable(each)[:_ID], label=storable(each)[:_LABEL]) for each in texts or ())
