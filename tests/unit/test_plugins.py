"""A channel of one's own is found by its name or in its file, and nothing is loaded that agents could have written."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from nanoclaw.domain.errors import BadSettings
from nanoclaw.domain.ports import Channel
from nanoclaw.host.plugins import channel_class
from nanoclaw.host.settings import ChannelSource

pytestmark = pytest.mark.capability("X1")

CODE = """
from nanoclaw.domain.ports import Channel

class Mine(Channel):
    async def send(self, parcel, handover):
        return parcel.id
"""
TRAP = "raise SystemExit('it was run')"


@pytest.fixture(autouse=True)
def _as_before(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """What is imported here is gone afterwards, and no list of mounts is found but the test's own."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(sys, "path", [*sys.path])
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.startswith(("mine", "nanoclaw_channel_")):
            del sys.modules[name]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir(mode=0o755)
    return folder


def written(folder: Path, code: str = CODE, name: str = "mine.py") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(code)
    path.chmod(0o644)
    return path


def refusal(home: Path, **source: str) -> BadSettings:
    with pytest.raises(BadSettings) as refused:
        channel_class("mine", ChannelSource(**source), home)
    return refused.value


def test_the_one_class_of_a_file_is_its_channel(home: Path, outside: Path) -> None:
    found = channel_class("mine", ChannelSource(path=str(written(outside))), home)
    assert (found.__name__, issubclass(found, Channel)) == ("Mine", True)


def test_a_class_is_found_by_its_module(home: Path, outside: Path) -> None:
    written(outside / "mine_package", "", "__init__.py")
    written(outside / "mine_package", name="slack.py")
    sys.path.insert(0, str(outside))
    assert channel_class("mine", ChannelSource(load="mine_package.slack:Mine"), home).__name__ == "Mine"


@pytest.mark.parametrize("load", ["mine", ""])
def test_an_installed_package_is_found_by_the_name_that_it_announces(
    home: Path, outside: Path, load: str
) -> None:
    written(outside, name="mine_installed.py")
    about = outside / "mine_installed-1.0.dist-info"
    written(about, "Metadata-Version: 2.1\nName: mine-installed\nVersion: 1.0\n", "METADATA")
    written(about, "[nanoclaw.channels]\nmine = mine_installed:Mine\n", "entry_points.txt")
    sys.path.insert(0, str(outside))
    assert channel_class("mine", ChannelSource(load=load), home).__name__ == "Mine"
    unknown = refusal(home, load="theirs")
    assert (unknown.key, unknown.values["known"]) == ("channel-unknown", "mine")


@pytest.mark.parametrize(
    ("code", "key"),
    [
        ("", "channel-no-class"),
        (CODE + "\nclass Another(Mine): pass\n", "channel-no-class"),
        ("from nanoclaw.domain.ports import Channel\nclass Deaf(Channel): pass\n", "channel-no-class"),
    ],
    ids=["none", "two", "without send"],
)
def test_a_file_without_its_one_channel_is_refused(home: Path, outside: Path, code: str, key: str) -> None:
    assert refusal(home, path=str(written(outside, code))).key == key


def test_what_is_not_there_is_named(home: Path, outside: Path) -> None:
    assert refusal(home, path=str(outside / "gone.py")).key == "channel-no-file"
    assert refusal(home, path=str(outside)).key == "channel-no-file"
    assert refusal(home, load="mine_gone.slack:Mine").values["module"] == "mine_gone"
    assert refusal(home, load="mine:Mine", path="/mine.py").key == "channel-two-places"
    os.mkfifo(outside / "pipe")
    assert refusal(home, path=str(outside / "pipe")).key == "channel-no-file"


@pytest.mark.attack
def test_no_file_of_the_workspace_is_loaded_however_it_is_reached(home: Path, outside: Path) -> None:
    trap = written(home / "groups" / "main", TRAP)
    good = written(outside)
    (outside / "link.py").symlink_to(trap)
    (outside / "folder").symlink_to(trap.parent)
    (outside / "twice.py").symlink_to("link.py")
    (home / "back.py").symlink_to(good)  # an agent could make it lead elsewhere
    (outside / "there and back.py").symlink_to(home / "back.py")
    for path in (
        trap,
        outside / "link.py",
        outside / "folder" / "mine.py",
        outside / "twice.py",
        outside / ".." / "workspace" / "groups" / "main" / "mine.py",
        home / "back.py",
        outside / "there and back.py",
    ):
        assert refusal(home, path=str(path)).key == "channel-inside", path


