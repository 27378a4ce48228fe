"""The program that checks a JSON Schema, or a response against one, in a process that can be killed.

It reads one request from stdin, prints an empty line, and then prints its findings as JSON. A pattern can
take years on a text chosen for it, and a schema can lead in circles: here that does no harm.
"""

import ipaddress
import json
import re
import resource
import sys
from collections.abc import Iterator
from datetime import date, datetime, time
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import SchemaError, best_match
from jsonschema.protocols import Validator
from jsonschema.validators import validator_for
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import specification_with

_MEMORY = 1 << 30
_CPU = 5  # seconds: it ends by itself when the host is gone
_MOST_FINDINGS = 5
_LONGEST = 300
_DEEPEST = 60
_SAMPLES: tuple[object, ...] = (None, True, 0, "", [], {})
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_DATA = ("const", "enum", "default", "examples", "example")  # what looks like a reference in these is data
_DURATION = re.compile(
    r"P(?!$)(?:\d+W|(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?!$)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?)\Z", re.ASCII
)
_HOSTNAME = re.compile(r"(?!-)[a-z0-9-]{1,63}(?<!-)(?:\.(?!-)[a-z0-9-]{1,63}(?<!-))*\Z", re.IGNORECASE)
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\Z")
_STAMP = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)\Z", re.ASCII)
_CLOCK = re.compile(r"\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)\Z", re.ASCII)


def _formats() -> FormatChecker:
    """The formats that people meet; the library alone would leave out those it has no package for."""
    made = FormatChecker(formats=())

    def text(name: str, fits: Any) -> None:
        made.checks(name, raises=ValueError)(lambda value: not isinstance(value, str) or bool(fits(value)))

    text("date-time", lambda said: _STAMP.match(said) and datetime.fromisoformat(said.upper()))
    text("date", lambda said: re.fullmatch(r"\d{4}-\d\d-\d\d", said) and date.fromisoformat(said))
    text("time", lambda said: _CLOCK.match(said) and time.fromisoformat(said.upper()) is not None)
    text("duration", _DURATION.match)
    text("email", _EMAIL.match)
    text("hostname", lambda said: len(said) < 254 and _HOSTNAME.match(said))
    text("ipv4", ipaddress.IPv4Address)
    text("ipv6", ipaddress.IPv6Address)
    text("uri", lambda said: urlsplit(said).scheme and " " not in said)
    text("uuid", lambda said: UUID(said) and len(said) == 36)
    text("regex", _compiles)
    return made


