"""`nanoclaw audit verify`: whether the audit and the companies' decisions are still as written."""

from dataclasses import asdict
from pathlib import Path

import typer

from nanoclaw.cli.audit_files import FileFault, compare
from nanoclaw.cli.database import settings_of, with_store
from nanoclaw.cli.output import print_json
from nanoclaw.durable import decision_records
from nanoclaw.durable.audit_chain import ChainFault, Verified, verify
from nanoclaw.durable.decision_records import AskedQuestion
from nanoclaw.durable.store import Tx
from nanoclaw.texts import say

_SHOWN = 20  # of the faults in files; if a whole file is gone, there is one per question


def check(home: Path, *, as_json: bool) -> None:
    """Exits with 1 if anything differs from what was written, so that a timer can watch it."""
    settings = settings_of(home)

    def story(tx: Tx) -> tuple[Verified, dict[str, AskedQuestion]]:
        return verify(tx), {asked.id: asked for asked in decision_records.every(tx)}

    chain, questions = with_store(home, settings, story)
    faults = compare(home, questions)
    language = settings.language
    if as_json:
        _print_as_json(language, chain, len(questions), faults)
    else:
        _print(language, chain, len(questions), faults)
    if chain.fault or faults:
        raise typer.Exit(1)


def _print(language: str, chain: Verified, questions: int, faults: list[FileFault]) -> None:
    if chain.fault:
        typer.echo(f"✗ {_chain_sentence(language, chain.fault)}")
    else:
        typer.echo(f"✓ {say(language, 'chain-whole', rows=chain.rows, end=chain.end)}")
    for fault in faults[:_SHOWN]:
        typer.echo(f"✗ {_file_sentence(language, fault)}")
    if len(faults) > _SHOWN:
        typer.echo(say(language, "recorded-more", count=len(faults) - _SHOWN))
    if not faults:
        typer.echo(f"✓ {say(language, 'recorded-whole', count=questions)}")
    if chain.fault:
        typer.echo(say(language, "chain-remedy"))
    if faults:
        typer.echo(say(language, "recorded-remedy"))


def _print_as_json(language: str, chain: Verified, questions: int, faults: list[FileFault]) -> None:
    fault = chain.fault
    print_json(
        {
            "ok": not fault and not faults,
            "rows": chain.rows,
            "end": chain.end,
            "fault": fault and {**asdict(fault), "sentence": _chain_sentence(language, fault)},
            "questions": questions,
            "decisions": [{**asdict(each), "sentence": _file_sentence(language, each)} for each in faults],
        }
    )


def _chain_sentence(language: str, fault: ChainFault) -> str:
    rows = {"seq": str(fault.seq), "until": str(fault.until), "count": fault.until - fault.seq + 1}
    return say(language, f"chain-{fault.what}", **rows, id=fault.id or "")


def _file_sentence(language: str, fault: FileFault) -> str:
    where = {"company": fault.company, "question": fault.question, "line": str(fault.line)}
    return say(language, f"recorded-{fault.what}", **where, said=fault.said)
