"""Keys of model vendors: from the environment, `nanoclaw.toml`, or a file that only this user can read."""

import os
from collections.abc import Mapping
from pathlib import Path

from nanoclaw.host.private import read_private
from nanoclaw.host.secret_mask import hide
from nanoclaw.host.settings import Settings

ANTHROPIC = "anthropic"
FILE = "keys.json"
VENDORS = (
    *("anthropic", "openai", "google", "groq", "mistral", "local", "ollama", "openrouter", "deepseek", "xai"),
    *(
        "cohere",
        "together",
        "fireworks",
        "cerebras",
        "moonshotai",
        "nebius",
        "sambanova",
        "ovhcloud",
        "litellm",
    ),
)


class Keys:
    """Its repr shows the names of vendors, never a key."""

    def __init__(self, home: Path, settings: Settings, environment: Mapping[str, str] = os.environ) -> None:
        self._stored = read_private(home / "data" / FILE)
        self._anthropic = settings.anthropic.api_key.get_secret_value()
        self._environment = environment
        hide([self._anthropic, *(key for name, key in environment.items() if name.endswith("_API_KEY"))])

    def get(self, vendor: str) -> str | None:
        if vendor == ANTHROPIC and self._anthropic:
            return self._anthropic
        return self._environment.get(f"{vendor.upper().replace('-', '_')}_API_KEY") or self._stored.get(
            vendor
        )

    def __repr__(self) -> str:
        return f"Keys({', '.join(sorted(self._stored))})"
