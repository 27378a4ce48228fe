"""Whether the value beside a name is a secret: not a placeholder, not a variable, not a word of a sentence."""

import re
from collections import Counter
from itertools import pairwise
from math import log2

from nanoclaw.domain.secret_search.key_names import Strength

_PLACEHOLDER = re.compile(
    r"\$[{(\w]|%(?:\w*%|[({]\w*[)}][sd]?|\w)$|[<{\[(].*|.*\{\{.*|.*\$\{.*|.*\{[\w.:!]{0,40}\}.*|\*{2,}.*|[xX*.•_-]{3,}$|\.\.\..*|.*\.\.\.$"
    r"|.*(?i:your|change[-_]?me|example|placeholder|replace|insert|redacted|dummy|foobar|foo_?bar|<[a-z]).*|&[\w.#]+;.*|&[\w.]+$|![A-Za-z/:._-]*$|[\w|]+\)\$.*"
)
_CODE = re.compile(
    r".*[\w\])]\(.*|.*\w\[.*|(?:self|this|cls|args|opts|options|config|settings|process|os|env|request|req|data|params|ctx|user|var|local|module)\.\w.*|.*::.*|.*->.*|.*=>.*|@[\w.-]+$|.*\)$|.*\\[wdsb].*"
)
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*")
_NAME_LIKE = re.compile(r"[A-Za-z]+(?:[_.-][A-Za-z]+)*[_.-]?\d{0,2}")
_MEASURE = re.compile(
    r"[\d.,:]+\s?[a-zA-Z%]{0,3}|v?\d+(?:\.\d+){1,3}[\w.-]*|\d{4}-\d\d-\d\d.*|0x[0-9a-fA-F]{1,8}"
)
_PUBLIC_WORDS = re.compile(
    r"(?i)(?:sha|md|hs|rs|es|ps|utf|base|oauth|x|ed|ec|aes|hmac|saml|http|p|h|s|k|b|i|ipv|web|rfc|iso|python|py|log|win|mp|v)[-_]?\d{1,4}(?:[-_/]\w{1,12}){0,3}"
)
_PATH = re.compile(
    r"(?:\.{0,2}|~)/[\w./-]*|[A-Za-z]:\\.*|[\w.-]+(?:/[\w.-]+){2,}|https?:.*|[\w-]+\.(?:com|org|net|io|py|js|ts|json|ya?ml|txt|md|html|pem|key|crt|toml|sh|php|go|rs|java|c|h)"
)
_COMMON = frozenset(
    [
        "password",
        "passwd",
        "passphrase",
        "secret",
        "token",
        "key",
        "string",
        "str",
        "text",
        "none",
        "null",
        "nil",
        "undefined",
        "true",
        "false",
        "yes",
        "no",
        "on",
        "off",
        "required",
        "optional",
        "bytes",
        "int",
        "integer",
        "bool",
        "boolean",
        "object",
        "any",
        "char",
        "varchar",
        "value",
        "default",
        "input",
        "hidden",
        "auto",
        "basic",
        "bearer",
        "user",
        "username",
        "login",
        "admin",
        "email",
        "name",
        "field",
        "type",
        "label",
        "prompt",
        "file",
        "files",
        "path",
        "env",
        "environment",
        "unset",
        "empty",
        "missing",
        "invalid",
        "valid",
        "wrong",
        "expired",
        "incorrect",
        "needed",
        "necessary",
        "forgotten",
        "reset",
        "changed",
        "stored",
        "encrypted",
        "hashed",
        "protected",
        "unknown",
        "enabled",
        "disabled",
        "manual",
        "never",
        "always",
        "ask",
        "plain",
        "crypt",
        "generated",
        "random",
        "disallow",
        "allowed",
        "and",
        "or",
        "not",
        "the",
        "this",
        "that",
        "your",
        "self",
        "buffer",
        "number",
        "error",
        "mixed",
        "array",
        "list",
        "map",
        "function",
        "void",
        "const",
        "static",
        "public",
        "private",
        "обов'язковий",
        "потрібен",
        "потрібний",
        "невірний",
        "неправильний",
        "змінено",
        "забули",
        "немає",
        "відсутній",
    ]
)
_PASSPHRASE = re.compile(r"[a-z]{3,9}(?: [a-z]{3,9}){3,11}")
_OF_SENTENCES = _COMMON | {
    "are", "been", "can", "cannot", "characters", "choose", "contain", "did", "does", "doesn", "don", "enter", "for",
    "forgot", "from", "has", "have", "least", "letters", "may", "must", "new", "old", "please", "provide", "set",
    "should", "specify", "use", "used", "using", "was", "when", "which", "will", "with", "you",
}  # fmt: skip
_LEAST_CHOSEN, _MOST_HYPHENS = 12, 2
ODD = set("!@#$%^&*?~+=")
_HEX = re.compile(r"[0-9a-fA-F]+")
_ID = re.compile(r"[a-z]{1,12}_0(?:[0-9a-hjkmnp-tv-z]{25}|1[A-Za-z0-9]{22})")


def entropy(word: str) -> float:
    """Bits a letter."""
    return -sum(count / len(word) * log2(count / len(word)) for count in Counter(word).values())


def is_placeholder(value: str) -> bool:
    return _PLACEHOLDER.match(value[:256]) is not None or len(set(value)) < 3


def is_hex(word: str) -> bool:
    return _HEX.fullmatch(word) is not None


