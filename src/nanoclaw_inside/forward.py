"""Forwarders: a port on the box's own loopback whose connections go on to a socket of the host.

Threads, because they load four times faster than an event loop, and a box has few connections.
"""

import contextlib
import socket
import threading

_PIECE = 1 << 16
_STACK = 256 << 10  # a thread's stack counts as memory of the box


def forward(address: tuple[str, int], target: str) -> None:
    """Listen from now on, until the process ends."""
    threading.stack_size(_STACK)
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(address)
    listener.listen(64)
    threading.Thread(target=_accept, args=(listener, target), daemon=True).start()


def _accept(listener: socket.socket, target: str) -> None:
    while True:
        try:
            near, _ = listener.accept()
        except OSError:
            continue  # that caller is gone, or the box has no descriptor left for it; the next one may be luckier
        far = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            near.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            far.connect(target)
            threading.Thread(target=_relay, args=(near, far), daemon=True).start()
        except (OSError, RuntimeError):  # the host does not listen, or the box may have no more threads
            near.close()
            far.close()


def _relay(near: socket.socket, far: socket.socket) -> None:
    with near, far:
        back = threading.Thread(target=_pump, args=(far, near), daemon=True)
        try:
            back.start()
        except RuntimeError:
            return
        _pump(near, far)
        back.join()


def _pump(source: socket.socket, sink: socket.socket) -> None:
    """One direction. Passes its end on, so that the other side knows that nothing more will come."""
    with contextlib.suppress(OSError):
        while piece := source.recv(_PIECE):
            sink.sendall(piece)
    with contextlib.suppress(OSError):
        sink.shutdown(socket.SHUT_WR)
