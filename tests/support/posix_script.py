# SPDX-License-Identifier: MIT
"""A long list of system calls on a directory, and what each answered, so that two file systems can be
compared.

run(top) returns [(what, answer)]: the answer is a value or the name of an errno. Times are left out, but for
those that were set.
"""
import ctypes
import errno
import fcntl
import hashlib
import mmap
import os
import random
import stat
import struct

libc = ctypes.CDLL(None, use_errno=True)
KEEP_SIZE, PUNCH, COLLAPSE, ZERO, INSERT = 1, 2, 8, 16, 32
NOREPLACE, EXCHANGE = 1, 2
NOISE = random.Random(11).randbytes(1 << 20)


def checked(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "")
    return result


def fallocate(fd, mode, at, length):
    return checked(libc.fallocate(fd, mode, ctypes.c_int64(at), ctypes.c_int64(length)))


def renameat2(a, b, flags):
    return checked(libc.renameat2(-100, os.fsencode(a), -100, os.fsencode(b), flags))


def as_user(top, function):
    """Calls function() as user and group 1001, in the directory `top`; 0 or the name of an errno."""
    pid = os.fork()
    if pid == 0:
        try:
            os.chdir(top)
            os.setgroups([])
            os.setgid(1001)
            os.setuid(1001)
            function()
            os._exit(0)
        except OSError as e:
            os._exit(e.errno)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return errno.errorcode.get(code, code)


class Script:
    def __init__(self, top):
        self.top, self.answers = top, []

    def path(self, name):
        return f"{self.top}/{name}" if name else self.top

    def call(self, what, function, *arguments):
        try:
            answer = function(*arguments)
        except OSError as e:
            answer = errno.errorcode.get(e.errno, str(e.errno))
        if isinstance(answer, bytes) and len(answer) > 40:
            answer = f"{len(answer)} bytes, hash {hash_of(answer)}"
        self.answers.append((what, answer))
        return answer

    def stat(self, name):
        def look():
            st = os.lstat(self.path(name))
            return (oct(st.st_mode), st.st_nlink, st.st_uid, st.st_gid, st.st_size, st.st_rdev)
        self.call(f"stat {name}", look)

    def content(self, name):
        def read():
            with open(self.path(name), "rb") as f:
                return f.read()
        self.call(f"read {name}", read)

    def runs(self, name):
        def seek():
            out, at = [], 0
            with open(self.path(name), "rb") as f:
                end = os.fstat(f.fileno()).st_size
                while at < end:
                    try:
                        begin = os.lseek(f.fileno(), at, os.SEEK_DATA)
                    except OSError as e:
                        if e.errno != errno.ENXIO:
                            raise
                        break
                    at = os.lseek(f.fileno(), begin, os.SEEK_HOLE)
                    out.append((begin, at))
            return out
        self.call(f"data of {name}", seek)


def hash_of(data):
    return hashlib.sha256(data).hexdigest()[:16]


def names(s):
    for name, mode in (("a", 0o644), ("b", 0o4755), ("c", 0o600), ("a", 0o644)):
        flags = os.O_CREAT | os.O_EXCL | os.O_RDWR
        s.call(f"create {name}", lambda: os.close(os.open(s.path(name), flags, mode)))
        s.stat(name)
    for name, mode in (("d", 0o755), ("d/e", 0o1777), ("d", 0o700), ("absent/x", 0o700), ("a/x", 0o700)):
        s.call(f"mkdir {name}", os.mkdir, s.path(name), mode)
        s.stat(name)
    s.call("mkfifo", os.mkfifo, s.path("fifo"), 0o640)
    s.call("mknod char", os.mknod, s.path("char"), 0o600 | stat.S_IFCHR, os.makedev(4, 65))
    s.call("mknod block", os.mknod, s.path("block"), 0o660 | stat.S_IFBLK, os.makedev(259, 70_000))
    for name in ("fifo", "char", "block"):
        s.stat(name)
    for target in ("a", "../up", "x" * 3000, "", "y" * 4096):
        s.call(f"symlink {target[:10]}", os.symlink, target, s.path(f"link{len(target)}"))
    s.call("readlink", os.readlink, s.path("link3000"))
    s.call("readlink of a file", os.readlink, s.path("a"))
    s.call("link", os.link, s.path("a"), s.path("d/a2"))
    s.call("link over", os.link, s.path("a"), s.path("b"))
    s.call("link a directory", os.link, s.path("d"), s.path("d2"))
    s.stat("a")
    s.call("name of 255", os.mkdir, s.path("n" * 255))
    s.call("name of 256", os.mkdir, s.path("n" * 256))
    s.call("odd name", os.mkdir, os.fsencode(s.path("")) + b"/\xff\x01 \n")
    s.call("rmdir full", os.rmdir, s.path("d"))
    s.call("rmdir a file", os.rmdir, s.path("a"))
    s.call("unlink a directory", os.unlink, s.path("d"))
    s.call("unlink", os.unlink, s.path("d/a2"))
    s.call("unlink absent", os.unlink, s.path("d/a2"))
    s.call("rmdir", os.rmdir, s.path("d/e"))
    s.call("list", lambda: sorted(os.listdir(os.fsencode(s.top))))


