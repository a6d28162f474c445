#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Send packets that should not be: fuzz.py DEVICE FROM-MAC TO-MAC FROM-IP TO-IP KIND COUNT SEED

Kinds; the last lines of standard input say `victim TYPE QPN PSN RKEY ADDRESS SRQN`
as xfer -V does:
  shapes    all opcodes, all short lengths, to victims, unknown and multicast QPNs
  strange   from an address that is not the QP's peer; otherwise perfect
  broken    perfect but for the ICRC
  deep      to the victims, with the PSN they expect and keys that are right
  mads      to the GSI QP
  ip        headers of IP and UDP that do not fit
"""

import random
import socket
import struct
import sys
from ipaddress import ip_address

sys.dont_write_bytecode = True
import roce  # noqa: E402

GSI_QKEY = 0x80010000
QKEY = 0x11111111
RC_OPCODES = [*range(0x0d), *range(0x11, 0x15)]
LENGTHS = list(range(81)) + [96, 100, 1023, 1024, 1025, 1028, 1300]


def key_end(packet):
    """The last byte of the key in a RETH or AtomicETH."""
    return 27 if roce.names_srq(packet[0]) else 23


class Attacker:
    """Draws packets, and sends them."""

    def __init__(self, device, way, victims, seed):
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
        self.socket.bind((device, 0))
        self.way = way
        self.victims = victims
        self.random = random.Random(seed)
        self.sent = 0

    def send(self, datagram, **how):
        frame = roce.frame(self.way, datagram, **how)
        try:
            self.socket.send(frame)
            self.sent += 1
        except OSError:         # longer than the link's MTU
            pass

    def some_bytes(self, length):
        return self.random.randbytes(length)

    def qpn(self):
        """A victim's number, or one of nobody, or a special one."""
        choice = self.random.random()
        if choice < 0.6 and self.victims:
            return self.random.choice(self.victims)["qpn"]
        return self.random.choice([0, 1, 2, 0xffffff, 0xfffffe, self.random.getrandbits(24)])

    def srqn(self, victim):
        """Mostly the victim's, seldom another's or nobody's."""
        if self.random.random() < 0.97:
            return victim["srqn"]
        return self.random.choice([0, 0xffffffff, self.random.choice(self.victims)["srqn"],
                                   self.random.getrandbits(24)])

    def shapes(self, count):
        """Every opcode with every length, at least once if the count allows."""
        plan = [(opcode, length) for opcode in range(256) for length in LENGTHS]
        self.random.shuffle(plan)
        for number in range(count):
            opcode, length = plan[number % len(plan)]
            head = roce.bth(opcode, self.qpn(), self.random.getrandbits(24),
                            pad=self.random.randrange(4), ackreq=self.random.randrange(2),
                            version=self.random.choice([0] * 9 + [1]),
                            pkey=self.random.choice([0xffff] * 6 + [0x7fff, 0, 1]))
            self.send(head + self.some_bytes(length), good_icrc=self.random.random() < 0.8)

    def perfect(self, victim, psn, opcode=None):
        """A request as the peer could send it."""
        opcode = opcode or self.random.choice(RC_OPCODES)
        if victim["type"] == "ud":
            length = self.random.choice(LENGTHS)
            pad = -length % 4
            return (roce.bth(self.random.choice([0x64, 0x65]), victim["qpn"], psn, pad=pad)
                    + struct.pack(">II", QKEY, 17) + self.some_bytes(length) + bytes(pad))
        length = 1024 if opcode in (0, 1, 6, 7) else self.random.randrange(1025)
        target = struct.pack(">QI", victim["address"] + self.random.randrange(0, 4096, 8),
                             victim["rkey"])
        extra = b""
        if opcode in (0x06, 0x0a, 0x0b, 0x0c):
            extra = target + struct.pack(">I", length)
        if opcode in (0x03, 0x05, 0x09, 0x0b):
            extra += self.some_bytes(4)
        if opcode in (0x13, 0x14):
            extra = target + self.some_bytes(16)
        if opcode in (0x11, 0x12):
            extra = self.some_bytes(4) + (self.some_bytes(8) if opcode == 0x12 else b"")
        if opcode in (0x0c, 0x11, 0x12, 0x13, 0x14):
            length = 0
        if victim["type"] == "xrc":
            opcode |= roce.XRC
        if roce.names_srq(opcode):
            extra = struct.pack(">I", self.srqn(victim)) + extra
        pad = -length % 4
        return (roce.bth(opcode, victim["qpn"], psn, pad=pad, ackreq=1) + extra
                + self.some_bytes(length) + bytes(pad))

    def strange(self, count):
        for number in range(count):
            victim = self.random.choice(self.victims)
            self.send(self.perfect(victim, victim["psn"]))

    def broken(self, count):
        for number in range(count):
            victim = self.random.choice(self.victims)
            self.send(self.perfect(victim, victim["psn"] + self.random.randrange(-2, 3)),
                      good_icrc=False)

    def deep(self, count):
        """Sequences that go on: right, nearly right, and mutated packets.

        They begin with one of each that is counted, as chance alone leaves some of them out.
        """
        begin = [(0x0a, 0), (0x0c, 0), (0x13, 0), (0x0a, 1), (0x13, 1)]
        for victim, (opcode, key_bit) in zip(self.victims, begin):
            if victim["type"] != "ud":
                packet = bytearray(self.perfect(victim, victim["psn"], opcode))
                packet[key_end(packet)] ^= key_bit
                self.send(packet)
                victim["psn"] += 1
        for number in range(count):
            victim = self.victims[number % len(self.victims)]
            step = self.random.choice([0, 0, 0, 0, 0, 1, -1, -2, 5, 127, -4000])
            packet = bytearray(self.perfect(victim, victim["psn"] + step))
            mutation = self.random.random()
            if mutation < 0.2:          # a byte
                packet[self.random.randrange(len(packet))] = self.random.getrandbits(8)
            elif mutation < 0.3:        # the end
                del packet[self.random.randrange(roce.BTH_LEN, len(packet) + 1):]
            elif mutation < 0.35:
                packet += self.some_bytes(self.random.randrange(1, 64))
            elif mutation < 0.4:
                packet[0] = self.random.getrandbits(8)
            elif mutation < 0.45:       # the pad's length
                packet[1] ^= self.random.randrange(1, 4) << 4
            elif mutation < 0.5 and len(packet) >= 32:      # a key, where there is one
                packet[key_end(packet)] ^= 1
            self.send(bytes(packet))
            if step == 0:
                victim["psn"] += 1

    def mads(self, count):
        for number in range(count):
            length = self.random.choice([0, 1, 4, 24, 100, 255, 256, 256, 256, 257, 512])
            mad = bytearray(self.some_bytes(length))
            if length >= 24:            # a header that leads somewhere
                mad[0:4] = bytes([1, self.random.choice([1, 3, 4, 7, 0x81, 0x32]),
                                  self.random.choice([1, 2]), self.random.choice([1, 2, 3, 0x81])])
                mad[16:18] = struct.pack(">H", self.random.choice([0x0010, 0x0013, 0x0015, 1, 2]))
            pad = -length % 4
            qkey = self.random.choice([GSI_QKEY] * 3 + [QKEY])
            self.send(roce.bth(0x64, 1, number, pad=pad) + struct.pack(">II", qkey, 1) + bytes(mad)
                      + bytes(pad))

    def ip(self, count):
        """UDP lengths and checksums that lie; fragments; options; extension headers."""
        for number in range(count):
            victim = self.random.choice(self.victims)
            packet = self.perfect(victim, victim["psn"])
            frame = bytearray(roce.frame(self.way, packet))
            at, kind = 14, self.random.randrange(6)
            is_v4 = len(self.way.from_ip) == 4
            udp = at + (20 if is_v4 else 40)
            if kind == 0:
                frame[udp + 4:udp + 6] = struct.pack(">H", self.random.getrandbits(16))
            elif kind == 1:
                frame[udp + 6:udp + 8] = self.some_bytes(2)
            elif kind == 2:
                del frame[self.random.randrange(udp, len(frame)):]
            elif kind == 3 and is_v4:   # options
                frame[at] = 0x46
                frame[udp:udp] = b"\x01\x01\x01\x00"
                frame[at + 2:at + 4] = struct.pack(">H", len(frame) - at)
            elif kind == 3:             # destination options
                frame[at + 6] = 60
                frame[udp:udp] = bytes([17, 0, 1, 4, 0, 0, 0, 0])
                frame[at + 4:at + 6] = struct.pack(">H", len(frame) - at - 40)
            elif kind == 4 and is_v4:   # a first or a later fragment
                frame[at + 6:at + 8] = struct.pack(">H", self.random.choice([0x2000, 0x0010]))
            elif kind == 5:             # to another address
                frame[udp - 1] ^= 0x40
            if is_v4:
                head = frame[at:at + (frame[at] & 15) * 4]
                head[10:12] = b"\0\0"
                frame[at + 10:at + 12] = struct.pack(">H", roce.ip_checksum(head))
            try:
                self.socket.send(bytes(frame))
                self.sent += 1
            except OSError:
                pass


def read_victims(lines):
    found = []
    for line in lines:
        words = line.split()
        if words[:1] == ["victim"]:
            found.append({"type": words[1], "qpn": int(words[2]), "psn": int(words[3]),
                          "rkey": int(words[4]), "address": int(words[5]), "srqn": int(words[6])})
    return found


def main(device, from_mac, to_mac, from_ip, to_ip, kind, count, seed):
    way = roce.Way(bytes.fromhex(from_mac.replace(":", "")), bytes.fromhex(to_mac.replace(":", "")),
                   ip_address(from_ip).packed, ip_address(to_ip).packed)
    attacker = Attacker(device, way, read_victims(sys.stdin), int(seed))
    if kind in ("strange", "broken", "deep", "ip") and not attacker.victims:
        print("no victims")
        return 1
    getattr(attacker, kind)(int(count))
    print(f"{attacker.sent} packets sent")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
