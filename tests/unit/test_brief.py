"""The brief: foundation, company, skill and memory, in this order, and only what the skill asks for."""

import os
from pathlib import Path

import pytest

from nanoclaw.context.file_cache import FileCache
from nanoclaw.context.groups import Group
from nanoclaw.context.skills import FrontMatter, Skill
from nanoclaw.context.system_prompt import CONTEXT_FILES, FOUNDATION, SystemPrompts
from nanoclaw.sandbox.untrusted_files import read_text

pytestmark = pytest.mark.capability("A8")

LANTERN = Group(name="main", company="lantern")


def _write(workspace: Path, place: str, text: str) -> None:
    path = workspace / place
    path.parent.mkdir(parents=True, exist_ok=True)
    newer = path.stat().st_mtime_ns + 1_000_000 if path.exists() else None
    path.write_text(text, "utf-8")
    if newer:
        os.utime(path, ns=(newer, newer))


def _skill(*context: str, targets: tuple[str, ...] = ()) -> Skill:
    head = FrontMatter(name="poster", description="d", context=context, targets=targets)
    return Skill(head=head, instructions="Write a post.", path=Path("SKILL.md"))


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Two companies with every file there can be."""
    for name in FOUNDATION:
        _write(tmp_path, f"foundation/{name}.md", f"foundation of {name}")
    for company in ("lantern", "rival"):
        for name in CONTEXT_FILES:
            _write(tmp_path, f"companies/{company}/context/{name}.md", f"{company} knows {name}")
        _write(tmp_path, f"companies/{company}/memory/CLAUDE.md", f"{company} remembers")
    return tmp_path


def _ordered(text: str, *parts: str) -> bool:
    places = [text.find(part) for part in parts]
    return -1 not in places and places == sorted(places)


def test_the_three_layers_come_in_order_the_most_stable_first(workspace: Path) -> None:
    system_prompt = SystemPrompts(workspace, FileCache(), read_text).system_prompt(
        LANTERN, _skill("product/pricing", "brand/voice")
    )
    assert system_prompt.foundation == (
        "foundation of core_identity\n\nfoundation of output_standards\n\nfoundation of evidence_grading"
    )
    assert system_prompt.company == (
        '<context file="product/pricing">\nlantern knows product/pricing\n</context>\n\n'
        '<context file="brand/voice">\nlantern knows brand/voice\n</context>'
    )
    assert system_prompt.skill == (
        '<skill file="poster">\nWrite a post.\n</skill>\n\n<memory file="CLAUDE">\nlantern remembers\n</memory>'
    )
    assert (
        str(system_prompt)
        == f"{system_prompt.foundation}\n\n{system_prompt.company}\n\n{system_prompt.skill}"
    )


@pytest.mark.parametrize(
    ("asked_for", "given"),
    [
        ((), []),
        (("product/pricing",), ["product/pricing"]),
        (("brand/*",), ["brand/voice", "brand/visual", "brand/guidelines"]),
        (("market/channels", "company/team"), ["company/team", "market/channels"]),
        (("*/voice", "brand/voice"), ["brand/voice"]),
        (("*",), list(CONTEXT_FILES)),
        (("no/such",), []),
        (("../../rival/context/brand/voice",), []),
    ],
)
def test_a_skill_gets_only_the_context_it_asks_for(
    workspace: Path, asked_for: tuple[str, ...], given: list[str]
) -> None:
    system_prompt = SystemPrompts(workspace, FileCache(), read_text).system_prompt(
        LANTERN, _skill(*asked_for)
    )
    assert [line for line in system_prompt.company.splitlines() if line.startswith("lantern knows")] == [
        f"lantern knows {name}" for name in given
    ]


def test_without_a_skill_the_whole_context_is_given_and_no_instructions(workspace: Path) -> None:
    system_prompt = SystemPrompts(workspace, FileCache(), read_text).system_prompt(LANTERN, None)
    assert _ordered(system_prompt.company, *(f'<context file="{name}">' for name in CONTEXT_FILES))
    assert "<skill" not in system_prompt.skill
    assert "lantern remembers" in system_prompt.skill


@pytest.mark.parametrize("skill", [None, _skill("*"), _skill("*rival*", "../rival/*", "**")])
def test_another_companys_files_never_appear(workspace: Path, skill: Skill | None) -> None:
    system_prompts = SystemPrompts(workspace, FileCache(), read_text)
    rival = str(system_prompts.system_prompt(Group(name="other", company="rival"), skill))
    lantern = str(system_prompts.system_prompt(LANTERN, skill))
    assert "lantern" not in rival
    assert "rival" not in lantern.replace("*rival*", "")
    assert "lantern remembers" in lantern


@pytest.mark.parametrize(
    "place",
    [
        "foundation/core_identity.md",
        "companies/lantern/context/brand/voice.md",
        "companies/lantern/memory/CLAUDE.md",
    ],
)
def test_an_edited_file_is_in_the_next_brief(workspace: Path, place: str) -> None:
    system_prompts = SystemPrompts(workspace, FileCache(), read_text)
    assert "edited by hand" not in str(system_prompts.system_prompt(LANTERN, _skill("*")))
    _write(workspace, place, "edited by hand")
    assert "edited by hand" in str(system_prompts.system_prompt(LANTERN, _skill("*")))


def test_the_layers_before_the_edited_one_stay_the_same_to_the_letter(workspace: Path) -> None:
    system_prompts = SystemPrompts(workspace, FileCache(), read_text)
    before = system_prompts.system_prompt(LANTERN, _skill("*"))
    _write(workspace, "companies/lantern/memory/CLAUDE.md", "something new")
    after = system_prompts.system_prompt(LANTERN, _skill("*"))
    assert (after.foundation, after.company) == (before.foundation, before.company)
    assert after.skill != before.skill


def test_missing_files_are_simply_absent(workspace: Path) -> None:
    (workspace / "foundation" / "output_standards.md").unlink()
    (workspace / "companies" / "lantern" / "context" / "brand" / "voice.md").unlink()
    (workspace / "companies" / "lantern" / "memory" / "CLAUDE.md").unlink()
    _write(workspace, "companies/lantern/context/brand/visual.md", "  \n")
    system_prompt = SystemPrompts(workspace, FileCache(), read_text).system_prompt(LANTERN, _skill("brand/*"))
    assert system_prompt.foundation == "foundation of core_identity\n\nfoundation of evidence_grading"
    assert system_prompt.company == (
        '<context file="brand/guidelines">\nlantern knows brand/guidelines\n</context>'
    )
    assert system_prompt.skill == '<skill file="poster">\nWrite a post.\n</skill>'


def test_an_empty_workspace_gives_an_empty_brief(tmp_path: Path) -> None:
    assert str(SystemPrompts(tmp_path, FileCache(), read_text).system_prompt(LANTERN, None)) == ""


def test_files_that_are_not_among_the_17_are_not_read(workspace: Path) -> None:
    _write(workspace, "companies/lantern/context/brand/secret-plan.md", "never shown")
    _write(workspace, "companies/lantern/notes.md", "never shown")
    assert "never shown" not in str(
        SystemPrompts(workspace, FileCache(), read_text).system_prompt(LANTERN, _skill("*"))
    )
    assert len(CONTEXT_FILES) == 17


@pytest.mark.capability("A9")
@pytest.mark.parametrize("plant", ["link", "pipe", "huge", "folder"])
def test_what_an_agent_plants_in_its_memory_is_not_read(tmp_path: Path, plant: str) -> None:
    """The memory can be written from a box; a link to the host's keys there must not end up in a prompt."""
    secret = tmp_path / "keys.json"
    secret.write_text("sk-canary")
    memory = tmp_path / "companies" / LANTERN.company / "memory" / "CLAUDE.md"
    memory.parent.mkdir(parents=True)
    match plant:
        case "link":
            memory.symlink_to(secret)
        case "pipe":
            os.mkfifo(memory)
        case "huge":
            with memory.open("wb") as file:
                file.truncate(1 << 40)
        case _:
            memory.mkdir()
    system_prompt = SystemPrompts(tmp_path, FileCache(), read_text).system_prompt(LANTERN, None)
    assert system_prompt.skill == ""


