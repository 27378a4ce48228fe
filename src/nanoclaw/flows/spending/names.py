"""Names for the lines of a report: people, chats, tasks and runs by name instead of id."""

from collections import Counter
from collections.abc import Sequence

from nanoclaw.domain.cost_reports import Grouping
from nanoclaw.domain.tasks import title_of
from nanoclaw.durable import cost_names
from nanoclaw.durable.store import Tx
from nanoclaw.texts import say

_FLOWS = "ABCDEFGHIJ"


def flow_name(letter: str, language: str) -> str:
    return say(language, f"costs-flow-{letter.lower()}") if letter in _FLOWS else letter


def of_none(by: Grouping, language: str) -> str:
    """The name for calls that belong to no task, no run ..., or where it is unknown."""
    return say(language, f"costs-none-{by}")


def of(tx: Tx, by: Grouping, keys: Sequence[str], language: str) -> dict[str, str]:
    """Names by key. What no longer exists keeps its id."""
    if by is Grouping.FLOW:
        return {letter: flow_name(letter, language) for letter in keys}
    if by is Grouping.PERSON:
        return _unlike(cost_names.of_people(tx, keys))
    if by is Grouping.CHAT:
        return _unlike(cost_names.of_chats(tx, keys))
    if by is Grouping.TASK:
        prompts = cost_names.prompts_of_tasks(tx, [int(key) for key in keys])
        return {key: f"#{key} {title_of(prompts.get(int(key), ''))}".strip() for key in keys}
    if by is Grouping.RUN:
        return {key: title_of(subject) for key, subject in cost_names.subjects_of_runs(tx, keys).items()}
    return {key: key for key in keys}


def _unlike(called: dict[str, str]) -> dict[str, str]:
    """Tell apart equal names by their ids."""
    often = Counter(called.values())
    return {key: name if often[name] == 1 else f"{name} ({key})" for key, name in called.items()}
