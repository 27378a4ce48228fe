"""The HTTP API about tasks, as the page and the command line use it: schedule, look, change, look back."""

import asyncio
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pytest

from nanoclaw.console.shape import COMMAND_LINE, VIA
from nanoclaw.domain.schedules import cron
from nanoclaw.domain.tasks import WantedTask, ZoneOf
from nanoclaw.durable import tasks
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.host.host import Host
from nanoclaw.testing import ScriptedModel, started_host

pytestmark = pytest.mark.capability("F1", "F3", "O3")

NEWS = {"prompt": "Send me the news", "when": "every monday 8:00"}


def browser(host: Host, **headers: str) -> httpx.AsyncClient:
    known = {"Authorization": f"Bearer {host.token}", **headers}
    return httpx.AsyncClient(base_url=host.url, headers=known, timeout=httpx.Timeout(30))


async def given(
    client: httpx.AsyncClient, method: str, path: str, body: object = None, code: int = 200
) -> Any:
    answer = await client.request(method, path, json=body)
    assert answer.status_code == code, answer.text
    return answer.json()


async def added(client: httpx.AsyncClient, **wanted: object) -> Any:
    return await given(client, "POST", "/api/tasks", {**NEWS, **wanted}, code=201)


async def refused(client: httpx.AsyncClient, method: str, path: str, body: object = None) -> str:
    """The key of what is wrong; it comes with a sentence."""
    answer = await client.request(method, path, json=body)
    assert answer.status_code in (400, 404), answer.text
    said = answer.json()
    assert said["error"].endswith((".", "`", "news", ":", ")")) or said["code"] == "bad-request", said
    return str(said["code"])


async def ended_run(client: httpx.AsyncClient, task: int) -> Any:
    """The newest run, once it is over."""
    async with asyncio.timeout(60):
        while True:
            runs = (await given(client, "GET", f"/api/tasks/{task}/runs"))["runs"]
            if runs and runs[0]["finished_at"]:
                return runs[0]
            await asyncio.sleep(0.02)


def moments(written: list[str]) -> list[datetime]:
    return [datetime.fromisoformat(each) for each in written]


@pytest.mark.capability("F2")
async def test_a_task_is_scheduled_on_the_clock_of_the_owner_and_shown_with_its_next_times(
    home: Path,
) -> None:
    async with started_host(home, model=ScriptedModel()) as host, browser(host) as client:
        assert await given(client, "GET", "/api/tasks") == {"tasks": [], "texts": []}
        on_host = await added(client)
        assert (on_host["timezone"], on_host["zone_of"]) == ("UTC", "host")
        room = (await given(client, "GET", "/api/rooms"))["rooms"][0]["id"]
        zone = {"text": "/timezone Europe/Kyiv", "client_id": "zone"}
        await given(client, "POST", f"/api/rooms/{room}/messages", zone, code=202)
        async with asyncio.timeout(60):
            while (seen := await given(client, "POST", "/api/tasks/preview", {"when": NEWS["when"]}))[
                "zone_of"
            ] == "host":
                await asyncio.sleep(0.02)
        task = await added(client)
        assert (task["timezone"], task["zone_of"]) == ("Europe/Kyiv", "person")
        assert (task["kind"], task["status"], task["group"]) == ("scheduled", "active", "main")
        assert (task["schedule_type"], task["schedule_value"]) == ("cron", "0 8 * * 1")
        assert {name: seen[name] for name in seen} == {name: task[name] for name in seen}
        there = [each.astimezone(ZoneInfo("Europe/Kyiv")) for each in moments(task["next_times"])]
        assert [(each.weekday(), each.hour, each.minute) for each in there] == [(0, 8, 0)] * 3
        assert task["next_run_at"] == task["next_times"][0]
        assert task["runs_per_month"] in (4, 5)
        assert (task["cost_per_month_usd"], task["similar_runs"]) == (None, 0)
        named = await added(client, timezone="new york")
        assert (named["timezone"], named["zone_of"]) == ("America/New_York", "named")
        listed = (await given(client, "GET", "/api/tasks"))["tasks"]
        assert [each["id"] for each in listed] == [named["id"], task["id"], on_host["id"]]
        assert await given(client, "GET", f"/api/tasks/{task['id']}") == task


