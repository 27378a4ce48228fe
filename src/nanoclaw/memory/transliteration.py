"""How a name is written in the other alphabet: Микола is Mykola, and Serhiy or Sergii may be Сергій.

People spell names in several ways, so several spellings are looked for. Nothing is stored: the index has each name as
it was written.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice, product

_MOST = 24  # spellings of one name
_SHORTEST, _LONGEST = 3, 24  # letters

# What each part may be, the most usual first; longer parts before shorter ones.
_TO_LATIN = """
    зг=zgh ія=iia,iya,ia ій=ii,iy а=a б=b в=v г=h,g ґ=g д=d е=e є=ie,ye ж=zh з=z и=y,i і=i ї=i,yi й=i,y к=k л=l м=m н=n
    о=o п=p р=r с=s т=t у=u ф=f х=kh,h ц=ts ч=ch ш=sh щ=shch ь= ю=iu,yu я=ia,ya '=
"""
_TO_CYRILLIC = """
    shch=щ zgh=зг iia=ія iya=ія lch=льч,лч lsk=льськ tsk=цьк zh=ж kh=х ts=ц ch=ч sh=ш ks=кс sk=ськ,ск ln=льн,лн
    lk=льк,лк ia=я,ія ya=я ie=є ye=є iu=ю yu=ю yi=ї,иї ii=ій iy=ій yj=ий yy=ий ay=ай ey=ей oy=ой uy=уй
    a=а b=б c=к,ц d=д e=е f=ф g=г h=г i=і,и j=й k=к l=л m=м n=н o=о p=п r=р s=с t=т u=у v=в w=в x=кс y=и z=з
"""


def _letters(table: str) -> dict[str, tuple[str, ...]]:
    return {
        part: tuple(others.split(",")) for part, _, others in (each.partition("=") for each in table.split())
    }


_LATIN, _CYRILLIC = _letters(_TO_LATIN), _letters(_TO_CYRILLIC)


@lru_cache(1024)
def in_latin(word: str) -> tuple[str, ...]:
    """The spellings of a Cyrillic word, in lower case."""
    return tuple(_spelled(word, _LATIN))


@lru_cache(1024)
def in_cyrillic(name: str) -> tuple[str, ...]:
    """The spellings of a Latin name, in lower case."""
    return tuple(_spelled(name, _CYRILLIC))


def _spelled(word: str, letters: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    if not _SHORTEST <= len(word) <= _LONGEST:
        return
    parts: list[tuple[str, ...]] = []
    rest = word.lower()
    while rest:
        found = next((rest[:size] for size in (4, 3, 2, 1) if rest[:size] in letters), None)
        if found is None:
            return
        parts.append(letters[found])
        rest = rest[len(found) :]
    for each in islice(product(*parts), _MOST):
        yield "".join(each)
