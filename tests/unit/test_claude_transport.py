"""The one private name of the SDK that we use: it builds the command line of Claude Code."""

from claude_agent_sdk import ClaudeAgentOptions

from nanoclaw.runtimes.claude_options import BRIEF
from nanoclaw.runtimes.claude_transport import command_line


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
