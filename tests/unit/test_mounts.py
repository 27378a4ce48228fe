"""Which folders of the machine a group may see: what its own file wishes, and a list outside the workspace allows."""

import json
import os
from pathlib import Path

import pytest
from structlog.testing import capture_logs
from tests.staging import KINDS, Kind, once, results, staged

from nanoclaw.context.groups import MountWish, read_group
from nanoclaw.context.mounts import allowed_mounts, list_path, read_list
from nanoclaw.domain.boxes import Mount
from nanoclaw.domain.errors import BadWorkspace

pytestmark = pytest.mark.capability("A20")


@pytest.fixture
def books(tmp_path: Path) -> Path:
    folder = tmp_path / "machine" / "books"
    folder.mkdir(parents=True)
    (folder / "one.txt").write_text("chapter one")
    (folder / "one.txt").chmod(0o666)  # so that only the mount can refuse to write
    return folder


def allow(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "mounts.toml"
    path.write_text("".join(f"[[mount]]\n{line}\n" for line in lines))
    return path


def wish(path: Path, *, write: bool = False) -> MountWish:
    return MountWish(path=str(path), write=write)


def refused(wishes: list[MountWish], path: Path) -> str:
    with pytest.raises(BadWorkspace) as error:
        allowed_mounts(wishes, path)
    return error.value.key


def test_without_a_list_nothing_is_allowed(tmp_path: Path, books: Path) -> None:
    assert allowed_mounts([], tmp_path / "no-list.toml") == ()
    assert refused([wish(books)], tmp_path / "no-list.toml") == "mount-not-allowed"
    assert refused([wish(books)], allow(tmp_path, f'path = "{books}-of-others"')) == "mount-not-allowed"


def test_a_listed_folder_and_what_is_below_it_can_be_read(tmp_path: Path, books: Path) -> None:
    for listed in (books, books.parent):
        mounts = allowed_mounts([wish(books)], allow(tmp_path, f'path = "{listed}"'))
        assert mounts == (Mount(source=books, target="/extra/books"),)
    assert refused([wish(books.parent)], allow(tmp_path, f'path = "{books}"')) == "mount-not-allowed"


def test_to_write_takes_both_keys(tmp_path: Path, books: Path) -> None:
    closed = f'path = "{books}"'
    opened = f"{closed}\nwrite = true"
    assert not allowed_mounts([wish(books)], allow(tmp_path, opened))[0].writable
    assert refused([wish(books, write=True)], allow(tmp_path, closed)) == "mount-not-writable"
    with capture_logs() as logged:
        assert allowed_mounts([wish(books, write=True)], allow(tmp_path, opened))[0].writable
    assert [(line["log_level"], line["path"]) for line in logged] == [("warning", str(books))]
    assert allowed_mounts([wish(books, write=True)], allow(tmp_path, closed, opened))[0].writable


def test_the_list_means_places_and_not_the_links_that_lead_to_them(tmp_path: Path, books: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (books / "link").symlink_to(elsewhere)
    listed = allow(tmp_path, f'path = "{books}"')
    assert refused([wish(books / "link")], listed) == "mount-not-allowed"
    assert refused([wish(books / ".." / ".." / "elsewhere")], listed) == "mount-not-allowed"
    (tmp_path / "shelf").symlink_to(books)
    by_link = allowed_mounts([wish(tmp_path / "shelf")], listed)
    assert by_link == (Mount(source=books, target="/extra/books"),)


def test_a_folder_that_is_missing_and_two_of_one_name_are_refused(tmp_path: Path, books: Path) -> None:
    other = tmp_path / "other" / "books"
    other.mkdir(parents=True)
    listed = allow(tmp_path, f'path = "{tmp_path}"')
    assert refused([wish(books / "gone")], listed) == "mount-missing"
    assert refused([wish(books / "one.txt")], listed) == "mount-missing"
    assert refused([wish(books), wish(other)], listed) == "mount-twice"


@pytest.mark.parametrize(
    "written",
    ["[[mount]", "mount = 3", '[[mount]]\npath = "relative"', '[[mount]]\npath = "/x"\nwirte = true'],
)
def test_a_list_that_cannot_be_understood_allows_nothing(tmp_path: Path, books: Path, written: str) -> None:
    path = tmp_path / "mounts.toml"
    path.write_text(written)
    assert refused([wish(books)], path) == "mounts-broken"


def test_the_list_is_where_the_person_keeps_settings(tmp_path: Path) -> None:
    assert list_path({"XDG_CONFIG_HOME": str(tmp_path)}) == tmp_path / "nanoclaw" / "mounts.toml"
    assert list_path({}) == Path.home() / ".config" / "nanoclaw" / "mounts.toml"
    assert read_list(tmp_path / "nowhere.toml").mount == ()


def test_a_group_wishes_by_a_path_or_by_a_table(tmp_path: Path) -> None:
    file = tmp_path / "group.toml"
    file.write_text('company = "demo"\nmounts = ["/a", { path = "/b", write = true }]\n')
    assert read_group(file).mounts == (MountWish(path="/a"), MountWish(path="/b", write=True))


@pytest.mark.parametrize("kind", KINDS[:2], ids=lambda kind: kind.name)
async def test_in_a_real_box_it_can_be_read_and_not_written(
    kind: Kind, home: Path, tmp_path: Path, books: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drafts = books.with_name("drafts")
    drafts.mkdir()
    drafts.chmod(0o777)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    list_path(os.environ).parent.mkdir(parents=True)
    list_path(os.environ).write_text(
        f'[[mount]]\npath = "{books}"\n[[mount]]\npath = "{drafts}"\nwrite = true\n'
    )
    group = home / "groups" / "main" / "group.toml"
    wishes = f'[{json.dumps(str(books))}, {{ path = "{drafts}", write = true }}]'
    group.write_text(f"{group.read_text()}\nmounts = {wishes}\n")
    look = "cat /extra/books/one.txt; echo no >> /extra/books/one.txt; echo yes > /extra/drafts/two.txt; ls /extra"
    async with staged(kind, home, once(kind.bash(look))) as stage:
        assert await stage.ask("read to me") == "done"
        [seen] = results(stage.server.asked[-1])
        assert "chapter one" in seen
        assert "Read-only file system" in seen
        assert (books / "one.txt").read_text() == "chapter one"
        assert (drafts / "two.txt").read_text() == "yes\n"
        list_path(os.environ).unlink()
        said = await stage.ask("again")
        assert str(books) in said
        assert "mounts.toml" in said