def is_id(word: str) -> bool:
    """Ours, `s_01k9...`, and those of Anthropic, `msg_01Xy...`: they name things, and open nothing."""
    return _ID.fullmatch(word) is not None


def is_random(word: str, least_turns: float = 0.3) -> bool:
    """Letters and digits in an order that nobody could remember, in upper and lower case, or long hexadecimal."""
    if is_hex(word):
        return len(word) >= 32 and len(set(word.lower())) >= 8 and not word.isdigit()
    kinds = [
        "d" if each.isdigit() else "u" if each.isupper() else "l" if each.isalpha() else "-" for each in word
    ]
    if "d" not in kinds or not {"u", "l"} & set(kinds):
        return False
    turns = sum(one != other for one, other in pairwise(kinds))  # few of them in CamelCase
    return len(word) >= 16 and turns >= least_turns * len(word) and entropy(word) >= 3.3


def is_passphrase(value: str) -> bool:
    """`correct horse battery staple`; not a sentence about passwords."""
    return _PASSPHRASE.fullmatch(value) is not None and not _OF_SENTENCES & set(value.split())


def is_jumbled(value: str) -> bool:
    """Like a password that a program made, even where nothing but a space is before it."""
    kinds = [
        "d" if each.isdigit() else "u" if each.isupper() else "l" if each.isalpha() else "-" for each in value
    ]
    turns = sum(one != other for one, other in pairwise(kinds))
    return len(value) >= 8 and len(set(kinds)) >= 3 and {"d", "l"} <= set(kinds) and turns >= 0.4 * len(value)


def is_secret(
    value: str,
    strength: Strength,
    *,
    quoted: bool,
    prose: bool,
    ends: bool,
    assigned: bool,
    setting: bool = False,
) -> bool:
    """`ends`: nothing follows in its line. `prose`: a sentence names it. `assigned`: as in `NAME=value`, where code
    would put a variable; `setting` if its name is all capitals.
    """
    if quoted and strength >= Strength.SECRET and _is_jumble(value):
        return True
    if is_placeholder(value) or (_CODE.match(value[:256]) and not (quoted and strength is Strength.PASSWORD)):
        return False
    if _PATH.fullmatch(value[:256]) and not is_random(value):
        return False
    has_digit, has_letter = any(map(str.isdigit, value)), any(map(str.isalpha, value))
    if strength is Strength.WEAK:
        if is_id(value) or (not quoted and "." in value and _IDENTIFIER.fullmatch(value)):
            return False
        return len(value) >= 16 and is_random(value) and (not is_hex(value) or len(value) >= 40)
    if value.casefold() in _COMMON or _MEASURE.fullmatch(value) or _PUBLIC_WORDS.fullmatch(value):
        return (
            strength is Strength.PASSWORD
            and value.isdigit()
            and 4 <= len(value) <= 12
            and (ends or quoted or prose)
        )
    is_odd = any(each in ODD for each in value.rstrip("!?="))
    is_mixed = (has_digit and has_letter) or (has_letter and is_odd)
    if prose:
        return len(value) >= 6 and ((has_digit and has_letter) or (is_odd and strength is Strength.PASSWORD))
    if strength is Strength.SECRET:
        if (
            setting
            and ends
            and len(value) >= _LEAST_CHOSEN
            and _is_word(value, quoted=False, ends=True, assigned=True)
        ):
            return True  # chosen by a person, such as what signs their sessions
        return _is_token(value, quoted=quoted, is_mixed=is_mixed, has_digit=has_digit)
    if is_mixed:
        return quoted or ends or len(value) >= 8 or not _NAME_LIKE.fullmatch(value)
    if not has_letter:
        return has_digit and len(value) >= 4 and (quoted or ends)
    return _is_word(value, quoted=quoted, ends=ends, assigned=assigned)


def _is_token(value: str, *, quoted: bool, is_mixed: bool, has_digit: bool) -> bool:
    if has_digit and is_mixed:
        return (
            len(value) >= 6 and not _NAME_LIKE.fullmatch(value) and not (not quoted and _is_variable(value))
        )
    # Without digits: only what is too long and too mixed for a word.
    return (
        len(value) >= 20
        and value.isalpha()
        and entropy(value) >= 3.6
        and sum(one.isupper() != other.isupper() for one, other in pairwise(value)) >= 0.3 * len(value)
    )


def _is_jumble(value: str) -> bool:
    """Signs, digits and letters without order, among which some would look like code."""
    return len(value) >= 40 and entropy(value) >= 4.4 and sum(not each.isalnum() for each in value) >= 6 and (
        sum(map(str.isdigit, value)) >= 3 and value.count(".") + value.count("_") + value.count("/") <= 6
    )  # fmt: skip


def _is_variable(value: str) -> bool:
    """`token_v2_name`, `secret2key`: few digits among words."""
    return _IDENTIFIER.fullmatch(value) is not None and "_" in value and not is_random(value)


def _is_word(value: str, *, quoted: bool, ends: bool, assigned: bool) -> bool:
    """A password that is only letters."""
    if len(value) < 5 or any(each.isspace() for each in value) or "." in value or "/" in value:
        return False
    if not value.isascii():
        return ends
    if quoted:
        return (
            (value.isalpha() or value.count("-") > _MOST_HYPHENS)
            and value.casefold() not in _COMMON
            and not any(each in value.casefold() for each in ("pass", "secret", "token", "user", "login"))
        )
    return (
        assigned
        and ends
        and not any(each in value.casefold() for each in ("pass", "secret", "token", "pw", "user", "auth"))
    )
