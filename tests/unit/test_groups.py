"""Agent groups: `groups/{group}/group.toml` says which company an agent works for and how."""

import os
from pathlib import Path

import pytest

from nanoclaw.context.groups import Group, Groups, read_group
from nanoclaw.domain.errors import BadWorkspace
from nanoclaw.domain.locale import Locale
from nanoclaw.texts import LANGUAGES, tell


def _write(workspace: Path, name: str, text: str | bytes) -> Path:
    path = workspace / "groups" / name / "group.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    newer = path.stat().st_mtime_ns + 1_000_000 if path.exists() else None
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    if newer:
        os.utime(path, ns=(newer, newer))
    return path


def test_a_group_is_named_by_its_folder_and_needs_only_a_company(tmp_path: Path) -> None:
    group = read_group(_write(tmp_path, "sales", 'company = "demo"\n'))
    assert group == Group(
        name="sales", company="demo", main=False, skill="general-assistant", runtime=None, language=None
    )
    assert group.locale == Locale()


def test_every_key_of_a_group_is_read(tmp_path: Path) -> None:
    text = 'company="c"\nmain=true\nskill="s"\nruntime="native"\nlanguage="uk"\ntimezone="Europe/Kyiv"\n'
    group = read_group(_write(tmp_path, "g", text))
    assert (group.company, group.main, group.skill, group.runtime) == ("c", True, "s", "native")
    assert group.locale == Locale(language="uk", timezone="Europe/Kyiv")


def test_the_names_are_the_folders_that_have_a_group_file(tmp_path: Path) -> None:
    _write(tmp_path, "sales", 'company = "demo"')
    _write(tmp_path, "main", 'company = "demo"')
    (tmp_path / "groups" / "empty").mkdir()
    assert Groups(tmp_path).names() == ["main", "sales"]
    assert Groups(tmp_path / "nowhere").names() == []


@pytest.mark.parametrize(
    ("groups", "main"),
    [
        ({"only": ""}, "only"),
        ({"alpha": "", "beta": "main = true"}, "beta"),
        ({"alpha": "", "beta": ""}, "alpha"),
    ],
)
def test_the_main_group_is_the_one_that_says_so_else_the_first(
    tmp_path: Path, groups: dict[str, str], main: str
) -> None:
    for name, line in groups.items():
        _write(tmp_path, name, f'company = "demo"\n{line}\n')
    assert Groups(tmp_path).main().name == main


def test_an_edited_group_is_seen_and_an_unchanged_one_is_not_read_again(tmp_path: Path) -> None:
    _write(tmp_path, "main", 'company = "one"')
    groups = Groups(tmp_path)
    assert groups.get("main").company == "one"
    assert groups.get("main") is groups.get("main")
    _write(tmp_path, "main", 'company = "two"')
    assert groups.get("main").company == "two"


def test_a_group_that_goes_away_is_missed(tmp_path: Path) -> None:
    path = _write(tmp_path, "main", 'company = "one"')
    groups = Groups(tmp_path)
    groups.get("main")
    path.unlink()
    with pytest.raises(BadWorkspace, match="group-missing") as refusal:
        groups.get("main")
    assert refusal.value.values == {"group": "main", "file": str(path)}


def test_a_workspace_without_a_group_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadWorkspace, match="no-groups") as refusal:
        Groups(tmp_path).main()
    for language in LANGUAGES:
        assert str(tmp_path / "groups") in tell(language, refusal.value)


@pytest.mark.parametrize(
    ("text", "key", "names"),
    [
        ('company = "a"\nskill = \n', "group-broken", ["line 2"]),
        ("", "group-key", ["company", "missing"]),
        ('company = "a"\ncolour = "red"\n', "group-key", ["colour", "skill, runtime"]),
        ('company = "a"\nmain = "perhaps"\n', "group-value", ["main"]),
        ("company = 5\n", "group-value", ["company", "string"]),
    ],
)
def test_a_bad_group_file_is_refused_with_its_place(
    tmp_path: Path, text: str, key: str, names: list[str]
) -> None:
    path = _write(tmp_path, "main", text)
    with pytest.raises(BadWorkspace) as refusal:
        read_group(path)
    assert refusal.value.key == key
    assert refusal.value.values["file"] == str(path)
    assert all(name in str(refusal.value) for name in names)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_bad_key_of_a_group_is_told_with_the_known_ones(tmp_path: Path, language: str) -> None:
    path = _write(tmp_path, "main", 'company = "a"\ncolour = "red"\n')
    with pytest.raises(BadWorkspace) as refusal:
        read_group(path)
    sentence = tell(language, refusal.value)
    assert all(word in sentence for word in (str(path), "colour", "company, main, skill, runtime"))


@pytest.mark.parametrize(
    "text",
    [
        b'name = "other"\ncompany = "a"\n',
        b'company = "\xff"\n',
        b'company = "a"\ntimezone = "Mars/Olympus"\n',
        b'company = "a"\nlanguage = "xx"\n',
        b'company = ""\n',
        b'company = "../../elsewhere"\n',
    ],
    ids=["its own name", "not UTF-8", "a bad zone", "a bad language", "no company", "a company outside"],
)
def test_what_could_not_be_used_later_is_refused_when_it_is_read(tmp_path: Path, text: bytes) -> None:
    path = _write(tmp_path, "main", text)
    with pytest.raises(BadWorkspace):
        read_group(path)
