"""The brief: foundation, company, skill and memory, in this order; the files that a skill names whole, the others
listed."""

import os
from pathlib import Path

import pytest

from nanoclaw.context.company_context import CONTEXT_FILES, CompanyContexts
from nanoclaw.context.file_cache import FileCache
from nanoclaw.context.groups import Group
from nanoclaw.context.skills import Skill, SkillFrontMatter
from nanoclaw.context.system_prompt import FOUNDATION, SystemPrompts, files_for
from nanoclaw.domain.turns import SystemPrompt

pytestmark = pytest.mark.capability("A8")

LANTERN = Group(name="main", company="lantern")


class Prompts:
    """The prompts of a workspace, for the company of a group."""

    def __init__(self, workspace: Path) -> None:
        self._contexts = CompanyContexts(workspace)
        self._prompts = SystemPrompts(workspace, FileCache())

    def system_prompt(
        self, group: Group, skill: Skill | None, channel: str = "", memory: str = ""
    ) -> SystemPrompt:
        return self._prompts.system_prompt(self._contexts.read(group.company), skill, channel, memory)


def _write(workspace: Path, place: str, text: str) -> None:
    path = workspace / place
    path.parent.mkdir(parents=True, exist_ok=True)
    newer = path.stat().st_mtime_ns + 1_000_000 if path.exists() else None
    path.write_text(text, "utf-8")
    if newer:
        os.utime(path, ns=(newer, newer))


