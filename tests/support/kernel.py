# SPDX-License-Identifier: MIT
"""The running kernel as the judge: devices from files, mounts, content for them, and what it shows of it.

Everything attached or mounted here is noted and let go of at exit, and nothing else is.
"""
import array
import atexit
import contextlib
import errno
import fcntl
import hashlib
import os
import random
import signal
import socket
import stat
import struct
import subprocess
import sys

TYPES = {stat.S_IFREG: "file", stat.S_IFDIR: "dir", stat.S_IFLNK: "symlink", stat.S_IFIFO: "fifo",
         stat.S_IFSOCK: "socket", stat.S_IFCHR: "char", stat.S_IFBLK: "block"}
mounted, attached = [], []


def let_go():
    while mounted:
        subprocess.run(["umount", mounted.pop()], capture_output=True)
    while attached:
        subprocess.run(["losetup", "-d", attached.pop()], capture_output=True)


atexit.register(let_go)
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, lambda *_: sys.exit(1))


def sh(*words, **options):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, words))}: {done.stderr.strip()[-300:]}")
    return done.stdout


def can_mount():
    """Why not, or None."""
    if os.geteuid() != 0:
        return "not root"
    known = "btrfs" in open("/proc/filesystems").read()
    if not known and subprocess.run(["modprobe", "btrfs"]).returncode != 0:
        return "the kernel has no btrfs"
    return None if os.path.exists("/dev/loop-control") else "no loop devices"


@contextlib.contextmanager
def mount(images, where, options):
    loops = []
    try:
        for image in images:
            loops.append(sh("losetup", "-f", "--show", image).strip())
            attached.append(loops[-1])
        for loop in loops if len(loops) > 1 else []:
            sh("btrfs", "device", "scan", loop)
        where.mkdir(exist_ok=True)
        sh("mount", "-t", "btrfs", "-o", options, loops[0], where)
        mounted.append(str(where))
        yield where
        sh("umount", where)
        mounted.remove(str(where))
    finally:
        if str(where) in mounted:
            sh("umount", "-l", where)
            mounted.remove(str(where))
        for loop in loops:
            if len(loops) > 1:
                subprocess.run(["btrfs", "device", "scan", "--forget", loop], capture_output=True)
            sh("losetup", "-d", loop)
            attached.remove(loop)


def escape(raw):
    return "".join(chr(b) if 0x21 <= b <= 0x7E and b != 0x25 else f"%{b:02X}" for b in raw)


def describe(full, path):
    st = os.lstat(full)
    record = {"path": escape(path), "type": TYPES[stat.S_IFMT(st.st_mode)], "ino": st.st_ino,
              "mode": f"{stat.S_IMODE(st.st_mode):04o}", "uid": st.st_uid, "gid": st.st_gid,
              "nlink": st.st_nlink, "size": st.st_size, "mtime": "%d.%09d" % divmod(st.st_mtime_ns, 10**9)}
    try:
        if record["type"] in ("char", "block"):
            record["rdev"] = f"{os.major(st.st_rdev)}:{os.minor(st.st_rdev)}"
        names = os.listxattr(full, follow_symlinks=False)
        attributes = {escape(os.fsencode(name)): os.getxattr(full, name, follow_symlinks=False).hex()
                      for name in names}
        if attributes:
            record["xattrs"] = attributes
        if record["type"] == "symlink":
            record["target"] = escape(os.readlink(full))
        if record["type"] == "file":
            with open(full, "rb") as f:
                record["sha256"] = hashlib.sha256(f.read()).hexdigest()
    except OSError as e:
        record["error"] = errno.errorcode[e.errno]
    return record


def manifest(top):
    """As `glassfs manifest` writes it, from what the kernel shows."""
    top = os.fsencode(top)
    records, todo = [], [b"/"]
    while todo:
        path = todo.pop()
        record = describe(top + path, path)
        if record["type"] == "dir":
            todo += [path.rstrip(b"/") + b"/" + name for name in os.listdir(top + path)]
            if record["ino"] == 2:
                record["mtime"] = None  # the kernel makes it up at the time of the mount
        records.append(record)
    return sorted(records, key=lambda r: r["path"])


def data_runs(full):
    """[begin, end] of each run of data, by SEEK_DATA and SEEK_HOLE."""
    runs = []
    with open(full, "rb") as f:
        size, at = os.fstat(f.fileno()).st_size, 0
        while at < size:
            try:
                begin = os.lseek(f.fileno(), at, os.SEEK_DATA)
            except OSError as e:
                if e.errno == errno.ENXIO:
                    break
                raise
            at = os.lseek(f.fileno(), begin, os.SEEK_HOLE)
            runs.append([begin, at])
    return runs


FS_IOC_FIEMAP = 0xC020660B
LAST, ENCODED, INLINE, UNWRITTEN = 0x1, 0x8, 0x200, 0x800