def renames(s):
    for name in ("r1", "r2", "r1/in", "r3"):
        os.mkdir(s.path(name))
    for name, text in (("f1", b"one"), ("f2", b"two"), ("r3/f", b"three")):
        with open(s.path(name), "wb") as f:
            f.write(text)
    os.link(s.path("f1"), s.path("f1-again"))
    for a, b, flags in [("f1", "f3", 0), ("f3", "f2", 0), ("f2", "f2", 0), ("f2", "f1-again", 0),
                        ("f2", "r1", 0), ("r1", "f2", 0), ("r1", "r2", 0), ("r2", "r3", 0),
                        ("r2", "r2/in/deeper", 0), ("absent", "x", 0), ("f2", "r2/f", NOREPLACE),
                        ("r2/f", "f1-again", NOREPLACE), ("r2", "r3", EXCHANGE), ("r2", "absent", EXCHANGE),
                        ("r2/f", "r3", EXCHANGE), ("f1-again", "f9", EXCHANGE | NOREPLACE)]:
        s.call(f"rename {a} {b} {flags}", renameat2, s.path(a), s.path(b), flags)
    s.call("tree", lambda: sorted(os.path.relpath(os.path.join(d, n), s.top)
                                  for d, ds, fs in os.walk(s.top)
                                  for n in ds + fs if not n.startswith("n")))


def data(s):
    def edit(name, flags=os.O_RDWR | os.O_CREAT):
        return os.open(s.path(name), flags, 0o644)

    fd = edit("data")
    for at, length in ((0, 10), (4090, 20), (100_000, 70_000), (5, 0), (1 << 20, 1), (50_000, 4096)):
        s.call(f"write {length} at {at}", os.pwrite, fd, NOISE[at % 999:][:length], at)
    s.call("read behind the end", os.pread, fd, 10, 2 << 20)
    s.call("read over the end", os.pread, fd, 10_000, (1 << 20) - 100)
    for size in (300_000, 123_457, 400_000, 400_000):
        s.call(f"truncate {size}", os.ftruncate, fd, size)
        s.runs("data")
    os.fsync(fd)
    for mode, at, length in [(0, 390_000, 50_000), (KEEP_SIZE, 600_000, 8192),
                             (PUNCH | KEEP_SIZE, 4096, 8192), (PUNCH | KEEP_SIZE, 100_100, 9_000),
                             (ZERO, 120_000, 10_000),
                             (ZERO | KEEP_SIZE, 700_000, 5000), (PUNCH, 0, 4096), (COLLAPSE, 0, 4096),
                             (INSERT, 0, 4096), (0, 0, 0), (0, 1 << 62, 1 << 62), (128, 0, 4096)]:
        s.call(f"fallocate {mode} {at} {length}", fallocate, fd, mode, at, length)
        s.stat("data")
    s.content("data")
    s.call("seek data behind", os.lseek, fd, 10 << 20, os.SEEK_DATA)
    os.close(fd)
    s.content("data")
    for i in range(3):
        def append():
            with open(s.path("appended"), "ab") as f:
                f.write(b"line %d\n" % i)
        s.call("append", append)
    s.content("appended")
    s.call("open with O_TRUNC", lambda: os.close(edit("appended", os.O_WRONLY | os.O_TRUNC)))
    s.stat("appended")
    s.call("open absent", lambda: edit("no such", os.O_RDONLY))
    s.call("open a directory to write", lambda: edit("r1", os.O_WRONLY))
    s.call("truncate a directory", os.truncate, s.path("r3"), 0)
    name = os.fsencode(s.path("data"))
    s.call("negative truncate", lambda: checked(libc.truncate(name, ctypes.c_int64(-1))))
    mapped(s)
    copies(s)


