"""Make the pictures of README and documentation anew, from the embedded model's own output.

    python docs/images/make.py

Needs the extras ``facts`` and ``serve``, playwright and Chromium. The texts are the model's examples and
samples/newsroom, of our own invention.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from playwright.sync_api import sync_playwright

import biaffinity
from biaffinity.config.folder import read_examples
from biaffinity.extraction.loading import model_folder
from biaffinity.show import svg

HERE = Path(__file__).parent
NEWS = HERE.parent.parent / "samples" / "newsroom"
PORT = 8479


def main() -> None:
    """Draw the first example, then photograph the service's pages, that of facts over the invented news."""
    text = next(iter(read_examples(model_folder(None)).values()))
    (HERE / "example.svg").write_text(svg(biaffinity.load()(text)) + "\n", encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        store = f"{folder}/news.db"
        run("extract", str(NEWS), "--model", "general", "--out", store, "--quiet")
        run("facts", "update", "--store", store, "--quiet")
        program = [sys.executable, "-m", "biaffinity", "serve", "--store", store, "--port", str(PORT)]
        service = subprocess.Popen(program, stderr=subprocess.DEVNULL)
        try:
            photograph(f"http://127.0.0.1:{PORT}")
        finally:
            service.terminate()
            service.wait()


def run(*command: str) -> None:
    """Run a command of ours."""
    subprocess.run([sys.executable, "-m", "biaffinity", *command], check=True)


def photograph(address: str) -> None:
    """The pages, once the service is ready and all is drawn."""
    for _ in range(100):
        try:
            urllib.request.urlopen(f"{address}/health/ready")
            break
        except urllib.error.URLError:
            time.sleep(0.2)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1160, "height": 800}, color_scheme="light")
        page.goto(address)
        page.locator("#drawing svg").wait_for()
        page.wait_for_timeout(500)
        page.screenshot(path=HERE / "page.png", full_page=True)
        page.set_viewport_size({"width": 1160, "height": 980})
        page.goto(f"{address}/facts#search=Norvik+Oil+ASA")
        page.locator("#found-entities a").first.click()
        page.locator("#graph canvas").first.wait_for()
        page.wait_for_timeout(500)
        page.screenshot(path=HERE / "facts.png")
        browser.close()


if __name__ == "__main__":
    main()
