"""What a merge with the remote leaves to the owner: context files changed on both sides, and files that may
grant rights.

Each is a question. Until it is answered our own version stays in effect, and theirs is kept in git.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import structlog

from nanoclaw.context.groups import Groups
from nanoclaw.domain.context_files import RHYTHMS
from nanoclaw.domain.continuations import Continuation
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.people import Role
from nanoclaw.domain.questions import Asker, NewQuestion, Option, Question, QuestionKind, digest_of
from nanoclaw.domain.tool_requests import BadToolRequest
from nanoclaw.durable import notes, people, proposals, questions, work
from nanoclaw.durable.proposals import Proposal, ProposalSource
from nanoclaw.durable.store import Store, Tx
from nanoclaw.flows.company_context.proposals import EDIT
from nanoclaw.flows.human.each_language import in_each, sentence
from nanoclaw.flows.human.questions import Questions
from nanoclaw.git.choices import Choices, HeldFiles
from nanoclaw.git.command import GitFailed
from nanoclaw.git.merge import Conflict
from nanoclaw.git.merger import Merged
from nanoclaw.git.paths import company_of
from nanoclaw.git.staged import TreeEntry
from nanoclaw.texts import say

log = structlog.get_logger("versions")

NOTE = "versions-open"
_TIME = timedelta(days=7)
_MOST_FILES = 30
OURS, THEIRS, BOTH, TAKE, KEEP = "ours", "theirs", "both", "take", "keep"


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenMerge:
    """One question: about a conflict, or about files that are held back."""

    question: str | None  # None: nobody could be asked, or nobody decided; the doctor reports it
    conflict: Conflict | None = None
    held: HeldFiles = field(default_factory=dict)

    @property
    def paths(self) -> list[str]:
        return [self.conflict.path] if self.conflict else list(self.held)


class OpenMerges:
    def __init__(
        self,
        *,
        store: Store,
        questions: Questions,
        groups: Groups,
        locale: Locale,
        choices: Choices,
        then: Continuation,
    ) -> None:
        """`then` carries out the answer."""
        self._store = store
        self._questions = questions
        self._groups = groups
        self._language = locale.speaks
        self._choices = choices
        self._then = then

    async def ask(self, merged: Merged) -> list[OpenMerge]:
        """Ask about a merge. Asking again about the same merge gives the same questions."""
        opened = []
        for conflict in merged.conflicts:
            asked = await self._ask_about(conflict, merged)
            opened.append(OpenMerge(question=asked, conflict=conflict))
        if merged.held:
            # What is already held was made from an older version.
            known = await self._store.read(read_open)
            older = {path: both[0] for each in known for path, both in each.held.items()}
            held = {path: [older.get(path, merged.files[path][0]), new] for path, new in merged.held.items()}
            opened.append(OpenMerge(question=await self._ask_to_take(held, merged), held=held))
        return opened

    def keep(self, tx: Tx, opened: Sequence[OpenMerge], at: datetime) -> None:
        """Store the questions, together with whatever else follows the merge."""
        known = read_open(tx)
        fresh = [each for each in opened if each.question is None or each.question not in _questions(known)]
        if fresh:
            _write(tx, [*known, *fresh], at)

    async def settle(self, at: datetime) -> None:
        """Carry out what was answered meanwhile. May be repeated."""
        answered = await self._store.read(_answered)
        done: dict[str, OpenMerge | None] = {}
        for each, question in answered:
            if not question.is_about(effect_of(each.conflict, each.held)):
                log.warning("merge is not what was shown", question=question.id)
                done[question.id] = replace(each, question=None)  # ours stays, and the doctor reports it
                continue
            try:
                if each.conflict and question.chosen == EDIT:
                    await self._let_edit(each.conflict, question, at)
                    done[question.id] = None
                else:
                    done[question.id] = await asyncio.to_thread(self._carry_out, each, question)
            except GitFailed as error:
                log.warning("choice not carried out yet", question=question.id, reason=error)
        if done:
            await self._store.write(partial(_replace, done=done, at=at))

    async def _let_edit(self, conflict: Conflict, question: Question, at: datetime) -> None:
        """Let the owner write the text, in a proposal that starts from theirs and continues as if Edit had
        been pressed.
        """
        there, wanted = await asyncio.to_thread(self._choices.with_theirs, conflict)
        company = company_of(conflict.path) or ""
        proposal = Proposal(
            id=proposals.new_proposal_id(),
            company=company,
            file=_file(conflict.path),
            before=_text(there),
            after=_text(wanted),
            summary=say(self._language, "merge-edited"),
            source=ProposalSource.GIT,
            created_at=at,
            question_id=question.id,
            origin=f"merge {question.id}",
        )

        def story(tx: Tx) -> None:
            if proposals.with_origin(tx, f"merge {question.id}"):
                return
            person = people.person_named(tx, question.decided_by or "")
            summary = say((person and person.language) or self._language, "merge-edited")
            proposals.add(tx, replace(proposal, person_id=person.id if person else None, summary=summary))
            work.due(tx, work.CONTEXT, company, at)

        await self._store.write(story)

    def _carry_out(self, each: OpenMerge, question: Question) -> OpenMerge | None:
        """Carry out the answer; returns what is left of the merge."""
        chosen = question.chosen
        if each.conflict:
            if chosen in (THEIRS, BOTH):
                self._choices.take(each.conflict, both=chosen == BOTH, by=question.decided_name)
            return None
        if chosen == KEEP:
            self._choices.keep_ours(each.held)
            return None
        left = self._choices.put_in_effect(each.held) if chosen == TAKE else list(each.held)
        return OpenMerge(question=None, held={path: each.held[path] for path in left}) if left else None

    async def _ask_about(self, conflict: Conflict, merged: Merged) -> str | None:
        company = company_of(conflict.path) or ""
        file = _file(conflict.path)
        options = [Option(id=OURS, safe=True), Option(id=THEIRS)]
        if conflict.ours and conflict.theirs:
            options.append(Option(id=BOTH))
            if file in RHYTHMS:
                options.append(Option(id=EDIT))
        key = "merge-conflict" if conflict.theirs else "merge-deleted"
        shown = await asyncio.to_thread(self._taken, conflict)
        asked_id = f"merge {merged.theirs[:16]} {conflict.path}"
        words = sentence(key, file=file, company=company)
        return await self._ask(words, options, OURS, shown, asked_id, company, effect_of(conflict, {}))

    async def _ask_to_take(self, held: HeldFiles, merged: Merged) -> str | None:
        options = [Option(id=TAKE), Option(id=KEEP)]
        pairs = [(path, _blob(both[0]), _blob(both[1])) for path, both in held.items()]
        shown = await asyncio.to_thread(self._difference, pairs)
        named = list(held) if len(held) <= _MOST_FILES else [*list(held)[:_MOST_FILES], "…"]
        words = sentence("merge-held", files=", ".join(named), count=len(held))
        asked_id = f"merge {merged.theirs[:16]} held"
        return await self._ask(words, options, None, shown, asked_id, "", effect_of(None, held))

    async def _ask(
        self,
        words: Callable[[str], str],
        options: list[Option],
        default: str | None,
        shown: str,
        asked_id: str,
        company: str,
        effect: str,
    ) -> str | None:
        owners = await self._store.read(lambda tx: people.with_role(tx, Role.OWNER))
        wanted = NewQuestion(
            kind=QuestionKind.CHOICE,
            prompt=words(self._language),
            options=tuple(options),
            timeout=_TIME,
            default=default,
            context=shown,
            deciders=tuple(each.handle for each in owners),
            config=in_each(words),
            effect=effect,
        )
        group = self._group_of(company)
        asker = Asker(
            asked_id=asked_id,
            group=group,
            company=company or self._groups.company_of(group) or "",
            then=self._then,
        )
        try:
            return (await self._questions.ask(wanted, asker)).id
        except BadToolRequest as error:
            log.warning("merge not asked about", reason=error)
            return None

    def _group_of(self, company: str) -> str:
        mine = (name for name in self._groups.names() if self._groups.company_of(name) == company)
        return next(mine, None) or self._groups.main().name

    def _taken(self, conflict: Conflict) -> str:
        """What taking theirs would change here; other changes on both sides stay."""
        there, wanted = self._choices.with_theirs(conflict)
        return f"{conflict.path}\n{self._choices.difference(there, wanted)}"

    def _difference(self, pairs: Sequence[tuple[str, str | None, str | None]]) -> str:
        return "\n".join(f"{path}\n{self._choices.difference(ours, theirs)}" for path, ours, theirs in pairs)


def effect_of(conflict: Conflict | None, held: HeldFiles) -> str:
    """Which versions are taken or kept, by their ids in git."""
    entries = {path: [each and asdict(each) for each in both] for path, both in held.items()}
    return digest_of(conflict and asdict(conflict), entries)


def read_open(tx: Tx) -> list[OpenMerge]:
    return [_open(each) for each in notes.read(tx, NOTE) or ()]


def _answered(tx: Tx) -> list[tuple[OpenMerge, Question]]:
    asked = ((each, questions.get(tx, each.question)) for each in read_open(tx) if each.question)
    return [(each, question) for each, question in asked if question and not question.is_open]


def _replace(tx: Tx, *, done: Mapping[str, OpenMerge | None], at: datetime) -> None:
    left = (done.get(each.question, each) if each.question else each for each in read_open(tx))
    _write(tx, [each for each in left if each], at)


def _file(path: str) -> str:
    """`product/pricing` for the path of that file."""
    return path.partition("/context/")[2].removesuffix(".md") or path


def _text(content: bytes | None) -> str | None:
    return None if content is None else content.decode("utf-8", "replace").replace("\0", "\ufffd")


def _blob(entry: TreeEntry | None) -> str | None:
    return entry.blob if entry else None


def _questions(known: Sequence[OpenMerge]) -> set[str]:
    return {each.question for each in known if each.question}


def _write(tx: Tx, known: Sequence[OpenMerge], at: datetime) -> None:
    if known:
        notes.write(tx, NOTE, [asdict(each) for each in known], at)
    else:
        notes.forget(tx, NOTE)


def _open(kept: Mapping[str, Any]) -> OpenMerge:
    conflict = kept["conflict"]
    return OpenMerge(
        question=kept["question"],
        conflict=Conflict(**conflict) if conflict else None,
        held={
            path: [TreeEntry(**each) if each else None for each in both]
            for path, both in kept["held"].items()
        },
    )
