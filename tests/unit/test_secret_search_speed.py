"""No text makes the search for secrets slow."""

import base64
import random
import time

import pytest

from nanoclaw.testing import mask

_WORST = {
    "names": "token=",
    "names in lines": "password:\n",
    "letters": "a",
    "capitals and letters": "aB",
    "digits": "7",
    "quotes": "\"'",
    "braces": '{"key":',
    "escapes": '\\"',
    "addresses": "https://a:",
    "spaces": "key  ",
    "heads of private keys": "-----BEGIN PRIVATE KEY-----\n",
    "head of a JWT": "eyJ.",
    "flags": " -u a:",
    "clients": "redis-cli mysql -p ",
    "heads of tables": "password,token\n",
    "cells": "password,",
    "open cells": 'pass,"a',
    "fields": "a:1:b:c:",
}


def _seconds(text: str) -> float:
    started = time.process_time()
    mask(text)
    return time.process_time() - started


@pytest.mark.attack
@pytest.mark.parametrize("kind", _WORST)
def test_the_time_grows_no_faster_than_the_text(kind: str) -> None:
    piece = _WORST[kind]
    once, twice = (_seconds(piece * (size // len(piece))) for size in (100_000, 200_000))
    assert twice < 3.5 * once + 0.5
    assert twice < 8


@pytest.mark.attack
def test_a_megabyte_of_base64_takes_seconds() -> None:
    assert _seconds(base64.b64encode(random.Random(1).randbytes(750_000)).decode()) < 20  # noqa: S311


@pytest.mark.attack
@pytest.mark.parametrize("name", ["token", "password", "key"])
def test_a_long_value_beside_a_name_takes_no_time(name: str) -> None:
    """Letters, capitals and dots alternating, with an end that no pattern expects."""
    for value in ("aB" * 2000, "a.B-" * 1000, "eyJ" + "aBc" * 300 + "." + "Xy" * 300 + "!"):
        assert _seconds(f"{name}={value}~") < 1
