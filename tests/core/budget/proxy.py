"""A line to the server that breaks when a commit is under way: before the server hears of it, or before it answers."""

from __future__ import annotations

import shutil
import socket
import tempfile
import threading
from pathlib import Path
from typing import Literal

NAME = ".s.PGSQL.5432"


class Line:
    """Listens at a socket of its own, and passes on what it hears until it is told to break."""

    def __init__(self, server: Path) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="dp-line-"))
        self.breaks: Literal["", "before", "after"] = ""
        self.broken = 0
        self._server = str(server / NAME)
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(self.folder / NAME))
        self._listening.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listening.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(self._server)
            threading.Thread(target=self._pass_on, args=(client, server), daemon=True).start()
            threading.Thread(target=self._answer, args=(server, client), daemon=True).start()

    def _pass_on(self, client: socket.socket, server: socket.socket) -> None:
        """What the client says; where the line breaks after a commit, the server's answer is heard by nobody."""
        try:
            while said := client.recv(65536):
                if b"COMMIT\0" in said and self.breaks:
                    self.broken += 1
                    if self.breaks == "after":
                        client.shutdown(socket.SHUT_RDWR)
                        server.sendall(said)
                    break
                server.sendall(said)
        except OSError:
            pass
        finally:
            client.close()
            if self.breaks != "after":
                server.close()

    def _answer(self, server: socket.socket, client: socket.socket) -> None:
        try:
            while said := server.recv(65536):
                client.sendall(said)
        except OSError:
            pass
        finally:
            client.close()
            server.close()
