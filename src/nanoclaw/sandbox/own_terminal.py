"""The terminal of a box: a new pseudo-terminal. The box has one end, and the host the other, without ever
blocking.

It must become the controlling terminal of what runs in the box; otherwise Ctrl-C and a new size would reach
nobody there: hence `CONTROLLED`, in front of the command. It must not be the controlling terminal of anything
on the host, or Ctrl-C would end that too.
"""

import asyncio
import fcntl
import os
import struct
import termios
from contextlib import ExitStack
from functools import partial

from nanoclaw.domain.boxes import TerminalSize
from nanoclaw.sandbox.pipes import BUFFER, Output, Pipes, as_file

CONTROLLED = ("/usr/bin/setsid", "--ctty")
_IUTF8 = 0o40000  # a backspace erases a letter, not a byte; Python's termios has no name for it
_MOST = 1000  # rows or columns; programs reserve memory for each place


async def open_terminal(uid: int, size: TerminalSize) -> tuple[tuple[int, int, int], Pipes]:
    """The box's end, three times, to be closed once it has them, and ours. Leaves none open if cancelled."""
    loop = asyncio.get_running_loop()
    with ExitStack() as if_it_fails:
        ours, theirs = os.openpty()
        for_writing = os.dup(ours)
        ends = (theirs, os.dup(theirs), os.dup(theirs))
        reading, writing = as_file(ours, "rb"), as_file(for_writing, "wb")
        for end in ends:
            if_it_fails.callback(os.close, end)
        for file in (reading, writing):
            if_it_fails.callback(file.close)
        if uid != os.geteuid():
            os.fchown(theirs, uid, -1)
        _set_utf8(theirs)
        resize = partial(_resize, ours)
        resize(size)
        shown = asyncio.StreamReader(limit=BUFFER)
        transport, protocol = await loop.connect_read_pipe(partial(Output, shown), reading)
        if_it_fails.callback(transport.close)
        flow = asyncio.StreamReaderProtocol(asyncio.StreamReader())
        typing, _ = await loop.connect_write_pipe(lambda: flow, writing)
        if_it_fails.pop_all()
    pipes = Pipes(
        stdin=asyncio.StreamWriter(typing, flow, None, loop),
        stdout=shown,
        stderr=shown,  # on a screen both are the same
        taken=asyncio.gather(*[protocol.taken]),
        resize=resize,
        _transports=(transport, typing),
    )
    return ends, pipes


def _set_utf8(end: int) -> None:
    settings = termios.tcgetattr(end)
    settings[0] |= _IUTF8
    termios.tcsetattr(end, termios.TCSANOW, settings)


def _resize(ours: int, size: TerminalSize) -> None:
    rows, columns = (min(max(1, number), _MOST) for number in (size.rows, size.columns))
    fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
