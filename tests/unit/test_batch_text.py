"""The message of a batch, in words that can be typed back."""

import pytest

from nanoclaw.domain.batches import Batch, BatchCounts, BatchItem, BatchStatus, ItemState
from nanoclaw.domain.ids import ChatId, PersonId
from nanoclaw.durable.clock import now
from nanoclaw.flows.batches.batch_text import card

pytestmark = pytest.mark.capability("I1")


def a_batch(status: BatchStatus) -> Batch:
    return Batch(
        id="b_01m7mrhx0r0jxf313t2k4h6408",
        status=status,
        company="demo",
        group="main",
        chat_id=ChatId("c_1"),
        started_by=PersonId("p_1"),
        language="en",
        subject="posts",
        skill="",
        model="demo",
        channel="",
        items=2000,
        max_tokens=1000,
        created_at=now(),
    )


@pytest.mark.parametrize("language", ["en", "uk"])
def test_a_number_in_a_command_has_no_separator(language: str) -> None:
    """`1,234` would be read as two texts."""
    failed = BatchItem(
        batch_id="b", number=1234, topic="Tea", state=ItemState.ERRORED, error="Internal server error"
    )
    counts = BatchCounts(items=2000, succeeded=1999, errored=1, passed=1999)
    assert "`/batch_resubmit h6408 1234`" in card(a_batch(BatchStatus.READY), counts, [failed], language)


def test_a_cancelled_batch_says_how_to_get_the_texts_that_it_kept() -> None:
    batch = a_batch(BatchStatus.CANCELLED)
    assert "/batch_results h6408" in card(batch, BatchCounts(items=2000, succeeded=7), [], "en")
    assert "/batch_results" not in card(batch, BatchCounts(items=2000), [], "en")
