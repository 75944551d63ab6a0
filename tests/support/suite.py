# SPDX-License-Identifier: MIT
"""What the Python suites share: counting, running the program under limits, scratch space, the images.

A suite makes one Suite, reports each test through it and ends with suite.finish(), which prints the totals.
"""
import atexit
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED_IMAGES = ROOT.parent / "shared" / "images"
IN_CI = os.environ.get("CI") == "true"


def program():
    """The release build's command line, or $GLASSFS."""
    path = pathlib.Path(os.environ.get("GLASSFS", ROOT / "out/release/core/cli/glassfs"))
    if not path.exists():
        sys.exit(f"{path.name} is not built: tests/run builds it, or set GLASSFS")
    return str(path)


class Suite:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.lock = threading.Lock()
        base = ROOT / "out" / "scratch"
        base.mkdir(parents=True, exist_ok=True)
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix=pathlib.Path(sys.argv[0]).name + ".", dir=base))
        atexit.register(shutil.rmtree, self.scratch, ignore_errors=True)

    def ok(self, name):
        with self.lock:
            self.passed += 1
            if os.environ.get("VERBOSE"):
                print(f"passed {name}", flush=True)

    def fail(self, name, why):
        with self.lock:
            self.failed += 1
            print(f"FAILED {name}: {why}", flush=True)

    def skip(self, name, why):
        """Skipped, except on the CI machine, where everything must be there."""
        if IN_CI:
            return self.fail(name, why)
        with self.lock:
            self.skipped += 1
            print(f"skipped {name}: {why}", flush=True)

    def test(self, name, function, *arguments):
        """Runs function(*arguments); it fails by raising Failed."""
        try:
            function(*arguments)
        except Failed as e:
            self.fail(name, e)
        except Exception as e:  # a broken test is a failure too, and the others still run
            self.fail(name, f"{type(e).__name__}: {e}")
        else:
            self.ok(name)

    def finish(self):
        print(f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped", flush=True)
        sys.exit(1 if self.failed else 0)


class Failed(Exception):
    pass


def expect(condition, why):
    if not condition:
        raise Failed(why)


class Outcome:
    def __init__(self, code, out, err, rss_mib, seconds):
        self.code, self.out, self.err, self.rss_mib, self.seconds = code, out, err, rss_mib, seconds

    def lines(self):
        return [json.loads(line) for line in self.out.splitlines() if line.strip()]


def run(*words, timeout=60, out=None):
    """Runs the program; its exit code, output and peak memory. A signal or a hang raises Failed."""
    begin = time.monotonic()
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        command = [program(), *(w if isinstance(w, bytes) else str(w) for w in words)]
        process = subprocess.Popen(command, stdout=out or stdout, stderr=stderr, stdin=subprocess.DEVNULL)
        killer = threading.Timer(timeout, process.kill)
        killer.start()
        _, status, usage = os.wait4(process.pid, 0)
        killer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - begin
        stdout.seek(0)
        stderr.seek(0)
        result = Outcome(process.returncode, stdout.read().decode(errors="replace"),
                         stderr.read().decode(errors="replace"), usage.ru_maxrss / 1024, seconds)
    command = " ".join(map(str, words))
    expect(seconds < timeout, f"{command}: no end after {timeout} s")
    expect(result.code >= 0, f"{command}: killed by signal {-result.code}: {result.err[-300:]}")
    return result


def unpack(packed, target):
    """image.zst, image-N.zst or image.tar.zst (holds one sparse member "image") to a file."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if packed.name.endswith(".tar.zst"):
        directory = target.with_name(target.name + ".d")
        directory.mkdir()
        subprocess.run(f'zstd -qdc --long=27 "{packed}" | tar -xS -C "{directory}"', shell=True, check=True)
        (directory / "image").rename(target)
        directory.rmdir()
    else:
        subprocess.run(["zstd", "-qdf", "--long=27", "--sparse", packed, "-o", target], check=True)
    return target


def load_manifest(path):
    if path.name.endswith(".zst"):
        text = subprocess.run(["zstd", "-qdc", path], check=True, capture_output=True, text=True).stdout
    else:
        text = path.read_text()
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def differences(want, got, ignore=()):
    """The rules of the collection's verify-manifest.py: null matches anything; error counts both ways."""
    want = {record["path"]: record for record in want}
    got = {record["path"]: record for record in got}
    for path in sorted(want.keys() | got.keys()):
        if path not in got:
            yield f"missing {path}"
        elif path not in want:
            yield f"extra {path}"
        else:
            w, g = want[path], got[path]
            for field in sorted(w.keys() | (g.keys() & {"xattrs", "error"})):
                if field in ignore or (field in w and w[field] is None):
                    continue
                if w.get(field) != g.get(field):
                    yield f"{path}: {field}: expected {str(w.get(field))[:80]}, got {str(g.get(field))[:80]}"


def expect_same_manifest(want, got, ignore=()):
    found = list(differences(want, got, ignore))
    expect(not found, f"{len(found)} differences: " + "; ".join(found[:4]))
