"""A link among the context files would show agents, and whoever reads the page, any file of the machine."""

from pathlib import Path

import pytest
from tests.typed import typing_in

from nanoclaw.context.company_context import CompanyContexts

pytestmark = [pytest.mark.capability("H2"), pytest.mark.attack]


@pytest.mark.parametrize("part", ["product/pricing.md", "product"])
async def test_a_link_among_the_context_files_is_refused_by_name(
    part: str, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "pricing.md").write_text("outside-secret")
    place = home / "companies" / "demo" / "context" / part
    place.rename(tmp_path / "kept")
    place.symlink_to(outside / "pricing.md" if part.endswith(".md") else outside)
    assert CompanyContexts(home).read("demo").texts["product/pricing"] == ""
    shown = await typing_in(home, monkeypatch, capfd)("context", "show", "prices")
    assert "outside-secret" not in shown.out + shown.err
    assert (shown.code, "context/product/pricing.md is not read" in shown.err) == (1, True), shown
