# SPDX-License-Identifier: MIT
"""Programs that work a mounted file system hard: one exercises a file against what it must hold, one changes
names from several processes at once. Both come from a seed."""
import ctypes
import errno
import mmap
import multiprocessing
import os
import random

from suite import expect

libc = ctypes.CDLL(None, use_errno=True)
libc.fallocate.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64]
KEEP_SIZE, PUNCH_HOLE, ZERO_RANGE = 1, 2, 16


def fallocate(fd, mode, at, length):
    if libc.fallocate(fd, mode, at, length) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


class FileExerciser:
    """Random operations on one file; `content` is what it must hold after each."""

    SIZE_MAX = 1 << 20

    def __init__(self, path, seed):
        self.path, self.rng = path, random.Random(seed)
        self.content = bytearray()
        self.fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o644)
        self.done = []

    def close(self):
        os.close(self.fd)

    def range(self, end=SIZE_MAX):
        """(at, length): anywhere below `end`, often at borders of blocks."""
        rng = self.rng
        at = rng.randrange(max(end, 1))
        length = rng.choice([1, 17, 511, 4096, rng.randrange(1, 70_000), rng.randrange(1, 300_000)])
        if rng.random() < 0.4:
            at -= at % 4096
        if rng.random() < 0.3:
            length += -length % 4096
        return at, max(1, min(length, end - at))

    def grow(self, end):
        if len(self.content) < end:
            self.content.extend(bytes(end - len(self.content)))

    def bytes(self, length):
        rng = self.rng
        return rng.randbytes(length) if rng.random() < 0.7 else bytes([rng.randrange(256)]) * length

    def write(self):
        at, length = self.range()
        data = self.bytes(length)
        expect(os.pwrite(self.fd, data, at) == length, f"a short write at {at}")
        self.grow(at + length)
        self.content[at:at + length] = data
        return at, length

    def read(self):
        at, length = self.range()
        self.same(at, os.pread(self.fd, length, at), length)
        return at, length

    def same(self, at, got, length):
        want = self.content[at:at + length]
        if got != want:
            where = next((i for i, (a, b) in enumerate(zip(got, want)) if a != b), min(len(got), len(want)))
            expect(False, f"other content at {at + where} ({len(got)} bytes, not {len(want)}) after "
                          f"{self.done[-12:]}")

    def truncate(self):
        size = self.rng.choice([self.range()[0], len(self.content) // 2, 0 if self.rng.random() < 0.1 else 5])
        os.ftruncate(self.fd, size)
        del self.content[size:]
        self.grow(size)
        return (size,)

    def punch(self):
        at, length = self.range()
        fallocate(self.fd, PUNCH_HOLE | KEEP_SIZE, at, length)
        self.clear(at, min(at + length, len(self.content)))
        return at, length

    def clear(self, at, end):
        if at < end:
            self.content[at:end] = bytes(end - at)

    def zero(self):
        at, length = self.range()
        keep = self.rng.choice([0, KEEP_SIZE])
        fallocate(self.fd, ZERO_RANGE | keep, at, length)
        if not keep:
            self.grow(at + length)
        self.clear(at, min(at + length, len(self.content)))
        return at, length, keep

    def allocate(self):
        at, length = self.range()
        keep = self.rng.choice([0, KEEP_SIZE])
        fallocate(self.fd, keep, at, length)
        if not keep:
            self.grow(at + length)
        return at, length, keep

    def copy(self):
        """copy_file_range, which shares extents where they are whole."""
        if not self.content:
            return ()
        at, length = self.range(len(self.content))
        to = self.rng.randrange(self.SIZE_MAX - length)
        if self.rng.random() < 0.5:
            to -= to % 4096
        if abs(to - at) < length:
            return ()
        data = bytes(self.content[at:at + length])
        copied = os.copy_file_range(self.fd, self.fd, length, at, to)
        expect(0 < copied <= length, f"{copied} bytes copied of {length}")
        self.grow(to + copied)
        self.content[to:to + copied] = data[:copied]
        return at, copied, to

    def mapped(self):
        size = len(self.content)
        if size == 0:
            return ()
        at, length = self.range(size)
        with mmap.mmap(self.fd, size) as memory:
            self.same(at, memory[at:at + length], length)
            data = self.bytes(length)
            memory[at:at + length] = data
            memory.flush()
        self.content[at:at + length] = data
        return at, length

    def fsync(self):
        os.fsync(self.fd)
        return ()

    def reopen(self):
        os.close(self.fd)
        self.fd = os.open(self.path, os.O_RDWR)
        return ()

    def run(self, operations):
        seldom = [self.truncate, self.punch, self.zero, self.allocate, self.copy, self.mapped]
        weighted = [self.write] * 5 + [self.read] * 4 + seldom * 2
        for _ in range(operations):
            one = self.rng.choice(weighted + ([self.fsync, self.reopen] if self.rng.random() < 0.2 else []))
            self.done.append((one.__name__, *one()))
            size = os.fstat(self.fd).st_size
            expect(size == len(self.content), f"{size} bytes, not {len(self.content)}: {self.done[-12:]}")
        self.same(0, os.pread(self.fd, self.SIZE_MAX * 2, 0), self.SIZE_MAX * 2)


# What processes that change the same names may meet.
EXPECTED = {errno.ENOENT, errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.ENOTEMPTY, errno.EINVAL,
            errno.ELOOP, errno.ENODATA, errno.EBUSY, errno.ESTALE, errno.ENXIO}


class NameChanger:
    """One process of several below `top`."""

    def __init__(self, top, seed):
        self.top, self.rng = top, random.Random(seed)
        self.unexpected = []

    def directory(self):
        path = self.top
        while self.rng.random() < 0.6:
            path += "/" + self.rng.choice("abc")
        return path

    def name(self):
        return self.directory() + "/" + self.rng.choice("abcdefghij")

    def write(self):
        fd = os.open(self.name(), os.O_RDWR | os.O_CREAT, 0o644)
        try:
            os.pwrite(fd, bytes([self.rng.randrange(256)]) * self.rng.choice([10, 3000, 50_000]),
                      self.rng.choice([0, 100, 40_000]))
            if self.rng.random() < 0.05:
                os.fsync(fd)
        finally:
            os.close(fd)

    def unlinked_but_open(self):
        path = f"{self.directory()}/of process {os.getpid()}"  # nobody else's
        fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            os.unlink(path)
            os.pwrite(fd, b"still here", 5000)
            if not os.pread(fd, 10, 5000) == b"still here":
                self.unexpected.append(f"{path}: lost what was written to it after unlink")
        finally:
            os.close(fd)

    def read_all(self):
        with open(self.name(), "rb") as f:
            f.read()

    def link(self):
        try:
            os.link(self.name(), self.name(), follow_symlinks=False)
        except PermissionError:
            pass  # a directory

    def one(self):
        rng = self.rng
        rng.choice([
            self.write, self.write, self.unlinked_but_open, self.read_all,
            lambda: os.mkdir(self.name()), lambda: os.mkdir(self.name()),
            lambda: os.rename(self.name(), self.name()), lambda: os.rename(self.name(), self.name()),
            self.link,
            lambda: os.symlink(rng.choice(["a", "../b", "nowhere"]), self.name()),
            lambda: os.unlink(self.name()), lambda: os.rmdir(self.name()),
            lambda: os.listdir(self.directory()), lambda: os.lstat(self.name()),
            lambda: os.truncate(self.name(), rng.choice([0, 77, 60_000])),
            lambda: os.setxattr(self.name(), "user." + rng.choice("xyz"), bytes(rng.randrange(300))),
            lambda: os.removexattr(self.name(), "user." + rng.choice("xyz")),
            lambda: os.chmod(self.name(), rng.choice([0o600, 0o755, 0o644])),
        ])()

    def run(self, operations):
        for _ in range(operations):
            try:
                self.one()
            except OSError as e:
                if e.errno not in EXPECTED:
                    self.unexpected.append(str(e))
        return self.unexpected[:5]


def change_names(top, processes, operations, seed):
    """What went wrong, as texts."""
    top.mkdir(exist_ok=True)
    with multiprocessing.Pool(processes) as pool:
        jobs = [pool.apply_async(NameChanger(str(top), seed * 100 + i).run, (operations,))
                for i in range(processes)]
        return [text for job in jobs for text in job.get(300)]
