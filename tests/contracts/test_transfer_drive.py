"""A package goes to a drive through an MCP server, strict or sloppy: over real HTTP, never in the way of the rest."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest
import structlog
from tests.resume_scene import transfer_of

from nanoclaw.domain.boxes import Box
from nanoclaw.domain.steps import ToolOffer
from nanoclaw.flows.transfers import drive_tool
from nanoclaw.flows.transfers.drive import Drive
from nanoclaw.flows.transfers.drive_tool import UnfitTool, Upload
from nanoclaw.flows.transfers.trouble import reason_of
from nanoclaw.gateway.server_list import Server, describe
from nanoclaw.gateway.servers import McpServers, ServerTimeouts
from nanoclaw.testing.drive_server import ENCODED, IN_FOLDERS, PLAIN, Dialect, DriveServer, Mood

BINARY = bytes(range(256))


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    (tmp_path / "work_artifacts").mkdir()
    made = {"transfer.md": "Привіт\n".encode(), "work_artifacts/chart.png": BINARY}
    for name, content in made.items():
        (tmp_path / name).write_bytes(content)
    return {name: tmp_path / name for name in made}


@asynccontextmanager
async def connected(played: DriveServer, **patience: float) -> AsyncIterator[McpServers]:
    async def no_box(server: Server) -> Box:
        raise AssertionError(server.name)

    headers = {"Authorization": f"Bearer {played.key}"}
    server = describe("cloud", {"url": played.url, "headers": headers})
    servers = McpServers(lambda: {"cloud": server}, no_box, patience=ServerTimeouts(**patience))
    try:
        yield servers
    finally:
        await servers.close()


async def put(servers: McpServers, files: dict[str, Path], **more: Any) -> dict[str, Any]:
    drive = Drive(servers=servers, server="cloud", **more)
    return cast(dict[str, Any], (await drive.put(transfer_of("s_1"), files) or {})["drive"])


@pytest.mark.parametrize("dialect", [PLAIN, ENCODED, IN_FOLDERS], ids=["plain", "encoded", "in folders"])
async def test_a_package_gets_to_drives_of_different_kinds(dialect: Dialect, files: dict[str, Path]) -> None:
    text, picture = "tr_01abc-transfer.md", "tr_01abc-work_artifacts-chart.png"
    async with DriveServer(dialect) as played, connected(played) as servers:
        done = await put(servers, files, folder="f-1")
        again = await put(servers, files, folder="f-1")
        assert again["files"] == done["files"]
        whole = {text: files["transfer.md"].read_bytes(), picture: BINARY}
        if dialect is PLAIN:  # it takes text alone
            del whole[picture]
        assert (played.files, sorted(whole), done["left_out"]) == (
            whole,
            done["files"],
            [] if picture in whole else ["work_artifacts/chart.png"],
        )
        assert done["links"][0] == "https://drive.test/1"
        assert "trouble" not in done
        assert "f-1" in played.given[0].values()


@pytest.mark.parametrize(
    ("mood", "key", "said"),
    [
        ("refuses", "drive-refused", "Quota exceeded for ***"),
        ("error-as-text", "drive-refused", "the token has expired"),
        ("error-as-json", "drive-refused", "the token has expired"),
        ("odd", "drive-refused", "makes no sense"),
        ("slow", "drive-slow", "within 1 seconds"),
    ],
)
async def test_what_a_drive_does_wrong_is_told_and_stops_nothing(
    mood: Mood, key: str, said: str, files: dict[str, Path]
) -> None:
    async with DriveServer(mood=mood) as played, connected(played) as servers:
        with structlog.testing.capture_logs() as logged:
            done = await put(servers, files, patience=0.6 if mood == "slow" else 60.0)
        played.awake.set()
        assert (done["files"], done["trouble"]["key"]) == ([], key)
        assert said in reason_of(done["trouble"], "en")
        assert played.key not in str((done, logged))
        assert "Привіт" not in str(logged)


async def test_a_drive_that_is_not_there_or_has_no_such_tool_is_told(files: dict[str, Path]) -> None:
    async with DriveServer(mood="empty") as played:
        async with connected(played) as servers:
            assert (await put(servers, files, tool="create_file"))["files"] == ["tr_01abc-transfer.md"]
            done = await put(servers, files, tool="paint")
            assert done["trouble"] == {
                "key": "drive-no-such-tool",
                "values": {"server": "cloud", "tool": "paint"},
            }
            done = await put(servers, files, tool="create_folder")
            assert (done["trouble"]["key"], done["trouble"]["values"]["wants"]) == ("drive-unfit", "content")
            assert await Drive(servers=servers, server="").put(transfer_of("s_1"), files) is None
        played.key = "another"
        wrong = DriveServer(key="old", url=played.url)
        async with connected(wrong) as servers:
            assert (await put(servers, files))["trouble"]["key"] == "drive-silent"


async def test_what_is_too_big_or_too_many_is_left_out(tmp_path: Path, files: dict[str, Path]) -> None:
    big = tmp_path / "big.txt"
    with big.open("wb") as file:
        file.truncate(6 << 20)
    many = {f"{number:02}.md": files["transfer.md"] for number in range(31)}
    async with DriveServer() as played, connected(played) as servers:
        done = await put(servers, {"0.txt": big, **many})
        assert (len(played.files), done["left_out"]) == (29, ["0.txt", "29.md", "30.md"])


def tool(name: str, required: str = "", /, **properties: Any) -> ToolOffer:
    schema = {"type": "object", "properties": properties, "required": required.split()}
    return ToolOffer(name=f"cloud_{name}", description="", arguments=schema)


TEXT = {"type": "string"}


def test_the_tool_is_found_by_what_it_is_called_and_can_take() -> None:
    local = tool("create_file", "local_path name", local_path=TEXT, name=TEXT)
    by_text = tool("create_file_from_text", "file_name text", file_name=TEXT, text=TEXT)
    upload = tool("gdrive-uploadFile", "name content", name=TEXT, content=TEXT)
    others = [
        tool("update_file", "name content", name=TEXT, content=TEXT),
        tool("create_comment", "name content", name=TEXT, content=TEXT),
        tool("read_file", "name content", name=TEXT, content=TEXT),
    ]
    assert drive_tool.choose([*others, local, by_text], "cloud", "") is by_text
    assert drive_tool.choose([by_text, upload], "cloud", "") is upload
    assert drive_tool.choose([*others, local], "cloud", "") is None
    assert drive_tool.choose([*others, local], "cloud", "update-file") is others[0]


def test_the_words_of_many_drives_are_understood() -> None:
    file = Upload(name="a.md", content=b"hi", media_type="text/markdown", folder="f")
    picture = Upload(name="a.png", content=BINARY, media_type="image/png", folder="")

    def given(upload: Upload, required: str = "", /, **properties: Any) -> dict[str, Any]:
        return drive_tool.arguments(tool("x", required, **properties).arguments, upload)

    assert given(file, path=TEXT, text=TEXT, mode=TEXT) == {"path": "f/a.md", "text": "hi"}
    assert given(file, name=TEXT, content=TEXT, parents={"type": "array"}, mime_type=TEXT) == {
        "name": "a.md",
        "content": "hi",
        "parents": ["f"],
        "mime_type": "text/markdown",
    }
    encodings = {"type": "string", "enum": ["utf-8", "base64"]}
    assert given(file, name=TEXT, content=TEXT, encoding=encodings)["encoding"] == "utf-8"
    encoded = given(picture, name=TEXT, content=TEXT, encoding=encodings)
    assert (encoded["encoding"], encoded["content"][:4]) == ("base64", "AAEC")
    assert given(picture, name=TEXT, data=TEXT, isBase64={"type": "boolean"})["isBase64"] is True
    assert given(file, name=TEXT, content=TEXT, content_base64=TEXT) == {"name": "a.md", "content": "hi"}
    for wants, required, properties in (
        ("name", "", {"content": TEXT}),
        ("content", "", {"name": TEXT, "local_path": TEXT}),
        ("account_id", "name account_id", {"name": TEXT, "content": TEXT, "account_id": TEXT}),
        ("name", "", {}),
    ):
        with pytest.raises(UnfitTool, match=wants):
            given(file, required, **properties)
    with pytest.raises(UnfitTool, match="base64"):
        given(picture, name=TEXT, content=TEXT)
    for odd in ({}, {"properties": 7, "required": 7}, {"properties": {"name": None, "content": True}}):
        try:
            drive_tool.arguments(odd, file)
        except UnfitTool:
            continue
