"""Secrets of every kind, made of parts and by chance: nothing here is a key, and no scanner takes it for one."""

# ruff: noqa: E501 (tables of patterns)

import random
import string

_CHANCE = random.Random(27)  # noqa: S311
_LETTERS = string.ascii_letters + string.digits


def _any(length: int, letters: str = _LETTERS) -> str:
    """Always with a capital, a small letter and a digit, if the alphabet has them."""
    made = [_CHANCE.choice(letters) for _ in range(length)]
    for place, kind in enumerate((string.ascii_lowercase, string.digits, string.ascii_uppercase)):
        if usable := [each for each in letters if each in kind]:
            made[(place * 2 + 1) % length] = _CHANCE.choice(usable)
    return "".join(made)


def _hex(length: int) -> str:
    return _any(length, "0123456789abcdef")


_B58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_UPPER = string.ascii_uppercase + string.digits
_UUID = f"{_hex(8)}-{_hex(4)}x{_hex(12)}".replace("x", "-4" + _hex(6)[:3] + "-a" + _hex(6)[:3] + "-")
_WORD = "Tr0ub4dor&3x"
_PLAIN = "Vq7" + _any(9)

# kind: (text, the part that must be gone)
KINDS: dict[str, tuple[str, str]] = {}


def _kind(name: str, form: str, secret: str) -> None:
    KINDS[name] = (form.replace("@@", secret), secret)


# by the vendors' forms
for _name, _secret in {
    **{f"github {each}": f"gh{each}_" + _any(36) for each in "pousr"},
    "github fine-grained": "github_" + "pat_" + _any(22) + "_" + _any(59),
    "gitlab": "glpat" + "-" + _any(20), "slack bot": "xoxb" + "-123456789012-123456789012-" + _any(24),
    "slack app": "xapp" + "-1-A012345678-1234567890-" + _hex(64), "stripe": "sk_" + "live_" + _any(24),
    "stripe restricted": "rk_" + "live_" + _any(24), "openai": "sk-" + "proj-" + _any(48), "openai old": "sk-" + _any(48),
    "anthropic": "sk-" + "ant-api03-" + _any(80), "openrouter": "sk-" + "or-v1-" + _hex(64), "google": "AI" + "za" + _any(35),
    "google oauth": "ya29" + "." + _any(60), "google client": "GOC" + "SPX-" + _any(28), "aws id": "AK" + "IA" + _any(16, _UPPER),
    "aws session": "AS" + "IA" + _any(16, _UPPER), "azure client": _any(3) + "8Q" + "~" + _any(34),
    "digitalocean": "dop_" + "v1_" + _hex(64), "digitalocean oauth": "doo_" + "v1_" + _hex(64),
    **{f"shopify {each}": f"shp{each}_" + _hex(32) for each in ("at", "ss", "ca", "pa")},
    "databricks": "da" + "pi" + _hex(32), "vault": "hvs" + "." + _any(90), "vault batch": "hvb" + "." + _any(90),
    "vault old": "s" + "." + _any(24), "hugging face": "hf" + "_" + _any(34), "npm": "npm" + "_" + _any(36),
    "pypi": "py" + "pi-AgEIcHlwaS5vcmc" + _any(80), "telegram": "1234567890" + ":AA" + _any(33),
    "discord": "M" + _any(23) + "." + _any(6) + "." + _any(38), "twilio": "SK" + _hex(32), "sendgrid": "SG" + "." + _any(22) + "." + _any(43),
    "mailgun": "key" + "-" + _hex(32), "mailchimp": _hex(32) + "-us12", "square": "sq0" + "csp-" + _any(43), "square token": "EA" + "AA" + _any(60),
    "paypal": "access_token" + "$production$" + _any(16, string.ascii_lowercase + string.digits) + "$" + _hex(32),
    "heroku": "HRKU" + "-" + _UUID, "linear": "lin_" + "api_" + _any(40), "notion": "secret" + "_" + _any(43), "notion new": "ntn" + "_" + _any(46),
    "figma": "figd" + "_" + _any(40), "airtable": "pat" + _any(14) + "." + _hex(64), "atlassian": "ATA" + "TT3" + _any(180),
    "doppler": "dp." + "pt." + _any(43), "grafana": "glsa" + "_" + _any(32) + "_" + _hex(8), "grafana cloud": "glc" + "_" + _any(80),
    "new relic": "NRAK" + "-" + _any(27, _UPPER), "sentry": "sntrys" + "_" + _any(100), "supabase": "sbp" + "_" + _hex(40),
    "planetscale": "pscale" + "_tkn_" + _any(43), "netlify": "nfp" + "_" + _any(36), "fly": "FlyV1" + " fm2_" + _any(100), "fly old": "fo1" + "_" + _any(43),
    "terraform": _any(14) + "." + "atlasv1." + _any(67), "pulumi": "pul" + "-" + _hex(40), "replicate": "r8" + "_" + _any(37), "groq": "gsk" + "_" + _any(52),
    "xai": "xai" + "-" + _any(80), "perplexity": "pplx" + "-" + _any(48), "age": "AGE" + "-SECRET-KEY-1" + _any(58, _UPPER), "docker": "dckr" + "_pat_" + _any(27),
    "wif": "K" + _any(51, _B58), "xprv": "xp" + "rv9s21ZrQH" + _any(101, _B58), "tailscale": "tskey" + "-auth-" + _any(12) + "-" + _any(32),
    "jwt": "eyJ" + _any(30) + ".eyJ" + _any(60) + "." + _any(43),
    "pem": "-----BEGIN RSA " + "PRIVATE KEY-----\n" + _any(64) + "\n" + _any(40) + "\n-----END RSA " + "PRIVATE KEY-----",
    "pem in one line": "-----BEGIN " + "PRIVATE KEY-----\\n" + _any(64) + "\\n-----END " + "PRIVATE KEY-----\\n",
    "pgp": "-----BEGIN PGP " + "PRIVATE KEY BLOCK-----\n\n" + _any(64) + "\n-----END PGP " + "PRIVATE KEY BLOCK-----",
    "putty": "Private-" + "Lines: 1\n" + _any(64) + "\nPrivate-MAC: " + _hex(40),
}.items():  # fmt: skip
    _kind(_name, "we use @@ there", _secret)

