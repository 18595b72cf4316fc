from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from biaffinity import Extractor
from biaffinity.serve import Settings, create_app
from biaffinity.serve.hosts import Hosts, default_hosts


def known(host: str, header: str) -> bool:
    return Hosts(default_hosts(host)).know(header.encode())


@pytest.mark.parametrize("header", ["localhost", "localhost:8000", "127.0.0.1:8000", "[::1]:8000", "[::1]"])
@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "0.0.0.0", "::"])
def test_this_machine_is_always_known_by_its_own_names(host: str, header: str) -> None:
    assert known(host, header)


@pytest.mark.parametrize(
    "header", ["evil.example", "evil.example:8000", "localhost.evil.example", "", "10.0.0.5"]
)
def test_a_service_of_this_machine_is_not_known_by_others(header: str) -> None:
    assert not known("127.0.0.1", header)


def test_a_service_at_all_addresses_is_known_by_any_of_them_but_not_by_any_name() -> None:
    assert known("0.0.0.0", "10.0.0.5:8000")
    assert known("::", "[2001:db8::1]:8000")
    assert not known("0.0.0.0", "evil.example")
    assert known("facts.example", "facts.example:80")


def test_every_address_looks_at_the_name(extractor: Extractor) -> None:
    with TestClient(create_app(Settings(allowed_hosts=("localhost",)), extractor)) as client:
        for path in ("/", "/v1/model", "/health/live", "/docs", "/metrics", "/page/docs.css"):
            refused = client.get(path, headers={"host": "evil.example"})
            assert (refused.status_code, refused.json()["error"]["code"]) == (421, "wrong_host")
            assert client.get(path, headers={"host": "localhost:8000"}).status_code == 200


@pytest.mark.parametrize("path", ["/docs/", "/v1/model/", "/health/live//"])
def test_a_slash_too_many_leads_to_an_address_without_a_host(client: TestClient, path: str) -> None:
    answer = client.get(path, headers={"host": "evil.example"}, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (307, path.rstrip("/"))


@pytest.mark.parametrize("path", ["//evil.example/", "/nothing/", "//evil.example/docs/", "/page/"])
def test_nothing_else_is_led_anywhere(client: TestClient, path: str) -> None:
    answer = client.get(f"http://testserver{path}", follow_redirects=False)
    assert answer.status_code == 404
