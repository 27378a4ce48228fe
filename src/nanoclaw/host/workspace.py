"""Creates a workspace: the folder, and git repository, with everything a person owns. Never overwrites a file."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

from nanoclaw.domain.errors import BadWorkspace
from nanoclaw.git.command import GitFailed, is_installed
from nanoclaw.git.repository import Repository
from nanoclaw.host import workspace_origin
from nanoclaw.host.settings import FILE
from nanoclaw.host.workspace_guard import guard
from nanoclaw.texts import LANGUAGES

STARTER = Path(__file__).parent / "starter"
# Not what agents made: a person commits that.
_COMMITTED = (FILE, ".gitignore", ".gitattributes", "foundation", "skills", "companies")


def make(home: Path, *, language: str, timezone: str) -> bool:
    """True if it was created now. A folder with a nanoclaw.toml is a workspace; its files are left alone."""
    guard(home)
    made = not (home / FILE).exists()
    if made and (home / "src" / "nanoclaw").is_dir():
        raise BadWorkspace("workspace-is-clone", folder=str(home))
    if made:
        _furnish(home, language, timezone)
    _make_repository(home)
    return made


def _furnish(home: Path, language: str, timezone: str) -> None:
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        for source in (STARTER / "common", STARTER / language):
            copy_missing(source, home)
        (home / "data").mkdir(mode=0o700, exist_ok=True)
        # Written last: an interrupted start is simply repeated.
        _write_settings(home / FILE, language, timezone)
        workspace_origin.mark(home)
    except OSError as error:
        raise BadWorkspace(
            "workspace-unwritable", folder=str(home), said=error.strerror or str(error)
        ) from error


def check(home: Path) -> None:
    """Refuse a workspace that we cannot write to, or that others can, before anything starts in it."""
    guard(home)
    data = home / "data"
    probe = data / f".probe-{os.getpid()}"
    try:
        if home.stat().st_mode & 0o077:  # no other user of the machine may run or read what boxes leave here
            home.chmod(0o700)
        data.mkdir(mode=0o700, exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise BadWorkspace(
            "workspace-unwritable", folder=str(home), said=error.strerror or str(error)
        ) from error


def local_language() -> str:
    """From the machine's settings, for the first start only."""
    spoken = (os.environ.get("LC_ALL") or os.environ.get("LANG") or "")[:2]
    return spoken if spoken in LANGUAGES else "en"


def local_timezone() -> str:
    """The machine's zone, from the link that every Linux and macOS has."""
    link = Path("/etc/localtime")
    target = str(link.resolve()) if link.is_symlink() else ""
    _, found, name = target.partition("zoneinfo/")
    return name if found and name != "Etc/UTC" else "UTC"


def copy_missing(source: Path, target: Path) -> None:
    for path in sorted(source.rglob("*")):
        place = target / path.relative_to(source)
        if path.is_dir():
            place.mkdir(exist_ok=True)
        elif not place.exists():
            unfinished = place.with_name(place.name + ".new")
            shutil.copyfile(path, unfinished)
            unfinished.replace(place)


def _write_settings(path: Path, language: str, timezone: str) -> None:
    text = (STARTER / "nanoclaw.toml").read_text("utf-8")
    unfinished = path.with_suffix(".new")
    unfinished.write_text(text.replace("@language@", language).replace("@timezone@", timezone), "utf-8")
    unfinished.replace(path)


def _make_repository(home: Path) -> None:
    """The workspace works without git; `doctor` says what is missing."""
    kept = home / ".git"
    if any((kept / "refs" / "heads").glob("*")) or (kept / "packed-refs").exists() or not is_installed():
        return
    groups = [each.relative_to(home).as_posix() for each in home.glob("groups/*/group.toml")]
    with suppress(GitFailed):
        Repository(home).make([*_COMMITTED, *groups], "Make the workspace")
