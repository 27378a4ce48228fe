"""The first program in a box with a model line or egress: opens the forwarders, runs the command, and exits as it does.

`entry --cwd /work/site --forward 127.0.0.1:8080=/run/gateway.sock --forward ... -- COMMAND ...`
"""

import contextlib
import os
import signal
import sys

from nanoclaw_inside.forward import forward

_PASSED_ON = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)
_FROM_KEYS = (signal.SIGINT, signal.SIGQUIT)  # a terminal sends these to the command itself
_CHANGED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)


def main(arguments: list[str]) -> int:
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    command = arguments[cut + 1 :]
    if not command:
        sys.exit("entry: no command")
    for flag, value in zip(arguments[:cut:2], arguments[1:cut:2], strict=True):
        if flag == "--cwd":
            with contextlib.suppress(OSError):  # it is gone: then the command starts where every command does
                os.chdir(value)
        elif flag == "--forward":
            address, _, target = value.partition("=")
            host, _, port = address.rpartition(":")
            forward((host, int(port)), target)
        else:
            sys.exit(f"entry: what is {flag}?")
    return _run(command)


def _run(command: list[str]) -> int:
    at_terminal = os.isatty(0)
    # None may be lost before there is a child to receive it.
    signal.pthread_sigmask(signal.SIG_BLOCK, _PASSED_ON)
    try:
        child = os.posix_spawnp(
            command[0], command, os.environ, setsigmask=(), setsigdef=(*_PASSED_ON, *_CHANGED_BY_PYTHON)
        )
    except OSError as error:
        print(f"entry: {command[0]}: {error.strerror}", file=sys.stderr)  # noqa: T201
        return 127 if isinstance(error, FileNotFoundError) else 126

    def pass_on(number: int, _frame: object) -> None:
        if not (at_terminal and number in _FROM_KEYS):
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, number)

    for number in _PASSED_ON:
        signal.signal(number, pass_on)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _PASSED_ON)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code
