"""What the host says, without the backslashes of Markdown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoclaw.cli.host_words import shown, without_escapes
from nanoclaw.domain.text import as_written

pytestmark = pytest.mark.capability("X1")


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"])))
def test_what_was_escaped_is_shown_as_it_was_written(text: str) -> None:
    assert without_escapes(as_written(text)) == text


@pytest.mark.parametrize(
    "code", ["`a\\-b`", "``a`\\-b``", "```\na\\.b\n\nc\\.d\n```", "~~~\nnever closed \\.", "C:\\new", "\\"]
)
def test_code_and_other_backslashes_stay_as_they_are(code: str) -> None:
    assert without_escapes(f"a\\-b\n{code}") == f"a-b\n{code}"


def test_only_the_words_of_the_host_are_changed() -> None:
    assert shown({"author": "host", "text": "general\\-assistant"}) == "general-assistant"
    assert shown({"author": "agent", "text": "general\\-assistant"}) == "general\\-assistant"