async def test_a_preview_schedules_nothing(home: Path) -> None:
    async with started_host(home) as host, browser(host) as client:
        seen = await given(
            client, "POST", "/api/tasks/preview", {"when": "every 90 minutes", "timezone": "Asia/Tokyo"}
        )
        first, second, third = moments(seen["next_times"])
        assert second - first == third - second == timedelta(minutes=90)
        assert (seen["schedule_type"], seen["schedule_value"], seen["zone_of"]) == (
            "interval",
            "5400",
            "named",
        )
        assert seen["runs_per_month"] == 480
        assert await refused(client, "POST", "/api/tasks/preview", {"when": "soon"}) == "when-unclear"
        assert await refused(client, "POST", "/api/tasks/preview", {}) == "bad-request"
        nowhere = {"when": "every 90 minutes", "group": "nowhere"}
        assert await refused(client, "POST", "/api/tasks/preview", nowhere) == "group-missing"
        assert (await given(client, "GET", "/api/tasks?over=1"))["tasks"] == []


@pytest.mark.capability("F2")
async def test_on_days_on_which_the_clocks_are_set_a_time_of_the_day_comes_once(home: Path) -> None:
    kyiv, today = ZoneInfo("Europe/Kyiv"), now()

    def next_change(month: int) -> datetime:
        """Both are at night, on the last Sunday of their month."""
        last = (datetime(year, month, 31, 3, 30, tzinfo=kyiv) for year in (today.year, today.year + 1))
        sundays = (day - timedelta(days=day.isoweekday() % 7) for day in last)
        return next(day for day in sundays if day > today + timedelta(days=1))

    async with started_host(home) as host, browser(host) as client:

        async def first_two(day: datetime) -> list[datetime]:
            when = {"when": f"30 3 {day.day} {day.month} *"}
            seen = await given(client, "POST", "/api/tasks/preview", {**when, "timezone": kyiv.key})
            return [each.astimezone(kyiv) for each in moments(seen["next_times"])[:2]]

        spring, autumn = next_change(3), next_change(10)
        skipped, following = await first_two(spring)  # at three it is four
        assert (skipped.date(), skipped.hour, skipped.minute) == (spring.date(), 4, 0)
        assert following.date() != spring.date()
        twice, following = await first_two(autumn)  # at four it is three again
        assert (twice.date(), twice.hour, twice.minute) == (autumn.date(), 3, 30)
        assert following.date() != autumn.date()


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "six fields": ({"when": "* * * * * *"}, "cron-seconds"),
    "61 minutes": ({"when": "61 * * * *"}, "cron-field"),
    "31 February": ({"when": "0 9 31 2 *"}, "cron-never"),
    "31 February as a value": (
        {"when": None, "schedule_type": "cron", "schedule_value": "0 9 31 2 *"},
        "cron-never",
    ),
    "every 0 minutes": ({"when": "every 0 minutes"}, "interval-short"),
    "59 seconds": ({"when": None, "schedule_type": "interval", "schedule_value": "59"}, "interval-short"),
    "a time that is over": ({"when": "2020-01-01 10:00"}, "until-past"),
    "no time": ({"when": None}, "when-missing"),
    "a time of a megabyte": ({"when": "9" * 1_000_000}, "when-unclear"),
    "an unknown type": ({"schedule_type": "hourly"}, "bad-request"),
    "an unknown zone": ({"timezone": "Mars/Base"}, "timezone-unknown"),
    "a text of a megabyte": ({"prompt": "x" * 1_000_000}, "task-prompt-long"),
    "an empty text": ({"prompt": " \n"}, "task-no-prompt"),
    "no text": ({"prompt": None}, "bad-request"),
    "an unknown skill": ({"skill": "nope"}, "task-no-skill"),
    "an unknown group": ({"group": "nope"}, "group-missing"),
    "a group outside": ({"group": "../main"}, "group-missing"),
    "an unknown chat": ({"chat": "nope"}, "task-no-route"),
    "an unknown field": ({"color": "red"}, "bad-request"),
    "an unknown priority": ({"priority": "urgent"}, "bad-request"),
    "a check of a megabyte": ({"check": "x" * 1_000_000}, "bad-request"),
    "an unknown catch-up": ({"catch_up": "some"}, "task-no-such-choice"),
    "an unknown overlap": ({"overlap": "both"}, "task-no-such-choice"),
    "too many retries": ({"retries": 21}, "task-bad-number"),
    "fewer than no retries": ({"retries": -1}, "task-bad-number"),
    "never paused": ({"pause_after": 0}, "task-bad-number"),
    "no length of time": ({"stale_after": "soon"}, "span-unclear"),
    "a negative time": ({"deliver_by": "-5m"}, "span-unclear"),
    "a time too long": ({"jitter": "99d"}, "task-span-long"),
    "nobody to alarm": ({"deliver_by": "5m", "alarm_to": "nobody"}, "task-no-route"),
    "no minutes": ({"background": True, "when": None, "estimated_minutes": 0}, "bad-request"),
}


