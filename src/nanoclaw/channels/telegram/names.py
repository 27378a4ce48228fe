"""What a bot is called among our channels. Does not import the library, which takes a third of a second to load."""

from nanoclaw.domain.errors import BadSettings

PREFIX = "telegram"
_SHORTEST = 10  # of the part after the colon


def bot_id_of(token: str) -> str:
    """The number before the colon: unlike the bot's name it never changes."""
    number, _, secret = token.partition(":")
    if (
        not number.isdigit()
        or not secret.isascii()
        or len(secret) < _SHORTEST
        or any(map(str.isspace, secret))
    ):
        raise BadSettings("telegram-token-odd")
    return number


def channel_name(bot_id: str) -> str:
    return f"{PREFIX}:{bot_id}"
