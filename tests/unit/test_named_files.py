"""Which files a command names, seen from the host, and what of them cannot be known."""

import os
import shlex
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from nanoclaw.domain.boxes import Mount
from nanoclaw.sandbox import box_files, named_files
from nanoclaw.sandbox.named_files import Named, named_in

pytestmark = pytest.mark.capability("E12")


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    for name in (
        "run.sh",
        "my script.sh",
        "bin/run.sh",
        "bin/deep/go.sh",
        "tool.py",
        "app/__main__.py",
        "Makefile",
        "a.log",
        "b.log",
        "package.json",
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "notes.md").write_text("notes")
    (tmp_path / "secret").write_text("of the host")
    return folder


def look(work: Path, command: str, *folders: str) -> Named:
    mounts = [
        Mount(source=work, target="/work", writable=True),
        Mount(source=work.parent / "memory", target="/memory", writable=True),
    ]
    return named_in([command], mounts, folders=folders)


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("sh run.sh", ["/work/run.sh"]),
        ("./run.sh --fast", ["/work/run.sh"]),
        ("sh /work/run.sh", ["/work/run.sh"]),
        ("sh r''un.sh", ["/work/run.sh"]),
        ("sh 'my script.sh'", ["/work/my script.sh"]),
        ("bash -c 'sh run.sh; ls'", ["/work/run.sh"]),
        ("F=run.sh; sh $F", ["/work/run.sh"]),
        ("sh<run.sh", ["/work/run.sh"]),
        ("curl -d @run.sh x", ["/work/run.sh"]),
        ("sh bin/../run.sh", ["/work/run.sh"]),
        ("cd bin && sh run.sh", ["/work/bin/run.sh", "/work/run.sh"]),
        ("python app", ["/work/app/__main__.py"]),
        ("make deploy", ["/work/Makefile"]),
        ("/usr/bin/npm run x", ["/work/package.json"]),
        ("rm *.log", ["/work/a.log", "/work/b.log"]),
        ("sh */run.sh", ["/work/bin/run.sh"]),
        ("cat /memory/notes.md", ["/memory/notes.md"]),
        ("git push origin main", []),
        ("cat /etc/passwd", []),
        ("sh run.sh > a.log 2>/tmp/errors", ["/work/run.sh"]),
        (f"echo {'x' * 5000}", []),
        ("echo 'unclosed run.sh", ["/work/run.sh"]),
        ("cd bin && cd deep && sh go.sh", ["/work/bin/deep/go.sh"]),
        ("cd bi* && cd d* && sh go.sh", ["/work/bin/deep/go.sh"]),
        ("sh $PWD/run.sh", ["/work/run.sh"]),
        ('sh "${PWD}/run.sh"', ["/work/run.sh"]),
        ("sh ~+/run.sh", ["/work/run.sh"]),
        ("D=bin; sh $D/run.sh", ["/work/bin/run.sh"]),
        ("for f in *.log; do sh $f; done", ["/work/a.log", "/work/b.log"]),
        ("sh <>run.sh", ["/work/run.sh"]),
        ('sh r""un.sh; true', ["/work/run.sh"]),
        ("sh r\\\nun.sh", ["/work/run.sh"]),
        ("sh /wo*/run.sh", ["/work/run.sh"]),
        ("sh r[^a]n.sh", ["/work/run.sh"]),
        ("sh r[[:alpha:]]n.sh", ["/work/run.sh"]),
        ("python3 -m tool", ["/work/tool.py"]),
        ("python3 -um app", ["/work/app/__main__.py"]),
        ("sh <<'END'\nsh run.sh\nEND", ["/work/run.sh"]),
        # Not where a script stands.
        ("cat > new.sh <<'END'\n$X it's\nEND\ngit push", []),
        ("cat > new.sh <<END\n$X it's\nEND\ngit push", []),
        ("python3 - <<'END'\nprint('$X')\n$y\nEND", []),
        ('git commit -m "$(date) $USER" && git push', []),
        ('sh run.sh "$1" > "$LOG" 2>&1', ["/work/run.sh"]),
        ('rm -rf "$BUILD" $((1 + $n))', []),
        ("cd $SOMEWHERE && git push", []),
        ("grep '$x;' {a,b}.txt", []),
    ],
)
def test_the_words_of_a_command_are_looked_up_in_its_box(work: Path, command: str, files: list[str]) -> None:
    found = look(work, command)
    assert ([each.path for each in found.files], found.unseen) == (files, None)


def test_a_script_is_found_behind_any_number_of_words(work: Path) -> None:
    many = " ".join(f"word{number}" for number in range(3000))
    assert [each.path for each in look(work, f"sh run.sh {many} tool.py").files] == [
        "/work/run.sh",
        "/work/tool.py",
    ]


def test_where_the_shell_stands_counts_too(work: Path) -> None:
    assert [each.path for each in look(work, "sh run.sh", "/work/bin").files] == [
        "/work/bin/run.sh",
        "/work/run.sh",
    ]


