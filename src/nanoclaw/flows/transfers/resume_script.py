"""`resume.sh`: puts a transcript where Claude Code looks for it, and starts it there.

It runs on a machine that knows nothing about this host: plain sh, no network, and no name can break out of
its quotes.
"""

import re
import shlex
from importlib import resources

from nanoclaw.domain.transfers import Transfer
from nanoclaw.flows.transfers.claude_lines import PLACE
from nanoclaw.texts import say

_SENTENCES = {
    "no_folder": ("resume-no-folder", "folder"),
    "odd_folder": ("resume-odd-folder", ""),
    "long_folder": ("resume-long-folder", ""),
    "missing": ("resume-missing", "file"),
    "unchecked": ("resume-unchecked", ""),
    "altered": ("resume-altered", "file"),
    "no_home": ("resume-no-home", ""),
    "different": ("resume-different", "file"),
    "linked": ("resume-linked", "file"),
    "placed": ("resume-placed", "file"),
    "there": ("resume-there", "file"),
    "files_placed": ("resume-files-placed", "folder"),
    "files_there": ("resume-files-there", "folder"),
    "start_it": ("resume-start-it", "line"),
}
_BLANK = re.compile(r"@([a-z0-9_]+)@")
_PLAIN_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def made(transfer: Transfer, *, conversation: str, sha256: str) -> str:
    """The script, in the language of the person who asked for the transfer."""
    if not _PLAIN_ID.fullmatch(transfer.id):
        raise ValueError(f"no id of a transfer: {transfer.id!r}")
    language = transfer.language
    values = {name: shlex.quote(_format(language, key, blank)) for name, (key, blank) in _SENTENCES.items()}
    values |= {
        "about": " ".join(say(language, "resume-about", transfer=transfer.id).split()),
        "transfer": shlex.quote(transfer.id),
        "conversation": shlex.quote(conversation),
        "sha256": shlex.quote(sha256),
        "place": PLACE,
    }
    template = resources.files(__package__).joinpath("resume.sh").read_text("utf-8")
    return _BLANK.sub(lambda found: values[found[1]], template)


def _format(language: str, key: str, blank: str) -> str:
    """A format for printf, which fills in the blank once it is known."""
    mark = "\ue000"
    words = say(language, key, **({blank: mark} if blank else {}))
    return words.replace("\\", "\\\\").replace("%", "%%").replace(mark, "%s")
