# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Which kind of work a kernel function does, for profiles.

Each kind has patterns for the object (a module or a program) and for the
function; the first kind that has a match for either is it.
"""

import re
from typing import NamedTuple


class Kind(NamedTuple):
    """A kind of work."""

    name: str
    objects: str = ""
    functions: str = ""


TABLE = (
    Kind("idle", "", r"""
        default_idle .*idle_enter.* cpuidle.* do_idle (pv_)?native_safe_halt um_idle_sleep
        os_idle_sleep acpi_\w*idle\w* arch_cpu_idle"""),
    Kind("user programs", r"[^\[].*"),
    Kind("host: User-mode Linux's own", r"\[host\]"),
    Kind("CRC", "", r".*crc.*"),
    Kind("zeroing", "", r"clear_page\w* memset\w*"),
    Kind("copying", "", r"""
        \w*memcpy\w* \w*copy_\w*(user|iter|mc|page)\w* rep_movs\w* _copy_\w+ memmove
        skb_copy_(bits|datagram)\w* copy_(from|to)\w*
        virt_to_pte do_op_one_page buffer_op"""),
    Kind("croce", r"\[croce\]"),
    Kind("rxe", r"\[rdma_rxe\]"),
    Kind("siw", r"\[siw\]"),
    Kind("RDMA core", r"\[ib_\w+\] \[rdma_\w+\] \[iw_cm\]", r"ib_\w+ rdma_\w+ uverbs_\w+"),
    Kind("locks", "", r"""
        _raw_\w+ queued_spin\w* (__)?mutex\w* __local_bh\w* (__)?rcu_\w+ \w*preempt_count\w*"""),
    Kind("memory", "", r"""
        \w*kmem_cache\w* k[mzv]?v?[mz]?alloc\w* __k\w*alloc\w* kv?free\w* \w*slab\w* rmqueue\w*
        \w*alloc_pages?\w* free_\w*page\w* \w*page_frag\w* prep_new_page lruvec_\w+ __free_\w+
        obj_cgroup\w* (put|get)_page\w* __folio_put\w* get_partial\w* \w*gup\w* \w*pin_user\w*"""),
    Kind("scheduler", "", r"""
        \w*schedul\w* __switch_to\w* \w*_switch\w* switch_\w+ try_to_wake\w* ttwu\w* \w*wake\w*
        (en|de)queue_(task|entity)\w* pick_\w+ put_prev\w* set_next\w* update_(curr|load|rq)\w*
        \w*_fair \w*sched_\w+ \w*eevdf\w* place_entity reweight\w* worker_thread process_one_work
        \w*queue_work\w* kick_pool \w*hrtick\w* select_task_rq\w* \w*load_avg\w* yield\w*
        insert_work prepare_to_wait\w* finish_wait autoremove\w* avg_vruntime \w*min_vruntime"""),
    Kind("network stack", r"\[veth\] \[nf_\w+\] \[ip\w*_tables\] \[sch_\w+\] \[udp_tunnel\]", r"""
        \w*ip_\w+ ip6?_\w+ \w*udp\w* \w*tcp\w* \w*skb\w* \w*netif\w* \w*dev_\w+ veth\w* \w*napi\w*
        nf_\w+ \w*qdisc\w* \w*sock\w* fib\w* eth_\w+ net_[rt]x\w* \w*backlog neigh\w* \w*gso\w*
        \w*gro_\w+ \w*csum\w* inet\w* \w*dst_\w+ \w*flow_dissect\w* sk_\w+ raw_\w*deliver
        validate_xmit\w* rt_\w+ \w*_rt_\w+ \w*route\w*"""),
    Kind("look-ups", "", r"xas?_\w+ idr_\w+ radix_\w+ \w*rhashtable\w*"),
    Kind("interrupts and timers", "", r"""
        \w*softirq\w* \w*irq\w* \w*timer\w* \w*tick\w* \w*clock\w* ktime\w* \w*apic\w* read_tsc
        \w*hpet\w* run_ksoftirqd asm_\w+ \w*ipi\w* smp_call\w*"""),
    Kind("entering the kernel", "", r"""
        entry_\w+ do_syscall\w* x64_sys\w* \w*sys_\w+ \w*syscall\w* \w*fdget\w* vfs_\w+ ksys_\w+
        \w*exit_to_user\w* \w*ret_from\w* userspace\w* \w*stub\w* fput\w* restore_\w+"""),
)
OTHER = "other"
SUFFIX = re.compile(r"\.(part|constprop|isra|cold)\b.*")
_PATTERNS = [(kind.name, [re.compile("|".join(words.split()) or r"(?!)")
                          for words in (kind.objects, kind.functions)]) for kind in TABLE]


def kind_of(where: str, function: str) -> str:
    """Return the kind of work of a function of an object, such as [croce] or libc.so.6."""
    name = SUFFIX.sub("", function)
    for kind, (objects, functions) in _PATTERNS:
        if objects.fullmatch(where) or functions.fullmatch(name):
            return kind
    return OTHER
