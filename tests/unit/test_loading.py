"""What a host loads, and what it leaves out."""

import subprocess
import sys

NEVER_USED = ("rich", "pygments", "prompt_toolkit", "cryptography", "aiohttp.web", "websockets", "alembic")
PROGRAM = f"""
import sys
from nanoclaw.host.quick_import import load
for name in ("cli.up", "gateway.anthropic", "channels.telegram.channel"):
    load("nanoclaw." + name)
print(*(name for name in {NEVER_USED} if name in sys.modules))
"""


def test_a_host_without_a_terminal_loads_only_what_it_uses() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_what_a_library_is_spared_can_still_be_loaded_by_others() -> None:
    program = (
        "import nanoclaw.host.quick_import, structlog, rich.console, structlog.dev; print(structlog.dev.rich)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["None"]