def _adaptor(workspace: Path, name: str) -> None:
    head = f"---\nname: {name}\ndescription: about {name}\ntargets: [{name}]\n---\n"
    _write(workspace, f"foundation/channel_adaptors/{name}.md", f"{head}write for {name}\n")


@pytest.fixture
def adapted(workspace: Path) -> Path:
    for name in ("telegram", "linkedin", "email"):
        _adaptor(workspace, name)
    return workspace


@pytest.mark.capability("X2")
def test_the_adaptor_of_the_chat_ends_the_company_s_layer_and_those_of_the_skill_follow_it(
    adapted: Path,
) -> None:
    skill = _skill("brand/voice", targets=("email", "linkedin"))
    system_prompt = SystemPrompts(adapted, FileCache(), read_text).system_prompt(
        LANTERN, skill, "telegram:123456"
    )
    assert system_prompt.company.endswith(
        '</context>\n\n<adaptor file="telegram">\nwrite for telegram\n</adaptor>'
    )
    assert system_prompt.skill == (
        '<skill file="poster">\nWrite a post.\n</skill>\n\n'
        '<adaptor file="email">\nwrite for email\n</adaptor>\n\n'
        '<adaptor file="linkedin">\nwrite for linkedin\n</adaptor>\n\n'
        '<memory file="CLAUDE">\nlantern remembers\n</memory>'
    )


@pytest.mark.capability("X2")
def test_an_adaptor_is_given_once_and_all_are_listed_for_everyone(adapted: Path) -> None:
    system_prompts = SystemPrompts(adapted, FileCache(), read_text)
    skill = _skill(targets=("telegram", "pigeon"))
    system_prompt = system_prompts.system_prompt(LANTERN, skill, "telegram:123456")
    assert str(system_prompt).count("write for telegram") == 1
    assert "- /adaptors/linkedin.md: about linkedin" in system_prompt.foundation
    in_a_room = system_prompts.system_prompt(LANTERN, _skill(), "web")
    assert in_a_room.foundation == system_prompt.foundation
    assert "<adaptor file" not in str(in_a_room)


@pytest.mark.capability("X2")
def test_a_broken_adaptor_leaves_a_brief_without_it(adapted: Path) -> None:
    _write(adapted, "foundation/channel_adaptors/telegram.md", "---\nname: telegram\n")
    system_prompt = SystemPrompts(adapted, FileCache(), read_text).system_prompt(
        LANTERN, _skill(targets=("email",)), "telegram:1"
    )
    assert "telegram" not in str(system_prompt)
    assert "write for email" in system_prompt.skill
