"""Front matter: YAML between two lines of three dashes at the head of a Markdown file, and the line of each key."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import yaml
from pydantic import ValidationError

_FENCE = "---"
_LONGEST = 64 * 1024  # YAML is slow to read, and long text does not belong there
Place = tuple[str, ...]
"""The path to a value: its key, or the keys that lead to it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FrontMatter:
    """What was written there. Every value is a text, a list or a table."""

    values: dict[str, object]
    places: dict[Place, int]  # the line of each key
    close: int  # number of lines up to and including the closing one


@dataclass(frozen=True, kw_only=True, slots=True)
class Flaw:
    """Why it cannot be read: `unopened`, `unclosed`, `not-yaml` or `no-keys`."""

    reason: str
    line: int
    said: str = ""
    close: int = 0  # as in `FrontMatter`, as far as one can tell


def read(lines: Sequence[str]) -> FrontMatter | Flaw:
    if not lines or lines[0].strip() != _FENCE:
        return Flaw(reason="unopened", line=1)
    close = next((number for number, line in enumerate(lines[1:], 1) if line.strip() == _FENCE), None)
    if close is None:
        return Flaw(reason="unclosed", line=len(lines), close=1)
    if sum(map(len, lines[1:close])) > _LONGEST:
        return Flaw(reason="not-yaml", line=2, said="too long", close=close + 1)
    # A comment replaces the opening line, so that YAML counts lines as the person does.
    return _parse("\n".join(["#", *lines[1:close]]), close + 1)


def line_of(head: FrontMatter, error: ValidationError) -> int:
    """The line of the first fault, or of the key that holds it."""
    way = tuple(map(str, error.errors()[0]["loc"]))
    return next((head.places[way[:end]] for end in range(len(way), 0, -1) if way[:end] in head.places), 2)


@lru_cache(maxsize=64)  # YAML is slow to read, and people seldom edit the head of a file
def _parse(source: str, close: int) -> FrontMatter | Flaw:
    try:
        loader = yaml.BaseLoader(source)  # yields only text, lists and tables
        tree = loader.get_single_node()
        values = loader.construct_document(tree) if tree else None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 2
        return Flaw(reason="not-yaml", line=line, said=error.problem or "", close=close)
    except yaml.reader.ReaderError as error:
        line = source[: error.position].count("\n") + 1
        return Flaw(reason="not-yaml", line=line, said=str(error.reason), close=close)
    except RecursionError:
        lines = source.split("\n")
        deepest = max(
            range(len(lines)), key=lambda number: lines[number].count("[") + lines[number].count("{")
        )
        return Flaw(reason="not-yaml", line=deepest + 1, said="too deep", close=close)
    if not isinstance(values, dict) or not isinstance(tree, yaml.MappingNode):
        return Flaw(reason="no-keys", line=2, close=close)
    return FrontMatter(
        values={str(key): value for key, value in values.items()},
        places=dict(_places(tree, (), set())),
        close=close,
    )


def _places(node: yaml.Node, way: Place, seen: set[int]) -> Iterator[tuple[Place, int]]:
    """Each table once: a few aliases of aliases can stand for more keys than memory holds."""
    if isinstance(node, yaml.MappingNode) and id(node) not in seen:
        seen.add(id(node))
        for key, value in node.value:
            yield (*way, str(key.value)), key.start_mark.line + 1
            yield from _places(value, (*way, str(key.value)), seen)
