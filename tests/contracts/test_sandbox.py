"""Every sandbox runs a command the same way; those with walls show only what the plan says and let nothing out."""

import asyncio
import gc
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest
from tests.documents import LOCKED_PDF, pdf_document, word_document
from tests.staging import until

from nanoclaw.context.groups import Group
from nanoclaw.domain.boxes import GATEWAY_SOCKET, Box, BoxLimits, BoxPlan, Mount, Sandbox, TerminalSize
from nanoclaw.domain.errors import BoxRefused
from nanoclaw.domain.ids import new_id
from nanoclaw.flows.company_context.documents import Documents, Unreadable
from nanoclaw.sandbox import bubblewrap as bubblewrap_module
from nanoclaw.sandbox import containers, inside, limits, orphans, probes
from nanoclaw.sandbox.containers import ContainerSandbox
from nanoclaw.sandbox.drivers import choose
from nanoclaw.sandbox.folders import Folders
from nanoclaw.sandbox.pipes import open_pipes
from nanoclaw.sandbox.processes import spawn
from nanoclaw.sandbox.users import BoxUsers
from nanoclaw_inside.probe import PROBES

pytestmark = pytest.mark.capability("A9")


@dataclass(frozen=True, kw_only=True)
class Ended:
    code: int
    out: str
    err: str


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A sandbox on a workspace of its own, and the plan of a box in it."""

    sandbox: Sandbox
    plan: BoxPlan
    home: Path
    users: BoxUsers
    workspace: str

    async def run(self, *command: str, plan: BoxPlan | None = None, stdin: bytes = b"") -> Ended:
        box = await self.sandbox.start(plan or self.plan, command)
        box.stdin.write(stdin)
        box.stdin.close()
        out, err = await asyncio.gather(box.stdout.read(), box.stderr.read())
        return Ended(code=await box.wait(), out=out.decode(), err=err.decode())

    async def sh(self, script: str, *, plan: BoxPlan | None = None) -> Ended:
        return await self.run("/bin/sh", "-c", script, plan=plan)


TRIAL = """
import asyncio, sys
from pathlib import Path
from typing import Any
from nanoclaw.domain.boxes import BoxPlan
from nanoclaw.sandbox.containers import ContainerSandbox
from nanoclaw.sandbox.users import BoxUsers
async def main():
    home = Path(sys.argv[1])
    sandbox = ContainerSandbox("podman", BoxUsers(home / "users.json"), workspace=sys.argv[2], folder=home / "box")
    box = await sandbox.start(BoxPlan(name="trial", tenant="acme"), ["/bin/true"])
    said = await box.stderr.read()
    sys.exit(said.decode() if await box.wait() else 0)
asyncio.run(main())
"""


@cache
def _podman_says() -> str:
    """Why podman cannot run anything on this machine (no subordinate user ids, say); empty when it can."""
    with tempfile.TemporaryDirectory() as folder:
        line = [sys.executable, "-c", TRIAL, folder, new_id("w")]  # a name that no other run has
        done = subprocess.run(line, capture_output=True, check=False, timeout=60)
        return done.stderr.decode(errors="replace").strip()[-300:] if done.returncode else ""


def _scene(name: str, home: Path) -> Scene:
    workspace = new_id("w")
    users = BoxUsers(home / "data" / "box-users.json")
    try:
        sandbox = choose(name, users=users, workspace=workspace, folder=home / "data" / "box")
    except BoxRefused as error:
        pytest.skip(f"{name} does not work here: {error}")
    if name == "podman" and (said := _podman_says()):
        pytest.skip(f"podman does not work here: {said}")
    (home / "foundation").mkdir(parents=True)
    (home / "foundation" / "note.md").write_text("read me")
    folders = Folders(home, users).prepare("acme", "main", "s_1")
    plan = BoxPlan(
        name=new_id("b"),
        tenant="acme",
        mounts=folders.mounts(),
        environment={"GREETING": "good day"},
    )
    return Scene(sandbox=sandbox, plan=plan, home=home, users=users, workspace=workspace)


@pytest.fixture(params=["bubblewrap", "podman", "process"])
def scene(request: pytest.FixtureRequest, tmp_path: Path) -> Scene:
    return _scene(request.param, tmp_path / "home")


@pytest.fixture(params=["bubblewrap", "podman"])
def walled(request: pytest.FixtureRequest, tmp_path: Path) -> Scene:
    return _scene(request.param, tmp_path / "home")


@pytest.fixture
def bubblewrap(tmp_path: Path) -> Scene:
    return _scene("bubblewrap", tmp_path / "home")


def alive(mark: str) -> list[int]:
    """The processes of this machine that have the mark in their command line; a zombie has none."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                if mark.encode() in (folder / "cmdline").read_bytes():
                    found.append(int(folder.name))
            except OSError:
                continue
    return found


