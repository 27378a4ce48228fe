"""Strips what a program in a box prints to what a screen needs: text, colours, the cursor, and a few modes.

Everything else acts on the viewer's own machine: it writes their clipboard (OSC 52), renames or moves their window, or
makes their terminal type an answer. A viewer's terminal is not the program's to use, so the list says what may pass.
"""

import re

_ESC, _BEL = 0x1B, 0x07
_TEXT = frozenset([0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x0D, *range(0x20, 0x7F)])
_STRINGS = frozenset(b"]PX^_")  # OSC, DCS, SOS, PM, APC: they last until their end
_SINGLE = frozenset(b"78DEHM=>")  # save and restore the cursor, move by a line, set a tab, the keypad
_C1_LEAD, _C1 = (
    0xC2,
    range(0x80, 0xA0),
)  # in UTF-8: the control characters that screens take for ESC and a letter
_LONGEST = 128  # bytes of a sequence that is kept until its end comes
# Cursor, erase, insert, delete, scroll, tabs, colours, margins, and the shape of the cursor.
_CSI = re.compile(rb"\x1b\[(?:[0-9;:]*[A-HJ-MPSTXZ@`abdefgmrsu]|[0-6]? q)")
# Keys, wrap, cursor, mouse, focus, alternate screens, bracketed paste, whole frames at once.
_MODES = frozenset(
    [1, 3, 5, 6, 7, 12, 25, 47, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1047, 1048, 1049, 2004, 2026]
)
_MODE = re.compile(rb"\x1b\[\?([0-9;]+)[hl]")


class ScreenFilter:
    """Takes pieces as they come: a sequence, or a string that is left out, may go across any number of them."""

    def __init__(self) -> None:
        self._kept = bytearray()  # a sequence whose end has not come
        self._in_string = False
        self._is_lost = False  # a sequence that is too long: left out until its end
        self._escaped = False  # in a string, after ESC
        self._led = False  # after the first byte of what may be a control character
        self._left = 0  # bytes that belong to the letter that has begun

    def pass_on(self, piece: bytes) -> bytes:
        shown = bytearray()
        for byte in piece:
            if self._led:
                self._led = False
                if byte in _C1:
                    continue
                shown.append(_C1_LEAD)
                self._left = 1
            if self._in_string:
                self._string(byte, shown)
            elif self._kept or self._is_lost:
                self._sequence(byte, shown)
            elif byte == _ESC:
                self._kept.append(byte)
            elif byte == _C1_LEAD:
                self._led = True
            elif self._is_text(byte):
                shown.append(byte)
        return bytes(shown)

    def _is_text(self, byte: int) -> bool:
        """In UTF-8. A later byte of a letter that has not begun would be a control character of eight bits."""
        if byte < 0x80:
            self._left = 0
            return byte in _TEXT
        if byte >= 0xC0:
            self._left = 1 + (byte >= 0xE0) + (byte >= 0xF0)
            return byte <= 0xF4
        self._left -= 1
        return self._left >= 0

    def _string(self, byte: int, shown: bytearray) -> None:
        """Ends with BEL or ESC and a backslash; any other sequence ends it too."""
        if self._escaped:
            self._escaped = self._in_string = False
            if byte != ord("\\"):
                self._kept[:] = bytes([_ESC])
                self._sequence(byte, shown)
        elif byte == _ESC:
            self._escaped = True
        elif byte in (_BEL, 0x18, 0x1A):
            self._in_string = False

    def _sequence(self, byte: int, shown: bytearray) -> None:
        if byte == _ESC or byte in (0x18, 0x1A):  # a new one begins, or this one is given up
            self._is_lost, self._kept[:] = False, bytes([_ESC]) if byte == _ESC else b""
        elif len(self._kept) == 1:
            self._second(byte, shown)
        elif byte < 0x20 or byte > 0x7E:  # a terminal would act on it in the midst of the sequence
            self._kept.clear()
            self._is_lost = True
        elif 0x40 <= byte <= 0x7E:
            found = bytes([*self._kept, byte])
            if not self._is_lost and _is_needed(found):
                shown += found
            self._kept.clear()
            self._is_lost = False
        elif not self._is_lost:
            self._kept.append(byte)
            if len(self._kept) > _LONGEST:
                self._kept.clear()
                self._is_lost = True

    def _second(self, byte: int, shown: bytearray) -> None:
        if byte == ord("["):
            self._kept.append(byte)
            return
        self._kept.clear()
        if byte in _STRINGS:
            self._in_string = True
        elif byte in _SINGLE:
            shown += bytes([_ESC, byte])
        elif 0x20 <= byte < 0x30:  # a character set: left out with the letter that names it
            self._is_lost = True


def _is_needed(found: bytes) -> bool:
    if mode := _MODE.fullmatch(found):
        return all(each.isdigit() and int(each) in _MODES for each in mode[1].split(b";"))
    return _CSI.fullmatch(found) is not None
