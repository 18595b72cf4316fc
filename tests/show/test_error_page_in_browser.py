"""The error page as a reader uses it, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from biaffinity.scoring import score
from biaffinity.show.error_page import write_error_page
from show.reviewed import GOLD, PREDICTED

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "errors.html"
    write_error_page(path, GOLD, PREDICTED, sheet=score(GOLD, PREDICTED), title="news on dev")
    return path


@pytest.fixture
def page(browser: playwright.Browser, file: Path) -> Iterator[playwright.Page]:
    """The page, opened from disk; it must neither ask for anything else nor complain."""
    context = browser.new_context(offline=True)
    opened = context.new_page()
    opened.set_default_timeout(10_000)
    asked, complaints = [], []
    opened.on("request", lambda request: asked.append(request.url))
    opened.on("console", lambda message: complaints.append(message.text))
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.goto(file.as_uri())
    yield opened
    assert [url.partition("#")[0] for url in asked] == [file.as_uri()]
    assert complaints == []
    context.close()


def shown(page: playwright.Page) -> list[str | None]:
    return [article.get_attribute("id") for article in page.locator("article:visible").all()]


def kind(page: playwright.Page, task: str, name: str) -> playwright.Locator:
    return page.locator(f'aside button[data-task="{task}"][data-kind="{name}"]')


def label(page: playwright.Page, task: str, name: str) -> playwright.Locator:
    return page.locator(f'aside button[data-task="{task}"][data-label="{name}"]')


def cell(page: playwright.Page, task: str, gold: str, predicted: str) -> playwright.Locator:
    return page.locator(f'.cell[data-task="{task}"][data-gold="{gold}"][data-predicted="{predicted}"]')


def test_only_sentences_with_mistakes_stand_there_at_first(page) -> None:
    assert shown(page) == ["s1", "s3"]
    assert page.locator("#status").inner_text() == "2 sentences of 3, 7 mistakes"


def test_the_checkbox_brings_the_others(page) -> None:
    page.locator("#only").uncheck()
    assert shown(page) == ["s1", "s2", "s3"]


@pytest.mark.parametrize(
    ("task", "name", "sentences"),
    [
        ("entity", "missing", ["s1"]),
        ("entity", "wrong type", ["s1"]),
        ("entity", "wrong boundary", ["s3"]),
        ("entity", "spurious", ["s3"]),
        ("relation", "wrong argument", ["s1"]),
        ("relation", "wrong direction", ["s3"]),
        ("relation", "correct", ["s2"]),
        ("relation", "other argument", []),
    ],
)
def test_a_kind_picks_its_sentences(page, task, name, sentences) -> None:
    kind(page, task, name).click()
    assert shown(page) == sentences
    assert page.locator(".verdicts li.match:visible").count() == len(sentences)


def test_a_second_kind_adds_and_a_second_click_takes_away(page) -> None:
    kind(page, "entity", "missing").click()
    kind(page, "relation", "wrong direction").click()
    assert shown(page) == ["s1", "s3"]
    kind(page, "entity", "missing").click()
    assert shown(page) == ["s3"]


def test_a_label_picks_mistakes_on_either_side(page) -> None:
    label(page, "entity", "Loc").click()
    assert shown(page) == ["s1"]
    assert page.locator("#status").inner_text() == "1 sentence of 3, 2 matches"


def test_kind_and_label_together_narrow(page) -> None:
    label(page, "entity", "Peop").click()
    assert kind(page, "entity", "wrong boundary").locator("output").inner_text() == "1"
    assert kind(page, "entity", "missing").locator("output").inner_text() == "0"
    kind(page, "entity", "missing").click()
    assert shown(page) == []


def test_a_cell_picks_its_sentences_until_it_is_clicked_again(page) -> None:
    cell(page, "entity", "Org", "Loc").click()
    assert shown(page) == ["s1"]
    assert page.locator("#status").inner_text() == "1 sentence of 3, 1 match, gold Org, predicted Loc"
    cell(page, "entity", "", "Other").click()
    assert shown(page) == ["s3"]
    cell(page, "entity", "", "Other").click()
    assert shown(page) == ["s1", "s3"]


def test_a_cell_of_the_diagonal_shows_what_is_correct_too(page) -> None:
    cell(page, "entity", "Loc", "Loc").click()
    assert shown(page) == ["s2"]


def test_what_matches_is_marked_in_both_drawings(page) -> None:
    kind(page, "entity", "wrong type").click()
    marked = page.locator("article:visible .drawings .match")
    assert [part.get_attribute("data-entity") for part in marked.all()] == ["1", "1"]


@pytest.mark.parametrize(("words", "sentences"), [("CALDER mills", ["s1"]), ("17", ["s1"]), ("nowhere", [])])
def test_search_finds_words_and_ids(page, words, sentences) -> None:
    page.locator("#search").fill(words)
    assert shown(page) == sentences


def test_a_script_in_a_token_is_text_and_runs_nowhere(page) -> None:
    page.locator("#search").fill("<script>")
    assert shown(page) == ["s3"]
    assert page.evaluate("window.hurt") is None
    assert page.locator("article script, article img").count() == 0
    assert "<script>" in page.locator("article:visible .verdicts").inner_text()


def test_the_content_policy_lets_no_other_script_run(browser, file: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.html"
    copy.write_text(file.read_text().replace("</main>", "<script>window.hurt=1</script></main>"))
    page = browser.new_page()
    page.goto(copy.as_uri())
    assert page.evaluate("window.hurt") is None
    page.close()


def test_keys_move_search_and_clear(page) -> None:
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.id") == "s3"
    page.keyboard.press("k")
    assert page.evaluate("document.activeElement.id") == "s1"
    page.keyboard.press("/")
    page.keyboard.type("varnell")
    assert shown(page) == ["s3"]
    page.keyboard.press("Escape")
    assert shown(page) == ["s1", "s3"]


def test_every_filter_is_reached_and_pressed_by_keyboard(page) -> None:
    button = kind(page, "relation", "wrong direction")
    button.focus()
    page.keyboard.press("Space")
    assert button.get_attribute("aria-pressed") == "true"
    assert shown(page) == ["s3"]


def test_the_button_clears_all_filters(page) -> None:
    kind(page, "entity", "missing").click()
    page.locator("#only").uncheck()
    page.locator("#search").fill("x")
    page.locator("#reset").click()
    assert shown(page) == ["s1", "s3"]
    assert page.locator("#only").is_checked()


def test_a_link_to_a_sentence_shows_it_though_it_has_no_mistake(browser, file: Path) -> None:
    page = browser.new_page()
    page.goto(f"{file.as_uri()}#s2")
    assert shown(page) == ["s1", "s2", "s3"]
    page.close()


def test_on_a_phone_nothing_is_wider_than_the_screen(browser, file: Path) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.goto(file.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.close()