def mapped(s):
    def work():
        fd = os.open(s.path("mapped"), os.O_RDWR | os.O_CREAT, 0o644)
        os.ftruncate(fd, 3 * 4096 + 5)
        with mmap.mmap(fd, 0) as memory:
            memory[100:110] = b"0123456789"
            memory[8192:8200] = b"abcdefgh"
            memory.flush()
        os.close(fd)
    s.call("mmap", work)
    s.content("mapped")


def copies(s):
    def copy(length, from_at, to_at):
        a, b = os.open(s.path("data"), os.O_RDONLY), os.open(s.path("copied"), os.O_RDWR | os.O_CREAT, 0o644)
        try:
            return os.copy_file_range(a, b, length, from_at, to_at)
        finally:
            os.close(a)
            os.close(b)
    for length, from_at, to_at in ((8192, 98_304, 0), (10_000, 1, 20_001), (1 << 20, 0, 65536),
                                   (5, 10 << 20, 0), (4096, 0, 4096)):
        s.call(f"copy_file_range {length}", copy, length, from_at, to_at)
    s.content("copied")


def attributes(s):
    name = s.path("attributes")
    with open(name, "wb") as f:
        f.write(b"x")
    s.call("chmod", os.chmod, name, 0o6751)
    s.stat("attributes")
    s.call("chown", os.chown, name, 1000, 4_000_000_000)
    s.stat("attributes")  # chown takes set-user-id away
    os.chmod(name, 0o4777)

    def append():
        with open("attributes", "ab") as f:
            f.write(b"y")
    s.call("write as another user", as_user, s.top, append)
    s.stat("attributes")  # and so does writing
    s.call("utime", lambda: os.utime(name, ns=(1_234_567_890_123_456_789, -1_500_000_001)))
    s.call("times", lambda: (os.stat(name).st_atime_ns, os.stat(name).st_mtime_ns))
    s.call("chmod absent", os.chmod, s.path("absent"), 0o600)
    os.mkdir(s.path("setgid"))
    os.chown(s.path("setgid"), 0, 77)
    os.chmod(s.path("setgid"), 0o2775)
    os.mkdir(s.path("setgid/below"))
    open(s.path("setgid/file"), "wb").close()
    s.stat("setgid/below")
    s.stat("setgid/file")
    for key, value, flags in [("user.a", b"1", 0), ("user.a", b"2", os.XATTR_CREATE),
                              ("user.b", b"3", os.XATTR_REPLACE), ("user.a", b"4" * 100, os.XATTR_REPLACE),
                              ("user.empty", b"", 0), ("trusted.t", b"t", 0), ("security.s", b"s", 0),
                              ("user.", b"", 0), ("none", b"", 0), ("user." + "k" * 250, b"long", 0),
                              ("user.big", NOISE[:15_000], 0), ("user.too big", NOISE[:40_000], 0)]:
        s.call(f"setxattr {key[:12]} {flags}", os.setxattr, name, key, value, flags)
    s.call("listxattr", lambda: sorted(os.listxattr(name)))
    for key in ("user.a", "user.empty", "user.big", "user.none", "trusted.t"):
        s.call(f"getxattr {key}", os.getxattr, name, key)
    s.call("removexattr", os.removexattr, name, "user.a")
    s.call("removexattr again", os.removexattr, name, "user.a")
    link = s.path("link1")
    s.call("xattr of a symlink", lambda: os.setxattr(link, "trusted.l", b"1", follow_symlinks=False))


