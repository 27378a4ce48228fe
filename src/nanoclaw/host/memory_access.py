"""Assembles access to memory: the chat commands, and what the page and the command line call."""

from pathlib import Path

from nanoclaw.console.console import MemoryAccess
from nanoclaw.context.groups import Groups
from nanoclaw.flows.incoming.commands import Commands
from nanoclaw.flows.knowledge.commands import MemoryCommands
from nanoclaw.flows.knowledge.imports import MemoryImports
from nanoclaw.flows.knowledge.quarantine import Quarantine
from nanoclaw.host.memory_parts import MemoryParts
from nanoclaw.memory.files import MemoryFiles


def open_memory(home: Path, groups: Groups, commands: Commands, parts: MemoryParts) -> MemoryAccess:
    changes = parts.changes
    commands.learn(MemoryCommands(groups=groups, changes=changes, mask=parts.mask).answers())
    return MemoryAccess(
        files=MemoryFiles(home),
        search=parts.search,
        changes=changes,
        quarantine=Quarantine(changes=changes),
        imports=MemoryImports(changes=changes),
    )