def fiemap(full):
    """[(file offset, length, physical, kind, encoded)], neighbours that go on in each other merged."""
    count, out, at = 512, [], 0
    with open(full, "rb") as f:
        while True:
            request = struct.pack("=QQLLLL", at, 2**64 - 1 - at, 0, 0, count, 0)
            buffer = array.array("B", request + b"\0" * 56 * count)
            fcntl.ioctl(f.fileno(), FS_IOC_FIEMAP, buffer)
            got = struct.unpack_from("=QQLLLL", buffer)[3]
            for i in range(got):
                logical, physical, length, _, _, flags = struct.unpack_from("=QQQQQL", buffer, 32 + 56 * i)
                kind = "inline" if flags & INLINE else "unwritten" if flags & UNWRITTEN else "data"
                out.append((logical, length, physical, kind, bool(flags & ENCODED)))
                at = logical + length
                if flags & LAST:
                    return merged(out)
            if got == 0:
                return merged(out)


def merged(extents):
    out = []
    for offset, length, physical, kind, encoded in extents:
        if out:
            o, l, p, k, e = out[-1]
            if o + l == offset and p + l == physical and (k, e) == (kind, encoded) and k != "inline":
                out[-1] = (o, l + length, p, k, e)
                continue
        out.append((offset, length, physical, kind, encoded))
    return out


def populate(top, seed, wide=1000):
    """A bit of everything that a btrfs can hold, the same for the same seed."""
    rng = random.Random(seed)
    top = str(top)
    text = ("".join(f"line {i} of a text that compresses well\n" for i in range(6000))).encode()
    noise = rng.randbytes(300_000)

    def put(name, content):
        with open(f"{top}/{name}", "wb") as f:
            f.write(content)

    os.mkdir(f"{top}/files")
    for size in (0, 1, 100, 2047, 2048, 3000, 4095, 4096, 4097, 70_000):
        put(f"files/text{size}", text[:size])
        put(f"files/noise{size}", noise[:size])
    put("files/text", text)
    put("files/noise", noise)
    put("files/mixed", b"".join(text[i:i + 20_000] + noise[i:i + 20_000] for i in range(0, 200_000, 20_000)))
    with open(f"{top}/files/sparse", "wb") as f:
        for at in (0, 1 << 20, (5 << 20) + 100):
            f.seek(at)
            f.write(noise[:10_000])
        f.truncate(9 << 20)
    put("files/allocated", text[:8192])
    sh("fallocate", "-l", 1 << 20, f"{top}/files/allocated")
    put("files/punched", noise)
    os.sync()
    sh("fallocate", "-p", "-o", 65536, "-l", 65536, f"{top}/files/punched")
    sh("cp", "--reflink=always", f"{top}/files/mixed", f"{top}/files/reflink")
    with open(f"{top}/files/reflink", "r+b") as f:
        f.seek(50_000)
        f.write(b"changed since" * 100)
    names(top)
    deep = f"{top}/deep"
    for i in range(60):
        os.mkdir(deep)
        deep += f"/level{i}"
    os.mkdir(f"{top}/wide")
    for i in range(wide):
        put(f"wide/file number {i}", b"%d" % i * (i % 50))
    subvolumes(top)


def names(top):
    os.mkdir(f"{top}/names")
    for name in (b"n" * 255, b"\xff\x01 \n%", "grün ☃".encode(), b"-rf", b"a b"):
        with open(os.fsencode(f"{top}/names/") + name, "wb") as f:
            f.write(name)
    with open(f"{top}/names/linked", "wb") as f:
        f.write(b"several names")
    for i in range(150):  # more than one reference item holds: extended references
        os.link(f"{top}/names/linked", f"{top}/names/{'link' * 30}{i}")
    os.symlink("../files/text", f"{top}/names/symlink")
    os.symlink("x" * 3000, f"{top}/names/long symlink")
    os.mkfifo(f"{top}/names/fifo")
    os.mknod(f"{top}/names/char", 0o600 | stat.S_IFCHR, os.makedev(1, 3))
    os.mknod(f"{top}/names/block", 0o600 | stat.S_IFBLK, os.makedev(259, 70000))
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as s:
        here = os.getcwd()
        os.chdir(f"{top}/names")  # the address of a socket has room for 108 bytes
        s.bind("socket")
        os.chdir(here)
    for i in range(20):
        os.setxattr(f"{top}/names/linked", f"user.attribute{i}", bytes([i]) * i * 10)
    os.setxattr(f"{top}/names/symlink", "trusted.of a symlink", b"1", follow_symlinks=False)
    os.chmod(f"{top}/names/linked", 0o4751)
    os.chown(f"{top}/names/linked", 12345, 4_000_000_000)
    os.utime(f"{top}/names/linked", ns=(1, -1_500_000_001))


def subvolumes(top):
    sh("btrfs", "subvolume", "create", f"{top}/subvolume")
    with open(f"{top}/subvolume/file", "wb") as f:
        f.write(b"in a subvolume")
    sh("btrfs", "subvolume", "create", f"{top}/subvolume/nested")
    sh("btrfs", "subvolume", "snapshot", f"{top}/subvolume", f"{top}/snapshot")
    with open(f"{top}/subvolume/file", "ab") as f:
        f.write(b", changed after the snapshot")
    sh("btrfs", "subvolume", "snapshot", "-r", top, f"{top}/whole")
