"""The filter refuses what it should on both processors, and the profile for containers refuses the same."""

import errno
import json
import os
import re
import struct
from pathlib import Path

import pytest

from nanoclaw.sandbox import seccomp

pytestmark = pytest.mark.capability("A9")

ALLOW, KILL = "allow", "kill"
X86, ARM = 0xC000003E, 0xC00000B7
HEADERS = {
    0: Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    1: Path("/usr/include/asm-generic/unistd.h"),
}


def judge(program: bytes, architecture: int, number: int, *arguments: int) -> str:
    """What the kernel would answer: a few lines of its own interpreter."""
    padded = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("IIQ6Q", number, architecture, 0, *padded)
    lines = [struct.unpack_from("HBBI", program, at) for at in range(0, len(program), 8)]
    value, at = 0, 0
    while True:
        code, yes, no, operand = lines[at]
        at += 1
        if code == 0x06:
            if operand == 0x7FFF0000:
                return ALLOW
            return KILL if operand == 0x80000000 else errno.errorcode[operand & 0xFFFF]
        if code == 0x20:
            (value,) = struct.unpack_from("I", data, operand)
        else:
            holds = {0x15: value == operand, 0x35: value >= operand, 0x45: bool(value & operand)}[code]
            at += yes if holds else no


@pytest.mark.parametrize(
    ("number", "arguments", "answer"),
    [
        (0, (), ALLOW),  # read
        (101, (), "EPERM"),  # ptrace
        (165, (), "EPERM"),  # mount
        (272, (), "EPERM"),  # unshare
        (425, (), "EPERM"),  # io_uring_setup
        (435, (), "ENOSYS"),  # clone3
        (56, (0x01200011,), ALLOW),  # a fork
        (56, (0x10000011,), "EPERM"),  # a fork into a new user namespace
        (41, (1,), ALLOW),
        (41, (2,), ALLOW),
        (41, (10,), ALLOW),
        (41, (16, 3, 0), ALLOW),
        (41, (16, 3, 9), "EPERM"),  # netlink, but not to list interfaces
        (41, (17,), "EPERM"),  # packet
        (41, (40,), "EPERM"),  # vsock
        (53, (1,), ALLOW),  # a pair of unix sockets
        (53, (40,), "EPERM"),  # a pair of vsock sockets
        (90, (0, 0o755), ALLOW),
        (90, (0, 0o1777), ALLOW),
        (90, (0, 0o4755), "EPERM"),  # set-user-ID
        (90, (0, 0o2755), "EPERM"),  # set-group-ID
        (91, (3, 0o4755), "EPERM"),
        (268, (3, 0, 0o4755), "EPERM"),
        (452, (3, 0, 0o4755), "EPERM"),  # fchmodat2
        (452, (3, 0, 0o644), ALLOW),
        (85, (0, 0o4755), "EPERM"),  # creat
        (2, (0, 0o101, 0o644), ALLOW),
        (2, (0, 0o101, 0o4755), "EPERM"),  # open and make
        (2, (0, 0, 0o4755), ALLOW),  # it makes nothing, and the mode may be anything
        (257, (3, 0, 0o20200001, 0o4755), "EPERM"),  # a file without a name
        (257, (3, 0, 0o101, 0o600), ALLOW),
        (437, (), "ENOSYS"),  # openat2
        (133, (0, 0o010644), ALLOW),  # a pipe
        (133, (0, 0o020644), "EPERM"),  # a device
        (133, (0, 0o060644), "EPERM"),
        (259, (3, 0, 0o104755), "EPERM"),
        (188, (), "ENOTSUP"),  # setxattr
        (16, (0, 0x5401), ALLOW),
        (16, (0, 0x5412), "EPERM"),  # TIOCSTI
        (16, (0, 0xFF00005412), "EPERM"),  # the kernel looks at the low half only
        (0x40000000 + 101, (), "EPERM"),  # x32
    ],
)
def test_calls_are_judged_by_number_and_arguments(
    number: int, arguments: tuple[int, ...], answer: str
) -> None:
    assert judge(seccomp.program("x86_64"), X86, number, *arguments) == answer


def test_the_other_processor_has_its_own_numbers() -> None:
    program = seccomp.program("aarch64")
    assert judge(program, ARM, 117) == "EPERM"  # ptrace
    assert judge(program, ARM, 101) == ALLOW  # nanosleep
    assert judge(program, ARM, 198, 40) == "EPERM"  # a vsock socket
    assert judge(program, ARM, 220, 0x10000000) == "EPERM"
    assert judge(program, ARM, 53, 3, 0, 0o4755) == "EPERM"  # fchmodat
    assert judge(program, ARM, 56, 3, 0, 0o101, 0o4755) == "EPERM"  # openat
    assert judge(program, ARM, 90, 0, 0o4755) == ALLOW  # capget


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_calls_of_another_processor_are_fatal(machine: str) -> None:
    assert judge(seccomp.program(machine), 0x40000003, 1) == KILL


@pytest.mark.parametrize("which", [0, 1] if os.uname().machine == "x86_64" else [1])
def test_the_numbers_are_those_of_the_system_s_headers(which: int) -> None:
    if not HEADERS[which].exists():
        pytest.skip("the headers of the kernel are not installed (Debian's package linux-libc-dev)")
    text = HEADERS[which].read_text()
    known = {name: int(number) for name, number in re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", text)}
    calls = {name: call for name, (call, _) in (*seccomp.MODE_SETTERS.items(), *seccomp.OPENERS.items())}
    for name, numbers in (seccomp.REFUSED | seccomp.UNREADABLE | seccomp.UNSUPPORTED | calls).items():
        if numbers[which] is not None:
            assert known.get(name, numbers[which]) == numbers[which], name


def test_the_profile_of_containers_refuses_the_same_calls() -> None:
    rules = json.loads(seccomp.profile())["syscalls"]
    assert rules[0]["names"] == sorted(seccomp.REFUSED)
    others = {name for rule in rules[1:] for name in rule["names"]}
    assert others == {
        *("clone", "socket", "socketpair", "ioctl"),
        *(seccomp.UNREADABLE | seccomp.UNSUPPORTED),
        *(seccomp.MODE_SETTERS | seccomp.OPENERS),
    }
    assert all(rule["action"] == "SCMP_ACT_ERRNO" for rule in rules)
