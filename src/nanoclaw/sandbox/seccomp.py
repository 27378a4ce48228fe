"""The system calls that no box may make: one list, written as a filter for bubblewrap and as a profile for containers.

It refuses, with "not permitted", what makes new namespaces and mounts, looks into other processes, or opens parts of
the kernel that an agent never needs. Without it a box can hold on to its first process and never end, can open sockets
that no network namespace contains (AF_VSOCK), and can leave a program in its folders that runs as the host's own user
when someone else on the machine starts it (set-user-ID).
"""

import errno
import json
import os
import struct
from functools import cache

# name: (number on x86_64, number on aarch64); None where there is no such call
REFUSED: dict[str, tuple[int, int | None]] = {
    # other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    # mounts and namespaces
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "move_mount": (429, 429),
    "open_tree": (428, 428),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "unshare": (272, 97),
    "setns": (308, 268),
    # parts of the kernel that were broken out of before
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264),
    "fanotify_init": (300, 262),
    "memfd_secret": (447, 447),
    "move_pages": (279, 239),
    "migrate_pages": (256, 238),
    "lookup_dcookie": (212, 18),
    "uselib": (134, None),
    # the machine itself
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "vhangup": (153, 58),
    "syslog": (103, 116),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "iopl": (172, None),
    "ioperm": (173, None),
}
# Their arguments are behind a pointer, which a filter cannot follow. Each has an older sister whose arguments it can
# read, and to which programs turn when they hear "no such call".
UNREADABLE: dict[str, tuple[int, int | None]] = {"clone3": (435, 435), "openat2": (437, 437)}
# Extended attributes hold the capabilities of files. "Not supported here" is what copying programs are used to.
UNSUPPORTED: dict[str, tuple[int, int | None]] = {
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "setxattrat": (463, 463),
}
# name: numbers, and which argument is the mode
MODE_SETTERS: dict[str, tuple[tuple[int | None, int | None], int]] = {
    "chmod": ((90, None), 1),
    "fchmod": ((91, 52), 1),
    "fchmodat": ((268, 53), 2),
    "fchmodat2": ((452, 452), 2),
    "creat": ((85, None), 1),
    "mknod": ((133, None), 1),
    "mknodat": ((259, 33), 2),
}
# name: numbers, and which argument is the flags; the mode comes after it, and counts only where a file may be made
OPENERS: dict[str, tuple[tuple[int | None, int | None], int]] = {
    "open": ((2, None), 1),
    "openat": ((257, 56), 2),
}
_SET_IDS = (0o4000, 0o2000)
_DEVICE = 0o020000  # in the mode of mknod: a character or block device
_MAKING = (0o100, 0o20000000)  # O_CREAT, O_TMPFILE

_CLONE, _SOCKET, _SOCKETPAIR, _IOCTL = (56, 220), (41, 198), (53, 199), (16, 29)
_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_NEW_NAMESPACES = tuple(1 << bit for bit in (17, 25, 26, 27, 28, 29, 30))  # CLONE_NEWNS ... CLONE_NEWNET
_FAMILIES = (1, 2, 10)  # unix, inet, inet6
_NETLINK = 16  # of it only the part that lists interfaces: programs ask it what addresses there are
# TIOCSTI, TIOCLINUX: put letters into the terminal as if the person had typed them.
_TYPING = (0x5412, 0x541C)

# The parts of a filter program
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _ARCHITECTURE = 0, 4
_X32 = 0x40000000  # the same calls under other numbers


def _argument(index: int) -> int:
    """Where the low half of an argument is; the calls looked at here use only that half."""
    return 16 + 8 * index


