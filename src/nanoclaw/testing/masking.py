"""The host's own mask, so that anyone can measure what it finds and what it takes for a secret by mistake."""

from nanoclaw.domain.secret_search.masker import mask_secrets
from nanoclaw.memory import masking


def mask(text: str, *, personal_data: bool = False) -> str:
    """The text with `[secret]` for every secret, as logs, memory, prompts and packages have it. With
    `personal_data` also `[phone]`, `[e-mail]`, `[card]` and `[iban]`, as in what memory and packages keep.
    """
    return masking.mask(text).text if personal_data else mask_secrets(text)
