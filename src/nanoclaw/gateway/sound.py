"""Sound files: their length, and conversion to OGG/Opus, which every engine accepts and Telegram plays as a
voice message.

A voice message can come from anyone, and may not be sound at all: a link to the host's secrets, a list of
addresses for a player to fetch, a file that unpacks to days of noise. ffmpeg sees one plain file, accepts
only real sound formats, and can reach nothing else.
"""

import asyncio
import errno
import math
import os
import shutil
import stat
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from nanoclaw.domain.errors import NotHeard

MOST_BYTES = 25 << 20  # what engines accept
MOST_SECONDS = 2 * 60 * 60
_LEAST_SECONDS = 0.1  # engines refuse anything shorter
_PROBE_WITHIN = 20.0  # seconds
_CONVERT_WITHIN = 120.0  # a two-hour file takes about half of it
_MOST_SAID = 4096
_OPUS_CLOCK = 48_000  # the position unit in OGG/Opus, whatever rate the sound was recorded with
_LAST_PAGE = 65_307 + 4096  # a page of OGG is never longer
# Playlists: a player that takes one for a sound fetches what it names.
_LISTS = (b"#EXTM3U", b"ffconcat", b"<", b"[playlist]", b"\xef\xbb\xbf")
_KINDS = (
    "aac,ac3,aiff,amr,amrnb,amrwb,asf,au,avi,caf,flac,flv,matroska,mov,mp3,mpeg,mpegts,ogg,w64,wav,webm,wv"
)
_INPUT = ("-protocol_whitelist", "file", "-format_whitelist", _KINDS, "-i", "file:/dev/stdin")


@dataclass(frozen=True, kw_only=True, slots=True)
class Sound:
    """A plain file of acceptable size. `seconds` is None if the length is unknown."""

    file: BinaryIO
    seconds: float | None

    async def content(self) -> bytes:
        return await asyncio.to_thread(_whole, self.file)


@asynccontextmanager
async def opened(path: Path, told: float | None) -> AsyncIterator[Sound]:
    """A voice that may be sent to an engine; otherwise raises NotHeard. `told` is the length given by the
    sender's program: it counts if the file itself does not say.
    """
    file = await asyncio.to_thread(_open, path)
    with file:
        measured = await seconds_of(file)
        seconds = told if measured is None else measured
        if seconds is not None and not seconds >= _LEAST_SECONDS:
            raise NotHeard("voice-empty")
        if seconds is not None and seconds > MOST_SECONDS:
            raise NotHeard("voice-too-long", hours=MOST_SECONDS // 3600)
        yield Sound(file=file, seconds=seconds)


async def seconds_of(file: BinaryIO) -> float | None:
    """The length of a sound; None if the file does not say, or there is no ffmpeg to read it."""
    if (told := await asyncio.to_thread(_opus_seconds, file)) is not None:
        return told
    shown = ("-show_entries", "format=duration", "-of", "default=noprint_wrappers=1:nokey=1")
    try:
        written = await _run("ffprobe", "-v", "error", *shown, *_INPUT, source=file, within=_PROBE_WITHIN)
        seconds = float(written)
    except (NotHeard, ValueError):  # N/A: a recording that was never finished does not know its length
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


async def to_opus(file: BinaryIO, *, rate: int = 16_000) -> bytes:
    """The first track of a sound as mono OGG/Opus. Raises NotHeard if it cannot be read as sound."""
    target = ("-ac", "1", "-ar", str(rate), "-c:a", "libopus", "-b:a", "24k", "-application", "voip")
    return await _run(
        "ffmpeg",
        *("-nostdin", "-hide_banner", "-loglevel", "error", *_INPUT),
        *("-map", "0:a:0", "-map_metadata", "-1", "-t", str(MOST_SECONDS), "-threads", "1"),
        *(*target, "-f", "ogg", "pipe:1"),
        source=file,
        within=_CONVERT_WITHIN,
    )


def is_opus(file: BinaryIO) -> bool:
    file.seek(0)
    head = file.read(64)
    return head.startswith(b"OggS") and b"OpusHead" in head


def _open(path: Path) -> BinaryIO:
    """A box may be able to write to the folder: a link or a pipe in place of the voice is not opened."""
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
    try:
        file = os.fdopen(os.open(path, flags), "rb")
    except OSError as error:
        raise NotHeard("voice-unreadable", said=error.strerror or str(error)) from error
    try:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode):
            raise NotHeard("voice-unreadable", said=os.strerror(errno.EINVAL))
        if not about.st_size:
            raise NotHeard("voice-empty")
        if about.st_size > MOST_BYTES:
            raise NotHeard("voice-too-big", megabytes=MOST_BYTES >> 20)
        if file.read(64).lstrip().startswith(_LISTS):
            raise NotHeard("sound-unreadable", said="playlist")
    except NotHeard:
        file.close()
        raise
    return file


def _whole(file: BinaryIO) -> bytes:
    file.seek(0)
    return file.read(MOST_BYTES)


def _opus_seconds(file: BinaryIO) -> float | None:
    """The last page of an OGG/Opus file says where it ends, so that most voices need no program to measure them."""
    if not is_opus(file):
        return None
    file.seek(0)
    head = file.read(64)
    start = head.index(b"OpusHead") + 10
    skipped = int.from_bytes(head[start : start + 2], "little")
    size = file.seek(0, os.SEEK_END)
    file.seek(max(size - _LAST_PAGE, 0))
    tail = file.read(_LAST_PAGE)
    page = tail.rfind(b"OggS")
    position = int.from_bytes(tail[page + 6 : page + 14], "little", signed=True)
    return None if page < 0 or position < 0 else max(position - skipped, 0) / _OPUS_CLOCK


async def _run(program: str, *arguments: str, source: BinaryIO, within: float) -> bytes:
    """The program's output. Its input is the open file: a name could lead elsewhere by now."""
    if (found := shutil.which(program)) is None:
        raise NotHeard("sound-no-ffmpeg")
    process = await asyncio.create_subprocess_exec(
        found, *arguments, stdin=source, stdout=PIPE, stderr=PIPE, cwd="/", env={"PATH": os.defpath}
    )
    try:
        async with asyncio.timeout(within):
            written, said = await asyncio.gather(
                _bounded(process.stdout, MOST_BYTES), _bounded(process.stderr, _MOST_SAID)
            )
            code = await process.wait()
    except TimeoutError as error:
        raise NotHeard("sound-slow", seconds=round(within)) from error
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if len(written) > MOST_BYTES:
        raise NotHeard("voice-too-big", megabytes=MOST_BYTES >> 20)
    if code or not written:
        lines = said.decode("utf-8", "replace").strip().splitlines()
        raise NotHeard("sound-unreadable", said=lines[-1][:200] if lines else str(code))
    return written


async def _bounded(stream: asyncio.StreamReader | None, most: int) -> bytes:
    """Reads everything, so that the program does not block; keeps no more than `most`."""
    kept = bytearray()
    while stream is not None and (piece := await stream.read(1 << 16)):
        if len(kept) <= most:
            kept += piece
    return bytes(kept)
