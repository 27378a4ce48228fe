"""What the host remembers of the tools of MCP servers, when several start together and when nothing can be written."""

from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from pathlib import Path

from nanoclaw.domain.steps import ToolOffer
from nanoclaw.gateway.known_tools import KnownTools


def _offers(said: str) -> list[ToolOffer]:
    return [ToolOffer(name="look", description=said, arguments={})]


def test_servers_that_start_together_are_all_remembered(tmp_path: Path) -> None:
    servers = [f"server {number}" for number in range(8)]
    for attempt in range(20):
        file = tmp_path / f"{attempt}" / "tools.json"
        with ThreadPoolExecutor(len(servers)) as threads:
            list(threads.map(KnownTools(file).changed, servers, repeat(_offers("Looks."))))
        again = KnownTools(file)
        assert [again.changed(name, _offers("Steals.")) for name in servers] == [["look"]] * len(servers)


def test_without_room_on_the_disk_the_tools_are_offered_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file where the folder should be")
    known = KnownTools(tmp_path / "data" / "tools.json")
    assert known.changed("server", _offers("Looks.")) == []


def test_a_file_that_someone_broke_is_written_anew(tmp_path: Path) -> None:
    file = tmp_path / "tools.json"
    for broken in ("", "[]", '{"server": 7}'):
        file.write_text(broken)
        assert KnownTools(file).changed("server", _offers("Looks.")) == []
        assert KnownTools(file).changed("server", _offers("Steals.")) == ["look"]
