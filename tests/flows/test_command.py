"""Orders to the host: answered by the host itself, in the person's language."""

import re
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from nanoclaw.admission.commands import COMMANDS
from nanoclaw.durable import cost_reports
from nanoclaw.durable.store import Tx
from nanoclaw.testing import FarEnd, ScriptedModel, started_host
from nanoclaw.texts import LANGUAGES

MOST_IN_TELEGRAM = 4096


class TestOrders:
    @pytest.fixture
    async def model(self) -> ScriptedModel:
        return ScriptedModel()

    @pytest.fixture
    async def far_end(self, home: Path, model: ScriptedModel) -> AsyncIterator[FarEnd]:
        async with FarEnd() as far_end, started_host(home, model=model, scripted={"url": far_end.url}):
            yield far_end

    async def ask(self, far_end: FarEnd, text: str) -> str:
        before = len(far_end.said_to("chat"))
        await far_end.say("chat", text)
        return (await far_end.wait_for("chat", before + 1))[-1]

    @pytest.mark.capability("P7")
    @pytest.mark.parametrize("language", LANGUAGES)
    async def test_help_names_everything_in_one_message_and_each_of_its_words_tells_more(
        self, far_end: FarEnd, language: str
    ) -> None:
        await self.ask(far_end, f"/language {language}")
        told = await self.ask(far_end, "/help")
        listed = {name.replace("-", "_") for name, command in COMMANDS.items() if command.listed}
        assert len(told) < MOST_IN_TELEGRAM
        assert listed | {"post", "news", "demo", "write_article"} <= set(re.findall(r"`/(\w+)`", told))
        assert COMMANDS.keys() - {name.replace("_", "-") for name in listed} == {"start", "pair"}
        assert "/pair" not in told
        for line in re.findall(r"^- .*", told, re.MULTILINE):
            word, names = re.findall(r"\*\*(.+)\*\*", line)[0], re.findall(r"`/(\w+)`", line)
            more = await self.ask(far_end, f"/help {word.upper()}")
            assert re.findall(r"^- `/(\w+)", more, re.MULTILINE) == names
        assert "\n\n`/help " in told  # which words can follow it
        greeting, _, rest = (await self.ask(far_end, "/start")).partition("\n\n")
        assert "tester" in greeting
        assert rest == told

    async def test_help_about_a_word_explains_it_or_says_what_may_have_been_meant(
        self, far_end: FarEnd
    ) -> None:
        edit = "`/task_edit TASK time WHEN | text WHAT` change the time or the text of a task"
        for word in ("task_edit", "/task-edit", "/Task_Edit@helper_bot", "how do I task-edit?"):
            assert await self.ask(far_end, f"/help {word}") == f"{edit}\n\nMore of this kind: `/help tasks`"
        assert (await self.ask(far_end, "/help пам’ять")).startswith("**memory**: what the company knows\n")
        for word, told in (
            ("skills", "- `/post` Writes posts"),
            ("post", "More of this kind: `/help skills`"),
        ):
            assert told in await self.ask(far_end, f"/help {word}")
        there = "Write /help to see what there is."
        for word, meant in {"schdule": "schedule", "пакеты": "пакети", "cost": "costs"}.items():
            told = f'Nothing here is called "{word}". Did you mean `/help {meant}`? {there}'
            assert await self.ask(far_end, f"/help {word}") == told
        assert await self.ask(far_end, "/help zzz") == f'Nothing here is called "zzz". {there}'
        assert len(await self.ask(far_end, "/help " + "z" * 3000)) < 150

    async def test_a_skill_cannot_take_over_a_command_of_the_host(self, home: Path, far_end: FarEnd) -> None:
        path = home / "skills/meta/orchestration/demo-tour/SKILL.md"
        path.write_text(path.read_text().replace("/demo", "/help"))
        assert (await self.ask(far_end, "/help")).startswith("What you can write here")

    @pytest.mark.capability("A15")
    async def test_an_unknown_command_says_where_to_look(self, far_end: FarEnd, model: ScriptedModel) -> None:
        assert await self.ask(far_end, "/nosuch thing") == (
            "There is no command /nosuch. Write /help to see the commands."
        )
        assert model.asked == []

    async def test_a_near_miss_is_told_what_may_have_been_meant(self, far_end: FarEnd) -> None:
        told = "There is no command /{}. Did you mean /{}? Write /help to see all commands."
        for typed, meant in {"schdule": "schedule", "task_pase": "task_pause", "dmo": "demo"}.items():
            assert await self.ask(far_end, f"/{typed} it") == told.format(typed.replace("_", "-"), meant)

    async def test_what_takes_long_to_read_holds_nobody_up(
        self, far_end: FarEnd, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        go_on, companies = threading.Event(), cost_reports.companies

        def slowly(tx: Tx) -> list[str]:
            """As if there were a million rows."""
            go_on.wait(60)
            return companies(tx)

        assert await self.ask(far_end, "hello") == "ok"
        monkeypatch.setattr(cost_reports, "companies", slowly)
        try:
            await far_end.say("chat", "/costs")
            assert await self.ask(far_end, "and how are you?") == "ok"
        finally:
            go_on.set()
        *_, told = await far_end.wait_for("chat", 3)
        assert told.startswith("💰 **All companies**: today")

    async def test_a_path_is_not_a_command(self, far_end: FarEnd) -> None:
        assert await self.ask(far_end, "/etc/hosts is a file") == "ok"

    async def test_the_language_of_the_host_follows_the_person(self, far_end: FarEnd) -> None:
        assert await self.ask(far_end, "/language uk") == "Відтепер хост говорить з вами українською."
        assert (await self.ask(far_end, "/help")).startswith("Що тут можна написати")
        for word, usage in (
            ("task_edit", "ЗАДАЧА time КОЛИ | text ЩО"),
            ("export_session", "[КУДИ] [НАВІЩО]"),
        ):
            assert f"`/{word} {usage}`" in await self.ask(far_end, f"/help {word}")
        assert await self.ask(far_end, "/language tlh") == "Напишіть /language en або /language uk."

    @pytest.mark.capability("T1")
    async def test_a_zone_is_checked_when_it_is_set(self, far_end: FarEnd) -> None:
        assert "Europe/Kyiv" in await self.ask(far_end, "/timezone Europe/Kyiv")
        assert "no zone" in await self.ask(far_end, "/timezone ../../etc/passwd")

    @pytest.mark.capability("A15", "O2")
    async def test_why_tells_the_story_of_the_last_message(self, far_end: FarEnd) -> None:
        await self.ask(far_end, "hello")
        await self.ask(far_end, "/status")  # the first thing a puzzled person asks
        told = await self.ask(far_end, "/why")
        assert told.startswith("**The message was answered.**")
        for step in ("received on scripted", "admitted to main", "turn started", "delivered on scripted"):
            assert step in told
        assert "no such message" in await self.ask(far_end, "/why m_nonsense")

    @pytest.mark.capability("A15")
    async def test_retry_tries_the_last_failed_message_again(
        self, far_end: FarEnd, model: ScriptedModel
    ) -> None:
        assert "nothing to retry" in await self.ask(far_end, "/retry")

        def fail(_: object) -> list[str]:
            raise ZeroDivisionError

        model.script = fail
        assert "/retry" in await self.ask(far_end, "hello")
        model.script = "now it works"
        await far_end.say("chat", "/retry")
        assert sorted((await far_end.wait_for("chat", 4))[2:]) == ["It is tried again.", "now it works"]

    async def test_a_zone_is_found_by_its_city(self, far_end: FarEnd) -> None:
        assert "Your zone is UTC" in await self.ask(far_end, "/timezone")
        assert "Europe/Kyiv" in await self.ask(far_end, "/timezone kyiv")
        assert "America/New_York" in await self.ask(far_end, "/timezone new york")

    async def test_status_counts_in_words(self, far_end: FarEnd) -> None:
        told = await self.ask(far_end, "/status")
        assert told.startswith("No turn is running, no message waits")
