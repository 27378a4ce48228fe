"""`CLAUDE.md` of a company, section by section, as the page shows it."""

from datetime import UTC, datetime

from nanoclaw.console.markdown import to_html
from nanoclaw.console.memory_shapes import NotesSection
from nanoclaw.domain.secret_search.masker import mask_secrets
from nanoclaw.memory.claude_md import FILE, MOST_BYTES, Sections
from nanoclaw.memory.files import MemoryFiles


def read_notes(files: MemoryFiles, company: str) -> tuple[list[NotesSection], datetime | None]:
    """The sections, and when the file last changed. Blocks: use a thread."""
    text = files.read_text(company, FILE, MOST_BYTES)
    if text is None:
        return [], None
    changed = (files.folder(company) / FILE).stat(follow_symlinks=False).st_mtime
    return sections_of(mask_secrets(_shown(text))), datetime.fromtimestamp(changed, UTC)


def sections_of(text: str) -> list[NotesSection]:
    """Text before the first heading has no title; a heading below another belongs to it."""
    lines, end = text.split("\n"), 0
    found: list[NotesSection] = []
    parts = Sections.read(text).parts
    before = "\n".join(lines[: parts[0].start] if parts else lines)
    if before.strip():
        found.append(_section("", before))
    for part in parts:
        if part.start >= end:
            found.append(_section(part.title, "\n".join(lines[part.body : part.end])))
            end = part.end
    # The title of the whole file, if nothing else stands below it.
    return found[1:] if len(found) > 1 and not found[0].text.strip() else found


def _section(title: str, text: str) -> NotesSection:
    return NotesSection(title=title, text=text.strip("\n"), html=to_html(text))


def _shown(text: str) -> str:
    """Bytes that are not UTF-8 come as lone surrogates, which cannot be sent."""
    return (
        text.encode("utf-8", "surrogateescape")
        .decode("utf-8", "replace")
        .removeprefix("\ufeff")
        .replace("\r\n", "\n")
        .replace("\r", "\n")
    )
