"""Pages that are made when the documentation is built: they cannot be out of date."""

from __future__ import annotations

import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).parent))  # mkdocs reads this file alone, by its path

from command_line import command_line
from http_service import http_service
from recipes_page import recipes_page


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the references of the command line, the service and the recipes, and the changelog."""
    changelog = Path(config.config_file_path).with_name("CHANGELOG.md").read_text(encoding="utf-8")
    for path, page in (
        ("reference/cli.md", command_line()),
        ("reference/http.md", http_service()),
        ("reference/recipes.md", recipes_page()),
        ("changelog.md", changelog),
    ):
        files.append(File.generated(config, path, content=page))
    return files
