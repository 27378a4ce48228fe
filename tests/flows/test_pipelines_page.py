"""The HTTP API of pipelines: templates, estimates, runs, two runs compared, and a template's file."""

import subprocess
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.flows.pipeline_scene import pipeline_scene
from tests.pipeline_rows import ARTICLE, CENT, add_run, done

from nanoclaw.domain.errors import Refused
from nanoclaw.domain.people import Actor, Rights, Role
from nanoclaw.domain.pipeline_runs import PipelineRunStatus, StepState
from nanoclaw.domain.pipelines import Template
from nanoclaw.durable.clock import now
from nanoclaw.flows.pipelines.template_files import TemplateFiles
from nanoclaw.host.host import Host
from nanoclaw.testing import made_workspace, started_host

pytestmark = pytest.mark.capability("D1", "D5", "O3")

OWN = """# Two at once

Finds and writes.

## Trigger: /two
## Steps:
1. topic-researcher | gate: confidence>0.6
2. seo-analyst | with: 1 | gate: keywords>=2
3. copywriter | input: 1, 2 | gate: words>5 | retry: 0
4. HITL | type: approval
5. repurposer | outputs: telegram, linkedin | when: step 1.confidence>0.9
## Budget: $2
"""


def client_of(host: Host) -> httpx.AsyncClient:
    headers = {"Authorization": f"Bearer {host.token}"}
    return httpx.AsyncClient(base_url=f"{host.url}api/", headers=headers, timeout=httpx.Timeout(30))


async def given(
    client: httpx.AsyncClient, method: str, path: str, body: object = None, code: int = 200
) -> Any:
    answer = await client.request(method, f"pipelines{path}", json=body)
    assert answer.status_code == code, answer.text
    return answer.json()


async def refused(client: httpx.AsyncClient, method: str, path: str, body: object = None) -> str:
    answer = await client.request(method, f"pipelines{path}", json=body)
    assert answer.status_code in (400, 404), answer.text
    assert "error-" not in answer.json()["error"]
    return str(answer.json()["code"])


def own_template(home: Path) -> Path:
    file = home / "foundation" / "process_templates" / "two.md"
    file.write_text(OWN, "utf-8")
    return file


def _last_commit(home: Path, file: Path) -> str:
    log = ["git", "-C", str(home), "log", "-1", "--format=%s", "--", str(file)]
    return subprocess.run(log, capture_output=True, text=True, check=True).stdout.strip()


def template_of(host: Host) -> Template:
    found = host.pipeline_parts.catalogue.find("two")
    assert found
    return found


async def test_templates_are_shown_with_their_picture_and_estimate_and_broken_ones_with_their_mistakes(
    home: Path,
) -> None:
    made_workspace(home)
    own_template(home).with_name("bad.md").write_text("# Bad\n## Steps:\n1. nobody | gate: luck>1\n", "utf-8")
    async with started_host(home) as host, client_of(host) as client:
        listed = await given(client, "GET", "")
        two = next(each for each in listed["templates"] if each["name"] == "two")
        assert (two["title"], two["description"], two["commands"]) == (
            "Two at once",
            "Finds and writes.",
            ["/two"],
        )
        assert two["rows"] == [[1, 2], [3], [4], [5]]
        last = two["steps"][4]
        assert (last["type"], last["outputs"], last["conditions"]) == (
            "sub-agent",
            ["telegram", "linkedin"],
            ["step 1.confidence>0.9"],
        )
        assert two["steps"][2]["given"] == [1, 2]
        assert two["budget_usd"] == 2
        shown = await given(client, "GET", "/estimate?template=/two")
        assert shown == two["estimate"]
        assert [step["number"] for step in shown["steps"]] == [1, 2, 3, 5]
        assert shown["seconds"][0] <= shown["seconds"][1]
        [bad] = listed["broken"]
        assert (bad["name"], bad["path"]) == ("bad", "foundation/process_templates/bad.md")
        assert bad["mistakes"][0]["line"] == 3
        assert 'no skill "nobody"' in bad["mistakes"][0]["sentence"]
        assert await refused(client, "GET", "/estimate?template=nowhere") == "no-such-template"


