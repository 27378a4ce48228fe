"""The system prompt in three layers, the most stable first, so that a vendor's cache can keep them."""

import re
from collections.abc import Iterable
from fnmatch import fnmatch
from functools import cache, lru_cache
from pathlib import Path
from textwrap import shorten

from nanoclaw.context.adaptors import Adaptor, Adaptors, target_of
from nanoclaw.context.ask_first import ASK_FIRST
from nanoclaw.context.company_context import CONTEXT_FILES, CompanyContext
from nanoclaw.context.file_cache import FileCache
from nanoclaw.context.skills import Skill
from nanoclaw.domain.turns import SystemPrompt

FOUNDATION = ("core_identity", "output_standards", "evidence_grading")

_EVERYTHING = "*"
_LONGEST_LINE = 60  # characters about a file in the index
_END_OF_MEMORY = re.compile(r"<\s*/\s*memory", re.I)  # members write there
_SENTENCE = re.compile(r"(?<=[.!?])\s")


class SystemPrompts:
    """Builds system prompts from the workspace. They stay the same from turn to turn, so that they can be cached."""

    def __init__(self, workspace: Path, library: FileCache) -> None:
        self._workspace = workspace
        self._library = library
        self._adaptors = Adaptors(workspace)

    def system_prompt(
        self,
        company: CompanyContext,
        skill: Skill | None,
        channel: str = "",
        memory: str = "",
        *,
        may_ask_first: bool = False,
    ) -> SystemPrompt:
        """`channel` is that of the chat, if known; its adaptor stays the same as long as the chat does.
        `memory` is the part of CLAUDE.md that rarely changes.
        """
        # Joined as strings: a path object per file would cost more than checking whether it changed.
        foundation = (self._library.read(f"{self._workspace}/foundation/{name}.md") for name in FOUNDATION)
        whole, rest = files_for(skill)
        context = (_wrapped("context", name, company.texts.get(name, "")) for name in whole)
        own = self._adaptors.chosen([target_of(channel)])
        others = self._adaptors.chosen(skill.head.targets if skill else ())
        instructions = _wrapped("skill", skill.name, skill.instructions) if skill else ""
        return SystemPrompt(
            foundation=_joined((*foundation, _listed(self._adaptors.all()))),
            company=_joined((_index(company, rest), *context, *map(_advice, own))),
            skill=_joined(
                (
                    instructions,
                    *(_advice(each) for each in others if each not in own),
                    # Here and not above: work without people shares the layers before this one.
                    ASK_FIRST if may_ask_first else "",
                    _wrapped("memory", "CLAUDE", _END_OF_MEMORY.sub("&lt;/memory", memory)),
                )
            ),
        )


def files_for(skill: Skill | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The context files that a skill gets in full, because it names them, and those it gets passages of. `*`
    names none: the default assistant is asked about everything, but seldom about all of it. A skill
    without context gets none.
    """
    patterns = skill.head.context if skill else (_EVERYTHING,)
    whole = _asked_for(tuple(each for each in patterns if each != _EVERYTHING))
    return whole, tuple(name for name in CONTEXT_FILES if name not in whole) if patterns else ()


def fits_context(pattern: str) -> bool:
    """Whether it matches a file of the context."""
    return bool(_asked_for((pattern,)))


@cache
def _asked_for(patterns: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in CONTEXT_FILES if any(fnmatch(name, pattern) for pattern in patterns))


@lru_cache(maxsize=64)
def _index(company: CompanyContext, names: tuple[str, ...]) -> str:
    lines = [f"- {name}: {_purpose(text)}" for name in names if (text := company.texts.get(name))]
    head = "What is known about the company. Passages that fit come with the messages; all of it is in /context/*.md:"
    return "\n".join(["<context_files>", head, *lines, "</context_files>"]) if lines else ""


def _purpose(text: str) -> str:
    """The first sentence below the title, or the title if there is nothing else."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    plain = next((line for line in lines if not line.startswith("#")), lines[0].lstrip("# "))
    return shorten(_SENTENCE.split(plain)[0], _LONGEST_LINE, placeholder=" …")


def _listed(adaptors: Iterable[Adaptor]) -> str:
    """The other channels that can be written for; an agent reads the file when asked for such a text."""
    lines = [f"- /adaptors/{each.path.name}: {each.head.description}" for each in adaptors]
    head = "Before you write for one of these channels, read its file, unless it is given below:"
    return "\n".join(["<adaptors>", head, *lines, "</adaptors>"]) if lines else ""


def _advice(adaptor: Adaptor) -> str:
    return _wrapped("adaptor", adaptor.name, adaptor.advice)


def _wrapped(tag: str, name: str, text: str) -> str:
    return f'<{tag} file="{name}">\n{text}\n</{tag}>' if text else ""


def _joined(parts: Iterable[str]) -> str:
    return "\n\n".join(part for part in parts if part)