# Every sandbox


async def test_a_command_gives_its_output_and_its_exit_code(scene: Scene) -> None:
    ended = await scene.sh("cat; echo out; echo err >&2; exit 7")
    assert (ended.code, ended.out, ended.err) == (7, "out\n", "err\n")


async def test_what_is_written_to_a_box_reaches_its_command(scene: Scene) -> None:
    big = b"x" * 3_000_000
    ended = await scene.run("/usr/bin/wc", "-c", stdin=big)
    assert ended.out.strip() == str(len(big))


async def test_a_command_starts_in_the_group_s_files_and_the_host_can_use_what_it_writes(
    scene: Scene,
) -> None:
    assert (await scene.sh("mkdir -p a && echo text > a/new.txt && chmod 600 a/new.txt")).code == 0
    written = scene.home / "groups" / "main" / "files" / "a" / "new.txt"
    assert written.read_text() == "text\n"
    if scene.sandbox.name != "process":
        assert written.stat().st_uid == scene.users.of("acme") == written.parent.stat().st_uid
    written.write_text("changed")


async def test_the_environment_is_the_plan_s_and_nothing_of_the_host_s(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_CANARY", "do-not-tell")
    ended = await scene.run("/usr/bin/env", "-0")
    told = dict(entry.split("=", 1) for entry in ended.out.split("\0") if entry)
    wanted = inside.environment(scene.plan)
    if scene.sandbox.name == "process":
        wanted |= {"HOME": told["HOME"], "NANOCLAW_IPC": str(scene.home / "groups/main/ipc/s_1")}
        del wanted["USER"], wanted["LOGNAME"]
    assert told.items() >= wanted.items()
    assert set(told) - set(wanted) <= {"PWD", "HOSTNAME", "TERM", "container", "NANOCLAW_BOX"}


async def test_a_kill_ends_everything_that_the_command_started(scene: Scene) -> None:
    mark = f"{time.time_ns()}.25"
    # One that stays in the group of the command, and, where walls hold it, one that leaves it.
    leaving = "" if scene.sandbox.name == "process" else f"setsid sleep {mark} &"
    box = await scene.sandbox.start(
        scene.plan, ["/bin/sh", "-c", f"sleep {mark} & {leaving} sh -c 'sleep {mark}; true' & echo up; wait"]
    )
    assert await box.stdout.readline() == b"up\n"
    await until(lambda: len(alive(f"sleep\0{mark}")) >= (2 if scene.sandbox.name == "process" else 3))
    await box.kill()
    assert await box.wait() != 0
    if scene.sandbox.name == "process":
        await until(lambda: not alive(mark))
    assert not alive(mark)
    await box.kill()  # once more does nothing


async def test_a_kill_does_not_wait_for_output_that_nobody_reads(scene: Scene) -> None:
    box = await scene.sandbox.start(scene.plan, ["/usr/bin/yes"])
    assert await box.stdout.readline() == b"y\n"
    async with asyncio.timeout(25):  # an engine that is held up is given up after 30
        await box.kill()
    assert await box.wait() != 0


async def test_boxes_leave_no_open_files_and_no_zombies_behind(scene: Scene) -> None:
    others = _children()  # what tests keep for each other: a browser, the process hosts are forked from

    async def one(number: int) -> None:
        plan = replace(scene.plan, name=f"{scene.plan.name}-{number}")
        assert (await scene.sh("exit 0", plan=plan)).code == 0

    await one(0)
    before = len(list(Path("/proc/self/fd").iterdir()))
    await asyncio.gather(*(one(number) for number in range(1, 4)))
    await until(lambda: len(list(Path("/proc/self/fd").iterdir())) <= before)
    assert _children() <= others


def _children() -> set[int]:
    """The processes that this one started and has not taken leave of, zombies included."""
    stats = (_read(path).rpartition(b") ") for path in Path("/proc").glob("[0-9]*/stat"))
    return {int(head.split()[0]) for head, _, tail in stats if tail and int(tail.split()[1]) == os.getpid()}


async def test_a_mount_that_is_not_there_is_said(walled: Scene) -> None:
    gone = Mount(source=walled.home / "gone", target="/gone")
    with pytest.raises(BoxRefused, match="box-mount-missing"):
        await walled.sandbox.start(replace(walled.plan, mounts=(gone,)), ["true"])


HOST = """
import asyncio, sys
from pathlib import Path
from typing import Any
from nanoclaw.domain.boxes import BoxPlan, Mount
from nanoclaw.sandbox.drivers import choose
from nanoclaw.sandbox.users import BoxUsers
async def main():
    name, home, workspace, mark, terminal = sys.argv[1:]
    home = Path(home)
    users = BoxUsers(home / "data" / "box-users.json")
    sandbox = choose(name, users=users, workspace=workspace, folder=home / "data" / "box")
    work = Mount(source=home / "groups/main/files", target="/work", writable=True)
    plan = BoxPlan(name="orphan", tenant="acme", mounts=(work,))
    if terminal == "yes":
        talk = "test -t 0 && test -t 1 && stty size && read x && echo got $x"
        box = await sandbox.start(plan, ["/bin/sh", "-c", talk], terminal=True)
        sys.exit(await box.wait())
    box = await sandbox.start(plan, ["/bin/sh", "-c", f"echo up; sleep {mark}; true"])
    await box.stdout.readline()
    print("up", flush=True)
    await box.wait()
asyncio.run(main())
"""


async def test_a_box_ends_with_its_host_or_with_the_next_sweep(scene: Scene) -> None:
    mark = f"{time.time_ns()}.5"
    words = (scene.sandbox.name, str(scene.home), scene.workspace, mark, "no")
    host = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HOST, *words, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    assert host.stdout is not None
    assert await host.stdout.readline() == b"up\n"
    await until(lambda: bool(alive(f"sleep\0{mark}")))
    host.send_signal(signal.SIGKILL)
    await host.communicate()
    if scene.sandbox.name == "podman":  # its containers have a parent of their own
        assert await scene.sandbox.sweep() == 1
    if scene.sandbox.name == "bubblewrap":
        await until(lambda: not alive(mark))
    await scene.sandbox.sweep()
    await until(lambda: not alive(mark))
    assert await scene.sandbox.sweep() == 0


async def test_a_sweep_spares_boxes_that_live_and_ends_what_nobody_holds(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host sweeps every minute, while its own boxes work and another process of the workspace may have some."""
    box = await scene.sandbox.start(scene.plan, ["/bin/cat"])
    await _answers(box)
    with monkeypatch.context() as patch:
        for module in (orphans, containers, bubblewrap_module):
            patch.setattr(module, "host", lambda: "0-0")  # a host that no longer exists
        lost = await scene.sandbox.start(replace(scene.plan, name=f"{scene.plan.name}-lost"), ["/bin/cat"])
        await _answers(lost)
    assert await scene.sandbox.sweep() == 1
    await lost.wait()
    assert await _again(scene).sweep() == 0
    await _answers(box)
    for each in (box, lost):
        await each.kill()


def _again(scene: Scene) -> Sandbox:
    return choose(
        scene.sandbox.name, users=scene.users, workspace=scene.workspace, folder=scene.home / "data/box"
    )


async def _answers(box: Box) -> None:
    box.stdin.write(b"still here\n")
    assert await box.stdout.readline() == b"still here\n"


async def test_a_command_can_have_the_person_s_terminal(scene: Scene) -> None:
    ours, theirs = os.openpty()
    words = (scene.sandbox.name, str(scene.home), scene.workspace, "-", "yes")
    host = await asyncio.create_subprocess_exec(
        *("/usr/bin/setsid", "--ctty", "--wait", sys.executable, "-c", HOST, *words),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    os.set_blocking(ours, False)
    os.write(ours, b"hello\n")
    seen = b""

    def answered() -> bool:
        nonlocal seen
        try:
            seen += os.read(ours, 4096)
        except BlockingIOError:
            pass
        except OSError:  # the other side of a terminal is gone
            return True
        return b"got hello" in seen

    await until(answered)
    assert b"got hello" in seen, seen
    assert await host.wait() == 0
    os.close(ours)


AT_KEYBOARD = """
import os, select, signal, sys, tty
def say(*words):
    os.write(1, (" ".join(map(str, words)) + "\\n").encode())  # a signal may come in the middle of a print
def size(*_):
    say("size", *os.get_terminal_size())
signal.signal(signal.SIGWINCH, size)
signal.signal(signal.SIGINT, lambda *_: say("stopped by keys"))
say("terminals", *(os.isatty(each) for each in range(3)), os.tcgetpgrp(0) == os.getpgrp())
size()
def typed():
    while not select.select([0], [], [], 0.1)[0]:
        pass  # a signal that comes just before a read is heard only after it
    return os.read(0, 1000).decode()
for line in iter(typed, ""):
    if line == "raw\\n":
        tty.setraw(0)
        say("ready")
        say("pasted", os.read(0, 100))
        sys.exit(3)
    say("read", ascii(line.strip()))
"""


async def test_a_command_can_have_a_terminal_of_its_own_whose_other_end_is_here(scene: Scene) -> None:
    files = _open_files()
    command = [inside.python_inside(), "-I", "-c", AT_KEYBOARD]
    box = await scene.sandbox.start(scene.plan, command, own_terminal=TerminalSize(rows=30, columns=100))
    await _until_shown(box, b"terminals True True True True")
    await _until_shown(box, b"size 100 30")
    box.resize(TerminalSize(rows=40, columns=120))
    await _until_shown(box, b"size 120 40")
    box.stdin.write(b"\x03")  # Ctrl-C: what runs in the box receives it, and the box continues
    await _until_shown(box, b"stopped by keys")
    box.stdin.write("ї\U0001f989x\x7f\n".encode())  # the last letter is taken back
    await _until_shown(box, rb"read '\u0457\U0001f989'")
    box.stdin.write(b"raw\n")
    await _until_shown(box, b"ready")
    box.stdin.write(b"\x1b[200~two\nlines\x1b[201~")
    await _until_shown(box, rb"pasted b'\x1b[200~two\nlines\x1b[201~'")
    await box.stdout.read()  # to the end, which is no error
    assert await box.wait() == 3
    box.resize(TerminalSize())  # too late, and nobody minds
    await box.kill()
    await until(lambda: _open_files() <= files)


async def test_a_kill_of_a_box_with_a_terminal_ends_all_that_was_started_there(scene: Scene) -> None:
    mark = f"{time.time_ns()}.5"
    script = f"setsid sleep {mark} & sleep {mark} & echo up; cat"
    box = await scene.sandbox.start(scene.plan, ["/bin/bash", "-ic", script], own_terminal=TerminalSize())
    await _until_shown(box, b"up")
    box.stdin.write(b"x" * 200_000)  # nobody reads it
    await box.kill()
    await scene.sandbox.sweep()
    await until(lambda: not alive(mark))


def _open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


async def _until_shown(box: Box, part: bytes) -> None:
    seen = b""
    async with asyncio.timeout(60):
        while part not in seen and (line := await box.stdout.readline()):
            seen += line
    assert part in seen, seen


# Those with walls


async def test_a_box_shows_the_plan_s_mounts_and_nothing_else(walled: Scene) -> None:
    secret = walled.home / "companies" / "rival" / "memory"
    secret.mkdir(parents=True)
    ended = await walled.sh(f"ls / /ipc; ls {walled.home}; ls /foundation; cat /foundation/note.md")
    seen = set(ended.out.split())
    assert {"work", "memory", "session", "ipc", "messages", "results", "note.md"} <= seen
    assert not {"mnt", "srv", "boot", "media", "companies", "groups", "data"} & seen
    assert str(walled.home) in ended.err
    assert ended.out.endswith("read me")


async def test_what_is_read_only_cannot_be_written_and_the_rest_can(walled: Scene) -> None:
    asked = ("messages", "tasks", "hitl", "background", "handoffs", "state")
    writable = ["/memory", "/work", "/session", *(f"/ipc/{kind}" for kind in asked), "/tmp", "/home/agent"]  # noqa: S108
    fixed = [
        "/foundation",
        "/opt/nanoclaw/nanoclaw_inside",
        "/ipc",
        "/ipc/results",
        "/ipc/hitl-responses",
        "/usr",
        "/",
    ]
    script = "; ".join(f"echo x > {place}/new && echo {place}" for place in (*writable, *fixed))
    assert (await walled.sh(script)).out.split() == writable
    assert (await walled.sh("echo x > /foundation/note.md || rm /foundation/note.md")).code != 0


async def test_nothing_of_the_host_s_environment_can_be_found_in_any_process(
    walled: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_CANARY", "do-not-tell-anyone")
    ended = await walled.sh("cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n'")
    assert "GREETING=good day" in ended.out
    assert "do-not-tell-anyone" not in ended.out


async def test_whoever_is_in_a_box_has_a_name_and_a_home(walled: Scene) -> None:
    python = "import getpass, os, pwd; me = pwd.getpwuid(os.getuid()); print(me.pw_name, me.pw_dir, getpass.getuser())"
    ended = await walled.sh(
        f"whoami; id -gn; echo ~; {inside.python_inside()} -I -c '{python}';"
        "git init -q notes && cd notes && git commit -q --allow-empty -m First && git log --format='%an <%ae>'"
    )
    name, home = inside.NAME, inside.HOME
    assert ended.out.splitlines() == [
        name,
        name,
        home,
        f"{name} {home} {name}",
        f"{name} <{name}@localhost>",
    ], ended.err


@pytest.mark.attack
async def test_no_file_can_be_left_that_runs_as_someone_else(walled: Scene) -> None:
    """Someone else on this machine could start it, and be the host's user."""
    script = """
    cp /bin/true plain; chmod 4755 plain; chmod 2755 plain; chmod u+s plain; mkdir shared; chmod g+s shared
    install -m 4755 /bin/true installed; mknod device c 0 0; mknod pipe p
    cp --preserve=mode,timestamps,xattr plain copied; chmod 755 plain; chmod 1777 shared; ls
    """
    ended = await walled.sh(script)
    files = walled.home / "groups" / "main" / "files"
    assert {"plain", "shared", "pipe", "copied"} <= set(ended.out.split()), ended.err
    assert not [path for path in files.iterdir() if path.lstat().st_mode & 0o6000]
    assert not [path for path in files.iterdir() if path.is_char_device()]


async def test_the_plan_s_secrets_are_on_no_command_line(walled: Scene) -> None:
    plan = replace(walled.plan, environment={"TOKEN": f"token-{time.time_ns()}"})
    box = await walled.sandbox.start(plan, ["/bin/cat"])
    box.stdin.write(b"x\n")
    await box.stdout.readline()
    assert not alive(plan.environment["TOKEN"])
    await box.kill()


async def test_a_script_can_open_its_own_output_by_name(walled: Scene) -> None:
    ended = await walled.sh("echo one > /dev/stdout; echo two > /dev/stderr")
    assert (ended.out, ended.err) == ("one\n", "two\n")


async def test_a_fork_bomb_stays_in_its_box(walled: Scene) -> None:
    bomb = """
import os, signal
n = 0
try:
    while n < 500:
        if os.fork() == 0:
            signal.pause()
        n += 1
except OSError:
    pass
print(n)
"""
    plan = replace(walled.plan, limits=BoxLimits(processes=40))
    ended = await walled.run(inside.python_inside(), "-I", "-S", "-c", bomb, plan=plan)
    assert 1 < int(ended.out) <= 40
    assert subprocess.run(["true"], check=False).returncode == 0


async def test_a_box_that_takes_too_much_memory_is_stopped(walled: Scene) -> None:
    hog = "held = [bytearray(b'x' * (8 << 20)) for _ in range(100)]; print('survived')"
    plan = replace(walled.plan, limits=BoxLimits(memory=256 << 20))
    ended = await walled.run(inside.python_inside(), "-I", "-S", "-c", hog, plan=plan)
    assert ended.code != 0
    assert "survived" not in ended.out


async def test_a_file_that_is_too_big_is_cut_short(walled: Scene) -> None:
    plan = replace(walled.plan, limits=BoxLimits(file_bytes=1 << 20))
    assert (await walled.sh("head -c 5000000 /dev/zero > /work/big", plan=plan)).code != 0
    assert (walled.home / "groups/main/files/big").stat().st_size <= 1 << 20


async def test_scratch_space_is_limited(walled: Scene) -> None:
    plan = replace(walled.plan, limits=BoxLimits(scratch_bytes=1 << 20))
    ended = await walled.sh("head -c 5000000 /dev/zero > /tmp/big", plan=plan)
    assert "No space left" in ended.err


async def test_hands_say_that_the_disk_is_full(bubblewrap: Scene) -> None:
    plan = replace(bubblewrap.plan, limits=BoxLimits(scratch_bytes=1 << 20))
    request = f'{{"tool": "write", "arguments": {{"path": "/tmp/big", "content": "{"x" * 3_000_000}"}}}}\n'
    ended = await bubblewrap.run(*inside.run_inside("hands"), plan=plan, stdin=request.encode())
    assert ended.err == ""
    assert "the disk is full" in ended.out


async def test_no_network_can_be_reached(walled: Scene) -> None:
    attempt = "import socket; socket.create_connection(('1.1.1.1', 443), 5)"
    ended = await walled.run(inside.python_inside(), "-I", "-c", attempt)
    assert "Network is unreachable" in ended.err


@pytest.fixture
async def shouting() -> AsyncIterator[Path]:
    """A socket of the host behind which someone says everything louder."""

    async def shout(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write((await reader.read()).upper())
        writer.close()
        await writer.wait_closed()

    with tempfile.TemporaryDirectory() as folder:  # a socket's path must be short
        path = Path(folder) / "gateway.sock"
        async with await asyncio.start_unix_server(shout, path):
            yield path


async def test_the_entry_leads_a_port_of_the_box_to_a_socket_of_the_host(
    walled: Scene, shouting: Path
) -> None:
    plan = replace(walled.plan, mounts=(*walled.plan.mounts, Mount(source=shouting, target=GATEWAY_SOCKET)))
    talk = """
import socket
for size in (5, 2_000_000):
    with socket.create_connection(("127.0.0.1", 8080)) as way:
        way.sendall(b"a" * size)
        way.shutdown(socket.SHUT_WR)
        heard = b"".join(iter(lambda: way.recv(65536), b""))
        print(len(heard), heard[:5].decode())
raise SystemExit(9)
"""
    entry = inside.run_inside("entry", "--forward", f"127.0.0.1:8080={GATEWAY_SOCKET}", "--")
    ended = await walled.run(*entry, inside.python_inside(), "-I", "-c", talk, plan=plan)
    assert (ended.code, ended.out) == (9, "5 AAAAA\n2000000 AAAAA\n"), ended.err


async def test_no_probe_gets_out(walled: Scene) -> None:
    findings = await probes.examine(walled.sandbox, walled.plan)
    assert [finding for finding in findings if not finding.held] == []
    await probes.prove(walled.sandbox, walled.plan)


async def test_every_probe_gets_out_where_there_are_no_walls(tmp_path: Path) -> None:
    assert tuple(PROBES) == probes.PROBES
    scene = _scene("process", tmp_path / "home")
    findings = await probes.examine(scene.sandbox, scene.plan)
    out = {finding.name for finding in findings if not finding.held}
    if os.geteuid() == 0:
        # A machine may have no network, and a host may have nothing in its environment.
        assert out >= set(probes.PROBES) - {"network", "interfaces", "environment"}
    else:
        assert out >= {"files", "loopback", "abstract-sockets", "processes", "privileges", "ptrace", "typing"}
    with pytest.raises(BoxRefused, match="box-leaks"):
        await probes.prove(scene.sandbox, scene.plan)


async def test_a_sandbox_whose_boxes_say_nothing_is_refused(bubblewrap: Scene) -> None:
    class Silent:
        name = "silent"
        has_machines_programs = True

        async def start(self, plan: BoxPlan, command: object, **_how: object) -> Box:
            return await bubblewrap.sandbox.start(plan, ["/bin/true"])

        async def sweep(self) -> int:
            return 0

    with pytest.raises(BoxRefused, match="box-silent"):
        await probes.prove(Silent(), bubblewrap.plan)


# Root hosts and users


async def test_companies_have_users_of_their_own_that_stay_the_same(bubblewrap: Scene) -> None:
    if os.geteuid():
        pytest.skip("only a root host has users for boxes")
    plan = replace(bubblewrap.plan, tenant="rival", mounts=())
    assert (await bubblewrap.sh("id -u", plan=plan)).out == "1000\n"
    again = BoxUsers(bubblewrap.home / "data" / "box-users.json")
    assert (again.of("acme"), again.of("rival")) == (20_000, 20_001)


async def test_folders_are_shown_whether_or_not_the_box_s_user_could_reach_them(bubblewrap: Scene) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "file with space").write_text("inside")
        for mode in (0o700, 0o755):
            folder.chmod(mode)
            shown = Mount(source=folder / "file with space", target="/extra/file")
            ended = await bubblewrap.sh("cat /extra/file", plan=replace(bubblewrap.plan, mounts=(shown,)))
            assert ended.out == "inside"


async def test_no_control_group_is_left_behind(bubblewrap: Scene) -> None:
    assert (await bubblewrap.sh("true")).code == 0
    pen = limits.make_pen(f"{bubblewrap.workspace}-{bubblewrap.plan.name}", BoxLimits())
    pen.remove()
    assert not [folder for folder in pen.folders if folder.exists()]
    assert limits.in_force() in limits.Force


STARTING = """
import asyncio, sys
from pathlib import Path
from typing import Any
from nanoclaw.domain.boxes import BoxPlan
from nanoclaw.sandbox import bubblewrap
from nanoclaw.sandbox.users import BoxUsers
async def hang(_uid: int) -> Any:
    print("up", flush=True)
    await asyncio.Event().wait()
bubblewrap.open_pipes = hang
sandbox = bubblewrap.BubblewrapSandbox(BoxUsers(Path(sys.argv[1])), workspace=sys.argv[2])
asyncio.run(sandbox.start(BoxPlan(name="starting", tenant="acme"), ["/bin/true"]))
"""


def _groups(workspace: str) -> list[Path]:
    return [path for parent, _, _ in limits._parents() for path in parent.glob(f"nanoclaw-{workspace}-*")]


async def test_a_sweep_leaves_the_control_groups_of_boxes_that_another_process_starts(
    bubblewrap: Scene,
) -> None:
    """They are empty until the box is in them; removed, the box could not start."""
    words = (str(bubblewrap.home / "users.json"), bubblewrap.workspace)
    other = await asyncio.create_subprocess_exec(
        sys.executable, "-c", STARTING, *words, stdout=asyncio.subprocess.PIPE
    )
    assert other.stdout is not None
    assert await other.stdout.readline() == b"up\n"
    made = _groups(bubblewrap.workspace)
    assert made or limits.in_force() is limits.Force.PROCESS
    await bubblewrap.sandbox.sweep()
    left = _groups(bubblewrap.workspace)
    other.kill()
    await other.communicate()
    assert left == made
    await bubblewrap.sandbox.sweep()
    assert _groups(bubblewrap.workspace) == []


@pytest.mark.parametrize("name", ["bubblewrap", "process"])
async def test_a_box_for_which_no_descriptor_is_left_is_refused_and_does_not_stay(
    name: str, tmp_path: Path
) -> None:
    scene = _scene(name, tmp_path / "home")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    starting = asyncio.create_task(scene.sandbox.start(scene.plan, ["/bin/sleep", "77778"]))
    try:
        while not marked(scene.workspace):
            assert not starting.done()
            await asyncio.sleep(0)
        resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
        with pytest.raises(BoxRefused, match="box-unmade"):
            await starting
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    async with asyncio.timeout(60):
        while marked(scene.workspace) or _groups(scene.workspace):
            await scene.sandbox.sweep()  # what the outer process left, if that was killed too early
    assert (await scene.sh("echo again")).out == "again\n"


async def test_an_engine_that_hangs_holds_nobody_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A service that does not answer: neither a stop of the host nor a sweep waits for it without end."""
    monkeypatch.setattr(containers, "_PATIENCE", 0.5)
    mark = f"{time.time_ns()}.7"
    engine = tmp_path / "engine"
    engine.write_text(f'#!/bin/sh\n[ "$1" = run ] && echo up\nsleep {mark}\n')
    engine.chmod(0o755)
    users = BoxUsers(tmp_path / "users.json")
    sandbox = ContainerSandbox(
        str(engine), users, workspace=new_id("w"), folder=tmp_path / "box", image="any"
    )
    box = await sandbox.start(BoxPlan(name="b", tenant="acme"), ["/bin/cat"])
    assert await box.stdout.readline() == b"up\n"
    try:
        async with asyncio.timeout(60):
            await box.kill()
            assert await sandbox.sweep() == 0
        assert not alive(str(engine))
    finally:
        for pid in alive(f"sleep\0{mark}"):  # of a real engine they belong to its service
            os.kill(pid, signal.SIGKILL)


def test_a_damaged_file_of_users_is_not_written_over(tmp_path: Path) -> None:
    if os.geteuid():
        pytest.skip("only a root host has users for boxes")
    file = tmp_path / "box-users.json"
    file.write_text("{")
    with pytest.raises(BoxRefused, match="box-users-unreadable"):
        BoxUsers(file).of("acme")
    assert file.read_text() == "{"


def test_tenants_that_come_at_once_have_users_of_their_own(tmp_path: Path) -> None:
    if os.geteuid():
        pytest.skip("only a root host has users for boxes")
    names = [f"company-{number}" for number in range(20)]
    for attempt in range(5):
        file = tmp_path / f"box-users-{attempt}.json"
        shared = BoxUsers(file)
        # Half of them through one object, half each through its own, as commands beside the host do.
        each = [shared if number % 2 else BoxUsers(file) for number in range(len(names))]
        with ThreadPoolExecutor(len(names)) as threads:
            given = list(threads.map(BoxUsers.of, each, names))
        assert len(set(given)) == len(names)
        assert [BoxUsers(tmp_path / f"box-users-{attempt}.json").of(name) for name in names] == given


async def test_a_start_that_is_cancelled_leaves_no_process() -> None:
    """At every moment of it: a person's `/stop` may come while a box is being started."""
    for yields in range(12):
        starting = asyncio.create_task(spawn("/bin/sleep", "77777", stdin=asyncio.subprocess.DEVNULL))
        for _ in range(yields):
            await asyncio.sleep(0)
        starting.cancel()
        outcome = (await asyncio.gather(starting, return_exceptions=True))[0]
        if isinstance(outcome, asyncio.subprocess.Process):  # it was started already, and is ours to end
            outcome.kill()
            await outcome.wait()
    gc.collect()
    left = [path for path in Path("/proc").glob("[0-9]*/cmdline") if b"77777" in _read(path)]
    assert not left


# Bubblewrap's own way to stop it between its clone and its word to the inner process, until something can be read.
_BLOCKED = [option for option in bubblewrap_module._UNSHARED if option != "--disable-userns"]
_BLOCKED += ["--userns-block-fd", "0"]


def marked(workspace: str) -> list[int]:
    """The processes that carry the mark of this workspace's boxes."""
    mark = f"NANOCLAW_BOX={workspace}/".encode()
    return [int(path.parent.name) for path in Path("/proc").glob("[0-9]*/environ") if mark in _read(path)]


async def test_a_box_that_is_cancelled_in_the_moment_of_its_start_leaves_no_process(
    bubblewrap: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The inner process waits for a word of the outer one, and is not bound to its life yet."""
    asked = 0
    waiting = asyncio.Event()
    first_process = bubblewrap_module._Info.first_process

    async def late(info: bubblewrap_module._Info) -> int | None:
        nonlocal asked
        asked += 1
        if asked == 1:  # the host is busy, and is told to stop before it has read what bubblewrap says
            waiting.set()
            await asyncio.Event().wait()
        return await first_process(info)

    monkeypatch.setattr(bubblewrap_module, "_UNSHARED", _BLOCKED)
    monkeypatch.setattr(bubblewrap_module._Info, "first_process", late)
    starting = asyncio.create_task(bubblewrap.sandbox.start(bubblewrap.plan, ["/bin/cat"]))
    await waiting.wait()
    await until(lambda: len(marked(bubblewrap.workspace)) == 2)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    await until(lambda: not marked(bubblewrap.workspace))


async def test_a_box_that_is_killed_in_the_moment_of_its_start_leaves_no_process(
    bubblewrap: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bubblewrap_module, "_UNSHARED", _BLOCKED)
    box = await bubblewrap.sandbox.start(bubblewrap.plan, ["/bin/cat"])
    assert len(marked(bubblewrap.workspace)) == 2
    await box.kill()
    await until(lambda: not marked(bubblewrap.workspace))


async def test_a_start_that_is_cancelled_at_any_moment_leaves_no_process(walled: Scene) -> None:
    for number in range(6):
        plan = replace(walled.plan, name=f"{walled.plan.name}-{number}")
        starting = asyncio.create_task(walled.sandbox.start(plan, ["/bin/cat"]))
        for _ in range(number**2):
            await asyncio.sleep(0)
        starting.cancel()
        outcome = (await asyncio.gather(starting, return_exceptions=True))[0]
        if not isinstance(outcome, BaseException):
            await outcome.kill()
    assert await walled.sandbox.sweep() == 0
    assert not marked(walled.workspace)


async def test_a_kill_that_is_cancelled_is_carried_through(scene: Scene) -> None:
    """However often: a host that must close now would otherwise leave the box to the next one."""
    files = _open_files()
    box = await scene.sandbox.start(scene.plan, ["/bin/cat"])
    await _answers(box)
    killing = asyncio.create_task(box.kill())
    await asyncio.sleep(0)
    while not killing.done():
        killing.cancel()
        await asyncio.sleep(0)
    assert killing.cancelled()
    assert not marked(scene.workspace)
    await until(lambda: _open_files() <= files)


async def test_a_sweep_finds_what_an_outer_process_left_that_was_killed_too_early(bubblewrap: Scene) -> None:
    """As the host's own death does it: the inner one has no parent any more, and would wait for ever."""
    blocked, _hold = os.pipe()
    told, tell = os.pipe()
    environment = {"NANOCLAW_BOX": f"{bubblewrap.workspace}/early/0-0", "PATH": "/usr/bin:/bin"}
    options = (
        f"--unshare-user --unshare-pid --die-with-parent --userns-block-fd {blocked} --info-fd {tell}".split()
    )
    line = ["bwrap", *options, "--ro-bind", "/", "/", "/bin/true"]
    outer = subprocess.Popen(line, env=environment, pass_fds=[blocked, tell])
    assert await asyncio.to_thread(os.read, told, 1)  # it has made the inner one, and says so
    outer.kill()
    outer.wait()
    assert len(marked(bubblewrap.workspace)) == 1
    assert await bubblewrap.sandbox.sweep() == 1
    await until(lambda: not marked(bubblewrap.workspace))
    for end in (blocked, _hold, told, tell):
        os.close(end)


@pytest.mark.capability("A9", "H1")
async def test_documents_are_read_in_a_box_of_their_own_and_a_locked_one_is_recognised(walled: Scene) -> None:
    async def proven() -> Sandbox:
        return walled.sandbox

    documents = Documents(home=walled.home, sandbox=proven)
    group = Group(name="main", company="acme", skill="general-assistant")
    files = walled.home / "groups" / "main" / "files"
    (files / "report.docx").write_bytes(word_document(Trends="Oat milk sells."))
    (files / "offer.pdf").write_bytes(pdf_document("People want to wake up."))
    (files / "locked.pdf").write_bytes(LOCKED_PDF)
    assert "Oat milk sells." in await documents.read("report.docx", group)
    assert "People want to wake up." in await documents.read("/work/offer.pdf", group)
    with pytest.raises(Unreadable, match="document-encrypted"):
        await documents.read("locked.pdf", group)


async def test_pipes_whose_making_is_cancelled_leave_no_open_files() -> None:
    """At every moment of it: stopping many turns would otherwise leave a host that can open nothing more."""
    before = len(list(Path("/proc/self/fd").iterdir()))
    for yields in range(10):
        opening = asyncio.create_task(open_pipes(os.geteuid()))
        for _ in range(yields):
            await asyncio.sleep(0)
        opening.cancel()
        outcome = (await asyncio.gather(opening, return_exceptions=True))[0]
        if isinstance(outcome, tuple):  # they were open already, and are ours to close
            theirs, ours = outcome
            ours.close()
            for end in theirs:
                os.close(end)
    assert isinstance(outcome, tuple)
    await until(lambda: len(list(Path("/proc/self/fd").iterdir())) <= before)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