def gone(s):
    """What has lost its name and is in use."""
    fd = os.open(s.path("gone"), os.O_RDWR | os.O_CREAT, 0o600)
    os.write(fd, b"still here" * 1000)
    only_path = os.open(s.path("gone"), os.O_PATH)
    s.call("unlink an open file", os.unlink, s.path("gone"))
    s.call("its links", lambda: os.fstat(fd).st_nlink)
    s.call("read it", os.pread, fd, 20, 5000)
    s.call("write it", os.pwrite, fd, b"more", 20_000)
    s.call("truncate it", os.ftruncate, fd, 15_000)
    s.call("chmod it", os.fchmod, fd, 0o640)
    s.call("its size", lambda: os.fstat(fd).st_size)
    os.close(fd)
    s.call("through O_PATH", lambda: os.fstat(only_path).st_size)
    os.close(only_path)
    os.mkdir(s.path("gone-dir"))
    directory = os.open(s.path("gone-dir"), os.O_RDONLY)
    s.call("rmdir an open directory", os.rmdir, s.path("gone-dir"))
    s.call("its links", lambda: os.fstat(directory).st_nlink)
    s.call("create in it", lambda: os.open("x", os.O_CREAT | os.O_WRONLY, 0o600, dir_fd=directory))
    os.close(directory)
    with open(s.path("replaced"), "wb") as f:
        f.write(b"old")
    with open(s.path("replacing"), "wb") as f:
        f.write(b"new")
    with open(s.path("replaced"), "rb") as old:
        os.rename(s.path("replacing"), s.path("replaced"))
        s.call("read what was replaced", old.read)
    s.content("replaced")


def many(s):
    """A directory that changes while it is read."""
    os.mkdir(s.path("many"))
    for i in range(500):
        with open(s.path(f"many/file{i:03}"), "wb") as f:
            f.write(b"%d" % i)

    def walk():
        seen = []
        with os.scandir(s.path("many")) as entries:
            for number, entry in enumerate(entries):
                seen.append(entry.name)
                if number == 50:
                    for i in range(400, 450):
                        os.unlink(s.path(f"many/file{i:03}"))
                    for i in range(100):
                        os.rename(s.path(f"many/file{i:03}"), s.path(f"many/renamed{i:03}"))
        stays = {f"file{i:03}" for i in range(100, 400)} | {f"file{i:03}" for i in range(450, 500)}
        return len(stays - set(seen)), len(seen) - len(set(seen))
    s.call("lost and doubled names", walk)
    s.call("what is left", lambda: len(os.listdir(s.path("many"))))


