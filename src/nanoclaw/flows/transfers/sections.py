"""transfer.md: everything another runtime needs to continue, for a reader who knows nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from nanoclaw.domain.handoffs import Handoff
from nanoclaw.domain.memory import Entry, Trust
from nanoclaw.domain.transfers import CONTEXT_BUNDLE, MEMORY_SNAPSHOT, Transfer
from nanoclaw.flows.transfers.artifacts import Collected
from nanoclaw.flows.transfers.bundle import BundledFile
from nanoclaw.flows.transfers.quotes import in_code, in_line, quoted
from nanoclaw.flows.transfers.summary import MOST_TEXT, Summary
from nanoclaw.texts import say

_MOST_LINE = 500  # characters of a decision or a handoff
_MOST_FILES, _MOST_NAME = 100, 100  # artifacts listed, and characters of their names
_KILOBYTE = 1000


@dataclass(frozen=True, kw_only=True, slots=True)
class Material:
    """What transfer.md is made of; all its texts are already scrubbed."""

    summary: Summary
    identity: str  # of the agent, from the foundation
    memory: str  # CLAUDE.md of the company
    grades: str  # what evidence grades mean
    company: str
    skill: str
    purpose: str
    decisions: Sequence[Entry]
    handoffs: Sequence[tuple[Handoff, str]]  # with what was handed over
    bundle: Sequence[BundledFile]
    artifacts: Collected
    facts: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Sections:
    transfer: Transfer
    material: Material

    def text(self, recent: str) -> str:
        """`recent` is already a complete section."""
        transfer = self.transfer
        head = [
            f"# {self._say('title', group=transfer.group)}",
            f"## Transfer ID: {transfer.id}",
            f"## {self._say('created', time=f'{transfer.created_at:%Y-%m-%d %H:%M} UTC')}",
            f"## {self._say('source', runtime='NanoClaw', version=transfer.source_version)}",
            self._say("intro"),
        ]
        parts = [
            self._section("identity", *self._identity()),
            self._section("company", quoted(self.material.company) if self.material.company else ""),
            self._section("task", *self._task()),
            self._section("done", _listed(self.material.summary.done)),
            self._section("pending", *self._pending()),
            self._section("decisions", self._decisions()),
            self._section("recent", recent),
            self._section("handoffs", self._handoffs()),
            self._section("context", self._context()),
            self._section("artifacts", self._artifacts()),
            self._section("instructions", *self._instructions()),
            self._section("return", *self._return()),
        ]
        return "\n\n".join([*head, *parts]) + "\n"

    def _section(self, key: str, *parts: str) -> str:
        """A section; an empty one says so, because a reader must see that there is nothing."""
        said = [part for part in parts if part] or [self._say("nothing")]
        return "\n\n".join([f"## {self._say(f'section-{key}')}", *said])

    def _identity(self) -> list[str]:
        given = (("identity", self.material.identity), ("memory", self.material.memory))
        return [f"{self._say(f'of-{key}')}\n\n{quoted(text)}" for key, text in given if text]

    def _task(self) -> list[str]:
        summary = self.material.summary
        written = self._say("by-model" if summary.by_model else "by-host")
        step = summary.step
        return [
            f"*{written}*",
            quoted(summary.task[: MOST_TEXT * 4]),
            self._say("step", number=step.number, count=step.of) if step else "",
            quoted(in_line(step.what, _MOST_LINE)) if step and step.what.strip() else "",
            self._say("skill", skill=self.material.skill) if self.material.skill else "",
        ]

    def _pending(self) -> list[str]:
        purpose = self.material.purpose
        asked = f"{self._say('purpose')}\n\n{quoted(purpose)}" if purpose else ""
        return [asked, _listed(self.material.summary.pending)]

    def _decisions(self) -> str:
        lines = []
        for each in self.material.decisions:
            marks = [f"{each.at:%Y-%m-%d}"] + ([] if each.is_binding else [self._say("not-binding")])
            marks += [self._say("hearsay")] if each.trust is Trust.HEARSAY else []
            lines.append(f"{in_line(each.text, _MOST_LINE)} ({', '.join(marks)})")
        return _listed(lines)

    def _handoffs(self) -> str:
        lines = []
        for each, content in self.material.handoffs:
            about = {"id": each.id, "skill": each.to_skill, "group": each.to_group, "state": each.state.value}
            lines.append(self._say("handoff", content=in_line(content, _MOST_LINE), **about))
        return _listed(lines)

    def _context(self) -> str:
        """The context files in the bundle, and how much of each."""
        lines = [
            self._say("snapshot", bundle=CONTEXT_BUNDLE, snapshot=MEMORY_SNAPSHOT, count=self.material.facts)
        ]
        for each in self.material.bundle:
            state = "whole" if each.is_whole else "shortened" if each.kept else "left-out"
            lines.append(
                f"- {each.name}.md: {self._say(f'file-{state}', kept=_size(each.kept), size=_size(each.size))}"
            )
        return "\n".join(lines)

    def _artifacts(self) -> str:
        lines = []
        for taken in self.material.artifacts.taken[:_MOST_FILES]:
            note = "" if taken.is_seen else f" — {self._say('unseen')}"
            lines.append(f"- {in_code(taken.name, _MOST_NAME)} ({_size(taken.size)}){note}")
        for each in self.material.artifacts.referenced[:_MOST_FILES]:
            digest = f", SHA-256 {each.sha256}" if each.sha256 else ""
            note = self._say(f"referenced-{each.why}")
            lines.append(f"- {in_code(each.name, _MOST_NAME)} ({_size(each.size)}{digest}) — {note}")
        return "\n".join(lines)

    def _instructions(self) -> list[str]:
        step, ahead = self.material.summary.step, self.material.summary.next
        start = self._say("go-on-step", number=step.number) if step else self._say("go-on")
        grades = self.material.grades
        return [
            start,
            quoted(ahead) if ahead else "",
            self._say("rules"),
            f"{self._say('grades')}\n\n{quoted(grades)}" if grades else "",
        ]

    def _return(self) -> list[str]:
        transfer = self.transfer
        form = self._say("return-form", id=transfer.id)
        hours = (transfer.expires_at - transfer.created_at) // timedelta(hours=1)
        return [
            self._say("return-intro"),
            f"```markdown\n{form}\n```",
            self._say("return-keep", id=transfer.id, hours=hours),
            self._say(f"return-{transfer.target.value}", id=transfer.id),
            self._say("return-ways", id=transfer.id),
        ]

    def _say(self, key: str, **values: object) -> str:
        return say(self.transfer.language, f"package-{key}", **values)


def _size(size: int) -> str:
    if size < _KILOBYTE:
        return f"{size} B"
    return f"{size / _KILOBYTE:.1f} kB" if size < _KILOBYTE**2 else f"{size / _KILOBYTE**2:.1f} MB"


def _listed(items: Sequence[str]) -> str:
    """A list of other people's words, so it is quoted as well."""
    return quoted("\n".join(f"- {in_line(each, MOST_TEXT)}" for each in items)) if items else ""