async def test_what_does_not_fit_is_refused_with_what_to_write_and_nothing_is_scheduled(home: Path) -> None:
    async with started_host(home) as host, browser(host) as client:
        found = {
            name: await refused(client, "POST", "/api/tasks", {**NEWS, **body})
            for name, (body, _) in WRONG.items()
        }
        assert found == {name: code for name, (_, code) in WRONG.items()}
        broken = await client.post("/api/tasks", content=b"{")
        assert (broken.status_code, broken.json()["code"]) == (400, "bad-request")
        huge = await client.post("/api/tasks", json={**NEWS, "prompt": "x" * 9_000_000})
        assert (huge.status_code, huge.json()["code"]) == (413, "too-big")
        assert (await given(client, "GET", "/api/tasks?over=1"))["tasks"] == []
        long = (await client.post("/api/tasks", json={**NEWS, "prompt": "x" * 1_000_000})).json()["error"]
        assert "1,000,000" in long
        assert "20,000" in long


async def test_a_number_that_is_none_is_not_found(home: Path) -> None:
    async with started_host(home) as host, browser(host) as client:
        for ref in ("7", "0", "-1", "abc", "1e3", "99999999999999999999", "%00", "٣"):
            for method, path in (
                ("GET", ""),
                ("PATCH", ""),
                ("DELETE", ""),
                ("GET", "/runs"),
                *(("POST", f"/{action}") for action in ("pause", "resume", "run", "cancel")),
            ):
                body = {"prompt": "x"} if method == "PATCH" else None
                assert await refused(client, method, f"/api/tasks/{ref}{path}", body) == "no-such-task"
        assert (await client.post("/api/tasks/7/delete")).status_code == 404
        for query in ("over=maybe", "before=0", "before=x", "color=red"):
            assert await refused(client, "GET", f"/api/tasks?{query}") == "bad-request"
        await added(client)
        for query in ("limit=0", "limit=201", "limit=x"):
            assert await refused(client, "GET", f"/api/tasks/1/runs?{query}") == "bad-request"


async def test_a_task_is_edited_and_what_is_left_out_stays(home: Path) -> None:
    async with started_host(home) as host, browser(host) as client:
        before = await added(client, check="true", model="some-model", skill="news-curator", stale_after="2h")
        changed = await given(
            client,
            "PATCH",
            "/api/tasks/1",
            {
                "prompt": "Send\x00 more",
                "when": "every day 9:00",
                "timezone": "Kyiv",
                "retries": 0,
                "jitter": "5m",
            },
        )
        assert changed["prompt"] == "Send\ufffd more"
        assert (changed["schedule_value"], changed["timezone"], changed["zone_of"]) == (
            "0 9 * * *",
            "Europe/Kyiv",
            "named",
        )
        assert changed["policy"] == {**before["policy"], "retries": 0, "jitter": 300}
        assert [changed[name] for name in ("check", "model", "skill", "notify")] == [
            "true",
            "some-model",
            "news-curator",
            True,
        ]
        bare = {"check": "", "model": "", "skill": "", "notify": False, "stale_after": "none"}
        bared = await given(client, "PATCH", "/api/tasks/1", bare)
        assert [bared[name] for name in ("check", "model", "skill", "notify")] == [None, None, "", False]
        assert bared["policy"]["stale_after"] is None
        assert await given(client, "PATCH", "/api/tasks/1", {}) == bared
        for body, code in (
            ({"when": "* * * * * *"}, "cron-seconds"),
            ({"when": "2020-01-01 10:00"}, "until-past"),
            ({"timezone": "Mars/Base"}, "timezone-unknown"),
            ({"prompt": "x" * 1_000_000}, "task-prompt-long"),
            ({"prompt": ""}, "task-no-prompt"),
            ({"skill": "nope"}, "task-no-skill"),
            ({"alarm_to": "nobody"}, "task-no-route"),
            ({"catch_up": "some"}, "task-no-such-choice"),
            ({"priority": "low"}, "bad-request"),
        ):
            assert await refused(client, "PATCH", "/api/tasks/1", body) == code, body
        assert await given(client, "GET", "/api/tasks/1") == bared