def _skill(*context: str, targets: tuple[str, ...] = ()) -> Skill:
    head = SkillFrontMatter(name="poster", description="d", context=context, targets=targets)
    return Skill(head=head, instructions="Write a post.", path=Path("SKILL.md"))


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Two companies with every file there can be."""
    for name in FOUNDATION:
        _write(tmp_path, f"foundation/{name}.md", f"foundation of {name}")
    for company in ("lantern", "rival"):
        for name in CONTEXT_FILES:
            _write(tmp_path, f"companies/{company}/context/{name}.md", f"{company} knows {name}")
    return tmp_path


def _ordered(text: str, *parts: str) -> bool:
    places = [text.find(part) for part in parts]
    return -1 not in places and places == sorted(places)


def test_the_three_layers_come_in_order_the_most_stable_first(workspace: Path) -> None:
    system_prompt = Prompts(workspace).system_prompt(
        LANTERN, _skill("product/pricing", "brand/voice"), memory="lantern remembers"
    )
    assert system_prompt.foundation == (
        "foundation of core_identity\n\nfoundation of output_standards\n\nfoundation of evidence_grading"
    )
    assert system_prompt.company.partition("</context_files>\n\n")[2] == (
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
        (("product/pricing",), ["product/pricing"]),
        (("brand/*",), ["brand/voice", "brand/visual", "brand/guidelines"]),
        (("market/channels", "company/team"), ["company/team", "market/channels"]),
        (("*/voice", "brand/voice"), ["brand/voice"]),
        (("*",), []),
        (("*", "brand/voice"), ["brand/voice"]),
        (("*/*",), list(CONTEXT_FILES)),
        (("no/such",), []),
        (("../../rival/context/brand/voice",), []),
    ],
)
def test_the_files_that_a_skill_names_come_whole_and_the_others_have_a_line_each(
    workspace: Path, asked_for: tuple[str, ...], given: list[str]
) -> None:
    skill = _skill(*asked_for)
    lines = Prompts(workspace).system_prompt(LANTERN, skill).company.splitlines()
    assert [line for line in lines if line.startswith("lantern knows")] == [
        f"lantern knows {name}" for name in given
    ]
    others = [name for name in CONTEXT_FILES if name not in given]
    assert [line for line in lines if line.startswith("- ")] == [
        f"- {name}: lantern knows {name}" for name in others
    ]
    assert files_for(skill) == (tuple(given), tuple(others))


def test_a_skill_without_context_gets_none(workspace: Path) -> None:
    assert Prompts(workspace).system_prompt(LANTERN, _skill()).company == ""
    assert files_for(_skill()) == ((), ())


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("# Pricing\n\nPlans cost EUR 11. Prices hold.\n\n## Plans\n- Spark", "Plans cost EUR 11."),
        ("# Pricing", "Pricing"),
        ("# Pricing\n\n## Plans\n\n- Spark: EUR 11", "- Spark: EUR 11"),
        ("word " * 100, "word " * 11 + "…"),
    ],
)
def test_the_line_about_a_file_is_its_first_sentence(workspace: Path, text: str, line: str) -> None:
    _write(workspace, "companies/lantern/context/product/pricing.md", text)
    system_prompt = Prompts(workspace).system_prompt(LANTERN, _skill("*"))
    assert f"\n- product/pricing: {line}\n" in system_prompt.company


def test_without_a_skill_the_whole_context_is_listed_and_there_are_no_instructions(workspace: Path) -> None:
    system_prompt = Prompts(workspace).system_prompt(LANTERN, None)
    assert _ordered(system_prompt.company, *(f"- {name}: " for name in CONTEXT_FILES))
    assert system_prompt.skill == ""


@pytest.mark.parametrize("skill", [None, _skill("*"), _skill("*/*"), _skill("*rival*", "../rival/*", "**")])
def test_another_companys_files_never_appear(workspace: Path, skill: Skill | None) -> None:
    system_prompts = Prompts(workspace)
    rival = str(system_prompts.system_prompt(Group(name="other", company="rival"), skill))
    lantern = str(system_prompts.system_prompt(LANTERN, skill))
    assert "lantern" not in rival
    assert "rival" not in lantern.replace("*rival*", "")


@pytest.mark.parametrize(
    "place",
    [
        "foundation/core_identity.md",
        "companies/lantern/context/brand/voice.md",
    ],
)
def test_an_edited_file_is_in_the_next_brief(workspace: Path, place: str) -> None:
    system_prompts = Prompts(workspace)
    assert "edited by hand" not in str(system_prompts.system_prompt(LANTERN, _skill("*")))
    _write(workspace, place, "edited by hand")
    assert "edited by hand" in str(system_prompts.system_prompt(LANTERN, _skill("*")))


def test_the_layers_before_the_edited_one_stay_the_same_to_the_letter(workspace: Path) -> None:
    system_prompts = Prompts(workspace)
    before = system_prompts.system_prompt(LANTERN, _skill("*"), memory="lantern remembers")
    after = system_prompts.system_prompt(LANTERN, _skill("*"), memory="something new")
    assert (after.foundation, after.company) == (before.foundation, before.company)
    assert after.skill != before.skill


def test_missing_files_are_simply_absent(workspace: Path) -> None:
    (workspace / "foundation" / "output_standards.md").unlink()
    (workspace / "companies" / "lantern" / "context" / "brand" / "voice.md").unlink()
    _write(workspace, "companies/lantern/context/brand/visual.md", "  \n")
    system_prompt = Prompts(workspace).system_prompt(LANTERN, _skill("brand/*"))
    assert system_prompt.foundation == "foundation of core_identity\n\nfoundation of evidence_grading"
    assert "brand/" not in system_prompt.company.partition("</context_files>")[0]
    assert system_prompt.company.endswith(
        '<context file="brand/guidelines">\nlantern knows brand/guidelines\n</context>'
    )
    assert system_prompt.skill == '<skill file="poster">\nWrite a post.\n</skill>'


def test_an_empty_workspace_gives_an_empty_brief(tmp_path: Path) -> None:
    assert str(Prompts(tmp_path).system_prompt(LANTERN, None)) == ""


def test_files_that_are_not_among_the_17_are_not_read(workspace: Path) -> None:
    _write(workspace, "companies/lantern/context/brand/secret-plan.md", "never shown")
    _write(workspace, "companies/lantern/notes.md", "never shown")
    assert "never shown" not in str(Prompts(workspace).system_prompt(LANTERN, _skill("*")))
    assert len(CONTEXT_FILES) == 17


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
    system_prompt = Prompts(adapted).system_prompt(LANTERN, skill, "telegram:123456", "lantern remembers")
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
    system_prompts = Prompts(adapted)
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
    system_prompt = Prompts(adapted).system_prompt(LANTERN, _skill(targets=("email",)), "telegram:1")
    assert "telegram" not in str(system_prompt)
    assert "write for email" in system_prompt.skill