# by names, in every notation
for _name, _form, _secret in (
    ("env", "DB_PASSWORD=@@", _WORD), ("env exported", "export DATABASE_PASSWORD='@@'", _WORD), ("json", '{"password": "@@"}', _WORD),
    ("json escaped", '{\\"password\\": \\"@@\\"}', _PLAIN), ("camel", 'clientSecret: "@@"', _any(32)), ("kebab", "client-secret: @@", _any(32)),
    ("yaml", "  db_password: @@", _PLAIN), ("yaml block", "password: |\n  @@", _PLAIN), ("ini", "password = @@", _PLAIN), ("ini word", "smtp_pass=@@", "sunflowerfield"),
    ("properties", "spring.datasource.password=@@", _PLAIN), ("xml", "<password>@@</password>", _PLAIN), ("xml attribute", '<add key="ApiKey" value="@@" />', _any(32)),
    ("kubernetes", "- name: DB_PASSWORD\n  value: @@", _PLAIN), ("header", "X-Api-Key: @@", _any(32)), ("bearer", "Authorization: Bearer @@", _any(40)),
    ("basic", "Authorization: Basic @@", "dXNlcjpTM2NyM3RQYXNz"), ("cookie", "Cookie: theme=dark; sessionid=@@; lang=uk", _any(32)),
    ("set-cookie", "Set-Cookie: PHPSESSID=@@; HttpOnly", _any(26)), ("url parameter", "https://x.example/v1?access_token=@@&a=1", _any(32)),
    ("netrc", "machine api.example login me password @@", _PLAIN), ("netrc lines", "machine api.example\n  login me\n  password @@", _PLAIN),
    ("flag", "deploy --password @@ --now", _PLAIN), ("flag with sign", "deploy --token=@@", _any(32)), ("curl", "curl -u admin:@@ https://x.example", _PLAIN),
    ("python", 'API_KEY = "@@"', _any(32)), ("python typed", 'password: str = "@@"', _PLAIN), ("call", 'connect(host, password="@@")', _WORD), ("ruby", ':password => "@@"', _PLAIN),
    ("go", 'password := "@@"', _PLAIN), ("aws secret", "AWS_SECRET_ACCESS_KEY=@@", _any(40, _LETTERS + "+/")), ("aws ini", "aws_secret_access_key = @@", _any(40)),
    ("azure storage", "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=@@;EndpointSuffix=y", _any(86, _LETTERS + "+/") + "=="),
    ("azure bus", "Endpoint=sb://x/;SharedAccessKeyName=Root;SharedAccessKey=@@", _any(43) + "="), ("azure sas", "https://x.example/c?sv=2022&sig=@@", _any(43) + "%3D"),
    ("postgres", "postgres://app:@@@db:5432/x", _PLAIN), ("mongo", "mongodb+srv://app:@@@c0.example/x", _PLAIN), ("redis", "redis://:@@@cache:6379/0", _PLAIN), ("amqp", "amqp://app:@@@mq/v", _PLAIN),
    ("jdbc", "jdbc:mysql://h/db?user=app&password=@@", _PLAIN), ("ado", "Server=h;User Id=sa;Password=@@;Encrypt=true", _WORD), ("git remote", "https://oauth2:@@@git.example/x.git", _any(20)),
    ("cloudflare", "CLOUDFLARE_API_TOKEN=@@", _any(40)), ("fastly", "FASTLY_API_KEY=@@", _any(32)), ("vercel", "VERCEL_TOKEN=@@", _any(24)), ("heroku by name", "HEROKU_API_KEY=@@", _UUID),
    ("datadog", "DD_API_KEY: @@", _hex(32)), ("npmrc", "//registry.example/:_authToken=@@", _UUID), ("docker config", '{"auths": {"r.example": {"auth": "@@"}}}', "dXNlcjpTM2NyM3RQYXNzV29yZDEy"),
    ("wireguard", "PrivateKey = @@", _any(43, _LETTERS + "+/") + "="), ("wallet key", "ETH_PRIVATE_KEY=0x@@", _hex(64)),
    ("mnemonic", "seed phrase: @@", "legal winner thank year wave sausage worth useful legal winner thank yellow"),
    ("mnemonic json", '"mnemonic": "@@"', "legal winner thank year wave sausage worth useful legal winner thank yellow"),
    ("slack webhook", "https://hooks.slack." + "com/services/@@", "T0123ABCD/B0123ABCD/" + _any(24)), ("discord webhook", "https://discord.com/api/webhooks/@@", "123456789012345678/" + _any(68)),
    ("teams webhook", "https://x.webhook.office.com/webhookb2/@@", _UUID + "@" + _UUID + "/IncomingWebhook/" + _hex(32) + "/" + _UUID), ("otp", "otpauth://totp/X:me?secret=@@&issuer=X", "JBSWY3DPEHPK3PXP"),
    ("prose", "password for the wifi is @@!", "Sunflower-92"), ("pin", "my pin is @@", "4821"), ("ukrainian", "пароль: @@", "Kava2026x"), ("ukrainian prose", "Пароль від пошти такий: @@", _PLAIN),
    ("ukrainian token", "токен доступу: @@", _any(24)), ("api key in prose", "the API key for the shop is @@", _any(20)), ("markdown", "**Password:** @@", _PLAIN), ("table", "| password | `@@` |", _PLAIN),
    ("export of a browser", "name,url,username,password\r\nShop,https://x.example,me,@@\r\n", "sunflowerfield"),
    ("export with quotes", 'user;token;note\n"me; too";"@@";x\n', _any(20)), ("column of a page", "| for | password |\n|---|---|\n| wifi | @@ |", _PLAIN),
    ("login in prose", "login: ann / @@", "aXb0t0#77aa"), ("password in a sentence", "use password @@ for the disk", "mR9Zvf4lQ"), ("share", "//ann:@@@nas/share", _PLAIN), ("docker login", "docker login -u ann -p @@ r.example", _any(20)),
    ("into sudo", "echo '@@' | sudo -S ls", _PLAIN), ("odd flag", "login --password @@ host", "Zim?ZoOl"), ("apache", "SetEnv DB_PASS @@", _PLAIN), ("key in a sentence", "private key 0x@@", _hex(64)), ("pw", "pw: @@", _PLAIN),
    ("openvpn", "-----BEGIN OpenVPN " + "Static key V1-----\n@@\n-----END OpenVPN " + "Static key V1-----", _hex(32)),
    ("numbered phrase", "seed phrase:\n@@", " ".join(f"{place}. {word}" for place, word in enumerate(["kettle", "meadow", "moon"] * 4, 1))),
    ("signs in a password", "password: @@", "%x" + _any(9)), ("exclamation", 'password = "@@"', "!" + _any(9)),
    ("passphrase", 'DB_PASSWORD="@@"', "sunflower meadow kettle moon"), ("joined words", '"password": "@@"', "sunflower-field-kettle-moon"), ("chosen", "JWT_SECRET=@@", "sunflower-kettle"),
    ("unknown vendor", "use @@ there", "tvx" + "api-" + _any(64)), ("small letters", "use @@ there", "tv" + "k-" + _any(48, string.ascii_lowercase + string.digits)), ("says live", "use @@ there", "tvx_" + "live_" + _hex(32)),
    ("sql", "CREATE USER app IDENTIFIED BY '@@';", _PLAIN), ("mysql client", "mysql -uroot -p@@ shop", _PLAIN), ("redis config", "requirepass @@", _PLAIN), ("shadow", "root:$6$" + "salt$@@:19000:0", _any(86)),
):  # fmt: skip
    _kind(_name, _form, _secret)
