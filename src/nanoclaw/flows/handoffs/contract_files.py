"""A handoff across runtimes: its contract is a file of the company, shared with others through the repository."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

from nanoclaw.domain.handoff_contract import as_contract
from nanoclaw.domain.handoffs import Handoff


@dataclass(frozen=True, kw_only=True, slots=True)
class ContractFiles:
    home: Path

    def path(self, handoff: Handoff) -> Path:
        return self.home / "companies" / handoff.company / "handoffs" / f"{handoff.id}.json"

    def write(self, handoff: Handoff) -> None:
        """Write the contract, complete or not at all; repeating it changes nothing. Blocks: use a thread."""
        path = self.path(handoff)
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(f".{path.name}.new")
        with unfinished.open("wb") as file:
            file.write(json.dumps(as_contract(handoff), ensure_ascii=False, indent=2).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
