"""What a host loads, and what it leaves out or loads late."""

import dataclasses
import ssl
import subprocess
import sys
from dataclasses import FrozenInstanceError, dataclass
from pathlib import Path
from typing import Any

import pytest

from nanoclaw.gateway.late_trust import LateContext, trusting_later
from nanoclaw.host.code_cache import CodeCache

NEVER_USED = (
    *("rich", "pygments", "prompt_toolkit", "cryptography", "aiohttp.web", "websockets", "alembic"),
    *("click", "multiprocessing", "sqlalchemy.dialects.postgresql"),
)
# The page, and what shows it; what masks, counts and stems: after the first request or the first turn.
LATER = (
    "nanoclaw.console.api",
    "nanoclaw.console.shapes",
    "nanoclaw.runtimes.demo_model",
    "jinja2",
    "detect_secrets",
    "snowballstemmer",
)
REQUIREMENTS = Path(__file__).parents[2] / "requirements"
LOADED = """
import sys
from nanoclaw.host.quick_import import load
for name in ("cli.main", "cli.up", "gateway.anthropic", "channels.telegram.channel"):
    load("nanoclaw." + name)
"""


def output_of(program: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_a_host_without_a_terminal_loads_only_what_it_uses() -> None:
    program = f"{LOADED}\nprint(*(name for name in {(*NEVER_USED, *LATER)} if name in sys.modules))"
    assert output_of(program) == []


def test_a_fresh_clone_starts_with_the_packages_of_its_first_install_alone() -> None:
    """Here everything is installed: what `base.txt` does not name is refused as if it were not."""
    program = f"""
import re, sys
from importlib.metadata import packages_distributions
from importlib.abc import MetaPathFinder
named = re.findall(r"^([a-z0-9._-]+)==", open({str(REQUIREMENTS / "base.txt")!r}).read(), re.M)
installed = {{*named, "nanoclaw-os", "pip", "setuptools"}}
of_module = {{
    module: {{re.sub("[-_.]+", "-", name).lower() for name in names}}
    for module, names in packages_distributions().items()
}}
class OnlyBase(MetaPathFinder):
    def find_spec(self, fullname, path=None, target=None):
        if (names := of_module.get(fullname)) and not names & installed:
            raise ModuleNotFoundError(fullname, name=fullname)
sys.meta_path.insert(0, OnlyBase())
try:
    import pytest
except ModuleNotFoundError:
    print("refused")
from nanoclaw.host.quick_import import load
for name in ("cli.main", "cli.up", "channels.telegram.channel", "console.api", "runtimes.demo_model"):
    load("nanoclaw." + name)
print("loaded")
"""
    assert output_of(program) == ["refused", "loaded"]


def test_what_a_library_is_spared_can_still_be_loaded_by_others() -> None:
    program = (
        "import nanoclaw.host.quick_import, structlog, rich.console, structlog.dev; print(structlog.dev.rich)"
    )
    assert output_of(program) == ["None"]


def test_masking_pricing_and_stemming_load_no_client_and_no_other_language() -> None:
    unused = (
        "requests.sessions",
        "urllib3",
        "httpx2._client",
        "snowballstemmer.arabic_stemmer",
        "dawg_python",
    )
    program = f"""
import sys
import nanoclaw.host.quick_import
from nanoclaw.domain.money import Usage
from nanoclaw.gateway.prices import Prices
from nanoclaw.memory import expansion, masking
print(masking.mask("the key is ghp_1234567890abcdefghijklmnopqrstuvwxyz").text.split()[-1])
print(Prices().price_of("claude-sonnet-4-5", Usage(output=1)) > 0)
print(*sorted(term.text for term in expansion.query_terms("customers") if term.weight == 1 and "@" not in term.text))
print(*(name for name in {unused} if name in sys.modules))
"""
    assert output_of(program) == ["[secret]", "True", "custom"]


def test_a_module_that_is_loaded_late_is_whole_when_something_of_it_is_used() -> None:
    program = """
import sys
import nanoclaw.host.quick_import
import requests
import requests as again
print("requests.sessions" in sys.modules)
print(again.exceptions.RequestException.__name__, "requests.sessions" in sys.modules, hasattr(requests, "nothing"))
"""
    assert output_of(program) == ["False", "RequestException", "True", "False"]


def test_certificates_are_read_when_a_connection_is_made() -> None:
    with trusting_later():
        late = ssl.create_default_context()
    usual = ssl.create_default_context()
    assert isinstance(late, LateContext)
    assert not late.get_ca_certs()
    late.wrap_bio(ssl.MemoryBIO(), ssl.MemoryBIO(), server_hostname="example.com")
    assert type(late) is ssl.SSLContext
    assert late.get_ca_certs() == usual.get_ca_certs() != []
    for name in ("verify_mode", "check_hostname", "verify_flags", "options", "minimum_version"):
        assert getattr(late, name) == getattr(usual, name), name


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)  # what the machine wants elsewhere
    return tmp_path / "kept"


def make_point(kept: Path) -> Any:
    with CodeCache(kept):

        @dataclass(frozen=True, slots=True)
        class Point:
            left: int
            right: int = 2

    return Point


def test_methods_of_dataclasses_are_compiled_once(kept: Path) -> None:
    make_point(kept)
    written = kept.stat().st_mtime_ns
    point = make_point(kept)
    assert kept.stat().st_mtime_ns == written  # all of it was known
    assert (point(1), {point(1)}, repr(point(1))) == (
        point(1, 2),
        {point(1, 2)},
        f"{point.__qualname__}(left=1, right=2)",
    )
    with pytest.raises(FrozenInstanceError):
        point(1).left = 3
    assert "exec" not in vars(dataclasses)


def test_code_that_was_cut_off_or_made_by_another_python_is_compiled_again(kept: Path) -> None:
    make_point(kept)
    whole = kept.read_bytes()
    for content in (b"", whole[:3], whole[:-300], b"\0" * 40, b"\0\0\0\0" + whole[4:]):
        kept.write_bytes(content)
        assert make_point(kept)(1).right == 2
        assert sorted(kept.read_bytes()) == sorted(whole)
