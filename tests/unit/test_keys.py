"""Keys of vendors as a person keeps them, through the real command line, and which of several counts.

A terminal and a real pipe need a process of their own; the rest is said in this one.
"""

import asyncio
import io
import json
import os
import pty
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.crash.program import Program

from nanoclaw.cli import main
from nanoclaw.domain.errors import BadSettings
from nanoclaw.host.channels import own_settings
from nanoclaw.host.keys import Keys
from nanoclaw.host.private import write_private
from nanoclaw.host.secret_mask import masked
from nanoclaw.host.settings import read_settings

pytestmark = pytest.mark.capability("A9", "O1")

KEY = "sk-ant-0123456789"


Typed = Callable[..., tuple[int, str]]
"""Takes the words after `nanoclaw key` and what is written to it; gives the exit code and what was printed."""


@pytest.fixture
def typed(home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Typed:
    monkeypatch.setattr(main, "LANGUAGE", "en")
    monkeypatch.setenv("NANOCLAW_HOME", str(home))

    def run(*words: str, written: str = "") -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["nanoclaw", "key", *words])
        monkeypatch.setattr(sys, "stdin", io.StringIO(written))
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            main.main()
        said = capfd.readouterr()
        assert isinstance(ended.value.code, int)
        return ended.value.code, said.out + said.err

    return run


def test_a_key_is_set_listed_and_dropped_and_never_shown(home: Path, typed: Typed) -> None:
    file = home / "data" / "keys.json"
    piped = subprocess.run(
        [sys.executable, "-m", "nanoclaw", "key", "set"],
        env=Program(home).environment,
        input=f"  {KEY}\n",
        capture_output=True,
        text=True,
        check=False,
    )
    for code, printed in (
        (piped.returncode, piped.stdout + piped.stderr),
        typed("set", "OpenAI", written=f"  {KEY}\n"),
    ):
        assert code == 0
        assert str(file) in printed
        assert KEY not in printed
    assert json.loads(file.read_text()) == {"anthropic": KEY, "openai": KEY}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert typed("list", "--json") == (0, '["anthropic", "openai"]\n')
    assert typed("drop", "openai")[0] == 0
    code, printed = typed("drop", "openai")
    assert code == 1
    assert "anthropic" in printed
    assert typed("list") == (0, "anthropic\n")


@pytest.mark.parametrize(
    "written", ["", "\n", "short", "two words here", "ключ-кирилицею-довгий", "tab\tinside-it"]
)
def test_nonsense_is_refused_and_what_was_kept_stays(home: Path, typed: Typed, written: str) -> None:
    file = home / "data" / "keys.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps({"anthropic": KEY}))
    code, printed = typed("set", written=written)
    assert code == 1
    assert "Traceback" not in printed
    assert written.strip() not in printed or not written.strip()
    assert json.loads(file.read_text()) == {"anthropic": KEY}
    assert list(file.parent.glob("keys*")) == [file]


async def test_at_a_terminal_it_is_asked_for_and_not_echoed(home: Path) -> None:
    person, terminal = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "nanoclaw", "key", "set"),
        env=Program(home).environment,
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        start_new_session=True,
    )
    os.close(terminal)
    printed = b""
    while b"anthropic" not in printed:  # the question; whatever is typed before it would be thrown away
        printed += await asyncio.to_thread(os.read, person, 1000)
    os.write(person, f"{KEY}\n".encode())
    assert await process.wait() == 0
    os.set_blocking(person, False)
    try:
        while piece := os.read(person, 1000):
            printed += piece
    except OSError:  # its end
        pass
    os.close(person)
    assert KEY.encode() not in printed
    assert json.loads((home / "data" / "keys.json").read_text()) == {"anthropic": KEY}


def test_a_broken_file_is_named_and_left_as_it_is(home: Path, typed: Typed) -> None:
    file = home / "data" / "keys.json"
    file.parent.mkdir(exist_ok=True)
    for broken in ('{"anthropic": "sk-ant-half', '["sk-ant-list"]', '{"anthropic": 1}'):
        file.write_text(broken)
        for code, printed in (typed("set", written=KEY), typed("list")):
            assert code == 1
            assert str(file) in printed
            assert "sk-ant" not in printed
        assert file.read_text() == broken


def test_the_environment_counts_before_the_settings_and_those_before_the_file(home: Path) -> None:
    (home / "data").mkdir(exist_ok=True)
    (home / "data" / "keys.json").write_text(
        json.dumps({"anthropic": "of the file", "openai": "of the file"})
    )

    def anthropic(**environment: str) -> str | None:
        return Keys(home, read_settings(home, environment), environment).get("anthropic")

    assert anthropic() == "of the file"
    with (home / "nanoclaw.toml").open("a") as file:
        file.write('\n[anthropic]\napi_key = "of the settings"\n')
    assert anthropic() == "of the settings"
    assert anthropic(ANTHROPIC_API_KEY="usual") == "usual"
    assert anthropic(ANTHROPIC_API_KEY="usual", NANOCLAW_ANTHROPIC_API_KEY="ours") == "ours"
    others = Keys(home, read_settings(home, {}), {"OPENAI_API_KEY": "usual", "TOGETHER_AI_API_KEY": "odd"})
    assert [others.get(name) for name in ("openai", "together-ai", "groq")] == ["usual", "odd", None]


def test_a_write_that_fails_leaves_the_file_whole(home: Path) -> None:
    file = home / "data" / "keys.json"
    write_private(file, {"anthropic": KEY})
    with pytest.raises(TypeError):
        write_private(file, {"anthropic": object()})  # type: ignore[dict-item]
    assert json.loads(file.read_text()) == {"anthropic": KEY}
    write_private(file, {"openai": KEY})  # what was left half written is in nobody's way
    assert json.loads(file.read_text()) == {"openai": KEY}


def test_a_folder_in_the_place_of_the_file_is_told(home: Path) -> None:
    (home / "data" / "keys.json").mkdir(parents=True)
    with pytest.raises(BadSettings, match="keys-broken"):
        Keys(home, read_settings(home, {}), {})


@pytest.mark.capability("X1")
def test_a_secret_of_a_channel_is_kept_for_one_that_the_settings_name(home: Path, typed: Typed) -> None:
    with (home / "nanoclaw.toml").open("a") as file:
        file.write('\n[channels.slack]\nload = "mine:Mine"\nport = 7\n')
    assert typed("set", "slack.token", written=f"{KEY}\n")[0] == 0
    for unknown in ("teams.token", "slack"):
        assert typed("set", unknown, written=f"{KEY}\n")[0] == 1
    settings = read_settings(home)
    assert own_settings(home, settings, "slack") == {"token": KEY, "port": 7}
    assert masked(f"it is {KEY}") == "it is ***"
