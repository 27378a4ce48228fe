"""Whether two decisions contradict each other, as far as their words tell (SPEC G7)."""

import pytest

from nanoclaw.flows.knowledge.conflicts import Statement

pytestmark = pytest.mark.capability("G7")

_CONTRADICT = (
    ("We sell for 490", "we sell for 690"),
    ("The monthly plan costs 490 hryvnias", "The monthly plan costs 690 hryvnias"),
    ("The monthly plan costs 490 hryvnias from May", "Our monthly plan costs 690 hryvnias now"),
    ("Refunds above 100 euros need the owner's consent", "Refunds above 500 euros need the owner's consent"),
    ("Invoices are due within 14 days", "Invoices are due within 30 days"),
    ("We ship orders to Poland", "We do not ship orders to Poland"),
    ("The weekly planning meeting is on Monday at 10", "The weekly planning meeting is on Thursday at 10"),
    ("Our coffee beans come from Brazil", "Our coffee beans come from Colombia"),
    ("New customers get a discount of 10 %", "The discount of new customers is 15 %"),
    ("Support answers within 24 hours", "Support answers customers within 4 hours"),
    ("Продаємо за 490", "продаємо за 690 гривень"),
    ("Місячна підписка коштує 490 гривень", "Ціна: місячна підписка коштуватиме 690 гривень"),
    ("Знижка постійним клієнтам 10 %", "Знижка для постійних клієнтів 15 %"),
    ("Рахунки оплачують протягом 14 днів", "Рахунки оплачуються протягом 30 днів"),
    ("Відправляємо замовлення до Польщі", "Не відправляємо замовлення до Польщі"),
    ("Магазин працює з 9 до 18", "Магазин працює з 10 до 20"),
    ("Повернення понад 100 євро погоджує власник", "Повернення понад 500 євро погоджує власник"),
    ("Щотижнева планерка відділу продажів у понеділок", "Щотижнева планерка відділу продажів у четвер"),
    ("Каву постачає компанія Ромашка", "Каву постачає компанія Волошка"),
    ("Безкоштовна доставка від 1000 гривень", "Безкоштовна доставка від 1500 гривень"),
    ("Salaries are paid on the 5th", "Salaries are paid on the 10th"),
    ("We take a prepayment of 50 %", "The prepayment is 30 %"),
    ("Guests park behind the house", "Guests park in front of the house"),
    ("The free trial lasts 7 days", "The free trial lasts two weeks"),
    ("Мінімальне замовлення 10 коробок", "Мінімальне замовлення тепер 20 коробок"),
    ("Працюємо з передоплатою 50 %", "Передоплата 30 %"),
    ("Телефоном відповідає Ірина", "Телефоном відповідає Марко"),
    ("Зарплату платимо 5 числа", "Зарплату платимо 10 числа"),
)
_RESEMBLE = (
    ("We ship on Fridays", "We invoice on Fridays"),
    ("We sell for 490", "We sell coffee for 100"),
    ("Delivery to Lviv costs 120", "Delivery to Kyiv costs 150"),
    ("Delivery to Lviv costs 120", "Delivery to Odesa costs 120"),
    ("We ship on Fridays.", "On Fridays, we ship"),
    ("The discount for students is 10 percent", "Wholesale buyers pay in advance"),
    ("Refunds above 100 euros need the owner's consent", "Purchases above 100 euros need two offers"),
    ("Invoices are due within 14 days", "Support answers within 24 hours"),
    ("The office is in Rivne", "The office opens at 9"),
    ("We use Slack for chats", "We use Telegram for customers"),
    ("Доставка до Львова коштує 120 гривень", "Доставка до Києва коштує 150 гривень"),
    ("Відправляємо по п'ятницях", "Рахунки виставляємо по п'ятницях"),
    ("Продаємо за 490", "Каву в зернах продаємо за 300"),
    ("Знижка постійним клієнтам 10 %", "Постійним клієнтам даруємо листівку"),
    ("Магазин працює з 9 до 18", "Склад приймає товар з 9 до 18"),
    ("Відпустку погоджує керівник", "Рекламу погоджує власниця"),
    ("Повернення понад 100 євро погоджує власник", "Закупівлі понад 100 євро погоджує бухгалтер"),
    ("Рахунки оплачують протягом 14 днів", "Рахунки за 14 днів оплачують"),
    ("Каву постачає Ромашка", "Чай постачає Волошка"),
    ("Офіс у Рівному", "Офіс відчинено з 9"),
    ("Salaries are paid on the 5th", "Taxes are paid on the 10th"),
    ("The free trial lasts 7 days", "The warranty lasts 12 months"),
    ("The large box costs 30", "The small box costs 20"),
    ("Every parcel gets a card", "Every parcel gets insurance"),
    ("Мінімальне замовлення 10 коробок", "Максимальна знижка 20 відсотків"),
    ("Велика коробка коштує 30 гривень", "Мала коробка коштує 20 гривень"),
    ("Зарплату платимо 5 числа", "Оренду платимо 10 числа"),
    ("Ірина веде облік", "Марко веде склад"),
)


def test_decisions_are_compared_by_their_words_in_both_languages() -> None:
    """26 of 28 each. Missed: where one says it with a single word. Asked about in vain: where one adjective differs."""
    found = [_is_asked(*pair) for pair in _CONTRADICT]
    in_vain = [_is_asked(*pair) for pair in _RESEMBLE]
    assert sum(found) >= len(found) - 2, [
        pair for pair, is_so in zip(_CONTRADICT, found, strict=True) if not is_so
    ]
    assert sum(in_vain) <= 2, [pair for pair, is_so in zip(_RESEMBLE, in_vain, strict=True) if is_so]


def _is_asked(one: str, other: str) -> bool:
    """Whichever comes first."""
    first, second = Statement.of(one), Statement.of(other)
    assert first.contradicts(second) == second.contradicts(first)
    return first.contradicts(second)
