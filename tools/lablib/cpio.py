# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Writing an initramfs (cpio archive in the "newc" format)."""

from stat import S_IFDIR, S_IFREG


def archive(directories: list[str], files: dict[str, tuple[bytes, int]]) -> bytes:
    """Return an archive of directories and of files (name -> content, mode)."""
    members = [_member(name, b"", S_IFDIR | 0o755) for name in directories]
    members += [_member(name, data, S_IFREG | mode) for name, (data, mode) in files.items()]
    members.append(_member("TRAILER!!!", b"", 0))
    return b"".join(members)


def _member(name: str, data: bytes, mode: int) -> bytes:
    path = name.encode() + b"\0"
    fields = (0, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(path), 0)
    header = b"070701" + b"".join(b"%08x" % field for field in fields)
    return _pad(header + path) + _pad(data)


def _pad(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 4)