def _compiles(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(str(error)) from error
    return True


def schema_faults(schema: dict[str, Any]) -> list[str]:
    """Why nothing could be checked with it, or why nothing would ever fit."""
    faults = list(_reference_faults(schema))
    if faults:
        return faults
    try:
        validator_for(schema, default=Draft202012Validator).check_schema(schema, format_checker=_formats())
    except SchemaError as error:
        return [f"At {_place(error)}: {error.message[:_LONGEST]}"]
    checker = _validator(schema)
    try:
        _follow_references(schema)
        for sample in _SAMPLES:
            list(checker.iter_errors(sample))
    except Unresolvable as error:
        return [f"It refers to {str(error.ref)[:_LONGEST]!r}, which it does not have."]
    return ["Nothing fits it: no response could ever be right."] if _fits_nothing(schema) else []


def response_faults(schema: dict[str, Any], response: object) -> list[dict[str, Any]]:
    """Each fault with the rule that it breaks, so that the host can say it in the person's language."""
    errors = list(_validator(schema).iter_errors(response))
    if len(errors) == 1 and errors[0].context:
        nearest = best_match(errors)
        errors = [nearest] if nearest else errors
    return [_finding(error) for error in errors[:_MOST_FINDINGS]]


def _finding(error: Any) -> dict[str, Any]:
    place = "".join(f"/{part}" for part in error.absolute_path) or "/"
    limit = error.validator_value
    if error.validator == "required":
        missing = next(iter(re.findall(r"^'(.*)' is a required property$", error.message)), "")
        place = f"{place.rstrip('/')}/{missing}"
    return {
        "rule": error.validator,
        "place": place,
        "limit": json.dumps(limit, ensure_ascii=False)[:_LONGEST] if not isinstance(limit, str) else limit,
        "said": error.message[:_LONGEST],
    }


def _validator(schema: dict[str, Any]) -> Validator:
    """A validator with an empty registry: no reference leads out of the document."""
    kind = validator_for(schema, default=Draft202012Validator)
    return kind(schema, registry=Registry(), format_checker=_formats())


def _follow_references(schema: dict[str, Any]) -> None:
    """Follow each reference once, so that a wrong one is found before anybody is asked. Raises Unresolvable."""
    found = list(_keywords(schema))
    if any(name == "$id" for name, _ in found):  # below it they mean another place
        return
    kind = validator_for(schema, default=Draft202012Validator)
    root = specification_with(kind.META_SCHEMA["$schema"]).create_resource(schema)
    own: Registry[Any] = Registry()
    for name, value in found:
        if name == "$ref" and isinstance(value, str):
            own.resolver_with_root(root).lookup(value)


def _reference_faults(schema: object) -> Iterator[str]:
    for name, value in _keywords(schema):
        if name in _REFERENCES and isinstance(value, str) and not value.startswith("#"):
            yield (
                f"It refers to {value[:_LONGEST]!r}. References to other documents are not followed: put it "
                "into `$defs` and refer to `#/$defs/...`."
            )
            return


def _keywords(schema: object, depth: int = 0) -> Iterator[tuple[str, object]]:
    if depth > _DEEPEST:
        raise RecursionError
    if isinstance(schema, dict):
        for name, value in schema.items():
            yield name, value
            if name not in _DATA:
                yield from _keywords(value, depth + 1)
    elif isinstance(schema, list):
        for value in schema:
            yield from _keywords(value, depth + 1)


def _fits_nothing(schema: object) -> bool:
    """Whether it obviously accepts nothing. A schema that hides it better fails when someone concludes."""
    if not isinstance(schema, dict):
        return schema is False
    if schema.get("not") in ({}, True) and "not" in schema:
        return True
    limits = (("minimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems"))
    if any(_crossed(schema.get(least), schema.get(most)) for least, most in limits):
        return True
    named = schema["enum"] if "enum" in schema else [schema["const"]] if "const" in schema else None
    if isinstance(named, list) and "$ref" not in schema:
        checker = Draft202012Validator({key: of for key, of in schema.items() if key in ("type", "enum")})
        if not any(checker.is_valid(each) for each in named):
            return True
    properties = schema.get("properties") or {}
    is_object = schema.get("type") == "object"
    if is_object and any(_fits_nothing(properties.get(name)) for name in schema.get("required") or ()):
        return True
    if any(_fits_nothing(each) for each in schema.get("allOf") or ()):
        return True
    either: list[object] = schema.get("anyOf") or schema.get("oneOf") or []
    return bool(either) and all(_fits_nothing(each) for each in either)


def _crossed(least: object, most: object) -> bool:
    return isinstance(least, int | float) and isinstance(most, int | float) and least > most


def _place(error: Any) -> str:
    return "`" + ("".join(f"/{part}" for part in error.absolute_path) or "/") + "`"


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU, _CPU))
    asked = sys.stdin.buffer.read()
    print(flush=True)  # noqa: T201 - from here on its time counts
    found: list[Any]
    try:
        request = json.loads(asked)
        schema = request["schema"]
        found = (
            response_faults(schema, request["response"]) if "response" in request else schema_faults(schema)
        )
    except RecursionError:
        found = ["It leads in circles, or is nested too deep."]
    except MemoryError:
        found = ["It takes too much memory to check."]
    print(json.dumps(found), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
