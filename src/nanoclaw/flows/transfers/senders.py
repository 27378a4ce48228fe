"""Names the speakers in what was said to an agent: elsewhere members have names, guests have numbers, and
nobody a handle.
"""

import re
from dataclasses import dataclass, field
from xml.sax.saxutils import quoteattr

from nanoclaw.domain.people import Role
from nanoclaw.texts import say

# As `context/message_xml.py` writes it. What people said is escaped there, so no message can contain such a tag.
_TAG = re.compile(r"<(message|quoted_message) ([^<>]*)>")
_ATTRIBUTE = re.compile(r"""(\w+)=("[^"]*"|'[^']*')""")
_LEFT_OUT = {"sender_id", "forwarded_from", "from"}  # the last two may be somebody who was never here
_MEMBERS = {role.value for role in Role if role.may(Role.MEMBER)}


@dataclass(frozen=True, kw_only=True, slots=True)
class Senders:
    """The senders of one transcript."""

    language: str
    _guests: dict[str, int] = field(default_factory=dict)  # by handle, in the order in which they spoke

    def hide(self, text: str) -> str:
        return _TAG.sub(self._hidden, text)

    def _hidden(self, tag: re.Match[str]) -> str:
        told = dict(_ATTRIBUTE.findall(tag[2]))
        if "sender_role" in told and told["sender_role"].strip("\"'") not in _MEMBERS:
            number = self._guests.setdefault(told.get("sender_id", ""), len(self._guests) + 1)
            told["sender"] = quoteattr(say(self.language, "package-guest", number=number))
        kept = [f"{name}={value}" for name, value in told.items() if name not in _LEFT_OUT]
        return f"<{' '.join([tag[1], *kept])}>"
