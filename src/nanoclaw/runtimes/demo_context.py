"""How the demo model changes a company's context: it replaces one thing by another, or adds a line, as it is
told.

From a document it takes the sections whose headings name a context file.
"""

import re
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

from nanoclaw.domain.context_edits import ContextSection, read_replacement, sections
from nanoclaw.domain.context_files import AREAS, RHYTHMS, files_named
from nanoclaw.domain.steps import Returned, Step
from nanoclaw.texts import say

COMPILER, ANALYZER = "context-compiler", "document-analyzer"
_COMMAND = re.compile(r"/update[-_]context(?:@\w+)?\s*", re.IGNORECASE)
_QUOTED_FILE = re.compile(r"\[document: (/work/[^\]]+)\]")
_MOST_SECTIONS = 17
_LONGEST_HEADING = 40
Call = tuple[str, dict[str, Any]]


def next_step(skill: str, prompt: str, said: str, language: str, steps: Sequence[Step]) -> Call | str | None:
    """A tool call, or the answer; None if this is not about the context."""
    command = _COMMAND.match(said)
    if command is None or skill not in (COMPILER, ANALYZER):
        return None
    returned = [step for step in steps if isinstance(step, Returned)]
    wanted = said[command.end() :].strip()
    if skill == COMPILER:
        return _from_words(wanted, returned, language)
    path = _path(prompt)  # none if it could not be fetched, which is reported anyway
    return _from_document(path, wanted, returned, language) if path else None


def _from_words(wanted: str, returned: Sequence[Returned], language: str) -> Call | str:
    name, colon, change = (part.strip() for part in wanted.partition(":"))
    files = files_named(name) if colon else []
    if len(files) != 1 or not change:
        return say(language, "demo-context-which")
    replacement = read_replacement(change)
    if not returned and replacement:
        return _edit(files[0], change, {"old": replacement.old, "new": replacement.new, "all": True})
    is_missing = len(returned) == 1 and replacement is not None and "is not in" in returned[0].text
    if is_missing and replacement and replacement.is_bare:
        return say(language, "demo-context-not-there", file=files[0], old=replacement.old)
    if not returned or is_missing:
        return _edit(files[0], change, {"old": "", "new": change})
    return _told(returned[-1], language)


def _from_document(path: str, wanted: str, returned: Sequence[Returned], language: str) -> Call | str:
    if wanted and not files_named(_name(wanted)):
        known = {"areas": ", ".join(AREAS), "known": ", ".join(RHYTHMS)}
        return say(language, "demo-document-which", name=_name(wanted)[:80], **known)
    if not returned:
        return "read_document", {"path": path}
    document, *proposed = returned
    if not document.ok:
        return say(language, "demo-document-unread", said=document.text)
    found = _matching(document.text, wanted)
    if not found:
        return say(language, "demo-document-nothing")
    if len(proposed) == len(found):
        bad = next((each for each in proposed if not each.ok), proposed[0])
        return _told(bad, language)
    file, section = found[len(proposed)]
    return _edit(file, section.heading, {"old": "", "new": f"## {section.heading}\n\n{section.body}"})


def _matching(text: str, wanted: str) -> list[tuple[str, ContextSection]]:
    """At most one section per file: two proposals for one file would get in each other's way."""
    only = files_named(_name(wanted)) if wanted else None
    found: dict[str, ContextSection] = {}
    for section in sections(_with_headings(text)):
        named = files_named(section.heading)
        if len(named) == 1 and section.body and (not only or named[0] in only):
            found.setdefault(named[0], section)
    return list(found.items())[:_MOST_SECTIONS]


def _name(wanted: str) -> str:
    """The name of the file or area, before what else is said about it."""
    return wanted.partition(":")[0].strip()


def _with_headings(text: str) -> str:
    """The text with headings. A PDF has none: there a short line that names a file counts as one."""
    if sections(text):
        return text
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(f"# {line}" if _is_heading(line) else line for line in lines)


def _is_heading(line: str) -> bool:
    return (
        0 < len(line) <= _LONGEST_HEADING
        and not line.endswith((".", ",", ";"))
        and len(files_named(line)) == 1
    )


def _edit(file: str, summary: str, edit: dict[str, Any]) -> Call:
    return "propose_context", {"file": file, "summary": summary[:300], "edits": [edit]}


def _told(returned: Returned, language: str) -> str:
    if returned.ok:
        return say(language, "demo-context-proposed")
    return say(language, "demo-context-refused", said=returned.text)


def _path(prompt: str) -> str | None:
    """The path of the file that came with the message, or with what it replies to."""
    read = ElementTree.fromstring(f"<prompt>{prompt}</prompt>")  # noqa: S314 - made by context/message_xml.py, escaped there
    came = [file.get("path") for file in read.iter("file") if file.get("path")]
    quoted = _QUOTED_FILE.findall("".join(read.itertext()))
    return next(iter([*came, *quoted]), None)
