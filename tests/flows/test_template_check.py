"""`nanoclaw pipelines check`: a person writes a template, and learns every mistake before anything runs."""

import json
import re
from pathlib import Path

import pytest
from tests.typed import typing_in

from nanoclaw.context.groups import Groups
from nanoclaw.context.skills import Skills
from nanoclaw.durable import file_listing
from nanoclaw.host.settings import Settings
from nanoclaw.host.templates import make_catalogue
from nanoclaw.testing import made_workspace

pytestmark = pytest.mark.capability("D1")

_PAGE = Path("docs/how-to/pipelines.md").read_text("utf-8")


def _blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", _PAGE, re.DOTALL)


async def test_the_templates_of_the_page_are_checked_as_it_says(
    home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    made_workspace(home)
    typed = typing_in(home, monkeypatch, capfd)
    shipped, own = _blocks("markdown")
    assert shipped == (home / "foundation/process_templates/content_pipeline.md").read_text("utf-8")
    file = home / "foundation" / "process_templates" / "product_launch.md"
    file.write_text(own, "utf-8")
    printed = await typed("pipelines", "check", str(file))
    said = re.sub(r"^.*\$.*\n|^\S*product_launch\.md ", "", _blocks("console")[0], flags=re.MULTILINE)
    assert printed.code == 0
    assert printed.out.removeprefix(f"{file} ").strip() == said.strip()

    bad = home / "launch.md"
    bad.write_text(
        """# Product launch
## Trigger: /launch-it
## Steps:
1. topic-reseacher | gate: confidence>0,6
2. copywriter      | gate: words>500 | type: contaner
3. HITL            | timeout: 15m | gate: quality>80
5. repurposer      | outputs: telegram, linkdin
## Modell defaults: steps 1-4=Sonnet
"""
    )
    printed = await typed("pipelines", "check", str(bad))
    assert printed.code == 1
    assert printed.out.replace(str(bad), "launch.md") == _blocks("console")[1].partition("\n")[2]
    told = json.loads((await typed("pipelines", "check", str(bad), "--json")).out)
    assert told["ok"] is False
    assert (told["mistakes"][0]["line"], told["mistakes"][0]["allowed"]) == (4, ["topic-researcher"])

    monkeypatch.setenv("NANOCLAW_LANGUAGE", "uk")
    assert (
        f"{bad}:5: «contaner» — не тип; можна: sub-agent" in (await typed("pipelines", "check", str(bad))).out
    )
    monkeypatch.setenv("NANOCLAW_LANGUAGE", "en")
    assert "No such file" in (await typed("pipelines", "check", str(home / "none.md"))).out
    within = "foundation/process_templates/content_pipeline.md"  # from the workspace on, wherever one stands
    assert f"{within} has no mistakes" in (await typed("pipelines", "check", within)).out
    assert "not a file" in (await typed("pipelines", "check", str(home))).out
    bad.write_text(own.replace("/launch", "/write-article"))
    assert "belongs to the template content_pipeline" in (await typed("pipelines", "check", str(bad))).out


def test_a_changed_template_counts_at_once_and_a_broken_one_stops_no_other(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_workspace(home)
    monkeypatch.setattr(file_listing, "_RESCAN_AFTER", -1.0)
    known_skills = Skills(home)
    catalogue = make_catalogue(home, Settings(), Groups(home), known_skills)
    assert [template.name for template in catalogue.templates()] == ["content_pipeline", "topic_brief"]
    folder = home / "foundation" / "process_templates"
    (folder / "a.md").write_text("# A\n## Trigger: /a\n## Steps:\n1. editor\n")
    (folder / "b.md").write_text("# B\n## Trigger: /a, /b\n## Steps:\n1. editor\n")
    (folder / "c.md").symlink_to("/dev/zero")
    found = catalogue.find("/a")
    assert found is not None
    assert found.step(1).skill == "marketing/content/editor"
    assert catalogue.find("/b") is None
    assert [(each.name, each.mistakes[0].key) for each in catalogue.broken()] == [
        ("b", "trigger-twice"),
        ("c", "no-file"),
    ]
    (folder / "a.md").write_text("# A\n## Trigger: /other\n## Steps:\n1. editor\n")
    second = catalogue.find("/A")
    assert second is not None
    assert second.name == "b"
    (home / "skills/marketing/content/editor/SKILL.md").unlink()
    assert catalogue.find("content_pipeline") is None
    assert catalogue.find("topic_brief") is not None
    (mistake,) = next(each for each in catalogue.broken() if each.name == "content_pipeline").mistakes
    assert (mistake.key, mistake.line) == ("role-unknown", 9)


def test_between_two_looks_the_disk_is_left_alone(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every message with a command asks."""
    made_workspace(home)
    monkeypatch.setattr(file_listing, "_RESCAN_AFTER", 3600.0)
    catalogue = make_catalogue(home, Settings(), Groups(home), Skills(home))
    assert catalogue.find("/write-article")
    (home / "foundation" / "process_templates" / "content_pipeline.md").unlink()
    assert catalogue.find("/write-article")
    monkeypatch.setattr(file_listing, "_RESCAN_AFTER", -1.0)
    assert catalogue.find("/write-article") is None
