"""The second safeguard of the logs: secrets that this process knows, or that look like one, become `***`.

The first is not to log them. This one catches the line that nobody thought of.
"""

from nanoclaw.domain.secret_search.masker import hide as hide
from nanoclaw.domain.secret_search.masker import mask_secrets

_LONGEST = 500  # characters of one value


def masked(text: str) -> str:
    return mask_secrets(text, "***")


def shortened(text: str) -> str:
    """Shorten long values, which users can choose. Masked first: half a secret would not be recognised."""
    return text if len(text) <= _LONGEST else masked(text)[:_LONGEST] + "…"
