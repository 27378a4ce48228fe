"""J2: amounts of dollars, as people write them in two languages."""

import pytest

from nanoclaw.domain.errors import Refused
from nanoclaw.flows.budgets.amounts import read_amount, read_limit
from nanoclaw.texts import tell

pytestmark = pytest.mark.capability("J2")


@pytest.mark.parametrize(
    ("written", "micros"),
    [
        *(
            (each, 20_000_000)
            for each in ("20", "+20", "$20", "+$20", "20 $", "20$", "20 usd", "20 dollars", "20.00")
        ),
        *((each, 20_000_000) for each in ("20 доларів", "+20 дол.", "20 баксів", " 20 ")),
        *((each, 20_500_000) for each in ("20.5", "20,5", "$20,50")),
        ("1 000", 1_000_000_000),
        ("0", 0),
        ("0.000001", 1),
    ],
)
def test_an_amount_is_read(written: str, micros: int) -> None:
    assert read_amount(written) == micros


@pytest.mark.parametrize(
    "written", ["fifty", "п'ятдесят", "", "1,000", "5 5", "five dollars", "1e9", "20%", "9" * 20, "٣", "$"]
)
def test_what_is_no_amount_is_refused_with_what_to_write(written: str) -> None:
    with pytest.raises(Refused) as refused:
        read_amount(written)
    assert "20.50" in tell("en", refused.value)


@pytest.mark.parametrize("written", ["-5", "−5", "$-5", "-$5"])
def test_less_than_nothing_is_refused(written: str) -> None:
    with pytest.raises(Refused) as refused:
        read_amount(written)
    assert "below zero" in tell("en", refused.value)


@pytest.mark.parametrize("written", ["off", "none", "без ліміту"])
def test_a_limit_can_be_taken_away(written: str) -> None:
    assert read_limit(written) is None
