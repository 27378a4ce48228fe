"""How Claude Code is started, by the one private name of the SDK that we use, and how much it may say."""

from collections.abc import Sequence

import pytest
from claude_agent_sdk import ClaudeAgentOptions, CLIConnectionError

from nanoclaw.domain.boxes import Box, BoxPlan
from nanoclaw.domain.ids import new_id
from nanoclaw.runtimes.claude_options import BRIEF
from nanoclaw.runtimes.claude_transport import BoxTransport, command_line
from nanoclaw.sandbox.process import ProcessSandbox


def test_the_sdk_builds_a_command_line_whose_brief_comes_from_a_file() -> None:
    options = ClaudeAgentOptions(
        cli_path="/opt/claude/claude",
        system_prompt={"type": "custom", "prompt": "secret plans " * 20_000, "snapshot": False},
        tools=["Bash", "Read"],
        resume="11111111-2222-3333-4444-555555555555",
        setting_sources=[],
    )
    line = command_line(options)
    assert line[0] == "/opt/claude/claude"
    assert line[line.index("--system-prompt-file") + 1] == BRIEF
    assert line[line.index("--tools") + 1] == "Bash,Read"
    assert "--resume=11111111-2222-3333-4444-555555555555" in line
    assert "--setting-sources=" in line
    assert line[line.index("--input-format") + 1] == "stream-json"
    assert "secret plans" not in " ".join(line)


def saying(script: str) -> BoxTransport:
    """Something in the box speaks in the place of Claude Code: whatever is in there can write to its output."""
    sandbox = ProcessSandbox(workspace=new_id("w"))

    async def start(_command: Sequence[str]) -> Box:
        return await sandbox.start(BoxPlan(name="b", tenant="acme"), ["/bin/sh", "-c", script])

    return BoxTransport(ClaudeAgentOptions(cli_path="claude", system_prompt="-"), start)


@pytest.mark.attack
@pytest.mark.parametrize("script", ["exec yes 1 | tr -d '\\n'", "head -c 30000000 /dev/zero"])
async def test_a_line_without_an_end_is_not_kept(script: str) -> None:
    transport = saying(script)
    await transport.connect()
    with pytest.raises(CLIConnectionError, match="a line without an end"):
        await anext(transport.read_messages())
    await transport.close()


@pytest.mark.attack
async def test_what_is_nested_too_deep_or_no_object_is_passed_over() -> None:
    deep = "head -c 300000 /dev/zero | tr '\\0' '['; echo; echo chatter; echo '[1]'"
    transport = saying(f'{deep}; echo \'{{"type": "real"}}\'; cat')
    await transport.connect()
    assert await anext(transport.read_messages()) == {"type": "real"}
    await transport.close()
