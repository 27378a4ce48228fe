"""Loads a part of the program without looking for garbage meanwhile: there is none, and the search is a fifth of it."""

import gc
from importlib import import_module
from typing import Any


def load(name: str) -> Any:
    gc.disable()
    try:
        return import_module(name)
    finally:
        gc.freeze()  # it stays for good, and no later search need look at it
        gc.enable()
