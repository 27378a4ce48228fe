"""Flow C. Handoffs across runtimes: results and contracts that others push to the repository (SPEC C2)."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
import pytest_asyncio
from tests.git_scene import Team, git
from tests.handoff_scene import Handing, handing
from tests.staging import until
from tests.sync_scene import SHARED, answer, first_team, look
from tests.telegram_scene import eventually

from nanoclaw.domain.handoffs import Handoff
from nanoclaw.domain.questions import Question
from nanoclaw.domain.text import as_meant, as_written
from nanoclaw.durable import handoffs, questions
from nanoclaw.durable.clock import now
from nanoclaw.testing import made_workspace

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.capability("C2")]

FOLDER = "companies/demo/handoffs"
CONTRACT: dict[str, Any] = {
    "id": "hoff_1",
    "type": "callback",
    "from": {"skill": "ceo", "company": "demo", "runtime": "claude-code", "session_id": "forged"},
    "to": {"skill": "writer", "company": "demo", "runtime": None},
    "payload": {"content": "report", "content_tokens": 1, "confidence": 0.85, "gaps": ["prices"]},
    "constraints": {"tone_isolation": True, "max_context_tokens": 4000, "requires_hitl": False},
    "metadata": {"created_at": None, "ttl_hours": 24, "chain_id": "theirs", "step": 1, "total_steps": 6},
}


@dataclass(frozen=True, kw_only=True)
class Elsewhere:
    """A host that shares its workspace, and somebody with a clone of it."""

    here: Handing
    team: Team

    async def pushes(self, **files: str) -> None:
        """Somebody writes these files; their names have `__` for a dot. The host meets the remote."""
        self.team.mate_pulls()
        for name, text in files.items():
            path = self.team.mate / FOLDER / name.replace("__", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        self.team.mate_pushes()
        await look(self.here.host, "remote")

    async def handed(self, name: str, **given: Any) -> Handoff:
        """The agent of a chat hands work over through git, and the clone has its contract."""
        content = self.here.fresh(name)
        await self.here.hand(f"give {content}", chat=name, to="editor", content=content, way="git", **given)
        made = await self.here.ends(content, "waiting")

        def arrived() -> bool:
            self.team.mate_pulls()
            return (self.team.mate / FOLDER / f"{made.id}.json").exists()

        await until(arrived, patience=60)
        return made

    async def told(self, words: str) -> None:
        async def so() -> bool:
            return bool(await self.here.told_anywhere(words))

        await until(so)

    async def asked(self, words: str) -> Question:
        found: list[Question] = []

        async def so() -> bool:
            rows = await self.here.host.store.read(questions.list_open)
            found[:] = [each for each in rows if words in each.payload]
            return bool(found)

        await until(so)
        return found[0]

    async def answered(self, name: str) -> dict[str, Any]:
        """What the host wrote for the sender, once the clone has it."""
        path = self.team.mate / FOLDER / f"{name}.result.json"

        def arrived() -> bool:
            self.team.mate_pulls()
            return path.exists()

        await until(arrived, patience=60)
        found: dict[str, Any] = json.loads(path.read_text("utf-8"))
        return found


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def there(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Elsewhere]:
    folder = tmp_path_factory.mktemp("git")
    home = folder / "home"
    made_workspace(home)
    team = first_team(home, folder)
    async with handing(home, memory=SHARED) as here:
        yield Elsewhere(here=here, team=team)


def contract(name: str, content: str, **parts: dict[str, Any]) -> dict[str, Any]:
    made = {
        key: {**value, **parts.get(key, {})} if isinstance(value, dict) else value
        for key, value in CONTRACT.items()
    }
    made["id"] = name
    made["payload"]["content"] = parts.get("payload", {}).get("content", content)
    return made


async def test_a_result_from_another_runtime_wakes_the_sender_once_as_hearsay(there: Elsewhere) -> None:
    here = there.here
    by_text = await there.handed("text", type="callback")
    by_json = await there.handed("json", type="sequential")
    inside = await there.handed("inside", type="callback")
    failed = await there.handed("failed", type="sequential")
    here.agent.does("is done. Its result:\nEdited elsewhere", "I have it back.")
    here.agent.does("is done. Its result:\nAdded to the contract", "I have that one, too.")
    added = json.loads((there.team.mate / FOLDER / f"{inside.id}.json").read_text("utf-8"))
    await there.pushes(
        **{
            f"{by_text.id}__result__md": "Edited elsewhere\n",
            f"{by_json.id}__result__json": json.dumps(
                {"id": by_json.id, "status": "done", "result": "For the chat"}
            ),
            f"{inside.id}__json": json.dumps({**added, "result": {"result": "Added to the contract"}}),
            f"{failed.id}__result__json": json.dumps({"status": "failed", "result": "no access"}),
        }
    )
    await here.says("I have it back.", chat="text")
    await here.says("For the chat", chat="json")
    await here.says("I have that one, too.", chat="inside")
    await here.says("could not do it: no access", chat="failed")
    ended = await here.ends(by_text.content)
    assert ended.result == "Edited elsewhere"
    woken = [each for each in here.agent.asked if "Edited elsewhere" in each.prompt]
    assert len(woken) == 1
    async with here.page() as page:
        shown = (await page.get(f"/api/handoffs/{by_text.id}")).json()
        assert (shown["state"], shown["result"], shown["way"]) == ("done", "Edited elsewhere", "git")
        chain = shown["chain"]["message_id"]
        why = (await page.get(f"/api/messages/{chain}/why")).json()
        assert "done" in json.dumps(why)
    # Another look, and the same result again, change nothing; another result is refused.
    await there.pushes(**{f"{by_text.id}__result__json": json.dumps({"result": "Edited elsewhere"})})
    await there.pushes(**{f"{by_json.id}__result__json": json.dumps({"result": "For the chat, again"})})
    await there.told(as_written(f"{by_json.id}.result.json"))
    assert (await here.ends(by_json.content)).result == "For the chat"
    assert not await here.told_anywhere(as_written(f"{by_text.id}.result.json"))


@pytest.mark.attack
async def test_results_that_are_altered_late_or_of_others_are_refused_and_told_once(there: Elsewhere) -> None:
    here = there.here
    altered, late = (
        await there.handed("altered", type="callback"),
        await there.handed("late", type="callback"),
    )
    own = here.fresh("in a session")
    await here.hand("not by git", chat="own", to="writer", content=own, type="callback")
    session = await here.ends(own)
    await here.host.store.write(
        lambda tx: handoffs.mark(tx, late.id, expires_at=now() - timedelta(seconds=1))
    )
    changed = json.loads((there.team.mate / FOLDER / f"{altered.id}.json").read_text("utf-8"))
    changed["payload"]["content"] = "something else entirely"
    foreign = there.team.mate / "companies" / "other" / "handoffs"
    foreign.mkdir(parents=True)
    (foreign / f"{altered.id}.result.md").write_text("from another company")
    await there.pushes(
        **{
            f"{altered.id}__json": json.dumps(changed),
            f"{altered.id}__result__md": "for the altered one",
            f"{late.id}__result__md": "too late",
            f"{session.id}__result__md": "for one that has a session",
            "hf_nobody__result__md": "for nobody",
            "hf_odd__result__json": json.dumps({"id": altered.id, "result": "of another id"}),
        }
    )
    await there.told("files that came through git")
    text = as_meant("\n".join(await here.told_anywhere("came through git")))
    assert "says something else than what was handed over" in text
    assert "Its time was over" in text
    assert "other is not demo" in text
    assert "was not handed over through git" in text
    assert "There is no handoff hf_nobody" in text
    waits = await here.host.store.read(lambda tx: handoffs.get(tx, altered.id))
    assert waits is not None
    assert waits.state == "waiting"
    before = len(await here.told_anywhere("came through git"))
    await there.pushes(hf_another__result__md="only this one is new")
    await there.told(as_written("hf_another"))
    assert len(await here.told_anywhere("came through git")) == before + 1


async def test_a_contract_from_another_runtime_begins_after_an_owners_yes_and_its_result_goes_back(
    there: Elsewhere,
) -> None:
    here = there.here
    content = here.fresh("write about otters")
    here.agent.does(content, "Otters are fine.")
    await there.pushes(hoff_yes__json=json.dumps(contract("hoff_yes", content)))
    question = await there.asked(content)
    assert "Anybody who can push" in question.prompt
    assert not [each for each in here.asked_as("writer") if content in each.prompt], "nothing begins before"
    await answer(here.host, question, "approve")
    ended = await here.ends(content)
    assert (ended.from_skill, ended.is_mixed) == ("claude-code", True)
    given = await there.answered("hoff_yes")
    assert (given["status"], given["result"]) == ("done", "Otters are fine.")
    # Pushed again, with other words, and for other programs.
    await there.pushes(
        hoff_yes__json=json.dumps(contract("hoff_yes", f"{content}, and the keys")),
        hoff_theirs__json=json.dumps(contract("hoff_theirs", "for them", to={"runtime": "claude-code"})),
    )
    await there.told("hoff")
    assert not [
        each for each in await here.all() if "and the keys" in each.content or "for them" in each.content
    ]
    refused = here.fresh("nobody wants this")
    await there.pushes(hoff_no__json=json.dumps(contract("hoff_no", refused)))
    await answer(here.host, await there.asked(refused), "reject")
    assert (await there.answered("hoff_no"))["status"] == "refused"


@pytest.mark.attack
@pytest.mark.capability("E13")
async def test_all_of_a_pushed_contract_is_shown_before_a_yes_and_nothing_else_begins(
    there: Elsewhere,
) -> None:
    here = there.here
    content = here.fresh("harmless words")
    here.agent.does(content, "Done.")
    payload = {
        "content": f"{content} " + "and more of them " * 150 + "POISON-tail\u200b\u2028next",
        "sources": ["POISON-source\u202e"],
        "gaps": ["POISON-gap"],
        "format": "POISON-format",
    }
    await there.pushes(hoff_all__json=json.dumps(contract("hoff_all", content, payload=payload)))
    question = await there.asked(content)
    cards = await here.told_anywhere("Anybody who can push")
    assert any("characters are not on this card" in each and "Sources" in each for each in cards)

    async def written() -> str | None:
        kept = (here.host.home / "data" / "attachments").glob(f"{question.id}.*.card")
        return next((each.read_text("utf-8") for each in kept), None)

    document = await eventually(written)
    async with here.page() as page:
        context = (await page.get(f"/api/questions/{question.id}")).json()["context"]
    for seen in (document, context):
        for words in ("POISON-tail⟨U+200B⟩", "next", "POISON-source⟨U+202E⟩", "POISON-gap", "POISON-format"):
            assert words in seen
    # What is in the rows changes after it was shown: the yes does not count.
    handoff = await here.ends(str(payload["content"]).replace("\u2028", "\n"), "asked")
    changed = {**handoff.contract, "payload": {**handoff.contract["payload"], "gaps": ["and the keys"]}}
    await here.host.store.write(lambda tx: handoffs.mark(tx, handoff.id, contract=changed))
    await answer(here.host, question, "approve")
    assert (await there.answered("hoff_all"))["status"] == "refused"
    assert not [each for each in here.asked_as("writer") if content in each.prompt]


BAD = {
    "another company": contract("a", "x", to={"company": "other"}),
    "no such skill": contract("a", "x", to={"skill": "hacker"}),
    "too long": contract("a", "word " * 5000),
    "its time is over": contract("a", "x", metadata={"created_at": "2026-02-28T14:30:00Z"}),
    "not the next step": contract("a", "x", metadata={"step": 3}),
    "unknown field": contract("a", "x", payload={"content": "x", "sudo": True}),
    "no contract": {"id": "a", "hello": "there"},
    "another id": contract("other", "x"),
}


@pytest.mark.attack
async def test_contracts_that_break_a_rule_are_refused_with_the_reason_for_both_sides(
    there: Elsewhere,
) -> None:
    made = {f"bad_{number}": body for number, body in enumerate(BAD.values())}
    made = {name: {**body, "id": name} if body["id"] == "a" else body for name, body in made.items()}
    before = len(await there.here.all())
    text = {f"{name}__json": json.dumps(body) for name, body in made.items()}
    await there.pushes(**text, bad_json__json="{", bad_deep__json="[" * 100_000)
    answers = [(await there.answered(name))["result"] for name in made]
    for said, words in zip(
        answers,
        (
            "other is not demo",
            "There is no skill",
            "tokens",
            "time was over",
            "next step",
            "sudo",
            "read",
            "another id",
        ),
        strict=True,
    ):
        assert words in said
    assert len(await there.here.all()) == before
    assert git(there.team.remote, "rev-parse", "main") == git(there.team.home, "rev-parse", "main")


@pytest.mark.attack
async def test_whoever_pushes_contracts_by_the_dozen_floods_nobody(there: Elsewhere) -> None:
    made = {f"flood_{each}": contract(f"flood_{each}", f"flood number {each}") for each in range(25)}
    await there.pushes(**{f"{name}__json": json.dumps(body) for name, body in made.items()})
    answered = [await there.answered(f"flood_{each}") for each in (5, 6, 7, 8, 9)]  # by name, the last ones
    assert all("are open already" in each["result"] for each in answered)
    asked = [
        each
        for each in await there.here.host.store.read(questions.list_open)
        if "flood number" in each.payload
    ]
    assert len(asked) == 20
