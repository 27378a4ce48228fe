"""The frame around every `--help` in the reader's language. Typer has it in English, and no setting for it."""

import sys
from typing import Any

from typer.core import TyperCommand, TyperGroup

from nanoclaw.texts import say

_TITLES = {
    "ARGUMENTS_PANEL_TITLE": "help-frame-arguments",
    "OPTIONS_PANEL_TITLE": "help-frame-options",
    "COMMANDS_PANEL_TITLE": "help-frame-commands",
    "ERRORS_PANEL_TITLE": "help-frame-error",
}


def speak(language: str) -> None:
    """Use this language for the rest of this process."""
    if language == "en":
        return
    contexts = TyperGroup.context_class
    plain: Any = contexts.formatter_class

    class Formatter(plain):  # type: ignore[misc]  # a class of Typer that it does not name
        """The usage line comes first, so that whatever follows it is in the same language."""

        def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
            _translate(sys.modules.get("typer.rich_utils"), language)
            super().write_usage(prog, args, prefix or f"{say(language, 'help-frame-usage')} ")

    contexts.formatter_class = Formatter
    for kind in (TyperCommand, TyperGroup):
        _explain_help(kind, language)


def _translate(panels: Any, language: str) -> None:
    """Translate the frame; loaded only if something is shown."""
    if panels is None:
        return
    for name, key in _TITLES.items():
        setattr(panels, name, say(language, key))
    panels.REQUIRED_LONG_STRING = f"[{say(language, 'help-frame-required')}]"
    panels.DEFAULT_STRING = f"[{say(language, 'help-frame-default')} {{}}]"
    panels.RICH_HELP = say(language, "help-frame-try", command="{command_path} {help_option}")


def _explain_help(kind: Any, language: str) -> None:
    plain = kind.get_help_option

    def get_help_option(self: Any, context: Any) -> Any:
        found = plain(self, context)
        if found is not None:
            found.help = say(language, "help-frame-help")
        return found

    kind.get_help_option = get_help_option
