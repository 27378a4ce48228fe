"""The files of process templates: read with their version, and written only if nobody changed them since."""

import fcntl
import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import structlog

from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.domain.people import Actor, Role
from nanoclaw.domain.shown_text import unmarked
from nanoclaw.git.command import GitFailed, GitUnready
from nanoclaw.git.repository import Repository, approved
from nanoclaw.pipelines.catalogue import FOLDER
from nanoclaw.pipelines.template import MOST_BYTES

log = structlog.get_logger("templates")

_NEW_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_NAME = re.compile(r"[^./\\\x00-\x1f][^/\\\x00-\x1f]{0,99}")  # people name files as they like
_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredTemplate:
    name: str
    path: str  # below the workspace
    text: str
    version: str


@dataclass(frozen=True, kw_only=True, slots=True)
class TemplateFiles:
    """Every method blocks: use a thread. A name has no slash and no leading dot, so it cannot lead elsewhere."""

    home: Path

    def read(self, name: str) -> StoredTemplate:
        if _NAME.fullmatch(name) is None or (content := self._content(name)) is None:
            raise NotFound("no-such-template", name=name[:80])
        return self._stored(name, content)

    def save(self, name: str, text: str, version: str | None, by: Actor) -> StoredTemplate:
        """Save a template. `version` is that of the file that was edited, None for a new one. Saving the same
        again changes nothing. A template is for all companies, so only owners and global admins may write
        one.
        """
        if not by.rights.everywhere.may(Role.ADMIN):
            raise Refused("template-not-yours")
        if (_NEW_NAME if version is None else _NAME).fullmatch(name) is None:
            raise Refused("template-name", name=name[:80])
        path = self._path(name)
        before = (self._content(name) or b"").decode("utf-8", "replace")
        content = unmarked(text.replace("\r\n", "\n"), before.replace("\r\n", "\n")).encode()
        if len(content) > MOST_BYTES:
            raise Refused("template-too-big", kilobytes=MOST_BYTES // 1024)
        path.parent.mkdir(parents=True, exist_ok=True)
        with _locked(path.parent) as folder:
            current = self._content(name)
            if current == content:
                return self._stored(name, content)
            if version is None and current is not None:
                raise Refused("template-exists", name=name)
            if version is not None and (current is None or _version(current) != version):
                raise Refused("template-changed", name=name)
            unfinished = path.with_name(f".{path.name}.new")
            with unfinished.open("wb") as written:
                written.write(content)
                written.flush()
                os.fsync(written.fileno())
            unfinished.replace(path)
            os.fsync(folder)
        return self._stored(name, content)

    def commit(self, stored: StoredTemplate, by: Actor) -> None:
        """Commit this file alone. Without a working git the file still counts."""
        try:
            Repository(self.home).commit([stored.path], approved(f"Edit {stored.path}", by.name))
        except (GitFailed, GitUnready) as error:
            log.warning("template not committed", template=stored.name, reason=error)

    def _path(self, name: str) -> Path:
        return self.home / FOLDER / f"{name}.md"

    def _content(self, name: str) -> bytes | None:
        path = self._path(name)
        if not path.is_file():  # a pipe would block
            return None
        with path.open("rb") as stream:
            content = stream.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise Refused("template-too-big", kilobytes=MOST_BYTES // 1024)
        return content

    def _stored(self, name: str, content: bytes) -> StoredTemplate:
        text = content.decode("utf-8", "replace").replace("\0", "\ufffd").replace("\r\n", "\n")
        return StoredTemplate(
            name=name, path=(FOLDER / f"{name}.md").as_posix(), text=text, version=_version(content)
        )


def _version(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@contextmanager
def _locked(folder: Path) -> Iterator[int]:
    opened = os.open(folder, _FOLDER_FLAGS)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield opened
    finally:
        os.close(opened)
