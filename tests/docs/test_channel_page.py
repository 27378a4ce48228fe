"""What the page shows of a channel is what the example has, and the test that it shows passes."""

import importlib.util
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from nanoclaw.domain.ports import Channel
from nanoclaw.host.settings import Settings

pytestmark = pytest.mark.capability("X1", "A3")

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "how-to" / "add-a-channel.md").read_text("utf-8")
EXAMPLE = DOCS / "examples" / "slack_like_channel.py"
*SHOWN, TESTED = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def _loaded(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def page(tmp_path: Path) -> Iterator[ModuleType]:
    path = tmp_path / "test_slack_like_channel.py"
    path.write_text(TESTED, "utf-8")
    _loaded("slack_like_channel", EXAMPLE)
    yield _loaded(path.stem, path)
    for name in ("slack_like_channel", path.stem):
        del sys.modules[name]


async def test_the_test_on_the_page_passes(page: ModuleType, tmp_path: Path) -> None:
    [name] = [each for each in vars(page) if each.startswith("test_")]
    await getattr(page, name)(tmp_path / "here")


@pytest.mark.parametrize("block", SHOWN)
def test_every_other_piece_of_code_on_the_page_is_of_the_example(block: str) -> None:
    assert block in EXAMPLE.read_text("utf-8")


def test_the_example_is_one_file_of_at_most_200_lines() -> None:
    assert len(EXAMPLE.read_text("utf-8").splitlines()) <= 200


def test_the_settings_on_the_page_are_settings() -> None:
    [table] = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert Settings.model_validate(tomllib.loads(table)).channels["slack"].own.keys() == {"api"}


def test_every_part_of_a_channel_is_on_the_page() -> None:
    for part in (each for each in vars(Channel) if not each.startswith("_")):
        assert re.search(rf"`{part}\b", PAGE), part
