"""Reads an analysis by the headings that the return instructions ask for: without a model, or when one fails."""

import re

from nanoclaw.domain.context_files import files_named
from nanoclaw.flows.analyses.findings import Finding, Findings

# No two parts of these patterns match the same characters, so a line of 40,000 blanks or `#` takes no time.
_HEADING = re.compile(r"^(?:#{1,6}[ \t]+(?P<hash>[^ \t].*)|\*\*(?P<bold>[^*\n]{3,60})\*\*:?[ \t]*)$")
_ITEM = re.compile(r"^\s{0,3}(?:[-*+•]|\d{1,4}[.)])\s+(?:\[[ xX]\]\s+)?(?P<text>.+)$")
_REASON = re.compile(
    r"^(?P<text>.+?)\s*(?:\((?:because|reason|why|бо|тому що|причина):?\s+(?P<in>[^()]+)\)|"
    r"\s[—–-]\s(?:because|reason:|why:|бо|тому що|причина:)\s+(?P<after>.+))\s*$",
    re.IGNORECASE,
)
_OF_FILE = re.compile(r"^[`*]*(?P<file>[\w/ .-]{3,60}?)[`*]*\s*[:—–]\s*(?P<text>.+)$", re.DOTALL)
# Bold and italics are for the eye: `**46 offices**` is remembered as what it says.
_EMPHASIS = re.compile(r"(?<![\w*])(?P<mark>\*{1,3})(?=[^\s*])(?P<words>[^*]+?)(?<=\S)(?P=mark)(?![\w*])")
_NOTHING = re.compile(
    r"^[(_*]*(?:none|nothing|n/a|no changes?|no decisions?|no facts|немає|нема|жодн\w+|без змін|-+|—|–)"
    r"[)_*.]*$",
    re.IGNORECASE,
)
# The beginnings of headings, in both languages.
_SECTIONS = {
    "facts": ("facts", "new facts", "key facts", "findings", "key findings", "факти", "нові факти", "висновки",
              "ключові факти"),
    "decisions": ("decisions", "key decisions", "рішення", "ключові рішення"),
    "changes": ("context changes", "changes of context", "changes to the context", "context updates",
                "зміни контексту", "зміни в контексті", "зміни до контексту"),
    "next": ("next step", "next steps", "наступний крок", "наступні кроки", "далі"),
}  # fmt: skip


def read_headings(text: str) -> Findings:
    """Findings under the known headings; empty if there are none."""
    facts, decisions, changes = list[Finding](), list[Finding](), list[Finding]()
    next_step = ""
    for heading, section, lines in _sections(text):
        for said in _items(lines):
            match section:
                case "facts":
                    facts.append(Finding(text=said, source=heading))
                case "decisions":
                    decisions.append(_decision(said, heading))
                case "changes":
                    changes += _change(said, heading)
                case _:
                    next_step = next_step or said
    return Findings(
        facts=tuple(facts), decisions=tuple(decisions), changes=tuple(changes), next_step=next_step
    ).bounded


def _sections(text: str) -> list[tuple[str, str, list[str]]]:
    """The heading, what it means, and the lines below it."""
    found: list[tuple[str, str, list[str]]] = []
    current: list[str] | None = None
    is_code = False
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            is_code = not is_code
            continue
        match = None if is_code else _HEADING.match(line.strip())
        if match is None:
            if current is not None:
                current.append(line)
            continue
        heading = (match["hash"] or match["bold"]).rstrip(" \t#").strip(" *:_`")
        plain = re.sub(r"^[\d.)\s]+", "", heading).casefold()
        section = next(
            (name for name, words in _SECTIONS.items() if plain in words or plain.startswith(words)), None
        )
        current = None
        if section:
            current = []
            found.append((heading, section, current))
    return found


def _items(lines: list[str]) -> list[str]:
    """Each list item with its continuation lines; without a list, each paragraph."""
    has_list = any(_ITEM.match(line) for line in lines)
    items: list[str] = []
    is_open = False
    for line in lines:
        if match := _ITEM.match(line):
            items.append(match["text"].strip())
            is_open = True
        elif not line.strip():
            is_open = False
        elif is_open:
            items[-1] = f"{items[-1]} {line.strip()}"
        elif not has_list:
            items.append(line.strip())
            is_open = True
    return [_EMPHASIS.sub(r"\g<words>", each) for each in items if not _NOTHING.match(each)]


def _decision(said: str, heading: str) -> Finding:
    match = _REASON.match(" ".join(said.split()))
    if match is None:
        return Finding(text=said, source=heading)
    return Finding(text=match["text"].strip(), source=heading, rationale=match["in"] or match["after"])


def _change(said: str, heading: str) -> list[Finding]:
    """Read `product/pricing: 139 instead of 128`. A line that names no file, or several, is not a change."""
    match = _OF_FILE.match(said)
    files = files_named(match["file"]) if match else []
    return (
        [Finding(text=match["text"].strip(), source=heading, file=files[0])]
        if match and len(files) == 1
        else []
    )
