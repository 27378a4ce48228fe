"""Nothing leaves for Telegram from a host that the others have given up: no message, no edit, no preview."""

import pytest

from nanoclaw.channels.telegram.bots import asked, make_bot
from nanoclaw.domain.errors import LeaseLost
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
