# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""RoCE v2 packets as bytes: taken apart, put together, and their ICRC.

Written from the specification, without a look at croce's own code: the tests
compare the two.
"""

import struct
import zlib
from dataclasses import dataclass

PORT = 4791
BTH_LEN = 12
ICRC_LEN = 4

# transport: the three high bits of an opcode
RC, UC, RD, UD, CNP, XRC = 0x00, 0x20, 0x40, 0x60, 0x80, 0xa0
REQUESTS = range(0x00, 0x0d)
RESPONSES = range(0x0d, 0x11)
ACK, ATOMIC_ACK, CAS, ADD = 0x11, 0x12, 0x13, 0x14
LAST_IN_MESSAGE = {0x02, 0x03, 0x04, 0x05, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x13, 0x14, 0x16, 0x17}

# bytes of headers after the BTH, by operation
RETH, AETH, DETH, ATOMIC, ATOMIC_RESULT, IMM, IETH, XRCETH = 16, 4, 8, 28, 8, 4, 4, 4
EXTRA = {
    0x03: IMM, 0x05: IMM, 0x06: RETH, 0x09: IMM, 0x0a: RETH, 0x0b: RETH + IMM, 0x0c: RETH,
    0x0d: AETH, 0x0f: AETH, 0x10: AETH, 0x11: AETH, 0x12: AETH + ATOMIC_RESULT,
    0x13: ATOMIC, 0x14: ATOMIC, 0x16: IETH, 0x17: IETH,
}


def names_srq(opcode: int) -> bool:
    """Return whether the XRCETH follows the BTH: in XRC, before all else, but not in answers."""
    operation = opcode & 0x1f
    return opcode & 0xe0 == XRC and operation not in RESPONSES and operation not in (ACK, ATOMIC_ACK)


def extra_len(opcode: int) -> int:
    """Return the bytes of headers after an opcode's BTH."""
    base = EXTRA.get(opcode & 0x1f, 0)
    return base + (DETH if opcode & 0xe0 == UD else 0) + (XRCETH if names_srq(opcode) else 0)


@dataclass
class Packet:
    """One RoCE v2 packet, from its IP header on."""

    raw: bytes          # without the link's padding

    @property
    def is_v4(self) -> bool:
        return self.raw[0] >> 4 == 4

    @property
    def ip_len(self) -> int:
        return (self.raw[0] & 15) * 4 if self.is_v4 else 40

    @property
    def tos(self) -> int:
        return self.raw[1] if self.is_v4 else (struct.unpack(">H", self.raw[:2])[0] >> 4) & 0xff

    @property
    def addresses(self) -> tuple[bytes, bytes]:
        return (self.raw[12:16], self.raw[16:20]) if self.is_v4 else (self.raw[8:24], self.raw[24:40])

    @property
    def udp(self) -> tuple[int, int, int, int]:
        """Source port, destination port, length, checksum."""
        return struct.unpack(">4H", self.raw[self.ip_len:self.ip_len + 8])

    @property
    def bth(self) -> bytes:
        start = self.ip_len + 8
        return self.raw[start:start + BTH_LEN]

    @property
    def opcode(self) -> int:
        return self.bth[0]

    @property
    def migreq(self) -> int:
        return self.bth[1] >> 6 & 1

    @property
    def pad(self) -> int:
        return self.bth[1] >> 4 & 3

    @property
    def version(self) -> int:
        return self.bth[1] & 15

    @property
    def pkey(self) -> int:
        return struct.unpack(">H", self.bth[2:4])[0]

    @property
    def reserved(self) -> tuple[int, int]:
        return self.bth[4] & 0x3f, self.bth[8] & 0x7f

    @property
    def qpn(self) -> int:
        return int.from_bytes(self.bth[5:8], "big")

    @property
    def ackreq(self) -> int:
        return self.bth[8] >> 7

    @property
    def psn(self) -> int:
        return int.from_bytes(self.bth[9:12], "big")

    @property
    def xrceth(self) -> int:
        """The word behind the BTH: SRQ number, below a reserved byte."""
        start = self.ip_len + 8 + BTH_LEN
        return int.from_bytes(self.raw[start:start + XRCETH], "big")

    @property
    def payload(self) -> bytes:
        """What follows the headers, with the pad, without the ICRC."""
        start = self.ip_len + 8 + BTH_LEN + extra_len(self.opcode)
        return self.raw[start:-ICRC_LEN]

    @property
    def icrc(self) -> bytes:
        return self.raw[-ICRC_LEN:]


