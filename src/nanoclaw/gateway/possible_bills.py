"""Can a call have used what its vendor says? A plausible figure is believed; otherwise the call costs the
most it could.

Wide on purpose: thoughts that are not shown, cached text, pages of documents, what searches found and prompts
that a proxy adds are all billed, and none of them is seen here. A number is refused only if no model could
have read or written that much.
"""

from dataclasses import replace

from nanoclaw.domain.money import Usage

_MOST_READ = 1_000_000  # tokens, at once
_MOST_WRITTEN = 200_000  # tokens; some vendors do not count thoughts towards the limit of an answer
_BEYOND = 4  # times the limit of an answer: some servers do not keep to it


def believed(usage: Usage, *, input_tokens: int, max_output: int, searches: int = 0) -> Usage:
    """The usage, with impossible numbers replaced by the most that the call was expected to use. The model
    reads everything again after each search, and is billed for it.
    """
    times = 1 + searches
    read = usage.input + usage.cache_read + usage.cache_write
    if read > times * max(_MOST_READ, input_tokens):
        usage = replace(usage, input=input_tokens, cache_read=0, cache_write=0)
    if usage.output > times * max(_MOST_WRITTEN, _BEYOND * max_output):
        usage = replace(usage, output=max_output)
    return replace(usage, thinking=min(usage.thinking, usage.output), searches=min(usage.searches, searches))
