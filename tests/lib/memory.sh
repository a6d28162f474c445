# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# Does the kernel's memory grow?
#
#   memory_mark FILE        objects in use in each slab cache, and pages elsewhere
#   memory_grown FILE FILE ROUNDS   prints what grew by an object a round, or more
#   leaks                   prints what kmemleak finds (where the kernel has it)

# Of threads; work queues begin some for much work, and end them after minutes.
stack_pages() {
	grep -E 'kernel_clone|copy_process|dup_task_struct' /proc/vmallocinfo | grep -o 'pages=[0-9]*' |
		awk -F= '{ pages += $2 } END { print pages + 0 }'
}

memory_mark() {
	sync
	sleep 1
	echo 3 >/proc/sys/vm/drop_caches
	sleep 0.5
	echo 3 >/proc/sys/vm/drop_caches
	{
		awk 'NR > 2 { print $1, $2, $4, $5 }' /proc/slabinfo
		awk -v stacks="$(stack_pages)" '
			/^Percpu/ { print $1, $2 / 4, 4096 }
			/^VmallocUsed/ { print $1, $2 / 4 - stacks, 4096 }' /proc/meminfo
	} >"$1"
}

# File system caches come and go for reasons of their own.  All objects of the slabs that a processor
# has at hand count as used.
memory_grown() {
	awk -v rounds="$3" -v cpus="$(nproc)" '
		/^(dentry|inode|.*_inode|.*inode_cache|filp|radix|xfs|ext4|buffer_head|vm_area|anon_vma|maple|vma_lock|vmap_area|lsm_|kernfs|seq_file|shmem|ovl_|squashfs|9p|pid|proc_dir|names_cache|task_|cred|files_|fs_cache|sighand|signal|mm_struct|mnt_|skbuff|pool_workq|debug_obj|kmemleak|sock_)/ { next }
		FNR == NR { before[$1] = $2; next }
		$1 in before && $2 - before[$1] >= rounds + 2 * cpus * $4 && ($2 - before[$1]) * $3 > 32768 {
			printf "%s: %d objects of %d bytes more\n", $1, $2 - before[$1], $3
		}' "$1" "$2"
}

has_kmemleak() {
	[ -w /sys/kernel/debug/kmemleak ]
}

leaks() {
	echo scan >/sys/kernel/debug/kmemleak
	sleep 6
	echo scan >/sys/kernel/debug/kmemleak
	cat /sys/kernel/debug/kmemleak
}
