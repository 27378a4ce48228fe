"""What is masked before it is kept, and what must not be."""

import base64
import time
from importlib import resources
from importlib.resources.abc import Traversable

import pytest

from nanoclaw.memory import personal_numbers
from nanoclaw.memory.masking import addresses_in, mask, mask_body
from nanoclaw.memory.personal_numbers import region_of

JWT = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Call +380 67 123 45 67.", "Call [phone]."),
        ("Олена: 067 123 45 67 або 0671234567", "Олена: [phone] або [phone]"),
        ("офіс (044) 123-45-67, 380671234567", "офіс [phone], [phone]"),
        ("in the US (415) 555-2671 or +1 415-555-2671", "in the US [phone] or [phone]"),
        ("write to anna.k+shop@example.com!", "write to [e-mail]!"),
        ("карта 4111 1111 1111 1111", "карта [card]"),
        ("IBAN UA213223130000026007233566001 на рахунок", "IBAN [iban] на рахунок"),
        ("pay to DE89 3704 0044 0532 0130 00 ON TIME", "pay to [iban] ON TIME"),
        ("AKIAIOSFODNN7EXAMPLE is the key", "[secret] is the key"),
        ("the bot is 123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1", "the bot is [secret]"),
        ("sk-ant-api03-abcdefghijklmnopqrstuvwx", "[secret]"),
        (f"use {JWT}.", "use [secret]."),
        ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "[secret]"),
        ("Password: hunter2, do not tell", "Password: [secret], do not tell"),
        ("Пароль: кавакава", "Пароль: [secret]"),
        ("пароль від вайфаю — Kava2026!", "пароль від вайфаю — [secret]!"),
        ("api_key=Zx91-qq", "api_key=[secret]"),
        ("token is Zk3Jd92mXq81LsPw0aTy55Rb", "token is [secret]"),
        ("keep Zk3Jd92mXq81LsPw0aTy55Rb safe", "keep [secret] safe"),
        ("see https://example.com/r?id=7&token=abcdef123456 now", "see https://example.com/r?id=7&token=[secret] now"),
        ("postgres://app:pa55word@db/x", "postgres://app:[secret]@db/x"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- x", "[secret] x"),
    ],
)  # fmt: skip
@pytest.mark.capability("G4")
def test_secrets_and_personal_data_are_masked(text: str, kept: str) -> None:
    masked = mask(text)
    assert masked.text == kept
    assert len(masked.found) == kept.count("[")
    assert mask(masked.text) == type(masked)(masked.text)


@pytest.mark.parametrize(
    "text",
    [
        "Ціна 34 500 грн, було 1 234 567 890; 380 000 000 грн за рік, 0,5 кг, 050 грам, 100 200 300",
        "EUR 7.80 per kg, $1,240.50, 18 % above 2025, 2-3 days, 9:00-18:00, 4.6 of 5",
        "2026-02-28, 28.02.2026, 2026-02-28T14:30:00Z, Jan 1, 2024, 1:30 PM",
        "замовлення 20260228123456, ТТН 20450123456789, ЄДРПОУ 12345678, рахунок № 1024",
        "fact_20260228_k3v9q2ab replaces t_01k9abcdefghjkmnpqrstvwxyz; 3f2504e0-4f89-11d3-9a0c-0305e82c3301",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8, version 3.11.7, 192.168.0.1, gpt-4o-mini-2024-07-18",
        "Password: at least 12 letters. The secret of growth: 5x more posts. Ключові рішення: план Q3-2026 і B2B2C",
        "Пароль треба міняти кожні 90 днів. Token limit: 4096. PIN-код не потрібен.",
        "https://docs.google.com/document/d/1AbC9dEf8GhI7jKl6MnO5pQr4StU3vWx/edit",
        "@lantern_coffee на Telegram, a@b, TestMemoryFilesOfTheCompany2026",
    ],
)
@pytest.mark.capability("G4")
def test_prices_dates_ids_versions_and_plain_sentences_are_not(text: str) -> None:
    assert mask(text).text == text


def _documents(folder: Traversable) -> list[str]:
    found = []
    for each in folder.iterdir():
        if each.is_dir():
            found += _documents(each)
        elif each.name.endswith((".md", ".ftl")):
            found.append(each.read_text(encoding="utf-8"))
    return found


@pytest.mark.capability("G4")
def test_in_the_starter_companies_and_our_own_texts_nothing_is_masked() -> None:
    lines = [
        line
        for root in (resources.files("nanoclaw.host") / "starter", resources.files("nanoclaw.texts"))
        for text in _documents(root)
        for line in text.splitlines()
        if line.strip() and "@" not in line
    ]
    assert len(lines) > 2000
    assert [line for line in lines if mask(line).found] == []


