"""The chat in a real terminal: what the agent does is seen there, and a pipe gets only the words."""

import asyncio
import fcntl
import os
import pty
import re
import struct
import sys
import termios
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from pathlib import Path

import pytest
from tests.led_agent import LedAgent, host_of, send_file
from tests.loaded import nanoclaw

from nanoclaw.client.connection import JOINED, Address, Client
from nanoclaw.delivery import outbox
from nanoclaw.domain.ids import new_id
from nanoclaw.domain.money import Usage
from nanoclaw.domain.parcels import Author
from nanoclaw.domain.turns import RuntimeEvent, Spent, TextDelta, ToolEnded, ToolPrinted, ToolStarted
from nanoclaw.durable import people, work
from nanoclaw.durable.clock import now
from nanoclaw.testing import ScriptedModel, started_host

pytestmark = pytest.mark.capability("X1")

OPTIONS = [{"id": "aye", "label": "Aye"}, {"id": "nay", "label": "Nay"}]
SCRIPT: Sequence[RuntimeEvent | None] = [
    ToolStarted(id="1", name="bash", shown="make chart"),
    ToolPrinted(id="1", text="a line\u2028and another"),
    None,
    ToolEnded(id="1", ok=True, text="made"),
    Spent(model="m", usage=Usage(input=1200, output=340), micros=12300),
    TextDelta(text="The chart is ready."),
]


class Screen:
    """What a program wrote on its terminal, without colours and moves of the cursor."""

    def __init__(self, terminal: int) -> None:
        self._terminal = terminal
        self._printed = b""

    @property
    def text(self) -> str:
        return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", self._printed.decode(errors="replace"))

    def type(self, text: str) -> None:
        os.write(self._terminal, text.encode())

    def resize(self, rows: int, columns: int) -> None:
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def forget(self) -> None:
        """What was printed so far counts no more."""
        self._printed = b""

    def hang_up(self) -> None:
        os.close(self._terminal)

    async def until(self, mark: str) -> None:
        try:
            async with asyncio.timeout(60):
                while mark not in self.text:
                    self._printed += await asyncio.to_thread(os.read, self._terminal, 4096)
        except TimeoutError:
            raise AssertionError(f"{mark!r} is not on the screen: {self.text}") from None


@asynccontextmanager
async def chat(home: Path, *words: str) -> AsyncIterator[Screen]:
    """`nanoclaw chat` on a terminal of its own."""
    main, end = pty.openpty()
    quick = {
        "PROMPT_TOOLKIT_NO_CPR": "1"
    }  # nobody here says where the cursor is: it would wait a second for each line
    environment = {**os.environ, **quick, "NANOCLAW_HOME": str(home), "TERM": "xterm", "COLUMNS": "80"}
    process = nanoclaw(environment, "chat", *words, out=end, typed=end)
    os.close(end)
    try:
        yield Screen(main)
        await asyncio.to_thread(process.join, 60)
        assert not process.is_alive()
    finally:
        process.kill()
        await asyncio.to_thread(process.join)
        with suppress(OSError):  # a test may have hung up
            os.close(main)


async def test_a_conversation_shows_tools_files_and_money(home: Path) -> None:
    agent = LedAgent(SCRIPT)
    async with host_of(home, agent) as host, chat(home) as screen:
        await screen.until(">")
        screen.type("make it\r")
        await screen.until("⚙ bash  make chart")
        room = await host.store.read(lambda tx: people.chats_of(tx, ("terminal",))[0][0].id)
        parcel = await send_file(host, room, "chart.png", "image/png", b"x" * 12_000)
        await screen.until(f"⤓ chart.png (12 kB) {home / 'data' / 'attachments' / parcel}")
        agent.go_on()
        await screen.until("✓ bash  make chart")
        await screen.until("The chart is ready.")
        await screen.until("1.2k in, 340 out, $0.0123")
        # The host's own, unasked, as the package of a transfer comes.
        await send_file(
            host, room, "transfer.md", "text/markdown", b"x" * 900, "Ready", Author.HOST, kept="tr_1.0"
        )
        await screen.until(f"⤓ transfer.md (900 B) {home / 'data' / 'attachments' / 'tr_1.0'}\r\n")
        screen.type("/quit\r")


