"""`document FILE PACKAGES`: prints the text of a document as one line of JSON, or what is wrong with it.

The parsers come from the host's packages, shown here read-only. A hostile document is this box's problem alone.
"""

import io
import json
import sys
import zipfile
from collections.abc import Sequence
from typing import Any

from nanoclaw_inside import archive

MOST_UNPACKED = 200 << 20  # bytes; an honest document of this size is not text
MOST_TEXT = 1_000_000  # characters
_PLAIN = (".md", ".markdown", ".txt", ".csv")
_CONVERTERS = {
    ".pdf": "PdfConverter",
    ".docx": "DocxConverter",
    ".html": "HtmlConverter",
    ".htm": "HtmlConverter",
}


def main(arguments: Sequence[str]) -> int:
    path, packages = arguments
    try:
        told = _read(path, packages)
    except MemoryError:
        told = {"problem": "big"}
    sys.stdout.write(json.dumps(told) + "\n")
    return 0


def _read(path: str, packages: str) -> dict[str, Any]:
    with open(path, "rb") as file:  # noqa: PTH123 - in the box, where there is nothing else to read
        content = file.read()
    if not content.strip():
        return {"problem": "empty"}
    if path.lower().endswith(".zip"):
        kinds = (*_PLAIN, *_CONVERTERS)
        return archive.read(
            path, lambda name, part: _told(name, part, packages).get("text"), kinds, MOST_TEXT
        )
    return _told(path, content, packages)


def _told(name: str, content: bytes, packages: str) -> dict[str, str]:
    suffix = "." + name.rpartition(".")[2].lower()
    if not content.strip():
        return {"problem": "empty"}
    if suffix in _PLAIN:
        text = content.decode("utf-8-sig", "replace")
        return {"text": text[:MOST_TEXT]} if "\0" not in text else {"problem": "kind"}
    if suffix not in _CONVERTERS:
        return {"problem": "kind"}
    if suffix == ".docx":
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as packed:
                if sum(each.file_size for each in packed.infolist()) > MOST_UNPACKED:
                    return {"problem": "big"}
        except zipfile.BadZipFile:
            # A Word document with a password is another kind of container.
            return {"problem": "encrypted" if content.startswith(b"\xd0\xcf\x11\xe0") else "broken"}
    if suffix == ".pdf" and not content.lstrip().startswith(b"%PDF"):
        return {"problem": "broken"}
    converted = _converted(content, suffix, packages)
    if converted is None:
        return {"problem": "encrypted" if suffix == ".pdf" and b"/Encrypt" in content else "broken"}
    return {"text": converted[:MOST_TEXT]} if converted.strip() else {"problem": "no-text"}


def _converted(content: bytes, suffix: str, packages: str) -> str | None:
    sys.path.append(packages)
    import markitdown  # noqa: PLC0415 - only there once the packages are
    from markitdown import converters  # noqa: PLC0415

    converter: Any = getattr(converters, _CONVERTERS[suffix])()
    try:
        done = converter.convert(io.BytesIO(content), markitdown.StreamInfo(extension=suffix))
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - a parser may raise anything over a broken document
        return None
    return str(done.markdown)
