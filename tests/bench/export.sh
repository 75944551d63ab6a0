#!/bin/bash
# SPDX-License-Identifier: MIT
#
# How long it takes to copy everything out of an image of 50,000 files and 2 GiB: glassfs export, btrfs
# restore, and cp -a from a mount by the kernel. Each runs $RUNS times (3), in turn; the shortest counts.
# Prints seconds and ratios. Needs root. The work happens in $BENCH_DIR (out/scratch).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
glassfs=${GLASSFS:-out/release/core/cli/glassfs}
runs=${RUNS:-3}
files=${FILES:-50000}
bytes=${BYTES:-2147483648}
[ -x "$glassfs" ] || { echo "not built: cmake --workflow --preset release" >&2; exit 2; }
[ "$(id -u)" = 0 ] || { echo "needs root to mount" >&2; exit 2; }
mkdir -p "${BENCH_DIR:-out/scratch}"
dir=$(mktemp -d "${BENCH_DIR:-out/scratch}/bench-export.XXXXXX")
mounted=no
clean() {
    [ $mounted = no ] || umount "$dir/mnt"
    case $dir in */bench-export.*) rm -rf "$dir" ;; esac
}
trap clean EXIT

echo "making an image of $files files and $((bytes >> 20)) MiB"
truncate -s $((bytes * 2 + (1 << 30))) "$dir/image"
mkfs.btrfs -q "$dir/image"
mkdir "$dir/mnt"
mount -o loop,noatime "$dir/image" "$dir/mnt"
mounted=yes
python3 - "$dir/mnt" "$files" "$bytes" <<'PY'
import os, random, sys
top, files, total = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = random.Random(1)
noise = rng.randbytes(64 << 20)
weights = [rng.expovariate(1) for _ in range(files)]
scale = total / sum(weights)
for i, weight in enumerate(weights):
    directory = f"{top}/{i // 5000}/{i // 100 % 50}"
    if i % 100 == 0:
        os.makedirs(directory, exist_ok=True)
    size = min(int(weight * scale), 32 << 20)
    at = rng.randrange(len(noise) - size)
    with open(f"{directory}/{i}", "wb") as f:
        f.write(noise[at:at + size])
PY
umount "$dir/mnt"
mounted=no

# seconds COMMAND...: runs it, its time into $took
seconds() {
    local begin end
    sync
    begin=$(date +%s.%N)
    "$@" >"$dir/log" 2>&1 || { echo "failed: $*" >&2; tail -5 "$dir/log" >&2; exit 1; }
    end=$(date +%s.%N)
    took=$(awk "BEGIN { print $end - $begin }")
}
declare -A best
note() {
    printf '  %-16s %.2f s\n' "$1" "$took"
    if [ -z "${best[$1]:-}" ] || awk "BEGIN { exit !($took < ${best[$1]}) }"; then best[$1]=$took; fi
}
copy_from_kernel() { cp -a "$dir/mnt" "$dir/out"; }

for ((run = 1; run <= runs; run++)); do
    echo "run $run of $runs"
    seconds "$glassfs" export "$dir/image" -o "$dir/out"
    if [ "$(find "$dir/out" -type f | wc -l)" != "$files" ]; then
        echo "files are missing" >&2
        exit 1
    fi
    note "glassfs export"
    rm -rf "$dir/out"
    mkdir "$dir/out"
    seconds btrfs restore -m "$dir/image" "$dir/out"
    note "btrfs restore"
    rm -rf "$dir/out"
    mount -o loop,ro,noatime "$dir/image" "$dir/mnt"
    mounted=yes
    seconds copy_from_kernel
    note "cp -a"
    umount "$dir/mnt"
    mounted=no
    rm -rf "$dir/out"
done
ours=${best[glassfs export]}
for other in "btrfs restore" "cp -a"; do
    awk "BEGIN { printf \"export / $other: %.2f\\n\", $ours / ${best[$other]} }"
done
