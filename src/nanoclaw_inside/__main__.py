"""`python -I -S -B /opt/nanoclaw/nanoclaw_inside PROGRAM ...`: the programs of the box, by name.

Loads only the one that is asked for: a box starts for a single tool call, and every import delays it.
"""

import sys
from importlib import import_module
from os.path import dirname

PROGRAMS = {
    "command_box": ("command_box", "main"),
    "document": ("document", "main"),
    "entry": ("entry", "main"),
    "gate": ("door", "gate_main"),
    "hands": ("hands", "main"),
    "lent": ("door", "lent_main"),
    "probe": ("probe", "main"),
    "terminal": ("terminal", "main"),
    "tool": ("tools", "call_main"),
    "tools": ("tools", "main"),
}

if __name__ == "__main__":
    sys.path[0] = dirname(dirname(__file__))  # noqa: PTH120 - pathlib takes longer to load than the program
    if len(sys.argv) < 2 or sys.argv[1] not in PROGRAMS:
        sys.exit(f"usage: nanoclaw_inside {{{','.join(PROGRAMS)}}} ...")
    module, function = PROGRAMS[sys.argv[1]]
    sys.exit(getattr(import_module(f"nanoclaw_inside.{module}"), function)(sys.argv[2:]))
