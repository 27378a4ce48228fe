"""Voices to send in tests: real OGG/Opus files of silence, made without any program."""

from itertools import islice
from math import ceil
from struct import pack

_SILENCE = b"\xf8\xff\xfe"  # one mono frame of 20 milliseconds
_FRAME = 960  # samples of 48,000 in a second
_SKIPPED = 312
_PACKETS = 50  # on a page
_FIRST, _LAST = 2, 4  # flags of a page


def voice(seconds: float) -> bytes:
    """That many seconds of silence, as Telegram sends voices; players and ffmpeg accept it."""
    end = round(seconds * 48_000) + _SKIPPED
    frames = ceil(end / _FRAME) if seconds else 0
    head = b"OpusHead" + pack("<BBHIhB", 1, 1, _SKIPPED, 48_000, 0, 0)
    tags = b"OpusTags" + pack("<I", 8) + b"nanoclaw" + pack("<I", 0)
    pages = [_page(0, 0, [head], _FIRST), _page(1, 0, [tags], 0 if frames else _LAST)]
    packets = iter([_SILENCE] * frames)
    done = 0
    while batch := list(islice(packets, _PACKETS)):
        done += len(batch)
        flags = _LAST if done == frames else 0
        pages.append(_page(len(pages), min(done * _FRAME, end), batch, flags))
    return b"".join(pages)


def _page(number: int, position: int, packets: list[bytes], flags: int) -> bytes:
    lengths = bytes(len(packet) for packet in packets)  # every packet here is shorter than 255
    parts = [b"OggS", pack("<BBqII", 0, flags, position, 1, number), b"", bytes([len(packets)]), lengths]
    body = b"".join(packets)
    parts[2] = pack("<I", _checksum(b"".join([*parts[:2], bytes(4), *parts[3:], body])))
    return b"".join([*parts, body])


def _checksum(data: bytes) -> int:
    """OGG's own: the common polynomial, but from the highest bit on."""
    checksum = 0
    for byte in data:
        checksum = ((checksum << 8) & 0xFFFFFFFF) ^ _TABLE[(checksum >> 24) ^ byte]
    return checksum


def _entry(number: int) -> int:
    number <<= 24
    for _ in range(8):
        number = (number << 1) ^ (0x04C11DB7 if number & 0x80000000 else 0)
    return number & 0xFFFFFFFF


_TABLE = [_entry(number) for number in range(256)]
