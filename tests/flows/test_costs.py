"""What model calls cost, told to people: on the command line, in chats, by the API, in the log (J4)."""

import csv
import io
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
import sqlalchemy as sa
from tests.cost_rows import cost_row, put_costs
from tests.telegram_scene import Scene, found_group, telegram_scene
from tests.typed import Typed, typing_in

from nanoclaw.domain.ids import HostId
from nanoclaw.domain.money import Spender
from nanoclaw.domain.people import Role
from nanoclaw.durable import tables
from nanoclaw.durable.clock import now
from nanoclaw.durable.costs import Cost
from nanoclaw.durable.store import Tx
from nanoclaw.gateway.cost_log import append
from nanoclaw.testing import ScriptedModel
from nanoclaw.testing.starter import made_workspace

# One host for these tests; each has companies of its own.
pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.capability("J4")]

NAUGHTY = "=HYPERLINK(1)"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def scene(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Scene]:
    home = made_workspace(tmp_path_factory.mktemp("costs") / "nanoclaw")
    found_group(home, "rivals", company="rivals")
    async with telegram_scene(home, model=ScriptedModel("Yes."), paced=False) as made:
        yield made


@pytest.fixture
def typed(scene: Scene, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Typed:
    return typing_in(scene.host.home, monkeypatch, capfd)


async def _chat_and_turn(scene: Scene) -> tuple[str, str, str]:
    """The owner says something, and is answered: the ids of the chat, the session and the turn."""
    await scene.ask("Hello?")

    def look(tx: Tx) -> tuple[str, str, str]:
        turn = tx.execute(sa.select(tables.turns).order_by(tables.turns.c.id.desc())).first()
        assert turn
        chat = tx.execute(
            sa.select(tables.sessions.c.chat_id).where(tables.sessions.c.id == turn.session_id)
        ).scalar_one()
        return chat, turn.session_id, turn.id

    return await scene.host.store.read(look)


def _lines(told: dict[str, Any]) -> dict[str, int]:
    return {line["name"]: line["micros"] for line in told["lines"]}


async def test_costs_are_added_up_by_anything_with_names_instead_of_ids(scene: Scene, typed: Typed) -> None:
    chat, session, turn = await _chat_and_turn(scene)
    person = f"telegram:{scene.owner.id}"
    common: dict[str, Any] = {"company": "named", "session_id": session, "turn_id": turn}
    await put_costs(
        scene.host.store,
        # As calls were written before they carried person and chat: both are found by the turn and the session.
        cost_row(**common, micros=1_000),
        cost_row(**common, micros=2_000, person=person, chat_id=chat, skill="meta/a/b", saved_by_cache=-40),
        cost_row(**common, micros=4_000, flow="F", task_id=7, model="claude-haiku-4-5", saved_by_batch=90),
        cost_row(
            company="named", session_id="s_gone", turn_id="t_gone", micros=8_000, flow="D", chain_id="p_gone"
        ),
        cost_row(company="named", micros=16_000, state="reserved", agent_group="other", flow="G"),
    )

    async def by(grouping: str) -> dict[str, int]:
        told = (await typed("costs", "--company", "named", "--by", grouping, "--json")).json()
        assert told["total"]["micros"] == 31_000
        assert told["on_the_way"] == {"calls": 1, "micros": 16_000}
        return _lines(told)

    assert await by("model") == {"claude-sonnet-4-6": 27_000, "claude-haiku-4-5": 4_000}
    assert await by("flow") == {"Memory": 16_000, "Pipeline": 8_000, "Tasks": 4_000, "Conversation": 3_000}
    assert await by("skill") == {"No skill": 29_000, "meta/a/b": 2_000}
    assert await by("person") == {"Unknown": 24_000, scene.owner.name: 7_000}
    title = await scene.host.store.read(
        lambda tx: tx.execute(sa.select(tables.chats.c.title).where(tables.chats.c.id == chat)).scalar_one()
    )
    assert await by("chat") == {"Unknown": 24_000, title: 7_000}
    assert await by("task") == {"No task": 27_000, "#7": 4_000}
    assert await by("run") == {"No pipeline run": 23_000, "p_gone": 8_000}
    assert await by("group") == {"other": 16_000, "main": 15_000}
    assert await by("company") == {"named": 31_000}
    assert await by("day") == {f"{now():%Y-%m-%d}": 31_000}
    printed = " ".join(
        (await typed("costs", "--company", "named", "--by", "flow", "--limit", "1")).out.split()
    )
    assert "Memory 1 155 50 20 $0.00 $0.0160" in printed
    assert "3 others 4 620 200 80 $0.000050 $0.0150" in printed
    assert "Total 5 775 250 100 $0.000050 $0.0310" in printed
    assert "1 call that is still under way, with the most it can cost: $0.0160" in printed
    assert "the total is the sum of the exact ones" in printed


async def test_a_line_of_the_log_says_for_whom_a_call_was_and_what_was_saved(tmp_path: Path) -> None:
    spender = Spender(
        company="acme",
        group="main",
        session_id="s_1",
        turn_id="t_1",
        runtime="native",
        flow="I",
        person="telegram:1",
        chat_id="c_1",
        task_id=7,
        batch_id="b_1",
        chain_id="p_1",
        step=2,
    )
    cost = Cost(
        id="u_1",
        at=now(),
        spender=spender,
        model="m",
        host=HostId("h_1"),
        micros=54_000,
        batch=True,
        saved_by_cache=-20,
        saved_by_batch=54_000,
    )
    append(tmp_path / "cost_log.jsonl", cost)
    line = json.loads((tmp_path / "cost_log.jsonl").read_text("utf-8"))
    names = ("person", "chat_id", "task_id", "chain_id", "batch_id")
    assert [line[name] for name in names] == ["telegram:1", "c_1", 7, "p_1", "b_1"]
    assert (line["batch"], line["cost_usd"]) == (True, 0.054)
    assert (line["saved_by_cache_usd"], line["saved_by_batch_usd"]) == (-0.00002, 0.054)
    of_001 = (
        "timestamp company flow skill model input_tokens output_tokens cache_read_tokens cache_write_tokens"
    )
    assert {*of_001.split(), "thinking_tokens", "duration_ms", "session_id"} <= line.keys()


async def test_a_day_begins_on_the_clock_of_its_company(scene: Scene, typed: Typed) -> None:
    folder = scene.host.home / "companies" / "kiritimati"
    folder.mkdir(parents=True)
    (folder / "budget.json").write_text(json.dumps({"timezone": "Pacific/Kiritimati"}))
    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)  # there it is the next day already
    await put_costs(scene.host.store, *(cost_row(company=each, at=noon) for each in ("kiritimati", "utc")))
    for company, day in (("kiritimati", "2026-03-02"), ("utc", "2026-03-01")):
        told = (await typed("costs", "--company", company, "--by", "day", "--since", "all", "--json")).json()
        assert _lines(told) == {day: 10_000}
    since = ("--by", "company", "--since", "2026-03-02", "--json")
    assert "kiritimati" in _lines((await typed("costs", *since)).json())
    assert "utc" not in _lines((await typed("costs", *since)).json())


