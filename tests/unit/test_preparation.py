"""What a runtime gets to know about a turn: from the group, its skill, the person and the machine."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from nanoclaw.context.company_context import CompanyContexts
from nanoclaw.context.file_cache import FileCache
from nanoclaw.context.groups import Groups
from nanoclaw.context.preparation import Preparation, Prepared, conversation_of
from nanoclaw.context.recall import MemoryRecall
from nanoclaw.context.skills import Skills
from nanoclaw.context.system_prompt import SystemPrompts
from nanoclaw.domain.errors import BadWorkspace
from nanoclaw.domain.ids import SessionId, TurnId
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.turns import Exchange, Session

pytestmark = pytest.mark.capability("A8", "A9", "A14")

SESSION = Session(id=SessionId("s_1"), group="main", chat_id="c_1", thread=None)
TIERS = {"haiku": "small", "sonnet": "middle", "opus": "big"}


def write_group(home: Path, written: str) -> None:
    (home / "groups" / "main" / "group.toml").write_text(f'company = "demo"\n{written}\n')


def write_skill(home: Path, name: str, head: str) -> None:
    folder = home / "skills" / "tests" / "area" / name
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: d\n{head}\n---\nDo it.\n")


async def prepared(
    home: Path, *, command: str | None = None, again: bool = False, session: Session = SESSION
) -> Prepared:
    preparation = Preparation(
        groups=Groups(home),
        known_skills=Skills(home),
        contexts=CompanyContexts(home),
        system_prompts=SystemPrompts(home, FileCache()),
        recall=MemoryRecall(),
        locale=Locale(language="en", timezone="UTC"),
        runtime=lambda: "usual",
        models=TIERS,
        mounts_list=home.parent / "mounts.toml",
    )
    return await preparation.prepare(
        turn_id=TurnId("t_1"),
        session=session,
        messages=(),
        history=(Exchange(asked="a", answered="b"),),
        locale=Locale(language="uk", timezone="Europe/Kyiv"),
        command=command,
        again=again,
    )


async def test_whatever_nobody_wrote_down_is_off(home: Path) -> None:
    write_group(home, "")
    found = await prepared(home)
    grants = found.request.grants
    assert (grants.network, grants.web_search, grants.mcp, grants.mounts, grants.main) == (
        (),
        False,
        (),
        (),
        False,
    )
    assert (found.runtime, found.request.company, found.request.again) == ("usual", "demo", False)
    assert found.request.history == (Exchange(asked="a", answered="b"),)
    assert '<context timezone="Europe/Kyiv" />' in found.request.prompt


async def test_a_tier_means_the_model_of_the_settings_and_a_name_itself(home: Path) -> None:
    write_skill(home, "careful", "model: opus")
    write_group(home, 'skill = "careful"')
    assert (await prepared(home)).request.model == "big"
    write_group(home, 'skill = "careful"\nmodel = "haiku"')
    assert (await prepared(home)).request.model == "small"
    write_group(home, 'skill = "careful"\nmodel = "openai:gpt-x"')
    assert (await prepared(home)).request.model == "openai:gpt-x"


async def test_the_skill_chooses_the_runtime_then_the_group_then_the_host(home: Path) -> None:
    write_skill(home, "scripted", "runtime: native\ncommands: [/scripted]")
    write_group(home, 'runtime = "claude-code"')
    assert (await prepared(home)).runtime == "claude-code"
    found = await prepared(home, command="scripted")
    assert (found.runtime, found.request.skill) == ("native", "scripted")


async def test_group_and_skill_open_the_network_together_and_each_host_once(home: Path) -> None:
    write_skill(home, "surfer", "network: [api.example.com, news.example.com]\ntools: [send_message]")
    write_group(home, 'skill = "surfer"\nnetwork = ["files.example.com", "api.example.com"]\nmain = true')
    grants = (await prepared(home)).request.grants
    assert grants.network == ("files.example.com", "api.example.com", "news.example.com")
    assert (grants.tools, grants.main) == (("send_message",), True)


@pytest.mark.capability("A17")
async def test_group_and_skill_leave_out_tools_together_also_those_that_the_skill_names(home: Path) -> None:
    named = "tools: [send_message, send_file, list_tasks]\nwithout_tools: [send_file]"
    write_skill(home, "quiet", named)
    write_group(home, 'skill = "quiet"\nwithout_tools = ["send_message"]')
    grants = (await prepared(home)).request.grants
    assert [tool.name for tool in grants.host_tools()] == ["list_tasks"]


@pytest.mark.capability("A20")
async def test_a_folder_that_is_not_allowed_ends_the_turn_before_it_begins(home: Path) -> None:
    write_group(home, f'mounts = ["{home}"]')
    with pytest.raises(BadWorkspace, match="mount-not-allowed"):
        await prepared(home)


@pytest.mark.capability("L3")
async def test_only_a_turn_that_was_interrupted_is_told_so(home: Path) -> None:
    assert "You were interrupted" not in (await prepared(home)).request.prompt
    again = (await prepared(home, again=True)).request
    assert "You were interrupted" in again.prompt
    assert again.again


def test_a_session_is_one_conversation_until_it_is_cleared() -> None:
    first = conversation_of(SESSION)
    assert first == conversation_of(SESSION)
    cleared = Session(
        id=SESSION.id, group="main", chat_id="c_1", thread=None, cleared_at=datetime(2026, 1, 1, tzinfo=UTC)
    )
    other = Session(id=SessionId("s_2"), group="main", chat_id="c_1", thread=None)
    assert len({first, conversation_of(cleared), conversation_of(other)}) == 3
