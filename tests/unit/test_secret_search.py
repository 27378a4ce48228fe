"""Every kind of secret is found, and ordinary lines are left alone."""

# ruff: noqa: E501 (tables of patterns)

import pytest
from tests.unit.secret_kinds import KINDS

from nanoclaw.domain.secret_search.file_names import secret_by_name
from nanoclaw.domain.secret_search.masker import holds_secret
from nanoclaw.domain.secret_search.vendor_keys import MAY_HOLD_KEY
from nanoclaw.testing import mask


@pytest.mark.attack
@pytest.mark.parametrize("kind", KINDS)
def test_a_secret_of_this_kind_is_masked(kind: str) -> None:
    text, secret = KINDS[kind]
    made = mask(text)
    assert secret not in made
    assert mask(made) == made


@pytest.mark.attack
@pytest.mark.parametrize("kind", ["env", "json", "github p", "postgres"])
def test_bytes_are_searched_whatever_their_encoding(kind: str) -> None:
    text, _ = KINDS[kind]
    assert MAY_HOLD_KEY.search(text) or kind in ("env", "json")
    for content in (
        b"\0\xff\xfe" + text.encode() + b"\0",
        b"\1\2" + text.encode("utf-16-le"),
        text.encode("utf-16-be"),
    ):
        assert holds_secret(content)
    assert not holds_secret(bytes(range(256)) * 20)


@pytest.mark.parametrize(
    "line",
    [
        "password: ${DB_PASSWORD}", "password = os.getenv('DB_PASSWORD')", "token_count: 512", "the password is required", "The secretary has a keyboard.",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8", "id: 3f2504e0-4f89-11d3-9a0c-0305e82c3301", "def login(user: str, password: str) -> Token:",
        "self.token = token", "<input type=\"password\" name=\"password\">", "password=password, token=self._token", "max_tokens: 4096", "primary_key=True",
        '"integrity": "sha512-Zk3Jd92mXq81LsPw0aTy55RbZk3Jd92mXq81LsPw0aTy55RbZk3Jd92mXq81LsPw0aTy55Rb=="', "session=s_01m7r5xz923ham5y4bxp65kcmb turn=t_01m7r5xzdfbrnx9cd593vf5sv1", '{"session": "s_01m7r5xz923ham5y4bxp65kcmb"}', "handoff hf_01m7r5xyb8z2varwzksfme6rca is done",
        "toolu_011CZkZaBF1tNoB5wlCeusgy was called", "user,password,token\nare asked for", "    key,\n    value,\n    password,", "using Pass::doInitialization;", "ECDSA_Sig_Value = rfc3279.ECDSA_Sig_Value",
        '"password": "at least twelve signs please"', "password: %(value)s", "password: !vault", "M" * 64 + "\nmMpYjn0q7pBZc2T5NnReJaH1ZgUufzkVqSr7UIuOhWn0\n-----END CERTIFICATE-----",
        "Пароль має містити 12 літер", "API_KEY=<your key>",
    ],
)  # fmt: skip
def test_an_ordinary_line_is_not_masked(line: str) -> None:
    assert mask(line) == line


def test_a_long_table_is_searched_to_its_end() -> None:
    row = "Shop,https://x.example,me,sunflowerfield\n"
    made = mask("name,url,username,password\n" + row * 2_000)
    assert ("sunflower" in made, made.count("[secret]")) == (False, 2_000)


def test_files_are_known_as_secrets_by_their_names() -> None:
    secret = [".env", "app/.env.production", ".netrc", "id_ed25519", "x.pem", "a.key", "k.p12", ".kube/config", ".aws/credentials", "wallet.dat",
              ".docker/config.json", ".npmrc", "secrets.yaml", "credentials-prod.json", "my-service-account.json", "terraform.tfstate", "v.ovpn",
              ".env~", "deploy.pem.txt", "Chrome Passwords (1).csv", "паролі.txt", "github-recovery-codes.txt", "token.json", "api_key.txt", "pgpass.conf", "aws_credentials", ".bash_history"]  # fmt: skip
    plain = [
        ".env.example",
        "id_rsa.pub",
        "report.md",
        "keyboard.txt",
        "config.json",
        "secrets.md",
        "secret.png",
        "secret_santa.md",
        "id_card_scan.png",
        "environment.yml",
        "passwords.py",
        "design-tokens.json",
        "passwords-policy.docx",
        "tokenizer.json",
    ]
    assert [each for each in secret if not secret_by_name(each)] == []
    assert [each for each in plain if secret_by_name(each)] == []
