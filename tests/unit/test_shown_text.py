"""What people are shown: nothing invisible, nothing that passes for something else; ordinary text as it is (E13)."""

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoclaw.domain.shown_text import shown, shown_line
from nanoclaw.flows.company_context.files import diff

pytestmark = pytest.mark.capability("E13")

_PATIENCE = 20.0  # seconds: whatever takes time with the square of the length takes hours
_HIDDEN = [
    "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\xad", "\u202e", "\u2066", "\u061c", "\u2028", "\u2029", "\x85",
    "\x0b", "\x0c", "\x1b", "\r", "\ufe0f", "\u3164", "\u2800", "\u2003", "\U000e0041", "\U000e0100", "\U0001d173",
]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "PDF-файл, у Telegramу, з Telegramом, в iPhoneі, PDFу, ITшник, HRка, SMMник, API-ключ",
        "100\u00a0000\u202f₴ і «їжак», п'ять, ім\u02bcя",
        "👨\u200d👩\u200d👧 ❤\ufe0f 👍🏽 1\ufe0f\u20e3 🇺🇦 ✔\ufe0e",
        "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "می\u200cخواهم نامه\u200cای क्\u200dष",
        "Grüße aus Köln: Straße, naïve, Łódź, Việt Nam, ẛ̣",
        "שָׁלוֹם עֲלֵיכֶם وَٱلسَّلَامُ عَلَيْكُمْ",
        "日本\u3000語 한국어 ภาษาไทย ที่นี่",
        "\u3000吾輩は猫である。\n\u3000名前はまだ無い。A社\u3000B社",
        "हिन्दी में क्\u200dया, র\u200d্য র\u200c্য, അവന\u0d4d\u200d വന്നു",
        "«\u202fBonjour\u202f», « Bonjour »",
        "немає iPhoneа, у Zoomі/Viberі, «PowerPointа».",
        "ΔT = 5, ΩH, μA",
        "ﬁn, x², 𝑥 = 5, ＡＢＣ",
        "5 μm, 3 kΩ, Δt, naïve café\tend\n",
        "~/.config/a_b-c.txt $(rm -rf) ⟨U+200B⟩",
    ],
)
def test_ordinary_writing_is_unmarked(text: str) -> None:
    assert shown(text) == text


@pytest.mark.attack
@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("pay\u200bpal", "pay⟨U+200B⟩pal"),
        ("a\u202egpj.exe", "a⟨U+202E⟩gpj.exe"),
        ("one\u2028two\r\n", "one⟨U+2028⟩two⟨U+000D⟩\n"),
        ("\U000e0069\U000e0067", "⟨U+E0069⟩⟨U+E0067⟩"),
        ("\u200b" * 1000, "⟨U+200B x 1000⟩"),
        ("p\u0430ypal", "p⟨U+0430⟩ypal"),
        ("\u0440\u0430ypal", "⟨U+0440⟩⟨U+0430⟩ypal"),
        ("\u0421hrome", "⟨U+0421⟩hrome"),
        ("appl\u0435", "appl⟨U+0435⟩"),
        ("g\u03bfogle", "g⟨U+03BF⟩ogle"),
        ("прив\u0069т", "прив⟨U+0069⟩т"),
        ("z" + "\u0301" * 30, "z" + "\u0301" * 4 + "⟨U+0301 x 26⟩"),
        ("\U0001f3f4\U000e0068\U000e0069\U000e007f", "\U0001f3f4⟨U+E0068⟩⟨U+E0069⟩⟨U+E007F⟩"),
        ("क" + "\u0941" * 30, "क" + "\u0941" * 4 + "⟨U+0941 x 26⟩"),
        ("—" + "\u0301" * 9 + "\u0302" * 2, "—" + "\u0301" * 4 + "⟨U+0301 x 5⟩⟨U+0302⟩⟨U+0302⟩"),
        ("क" + "\u0941\u200d\u0941", "क\u0941⟨U+200D⟩\u0941"),
        ("\ua4d1ayPal, \U0001d5c9aypal, paypa\u217c", "⟨U+A4D1⟩ayPal, ⟨U+1D5C9⟩aypal, paypa⟨U+217C⟩"),
        ("info@Appl\u0435, Googl\u0435.com", "info@Appl⟨U+0435⟩, Googl⟨U+0435⟩.com"),
        ("https://example.org/Appl\u0435/x", "https://example.org/Appl⟨U+0435⟩/x"),
        ("\ue000\U000f0041\U0001d159", "⟨U+E000⟩⟨U+F0041⟩⟨U+1D159⟩"),
        ("a\u200cb \u0627\u200c", "a⟨U+200C⟩b \u0627⟨U+200C⟩"),
    ],
)
def test_what_hides_or_passes_for_something_else_is_a_mark(text: str, seen: str) -> None:
    assert shown(text) == seen


def test_every_character_that_no_screen_shows_has_a_mark() -> None:
    kept = {"\n", "\t", " ", "\u00a0", "\u202f"}
    unseen = (chr(each) for each in range(0x110000))
    unmarked = [
        f"U+{ord(each):04X}"
        for each in unseen
        if unicodedata.category(each) in ("Cc", "Cf", "Cs", "Zl", "Zp", "Zs")
        and each not in kept
        and shown(each) == each
    ]
    assert not unmarked


def test_no_marks_are_piled_up_in_any_script() -> None:
    marks = (chr(each) for each in range(0x110000))
    assert not [
        each
        for each in marks
        if unicodedata.category(each) in ("Mn", "Me") and shown(f"a{each * 30}") == f"a{each * 30}"
    ]


@given(st.lists(st.one_of(st.sampled_from(_HIDDEN), st.text(max_size=5))).map("".join))
def test_shown_again_it_is_the_same_and_nothing_hidden_is_left(text: str) -> None:
    seen = shown(text)
    assert shown(seen) == seen
    assert not set(seen) & {"\u200b", "\u202e", "\u2028", "\x85", "\x0b", "\r", "\ufeff", "\u2060"}
    assert "\n" not in shown_line(text)


@pytest.mark.attack
@pytest.mark.parametrize(
    "text",
    [
        "\u0301" * 5_000_000,
        "\u0301\u0302" * 500_000,
        "l\u0430" * 250_000,
        "a\u0430" + "\u0301" * 2_000_000,
        "\u200b\u200c" * 500_000,
        "👨\u200d" * 500_000,
        "слово " * 800_000,
    ],
    ids=["marks", "two marks", "two alphabets", "one letter", "zero width", "emoji", "five megabytes"],
)
def test_no_text_takes_long(text: str) -> None:
    began = time.monotonic()
    shown(text)
    assert time.monotonic() - began < _PATIENCE


@pytest.mark.attack
def test_a_difference_of_many_lines_takes_no_time_and_misses_none() -> None:
    before = "".join(f"line {each}\n" for each in range(100_000))
    after = "".join(f"line {each}{'!' if each % 2 else ''}\n" for each in range(100_000))
    began = time.monotonic()
    seen = diff(before, after)
    assert time.monotonic() - began < _PATIENCE
    assert "+line 1!" in seen
    assert "+line 99999!" in seen
    assert diff(before, before) == ""
    assert diff(before, before + "more\n") == "@@ -100001,0 +100001,1 @@\n+more"


@pytest.mark.attack
def test_a_difference_of_line_ends_alone_is_a_difference() -> None:
    seen = diff("one\ntwo\n", "one\u2028two\n")
    assert "+one⟨U+2028⟩two" in seen
    assert "-one⟨U+000D⟩" in diff("one\r\n", "one\n")
