"""A hub on this machine: the part of the Hugging Face Hub's HTTP that fetching and pushing a model use."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

TOKEN = "hf_ofthetests"  # of a user who may write


@dataclass
class Repository:
    """Files by revision; ``main`` is the newest."""

    revisions: dict[str, dict[str, bytes]] = field(default_factory=lambda: {"main": {}})
    private: bool = False
    gated: bool = False

    @property
    def files(self) -> dict[str, bytes]:
        return self.revisions["main"]

    def commit(self, revision: str) -> str | None:
        """The hash of a revision's commit, whether it is named by its name or by its hash."""
        for name, files in self.revisions.items():
            parts = sorted((path, hashlib.sha1(content).hexdigest()) for path, content in files.items())
            commit = hashlib.sha1(repr(parts).encode()).hexdigest()
            if revision in (name, commit):
                return commit
        return None

    def at(self, revision: str) -> dict[str, bytes]:
        return next(
            files for name, files in self.revisions.items() if self.commit(name) == self.commit(revision)
        )


@dataclass
class FakeHub:
    """Its repositories, and the requests it has had."""

    url: str = ""
    repositories: dict[str, Repository] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    uploaded: dict[str, bytes] = field(default_factory=dict)

    def fetched(self) -> set[str]:
        """The files that were asked for."""
        found = (
            re.fullmatch(r"(?:GET|HEAD) /[^/]+/[^/]+/resolve/[^/]+/(.+)", line) for line in self.requests
        )
        return {match[1] for match in found if match}


