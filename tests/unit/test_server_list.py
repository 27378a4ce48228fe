"""MCP servers are written down in one file that only the owner can read; their secrets are never shown."""

import io
import json
import stat
from pathlib import Path
from typing import Any

import pytest

from nanoclaw.cli import mcp
from nanoclaw.domain.errors import BadSettings
from nanoclaw.gateway import server_list
from nanoclaw.gateway.server_list import describe

pytestmark = pytest.mark.capability("A18")

CANARY = "sk-canary-5up3r"
REMOTE: dict[str, Any] = {
    "url": "https://mcp.example.com/v1",
    "headers": {"Authorization": f"Bearer {CANARY}"},
}
LOCAL: dict[str, Any] = {
    "command": ["npx", "server"],
    "env": {"API_KEY": CANARY},
    "network": ["API.example.com"],
}


@pytest.mark.parametrize("about", [REMOTE, LOCAL])
def test_what_is_added_is_read_again(tmp_path: Path, about: dict[str, Any]) -> None:
    server_list.add(tmp_path, describe("drive", about))
    server_list.add(tmp_path, describe("other", REMOTE))
    found = server_list.read(tmp_path)
    assert found == {"drive": describe("drive", about), "other": describe("other", REMOTE)}
    assert list(found["drive"].network) == (["api.example.com"] if found["drive"].local else [])


def test_the_file_is_the_owner_s_alone(tmp_path: Path) -> None:
    server_list.add(tmp_path, describe("drive", REMOTE))
    assert stat.S_IMODE((tmp_path / "data" / "mcp.json").stat().st_mode) == 0o600
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["mcp.json"]


def test_a_server_is_removed_and_a_name_is_given_once(tmp_path: Path) -> None:
    server_list.add(tmp_path, describe("drive", REMOTE))
    with pytest.raises(BadSettings, match="mcp-exists"):
        server_list.add(tmp_path, describe("drive", LOCAL))
    assert server_list.remove(tmp_path, "drive").name == "drive"
    assert server_list.read(tmp_path) == {}
    with pytest.raises(BadSettings, match="mcp-unknown"):
        server_list.remove(tmp_path, "drive")


FAULTS: dict[str, tuple[str, dict[str, Any]]] = {
    "capital letter": ("Drive", REMOTE),
    "underscore, which ends the name of a server in that of a tool": ("my_drive", REMOTE),
    "neither": ("drive", {}),
    "both": ("drive", REMOTE | {"command": ["x"]}),
    "no host": ("drive", {"url": "https:///v1"}),
    "other scheme": ("drive", {"url": "file:///etc/passwd"}),
    "headers for a command": ("drive", {"command": ["x"], "headers": {"A": CANARY}}),
    "hosts for an address": ("drive", REMOTE | {"network": ["example.com"]}),
    "header of two lines": ("drive", REMOTE | {"headers": {"A": f"{CANARY}\r\nB: c"}}),
    "header name of two words": ("drive", REMOTE | {"headers": {"A b": CANARY}}),
    "empty value": ("drive", REMOTE | {"headers": {"A": ""}}),
    "variable that is none": ("drive", LOCAL | {"env": {"A-B": CANARY}}),
    "pattern that is none": ("drive", LOCAL | {"network": ["*"]}),
    "the whole machine": ("drive", LOCAL | {"folders": ["/"]}),
    "unknown key": ("drive", REMOTE | {"key": CANARY}),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_refused_without_telling_a_value(tmp_path: Path, fault: str) -> None:
    name, about = FAULTS[fault]
    with pytest.raises(BadSettings, match=r"mcp-odd|mcp-name") as refused:
        describe(name, about)
    assert CANARY not in str(refused.value)
    assert refused.value.__cause__ is None


@pytest.mark.parametrize("text", ["{", '{"drive": 1}', "[]", f'{{"drive": {{"url": "{CANARY}"}}}}', "\udcff"])
def test_a_broken_file_is_refused_without_quoting_it(tmp_path: Path, text: str) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "mcp.json").write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(BadSettings) as refused:
        server_list.read(tmp_path)
    assert CANARY not in str(refused.value)


@pytest.mark.parametrize(
    "about", [REMOTE, LOCAL, {"url": f"https://u:{CANARY}@example.com/{CANARY}?token={CANARY}"}]
)
def test_whoever_prints_a_server_sees_no_secret(about: dict[str, Any]) -> None:
    server = describe("drive", about)
    assert CANARY not in f"{server!r} {server} {server.where} {server.model_dump(exclude={'url'})}"
    assert server.hide(f"the key {CANARY} is wrong") == "the key *** is wrong"


def test_what_is_plainly_no_secret_is_not_blackened() -> None:
    env = {"MODE": "production", "FOLDER": "/work/reports/2026-year-end", "TOKEN": CANARY, "SEED": "a1" * 10}
    server = describe("drive", {"command": ["x"], "env": env})
    told = f"in production: /work/reports/2026-year-end {CANARY} {'a1' * 10}"
    assert server.hide(told) == "in production: /work/reports/2026-year-end *** ***"
    assert describe("drive", REMOTE).hide("Bearer of news") == "Bearer of news"


# The commands


def test_a_key_is_read_from_a_pipe_and_never_listed(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"Bearer {CANARY}\nsecond value\n"))
    mcp.add("drive", url="https://mcp.example.com", header=["Authorization", "X-Two", "X-Three=a=b"])
    mcp.add("files", command=["npx", "files", "/work"], env=[f"KEY={CANARY}"], network=["*.example.com"])
    headers = server_list.read(home)["drive"].headers
    assert {name: value.get_secret_value() for name, value in headers.items()} == {
        "Authorization": f"Bearer {CANARY}",
        "X-Two": "second value",
        "X-Three": "a=b",
    }
    capsys.readouterr()
    mcp.list_servers(as_json=False)
    shown = capsys.readouterr().out
    assert "npx files /work" in shown
    assert "--header Authorization" in shown
    assert "--network *.example.com" in shown
    mcp.list_servers(as_json=True)
    listed = capsys.readouterr().out
    assert [server["where"] for server in json.loads(listed)] == ["https://mcp.example.com", "npx"]
    assert CANARY not in shown + listed


def test_a_server_that_cannot_be_is_refused_before_a_key_is_asked_for(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe = io.StringIO(f"{CANARY}\n")
    monkeypatch.setattr("sys.stdin", pipe)
    mcp.add("drive", url="https://mcp.example.com")
    for name, url in (("drive", "https://mcp.example.com"), ("other", "mcp.example.com")):
        with pytest.raises(BadSettings):
            mcp.add(name, url=url, header=["Authorization"])
    assert pipe.read() == f"{CANARY}\n"


def test_removing_a_server_leaves_what_it_wrote(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mcp.add("files", command=["npx"])
    note = home / "data" / "mcp" / "files" / "note.txt"
    note.parent.mkdir(parents=True)
    note.write_text("kept")
    mcp.remove("files")
    assert note.read_text() == "kept"
    capsys.readouterr()
    mcp.list_servers(as_json=True)
    assert json.loads(capsys.readouterr().out) == []


def test_only_a_server_that_is_written_down_can_be_tested(home: Path) -> None:
    with pytest.raises(BadSettings, match="mcp-unknown"):
        mcp.try_server("drive", as_json=True)
