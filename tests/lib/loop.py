# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""One process, both ends: queue pairs of a device that talk to each other, with pyverbs.

    with device() as context:       a croce device on a dummy with an address
        ends = Ends(context)        two connected RC queue pairs, ends.a and ends.b
        ends.a.post(opcode, ...)    and ends.a.wait() -> status

Points are functions; run(point, ...) prints TAP and returns the exit status.
"""

import contextlib
import ctypes
import errno
import mmap
import os
import subprocess
import sys
import time
import traceback

from pyverbs.addr import AHAttr, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsRDMAError
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import SGE, RecvWR, SendWR

try:
    import pyverbs.enums as e
except ImportError:
    import pyverbs.libibverbs_enums as e

LOCAL = e.IBV_ACCESS_LOCAL_WRITE
ALL = (LOCAL | e.IBV_ACCESS_REMOTE_WRITE | e.IBV_ACCESS_REMOTE_READ |
       e.IBV_ACCESS_REMOTE_ATOMIC | e.IBV_ACCESS_MW_BIND)
GID = 1             # of the IPv4 address; 0 is the link-local one


class Skip(Exception):
    """What the point needs is not there."""


def shell(command, check=True):
    return subprocess.run(command, shell=True, check=check, capture_output=True, text=True)


@contextlib.contextmanager
def device(name="croce0", mtu=1500):
    shell(f"ip link add d0 mtu {mtu} type dummy && ip link set d0 up && ip addr add 10.9.0.1/24 dev d0 &&"
          f"rdma link add {name} type croce netdev d0")
    try:
        until(lambda: "ffff:0a09:0001" in
              open(f"/sys/class/infiniband/{name}/ports/1/gids/{GID}", encoding="ascii").read())
        yield Context(name=name)
    finally:
        shell(f"rdma link del {name}; ip link del d0", check=False)


def until(condition, seconds=10):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("waited in vain")
        time.sleep(0.02)


class Memory:
    """Bytes of a mapping, and their address."""

    def __init__(self, length, fd=-1, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS,
                 prot=mmap.PROT_READ | mmap.PROT_WRITE):
        self.bytes = mmap.mmap(fd, length, flags=flags, prot=prot)
        self.length = length
        if prot & mmap.PROT_WRITE:
            self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.bytes))
        else:
            self.address = address_of_last_mapping(length)


def address_of_last_mapping(length):
    """Python gives no address of a read-only buffer; /proc does."""
    for line in open("/proc/self/maps", encoding="ascii"):
        first, last = (int(part, 16) for part in line.split()[0].split("-"))
        if line.split()[1][:3] == "r--" and last - first == length:
            return first
    raise LookupError("mapping not found")


class End:
    def __init__(self, context, pd, cq_size=256, qp_wr=128):
        self.context = context
        self.pd = pd
        self.cq = CQ(context, cq_size)
        cap = QPCap(max_send_wr=qp_wr, max_recv_wr=qp_wr, max_send_sge=4, max_recv_sge=4)
        self.qp = QP(pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=self.cq, rcq=self.cq, cap=cap))

    def connect(self, other, mtu=e.IBV_MTU_1024):
        route = GlobalRoute(dgid=self.context.query_gid(1, GID), sgid_index=GID)
        attr = QPAttr(port_num=1)
        attr.qp_access_flags = ALL & ~e.IBV_ACCESS_MW_BIND
        attr.dest_qp_num = other.qp.qp_num
        attr.path_mtu = mtu
        attr.max_rd_atomic = attr.max_dest_rd_atomic = 16
        attr.min_rnr_timer = 1
        attr.timeout = 14
        attr.retry_cnt = attr.rnr_retry = 7
        attr.ah_attr = AHAttr(gr=route, is_global=1, port_num=1)
        self.qp.to_rts(attr)

    def post(self, opcode, memory, mr, remote=0, rkey=0, offset=0, length=None, number=0,
             signaled=True):
        length = memory.length - offset if length is None else length
        wr = SendWR(wr_id=number, opcode=opcode, num_sge=1,
                    sg=[SGE(memory.address + offset, length, mr.lkey)],
                    send_flags=e.IBV_SEND_SIGNALED if signaled else 0)
        if remote or rkey:
            wr.set_wr_rdma(rkey, remote)
        self.qp.post_send(wr)

    def receive(self, memory, mr, offset=0, length=None, number=0):
        length = memory.length - offset if length is None else length
        self.qp.post_recv(RecvWR(wr_id=number, num_sge=1,
                                 sg=[SGE(memory.address + offset, length, mr.lkey)]))

    def completions(self, count, seconds=20):
        found = []
        end = time.monotonic() + seconds
        while len(found) < count:
            found += self.cq.poll(count - len(found))[1]
            if time.monotonic() > end:
                raise TimeoutError(f"{len(found)} completions of {count}")
        return found

    def wait(self):
        return self.completions(1)[0].status


class Ends:
    """Two queue pairs; a new pair after each error."""

    def __init__(self, context, pd=None, mtu=e.IBV_MTU_1024, **options):
        self.pd = pd or PD(context)
        self.a = End(context, self.pd, **options)
        self.b = End(context, self.pd, **options)
        self.a.connect(self.b, mtu)
        self.b.connect(self.a, mtu)


def fails(number, function, *args, **kwargs):
    """The call fails with this errno."""
    try:
        function(*args, **kwargs)
    except PyverbsRDMAError as error:
        assert error.error_code == number, \
            f"failed with {errno.errorcode.get(error.error_code)}, not {errno.errorcode[number]}"
        return
    raise AssertionError("did not fail")


def is_status(status, wanted):
    assert status == wanted, f"status {status}, not {wanted}"


def run(context, *points):
    failed = 0
    for number, point in enumerate(points, 1):
        name = point.__doc__.splitlines()[0]
        try:
            point(context)
            print(f"ok {number} - {name}")
        except Skip as reason:
            print(f"ok {number} - {name} # SKIP {reason}")
        except Exception:       # pylint: disable=broad-except
            failed += 1
            print(f"not ok {number} - {name}")
            print("# " + traceback.format_exc().strip().replace("\n", "\n# "))
        sys.stdout.flush()
    print(f"1..{len(points)}")
    return 1 if failed else 0