async def test_a_task_is_paused_resumed_run_and_deleted(home: Path) -> None:
    model = ScriptedModel("Nothing new today.")
    async with started_host(home, model=model) as host, browser(host) as client:
        await added(client)
        assert (await given(client, "POST", "/api/tasks/1/pause"))["status"] == "paused"
        assert await refused(client, "POST", "/api/tasks/1/pause") == "task-paused-already"
        assert (await given(client, "POST", "/api/tasks/1/resume"))["status"] == "active"
        assert await refused(client, "POST", "/api/tasks/1/resume") == "task-not-paused"
        assert await refused(client, "POST", "/api/tasks/1/cancel") == "task-runs-not"
        model.hold()
        assert (await given(client, "POST", "/api/tasks/1/run"))["running"]
        assert await refused(client, "POST", "/api/tasks/1/run") == "task-runs-already"
        await model.wait_for_calls(1)
        await given(client, "POST", "/api/tasks/1/cancel")
        assert (await ended_run(client, 1))["status"] == "cancelled"
        model.go_on()
        await given(client, "POST", "/api/tasks/1/run")
        run = await ended_run(client, 1)
        assert (run["status"], run["reason"], run["result"]) == ("success", "manual", "Nothing new today.")
        assert run["duration_ms"] >= 0
        assert run["cost_usd"] == 0
        why = await given(client, "GET", f"/api/messages/{run['message_id']}/why")
        assert why["steps"]
        runs = (await given(client, "GET", "/api/tasks/1/runs?limit=1"))["runs"]
        older = (await given(client, "GET", f"/api/tasks/1/runs?limit=1&before={runs[0]['id']}"))["runs"]
        assert [each["status"] for each in (*runs, *older)] == ["success", "cancelled"]
        task = await given(client, "GET", "/api/tasks/1")
        assert task["last_run"] == run
        assert (task["run_count"], task["running"]) == (2, False)
        assert (await given(client, "DELETE", "/api/tasks/1"))["status"] == "deleted"
        assert await refused(client, "DELETE", "/api/tasks/1") == "no-such-task"
        assert (await given(client, "GET", "/api/tasks?over=1"))["tasks"] == []


@pytest.mark.capability("F5")
async def test_work_that_takes_long_begins_at_once_and_a_repeat_of_the_request_is_the_same_task(
    home: Path,
) -> None:
    model = ScriptedModel("Seven competitors.")
    async with started_host(home, model=model) as host, browser(host) as client:
        model.hold()
        wanted = {
            "id": "audit-1",
            "prompt": "Audit all competitors",
            "background": True,
            "priority": "high",
            "estimated_minutes": 30,
            "retries": 0,
        }
        first, again = [await given(client, "POST", "/api/tasks", wanted, code=201) for _ in range(2)]
        assert again["id"] == first["id"]
        assert (first["kind"], first["priority"], first["estimated_minutes"]) == ("background", "high", 30)
        assert (first["running"], first["policy"]["retries"]) == (True, 0)
        await model.wait_for_calls(1)
        model.go_on()
        run = await ended_run(client, first["id"])
        assert (run["status"], run["reason"], run["result"]) == (
            "success",
            "background",
            "Seven competitors.",
        )
        assert len(model.asked) == 1
        assert (await given(client, "GET", "/api/tasks"))["tasks"] == []
        over = (await given(client, "GET", "/api/tasks?over=1"))["tasks"]
        assert [(each["id"], each["status"]) for each in over] == [(first["id"], "completed")]


async def test_the_calendar_shows_what_was_and_what_will_be(home: Path) -> None:
    async with started_host(home, model=ScriptedModel()) as host, browser(host) as client:
        await added(client, when="every 6 hours")
        paused = await added(client, when="every 1 hours")
        await given(client, "POST", f"/api/tasks/{paused['id']}/pause")
        await given(client, "POST", "/api/tasks/1/run")
        await ended_run(client, 1)
        at = now()

        async def calendar(start: timedelta, end: timedelta) -> Any:
            span = {"from": (at + start).isoformat(), "to": (at + end).isoformat()}
            answer = await client.get("/api/calendar", params=span)
            return answer.json()

        seen = await calendar(timedelta(days=-1), timedelta(hours=23))
        assert [(run["task_id"], run["status"]) for run in seen["runs"]] == [(1, "success")]
        assert [each["task_id"] for each in seen["coming"]] == [1, 1, 1]
        coming = moments([each["at"] for each in seen["coming"]])
        assert {later - sooner for sooner, later in pairwise(coming)} == {timedelta(hours=6)}
        assert not seen["more"]
        assert (await calendar(timedelta(days=-3), timedelta(days=-2))) == {
            "runs": [],
            "coming": [],
            "more": False,
        }
        assert (await calendar(timedelta(days=1), timedelta()))["code"] == "calendar-span"
        assert (await calendar(timedelta(), timedelta(days=101)))["code"] == "calendar-span"
        for query in (
            "",
            "?from=2026-01-01T00:00:00Z",
            "?from=2026-01-01T00:00:00&to=2026-01-02T00:00:00",
            "?from=0001-01-01T00:00:00%2B14:00&to=0001-01-02T00:00:00%2B14:00",
            "?from=9999-12-31T00:00:00-14:00&to=9999-12-31T23:00:00-14:00",
            "?from=today&to=tomorrow",
        ):
            assert await refused(client, "GET", f"/api/calendar{query}") == "bad-request"