async def test_one_message_shows_what_its_agent_does(home: Path) -> None:
    agent = LedAgent(SCRIPT)
    async with host_of(home, agent) as host, chat(home, "-m", "make it") as screen:
        await screen.until("⚙ bash  make chart")
        room = await host.store.read(lambda tx: people.chats_of(tx, ("terminal",))[0][0].id)
        parcel = await send_file(host, room, "chart.png", "image/png", b"x" * 12_000)
        agent.go_on()
        await screen.until("make chart ✓")
        await screen.until("⤓ chart.png (12 kB)")
        assert parcel in screen.text
        await screen.until("The chart is ready.")
        await screen.until("1.2k in, 340 out, $0.0123")


async def test_a_pipe_gets_only_the_words(home: Path) -> None:
    agent = LedAgent(SCRIPT)
    async with host_of(home, agent) as host:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "nanoclaw", "chat"),
            env={**os.environ, "NANOCLAW_HOME": str(home)},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        async with asyncio.timeout(60):
            asked = asyncio.create_task(process.communicate(b"make it\n"))
            await agent.waiting.wait()
            room = await host.store.read(lambda tx: people.chats_of(tx, ("terminal",))[0][0].id)
            await send_file(host, room, "chart.png", "image/png", b"x" * 12_000)
            agent.go_on()
            printed, _ = await asked
    assert printed.decode().strip() == "The chart is ready."


async def test_what_the_host_said_before_the_terminal_listened_is_shown(home: Path) -> None:
    """As `up` does it: a host that starts tells of what was missed before anyone has a prompt."""
    async with started_host(home) as host:
        since = new_id("m")
        room = await host.store.read(lambda tx: people.chats_of(tx, ("terminal",))[0][0].id)
        await host.store.write(
            lambda tx: outbox.post(
                tx, chat_id=room, thread=None, author=Author.HOST, text="Task 1 was not run", at=now()
            )
        )
        host.engine.kick(work.DELIVERY, room)
        async with Client(Address(url=host.url, token=host.token)) as client:
            await client.enter(None, since=since)
            async with asyncio.timeout(60), aclosing(client.listen(lambda: None)) as events:
                assert (await anext(events))[0] == JOINED
                name, line = await anext(events)
    assert (name, line["text"]) == ("message", "Task 1 was not run")


async def test_words_that_answer_a_question_whose_turn_is_over_give_the_prompt_back(home: Path) -> None:
    async with started_host(home, questions={"hold_minutes": 0}), chat(home) as screen:
        await screen.until(">")
        screen.type("? Which name...\r")
        await screen.until("I stop here and go on when someone has.")
        screen.type("Kharkiv\r")
        await screen.until("I was woken by an answer")
        screen.type("/quit\r")


async def test_what_is_typed_while_an_answer_is_waited_for_is_seen(home: Path) -> None:
    async with started_host(home), chat(home) as screen:
        await screen.until(">")
        screen.type("? Deploy? | yes | no\r")
        await screen.until("/2 no")
        screen.type("/2x")
        await screen.until("/2x")
        screen.type("\x15/2\r")
        await screen.until("Noted: no")
        screen.type("/quit\r")


