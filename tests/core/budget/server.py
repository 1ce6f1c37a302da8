"""A PostgreSQL server of the tests' own: a folder, a unix socket and no port."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

NEEDED = "PANDAS_DP_NEEDS_SERVER"  # set where a missing server is a failure and no reason to skip
OWNER = "owner"


def programs() -> Path | None:
    """Where the server's programs are, None where there are none."""
    found = [Path(each) for each in sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)]
    on_path = shutil.which("initdb")
    places = [*found, *([Path(on_path).resolve().parent] if on_path else [])]
    return next((each for each in places if (each / "initdb").exists() and (each / "postgres").exists()), None)


@dataclass
class Server:
    """A server in a folder, started and stopped at will. Commits wait for the disk, as they do by default."""

    folder: Path
    programs: Path

    @classmethod
    def make(cls, programs: Path) -> Server:
        folder = Path(tempfile.mkdtemp(prefix="dp-pg-"))
        if os.geteuid() == 0:
            os.chown(folder, _nobody().pw_uid, _nobody().pw_gid)
        server = cls(folder, programs)
        server._run("initdb", "-D", str(folder / "data"), "-U", OWNER, "-A", "trust", "--no-sync", "-E", "UTF8")
        rules = "local all guest scram-sha-256\nlocal all all trust\nlocal replication all trust\n"
        (folder / "data" / "pg_hba.conf").write_text(rules, encoding="utf-8")
        server.start()
        return server

    def start(self) -> None:
        options = f"-c listen_addresses='' -c unix_socket_directories='{self.folder}' -c max_connections=40"
        log = str(self.folder / "log")
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-w", "-l", log, "-o", options, "start")

    def stop(self, mode: str = "immediate") -> None:
        """As a crash does: what is not on the disk is gone."""
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-m", mode, "-w", "stop")

    def remove(self) -> None:
        pid = self.folder / "data" / "postmaster.pid"
        if pid.exists():
            os.kill(int(pid.read_text().split()[0]), signal.SIGQUIT)
            deadline = time.monotonic() + 60
            while pid.exists() and time.monotonic() < deadline:
                time.sleep(0.05)
        shutil.rmtree(self.folder, ignore_errors=True)

    def address(self, ledger: str = "survey", base: str = "postgres", user: str = OWNER, password: str = "") -> str:
        secret = f":{quote(password, safe='')}" if password else ""
        where = quote(str(self.folder), safe="")
        return f"postgresql+psycopg://{user}{secret}@/{base}?host={where}&ledger={quote(ledger)}"

    def tool(self, name: str, *arguments: str) -> str:
        """A program of the server's, on its socket, as the owner."""
        return self._run(name, "-h", str(self.folder), "-U", OWNER, *arguments)

    def _run(self, name: str, *arguments: str) -> str:
        who = {} if os.geteuid() else {"user": _nobody().pw_uid, "group": _nobody().pw_gid, "extra_groups": []}
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C"}
        log = self.folder / f"{name}.out"
        with log.open("w") as out:  # a server that is started keeps what it inherits open
            done = subprocess.run(
                [str(self.programs / name), *arguments],
                stdout=out,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                cwd=self.folder,
                env=environment,
                timeout=600,
                check=False,
                **who,  # type: ignore[call-overload]
            )
        said = log.read_text()
        assert done.returncode == 0, said
        return said


def _nobody() -> pwd.struct_passwd:
    return pwd.getpwnam("nobody")
