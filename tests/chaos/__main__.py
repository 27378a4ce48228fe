"""`just chaos [PRESET]`: tries to lose, double or reorder messages, and prints what became of each."""

import argparse
import asyncio
import contextlib
import json
import logging
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from tests.chaos import (
    batches,
    clock,
    handoffs,
    money,
    pipelines,
    plans,
    report,
    sessions,
    sync,
    tasks,
    transfers,
)
from tests.chaos.plan import KINDS, PRESETS, Setup
from tests.chaos.run import run

_STOPPED = 130  # the exit code of whatever was interrupted


def main() -> int:
    # Stopping it leaves no server and no host behind: asyncio ends its run at a SIGINT, and ignores SIGTERM.
    signal.signal(signal.SIGTERM, lambda _number, _frame: signal.raise_signal(signal.SIGINT))
    try:
        return _run(sys.argv[1:])
    except KeyboardInterrupt:
        sys.stderr.write("stopped before its end: nothing was judged\n")
        return _STOPPED


def _run(words: Sequence[str]) -> int:
    apart = {
        "pipelines": pipelines.main,
        "plans": plans.main,
        "sessions": sessions.main,
        "batches": batches.main,
        "handoffs": handoffs.main,
        "money": money.main,
        "sync": sync.main,
        "tasks": tasks.main,
        "transfers": transfers.main,
    }
    for word, trial in apart.items():
        if [*words[:1]] == [word]:
            logging.disable(logging.CRITICAL)
            return trial(words[1:])
    given = _arguments(words)
    setup = _setup(given)
    logging.disable(logging.CRITICAL)  # the far ends complain about every connection that breaks
    say = (lambda _: None) if given.json else _print
    with _folder(given.keep) as folder, contextlib.ExitStack() as stack:
        clocks = clock.compiler() is not None
        if clocks:
            stack.enter_context(clock.settable(folder))
        result = asyncio.run(run(setup, folder, clocks=clocks, say=say))
        if given.keep:
            (folder / "report.txt").write_text("\n".join(report.lines(result, most=1_000_000)) + "\n")
    if given.json:
        _print(json.dumps(report.figures(result), ensure_ascii=False, indent=1))
    else:
        for line in report.lines(result):
            _print(line)
    return 1 if result.judgement.is_bad or result.remembered.is_bad or not result.settled else 0


def _arguments(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="just chaos", description=__doc__)
    parser.add_argument("preset", nargs="?", default="one", choices=list(PRESETS))
    parser.add_argument("--seed", type=int, help="the same seed makes the same plan")
    parser.add_argument("--messages", type=int)
    parser.add_argument("--faults", type=int)
    parser.add_argument("--hosts", type=int, help="more than one needs PostgreSQL")
    parser.add_argument("--database", choices=["sqlite", "postgres"])
    parser.add_argument("--only", help=f"kinds with commas, of: {', '.join(KINDS)}")
    parser.add_argument("--people", type=int)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--keep", type=Path, help="a folder for the workspaces, which stays")
    return parser.parse_args(words)


def _setup(given: argparse.Namespace) -> Setup:
    names = ("seed", "messages", "faults", "hosts", "database", "people")
    changes = {name: getattr(given, name) for name in names if getattr(given, name) is not None}
    if given.only:
        changes["only"] = tuple(given.only.split(","))
        if unknown := set(changes["only"]) - set(KINDS):
            sys.exit(f"no such fault: {', '.join(sorted(unknown))}; there are: {', '.join(KINDS)}")
    setup = replace(PRESETS[given.preset], **changes)
    if setup.hosts > 1 and setup.database == "sqlite":
        if given.database == "sqlite":
            sys.exit("several hosts need --database postgres")
        setup = replace(setup, database="postgres")
    return setup


@contextlib.contextmanager
def _folder(kept: Path | None) -> Iterator[Path]:
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
        yield kept.absolute()
        return
    with tempfile.TemporaryDirectory(prefix="nanoclaw-chaos-", ignore_cleanup_errors=True) as made:
        yield Path(made)


def _print(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
