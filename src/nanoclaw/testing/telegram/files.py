"""The files in Telegram: what people and bots sent, kept by file id, and described as the Bot API does."""

import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from nanoclaw.testing.telegram.form import Form, Upload
from nanoclaw.testing.telegram.refusals import Refusal

Told = dict[str, Any]

MIMES = {
    "photo": "image/jpeg",
    "voice": "audio/ogg",
    "audio": "audio/mpeg",
    "animation": "video/mp4",
    "video": "video/mp4",
    "video_note": "video/mp4",
    "sticker": "image/webp",
    "document": "application/octet-stream",
}
_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,10}$")
_IMAGES = (b"\xff\xd8\xff", b"\x89PNG", b"GIF8", b"RIFF", b"BM")
_VOICES = (b"OggS", b"ID3", b"\xff\xfb", b"\xff\xf3")


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Bytes. Tests make them small rather than send fifty megabytes."""

    upload: int = 50 << 20
    photo: int = 10 << 20
    download: int = 20 << 20


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredFile:
    id: str
    unique_id: str
    kind: str
    path: str
    name: str
    mime: str
    data: bytes = field(repr=False)
    told_size: int | None  # the size that Telegram reports; a test may make it wrong or missing

    @property
    def told(self) -> Told:
        size = {} if self.told_size is None else {"file_size": self.told_size}
        return {"file_id": self.id, "file_unique_id": self.unique_id} | size


class FileStore:
    def __init__(self, sizes: Sizes) -> None:
        self.sizes = sizes
        self._by_id: dict[str, StoredFile] = {}
        self._by_path: dict[str, StoredFile] = {}

    def add(
        self, kind: str, data: bytes, *, name: str = "", mime: str = "", size: int | None = -1
    ) -> StoredFile:
        suffix = _SUFFIX.search(name)
        ending = suffix[0] if suffix else {"photo": ".jpg", "voice": ".oga"}.get(kind, "")
        stored = StoredFile(
            id=secrets.token_urlsafe(45),
            unique_id=secrets.token_urlsafe(11),
            kind=kind,
            # Telegram keeps a name of its own; only the extension comes from the sender.
            path=f"{kind}s/file_{len(self._by_id)}{ending}",
            name=name,
            mime=mime or MIMES[kind],
            data=data,
            told_size=len(data) if size == -1 else size,
        )
        self._by_id[stored.id] = self._by_path[stored.path] = stored
        if kind == "photo":
            self._by_id[_small(stored.id)] = stored
        return stored

    def by_path(self, path: str) -> StoredFile | None:
        return self._by_path.get(path)

    def by_id(self, file_id: str) -> StoredFile | None:
        return self._by_id.get(file_id)

    def describe(self, file_id: str) -> Told:
        """The answer to getFile."""
        stored = self._by_id.get(file_id)
        if stored is None:
            raise Refusal("wrong file_id or the file is temporarily unavailable")
        if max(stored.told_size or 0, len(stored.data)) > self.sizes.download:
            raise Refusal("file is too big")
        return stored.told | {"file_path": stored.path}

    def take(self, form: Form, kind: str, field_name: str, given: str) -> StoredFile:
        """The file that a bot sends: uploaded with the call, or already on Telegram."""
        upload = form.files.get(
            given.removeprefix("attach://") if given.startswith("attach://") else field_name
        )
        if upload is not None and (not given or given.startswith("attach://")):
            return self._uploaded(kind, upload)
        if given.startswith(("http://", "https://")):
            raise Refusal("failed to get HTTP URL content")
        known = self._by_id.get(given)
        if known is None:
            raise Refusal(
                "wrong file identifier/HTTP URL specified" if given else f"there is no {kind} in the request"
            )
        if known.kind != kind:
            raise Refusal(f"can't use file of type {known.kind.capitalize()} as {kind.capitalize()}")
        return known

    def _uploaded(self, kind: str, upload: Upload) -> StoredFile:
        size = len(upload.data)
        if size == 0:
            raise Refusal("file must be non-empty")
        if kind == "photo":
            if size > self.sizes.photo:
                most = self.sizes.photo
                raise Refusal(
                    f"file of size {size} bytes is too big for a photo; the maximum size is {most} bytes"
                )
            if not upload.data.startswith(_IMAGES):
                raise Refusal("IMAGE_PROCESS_FAILED")
        # A voice in a format other than Ogg, MP3 or M4A is shown as a file to download.
        if kind == "voice" and not (upload.data.startswith(_VOICES) or upload.data[4:8] == b"ftyp"):
            kind = "document"
        return self.add(kind, upload.data, name=upload.name, mime=upload.mime)


def tell(stored: StoredFile, **more: Any) -> Told:
    """The field of a message that holds this file."""
    return {stored.kind: _TELLERS[stored.kind](stored, more)}


def _named(stored: StoredFile, more: Told) -> Told:
    name = {"file_name": stored.name} if stored.name else {}
    return stored.told | {"mime_type": stored.mime} | name | more


def _small(file_id: str) -> str:
    """The id of a photo's preview; it is the same file here."""
    return f"{file_id}s"


def _photo(stored: StoredFile, _: Told) -> list[Told]:
    small = stored.told | {
        "file_id": f"{stored.id}s",
        "file_unique_id": f"{stored.unique_id}s",
        "file_size": 90,
    }
    return [small | {"width": 90, "height": 67}, stored.told | {"width": 1280, "height": 960}]


def _lasting(stored: StoredFile, more: Told) -> Told:
    return _named(stored, {"duration": 1} | more)


def _video(stored: StoredFile, more: Told) -> Told:
    return _lasting(stored, {"width": 640, "height": 480} | more)


def _voice(stored: StoredFile, more: Told) -> Told:
    return stored.told | {"mime_type": stored.mime, "duration": 1} | more


def _video_note(stored: StoredFile, more: Told) -> Told:
    return stored.told | {"length": 240, "duration": 1} | more


def _sticker(stored: StoredFile, more: Told) -> Told:
    shape = {"width": 512, "height": 512, "type": "regular", "is_animated": False, "is_video": False}
    return stored.told | shape | more


_TELLERS: dict[str, Callable[[StoredFile, Told], Told | list[Told]]] = {
    "photo": _photo,
    "document": _named,
    "audio": _lasting,
    "animation": _video,
    "video": _video,
    "voice": _voice,
    "video_note": _video_note,
    "sticker": _sticker,
}