async def test_a_spreadsheet_gets_exact_amounts_and_no_formulas(scene: Scene, typed: Typed) -> None:
    odd = (NAUGHTY, "+1", "-1", "@sum", 'Ґудзик, "1"')
    rows = [cost_row(company="sheet", skill=skill, micros=1) for skill in odd]
    await put_costs(scene.host.store, *rows, cost_row(company="sheet", micros=1_234_567, saved_by_cache=-5))
    asked = ("--company", "sheet", "--by", "skill")
    printed = (await typed("costs", *asked, "--csv")).out
    assert printed.startswith("\ufeffkey,name,calls")
    read = list(csv.DictReader(io.StringIO(printed.removeprefix("\ufeff"))))
    assert {row["name"] for row in read} == {"No skill", *(f"'{each}" for each in odd[:4]), odd[4]}
    assert (read[0]["cost_usd"], read[0]["saved_by_cache_usd"]) == ("1.234567", "-0.000005")
    assert sum(round(float(row["cost_usd"]) * 1_000_000) for row in read) == 1_234_572
    headers = {"Authorization": f"Bearer {scene.host.token}"}
    async with httpx.AsyncClient(base_url=scene.host.url, headers=headers) as client:
        page = await client.get("/api/costs/csv?by=skill&since=month&company=sheet")
        wrong = await client.get("/api/costs/report?by=colour")
    assert page.content.decode().replace("\r\n", "\n") == printed.replace("\r\n", "\n")
    assert page.headers["content-disposition"].endswith(f"costs-by-skill-since-{now():%Y-%m}-01.csv")
    assert (wrong.status_code, wrong.json()["code"]) == (400, "costs-by")


@pytest.mark.attack
async def test_names_in_a_report_run_nothing_and_move_no_cursor(scene: Scene, typed: Typed) -> None:
    names = (
        "\x1b[2J\x1b]0;owned\x07",
        "<script>alert(1)</script>",
        "[bold]x[/bold]",
        "a\rb\nc",
        "\u202eevil",
    )
    rows = [cost_row(company="odd", skill=name, person=name, task_id=7, micros=9) for name in names]
    await put_costs(scene.host.store, *rows)
    for by in ("skill", "person", "chat", "task"):
        printed = (await typed("costs", "--company", "odd", "--by", by)).out
        assert not set(printed) & {"\x1b", "\x07", "\r", "\u202e"}, by
    assert "[bold]x[/bold]" in (await typed("costs", "--company", "odd", "--by", "skill")).out
    told = await scene.command(scene.chat, "/costs by skill")
    assert "<script>" in told  # as words
    headers = {"Authorization": f"Bearer {scene.host.token}"}
    async with httpx.AsyncClient(base_url=scene.host.url) as stranger:
        for path in ("report?by=day", "csv?by=day", "overview"):
            assert (await stranger.get(f"/api/costs/{path}")).status_code in (401, 403, 404)
        sheet = await stranger.get("/api/costs/csv?by=skill&since=month&company=odd", headers=headers)
    assert sheet.headers["content-type"].startswith("text/csv")
    assert "attachment" in sheet.headers["content-disposition"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--since", "yesterdayish"), 'I do not know since when: "yesterdayish". Write a date such as'),
        (("--since", "2026-02-30"), 'I do not know since when: "2026-02-30"'),
        (("--since", "0d"), 'I do not know since when: "0d"'),
        (
            ("--by", "colour"),
            'Costs cannot be added up by "colour". Choose one of these: company, model, flow',
        ),
        (("--csv", "--json"), "Choose --csv or --json, not both"),
    ],
)
async def test_a_wrong_option_is_answered_with_what_to_write(
    typed: Typed, words: tuple[str, ...], said: str
) -> None:
    printed = await typed("costs", *words)
    assert (printed.code, said in printed.err) == (1, True), printed.err


