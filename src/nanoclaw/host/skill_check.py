"""Finds what is valid in skills and groups, yet does not do what its author meant."""

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

import structlog

from nanoclaw.admission.commands import COMMANDS
from nanoclaw.context import front_matter
from nanoclaw.context.company_context import CONTEXT_FILES
from nanoclaw.context.front_matter import FrontMatter
from nanoclaw.context.groups import Groups
from nanoclaw.context.skills import Skill, Skills
from nanoclaw.context.system_prompt import fits_context
from nanoclaw.context.topics import domain_of
from nanoclaw.domain.errors import BadSettings, BadSkill, BadWorkspace, NanoClawError
from nanoclaw.domain.tool_rules import ToolRule, normal_name
from nanoclaw.domain.tools import TOOLS
from nanoclaw.gateway import server_list
from nanoclaw.runtimes.toolbox import HANDS

log = structlog.get_logger("workspace")

# The box tools of both runtimes, and the host's own tools.
_KNOWN = (*(hand.name for hand in HANDS), "agent", "notebookedit", "skill", "websearch", *TOOLS)


def misleading(
    home: Path, known_skills: Skills, groups: Groups, rules: Sequence[ToolRule]
) -> Iterator[NanoClawError]:
    """Each with what to do about it; `rules` are those of the settings. None of it stops the host."""
    yield from _mains(home, groups)
    yield from _left_out_in_vain(home, groups)
    yield from _topics(home, groups, known_skills)
    servers = _servers(home)
    for rule in rules:
        if not _guards_something(rule, servers):
            yield BadWorkspace("rule-tool-unknown", tool=rule.tool, known=", ".join(_KNOWN))
    taken: dict[str, Skill] = {}
    for skill in known_skills.skills():
        for rule in skill.head.approvals:
            if not _guards_something(rule, servers):
                yield _bad(
                    skill,
                    "approvals",
                    rule.tool,
                    "skill-rule-unknown",
                    tool=rule.tool,
                    known=", ".join(_KNOWN),
                )
        for tool in _unknown(skill.head.tools):
            yield _bad(skill, "tools", tool, "skill-tool-unknown", tool=tool, known=", ".join(TOOLS))
        for tool in _unknown(skill.head.without_tools):
            yield _bad(skill, "without_tools", tool, "left-out-unknown", tool=tool, known=", ".join(TOOLS))
        for pattern in skill.head.context:
            if not fits_context(pattern):
                known = ", ".join(CONTEXT_FILES)
                yield _bad(skill, "context", pattern, "skill-context-unknown", pattern=pattern, known=known)
        for command in skill.head.commands:
            other = taken.setdefault(command, skill)
            if command.removeprefix("/") in COMMANDS:
                yield _bad(skill, "commands", command, "skill-command-of-host", command=command)
            elif other is not skill:
                yield _bad(
                    skill, "commands", command, "skill-command-twice", command=command, other=str(other.path)
                )


def _guards_something(rule: ToolRule, servers: Sequence[str]) -> bool:
    """A server's tools are unknown before it is asked; whether a server of that name exists is not."""
    wanted = normal_name(rule.tool)
    if any(fnmatchcase(name, wanted) for name in _KNOWN):
        return True
    return any(wanted.startswith(f"{server.lower()}_") for server in servers)


def _servers(home: Path) -> Sequence[str]:
    try:
        return list(server_list.read(home))
    except BadSettings:  # reported elsewhere
        return ()


def warn(home: Path, known_skills: Skills, groups: Groups, rules: Sequence[ToolRule]) -> None:
    """Warn at the start: the host continues, and says who gets what."""
    for fault in (*known_skills.faults(), *misleading(home, known_skills, groups, rules)):
        log.warning("the workspace says something that does nothing", fault=fault.key, **fault.values)


def _mains(home: Path, groups: Groups) -> Iterator[BadWorkspace]:
    first: str | None = None
    for name in groups.names():
        try:
            is_main = groups.get(name).main
        except BadWorkspace:  # reported elsewhere
            continue
        if is_main and first is not None:
            path = home / "groups" / name / "group.toml"
            line = _line_with(path.read_text("utf-8", errors="replace").splitlines(), 1, "main")
            yield BadWorkspace("group-main-twice", file=str(path), line=str(line), group=name, main=first)
        first = first or (name if is_main else None)


def _left_out_in_vain(home: Path, groups: Groups) -> Iterator[BadWorkspace]:
    for name in groups.usable():
        path = home / "groups" / name / "group.toml"
        for tool in _unknown(groups.get(name).without_tools):
            line = _line_with(path.read_text("utf-8", errors="replace").splitlines(), 1, tool)
            yield BadWorkspace(
                "left-out-unknown", file=str(path), line=str(line), tool=tool, known=", ".join(TOOLS)
            )


def _topics(home: Path, groups: Groups, known_skills: Skills) -> Iterator[BadWorkspace]:
    """What a topic names must exist, and belong to its domain."""
    domains = sorted({domain_of(skill) for skill in known_skills.skills()})
    names = ", ".join(sorted(skill.name for skill in known_skills.skills()))
    for name in groups.usable():
        path = home / "groups" / name / "group.toml"
        for number, topic in groups.get(name).topics.items():
            lines = path.read_text("utf-8", errors="replace").splitlines()
            begin = _line_of_topic(lines, number)
            place = {"file": str(path), "topic": number}
            if topic.domain and topic.domain not in domains:
                line = str(_line_with(lines, begin, topic.domain))
                known = ", ".join(domains)
                yield BadWorkspace("topic-domain", **place, line=line, domain=topic.domain, known=known)
                continue
            for wanted in topic.named:
                skill = known_skills.find(wanted)
                line = str(_line_with(lines, begin, wanted))
                if skill is None:
                    yield BadWorkspace("topic-skill", **place, line=line, skill=wanted, known=names)
                elif topic.domain and domain_of(skill) != topic.domain:
                    of = domain_of(skill)
                    yield BadWorkspace(
                        "topic-other-domain", **place, line=line, skill=wanted, domain=topic.domain, of=of
                    )


def _unknown(tools: Sequence[str]) -> list[str]:
    return [tool for tool in tools if tool not in TOOLS]


def _bad(skill: Skill, key: str, word: str, fault: str, /, **values: object) -> BadSkill:
    return BadSkill(fault, file=str(skill.path), line=str(_line_of(skill.path, key, word)), **values)


def _line_of(path: Path, key: str, word: str) -> int:
    """The line of the word below its key; lists may span one line or several."""
    lines = path.read_text("utf-8", errors="replace").splitlines()
    head = front_matter.read(lines)
    begin = head.places.get((key,), 1) if isinstance(head, FrontMatter) else 1
    return _line_with(lines, begin, word)


def _line_of_topic(lines: list[str], topic: str) -> int:
    """`42 = ...` or `[topics.42]`."""
    key = re.compile(rf"""\s*(?:\[\s*topics\s*\.\s*)?["']?{re.escape(topic)}["']?\s*[=\]]""")
    return next((number for number, line in enumerate(lines, 1) if key.match(line)), 1)


def _line_with(lines: list[str], begin: int, word: str) -> int:
    found = (number for number, line in enumerate(lines[begin - 1 :], begin) if word in line)
    return next(found, begin)
