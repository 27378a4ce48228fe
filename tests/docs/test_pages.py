"""The pages agree with the code: they are generated from it, or compared with it here."""

import ast
import json
import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from tests.docs import generate
from tests.security_promises import promises

from nanoclaw.admission.commands import COMMANDS
from nanoclaw.cli import main
from nanoclaw.console.api import ENDPOINTS
from nanoclaw.durable.tables import metadata
from nanoclaw.host.settings import HOME, names

ROOT = Path()
PAGES = [
    path
    for path in sorted(ROOT.rglob("*.md"))
    if not path.parts[0].startswith(".") and not {"starter", "samples", "node_modules"} & set(path.parts)
]


def test_capabilities_settings_and_schemas_are_generated_from_the_code() -> None:
    for path, text in generate.pages().items():
        assert path.read_text() == text, f"{path} is out of date: run `just docs`"


@pytest.mark.parametrize("story", sorted(path.stem for path in Path("src/nanoclaw/flows").glob("[a-z]*.py")))
def test_every_flow_has_a_test_and_a_page_with_the_same_noun(story: str) -> None:
    assert Path(f"tests/flows/test_{story}.py").exists()
    assert Path(f"docs/flows/{story}.md").exists()


def test_every_attack_tries_a_promise_of_the_security_page_and_every_named_test_exists() -> None:
    known = promises()
    attacks = [path for path in Path("tests").rglob("test_*.py") if "mark.attack" in path.read_text("utf-8")]
    tried_for_nothing = [
        str(path)
        for path in attacks
        if not any(promise.is_tried_by(str(path.relative_to("tests"))) for promise in known)
    ]
    assert tried_for_nothing == ["tests/docs/test_pages.py"]  # this line alone
    missing = [test for promise in known for test in promise.tests if not list(Path("tests").glob(test))]
    assert missing == []


def test_no_story_imports_another_and_their_parts_import_one_way() -> None:
    """The contracts that hold this name each of them."""
    contracts = tomllib.loads(Path("pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    [modules] = [each["modules"] for each in contracts if each["name"].startswith("One story starts another")]
    stories = {f"nanoclaw.flows.{path.stem}" for path in Path("src/nanoclaw/flows").glob("[a-z]*.py")}
    assert set(modules) == stories
    [layers] = [each["layers"] for each in contracts if each["name"].startswith("Parts of stories")]
    parts = {
        f"nanoclaw.flows.{path.parent.name}" for path in Path("src/nanoclaw/flows").glob("*/__init__.py")
    }
    assert set(" | ".join(layers).split(" | ")) == parts


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text()):
        if not target.startswith(("http://127.0.0.1", "mailto:")):
            assert not target.startswith("http"), f"{page} links to the outside: {target}"
            assert (page.parent / target).exists(), f"{page}: {target}"


def test_every_command_is_on_its_page() -> None:
    page = Path("docs/reference/commands.md").read_text()
    for word in main.WORDS:
        assert f"nanoclaw {word}" in page, word
    for name in COMMANDS:
        assert f"/{name}" in page, name


def test_every_endpoint_is_on_its_page() -> None:
    page = Path("docs/reference/api.md").read_text()
    for endpoint in ENDPOINTS:
        assert endpoint.path in page, endpoint.path


def test_every_table_is_on_its_page() -> None:
    page = Path("docs/reference/database.md").read_text()
    for name in metadata.tables:
        assert f"`{name}`" in page, name


def test_the_readme_has_the_two_commands() -> None:
    readme = Path("README.md").read_text()
    assert "./nanoclaw up" in readme
    assert "./nanoclaw test" in readme


def test_every_setting_has_a_name_in_both_places() -> None:
    page = Path("docs/reference/settings.md").read_text()
    for variable, key in names().items():
        assert f"`{variable}`" in page
        assert f"`{key}`" in page
    assert f"`{HOME}`" in page


def test_the_security_page_names_tests_that_are_there() -> None:
    named = set(
        re.findall(
            r"`((?:browser|contracts|crash|flows|unit)/test_\w*\*?\.py)`",
            Path("docs/security.md").read_text(),
        )
    )
    assert len(named) > 20
    assert [each for each in sorted(named) if not list(Path("tests").glob(each))] == []


def test_what_checks_the_page_is_pinned_and_names_no_registry() -> None:
    locked = json.loads(Path("tools/page/package-lock.json").read_text())["packages"]
    assert locked[""]["devDependencies"].keys() >= {"typescript", "eslint", "openapi-typescript"}
    assert [name for name, each in locked.items() if "resolved" in each] == []
    assert [name for name, each in locked.items() if name and "integrity" not in each] == []


def test_the_way_of_a_message_is_at_most_25_files_that_have_what_the_page_names() -> None:
    page = Path("docs/architecture.md").read_text()
    path = re.findall(r"^\| \d+\. [^|]+ \| `([^`]+)` \| `([^`]+)` \|$", page, re.MULTILINE)
    assert 20 < len(path) <= 25
    decided = re.findall(r"^\| [a-z][^|]+ \| `([^`]+)` \| `([^`]+)` \|$", page, re.MULTILINE)
    assert len(decided) > 5
    for file, name in (*path, *decided):
        source = Path("src/nanoclaw", file).read_text()
        assert re.search(rf"^(class|def|async def) {name}\b", source, re.MULTILINE), (file, name)
    for file in re.findall(r"`([a-z_/]+\.py)`", page):
        assert Path("src/nanoclaw", file).exists(), file


def test_every_broad_except_is_on_the_map() -> None:
    """Those that do not raise again, by file. AGENTS.md says why each is there."""
    said = dict(re.findall(r"^\| `([a-z_/]+\.py)` \| (\d+) \|", Path("AGENTS.md").read_text(), re.MULTILINE))
    found: Counter[str] = Counter()
    for path in Path("src").rglob("*.py"):
        source = path.read_text()
        if not re.search(r"\bexcept\b[^:]*(BaseException|Exception)\b|\bexcept\s*:", source):
            continue  # most of them: to take them apart would take seconds
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ExceptHandler) and _is_broad(node) and not _raises_again(node):
                found[path.as_posix().removeprefix("src/").removeprefix("nanoclaw/")] += 1
    assert {file: int(count) for file, count in said.items()} == dict(found)


def _is_broad(handler: ast.ExceptHandler) -> bool:
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(
        each is None or (isinstance(each, ast.Name) and each.id in ("Exception", "BaseException"))
        for each in caught
    )


def _raises_again(handler: ast.ExceptHandler) -> bool:
    return isinstance(handler.body[-1], ast.Raise)
