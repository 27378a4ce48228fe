"""How a drive's tool wants a file: under which argument names, as text or in base64. Its schema says so, more
or less.

Every drive server has its own words for the same few things. What cannot be filled in is left out if
optional, and named if required.
"""

import base64
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nanoclaw.domain.steps import ToolOffer

# Names without dashes and capitals; the first one that a schema has is used.
_NAME = (
    "name",
    "filename",
    "title",
    "filetitle",
    "path",
    "filepath",
    "destination",
    "destinationpath",
    "remotepath",
)
_PATHS = ("path", "filepath", "destination", "destinationpath", "remotepath")
_FOLDER = ("parentid", "parentfolderid", "folderid", "parents", "parent", "folder", "folderpath", "directory")
_TEXT = ("content", "text", "contents", "filecontent", "textcontent", "body", "data", "file")
_BYTES = (
    "contentbase64",
    "base64content",
    "base64",
    "contentbytes",
    "database64",
    "filebase64",
    "bytes",
    "filebytes",
)
_TYPE = ("mimetype", "contenttype", "mediatype")
_ENCODING = ("encoding", "contentencoding")
_IS_BASE64 = ("isbase64", "base64encoded", "isbase64encoded")
_USUAL = (
    "createfile",
    "uploadfile",
    "createtextfile",
    "createfilefromtext",
    "writefile",
    "putfile",
    "savefile",
)
_MAKES = re.compile(r"create|upload|write|put|save|add")
_FILE = re.compile(r"file|content|text|document|upload")
_OTHER = re.compile(r"folder|delete|update|download|comment|permission|share|sheet|slide|event|label")


@dataclass(frozen=True, kw_only=True, slots=True)
class Upload:
    name: str
    content: bytes
    media_type: str
    folder: str = ""

    @property
    def text(self) -> str | None:
        try:
            return self.content.decode()
        except UnicodeDecodeError:
            return None


class UnfitTool(Exception):
    """The tool cannot take it; `wants` are the arguments that nobody here can fill in."""

    def __init__(self, *wants: str) -> None:
        super().__init__(", ".join(wants))
        self.wants = wants


def choose(offers: Iterable[ToolOffer], server: str, tool: str) -> ToolOffer | None:
    """The named tool, or the one that most likely creates a text file."""
    known = list(offers)
    if tool:
        wanted = _plain(f"{server}{tool}"), _plain(tool)
        return next((each for each in known if _plain(each.name) in wanted), None)
    fit = [each for each in known if _makes_files(_own_name(each, server)) and _takes_text(each)]
    return min(fit, key=lambda each: _rank(_own_name(each, server)), default=None)


def arguments(schema: Mapping[str, Any], upload: Upload) -> dict[str, Any]:
    """The arguments of the call. Raises UnfitTool."""
    known = _properties(schema)
    names = {_plain(key): key for key in known}
    made: dict[str, Any] = {}

    def put(keys: Sequence[str], value: Any) -> str | None:
        key = next((names[each] for each in keys if each in names and names[each] not in made), None)
        if key is not None:
            made[key] = [value] if _kind(known[key]) == "array" else value
        return key

    named = put(_NAME, upload.name)
    if named is None:
        raise UnfitTool("name")
    if _plain(named) in _PATHS:
        made[named] = f"{upload.folder.rstrip('/')}/{upload.name}"
    elif upload.folder:
        put((*_FOLDER, *_PATHS), upload.folder)
    _put_content(known, names, made, upload)
    put(_TYPE, upload.media_type)
    missing = [key for key in _required(schema) if key not in made and "default" not in known.get(key, {})]
    if missing:
        raise UnfitTool(*missing)
    return made


def _put_content(
    known: Mapping[str, Any], names: Mapping[str, str], made: dict[str, Any], upload: Upload
) -> None:
    text = next((names[each] for each in _TEXT if each in names and names[each] not in made), None)
    binary = next((names[each] for each in _BYTES if each in names), None)
    encoding = next((names[each] for each in _ENCODING if each in names), None)
    flag = next((names[each] for each in _IS_BASE64 if each in names), None)
    can_say = encoding is not None or flag is not None
    if text and not can_say and _says_base64(known[text]):
        text, binary = None, binary or text
    if text and upload.text is not None:
        made[text] = upload.text
        is_base64 = False
    elif key := binary or (text if can_say else None):
        made[key] = base64.b64encode(upload.content).decode()
        is_base64 = True
    else:
        raise UnfitTool("base64" if text else "content")
    if flag:
        made[flag] = is_base64
    chosen = "base64" if is_base64 else _text_encoding(known[encoding]) if encoding else None
    if encoding and chosen:
        made[encoding] = chosen


def _text_encoding(about: Mapping[str, Any]) -> str | None:
    """A text encoding from those it lists. If it lists none, it decides itself."""
    return next((each for each in ("utf-8", "utf8", "text", "plain") if each in _allowed(about)), None)


def _allowed(about: Mapping[str, Any]) -> Sequence[Any]:
    listed = about.get("enum")
    return listed if isinstance(listed, list) else ()


def _says_base64(about: Mapping[str, Any]) -> bool:
    written = f"{about.get('contentEncoding', '')} {about.get('format', '')} {about.get('description', '')}"
    return "base64" in written.lower().replace("-", "")


def _takes_text(offer: ToolOffer) -> bool:
    try:
        arguments(offer.arguments, Upload(name="x", content=b"x", media_type="text/plain", folder="x"))
    except UnfitTool:
        return False
    return True


def _makes_files(name: str) -> bool:
    return bool(_MAKES.search(name) and _FILE.search(name)) and not _OTHER.search(name)


def _rank(name: str) -> tuple[int, int]:
    usual = next((place for place, each in enumerate(_USUAL) if name.endswith(each)), len(_USUAL))
    return usual, len(name)


def _own_name(offer: ToolOffer, server: str) -> str:
    return _plain(offer.name).removeprefix(_plain(server))


def _properties(schema: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    found = schema.get("properties")
    listed = found.items() if isinstance(found, dict) else ()
    return {str(key): about if isinstance(about, dict) else {} for key, about in listed}


def _required(schema: Mapping[str, Any]) -> list[str]:
    found = schema.get("required")
    return [str(key) for key in found] if isinstance(found, list) else []


def _kind(about: Mapping[str, Any]) -> object:
    kind = about.get("type")
    return next((each for each in kind if each != "null"), None) if isinstance(kind, list) else kind


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
