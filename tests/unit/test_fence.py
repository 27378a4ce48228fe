"""Nothing leaves for Telegram from a host that the others have given up: no message, no edit, no preview. Nor does it
write what the company knows."""

from pathlib import Path

import pytest

from nanoclaw.channels.telegram.bots import asked, make_bot
from nanoclaw.domain.errors import LeaseLost
from nanoclaw.durable.liveness import Liveness
from nanoclaw.flows.company_context.files import ContextFiles
from nanoclaw.testing import TelegramServer

pytestmark = pytest.mark.capability("O4", "L3")


async def test_a_call_that_is_not_assured_never_reaches_the_network() -> None:
    async def lost() -> None:
        raise LeaseLost

    async with TelegramServer(flood_control=False) as server:
        account, person = server.add_bot("helper_bot"), server.person("Olena")
        chat = person.chat_with(account)
        bot = make_bot(account.token, server.url, lost)
        for call in (bot.send_message(chat.id, "late"), bot.edit_message_text("late", chat.id, 1)):
            with pytest.raises(LeaseLost) as raised:
                await asked(call, harmless=False)
            assert not raised.value.left
        await bot.shutdown()
        assert not server.calls
        assert chat.texts() == []


async def test_context_is_not_written_when_the_lifetime_has_passed_since_the_last_beat(
    tmp_path: Path,
) -> None:
    async def beat() -> None:
        raise AssertionError("a thread asks nobody")

    clock = [100.0]
    liveness = Liveness(5, beat, clock=lambda: clock[0])
    liveness.renewed(asked_at=100)
    (tmp_path / "companies" / "demo").mkdir(parents=True)
    files = ContextFiles(home=tmp_path, check=liveness.check)
    assert files.write("demo", "product/pricing", None, "128") is None
    clock[0] += 5
    with pytest.raises(LeaseLost):
        files.write("demo", "product/pricing", "128", "135")
    assert files.read("demo", "product/pricing") == "128"
