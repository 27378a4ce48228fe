"""A group is made with its folder and its company; whatever it is called, nothing that is there is lost."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoclaw.context.company_context import CONTEXT_FILES
from nanoclaw.context.group_creation import GroupCreation
from nanoclaw.context.groups import Groups
from nanoclaw.domain.errors import BadWorkspace, Refused
from nanoclaw.texts import LANGUAGES, tell

pytestmark = pytest.mark.capability("P4")


@pytest.fixture
def group_creation(tmp_path: Path) -> GroupCreation:
    return GroupCreation(tmp_path)


def files_below(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text("utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("sales", "sales"),
        ("Sales Team", "sales-team"),
        ("  Sales \n Team  ", "sales-team"),
        ("Відділ продажів", "відділ-продажів"),
        ("Ґанок і Їжак", "ґанок-і-їжак"),
        ("../../etc/passwd", "etc-passwd"),
        ("a/b\\c", "a-b-c"),
        (".hidden", "hidden"),
        ("C:\\work", "c-work"),
        ('x"\ny = 1', "x-y-1"),
        ("R&D (Europe)", "r-d-europe"),
        ("-rf", "rf"),
        ("under_score", "under_score"),
        ("🚀 launch", "launch"),
        ("2026", "2026"),
    ],
)
def test_a_name_becomes_a_folder(group_creation: GroupCreation, name: str, folder: str) -> None:
    assert group_creation.folder_for(name) == folder


NAMELESS = ["", "  ", ".", "..", "...", "/", "../..", "-", "___", "🚀", "👩\u200d💻", "\u200b", "!?"]


@pytest.mark.parametrize("name", NAMELESS)
def test_a_name_without_a_letter_or_digit_is_refused(
    group_creation: GroupCreation, tmp_path: Path, name: str
) -> None:
    with pytest.raises(Refused) as found:
        group_creation.folder_for(name)
    assert found.value.key == "group-unnamed"
    with pytest.raises(Refused) as found:
        group_creation.found("sales", name)
    assert found.value.key == "company-unnamed"
    assert list(tmp_path.iterdir()) == []
    assert all(tell(language, found.value) for language in LANGUAGES)


@pytest.mark.parametrize("name", ["a" * 300, "ї" * 300, "word " * 60, "a" * 39 + " b"])
def test_a_long_name_is_cut(group_creation: GroupCreation, tmp_path: Path, name: str) -> None:
    folder = group_creation.folder_for(name)
    assert 0 < len(folder) <= 40
    assert not folder.startswith("-")
    assert not folder.endswith("-")
    group_creation.found(folder, name)
    assert Groups(tmp_path).names() == [folder]


def test_a_name_that_is_taken_is_refused(group_creation: GroupCreation, tmp_path: Path) -> None:
    group_creation.found("sales", "acme")
    for name in ("sales", "Sales", " sales! "):
        with pytest.raises(Refused) as found:
            group_creation.folder_for(name)
        assert (found.value.key, found.value.values) == ("group-exists", {"group": "sales"})


def test_a_folder_with_files_of_someone_else_is_taken(group_creation: GroupCreation, tmp_path: Path) -> None:
    """Perhaps of a group that was removed: a new one must not get its files."""
    (tmp_path / "groups" / "sales" / "files").mkdir(parents=True)
    (tmp_path / "groups" / "press").parent.mkdir(exist_ok=True)
    (tmp_path / "groups" / "press").write_text("no folder at all", "utf-8")
    for name in ("sales", "press"):
        with pytest.raises(Refused, match="group-exists"):
            group_creation.folder_for(name)


def test_a_new_company_has_its_seventeen_files_and_a_memory(
    group_creation: GroupCreation, tmp_path: Path
) -> None:
    group_creation.found("sales", "Acme Corp")
    found = files_below(tmp_path / "companies" / "acme-corp")
    assert len(CONTEXT_FILES) == 17
    assert found.keys() == {*(f"context/{name}.md" for name in CONTEXT_FILES), "memory/CLAUDE.md"}
    assert all(text.startswith("# ") for text in found.values())
    group = Groups(tmp_path).get("sales")
    assert (group.name, group.company, group.main) == ("sales", "acme-corp", False)
    assert group_creation.companies() == ["acme-corp"]
    assert group_creation.works_for("sales", "Acme Corp")
    assert not group_creation.works_for("sales", "Globex")
    assert not group_creation.works_for("press", "Acme Corp")


def test_files_that_are_there_stay_as_they_are(group_creation: GroupCreation, tmp_path: Path) -> None:
    kept = {"context/brand/voice.md": "Ours.", "memory/CLAUDE.md": "What we know.", "context/own.md": "More."}
    for name, text in kept.items():
        path = tmp_path / "companies" / "acme" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    group_creation.found("sales", "acme")
    found = files_below(tmp_path / "companies" / "acme")
    assert found.items() >= kept.items()
    assert len(found) == 17 + 1 + 1


def test_a_second_group_of_a_company_changes_nothing_of_it(
    group_creation: GroupCreation, tmp_path: Path
) -> None:
    group_creation.found("sales", "acme")
    before = files_below(tmp_path)
    group_creation.found("press", "acme")
    assert files_below(tmp_path) == before | {"groups/press/group.toml": 'company = "acme"\n'}


def test_a_company_that_is_there_is_meant_as_its_folder_is_written(
    group_creation: GroupCreation, tmp_path: Path
) -> None:
    """People make companies by hand too, and choose one of them under a button."""
    (tmp_path / "companies" / "Acme" / "context").mkdir(parents=True)
    (company,) = group_creation.companies()
    group_creation.found("sales", company)
    assert Groups(tmp_path).company_of("sales") == "Acme"
    assert group_creation.companies() == ["Acme"]
    assert group_creation.works_for("sales", company)


@pytest.mark.parametrize("name", ["Acme Corp", 'a"b', ".git", "a.b"])
def test_a_company_that_is_offered_is_one_that_a_group_can_work_for(
    group_creation: GroupCreation, tmp_path: Path, name: str
) -> None:
    (tmp_path / "companies" / name).mkdir(parents=True)
    for company in group_creation.companies():
        group_creation.found("sales", company)
        assert Groups(tmp_path).company_of("sales") == company


@pytest.mark.parametrize("left", [(), ("group.toml.new",)], ids=["the folder", "an unfinished file"])
def test_what_was_cut_off_half_way_is_made_again(
    group_creation: GroupCreation, tmp_path: Path, left: tuple[str, ...]
) -> None:
    place = tmp_path / "groups" / "sales"
    place.mkdir(parents=True)
    for name in left:
        (place / name).write_text("comp", "utf-8")
    (tmp_path / "companies" / "acme" / "context" / "company").mkdir(parents=True)
    assert Groups(tmp_path).names() == []
    assert not group_creation.works_for("sales", "acme")
    group_creation.found(group_creation.folder_for("sales"), "acme")
    assert Groups(tmp_path).company_of("sales") == "acme"
    assert [path.name for path in place.iterdir()] == ["group.toml"]
    assert len(files_below(tmp_path / "companies" / "acme")) == 18


def test_made_twice_is_made_once(group_creation: GroupCreation, tmp_path: Path) -> None:
    group_creation.found("sales", "acme")
    before = files_below(tmp_path)
    group_creation.found("sales", "acme")
    assert files_below(tmp_path) == before


def test_a_broken_group_file_works_for_nobody(group_creation: GroupCreation, tmp_path: Path) -> None:
    place = tmp_path / "groups" / "sales"
    place.mkdir(parents=True)
    for broken in (b"company = ", b"\xff\xfe", b""):
        (place / "group.toml").write_bytes(broken)
        assert not group_creation.works_for("sales", "acme")


def test_a_workspace_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "companies").write_text("a file, where a folder should be", "utf-8")
    with pytest.raises(BadWorkspace) as found:
        GroupCreation(tmp_path).found("sales", "acme")
    assert found.value.key == "workspace-unwritable"
    assert not (tmp_path / "groups").exists()


@pytest.mark.parametrize("name", ["½", "x²", "①", "Café №5"])
def test_signs_that_are_half_a_number_make_a_group_that_can_be_read(
    group_creation: GroupCreation, tmp_path: Path, name: str
) -> None:
    try:
        folder = group_creation.folder_for(name)
    except Refused:
        return
    group_creation.found(folder, name)
    assert Groups(tmp_path).company_of(folder)


letters = st.characters(exclude_categories=("No", "Cs")) | st.sampled_from("./\\-_ \"'#=\n")


@given(name=st.text(letters, max_size=60), company=st.text(letters, max_size=60))
def test_whatever_it_is_called_it_stays_in_its_place_and_can_be_read(
    tmp_path_factory: pytest.TempPathFactory, name: str, company: str
) -> None:
    home = tmp_path_factory.mktemp("home")
    group_creation = GroupCreation(home)
    try:
        folder = group_creation.folder_for(name)
        group_creation.found(folder, company)
    except Refused:
        assert list(home.iterdir()) == []
        return
    assert [path.name for path in home.iterdir() if path.name not in ("groups", "companies")] == []
    assert [path.name for path in (home / "groups").iterdir()] == [folder]
    assert [Groups(home).company_of(folder)] == group_creation.companies()
    assert group_creation.works_for(folder, company)
    assert len(files_below(home)) == 17 + 1 + 1