async def test_a_text_is_checked_and_a_file_saved_only_where_nobody_changed_it(home: Path) -> None:
    made_workspace(home)
    file = own_template(home)
    async with started_host(home) as host, client_of(host) as client:
        checked = await given(
            client, "POST", "/check", {"text": OWN.replace("writer", "riter"), "name": "two"}
        )
        assert (checked["ok"], checked["mistakes"][0]["line"]) == (False, 9)
        assert checked["rows"] == [[1, 2], [3], [4], [5]]  # drawn with its mistakes
        # As a new file its command would belong to two.
        assert [
            each["key"] for each in (await given(client, "POST", "/check", {"text": OWN}))["mistakes"]
        ] == ["trigger-twice"]
        stored = await given(client, "GET", "/templates/two")
        assert (stored["text"], stored["ok"]) == (OWN, True)
        wanted = {"text": OWN.replace("Two at once", "Deux"), "version": stored["version"]}
        saved = await given(client, "PUT", "/templates/two", wanted)
        assert file.read_text("utf-8") == wanted["text"]
        assert saved["version"] != stored["version"]
        # Again, with the version of before: the file says it already.
        assert await given(client, "PUT", "/templates/two", wanted) == saved
        assert _last_commit(home, file) == "Edit foundation/process_templates/two.md"
        titles = [each["title"] for each in (await given(client, "GET", ""))["templates"]]
        assert "Deux" in titles  # at once: the person who saved it looks at the list next

        file.write_text(f"{OWN}<!-- by hand -->\n", "utf-8")
        late = {"text": OWN, "version": saved["version"]}
        assert await refused(client, "PUT", "/templates/two", late) == "template-changed"
        assert "by hand" in file.read_text("utf-8")
        assert await refused(client, "PUT", "/templates/two", {"text": "# x"}) == "template-exists"
        assert await refused(client, "PUT", "/templates/Big One", {"text": OWN}) == "template-name"
        assert await refused(client, "PUT", "/templates/..%5Cx", {"text": OWN}) == "template-name"
        assert await refused(client, "GET", "/templates/.hidden") == "no-such-template"
        new = await given(client, "PUT", "/templates/mine", {"text": OWN.replace("/two", "/mine")})
        assert (new["ok"], new["path"]) == (True, "foundation/process_templates/mine.md")
        audit = await client.get(f"{host.url}api/audit")
        assert "saved the template mine" in audit.text
    member = Actor(handle="x:1", name="M", rights=Rights(everywhere=Role.MEMBER), via="", language="en")
    with pytest.raises(Refused, match="template-not-yours"):
        TemplateFiles(home=home).save("mine", "# x", None, member)


async def test_a_run_is_shown_with_gates_claims_faults_inputs_and_outputs(home: Path) -> None:
    made_workspace(home)
    own_template(home)
    async with started_host(home) as host, client_of(host) as client:
        at, template = now() - timedelta(minutes=10), template_of(host)
        rule: dict[str, object] = {
            "target": "linkedin",
            "name": "text",
            "rule": "longest",
            "key": "empty",
            "line": None,
            "values": {},
        }
        steps = {
            1: done("Found", results={"confidence": 0.95}),
            2: done("Words", results={"keywords": ["a"]}, attempt=2, given={"note": "More"}),
            3: done(ARTICLE, results={"words": 9}, claims=[{"key": "words", "claimed": 900, "counted": 9}]),
            4: {"state": StepState.SKIPPED, "faults": [rule, {"form": True, "said": "No text"}]},
            5: {
                "state": StepState.FAILED,
                "why": {"key": "step-timeout", "step": 5, "role": "repurposer", "minutes": 10},
            },
        }
        estimate = {"cost": [CENT, 3 * CENT], "seconds": [60, 300]}

        def story(tx: Any) -> str:
            return add_run(
                tx,
                template,
                "Otters",
                at,
                steps,
                status=PipelineRunStatus.FAILED,
                estimate=estimate,
                budget=CENT,
                why={"key": "run-not-started"},
                ended_at=at + timedelta(minutes=5),
            )

        run_id = await host.store.write(story)
        run = await given(client, "GET", f"/runs/{run_id[-5:].upper()}")
        assert run["id"] == run_id
        assert (run["status"], run["steps_done"], run["steps_total"], run["cost_usd"]) == (
            "failed",
            4,
            5,
            0.03,
        )
        assert (run["expected_cost_usd"], run["expected_seconds"], run["budget_usd"]) == (
            [0.01, 0.03],
            [60, 300],
            0.01,
        )
        first, second, third, fourth, last = run["steps"]
        assert first["gate_values"] == [{"gate": "confidence>0.6", "value": "0.95", "passed": True}]
        assert second["gate_values"] == [{"gate": "keywords>=2", "value": "1", "passed": False}]
        assert (second["attempt"], second["note"]) == (2, "More")
        assert third["claims"] == [{"key": "words", "claimed": 900, "counted": 9}]
        assert third["texts"] == [{"name": "text", "text": ARTICLE}]
        rendered = await given(client, "GET", f"/runs/{run_id}/steps/3")
        assert "<em>hold hands</em>" in rendered["texts"][0]["html"]
        assert [(each["number"], each["texts"][0]["text"]) for each in rendered["inputs"]] == [
            (1, "Found"),
            (2, "Words"),
        ]
        assert await refused(client, "GET", f"/runs/{run_id}/steps/6") == "run-no-step"
        short = await given(client, "GET", f"/runs/{run_id}?texts=false")
        assert short["steps"][2]["texts"] == [{"name": "text", "text": ""}]
        assert third["given"] == [1, 2]
        assert fourth["faults"] == ["linkedin: There is no text.", "No text"]
        assert last["why"] == "Step 5 (repurposer) took longer than 10 minutes."
        assert run["why"] == "Nobody said yes in time."
        assert run["rows"] == [[1, 2], [3], [4], [5]]
        assert await refused(client, "GET", "/runs/nowhere") == "run-unknown"
        listed = await given(client, "GET", "/runs?template=two&status=failed")
        assert ([each["id"] for each in listed["runs"]], listed["more"]) == ([run_id], False)
        assert {name: listed["runs"][0][name] for name in ("cost_usd", "now", "why")} == {
            "cost_usd": 0.03,
            "now": [],
            "why": run["why"],
        }
        assert (await given(client, "GET", "/runs?status=running"))["runs"] == []
        assert await refused(client, "GET", "/runs?status=odd") == "bad-request"


