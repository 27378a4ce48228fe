"""The doctor's green is earned: it writes and reads back, and whatever goes wrong is a finding, never a traceback."""

import json
import subprocess
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
import structlog
from tests.typed import Typed, typing_in

from nanoclaw.cli import doctor, store_check
from nanoclaw.cli.findings import CheckResult, Found
from nanoclaw.durable import work
from nanoclaw.durable.clock import now
from nanoclaw.durable.tables import notes
from nanoclaw.host.server_boxes import folder_of
from nanoclaw.testing import made_database, made_workspace, started_host

pytestmark = pytest.mark.capability("O2")


@pytest.fixture
def typed(home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Typed:
    return typing_in(home, monkeypatch, capfd)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of two megabytes."""
    folder = tmp_path / "small"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", folder], check=False).returncode:
        pytest.skip("mounting needs root")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


async def test_it_writes_and_reads_beside_a_running_host_and_leaves_nothing(
    home: Path, typed: Typed, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NANOCLAW_DATABASE_URL", database_url)
    async with started_host(home, database={"url": database_url}) as host:
        found = {each["check"]: each["ok"] for each in (await typed("doctor", "--json")).json()["findings"]}
        assert (found["written"], found["queues"]) == (True, True)
        assert found.get("clocks") is (True if host.store.shared else None)
        kept = await host.store.read(lambda tx: list(tx.execute(sa.select(notes.c.key)).scalars()))
        assert not [key for key in kept if key.startswith("doctor")]


async def test_what_the_box_of_a_server_left_in_its_folder_is_a_finding(home: Path, typed: Typed) -> None:
    folder = folder_of(home, "files")
    folder.mkdir(parents=True)
    (folder / "program").touch()
    (folder / "program").chmod(0o6755)
    findings = json.loads((await typed("doctor", "--json")).out)["findings"]
    [told] = [each["sentence"] for each in findings if each["check"] == "folders"]
    assert "data/mcp/files" in told
    assert "program" in told


async def test_a_full_disk_is_a_finding(
    small_disk: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NANOCLAW_DATABASE_URL", made_database(small_disk / "store.db"))
    with (small_disk / "filler").open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError:
            pass
    printed = await typed("doctor")
    assert printed.code == 1
    assert "✗ The disk is full" in printed.out
    assert "Traceback" not in printed.out + printed.err


async def test_a_full_workspace_is_a_finding(
    small_disk: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    home = made_workspace(small_disk / "nanoclaw")
    made_database(home / "data" / "nanoclaw.db")
    with (small_disk / "filler").open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 512)
        except OSError:
            pass
    printed = await typing_in(home, monkeypatch, capfd)("doctor")
    assert printed.code == 1
    assert "✗ The disk is full" in printed.out
    assert "✗ Only 0" in printed.out
    assert "Traceback" not in printed.out + printed.err


async def test_a_database_that_cannot_be_written_is_a_finding(
    small_disk: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NANOCLAW_DATABASE_URL", made_database(small_disk / "store.db"))
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    printed = await typed("doctor")
    assert printed.code == 1
    assert "✗ The database" in printed.out
    assert "Everything is in order" not in printed.out
    assert "Traceback" not in printed.out + printed.err


async def test_work_that_a_running_host_does_not_take_up_is_a_finding(home: Path, typed: Typed) -> None:
    made_database(home / "data" / "nanoclaw.db")

    async with started_host(home) as host:
        long_ago = now() - timedelta(minutes=7)
        await host.store.write(lambda tx: work.due(tx, "nobody's", "1", long_ago))
        printed = await typed("doctor")
        assert printed.code == 1
        assert "(nobody's) has been due for 7 min" in printed.out
    assert (await typed("doctor")).code == 0  # without a host, nobody could have taken it up


async def test_clocks_that_are_apart_are_a_finding(
    home: Path, typed: Typed, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NANOCLAW_DATABASE_URL", postgres_url)
    monkeypatch.setattr(store_check, "machine_now", lambda: now() + timedelta(seconds=90))
    printed = await typed("doctor")
    assert printed.code == 1
    assert "are 90 s apart" in printed.out


async def test_a_check_that_breaks_is_a_finding_and_the_others_are_done(
    home: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_home: Path, _found: Found) -> Iterator[CheckResult]:
        raise OSError(28, "No space left on device")
        yield

    monkeypatch.setattr(doctor, "_adapted", broken)
    printed = await typed("doctor")
    assert printed.code == 1
    assert (
        '✗ The check "adaptors" could not be done: OSError: [Errno 28] No space left on device' in printed.out
    )
    assert "The boxes of agents" in printed.out or "Agents run WITHOUT" in printed.out


async def test_a_running_host_that_lost_its_database_says_so(home: Path, typed: Typed) -> None:
    async with started_host(home) as host:
        for path in (home / "data").glob("nanoclaw.db*"):
            path.unlink()
        await host.store.examine(thoroughly=False)
        for words in (("doctor",), ("status",)):
            printed = await typed(*words)
            assert printed.code == 1
            assert "was deleted or replaced while the host runs" in printed.out + printed.err
            assert "is gone" in printed.out + printed.err


async def test_what_a_skill_or_a_group_says_in_vain_is_told_with_file_line_and_what_to_do(
    home: Path, typed: Typed
) -> None:
    (skill,) = home.glob("skills/**/general-assistant/SKILL.md")
    head = [
        "---",
        "name: general-assistant",
        "description: Helps.",
        "context:",
        "  - company/identity",
        "  - brand/voices",
        "commands: [/help, /post]",
        "tools:",
        "  - send_message",
        "  - send_mesage",
        "approvals:",
        "  - tool: Bahs",
        "without_tools: [hand_off]",
        "---",
        "Help.",
    ]
    skill.write_text("\n".join(head))
    (poster,) = home.glob("skills/**/telegram-poster/SKILL.md")
    second = home / "groups" / "second" / "group.toml"
    second.parent.mkdir()
    second.write_text('company = "demo"\nmain = true\nwithout_tools = ["bash"]\n')
    with (home / "nanoclaw.toml").open("a") as settings:
        for tool in ("bahs", "Bash", "git*", "send_*", "WebSearch"):
            settings.write(f'\n[[approvals]]\ntool = "{tool}"\n')
    printed = await typed("doctor", "--json")
    assert printed.code == 1
    findings = json.loads(printed.out)["findings"]
    in_vain = [each["sentence"] for each in findings if each["check"] == "rule-tool-unknown"]
    assert [f'names "{tool}"' in each for tool, each in zip(("bahs", "git*"), in_vain, strict=True)] == [
        True
    ] * 2
    told = {each["check"]: each["sentence"] for each in findings if each["ok"] is False}
    assert f'{skill}, line 12: the rule in `approvals` names "Bahs"' in told["skill-rule-unknown"]
    assert f'{skill}, line 10: there is no tool "send_mesage"' in told["skill-tool-unknown"]
    assert "send_message" in told["skill-tool-unknown"]
    left_out = [each["sentence"] for each in findings if each["check"] == "left-out-unknown"]
    for place in (
        f'{second}, line 3: without_tools names "bash"',
        f'{skill}, line 13: without_tools names "hand_off"',
    ):
        assert any(place in each and "send_message, send_file" in each for each in left_out)
    assert f'{skill}, line 6: "brand/voices" fits no file' in told["skill-context-unknown"]
    assert f"{skill}, line 7: /help is a command of the host" in told["skill-command-of-host"]
    twice = told["skill-command-twice"]
    assert (str(skill) in twice, str(poster) in twice, "/post is taken by" in twice) == (True, True, True)
    assert (
        f'{second}, line 2: main is the main group already, so second is not. Remove "main = true"'
        in (told["group-main-twice"])
    )


async def test_a_host_that_starts_says_so_too(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (skill,) = home.glob("skills/**/general-assistant/SKILL.md")
    skill.write_text(skill.read_text().replace("commands: []", "commands: [/help]"))
    structlog.reset_defaults()  # a command of an earlier test may have set up where the log goes
    async with started_host(home):
        pass
    printed = capsys.readouterr().out
    assert "fault=skill-command-of-host" in printed
    assert str(skill) in printed
