"""The page at /docs, in a real browser: it names every address, and a request can be tried."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest

from biaffinity.serve.app import PAGE
from serve.visit import playwright, visiting

TEXT = "Ilka Roe lives in Ghent."


@pytest.mark.parametrize("width", [1200, 390])
def test_a_request_can_be_tried(browser, address, extractor, width: int) -> None:
    paths = httpx.get(f"{address}/openapi.json").json()["paths"]
    viewport = {"width": width, "height": 800}
    with visiting(browser, f"{address}/docs", viewport=viewport) as (page, _):  # the content policy holds
        summaries = page.locator(".opblock-summary-path")
        playwright.expect(summaries).to_have_count(len(paths))
        assert {text.replace("\u200b", "") for text in summaries.all_inner_texts()} == set(paths)
        block = page.locator("#operations-texts-extract")
        block.locator(".opblock-summary-control").click()
        block.locator("textarea").fill(json.dumps({"text": TEXT}))
        block.locator("button.execute").click()
        answer = page.locator(".live-responses-table .highlight-code").first
        playwright.expect(answer).to_contain_text('"documents"')
        assert extractor(TEXT).entities[0].text in answer.inner_text()
        page.wait_for_function("document.documentElement.scrollWidth <= innerWidth")


def test_swagger_ui_comes_with_its_licences() -> None:
    folder: Path = PAGE / "swagger"
    assert "Apache License" in (folder / "LICENSE").read_text(encoding="utf-8")
    assert "SmartBear" in (folder / "NOTICE").read_text(encoding="utf-8")
    assert "@license" in (folder / "swagger-ui-bundle.js.LICENSE.txt").read_text(encoding="utf-8")
