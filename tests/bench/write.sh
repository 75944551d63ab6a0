#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Writing, by glassfs into an image file and by the kernel's btrfs into a loop device, both on tmpfs: empty
# files made and unlinked in one directory, small files, one large file written and read; a tree of files
# imported, against mkfs.btrfs --rootdir; and chunk allocation (lab chunkalloc). Prints seconds and ratios.
# Needs root.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
glassfs=${GLASSFS:-out/release/core/cli/glassfs}
files=${FILES:-1000000}
small=${SMALL:-10000}
large_mib=${LARGE_MIB:-4096}
tree_files=${TREE_FILES:-50000}
petabyte=${DEVICE:-1P}
[ -x "$glassfs" ] || { echo "not built: cmake --workflow --preset release" >&2; exit 2; }
[ "$(id -u)" = 0 ] || { echo "needs root to mount" >&2; exit 2; }
dir=$(mktemp -d "${BENCH_DIR:-/dev/shm}/bench-write.XXXXXX")
mounted=no
clean() {
    [ $mounted = no ] || umount "$dir/mnt"
    case $dir in */bench-write.*) rm -rf "$dir" ;; esac
}
trap clean EXIT
mkdir "$dir/mnt"

cat >"$dir/work.py" <<'PY'
import os, sys
what, top, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
os.chdir(top)
if what == "create":
    for i in range(count):
        os.close(os.open(f"file{i}", os.O_CREAT | os.O_WRONLY | os.O_EXCL))
elif what == "unlink":
    for i in range(count):
        os.unlink(f"file{i}")
elif what == "small":
    data = b"A" * 16384
    for i in range(count):
        f = os.open(f"f{i}", os.O_CREAT | os.O_WRONLY)
        os.write(f, data)
        os.close(f)
elif what == "write":
    data = b"B" * (1 << 20)
    f = os.open("big", os.O_CREAT | os.O_WRONLY)
    for i in range(count):
        os.write(f, data)
    os.close(f)
elif what == "read":
    f = os.open("big", os.O_RDONLY)
    while os.read(f, 1 << 20):
        pass
d = os.open(".", os.O_RDONLY)
os.sync()
PY

seconds() { # COMMAND...: runs it, its time into $took
    local begin end
    begin=$(date +%s.%N)
    "$@" >"$dir/log" 2>&1 || { echo "failed: $*" >&2; tail -5 "$dir/log" >&2; exit 1; }
    end=$(date +%s.%N)
    took=$(awk "BEGIN { print $end - $begin }")
}
compare() { # WHAT OURS THEIRS
    awk -v what="$1" -v ours="$2" -v theirs="$3" \
        'BEGIN { f = "  %-34s glassfs %7.2f s   other %7.2f s   ratio %.2f\n"
                 printf f, what, ours, theirs, ours / theirs }'
}
new_kernel() {
    rm -f "$dir/kernel.img"
    truncate -s 16G "$dir/kernel.img"
    mkfs.btrfs -q "$dir/kernel.img" >/dev/null 2>&1
    mount -o loop,noatime "$dir/kernel.img" "$dir/mnt"
    mounted=yes
    mkdir "$dir/mnt/d"
}
end_kernel() {
    umount "$dir/mnt"
    mounted=no
    rm -f "$dir/kernel.img"
}
new_ours() { "$glassfs" mkfs btrfs --force --size 16G "$dir/ours.img" >/dev/null; }
shell() { seconds "$glassfs" shell "$dir/ours.img" -c "$1"; }

new_kernel
seconds python3 "$dir/work.py" create "$dir/mnt/d" "$files"; kernel_create=$took
seconds python3 "$dir/work.py" unlink "$dir/mnt/d" "$files"; kernel_unlink=$took
seconds python3 "$dir/work.py" small "$dir/mnt/d" "$small"; kernel_small=$took
seconds python3 "$dir/work.py" write "$dir/mnt/d" "$large_mib"; kernel_write=$took
umount "$dir/mnt"
mount -o loop,noatime "$dir/kernel.img" "$dir/mnt"
seconds python3 "$dir/work.py" read "$dir/mnt/d" 0; kernel_read=$took
end_kernel
new_ours
shell "mkdir /d; repeat $files { create /d/file\$i }"
compare "create $files empty files" "$took" "$kernel_create"
shell "repeat $files { rm /d/file\$i }"; compare "unlink them" "$took" "$kernel_unlink"
shell "repeat $small { write /d/f\$i --fill 65 --size 16K }"
compare "write $small files of 16 KiB" "$took" "$kernel_small"
shell "repeat $large_mib { write /d/big --at \$((i*1048576)) --fill 66 --size 1M }"
compare "write $large_mib MiB" "$took" "$kernel_write"
read_big() { "$glassfs" cat "$dir/ours.img" /d/big >/dev/null; }
seconds read_big; compare "read them" "$took" "$kernel_read"
rm -f "$dir/ours.img"

python3 - "$dir/tree" "$tree_files" <<'PY'
import os, random, sys
top, count = sys.argv[1], int(sys.argv[2])
rng = random.Random(1)
for i in range(count):
    if i % 100 == 0:
        os.makedirs(f"{top}/{i // 5000}/{i // 100}")
    with open(f"{top}/{i // 5000}/{i // 100}/{i}", "wb") as f:
        f.write(rng.randbytes(rng.choice([0, 100, 1000, 4096, 10000, 20000])))
PY
rm -f "$dir/kernel.img"
truncate -s 16G "$dir/kernel.img"
seconds mkfs.btrfs -q --rootdir "$dir/tree" "$dir/kernel.img"; rootdir=$took
new_ours
seconds "$glassfs" import "$dir/ours.img" "$dir/tree"; compare "import $tree_files files" "$took" "$rootdir"
btrfs check --check-data-csum "$dir/ours.img" >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
rm -rf "$dir/ours.img" "$dir/kernel.img" "$dir/tree"

echo "  chunk allocation on $petabyte, mode hint:"
"$glassfs" lab chunkalloc --size "$petabyte" --step "${STEP:-128T}" --mode hint | grep -E "iB|total"
"$glassfs" lab chunkalloc --size "${SCAN_DEVICE:-16T}" --step "${SCAN_DEVICE:-16T}" | grep -E "scan /"