def test_a_link_is_followed_within_the_box_and_never_out_of_it(work: Path) -> None:
    (work / "inner").symlink_to("bin/run.sh")
    (work / "across").symlink_to("/memory/notes.md")
    (work / "system").symlink_to("/usr/bin/env")
    (work / "out").symlink_to(work.parent / "secret")
    (work / "folder").symlink_to("bin")
    (work / "loop").symlink_to("loop")
    assert [each.path for each in look(work, "sh inner").files] == ["/work/bin/run.sh"]
    assert [each.path for each in look(work, "sh across").files] == ["/memory/notes.md"]
    assert [each.path for each in look(work, "sh folder/run.sh").files] == ["/work/bin/run.sh"]
    assert look(work, "./system python3") == Named()
    assert look(work, "cat out").files == ()
    assert look(work, "cat loop").unseen == "/work/loop"


@pytest.mark.attack
@pytest.mark.parametrize(
    "command",
    [
        "sh /tmp/x",
        "cd /tmp && sh x",
        "sh ~/x",
        "sh $HOME/x",
        'sh "${HOME}/x"',
        "sh /dev/shm/x",
        "sh pipe",
        "sh far",
        "sh ~agent/x",
        "sh /tm*/x",
        "sh ${X:-run.sh}",
        "sh $X",
        "./$X",
        "$X run.sh",
        "sh < $X",
        "sh {run,other}.sh",
        "sh $(echo run.sh)",
        "echo `sh $X`",
        'echo "$(sh $X)"',
        "bash -c 'sh $X'",
        'bash -c "$X"',
        "eval sh '$X'",
        "true $'\\''; sh $X '",
        "true # it's\nsh $X # it's",
        "find . -exec sh $X \\;",
        "sudo -u agent timeout 10 $X",
        "F=run.sh; read F; sh $F",
        "F=$(cat x); sh $F",
        "make -f $X",
        "sh <<END\nsh $X\nEND",
        "sh <<'END'\nsh $X\nEND",
        "sh <<< 'sh $X'",
        "cat <<END\n$(sh $X)\nEND",
        "cat <<END\nit's\nEND\nsh $X",
        "echo '<<END'\nsh $X\nEND",
        "cd $X && sh run.sh",
        "cd $X && ./run.sh",
        "cd && make",
        "python3 -m $X",
    ],
)
def test_what_the_host_cannot_look_at_is_said_to_be_so(work: Path, command: str) -> None:
    os.mkfifo(work / "pipe")
    (work / "far").symlink_to("/home/agent/x")
    assert look(work, command).unseen


def test_other_content_is_seen_and_the_same_is_the_same(work: Path) -> None:
    before = look(work, "sh run.sh")
    assert look(work, "sh run.sh") == before
    (work / "run.sh").write_text("RUN.sh")
    assert look(work, "sh run.sh") != before
    (work / "run.sh").unlink()
    assert look(work, "sh run.sh") == Named()


def test_of_a_big_file_it_is_known_when_it_was_changed(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(named_files, "_READ_EACH", 10)
    (work / "big").write_text("x" * 100)
    before = look(work, "sh big")
    assert [each.is_read for each in before.files] == [False]
    seen = (work / "big").stat()
    (work / "big").write_text("y" * 100)
    os.utime(work / "big", ns=(seen.st_atime_ns, seen.st_mtime_ns))  # as someone would who hides it
    assert look(work, "sh big") != before


@pytest.mark.attack
def test_what_is_too_long_to_be_read_is_said_to_be_unknown(work: Path) -> None:
    doubled = "a0=xx;" + "".join(f"a{number + 1}=$a{number}$a{number};" for number in range(60))
    nested = "sh run.sh"
    for _ in range(7):
        nested = f"bash -c {shlex.quote(nested)}"
    itself = "".join(f"a='bash -c \"$a\" {number}';" for number in range(32)) + 'bash -c "$a"'
    for command in ("x" * 60_000, f"{doubled} sh $a60", nested, itself):
        assert look(work, command).unseen, command[:20]
    for number in range(33):
        (work / f"{number}.x").touch()
    many = " ".join(f"{number}.x" for number in range(33))
    assert look(work, f"for f in {many}; do sh $f; done").unseen == "$f"


@pytest.mark.attack
@pytest.mark.parametrize(
    "command", ["ls l*/zz*", "ls l*/zz* l*/zy* l*/zx*", "cd l* && ls l*/*/*", "ls many*/a/a/a/a/a/a/a/a"]
)
def test_there_is_an_end_to_looking_and_it_is_told(
    work: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """A thousand links to one big folder would be gone through a thousand times, for each word."""
    monkeypatch.setattr(box_files, "_MOST_LOOKS", 1000)
    (work / "big").mkdir()
    for number in range(100):
        (work / "big" / f"many{number}").touch()
        (work / f"l{number}").symlink_to("big")
        (work / f"many{number}").mkdir()
    seen = 0

    def fits(name: str, pattern: str) -> bool:
        nonlocal seen
        seen += 1
        return fnmatchcase(name, pattern)

    monkeypatch.setattr(box_files, "fnmatchcase", fits)
    assert look(work, command).unseen
    assert seen <= 1000


def test_more_files_than_can_be_looked_at_are_said_to_be_so(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(named_files, "_MOST_FILES", 1)
    assert look(work, "rm *.log").unseen == "/work/b.log"
