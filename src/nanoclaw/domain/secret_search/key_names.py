"""Which names say that a secret stands beside them: `DB_PASSWORD`, `clientSecret`, `x-api-key`, `пароль`."""

import re
from enum import IntEnum
from functools import lru_cache


class Strength(IntEnum):
    """How much a name alone says. The less it says, the more the value must look like a key."""

    NONE = 0
    WEAK = 1  # key, signature: only beside a value that is clearly random
    SECRET = 2  # token, client_secret, api_key
    PASSWORD = 3  # people choose these, so they can be words


# Where a name could be; the whole name is then judged.
ANCHOR = re.compile(
    r"pass|pwd|(?<![a-z])pw(?![a-z])|bindpw|(?<=[_-])pat(?![a-z])|secret|token|key|credential|auth|psk|kennwort|contraseña|hasło|senha|mnemonic|seed|recovery|sess|"
    r"(?<![a-z])sid|sig(?:nature)?(?![a-z])|(?<![a-z])pin(?![a-z])|salt|cookie|парол|токен|ключ|секрет|(?<!\w)п[іи]н|сид-фраз|пасфраз",
    re.I,
)
_WORDS = re.compile(r"[A-ZА-ЯІЇЄҐ]+(?![a-zа-яіїєґ])|[A-ZА-ЯІЇЄҐ]?[^\W\d_A-ZА-ЯІЇЄҐ]+|\d+")
_PASSWORDS = {
    "password", "passwd", "passphrase", "pwd", "passcode", "passwort", "kennwort", "contraseña", "hasło", "senha",
    "pass", "pw", "bindpw", "psk", "requirepass", "masterauth", "userpass", "dbpass", "rootpw", "mypass",
    "userpassword",
    "storepass", "keypass", "sshpass", "dbpassword", "пароль", "пароля", "паролю", "паролем", "паролі", "пасфраза",
}  # fmt: skip
_SECRETS = {
    "secret", "token", "credential", "credentials", "apikey", "authtoken", "accesstoken", "secretkey", "apitoken",
    "clientsecret", "accesskey", "privatekey", "authkey", "apisecret", "appsecret", "secrettoken", "bottoken",
    "accountkey", "sharedaccesskey", "refreshtoken", "idtoken", "licensekey", "presharedkey", "privkey", "authpass",
    "sessiontoken", "signingkey", "encryptionkey", "masterkey", "webhooksecret", "jwtsecret", "токен", "токена",
    "токену", "секрет", "ключ", "ключа", "ключі", "ключу", "sharedsecret", "consumersecret", "accountsecret",
    "servicekey", "storagekey", "secretaccesskey", "awssecretaccesskey", "sharedkey", "subscriptionkey",
}  # fmt: skip
_WEAK = {
    "key", "pat", "sig", "signature", "auth", "seed", "salt", "cookie", "session", "sessionid", "phpsessid",
    "jsessionid",
    "sid", "passwords", "tokens", "secrets", "keys", "authorization", "sess", "pins", "sessid",
}  # fmt: skip
_KEYS_OF = {  # `api_key`, `privateKey`
    "api", "access", "secret", "private", "auth", "encryption", "encrypt", "signing", "sign", "master", "account",
    "shared", "app", "application", "service", "subscription", "license", "licence", "client", "consumer", "deploy",
    "storage", "aes", "hmac", "jwt", "bot", "admin", "webhook", "write", "vault", "wallet", "preshared", "crypto",
    "priv", "role", "aws", "stripe", "openai", "anthropic", "gemini", "session", "cookie", "ssh", "rsa", "cipher",
    "decryption", "integration", "ingest", "project", "server", "personal", "developer", "dev", "appwrite", "django",
    "flask", "rails", "base", "instrumentation", "functions", "host", "maps", "mailgun", "sendgrid", "twilio",
}  # fmt: skip
_NOT_KEYS_OF = {
    "public", "primary", "foreign", "cache", "sort", "partition", "pub", "row", "column", "index", "group", "lookup",
    "hash", "registry", "shortcut", "hot", "idempotency", "dict", "map", "object", "translation", "message", "context",
    "publishable", "verify", "trigger", "arrow", "modifier",
}  # fmt: skip
_PUBLIC = {
    "public",
    "csrf",
    "xsrf",
    "publishable",
    "page",
    "next",
    "continuation",
    "cancel",
    "cancellation",
    "sync",
}
_TAIL = {  # may follow: `PASSWORD_PROD`, `token2`
    "value", "prod", "production", "dev", "development", "staging", "stage", "test", "live", "new", "old", "default",
    "plain", "plaintext", "text", "string", "str", "b64", "base64", "base", "hex", "raw", "main", "backup", "admin",
    "root", "user", "current", "primary", "secondary", "data", "db", "api", "local", "ua", "eu", "us",
    "phrase", "words", "is", "code", "код", "коди", "коду", "фраза", "connection",
}  # fmt: skip
_PHRASES = {"mnemonic", "seedphrase", "recoveryphrase", "seedwords", "passphrase"}


@lru_cache(maxsize=4096)
def strength(name: str) -> Strength:
    words = [each.casefold() for each in _WORDS.findall(name[-80:])]
    while len(words) > 1 and (words[-1].isdigit() or words[-1] in _TAIL):
        words.pop()
    if not words:
        return Strength.NONE
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    if last in _PASSWORDS or (last.endswith(("password", "passwd", "passphrase")) and last.isalpha()):
        return Strength.PASSWORD
    if last in ("pin", "пін", "пин"):
        return Strength.PASSWORD
    if last in _SECRETS or last.endswith(("apikey", "secretkey", "privatekey", "accesskey", "authtoken")):
        return Strength.NONE if before in _PUBLIC or "public" in words else Strength.SECRET
    if last in ("key", "keys") and before:
        if before in _NOT_KEYS_OF or "public" in words:
            return Strength.NONE
        return Strength.SECRET if before in _KEYS_OF and last == "key" else Strength.WEAK
    if last == "auth" and before in ("", "basic", "http", "proxy"):
        return Strength.WEAK
    return Strength.WEAK if last in _WEAK else Strength.NONE


@lru_cache(maxsize=1024)
def names_phrase(name: str) -> bool:
    """Whether many words are the secret: `mnemonic`, `seed phrase`."""
    plain = "".join(_WORDS.findall(name)).casefold()
    return plain in _PHRASES or plain.endswith(
        ("mnemonic", "seedphrase", "recoveryphrase", "seedwords", "seed")
    )


@lru_cache(maxsize=1024)
def names_number(name: str) -> bool:
    """A PIN is only digits."""
    return _WORDS.findall(name)[:1] != [] and _WORDS.findall(name)[-1].casefold() in (
        "pin",
        "пін",
        "пин",
        "код",
        "code",
    )
