"""The QR code of the page, compared in Chromium with codes that another program drew."""

from pathlib import Path

import pytest
from playwright.async_api import Browser
from tests.browsing import CHROMIUM, page_of

from nanoclaw.testing import started_host

pytestmark = [
    pytest.mark.capability("O3"),
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian's package chromium)"),
    pytest.mark.asyncio(loop_scope="session"),  # of the browser that they share
]

# A text of each size, and its modules row by row as one number. Each of them needs another mask.
KNOWN = {
    "qm_napmxyxuc": (
        "1fc17f823a0dd2576e86bb74b5d82a20ff55fc010012dfa06d36b897bb6c2a92b46ad00b33ff3eca0b24574900ba8cfd"
        "d0dc609121fd9da"
    ),
    "sbxuydgwcvuj_emrhfjknxzqdk": (
        "1fc967f82e320dd39576e968bb755e5d822920ff555fc007001540812fd28a6c7c739da11fc7bddbc949f0a1dd523bdf"
        "2160367f9f9008b8eff35d7e08722775d9f0ba2a885d438d60951a5fdcb33"
    ),
    "https://t.me/wpkgtynucwgq?start=ABCD2345": (
        "1fc2437f822d4a0dd60c976ebb50bb751775d828dca0ff5555fc02882017c4a97ca85b9e8bb3d91c255a06f48dcae0cb"
        "473db8d765e4f3a1ac0c58742b0c85d59bad97ff212c4163456cc59f700b818fff348d720acee2575239f7bad2b87dd4"
        "69b7a08903b5fda3a7c"
    ),
    "https://t.me/xnpmnexfeacgvgdqrwfqfeufbktms_sd?start=ABCD2345": (
        "1fd6d7e7f82e4cba0dd3855d76ebac06bb74e48d5d82003aa0ff55555fc038b80016e94c84b9c1ab9b6d7bd07ceda7d8"
        "42d1359334b8d1315ed111904a513f6de35d89ef84cdca89509ac9922f42d905378ea0ed0c7b0cc55c3e2681db44f4d4"
        "44e8d755f5a85fb0083d18c7f7a58d420a22f63f74c52ff7ba93aed4dd48a79b2082dab63fd14ea14"
    ),
    "https://t.me/yqzewhaayfe__yttqecpxytzrhkПривіт, світе! Ґ": (
        "1fde8bd17f820cb7b20dd36a20576ead6b7cbb750c84f5d82fad86a0ff555555fc02e41fe0117ff30df9dd3274531678"
        "da814b0777ff4f14558d8d14fc16a0758daf1d64baf6f137cb7edfff465b5d94069dc832bf977f17151c114fc4c73fbd"
        "1e85588c3798c7ad17c9fd71a235968fe4b33e5ddd7e73a1003158ac1b096ff7e615b6149c1ff00c187689ff6fe4e546"
        "09df8d63b753a649feba5299d70dd1446072208b91cb25fd96ad36b"
    ),
    "https://t.me/gfdxfgspamyfwnpbskhqm_qfqvz_bhmpfuwktzjy_mnmvg_jeckfxxdvccepe_wrnbvkeeyhycyg?start=ABCD2345": (
        "1fc42c8cc7f82c98444a0dd570b08576ea7e8358bb74e5fa735d8227a6e0a0ff5555555fc03202ace01058195cfcebda"
        "df1731879dd757d7024558a4e677d470030162d916721bf8c547a25f681b2ea8ea31d5ef295faa50596793fffb5a1caa"
        "ced470cbe60433a6ec109b05e00c31145e3b16e43a4e0d03ac86b91045411314a31205b135cebc0776e7c3d3a6a28dd8"
        "5f7d97eb0ced71921db96d8eda8da26554cca24b577099df9ff00a291728c7f3dd41bd5208d466e6377418d7a3f9ba68"
        "db1d94dd25165cfe209f4caa0bbfd3b86ea3c"
    ),
}
MODULES = "text => import('/static/qr.js').then(qr => qr.qrModules(text))"


async def test_texts_of_each_size_are_drawn_as_another_program_draws_them(
    home: Path, browser: Browser
) -> None:
    async with started_host(home) as host, page_of(browser, host) as page:
        for version, (text, drawn) in enumerate(KNOWN.items(), 1):
            modules = await page.evaluate(MODULES, text)
            bits = "".join("1" if is_dark else "0" for row in modules for is_dark in row)
            assert (len(modules), f"{int(bits, 2):x}") == (version * 4 + 17, drawn), text
        assert len(await page.evaluate(MODULES, "x" * 106)) == 41
        refused = await page.evaluate(f"({MODULES})('x'.repeat(107)).catch(error => error.name)")
        assert refused == "RangeError"
