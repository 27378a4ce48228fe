"""The files of a plan: the mirror of its row for other programs, and the plan itself among the files of its group."""

import asyncio
import json
import re
import stat
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import structlog

from nanoclaw.domain.plans import Plan, PlanState
from nanoclaw.flows.plans import plan_text
from nanoclaw.sandbox.file_placement import write_below
from nanoclaw.sandbox.file_writers import FileWriters
from nanoclaw.sandbox.untrusted_files import read_text
from nanoclaw.texts import say

log = structlog.get_logger("plans")

FOLDER = (".claude", "todos")
_MOST_NUMBER = 100  # plans of the same name in a group
_OTHERWISE = "plan"
_NUMBER = re.compile(r"-?[0-9]{1,18}")


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanFiles:
    """`owner_of` gives the user id that a company's boxes run as."""

    home: Path
    owner_of: Callable[[str], int]
    writers: FileWriters
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)  # two plans must not choose the same name

    async def save(self, plan: Plan) -> str:
        """Write the plan; returns its path below the group's files, empty if it was not written. A plan that
        was given up is only written if its file exists: a reader must not believe that it still waits.
        """
        async with self.lock:
            return await asyncio.to_thread(self._save, plan)

    def _save(self, plan: Plan) -> str:
        files = self.home / "groups" / plan.group / "files"
        goal, stem = plan.goal or _OTHERWISE, plan.description or _OTHERWISE
        for number in range(1, _MOST_NUMBER):
            name = f"{stem}.md" if number == 1 else f"{stem}-{number}.md"
            path = "/".join((*FOLDER, goal, name))
            if _is_of_other(files, path, plan):
                continue
            if plan.state is PlanState.CANCELLED and not read_text(files, path):
                return ""
            try:
                write_below(
                    files, (*FOLDER, goal), name, as_markdown(plan).encode(), self.owner_of(plan.company)
                )
            except IsADirectoryError:
                continue
            except OSError as error:
                log.warning("plan not saved", plan=plan.id, reason=error)
                return ""
            self.writers.put(plan.group, path)
            return path
        return ""

    async def mirror(self, plan: Plan, address: str, shown: Plan | None) -> None:
        """`shown` is what this person plans there now; None removes the file. Losing or breaking it changes
        nothing.
        """
        async with self.lock:
            await asyncio.to_thread(self._mirror, mirror_path(self.home, plan), address, shown)

    def _mirror(self, path: Path, address: str, shown: Plan | None) -> None:
        try:
            if shown is None:
                path.unlink(missing_ok=True)
                return
            path.parent.mkdir(parents=True, exist_ok=True)
            unfinished = path.with_name(f"{path.name}.tmp")
            unfinished.write_text(
                json.dumps(as_mirror(shown, address), ensure_ascii=False, indent=2) + "\n", "utf-8"
            )
            unfinished.replace(path)
        except OSError as error:
            log.warning("plan not mirrored", plan=shown.id if shown else None, reason=error)


def _is_of_other(files: Path, path: str, plan: Plan) -> bool:
    """Whether something other than this plan is written there, including anything too big to be one. Links,
    pipes and other things that are not files are replaced.
    """
    if found := read_text(files, path):
        return plan.id not in found
    with suppress(OSError):
        about = (files / path).lstat()
        return stat.S_ISREG(about.st_mode) and about.st_size > 0
    return False


def mirror_path(home: Path, plan: Plan) -> Path:
    """The path of the mirror, named after chat, thread and person."""
    thread = "".join(each if each.isalnum() else "_" for each in plan.thread or "main")[:60]
    return home / "data" / "plans" / f"{plan.chat_id}-{thread}-{plan.person_id}-interactive.json"


def as_mirror(plan: Plan, address: str) -> dict[str, Any]:
    """The mirror with the field names of seed 004."""
    begins = [place for place, each in enumerate(plan.questions) if each.round == plan.round]
    return {
        "sessionId": plan.id,
        "chatId": int(address) if _NUMBER.fullmatch(address) else address,
        "state": plan.state.value.upper(),
        "task": plan.task,
        "goal": plan.goal,
        "description": plan.description,
        "questions": [
            {
                "id": each.id,
                "question": each.question,
                "options": [{"label": option.label, "value": option.value} for option in each.options],
                "allowFreeText": each.allow_free_text,
                "multiSelect": False,
            }
            for each in plan.questions
        ],
        "answers": list(plan.answers),
        "currentQuestionIndex": plan.current,
        "completedQA": [{"question": each.question, "answer": answer} for each, answer in plan.answered],
        "currentBatchStart": begins[0] if begins else 0,
        "round": plan.round,
        **({"planPath": plan.path} if plan.path else {}),
        "createdAt": plan.created_at.isoformat(),
        "updatedAt": plan.updated_at.isoformat(),
    }


def as_markdown(plan: Plan) -> str:
    """The plan for people and agents, in the language it was asked in."""
    language, pairs = plan.language, plan.answered

    def told(key: str, **values: object) -> str:
        return say(language, f"plan-file-{key}", **values)

    ends = {PlanState.EXECUTING: "started", PlanState.DONE: "started", PlanState.CANCELLED: "given-up"}
    requirements = [
        f"**{told('question', question=_line(each.question))}**\n{told('answer', answer=answer)}"
        for each, answer in pairs
    ]
    bullets = "\n".join(f"- {_line(each.question)} {_line(answer)}" for each, answer in pairs)
    parts = [
        f"# {told('title', task=plan_text.cut(plan.task, 200))}",
        f"{told('created', time=plan.created_at.isoformat(timespec='seconds'))}\n{told('session', id=plan.id)}",
        f"## {told('task')}\n{plan.task}",
        f"## {told('requirements')}",
        *requirements,
        f"## {told('context')}",
        *([f"{told('gathered')}\n{bullets}"] if bullets else []),
        f"## {told('next')}",
        told(ends.get(plan.state, "waiting")),
    ]
    return "\n\n".join(parts) + "\n"


def _line(text: str) -> str:
    return " ".join(text.split())