def _says(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("HBBI", code, yes, no, value)


def known_here() -> bool:
    """Whether there is a filter for this machine's processor."""
    return os.uname().machine in _ARCHITECTURES


@cache
def program(machine: str = "") -> bytes:
    """The filter as the kernel reads it."""
    machine = machine or os.uname().machine
    which = list(_ARCHITECTURES).index(machine)
    refuse = _says(_RETURN, _ERROR | errno.EPERM)
    allow = _says(_RETURN, _ALLOW)

    def of(call: tuple[int | None, int | None], *body: bytes) -> list[bytes]:
        """What is done when it is this call; each body ends with an answer."""
        number = call[which]
        return [] if number is None else [_says(_EQUAL, number, 0, len(body)), *body]

    lines = [
        _says(_LOAD, _ARCHITECTURE),
        _says(_EQUAL, _ARCHITECTURES[machine], 1, 0),
        _says(_RETURN, _KILL),
        _says(_LOAD, _NUMBER),
    ]
    if machine == "x86_64":
        lines += [_says(_AT_LEAST, _X32, 0, 1), refuse]
    for call in UNREADABLE.values():
        lines += of(call, _says(_RETURN, _ERROR | errno.ENOSYS))
    for call in UNSUPPORTED.values():
        lines += of(call, _says(_RETURN, _ERROR | errno.EOPNOTSUPP))
    for name, (setter, mode) in MODE_SETTERS.items():
        refused = sum(_SET_IDS) | (_DEVICE if name.startswith("mknod") else 0)
        lines += of(setter, _says(_LOAD, _argument(mode)), _says(_ANY_BIT, refused, 0, 1), refuse, allow)
    for opener, flags in OPENERS.values():
        lines += of(
            opener,
            _says(_LOAD, _argument(flags)),
            _says(_ANY_BIT, sum(_MAKING), 1, 0),
            allow,
            _says(_LOAD, _argument(flags + 1)),
            _says(_ANY_BIT, sum(_SET_IDS), 0, 1),
            refuse,
            allow,
        )
    lines += of(
        _CLONE, _says(_LOAD, _argument(0)), _says(_ANY_BIT, sum(_NEW_NAMESPACES), 0, 1), refuse, allow
    )
    lines += of(_IOCTL, _says(_LOAD, _argument(1)), *_one_of(_TYPING, refuse), allow)
    lines += of(
        _SOCKET,
        _says(_LOAD, _argument(0)),
        *_one_of(_FAMILIES, allow),
        _says(_EQUAL, _NETLINK, 0, 2),
        _says(_LOAD, _argument(2)),
        _says(_EQUAL, 0, 1, 0),
        refuse,
        allow,
    )
    # Pairs of unix sockets only: AF_VSOCK and others can be had as pairs too.
    lines += of(_SOCKETPAIR, _says(_LOAD, _argument(0)), _says(_EQUAL, _FAMILIES[0], 1, 0), refuse, allow)
    for call in REFUSED.values():
        lines += of(call, refuse)
    return b"".join([*lines, allow])


def _one_of(values: tuple[int, ...], answer: bytes) -> list[bytes]:
    return [line for value in values for line in (_says(_EQUAL, value, 0, 1), answer)]


def profile() -> str:
    """The same refusals in the words of container engines."""
    error = {"action": "SCMP_ACT_ERRNO", "errnoRet": errno.EPERM}

    def when(name: str, *conditions: tuple[int, str, int, int]) -> dict[str, object]:
        arguments = [
            {"index": index, "op": f"SCMP_CMP_{how}", "value": value, "valueTwo": second}
            for index, how, value, second in conditions
        ]
        return {"names": [name], "args": arguments, **error}

    others = [family for family in range(_NETLINK) if family not in _FAMILIES]
    rules: list[dict[str, object]] = [
        {"names": sorted(REFUSED), **error},
        {"names": sorted(UNREADABLE), "action": "SCMP_ACT_ERRNO", "errnoRet": errno.ENOSYS},
        {"names": sorted(UNSUPPORTED), "action": "SCMP_ACT_ERRNO", "errnoRet": errno.EOPNOTSUPP},
        *(
            when(name, (mode, "MASKED_EQ", bit, bit))
            for name, (_, mode) in MODE_SETTERS.items()
            for bit in (*_SET_IDS, *([_DEVICE] if name.startswith("mknod") else []))
        ),
        *(
            when(name, (flags, "MASKED_EQ", making, making), (flags + 1, "MASKED_EQ", bit, bit))
            for name, (_, flags) in OPENERS.items()
            for making in _MAKING
            for bit in _SET_IDS
        ),
        *(when("clone", (0, "MASKED_EQ", flag, flag)) for flag in _NEW_NAMESPACES),
        *(when("ioctl", (1, "MASKED_EQ", 0xFFFFFFFF, request)) for request in _TYPING),
        *(when("socket", (0, "EQ", family, 0)) for family in others),
        when("socket", (0, "GT", _NETLINK, 0)),
        when("socket", (0, "EQ", _NETLINK, 0), (2, "NE", 0, 0)),
        when("socketpair", (0, "NE", _FAMILIES[0], 0)),
    ]
    architectures = [f"SCMP_ARCH_{machine.upper()}" for machine in _ARCHITECTURES]
    own = architectures[list(_ARCHITECTURES).index(os.uname().machine)]
    return json.dumps({"defaultAction": "SCMP_ACT_ALLOW", "architectures": [own], "syscalls": rules})
