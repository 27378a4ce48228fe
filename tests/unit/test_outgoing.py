"""Every setting is either listed before a brought workspace takes effect, or cannot send anything to anybody."""

from nanoclaw.host import outgoing
from nanoclaw.host.settings import Settings

# Names, languages, models of a vendor that is listed itself; secrets never come along.
HARMLESS = {
    "language",
    "timezone",
    "owner.name",
    "agents.runtime",
    "anthropic.api_key",
    "telegram.bot_token",
    "voice.model",
    "voice.whisper_model",
    "voice.speech_model",
    "voice.speech_voice",
    "spending.day",
    "spending.month",
    "questions.quiet",
    "memory.extraction",
    "memory.own_addresses",
    "memory.embeddings_model",
    "log.level",
    "prices",
}


def test_a_new_setting_is_judged() -> None:
    words = set()
    for section, table in Settings().model_dump().items():
        named = {f"{section}.{key}": value for key, value in table.items()} if isinstance(table, dict) else {}
        words |= {
            key
            for key, value in (named or {section: table}).items()
            if not isinstance(value, bool | int | float)
        }
    listed = {*outgoing.SETTINGS, "approvals", "channels"}
    assert words - listed == HARMLESS
