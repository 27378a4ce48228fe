"""A zip as a document: its texts, and the SHA-256 of every file in it. Nothing is written, and no file leads anywhere.

An archive that could do harm elsewhere (paths upwards, links, bombs) is refused whole, whoever would unpack it.
"""

import hashlib
import json
import posixpath
import stat
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

MOST_ENTRIES = 200
MOST_UNPACKED = 50 << 20  # bytes
MOST_RATIO = 200  # unpacked to packed: honest text is at about ten
_SMALL = 1 << 20  # bytes: below this a ratio says nothing
_MANIFEST = "manifest.json"
_TEXTS = (".md", ".markdown", ".txt")
_ENCRYPTED = 0x1

ToText = Callable[[str, bytes], "str | None"]
"""The text of a file by its name and content; None if it has none."""


def read(path: str, to_text: ToText, kinds: Sequence[str], most_text: int) -> dict[str, Any]:
    """`text` of what is new in it, `digests` by name, and `manifest` with its folder `base`, if there is one."""
    try:
        with zipfile.ZipFile(path) as archive:
            entries = [each for each in archive.infolist() if not each.is_dir()]
            if problem := _problem(archive.infolist()):
                return {"problem": problem}
            content = {each.filename: _content(archive, each) for each in entries}
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, OSError, NotImplementedError, RuntimeError):
        return {"problem": "broken"}
    found: dict[str, Any] = {
        "digests": {name: hashlib.sha256(each).hexdigest() for name, each in content.items()}
    }
    place = min((name for name in content if posixpath.basename(name) == _MANIFEST), key=len, default=None)
    packed: set[str] = set()
    if place is not None:
        found["base"] = base = place.removesuffix(_MANIFEST)
        found["manifest"] = content[place].decode("utf-8", "replace")[:most_text]
        packed = {place, *(f"{base}{name}" for name in _listed(content[place]))}
    fresh = {name: each for name, each in content.items() if name not in packed}
    text = _text(fresh, to_text, kinds)
    if not text.strip():
        return {"problem": "zip-nothing-new" if packed else "no-text"}
    return {**found, "text": text[:most_text]}


def _problem(entries: Sequence[zipfile.ZipInfo]) -> str | None:
    names = [each.filename for each in entries]
    unpacked, packed = sum(each.file_size for each in entries), sum(each.compress_size for each in entries)
    if len(entries) > MOST_ENTRIES:
        return "zip-many"
    if any(_leads_out(name) for name in names):
        return "zip-path"
    if len(set(names)) < len(names):
        return "broken"  # nobody could tell which of two is meant
    if any(stat.S_IFMT(each.external_attr >> 16) not in (0, stat.S_IFREG, stat.S_IFDIR) for each in entries):
        return "zip-link"
    if any(each.flag_bits & _ENCRYPTED for each in entries):
        return "encrypted"
    if unpacked > MOST_UNPACKED or (unpacked > _SMALL and unpacked > MOST_RATIO * max(packed, 1)):
        return "zip-big"
    return None


def _leads_out(name: str) -> bool:
    parts = name.replace("\\", "/").split("/")
    return name.startswith(("/", "\\")) or ".." in parts or ":" in parts[0] or "\0" in name


def _content(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """The content, exactly as long as its header says."""
    with archive.open(entry) as file:
        content = file.read(entry.file_size + 1)
    if len(content) != entry.file_size:
        raise zipfile.BadZipFile
    return content


def _listed(manifest: bytes) -> list[str]:
    try:
        files = json.loads(manifest)["files"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return []
    return [str(name) for name in files] if isinstance(files, Mapping) else []


def _text(fresh: Mapping[str, bytes], to_text: ToText, kinds: Sequence[str]) -> str:
    """The analysis, if a file is named so; otherwise all texts together."""
    named = [
        name
        for name in fresh
        if posixpath.basename(name).lower().startswith("analysis.") and name.lower().endswith(tuple(kinds))
    ]
    if named:
        best = max(named, key=lambda name: len(fresh[name]))
        return to_text(best, fresh[best]) or ""
    texts = [name for name in sorted(fresh) if name.lower().endswith(_TEXTS)]
    shown = [(name, to_text(name, fresh[name]) or "") for name in texts]
    if len(shown) == 1:
        return shown[0][1]
    return "\n\n".join(f"# {name}\n\n{text}" for name, text in shown if text.strip())
