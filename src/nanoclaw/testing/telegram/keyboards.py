"""Whether a keyboard is valid: its shape, one action a button, 64 bytes of data."""

from typing import Any

from nanoclaw.testing.telegram.form import Form
from nanoclaw.testing.telegram.refusals import Refusal

_ACTIONS = {
    "url", "callback_data", "web_app", "login_url", "switch_inline_query", "switch_inline_query_current_chat",
    "switch_inline_query_chosen_chat", "copy_text", "callback_game", "pay",
}  # fmt: skip
_DATA = 64  # bytes
_MOST = 100  # buttons
_SCHEMES = ("http://", "https://", "tg://", "ton://")


def read_keyboard(form: Form, *, inline: bool = False) -> dict[str, Any] | None:
    """What `reply_markup` says. An edit accepts only inline keyboards (`inline`)."""
    markup = form.nested("reply_markup", "can't parse reply keyboard markup JSON object")
    if markup is None or markup == {}:
        return None
    if not isinstance(markup, dict):
        raise Refusal("object expected as reply markup")
    if "inline_keyboard" in markup:
        rows = _rows(markup["inline_keyboard"], "inline_keyboard")
        for button in [button for row in rows for button in row]:
            _check_button(button)
        if sum(map(len, rows)) > _MOST:
            raise Refusal("reply markup is too long")
        return {"inline_keyboard": rows} if any(rows) else None
    if inline:
        raise Refusal("inline keyboard expected")
    if "keyboard" in markup:
        _rows(markup["keyboard"], "keyboard")
    elif not (markup.get("remove_keyboard") or markup.get("force_reply")):
        raise Refusal("can't parse reply keyboard markup JSON object")
    return markup


def _rows(rows: Any, field: str) -> list[list[Any]]:
    if not isinstance(rows, list):
        raise Refusal(f'field "{field}" of the ReplyKeyboardMarkup must be an Array')
    if not all(isinstance(row, list) for row in rows):
        raise Refusal(f'field "{field}" of the ReplyKeyboardMarkup must be an Array of Arrays')
    return rows


def _check_button(button: Any) -> None:
    if not isinstance(button, dict):
        raise Refusal("can't parse inline keyboard button: expected an Object")
    text = button.get("text")
    if not isinstance(text, str):
        raise Refusal('can\'t parse inline keyboard button: Field "text" must be of type String')
    if not text.strip():
        raise Refusal("inline keyboard button text must be non-empty")
    actions = _ACTIONS & button.keys()
    if not actions:
        raise Refusal("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard")
    if len(actions) > 1:
        raise Refusal("can't parse inline keyboard button: Only one action is allowed")
    if "callback_data" in button:
        data = button["callback_data"]
        if not isinstance(data, str) or not 1 <= len(data.encode()) <= _DATA:
            raise Refusal("BUTTON_DATA_INVALID")
    if "url" in button and not str(button["url"]).startswith(_SCHEMES):
        raise Refusal(f"inline keyboard button URL '{button['url']}' is invalid: Wrong HTTP URL")