async def test_runs_page_back_and_two_of_them_are_compared(home: Path) -> None:
    made_workspace(home)
    own_template(home)
    async with started_host(home) as host, client_of(host) as client:
        template, at = template_of(host), now()
        texts = ("One line\nSame", "Another line\nSame", "x")
        ids = [
            await host.store.write(
                lambda tx, text=text: add_run(tx, template, text, at, {1: done("Same"), 3: done(text)})  # type: ignore[misc]
            )
            for text in texts
        ]
        first = await given(client, "GET", "/runs?limit=2")
        assert ([each["id"] for each in first["runs"]], first["more"]) == ([ids[2], ids[1]], True)
        rest = await given(client, "GET", f"/runs?limit=2&before={ids[1]}")
        assert ([each["id"] for each in rest["runs"]], rest["more"]) == ([ids[0]], False)
        compared = await given(client, "GET", f"/compare?one={ids[0]}&other={ids[1]}")
        assert [(each["one"], each["other"]) for each in compared["steps"]] == [(n, n) for n in range(1, 6)]
        assert compared["steps"][0]["texts"] == [{"name": "text", "same": True, "diff": ""}]
        [text] = compared["steps"][2]["texts"]
        assert not text["same"]
        assert text["diff"].splitlines()[1:] == ["-One line", "+Another line", " Same"]
        assert compared["one"]["subject"] == texts[0]


async def test_a_run_is_started_asked_about_cancelled_and_repeated(home: Path) -> None:
    made_workspace(home)
    own_template(home)
    async with pipeline_scene(home) as scene, client_of(scene.host) as client:
        scene.agent.holds(1)
        wanted = {"template": "/two", "subject": " Otters ", "budget": 0.5, "id": "mine"}
        run = await given(client, "POST", "/runs", wanted, code=201)
        assert (run["status"], run["subject"], run["budget_usd"]) == ("running", "Otters", 0.5)
        assert run["expected_seconds"][0] > 0
        assert (await given(client, "POST", "/runs", wanted, code=201))["id"] == run["id"]
        assert await refused(client, "POST", f"/runs/{run['id']}/retry", {}) == "run-not-over"
        ended = await given(client, "POST", f"/runs/{run['short']}/cancel")
        assert (ended["status"], ended["why"]) == ("cancelled", "Owner cancelled it.")
        assert await refused(client, "POST", f"/runs/{run['id']}/cancel") == "run-over"
        assert await refused(client, "POST", f"/runs/{run['id']}/retry", {"from_step": 9}) == "run-no-step"
        again = await given(client, "POST", f"/runs/{run['id']}/retry", {"note": "Shorter"}, code=201)
        assert (again["again_of"], again["from_step"], again["steps"][0]["note"]) == (run["id"], 1, "Shorter")
        assert (await given(client, "GET", f"/runs/{run['id']}"))[
            "status"
        ] == "cancelled"  # the old one stays
        scene.agent.lets_go(1)

        asked = await given(client, "POST", "/runs", {**wanted, "id": "other", "ask": True}, code=201)
        assert (asked["status"], len(asked["questions"])) == ("asked", 1)
        for body, why in (
            ({"template": "two", "subject": "  "}, "run-no-subject"),
            ({"template": "nowhere", "subject": "x"}, "no-such-template"),
            ({"template": "two", "subject": "x", "group": "nowhere"}, "group-missing"),
            ({"template": "two", "subject": "x", "budget": -1}, "bad-request"),
        ):
            assert await refused(client, "POST", "/runs", body) == why
