"""Runs git: fixed arguments, nothing that a file in the workspace could make it execute, and never a question.

Boxes write below `groups/*/files`, and others push to the remote. So no hooks, no filters, no submodules, no helper
programs that a repository names; what the user set up for their own network access still works.
"""

import os
import re
import resource
import shutil
import signal
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path

from nanoclaw.domain.errors import NanoClawError

NAME = "NanoClaw OS"
EMAIL = "nanoclaw@localhost"
_PATIENCE = 60.0  # seconds, for what only reads and writes the disk
_LOOK = 0.2  # seconds between checks whether the host stops
_MOST_SAID = 300
_TRIES = 5
_EMPTY = Path("data", "git", "empty")
_LOCKED = re.compile(rb"(\.lock|cannot lock ref)", re.IGNORECASE)
_PASSWORD = re.compile(r"//[^/@\s]+@")
# What the user's own network access needs. Keys of models and bots are not included.
_KEPT = re.compile(
    r"(PATH|HOME|USER|LOGNAME|TMPDIR|XDG_\w+|SSH_AUTH_SOCK|GIT_SSH|GIT_SSH_COMMAND|GIT_SSH_VARIANT|GIT_SSL_\w+"
    r"|SSL_CERT_\w+|(https?|no|all)_proxy)",
    re.IGNORECASE,
)
_ALWAYS = {
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "core.attributesFile": "/dev/null",
    "core.pager": "cat",
    "core.autocrlf": "false",
    "core.quotePath": "false",
    "commit.gpgSign": "false",
    "tag.gpgSign": "false",
    "core.fsync": "committed",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "submodule.recurse": "false",
    "fetch.recurseSubmodules": "false",
    "push.recurseSubmodules": "no",
    "push.gpgSign": "false",
    "push.followTags": "false",
    # A tree that no honest git writes is rejected.
    "fetch.fsckObjects": "true",
    # `ext::` and helpers for other protocols are programs.
    "protocol.allow": "never",
    "protocol.file.allow": "always",
    "protocol.http.allow": "always",
    "protocol.https.allow": "always",
    "protocol.ssh.allow": "always",
}


class GitFailed(NanoClawError):
    """Git refused, or did not answer in time; it is tried again later."""


class GitUnready(NanoClawError):
    """There is nothing to commit to now (no git, no repository, a person is in the middle of something)."""


def is_installed() -> bool:
    return shutil.which("git") is not None


class Git:
    """The git of one workspace. Everything here blocks: use a thread."""

    def __init__(self, home: Path, stop: threading.Event | None = None) -> None:
        """`stop` is set when the host ends and must not wait for a slow network."""
        self.home = home
        self.stop = stop or threading.Event()

    def __call__(
        self,
        *arguments: str,
        given: bytes | int = b"",
        index: Path | None = None,
        patience: float = _PATIENCE,
        networked: bool = False,
        may_fail: tuple[int, ...] = (),
    ) -> bytes:
        """What git printed. Raises GitFailed, except for the exit codes in `may_fail`, which give no output.
        `given` goes to its standard input: bytes, or an open file.
        """
        code, out, said = self.run(
            *arguments, given=given, index=index, patience=patience, networked=networked
        )
        if code == 0:
            return out
        if code in may_fail:
            return b""
        raise GitFailed("git-failed", what=arguments[0], said=spoken(said))

    def run(
        self,
        *arguments: str,
        given: bytes | int = b"",
        index: Path | None = None,
        patience: float = _PATIENCE,
        networked: bool = False,
        most_bytes: int | None = None,
    ) -> tuple[int, bytes, bytes]:
        """`most_bytes`: ends it if a file grows longer."""
        program = shutil.which("git")
        if program is None:
            raise GitUnready("git-missing")
        settings = {**_ALWAYS, "safe.directory": str(self.home)}
        options = [word for key, value in settings.items() for word in ("-c", f"{key}={value}")]
        environment = _environment(self.home, networked=networked)
        if index is not None:
            environment["GIT_INDEX_FILE"] = str(index)
        process = subprocess.Popen(  # noqa: S603 - fixed words
            [program, "--literal-pathspecs", *options, *arguments],
            cwd=self.home,
            env=environment,
            stdin=given if isinstance(given, int) else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # ends with its own children: ssh, helpers of http
        )
        if most_bytes is not None:
            # Its children inherit it: they are started after the remote was asked.
            with suppress(ProcessLookupError):
                resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
        written = None if isinstance(given, int) else given
        out, said = self._communicate(process, written, patience, arguments[0])
        return process.returncode, out, said

    def patiently(self, *arguments: str, given: bytes = b"", index: Path | None = None) -> bytes:
        """The same, with retries while a person's git holds its locks, which lasts only moments."""
        for attempt in range(_TRIES):
            code, out, said = self.run(*arguments, given=given, index=index)
            if code == 0:
                return out
            if not _LOCKED.search(said) or b"but expected" in said:
                break
            time.sleep(0.05 * 2**attempt)
        raise GitFailed("git-failed", what=arguments[0], said=spoken(said))

    def write_index(self, lines: bytes, git_folder: Path, index: Path | None = None) -> None:
        """Lines as `update-index --index-info` reads them. Git would hash files that changed at the moment
        the index was last written, and run the filters of their attributes for that. So it works in an
        empty folder, where it finds none of them.
        """
        empty = self.home.absolute() / _EMPTY
        empty.mkdir(mode=0o700, parents=True, exist_ok=True)
        place = ("-C", str(empty), f"--git-dir={git_folder.absolute()}", f"--work-tree={empty}")
        self.patiently(*place, "update-index", "-z", "--index-info", given=lines, index=index)

    def _communicate(
        self, process: "subprocess.Popen[bytes]", given: bytes | None, patience: float, what: str
    ) -> tuple[bytes, bytes]:
        until = time.monotonic() + patience
        with process:
            while True:
                try:
                    return process.communicate(given, timeout=_LOOK)
                except subprocess.TimeoutExpired:
                    given = None  # the rest of it is sent by the next call
                if self.stop.is_set() or time.monotonic() > until:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.communicate()
                    key = "git-stopped" if self.stop.is_set() else "git-slow"
                    raise GitFailed(key, what=what, seconds=round(patience))


def spoken(said: bytes) -> str:
    """What git or the remote said, for a person: the telling lines, without passwords or terminal control
    characters.
    """
    written = (line.strip() for line in said.decode("utf-8", "replace").splitlines())
    lines = ["".join(each for each in line if each.isprintable()) for line in written]
    telling = [line for line in lines if line and not line.startswith(("hint:", "To ", "From "))]
    return _PASSWORD.sub("//***@", " ".join(telling))[:_MOST_SAID]


def _environment(home: Path, *, networked: bool) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if _KEPT.fullmatch(name)}
    who = {
        f"GIT_{role}_{part}": value
        for role in ("AUTHOR", "COMMITTER")
        for part, value in (("NAME", NAME), ("EMAIL", EMAIL))
    }
    # Only the network needs something of the user's configuration: addresses, proxies, where passwords are kept.
    config = {} if networked else {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    return {
        # In place of `core.sshCommand`, which a repository could set.
        **({} if "GIT_SSH" in kept else {"GIT_SSH_COMMAND": "ssh -o BatchMode=yes"}),
        **kept,
        **who,
        **config,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "true",
        "SSH_ASKPASS_REQUIRE": "never",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        # A repository around the workspace is somebody else's.
        "GIT_CEILING_DIRECTORIES": str(home.resolve().parent),
        "LC_ALL": "C",
    }
