"""The commands about tasks, as someone types them beside a host that runs, and without one."""

import asyncio
import io
import re
import shutil
import sys
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.typed import Typed, typing_in

from nanoclaw.cli.tasks.lines import calendar_lines, whole_lines
from nanoclaw.console.task_shapes import Calendar, Coming, Policy, Run, Task
from nanoclaw.domain import tasks
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.people import LOCAL_OWNER
from nanoclaw.durable import audit
from nanoclaw.durable.clock import now
from nanoclaw.durable.tables import people, task_run_logs
from nanoclaw.host.host import Host
from nanoclaw.testing import ScriptedModel, started_host

pytestmark = pytest.mark.capability("F1", "F3", "O1")

NEWS = ("tasks", "add", "every monday 8:00", "Send me the news")


@pytest.fixture
def typed(home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Typed:
    return typing_in(home, monkeypatch, capfd)


async def live_in(host: Host, timezone: str, language: str = "en") -> None:
    """The owner sets their own."""
    mine = people.c.handle == LOCAL_OWNER
    await host.store.write(
        lambda tx: (
            tx.execute(sa.update(people).where(mine).values(timezone=timezone, language=language)).rowcount
        )
    )


async def ended(typed: Typed, number: int) -> None:
    """Until the newest run of a task is over."""
    async with asyncio.timeout(60):
        while not (await typed("tasks", "history", str(number), "--json")).json()[0]["finished_at"]:
            await asyncio.sleep(0.02)


async def priced_at(host: Host, micros: int) -> None:
    await host.store.write(lambda tx: tx.execute(sa.update(task_run_logs).values(micros=micros)).rowcount)


@pytest.mark.capability("F2")
async def test_a_new_task_is_confirmed_with_its_times_whose_clock_they_are_and_what_it_may_cost(
    home: Path, typed: Typed
) -> None:
    async with started_host(home, model=ScriptedModel("Nothing new.")) as host:
        assert (await typed("tasks")).out.startswith("There are no tasks. Schedule one: nanoclaw tasks add")
        said = await typed(*NEWS)
        assert (said.code, said.err) == (0, "")
        assert "On the clock of this host: UTC" in said.out
        await live_in(host, "Europe/Kyiv")
        said = await typed(*NEWS)
        lines = said.out.splitlines()
        assert lines[0] == "Task 2: Send me the news"
        times = [line.strip() for line in lines if line.startswith("    ")]
        assert len(times) == 3
        for each in times:
            assert re.fullmatch(r"Mon \d{4}-\d\d-\d\d 08:00 \(\+0[23]:00\)", each)
        assert "🕐 On the clock of Owner: Europe/Kyiv" in lines
        assert re.search(r"💰 [45] runs a month\. What one costs is known after the first\.", said.out)
        assert "For the agent group main; the results go to General" in lines
        named = await typed(*NEWS, "--zone", "Asia/Tokyo")
        assert re.search(r"    Mon \d{4}-\d\d-\d\d 0[12]:00 \(\+0[23]:00\)\n", named.out)
        assert "On the clock that was named: Asia/Tokyo\n" in named.out
        assert "The times are shown on your clock: Europe/Kyiv\n" in named.out
        await typed("tasks", "run", "2")
        await ended(typed, 2)
        await priced_at(host, 20_000)
        shown = (await typed("tasks", "show", "2")).out
        month = (await typed("tasks", "show", "2", "--json")).json()
        assert (month["cost_per_run_usd"], month["similar_runs"]) == (0.02, 1)
        assert re.search(
            r"About \$0\.0200 a run, \$0\.(0800|1000) a month \([45] runs\), from the last run like it", shown
        )


async def test_a_task_is_scheduled_with_all_that_can_be_said_about_it(home: Path, typed: Typed) -> None:
    async with started_host(home, model=ScriptedModel()) as host:
        said = await typed(
            *(
                "tasks",
                "add",
                "0 9 * * 1-5",
                "Look\nagain",
                "--skill",
                "news-curator",
                "--model",
                "some-model",
            ),
            *("--group", "main", "--to", "General", "--zone", "Kyiv", "--check", "test -e news", "--quiet"),
            *("--catch-up", "all", "--most-caught-up", "3", "--stale-after", "2h", "--overlap", "queue"),
            *("--thinking", "high"),
            *("--jitter", "5m", "--retries", "4", "--retry-pause", "10m", "--pause-after", "7"),
            *("--deliver-by", "30m", "--alarm-to", "General", "--priority", "low", "--json"),
        )
        row = said.json()
        assert row["policy"] == {
            "catch_up": "all",
            "most_caught_up": 3,
            "stale_after": 7200,
            "overlap": "queue",
            "thinking": "high",
            "jitter": 300,
            "retries": 4,
            "retry_pause": 600,
            "pause_after": 7,
            "deliver_by": 1800,
            "alarm_to": "General",
        }
        assert [
            row[name] for name in ("skill", "model", "check", "notify", "priority", "timezone", "chat_title")
        ] == [
            "news-curator",
            "some-model",
            "test -e news",
            False,
            "low",
            "Europe/Kyiv",
            "General",
        ]
        shown = (await typed("tasks", "show", "1")).out
        for line in (
            "│ Look\n│ again\n",
            "Skill: news-curator\n",
            "Model: some-model\n",
            "Check: test -e news\n",
            "Its results are not sent, only failures.\n",
            "Runs that were missed are made up for, the last 3 at most.\n",
            "A run that is due while the one before it goes on waits for it.\n",
            "It is tried 4 more times when it fails, first after 10 min.\n",
            "It is paused after 7 failures in a row.\n",
            "More than 2 h late it is not run any more.\n",
            "It starts within 5 min after its time.\n",
            "When its result has not arrived 30 min after its time, General is told.\n",
            "It has not run yet.\n",
        ):
            assert line in shown, (line, shown)
        await typed("tasks", "run", "1")
        found = await host.store.read(lambda tx: audit.newest(tx, 2))
        assert {each.via for each in found} == {"command line"}


WRONG = {
    "six fields": (("* * * * * *", "x"), '"* * * * * *" has six fields'),
    "61 minutes": (("61 * * * *", "x"), 'the minute "61" cannot be used'),
    "31 February": (("0 9 31 2 *", "x"), "never comes: there is no such day"),
    "every 0 minutes": (("every 0 minutes", "x"), "once a minute at most"),
    "a time that is over": (("2020-01-01 10:00", "x"), "is over already"),
    "no time at all": ((" ", "x"), "When it is to be done is missing."),
    "no time": (("soon", "x"), '"soon" is no time that can be understood'),
    "an unknown zone": (("every day 9:00", "x", "--zone", "Mars"), 'There is no zone "Mars"'),
    "a text of a megabyte": (
        ("every day 9:00", "x" * 1_000_000),
        "1,000,000 characters; a task can have 20,000",
    ),
    "an empty text": (("every day 9:00", " "), 'nanoclaw tasks add "every monday 8:00"'),
    "no text": (("every day 9:00",), "What is to be done?"),
    "an unknown skill": (("every day 9:00", "x", "--skill", "nope"), 'There is no skill "nope". There are: '),
    "an unknown group": (("every day 9:00", "x", "--group", "nope"), "There is no agent group nope"),
    "an unknown chat": (("every day 9:00", "x", "--to", "nope"), '"nope" is no person and no chat'),
    "nobody to alarm": (("every day 9:00", "x", "--alarm-to", "nope"), '"nope" is no person and no chat'),
    "a catch-up": (("every day 9:00", "x", "--catch-up", "some"), '--catch-up cannot be "some"'),
    "an overlap": (("every day 9:00", "x", "--overlap", "both"), '--overlap cannot be "both"'),
    "a span": (("every day 9:00", "x", "--stale-after", "soon"), '"soon" is no length of time'),
    "a long span": (("every day 9:00", "x", "--stale-after", "99d"), '--stale-after cannot be "99d"'),
    "a priority": (("every day 9:00", "x", "--priority", "urgent"), '--priority cannot be "urgent"'),
    "a time beside the background": (("every day 9:00", "x", "--background"), "begins at once"),
}


async def test_what_does_not_fit_is_refused_with_what_to_type(home: Path, typed: Typed) -> None:
    async with started_host(home):
        for name, (words, sentence) in WRONG.items():
            said = await typed("tasks", "add", *words)
            assert (said.code, said.out) == (1, ""), name
            assert sentence in said.err, (name, said.err)
            assert "/schedule" not in said.err, name
            assert "Traceback" not in said.err, name
        for words in (("--retries", "99"), ("--retries", "many"), ("--pause-after", "0"), ("--minutes", "0")):
            assert (await typed(*NEWS, *words)).code == 2
        assert (await typed("tasks", "--all", "--json")).json() == []


async def test_a_group_without_a_chat_and_a_skill_that_was_removed_are_told_of(
    home: Path, typed: Typed
) -> None:
    async with started_host(home):
        await typed("groups", "add", "sales")
        unwired = await typed(*NEWS, "--group", "sales")
        assert (unwired.code, "nanoclaw wirings set CHAT sales" in unwired.err) == (1, True), unwired.err
        await typed(*NEWS, "--skill", "news-curator")
    shutil.rmtree(next((home / "skills").rglob("news-curator")))
    async with started_host(home):
        gone = await typed("tasks", "run", "1")
        assert (gone.code, "The skill news-curator of task 1 is no longer there." in gone.err) == (1, True)
        assert (await typed("tasks", "edit", "1", "--skill", "")).code == 0
        assert (await typed("tasks", "run", "1")).code == 0


async def test_a_number_that_is_none_is_told_where_to_look(home: Path, typed: Typed) -> None:
    async with started_host(home):
        for words in (
            *(("show", ref) for ref in ("abc", "0", "1.5", "x" * 500, "")),
            ("edit", "7", "--text", "x"),
            *((action, "7") for action in ("show", "pause", "resume", "run", "cancel", "delete", "history")),
        ):
            said = await typed("tasks", *words)
            assert said.code == 1, said
            assert words[1][:5] in said.err
            assert said.err.endswith("nanoclaw tasks\n")
            assert len(said.err) < 300


async def test_a_task_is_paused_resumed_run_edited_and_stopped(home: Path, typed: Typed) -> None:
    model = ScriptedModel("Nothing new today.\nReally.")
    async with started_host(home, model=model):
        await typed(*NEWS)
        paused = await typed("tasks", "pause", "1")
        assert paused.out.startswith("Task 1 is paused. Go on with it: nanoclaw tasks resume 1\n")
        assert "⏸ paused" in (await typed("tasks")).out
        assert "Task 1 is paused already." in (await typed("tasks", "pause", "1")).err
        resumed = await typed("tasks", "resume", "1")
        assert re.search(r"^Task 1 goes on\.\n.*\n    Mondays at 08:00 · next Mon ", resumed.out)
        assert (await typed("tasks", "history", "1")).out == "It has not run yet.\n"
        model.hold()
        assert "Task 1 is run now." in (await typed("tasks", "run", "1")).out
        await model.wait_for_calls(1)
        again = await typed("tasks", "run", "1")
        assert (again.code, "nanoclaw tasks cancel 1" in again.err) == (1, True)
        assert (await typed("tasks", "cancel", "1")).out.startswith("What task 1 was doing is stopped.\n")
        await ended(typed, 1)
        assert "✖️ stopped" in (await typed("tasks", "history", "1")).out
        model.go_on()
        await typed("tasks", "run", "1")
        await ended(typed, 1)
        newest, *_ = (await typed("tasks", "history", "1", "--limit", "1")).out.splitlines()
        assert re.match(
            r"\w{3} \d{4}-\d\d-\d\d \d\d:\d\d \(\+00:00\) · ✅ done · started by a person · [\d.]+ .* · \$0",
            newest,
        )
        assert "    Nothing new today. Really.\n" in (await typed("tasks", "history", "1")).out
        assert len((await typed("tasks", "history", "1", "--json")).json()) == 2
        assert "last: ✅ done" in (await typed("tasks")).out
        edited = await typed(
            "tasks", "edit", "1", "--when", "every day 9:00", "--text", "Send all", "--quiet"
        )
        assert edited.out.startswith("Task 1: Send all\n")
        assert " 09:00 (+00:00)\n" in edited.out
        row = (await typed("tasks", "edit", "1", "--notify", "--retries", "0", "--json")).json()
        assert (row["notify"], row["policy"]["retries"], row["prompt"]) == (True, 0, "Send all")
        assert "nanoclaw tasks edit 5 --when" in (await typed("tasks", "edit", "1")).err
        assert 'no skill "nope"' in (await typed("tasks", "edit", "1", "--skill", "nope")).err
        assert "six fields" in (await typed("tasks", "edit", "1", "--when", "* * * * * *")).err


async def test_a_task_is_deleted_and_someone_at_a_terminal_is_asked_first(
    home: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    async with started_host(home):
        for _ in range(3):
            await typed(*NEWS)
        monkeypatch.setattr(sys, "stdin", Terminal("n\n"))
        kept = await typed("tasks", "delete", "1")
        assert (kept.code, kept.out) == (1, "")
        assert kept.err == "Delete task 1 (Send me the news)? y/N Nothing was deleted.\n"
        monkeypatch.setattr(sys, "stdin", Terminal("y\n"))
        assert (await typed("tasks", "delete", "1")).out == "Task 1 is deleted.\n"
        assert (await typed("tasks", "delete", "2", "--yes")).out == "Task 2 is deleted.\n"
        monkeypatch.setattr(sys, "stdin", io.StringIO(""))
        assert (await typed("tasks", "delete", "3", "--json")).json()["status"] == "deleted"
        assert (await typed("tasks", "--json")).json() == []


@pytest.mark.capability("F5")
async def test_work_that_takes_long_is_handed_over_and_listed_when_it_is_over(
    home: Path, typed: Typed
) -> None:
    model = ScriptedModel("Seven competitors.")
    async with started_host(home, model=model):
        model.hold()
        said = await typed(
            "tasks", "add", "--background", "Audit all", "--minutes", "30", "--priority", "high"
        )
        assert said.out.startswith("Task 1: Audit all\n⏳ in the background, priority high\n")
        await model.wait_for_calls(1)
        assert "▶️ under way" in (await typed("tasks")).out
        model.go_on()
        await ended(typed, 1)
        assert "There are no tasks" in (await typed("tasks")).out
        over = (await typed("tasks", "--all")).out
        assert "✅ is done · last: ✅ done" in over
        assert "It has run once.\n" in (await typed("tasks", "show", "1")).out


async def test_the_list_and_the_calendar_have_as_much_as_is_wanted(home: Path, typed: Typed) -> None:
    async with started_host(home, model=ScriptedModel()) as host:
        await live_in(host, "Asia/Tokyo")
        assert (await typed("tasks", "calendar")).out == "Nothing ran, and nothing will run in these days.\n"
        for words in (("every day 23:59", "Last"), ("every day 0:01", "First")):
            await typed("tasks", "add", *words)
        few = await typed("tasks", "--limit", "1")
        assert few.out.startswith("2  First\n")
        assert "Only the newest 1 are shown." in few.err
        await typed("tasks", "run", "2")
        await ended(typed, 2)
        seen = await typed("tasks", "calendar", "--days", "3")
        days = seen.out.split("\n\n")
        assert len(days) in (2, 3)
        assert re.match(r"\w{3} \d{4}-\d\d-\d\d\n", days[0])
        assert "    23:59 (+09:00)  1  Last\n" in seen.out
        assert "    00:01 (+09:00)  2  First\n" in seen.out
        assert "2  First · ✅ done" in seen.out
        found = (await typed("tasks", "calendar", "--days", "3", "--json")).json()
        assert [run["task_id"] for run in found["runs"]] == [2]
        assert {each["task_id"] for each in found["coming"]} == {1, 2}
        assert (await typed("tasks", "calendar", "--days", "101")).code == 2
        await typed("tasks", "add", "every 2 minutes", "Look")
        often = (await typed("tasks", "calendar", "--days", "3")).out.split("\n\n")[1]
        assert re.search(r"\n    00:0[01] \(\+09:00\)  3  Look · 72[01] times\n", often)
        assert "    00:01 (+09:00)  2  First\n" in often
        assert len(often.strip().splitlines()) == 4


def test_runs_that_ended_alike_share_a_line_where_they_are_many_on_a_day() -> None:
    midnight = datetime(2026, 10, 24, 21, 0, tzinfo=UTC)  # in Kyiv; an hour comes twice on that day

    def runs(status: str, count: int) -> list[Run]:
        return [a_run(status=status, run_at=midnight + timedelta(hours=hour)) for hour in range(count)]

    seen = partial(calendar_lines, Locale(timezone="Europe/Kyiv"))
    assert seen(Calendar(runs=[*runs("success", 6), *runs("failed", 4)], coming=[], more=False)) == [
        "Sun 2026-10-25",
        "    00:00 (+03:00) – 04:00 (+02:00)  1  Look · ✅ done · 6 times",
        "    00:00 (+03:00)  1  Look · ❌ failed",
        "    01:00 (+03:00)  1  Look · ❌ failed",
        "    02:00 (+03:00)  1  Look · ❌ failed",
        "    03:00 (+03:00)  1  Look · ❌ failed",
    ]
    coming = [
        Coming(task_id=1, title="Look", at=midnight + timedelta(hours=hour), times=1) for hour in range(30)
    ]
    assert seen(Calendar(runs=[], coming=coming, more=False)) == [
        "Sun 2026-10-25",
        "    00:00 (+03:00) – 23:00 (+02:00)  1  Look · 25 times",
        "",
        "Mon 2026-10-26",
        "    00:00 – 04:00 (+02:00)  1  Look · 5 times",
    ]


async def test_without_a_host_one_is_started_for_a_moment_and_that_is_said(home: Path, typed: Typed) -> None:
    assert (await typed("tasks", "calendar")).out == "Nothing ran, and nothing will run in these days.\n"
    said = await typed(*NEWS)
    assert said.code == 0, said.err
    assert "The next 3 times:\n" in said.out
    assert "No host runs now" in said.err
    assert "nanoclaw up" in said.err
    assert (await typed("tasks")).out.startswith("1  Send me the news\n")
    row = (await typed("tasks", "add", "--background", "Look", "--json")).json()
    assert row["kind"] == "background"
    run = (await typed("tasks", "history", str(row["id"]), "--json")).json()[0]
    assert run["status"] == "queued"  # a host for a moment would end before it
    async with started_host(home):
        await ended(typed, row["id"])
    assert (await typed("tasks", "history", str(row["id"]), "--json")).json()[0]["status"] == "success"
    assert (
        await typed("tasks", "show", "9")
    ).err == "There is no task 9. See which there are: nanoclaw tasks\n"


async def test_the_owner_reads_all_of_it_in_their_language(home: Path, typed: Typed) -> None:
    async with started_host(home) as host:
        await live_in(host, "Europe/Kyiv", "uk")
        said = (await typed("tasks", "add", "щопонеділка о 8:00", "надсилай новини")).out
        assert said.startswith("Задача 1: надсилай новини\n")
        assert re.search(r"\n    пн \d{4}-\d\d-\d\d 08:00 \(\+0[23]:00\)\n", said)
        assert "🕐 За годинником: Owner, Europe/Kyiv\n" in said
        assert "Після невдачі 2 нові спроби, перша через " in (await typed("tasks", "show", "1")).out
        assert "Задачу 1 призупинено" in (await typed("tasks", "pause", "1")).out


def a_run(**changed: object) -> Run:
    at = now()
    values: dict[str, object] = {
        "id": "r_1",
        "task_id": 1,
        "title": "Look",
        "run_at": at,
        "reason": "late",
        "status": "failed",
        "attempts": 2,
        "started_at": at,
        "finished_at": at,
        "duration_ms": 65_000,
        "cost_usd": 0.0132,
        "doing": None,
        "result": None,
        "error": "It \x1b[31mfailed.",
        "message_id": "m_1",
        "times": 1,
    }
    return Run.model_validate(values | changed)


async def test_what_others_wrote_cannot_move_the_cursor(home: Path, typed: Typed) -> None:
    async with started_host(home, model=ScriptedModel("\x1b[2JGone\x07")):
        await typed("tasks", "add", "every day 9:00", "Look \x1b[31mred\nand more")
        await typed("tasks", "run", "1")
        await ended(typed, 1)
        for words in ((), ("show", "1"), ("history", "1"), ("calendar",)):
            printed = (await typed("tasks", *words)).out
            assert "Look" in printed or "Gone" in printed
            assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", printed)


def test_a_run_that_failed_says_why_and_how_often_it_was_tried() -> None:
    seen = calendar_lines(Locale(), Calendar(runs=[a_run()], coming=[], more=True))
    assert seen[1].endswith("1  Look · ❌ failed")
    assert seen[-1] == "There is more than can be shown. Choose fewer --days."
    row = Task(
        id=1,
        kind="background",
        status="failed",
        why=None,
        group="main",
        chat_id="c_1",
        chat_title="General",
        owner="Owner",
        prompt="Look",
        title="Look",
        skill="",
        model=None,
        notify=True,
        check=None,
        priority="low",
        estimated_minutes=None,
        schedule_type="once",
        schedule_value=datetime(2026, 1, 1).isoformat(),  # noqa: DTZ001 - only shown
        timezone="UTC",
        zone_of="host",
        when="once",
        next_run_at=None,
        next_times=[],
        last_run_at=None,
        run_count=3,
        failures=2,
        created_at=now() - timedelta(days=1),
        policy=Policy.model_validate({**tasks.Policy().in_seconds(), "retries": 1, "deliver_by": 600}),
        runs_per_month=1,
        cost_per_run_usd=None,
        cost_per_month_usd=None,
        similar_runs=0,
        last_run=a_run(),
        running=False,
        stored_text=None,
        batch_id=None,
    )
    lines = whole_lines(Locale(), row)
    assert lines[0] == "Task 1: ❌ failed · last: ❌ failed"
    assert "It is tried once more when it fails, after 1 min." in lines
    assert "When its result has not arrived 10 min after its time, its owner is told elsewhere." in lines
    assert "It has run 3 times, and failed the last 2 times." in lines
    assert lines[-2].endswith(" · ❌ failed · made up for · 1 min · $0.0132 · 3 attempts")
    assert lines[-1] == "    It ⟨U+001B⟩[31mfailed."
