"""The shipped content pipeline, played by the demo agent without a key, from the page and in Telegram: SPEC D7."""

from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.telegram_scene import eventually, telegram_scene

from nanoclaw.pipelines.measures import words
from nanoclaw.testing import started_host

pytestmark = pytest.mark.capability("D5", "D6", "D7", "O1")


class Page:
    """Someone at the page."""

    def __init__(self, client: httpx.AsyncClient, room: str) -> None:
        self._client, self._room = client, room

    async def say(self, text: str) -> None:
        body = {"text": text, "client_id": text}
        answer = await self._client.post(f"/api/rooms/{self._room}/messages", json=body)
        assert answer.is_success, answer.text

    async def seen(self) -> list[dict[str, Any]]:
        found = (await self._client.get(f"/api/rooms/{self._room}/messages")).json()
        messages: list[dict[str, Any]] = found["items"]
        return messages

    async def decide(self, words: str, **answer: str) -> None:
        """The open question with these words."""

        async def look() -> str | None:
            found = (await self._client.get("/api/questions")).json()["questions"]
            return next((each["id"] for each in found if words in each["question"]), None)

        made = await self._client.post(f"/api/questions/{await eventually(look)}/decide", json=answer)
        assert made.is_success, made.text

    async def message(self, words: str) -> dict[str, Any]:
        async def look() -> dict[str, Any] | None:
            return next((each for each in await self.seen() if words in each["text"]), None)

        return await eventually(look)

    async def read(self, url: str) -> str:
        return (await self._client.get(url)).text


async def test_an_article_in_three_formats_comes_of_one_command_a_yes_and_an_approval(home: Path) -> None:
    async with started_host(home) as host:
        headers = {"Authorization": f"Bearer {host.token}"}
        async with httpx.AsyncClient(base_url=host.url, headers=headers, timeout=60) as client:
            room = (await client.get("/api/rooms")).json()["rooms"][0]["id"]
            page = Page(client, room)
            await page.say("/write-article AI in marketing")
            await page.decide("AI in marketing?", option="start")
            await page.decide("step 4 of 7", option="approve")
            end = await page.message("4 texts are attached")
            texts = {each["name"]: await page.read(each["url"]) for each in end["attachments"]}
            assert list(texts) == [
                "7-repurposer-telegram.md",
                "7-repurposer-linkedin.md",
                "7-repurposer-newsletter.md",
                "6-editor.md",
            ]
            assert words(texts["6-editor.md"]) > 1500
            assert all("AI in marketing" in text for text in texts.values())
            assert "#" in texts["7-repurposer-linkedin.md"].splitlines()[-1]
            assert "⚠️" not in end["text"], "the rules of all channels are kept"
            assert "It cost nothing." in end["text"]

            # A gate that fails is tried again, then people are asked; what they wish for is done.
            await page.say("напиши статтю про видр, коротко")
            await page.decide("видр", option="start")
            await page.decide("step 4 of 7", option="approve")
            await page.decide("1500", option="again")
            await page.decide("what should be different?", text="довше, будь ласка")
            end = await page.message("коротко. It cost")
            [article] = [each["url"] for each in end["attachments"] if each["name"] == "6-editor.md"]
            assert words(await page.read(article)) > 1500


async def test_in_telegram_its_own_post_is_a_message_and_the_rest_are_documents(home: Path) -> None:
    async with telegram_scene(home, paced=False, language="uk", demo={"pace": 0}) as here:
        await here.owner.says(here.chat, "/write_article кава взимку")
        await here.press(await here.card("Content Pipeline"), "▶️ Почати")
        await here.press(await here.card("Обіцянка"), "✅ Схвалити")
        names = ["7-repurposer-linkedin.md", "7-repurposer-newsletter.md", "6-editor.md"]
        await here.chat.wait_until(
            lambda: [each.file_name for each in here.chat.seen if each.file_name.endswith(".md")] == names
        )
        first, _, article = [each for each in here.chat.seen if each.file_name.endswith(".md")]
        assert "Content Pipeline виконано: кава взимку. Це не коштувало нічого." in first.caption
        assert "Додаємо 3 тексти:" in first.caption
        assert words(article.data.decode()) > 1500
        assert any(text.startswith("Кава взимку: з'ясувати за шість тижнів") for text in here.chat.texts())
