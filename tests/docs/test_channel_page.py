"""The channel that the page shows how to write works as it says: its own tests are run here."""

import importlib.util
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.capability("X1", "A3")

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "add-a-channel.md"
TESTS = (
    "test_a_known_user_gets_an_answer",
    "test_the_agent_gets_a_file_that_was_sent",
    "test_a_stranger_gets_none",
)


def _loaded(name: str, code: str, folder: Path) -> ModuleType:
    path = folder / f"{name}.py"
    path.write_text(code, "utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def page(tmp_path: Path) -> Iterator[ModuleType]:
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    (channel,) = (each for each in blocks if "class SocketChannel" in each)
    (tests,) = (each for each in blocks if "def test_a_known_user" in each)
    _loaded("socket_channel", channel, tmp_path)
    yield _loaded("test_socket_channel", tests, tmp_path)
    for name in ("socket_channel", "test_socket_channel"):
        del sys.modules[name]


@pytest.mark.parametrize("name", TESTS)
async def test_the_example_passes_its_own_tests(page: ModuleType, name: str, tmp_path: Path) -> None:
    assert [each for each in vars(page) if each.startswith("test_")] == list(TESTS)
    folder = tmp_path / "here"
    folder.mkdir()
    await getattr(page, name)(folder)
