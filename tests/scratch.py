"""Where the tests write: in memory, if this machine has room for it. Beside a disk they wait for it half of their time.

Whoever wants them elsewhere sets TMPDIR.
"""

import os
import tempfile
from pathlib import Path

_MEMORY = Path("/dev/shm")  # noqa: S108 - the folders made in it are private
_ENOUGH = 4 * 1024**3  # ten times of what a run has there at once


def write_into_memory() -> None:
    """For this process and all that it starts: workspaces, databases, the PostgreSQL server, browsers."""
    if "TMPDIR" in os.environ:
        return  # chosen by a person, or by the run of which this is a worker
    try:
        found = os.statvfs(_MEMORY)
    except OSError:
        return
    can_run_programs = not found.f_flag & os.ST_NOEXEC
    if can_run_programs and found.f_bavail * found.f_frsize >= _ENOUGH and os.access(_MEMORY, os.W_OK):
        os.environ["TMPDIR"] = str(_MEMORY)
        tempfile.tempdir = None  # else it keeps to what it has found before
