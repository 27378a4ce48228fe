"""Without a terminal there is nothing but what is written."""

from pathlib import Path

import pytest

from nanoclaw.cli.screen import ChatScreen, On


def test_a_pipe_gets_only_what_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    screen = ChatScreen("en", tmp_path / "history", commands=dict, stop=lambda: None)
    screen.wait_for(On.AGENT)
    screen.use(["⚙ bash"])
    screen.grow("An ans")
    screen.write("An answer.\n")
    screen.tell_aside("lost")
    told = capsys.readouterr()
    assert (told.out, told.err, screen.is_live) == ("An answer.\n", "lost\n", False)
