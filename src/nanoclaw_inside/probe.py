"""Tries to get out of the box in every known way that does no harm if it works.

In, on stdin: one line of JSON with the targets that the host set up (see `nanoclaw.sandbox.probes`). Out: one line of
JSON for each probe, `{"name": ..., "held": ..., "said": ...}`. Outside a box, most of them do not hold.
"""

import ctypes
import errno
import hashlib
import json
import os
import socket
import stat
import struct
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

_libc = ctypes.CDLL(None, use_errno=True)
_X86 = os.uname().machine == "x86_64"
_REFUSED = (errno.EPERM, errno.EACCES, errno.ENOSYS)
_READ_ONLY = ("/", "/usr", "/usr/bin", "/etc", "/run", "/dev", "/opt", "/proc/sys/kernel")
_SWITCHES = (
    "/proc/sys/kernel/core_pattern",
    "/proc/sysrq-trigger",
    "/proc/sys/vm/overcommit_memory",
    "/dev/mem",
)
_OUTSIDE = (("1.1.1.1", 443), ("10.0.0.1", 80), ("169.254.169.254", 80), ("8.8.8.8", 53))
_ODD_FAMILIES = {"vsock": 40, "packet": 17, "alg": 38, "bluetooth": 31}
_CAPABILITIES = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")
_NEW_USER, _NEW_MOUNTS = 0x10000000, 0x00020000

Faults = Iterator[str]
"""What did not hold, in a few words each; empty if everything did."""


def _files(facts: dict[str, Any]) -> Faults:
    """Files of the host, and folders of other groups, cannot be seen; a file of the same name is not the same file."""
    for path, device, number in facts["hidden"]:
        for seen in (path, f"/proc/1/root{path}"):
            try:
                found = os.lstat(seen)
            except OSError:
                continue
            if (found.st_dev, found.st_ino) == (device, number):
                yield seen


def _writes(facts: dict[str, Any]) -> Faults:
    """What should be read-only is. Checked without writing, so that nothing is left behind where it is not."""
    yield from (path for path in (*_READ_ONLY, *facts["read_only"]) if os.access(path, os.W_OK))


def _core_pattern(_facts: dict[str, Any]) -> Faults:
    """Kernel switches, one of which runs a program as root, cannot be opened for writing."""
    for path in _SWITCHES:
        try:
            os.close(os.open(path, os.O_WRONLY))
        except OSError:
            continue
        yield path


def _network(_facts: dict[str, Any]) -> Faults:
    """There is no route out: the kernel says so at once, without a packet."""
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        for address in _OUTSIDE:
            with socket.socket(socket.AF_INET, kind) as way:
                way.settimeout(0)
                if way.connect_ex(address) in (0, errno.EINPROGRESS, errno.ECONNREFUSED):
                    yield f"{address[0]}:{address[1]}"


def _interfaces(_facts: dict[str, Any]) -> Faults:
    yield from (name for _, name in socket.if_nameindex() if name != "lo")


def _loopback(facts: dict[str, Any]) -> Faults:
    """The host listens on this port of its own loopback."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as way:
        way.settimeout(0.2)
        if way.connect_ex(("127.0.0.1", facts["port"])) == 0:
            yield f"127.0.0.1:{facts['port']}"


def _abstract_sockets(facts: dict[str, Any]) -> Faults:
    """The host listens on this name too, which no file system guards."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as way:
        if way.connect_ex(b"\0" + facts["socket"].encode()) == 0:
            yield facts["socket"]