async def test_many_tasks_are_read_page_by_page(home: Path) -> None:
    async with started_host(home) as host, browser(host) as client:
        await added(client)

        def add_many(tx: Tx) -> None:
            first, at = tasks.get(tx, 1), now()
            assert first
            often = WantedTask(schedule=cron("* * * * *", "Europe/Kyiv", at), prompt="Look")
            for _ in range(204):
                tasks.add(
                    tx,
                    often,
                    group=first.group,
                    chat_id=first.chat_id,
                    thread=None,
                    owner=first.owner,
                    zone_of=ZoneOf.HOST,
                    next_run_at=at + timedelta(days=1),
                    at=at,
                )

        await host.store.write(add_many)
        page = (await given(client, "GET", "/api/tasks"))["tasks"]
        assert [each["id"] for each in page] == list(range(205, 5, -1))
        rest = (await given(client, "GET", f"/api/tasks?before={page[-1]['id']}"))["tasks"]
        assert [each["id"] for each in rest] == [5, 4, 3, 2, 1]
        span = {"from": now().isoformat(), "to": (now() + timedelta(days=31)).isoformat()}
        calendar = (await client.get("/api/calendar", params=span)).json()
        assert calendar["more"]


async def test_the_audit_says_with_which_tool_a_task_was_changed(home: Path) -> None:
    async with (
        started_host(home) as host,
        browser(host) as page,
        browser(host, **{VIA: COMMAND_LINE}) as terminal,
        browser(host, **{VIA: "somewhere else"}) as stranger,
    ):
        for client in (page, terminal, stranger):
            await added(client)
        await given(terminal, "POST", "/api/tasks/1/pause")
        await given(terminal, "PATCH", "/api/tasks/1", {"prompt": "Other"})
        entries = (await given(page, "GET", "/api/audit"))["items"]
        told = [(each["action"], each["via"]) for each in entries if each["action"].startswith("task-")]
        assert sorted(told) == [
            ("task-edited", COMMAND_LINE),
            ("task-made", COMMAND_LINE),
            ("task-made", "web"),
            ("task-made", "web"),
            ("task-paused", COMMAND_LINE),
        ]


async def test_tasks_are_for_whoever_holds_the_token(home: Path) -> None:
    async with started_host(home) as host, httpx.AsyncClient(base_url=host.url) as stranger:
        for method, path in (("GET", "/api/tasks"), ("POST", "/api/tasks"), ("GET", "/api/calendar")):
            assert (await stranger.request(method, path, json=NEWS)).status_code == 401


async def test_openapi_lists_what_can_be_asked_about_tasks(home: Path) -> None:
    async with started_host(home) as host, browser(host) as client:
        described = await given(client, "GET", "/api/openapi.json")
        paths = described["paths"]
        found = {
            (method, path)
            for path, methods in paths.items()
            for method in methods
            if path.startswith("/api/tasks") or path == "/api/calendar"
        }
        assert found == {
            ("get", "/api/tasks"),
            ("post", "/api/tasks"),
            ("post", "/api/tasks/preview"),
            ("get", "/api/tasks/{task}"),
            ("patch", "/api/tasks/{task}"),
            ("delete", "/api/tasks/{task}"),
            ("get", "/api/tasks/{task}/runs"),
            *(("post", f"/api/tasks/{{task}}/{action}") for action in ("pause", "resume", "run", "cancel")),
            ("get", "/api/calendar"),
        }
        body = paths["/api/tasks"]["post"]["requestBody"]["content"]["application/json"]["schema"]
        assert body == {"$ref": "#/components/schemas/NewTask"}
        wanted = described["components"]["schemas"]["NewTask"]
        assert wanted["required"] == ["prompt"]
        assert not wanted["additionalProperties"]
        assert [each["name"] for each in paths["/api/calendar"]["get"]["parameters"]] == ["from", "to"]
