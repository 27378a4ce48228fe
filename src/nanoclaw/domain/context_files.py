"""The files of a company's context: which exist, how often each is expected to change, and how people name them."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum

from nanoclaw.domain.errors import NotFound, Refused


class Rhythm(StrEnum):
    """How often a file is expected to change."""

    YEAR = "year"
    QUARTER = "quarter"
    MONTH = "month"

    @property
    def length(self) -> timedelta:
        return timedelta(days={"year": 366, "quarter": 92, "month": 31}[self.value])


# Area by area, in reading order. The text `context-purpose-<area>-<name>` says what each is for.
RHYTHMS: Mapping[str, Rhythm] = {
    "company/identity": Rhythm.YEAR,
    "company/team": Rhythm.YEAR,
    "company/operations": Rhythm.YEAR,
    "product/spec": Rhythm.QUARTER,
    "product/pricing": Rhythm.QUARTER,
    "product/positioning": Rhythm.QUARTER,
    "audience/icp": Rhythm.QUARTER,
    "audience/jtbd": Rhythm.QUARTER,
    "audience/voc": Rhythm.MONTH,
    "audience/awareness": Rhythm.QUARTER,
    "brand/voice": Rhythm.YEAR,
    "brand/visual": Rhythm.YEAR,
    "brand/guidelines": Rhythm.YEAR,
    "market/intelligence": Rhythm.MONTH,
    "market/competitors": Rhythm.MONTH,
    "market/channels": Rhythm.QUARTER,
    "market/geo_aeo": Rhythm.MONTH,
}
AREAS = ("company", "product", "audience", "brand", "market")
LONGEST_TEXT = 100_000  # characters of one file
MOST_DOCUMENT_BYTES = 25 << 20  # of a document from which changes are proposed
DOCUMENT_KINDS = (".pdf", ".docx", ".md", ".markdown", ".txt", ".csv", ".html", ".htm")

# The beginnings of words that people use for a file, in both languages.
_STEMS: Mapping[str, tuple[str, ...]] = {
    "company/identity": ("identit", "mission", "ідентичн", "місія", "місії", "місію", "про компанію"),
    "company/team": ("team", "staff", "people", "команд", "співробітник", "персонал"),
    "company/operations": ("operation", "process", "операці", "процес", "графік робот"),
    "product/spec": ("spec", "feature", "специфікац", "характеристик", "функці"),
    "product/pricing": (
        "pric",
        "tariff",
        "discount",
        "cost",
        "ціна",
        "ціни",
        "ціну",
        "ціно",
        "тариф",
        "знижк",
        "вартіст",
        "прайс",
    ),
    "product/positioning": ("position", "позиціонув"),
    "audience/icp": ("icp", "ideal customer", "customer profile", "ідеальн", "портрет клієнт", "клієнт"),
    "audience/jtbd": ("jtbd", "jobs to be done", "job", "завдання клієнт", "роботи клієнт"),
    "audience/voc": (
        "voc",
        "voice of customer",
        "voice of the customer",
        "review",
        "feedback",
        "голос клієнт",
        "відгук",
    ),
    "audience/awareness": ("awareness", "обізнан", "поінформован"),
    "brand/voice": ("voice", "tone", "тон", "голос бренд", "голос"),
    "brand/visual": ("visual", "logo", "colour", "color", "font", "візуал", "логотип", "кольор", "шрифт"),
    "brand/guidelines": ("guideline", "brand rule", "правила бренд", "брендбук", "гайдлайн", "настанов"),
    "market/intelligence": ("intelligence", "trend", "market news", "тренд", "аналітика ринк", "розвідк"),
    "market/competitors": ("competitor", "rival", "конкурент"),
    "market/channels": ("channel", "канал"),
    "market/geo_aeo": ("geo", "aeo", "seo", "ai search", "ші-пошук", "пошук"),
}
_AREA_STEMS = {
    "company": ("company", "компан"),
    "product": ("product", "продукт", "товар"),
    "audience": ("audience", "customers", "аудитор"),
    "brand": ("brand", "бренд"),
    "market": ("market", "ринок", "ринк"),
}  # fmt: skip


def is_stale(file: str, changed_at: datetime, at: datetime) -> bool:
    return at - changed_at > RHYTHMS[file].length


def file_named(said: str) -> str:
    """The file that someone means: `product/pricing`, `pricing.md`, `prices`, `ціни`. Raises NotFound;
    Refused if several fit. Only the names above ever come out: no path can be smuggled in.
    """
    found = files_named(said)
    if not found:
        raise NotFound("no-such-context-file", name=said.strip()[:80], known=", ".join(RHYTHMS))
    if len(found) > 1:
        raise Refused("context-file-unclear", name=said.strip()[:80], known=", ".join(found))
    return found[0]


def files_named(said: str) -> list[str]:
    """All files that could be meant; those of an area if only that is named."""
    name = _plain(said)
    exact = [file for file in RHYTHMS if name in (file, file.partition("/")[2], file.replace("/", " "))]
    if exact:
        return exact
    fits = {file: _fit(name, stems) for file, stems in _STEMS.items()}
    best = max(fits.values())
    if best:
        return [file for file, fit in fits.items() if fit == best]
    area = area_named(said)
    return [file for file in RHYTHMS if area and file.startswith(f"{area}/")]


def area_named(said: str) -> str | None:
    name = _plain(said)
    return next((area for area, stems in _AREA_STEMS.items() if _fit(name, stems)), None)


def _fit(name: str, stems: tuple[str, ...]) -> int:
    """How many letters of the name the longest matching beginning explains."""
    return max((len(stem) for stem in stems if re.search(rf"\b{re.escape(stem)}", name)), default=0)


def _plain(said: str) -> str:
    name = " ".join(said.casefold().replace("\\", "/").split()).strip(" :.,!?\"'«»#*")
    return name.removeprefix("context/").removesuffix(".md")
