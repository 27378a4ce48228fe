"""The system prompt in three layers, the most stable first, so that a vendor's cache can keep them."""

from collections.abc import Callable, Iterable
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

from nanoclaw.context.adaptors import Adaptor, Adaptors, target_of
from nanoclaw.context.file_cache import FileCache
from nanoclaw.context.groups import Group
from nanoclaw.context.skills import Skill
from nanoclaw.domain.turns import SystemPrompt

FOUNDATION = ("core_identity", "output_standards", "evidence_grading")

# The files of a company's context, area by area, in reading order.
CONTEXT_FILES = (
    "company/identity",
    "company/team",
    "company/operations",
    "product/spec",
    "product/pricing",
    "product/positioning",
    "audience/icp",
    "audience/jtbd",
    "audience/voc",
    "audience/awareness",
    "brand/voice",
    "brand/visual",
    "brand/guidelines",
    "market/intelligence",
    "market/competitors",
    "market/channels",
    "market/geo_aeo",
)


class SystemPrompts:
    """Builds system prompts from the workspace, reading only what a skill asks for."""

    def __init__(self, workspace: Path, library: FileCache, memory: Callable[[Path, str], str]) -> None:
        """`memory` reads a file in a folder that agents can write: what lies there may be a trap."""
        self._workspace = workspace
        self._library = library
        self._memory = memory
        self._adaptors = Adaptors(workspace)

    def system_prompt(self, group: Group, skill: Skill | None, channel: str = "") -> SystemPrompt:
        """`channel` is that of the chat, if known; its adaptor stays the same as long as the chat does."""
        # Joined as text: a path object for each of these files would cost more than checking whether it changed.
        company = f"{self._workspace}/companies/{group.company}"
        foundation = (self._library.read(f"{self._workspace}/foundation/{name}.md") for name in FOUNDATION)
        context = (
            _wrapped("context", name, self._library.read(f"{company}/context/{name}.md"))
            for name in _asked_for(skill.head.context if skill else ("*",))
        )
        own = self._adaptors.chosen([target_of(channel)])
        others = self._adaptors.chosen(skill.head.targets if skill else ())
        instructions = _wrapped("skill", skill.name, skill.instructions) if skill else ""
        memory = _wrapped("memory", "CLAUDE", self._memory(Path(company, "memory"), "CLAUDE.md"))
        return SystemPrompt(
            foundation=_joined((*foundation, _listed(self._adaptors.all()))),
            company=_joined((*context, *map(_advice, own))),
            skill=_joined((instructions, *(_advice(each) for each in others if each not in own), memory)),
        )


def fits_context(pattern: str) -> bool:
    """Whether it matches a file of the context."""
    return bool(_asked_for((pattern,)))


@cache
def _asked_for(patterns: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in CONTEXT_FILES if any(fnmatch(name, pattern) for pattern in patterns))


def _listed(adaptors: Iterable[Adaptor]) -> str:
    """What else can be written for; an agent reads the file when asked for such a text."""
    lines = [f"- /adaptors/{each.path.name}: {each.head.description}" for each in adaptors]
    head = "Before you write for one of these channels, read its file, unless it is given below:"
    return "\n".join(["<adaptors>", head, *lines, "</adaptors>"]) if lines else ""


def _advice(adaptor: Adaptor) -> str:
    return _wrapped("adaptor", adaptor.name, adaptor.advice)


def _wrapped(tag: str, name: str, text: str) -> str:
    return f'<{tag} file="{name}">\n{text}\n</{tag}>' if text else ""


def _joined(parts: Iterable[str]) -> str:
    return "\n\n".join(part for part in parts if part)