def locks(s):
    fd = os.open(s.path("a"), os.O_RDWR)
    s.call("flock", fcntl.flock, fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    wanted = struct.pack("hhqqi", fcntl.F_WRLCK, 0, 0, 10, 0)
    s.call("record lock", lambda: len(fcntl.fcntl(fd, fcntl.F_SETLK, wanted)))
    os.close(fd)


def permissions(s):
    """The kernel checks them: another user can't, root can."""
    os.chmod(s.path("c"), 0o600)
    os.mkdir(s.path("sticky"))
    os.chmod(s.path("sticky"), 0o1777)
    open(s.path("sticky/roots"), "wb").close()
    for what, function in [("read", lambda: open("c", "rb").close()),
                           ("create", lambda: open("mine", "wb").close()),
                           ("create in sticky", lambda: open("sticky/mine", "wb").close()),
                           ("unlink from it", lambda: os.unlink("sticky/roots")),
                           ("chmod", lambda: os.chmod("c", 0o666))]:
        s.call(f"user: {what}", as_user, s.top, function)
    s.stat("sticky/mine")


OWNER, USER, GROUP, NAMED_GROUP, MASK, OTHER = 0x01, 0x02, 0x04, 0x08, 0x10, 0x20
ACCESS, DEFAULT = "system.posix_acl_access", "system.posix_acl_default"


def acl(*entries, version=2):
    """The value of an access list: entries of (tag, rwx) or (tag, rwx, id)."""
    packed = b"".join(struct.pack("<HHI", e[0], e[1], e[2] if len(e) > 2 else 0xFFFFFFFF) for e in entries)
    return struct.pack("<I", version) + packed


def access_lists(s):
    """What a list makes of the mode, chmod of a list, and what is handed on to new files."""
    def get(name, which):
        s.call(f"{which} of {name}", lambda: os.getxattr(s.path(name), which, follow_symlinks=False).hex())

    def put(what, name, which, value):
        s.call(f"{what} to {name}", lambda: os.setxattr(s.path(name), which, value, follow_symlinks=False))
        s.stat(name)
        get(name, which)

    os.mkdir(s.path("acl"))
    for name in ("acl/f", "acl/g"):
        open(s.path(name), "wb").close()
    os.symlink("f", s.path("acl/l"))
    os.mkfifo(s.path("acl/p"))
    whole = acl((OWNER, 7), (USER, 5, 1000), (GROUP, 4), (MASK, 6), (OTHER, 1))
    for what, value in [("only the mode", acl((OWNER, 6), (GROUP, 4), (OTHER, 0))), ("a list", whole),
                        ("without a mask", acl((OWNER, 7), (USER, 5, 1000), (GROUP, 4), (OTHER, 1))),
                        ("out of order", acl((GROUP, 4), (OWNER, 7), (OTHER, 1))),
                        ("twice the same", acl((OWNER, 7), (USER, 5, 9), (USER, 4, 9), (GROUP, 4), (MASK, 7),
                                               (OTHER, 1))),
                        ("too many bits", acl((OWNER, 15), (GROUP, 4), (OTHER, 1))),
                        ("nobody's", acl((OWNER, 7), (USER, 5), (GROUP, 4), (MASK, 7), (OTHER, 1))),
                        ("ids to ignore", acl((OWNER, 7, 5), (GROUP, 4, 6), (NAMED_GROUP, 1, 9), (MASK, 7, 8),
                                              (OTHER, 1, 7))),
                        ("no such tag", acl((3, 7), (GROUP, 4), (OTHER, 1))),
                        ("version 1", acl((OWNER, 7), (GROUP, 4), (OTHER, 1), version=1)),
                        ("no entries", acl()), ("cut", whole[:-3]), ("two bytes", whole[:2]),
                        ("a list again", whole)]:
        put(what, "acl/f", ACCESS, value)
    for name in ("acl/p", "acl/l"):
        put("a list", name, ACCESS, whole)
        put("a default list", name, DEFAULT, whole)
    os.chmod(s.path("acl/f"), 0o4750)
    s.stat("acl/f")
    get("acl/f", ACCESS)
    for _ in range(2):
        s.call("remove it", lambda: os.removexattr(s.path("acl/f"), ACCESS))
        s.stat("acl/f")
    default = acl((OWNER, 7), (USER, 5, 1000), (GROUP, 5), (MASK, 5), (OTHER, 0))
    for number, value in enumerate([default, acl((OWNER, 7), (GROUP, 5), (OTHER, 1))]):
        put("a default list", "acl", DEFAULT, value)
        for mask in (0o077, 0):
            before = os.umask(mask)
            stem = f"acl/{number}{mask:o}"
            os.close(os.open(s.path(f"{stem}file"), os.O_CREAT | os.O_WRONLY, 0o666))
            os.mkdir(s.path(f"{stem}dir"))
            os.mkfifo(s.path(f"{stem}fifo"))
            os.symlink("x", s.path(f"{stem}link"))
            os.umask(before)
            for kind in ("file", "dir", "fifo", "link"):
                s.stat(stem + kind)
                get(stem + kind, ACCESS)
                get(stem + kind, DEFAULT)
    s.call("remove the default list", lambda: os.removexattr(s.path("acl"), DEFAULT))
    os.close(os.open(s.path("acl/after"), os.O_CREAT | os.O_WRONLY, 0o666))
    s.stat("acl/after")


def run(top):
    s = Script(top)
    before = os.umask(0o022)
    try:
        for part in (names, renames, data, attributes, gone, many, locks, permissions,
                     access_lists):
            part(s)
    finally:
        os.umask(before)
    return s.answers


def comparable(records):
    """Of a manifest: what is the same however long the script took."""
    out = []
    for record in records:
        record = dict(record)
        if record["path"] != "/attributes":
            record["mtime"] = None
        out.append(record)
    return out
