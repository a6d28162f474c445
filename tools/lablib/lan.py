# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Virtual links between guests: Ethernet frames as datagrams on AF_UNIX sockets.

Two guests are joined directly.  More are joined by a learning switch, one
thread in this process.
"""

import selectors
import socket
import threading
from dataclasses import dataclass, field
from pathlib import Path

FRAME = 65536
STALL = 0.2     # seconds a frame waits for a guest that does not read


@dataclass
class Lan:
    """One virtual link for a number of guests."""

    directory: Path
    name: str
    guests: int
    _ports: list[socket.socket] = field(default_factory=list)
    _macs: dict[bytes, int] = field(default_factory=dict)
    _stopped: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def __enter__(self) -> "Lan":
        if self.guests > 2:
            for guest in range(self.guests):
                port = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
                port.bind(str(self._switch_path(guest)))
                port.settimeout(STALL)
                self._ports.append(port)
            self._thread = threading.Thread(target=self._switch, daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        if self._thread:
            self._thread.join()
        for port in self._ports:
            port.close()

    def netdev(self, guest: int, ident: str) -> list[str]:
        """Return QEMU's -netdev arguments for a guest (counted from 0)."""
        if self.guests == 1:    # a cable to nowhere: the second port swallows all frames
            return [f"hubport,id={ident},hubid=0", f"hubport,id={ident}-sink,hubid=0"]
        peer = self._switch_path(guest) if self.guests > 2 else self._path(1 - guest)
        return [f"dgram,id={ident},local.type=unix,local.path={self._path(guest)},"
                f"remote.type=unix,remote.path={peer}"]

    def _path(self, guest: int) -> Path:
        return self.directory / f"{self.name}{guest}"

    def _switch_path(self, guest: int) -> Path:
        return self.directory / f"{self.name}-switch{guest}"

    def _switch(self) -> None:
        """Forward frames until stopped."""
        with selectors.DefaultSelector() as selector:
            for guest, port in enumerate(self._ports):
                selector.register(port, selectors.EVENT_READ, guest)
            while not self._stopped.is_set():
                for key, _ in selector.select(timeout=STALL):
                    self._forward(key.data, self._ports[key.data].recv(FRAME))

    def _forward(self, source: int, frame: bytes) -> None:
        """Send one frame to the port its address was learned on, or to all others."""
        self._macs[frame[6:12]] = source
        known = self._macs.get(frame[:6])
        targets = [known] if known is not None else range(self.guests)
        for guest in targets:
            if guest == source:
                continue
            try:
                self._ports[guest].sendto(frame, str(self._path(guest)))
            except OSError:     # the guest is gone, or does not read: a lost frame
                continue

