"""Paragraphs of prose from an archive of newswire."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

from tests.recipes.test_general_data import script

newswire = script("newswire")
BODY = (
    "Norvik Oil Corp <NVK.OL> said that\nits chairman, Marit Lund, will meet <Sol Bank AG> in Bergen.\n"
    "    The price of cocoa did not change during the week, traders\nin the market said.\n"
    "    Net 12.4 mln VS 11.9 MLN   REV 120 MLN VS 118 MLN\n Reuter\n\x03"
)


def test_prose_with_names_is_kept_without_codes() -> None:
    told = "Norvik Oil Corp said that its chairman, Marit Lund, will meet Sol Bank AG in Bergen."
    assert list(newswire.paragraphs(BODY)) == [told]
    assert list(newswire.paragraphs(told + "\n Reuter\n\x03")) == [told]


def test_a_paragraph_is_written_once(tmp_path: Path) -> None:
    archive, out = tmp_path / "package.tgz", tmp_path / "newswire.jsonl"
    articles = [{"id": "1", "body": BODY}, {"id": "2", "title": "No body"}, {"id": "3", "body": BODY}]
    with tarfile.open(archive, "w:gz") as package:
        for name in ("full/reuters-001.json", "noIDs/reuters-000.json"):
            content = json.dumps(articles).encode()
            member = tarfile.TarInfo(f"package/data/{name}")
            member.size = len(content)
            package.addfile(member, io.BytesIO(content))
    newswire.prepare(archive, out)
    assert [json.loads(line)["id"] for line in out.read_text(encoding="utf-8").splitlines()] == [
        "reuters-1-1"
    ]