def _odd_sockets(_facts: dict[str, Any]) -> Faults:
    for name, family in _ODD_FAMILIES.items():
        for kind in (socket.SOCK_STREAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
            if _made(lambda: socket.socket(family, kind)) or _made(  # noqa: B023 - called at once
                lambda: socket.socketpair(family, kind)[0]  # noqa: B023
            ):
                yield name
                break


def _made(make: Callable[[], socket.socket]) -> bool:
    try:
        make().close()
    except OSError:
        return False
    return True


def _processes(facts: dict[str, Any]) -> Faults:
    """The host's own process, known by its start time, is not visible."""
    for folder in _process_folders():
        try:
            started = (folder / "stat").read_bytes().rpartition(b")")[2].split()[19]
        except OSError:
            continue
        if int(started) == facts["started"]:
            yield folder.name


def _environment(facts: dict[str, Any]) -> Faults:
    """No process has anything from the host's environment. Compared by hashes; otherwise we would bring it in
    ourselves.
    """
    wanted = set(facts["secrets"])
    entries = {f"{name}={value}".encode(errors="surrogateescape") for name, value in os.environ.items()}
    for folder in _process_folders():
        try:
            entries.update((folder / "environ").read_bytes().split(b"\0"))
        except OSError:
            continue
    for entry in entries:
        if hashlib.sha256(entry).hexdigest() in wanted:
            yield entry.partition(b"=")[0].decode(errors="replace")


def _privileges(_facts: dict[str, Any]) -> Faults:
    status = dict(
        line.split(":\t", 1) for line in Path("/proc/self/status").read_text().splitlines() if ":\t" in line
    )
    yield from (name for name in _CAPABILITIES if int(status[name], 16))
    if status["NoNewPrivs"] != "1":
        yield "NoNewPrivs"
    if status["Seccomp"] != "2":
        yield "Seccomp"


def _root(_facts: dict[str, Any]) -> Faults:
    """Root under another name would own /usr here, as it does outside."""
    if Path("/usr").stat().st_uid == os.getuid():
        yield "uid 0"


def _mount(_facts: dict[str, Any]) -> Faults:
    with tempfile.TemporaryDirectory() as folder:
        target = folder.encode()
        if _libc.mount(b"probe", target, b"tmpfs", 1, None) == 0:
            _libc.umount2(target, 2)
            yield "mount"


def _namespaces(_facts: dict[str, Any]) -> Faults:
    for name, flag in (("user", _NEW_USER), ("mount", _NEW_MOUNTS)):
        if _in_child(lambda flag=flag: _libc.unshare(flag) == 0):  # type: ignore[misc]
            yield name


def _ptrace(_facts: dict[str, Any]) -> Faults:
    if _in_child(lambda: _libc.ptrace(0, 0, None, None) == 0):
        yield "ptrace"


def _devices(_facts: dict[str, Any]) -> Faults:
    """Also the device 0:0, which anyone may create elsewhere."""
    with tempfile.TemporaryDirectory() as folder:
        for number, device in enumerate((os.makedev(1, 3), os.makedev(0, 0))):
            try:
                os.mknod(f"{folder}/{number}", stat.S_IFCHR | 0o600, device)
            except OSError:
                continue
            yield f"mknod {os.major(device)}:{os.minor(device)}"


def _set_ids(_facts: dict[str, Any]) -> Faults:
    """A setuid or setgid file, or one with capabilities.

    Each call that could make one is called by its number, since the C library may use another.
    """
    making = os.O_CREAT | os.O_WRONLY
    capability = bytes.fromhex("0100000200000000000000000000000000000000")  # of no privilege at all
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/file"
        file = os.open(path, making, 0o700)
        ways = {
            "chmod": (90, path.encode(), 0o4700),
            "fchmod": (91 if _X86 else 52, file, 0o4700),
            "fchmodat": (268 if _X86 else 53, -100, path.encode(), 0o2700),
            "fchmodat2": (452, -100, path.encode(), 0o4700, 0),
            "open": (2, f"{folder}/open".encode(), making, 0o4700),
            "creat": (85, f"{folder}/creat".encode(), 0o4700),
            "openat": (257 if _X86 else 56, -100, f"{folder}/openat".encode(), making, 0o4700),
            "openat2": (
                437,
                -100,
                f"{folder}/openat2".encode(),
                struct.pack("QQQ", making, 0o4700, 0),
                24,
            ),
            "mknod": (133, f"{folder}/mknod".encode(), stat.S_IFREG | 0o4700, 0),
            "mknodat": (259 if _X86 else 33, -100, f"{folder}/mknodat".encode(), stat.S_IFREG | 0o4700, 0),
            "setxattr": (188 if _X86 else 5, path.encode(), b"security.capability", capability, 20, 0),
        }
        for name, (number, *arguments) in ways.items():
            if (_X86 or name not in ("chmod", "open", "creat", "mknod")) and _libc.syscall(
                number, *arguments
            ) >= 0:
                yield name
        os.close(file)


def _handles(_facts: dict[str, Any]) -> Faults:
    """Opening a file by handle bypasses every folder; the handle here leads nowhere."""
    handle = ctypes.create_string_buffer(b"\x08\0\0\0\x01\0\0\0" + b"\xff" * 8)
    if _allowed(304 if _X86 else 265, os.open("/", os.O_RDONLY), handle, 0):
        yield "open_by_handle_at"


def _kernel(_facts: dict[str, Any]) -> Faults:
    """Parts of the kernel with a history of escapes; each is called wrongly, and must not even say so."""
    calls = {"keyctl": (250, 219), "bpf": (321, 280), "io_uring_setup": (425, 425), "userfaultfd": (323, 282)}
    yield from (name for name, numbers in calls.items() if _allowed(numbers[not _X86], 0x7FFF, 0, 0, 0, 0))


def _typing(_facts: dict[str, Any]) -> Faults:
    """Nothing can be typed into the person's terminal (TIOCSTI), tried on a file that is not open."""
    if _allowed(16 if _X86 else 29, -1, 0x5412, 0):
        yield "TIOCSTI"


PROBES: dict[str, Callable[[dict[str, Any]], Faults]] = {
    "files": _files,
    "writes": _writes,
    "core-pattern": _core_pattern,
    "network": _network,
    "interfaces": _interfaces,
    "loopback": _loopback,
    "abstract-sockets": _abstract_sockets,
    "odd-sockets": _odd_sockets,
    "processes": _processes,
    "environment": _environment,
    "privileges": _privileges,
    "root": _root,
    "mount": _mount,
    "namespaces": _namespaces,
    "ptrace": _ptrace,
    "devices": _devices,
    "set-ids": _set_ids,
    "handles": _handles,
    "kernel": _kernel,
    "typing": _typing,
}


def main(_arguments: list[str]) -> int:
    facts = json.loads(sys.stdin.readline())
    for name, probe in PROBES.items():
        faults = sorted(set(probe(facts)))
        sys.stdout.write(json.dumps({"name": name, "held": not faults, "said": ", ".join(faults)}) + "\n")
        sys.stdout.flush()  # a probe forks, and the child would print it again
    return 0


def _allowed(number: int, *arguments: Any) -> bool:
    """Whether a system call is let through, whatever it then returns."""
    done: int = _libc.syscall(number, *arguments)
    return done >= 0 or ctypes.get_errno() not in _REFUSED


def _in_child(attempt: Callable[[], bool]) -> bool:
    """Try what cannot be undone in a process that ends right after."""
    child = os.fork()
    if child == 0:
        os._exit(1 if attempt() else 0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1


def _process_folders() -> list[Path]:
    return [folder for folder in Path("/proc").iterdir() if folder.name.isdigit()]
