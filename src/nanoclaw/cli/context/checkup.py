"""What the doctor says about the context: files that have not been changed for longer than expected."""

from collections.abc import Iterator
from pathlib import Path

from nanoclaw.cli.findings import CheckResult, Found
from nanoclaw.context.groups import Groups
from nanoclaw.durable.clock import now
from nanoclaw.flows.company_context.age import stale_files
from nanoclaw.flows.company_context.files import ContextFiles
from nanoclaw.flows.company_context.versions import ContextVersions
from nanoclaw.git.repository import Repository


def look(home: Path, found: Found) -> Iterator[CheckResult]:
    """Neither good nor bad: only a person knows whether an old file is still true."""
    versions = ContextVersions(files=ContextFiles(home=home), repository=Repository(home))
    old = [each.file for each in stale_files(versions, Groups(home), now())]
    if old:
        yield found("context", "context-stale", ok=None, count=len(old), files=", ".join(old))
