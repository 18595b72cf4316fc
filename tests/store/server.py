"""A PostgreSQL server of our own, on a socket in a temporary folder; nothing of it is left."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

# PostgreSQL does not run as root.
_AS_ANOTHER = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
_SETTINGS = ("listen_addresses=", "max_connections=40", "shared_buffers=64MB")


def programs() -> Path | None:
    """The folder of the server's programs, of the newest version, if it is installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[4]))
    if found:
        return found[-1].parent
    program = shutil.which("initdb")
    return Path(program).resolve().parent if program else None


class Server:
    """A server that is started and stopped at will; unless ``durable`` it does not wait for the disk."""

    def __init__(self, folder: Path, bin_: Path, *, durable: bool = False) -> None:
        self.folder = folder
        self._settings = _SETTINGS if durable else (*_SETTINGS, "fsync=off")
        self._bin = bin_
        self._process: subprocess.Popen[bytes] | None = None
        if os.getuid() == 0:
            shutil.chown(folder, "postgres", "postgres")
        self._run("initdb", "-D", self._data, "-U", "ana", "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
        self.start()

    @property
    def _data(self) -> str:
        return str(self.folder / "data")

    def _command(self, program: str, *arguments: str) -> list[str]:
        return [*(_AS_ANOTHER if os.getuid() == 0 else ()), str(self._bin / program), *arguments]

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(self._command(program, *arguments), check=True, capture_output=True, cwd=self.folder)

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = " ".join(f"-c '{setting}'" for setting in self._settings)
        log = str(self.folder / "log")
        self._run("pg_ctl", "-D", self._data, "-w", "-l", log, "-o", f"-k {self.folder} {options}", "start")

    def stop(self) -> None:
        """Stop it at once, whoever is connected."""
        self._run("pg_ctl", "-D", self._data, "-w", "-m", "immediate", "stop")

    def url(self, database: str = "postgres", user: str = "ana") -> str:
        return f"postgresql://{user}@/{database}?host={self.folder}"

    def empty_database(self, name: str = "facts", encoding: str = "UTF8") -> str:
        """The URL of a database of that name, emptied if it was there: a new one for each test is slow."""
        import psycopg

        with psycopg.connect(self.url(), autocommit=True) as connection:
            if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone():
                connection.execute(
                    f"CREATE DATABASE {name} TEMPLATE template0 ENCODING '{encoding}'".encode()
                )
        with psycopg.connect(self.url(name), autocommit=True) as connection:
            connection.execute("SET client_min_messages = error")
            connection.execute("DROP SCHEMA IF EXISTS biaffinity CASCADE")
            connection.execute("DROP SCHEMA public CASCADE")
            connection.execute("CREATE SCHEMA public")
        return self.url(name)


def temporary_folder() -> Path:
    """One that a path of a socket is short in, and that another user can enter."""
    folder = Path(tempfile.mkdtemp(prefix="biaffinity-pg-", dir="/tmp"))
    folder.chmod(0o755)
    return folder
