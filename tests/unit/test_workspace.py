"""Making a workspace: a folder and git repository with everything a person owns, and never a file overwritten."""

import shutil
import subprocess
from pathlib import Path

import pytest

from nanoclaw.context.company_context import CONTEXT_FILES
from nanoclaw.context.groups import Groups
from nanoclaw.context.skills import Skills
from nanoclaw.context.system_prompt import FOUNDATION
from nanoclaw.domain.errors import BadWorkspace
from nanoclaw.gateway.prices import Prices
from nanoclaw.host import workspace
from nanoclaw.host.settings import FILE, read_settings
from nanoclaw.host.templates import make_catalogue
from nanoclaw.pipelines.estimates import estimate
from nanoclaw.texts import LANGUAGES, language_of, tell

pytestmark = pytest.mark.capability("O1")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A fresh workspace in each language; only looked at, never changed."""
    homes = {}
    for language in LANGUAGES:
        homes[language] = tmp_path_factory.mktemp(language) / "nanoclaw"
        assert workspace.make(homes[language], language=language, timezone="Europe/Kyiv")
    return homes


def _files(home: Path) -> dict[str, str]:
    """What a person owns in it."""
    return {
        str(path.relative_to(home)): path.read_text("utf-8")
        for path in home.rglob("*")
        if path.is_file() and path.relative_to(home).parts[0] not in (".git", "data")
    }


def _git(home: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=home, check=True, capture_output=True, text=True).stdout


@pytest.mark.capability("H3")
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_company_comes_with_its_17_context_files_in_the_language_asked_for(
    made: dict[str, Path], language: str
) -> None:
    context = made[language] / "companies" / "demo" / "context"
    found = {str(path.relative_to(context).with_suffix("")) for path in context.rglob("*.md")}
    assert found == set(CONTEXT_FILES)
    assert len(found) == 17
    assert {language_of(path.read_text("utf-8")) for path in context.rglob("*.md")} == {language}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_settings_that_are_written_can_be_read(made: dict[str, Path], language: str) -> None:
    settings = read_settings(made[language])
    assert (settings.language, settings.timezone) == (language, "Europe/Kyiv")
    assert "@" not in (made[language] / FILE).read_text("utf-8")


@pytest.mark.parametrize("language", LANGUAGES)
def test_foundation_memory_and_data_are_there(made: dict[str, Path], language: str) -> None:
    home = made[language]
    assert all((home / "foundation" / f"{name}.md").stat().st_size for name in FOUNDATION)
    assert (home / "companies" / "demo" / "memory" / "CLAUDE.md").stat().st_size
    assert (home / "data").stat().st_mode & 0o777 == 0o700


@pytest.mark.capability("A19")
def test_every_shipped_skill_parses(made: dict[str, Path]) -> None:
    known_skills = Skills(made["en"])
    assert known_skills.faults() == []
    shipped = {skill.name: skill for skill in known_skills.skills()}
    files = list((workspace.STARTER / "common" / "skills").rglob("SKILL.md"))
    assert len(shipped) == len(files) >= 6
    for skill in shipped.values():
        assert skill.path.parent.name == skill.name
        assert skill.instructions
        assert all(command.startswith("/") for command in skill.head.commands)
        assert all(
            any(Path(name).match(wanted) or wanted == "*" for name in CONTEXT_FILES)
            for wanted in skill.head.context
        )


@pytest.mark.capability("A19")
def test_no_two_shipped_skills_share_a_command(made: dict[str, Path]) -> None:
    known_skills = Skills(made["en"])
    written = [command for skill in known_skills.skills() for command in skill.head.commands]
    assert sorted(command.removeprefix("/") for command in written) == sorted(known_skills.commands())


@pytest.mark.capability("D7")
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_shipped_template_can_be_used(made: dict[str, Path], language: str) -> None:
    home = made[language]
    catalogue = make_catalogue(home, read_settings(home), Groups(home), Skills(home))
    assert catalogue.broken() == []
    content = catalogue.find("/write-article")
    assert content is not None
    assert content.name == "content_pipeline"
    assert len(content.steps) == 7
    assert content.step(7).outputs.names == ("telegram", "linkedin", "newsletter")
    brief = catalogue.find("topic_brief")
    assert brief is not None
    assert [len(stage) for stage in brief.stages] == [2, 1]


@pytest.mark.capability("D5")
def test_the_content_pipeline_costs_about_what_its_author_says(made: dict[str, Path]) -> None:
    settings = read_settings(made["en"])
    found = make_catalogue(made["en"], settings, Groups(made["en"]), Skills(made["en"])).find("/create-post")
    assert found is not None
    models = {"sonnet": settings.agents.sonnet, "opus": settings.agents.opus}
    made_of = estimate(found, model_of=lambda step: models[step.model], price=Prices().price_of)
    assert made_of.cost is not None
    assert found.estimate.cost is not None
    assert made_of.cost[0] <= found.estimate.cost[1]
    assert made_of.cost[1] >= found.estimate.cost[0]


def test_every_shipped_group_is_sound(made: dict[str, Path]) -> None:
    home = made["en"]
    groups = Groups(home)
    assert groups.main().main
    skills = {skill.name for skill in Skills(home).skills()}
    for name in groups.names():
        group = groups.get(name)
        assert (home / "companies" / group.company / "context").is_dir()
        assert group.skill in skills


def test_a_workspace_is_a_git_repository_with_everything_committed(made: dict[str, Path]) -> None:
    home = made["en"]
    assert _git(home, "log", "--format=%an|%s").strip() == "NanoClaw OS|Make the workspace"
    assert _git(home, "status", "--porcelain") == ""
    assert set(_git(home, "ls-files").split()) == set(_files(home))
    assert _git(home, "branch", "--show-current").strip() == "main"


def test_what_the_host_keeps_for_itself_is_never_in_git(home: Path) -> None:
    for place in (
        "data/nanoclaw.db",
        "data/web-token",
        "groups/main/ipc/s_1/x.json",
        "groups/main/session/x",
    ):
        path = home / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("kept", "utf-8")
    assert _git(home, "status", "--porcelain", "--untracked-files=all") == ""
    (home / "companies" / "demo" / "notes.md").write_text("mine", "utf-8")
    assert _git(home, "status", "--porcelain").strip() == "?? companies/demo/notes.md"


def test_making_it_again_changes_nothing(home: Path) -> None:
    (home / "skills").rename(home / "my-skills")
    (home / "foundation" / "core_identity.md").write_text("mine", "utf-8")
    before, commits = _files(home), _git(home, "log", "--format=%H")
    assert not workspace.make(home, language="uk", timezone="UTC")
    assert _files(home) == before
    assert _git(home, "log", "--format=%H") == commits


def test_a_make_that_was_cut_off_is_completed_and_overwrites_nothing(tmp_path: Path, home: Path) -> None:
    whole = _files(home)
    cut_off = tmp_path / "cut-off"
    shutil.copytree(home / "foundation", cut_off / "foundation")
    shutil.copytree(
        home / "companies" / "demo" / "context" / "brand", cut_off / "companies/demo/context/brand"
    )
    mine = cut_off / "companies" / "demo" / "context" / "brand" / "voice.md"
    mine.write_text("edited meanwhile", "utf-8")
    (cut_off / "nanoclaw.new").write_text("half of the sett", "utf-8")
    assert workspace.make(cut_off, language="en", timezone="UTC")
    now = _files(cut_off)
    assert now.pop("companies/demo/context/brand/voice.md") == "edited meanwhile"
    whole.pop("companies/demo/context/brand/voice.md")
    assert now == whole
    assert _git(cut_off, "status", "--porcelain") == ""


def test_files_that_were_in_the_folder_before_stay_as_they_are(tmp_path: Path) -> None:
    home = tmp_path / "mine"
    (home / "groups" / "main").mkdir(parents=True)
    (home / "groups" / "main" / "group.toml").write_text('company = "mine"\n', "utf-8")
    (home / "notes.txt").write_text("do not touch", "utf-8")
    assert workspace.make(home, language="en", timezone="UTC")
    assert Groups(home).main().company == "mine"
    assert (home / "notes.txt").read_text("utf-8") == "do not touch"


def test_a_make_that_was_cut_off_before_the_repository_is_completed_too(home: Path) -> None:
    shutil.rmtree(home / ".git")
    workspace.make(home, language="en", timezone="UTC")
    assert (home / ".git").is_dir()


def test_a_make_that_was_cut_off_before_the_commit_is_completed_too(tmp_path: Path) -> None:
    home = tmp_path / "nanoclaw"
    home.mkdir()
    _git(home, "init", "--quiet")
    workspace.make(home, language="en", timezone="UTC")
    assert _git(home, "status", "--porcelain") == ""


def test_a_place_that_cannot_hold_a_workspace_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    home = tmp_path / "file" / "nanoclaw"
    with pytest.raises(BadWorkspace, match="workspace-unwritable") as refusal:
        workspace.make(home, language="en", timezone="UTC")
    for language in LANGUAGES:
        sentence = tell(language, refusal.value)
        assert str(home) in sentence
        assert "NANOCLAW_HOME" in sentence


def test_a_workspace_is_checked_before_anything_is_started(home: Path) -> None:
    shutil.rmtree(home / "data")
    workspace.check(home)
    assert list((home / "data").iterdir()) == []
    shutil.rmtree(home / "data")
    (home / "data").write_text("in the way", "utf-8")
    with pytest.raises(BadWorkspace, match="workspace-unwritable"):
        workspace.check(home)


@pytest.mark.parametrize(
    ("everything", "lang", "spoken"),
    [
        (None, "uk_UA.UTF-8", "uk"),
        (None, "en_GB.UTF-8", "en"),
        (None, "de_DE.UTF-8", "en"),
        (None, "C", "en"),
        (None, None, "en"),
        ("uk_UA", "en_US", "uk"),
        ("", "uk_UA", "uk"),
    ],
)
def test_the_first_start_speaks_the_language_of_the_machine(
    monkeypatch: pytest.MonkeyPatch, everything: str | None, lang: str | None, spoken: str
) -> None:
    for name, value in (("LC_ALL", everything), ("LANG", lang)):
        monkeypatch.delenv(name, raising=False)
        if value is not None:
            monkeypatch.setenv(name, value)
    assert workspace.local_language() == spoken


def test_the_zone_of_this_machine_can_be_written_into_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NANOCLAW_TIMEZONE", workspace.local_timezone())
    assert read_settings(tmp_path).timezone == workspace.local_timezone()


@pytest.mark.attack
def test_a_workspace_is_closed_to_other_users_of_the_machine(tmp_path: Path) -> None:
    home = tmp_path / "nanoclaw"
    workspace.make(home, language="en", timezone="UTC")
    assert home.stat().st_mode & 0o077 == 0
    home.chmod(0o755)
    workspace.check(home)
    assert home.stat().st_mode & 0o7777 == 0o700
