"""Decisions of an analysis bind nobody until a person adopts them. One card asks about all; some can be
picked by number.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from nanoclaw.domain.continuations import Continuation
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.memory import EntryKind
from nanoclaw.domain.people import Actor, Role
from nanoclaw.domain.questions import Asker, NewQuestion, Option, Question, QuestionKind, Status, digest_of
from nanoclaw.domain.shown_text import shown
from nanoclaw.domain.text import as_written
from nanoclaw.domain.transfers import Analysis, AnalysisState
from nanoclaw.durable import analyses, memory_changes, people, questions, work
from nanoclaw.durable.memory_changes import Action, Change
from nanoclaw.durable.store import Tx
from nanoclaw.flows.analyses.findings import Finding, Findings
from nanoclaw.flows.analyses.interpretation import SKILL
from nanoclaw.flows.human.each_language import enclosed, in_each
from nanoclaw.flows.human.new_questions import NewQuestions
from nanoclaw.flows.human.resolution import Resolution
from nanoclaw.flows.knowledge.changes import trust_of
from nanoclaw.flows.knowledge.lines import EntryOrigin, SaidEntry, line_of
from nanoclaw.texts import LANGUAGES, say

ALL, SOME, NONE = "adopt_all", "adopt_some", "adopt_none"
VIA = "analysis"
_TIME = timedelta(days=7)
_SHOWN = 2800  # characters
_NUMBERS = re.compile(r"\d{1,3}(?:\s*[-–]\s*\d{1,3})?")


@dataclass(frozen=True, kw_only=True, slots=True)
class DecisionsCard:
    new_questions: NewQuestions
    resolution: Resolution

    def ask(self, tx: Tx, analysis: Analysis, group: str, at: datetime, *, again_after: str = "") -> str:
        """Ask the admins of the group; returns the id of the question. `again_after`: the question whose answer
        does not count."""
        values = {"name": as_written(analysis.file_name), "count": len(_decisions(analysis))}
        words = partial(_words, analysis, "analysis-ask-decisions", values)
        options: tuple[Option, ...] = (Option(id=ALL), Option(id=SOME), Option(id=NONE, safe=True))
        if _is_hidden(analysis):  # nobody adopts with one tap what they have not seen
            options = options[1:]
        elif len(_decisions(analysis)) == 1:
            options = (Option(id=ALL), Option(id=NONE, safe=True))
        wanted = NewQuestion(
            # In a CHOICE the reply `1` would mean the first button, which adopts all of them.
            kind=QuestionKind.REVIEW,
            prompt=words(analysis.language),
            options=options,
            timeout=_TIME,
            default=NONE,
            skill=SKILL,
            config={**in_each(words), **_enclosed(analysis)},
            effect=effect_of(analysis),
        )
        return self._open(tx, wanted, analysis, group, " ".join(filter(None, ("decisions", again_after))), at)

    def ask_which(self, tx: Tx, analysis: Analysis, asked: Question, at: datetime, said: str = "") -> str:
        """Ask for numbers: the next thing they write in that chat is read as the list."""
        key = "analysis-ask-which-again" if said else "analysis-ask-which"
        values = {"count": len(_decisions(analysis)), "said": as_written(said[:80])}
        words = partial(_words, analysis, key, values)
        wanted = NewQuestion(
            kind=QuestionKind.INPUT,
            prompt=words(analysis.language),
            options=(Option(id=NONE, safe=True),)
            if _is_hidden(analysis)
            else (Option(id=ALL), Option(id=NONE, safe=True)),
            timeout=_TIME,
            default=NONE,
            deciders=(asked.decided_by,) if asked.decided_by else (),
            skill=SKILL,
            config={**in_each(words), **_enclosed(analysis)},
            effect=effect_of(analysis),
        )
        return self._open(tx, wanted, analysis, asked.group, f"which {asked.id}", at)

    def answered(
        self, tx: Tx, analysis: Analysis, question: Question, by: Actor | None, at: datetime
    ) -> None:
        """Carry out what people decided; adopt nothing if nobody decided in time."""
        count = len(_decisions(analysis))
        if question.status is not Status.COMPLETED or by is None or question.chosen == NONE:
            leave(tx, analysis)
        elif not question.is_about(effect_of(analysis)):
            asked = self.ask(tx, analysis, question.group, at, again_after=question.id)
            analyses.mark(tx, analysis.id, question_id=asked)
        elif question.chosen == ALL:
            adopt(tx, analysis, range(1, count + 1), by, question.group, at)
        else:
            numbers = read_numbers(question.user_input or "", count)
            if numbers:
                adopt(tx, analysis, numbers, by, question.group, at)
            else:
                said = question.user_input or ""
                analyses.mark(tx, analysis.id, question_id=self.ask_which(tx, analysis, question, at, said))

    def decide(
        self, tx: Tx, analysis: Analysis, adopted: Sequence[int], by: Actor, group: str, at: datetime
    ) -> Analysis:
        """Adopt decisions from the page or a terminal, by their numbers in the list. Raises Refused."""
        if not by.rights.role_in(group).may(Role.ADMIN):
            raise Refused("analysis-decide-forbidden")
        question = questions.locked(tx, analysis.question_id or "")
        if analysis.state is not AnalysisState.IMPORTED or question is None or not question.is_open:
            raise Refused("analysis-decided")
        count = len(_decisions(analysis))
        if any(not 1 <= each <= count for each in adopted):
            raise Refused("analysis-no-such-decision", count=count)
        is_all = len(set(adopted)) == count and question.option(ALL) is not None
        chosen = ALL if is_all else NONE if not adopted else SOME
        said = ", ".join(map(str, sorted(set(adopted)))) if chosen == SOME else None
        option = question.option(chosen)
        self.resolution.decide(tx, question, by, at, chosen=option.id if option else None, said=said)
        adopt(tx, analysis, sorted(set(adopted)), by, group, at)
        return analyses.get(tx, analysis.id) or analysis

    def _open(
        self, tx: Tx, wanted: NewQuestion, analysis: Analysis, group: str, what: str, at: datetime
    ) -> str:
        asker = Asker(
            asked_id=f"analysis {analysis.id} {what}",
            group=group,
            company=analysis.company,
            chat_id=analysis.chat_id,
            thread=analysis.thread,
            then=Continuation(work.ANALYSIS, analysis.id),
        )
        return self.new_questions.open(tx, wanted, asker, None, at).id


def adopt(tx: Tx, analysis: Analysis, numbers: Sequence[int], by: Actor, group: str, at: datetime) -> None:
    """Make these the decisions of the person who adopted them; the others bind nobody."""
    decisions = _decisions(analysis)
    for number in numbers:
        _adopt(tx, analysis, number, decisions[number - 1], by, group, at)
    found = {**(analysis.found or {}), "adopted": list(numbers), "decided": True}
    analyses.mark(tx, analysis.id, found=found, question_id=None)


def leave(tx: Tx, analysis: Analysis) -> None:
    """Adopt none of them."""
    found = {**(analysis.found or {}), "adopted": [], "decided": True}
    analyses.mark(tx, analysis.id, found=found, question_id=None)


def _adopt(
    tx: Tx, analysis: Analysis, number: int, decision: Finding, by: Actor, group: str, at: datetime
) -> None:
    trust = trust_of(by.rights.role_in(group))
    place = say(
        analysis.language, "analysis-provenance", name=analysis.file_name, place=decision.source or "-"
    )
    said = SaidEntry(
        text=decision.text,
        kind=EntryKind.DECISION,
        rationale="; ".join(filter(None, (decision.rationale, place))),
        source=analysis.id,
    )
    person = people.person_named(tx, by.handle)
    where = EntryOrigin(chat_id=analysis.chat_id, message_id=analysis.message_id)
    line = line_of(said, by.handle, where, trust, VIA, at)
    memory_changes.ask(
        tx,
        Change(
            company=analysis.company,
            action=Action.ADD,
            trust=trust,
            created_at=at,
            entry_id=str(line["id"]),
            body=line,
            person_id=person.id if person else None,
            chat_id=analysis.chat_id,
            message_id=analysis.message_id,
            origin=decision_origin(analysis.id, number),
        ),
    )


def effect_of(analysis: Analysis) -> str:
    """What of it can become binding, to the letter."""
    return digest_of(analysis.id, [asdict(each) for each in _decisions(analysis)])


def decision_origin(analysis_id: str, number: int) -> str:
    return f"analysis {analysis_id} decision {number}"


def read_numbers(said: str, count: int) -> list[int]:
    """Read `1, 3-5`. Empty if it says anything else, or a number is out of range."""
    rest = _NUMBERS.sub("", said)
    if rest.strip(" ,;.#№&+\n\t") and not re.fullmatch(r"(?:[\s,;.#№&+]|and|та|і|й)+", rest.casefold()):
        return []
    found: set[int] = set()
    for each in _NUMBERS.findall(said):
        first, _, last = each.replace("–", "-").partition("-")
        found |= set(range(int(first), int(last or first) + 1))
    return sorted(found) if found and min(found) >= 1 and max(found) <= count else []


def _decisions(analysis: Analysis) -> tuple[Finding, ...]:
    return Findings.of(analysis.found or {}).decisions


def _words(analysis: Analysis, key: str, values: Mapping[str, object], language: str) -> str:
    return f"{say(language, key, **values)}\n\n{_listed(analysis, language)[0]}"


def _is_hidden(analysis: Analysis) -> bool:
    """Whether some do not fit on the card, in any of the languages."""
    return any(_listed(analysis, language)[1] for language in LANGUAGES)


def _enclosed(analysis: Analysis) -> Mapping[str, Any]:
    """All of them, for the document, if the card has no room for some."""
    if not _is_hidden(analysis):
        return {}
    numbered = enumerate(_decisions(analysis), 1)
    return enclosed(decisions="\n".join(f"{number}. {_whole(each)}" for number, each in numbered))


def _whole(decision: Finding) -> str:
    """The text, and why: both are written down."""
    said = " — ".join(filter(None, (decision.text, decision.rationale)))
    return " ".join(
        shown(said).split()
    )  # marks first: odd spaces and line ends would be taken for plain ones


def _listed(analysis: Analysis, language: str) -> tuple[str, int]:
    """The decisions in full, because each binds in full, and how many did not fit."""
    lines, room, decisions = list[str](), _SHOWN, _decisions(analysis)
    for number, each in enumerate(decisions, 1):
        text = _whole(each)
        place = say(language, "analysis-place", place=as_written(each.source)) if each.source else ""
        line = f"{number}. {as_written(text)} {place}".rstrip()
        if len(line) > room:
            hidden = len(decisions) - number + 1
            return "\n".join([*lines, say(language, "analysis-more", count=hidden)]), hidden
        room -= len(line)
        lines.append(line)
    return "\n".join(lines), 0
