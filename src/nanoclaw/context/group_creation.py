"""Creates an agent group: its folder, and for a new company its context and memory."""

import re
import tomllib
from pathlib import Path

from nanoclaw.context.company_context import CONTEXT_FILES
from nanoclaw.domain.errors import BadWorkspace, Refused
from nanoclaw.domain.text import tidy_name

_LONGEST = 40
_FIT = re.compile(r"[\w-]+")
_UNFINISHED = "group.toml.new"


class GroupCreation:
    def __init__(self, home: Path) -> None:
        self._home = home

    def companies(self) -> list[str]:
        """The companies that a `group.toml` can name."""
        found = (path for path in (self._home / "companies").glob("*") if path.is_dir())
        return sorted(path.name for path in found if _FIT.fullmatch(path.name))

    def folder_for(self, name: str) -> str:
        """The folder for a group of this name. Raises Refused if there can be none."""
        folder = _as_folder(name)
        if not folder:
            raise Refused("group-unnamed")
        place = self._home / "groups" / folder
        # An interrupted creation may be reused; a folder with its own files, perhaps of a removed group, may not.
        if place.exists() and (not place.is_dir() or {each.name for each in place.iterdir()} - {_UNFINISHED}):
            raise Refused("group-exists", group=folder)
        return folder

    def found(self, folder: str, company: str) -> None:
        """Create the group. The file that makes it a group is written last: if interrupted, it is simply
        created again.
        """
        employer = self._employer(company)
        if not employer:
            raise Refused("company-unnamed")
        try:
            self._found_company(employer)
            place = self._home / "groups" / folder
            place.mkdir(parents=True, exist_ok=True)
            unfinished = place / _UNFINISHED
            unfinished.write_text(f'company = "{employer}"\n', "utf-8")
            unfinished.replace(place / "group.toml")
        except OSError as error:
            raise BadWorkspace(
                "workspace-unwritable", folder=str(self._home), said=error.strerror or str(error)
            ) from error

    def works_for(self, folder: str, company: str) -> bool:
        """Whether it was already created exactly like this."""
        try:
            written = tomllib.loads((self._home / "groups" / folder / "group.toml").read_text("utf-8"))
        except (OSError, ValueError):
            return False
        return bool(written.get("company") == self._employer(company))

    def _employer(self, company: str) -> str:
        """The name of an existing company, or a name for a new folder."""
        return company if company in self.companies() else _as_folder(company)

    def _found_company(self, company: str) -> None:
        """Create the company's files; existing ones stay as they are."""
        place = self._home / "companies" / company
        for name in CONTEXT_FILES:
            title = name.rpartition("/")[2].replace("_", " ").capitalize()
            _write_missing(place / "context" / f"{name}.md", f"# {title}\n")
        _write_missing(place / "memory" / "CLAUDE.md", f"# {company} — Memory\n")


def _as_folder(name: str) -> str:
    """A folder name with letters and digits that `group.toml` accepts: a sign such as ½ is neither."""
    fit = (
        each if each.isalpha() or each.isdecimal() or each in "-_" else " "
        for each in tidy_name(name).lower()
    )
    return "-".join("".join(fit).split())[:_LONGEST].strip("-_")


def _write_missing(path: Path, text: str) -> None:
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
