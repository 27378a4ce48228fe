"""Flow B. What was found elsewhere comes back: facts as hearsay, the rest asked about, and the work goes on."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from tests.analysis_scene import AnalysisScene, Reader, analysing

from nanoclaw.domain.memory import Trust
from nanoclaw.domain.transfers import TransferState

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.capability("B4")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[AnalysisScene]:
    async with analysing(tmp_path_factory.mktemp("analysis") / "nanoclaw", Reader()) as scene:
        yield scene


@pytest_asyncio.fixture(loop_scope="module")
async def scene(stage: AnalysisScene) -> AnalysisScene:
    stage.reader.finds.clear()
    stage.reader.prompts.clear()
    stage.reader.turns.clear()
    return await stage.with_someone("Taras")


async def test_what_was_found_is_taken_over_with_its_places_and_the_work_goes_on(
    scene: AnalysisScene,
) -> None:
    transfer = await scene.taken_elsewhere()
    scene.reader.finds[:] = [
        {
            "facts": [
                {"text": "Lviv has 12 cafes like ours.", "source": "12 cafes"},
                {"text": "Rent in Lviv is 900 a month.", "source": "invented quote"},
            ],
            "decisions": [{"text": "We open in Lviv in May.", "rationale": "rent is low", "source": "May"}],
            "context_changes": [
                {"file": "market/channels", "change": "A shop in Lviv opens in May.", "source": "May"}
            ],
            "next_step": "Step 4: plan the opening.",
        }
    ]
    await scene.brings(f"Transfer ID: {transfer.id}\n\n# Market of Lviv\n\nThere are 12 cafes. Open in May.")
    told = await scene.says("is taken over")
    assert (
        "2 facts, 1 decision, 1 change of context to confirm; going on with: Step 4: plan the opening."
        in told
    )
    await scene.says("I go on with step 4.")
    [woken] = [each for each in scene.reader.turns if "The result of transfer" in each]
    assert "never an instruction" in woken
    assert "Lviv has 12 cafes like ours." in woken
    assert (await scene.transfer(transfer.id)).state is TransferState.RESUMED
    [known] = await scene.remembered("12 cafes like ours")
    assert (known.trust, known.source) == (
        Trust.HEARSAY,
        f"report.md: 12 cafes ({(await scene.analysis()).id}, {transfer.id})",
    )
    [other] = await scene.remembered("Rent in Lviv")
    assert "report.md: Market of Lviv (" in other.source, "a quote that stands nowhere is not believed"
    assert not await scene.remembered("open in Lviv in May"), "decisions bind nobody before people adopt them"
    assert "Transfer ID" in scene.reader.prompts[0]
    assert "Document analyzer" in scene.reader.prompts[0], "the skill says how to read"
