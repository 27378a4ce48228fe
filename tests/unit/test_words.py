"""The words of the command line: listed at once, loaded when typed."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from nanoclaw.cli import main
from nanoclaw.cli.options import help_of

pytestmark = pytest.mark.capability("O1")


@pytest.mark.parametrize("word", main.WORDS)
def test_a_word_has_the_same_help_in_the_list_as_on_its_own(word: str) -> None:
    command: Any = main.command_of(word)
    assert command.name == word
    assert command.help == help_of(word)


def test_the_list_of_words_loads_none_of_what_they_need() -> None:
    code = (
        "import sys; from nanoclaw.cli import main; sys.argv[1:] = ['--help']\n"
        "try: main.main()\n"
        "finally: sys.stderr.write(' '.join(sys.modules))"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stderr.split()
    assert "nanoclaw.cli.main" in loaded
    assert not {"sqlalchemy", "starlette", "httpx", "nanoclaw.cli.tasks.commands"} & set(loaded)


def test_commands_get_the_workspace_only_guarded() -> None:
    folder = Path(main.__file__).parent
    asking = [path.name for path in folder.rglob("*.py") if "home_folder" in path.read_text("utf-8")]
    assert asking == ["options.py"]
