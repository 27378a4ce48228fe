"""The HTTP API about questions to people, as the page and programs use it: ask, wait, decide, look back, permits."""

import asyncio
import hashlib
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from tests.permits import a_permit
from tests.staging import until

from nanoclaw import human
from nanoclaw.client.connection import Address
from nanoclaw.client.inbox import InboxClient
from nanoclaw.domain.people import Role
from nanoclaw.domain.question_requests import read_wanted
from nanoclaw.domain.questions import Asker
from nanoclaw.domain.steps import ToolCall
from nanoclaw.domain.tool_arguments import RequestHuman
from nanoclaw.durable import people, permits, questions, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import human_interactions
from nanoclaw.host.host import Host
from nanoclaw.testing import ScriptedModel, started_host

pytestmark = pytest.mark.capability("E1", "E2", "E3", "O3")

YES_NO = [{"id": "yes", "label": "Yes"}, {"id": "no", "label": "No"}]


def browser(host: Host) -> httpx.AsyncClient:
    return httpx.AsyncClient(
        base_url=host.url, headers={"Authorization": f"Bearer {host.token}"}, timeout=httpx.Timeout(30)
    )


async def found(client: httpx.AsyncClient, path: str) -> Any:
    answer = await client.get(path)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def asked(client: httpx.AsyncClient, question: str = "Deploy?", **more: object) -> Any:
    answer = await client.post("/api/questions", json={"question": question, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


async def inbox(client: httpx.AsyncClient) -> list[str]:
    return [each["question"] for each in (await found(client, "/api/questions"))["questions"]]


def ask_many(tx: Tx, count: int) -> list[str]:
    """As so many programs would."""
    usual = read_wanted(RequestHuman(question="Deploy?"), usual_timeout=timedelta(hours=1))
    made = sorted(questions.new_question_id() for _ in range(count))
    for each in made:
        asker = Asker(session_id=None, execution_id="program", asked_id=each, group="main", company="demo")
        questions.open_new(tx, asker, usual, question_id=each, votes=1, at=now())
    return made


async def rooms(client: httpx.AsyncClient) -> list[str]:
    return [room["id"] for room in (await found(client, "/api/rooms"))["rooms"]]


async def let_run_out(host: Host, question: str) -> None:
    """Its time is over now, as if it had been asked so much earlier and nobody had come."""

    def story(tx: Tx) -> None:
        mine = human_interactions.c.id == question
        row = tx.execute(sa.select(human_interactions).where(mine)).one()
        passed = row.deadline_at - now()
        earlier = {"created_at": row.created_at - passed, "deadline_at": row.deadline_at - passed}
        tx.execute(sa.update(human_interactions).where(mine).values(**earlier, reminded=2))
        work.due(tx, work.QUESTION, question, now())

    await host.store.write(story)
    host.engine.kick(work.QUESTION, question)


async def test_the_inbox_is_read_page_by_page_and_at_the_cost_of_a_page(home: Path) -> None:
    async with started_host(home) as host, browser(host) as client:
        made = await host.store.write(lambda tx: ask_many(tx, 502))
        page = await found(client, "/api/questions")
        assert [each["id"] for each in page["questions"]] == made[:500]
        assert (page["more"], page["total"]) == (True, 502)
        page = await found(client, f"/api/questions?after={made[499]}&limit=2")
        assert [each["id"] for each in page["questions"]] == made[500:]
        assert (page["more"], page["total"]) == (False, 502)
        assert (await client.get("/api/questions?limit=501")).status_code == 400
        async with InboxClient(Address(url=host.url, token=host.token)) as outside:
            assert [each.id for each in await outside.open()] == made
        assert [each.id for each in await human.list_pending("*", home=home)] == made
        statements: list[str] = []
        reader = await host.store.read(lambda tx: tx.engine)
        sa.event.listen(reader, "before_cursor_execute", lambda *told: statements.append(told[2]))
        await found(client, "/api/questions")
        assert 1 < len(statements) < 20  # who is looking, who may decide, and the questions


async def told(client: httpx.AsyncClient, room: str) -> AsyncGenerator[tuple[str, Any], None]:
    async with client.stream("GET", f"/api/rooms/{room}/live") as answer:
        name = ""
        async for line in answer.aiter_lines():
            if line.startswith("event: "):
                name = line[7:]
            elif line.startswith("data: ") and name != "memory":
                yield name, json.loads(line[6:])
            elif line.startswith(": welcome"):
                yield "welcome", None


async def test_a_program_asks_and_has_the_answer_as_soon_as_someone_decides(home: Path) -> None:
    async with started_host(home) as host, browser(host) as client:
        question = await asked(client, options=YES_NO, context={"version": "2.1"}, timeout_minutes=30)
        assert question["status"] == "pending"
        assert [each["id"] for each in question["options"]] == ["yes", "no"]
        assert question["html"] == "<p>Deploy?</p>\n"
        assert json.loads(question["context"]) == {"version": "2.1"}
        assert question["may_decide"] is True
        path = f"/api/questions/{question['id']}"
        waiting = asyncio.create_task(client.get(f"{path}/wait?seconds=60"))
        decided = await client.post(f"{path}/decide", json={"option": "yes"})
        assert decided.status_code == 200
        assert "Yes" in decided.json()["said"]
        async with asyncio.timeout(50):  # less than it would wait in vain
            answer = (await waiting).json()
        assert [answer["status"], answer["chosen"], answer["decided_name"], answer["via"]] == [
            "completed",
            "yes",
            "Owner",
            "web",
        ]
        assert answer == decided.json()["question"] == await found(client, path)
        assert await found(client, f"/api/questions/{question['short']}") == answer
        assert await inbox(client) == []


async def test_whoever_waits_in_vain_gets_the_question_as_it_stands_and_holds_no_host(home: Path) -> None:
    async with started_host(home) as host, browser(host) as client:
        question = (await asked(client))["id"]
        path = f"/api/questions/{question}/wait"
        assert (await found(client, f"{path}?seconds=0"))["status"] == "pending"
        assert (await client.get(f"{path}?seconds=61")).status_code == 400
        waiting = asyncio.create_task(client.get(f"{path}?seconds=60"))
        await until(lambda: host.question_parts.waits.anyone_on(question))
        async with asyncio.timeout(50):  # a waiting client would stay for a minute
            await host.stop()
        assert (await waiting).json()["status"] == "pending"


async def test_whoever_hangs_up_waits_no_longer(home: Path) -> None:
    async with started_host(home) as host, browser(host) as client:
        question = (await asked(client))["id"]
        waiting = asyncio.create_task(client.get(f"/api/questions/{question}/wait?seconds=60"))
        await until(lambda: host.question_parts.waits.anyone_on(question))
        waiting.cancel()
        await until(lambda: not host.question_parts.waits.anyone_on(question))


async def test_a_question_is_decided_once_and_whoever_comes_later_is_told_by_whom(home: Path) -> None:
    async with started_host(home) as host, browser(host) as client:
        path = f"/api/questions/{(await asked(client))['id']}"
        assert (await client.post(f"{path}/decide", json={"option": "reject"})).status_code == 200
        for what, body in (("decide", {"option": "approve"}), ("cancel", None)):
            late = await client.post(f"{path}/{what}", json=body)
            assert [late.status_code, late.json()["code"]] == [400, "question-late-decided"]
            assert "Owner decided this already" in late.json()["error"]
        assert (await found(client, path))["chosen"] == "reject"


async def test_words_are_taken_where_the_question_takes_them(home: Path) -> None:
    async with started_host(home) as host, browser(host) as client:
        name = await asked(client, "Which name?", kind="input")
        assert name["takes_words"] is True
        path = f"/api/questions/{name['id']}/decide"
        for body in ({}, {"text": ""}, {"text": " \n"}, {"option": "yes"}):
            assert (await client.post(path, json=body)).status_code == 400, body
        given = (await client.post(path, json={"text": "Калина\x00"})).json()["question"]
        assert [given["status"], given["user_input"], given["chosen"]] == ["completed", *["Калина\ufffd"] * 2]
        plain = await asked(client, options=YES_NO)
        answer = await client.post(f"/api/questions/{plain['id']}/decide", json={"text": "perhaps"})
        assert [answer.status_code, answer.json()["code"]] == [400, "question-needs-option"]
        assert "yes, no" in answer.json()["error"]


@pytest.mark.capability("E6")
async def test_a_bad_question_is_refused_with_what_to_change_and_nobody_is_asked(home: Path) -> None:
    many = [{"id": f"o{number}", "label": f"Option {number}"} for number in range(12)]
    long = [{"id": "a", "label": "a" * 300}, {"id": "b", "label": "b"}]
    refused: list[tuple[dict[str, object], str]] = [
        ({"options": many}, "12 entries; at most 8"),
        ({"options": long}, "label"),
        ({"question": ""}, "empty"),
        ({"question": " \n"}, "empty"),
        ({"options": YES_NO, "default_action": "maybe"}, "`maybe`, which is no option"),
        ({"options": [*YES_NO, YES_NO[0]]}, "Two options have the id `yes`"),
        ({"timeout_minutes": 0}, "from 1 to"),
        ({"timeout_minutes": 365 * 24 * 60}, "from 1 to"),
        ({"context": "x" * 1_000_000}, "20000"),
        ({"context": {"log": "x" * 1_000_000}}, "20000"),
        ({"risk": "destructive", "options": many[:2], "default_action": "o1"}, "may be done: `cancel`"),
        ({"options": [YES_NO[0], {**YES_NO[1], "safe": True}]}, "safe"),
        ({"kind": "riddle"}, "kind"),
        ({"layout": "circle"}, "layout"),
        ({"deciders": ["telegram:999"]}, "deciders"),
        ({"votes": 5}, "votes"),
        ({"colour": "red"}, "colour"),
        ({"question": 7}, "question"),
        ({"options": [{"id": "a"}]}, "options.0.label"),
        ({"group": "nowhere"}, "nowhere"),
        ({"kind": "review"}, "cannot ask for a review"),
    ]
    async with started_host(home) as host, browser(host) as client:
        for body, said in refused:
            answer = await client.post("/api/questions", json={"question": "Deploy?", **body})
            assert answer.status_code == 400, (said, answer.text)
            assert said in answer.json()["error"], answer.text
        for raw in ("", "[]", "{", '"Deploy?"', "null", "{}"):
            assert (await client.post("/api/questions", content=raw)).status_code == 400
        too_big = await client.post("/api/questions", json={"question": "?", "context": "x" * 9_000_000})
        assert too_big.status_code == 413
        assert await inbox(client) == []


async def test_the_same_id_is_the_same_question_and_another_question_needs_another_id(home: Path) -> None:
    async with started_host(home) as host, browser(host) as client:
        first = await asked(client, id="deploy-7")
        assert await asked(client, id="deploy-7") == first
        other = await client.post("/api/questions", json={"id": "deploy-7", "question": "Delete?"})
        assert other.status_code == 400
        assert "id of its own" in other.json()["error"]
        assert await inbox(client) == ["Deploy?"]
        for odd in ("", "x" * 201):
            assert (await client.post("/api/questions", json={"id": odd, "question": "?"})).status_code == 400


async def test_nothing_is_found_under_an_id_that_is_not_there(home: Path) -> None:
    async with started_host(home) as host, browser(host) as client:
        await asked(client)
        for ref in ("i_nothing", "%00", "i_" + "z" * 26, "abcde", "%25"):
            path = f"/api/questions/{ref}"
            answers = [
                await client.get(path),
                await client.get(f"{path}/wait"),
                await client.get(f"{path}/document"),
                await client.post(f"{path}/decide", json={"option": "approve"}),
                await client.post(f"{path}/cancel"),
                await client.post(f"{path}/again"),
                await client.post(f"{path}/conclude", json={"status": "completed"}),
                await client.delete(f"/api/permits/{ref}"),
            ]
            assert {answer.status_code for answer in answers} == {404}, [each.text for each in answers]
        assert await inbox(client) == ["Deploy?"]
        without = httpx.AsyncClient(base_url=host.url)
        async with without:
            assert (await without.get("/api/questions")).status_code == 401
            assert (await without.post("/api/questions", json={"question": "?"})).status_code == 401


@pytest.mark.capability("E5")
async def test_what_ran_out_of_time_is_asked_again_once(home: Path) -> None:
    async with started_host(home, questions={"grace_seconds": 0}) as host, browser(host) as client:
        question = await asked(client, options=YES_NO, default_action="no", timeout_minutes=5)
        path = f"/api/questions/{question['id']}"
        waiting = asyncio.create_task(client.get(f"{path}/wait?seconds=20"))
        await let_run_out(host, question["id"])
        over = (await waiting).json()
        assert [over["status"], over["chosen"], over["decided_name"]] == ["timeout", "no", None]
        late = await client.post(f"{path}/decide", json={"option": "yes"})
        assert [late.status_code, late.json()["code"]] == [400, "question-late-timeout"]
        again = (await client.post(f"{path}/again")).json()
        assert [again["status"], again["repeats"], again["question"]] == [
            "pending",
            question["id"],
            "Deploy?",
        ]
        assert (await client.post(f"{path}/again")).status_code == 400
        assert len(await inbox(client)) == 1
        taken_back = await client.post(f"/api/questions/{again['id']}/cancel")
        assert taken_back.json()["status"] == "cancelled"
        assert (await client.post(f"/api/questions/{again['id']}/again")).status_code == 400
        assert await inbox(client) == []


@pytest.mark.capability("E9")
async def test_decisions_are_paged_newest_first_with_exactly_what_was_decided_on(home: Path) -> None:
    async with started_host(home) as host, browser(host) as client:
        # Decided in another order than asked: what was decided last comes first.
        numbers = [
            (await asked(client, f"Number {number}?", options=YES_NO))["id"] for number in (3, 0, 4, 2, 1)
        ]
        for each in (numbers[1], numbers[4], numbers[3], numbers[0], numbers[2]):
            await client.post(f"/api/questions/{each}/decide", json={"option": "yes"})
        await asked(client, "Still open?")
        first = await found(client, "/api/decisions?limit=3")
        assert [each["question"] for each in first["decisions"]] == ["Number 4?", "Number 3?", "Number 2?"]
        assert first["more"] is True
        last = first["decisions"][-1]
        assert hashlib.sha256(last["payload"].encode()).hexdigest() == last["payload_hash"]
        assert json.loads(last["payload"])["question"] == "Number 2?"
        assert last["seconds"] >= 0
        rest = await found(client, f"/api/decisions?limit=3&before={last['id']}")
        assert [each["question"] for each in rest["decisions"]] == ["Number 1?", "Number 0?"]
        assert rest["more"] is False
        for odd in ("limit=0", "limit=201", "limit=x", "page=2"):
            assert (await client.get(f"/api/decisions?{odd}")).status_code == 400


@pytest.mark.capability("E10")
async def test_figures_say_how_fast_people_decided_and_how_often_nobody_did(home: Path) -> None:
    async with started_host(home, questions={"grace_seconds": 0}) as host, browser(host) as client:
        nothing = await found(client, "/api/decisions/figures")
        assert [nothing["days"], nothing["total"]["asked"], nothing["by_kind"]] == [30, 0, []]
        for skill in ("releases", "releases", "letters"):
            question = await asked(client, skill=skill)
            await client.post(f"/api/questions/{question['id']}/decide", json={"option": "approve"})
        late = await asked(client, kind="input", skill="letters")
        await let_run_out(host, late["id"])
        await found(client, f"/api/questions/{late['id']}/wait?seconds=20")
        figures = await found(client, "/api/decisions/figures?days=7")
        total = figures["total"]
        assert [total["asked"], total["answered"], total["timed_out"], total["timeout_rate"]] == [
            4,
            3,
            1,
            0.25,
        ]
        assert 0 <= total["median"] < 60
        assert {each["name"]: each["timeout_rate"] for each in figures["by_kind"]} == {
            "approval": 0,
            "input": 1,
        }
        assert {each["name"]: each["asked"] for each in figures["by_skill"]} == {"releases": 2, "letters": 2}
        assert (await client.get("/api/decisions/figures?days=0")).status_code == 400


@pytest.mark.capability("E11")
async def test_whoever_watches_a_room_hears_of_every_question_vote_and_decision(home: Path) -> None:
    async with started_host(home) as host, browser(host) as client:

        def story(tx: Tx) -> None:
            """The first owner of a network is the one who holds this machine, and so one voice with them."""
            for number, name in enumerate(("Olena", "Roman")):
                people.add_person(tx, handle=f"telegram:{number}", name=name, role=Role.OWNER, at=now())

        await host.store.write(story)
        [room, *_] = await rooms(client)
        async with asyncio.timeout(60), aclosing(told(client, room)) as events:
            assert (await anext(events))[0] == "welcome"

            async def heard() -> tuple[str, str]:
                """The news of a question. What happens before it is read is told as one."""
                async for name, data in events:
                    if name == "question":
                        return data["id"], data["status"]
                raise AssertionError("nobody is told any more")

            question = await asked(client, votes=2)
            assert await heard() == (question["id"], "pending")
            path = f"/api/questions/{question['id']}"
            await client.post(f"{path}/decide", json={"option": "approve"})
            assert await heard() == (question["id"], "pending")
            assert [each["name"] for each in (await found(client, path))["votes"]] == ["Owner"]
            # Which is safe, and needs no other.
            await client.post(f"{path}/decide", json={"option": "reject"})
            assert await heard() == (question["id"], "completed")


async def test_the_card_in_a_room_follows_what_is_decided_elsewhere_and_says_so_to_who_presses_late(
    home: Path,
) -> None:
    async with started_host(home, questions={"grace_seconds": 0}) as host, browser(host) as client:
        [room, *_] = await rooms(client)

        async def card(question: Any) -> Any:
            items = (await found(client, f"/api/rooms/{room}/messages"))["items"]
            return next(line for line in reversed(items) if question["short"] in line["text"])

        async def press(line: Any, data: str) -> Any:
            answer = await client.post(f"/api/rooms/{room}/press", json={"line": line["id"], "data": data})
            return answer.json()

        first, second = (
            await asked(client, options=YES_NO),
            await asked(client, "Sure?", default_action="reject"),
        )
        shown = await card(first)
        yes, _no = [button["data"] for button in shown["buttons"]]
        assert yes == f"hitl:{first['id']}:yes"
        forged = await press(shown, yes.replace("yes", "king"))
        assert [forged["taken"], "king" in forged["text"]] == [False, True]
        assert (await press(shown, f"hitl:{second['id']}:approve"))["code"] == "no-such-choice"
        await client.post(f"/api/questions/{first['id']}/decide", json={"option": "no"})
        decided = await card(first)
        assert decided["buttons"] == []
        assert "No" in decided["text"]
        late = await press(shown, yes)
        assert [late["taken"], "Owner decided this already" in late["text"]] == [False, True]
        approve = (await card(second))["buttons"][0]["data"]
        await let_run_out(host, second["id"])
        await found(client, f"/api/questions/{second['id']}/wait?seconds=20")
        over = await card(second)
        assert over["buttons"] == []  # a program asked, and waits no longer
        late = await press(over, approve)
        assert [late["taken"], "decided by time-out" in late["text"]] == [False, True], late
        await client.post(f"/api/questions/{second['id']}/again")
        assert await inbox(client) == ["Sure?"]


@pytest.mark.capability("E8")
async def test_a_document_is_handed_out_and_never_runs_in_the_browser(home: Path) -> None:
    page = "<script>alert(1)</script>"
    asking = ToolCall(
        id="c1",
        name="request_human",
        arguments={"kind": "review", "question": "Fine?", "document": "/work/plan.html"},
    )
    model = ScriptedModel(lambda _request: ["done"] if model.steps[-1] else [asking])
    async with started_host(home, model=model) as host, browser(host) as client:
        (home / "groups/main/files").mkdir(parents=True, exist_ok=True)
        (home / "groups/main/files/plan.html").write_text(page)
        [room, *_] = await rooms(client)
        async with asyncio.timeout(60), aclosing(told(client, room)) as events:
            assert (await anext(events))[0] == "welcome"
            await client.post(f"/api/rooms/{room}/messages", json={"text": "review it", "client_id": "1"})
            async for name, _data in events:
                if name == "question":
                    break
        [question] = (await found(client, "/api/questions"))["questions"]
        assert [question["kind"], question["document"]] == ["review", "plan.html"]
        items = (await found(client, f"/api/rooms/{room}/messages"))["items"]
        [shown] = [file for line in items for file in line["attachments"]]
        for path in (f"/api/questions/{question['id']}/document", shown["url"]):
            answer = await client.get(path)
            assert [answer.status_code, answer.text] == [200, page]
            assert answer.headers["content-disposition"].startswith("attachment")
            assert "sandbox" in answer.headers["content-security-policy"]
        (home / "groups/main/files/plan.html").write_text("changed")
        assert (await client.get(f"/api/questions/{question['id']}/document")).text == page
        body = {"option": "approve", "text": "but shorter"}
        said = (await client.post(f"/api/questions/{question['id']}/decide", json=body)).json()["question"]
        assert [said["chosen"], said["user_input"]] == ["approve", "but shorter"]
        plain = await asked(client)
        assert (await client.get(f"/api/questions/{plain['id']}/document")).status_code == 404


async def test_an_interactive_session_is_concluded_by_whoever_ran_it(home: Path) -> None:
    async with started_host(home) as host, browser(host) as client:
        session = {"outcomeSchema": {"type": "approval"}, "captureTranscript": True}
        question = await asked(client, "Work with me", session=session)
        assert question["kind"] == "interactive_session"
        path = f"/api/questions/{question['id']}/conclude"
        for body in (
            {"status": "pending"},
            {"status": "over"},
            {},
            {"status": "completed", "duration_ms": -1},
        ):
            assert (await client.post(path, json=body)).status_code == 400, body
        over = {
            "status": "completed",
            "response": {"approved": True, "notes": "after lunch"},
            "transcript": "hi",
            "duration_ms": 1,
        }
        concluded = (await client.post(path, json=over)).json()
        assert [concluded["status"], concluded["response"]] == ["completed", "approved"]
        assert concluded["user_input"] == "after lunch"
        assert [concluded["transcript"], concluded["duration_ms"]] == ["hi", 1]
        assert (await found(client, "/api/decisions"))["decisions"] == [concluded]
        plain = await asked(client)
        refused = await client.post(f"/api/questions/{plain['id']}/conclude", json={"status": "completed"})
        assert [refused.status_code, refused.json()["code"]] == [400, "not-a-session"]


@pytest.mark.capability("E12")
async def test_permits_are_listed_and_taken_back(home: Path) -> None:
    given = a_permit()
    async with started_host(home) as host, browser(host) as client:
        question = await asked(client)
        await host.store.write(lambda tx: permits.grant(tx, replace(given, question_id=question["id"])))
        [permit] = (await found(client, "/api/permits"))["permits"]
        assert [permit["tool"], permit["scope"], permit["shown"]] == ["bash", "always", "rm -r build"]
        path = f"/api/permits/{permit['id']}"
        assert (await client.delete(path)).json() == {"id": permit["id"]}
        assert (await client.delete(path)).status_code == 404
        assert (await found(client, "/api/permits")) == {"permits": []}