async def test_a_chat_that_begins_shows_what_waits_and_what_programs_ask(home: Path) -> None:
    async with started_host(home, questions={"hold_minutes": 0}) as host:
        async with chat(home) as screen:
            await screen.until(">")
            screen.type("/7\r")  # no button has it, and it is nothing to say to an agent
            await screen.until("/7 was not sent")
            screen.type("? Deploy? | yes | no\r")
            await screen.until("I stop here and go on when someone has.")
            screen.type("/quit\r")
        async with Client(Address(url=host.url, token=host.token)) as program, chat(home) as screen:
            await screen.until("/1 yes   /2 no")
            await screen.until(">")
            asked = await program.ask(
                "POST", "/api/questions", {"question": "Which colour?", "kind": "input"}
            )
            await screen.until("❓ Which colour?")
            screen.type(f"/decide {asked['short']} blue\r")
            await screen.until("Noted")
            await program.ask(
                "POST", "/api/questions", {"question": "**Ship it?**\n\n- at noon", "options": OPTIONS}
            )
            await screen.until("❓ Ship it?")
            asked = await program.ask("POST", "/api/questions", {"question": "Look at it", "session": {}})
            await screen.until(f"nanoclaw session open {asked['short']}")  # words do not conclude it
            screen.type("/1\r")
            await screen.until("I was woken by an answer")
            # What a part of the host asks here has its card, and no second line.
            screen.type("/batch_generate 3 posts about tea\r")
            await screen.until("Generate 3")
            await program.ask("POST", "/api/questions", {"question": "Done?", "options": OPTIONS})
            await screen.until("❓ Done?")
            assert "❓ Generate" not in screen.text
            screen.type("/quit\r")
        async with chat(home) as screen:
            await screen.until("❓ Ship it?")
            await screen.until(">")
            assert "Deploy?" not in screen.text
            screen.type("/quit\r")


async def test_a_line_that_is_broken_off_begins_anew_below(home: Path) -> None:
    agent = LedAgent([TextDelta(text="First.\n\nToday I"), None, TextDelta(text=" have seen it.\n\nLast.")])
    async with host_of(home, agent), chat(home) as screen:
        await screen.until(">")
        screen.type("go\r")
        await screen.until("Today")
        screen.type("/7\r")
        await screen.until("/7 was not sent")
        agent.go_on()
        await screen.until("Last.")
        assert "Today I have seen it." in screen.text
        assert screen.text.count("First.") == 1
        screen.type("/quit\r")


async def test_what_is_asked_in_another_window_stands_above_its_answer(home: Path) -> None:
    agent = LedAgent([None, TextDelta(text="It is blue.")])
    async with host_of(home, agent) as host, chat(home) as screen:
        await screen.until(">")
        screen.type("Which colour is it?\r")
        await agent.waiting.wait()
        async with Client(Address(url=host.url, token=host.token)) as other:
            await other.enter(None)
            await other.say("And which shade?", new_id("m"))
            await screen.until("And which shade?")  # while the answer is still to come
        agent.go_on()
        await screen.until("It is blue.")
        assert screen.text.index("And which shade?") < screen.text.index("It is blue.")
        screen.type("/quit\r")


async def test_ctrl_d_at_the_prompt_leaves(home: Path) -> None:
    async with started_host(home), chat(home) as screen:
        await screen.until(">")
        screen.type("\x04")


async def test_the_end_of_a_task_that_was_stopped_here_is_shown(home: Path) -> None:
    async with started_host(home), chat(home) as screen:
        await screen.until(">")
        screen.type("& $ sleep 60\r")
        await screen.until("/1 ✖️ Stop it")
        screen.type("/1\r")
        await screen.until("was stopped")
        screen.type("/quit\r")


async def test_a_chat_whose_terminal_is_gone_ends(home: Path) -> None:
    """It read nothing from it for ever, as fast as it could."""
    async with started_host(home), chat(home) as screen:
        await screen.until(">")
        screen.type("? Deploy? | yes | no\r")
        await screen.until("/2 no")
        screen.hang_up()


async def test_an_answer_is_seen_as_it_grows_and_rendered_when_it_is_whole(home: Path) -> None:
    agent = LedAgent(
        [
            TextDelta(text="It is **very** bl"),
            None,
            TextDelta(text="ue.\n\n```python\nprint(1)\n```\n\n- one\n- two\n"),
        ]
    )
    async with host_of(home, agent), chat(home) as screen:
        await screen.until(">")
        screen.type("Which colour is it?\r")
        await screen.until("It is **very** bl")
        agent.go_on()
        await screen.until("It is very blue.")
        await screen.until(" print(1)")
        await screen.until(" • two")
        screen.type("/quit\r")
        await screen.until("> /quit")
        assert screen.text.index("> Which colour is it?") < screen.text.index("It is very blue.")


