"""Plans in the terminal: the cases of 004 by numbers and words, in a chat and by single commands."""

import json
from pathlib import Path

import pytest
from tests.flows.test_terminal import Screen, chat
from tests.typed import Typed, typing_in

from nanoclaw.testing import started_host

pytestmark = pytest.mark.capability("Q1", "Q4", "X1")

TASK = "add JWT authentication"


@pytest.fixture
def typed(home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Typed:
    return typing_in(home, monkeypatch, capfd)


async def says(screen: Screen, text: str, *marks: str) -> None:
    """Type it, and wait until all of these were printed after it."""
    screen.forget()
    screen.type(f"{text}\r")
    for mark in marks:
        await screen.until(mark)


async def test_a_plan_is_answered_by_numbers_and_words_and_goes_on_after_a_restart(home: Path) -> None:
    async with started_host(home), chat(home) as screen:
        await screen.until(">")
        await says(screen, "/plan", "Usage: /plan <task description>")
        await says(screen, f"/plan {TASK}", "Q1 of 3", "1 Express   2 Fastify   3 Hono")
        await screen.until("Type a number or an answer of your own. Or: back, cancel")
        await says(screen, "2", "Q2 of 3", "Type a number. Or: back, cancel")
        await says(screen, "something", "Please type one of the numbers above")
        await says(screen, "back", "Q1 of 3")
        assert "Taken." not in screen.text  # the card says it
        await says(screen, "Django", "✅ Django", "Q2 of 3", "3 Memory only")
        await says(screen, "7", "Please type one of the numbers above")
        await says(screen, "/plan something else", "1 ↩️ The old one   2 🆕 The new one", "Type a number.\r\n")
        await says(screen, "1", "Q2 of 3", "3 Memory only")
        await says(screen, "local storage", "Q3 of 3")
        await says(screen, "/quit")
    async with started_host(home), chat(home) as screen:
        await screen.until("3 OAuth")  # where it was
        await says(screen, "1", "Q4 of 5", "Any script can read local storage.")
        await says(screen, "2", "Q5 of 5")
        await says(screen, "3", "Plan Ready", "→ Django", "Type: confirm, edit")
        await says(screen, "1", "I found nothing about that")  # no number starts an agent
        await says(screen, "edit", "Which answer do you want to change?", "2 Q2 · Where should the to…")
        await says(screen, "2", "Where should the token live?")
        await says(screen, "1", "A cookie is sent by itself.")
        await says(screen, "3", "Refresh tokens?")
        await says(screen, "1", "Plan Ready", "→ HttpOnly cookies")
        await says(screen, "confirm", "🚀 Starting...", "The plan is settled.", "A: HttpOnly cookies")
        await says(screen, "I need to fix the auth bug", "Where does it fail?", "1 At log-in")
        assert "interactive" not in screen.text
        await says(screen, "cancel", "❌ Planning cancelled.")
        screen.type("hello\r")
        await screen.until("I am the demo agent")
        assert screen.text.count("Planning cancelled") == 1
        await says(screen, "/quit")


async def test_a_plan_is_made_by_single_commands(home: Path, typed: Typed) -> None:
    async with started_host(home):
        asked = await typed("chat", "-m", f"/plan {TASK}")
        assert "Q1 of 3" in asked.out
        assert asked.out.endswith(
            "1 Express   2 Fastify   3 Hono\nType a number or an answer of your own. Or: back, cancel\n"
        )
        assert "Q2 of 3" in (await typed("chat", "-m", "2")).out
        assert "What framework" in (await typed("chat", "-m", "back")).out
        assert "Q2 of 3" in (await typed("chat", "-m", "in my own words")).out
        refused = await typed("chat", "-m", "something")
        assert (refused.code, "type one of the numbers" in refused.out) == (1, True)
        assert "Q3 of 3" in (await typed("chat", "-m", "Memory only")).out
        follow_up = (await typed("chat", "-m", "1", "--json")).json()["answers"][-1]
        assert "Q4 of 5" in follow_up["text"]
        assert json.dumps(follow_up["buttons"]).count("iq:a:3:") == 2
        assert "Q5 of 5" in (await typed("chat", "-m", "1")).out
        assert "Plan Ready" in (await typed("chat", "-m", "2")).out
        done = await typed("chat", "-m", "confirm")
        assert (done.code, "A: in my own words" in done.out) == (0, True)
        await typed("chat", "-m", "/language uk")
        unsure = await typed("chat", "-m", "Треба виправити помилку входу")
        assert "Де саме не працює?" in unsure.out
        assert "interactive" not in unsure.out
        assert "Введіть номер або власну відповідь. Або слово: назад, скасувати" in unsure.out
