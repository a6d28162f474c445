#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Check what a capture of croce's traffic holds: check_packets.py FILE TRAFFIC-CLASS

Every packet is checked against the rules below and its ICRC computed anew, by
roce.py; of each kind and size of packet one goes through scapy as well.
"""

import collections
import logging
import sys

sys.dont_write_bytecode = True
import roce  # noqa: E402

GSI_QPN = 1
RELIABLE = (roce.RC, roce.XRC)
# First and middle packets fill the MTU, whatever headers are in front.
FULL = {0x00, 0x01, 0x06, 0x07, 0x0d, 0x0e}
MTUS = (256, 512, 1024, 2048, 4096)


def main(path: str, traffic_class: int) -> int:
    """Check a file; say what is wrong, ten lines of it at most."""
    packets = roce.packets(path)
    faults = [f"packet {number}, opcode 0x{packet.opcode:02x}: {fault}"
              for number, packet in enumerate(packets) for fault in faults_of(packet, traffic_class)]
    faults += faults_of_all(packets)
    faults += scapy_faults(packets)
    counts = collections.Counter(packet.opcode for packet in packets)
    print(f"{len(packets)} packets; of each opcode: "
          + " ".join(f"{opcode:02x}:{counts[opcode]}" for opcode in sorted(counts)))
    for fault in faults[:10]:
        print(fault)
    if len(faults) > 10:
        print(f"... {len(faults)} faults")
    return 1 if faults or not packets else 0


def faults_of(packet: roce.Packet, traffic_class: int):
    """Yield what is wrong with a packet by itself."""
    transport, operation = packet.opcode & 0xe0, packet.opcode & 0x1f
    sport, _, length, checksum = packet.udp
    is_mad = transport == roce.UD and packet.qpn == GSI_QPN
    if packet.icrc != roce.icrc(packet.raw):
        yield f"ICRC is {packet.icrc.hex()}, not {roce.icrc(packet.raw).hex()}"
    if length != len(packet.raw) - packet.ip_len:
        yield f"UDP length is {length}, packet has {len(packet.raw) - packet.ip_len}"
    if not 0xc000 <= sport <= 0xffff:
        yield f"UDP source port is 0x{sport:x}"
    if checksum and not roce.udp_checksum_is_right(packet):     # none is the custom
        yield f"UDP checksum 0x{checksum:x} is wrong"
    if packet.migreq != 1:
        yield "MigReq is 0"
    if packet.version or any(packet.reserved):
        yield f"version {packet.version}, reserved bits {packet.reserved}"
    if packet.pkey != 0xffff:
        yield f"P_Key is 0x{packet.pkey:x}"
    if len(packet.payload) % 4 or any(packet.payload[len(packet.payload) - packet.pad:]):
        yield f"payload of {len(packet.payload)} bytes, pad {packet.pad}"
    if roce.names_srq(packet.opcode) and not 0 < packet.xrceth < 1 << 24:
        yield f"XRCETH is 0x{packet.xrceth:x}"
    if transport not in (roce.CNP, roce.UD) and operation in FULL and len(packet.payload) not in MTUS:
        yield f"payload of {len(packet.payload)} bytes is no MTU"
    if packet.ackreq and (transport not in RELIABLE or operation in roce.RESPONSES
                          or operation in (roce.ACK, roce.ATOMIC_ACK)):
        yield "AckReq is set"
    if not is_mad and packet.tos >> 2 != traffic_class >> 2:
        yield f"DSCP is {packet.tos >> 2}, not {traffic_class >> 2}"
    if transport in RELIABLE and operation in roce.REQUESTS and packet.tos & 3 != 2:
        yield f"ECN bits are {packet.tos & 3}, not ECT(0)"


def faults_of_all(packets: list):
    """Yield what is wrong with the packets together."""
    ports = collections.defaultdict(set)
    last = {}
    for packet in packets:
        if packet.opcode & 0xe0 in RELIABLE:
            operation = packet.opcode & 0x1f
            ports[packet.addresses, packet.qpn].add(packet.udp[0])
            if operation in roce.REQUESTS or operation in (roce.CAS, roce.ADD):
                # Two processors that send for one queue pair may exchange packets.
                key = packet.addresses, packet.qpn
                if key not in last or (packet.psn - last[key].psn) & 0xffffff < 1 << 23:
                    last[key] = packet
    for (_, qpn), found in ports.items():
        if len(found) > 1:
            yield f"QP 0x{qpn:x}: packets have {len(found)} source ports"
    for (_, qpn), packet in last.items():
        if not packet.ackreq:
            yield f"QP 0x{qpn:x}: the last request does not ask for an acknowledgement"
    distinct = {port for found in ports.values() for port in found}
    if len(ports) >= 8 and len(distinct) < len(ports) / 4:
        yield f"{len(ports)} QPs share {len(distinct)} source ports"


def scapy_faults(packets: list):
    """Yield packets for which scapy computes another ICRC."""
    logging.getLogger("scapy.runtime").setLevel(logging.ERROR)
    from scapy.all import IP, IPv6, conf
    from scapy.contrib.roce import BTH
    conf.verb = 0
    version = tuple(int(part) for part in conf.version.split(".")[:2])
    seen = set()
    for number, packet in enumerate(packets):
        kind = (packet.is_v4, packet.opcode, len(packet.raw) % 64 if len(packet.raw) > 256
                else len(packet.raw), packet.tos)
        if kind in seen or (not packet.is_v4 and version < (2, 6)):     # older: IPv4 only
            continue
        seen.add(kind)
        dissected = (IP if packet.is_v4 else IPv6)(packet.raw)
        if BTH not in dissected:
            yield f"packet {number}: scapy does not see a BTH"
            continue
        dissected[BTH].icrc = None
        computed = dissected[BTH].compute_icrc(b"")
        if computed != packet.icrc:
            yield (f"packet {number}, opcode 0x{packet.opcode:02x}: scapy's ICRC is "
                   f"{computed.hex()}, not {packet.icrc.hex()}")
    print(f"scapy {conf.version} computed {len(seen)} ICRCs")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2], 0)))
