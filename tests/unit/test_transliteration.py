"""Names meet across the two alphabets, however people spell them (SPEC G3)."""

import pytest

from nanoclaw.memory.transliteration import in_cyrillic, in_latin
from nanoclaw.testing import memory_index

pytestmark = pytest.mark.capability("G3")

NAMES = {
    "микола": ("Mykola", "Mikola"),
    "сергій": ("Serhii", "Serhiy", "Sergii", "Sergiy"),
    "наталія": ("Nataliia", "Nataliya", "Natalia"),
    "юлія": ("Iuliia", "Yuliia", "Yulia"),
    "олександр": ("Oleksandr",),
    "євген": ("Yevhen", "Yevgen", "Ievhen"),
    "андрій": ("Andrii", "Andriy"),
    "ковальчук": ("Kovalchuk",),
    "щербаківський": ("Shcherbakivskyi", "Shcherbakivskyy"),
    "згурський": ("Zghurskyi",),
    "київ": ("Kyiv",),
    "мельник": ("Melnyk",),
}


@pytest.mark.parametrize(
    ("cyrillic", "latin"), [(name, each) for name, spelled in NAMES.items() for each in spelled]
)
def test_a_name_is_known_in_the_usual_spellings(cyrillic: str, latin: str) -> None:
    assert latin.lower() in in_latin(cyrillic)


@pytest.mark.parametrize(("cyrillic", "latin"), [(name, spelled[0]) for name, spelled in NAMES.items()])
def test_a_name_in_latin_letters_leads_back(cyrillic: str, latin: str) -> None:
    found = in_cyrillic(latin)
    assert cyrillic in found or any(cyrillic.startswith(each[:-2]) for each in found)


@pytest.mark.parametrize("odd", ["", "a", "x" * 500, "日本語", "naïve", "ы" * 10, "o'neil"])
def test_what_is_no_such_name_has_no_other_spelling(odd: str) -> None:
    assert in_latin(odd) == in_cyrillic(odd) == ()


def test_spellings_of_one_name_are_bounded() -> None:
    assert len(in_latin("гииийгіїиггиий")) <= 24
    assert len(in_cyrillic("iciciciciciciciciciciciy")) <= 24


FACTS = [
    ("warehouse", "Микола відповідає за склад у Житомирі", ""),
    ("invoices", "Mykola Kovalchuk signs the invoices", ""),
    ("contract", "Договір із Сергієм Шевченком діє до травня", ""),
    ("logistics", "Serhii Bondarenko runs logistics in Lviv", ""),
    ("books", "Наталія веде бухгалтерію", ""),
    ("holiday", "Yulia is on holiday in July", ""),
]


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("What does Mykola look after in Zhytomyr?", "warehouse"),
        ("Що підписує Микола Ковальчук?", "invoices"),
        ("Until when is the agreement with Serhiy Shevchenko?", "contract"),
        ("чим керує бондаренко?", "logistics"),
        ("What is Natalia's job?", "books"),
        ("Коли відпочиває Юлія?", "holiday"),
    ],
)
def test_a_question_finds_a_name_that_is_written_in_the_other_alphabet(question: str, answers: str) -> None:
    index = memory_index(FACTS)
    assert index(question)[0] == answers
    index.close()