@pytest.mark.attack
def test_a_workspace_that_is_reached_by_a_link_is_no_less_a_workspace(home: Path, tmp_path: Path) -> None:
    trap = written(home, TRAP)
    (tmp_path / "alias").symlink_to(home)
    assert refusal(tmp_path / "alias", path=str(trap)).key == "channel-inside"
    assert refusal(home, path=str(tmp_path / "alias" / "mine.py")).key == "channel-inside"


@pytest.mark.attack
def test_a_part_of_the_workspace_on_another_disk_is_no_less_a_part_of_it(home: Path, outside: Path) -> None:
    trap = written(outside / "big disk", TRAP, "o_01")
    (home / "data").mkdir()
    (home / "data" / "attachments").symlink_to(trap.parent)
    assert refusal(home, path=str(trap)).key == "channel-inside"


@pytest.mark.attack
def test_no_file_is_loaded_from_a_folder_that_is_opened_to_agents_for_writing(
    home: Path, outside: Path, tmp_path: Path
) -> None:
    trap = written(outside / "project", TRAP)
    allowed = f'[[mount]]\npath = "{outside / "project"}"\nwrite = true\n'
    written(tmp_path / "config" / "nanoclaw", allowed, "mounts.toml")
    assert refusal(home, path=str(trap)).key == "channel-inside"


@pytest.mark.attack
def test_no_file_is_loaded_that_others_of_the_machine_can_change(home: Path, outside: Path) -> None:
    trap = written(outside / "deep" / "down", TRAP)
    for place in (trap, trap.parent, outside):
        before = place.stat().st_mode
        place.chmod(before | 0o002)
        refused = refusal(home, path=str(trap))
        assert (refused.key, refused.values["path"]) == ("channel-open", str(place))
        place.chmod(before)
    (outside / "link.py").symlink_to(trap)
    trap.parent.chmod(0o777)
    assert refusal(home, path=str(outside / "link.py")).key == "channel-open"


@pytest.mark.attack
def test_no_module_is_loaded_that_others_of_the_machine_can_change(home: Path, outside: Path) -> None:
    trap = written(outside / "mine_open", TRAP, "__init__.py")
    sys.path.insert(0, str(outside))
    for place in (trap, trap.parent, outside):
        before = place.stat().st_mode
        place.chmod(before | 0o002)
        assert refusal(home, load="mine_open:Mine").key == "channel-open"
        place.chmod(before)


@pytest.mark.attack
def test_no_file_of_another_user_is_loaded(home: Path, outside: Path) -> None:
    trap = written(outside / "theirs", TRAP)
    if os.geteuid():
        pytest.skip("to give a file away needs root")
    os.chown(trap, 65534, 65534)
    assert refusal(home, path=str(trap)).key == "channel-foreign"
    os.chown(trap, 0, 0)
    os.chown(trap.parent, 65534, 65534)
    assert refusal(home, path=str(trap)).key == "channel-foreign"


@pytest.mark.attack
def test_no_module_of_the_workspace_is_loaded_nor_run_on_the_way(home: Path, outside: Path) -> None:
    written(home / "mine_trap", TRAP, "__init__.py")
    written(home / "mine_trap", TRAP, "slack.py")
    sys.path.insert(0, str(home))
    assert refusal(home, load="mine_trap.slack:Mine").key == "channel-inside"
    # A package outside whose parts are looked for in the workspace too.
    path = f"__path__.append({str(home / 'mine_trap')!r})"
    written(outside / "mine_good", path, "__init__.py")
    sys.path.insert(0, str(outside))
    assert refusal(home, load="mine_good.slack:Mine").key == "channel-inside"


@pytest.mark.attack
@pytest.mark.parametrize("by", ["path", "load"])
def test_what_a_channel_imports_does_not_come_from_the_workspace(home: Path, outside: Path, by: str) -> None:
    written(home, TRAP, "mine_helper.py")
    path = written(outside, "import mine_helper\n" + CODE)
    sys.path[:0] = [str(home), str(outside)]
    source = {"path": str(path)} if by == "path" else {"load": "mine:Mine"}
    with pytest.raises(ModuleNotFoundError, match="mine_helper"):
        channel_class("mine", ChannelSource(**source), home)


@pytest.mark.attack
def test_old_bytecode_beside_a_file_is_not_run(home: Path, outside: Path) -> None:
    path = written(outside)
    cache = written(outside / "__pycache__", TRAP, f"mine.{sys.implementation.cache_tag}.pyc")
    cache.chmod(0o666)
    assert channel_class("mine", ChannelSource(path=str(path)), home).__name__ == "Mine"
