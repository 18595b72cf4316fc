from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from biaffinity import Extractor
from biaffinity.errors import DataError
from biaffinity.serve import Settings, create_app
from biaffinity.serve.security import Keys

KEYS = ["0123456789abcdef-first", "0123456789abcdef-second"]


@pytest.fixture
def locked(extractor: Extractor, tmp_path: Path) -> Iterator[TestClient]:
    """A client of a service that asks for a key."""
    path = tmp_path / "keys.txt"
    path.write_text("# those who may\n\n" + "\n".join(KEYS) + "\n")
    with TestClient(create_app(Settings(api_key_file=path), extractor)) as client:
        yield client


@pytest.mark.parametrize("key", KEYS)
def test_every_key_opens(locked: TestClient, key: str) -> None:
    answer = locked.post("/v1/extract", json={"text": "a"}, headers={"authorization": f"Bearer {key}"})
    assert answer.status_code == 200


@pytest.mark.parametrize(
    "header", ["", "Bearer", "Bearer ", "Bearer wrong", f"Basic {KEYS[0]}", KEYS[0], f"Bearer {KEYS[0]}x"]
)
@pytest.mark.parametrize("path", ["/v1/extract", "/v1/extract/stream", "/v1/model", "/metrics", "/v1/other"])
def test_nothing_else_opens(locked: TestClient, path: str, header: str) -> None:
    answer = locked.post(path, json={"text": "a"}, headers={"authorization": header})
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert answer.json()["error"]["code"] == "unauthorised"


@pytest.mark.parametrize("path", ["/health/live", "/health/ready", "/", "/docs", "/openapi.json"])
def test_health_and_pages_need_no_key(locked: TestClient, path: str) -> None:
    assert locked.get(path).status_code == 200


def test_every_key_is_compared_whichever_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = []

    def compare(one: bytes, other: bytes) -> bool:
        compared.append(len(one) == len(other))
        return one == other

    monkeypatch.setattr("biaffinity.serve.security.hmac.compare_digest", compare)
    assert Keys(KEYS).open(f"bearer {KEYS[0]}".encode())
    assert compared == [True, True]


@pytest.mark.parametrize(
    ("content", "where"), [("", "keys.txt"), ("# none\n", "keys.txt"), ("short\n", "keys.txt:1")]
)
def test_a_key_file_that_would_not_do_is_an_error(tmp_path: Path, content: str, where: str) -> None:
    path = tmp_path / "keys.txt"
    path.write_text(content)
    with pytest.raises(DataError, match=re.escape(where)):
        Keys.read(path)


@pytest.mark.parametrize("path", ["/", "/docs", "/v1/model", "/v1/extract", "/nothing", "/page/docs.css"])
def test_every_answer_carries_the_headers(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    policy = headers["content-security-policy"].split("; ")
    assert {"default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"} <= {
        *policy
    }
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert "server" not in headers


def test_answers_about_texts_are_not_kept(client: TestClient) -> None:
    assert client.post("/v1/extract", json={"text": "a"}).headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", ["/", "/docs"])
def test_pages_load_nothing_from_elsewhere_and_nothing_inline(client: TestClient, path: str) -> None:
    html = client.get(path).text
    for address in re.findall(r"""(?:src|href|action)\s*=\s*["']([^"']*)""", html):
        assert not re.match(r"(?:[a-z]+:)?//", address)
    assert not re.search(r"<style|\sstyle\s*=|\son[a-z]+\s*=|<script(?![^>]*\ssrc=)", html)


def test_the_style_of_drawings_is_served(client: TestClient) -> None:
    answer = client.get("/page/drawing.css")
    assert answer.headers["content-type"].startswith("text/css")
    assert ".biaffinity" in answer.text


@pytest.mark.parametrize(
    "path", ["/page/../app.py", "/page/%2e%2e/app.py", "/page/..%2fapp.py", "/page//etc/passwd"]
)
def test_only_the_page_is_served_from_the_disk(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404
