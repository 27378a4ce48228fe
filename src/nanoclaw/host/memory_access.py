"""Assembles access to memory: the chat commands, and what the page and the command line call."""

from pathlib import Path

from nanoclaw.console.console import MemoryAccess
from nanoclaw.context.groups import Groups
from nanoclaw.flows.incoming.commands import Commands
from nanoclaw.flows.knowledge.changes import MemoryChanges
from nanoclaw.flows.knowledge.commands import MemoryCommands
from nanoclaw.flows.knowledge.imports import MemoryImports
from nanoclaw.flows.knowledge.quarantine import Quarantine
from nanoclaw.memory.files import MemoryFiles
from nanoclaw.memory.search import MemorySearch


def open_memory(
    home: Path, groups: Groups, commands: Commands, changes: MemoryChanges, search: MemorySearch
) -> MemoryAccess:
    commands.learn(MemoryCommands(groups=groups, changes=changes).answers())
    return MemoryAccess(
        files=MemoryFiles(home),
        search=search,
        changes=changes,
        quarantine=Quarantine(changes=changes),
        imports=MemoryImports(changes=changes),
    )