@pytest.mark.capability("G4")
def test_local_numbers_are_those_of_the_workspaces_country() -> None:
    assert [region_of(zone) for zone in ("America/New_York", "Europe/Kyiv", "UTC", None)] == [
        "US",
        "UA",
        "UA",
        "UA",
    ]
    text = "call 415-555-2671, not 415-555-267; 2026-02-28"
    assert mask(text, region=region_of("America/New_York")).text == text.replace("415-555-2671", "[phone]")
    assert mask("ring 020 7946 0958", region=region_of("Europe/London")).found == ("phone",)


@pytest.mark.capability("G4")
def test_the_companys_own_addresses_stay() -> None:
    own = [
        "hello@lantern.example",
        "@lantern.example",
        "+380 44 123 45 67",
        "UA21 322313 0000026007233566001",
    ]
    text = "hello@lantern.example, o@lantern.example, (044) 123-45-67, UA213223130000026007233566001, x@evil.example"
    masked = mask(text, own)
    assert masked.text == text.replace("x@evil.example", "[e-mail]")
    assert masked.found == ("e-mail",)


@pytest.mark.capability("G4")
def test_a_line_is_masked_in_every_field_and_keeps_its_id() -> None:
    body = {
        "id": "fact_20260228_001",
        "timestamp": "2026-02-28T14:30:00Z",
        "fact": "Anna: anna@example.com, and the plan is plan-key-77",
        "topic": "067 123 45 67",
        "related_to": ["anna@example.com"],
        "confidence": 0.5,
        "note": {"by": ["anna@example.com"]},
    }

    def masked(text: str) -> tuple[str, tuple[str, ...]]:
        made = mask(text, known=lambda text: text.replace("plan-key-77", "***"))
        return made.text, made.found

    made, found = mask_body(body, masked)
    assert made == {
        **body,
        "fact": "Anna: [e-mail], and the plan is ***",
        "topic": "[phone]",
        "related_to": ["[e-mail]"],
        "note": {"by": ["[e-mail]"]},
    }
    assert sorted(found) == ["e-mail", "e-mail", "e-mail", "phone", "secret"]


@pytest.mark.attack
@pytest.mark.parametrize(
    "piece",
    ["//", "a", "1", "1 ", "a@a.", "eyJ", "://a:", "-----BEGIN PRIVATE KEY-----", "password:", "password a ", "+1",
     "(1", "UA11 ", "AC", "067-", "Aa1", "a.", "xoxb-", "AccountKey=", "пароль "],
)  # fmt: skip
def test_no_text_makes_masking_slow(piece: str) -> None:
    started = time.process_time()
    mask(piece * (20_000 // len(piece)))
    assert time.process_time() - started < 3


@pytest.mark.parametrize("place", range(19_900, 20_060, 7))
def test_what_lies_across_two_pieces_is_found(place: int) -> None:
    secrets = "call +380 67 123 45 67 or a@b.example, key sk-ant-Zx9Qv7Lm2Tn8Rk4Wb6Yc1Pd5Hq3"
    text = f"{'word ' * (place // 5)}{'.' * (place % 5)} {secrets} {'more ' * 9000}"
    made = mask(text)
    assert made.text == text.replace(secrets, "call [phone] or [e-mail], key [secret]")
    assert sorted(made.found) == ["e-mail", "phone", "secret"]


def test_a_long_secret_is_masked_to_its_end() -> None:
    claims = base64.urlsafe_b64encode(b'{"sub": "%s"}' % (b"x" * 2000)).decode().rstrip("=")
    token = ".".join((JWT.split(".")[0], claims, JWT.split(".")[2]))
    for words in (3880, 3890, 3898, 3950, 3990):
        assert mask(f"{'word ' * words}{token} end").text == f"{'word ' * words}[secret] end"
    key = "-----BEGIN PRIVATE KEY-----\n" + "MIIE\n" * 5000 + "-----END PRIVATE KEY-----"
    assert mask(f"{'word ' * 3990}{key} end").text.endswith("word [secret] end")


def test_quick_looks_for_phones_find_them_all() -> None:
    line = (
        "1 240 46 345, 2026-11-17, 12345678 / 067 123 45 67 - (415) 555-2671; +49 30 123456 0671234567 " * 3
    )
    for region in ("UA", "US", "DE"):
        assert set(personal_numbers.phones(line, region)) == set(personal_numbers._phones(line, region))


def test_public_addresses_are_listed() -> None:
    assert addresses_in("Write to hello@ours.example or call +380 32 242 11 22; password: hunter2x") == [
        "hello@ours.example",
        "+380 32 242 11 22",
    ]
