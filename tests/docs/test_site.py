"""The documentation as a site: built strictly, complete, and loading nothing from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from biaffinity.cli.app import COMMANDS, app, load_commands
from biaffinity.config.catalogue import settings
from biaffinity.config.recipes import read_recipe, recipes
from biaffinity.serve import Settings, create_app

pytest.importorskip("material", reason="needs the extra docs")
pytest.importorskip("mkdocstrings", reason="needs the extra docs")
pytest.importorskip("fastapi", reason="needs the extra serve")

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).parent.parent.parent
#: Attributes whose address is loaded with the page; a link's only where it is more than information.
LOADED = {"src", "srcset", "data", "poster", "xlink:href"}
INFORMATION = {"canonical", "next", "prev", "license", "author"}
ELSEWHERE = re.compile(r"(?:[a-z]+:)?//", re.IGNORECASE)
IN_STYLE = re.compile(r"(?:url\(|@import)\s*[\"']?([^)\"';]+)")


class Loaded(HTMLParser):
    """Collects the addresses that a page loads by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.addresses += [value for name, value in values.items() if name in LOADED]
        if tag == "link" and values.get("rel") not in INFORMATION:
            self.addresses.append(values.get("href", ""))
        self.addresses += IN_STYLE.findall(values.get("style", ""))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stderr
    return folder


def text_of(path: Path) -> str:
    """A page's text as a reader sees it, without its marks."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", "", path.read_text(encoding="utf-8"))))


def test_pages_load_nothing_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        parser = Loaded()
        parser.feed(page.read_text(encoding="utf-8"))
        assert len(parser.addresses) > 3, page  # scripts and stylesheets were seen
        assert [address for address in parser.addresses if ELSEWHERE.match(address)] == [], page


def test_stylesheets_load_nothing_from_elsewhere(site: Path) -> None:
    for sheet in site.rglob("*.css"):
        addresses = IN_STYLE.findall(sheet.read_text(encoding="utf-8"))
        assert [address for address in addresses if ELSEWHERE.match(address)] == [], sheet


def test_a_browser_asks_for_files_of_the_site_alone(site: Path, browser: Browser) -> None:
    page = browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for path in (site / "index.html", site / "reference" / "python.html", site / "service.html"):
        page.goto(path.as_uri(), wait_until="networkidle")
    page.close()
    assert len(asked) > 3
    assert [url for url in asked if not url.startswith((site.as_uri(), "data:", "blob:"))] == []


def test_the_search_works_from_disk(site: Path, browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 1300, "height": 800})
    page.goto((site / "index.html").as_uri(), wait_until="networkidle")
    page.locator("input.md-search__input").click()
    page.keyboard.type("patience")
    found = page.locator(".md-search-result__item", has_text="Recipes and settings")
    found.first.wait_for()
    assert "patience" in found.first.inner_text().lower()
    page.close()


def test_the_reference_has_every_command_and_option(site: Path) -> None:
    shown = text_of(site / "reference" / "cli.html")
    load_commands(*COMMANDS)
    for command in app.registered_commands:
        assert command.callback is not None
        name = command.name or command.callback.__name__
        said = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "200"}).stdout
        section = shown.partition(f"biaffinity {name}¶")[2].partition("¶")[0]
        options = set(re.findall(r"(?<=[│ ])--[a-z][a-z-]*(?= )", said)) - {"--help"}
        assert options or name == "export"
        assert [option for option in options if option not in section] == []


def test_the_reference_has_every_address_of_the_service(site: Path) -> None:
    shown = text_of(site / "reference" / "http.html")
    for address in (
        "POST /v1/extract¶",
        "POST /v1/extract/stream¶",
        "GET /v1/model¶",
        "GET /v1/models¶",
        "GET /health/live¶",
        "GET /health/ready¶",
        "GET /metrics¶",
    ):
        assert address in shown


def test_the_reference_has_every_status_and_field_of_the_service(site: Path) -> None:
    page = (site / "reference" / "http.html").read_text(encoding="utf-8")
    document = TestClient(create_app(Settings())).get("/openapi.json").json()
    for operations in document["paths"].values():
        for operation in operations.values():
            assert all(f"<td>{status}</td>" in page for status in operation["responses"])
    for name, schema in document["components"]["schemas"].items():
        assert f'id="{name}"' in page  # what the links of types lead to
        assert all(f"<code>{field}</code>" in page for field in schema.get("properties", ()))


def test_the_reference_shows_docstrings_and_their_examples(site: Path) -> None:
    page = site / "reference" / "python.html"
    assert "An extractor of a model folder, or of the embedded news model" in text_of(page)
    assert "&gt;&gt;&gt; " in page.read_text(encoding="utf-8")
    assert 'class="gp"' in page.read_text(encoding="utf-8")  # a prompt, coloured: it stands in a code block


def test_the_changelog_is_the_repository_s(site: Path) -> None:
    shown = text_of(site / "changelog.html")
    assert "Unreleased" in shown
    assert "Nine file formats, read and written" in shown


def test_the_reference_of_recipes_has_every_recipe_and_every_setting_with_its_meaning(site: Path) -> None:
    shown = text_of(site / "reference" / "recipes.html")
    for name in recipes():
        assert f" {name}¶ " in shown
        for setting in settings(read_recipe(name)):
            stated = f"{setting.key} {setting.default} {setting.meaning}"  # some have no default
            assert " ".join(stated.split()) in " ".join(shown.split())


def test_the_reference_has_the_commands_below_a_command(site: Path) -> None:
    shown = text_of(site / "reference" / "cli.html")
    assert "biaffinity recipes¶" in shown
    assert "Show every setting of a recipe" in shown.partition("biaffinity recipes show¶")[2]