@contextmanager
def running_hub() -> Iterator[FakeHub]:
    """A hub that answers until the block ends."""
    hub = FakeHub()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"hub": hub}))
    hub.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    hub: FakeHub
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self._handle()

    do_HEAD = do_POST = do_PUT = do_GET  # noqa: N815

    def _handle(self) -> None:
        path = unquote(urlsplit(self.path).path)
        self.hub.requests.append(f"{self.command} {path}")
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        method = "GET" if self.command == "HEAD" else self.command
        for verb, pattern, action in _ROUTES:
            match = re.fullmatch(pattern, path)
            if verb == method and match:
                return action(self, body, **match.groupdict())
        return self._answer(404, {"error": f"no route {self.command} {path}"})

    def _answer(self, status: int, content: object, **headers: str) -> None:
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _repository(self, name: str, revision: str = "main") -> Repository | None:
        """The repository, if the user may see it; otherwise the refusal has been sent."""
        repository = self.hub.repositories.get(name)
        if repository is None or (repository.private and not self._may_write()):
            self._answer(401 if repository is None else 404, {"error": "none"}, X_Error_Code="RepoNotFound")
            return None
        if repository.gated and not self._may_write():
            self._answer(403, {"error": "gated"}, X_Error_Code="GatedRepo")
            return None
        if repository.commit(revision) is None:
            self._answer(404, {"error": "none"}, X_Error_Code="RevisionNotFound")
            return None
        return repository

    def _may_write(self) -> bool:
        return self.headers.get("Authorization") == f"Bearer {TOKEN}"

    def _info(self, _: bytes, name: str, revision: str | None = None) -> None:
        if repository := self._repository(name, revision or "main"):
            commit = repository.commit(revision or "main")
            siblings = [{"rfilename": path} for path in repository.at(commit or "")]
            record = {"_id": "1", "id": name, "sha": commit, "private": repository.private}
            self._answer(200, {**record, "siblings": siblings, "tags": [], "downloads": 0})

    def _tree(self, _: bytes, name: str, revision: str) -> None:
        if repository := self._repository(name, revision):
            self._answer(
                200,
                [
                    {
                        "type": "file",
                        "path": path,
                        "size": len(content),
                        "oid": hashlib.sha1(content).hexdigest(),
                    }
                    for path, content in repository.at(revision).items()
                ],
            )

    def _file(self, _: bytes, name: str, revision: str, file: str) -> None:
        if repository := self._repository(name, revision):
            content = repository.at(revision).get(file)
            if content is None:
                return self._answer(404, {"error": "none"}, X_Error_Code="EntryNotFound")
            etag = f'"{hashlib.sha1(content).hexdigest()}"'
            self._answer(200, content, ETag=etag, X_Repo_Commit=repository.commit(revision) or "")
        return None

    def _create(self, body: bytes) -> None:
        wanted = json.loads(body)
        name = f"{wanted['organization']}/{wanted['name']}"
        if not self._may_write():
            return self._answer(401, {"error": "Invalid username or password."})
        if name in self.hub.repositories:
            return self._answer(
                409, {"error": "You already created this model repo", "url": self._page(name)}
            )
        # Newer clients ask for a visibility, older ones whether it is to be private.
        private = wanted.get("visibility") == "private" or bool(wanted.get("private"))
        self.hub.repositories[name] = Repository(private=private)
        return self._answer(200, {"url": self._page(name), "name": name, "id": "1"})

    def _page(self, name: str) -> str:
        return f"{self.hub.url}/{name}"

    def _preupload(self, body: bytes, name: str, revision: str) -> None:
        if self._repository(name, revision):
            large = (".safetensors", ".onnx")
            files = [
                {
                    "path": file["path"],
                    "uploadMode": "lfs" if file["path"].endswith(large) else "regular",
                    "shouldIgnore": False,
                    "oid": None,
                }
                for file in json.loads(body)["files"]
            ]
            self._answer(200, {"files": files})

    def _lfs(self, body: bytes, name: str) -> None:
        objects = [
            {**wanted, "actions": {"upload": {"href": f"{self.hub.url}/upload/{wanted['oid']}"}}}
            for wanted in json.loads(body)["objects"]
        ]
        self._answer(200, {"transfer": "basic", "objects": objects})

    def _upload(self, body: bytes, oid: str) -> None:
        assert hashlib.sha256(body).hexdigest() == oid
        self.hub.uploaded[oid] = body
        self._answer(200, {})

    def _commit(self, body: bytes, name: str, revision: str) -> None:
        if not self._may_write():
            return self._answer(403, {"error": "read only"})
        if repository := self._repository(name, revision):
            for line in body.decode().splitlines():
                record = json.loads(line)
                value = record["value"]
                if record["key"] == "file":
                    repository.files[value["path"]] = base64.b64decode(value["content"])
                elif record["key"] == "lfsFile":
                    repository.files[value["path"]] = self.hub.uploaded[value["oid"]]
            commit = repository.commit("main") or ""
            answer = {
                "commitUrl": f"{self._page(name)}/commit/{commit}",
                "commitOid": commit,
                "success": True,
            }
            self._answer(200, answer)
        return None

    def _card(self, body: bytes) -> None:
        self._answer(200, {"errors": [], "warnings": []})


_MODEL = r"/api/models/(?P<name>[^/]+/[^/]+)"
_ROUTES = [
    ("GET", _MODEL, _Handler._info),
    ("GET", rf"{_MODEL}/revision/(?P<revision>.+)", _Handler._info),
    ("GET", rf"{_MODEL}/tree/(?P<revision>[^/]+)", _Handler._tree),
    ("GET", r"/(?P<name>[^/]+/[^/]+)/resolve/(?P<revision>[^/]+)/(?P<file>.+)", _Handler._file),
    ("POST", "/api/repos/create", _Handler._create),
    ("POST", "/api/validate-yaml", _Handler._card),
    ("POST", rf"{_MODEL}/preupload/(?P<revision>[^/]+)", _Handler._preupload),
    ("POST", r"/(?P<name>[^/]+/[^/]+)\.git/info/lfs/objects/batch", _Handler._lfs),
    ("PUT", r"/upload/(?P<oid>\w+)", _Handler._upload),
    ("POST", rf"{_MODEL}/commit/(?P<revision>[^/]+)", _Handler._commit),
]
