"""Secrets go into a backup only when asked for, and then only a passphrase opens them.

`cryptography` is loaded lazily: most backups contain no keys.
"""

import base64
import hashlib
import json
import os
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from nanoclaw.domain.errors import MissingExtra, Refused

SHORTEST = 8  # characters of a passphrase
_MAGIC = b"nanoclaw-keys-1\n"
_SALT, _NONCE = 16, 12
_WORK, _BLOCK = 2**15, 8  # scrypt: 32 MiB and a tenth of a second per guess


def seal(secrets: dict[str, bytes], passphrase: str) -> bytes:
    """All of them as one blob that nobody can read, or change unnoticed, without the passphrase."""
    salt, nonce = os.urandom(_SALT), os.urandom(_NONCE)
    plain = json.dumps({name: base64.b64encode(body).decode() for name, body in secrets.items()})
    sealed: bytes = _cipher(passphrase, salt).encrypt(nonce, plain.encode(), _MAGIC)
    return _MAGIC + salt + nonce + sealed


def unseal(sealed_up: bytes, passphrase: str) -> dict[str, bytes]:
    salt, nonce, sealed = _parts(sealed_up)
    cipher = _cipher(passphrase, salt)
    try:
        plain = cipher.decrypt(nonce, sealed, _MAGIC)
    except (ValueError, import_module("cryptography.exceptions").InvalidTag) as error:
        raise Refused("passphrase-wrong") from error
    return {name: base64.b64decode(body) for name, body in json.loads(plain).items()}


def need_cipher() -> None:
    if find_spec("cryptography") is None:
        raise MissingExtra("missing-extra", extra="backup")


def _parts(sealed_up: bytes) -> tuple[bytes, bytes, bytes]:
    if not sealed_up.startswith(_MAGIC):
        raise Refused("passphrase-wrong")
    body = sealed_up[len(_MAGIC) :]
    return body[:_SALT], body[_SALT : _SALT + _NONCE], body[_SALT + _NONCE :]


def _cipher(passphrase: str, salt: bytes) -> Any:
    need_cipher()
    key = hashlib.scrypt(
        passphrase.encode(), salt=salt, n=_WORK, r=_BLOCK, p=1, maxmem=128 * _WORK * _BLOCK * 2, dklen=32
    )
    return import_module("cryptography.hazmat.primitives.ciphers.aead").AESGCM(key)
