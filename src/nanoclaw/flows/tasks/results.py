"""The result of a task as a file, for the agent that handed it over: `results/task-12.json` in its session."""

import json
from pathlib import Path
from zoneinfo import ZoneInfo

from nanoclaw.domain.file_protocol import RESULTS
from nanoclaw.domain.tasks import Run, Task
from nanoclaw.flows.tasks import task_text
from nanoclaw.sandbox.request_watch import put_whole


class RunResults:
    def __init__(self, home: Path) -> None:
        self._home = home

    def leave(self, task: Task, run: Run) -> None:
        """Write the result atomically; repeating it after a crash writes the same."""
        folder = self._home / "groups" / task.group / "ipc" / (task.asked_by or "") / RESULTS
        zone = ZoneInfo(task.schedule.timezone)  # the clock of the task's owner
        written = {
            "task_id": task.id,
            "run_id": run.id,
            "status": run.status.value,
            "result": run.result or "",
            "error": task_text.plain_fault(run, "en") or None,
            "prompt": task.prompt,
            "started_at": run.started_at and run.started_at.astimezone(zone).isoformat(),
            "finished_at": run.finished_at and run.finished_at.astimezone(zone).isoformat(),
            "duration_ms": run.duration_ms,
            "cost_usd": run.micros / 1_000_000,
        }
        put_whole(folder, task.result_name, json.dumps(written, ensure_ascii=False, indent=1))
