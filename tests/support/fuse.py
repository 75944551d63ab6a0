# SPDX-License-Identifier: MIT
"""`glassfs mount` as the suites use it: mounted while a block runs, unmounted and waited for at its end."""
import contextlib
import ctypes
import ctypes.util
import os
import subprocess
import tempfile
import time

import kernel
from suite import Failed, expect, program

SHOWN_INO_BITS = 40  # inodes of other subvolumes than the mounted one have the subvolume's id above


def can_mount():
    """Why not, or None."""
    if os.geteuid() != 0:
        return "not root"
    if not os.path.exists("/dev/fuse"):
        return "the kernel has no FUSE"
    help_text = subprocess.run([program(), "mount", "--help"], capture_output=True, text=True)
    return None if help_text.returncode == 0 else "this program has no command mount"


def mount_line(where):
    """Its line in mountinfo, None when it isn't mounted."""
    escaped = "".join(f"\\{ord(c):03o}" if c in " \t\n\\" else c for c in str(where))
    with open("/proc/self/mountinfo") as f:
        return next((line for line in f if line.split()[4] == escaped), None)


def is_mounted(where):
    return mount_line(where) is not None


class Mounted:
    """The process that serves a mount in the foreground."""

    def __init__(self, where, words, command=None):
        self.where = where
        self.log = tempfile.TemporaryFile()
        where.mkdir(exist_ok=True)
        self.process = subprocess.Popen([str(w) for w in [*(command or [program(), "mount"]), *words]],
                                        stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        kernel.mounted.append(str(where))
        end = time.monotonic() + 60
        while not is_mounted(where):
            if self.process.poll() is not None:
                self.gone()
                raise Failed(f"exit {self.process.returncode}: {self.said()[-300:]}")
            expect(time.monotonic() < end, "not mounted after 60 s")
            time.sleep(0.01)

    def said(self):
        self.log.seek(0)
        return self.log.read().decode(errors="replace")

    def gone(self):
        if str(self.where) in kernel.mounted:
            kernel.mounted.remove(str(self.where))

    def end(self, timeout=120):
        """Waits for it to end by itself; its exit code."""
        code = self.process.wait(timeout)
        self.gone()
        return code

    def unmount(self):
        kernel.sh("umount", self.where)
        code = self.end()
        expect(code == 0, f"exit {code} after umount: {self.said()[-300:]}")

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        subprocess.run(["umount", "-l", self.where], capture_output=True)
        self.gone()


@contextlib.contextmanager
def mount(where, *words, command=None):
    """words: behind `glassfs mount`."""
    served = Mounted(where, [*words, where, "-f"] if command is None else [*words, where], command)
    try:
        yield served
        served.unmount()
    finally:
        served.kill()


def manifest(top):
    """kernel.manifest() of a FUSE mount, with the inode numbers that a mount of the kernel shows."""
    records = kernel.manifest(top)
    for record in records:
        record["ino"] %= 1 << SHOWN_INO_BITS
        if record["ino"] == 2 and record["type"] == "dir":
            record["mtime"] = None
    return records


class Dirent(ctypes.Structure):
    _fields_ = [("d_ino", ctypes.c_uint64), ("d_off", ctypes.c_int64), ("d_reclen", ctypes.c_ushort),
                ("d_type", ctypes.c_ubyte), ("d_name", ctypes.c_char * 256)]


class Directory:
    """opendir(3) and its telldir, seekdir."""

    libc = ctypes.CDLL(ctypes.util.find_library("c"), use_errno=True)
    libc.opendir.restype = ctypes.c_void_p
    libc.readdir64.argtypes = [ctypes.c_void_p]
    libc.readdir64.restype = ctypes.POINTER(Dirent)
    libc.telldir.argtypes = [ctypes.c_void_p]
    libc.telldir.restype = ctypes.c_long
    libc.seekdir.argtypes = [ctypes.c_void_p, ctypes.c_long]
    libc.closedir.argtypes = [ctypes.c_void_p]

    def __init__(self, path):
        self.stream = self.libc.opendir(os.fsencode(path))
        expect(self.stream, f"opendir {path}: {os.strerror(ctypes.get_errno())}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.libc.closedir(self.stream)

    def next(self):
        """The next name, None at the end."""
        ctypes.set_errno(0)
        entry = self.libc.readdir64(self.stream)
        if not entry:
            expect(ctypes.get_errno() == 0, f"readdir: {os.strerror(ctypes.get_errno())}")
            return None
        return entry.contents.d_name

    def rest(self):
        return list(iter(self.next, None))

    def tell(self):
        return self.libc.telldir(self.stream)

    def seek(self, position):
        self.libc.seekdir(self.stream, position)
