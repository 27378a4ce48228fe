"""What every box has, whatever its plan: the system's programs, a Python, a few files of /etc, a plain environment."""

import compileall
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from nanoclaw.domain.boxes import WORK, BoxPlan, Mount

USER = 1000  # the agent's user in its box
HOME = "/home/agent"
PACKAGE = Path(__file__).parents[2] / "nanoclaw_inside"
PROXY_PORT = 3128
PACKAGE_TARGET = "/opt/nanoclaw/nanoclaw_inside"

_TOP = ("bin", "lib", "lib32", "lib64", "sbin")  # links into /usr, unless the system is very old
_SETTINGS = (
    "/etc/alternatives",
    "/etc/fonts",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
)
NAME = "agent"
NAMES = {  # the user and its group, with their numbers in the box
    "/etc/passwd": "{name}:x:{number}:{number}:{name}:{home}:/bin/bash\nnobody:x:65534:65534::/:/usr/sbin/nologin\n",
    "/etc/group": "{name}:x:{number}:\nnogroup:x:65534:\n",
}
FILES = {
    "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",  # no DNS: it could only time out
    "/etc/hosts": "127.0.0.1 localhost agent\n::1 localhost\n",
}
_PATH = "/usr/local/bin:/usr/bin:/bin"


def names(number: int) -> dict[str, str]:
    """The files that tell programs who they are (`whoami`, git, Python's getpass)."""
    return {file: text.format(name=NAME, number=number, home=HOME) for file, text in NAMES.items()}


def _base() -> Path:
    return Path(sys.base_prefix).resolve()


def python_inside() -> str:
    """The interpreter in the box: the host's, without its packages."""
    return str(_base() / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}")


def run_inside(module: str, *arguments: str) -> tuple[str, ...]:
    """The command that runs a program of `nanoclaw_inside` in a box."""
    return (python_inside(), "-I", "-S", "-B", PACKAGE_TARGET, module, *arguments)


def led(command: Sequence[str], ways: Mapping[int, str], *, folder: str = WORK) -> tuple[str, ...]:
    """The command, with ports inside that forward to sockets; they are opened before it starts in the folder."""
    start = () if folder == WORK else ("--cwd", folder)
    if not ways and not start:
        return tuple(command)
    forwards = (word for port, socket in ways.items() for word in ("--forward", f"127.0.0.1:{port}={socket}"))
    return (*run_inside("entry"), *start, *forwards, "--", *command)


def through_proxy() -> dict[str, str]:
    """Makes programs use the proxy: this port inside forwards to its socket."""
    address = f"http://127.0.0.1:{PROXY_PORT}"
    return {
        **dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), address),
        **dict.fromkeys(("no_proxy", "NO_PROXY"), "localhost,127.0.0.1"),
        "NODE_USE_ENV_PROXY": "1",
    }


def system_mounts() -> tuple[Mount, ...]:
    """Read-only mounts: programs, libraries, the interpreter, certificates."""
    tops = (Path("/", name) for name in _TOP)
    paths = [Path("/usr"), *(path for path in tops if path.is_dir() and not path.is_symlink())]
    paths += [path for setting in _SETTINGS if (path := Path(setting)).exists()]
    return (*(Mount(source=path, target=str(path)) for path in paths), *python_mounts())


def python_mounts() -> tuple[Mount, ...]:
    """The interpreter, if it is not among the system's programs."""
    base = _base()
    return () if base.is_relative_to("/usr") else (Mount(source=base, target=str(base)),)


def system_links() -> dict[str, str]:
    """The top-level links: /bin -> usr/bin."""
    return {f"/{name}": str(path.readlink()) for name in _TOP if (path := Path("/", name)).is_symlink()}


def environment(plan: BoxPlan) -> dict[str, str]:
    """Nothing from the host's own: only what programs cannot do without, and what the plan says."""
    base = _base()
    path = _PATH if base == Path("/usr") else f"{base / 'bin'}:{_PATH}"
    ours = any(mount.target == PACKAGE_TARGET for mount in plan.mounts)
    found = {"PYTHONPATH": str(Path(PACKAGE_TARGET).parent)} if ours else {}  # `import nanoclaw_inside`
    # git takes the committer's address from EMAIL, unless its own settings say otherwise.
    who = {"HOME": HOME, "USER": NAME, "LOGNAME": NAME, "EMAIL": f"{NAME}@localhost"}
    return {"PATH": path, "LANG": "C.UTF-8", **who, **found, **plan.environment}


@cache
def package_mount() -> Mount:
    """Our own programs, compiled once here: a box cannot keep what it compiles, and would do it at every start."""
    compileall.compile_dir(PACKAGE, quiet=2)
    return Mount(source=PACKAGE, target=PACKAGE_TARGET)
