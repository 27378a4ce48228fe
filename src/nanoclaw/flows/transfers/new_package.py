"""One package while it is being made: the gathered and scrubbed material, and the files written from it.

Everything blocks: use a thread.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from nanoclaw.domain.transfers import (
    CONTEXT_BUNDLE,
    MEMORY_SNAPSHOT,
    MOST_RECENT,
    MOST_TRANSFER_MD,
    TRANSFER_MD,
    Transfer,
)
from nanoclaw.durable.session_record import SaidLine
from nanoclaw.flows.transfers import artifacts, bundle, picks, recent
from nanoclaw.flows.transfers.artifacts import CollectedArtifacts
from nanoclaw.flows.transfers.candidates import candidates
from nanoclaw.flows.transfers.gathered import Gathered
from nanoclaw.flows.transfers.quotes import cut
from nanoclaw.flows.transfers.scrubber import Scrubber
from nanoclaw.flows.transfers.sections import Material, PackageSections
from nanoclaw.flows.transfers.snapshot import snapshot
from nanoclaw.flows.transfers.summary import Summary, SummaryStep, from_rows
from nanoclaw.memory.files import MemoryFiles
from nanoclaw.sandbox.file_writers import Written
from nanoclaw.sandbox.untrusted_files import read_text

_MOST_IDENTITY, _MOST_GRADES, _MOST_CONTENT = 8_000, 2_500, 1_000  # bytes


@dataclass(kw_only=True, slots=True)
class NewPackage:
    """Everything but `transfer` is scrubbed; `known` is what the rows say about the work."""

    home: Path
    transfer: Transfer
    gathered: Gathered
    context: dict[str, str]
    scrubber: Scrubber
    purpose: str
    messages: list[SaidLine]
    names: Callable[[SaidLine], str]
    known: Summary
    collected: CollectedArtifacts
    left_out: int = 0

    def write(self, summary: Summary, folder: Path) -> dict[str, str]:
        """Write the files; returns our three texts by name."""
        made = bundle.bundled(self.context, self.transfer.language, self.transfer.id)
        lines = snapshot(
            MemoryFiles(self.home),
            self.transfer.company,
            [*self.gathered.facts, *self.gathered.decisions],
            partial(self.scrubber.scrub, file=MEMORY_SNAPSHOT),
        )
        material = Material(
            summary=scrubbed(summary, self._clean),
            identity=self._file("foundation", "core_identity.md", _MOST_IDENTITY),
            memory=self._memory(),
            grades=self._file("foundation", "evidence_grading.md", _MOST_GRADES),
            company=bundle.about_company(self.context),
            skill=next((turn.skill for turn in self.gathered.turns if turn.skill), ""),
            purpose=self.purpose,
            decisions=self.gathered.decisions,
            handoffs=[
                (each, cut(self._clean(each.content), _MOST_CONTENT)) for each in self.gathered.handoffs
            ],
            bundle=made.files,
            artifacts=self.collected,
            facts=lines.count("\n"),
        )
        texts = {
            TRANSFER_MD: self._transfer_md(material),
            CONTEXT_BUNDLE: made.text,
            MEMORY_SNAPSHOT: lines,
        }
        for name, text in texts.items():
            (folder / name).write_bytes(text.encode("utf-8", "replace"))
        return texts

    def removed(self) -> dict[str, Any]:
        """What was removed, as in `Package.removed`."""
        counts = dict(self.scrubber.removed)
        if self.left_out:
            counts["messages"] = self.left_out
        return counts | {
            "files": {file: dict(found) for file, found in sorted(self.scrubber.by_file.items())},
            "referenced": [asdict(each) for each in self.collected.referenced],
            "unseen": [each.name for each in self.collected.taken if not (each.is_seen or each.is_secret)],
            **picks.noted(self.collected, self.transfer),
        }

    def _transfer_md(self, material: Material) -> str:
        """The text of transfer.md. The messages get the room that the rest leaves."""
        sections = PackageSections(transfer=self.transfer, material=material)
        room = min(MOST_RECENT, MOST_TRANSFER_MD - len(sections.text("").encode()))
        shown = recent.shown(
            self.messages, self.gathered.said_count, self.names, self.transfer.language, room
        )
        self.left_out = shown.left_out
        return sections.text(shown.text)

    def _memory(self) -> str:
        """The company's CLAUDE.md, unless this chat may not read it."""
        folder = f"companies/{self.transfer.company}/memory"
        return self._file(folder, "CLAUDE.md", _MOST_IDENTITY) if self.gathered.reads_memory else ""

    def _file(self, folder: str, name: str, most: int) -> str:
        return cut(self._clean(read_text(self.home / folder, name)), most)

    def _clean(self, text: str) -> str:
        return self.scrubber.scrub(text, TRANSFER_MD)


def begin(
    home: Path,
    transfer: Transfer,
    gathered: Gathered,
    folder: Path,
    new_scrubber: Callable[[Sequence[str]], Scrubber],
    written: Mapping[str, Written] | None,
) -> NewPackage:
    """Gather the material; the artifacts are copied into `folder`. `written`: who wrote the group's files."""
    context = bundle.read_context(home, transfer.company)
    public = [each.text for each in gathered.facts if each.is_public]
    scrubber = new_scrubber([context.get(bundle.IDENTITY, ""), gathered.asker.handle, *public])
    clean = partial(scrubber.scrub, file=TRANSFER_MD)
    messages = recent.chosen(gathered.said, MOST_RECENT, clean)
    decisions = tuple(replace(each, text=clean(each.text)) for each in gathered.decisions)
    purpose = clean(transfer.purpose)
    files = home / "groups" / gathered.session.group / "files"
    known = from_rows(gathered, messages, purpose, transfer.language)
    return NewPackage(
        home=home,
        transfer=transfer,
        gathered=replace(gathered, decisions=decisions),
        context={name: scrubber.scrub(text, CONTEXT_BUNDLE) for name, text in context.items()},
        scrubber=scrubber,
        purpose=purpose,
        messages=messages,
        names=recent.speaker(gathered.guests, transfer.language, clean),
        known=scrubbed(known, clean),
        collected=artifacts.collect(
            files,
            home / "data" / "attachments",
            candidates(files, gathered, written),
            folder,
            scrubber,
            picks.picked(transfer),
        ),
    )


def scrubbed(summary: Summary, clean: Callable[[str], str]) -> Summary:
    step = summary.step
    return replace(
        summary,
        task=clean(summary.task),
        step=SummaryStep(number=step.number, of=step.of, what=clean(step.what)) if step else None,
        done=tuple(map(clean, summary.done)),
        pending=tuple(map(clean, summary.pending)),
        next=clean(summary.next),
    )
