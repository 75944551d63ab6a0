#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What the page costs: bytes of a first visit, time to the first picture of the sample, and frame time over
# a tree of 1,000,000 items with WebGL in software (tests/browser/bench.mjs). The large image is made once,
# by the running kernel, as root; without root that figure is left out.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. tests/browser/prepare
image=$PWD/out/bench/million-items.btrfs
mount=""

finish() {
    if [ -n "$mount" ]; then
        umount "$mount" 2>/dev/null || true
        rmdir "$mount" 2>/dev/null || true
    fi
}
trap finish EXIT

# Five items for each file: INODE_ITEM, INODE_REF, EXTENT_DATA, and DIR_ITEM and DIR_INDEX in its folder.
if [ ! -f "$image" ] && [ "$(id -u)" = 0 ]; then
    mkdir -p out/bench
    truncate -s 4G "$image.new"
    PATH=$PATH:/usr/sbin:/sbin mkfs.btrfs -q -f "$image.new" >/dev/null
    mount=$(mktemp -d)
    mount -o loop "$image.new" "$mount"
    python3 - "$mount" <<'PYTHON'
import os
import sys

root = sys.argv[1]
for folder in range(200):
    path = f"{root}/folder-{folder:03}"
    os.mkdir(path)
    for number in range(1000):
        with open(f"{path}/file-{number:04}", "w") as out:
            out.write(f"file {number} of folder {folder}\n" * 3)
PYTHON
    umount "$mount"
    rmdir "$mount"
    mount=""
    mv "$image.new" "$image"
fi
[ -f "$image" ] || image=""
node tests/browser/bench.mjs "$image"