def icrc(raw: bytes) -> bytes:
    """Return the ICRC of a packet whose last four bytes are the place for it."""
    head = bytearray(raw[:-ICRC_LEN])
    if head[0] >> 4 == 4:
        ip_len = (head[0] & 15) * 4
        head[1] = head[8] = 0xff                # type of service, time to live
        head[10:12] = b"\xff\xff"               # header checksum
    else:
        ip_len = 40
        head[0] |= 0x0f                         # traffic class, flow label
        head[1:4] = b"\xff\xff\xff"
        head[7] = 0xff                          # hop limit
    head[ip_len + 6:ip_len + 8] = b"\xff\xff"   # UDP checksum
    head[ip_len + 8 + 4] = 0xff                 # FECN, BECN, reserved
    return struct.pack("<I", zlib.crc32(bytes(head), zlib.crc32(b"\xff" * 8)))


def udp_checksum_is_right(packet: Packet) -> bool:
    """Return whether a UDP checksum that is not zero is that of the packet."""
    datagram = packet.raw[packet.ip_len:]
    pseudo = b"".join(packet.addresses) + struct.pack(">2H", 17, len(datagram))
    words = pseudo + datagram + b"\0" * (len(datagram) % 2)
    total = sum(struct.unpack(f">{len(words) // 2}H", words))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total == 0xffff


def read_pcap(path: str) -> list[bytes]:
    """Return the Ethernet frames of a capture file, those cut short left out."""
    with open(path, "rb") as handle:
        data = handle.read()
    order = "<" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    frames, at = [], 24
    while at + 16 <= len(data):
        have, length = struct.unpack(order + "2I", data[at + 8:at + 16])
        if have == length:
            frames.append(data[at + 16:at + 16 + have])
        at += 16 + have
    return frames


def packets(path: str) -> list[Packet]:
    """Return the RoCE v2 packets of a capture of Ethernet frames."""
    found = []
    for frame in read_pcap(path):
        kind = frame[12:14]
        if kind == b"\x08\x00":
            raw = frame[14:14 + int.from_bytes(frame[16:18], "big")]
        elif kind == b"\x86\xdd":
            raw = frame[14:54 + int.from_bytes(frame[18:20], "big")]
        else:
            continue
        if (raw[9] if kind == b"\x08\x00" else raw[6]) != 17:
            continue
        packet = Packet(raw)
        if packet.udp[1] == PORT:
            found.append(packet)
    return found


# --- making packets -----------------------------------------------------------

@dataclass
class Way:
    """From where to where packets go: MAC and IP addresses as bytes."""

    from_mac: bytes
    to_mac: bytes
    from_ip: bytes
    to_ip: bytes


def bth(opcode: int, qpn: int, psn: int, *, pad: int = 0, ackreq: int = 0, migreq: int = 1,
        version: int = 0, pkey: int = 0xffff, solicited: int = 0) -> bytes:
    """Return a base transport header."""
    return struct.pack(">BBHII", opcode, solicited << 7 | migreq << 6 | pad << 4 | version, pkey,
                       qpn & 0xffffff, ackreq << 31 | psn & 0xffffff)


def frame(way: Way, datagram: bytes, *, good_icrc: bool = True, sport: int = 0xd123,
          udp_len: int | None = None, checksum: int = 0) -> bytes:
    """Return an Ethernet frame with a UDP payload, the ICRC made and put behind."""
    length = 8 + len(datagram) + ICRC_LEN
    udp = struct.pack(">4H", sport, PORT, length if udp_len is None else udp_len, checksum)
    if len(way.from_ip) == 4:
        head = bytearray(struct.pack(">BBHHHBBH4s4s", 0x45, 2, 20 + length, 1, 0x4000, 64, 17, 0,
                                     way.from_ip, way.to_ip))
        head[10:12] = struct.pack(">H", ip_checksum(head))
        kind = b"\x08\x00"
    else:
        head = struct.pack(">IHBB16s16s", 6 << 28 | 2 << 20, length, 17, 64, way.from_ip, way.to_ip)
        kind = b"\x86\xdd"
    raw = bytes(head) + udp + datagram + bytes(ICRC_LEN)
    if len(datagram) >= BTH_LEN:
        crc = icrc(raw)
        if not good_icrc:
            crc = bytes([crc[0] ^ 1]) + crc[1:]
        raw = raw[:-ICRC_LEN] + crc
    return way.to_mac + way.from_mac + kind + raw


def ip_checksum(head: bytes) -> int:
    """Return an IPv4 header's checksum."""
    total = sum(struct.unpack(f">{len(head) // 2}H", bytes(head)))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total ^ 0xffff
