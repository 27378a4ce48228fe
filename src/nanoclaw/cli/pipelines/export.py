"""`nanoclaw pipelines export`: a run as files, its texts, results, costs and template."""

import json
from pathlib import Path

from nanoclaw.cli.output import as_dict
from nanoclaw.console.pipeline_shapes import PipelineRun
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.text import tidy_file_name

_ABOUT = ("id", "template", "title", "subject", "status", "company", "group", "started_by", "again_of", "why")


def write(run: PipelineRun, folder: Path) -> list[Path]:
    """Write into a new or empty folder, so that nothing is overwritten."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise Refused("export-not-empty", path=str(folder))
        return [_written(folder / name, content) for name, content in _files(run).items()]
    except OSError as error:
        raise Refused("export-unwritable", path=str(folder), said=error.strerror or str(error)) from error


def _files(run: PipelineRun) -> dict[str, str]:
    texts = {
        f"{step.number:03d}-{tidy_file_name(f'{step.role}-{text.name}', 'text')}.md": text.text
        for step in run.steps
        for text in step.texts
    }
    steps = [as_dict(step) | {"texts": [text.name for text in step.texts]} for step in run.steps]
    costs = {
        "cost_usd": run.cost_usd,
        "expected_cost_usd": run.expected_cost_usd,
        "budget_usd": run.budget_usd,
        "steps": [
            {"number": step.number, "role": step.role, "model": step.model, "cost_usd": step.cost_usd}
            for step in run.steps
        ],
    }
    about = {name: getattr(run, name) for name in _ABOUT}
    times = {name: getattr(run, name) for name in ("created_at", "started_at", "ended_at")}
    return {
        **texts,
        "results.json": _json({**about, **times, "steps": steps}),
        "costs.json": _json(costs),
        f"{tidy_file_name(run.template, 'template')}.md": run.source,
    }


def _written(path: Path, content: str) -> Path:
    path.write_text(content, "utf-8")
    return path


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2, default=str) + "\n"