async def test_the_owner_sees_all_companies_in_the_chat_of_the_main_agent(scene: Scene) -> None:
    at = now()
    await put_costs(
        scene.host.store,
        cost_row(
            company="chatty", micros=3_000_000, skill="meta/x/y", turn_id="t_dear", saved_by_cache=70_000
        ),
        cost_row(company="chatty", micros=5_000_000, model="claude-opus-4-6", turn_id="t_dearer", flow="D"),
        cost_row(company="chatty", micros=1_000_000, at=at - timedelta(days=1)),
        cost_row(company="chatty", micros=2_000_000, at=at - timedelta(days=6)),
    )
    said = await scene.command(scene.chat, "/costs")
    assert "All companies" in said
    assert "• chatty: $" in said
    assert "• claude-opus-4-6: $5.00" in said
    assert "By the end of the month about $" in said
    assert "Pipeline: $5.00" in said
    assert said.index("Pipeline: $5.00") < said.index("Conversation, meta/x/y: $3.00")
    assert "Saved by the cache $0.0" in said
    week = await scene.command(scene.chat, "/costs week")
    assert week.startswith("In the last 7 days $")
    assert "• chatty: $11.00" in await scene.command(scene.chat, "/costs week by company")
    assert f"• {at:%Y-%m-%d}: $" in await scene.command(scene.chat, "/costs 2d by day")
    assert 'I do not know since when: "purple"' in await scene.command(scene.chat, "/costs purple")
    assert 'cannot be added up by "purple"' in await scene.command(scene.chat, "/costs by purple")


async def test_a_member_sees_the_company_of_the_chat_and_no_people(scene: Scene) -> None:
    ann = scene.server.person("Ann", language="uk")
    chat = scene.server.group("Rivals", scene.bot, members=[scene.owner, ann])
    await scene.know(ann, Role.STRANGER)
    await scene.command(chat, "/wire rivals")
    await scene.command(chat, f"/role telegram:{ann.id} member")
    await put_costs(
        scene.host.store,
        cost_row(company="rivals", agent_group="rivals", micros=70_000, person="telegram:1"),
        cost_row(company="secret", micros=9_000_000, model="secret-model"),
    )
    told = await scene.command(chat, "/costs", by=ann)
    assert "rivals: сьогодні $0.0700, цього місяця $0.0700." in told
    assert "Для прогнозу потрібен хоча б один попередній день із витратами." in told
    assert "• Розмова: $0.0700 (100%)" in told
    week = await scene.command(chat, "/costs за тиждень за моделями", by=ann)
    assert week.startswith("За останні 7 днів $0.0700, 1 звернення.")
    refused = await scene.command(chat, "/costs by person", by=ann)
    assert "бачать лише власники" in refused
    # Outside of the main agent's chats an owner sees what its members see.
    owner = await scene.command(chat, "/costs")
    assert "rivals: today $0.0700" in owner
    assert "secret" not in told + week + refused + owner


async def test_the_most_expensive_turns_lead_to_their_stories(scene: Scene) -> None:
    _chat, session, turn = await _chat_and_turn(scene)
    await put_costs(
        scene.host.store,
        cost_row(
            company="dear", session_id=session, turn_id=turn, runtime="classifier", model="claude-haiku-4-5"
        ),
        cost_row(company="dear", session_id=session, turn_id=turn, skill="meta/a/b", micros=500_000),
        cost_row(company="dear", turn_id="t_other", micros=400_000),
        cost_row(company="dear", turn_id="", micros=900_000),  # a voice message: no turn yet
        *(cost_row(company="dear", turn_id=f"t_{number}") for number in range(20)),
    )
    headers = {"Authorization": f"Bearer {scene.host.token}"}
    async with httpx.AsyncClient(base_url=scene.host.url, headers=headers) as client:
        found = (await client.get("/api/costs/turns?company=dear")).json()["turns"]
        why = await client.get(f"/api/messages/{found[0]['message']}/why")
    assert len(found) == 10
    first = found[0]
    assert (first["turn"], first["spent"]["micros"], first["skill"]) == (turn, 510_000, "meta/a/b")
    assert (first["person"], first["models"]) == (scene.owner.name, ["claude-haiku-4-5", "claude-sonnet-4-6"])
    assert why.json()["text"] == "Hello?"
    assert (found[1]["turn"], found[1]["message"]) == ("t_other", None)