async def test_a_window_may_be_narrow_and_become_narrower(home: Path) -> None:
    words = " ".join(f"word{number}" for number in range(40))
    agent = LedAgent([TextDelta(text=words), None, TextDelta(text=f" half.\n\n{words} whole.\n\n")])
    async with host_of(home, agent), chat(home) as screen:
        screen.resize(8, 60)
        await screen.until(">")
        screen.type("go\r")
        await screen.until("word39")
        screen.resize(8, 24)
        agent.go_on()
        await screen.until("whole.")
        screen.type("/quit\r")
        await screen.until("> /quit")
    assert f"{words} whole." in " ".join(screen.text.split())
    rendered = "word0 " + screen.text.rpartition("word0 ")[2].partition("whole.")[0]
    assert max(map(len, rendered.splitlines())) <= 24


async def test_tab_completes_commands_and_skills(home: Path) -> None:
    async with started_host(home), chat(home) as screen:
        await screen.until(">")
        screen.type("/sch\t")
        await screen.until("/schedule")
        screen.type("\x15/dem\t")
        await screen.until("demo")  # only what differs is drawn
        screen.type("\x15/quit\r")


async def test_it_says_whom_it_waits_for_and_what_numbers_belong_to(home: Path) -> None:
    async with started_host(home, questions={"hold_minutes": 0}), chat(home) as screen:
        await screen.until(">")
        screen.type("? Deploy? | yes | no\r")
        await screen.until("I stop here and go on when someone has.")
        screen.type("? Ship it? | aye | nay\r")
        await screen.until("Ship it?:   /3 aye   /4 nay")
        screen.type("/9\r")
        await screen.until("No button has the number /9. You can press:")
        await screen.until("Deploy?:   /1 yes   /2 no")
        screen.type("/quit\r")


async def test_it_says_that_it_waits_for_the_person(home: Path) -> None:
    async with started_host(home), chat(home) as screen:
        await screen.until(">")
        screen.type("? Deploy? | yes | no\r")
        await screen.until("waiting for you · 0:0")
        screen.type("/2\r")
        await screen.until("Noted: no")
        screen.type("/quit\r")


async def test_escape_stops_an_answer(home: Path) -> None:
    agent = LedAgent([TextDelta(text="I begin"), None])
    async with host_of(home, agent), chat(home) as screen:
        await screen.until(">")
        screen.type("go\r")
        await screen.until("working · 0:0")
        await screen.until("I begin")
        screen.type("\x1b")
        await screen.until("/stop")
        await screen.until("Stopped")
        screen.type("/quit\r")


@pytest.mark.capability("A15")
async def test_what_waited_is_called_off_with_a_stop_and_later_answers_are_shown(home: Path) -> None:
    model = ScriptedModel(lambda request: [f"got {'third' if 'third' in request.prompt else 'fourth'}"])
    model.hold()
    async with started_host(home, model=model), chat(home) as screen:
        await screen.until(">")
        screen.type("first\r")
        await model.wait_for_calls(1)
        screen.type("second\r")
        await screen.until("> second")
        screen.type("/clear\r")
        await screen.until("A fresh start")
        model.go_on()
        screen.type("third\r")
        await screen.until("got third")
        screen.type("fourth\r")
        await screen.until("got fourth")
        screen.type("/quit\r")


async def test_what_is_said_meanwhile_is_answered_below_its_question(home: Path) -> None:
    agent = LedAgent([None, TextDelta(text="An answer.")])
    async with host_of(home, agent), chat(home) as screen:
        await screen.until(">")
        screen.type("first\r")
        await agent.waiting.wait()
        screen.type("/status\r")
        await screen.until("> /status")
        await screen.until("running")
        agent.go_on()
        await screen.until("An answer.")
        screen.type("/quit\r")


async def test_one_message_shows_how_to_decide_what_is_asked(home: Path) -> None:
    async with (
        started_host(home, questions={"hold_minutes": 0}),
        chat(home, "-m", "? Deploy? | yes | no") as screen,
    ):
        await screen.until("yes: nanoclaw decide i_")
