# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Links for the contenders: a veth pair for each and each MTU, all made alike.

Both ends of a pair are in one network namespace, because siw (and rxe before
7.3) know only the first one. Rules in front of the table `local` send what goes
from one end's address to the other's through the pair. croce's pairs are in a
namespace of their own: it and rxe want the same UDP port.
"""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from ..plan import CONTENDERS, MTUS

NAMESPACE = "croce"
MODULES = {"croce": "croce", "rxe": "rdma_rxe", "siw": "siw"}


class Failed(Exception):
    """A command of the guest failed."""


@dataclass(frozen=True)
class Link:
    """A veth pair of one contender, and what is needed to use it."""

    contender: str
    mtu: int

    @property
    def ends(self) -> tuple[str, str]:
        """Return the names of the network devices, and of the RDMA devices on them."""
        return f"{self.contender}{self.mtu}a", f"{self.contender}{self.mtu}b"

    @property
    def addresses(self) -> tuple[str, str]:
        """Return the addresses of both ends."""
        net = f"10.{20 + CONTENDERS.index(self.contender)}.{MTUS.index(self.mtu)}"
        return f"{net}.1", f"{net}.2"

    def command(self, *words: object) -> list[str]:
        """Return a command line that runs where the link is."""
        prefix = ["ip", "netns", "exec", NAMESPACE] if self.contender == "croce" else []
        return [*prefix, *(str(word) for word in words)]

    def run(self, *words: object) -> str:
        """Run a command where the link is, and return its output."""
        return run(*self.command(*words))


def run(*words: object) -> str:
    """Run a command and return its output; raise Failed with what it says."""
    argv = [str(word) for word in words]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=60)
    if done.returncode:
        raise Failed(f"{' '.join(argv)}: {(done.stderr or done.stdout).strip()}")
    return done.stdout


def build(contenders: list[str]) -> tuple[dict[tuple[str, int], Link], dict[str, str]]:
    """Make all links; return them, and why some contenders have none."""
    links: dict[tuple[str, int], Link] = {}
    absent: dict[str, str] = {}
    run("ip", "netns", "add", NAMESPACE)
    prepared: set[bool] = set()
    for contender in contenders:
        try:
            if contender in MODULES:
                run("modprobe", MODULES[contender])
            for mtu in MTUS:
                link = Link(contender, mtu)
                _prepare_namespace(link, prepared)
                _pair(link)
                links[contender, mtu] = link
        except (Failed, subprocess.TimeoutExpired) as error:
            absent[contender] = str(error)
    return {key: link for key, link in links.items() if key[0] not in absent}, absent


def _prepare_namespace(link: Link, prepared: set[bool]) -> None:
    """Put the table `local` behind the pairs' rules, once in each namespace."""
    own = link.contender == "croce"
    if own in prepared:
        return
    prepared.add(own)
    for setting in ("conf.all.accept_local=1", "conf.all.rp_filter=0", "conf.default.rp_filter=0"):
        link.run("sysctl", "-qw", f"net.ipv4.{setting}")
    link.run("sysctl", "-qw", "net.ipv6.conf.default.disable_ipv6=1")
    link.run("ip", "link", "set", "lo", "up")
    link.run("ip", "rule", "add", "pref", "100", "lookup", "local")
    link.run("ip", "rule", "del", "pref", "0")


def _pair(link: Link) -> None:
    """Make the network devices and the RDMA devices of a link."""
    one, other = link.ends
    link.run("ip", "link", "add", one, "mtu", link.mtu, "type", "veth",
             "peer", "name", other, "mtu", link.mtu)
    table = 1000 + 10 * CONTENDERS.index(link.contender) + 2 * MTUS.index(link.mtu)
    for device, address in zip(link.ends, link.addresses, strict=True):
        link.run("ip", "addr", "add", f"{address}/24", "dev", device)
        link.run("ip", "link", "set", device, "up")
    for number, device in enumerate(link.ends):
        _route(link, number, device, table + number)
    if link.contender in MODULES:
        for device in link.ends:
            link.run("rdma", "link", "add", device, "type", link.contender, "netdev", device)


def _route(link: Link, number: int, device: str, table: int) -> None:
    """Send what goes from this end to the other one out of its device."""
    own, peer = link.addresses[number], link.addresses[1 - number]
    hardware = link.run("cat", f"/sys/class/net/{link.ends[1 - number]}/address").strip()
    link.run("ip", "rule", "add", "pref", "10", "iif", "lo", "from", own, "to", peer,
             "lookup", table)
    link.run("ip", "route", "add", peer, "dev", device, "src", own, "table", table)
    link.run("ip", "neigh", "replace", peer, "lladdr", hardware, "dev", device, "nud", "permanent")


def gid_index(link: Link, number: int) -> int:
    """Return the index of the RoCE v2 identifier that holds the end's IPv4 address."""
    device = link.ends[number]
    octets = [int(part) for part in link.addresses[number].split(".")]
    wanted = "{:02x}{:02x}:{:02x}{:02x}".format(*octets)
    script = (f"cd /sys/class/infiniband/{device}/ports/1 && for i in $(seq 0 15); do "
              "echo $i $(cat gids/$i) $(cat gid_attrs/types/$i 2>/dev/null); done")
    for line in link.run("sh", "-c", script).splitlines():
        if re.fullmatch(rf"\d+ [0:]+:ffff:{wanted} RoCE v2", line):
            return int(line.split()[0])
    raise Failed(f"{device} has no RoCE v2 identifier for {link.addresses[number]}")


def describe() -> dict[str, str]:
    """Return what a reader of the results wants to know about the guest."""
    cpuinfo = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    model = re.search(r"^(?:model name|host)\s*: (.*)", cpuinfo, re.MULTILINE)
    versions = {
        "guest kernel": run("uname", "-rv").strip(),
        "guest processors": str(len(re.findall(r"^processor", cpuinfo, re.MULTILINE))),
        "guest processor": model.group(1) if model else "?",
        "iperf3": run("iperf3", "--version").split("\n")[0],
    }
    perftest = subprocess.run(["ib_write_bw", "--version"], capture_output=True, text=True,
                              check=False)
    versions["perftest"] = perftest.stdout.strip().removeprefix("Version: ")
    return versions
